//! The rule about a time span: it does not end before it starts.

use botdesk_schema::input::{InputName, RequestBuilder, Violation};

/// Returns the violation by an end that is before the start.
pub(crate) fn end_before_start(request: &RequestBuilder, start: InputName, end: InputName) -> Option<Violation> {
    let (from, to) = request.time(start).zip(request.time(end))?;
    let message = || format!("must not be before {} ({from}Z), not {to}Z", start.as_str());
    (to < from).then(|| Violation::new(end.as_str(), message()))
}
