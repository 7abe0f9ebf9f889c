//! Custom requests: sent, or only signed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::hints::input_type;
use crate::raise::OrPyErr as _;
use pyo3::prelude::*;
use serde_json::Value;

use crate::client::Client;
use crate::exceptions::{ArgumentError, CatchException, RustResult, raise_or_keep};
use crate::json;
use crate::protocols::is_mapping;
use crate::records::Record;
use crate::runtime::bridge::sync_and_async;
use botdesk_client::error::Error;
use botdesk_client::http::Response;
use botdesk_client::request::custom::CustomRequest;
use botdesk_client::request::signed::Signed;
use botdesk_client::request::spec::RequestSpec;
use botdesk_display::text_table::Table;
use botdesk_schema::input::Violation;
use botdesk_schema::key_text::shown_name;
use botdesk_schema::method::Method;

sync_and_async! {
    impl Client {
        /// Send a signed request to any path of the API, also to one that botdesk has no method for.
        ///
        /// It is handled like all other requests: the exact bytes that are sent are signed, redirects are not followed, and
        /// error responses are raised as the errors of `botdesk.errors`.
        ///
        /// API reference: Authentication. The permission that the path needs.
        ///
        /// Args:
        ///     method: `GET`, `POST`, `PATCH`, `PUT` or `DELETE`.
        ///     path: The path as in the API reference, such as `/ver1/bots`; it is prefixed with `/public/api`.
        ///     query: The query parameters by name; a list repeats its name, None leaves it out.
        ///     json: The JSON body, a dict or a list. Decimals in it keep their digits.
        ///     headers: Headers by name, such as `{"X-Plan": "test"}`, each up to 8192 characters of ASCII. Those that the client
        ///         sets are not accepted, such as `Apikey`, `Signature` and `Content-Type`; `Forced-Mode` is `mode` of the client.
        ///         Headers are not signed, and a recording does not keep their values.
        ///
        /// Returns:
        ///     The status, the headers and the body of the response if it reports success.
        ///
        /// Raises:
        ///     ValidationError: An argument is invalid; nothing was sent.
        ///     OutcomeUnknownError: The outcome of anything but a GET is unknown: it may have been carried out.
        ///     ApiError: The service returned an error.
        ///     TransportError: No response was received.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     response = sandbox.client().request("GET", "/ver1/bots", query={"limit": 1})
        ///     ...     response.status, len(response.json())
        ///     (200, 1)
        #[signature (method, path, query = Parameters::none(), json = JsonBody::none(), *, headers = Headers::none())]
        fn request | request_async(
            &self, method: String, path: String, query: Parameters, json: JsonBody, headers: Headers
        ) -> CustomResponse {
            let call = call(method, path, query, json, headers).or_py_err()?;
            let http = Arc::clone(self.http());
            let method = call.method;
            async move { http.response(call).await.map(|response| CustomResponse { response, method }) }
        }

        /// Sign a request without sending it, to see what is signed or to send it another way.
        ///
        /// API reference: Authentication. The permission that the path needs.
        ///
        /// Args:
        ///     method: `GET`, `POST`, `PATCH`, `PUT` or `DELETE`. It is not signed.
        ///     path: The path as in the API reference, such as `/ver1/bots`; it is prefixed with `/public/api`.
        ///     query: The query parameters by name; a list repeats its name, None leaves it out.
        ///     json: The JSON body, a dict or a list. Decimals in it keep their digits.
        ///
        /// Returns:
        ///     The payload, its signature, the fingerprint of the key, and a `curl` command.
        ///
        /// Raises:
        ///     ValidationError: An argument is invalid.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     sandbox.client().sign("GET", "/ver1/bots", query={"limit": 1}).payload
        ///     '/public/api/ver1/bots?limit=1'
        #[signature (method, path, query = Parameters::none(), json = JsonBody::none())]
        fn sign | sign_async(&self, method: String, path: String, query: Parameters, json: JsonBody) -> SignedRequest {
            let call = call(method, path, query, json, Headers::none()).or_py_err()?;
            let http = Arc::clone(self.http());
            async move {
                let fingerprint = http.fingerprint().to_owned();
                http.sign(call).map(|signed| SignedRequest { signed, fingerprint })
            }
        }
    }
}

