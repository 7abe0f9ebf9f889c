//! Operations: what the generated methods of resources and records call.

use std::pin::Pin;
use std::sync::Arc;

use crate::hints::input_type;
use crate::raise::OrPyErr as _;
use pyo3::coroutine::CancelHandle;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;

use crate::arguments::{Arguments, GivenInputs, Identifier, UnknownKeywords};
use crate::bulk::{BulkOutcome, Run, Targets};
use crate::calls::{Failed, Reply, add_to_list, edit, edit_by_id, reply};
use crate::client::Client;
use crate::iterators::{IteratorOfList, RecordAsyncIterator, RecordIterator};
use crate::previews::preview_object;
use crate::protocols::cast;
use crate::records::{Record, Records};
use crate::resources::Resource;
use crate::runtime::bridge::{spawned, wait};
use crate::watch::{OnError, RecordAsyncWatch, RecordWatch, Since, WatchOfList};
use botdesk_api::reference;
use botdesk_client::bulk::{BulkAction, Changes};
use botdesk_client::edit::Edit;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::{InputValues, NO_ID, RequestSpec};
use botdesk_schema::id::{Id, IdSpec};
use botdesk_schema::input::Inputs;
use botdesk_schema::operation;
use botdesk_schema::resource;

/// The object whose method was called.
pub(crate) enum Owner {
    /// A resource.
    Resource {
        /// Its name, such as `dca_bots`.
        resource: String,
        client: Arc<HttpClient>,
    },
    /// A record.
    Record(Py<Record>),
}

impl<'py> FromPyObject<'_, 'py> for Owner {
    type Error = PyErr;

    input_type!(ANY);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some(record) = cast::<Record>(&given) {
            return Ok(Self::Record(record.clone().unbind()));
        }
        let client = Arc::clone(&given.cast::<Resource>()?.get().client);
        Ok(Self::Resource { resource: given.get_type().getattr(intern!(given.py(), "_name"))?.extract()?, client })
    }
}

impl Owner {
    /// Returns an error if the object belongs to another resource than the operation: its id may be that of another record there.
    fn check(&self, py: Python<'_>, operation: &operation::Operation) -> PyResult<()> {
        let (kind, resource) = match self {
            Self::Resource { resource, .. } => (resource.as_str(), Some(resource.as_str())),
            Self::Record(record) => {
                let kind = record.bind(py).get().fields().spec().name;
                (kind, reference::resource_of(kind).map(|resource| resource.name))
            }
        };
        if resource == Some(operation.resource()) {
            return Ok(());
        }
        Err(PyTypeError::new_err(format!("{} is no operation of {kind}", operation.name)))
    }

    /// Returns a resource of the same client.
    fn of(&self, resource: &resource::Resource) -> PyResult<Self> {
        Ok(Self::Resource { resource: resource.name.to_owned(), client: self.client()? })
    }

    fn client(&self) -> PyResult<Arc<HttpClient>> {
        match self {
            Self::Resource { client, .. } => Ok(Arc::clone(client)),
            Self::Record(record) => record.get().client().or_py_err(),
        }
    }
}

/// The response that a method waits for.
type Response = Pin<Box<dyn Future<Output = Result<Reply, Failed>> + Send>>;

/// An operation of the API reference.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Operation {
    row: &'static operation::Operation,
    // Looked up once: a call that searches the tables is slower by some cache misses.
    resource: &'static resource::Resource,
}

