//! Writes what follows from the tables of the API.
//!
//! `botdesk-codegen bindings FOLDER` writes the generated part of the binding, `src/generated/`: the classes of records, and for each
//! operation the methods that send it. `just bindings` runs it. `botdesk-codegen document` prints the API as JSON.
//!
//! It reads the tables of `botdesk_api` and `botdesk_planning` and the table of operations in `operations/`.

#![allow(clippy::format_collect, clippy::format_push_string, reason = "it only runs on developers' machines")]

mod backtests;
mod docstring;
mod document;
mod inputs;
mod lists;
mod method;
mod operation;
mod operations;
mod planning;
mod records;
mod resource;
mod source;
mod sweeps;

use std::io::{self, Write as _};
use std::path::Path;

use botdesk_api::document::API_MODULES;

use crate::source::{SourceFile, module_file};

fn main() -> io::Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bindings", folder] => write_bindings(Path::new(folder)),
        ["document"] => writeln!(io::stdout(), "{:#}", document::document()),
        _ => Err(io::Error::other("usage: botdesk-codegen bindings FOLDER | document")),
    }
}

fn write_bindings(folder: &Path) -> io::Result<()> {
    let records: Vec<_> = API_MODULES.iter().map(records::file).collect();
    let methods: Vec<_> = operations::RESOURCES
        .iter()
        .map(resource::file)
        .chain([planning::file(), backtests::file(), sweeps::file()])
        .collect();
    let modules = methods.iter().map(SourceFile::module).chain(["records".to_owned()]).collect();
    write(folder, &methods, &module_file("The part of the binding that is generated.", modules))?;
    let modules = records.iter().map(SourceFile::module).collect();
    write(&folder.join("records"), &records, &module_file("The classes of records.", modules))
}

fn write(folder: &Path, sources: &[SourceFile], module: &str) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for source in sources {
        std::fs::write(folder.join(source.module()).with_extension("rs"), source.text())?;
    }
    std::fs::write(folder.join("mod.rs"), module)
}
