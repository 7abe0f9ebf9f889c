//! Writes what follows from the tables of the API.
//!
//! `botdesk-codegen bindings FOLDER` writes the generated parts of a checkout: `python/botdesk/_api/` has the classes of resources and
//! records, and `src/generated/` the native functions that take inputs. `just bindings` runs it. `botdesk-codegen document` prints the
//! rules of the API as JSON.
//!
//! It reads the tables of `botdesk_api` and `botdesk_planning`.

#![allow(clippy::format_collect, clippy::format_push_string, reason = "it only runs on developers' machines")]

mod backtests;
mod docstring;
mod document;
mod inputs;
mod lists;
mod method;
mod owner;
mod planning;
mod python;
mod python_method;
mod resource;
mod source;
mod sweeps;
mod tables;
mod types;
mod watches;

use std::io::{self, Write as _};
use std::path::Path;

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
    let sources = [planning::file(), backtests::file(), sweeps::file(), python::client_file()];
    let native = folder.join("src/generated");
    std::fs::create_dir_all(&native)?;
    for source in &sources {
        std::fs::write(native.join(source.module()).with_extension("rs"), source.text())?;
    }
    let modules = sources.iter().map(SourceFile::module).collect();
    std::fs::write(native.join("mod.rs"), module_file("What follows from the tables.", modules))?;
    let package = folder.join("python/botdesk/_api");
    std::fs::create_dir_all(&package)?;
    for (module, text) in python::files() {
        std::fs::write(package.join(module).with_extension("py"), text)?;
    }
    Ok(())
}
