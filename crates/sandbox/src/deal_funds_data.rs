//! What a caller needs to add funds to a deal.

use bigdecimal::{BigDecimal, RoundingMode};
use serde_json::Value;

use super::defaults::{self, object};
use super::exchanges::{self, ExchangeType};
use super::markets::rates_of;
use super::record::{JsonRecord, integer, number, string};
use super::state::State;
use botdesk_api::deal_orders::{FundsData, OrderLimits};

/// The class of the accounts of the sandbox.
pub(super) const ACCOUNT_CLASS: &str = "Account::PaperTradingAccount";

/// The decimal places of the limits outside of `limits`.
const PLACES: i64 = 8;

/// The limits of orders, each with the field of the pair's rates that has it.
const LIMITS: [(&str, &str); 14] = [
    ("minPrice", "minPrice"),
    ("maxPrice", "maxPrice"),
    ("priceStep", "priceStep"),
    ("priceMultiplierDown", "bidMultiplierDown"),
    ("priceMultiplierUp", "bidMultiplierUp"),
    ("minLotSize", "minLotSize"),
    ("lotStep", "lotStep"),
    ("minTotal", "minTotal"),
    ("maxMarketBuyAmount", "maxMarketBuyAmount"),
    ("maxMarketSellAmount", "maxMarketSellAmount"),
    ("minMarketBuyAmount", "minLotSize"),
    ("minMarketSellAmount", "minLotSize"),
    ("maxLotSize", "maxLotSize"),
    ("marketBuyMinTotal", "minMarketTotal"),
];

/// Returns what is needed to add funds to a deal; None if its pair is not traded.
pub(super) fn data(state: &State, deal: &JsonRecord) -> Option<JsonRecord> {
    let quote = state.market.quote(string(deal, "pair"))?;
    let account = state.account_of(deal);
    let exchange = account.and_then(|account| ExchangeType::of_code(string(account, "market_code")));
    let exchange = exchange.or_else(|| exchanges::EXCHANGES.first())?;
    let rates = rates_of(exchange, &quote);
    let limit = |(name, field): (&str, &str)| (name.to_owned(), rates.get(field).cloned().unwrap_or_default());
    let mut limits = defaults::sample::<OrderLimits>();
    limits.extend(LIMITS.map(limit));
    let fixed = |field: &str| {
        let limit: BigDecimal = number(&limits, field);
        limit.with_scale_round(PLACES, RoundingMode::HalfEven).to_plain_string()
    };
    let currency = string(deal, "from_currency");
    let account_id = integer(deal, "account_id").and_then(|id| u64::try_from(id).ok()).unwrap_or_default();
    let free = state.free_amount(account_id, currency);
    let of_deal = |field: &str| deal.get(field).cloned().unwrap_or_default();
    let mut data = defaults::sample::<FundsData>();
    data.extend(object! {
        "orderbook_price": quote.price.to_plain_string(),
        "account_id": of_deal("account_id"),
        "quote_currency": currency,
        "base_currency": of_deal("to_currency"),
        "adding_funds_currency": currency,
        "available_amount": free.to_plain_string(),
        "is_contract": exchange.is_futures(),
        "orderbook_price_currency": of_deal("orderbook_price_currency"),
        "take_profit_price": of_deal("take_profit_price"),
        "stop_loss_price": of_deal("stop_loss_price"),
        "account_type": ACCOUNT_CLASS,
        "deal_type": of_deal("strategy"),
        "pair": of_deal("pair"),
        "limit": fixed("minTotal"),
        "market_buy_min_total": rates.get("minMarketTotal").cloned().unwrap_or_default(),
        "min_lot_size": fixed("minLotSize"),
        "leverage_custom_value": of_deal("leverage_custom_value"),
        "leverage_type": of_deal("leverage_type"),
        "limits": Value::Object(limits.clone()),
    });
    Some(data)
}
