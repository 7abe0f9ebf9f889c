//! The classes of records, with an attribute for each field.

use botdesk_api::document::{ApiModule, RecordSpec};
use botdesk_api::row::FieldSpec;

use crate::operations::RESOURCES;
use crate::source::{SourceFile, documentation, identifier, module, rust_type};

/// Returns the file with the classes of one API module's records.
pub(crate) fn file(part: &ApiModule) -> SourceFile {
    let module = module(part);
    let mut source = SourceFile::new(module, &format!("The classes of the records of `{}`.", part.file));
    for shape in part.records {
        source.add(&class(module, shape));
    }
    source
}

fn class(module: &str, shape: &RecordSpec) -> String {
    let name = shape.name;
    let about = documentation(&[shape.about.trim()]);
    let core = format!("{module}::{name}");
    let is_client_bound = RESOURCES.iter().any(|resource| resource.record == Some(name));
    let held = if is_client_bound { format!("ClientBound<{core}>") } else { core.clone() };
    let macro_call = if is_client_bound { "client_bound" } else { "plain" };
    let is_readable = RESOURCES.iter().any(|resource| resource.record == Some(name) && resource.reads().is_some());
    let readable = if is_client_bound { format!(", is_readable: {is_readable}") } else { String::new() };
    let getters: String = shape.rows.iter().map(getter).collect();
    format!(
        "{about}#[pyclass(frozen, eq, hash, module = \"botdesk\")]\n\
         #[derive(PartialEq, Eq, Hash)]\n\
         pub(crate) struct {name}({held});\n\n\
         record_methods! {{ {macro_call} {name}, {core}{readable} }}\n\n\
         #[pymethods]\nimpl {name} {{\n{getters}}}\n"
    )
}

fn getter(row: &FieldSpec) -> String {
    let name = identifier(row.name);
    let about = documentation(&[row.about.trim()]);
    let kind = rust_type((row.kind)());
    format!("{about}#[getter]\nfn {name}(&self) -> FieldResult<'_, {kind}> {{\nfield(self.record().{name}())\n}}\n\n")
}
