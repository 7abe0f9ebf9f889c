//! The methods that all classes of records share; the classes and their attributes are generated.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::hints::{input_type, output_type};
use crate::raise::OrPyErr as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyString, PyTuple, PyType};
use pyo3::{IntoPyObjectExt as _, PyTypeInfo};
use serde_json::Value;

use super::active_calls::ActiveCall;
use super::computation::Pauses;
use super::exceptions::{CatchException, RustResult};
use super::fork_safe_lazy::ForkSafeLazy;
use super::protocols::cast;
use super::to_python::to_python;
use super::values::AsPython;
use botdesk_api::input::{Violation, identifier};
use botdesk_api::json::text_of;
use botdesk_api::record::{FieldError, Fields, Record};
use botdesk_api::values::{FieldType, Integer};
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;

/// JSON as an argument: a string, or the bytes of a response.
pub(super) struct TextOrBytes<'a>(pub(super) Cow<'a, str>);

impl<'a, 'py> FromPyObject<'a, 'py> for TextOrBytes<'a> {
    type Error = PyErr;

    input_type!(type_hint_union!(STR, BYTES));

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Some(bytes) = cast::<PyBytes>(&given) {
            return Ok(Self(Cow::Owned(text_of(bytes.as_bytes().to_vec()))));
        }
        given.cast::<PyString>()?;
        let undecodable = |error: String| Error::Decode {
            message: format!("the JSON is invalid: {error}"),
            body: String::new(),
            method: None,
        };
        Ok(Self(given.extract().or_message()?.map_rust_err(undecodable).or_py_err()?))
    }
}

/// Returns the class of lists of records.
pub(super) fn records_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static TYPE: ForkSafeLazy = ForkSafeLazy::new("botdesk._records", &["Records"]);
    Ok(TYPE.get(py)?.cast()?)
}

/// A list of records that prints as a table.
pub(super) struct Records<T> {
    pub(super) records: Vec<T>,
    /// The number of records before these if they are a full page of a list, which may have more.
    pub(super) full_page_from: Option<u64>,
}

impl<T> FromIterator<T> for Records<T> {
    fn from_iter<I: IntoIterator<Item = T>>(records: I) -> Self {
        Self { records: records.into_iter().collect(), full_page_from: None }
    }
}

impl<'py, T: IntoPyObject<'py, Target: PyTypeInfo>> IntoPyObject<'py> for Records<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(type_hint_subscript!(type_hint_identifier!("botdesk._records", "Records"), T::OUTPUT_TYPE));

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let _call = ActiveCall::start(py);
        let mut pauses = Pauses::default();
        let mut records = Vec::with_capacity(self.records.len());
        for record in self.records {
            records.push(record.into_bound_py_any(py)?);
            pauses.step(py)?;
        }
        let records = PyTuple::new(py, records)?;
        let records = records_type(py)?.call1((records, py.get_type::<T::Target>()))?;
        if let Some(offset) = self.full_page_from {
            records.setattr("_full_page_from", offset)?;
        }
        Ok(records)
    }
}

/// The undocumented fields of a record, as a dict.
pub(super) struct Extra<'a>(pub(super) &'a Fields);

impl<'py> IntoPyObject<'py> for Extra<'_> {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    output_type!(JSON_OBJECT);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (key, value) in self.0.extra() {
            dict.set_item(key, to_python(py, value)?)?;
        }
        Ok(dict)
    }
}

/// The names of the fields that a response had.
pub(super) struct FieldsSet(pub(super) Vec<&'static str>);

impl<'py> IntoPyObject<'py> for FieldsSet {
    type Target = PyFrozenSet;
    type Output = Bound<'py, PyFrozenSet>;
    type Error = PyErr;

    output_type!(type_hint_subscript!(type_hint_identifier!("builtins", "frozenset"), STR));

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        PyFrozenSet::new(py, self.0)
    }
}

/// A class of records.
pub(super) trait RecordClass: From<Self::Core> {
    /// The record in the core.
    type Core: Record;
}

impl<T: RecordClass> Records<T> {
    /// Returns the list of these records.
    pub(super) fn of(records: Vec<T::Core>) -> Self {
        records.into_iter().map(T::from).collect()
    }
}

/// A record with a client, so that its methods can call the service.
pub(super) trait ClientRecord: RecordClass {
    /// True if the API can return the record by its id.
    const READABLE: bool;

    /// Returns a record with a client.
    fn with_client(client: Arc<HttpClient>, record: Self::Core) -> Self;

    /// Returns the client of the record.
    fn client(&self) -> Result<Arc<HttpClient>, Error>;

    /// The record in the core.
    fn core(&self) -> &Self::Core;

