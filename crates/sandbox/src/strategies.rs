//! The strategies that bots can use.

use serde_json::Value;

use super::deal_funds_data::ACCOUNT_CLASS;
use super::defaults::{self, object};
use super::inputs;
use super::record::{JsonRecord, string};
use super::route::RequestParams;
use super::state::State;
use botdesk_api::dca_bots::StrategyQuery;
use botdesk_api::strategy::StrategyDescription;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// A strategy.
struct StrategySpec {
    code: &'static str,
    name: &'static str,
    needs_plan: bool,
    /// True if it may be combined with others.
    combines: bool,
    /// The settings of an indicator, each with its values; none if it takes any number. A signal has no settings.
    options: &'static [(&'static str, &'static [&'static str])],
}

/// The fields of a bot that list strategies.
const LISTS: [&str; 3] = ["strategy_list", "close_strategy_list", "safety_strategy_list"];

/// The options of `rsi` that requests have as numbers, and responses as text.
const TEXTS: [&str; 2] = ["points", "time_period"];

/// The candle intervals of indicators.
const INTERVALS: &[&str] = &["3m", "5m", "15m", "30m", "1h", "4h", "1d", "2h", "8h", "3d", "1w"];

const STRATEGIES: [StrategySpec; 6] = [
    StrategySpec {
        code: "manual",
        name: "Manually/API (Bot won't open new trades automatically)",
        needs_plan: false,
        combines: false,
        options: &[],
    },
    StrategySpec { code: "nonstop", name: "Open new trade asap", needs_plan: false, combines: false, options: &[] },
    StrategySpec {
        code: "tv_custom_signal",
        name: "Custom TradingView signal",
        needs_plan: true,
        combines: true,
        options: &[],
    },
    StrategySpec {
        code: "rsi",
        name: "RSI",
        needs_plan: false,
        combines: true,
        options: &[
            ("time", INTERVALS),
            ("points", &[]),
            ("trigger_condition", &["less", "greater", "crossing_above", "crossing_below"]),
            ("time_period", &[]),
        ],
    },
    StrategySpec {
        code: "trading_view",
        name: "TradingView",
        needs_plan: false,
        combines: true,
        options: &[
            ("time", INTERVALS),
            ("type", &["buy_or_strong_buy", "strong_buy", "sell_or_strong_sell", "strong_sell"]),
        ],
    },
    StrategySpec {
        code: "qfl",
        name: "QFL",
        needs_plan: true,
        combines: true,
        options: &[("type", &["original", "day_trading", "conservative", "position"]), ("percent", &[])],
    },
];

impl StrategySpec {
    fn is_indicator(&self) -> bool {
        !self.options.is_empty()
    }

    fn to_json(&self) -> JsonRecord {
        let mut json = defaults::sample::<StrategyDescription>();
        json.extend(object! {
            "name": self.name,
            "strategy_type": if self.is_indicator() { "indicator" } else { "signal" },
            "payed": self.needs_plan,
        });
        if self.is_indicator() {
            let option = |(name, values): &(&str, &[&str])| ((*name).to_owned(), labelled(values));
            json.insert("options".to_owned(), Value::Object(self.options.iter().map(option).collect()));
            json.insert("accounts_whitelist".to_owned(), Value::from(vec![ACCOUNT_CLASS]));
        }
        json
    }
}

/// Writes the strategies of a bot as responses have them: `nonstop` in one object, with empty options, and the numbers of `rsi` as text.
pub(super) fn write_as_returned(bot: &mut JsonRecord) {
    for list in LISTS {
        let Some(Value::Array(strategies)) = bot.get_mut(list) else { continue };
        // Only the options of `nonstop` may stand in an object of their own.
        let has_code = |strategy: &Value| strategy.get("strategy").is_some();
        let alone = strategies.iter().find(|strategy| !has_code(strategy));
        let of_nonstop = alone.and_then(|options| options.get("options")).cloned();
        let of_nonstop = of_nonstop.unwrap_or_else(|| Value::Object(JsonRecord::new()));
        strategies.retain(has_code);
        for strategy in strategies.iter_mut().filter_map(Value::as_object_mut) {
            write_strategy(strategy, &of_nonstop);
        }
    }
}

fn write_strategy(strategy: &mut JsonRecord, of_nonstop: &Value) {
    match string(strategy, "strategy") {
        "nonstop" => {
            let options = strategy.entry("options").or_insert(Value::Null);
            if options.is_null() {
                *options = of_nonstop.clone();
            }
        }
        "rsi" => {
            let Some(Value::Object(options)) = strategy.get_mut("options") else { return };
            for option in TEXTS {
                if let Some(value @ Value::Number(_)) = options.get_mut(option) {
                    *value = Value::from(value.to_string());
                }
            }
        }
        _ => {}
    }
}

/// Returns values with their labels, or null for any number.
fn labelled(values: &[&str]) -> Value {
    if values.is_empty() {
        return Value::Null;
    }
    Value::Object(values.iter().map(|value| ((*value).to_owned(), Value::from(*value))).collect())
}

/// Returns the strategies for an account, for all accounts without one.
pub(super) fn list(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let account = query.value(StrategyQuery::account_id).and_then(Value::as_u64);
    let account = match account.map(|id| state.store.accounts.get(&id)) {
        Some(None) => return Err(ApiError::invalid_field("account_id", "does not have a valid value")),
        Some(account) => account,
        None => None,
    };
    // A wallet can't trade, so no indicator has it on its list.
    let trades = account.and_then(|account| super::exchanges::ExchangeType::of_code(string(account, "market_code")));
    let trades = trades.is_none_or(|exchange| !exchange.is_wallet());
    let is_composite = query.value(StrategyQuery::strategy).and_then(Value::as_str) == Some("composite");
    let listed = STRATEGIES.iter().filter(|strategy| trades || !strategy.is_indicator());
    let listed = listed.filter(|strategy| strategy.combines || !is_composite);
    let listed: JsonRecord =
        listed.map(|strategy| (strategy.code.to_owned(), Value::Object(strategy.to_json()))).collect();
    Ok(SerializedBody::serialize(&listed))
}
