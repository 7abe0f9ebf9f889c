//! The trading volumes of an account: those of earlier times, which its seed gives, and those of the deals of its bots.

use std::ops::Add;

use bigdecimal::BigDecimal;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde_json::Value;

use super::balances::in_bitcoin;
use super::defaults::object;
use super::exchanges::ExchangeType;
use super::inputs;
use super::random::Random;
use super::record::{JsonRecord, integer, number, string};
use super::route::RequestParams;
use super::state::State;
use botdesk_api::volumes;
use botdesk_schema::input::InputName;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The largest volume of a day without bots, in cents.
const MOST_CENTS: i64 = 250_000;

/// A volume in BTC and USD.
#[derive(Default)]
struct Volume {
    btc: BigDecimal,
    usd: BigDecimal,
}

impl Add for Volume {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { btc: self.btc + other.btc, usd: self.usd + other.usd }
    }
}

impl Volume {
    fn fields(&self) -> JsonRecord {
        object! {
            "volume_btc": self.btc.normalized().to_plain_string(),
            "volume_usd": self.usd.with_scale(2).to_plain_string(),
        }
    }
}

/// Returns the volume of a day.
pub(super) fn daily_volume(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let given = period(params, volumes::DailyVolumeQuery::date, volumes::day)?;
    let history = History::of(state, params)?;
    let day = given.unwrap_or(history.today);
    let mut body = object! { "utc_date": day.to_string() };
    body.extend(history.between(day, day).ok_or_else(|| params.not_found())?.fields());
    Ok(SerializedBody::serialize(&body))
}

/// Returns the volume of a month.
pub(super) fn monthly_volume(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let given = period(params, volumes::MonthlyVolumeQuery::month, volumes::month)?;
    let history = History::of(state, params)?;
    let month = given.unwrap_or(history.today);
    let mut body = object! { "utc_month": month.strftime("%Y-%m").to_string() };
    let volume = history.between(month.first_of_month(), month.last_of_month());
    body.extend(volume.ok_or_else(|| params.not_found())?.fields());
    Ok(SerializedBody::serialize(&body))
}

/// Returns the volume since the account was created.
pub(super) fn total_volume(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let history = History::of(state, params)?;
    let volume = history.between(history.created, history.today).unwrap_or_default();
    Ok(SerializedBody::serialize(&volume.fields()))
}

/// Returns the period that a request asks for; None for the current one.
fn period(
    params: &RequestParams<'_>,
    input: InputName,
    read: fn(&str) -> Option<Date>,
) -> Result<Option<Date>, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    Ok(query.value(input).and_then(Value::as_str).and_then(read))
}

/// The days on which an account may have traded, and its volumes.
struct History<'a> {
    state: &'a State,
    account_id: u64,
    /// True if accounts of its type can trade.
    trades: bool,
    created: Date,
    today: Date,
    /// The volumes of orders of deals, by day.
    orders: Vec<(Date, Volume)>,
}

impl<'a> History<'a> {
    fn of(state: &'a mut State, params: &RequestParams<'_>) -> Result<Self, ApiError> {
        state.write_history();
        let (account_id, account) = params.record_in(&state.store.accounts)?;
        let today = day_of(state.clock.now());
        let exchange = ExchangeType::of_code(string(account, "market_code"));
        Ok(Self {
            state,
            account_id,
            trades: !exchange.is_some_and(ExchangeType::is_wallet),
            created: day_in(account, "created_at").unwrap_or(today).min(today),
            today,
            orders: deal_orders(state, account_id),
        })
    }

    /// Returns the volume from one day to another; None if the account did not exist on any of them.
    fn between(&self, first: Date, last: Date) -> Option<Volume> {
        let (first, last) = (first.max(self.created), last.min(self.today));
        let days = first.series(1.day()).take_while(|day| *day <= last);
        (first <= last).then(|| days.map(|day| self.on(day)).fold(Volume::default(), Add::add))
    }

    /// Returns the volume of a day. On some days nothing is traded.
    fn on(&self, day: Date) -> Volume {
        let day_number = Date::constant(1970, 1, 1).until(day).map_or(0, |span| i64::from(span.get_days()));
        let mut random = Random::new(self.state.seed ^ self.account_id.rotate_left(32), day_number.unsigned_abs());
        let is_quiet = !self.trades || random.between(0, 3) == 0;
        let usd = BigDecimal::new(if is_quiet { 0 } else { random.between(0, MOST_CENTS) }.into(), 2);
        let without_bots = Volume { btc: in_bitcoin(&usd, &self.state.market), usd };
        let of_deals = self
            .orders
            .iter()
            .filter(|(date, _)| *date == day)
            .map(|(_, volume)| Volume { btc: volume.btc.clone(), usd: volume.usd.clone() });
        of_deals.fold(without_bots, Add::add)
    }
}

/// Returns the volumes of the deals on an account: each on the day on which it was opened, and on the day on which it was closed.
fn deal_orders(state: &State, account_id: u64) -> Vec<(Date, Volume)> {
    let is_on =
        |deal: &&JsonRecord| integer(deal, "account_id").and_then(|id| u64::try_from(id).ok()) == Some(account_id);
    let orders = state.store.deals.values().filter(is_on).flat_map(|deal| {
        let is_short = string(deal, "strategy") == "short";
        let (entry, exit) = if is_short { ("sold_volume", "bought_volume") } else { ("bought_volume", "sold_volume") };
        [("created_at", entry), ("closed_at", exit)].map(|(time, volume)| {
            let usd = state.market.quote(string(deal, "pair")).map(|quote| quote.usd).unwrap_or_default();
            let usd = (number(deal, volume) * usd).with_scale_round(2, bigdecimal::RoundingMode::HalfEven);
            Some((day_in(deal, time)?, Volume { btc: in_bitcoin(&usd, &state.market), usd }))
        })
    });
    orders.flatten().collect()
}

fn day_in(record: &JsonRecord, field: &str) -> Option<Date> {
    string(record, field).parse().ok().map(day_of)
}

fn day_of(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}