sync_and_async! {
    impl Record {
        /// Send a request with the client of the record, for what no operation returns, such as the headers of a response.
        #[signature (method, path)]
        fn _request | _request_async(&self, method: String, path: String) -> CustomResponse {
            let call = call(method, path, Parameters::none(), JsonBody::none(), Headers::none()).or_py_err()?;
            let http = self.client().or_py_err()?;
            let method = call.method;
            async move { http.response(call).await.map(|response| CustomResponse { response, method }) }
        }
    }
}

fn call(
    method: String,
    path: String,
    query: Parameters,
    json: JsonBody,
    headers: Headers,
) -> Result<RequestSpec, Error> {
    let mut violations = Vec::new();
    let mut collect = |violation| violations.push(violation);
    let query = query.0.map_rust_err(&mut collect).rust_ok().unwrap_or_default();
    let json = json.0.map_rust_err(&mut collect).rust_ok().unwrap_or_default();
    let headers = headers.0.map_rust_err(&mut collect).rust_ok().unwrap_or_default();
    CustomRequest { method, path, query, json, headers }.spec(violations)
}

/// The headers of a request, as an argument.
pub(super) struct Headers(Result<Vec<(String, String)>, Violation>);

impl Headers {
    fn none() -> Self {
        Self(Ok(Vec::new()))
    }
}

impl<'py> FromPyObject<'_, 'py> for Headers {
    type Error = PyErr;

    input_type!(type_hint_union!(type_hint_subscript!(MAPPING, STR, STR), NONE));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_none() {
            return Ok(Self::none());
        }
        if !is_mapping(&given).none_if_exception(given.py())?.unwrap_or(false) {
            return Ok(Self(Err(Violation::new("headers", "must be a dict of values by name"))));
        }
        let headers = raise_or_keep(headers(&given.call_method0("items")?))?;
        Ok(Self(headers.map_rust_err(|message| Violation::new("headers", message))))
    }
}

fn headers(items: &Bound<'_, PyAny>) -> Result<Vec<(String, String)>, ArgumentError> {
    let py = items.py();
    let mut headers = Vec::new();
    for item in items.try_iter()? {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        let name: String = name.extract().or_invalid(py, || "the names of headers must be strings".to_owned())?;
        // The value may be a secret, so the message has only its name.
        let wrong = || format!("the value of {} must be a string", shown_name(&name));
        let value: String = value.extract().or_invalid(py, wrong)?;
        headers.push((name, value));
    }
    Ok(headers)
}

/// The parameters of a query string, as an argument.
pub(super) struct Parameters(Result<Vec<(String, Value)>, Violation>);

impl Parameters {
    fn none() -> Self {
        Self(Ok(Vec::new()))
    }
}

impl<'py> FromPyObject<'_, 'py> for Parameters {
    type Error = PyErr;

    input_type!(type_hint_union!(type_hint_subscript!(MAPPING, STR, ANY), NONE));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_none() {
            return Ok(Self::none());
        }
        if !is_mapping(&given).none_if_exception(given.py())?.unwrap_or(false) {
            return Ok(Self(Err(Violation::new("query", "must be a dict of parameters by name"))));
        }
        let parameters = raise_or_keep(parameters(&given.call_method0("items")?))?;
        Ok(Self(parameters.map_rust_err(|message| Violation::new("query", message))))
    }
}

