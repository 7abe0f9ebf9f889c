//! Records of the service: one native class that all of their Python classes inherit from.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::slice;
use std::sync::Arc;

use crate::hints::{input_type, output_type};
use crate::raise::OrPyErr as _;
use once_cell::race::OnceBox;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyString, PyTuple, PyType};
use pyo3::{IntoPyObjectExt as _, PyTypeInfo, intern};
use serde_json::Value;

use crate::display::displayed_list::{DisplayedList, records_type};
use crate::display::tables::{ArrowTable, DecimalsArgument, WithIssues};
use crate::exceptions::{CatchException as _, RustResult};
use crate::protocols::cast;
use crate::runtime::active_calls::ActiveCall;
use crate::runtime::computation::Pauses;
use crate::runtime::fork_safe_lazy::ForkSafeLazy;
use crate::to_python::to_python;
use crate::values::{AsPython, ToPython, typed_objects};
use botdesk_api::reference;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_display::figures::Rounding;
use botdesk_display::view::View;
use botdesk_schema::field::{FieldSpec, Schema};
use botdesk_schema::id::{Id, IdSpec, IdType};
use botdesk_schema::input::{Violation, identifier};
use botdesk_schema::json::{Json, Scanner, text_of};
use botdesk_schema::record::{self, Fields, RecordSpec};
use botdesk_schema::resource::Resource;
use botdesk_schema::values::{self, AnyObject, Choices, FieldType, Integer, MAX_ELEMENTS};

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
        Ok(Self(given.extract().or_message()?.map_rust_err(undecodable).or_py_err()?))
    }
}

/// A list of objects of a native class that prints as a table.
pub(super) struct Records<T>(Vec<T>);

impl<T> FromIterator<T> for Records<T> {
    fn from_iter<I: IntoIterator<Item = T>>(records: I) -> Self {
        Self(records.into_iter().collect())
    }
}

impl<'py, T: IntoPyObject<'py, Target: PyTypeInfo>> IntoPyObject<'py> for Records<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(type_hint_subscript!(type_hint_identifier!("botdesk._records", "Records"), T::OUTPUT_TYPE));

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, self.0, |record| record.into_bound_py_any(py), py.get_type::<T::Target>())
    }
}

/// Returns a list that prints as a table.
fn list<'py, T>(
    py: Python<'py>,
    elements: Vec<T>,
    object: impl Fn(T) -> PyResult<Bound<'py, PyAny>>,
    class: Bound<'py, PyType>,
) -> PyResult<Bound<'py, PyAny>> {
    let _call = ActiveCall::start(py);
    let mut pauses = Pauses::default();
    let mut objects = Vec::with_capacity(elements.len());
    for element in elements {
        objects.push(object(element)?);
        pauses.step(py)?;
    }
    records_type(py)?.call1((PyTuple::new(py, objects)?, class))
}

/// Records of the service in a list, and the client with which their methods call the service.
pub(super) struct RecordList {
    pub(super) spec: &'static RecordSpec,
    pub(super) records: Vec<Fields>,
    pub(super) client: Option<Arc<HttpClient>>,
    /// The number of records before these if they are a full page of a list, which may have more.
    pub(super) full_page_from: Option<u64>,
}

impl<'py> IntoPyObject<'py> for RecordList {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(ANY);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = class_of(py, self.spec)?.clone();
        let object = |record| instance(&class, record, self.client.clone());
        let records = list(py, self.records, object, class.clone())?;
        if let Some(offset) = self.full_page_from {
            records.setattr(intern!(py, "_full_page_from"), offset)?;
        }
        Ok(records)
    }
}

/// A record that becomes an object of its Python class.
pub(super) struct OneRecord {
    pub(super) fields: Fields,
    pub(super) client: Option<Arc<HttpClient>>,
}

impl<'py> IntoPyObject<'py> for OneRecord {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(ANY);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, self.fields, self.client)
    }
}

/// A list of records of a type without a client, as a result.
pub(super) struct RecordsAs<R>(pub(super) Vec<Fields>, pub(super) PhantomData<fn() -> R>);

