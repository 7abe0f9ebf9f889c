//! What DCA bots have earned: counts and sums over the records of their deals.

use std::collections::BTreeMap;

use bigdecimal::{BigDecimal, RoundingMode};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use serde_json::{Map, Value};

use super::balances::bitcoin_price;
use super::clock::later;
use super::defaults::object;
use super::inputs;
use super::operations::parse_time;
use super::record::{JsonRecord, integer, is_true, list, number, string};
use super::route::RequestParams;
use super::state::State;
use botdesk_api::dca_bots::{DailyProfitQuery, StatsByDateQuery, StatsQuery};
use botdesk_schema::input::RequestBuilder;
use botdesk_schema::pair::currencies;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::rounding::quotient;

/// The largest number of days of daily profits.
const MAX_DAYS: i64 = 365;

/// The decimal places of amounts in BTC and in USD.
const BTC_PLACES: i64 = 8;
const USD_PLACES: i64 = 2;

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Returns the profit of a bot by day.
pub(super) fn profit_by_day(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let days = query.value(DailyProfitQuery::days).and_then(Value::as_i64).unwrap_or(30);
    if days > MAX_DAYS {
        return Err(ApiError::invalid_field("days", &format!("must be between 1 and {MAX_DAYS}, not {days}")));
    }
    let bot = known_bot(state, params).ok_or_else(|| params.not_found())?;
    let first = midnight(state.clock.now()).checked_sub((24 * (days - 1)).hours()).unwrap_or(Timestamp::MIN);
    let rows =
        by_day(state.finished_deals(bot), first).into_iter().map(|(day, profit)| daily_profit(state, day, &profit));
    Ok(SerializedBody::serialize(&rows.collect::<Vec<_>>()))
}

/// Returns the profit of all bots on each day from a day on on which a deal was closed, in USD.
pub(super) fn all_profits_by_day(state: &mut State, first: Timestamp) -> BTreeMap<Timestamp, BigDecimal> {
    state.write_history();
    by_day(state.store.deals.values().filter(|deal| is_true(deal, "finished?")), first)
}

fn by_day<'a>(finished: impl Iterator<Item = &'a JsonRecord>, first: Timestamp) -> BTreeMap<Timestamp, BigDecimal> {
    let mut profits: BTreeMap<Timestamp, BigDecimal> = BTreeMap::new();
    for deal in finished.filter(|deal| is_earned(deal)) {
        if let Some(day) = closed_at(deal).map(midnight).filter(|day| *day >= first) {
            *profits.entry(day).or_default() += number(deal, "usd_final_profit");
        }
    }
    profits
}

fn daily_profit(state: &State, day: Timestamp, profit: &BigDecimal) -> JsonRecord {
    object! {
        "s_date": day.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d").to_string(),
        "unix_timestamp": day.as_second(),
        "profit": object! { "btc": in_btc(state, profit), "usd": with_places(profit, USD_PLACES) },
    }
}

/// Returns the profits of all bots, of one, or of those on an account.
pub(super) fn stats(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    state.write_history();
    let deals = Deals::of(state, &query);
    let today = midnight(state.clock.now());
    let of_today = deals.closed_between(today, later(today, DAY));
    let funds: BigDecimal = deals.open.iter().map(|deal| locked_funds(state, deal)).sum();
    let open_profit: BigDecimal = deals.open.iter().map(|deal| number(deal, "actual_usd_profit")).sum();
    Ok(SerializedBody::serialize(&object! {
        "overall_stats": by_currency(&deals.finished),
        "today_stats": by_currency(&of_today),
        "profits_in_usd": object! {
            "overall_usd_profit": bare_number(&in_usd(&deals.finished)),
            "today_usd_profit": bare_number(&in_usd(&of_today)),
            "active_deals_usd_profit": bare_number(&open_profit),
            "funds_locked_in_active_deals": bare_number(&funds),
        },
    }))
}

/// Returns the profits of bots in the 24 hours from a time.
pub(super) fn stats_by_date(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let from = query.value(StatsByDateQuery::date).and_then(parse_time).unwrap_or_default();
    state.write_history();
    let deals = Deals::of(state, &query).closed_between(from, later(from, DAY));
    let profit = in_usd(&deals);
    Ok(SerializedBody::serialize(&object! {
        "stats": by_currency(&deals),
        "usd_profit": with_places(&profit, USD_PLACES),
        "btc_profit": in_btc(state, &profit),
    }))
}

