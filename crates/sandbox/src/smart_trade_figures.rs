//! The figures of SmartTrades that follow the market: current prices and profits.

use bigdecimal::{BigDecimal, RoundingMode, Zero as _};
use serde_json::{Map, Value};

use super::defaults::object;
use super::exchanges::trades_futures;
use super::listings::{PairListings, PairQuote};
use super::record::{JsonRecord, is_true, string};
pub(crate) use super::record::{nested, nested_number, nested_string};
use super::store::Table;
use botdesk_planning::smart_trade_state::position;
use botdesk_trading::rounding::quotient;

/// The decimal places of quantities and of values.
const PLACES: i64 = 8;

/// Returns the object in a field.
pub(crate) fn part_mut<'a>(record: &'a mut JsonRecord, field: &str) -> Option<&'a mut Map<String, Value>> {
    record.get_mut(field).and_then(Value::as_object_mut)
}

/// Returns a decimal as responses have it: without trailing zeros, but with a decimal point.
pub(crate) fn text(number: &BigDecimal) -> String {
    let text = number.normalized().to_plain_string();
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// Rounds a price down to its tick.
pub(crate) fn at_tick(price: &BigDecimal, tick: &BigDecimal) -> BigDecimal {
    let ticks = quotient(price, tick).map(|ticks| ticks.with_scale_round(0, RoundingMode::Down));
    ticks.map_or_else(|| price.clone(), |ticks| (ticks * tick).normalized())
}

/// Cuts a quantity or a value to its decimal places.
pub(crate) fn cut(number: &BigDecimal) -> BigDecimal {
    number.with_scale_round(PLACES, RoundingMode::Down).normalized()
}

/// Returns a decimal of a request as records have it; null if there is none.
pub(crate) fn digits(given: &JsonRecord, path: &str) -> Value {
    let is_given = nested(given, path).is_some_and(|value| !value.is_null());
    if is_given { Value::from(text(&nested_number(given, path))) } else { Value::Null }
}

/// Returns a percentage with two decimal places.
pub(crate) fn percentage(part: &BigDecimal, whole: &BigDecimal) -> BigDecimal {
    let percent = quotient(&(part * BigDecimal::from(100)), whole).unwrap_or_default();
    percent.with_scale_round(2, RoundingMode::HalfEven).normalized()
}

/// Writes the current prices, and the profits that follow from them, to all SmartTrades.
pub(crate) fn write_all(trades: &mut Table, market: &PairListings) {
    for trade in trades.values_mut() {
        if let Some(quote) = market.quote(string(trade, "pair")) {
            write(trade, &quote);
        }
    }
}

/// Writes the current prices of a pair, and what follows from them.
pub(crate) fn write(trade: &mut JsonRecord, quote: &PairQuote) {
    let prices = Prices::of(quote);
    if let Some(price) = part_mut(trade, "data").and_then(|data| part_mut(data, "current_price")) {
        price.extend(prices.fields());
    }
    let waits_for_market = nested_string(trade, "position.status.basic_type") == "to_process"
        && nested_string(trade, "position.order_type") == "market";
    if waits_for_market && let Some(price) = part_mut(trade, "position").and_then(|entry| part_mut(entry, "price")) {
        price.extend(object! { "value": text(&prices.ask), "value_without_commission": text(&prices.ask) });
    }
    if let Some(volume) = open_profit(trade, &prices) {
        let fields = profit_fields(trade, &volume, &quote.usd);
        if let Some(profit) = part_mut(trade, "profit") {
            profit.extend(fields);
        }
    }
}

/// The current prices of a pair.
struct Prices {
    bid: BigDecimal,
    ask: BigDecimal,
    last: BigDecimal,
}

impl Prices {
    fn of(quote: &PairQuote) -> Self {
        let PairQuote { price, tick, .. } = quote;
        Self { bid: price - tick, ask: price + tick, last: price.clone() }
    }

    fn fields(&self) -> JsonRecord {
        object! { "bid": text(&self.bid), "ask": text(&self.ask), "last": text(&self.last) }
    }
}

/// Returns true if the fee of a purchase is in the quote currency: on futures, with a leverage group or without.
pub(crate) fn pays_fee_in_quote(record: &JsonRecord) -> bool {
    trades_futures(nested_string(record, "account.type"))
        || nested(record, "leverage.enabled") == Some(&Value::Bool(true))
}

/// Returns true if a SmartTrade profits from lower prices: its position begins with an order to sell.
pub(crate) fn is_short(trade: &JsonRecord) -> bool {
    nested_string(trade, "position.type") == "sell"
}

/// Returns true if a SmartTrade has ended.
pub(crate) fn has_ended(trade: &JsonRecord) -> bool {
    nested(trade, "data.closed_at").is_some_and(|time| !time.is_null())
}

/// Returns the profit at current prices; None if the position is not filled, or is closed.
fn open_profit(trade: &JsonRecord, prices: &Prices) -> Option<BigDecimal> {
    let position = position(trade);
    if position.entered.amount.is_zero() || has_ended(trade) || is_true(trade, "instant") {
        return None;
    }
    let fee = nested_number(trade, "data.commission");
    let price = if is_short(trade) { &prices.ask } else { &prices.bid };
    Some(position.profit_at(&price.into(), &fee.into()).to_big())
}

/// Returns the fields of a profit in the quote currency.
pub(crate) fn profit_fields(trade: &JsonRecord, volume: &BigDecimal, usd: &BigDecimal) -> JsonRecord {
    let margin = nested_number(trade, "margin.total");
    object! {
        "volume": text(volume),
        "usd": text(&(volume * usd)),
        "percent": text(&percentage(volume, &nested_number(trade, "data.entered_total"))),
        "roe": (!margin.is_zero()).then(|| text(&percentage(volume, &margin))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn number(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    fn record(json: &Value) -> JsonRecord {
        json.as_object().unwrap().clone()
    }

    fn profit(side: &str, amount: &str, total: &str, price: &str) -> Value {
        let mut trade = record(&json!({
            "position": {"type": side},
            "data": {"entered_amount": amount, "entered_total": total, "commission": 0.001, "current_price": {}},
            "profit": {},
        }));
        let (price, tick) = (number(price), number("0"));
        write(&mut trade, &PairQuote { pair: "USDT_XRP".to_owned(), price, tick, usd: number("1") });
        trade["profit"].clone()
    }

    #[test]
    fn published_profits() {
        let long = profit("buy", "43.736", "4.57371", "0.10244");
        assert_eq!((&long["volume"], &long["percent"]), (&json!("-0.09787447584"), &json!("-2.14")));
        let short = profit("sell", "7.8", "1.977066", "0.264");
        assert_eq!((&short["volume"], &short["percent"]), (&json!("-0.0841932"), &json!("-4.26")));
    }

    #[test]
    fn a_decimal_has_a_point() {
        assert_eq!(["15", "1.50", "0", "1e-3"].map(|digits| text(&number(digits))), ["15.0", "1.5", "0.0", "0.001"]);
    }

    #[test]
    fn an_average_is_rounded_down_to_the_tick() {
        assert_eq!(at_tick(&number("0.106227"), &number("0.00001")), number("0.10622"));
        assert_eq!(at_tick(&number("2"), &number("0")), number("2"));
    }
}
