//! The state file: the whole world of a sandbox as one JSON document.

use std::collections::BTreeMap;
use std::path::Path;

use bigdecimal::{BigDecimal, Zero};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clock::{self, Clock};
use super::market::{self, Listing, Market, check_pair, check_price};
use super::record::{Record, text, whole};
use super::seed;
use super::state::{DcaBotState, DealState, World};
use super::{defaults, smart_trades};
use botdesk_api::account::Account;
use botdesk_api::dca_bot::DcaBot;
use botdesk_api::deal::Deal;
use botdesk_api::decimal;
use botdesk_api::grid_bot::GridBot;
use botdesk_api::record::Record as _;
use botdesk_api::row::Row;
use botdesk_system::files::{self, Existing};

/// What the format is called.
const FORMAT: &str = "botdesk sandbox";

/// The newest version that is known.
const VERSION: u64 = 1;

/// A world that was read from a state file.
pub struct State(pub(super) World);

/// Why a state file can't be read or written, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UnusableState(String);

/// What tells which document it is.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u64,
    seed: u64,
    clock: String,
    next_deal: u64,
    market: Vec<PairForm>,
    accounts: Vec<Record>,
    dca_bots: Vec<BotForm>,
    grid_bots: Vec<Record>,
    smart_trades: Vec<Record>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairForm {
    pair: String,
    price: String,
    tick: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BotForm {
    record: Record,
    deals: Vec<DealForm>,
    finished: Vec<Record>,
    events: Vec<Value>,
    rests_until: Option<String>,
    starts_at: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DealForm {
    record: Record,
    targets: usize,
    stops_at: Option<String>,
}

/// What is wrong with a part of the document, and where.
type Wrong = String;

impl State {
    /// Reads a state file; it is left as it is.
    pub fn read(path: &Path) -> Result<Self, UnusableState> {
        let named = |wrong: String| UnusableState(format!("the state file {}: {wrong}", path.display()));
        let text = files::read_to_string(path, files::LONGEST_DATA)
            .map_err(|error| named(format!("{error}; sandbox.dump(path) writes such a file")))?;
        Self::parse(&text).map_err(named)
    }

    /// Reads the text of a state file.
    pub fn parse(text: &str) -> Result<Self, Wrong> {
        let world = world(document(text)?).map_err(|wrong| format!("{wrong}; correct that, or dump the file anew"))?;
        Ok(Self(world))
    }
}

fn document(text: &str) -> Result<Document, Wrong> {
    let other = |error: &serde_json::Error| {
        let what = if error.is_data() { "no state file" } else { "no JSON" };
        format!("it is {what} ({error}); give a file that sandbox.dump(path) wrote")
    };
    let head: Head = serde_json::from_str(text).map_err(|error| other(&error))?;
    if head.format != FORMAT {
        return Err(format!(
            "its format is {:?}, not {FORMAT:?}; give a file that sandbox.dump(path) wrote",
            head.format
        ));
    }
    if head.version > VERSION {
        let version = head.version;
        return Err(format!(
            "it was written by a newer botdesk (version {version} of the format, and this one knows {VERSION}); upgrade botdesk"
        ));
    }
    serde_json::from_str(text).map_err(|error| other(&error))
}

fn world(document: Document) -> Result<World, Wrong> {
    let market = market(document.market)?;
    let mut accounts = BTreeMap::new();
    for (place, record) in document.accounts.into_iter().enumerate() {
        let at = format!("accounts[{place}]");
        let record = judged(record, Account::ROWS, &at)?;
        insert(&mut accounts, &record.clone(), record, &at)?;
    }
    let dca_bots = dca_bots(document.dca_bots, &market, &accounts)?;
    let mut grid_bots = BTreeMap::new();
    for (place, record) in document.grid_bots.into_iter().enumerate() {
        let at = format!("grid_bots[{place}]");
        let record = judged(record, GridBot::ROWS, &at)?;
        require_account(&record, &accounts, &at)?;
        require_pair(&record, &market, &at)?;
        insert(&mut grid_bots, &record.clone(), record, &at)?;
    }
    let mut trades = BTreeMap::new();
    for (place, record) in document.smart_trades.into_iter().enumerate() {
        let at = format!("smart_trades[{place}]");
        let record = judged(record, smart_trades::rows(), &at)?;
        insert(&mut trades, &record.clone(), record, &at)?;
    }
    Ok(World {
        seed: document.seed,
        clock: Clock::at(time(&document.clock, "clock")?),
        market,
        accounts,
        dca_bots,
        grid_bots,
        smart_trades: trades,
        next_deal: document.next_deal,
        memory: None,
    })
}

fn market(pairs: Vec<PairForm>) -> Result<Market, Wrong> {
    let mut market = Market::default();
    for (place, PairForm { pair, price, tick }) in pairs.into_iter().enumerate() {
        let positive = |name: &str, text: &str| {
            let number = decimal::parse(text).filter(|number| *number > BigDecimal::zero());
            number.ok_or_else(|| format!("market[{place}]: {name} is not a decimal above 0"))
        };
        check_pair("pair", &pair).map_err(|violation| format!("market[{place}]: {}", violation.message))?;
        let listing = Listing { price: positive("price", &price)?, tick: positive("tick", &tick)? };
        check_price("price", &listing.price)
            .map_err(|violation| format!("market[{place}]: price {}", violation.message))?;
        if market.listings.insert(pair.clone(), listing).is_some() {
            return Err(format!("market[{place}]: {pair} is there twice"));
        }
    }
    Ok(market)
}

fn dca_bots(
    forms: Vec<BotForm>,
    market: &Market,
    accounts: &BTreeMap<u64, Record>,
) -> Result<BTreeMap<u64, DcaBotState>, Wrong> {
    let mut bots = BTreeMap::new();
    for (place, form) in forms.into_iter().enumerate() {
        let at = format!("dca_bots[{place}]");
        let record = judged(form.record, DcaBot::ROWS.iter().filter(|row| row.listed), &at)?;
        require_account(&record, accounts, &at)?;
        let deal = |(place, deal)| self::deal(deal, market, &format!("{at}.deals[{place}]"));
        let finished = |(place, deal)| judged(deal, Deal::ROWS, &format!("{at}.finished[{place}]"));
        let bot = DcaBotState {
            deals: form.deals.into_iter().enumerate().map(deal).collect::<Result<_, _>>()?,
            finished: form.finished.into_iter().enumerate().map(finished).collect::<Result<_, _>>()?,
            events: form.events,
            rests_until: maybe_time(form.rests_until, &format!("{at}.rests_until"))?,
            starts_at: maybe_time(form.starts_at, &format!("{at}.starts_at"))?,
            record,
        };
        insert(&mut bots, &bot.record.clone(), bot, &at)?;
    }
    Ok(bots)
}

fn deal(form: DealForm, market: &Market, at: &str) -> Result<DealState, Wrong> {
    let record = judged(form.record, Deal::ROWS, at)?;
    require_pair(&record, market, at)?;
    Ok(DealState { record, targets: form.targets, stops_at: maybe_time(form.stops_at, &format!("{at}.stops_at"))? })
}

/// A record whose every field can be read. One that it leaves out holds its sample.
fn judged(mut record: Record, rows: impl IntoIterator<Item = &'static Row>, at: &str) -> Result<Record, Wrong> {
    for row in rows {
        match record.get(row.wire) {
            None => {
                record.insert(row.wire.to_owned(), defaults::value(row));
            }
            Some(value) if !row.takes(value) => return Err(format!("{at}: {} is not {}", row.wire, row.holds)),
            Some(value) => match market::problem(row, value) {
                None => {}
                Some(problem) => return Err(format!("{at}: {} {problem}", row.wire)),
            },
        }
    }
    Ok(record)
}

fn insert<T>(records: &mut BTreeMap<u64, T>, record: &Record, value: T, at: &str) -> Result<(), Wrong> {
    let id = whole(record, "id").and_then(|id| u64::try_from(id).ok()).filter(|id| *id > 0);
    let id = id.ok_or_else(|| format!("{at}: id is not a whole number above 0"))?;
    match records.insert(id, value) {
        Some(_) => Err(format!("{at}: the id {id} is there twice")),
        None => Ok(()),
    }
}

fn require_account(record: &Record, accounts: &BTreeMap<u64, Record>, at: &str) -> Result<(), Wrong> {
    let id = whole(record, "account_id").and_then(|id| u64::try_from(id).ok());
    let known = id.is_some_and(|id| accounts.contains_key(&id));
    if known { Ok(()) } else { Err(format!("{at}: account_id is that of no account")) }
}

fn require_pair(record: &Record, market: &Market, at: &str) -> Result<(), Wrong> {
    let pair = text(record, "pair");
    let known = market.listings.contains_key(pair);
    if known { Ok(()) } else { Err(format!("{at}: pair is {pair:?}, which the market does not have")) }
}

fn time(text: &str, at: &str) -> Result<Timestamp, Wrong> {
    text.parse().map_err(|_| format!("{at} is not an ISO 8601 timestamp"))
}

fn maybe_time(text: Option<String>, at: &str) -> Result<Option<Timestamp>, Wrong> {
    text.map(|text| time(&text, at)).transpose()
}

impl World {
    /// The world as the text of a state file.
    pub(super) fn to_text(&self) -> Result<String, UnusableState> {
        let mut text = serde_json::to_string_pretty(&self.to_document())
            .map_err(|error| UnusableState(format!("the world can't be written: {error}")))?;
        text.push('\n');
        Ok(text)
    }

    fn to_document(&self) -> Document {
        let pair = |(pair, listing): (&String, &Listing)| PairForm {
            pair: pair.clone(),
            price: listing.price.to_plain_string(),
            tick: listing.tick.to_plain_string(),
        };
        let account = |(id, record): (&u64, &Record)| without_secrets(record, Account::ROWS, self.seed, *id);
        let bot = |(id, bot): (&u64, &DcaBotState)| BotForm {
            record: without_secrets(&bot.record, DcaBot::ROWS, self.seed, *id),
            deals: bot.deals.iter().map(deal_form).collect(),
            finished: bot.finished.clone(),
            events: bot.events.clone(),
            rests_until: bot.rests_until.map(clock::text),
            starts_at: bot.starts_at.map(clock::text),
        };
        Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            seed: self.seed,
            clock: clock::text(self.clock.now()),
            next_deal: self.next_deal,
            market: self.market.listings.iter().map(pair).collect(),
            accounts: self.accounts.iter().map(account).collect(),
            dca_bots: self.dca_bots.iter().map(bot).collect(),
            grid_bots: self.grid_bots.values().cloned().collect(),
            smart_trades: self.smart_trades.values().cloned().collect(),
        }
    }
}

fn deal_form(deal: &DealState) -> DealForm {
    DealForm { record: deal.record.clone(), targets: deal.targets, stops_at: deal.stops_at.map(clock::text) }
}

/// A record with made-up secrets: what a caller gave as one may be real.
fn without_secrets(record: &Record, rows: &[Row], seed: u64, id: u64) -> Record {
    let mut record = record.clone();
    for row in rows.iter().filter(|row| row.secret) {
        if let Some(secret @ Value::String(_)) = record.get_mut(row.wire)
            && *secret != ""
        {
            *secret = Value::from(seed::secret(seed, id, row.wire));
        }
    }
    record
}

/// Writes a state file, all of it or nothing.
pub(super) fn write(path: &Path, text: &str) -> Result<(), UnusableState> {
    files::write(path, text.as_bytes(), Existing::Replace)
        .map_err(|error| UnusableState(format!("can't write the state file {}: {error}", path.display())))
}