impl<'py, R: record::Record> IntoPyObject<'py> for RecordsAs<R> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(type_hint_subscript!(
        type_hint_identifier!("botdesk._records", "Records"),
        type_hint_identifier!("botdesk", R::SPEC.name)
    ));

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        RecordList { spec: R::SPEC, records: self.0, client: None, full_page_from: None }.into_pyobject(py)
    }
}

/// Returns a record as an object of its Python class.
pub(super) fn object(py: Python<'_>, fields: Fields, client: Option<Arc<HttpClient>>) -> PyResult<Bound<'_, PyAny>> {
    instance(class_of(py, fields.spec())?, fields, client)
}

fn instance<'py>(
    class: &Bound<'py, PyType>,
    fields: Fields,
    client: Option<Arc<HttpClient>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let record = Bound::new(py, Record { fields, client })?.into_any();
    // The Python classes add only methods, so an object of the native class can become one of theirs.
    record.setattr(intern!(py, "__class__"), class)?;
    Ok(record)
}

/// Returns the Python class of a record. Its module is imported when it is first needed.
pub(super) fn class_of<'py>(py: Python<'py>, spec: &'static RecordSpec) -> PyResult<&'py Bound<'py, PyType>> {
    static CLASSES: OnceBox<HashMap<&'static str, ForkSafeLazy>> = OnceBox::new();
    let class = |each: &'static RecordSpec| (each.name, ForkSafeLazy::new("botdesk", slice::from_ref(&each.name)));
    let classes = CLASSES.get_or_init(|| Box::new(reference::records().map(class).collect()));
    let class = classes.get(spec.name).ok_or_else(|| PyTypeError::new_err(format!("no class {}", spec.name)))?;
    Ok(class.get(py)?.cast()?)
}

/// Returns the record that a class is of, which is the first one among its base classes.
fn spec_of(class: &Bound<'_, PyType>) -> PyResult<&'static RecordSpec> {
    for base in class.mro() {
        if let Some(spec) = own_spec(base.cast::<PyType>()?)? {
            return Ok(spec);
        }
    }
    Err(PyTypeError::new_err(format!(
        "{} is no class of records; use that of one, such as the type of what a method returned",
        class.name()?
    )))
}

/// Returns what a record is called; None if its class has no resource.
fn noun_of(spec: &RecordSpec) -> Option<&'static str> {
    let (_, noun) = reference::resource_of(spec.name)?.any.split_once(' ')?;
    Some(noun)
}

/// Returns the record with the name of a class.
fn own_spec(class: &Bound<'_, PyType>) -> PyResult<Option<&'static RecordSpec>> {
    Ok(reference::record(&class.name()?.extract::<PyBackedStr>()?))
}

typed_objects! {
    /// An object of the class whose method was called.
    OfClass(PyAny) => type_hint_identifier!("typing", "Self");
    /// A list of objects of that class.
    ListOfClass(PyAny) => type_hint_subscript!(
        type_hint_identifier!("botdesk._records", "Records"),
        type_hint_identifier!("typing", "Self")
    );
}

/// A record of the service. Its class has an attribute for each field, and the operations that a record has.
#[pyclass(frozen, subclass, eq, hash, module = "botdesk._native")]
pub(crate) struct Record {
    fields: Fields,
    client: Option<Arc<HttpClient>>,
}

/// Records are compared without their clients.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.fields.spec().name == other.fields.spec().name && self.fields == other.fields
    }
}

impl Eq for Record {}

impl Hash for Record {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.fields.hash(state);
    }
}

impl Record {
    /// Returns the fields.
    pub(super) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Returns the client, or an error if the record has none.
    pub(super) fn client(&self) -> Result<Arc<HttpClient>, Error> {
        self.client.clone().ok_or_else(|| no_client(self.fields.spec().name))
    }

    /// Returns the identifier of the record in the path of a request.
    pub(super) fn id_as(&self, spec: IdSpec) -> Result<Id, Violation> {
        match spec.id_type {
            IdType::Integer => self.id_in_path().map(Id::Number),
            IdType::Uuid => {
                let uuid = self.fields.value(spec.name).and_then(Json::to_value);
                spec.parse(&uuid.unwrap_or_default(), false)
            }
        }
    }

