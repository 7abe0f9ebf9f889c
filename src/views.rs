//! The display of objects that hold no records: handles show what they offer, and other objects their attributes.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::client::Client;
use crate::exceptions::{repr_of, str_of, type_name};
use crate::options::{RateLimit, RetryPolicy};
use crate::previews::FieldChange;
use crate::private_key::PrivateKey;
use crate::runtime::hooks::RequestEvent;
use crate::sandbox::class::{ReceivedRequest, Sandbox};
use crate::sandbox::clock::Clock;
use crate::sandbox::faults::{Faults, HappenedFault, PendingFault};
use crate::sandbox::playback::Playback;
use crate::sandbox::recording::{Recording, Replay};
use crate::sandbox::streams::{SandboxStreams, StreamAttempt};
use crate::stream::Stream;
use crate::watch::{RecordAsyncWatch, RecordWatch};
use botdesk_client::http::HttpClient;
use botdesk_display::html;
use botdesk_display::text_table::Table;

/// The suffix of the coroutine versions of methods.
const ASYNC: &str = "_async";

/// A public attribute or method of a class.
struct Member {
    name: String,
    is_attribute: bool,
    /// The first line of its docstring.
    summary: String,
}

/// Returns the public attributes of a class by name, and its methods in the order of its source, without the coroutine versions.
/// Those of its base classes in Python come last.
fn members(class: &Bound<'_, PyType>) -> PyResult<Vec<Member>> {
    let mut members = Vec::new();
    for base in class.mro() {
        let base = base.cast_into::<PyType>()?;
        let module: String = base.getattr("__module__")?.extract()?;
        // What all resources have, and what every object has.
        if matches!(module.as_str(), "botdesk._native" | "builtins") {
            break;
        }
        members.extend(own_members(&base)?);
    }
    // pyo3 defines attributes in any order. A stable sort keeps the order of the methods.
    members.sort_by(|one, other| {
        let order = |member: &Member| member.is_attribute.then(|| member.name.clone());
        other.is_attribute.cmp(&one.is_attribute).then_with(|| order(one).cmp(&order(other)))
    });
    Ok(members)
}

fn own_members(class: &Bound<'_, PyType>) -> PyResult<Vec<Member>> {
    let all: Bound<'_, PyDict> = class.py().get_type::<PyDict>().call1((class.getattr("__dict__")?,))?.cast_into()?;
    let mut members = Vec::new();
    for (name, member) in all.iter() {
        let name: String = name.extract()?;
        if name.starts_with('_') || name.ends_with(ASYNC) {
            continue;
        }
        let is_attribute = member.get_type().name()? == "getset_descriptor";
        let doc = class.getattr(name.as_str())?.getattr("__doc__")?;
        let doc = if doc.is_none() { String::new() } else { str_of(&doc)? };
        let summary = doc.lines().next().unwrap_or_default().to_owned();
        members.push(Member { name, is_attribute, summary });
    }
    Ok(members)
}

/// Returns what an object offers as a table: its attributes, then its methods.
pub(crate) fn offered(title: String, class: &Bound<'_, PyType>) -> PyResult<Table> {
    let row = |member: Member| {
        let brackets = if member.is_attribute { "" } else { "()" };
        vec![format!(".{}{brackets}", member.name), member.summary]
    };
    let rows = members(class)?.into_iter().map(row).collect();
    Ok(Table { title, heads: vec!["name", "summary"], rows, ..Table::default() })
}

/// Returns the names of what an object offers.
pub(crate) fn names(class: &Bound<'_, PyType>) -> PyResult<String> {
    Ok(members(class)?.into_iter().map(|member| member.name).collect::<Vec<_>>().join(", "))
}

/// Returns the `repr` of an object without its angle brackets.
fn title(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = repr_of(object)?;
    Ok(text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or(&text).to_owned())
}

/// Returns the service and the fingerprint of the key of a client.
pub(crate) fn whose(client: &HttpClient) -> String {
    format!("{} key {}", client.settings().base_url, client.fingerprint())
}

/// Defines the display of handles: a table of what they offer. Displaying sends no request.
macro_rules! handles {
    ($($handle:ty),*) => {$(
        #[pymethods]
        impl $handle {
            fn _repr_html_(this: &Bound<'_, Self>) -> PyResult<String> {
                Ok(offered(title(this)?, &this.get_type())?.html())
            }

            /// Return what the object offers as text, for a terminal.
            fn _offered(this: &Bound<'_, Self>) -> PyResult<String> {
                Ok(offered(title(this)?, &this.get_type())?.text(2))
            }
        }
    )*};
}

handles! {
    Client, Sandbox, SandboxStreams, Faults, Clock, Playback, Recording, Replay, Stream, RecordWatch, RecordAsyncWatch
}

/// Returns some attributes of an object as HTML.
fn attributes_html(object: &Bound<'_, PyAny>, names: &[&str]) -> PyResult<String> {
    let mut fields = Vec::new();
    for name in names {
        let value = object.getattr(*name)?;
        let value = if value.is_none() { "-".to_owned() } else { str_of(&value)? };
        fields.push(((*name).to_owned(), value));
    }
    Ok(html::record(&type_name(object)?, &fields))
}

/// Defines the display of objects by their attributes, alone and as the columns of a list.
macro_rules! by_attributes {
    ($($class:ident: $($attribute:ident),*;)*) => {$(
        #[pymethods]
        impl $class {
            fn _repr_html_(this: &Bound<'_, Self>) -> PyResult<String> {
                attributes_html(this, &Self::_list_columns())
            }

            /// Return the attributes that a list of these objects shows.
            #[staticmethod]
            fn _list_columns() -> Vec<&'static str> {
                vec![$(stringify!($attribute)),*]
            }
        }
    )*};
}

by_attributes! {
    FieldChange: field, old, new;
    HappenedFault: kind, operation, method, path;
    PendingFault: operation, kind, times;
    PrivateKey: fingerprint;
    RateLimit: requests, per, shared;
    ReceivedRequest: method, path, query, body, status, carried_out, fault, signed_form;
    StreamAttempt: path, subprotocol, channel, key, signed_text, algorithm, result, cause;
    RequestEvent: operation, method, path, attempt, status, milliseconds, failure, wait, request_id;
    RetryPolicy: retries, backoff, max_backoff, attempt_timeout;
}
