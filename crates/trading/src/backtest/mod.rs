//! Backtests: what a bot would have done over candles.
//!
//! The engine runs from one event to the next. Between two, it asks the index of the candles for the next one that leaves the
//! range of prices in which nothing happens, so that the cost grows with the number of orders, not with the number of candles.

mod ambiguity;
mod cursor;
mod deal_prices;
mod deal_row;
mod drawdown;
mod equity;
mod many;
mod run;
mod simulated_bot;
mod simulated_smart_trade;
mod smart_trade_rows;
mod summary;

pub use deal_prices::DealPrices;
pub use deal_row::{DealRow, DealStatus, OrderRow};
pub use equity::{EquityPoint, few_points};
pub use many::{IndexedWork, run_indexed};
pub use run::{Backtest, BacktestRun, History, Interrupted};
pub use simulated_bot::{EngineBot, SimulatedBot};
pub use simulated_smart_trade::SimulatedSmartTrade;
pub use summary::Summary;

#[cfg(test)]
mod tests;
