//! The last write that may have been carried out, for a program that is stopped before it has reported the outcome.

use std::convert::Infallible;
use std::sync::Mutex;

use crate::process::PerProcess;
use crate::request::spec::RequestSpec;
use botdesk_system::lock::locked;

static LAST_WRITE: PerProcess<Mutex<Option<String>>> = PerProcess::new();

fn last_write() -> &'static Mutex<Option<String>> {
    let Ok(last) = LAST_WRITE.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
    last
}

/// Returns the method and the path of the last write that was sent, unless the service rejected it; returns it only once.
pub fn take_last_write() -> Option<String> {
    locked(last_write()).take()
}

/// A request that is sent. A write counts as carried out unless [`SentRequest::reject`] is called; this also holds for one that is
/// dropped without a response.
pub(crate) struct SentRequest<'a> {
    spec: &'a RequestSpec,
    is_rejected: bool,
}

impl<'a> SentRequest<'a> {
    pub(crate) fn new(spec: &'a RequestSpec) -> Self {
        Self { spec, is_rejected: !spec.effect.writes() }
    }

    /// Notes that the request was not carried out.
    pub(crate) fn reject(&mut self) {
        self.is_rejected = true;
    }
}

impl Drop for SentRequest<'_> {
    fn drop(&mut self) {
        if !self.is_rejected {
            *locked(last_write()) = Some(format!("{} {}", self.spec.method.as_str(), self.spec.path));
        }
    }
}