fn parameters(items: &Bound<'_, PyAny>) -> Result<Vec<(String, Value)>, ArgumentError> {
    let py = items.py();
    let mut parameters = Vec::new();
    for item in items.try_iter()? {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        let name: String = name.extract().or_invalid(py, || "the names of parameters must be strings".to_owned())?;
        let value = match json::from_python(&value) {
            Ok(value) => value,
            Err(error) => return Err(error.of(&name)),
        };
        match value {
            Value::Null => {}
            Value::Array(values) => {
                let values = values.into_iter().filter(|value| !value.is_null());
                parameters.extend(values.map(|value| (name.clone(), value)));
            }
            value => parameters.push((name, value)),
        }
    }
    Ok(parameters)
}

/// A JSON body as an argument; None for no body.
pub(super) struct JsonBody(Result<Option<Value>, Violation>);

impl JsonBody {
    fn none() -> Self {
        Self(Ok(None))
    }
}

impl<'py> FromPyObject<'_, 'py> for JsonBody {
    type Error = PyErr;

    input_type!(type_hint_union!(JSON_OBJECT, sequence(&ANY), NONE));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_none() {
            return Ok(Self::none());
        }
        let value = raise_or_keep(json::from_python(&given).map(Some))?;
        Ok(Self(value.map_rust_err(|message| Violation::new("json", message))))
    }
}

/// A response that reports success, which is not decoded.
#[pyclass(frozen, name = "Answer", module = "botdesk")]
pub(crate) struct CustomResponse {
    response: Response,
    /// The method of the request.
    method: Method,
}

#[pymethods]
impl CustomResponse {
    /// The status, 200 to 299.
    #[getter]
    fn status(&self) -> u16 {
        self.response.status
    }

    /// The headers, with names in lower case. The values of a repeated header are joined by commas.
    #[getter]
    fn headers(&self) -> BTreeMap<String, String> {
        let mut headers = BTreeMap::<String, String>::new();
        for (name, value) in &self.response.headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            headers
                .entry(name.as_str().to_owned())
                .and_modify(|known| known.extend([", ", &value]))
                .or_insert_with(|| value.clone().into_owned());
        }
        headers
    }

    /// The body as a string.
    #[getter]
    fn body(&self) -> &str {
        &self.response.text
    }

    /// Parse the body as JSON: integers become int, other numbers Decimal.
    ///
    /// Raises:
    ///     DecodeError: The body is not JSON.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.client().request("GET", "/ver1/bots/41/show").json().get("id")
    ///     41
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::from_response(py, &self.response.text, self.method)
    }

    fn __repr__(&self) -> String {
        format!("<Answer {} of {} bytes>", self.response.status, self.response.text.len())
    }
}

/// A request that was signed and not sent.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct SignedRequest {
    signed: Signed,
    fingerprint: String,
}

#[pymethods]
impl SignedRequest {
    /// The payload that was signed: the path, then `?` and the query string, or the body.
    #[getter]
    fn payload(&self) -> &str {
        &self.signed.payload
    }

    /// The signature for the header `Signature`: in Base64, or in hexadecimal if a secret signs.
    #[getter]
    fn signature(&self) -> &str {
        &self.signed.signature
    }

    /// The fingerprint of the key: `SHA256:…` of an RSA public key, or `HMAC:…` of the API key if a secret signs.
    #[getter]
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// A `curl` command that sends the request, with the API key from the variable `BOTDESK_API_KEY`.
    #[getter]
    fn curl(&self) -> String {
        self.signed.curl()
    }

    fn __repr__(&self) -> String {
        let call = &self.signed.spec;
        format!("<SignedRequest {} {} key {}>", call.method.as_str(), call.path, self.fingerprint)
    }

    fn _repr_html_(&self) -> String {
        let call = &self.signed.spec;
        let row = [call.method.as_str(), &call.path, &self.fingerprint].map(str::to_owned);
        let heads = vec!["method", "path", "key"];
        Table { title: "SignedRequest".to_owned(), heads, rows: vec![row.to_vec()], ..Table::default() }.html()
    }
}