    /// Returns the id of the record, for the path of a request.
    pub(super) fn id_in_path(&self) -> Result<u64, Violation> {
        let id = self.fields.value("id").and_then(Integer::read);
        identifier("id", &id.map_or(Value::Null, Value::from))
    }

    /// Returns the record as its type in the core; None if it is another one.
    pub(super) fn core<R: record::Record>(&self) -> Option<R> {
        R::cast(&self.fields)
    }
}

fn no_client(record: &str) -> Error {
    let reading = reference::resource_of(record).and_then(Resource::reading);
    let source = reading.map_or_else(
        || "the result of one of its methods".to_owned(),
        |reading| format!("client.{}(id)", reading.name),
    );
    Error::Configuration(format!(
        "this {record} was not made by a client, so it can't call the service; get it from one, such as {source}"
    ))
}

/// A record of a type, as an argument.
pub(super) struct RecordOf<R>(pub(super) R);

impl<'py, R: record::Record> FromPyObject<'_, 'py> for RecordOf<R> {
    type Error = PyErr;

    input_type!(type_hint_identifier!("botdesk", R::SPEC.name));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let record = cast::<Record>(&given).and_then(|record| record.get().core());
        let wrong =
            || Ok(PyTypeError::new_err(format!("must be a {}, not {}", R::SPEC.name, given.get_type().name()?)));
        record.map_or_else(|| wrong().and_then(Err), |record| Ok(Self(record)))
    }
}

#[pymethods]
impl Record {
    /// Give a class of a record an attribute for each field.
    #[classmethod]
    fn __init_subclass__(class: &Bound<'_, PyType>) -> PyResult<()> {
        let Some(spec) = own_spec(class)? else { return Ok(()) };
        for (index, row) in spec.rows.iter().enumerate() {
            class.setattr(row.name, Attribute { spec, index })?;
        }
        let names = |is_named: fn(&FieldSpec) -> bool| -> Vec<&'static str> {
            spec.rows.iter().filter(|row| is_named(row)).map(|row| row.name).collect()
        };
        // The attributes that are rounded for people, and those that `repr` shows.
        class.setattr("_figures", names(|row| Rounding::of_field(row) != Rounding::Exact))?;
        class.setattr("_shown", names(|row| row.in_repr))?;
        let resource = reference::resource_of(spec.name);
        // With its article, and in the plural.
        class.setattr("_nouns", resource.map(|resource| (resource.any, resource.several)))
    }

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
    ///     >>> botdesk.DcaBot.from_json('{"new_field": 1}').extra
    ///     {'new_field': 1}
    #[classmethod]
    fn from_json<'py>(class: &Bound<'py, PyType>, text: TextOrBytes<'_>) -> PyResult<OfClass<'py>> {
        object(class.py(), spec_of(class)?.from_json(&text.0).or_py_err()?, None).map(OfClass)
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
    ///     >>> len(botdesk.DcaBot.list_from_json(b'[{}, {}]'))
    ///     2
    #[classmethod]
    fn list_from_json<'py>(class: &Bound<'py, PyType>, text: TextOrBytes<'_>) -> PyResult<ListOfClass<'py>> {
        let spec = spec_of(class)?;
        let records = spec.list_from_json(&text.0).or_py_err()?;
        RecordList { spec, records, client: None, full_page_from: None }.into_pyobject(class.py()).map(ListOfClass)
    }

    /// Return the JSON of the record, byte for byte as it was received.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> botdesk.DcaBot.from_json('{ "id":1.0 }').to_json()
    ///     '{ "id":1.0 }'
    fn to_json(&self) -> &str {
        self.fields.text()
    }

    /// Return the record as a dict with the names of the JSON: integers as int, other numbers as Decimal.
    ///
    /// Raises:
    ///     DecodeError: The JSON of the record is not an object.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> botdesk.DcaBot.from_json('{"a?": 1.50}').to_dict()
    ///     {'a?': Decimal('1.50')}
    fn to_dict(&self) -> PyResult<AsPython<AnyObject<'_>>> {
        if self.fields.is_malformed() {
            self.fields.spec().from_json(self.fields.text()).or_py_err()?;
        }
        Ok(AsPython(AnyObject(self.fields.json())))
    }

    /// The names of the attributes that the response has, null or not.
    #[getter]
    fn fields_set(&self) -> FieldsSet {
        FieldsSet(self.fields.present().map(|(row, _)| row.name).collect())
    }

    /// The fields of the response that the API reference does not list, under their names in the JSON.
    #[getter]
    fn extra(&self) -> Extra<'_> {
        Extra(&self.fields)
    }

    /// Restore a record from `to_json()`, also if it is not a JSON object; for `pickle`.
    #[classmethod]
    #[pyo3(signature = (text, is_odd = false))]
    fn _restore<'py>(class: &Bound<'py, PyType>, text: TextOrBytes<'_>, is_odd: bool) -> PyResult<Bound<'py, PyAny>> {
        object(class.py(), spec_of(class)?.restore(&text.0, is_odd).or_py_err()?, None)
    }

    /// Return the table of these records, and the values that it can't represent.
    #[classmethod]
    fn _table(
        class: &Bound<'_, PyType>,
        records: &Bound<'_, PyAny>,
        decimals: DecimalsArgument,
    ) -> PyResult<WithIssues> {
        let spec = spec_of(class)?;
        let records = crate::display::tables::all::<Self>(records, class)?;
        let fields: Vec<_> = records.iter().map(|record| record.get().fields()).collect();
        ArrowTable::of_records(spec.rows, &fields, decimals.0)
    }

    fn __repr__(&self) -> String {
        botdesk_display::view::summary(&self.fields)
    }

    /// Return the record as a cell of a table shows it.
    fn _cell(&self) -> String {
        botdesk_display::view::cell(&self.fields)
    }

    fn _repr_html_(&self) -> String {
        View::of(&self.fields, noun_of(self.fields.spec())).html()
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, bool))> {
        let fields = &this.get().fields;
        Ok((this.get_type().getattr("_restore")?, (fields.text().to_owned(), fields.is_malformed())))
    }
}

