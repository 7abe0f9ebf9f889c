//! Writes what follows from the tables of the API.
//!
//! `botdesk-codegen bindings FOLDER` writes the generated parts of the binding: `generated_records/` has the classes of records, and
//! `generated/` has the methods of each operation. `just bindings` runs it. `botdesk-codegen document` prints the API as JSON.
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
    write(&folder.join("generated_records"), "The classes of records.", &records)?;
    write(&folder.join("generated"), "The methods of operations.", &methods)
}

fn write(folder: &Path, about: &str, sources: &[SourceFile]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for source in sources {
        std::fs::write(folder.join(source.module()).with_extension("rs"), source.text())?;
    }
    let modules = sources.iter().map(SourceFile::module).collect();
    std::fs::write(folder.join("mod.rs"), module_file(about, modules))
}
