//! Errors that do not end a watch.

use crate::error::Error;
use botdesk_schema::error::ApiErrorKind;

/// Returns true if a later poll may succeed without anyone changing anything.
pub(crate) fn is_temporary(error: &Error) -> bool {
    match error {
        Error::Transport { .. } | Error::Decode { .. } => true,
        Error::Throttled { kind, .. } => *kind == ApiErrorKind::RateLimited,
        Error::Api(response) => match response.kind {
            ApiErrorKind::RateLimited | ApiErrorKind::Server | ApiErrorKind::MarketApi => true,
            ApiErrorKind::Other => response.status == REQUEST_TIMEOUT,
            ApiErrorKind::RecordInvalid
            | ApiErrorKind::WrongParams
            | ApiErrorKind::SignatureInvalid
            | ApiErrorKind::Authentication
            | ApiErrorKind::Forbidden
            | ApiErrorKind::NotFound
            | ApiErrorKind::InvalidApiKey
            | ApiErrorKind::PlanRestricted
            | ApiErrorKind::IpBanned => false,
        },
        Error::Configuration(_) | Error::Closed(_) | Error::Validation(_) | Error::Conflict(_) => false,
    }
}

/// The status of some proxies if the service took too long.
const REQUEST_TIMEOUT: u16 = 408;
