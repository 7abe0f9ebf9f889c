//! The kinds of faults and their options.

use std::time::Duration;

use botdesk_schema::input::{Violation, nearest};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An error response; the request is not executed.
    Status,
    /// Connections are refused.
    Refuse,
    /// A connection is reset as soon as it is accepted.
    Reset,
    /// The connection closes before the request is executed.
    CloseBefore,
    /// The connection closes after the request is executed, without a response.
    CloseAfter,
    /// The request is read, but no response is ever sent.
    Stall,
    /// The response is sent one byte at a time.
    Trickle,
    /// The connection closes in the middle of the body.
    CutBody,
    /// The body is truncated JSON.
    WrongJson,
    /// The `Content-Length` does not match the body.
    WrongLength,
    /// The body is larger than any client should accept.
    HugeBody,
    /// A redirect; the request is not executed.
    Redirect,
    /// The body is not UTF-8.
    BadUtf8,
    /// The body is small but huge when decompressed.
    GzipBomb,
    /// The response has thousands of headers.
    HeaderFlood,
    /// The body is JSON nested ten thousand deep.
    DeepJson,
    /// The IP address is banned; the request is not executed.
    Ban,
}

/// A kind, its name, its options besides `times`, and what it does.
type KindRow = (FaultKind, &'static str, &'static [&'static str], &'static str);

const KINDS: &[KindRow] = &[
    (FaultKind::Status, "status", &["status", "retry_after", "plan"], "an error response; the request is not executed"),
    (FaultKind::Refuse, "refuse", &["seconds"], "connections are refused for a while"),
    (FaultKind::Reset, "reset", &[], "a connection is reset as soon as it is accepted"),
    (FaultKind::CloseBefore, "close_before", &[], "the connection closes before the request is executed"),
    (FaultKind::CloseAfter, "close_after", &[], "the request is executed, but there is no response"),
    (FaultKind::Stall, "stall", &[], "the request is read, but no response is ever sent"),
    (FaultKind::Trickle, "trickle", &["interval"], "the response is sent one byte at a time"),
    (FaultKind::CutBody, "cut_body", &[], "the connection closes in the middle of the body"),
    (FaultKind::WrongJson, "wrong_json", &[], "the body is truncated JSON"),
    (FaultKind::WrongLength, "wrong_length", &[], "the Content-Length does not match the body"),
    (FaultKind::HugeBody, "huge_body", &[], "the body is larger than any client should accept"),
    (FaultKind::Redirect, "redirect", &["location"], "a redirect; the request is not executed"),
    (FaultKind::BadUtf8, "bad_utf8", &[], "the body is not UTF-8"),
    (FaultKind::GzipBomb, "gzip_bomb", &[], "the body is small but huge when decompressed"),
    (FaultKind::HeaderFlood, "header_flood", &[], "the response has thousands of headers"),
    (FaultKind::DeepJson, "deep_json", &[], "the body is JSON nested ten thousand deep"),
    (FaultKind::Ban, "ban", &["seconds", "retry_after"], "the IP address is banned; the request is not executed"),
];

impl FaultKind {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        self.row().map_or("", |(_, name, ..)| name)
    }

    fn row(self) -> Option<&'static KindRow> {
        KINDS.iter().find(|(kind, ..)| *kind == self)
    }

    /// Returns all kinds.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(kind, ..)| *kind)
    }

    /// Finds a kind by its name.
    pub(super) fn named(name: &str) -> Result<Self, Violation> {
        let found = KINDS.iter().find(|(_, known, ..)| *known == name).map(|(kind, ..)| *kind);
        found.ok_or_else(|| unknown("kind", "kind of fault", name, KINDS.iter().map(|(_, name, ..)| *name)))
    }

    /// Returns the names of its options besides `times`.
    pub(crate) fn option_names(self) -> &'static [&'static str] {
        self.row().map_or(&[], |(_, _, options, _)| options)
    }

    /// Returns what it does, in one line.
    pub(crate) fn about(self) -> &'static str {
        self.row().map_or("", |(.., about)| about)
    }

    /// Returns true if it affects connections, before a request is read.
    pub fn affects_connections(self) -> bool {
        matches!(self, Self::Refuse | Self::Reset)
    }

    /// Returns true if the request is executed despite the fault.
    pub fn executes_request(self) -> bool {
        match self {
            Self::Status
            | Self::Ban
            | Self::Refuse
            | Self::Reset
            | Self::CloseBefore
            | Self::Stall
            | Self::Redirect => false,
            Self::CloseAfter
            | Self::Trickle
            | Self::CutBody
            | Self::WrongJson
            | Self::WrongLength
            | Self::HugeBody
            | Self::BadUtf8
            | Self::GzipBomb
            | Self::HeaderFlood
            | Self::DeepJson => true,
        }
    }
}