/// Returns the numbers and the profits of the deals of a bot.
pub(super) fn deals_stats(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let bot = known_bot(state, params).ok_or_else(|| params.not_found())?;
    let open: Vec<_> = state.open_deals(bot).collect();
    let with_status = |status: &str| -> Vec<_> {
        state.finished_deals(bot).filter(|deal| string(deal, "status") == status).collect()
    };
    let (completed, panic_sold) = (with_status("completed"), with_status("panic_sold"));
    let profit = in_usd(&completed);
    let open_profit: BigDecimal = open.iter().map(|deal| number(deal, "actual_usd_profit")).sum();
    let funds: BigDecimal = open.iter().map(|deal| locked_funds(state, deal)).sum();
    let pairs = state.store.dca_bots.get(&bot).map(|record| list(record, "pairs")).unwrap_or_default();
    let quotes = pairs.iter().filter_map(Value::as_str).filter_map(currencies).map(|(quote, _)| quote);
    Ok(SerializedBody::serialize(&object! {
        "active": open.len(),
        "completed": completed.len(),
        "panic_sold": panic_sold.len(),
        "from_currency_is_dollars": quotes.clone().count() > 0 && quotes.into_iter().all(|quote| quote.starts_with("USD")),
        "completed_deals_usd_profit": with_places(&profit, USD_PLACES),
        "active_deals_usd_profit": with_places(&open_profit, USD_PLACES),
        "completed_deals_btc_profit": in_btc(state, &profit),
        "active_deals_btc_profit": in_btc(state, &open_profit),
        "funds_locked_in_active_deals": with_places(&funds, USD_PLACES),
        "btc_funds_locked_in_active_deals": in_btc(state, &funds),
    }))
}

/// The deals of some bots.
struct Deals<'a> {
    open: Vec<&'a JsonRecord>,
    /// The finished deals that count as earned.
    finished: Vec<&'a JsonRecord>,
}

impl<'a> Deals<'a> {
    /// Returns the deals of the bots that a query names.
    fn of(state: &'a State, query: &RequestBuilder) -> Self {
        let filter = |input| query.value(input).and_then(Value::as_i64);
        let (account, bot) = (filter(StatsQuery::account_id), filter(StatsQuery::bot_id));
        let is_named = |deal: &&JsonRecord| {
            account.is_none_or(|id| integer(deal, "account_id") == Some(id))
                && bot.is_none_or(|id| integer(deal, "bot_id") == Some(id))
        };
        let named = state.store.deals.values().filter(is_named);
        let (finished, open): (Vec<_>, Vec<_>) = named.partition(|deal| is_true(deal, "finished?"));
        Self { open, finished: finished.into_iter().filter(|deal| is_earned(deal)).collect() }
    }

    /// Returns the finished deals that were closed in a period.
    fn closed_between(&self, from: Timestamp, until: Timestamp) -> Vec<&'a JsonRecord> {
        let is_in = |deal: &&&JsonRecord| closed_at(deal).is_some_and(|closed| closed >= from && closed < until);
        self.finished.iter().filter(is_in).copied().collect()
    }
}

/// Returns the id of the bot that a request is about, if there is one.
fn known_bot(state: &mut State, params: &RequestParams<'_>) -> Option<u64> {
    state.write_history();
    params.id().filter(|id| state.store.dca_bots.contains_key(id))
}

/// Returns true if the profit of a finished deal counts. A cancelled or failed deal leaves its coins on the account: what it has closed
/// before has a profit.
fn is_earned(deal: &JsonRecord) -> bool {
    let closed = if string(deal, "strategy") == "short" { "bought_amount" } else { "sold_amount" };
    !matches!(string(deal, "status"), "cancelled" | "failed") || number(deal, closed) > BigDecimal::default()
}

fn closed_at(deal: &JsonRecord) -> Option<Timestamp> {
    string(deal, "closed_at").parse().ok()
}

/// Returns the first moment of a day in UTC.
fn midnight(time: Timestamp) -> Timestamp {
    let day = time.to_zoned(TimeZone::UTC).date();
    day.to_zoned(TimeZone::UTC).map_or(time, |midnight| midnight.timestamp())
}

/// Returns what was spent on the open part of a deal, in USD.
fn locked_funds(state: &State, deal: &JsonRecord) -> BigDecimal {
    let usd = state.market.quote(string(deal, "pair")).map(|quote| quote.usd).unwrap_or_default();
    number(deal, "reserved_base_coin") * usd
}

fn in_usd(deals: &[&JsonRecord]) -> BigDecimal {
    deals.iter().map(|deal| number(deal, "usd_final_profit")).sum()
}

/// Returns the profits of finished deals by the currency in which they are.
fn by_currency(deals: &[&JsonRecord]) -> Map<String, Value> {
    let mut profits: BTreeMap<&str, BigDecimal> = BTreeMap::new();
    for deal in deals {
        *profits.entry(string(deal, "from_currency")).or_default() += number(deal, "final_profit");
    }
    profits.into_iter().map(|(currency, profit)| (currency.to_owned(), Value::from(plain(&profit)))).collect()
}

fn in_btc(state: &State, usd: &BigDecimal) -> String {
    let btc = quotient(usd, &bitcoin_price(&state.market)).unwrap_or_default();
    btc.with_scale_round(BTC_PLACES, RoundingMode::HalfEven).to_plain_string()
}

/// Returns an amount with all of its digits, and at least this number of decimal places.
fn with_places(amount: &BigDecimal, places: i64) -> String {
    let amount = amount.normalized();
    if amount.fractional_digit_count() < places { amount.with_scale(places) } else { amount }.to_plain_string()
}

fn plain(amount: &BigDecimal) -> String {
    with_places(amount, 1)
}

/// Returns an amount as the JSON number that the API has in this place.
fn bare_number(amount: &BigDecimal) -> Value {
    serde_json::from_str(&plain(amount)).unwrap_or_default()
}
