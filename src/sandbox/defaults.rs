//! Records as the service makes them where nothing else is said: every field of the document, in the document's forms.

use serde_json::{Map, Value};

use super::state::Record;

/// An object of these members. `json!` recurses once for every token, which is too deep for a record.
macro_rules! object {
    ($($name:literal: $value:expr),* $(,)?) => {
        ::serde_json::Map::from_iter([$(($name.to_owned(), ::serde_json::Value::from($value))),*])
    };
}
pub(super) use object;

/// A value that is not there.
const NONE: Value = Value::Null;

fn nothing() -> Value {
    Value::Array(Vec::new())
}

/// A strategy object.
pub(super) fn strategy(name: &str, options: Map<String, Value>) -> Value {
    Value::Object(object! { "strategy": name, "options": options })
}

/// A DCA bot without deals.
///
/// The last four fields are not the document's: live services send such ones.
pub(super) fn dca_bot() -> Record {
    object! {
        "id": 0,
        "account_id": 0,
        "account_name": "",
        "is_enabled": false,
        "max_safety_orders": 3,
        "active_safety_orders_count": 1,
        "pairs": nothing(),
        "strategy_list": vec![strategy("nonstop", Map::new())],
        "max_active_deals": 1,
        "active_deals_count": 0,
        "deletable?": true,
        "created_at": "",
        "updated_at": "",
        "trailing_enabled": false,
        "tsl_enabled": false,
        "deal_start_delay_seconds": NONE,
        "stop_loss_timeout_enabled": false,
        "stop_loss_timeout_in_seconds": 0,
        "disable_after_deals_count": NONE,
        "deals_counter": NONE,
        "allowed_deals_on_same_pair": NONE,
        "easy_form_supported": false,
        "close_deals_timeout": NONE,
        "url_secret": "",
        "take_profit_steps": nothing(),
        "name": "",
        "take_profit": "1.0",
        "min_profit_percentage": NONE,
        "base_order_volume": "80.0",
        "safety_order_volume": "30.0",
        "safety_order_step_percentage": "1.0",
        "take_profit_type": "total",
        "min_profit_type": NONE,
        "type": "Bot::SingleBot",
        "martingale_volume_coefficient": "1.7",
        "martingale_step_coefficient": "2.0",
        "stop_loss_percentage": "0.0",
        "cooldown": "0",
        "btc_price_limit": "0.0",
        "strategy": "long",
        "min_volume_btc_24h": "0.0",
        "profit_currency": "quote_currency",
        "min_price": NONE,
        "max_price": NONE,
        "min_price_percentage": NONE,
        "max_price_percentage": NONE,
        "stop_loss_type": "stop_loss",
        "safety_order_volume_type": "quote_currency",
        "base_order_volume_type": "quote_currency",
        "trailing_deviation": "0.2",
        "finished_deals_profit_usd": "0.0",
        "finished_deals_count": "0",
        "leverage_type": "not_specified",
        "leverage_custom_value": NONE,
        "start_order_type": "limit",
        "active_deals_usd_profit": "0.0",
        "reinvesting_percentage": NONE,
        "risk_reduction_percentage": NONE,
        "reinvested_volume_usd": NONE,
        "close_strategy_list": nothing(),
        "safety_strategy_list": nothing(),
        "sl_to_breakeven_enabled": false,
        "sl_to_breakeven_data": NONE,
        "custom_safety_steps": NONE,
        "safety_order_calculation_mode": "legacy",
    }
}

/// A deal that has bought nothing yet.
pub(super) fn deal() -> Record {
    object! {
        "id": 0,
        "type": "Deal",
        "bot_id": 0,
        "max_safety_orders": 0,
        "deal_has_error": false,
        "from_currency_id": 0,
        "to_currency_id": 0,
        "account_id": 0,
        "active_safety_orders_count": 0,
        "created_at": "",
        "updated_at": "",
        "closed_at": NONE,
        "finished?": false,
        "current_active_safety_orders_count": 0,
        "current_active_safety_orders": 0,
        "completed_safety_orders_count": 0,
        "completed_manual_safety_orders_count": 0,
        "cancellable?": true,
        "panic_sellable?": true,
        "trailing_enabled": false,
        "tsl_enabled": false,
        "stop_loss_timeout_enabled": false,
        "stop_loss_timeout_in_seconds": 0,
        "active_manual_safety_orders": 0,
        "pair": "",
        "status": "bought",
        "localized_status": "Active",
        "take_profit": "1.0",
        "take_profit_steps": nothing(),
        "base_order_volume": "0.0",
        "safety_order_volume": "0.0",
        "safety_order_step_percentage": "0.0",
        "leverage_type": "not_specified",
        "leverage_custom_value": NONE,
        "bought_amount": "0.0",
        "bought_volume": "0.0",
        "bought_average_price": "0.0",
        "base_order_average_price": "0.0",
        "sold_amount": "0.0",
        "sold_volume": "0.0",
        "sold_average_price": "0",
        "take_profit_type": "total",
        "final_profit": "0.0",
        "martingale_coefficient": "1.0",
        "martingale_volume_coefficient": "1.0",
        "martingale_step_coefficient": "1.0",
        "stop_loss_percentage": "0.0",
        "sl_to_breakeven_enabled": false,
        "sl_to_breakeven_data": NONE,
        "error_message": NONE,
        "profit_currency": "quote_currency",
        "stop_loss_type": "stop_loss",
        "safety_order_volume_type": "quote_currency",
        "base_order_volume_type": "quote_currency",
        "from_currency": "",
        "to_currency": "",
        "current_price": "0.0",
        "take_profit_price": "0.0",
        "stop_loss_price": NONE,
        "final_profit_percentage": "0",
        "actual_profit_percentage": "0.0",
        "bot_name": "",
        "account_name": "",
        "usd_final_profit": "0.0",
        "actual_profit": "0.0",
        "actual_usd_profit": "0.0",
        "failed_message": NONE,
        "reserved_base_coin": "0.0",
        "reserved_second_coin": "0.0",
        "trailing_deviation": "0.2",
        "trailing_max_price": NONE,
        "tsl_max_price": NONE,
        "strategy": "long",
        "last_known_position_info": NONE,
        "min_profit_percentage": "0.0",
        "min_profit_type": NONE,
        "close_strategy_list": nothing(),
        "safety_strategy_list": nothing(),
        "note": NONE,
        "add_fundable": true,
        "smart_trade_convertable": true,
        "market_type": "spot",
        "reserved_quote_funds": "0.0",
        "reserved_base_funds": "0.0",
        "orderbook_price_currency": "",
        "crypto_widget": NONE,
    }
}
