//! Plans of bots: the orders and the costs of a record or an edit, calculated with `botdesk-trading`.

pub mod backtest_history;
mod backtest_idle;
pub mod backtest_market;
pub mod backtest_settings;
pub mod backtest_setup;
mod backtest_warnings;
pub mod engine_config;
pub mod error;
pub mod fraction;
mod grid_checks;
pub mod grid_plan;
pub mod ladder_config;
pub mod ladder_plan;
pub mod order_limits;
mod order_warnings;
mod planned_order;
mod reader;
pub mod smart_trade_settings;
pub mod smart_trade_state;
pub mod sweep;
mod table;