/// Returns the violation for an unknown name.
pub(super) fn unknown(
    argument: &str,
    noun: &str,
    name: &str,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Violation {
    let hint = match nearest(known.clone(), name) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => format!("choose one of {}", known.collect::<Vec<_>>().join(", ")),
    };
    Violation::new(argument, format!("unknown {noun} {name:?}; {hint}"))
}

/// The options of a fault. Each kind accepts only some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultOptions {
    /// The status of an error response.
    pub status: Option<u16>,
    /// The `Retry-After` header of an error response: seconds, or an HTTP date.
    pub retry_after: Option<String>,
    /// True for the 429 of a request that the subscription plan does not include.
    pub plan: bool,
    /// The pause between two bytes of a response.
    pub interval: Option<Duration>,
    /// The duration for which connections are refused, or the IP address is banned.
    pub seconds: Option<Duration>,
    /// The target of a redirect.
    pub location: Option<String>,
}

impl FaultOptions {
    /// Returns the duration of an option in seconds, such as `interval`; fails if it is negative or too long.
    pub fn duration(name: &str, seconds: f64) -> Result<Duration, Violation> {
        let invalid = |_| Violation::new(name, format!("must be a number of seconds, 0 or more, not {seconds}"));
        Duration::try_from_secs_f64(seconds).map_err(invalid)
    }

    /// Returns the violations of these options for a kind of fault.
    pub(super) fn violations(&self, kind: FaultKind) -> Vec<Violation> {
        let given = [
            ("status", self.status.is_some()),
            ("retry_after", self.retry_after.is_some()),
            ("plan", self.plan),
            ("interval", self.interval.is_some()),
            ("seconds", self.seconds.is_some()),
            ("location", self.location.is_some()),
        ];
        let unexpected = given.iter().filter(|(option, given)| *given && !kind.option_names().contains(option));
        let unexpected = unexpected
            .map(|(option, _)| Violation::new(*option, format!("is not an option of the kind {}", kind.as_str())));
        unexpected.chain(self.check_status_option(kind)).chain(self.check_header_values()).collect()
    }

    fn check_status_option(&self, kind: FaultKind) -> Option<Violation> {
        let message = match self.status {
            None if kind == FaultKind::Status && !self.plan => "is required, such as 429 or 503".to_owned(),
            Some(status) if !(400..=599).contains(&status) => format!("must be between 400 and 599, not {status}"),
            Some(status) if self.plan && status != 429 => {
                format!("must be 429 if plan is true, not {status}")
            }
            _ => return None,
        };
        Some(Violation::new("status", message))
    }

    /// Strings become header values, so they must be valid ones.
    fn check_header_values(&self) -> Option<Violation> {
        let values = [("retry_after", &self.retry_after), ("location", &self.location)];
        let is_invalid = |value: &String| value.is_empty() || !value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        let (option, _) = values.into_iter().find(|(_, value)| value.as_ref().is_some_and(is_invalid))?;
        Some(Violation::new(option, "must be printable ASCII, because it becomes a header"))
    }
}
