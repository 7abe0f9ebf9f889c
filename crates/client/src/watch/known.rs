//! The known state of a record: a field that is absent or can't be read keeps its last value.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::bot_state::BotState;
use botdesk_api::dca_bots::{DcaBot, DcaBotEdit};
use botdesk_api::deals::Deal;
use botdesk_api::input::Input;
use botdesk_api::json::Json;
use botdesk_api::record::Record;
use botdesk_api::row::FieldSpec;

/// The volatile fields that a watch compares nevertheless, by their names in the JSON; null is not a value of them.
const STATES: [&str; 2] = ["is_enabled", "finished?"];

/// A record that can be watched.
pub(super) trait Watched: Record + Clone {
    /// Returns the inputs of an edit that a record may have although the API reference does not list them as fields.
    fn unlisted() -> &'static [&'static Input];
}

impl Watched for DcaBot {
    fn unlisted() -> &'static [&'static Input] {
        static UNLISTED: LazyLock<Vec<&Input>> = LazyLock::new(|| {
            DcaBotEdit::INPUTS
                .rows
                .iter()
                .filter(|input| DcaBot::ROWS.iter().all(|row| row.name != input.name))
                .collect()
        });
        &UNLISTED
    }
}

impl Watched for Deal {
    fn unlisted() -> &'static [&'static Input] {
        &[]
    }
}

/// Returns the settings of a record, which do not change by themselves, with their indices.
pub(super) fn settings<R: Record>() -> impl Iterator<Item = (usize, &'static FieldSpec)> {
    R::ROWS.iter().enumerate().filter(|(_, row)| !row.volatile && !row.secret)
}

/// The state of a watched field in a response.
enum Reading {
    /// It can be read.
    Known,
    /// It is absent.
    Absent,
    /// It can't be read, for this reason.
    Malformed(String),
}

/// Reads the watched fields, by their names in the JSON.
fn readings<R: Watched>(record: &R) -> impl Iterator<Item = (&'static str, Reading)> {
    let states = R::ROWS.iter().enumerate().filter(|(_, row)| is_state(row));
    let rows = settings::<R>().chain(states).map(move |(index, row)| (row.wire, of_row(record, index, row)));
    rows.chain(R::unlisted().iter().map(move |input| (input.wire, of_input(record, input))))
}

fn is_state(row: &FieldSpec) -> bool {
    row.volatile && STATES.contains(&row.wire)
}

fn of_row<R: Record>(record: &R, index: usize, row: &FieldSpec) -> Reading {
    let fields = record.fields();
    match fields.get(index) {
        None => Reading::Absent,
        Some(json) if json.is_null() && STATES.contains(&row.wire) => {
            Reading::Malformed(format!("{}.{} is null", R::NAME, row.name))
        }
        Some(_) => {
            fields.check_at(index).map_or_else(|error| Reading::Malformed(error.to_string()), |()| Reading::Known)
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

/// The known state of a record, and the fields of the response that can't be read.
struct KnownRecord<R> {
    record: R,
    /// The names of the fields in the JSON, each with the reason.
    malformed: Vec<(&'static str, String)>,
}

impl<R: Watched> KnownRecord<R> {
    fn new(before: Option<&R>, now: &R) -> Self {
        let (mut unknown, mut malformed) = (Vec::new(), Vec::new());
        for (wire, reading) in readings(now) {
            match reading {
                Reading::Known => continue,
                Reading::Absent if held(before, wire).is_none() => continue,
                Reading::Absent => {}
                Reading::Malformed(why) => malformed.push((wire, why)),
            }
            unknown.push(wire);
        }
        Self { record: replaced(before, now, &unknown), malformed }
    }
}

fn held<'a, R: Record>(before: Option<&'a R>, wire: &str) -> Option<Json<'a>> {
    before.and_then(|before| before.fields().value(wire))
}

/// Returns a record in which the unknown fields have their values from before.
fn replaced<R: Watched>(before: Option<&R>, now: &R, unknown: &[&str]) -> R {
    if unknown.is_empty() {
        return now.clone();
    }
    let is_known = |(key, _): &(Json<'_>, Json<'_>)| key.string().is_none_or(|key| !unknown.contains(&key.as_ref()));
    let members = now.fields().json().members().unwrap_or_default();
    let readable = members.into_iter().filter(is_known).map(|(key, value)| format!("{}:{}", key.text(), value.text()));
    let kept = unknown.iter().filter_map(|wire| Some(format!("\"{wire}\":{}", held(before, wire)?.text())));
    let text = readable.chain(kept).collect::<Vec<_>>().join(",");
    R::from_json(&format!("{{{text}}}")).unwrap_or_else(|_| now.clone())
}

/// Returns the known state of a record: as it is now, but with the last value of each field that is absent or can't be read.
pub(super) fn known<R: Watched>(before: Option<&R>, now: &R) -> R {
    KnownRecord::new(before, now).record
}

/// Names a field of a bot, or of one of its deals.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FieldKey {
    /// The identifier of the deal; None if the field is the bot's.
    pub(super) deal: Option<i64>,
    /// The name in the JSON.
    wire: &'static str,
}

/// The known state of a bot and its deals, and the fields that can't be read.
pub(super) struct KnownBotState {
    /// The bot and its deals.
    pub(super) bot_state: BotState,
    /// The fields, each with the reason.
    pub(super) malformed: BTreeMap<FieldKey, String>,
}

/// Returns the known state of a bot and its deals.
pub(super) fn known_state(before: Option<&BotState>, now: &BotState) -> KnownBotState {
    let KnownRecord { record: bot, malformed } = KnownRecord::new(before.map(|before| &before.bot), &now.bot);
    let of_bot = |(wire, why)| (FieldKey { deal: None, wire }, why);
    let mut malformed: BTreeMap<_, _> = malformed.into_iter().map(of_bot).collect();
    if now.bot.fields().value("is_enabled").is_none() {
        let key = FieldKey { deal: None, wire: "is_enabled" };
        malformed.insert(key, "DcaBot.is_enabled is absent".to_owned());
    }
    let earlier = before.and_then(|before| before.deals.as_deref()).unwrap_or_default();
    let mut known_deal = |deal: &Deal| {
        let before = earlier.iter().find(|earlier| earlier.id() == deal.id());
        let known = KnownRecord::new(before, deal);
        let id = deal.id().ok().flatten().unwrap_or_default();
        let of_deal = |(wire, why)| (FieldKey { deal: Some(id), wire }, format!("{why} (deal {id})"));
        malformed.extend(known.malformed.into_iter().map(of_deal));
        known.record
    };
    let deals = now.deals.as_ref().map(|deals| deals.iter().map(&mut known_deal).collect());
    KnownBotState { bot_state: BotState { bot, deals }, malformed }
}
