//! The statuses of SmartTrades: their titles, and the actions that each allows.

use serde_json::Value;

use super::defaults::object;
use super::record::JsonRecord;

/// The status in which funds can be reduced.
pub(crate) const WAITING_TARGETS: &str = "waiting_targets";

/// The titles of statuses of SmartTrades. The others are the code in words.
const TITLES: [(&str, &str); 5] = [
    ("created", "Pending"),
    ("waiting_position", "Pending Position Opened"),
    (WAITING_TARGETS, "Waiting Targets"),
    ("panic_sell_pending", "Closing at Market Price"),
    ("cancellation_pending", "Cancelling"),
];

/// The titles of statuses of the orders of SmartTrades. The others are the code in words.
const ORDER_TITLES: [(&str, &str); 5] = [
    ("idle", "Pending"),
    ("to_process", "Pending"),
    ("order_placed", "Placed"),
    ("panic_sell_pending", "Panic closing"),
    ("smart_sell", "Own funds"),
];

/// Returns the status of a SmartTrade.
pub(crate) fn status(code: &str) -> JsonRecord {
    titled(code, &TITLES)
}

/// Returns the status of an order of a SmartTrade.
pub(crate) fn order_status(code: &str) -> JsonRecord {
    titled(code, &ORDER_TITLES)
}

fn titled(code: &str, titles: &[(&str, &str)]) -> JsonRecord {
    let known = titles.iter().find(|(known, _)| *known == code).map(|(_, title)| (*title).to_owned());
    object! { "type": code, "basic_type": code, "title": known.unwrap_or_else(|| in_words(code)) }
}

/// Returns a code with blanks and a capital letter.
fn in_words(code: &str) -> String {
    let mut letters = code.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters.map(|letter| if letter == '_' { ' ' } else { letter })).collect()
}

/// The actions that a status allows.
#[derive(Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each action is allowed or not by itself")]
pub(crate) struct Allowed {
    edit: bool,
    close: bool,
    add_funds: bool,
    reduce_funds: bool,
    pub(crate) force_start: bool,
    force_process: bool,
    cancel: bool,
}

impl Allowed {
    /// Returns the actions that a SmartTrade with this status allows.
    pub(crate) fn of(code: &str) -> Self {
        match code {
            "created" => Self { force_start: true, force_process: true, ..Self::default() },
            "waiting_position" => Self {
                edit: true,
                add_funds: true,
                force_start: true,
                force_process: true,
                cancel: true,
                ..Self::default()
            },
            WAITING_TARGETS => Self {
                edit: true,
                close: true,
                add_funds: true,
                reduce_funds: true,
                force_process: true,
                cancel: true,
                ..Self::default()
            },
            "pending_reduce_funds" => Self { close: true, force_process: true, cancel: true, ..Self::default() },
            "panic_sell_pending" | "cancellation_pending" => Self { force_process: true, ..Self::default() },
            _ => Self::default(),
        }
    }

    /// Returns the fields of a SmartTrade's `data`. With a trailing distance no funds can be added.
    pub(crate) fn fields(self, has_trailing: bool) -> JsonRecord {
        object! {
            "editable": self.edit,
            "panic_sell_available": self.close,
            "add_funds_available": self.add_funds && !has_trailing,
            "reduce_funds_available": self.reduce_funds,
            "force_start_available": self.force_start,
            "force_process_available": self.force_process,
            "cancel_available": self.cancel,
        }
    }
}

/// Returns the status of an order that failed, with the reason.
pub(crate) fn failed(mut status: JsonRecord, reason: &str) -> JsonRecord {
    status.insert("error".to_owned(), Value::from(reason));
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_the_title_of_the_api_reference_or_its_code_in_words() {
        for (code, title) in [
            ("created", "Pending"),
            ("panic_sell_pending", "Closing at Market Price"),
            ("stop_loss_finished", "Stop loss finished"),
            ("cancelled", "Cancelled"),
            ("", ""),
        ] {
            assert_eq!(status(code)["title"], title);
        }
        assert_eq!(order_status("panic_sell_pending")["title"], "Panic closing");
    }
}
