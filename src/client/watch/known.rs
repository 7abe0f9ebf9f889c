//! What is known of a record: a field that a response leaves out or spoils keeps the last value that could be read.

use std::collections::BTreeMap;

use super::difference::Sight;
use crate::service::dca_bot::{DcaBot, DcaBotEdit};
use crate::service::deal::Deal;
use crate::service::input::Input;
use crate::service::json::Json;
use crate::service::record::{Record, Row};

/// The fields that are read as a state although they change by themselves, by their names on the wire; null is no state.
const STATES: [&str; 2] = ["is_enabled", "finished?"];

/// A record that a watch follows.
pub(super) trait Watched: Record + Clone {
    /// Returns the inputs of an edit that a record may hold although the API reference lists no such fields.
    fn unlisted() -> impl Iterator<Item = &'static Input>;
}

impl Watched for DcaBot {
    fn unlisted() -> impl Iterator<Item = &'static Input> {
        DcaBotEdit::INPUTS.rows.iter().filter(|input| Self::ROWS.iter().all(|row| row.name != input.name))
    }
}

impl Watched for Deal {
    fn unlisted() -> impl Iterator<Item = &'static Input> {
        std::iter::empty()
    }
}

/// Returns the settings of a record, which do not change by themselves.
pub(super) fn settings<R: Record>() -> impl Iterator<Item = &'static Row> {
    R::ROWS.iter().filter(|row| !row.moving && !row.secret)
}

/// A field of a response that a watch follows.
enum Reading {
    /// It can be read.
    Known,
    /// It is absent.
    Absent,
    /// It can't be read, for this reason.
    Malformed(String),
}

/// Reads the fields that a watch follows, each by its name on the wire.
fn readings<R: Watched>(record: &R) -> impl Iterator<Item = (&'static str, Reading)> {
    let states = R::ROWS.iter().filter(|row| row.moving && STATES.contains(&row.wire));
    let rows = settings::<R>().chain(states).map(move |row| (row.wire, of_row(record, row)));
    rows.chain(R::unlisted().map(move |input| (input.wire, of_input(record, input))))
}

fn of_row<R: Record>(record: &R, row: &Row) -> Reading {
    let fields = record.fields();
    match fields.value(row.wire) {
        None => Reading::Absent,
        Some(json) if json.is_null() && STATES.contains(&row.wire) => {
            Reading::Malformed(format!("{}.{} is null", R::NAME, row.name))
        }
        Some(_) => {
            fields.check::<R>(row.wire).map_or_else(|error| Reading::Malformed(error.to_string()), |()| Reading::Known)
        }
    }
}

fn of_input<R: Record>(record: &R, input: &Input) -> Reading {
    match record.fields().value(input.wire) {
        None => Reading::Absent,
        Some(json) if json.is_null() || input.form.reads(json) => Reading::Known,
        Some(_) => Reading::Malformed(format!("{}.{} can't be read", R::NAME, input.name)),
    }
}

/// Returns what is known of a record: as it is now, but a field that is absent or can't be read is as it was before.
pub(super) fn known<R: Watched>(before: Option<&R>, now: &R) -> R {
    let held = |wire: &str| before.and_then(|before| before.fields().value(wire));
    let unknown: Vec<_> = readings(now)
        .filter(|(wire, reading)| match reading {
            Reading::Known => false,
            Reading::Absent => held(wire).is_some(),
            Reading::Malformed(_) => true,
        })
        .map(|(wire, _)| wire)
        .collect();
    if unknown.is_empty() {
        return now.clone();
    }
    let is_known = |(key, _): &(Json<'_>, Json<'_>)| key.string().is_none_or(|key| !unknown.contains(&key.as_ref()));
    let members = now.fields().json().members().unwrap_or_default();
    let readable = members.into_iter().filter(is_known).map(|(key, value)| format!("{}:{}", key.text(), value.text()));
    let kept = unknown.iter().filter_map(|wire| Some(format!("\"{wire}\":{}", held(wire)?.text())));
    let text = readable.chain(kept).collect::<Vec<_>>().join(",");
    R::from_json(&format!("{{{text}}}")).unwrap_or_else(|_| now.clone())
}

/// Returns what is known of a bot and its deals.
pub(super) fn known_sight(before: Option<&Sight>, now: &Sight) -> Sight {
    let bot = known(before.map(|before| &before.bot), &now.bot);
    let earlier = before.and_then(|before| before.deals.as_deref()).unwrap_or_default();
    let deal = |deal: &Deal| known(earlier.iter().find(|earlier| earlier.id() == deal.id()), deal);
    Sight { bot, deals: now.deals.as_ref().map(|deals| deals.iter().map(deal).collect()) }
}

/// Returns the fields of a bot and its deals that can't be read, each with the reason.
pub(super) fn malformed(sight: &Sight) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = problems(&sight.bot).collect();
    if sight.bot.fields().value("is_enabled").is_none() {
        found.insert("is_enabled".to_owned(), "DcaBot.is_enabled is absent".to_owned());
    }
    for deal in sight.deals.iter().flatten() {
        let id = deal.id().ok().flatten().unwrap_or_default();
        found.extend(problems(deal).map(|(wire, why)| (format!("{id}.{wire}"), format!("{why} (deal {id})"))));
    }
    found
}

fn problems<R: Watched>(record: &R) -> impl Iterator<Item = (String, String)> {
    readings(record).filter_map(|(wire, reading)| match reading {
        Reading::Malformed(why) => Some((wire.to_owned(), why)),
        Reading::Known | Reading::Absent => None,
    })
}
