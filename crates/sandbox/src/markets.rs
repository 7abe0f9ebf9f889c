//! The operations on markets: the exchanges, their pairs, prices and order limits.

use bigdecimal::{BigDecimal, RoundingMode, Zero as _};
use serde_json::Value;

use super::defaults::{self, object};
use super::exchanges::{self, EXCHANGES, ExchangeType};
use super::inputs;
use super::listings::{PairQuote, lot};
use super::record::JsonRecord;
use super::route::{Handler, RequestParams};
use super::state::State;
use botdesk_api::markets::{FormField, LeverageRatesQuery, Market, PairRates, PairsQuery};
use botdesk_schema::input::{InputName, RequestBuilder};
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::rounding::quotient;

/// The handlers by verb.
pub(super) const HANDLERS: &[(&str, Handler)] =
    &[("list", list), ("pairs", pairs), ("rates", rates), ("rates_with_leverage", rates_with_leverage)];

/// The smallest and the largest order, in USD.
const ORDER_IN_USD: (i64, i64) = (5, 1_000_000);

/// The decimal places of a lot.
const LOT_PLACES: i64 = 8;

/// The factors of a price for the highest and the lowest price of an order.
const PRICE_FACTORS: (&str, &str) = ("5", "0.2");

#[allow(clippy::unnecessary_wraps, reason = "it is a handler")]
fn list(_: &mut State, _: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    Ok(SerializedBody::serialize(&EXCHANGES.iter().map(market).collect::<Vec<_>>()))
}

fn market(exchange: &ExchangeType) -> JsonRecord {
    let credentials: &[&str] = if exchange.is_wallet() { &["address"] } else { &["api_key", "secret"] };
    let required = credentials.iter().copied().chain(exchange.required_input.map(InputName::as_str));
    let mut market = defaults::sample::<Market>();
    market.extend(object! {
        "market_name": exchange.name,
        "market_url": format!("https://exchanges.example/{}", exchange.code),
        "market_icon": exchanges::icon(exchange.code),
        "help_link": format!("https://help.example/{}", exchange.code),
        "market_code": exchange.code,
        "form_fields": object! { "required": required.map(form_field).collect::<Vec<_>>(), "optional": Value::Array(vec![]) },
        "third_party_allowed": !exchange.is_wallet(),
        "trusted_ips": vec!["192.0.2.10", "198.51.100.0/24"],
        "fast_connect_action_name": exchange.code.split('_').next(),
    });
    market
}

fn form_field(input: &str) -> Value {
    let mut field = defaults::sample::<FormField>();
    field.extend(object! { "field": input, "localized_name": format!("{}:", input.replace('_', " ")) });
    Value::Object(field)
}

fn pairs(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let pairs = if exchange(&query)?.is_wallet() { Vec::new() } else { state.market.listings.keys().collect() };
    Ok(SerializedBody::serialize(&pairs))
}

fn rates(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let exchange = exchange(&query)?;
    if exchange.is_wallet() {
        return Err(unknown(LeverageRatesQuery::pair));
    }
    Ok(SerializedBody::serialize(&rates_of(exchange, &quote(state, &query)?)))
}

fn rates_with_leverage(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let futures = exchange(&query)?;
    if !futures.is_futures() {
        return Err(unknown(PairsQuery::market_code));
    }
    let mut rates = rates_of(futures, &quote(state, &query)?);
    rates.insert("leverage_data".to_owned(), Value::Array(exchanges::leverage(futures.code)));
    let least = Value::from(lot().to_string());
    rates.extend(object! { "minMarketBuyAmount": least.clone(), "minMarketSellAmount": least });
    Ok(SerializedBody::serialize(&rates))
}

/// Returns the smallest volume of an order, in the quote currency.
pub(super) fn least_total(quote: &PairQuote) -> BigDecimal {
    in_quote(&quote.usd, ORDER_IN_USD.0)
}

/// Returns an amount of dollars in the quote currency. One without a price is taken for a dollar, so that the limits leave room for
/// orders.
fn in_quote(usd: &BigDecimal, amount: i64) -> BigDecimal {
    let usd = if usd.is_zero() { &BigDecimal::from(1) } else { usd };
    quotient(&amount.into(), usd).unwrap_or_default()
}

/// Returns the prices and the limits of a pair on an exchange.
pub(super) fn rates_of(exchange: &ExchangeType, quote: &PairQuote) -> JsonRecord {
    let PairQuote { pair, price, tick, usd } = quote;
    let text = |number: &BigDecimal| Value::from(number.normalized().to_plain_string());
    let (smallest, largest) = (in_quote(usd, ORDER_IN_USD.0), in_quote(usd, ORDER_IN_USD.1));
    let most = quotient(&largest, price).unwrap_or_default().with_scale_round(LOT_PLACES, RoundingMode::Down);
    let (bid, ask) = (price - tick, price + tick);
    let mut rates = defaults::sample::<PairRates>();
    for (fields, value) in [
        (&["last", "orderbook_last"][..], text(price)),
        (&["bid", "orderbook_bid"], text(&bid)),
        (&["ask", "orderbook_ask"], text(&ask)),
        (&["minPrice", "priceStep"], text(tick)),
        (&["maxPrice"], text(&(price * BigDecimal::from(1_000)))),
        (&["minLotSize", "lotStep"], Value::from(lot().to_string())),
        (&["maxMarketBuyAmount", "maxMarketSellAmount", "maxLotSize"], text(&most)),
        (&["minTotal", "minMarketTotal"], text(&smallest)),
        (&["maxTotal"], text(&largest)),
        (&["bidMultiplierUp", "askMultiplierUp"], Value::from(PRICE_FACTORS.0)),
        (&["bidMultiplierDown", "askMultiplierDown"], Value::from(PRICE_FACTORS.1)),
    ] {
        rates.extend(fields.iter().map(|field| ((*field).to_owned(), value.clone())));
    }
    rates.extend(object! {
        "orderbook_price_currency": pair.split('_').next(),
        "instrumentKind": if exchange.is_futures() { "linear_futures" } else { "spot" },
    });
    rates
}

fn exchange(query: &RequestBuilder) -> Result<&'static ExchangeType, ApiError> {
    let code = query.value(PairsQuery::market_code).and_then(Value::as_str);
    code.and_then(ExchangeType::of_code).ok_or_else(|| unknown(PairsQuery::market_code))
}

fn quote(state: &State, query: &RequestBuilder) -> Result<PairQuote, ApiError> {
    let pair = query.value(LeverageRatesQuery::pair).and_then(Value::as_str);
    pair.and_then(|pair| state.market.quote(pair)).ok_or_else(|| unknown(LeverageRatesQuery::pair))
}

fn unknown(input: InputName) -> ApiError {
    ApiError::invalid_field(input.as_str(), "does not have a valid value")
}