/// The undocumented fields of a record, as a dict.
pub(super) struct Extra<'a>(&'a Fields);

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
pub(super) struct FieldsSet(Vec<&'static str>);

impl<'py> IntoPyObject<'py> for FieldsSet {
    type Target = PyFrozenSet;
    type Output = Bound<'py, PyFrozenSet>;
    type Error = PyErr;

    output_type!(type_hint_subscript!(type_hint_identifier!("builtins", "frozenset"), STR));

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        PyFrozenSet::new(py, self.0)
    }
}

// Its `__doc__` is the description of the field, so the class itself has none.
#[pyclass(frozen, name = "_Attribute", module = "botdesk._native")]
pub(crate) struct Attribute {
    spec: &'static RecordSpec,
    index: usize,
}

impl Attribute {
    fn row(&self) -> Option<&'static FieldSpec> {
        self.spec.rows.get(self.index)
    }
}

#[pymethods]
impl Attribute {
    fn __get__<'py>(
        this: &Bound<'py, Self>,
        record: &Bound<'py, PyAny>,
        _class: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(record) = cast::<Record>(record) else { return Ok(this.clone().into_any()) };
        field_value(this.py(), record.get(), this.get().index)
    }

    fn __set__(&self, _record: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = self.row().map_or("", |row| row.name);
        let class = self.spec.name;
        Err(PyAttributeError::new_err(format!("attribute '{name}' of 'botdesk.{class}' objects is not writable")))
    }

    fn __delete__(&self, record: &Bound<'_, PyAny>) -> PyResult<()> {
        self.__set__(record, record)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    #[getter]
    fn __doc__(&self) -> &'static str {
        self.row().map_or("", |row| row.about.trim())
    }

    fn __repr__(&self) -> String {
        format!("<attribute {} of {}>", self.__name__(), self.spec.name)
    }
}

/// An enumeration whose values do not matter to the conversion.
#[derive(Debug)]
enum AnyChoice {}

impl Choices for AnyChoice {
    const VALUES: &'static [&'static str] = &[];
    const SAMPLE: &'static str = "\"\"";
}

