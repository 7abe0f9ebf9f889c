//! Which failures a watch outlives.

use crate::error::Error;
use botdesk_api::error::ApiErrorKind;

/// Whether what failed so may succeed at a later poll, without anybody doing something about it.
pub(super) fn may_pass(error: &Error) -> bool {
    match error {
        Error::Transport { .. } | Error::Decode { .. } => true,
        Error::Throttled { kind, .. } => *kind == ApiErrorKind::RateLimited,
        Error::Api(refusal) => match refusal.kind {
            ApiErrorKind::RateLimited | ApiErrorKind::Server | ApiErrorKind::MarketApi => true,
            ApiErrorKind::Other => refusal.status == REQUEST_TIMEOUT,
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
        Error::Configuration(_) | Error::Validation(_) | Error::Conflict(_) => false,
    }
}

/// What some proxies answer where the service took too long.
const REQUEST_TIMEOUT: u16 = 408;
