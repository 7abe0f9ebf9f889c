//! The balances of an account as rows of a table and as shares of a pie chart.

use std::cmp::Reverse;

use bigdecimal::{BigDecimal, Zero as _};
use serde_json::Value;

use super::balance::Balance;
use super::balances::{bare_number, bitcoin_price, rounded, usd_price};
use super::defaults::{self, object};
use super::exchanges::{self, CurrencySpec, ExchangeType};
use super::random::Random;
use super::record::{JsonRecord, string};
use super::route::RequestParams;
use super::state::State;
use botdesk_api::balances::{Balance as BalanceRow, BalanceShare};
use botdesk_schema::decimal;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::rounding::quotient;

/// The decimal places of prices in BTC, and of shares.
const PLACES: i64 = 16;

/// The highest leverage of an account that trades futures.
const LEVERAGE: u32 = 50;

/// The largest change of a price in a day, in hundredths of a percent.
const MOST_CHANGE: i64 = 400;

const SECONDS_OF_DAY: i64 = 86_400;

/// A currency of an account with its value.
struct Row {
    balance: Balance,
    price_usd: BigDecimal,
    price_btc: BigDecimal,
    usd: BigDecimal,
    btc: BigDecimal,
    /// The share in the value of the account, in percent.
    share: BigDecimal,
}

/// Returns the rows of an account, or of the summary, the smallest share first.
fn rows(state: &State, params: &RequestParams<'_>) -> Result<Vec<Row>, ApiError> {
    let balances = match params.id() {
        Some(id) if !state.store.accounts.contains_key(&id) => return Err(params.not_found()),
        Some(id) => state.balances(id),
        None => state.summarized_balances(),
    };
    let bitcoin = bitcoin_price(&state.market);
    let held = balances.into_iter().filter(|balance| !balance.total().is_zero());
    let mut rows: Vec<_> = held.map(|balance| Row::new(state, balance, &bitcoin)).collect();
    let whole: BigDecimal = rows.iter().map(|row| &row.btc).sum();
    for row in &mut rows {
        row.share = rounded(&quotient(&(&row.btc * BigDecimal::from(100)), &whole).unwrap_or_default(), PLACES);
    }
    rows.sort_by(|left, right| left.share.cmp(&right.share));
    Ok(rows)
}

impl Row {
    fn new(state: &State, balance: Balance, bitcoin: &BigDecimal) -> Self {
        let price_usd = usd_price(&balance.code, &state.market);
        let price_btc = rounded(&quotient(&price_usd, bitcoin).unwrap_or_default(), PLACES);
        let amount = balance.total();
        let (usd, btc) = (&amount * &price_usd, &amount * &price_btc);
        Self { balance, price_usd, price_btc, usd, btc, share: BigDecimal::zero() }
    }
}

/// Returns the balances of an account as a table.
pub(super) fn table_data(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let account = params.id().and_then(|id| state.store.accounts.get(&id));
    let exchange = account.and_then(|account| ExchangeType::of_code(string(account, "market_code")));
    let rows = rows(state, params)?;
    let rows: Vec<_> = rows.iter().map(|row| table_row(state, row, exchange, params.id())).collect();
    Ok(SerializedBody::serialize(&rows))
}

