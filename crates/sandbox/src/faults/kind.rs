//! The kinds of faults, and what can be said of each.

use std::time::Duration;

use botdesk_api::input::{Violation, nearest};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An error answer in place of the request.
    Status,
    /// Nobody listens.
    Refuse,
    /// A connection is reset as soon as it is made.
    Reset,
    /// The request is read, and the connection closed.
    CloseBefore,
    /// The request is carried out, and the connection closed.
    CloseAfter,
    /// The request is read and never answered.
    Stall,
    /// The answer comes a byte at a time.
    Trickle,
    /// The connection closes in the middle of the body.
    CutBody,
    /// The body is JSON that breaks off.
    WrongJson,
    /// The body is of another length than the headers say.
    WrongLength,
    /// The body is larger than any client should take.
    HugeBody,
    /// The answer leads elsewhere.
    Redirect,
    /// The body is not UTF-8.
    BadUtf8,
    /// The body is small, and huge once it is unpacked.
    GzipBomb,
    /// The answer has thousands of headers.
    HeaderFlood,
    /// The body is JSON nested ten thousand deep.
    DeepJson,
}

/// The kinds by their names, and the options that each takes beside `times`.
const KINDS: &[(Kind, &str, &[&str])] = &[
    (Kind::Status, "status", &["status", "retry_after", "plan"]),
    (Kind::Refuse, "refuse", &["seconds"]),
    (Kind::Reset, "reset", &[]),
    (Kind::CloseBefore, "close_before", &[]),
    (Kind::CloseAfter, "close_after", &[]),
    (Kind::Stall, "stall", &[]),
    (Kind::Trickle, "trickle", &["interval"]),
    (Kind::CutBody, "cut_body", &[]),
    (Kind::WrongJson, "wrong_json", &[]),
    (Kind::WrongLength, "wrong_length", &[]),
    (Kind::HugeBody, "huge_body", &[]),
    (Kind::Redirect, "redirect", &["location"]),
    (Kind::BadUtf8, "bad_utf8", &[]),
    (Kind::GzipBomb, "gzip_bomb", &[]),
    (Kind::HeaderFlood, "header_flood", &[]),
    (Kind::DeepJson, "deep_json", &[]),
];

impl Kind {
    /// The name.
    pub fn as_str(self) -> &'static str {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or("", |(_, name, _)| name)
    }

    /// The kind of that name, or what is wrong with the name.
    pub(super) fn named(name: &str) -> Result<Self, Violation> {
        let found = KINDS.iter().find(|(_, known, _)| *known == name).map(|(kind, ..)| *kind);
        found.ok_or_else(|| unknown("kind", "kind of fault", name, KINDS.iter().map(|(_, name, _)| *name)))
    }

    fn takes(self) -> &'static [&'static str] {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or(&[], |(_, _, options)| options)
    }

    /// Whether it befalls connections, before anything is known of a request.
    pub fn is_of_connections(self) -> bool {
        matches!(self, Self::Refuse | Self::Reset)
    }

    /// Whether the request is carried out all the same.
    pub fn carries_out(self) -> bool {
        match self {
            Self::Status | Self::Refuse | Self::Reset | Self::CloseBefore | Self::Stall | Self::Redirect => false,
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

/// A violation of an argument that names something which is not there.
pub(super) fn unknown(
    argument: &str,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Violation {
    let meant = match nearest(known.clone(), name) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => format!("there are {}", known.collect::<Vec<_>>().join(", ")),
    };
    Violation::new(argument, format!("no {what} is called {name:?}; {meant}"))
}

/// What else is said of a fault. Each option is for some kinds only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The status of an error answer.
    pub status: Option<u16>,
    /// When an error answer says to ask again: seconds, or a date as HTTP writes it.
    pub retry_after: Option<String>,
    /// Whether a 429 is about the subscription plan.
    pub plan: bool,
    /// How long each byte of an answer waits for the next.
    pub interval: Option<Duration>,
    /// For how long connections are refused.
    pub seconds: Option<Duration>,
    /// Where an answer leads.
    pub location: Option<String>,
}

impl Details {
    /// All that is wrong with them for a kind of fault.
    pub(super) fn violations(&self, kind: Kind) -> Vec<Violation> {
        let given = [
            ("status", self.status.is_some()),
            ("retry_after", self.retry_after.is_some()),
            ("plan", self.plan),
            ("interval", self.interval.is_some()),
            ("seconds", self.seconds.is_some()),
            ("location", self.location.is_some()),
        ];
        let stray = given.iter().filter(|(option, given)| *given && !kind.takes().contains(option));
        let stray = stray.map(|(option, _)| Violation::new(*option, format!("is not for the kind {}", kind.as_str())));
        stray.chain(self.wrong_status(kind)).chain(self.wrong_text()).collect()
    }

    fn wrong_status(&self, kind: Kind) -> Option<Violation> {
        let message = match self.status {
            None if kind == Kind::Status && !self.plan => "is required, such as 429 or 503".to_owned(),
            Some(status) if !(400..=599).contains(&status) => format!("must be between 400 and 599, not {status}"),
            Some(status) if self.plan && status != 429 => {
                format!("must be 429 where it is about the plan, not {status}")
            }
            _ => return None,
        };
        Some(Violation::new("status", message))
    }

    /// Texts become headers, so they must be fit for one.
    fn wrong_text(&self) -> Option<Violation> {
        let texts = [("retry_after", &self.retry_after), ("location", &self.location)];
        let unfit = |text: &String| text.is_empty() || !text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        let (option, _) = texts.into_iter().find(|(_, text)| text.as_ref().is_some_and(unfit))?;
        Some(Violation::new(option, "must be a text in ASCII that fits into a header"))
    }
}