impl Operation {
    fn inputs(&self) -> &'static Inputs {
        self.row.inputs().unwrap_or(&Inputs::NONE)
    }

    /// Returns the identifiers in the path. A record has its own.
    fn ids(&self, py: Python<'_>, owner: &Owner, given: Vec<Identifier>) -> PyResult<Vec<Id>> {
        owner.check(py, self.row)?;
        let mut given = given.into_iter();
        let id = |spec: IdSpec| match owner {
            Owner::Record(record) if spec.placeholder == self.resource.id.placeholder => record.get().id_as(spec),
            _ => given.next().unwrap_or_else(Identifier::none).parse(spec, self.row.takes_summary),
        };
        self.resource.ids(self.row).map(id).collect::<Result<_, _>>().or_py_err()
    }

    /// Returns the arguments as the values of inputs.
    fn values(
        &self,
        py: Python<'_>,
        given: GivenInputs,
        validate: bool,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<InputValues> {
        let arguments = Arguments::new(py, self.inputs(), given)?.validate(validate);
        let arguments = if self.row.none_is_absent() { arguments.none_is_absent() } else { arguments };
        Ok(arguments.into_inputs(unknown))
    }

    /// Validates a call, and returns its response.
    fn response(
        &self,
        py: Python<'_>,
        owner: &Owner,
        given: GivenInputs,
        ids: Vec<Identifier>,
        validate: bool,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<Response> {
        let (operation, client) = (self.row, owner.client()?);
        let ids = self.ids(py, owner, ids)?;
        let values = self.values(py, given, validate, unknown)?;
        let id = ids.first().and_then(Id::number).filter(|_| operation.is_edit);
        if let Some(read) = operation.adds_to.and_then(reference::operation) {
            return Ok(Box::pin(add_to_list(client, read, operation, values)?));
        }
        match (owner, id, id.and_then(|_| self.resource.reading())) {
            (Owner::Record(record), Some(id), _) => {
                Ok(Box::pin(edit(client, operation, id, record.get().fields().clone(), values)))
            }
            (Owner::Resource { .. }, Some(id), Some(read)) => {
                Ok(Box::pin(edit_by_id(client, read, operation, id, values)?))
            }
            _ => Ok(Box::pin(reply(client, operation, RequestSpec::with(operation, ids, values).or_py_err()?))),
        }
    }

    /// Returns the run over many records.
    #[allow(clippy::too_many_arguments, reason = "they are those of the Python method")]
    fn run(
        &self,
        py: Python<'_>,
        owner: &Owner,
        targets: Targets,
        given: GivenInputs,
        name: &str,
        options: (bool, i64, Option<bool>),
        validate: bool,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<Run> {
        let operation = self.row;
        let given = self.values(py, given, validate, unknown)?;
        let action = match self.resource.reading().filter(|_| operation.is_edit) {
            Some(read) => BulkAction::Edit { operation, read, given: Changes::Same(given) },
            None => BulkAction::Request { operation, given },
        };
        self.run_of(py, owner, targets, action, name, options)
    }

    /// Returns the run of an action over many records.
    fn run_of(
        &self,
        py: Python<'_>,
        owner: &Owner,
        targets: Targets,
        action: BulkAction,
        name: &str,
        options: (bool, i64, Option<bool>),
    ) -> PyResult<Run> {
        owner.check(py, self.row)?;
        let client = owner.client()?;
        let targets = targets.of(name, &client, reference::record_of(self.row), self.resource.id).or_py_err()?;
        let (preview, concurrency, progress) = options;
        Run::new(&client, action, name, targets, concurrency, preview, progress)
    }

    /// Returns the edit of many records, each with changes of its own.
    fn run_each(
        &self,
        py: Python<'_>,
        owner: &Owner,
        targets: Targets,
        given: Vec<GivenInputs>,
        options: (bool, i64, Option<bool>),
        validate: bool,
    ) -> PyResult<Run> {
        let not_an_edit = || PyTypeError::new_err(format!("{} edits no record", self.row.name));
        let read = self.resource.reading().filter(|_| self.row.is_edit).ok_or_else(not_an_edit)?;
        let given = given.into_iter().map(|given| self.values(py, given, validate, None)).collect::<PyResult<_>>()?;
        let action = BulkAction::Edit { operation: self.row, read, given: Changes::Each(given) };
        self.run_of(py, owner, targets, action, "table", options)
    }
}

#[pymethods]
impl Operation {
    #[new]
    #[pyo3(text_signature = None)]
    fn new(name: &str) -> PyResult<Self> {
        let row = reference::operation(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let resource = reference::resource(row.resource()).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok(Self { row, resource })
    }

    /// The name, such as `dca_bots.edit`.
    #[getter]
    fn name(&self) -> &'static str {
        self.row.name
    }

    /// The HTTP method.
    #[getter]
    fn method(&self) -> &'static str {
        self.row.method.as_str()
    }

    /// The path in the API reference.
    #[getter]
    fn path(&self) -> &'static str {
        self.row.path
    }

    /// The effect, `read` or `write`.
    #[getter]
    fn effect(&self) -> &'static str {
        self.row.effect.as_str()
    }

    /// The permission that the API key needs; `NONE` if it needs none.
    #[getter]
    fn permission(&self) -> &'static str {
        self.row.permission.as_str()
    }

    /// The security: `SIGNED` if a request needs a key and a signature, else `NONE`.
    #[getter]
    fn security(&self) -> &'static str {
        self.row.security.as_str()
    }

    /// The section of the API reference.
    #[getter]
    fn section(&self) -> &'static str {
        self.row.section
    }

    fn __repr__(&self) -> String {
        format!("<Operation {}: {} {}>", self.name(), self.method(), self.path())
    }

    /// Return the columns of a list of operations.
    #[staticmethod]
    fn _list_columns() -> [&'static str; 4] {
        ["name", "method", "path", "permission"]
    }

    /// Send the request, and return what the service returned.
    #[pyo3(signature = (owner, inputs, *ids: "object", validate = true, unknown = None))]
    fn _send(
        &self,
        py: Python<'_>,
        owner: Owner,
        inputs: GivenInputs,
        ids: Vec<Identifier>,
        validate: bool,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<Reply> {
        wait(py, self.response(py, &owner, inputs, ids, validate, unknown)?)
    }

    /// Send the request, and return what the service returned.
    #[pyo3(signature = (owner, inputs, *ids: "object", validate = true, unknown = None))]
    async fn _send_async(
        &self,
        owner: Owner,
        inputs: GivenInputs,
        ids: Vec<Identifier>,
        validate: bool,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<Reply> {
        let response = Python::attach(|py| self.response(py, &owner, inputs, ids, validate, unknown))?;
        spawned(response).await
    }

    /// Send the request with the client of another resource or record, and return what the service returned.
    #[pyo3(signature = (owner, inputs, *ids: "object"))]
    fn _ask(&self, py: Python<'_>, owner: Owner, inputs: GivenInputs, ids: Vec<Identifier>) -> PyResult<Reply> {
        let owner = owner.of(self.resource)?;
        wait(py, self.response(py, &owner, inputs, ids, true, None)?)
    }

    /// Send the request with the client of another resource or record, and return what the service returned.
    #[pyo3(signature = (owner, inputs, *ids: "object"))]
    async fn _ask_async(&self, owner: Owner, inputs: GivenInputs, ids: Vec<Identifier>) -> PyResult<Reply> {
        let owner = owner.of(self.resource)?;
        let response = Python::attach(|py| self.response(py, &owner, inputs, ids, true, None))?;
        spawned(response).await
    }

    /// Return the names of the inputs, in order.
    fn _input_names(&self) -> Vec<&'static str> {
        self.inputs().rows.iter().map(|input| input.name).collect()
    }

    /// Return the body that a request with these inputs has, which are checked first unless `validate` is False.
    #[pyo3(signature = (inputs, unknown = None, *, validate = true))]
    fn _body(
        &self,
        py: Python<'_>,
        inputs: GivenInputs,
        unknown: Option<UnknownKeywords>,
        validate: bool,
    ) -> PyResult<String> {
        let values = self.values(py, inputs, validate, unknown)?;
        Ok(RequestSpec::with(self.row, NO_ID, values).or_py_err()?.body.unwrap_or_default())
    }

    /// Return the preview of an edit.
    #[pyo3(signature = (owner, inputs, *ids: "object", validate = true, unknown = None))]
    fn _preview<'py>(
        &self,
        py: Python<'py>,
        owner: Owner,
        inputs: GivenInputs,
        ids: Vec<Identifier>,
        validate: bool,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let client = owner.client()?;
        let id = self.ids(py, &owner, ids)?.first().and_then(Id::number).unwrap_or_default();
        let values = self.values(py, inputs, validate, unknown)?;
        let Owner::Record(record) = &owner else {
            return Err(PyTypeError::new_err(format!("{} needs a record to compare with", self.row.name)));
        };
        preview_object(py, client, Edit::of(self.row, id, record.get().fields(), values).or_py_err()?)
    }

    /// Apply the operation to many records.
    #[pyo3(signature = (owner, targets, inputs, name, preview, concurrency, progress, *, validate = true, unknown = None))]
    fn _many(
        &self,
        py: Python<'_>,
        owner: Owner,
        targets: Targets,
        inputs: GivenInputs,
        name: &str,
        preview: bool,
        concurrency: i64,
        progress: Option<bool>,
        validate: bool,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<BulkOutcome> {
        let options = (preview, concurrency, progress);
        self.run(py, &owner, targets, inputs, name, options, validate, unknown)?.wait(py)
    }

    /// Apply the operation to many records.
    #[pyo3(signature = (owner, targets, inputs, name, preview, concurrency, progress, *, validate = true, unknown = None))]
    async fn _many_async(
        &self,
        owner: Owner,
        targets: Targets,
        inputs: GivenInputs,
        name: String,
        preview: bool,
        concurrency: i64,
        progress: Option<bool>,
        validate: bool,
        unknown: Option<UnknownKeywords>,
        #[pyo3(cancel_handle)] cancel: CancelHandle,
    ) -> PyResult<BulkOutcome> {
        let options = (preview, concurrency, progress);
        let run = Python::attach(|py| self.run(py, &owner, targets, inputs, &name, options, validate, unknown))?;
        run.wait_async(cancel).await
    }

    /// Edit many records, each with inputs of its own.
    fn _each(
        &self,
        py: Python<'_>,
        owner: Owner,
        targets: Targets,
        inputs: Vec<GivenInputs>,
        preview: bool,
        concurrency: i64,
        progress: Option<bool>,
        validate: bool,
    ) -> PyResult<BulkOutcome> {
        let options = (preview, concurrency, progress);
        self.run_each(py, &owner, targets, inputs, options, validate)?.wait(py)
    }

    /// Edit many records, each with inputs of its own.
    async fn _each_async(
        &self,
        owner: Owner,
        targets: Targets,
        inputs: Vec<GivenInputs>,
        preview: bool,
        concurrency: i64,
        progress: Option<bool>,
        validate: bool,
        #[pyo3(cancel_handle)] cancel: CancelHandle,
    ) -> PyResult<BulkOutcome> {
        let options = (preview, concurrency, progress);
        let run = Python::attach(|py| self.run_each(py, &owner, targets, inputs, options, validate))?;
        run.wait_async(cancel).await
    }

    /// Iterate over all records of the list.
    #[pyo3(signature = (owner, inputs, *ids: "object", unknown = None))]
    fn _iter<'py>(
        &self,
        py: Python<'py>,
        owner: Owner,
        inputs: GivenInputs,
        ids: Vec<Identifier>,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<IteratorOfList<'py>> {
        let ids = self.ids(py, &owner, ids)?;
        RecordIterator::start(py, &owner.client()?, self.row, ids, self.values(py, inputs, true, unknown)?)
    }

    /// Iterate over all records of the list with `async for`.
    #[pyo3(signature = (owner, inputs, *ids: "object", unknown = None))]
    fn _iter_async<'py>(
        &self,
        py: Python<'py>,
        owner: Owner,
        inputs: GivenInputs,
        ids: Vec<Identifier>,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<IteratorOfList<'py>> {
        let ids = self.ids(py, &owner, ids)?;
        RecordAsyncIterator::start(py, &owner.client()?, self.row, ids, self.values(py, inputs, true, unknown)?)
    }

    /// Iterate over all records of the list with the client of another resource or record.
    #[pyo3(signature = (owner, inputs, unknown = None))]
    fn _iter_asked<'py>(
        &self,
        py: Python<'py>,
        owner: Owner,
        inputs: GivenInputs,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<IteratorOfList<'py>> {
        let values = self.values(py, inputs, true, unknown)?;
        RecordIterator::start(py, &owner.client()?, self.row, Vec::new(), values)
    }

    /// Iterate over all records of the list with `async for`, with the client of another resource or record.
    #[pyo3(signature = (owner, inputs, unknown = None))]
    fn _iter_asked_async<'py>(
        &self,
        py: Python<'py>,
        owner: Owner,
        inputs: GivenInputs,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<IteratorOfList<'py>> {
        let values = self.values(py, inputs, true, unknown)?;
        RecordAsyncIterator::start(py, &owner.client()?, self.row, Vec::new(), values)
    }

    /// Watch the records of the list.
    #[pyo3(signature = (owner, inputs, every, nested, since, on_error, *, unknown = None))]
    fn _watch<'py>(
        &self,
        py: Python<'py>,
        owner: Owner,
        inputs: GivenInputs,
        every: f64,
        nested: bool,
        since: Option<Since>,
        on_error: OnError,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<WatchOfList<'py>> {
        let filters = self.values(py, inputs, true, unknown)?;
        RecordWatch::start(py, &owner.client()?, self.row, every, nested, filters, since, on_error)
    }

    /// Watch the records of the list with `async for`.
    #[pyo3(signature = (owner, inputs, every, nested, since, on_error, *, unknown = None))]
    fn _watch_async<'py>(
        &self,
        py: Python<'py>,
        owner: Owner,
        inputs: GivenInputs,
        every: f64,
        nested: bool,
        since: Option<Since>,
        on_error: OnError,
        unknown: Option<UnknownKeywords>,
    ) -> PyResult<WatchOfList<'py>> {
        let filters = self.values(py, inputs, true, unknown)?;
        RecordAsyncWatch::start(py, &owner.client()?, self.row, every, nested, filters, since, on_error)
    }
}

#[pymethods]
impl Client {
    /// List the operations of the API that botdesk has methods for.
    ///
    /// Nothing is sent.
    ///
    /// Returns:
    ///     The operations, each with its `name`, `method`, `path`, `effect`, `permission`, `security` and `section`.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     operations = sandbox.client().operations()
    ///     >>> print(*(operation.name for operation in operations if operation.effect == "write"), sep=", ")
    ///     accounts.add, accounts.edit, ...
    #[allow(clippy::unused_self, reason = "people look for it at a client")]
    fn operations(&self) -> Records<Operation> {
        let of = |resource: &'static resource::Resource| {
            resource.operations.iter().map(move |row| Operation { row, resource })
        };
        reference::RESOURCES.iter().flat_map(of).collect()
    }
}
