//! Writes what follows from the tables of the API.
//!
//! `botdesk-codegen bindings FOLDER` writes the generated parts of a checkout: `python/botdesk/_api/` has the classes of resources and
//! records, `python/botdesk/_planning.py` the functions, and `src/generated.rs` the attributes of the client. `just bindings` runs it. `botdesk-codegen document` prints the
//! rules of the API as JSON.
//!
//! It reads the tables of `botdesk_api` and `botdesk_planning`.

#![allow(clippy::format_collect, clippy::format_push_string, reason = "it only runs on developers' machines")]

mod backtests;
mod client;
mod docstring;
mod document;
mod inputs;
mod lists;
mod owner;
mod parameter;
mod planning;
mod python;
mod python_method;
mod resource;
mod sweeps;
mod tables;
mod types;
mod watches;

use std::io::{self, Write as _};
use std::path::Path;

fn main() -> io::Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bindings", folder] => write_bindings(Path::new(folder)),
        ["document"] => writeln!(io::stdout(), "{:#}", document::document()),
        _ => Err(io::Error::other("usage: botdesk-codegen bindings FOLDER | document")),
    }
}

fn write_bindings(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("src/generated.rs"), client::file())?;
    let package = folder.join("python/botdesk/_api");
    std::fs::create_dir_all(&package)?;
    std::fs::write(package.with_file_name("_planning.py"), python::functions_file())?;
    for (module, text) in python::files() {
        std::fs::write(package.join(module).with_extension("py"), text)?;
    }
    Ok(())
}