    /// Returns the id of the record, for the path of a request.
    fn id_in_path(&self) -> Result<u64, Violation> {
        let id = self.core().fields().value("id").and_then(Integer::read);
        identifier("id", &id.map_or(Value::Null, Value::from))
    }
}

/// A record, and its client if it has one.
pub(super) struct ClientBound<R> {
    record: R,
    client: Option<Arc<HttpClient>>,
}

impl<R> ClientBound<R> {
    /// Returns a record, with its client if it has one.
    pub(super) fn new(record: R, client: Option<Arc<HttpClient>>) -> Self {
        Self { record, client }
    }

    /// Returns the record.
    pub(super) fn record(&self) -> &R {
        &self.record
    }
}

impl<R: Record> ClientBound<R> {
    /// Returns the client, or an error if the record has none.
    pub(super) fn client(&self) -> Result<Arc<HttpClient>, Error> {
        self.client.clone().ok_or_else(|| no_client(R::NAME))
    }
}

/// Records are compared without their clients.
impl<R: PartialEq> PartialEq for ClientBound<R> {
    fn eq(&self, other: &Self) -> bool {
        self.record == other.record
    }
}

impl<R: Eq> Eq for ClientBound<R> {}

impl<R: Hash> Hash for ClientBound<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.record.hash(state);
    }
}

fn no_client(record: &str) -> Error {
    Error::Configuration(format!(
        "this {record} was not made by a client, so it can't call the service; get it from one, such as {}",
        if record == "DcaBot" { "client.dca_bots.get(id)" } else { "the result of one of its methods" }
    ))
}

/// The return type of an attribute.
pub(super) type FieldResult<'a, K> = PyResult<Option<AsPython<<K as FieldType>::Value<'a>>>>;

/// Returns the value of an attribute.
pub(super) fn field<V>(value: Result<Option<V>, FieldError>) -> PyResult<Option<AsPython<V>>> {
    Ok(value.or_py_err()?.map(AsPython))
}

