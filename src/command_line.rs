//! What the command line is made from.

use std::path::PathBuf;

use crate::raise::OrPyErr as _;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use super::exceptions::RustResult;
use botdesk_api::document;
use botdesk_api::input::{Form, Input};
use botdesk_api::secrets::without_secrets;
use botdesk_client::credentials::key_source::KeySource;
use botdesk_client::credentials::stored;
use botdesk_client::error::Error;
use botdesk_system::files::{self, Existing};

/// An input as the command line needs it: its name, its form, the texts it is one of, and what it is.
type Row = (&'static str, &'static str, Vec<&'static str>, &'static str);

/// What an operation takes, and whether it changes something at the service.
#[pyfunction]
pub(super) fn _operation(name: &str) -> PyResult<(Vec<Row>, bool)> {
    let endpoint = document::operations().find(|endpoint| endpoint.operation == name);
    let endpoint = endpoint.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    let rows = endpoint.takes.inputs().map_or(&[][..], |inputs| inputs.rows);
    Ok((rows.iter().map(row).collect(), endpoint.method.writes()))
}

fn row(input: &Input) -> Row {
    let (form, choices) = match input.form {
        Form::Amount => ("decimal", &[][..]),
        Form::Integer => ("integer", &[][..]),
        Form::Flag => ("flag", &[][..]),
        Form::Text => ("text", &[][..]),
        Form::OneOf(choices) => ("text", choices),
        Form::Moment => ("moment", &[][..]),
        Form::Pairs | Form::Texts => ("texts", &[][..]),
        Form::Steps | Form::Strategies | Form::Object => ("json", &[][..]),
    };
    (input.name, form, choices.to_vec(), input.about)
}

/// The text of some JSON with placeholders for the secrets in it.
#[pyfunction]
pub(super) fn _without_secrets(text: &str) -> String {
    without_secrets(text)
}

/// Whether a private key of a profile is the path of a file; otherwise it is the key itself, in whatever form.
#[pyfunction]
pub(super) fn _is_key_file(private_key: &str) -> PyResult<bool> {
    let profiles = stored::profiles_file().or_py_err()?;
    let source = KeySource::of_text(private_key, profiles.parent().unwrap_or(&profiles));
    Ok(matches!(source, KeySource::File(_)))
}

/// The file of the profiles.
#[pyfunction]
pub(super) fn _profiles_file() -> PyResult<PathBuf> {
    stored::profiles_file().or_py_err()
}

/// Write the file of the profiles, for its owner alone; all of it or nothing.
#[pyfunction]
pub(super) fn _write_profiles(text: &str) -> PyResult<()> {
    let file = stored::profiles_file().or_py_err()?;
    files::write(&file, text.as_bytes(), Existing::Replace)
        .map_rust_err(|error| Error::Configuration(format!("{} can't be written: {error}", file.display())))
        .or_py_err()
}