/// Returns the value of a field as a Python object; None if it is absent or null. Records in it have the client of the record.
fn field_value<'py>(py: Python<'py>, record: &Record, index: usize) -> PyResult<Bound<'py, PyAny>> {
    let fields = record.fields();
    if fields.is_malformed() {
        return Err(fields.unreadable(index)).or_py_err();
    }
    let Some((row, json)) = fields.given(index) else { return Ok(py.None().into_bound(py)) };
    let read = value(py, row.schema, json, record.client.as_ref())?;
    read.ok_or_else(|| fields.unreadable(index)).or_py_err()
}

/// Returns a body of this type as a Python object.
pub(super) fn body_value<'py>(py: Python<'py>, schema: Schema, body: &Arc<str>) -> PyResult<Bound<'py, PyAny>> {
    let span = Scanner::whole(body).map_rust_err(|error| undecodable(error.to_string())).or_py_err()?;
    let read = value(py, schema, Json::new(body, span), None)?;
    let message = "the response is not what the operation returns".to_owned();
    read.ok_or(Error::Decode { message, body: String::new(), method: None, request_id: None }).or_py_err()
}

fn undecodable(error: String) -> Error {
    Error::Decode {
        message: format!("the JSON is invalid: {error}"),
        body: String::new(),
        method: None,
        request_id: None,
    }
}

/// Returns a value of this type as a Python object; None if it has another type.
fn value<'py>(
    py: Python<'py>,
    schema: Schema,
    json: Json<'_>,
    client: Option<&Arc<HttpClient>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match schema {
        Schema::Decimal => read::<values::Decimal>(py, json),
        Schema::Integer => read::<values::Integer>(py, json),
        Schema::Bool => read::<values::Bool>(py, json),
        Schema::Text => read::<values::Text>(py, json),
        Schema::Timestamp => read::<values::Timestamp>(py, json),
        Schema::UnixTime => read::<values::UnixTime>(py, json),
        Schema::OneOf(_) => read::<values::OneOf<AnyChoice>>(py, json),
        Schema::Object => read::<values::Object>(py, json),
        Schema::Any => read::<values::Any>(py, json),
        Schema::Record(spec) => {
            let fields = Fields::within(spec, json);
            if fields.is_malformed() { Ok(None) } else { object(py, fields, client.cloned()).map(Some) }
        }
        Schema::List(of) => elements(py, *of, json, client),
        Schema::Map(of) => members(py, *of, json, client),
        Schema::Nothing => Ok(Some(py.None().into_bound(py))),
    }
}

/// Returns an object as a dict; None if a value has another type.
fn members<'py>(
    py: Python<'py>,
    of: Schema,
    json: Json<'_>,
    client: Option<&Arc<HttpClient>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(found) = json.members().filter(|found| found.len() <= MAX_ELEMENTS) else { return Ok(None) };
    let dict = PyDict::new(py);
    for (key, json) in found {
        let (Some(key), Some(value)) = (key.string(), value(py, of, json, client)?) else { return Ok(None) };
        dict.set_item(key, value)?;
    }
    Ok(Some(dict.into_any()))
}

fn read<'py, K: FieldType>(py: Python<'py>, json: Json<'_>) -> PyResult<Option<Bound<'py, PyAny>>>
where
    for<'a> K::Value<'a>: ToPython,
{
    K::read(json).map(|value| value.to_python(py)).transpose()
}

/// Returns an array as a list; None if an element has another type. A malformed record does not make the others unreadable.
fn elements<'py>(
    py: Python<'py>,
    of: Schema,
    json: Json<'_>,
    client: Option<&Arc<HttpClient>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(found) = json.elements().filter(|found| found.len() <= MAX_ELEMENTS) else { return Ok(None) };
    let mut objects = Vec::with_capacity(found.len());
    for element in found {
        let element = match of {
            Schema::Record(spec) => Some(object(py, Fields::within(spec, element), client.cloned())?),
            other => value(py, other, element, client)?,
        };
        let Some(element) = element else { return Ok(None) };
        objects.push(element);
    }
    if matches!(of, Schema::Record(_)) {
        return DisplayedList(objects).into_pyobject(py).map(Some);
    }
    objects.into_bound_py_any(py).map(Some)
}
