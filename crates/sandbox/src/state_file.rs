//! The state file: the whole state of a sandbox as JSON.

use std::path::Path;

use bigdecimal::{BigDecimal, Zero};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clock;
use super::listings::{Listing, PairListings, check_pair, check_price};
use super::options::MAX_BOTS;
use super::resources::RESOURCES;
use super::saved::{Document, Problem, time, to_json};
use super::seed::{SeedOptions, ValueStyle};
use super::state::{Cancellation, State};
use botdesk_schema::decimal;
use botdesk_schema::key_text::shown_path;
use botdesk_system::files::{self, Existing};
use botdesk_trading::decimal::Decimal;

/// The name of the format.
const FORMAT: &str = "botdesk sandbox";

/// The latest supported version of the format.
const VERSION: u64 = 1;

/// The state from a state file.
pub struct SavedState(pub(super) State);

/// An error that prevents a state file from being read or written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StateFileError(String);

/// The fields that identify the format.
#[derive(Deserialize)]
struct FormatHeader {
    format: String,
    version: u64,
}

/// The members before the records.
#[derive(Serialize, Deserialize)]
struct StateMembers {
    format: String,
    version: u64,
    seed: u64,
    clock: String,
    next_deal: u64,
    #[serde(default = "first_id")]
    next_bot: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blacklist: Vec<String>,
    market: Vec<PairEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    history: Option<HistoryEntry>,
}

/// The least id of a bot, in files of older versions.
fn first_id() -> u64 {
    1
}

/// The options of the deals that finished before the sandbox started, unless the file has the deals themselves.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryEntry {
    bots: usize,
    odd_values: bool,
    fee: Decimal,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairEntry {
    pair: String,
    price: String,
    tick: String,
}

impl SavedState {
    /// Reads a state file.
    pub fn read(path: &Path) -> Result<Self, StateFileError> {
        let named = |problem: String| StateFileError(format!("the state file {}: {problem}", shown_path(path)));
        let json = files::read_to_string(path, files::MAX_DATA_LENGTH)
            .map_err(|error| named(format!("{error}; sandbox.dump(path) writes a state file")))?;
        Self::parse(&json).map_err(named)
    }

    /// Parses the contents of a state file.
    pub fn parse(json: &str) -> Result<Self, Problem> {
        let (members, document) = parse(json)?;
        let state =
            state(members, document).map_err(|problem| format!("{problem}; correct it, or dump the state again"))?;
        Ok(Self(state))
    }
}

/// Returns the first members of a state file, and the others.
fn parse(json: &str) -> Result<(StateMembers, Document), Problem> {
    let parse_error = |error: &serde_json::Error| {
        let expected = if error.is_data() { "a state file" } else { "JSON" };
        format!("it is not {expected} ({error}); pass a file that sandbox.dump(path) wrote")
    };
    let header: FormatHeader = serde_json::from_str(json).map_err(|error| parse_error(&error))?;
    if header.format != FORMAT {
        return Err(format!(
            "its format is {:?}, not {FORMAT:?}; pass a file that sandbox.dump(path) wrote",
            header.format
        ));
    }
    if header.version > VERSION {
        let version = header.version;
        return Err(format!(
            "a newer botdesk wrote it (format version {version}; this version reads up to {VERSION}); upgrade botdesk"
        ));
    }
    let members: StateMembers = serde_json::from_str(json).map_err(|error| parse_error(&error))?;
    let mut document: Document = serde_json::from_str(json).map_err(|error| parse_error(&error))?;
    if let Value::Object(read) = to_json(&members) {
        document.retain(|name, _| !read.contains_key(name));
    }
    Ok((members, document))
}

fn state(members: StateMembers, mut document: Document) -> Result<State, Problem> {
    let mut state = State::new(members.seed, time(&members.clock, "clock")?, market(members.market)?);
    (state.next_deal, state.next_bot) = (members.next_deal, members.next_bot);
    for pair in &members.blacklist {
        check_pair("blacklist", pair).map_err(|violation| format!("blacklist: {}", violation.message))?;
    }
    state.blacklist.clone_from(&members.blacklist);
    let seed = members.seed;
    state.unwritten_history = members.history.map(|HistoryEntry { bots, odd_values, fee }| {
        let values = if odd_values { ValueStyle::Odd } else { ValueStyle::Plausible };
        SeedOptions { seed, bots: bots.min(MAX_BOTS), values, fee }
    });
    for resource in RESOURCES {
        resource.load(&mut state, &mut document)?;
    }
    if let Some((unknown, _)) = document.into_iter().next() {
        return Err(format!("{unknown} is not a member of a state file"));
    }
    let deals = state.dca_bot_states.values().flat_map(|bot| &bot.deals);
    state.cancellation = deals.filter_map(|deal| deal.cancels_at.or(deal.closes_at)).max().map(Cancellation::until);
    Ok(state)
}

fn market(pairs: Vec<PairEntry>) -> Result<PairListings, Problem> {
    let mut market = PairListings::default();
    for (index, PairEntry { pair, price, tick }) in pairs.into_iter().enumerate() {
        let positive = |name: &str, value: &str| {
            let number = decimal::parse(value).filter(|number| *number > BigDecimal::zero());
            number.ok_or_else(|| format!("market[{index}]: {name} is not a decimal greater than 0"))
        };
        check_pair("pair", &pair).map_err(|violation| format!("market[{index}]: {}", violation.message))?;
        let listing = Listing { price: positive("price", &price)?, tick: positive("tick", &tick)? };
        check_price("price", &listing.price)
            .map_err(|violation| format!("market[{index}]: price {}", violation.message))?;
        if market.listings.insert(pair.clone(), listing).is_some() {
            return Err(format!("market[{index}]: {pair} appears twice"));
        }
    }
    Ok(market)
}

impl State {
    /// Returns the contents of a state file.
    pub(super) fn to_json(&self) -> Result<String, StateFileError> {
        let pair = |(pair, listing): (&String, &Listing)| PairEntry {
            pair: pair.clone(),
            price: listing.price.to_plain_string(),
            tick: listing.tick.to_plain_string(),
        };
        let mut document = to_json(&StateMembers {
            format: FORMAT.to_owned(),
            version: VERSION,
            seed: self.seed,
            clock: clock::timestamp(self.clock.now()),
            next_deal: self.next_deal,
            next_bot: self.next_bot,
            blacklist: self.blacklist.clone(),
            market: self.market.listings.iter().map(pair).collect(),
            history: self.unwritten_history.as_ref().map(|options| HistoryEntry {
                bots: options.bots,
                odd_values: options.values == ValueStyle::Odd,
                fee: options.fee.clone(),
            }),
        });
        if let Value::Object(document) = &mut document {
            for resource in RESOURCES {
                resource.save(self, document);
            }
        }
        let mut json = serde_json::to_string_pretty(&document)
            .map_err(|error| StateFileError(format!("the state can't be serialized: {error}")))?;
        json.push('\n');
        Ok(json)
    }
}

/// Writes a state file atomically.
pub(super) fn write(path: &Path, json: &str) -> Result<(), StateFileError> {
    files::write(path, json.as_bytes(), Existing::Replace)
        .map_err(|error| StateFileError(format!("can't write the state file {}: {error}", shown_path(path))))
}