/// Defines the methods that all classes of records have: reading JSON, `to_json`, `to_dict`, tables, `repr`, pickles. A client-bound
/// one also has a client, and says whether the API can return it by its id.
macro_rules! record_methods {
    (plain $record:ident, $core:path) => {
        impl $record {
            /// Returns the record in the core.
            fn record(&self) -> &$core {
                &self.0
            }
        }

        impl From<$core> for $record {
            fn from(record: $core) -> Self {
                Self(record)
            }
        }

        $crate::records::record_methods!(@shared $record, $core);
    };
    (client_bound $record:ident, $core:path, is_readable: $is_readable:literal) => {
        impl $record {
            /// Returns the record in the core.
            fn record(&self) -> &$core {
                self.0.record()
            }
        }

        impl From<$core> for $record {
            fn from(record: $core) -> Self {
                Self($crate::records::ClientBound::new(record, None))
            }
        }

        impl $crate::records::ClientRecord for $record {
            const READABLE: bool = $is_readable;

            fn with_client(client: std::sync::Arc<botdesk_client::http::HttpClient>, record: $core) -> Self {
                Self($crate::records::ClientBound::new(record, Some(client)))
            }

            fn client(&self) -> Result<std::sync::Arc<botdesk_client::http::HttpClient>, botdesk_client::error::Error> {
                self.0.client()
            }

            fn core(&self) -> &$core {
                self.0.record()
            }
        }

        $crate::records::record_methods!(@shared $record, $core);
    };
    (@shared $record:ident, $core:path) => {
        const _: () = {
            use pyo3::prelude::*;
            use $crate::records::{Extra, FieldsSet, Records, TextOrBytes};
            use $crate::tables::{ArrowTable, DecimalsArgument, WithIssues};
            use $crate::raise::OrPyErr as _;
            use $crate::values::{AsPython, ToPython};
            use botdesk_api::figures::Rounding;
            use botdesk_api::record::Record;
            use botdesk_api::values::AnyObject;

            impl $record {
                /// Returns the JSON of the record, as it was received.
                pub(in crate) fn text(&self) -> &str {
                    self.record().fields().text()
                }
            }

            impl $crate::records::RecordClass for $record {
                type Core = $core;
            }

            impl ToPython for $core {
                $crate::hints::hint!($record::TYPE_HINT);

                const IS_RECORD: bool = true;

                fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                    Ok(Bound::new(py, $record::from(self))?.into_any())
                }
            }

            #[pymethods]
            impl $record {
                /// Read a record from a JSON object.
                ///
                /// Args:
                ///     text: The JSON, as `str` or `bytes`.
                ///
                /// Raises:
                ///     DecodeError: The text is not a JSON object.
                ///
                /// Example:
                ///     >>> import botdesk
                #[doc = concat!("    >>> botdesk.", stringify!($record), ".from_json('{\"new_field\": 1}').extra")]
                ///     {'new_field': 1}
                #[staticmethod]
                fn from_json(text: TextOrBytes<'_>) -> PyResult<Self> {
                    Ok(<$core as Record>::from_json(&text.0).or_py_err()?.into())
                }

                /// Read records from a JSON array.
                ///
                /// An element that is not an object becomes a record whose fields all raise `DecodeError`.
                ///
                /// Args:
                ///     text: The JSON, as `str` or `bytes`.
                ///
                /// Raises:
                ///     DecodeError: The text is not a JSON array.
                ///
                /// Example:
                ///     >>> import botdesk
                #[doc = concat!("    >>> len(botdesk.", stringify!($record), ".list_from_json(b'[{}, {}]'))")]
                ///     2
                #[staticmethod]
                fn list_from_json(text: TextOrBytes<'_>) -> PyResult<Records<Self>> {
                    let records = <$core as Record>::list_from_json(&text.0).or_py_err()?;
                    Ok(records.into_iter().map(Self::from).collect())
                }

                /// Return the JSON of the record, byte for byte as it was received.
                ///
                /// Example:
                ///     >>> import botdesk
                #[doc = concat!("    >>> botdesk.", stringify!($record), ".from_json('{ \"id\":1.0 }').to_json()")]
                ///     '{ "id":1.0 }'
                fn to_json(&self) -> &str {
                    self.text()
                }

                /// Return the record as a dict with the names of the JSON: integers as int, other numbers as Decimal.
                ///
                /// Raises:
                ///     DecodeError: The JSON of the record is not an object.
                ///
                /// Example:
                ///     >>> import botdesk
                #[doc = concat!("    >>> botdesk.", stringify!($record), ".from_json('{\"a?\": 1.50}').to_dict()")]
                ///     {'a?': Decimal('1.50')}
                fn to_dict(&self) -> PyResult<AsPython<AnyObject<'_>>> {
                    let fields = self.record().fields();
                    if fields.is_malformed() {
                        <$core as Record>::from_json(fields.text()).or_py_err()?;
                    }
                    Ok(AsPython(AnyObject(fields.json())))
                }

                /// The names of the attributes that the response has, null or not.
                #[getter]
                fn fields_set(&self) -> FieldsSet {
                    FieldsSet(self.record().fields().present().map(|(row, _)| row.name).collect())
                }

                /// The fields of the response that the API reference does not list, under their names in the JSON.
                #[getter]
                fn extra(&self) -> Extra<'_> {
                    Extra(self.record().fields())
                }

                /// Restore a record from `to_json()`, also if it is not a JSON object; for `pickle`.
                #[staticmethod]
                #[pyo3(signature = (text, is_odd = false))]
                fn _restore(text: TextOrBytes<'_>, is_odd: bool) -> PyResult<Self> {
                    Ok(<$core as Record>::restore(&text.0, is_odd).or_py_err()?.into())
                }

                /// Return the table of these records, and the values that it can't represent.
                #[staticmethod]
                fn _table(records: &Bound<'_, PyAny>, decimals: DecimalsArgument) -> PyResult<WithIssues> {
                    let records = $crate::tables::all::<Self>(records)?;
                    let fields: Vec<_> = records.iter().map(|record| record.get().record().fields()).collect();
                    ArrowTable::of_records(<$core as Record>::ROWS, &fields, decimals.0)
                }

                /// The attributes that are rounded for people.
                #[classattr]
                fn _figures() -> Vec<&'static str> {
                    let figures = <$core as Record>::ROWS.iter().filter(|row| row.rounding() != Rounding::Exact);
                    figures.map(|row| row.name).collect()
                }

                /// The attributes that `repr` shows.
                #[classattr]
                fn _shown() -> Vec<&'static str> {
                    <$core as Record>::ROWS.iter().filter(|row| row.in_repr).map(|row| row.name).collect()
                }

                fn __repr__(&self) -> String {
                    self.record().summary()
                }

                fn _repr_html_(&self) -> String {
                    botdesk_api::view::View::of(self.record()).html()
                }

                fn __copy__(this: Py<Self>) -> Py<Self> {
                    this
                }

                fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
                    this
                }

                fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&str, bool))> {
                    let is_odd = self.record().fields().is_malformed();
                    Ok((py.get_type::<Self>().getattr("_restore")?, (self.text(), is_odd)))
                }
            }
        };
    };
}
pub(super) use record_methods;
