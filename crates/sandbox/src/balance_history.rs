//! The value of an account over time. It grew to the current value by the profits that the account has.

use bigdecimal::{BigDecimal, Zero as _};
use jiff::Timestamp;

use super::balances::{bare_number, in_bitcoin, rounded};
use super::defaults::{self, object};
use super::inputs;
use super::record::{JsonRecord, number, string};
use super::route::RequestParams;
use super::state::State;
use botdesk_api::accounts::BalanceHistoryQuery;
use botdesk_api::balances::BalancePoint;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::rounding::quotient;

const SECONDS_OF_DAY: i64 = 86_400;

/// The days of the profit of the month.
const DAYS_OF_MONTH: i64 = 30;

/// Returns the value of an account, or of the summary, at each midnight of a time span and at the current moment.
pub(super) fn balance_chart_data(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let histories: Vec<_> = match params.id() {
        Some(id) => vec![History::of(state, id).ok_or_else(|| params.not_found())?],
        None => state.summarized_accounts().filter_map(|id| History::of(state, id)).collect(),
    };
    let seconds =
        |input| query.time(input)?.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|time| time.timestamp().as_second());
    let now = state.clock.now().as_second();
    let from = seconds(BalanceHistoryQuery::date_from).unwrap_or(now);
    let to = seconds(BalanceHistoryQuery::date_to).unwrap_or(now);
    let first = histories.iter().map(|history| history.created).min().unwrap_or(now).max(midnight(from));
    let midnights = (0..).map(|day| first.saturating_add(day * SECONDS_OF_DAY)).take_while(|time| *time <= to.min(now));
    let current = (from <= now && now <= to).then_some(now).filter(|now| midnight(*now) != *now);
    let points = midnights.chain(current).map(|time| point(state, &histories, time));
    Ok(SerializedBody::serialize(&points.collect::<Vec<_>>()))
}

fn midnight(seconds: i64) -> i64 {
    seconds.saturating_sub(seconds.rem_euclid(SECONDS_OF_DAY))
}

/// Returns the point of a time: the sum of the accounts that existed then.
fn point(state: &State, histories: &[History], time: i64) -> JsonRecord {
    let is_now = time == state.clock.now().as_second();
    let usd: BigDecimal = histories.iter().map(|history| history.usd_at(time)).sum();
    let btc: BigDecimal =
        if is_now { histories.iter().map(|history| &history.btc).sum() } else { in_bitcoin(&usd, &state.market) };
    let deposit: BigDecimal = histories.iter().map(|history| history.deposit_at(time)).sum();
    let deposit_btc = in_bitcoin(&deposit, &state.market);
    let mut point = defaults::sample::<BalancePoint>();
    point.extend(object! {
        "date": time,
        "usd": bare_number(&usd.normalized()),
        "btc": bare_number(&btc.normalized()),
        "btc_deposit_amount": bare_number(&deposit_btc.normalized()),
        "usd_deposit_amount": bare_number(&deposit.normalized()),
    });
    point
}

/// The value of an account over time, in USD.
struct History {
    /// The midnight of the day on which the account was created with a deposit.
    created: i64,
    /// The known values, oldest first. Between two of them, the value is on the line between them.
    known: Vec<(i64, BigDecimal)>,
    /// The current value in BTC.
    btc: BigDecimal,
}

impl History {
    fn of(state: &State, account_id: u64) -> Option<Self> {
        let account = state.valued_account(account_id)?;
        let now = state.clock.now().as_second();
        let created: Timestamp = string(&account, "created_at").parse().unwrap_or(state.clock.now());
        let created = midnight(created.as_second()).min(now);
        let value = number(&account, "usd_amount");
        let before = |profit: &str| (&value - number(&account, profit)).max(BigDecimal::zero());
        let month_ago = now.saturating_sub(DAYS_OF_MONTH * SECONDS_OF_DAY);
        let known = [
            (created, before("total_usd_profit")),
            (month_ago, before("usd_profit")),
            (midnight(now), before("day_profit_usd")),
            (now, value.clone()),
        ];
        let mut known: Vec<_> = known.into_iter().filter(|(time, _)| *time >= created).collect();
        known.dedup_by_key(|(time, _)| *time);
        Some(Self { created, known, btc: number(&account, "btc_amount") })
    }

    /// Returns the value at a time, which is 0 before the account was created.
    fn usd_at(&self, time: i64) -> BigDecimal {
        let after = self.known.partition_point(|(known, _)| *known < time);
        let (from, to) = (after.checked_sub(1).and_then(|index| self.known.get(index)), self.known.get(after));
        match (from, to) {
            (_, Some((known, value))) if *known == time => value.clone(),
            (Some((start, low)), Some((end, high))) => {
                let gain = (high - low) * BigDecimal::from(time - start);
                rounded(&(low + quotient(&gain, &BigDecimal::from(end - start)).unwrap_or_default()), 2)
            }
            (Some((_, last)), None) => last.clone(),
            (None, _) => BigDecimal::zero(),
        }
    }

    /// Returns the amount that was deposited on the day that begins at a time.
    fn deposit_at(&self, time: i64) -> BigDecimal {
        if time == self.created { self.usd_at(time) } else { BigDecimal::zero() }
    }
}