fn table_row(state: &State, row: &Row, exchange: Option<&ExchangeType>, account_id: Option<u64>) -> JsonRecord {
    let Balance { code, free, in_orders } = &row.balance;
    let name = exchanges::currency(code).map_or(code.as_str(), |known| known.name);
    let is_futures = exchange.is_some_and(ExchangeType::is_futures);
    let leverage = BigDecimal::from(if is_futures { LEVERAGE } else { 1 });
    let of_futures = |amount: &BigDecimal| if is_futures { amount.clone() } else { BigDecimal::zero() };
    let [usd_change, btc_change] = day_changes(state, code);
    let mut record = defaults::sample::<BalanceRow>();
    for (fields, number) in [
        (&["percentage"][..], &row.share),
        (&["position", "equity"], &row.balance.total()),
        (&["position_available", "available_long"], free),
        (&["available_short"], &of_futures(free)),
        (&["available_with_leverage_long"], &(free * &leverage)),
        (&["available_with_leverage_short"], &of_futures(&(free * &leverage))),
        (&["on_orders", "on_orders_long"], in_orders),
        (&["on_orders_with_leverage"], &of_futures(in_orders)),
        (&["borrowed", "on_orders_short"], &BigDecimal::zero()),
        (&["current_price"], &row.price_btc),
        (&["current_price_usd"], &row.price_usd),
        (&["day_change_percent", "day_change_percent_usd"], &usd_change),
        (&["day_change_percent_btc"], &btc_change),
        (&["btc_value"], &row.btc),
        (&["usd_value"], &row.usd),
    ] {
        record.extend(fields.iter().map(|field| ((*field).to_owned(), bare_number(&number.normalized()))));
    }
    record.extend(object! {
        "currency_code": code.as_str(),
        "currency_name": name,
        "currency_icon": exchanges::icon(code),
        "currency_slug": name.to_ascii_lowercase().replace(' ', "-"),
        "position_type": position_type(code, is_futures),
        "account_id": account_id,
        "is_wallet": exchange.is_some_and(ExchangeType::is_wallet),
    });
    record
}

/// Returns the side of a position. The service sends 0 if there is none.
fn position_type(code: &str, is_futures: bool) -> Value {
    match code {
        _ if !is_futures || exchanges::currency(code).is_some_and(CurrencySpec::is_stablecoin) => Value::from(0),
        "BTC" | "ETH" => Value::from("long"),
        _ => Value::from("short"),
    }
}

/// Returns the changes of a price in USD and in BTC since the same time of yesterday, in percent.
fn day_changes(state: &State, code: &str) -> [BigDecimal; 2] {
    let day = state.clock.now().as_second().div_euclid(SECONDS_OF_DAY);
    let change = |code: &str, id: u32| {
        let mut random = Random::new(state.seed ^ day.unsigned_abs(), id.into());
        let is_stable = code.starts_with("USD");
        BigDecimal::new(if is_stable { 0 } else { random.between(-MOST_CHANGE, MOST_CHANGE) }.into(), 2)
    };
    let (usd, bitcoin) =
        (change(code, exchanges::currency(code).map_or(0, |known| known.coinmarketcap_id)), change("BTC", 1));
    let hundred = decimal::constant("100");
    let relative = quotient(&((&usd - &bitcoin) * &hundred), &(&bitcoin + &hundred)).unwrap_or_default();
    [usd, rounded(&relative, 2)]
}

/// Returns the shares of the currencies in an account, the largest first.
pub(super) fn pie_chart_data(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let mut rows = rows(state, params)?;
    rows.sort_by_key(|row| Reverse(rounded(&row.share, 2)));
    Ok(SerializedBody::serialize(&rows.iter().map(|row| share(row, params.id())).collect::<Vec<_>>()))
}

fn share(row: &Row, account_id: Option<u64>) -> JsonRecord {
    let code = row.balance.code.as_str();
    let known = exchanges::currency(code);
    let name = known.map_or(code, |known| known.name);
    let share = bare_number(&rounded(&row.share, 2).normalized());
    let plain = |number: &BigDecimal| number.normalized().to_plain_string();
    let mut record = defaults::sample::<BalanceShare>();
    record.extend(object! {
        "account_id": account_id,
        "code": code,
        "coinmarketcapid": known.map(|known| known.coinmarketcap_id.to_string()),
        "name": format!("{name} ({code})"),
        "y": share.clone(),
        "percentage": share,
        "amount": bare_number(&row.balance.total().normalized()),
        "btc_value": plain(&rounded(&row.btc, 8)),
        "usd_value": plain(&rounded(&row.usd, 2)),
        "primary_display_currency": object! { "currency": "USD", "amount": plain(&row.usd) },
    });
    record
}
