//! Backtests: what a bot or a SmartTrade would have done over candles.

mod bounds;
mod candles_argument;
mod class;
mod comparison;
mod drawing;
mod histories;
mod rows;
mod signals_argument;
mod simulation;
mod smart_trade_argument;
mod start;
mod summary;
mod time_argument;
mod values;

pub(crate) use bounds::BacktestBounds;
pub(crate) use candles_argument::CandlesArgument;
pub(crate) use class::{Backtest, NotSimulated};
pub(crate) use comparison::BacktestComparison;
pub(crate) use histories::HistoryArguments;
pub(crate) use rows::{BacktestDeal, BacktestOrder, EquityPoint};
pub(crate) use signals_argument::SignalsArgument;
pub(crate) use simulation::ShouldStop;
pub(crate) use smart_trade_argument::SmartTradeArgument;
pub(crate) use start::{BotArgument, BotEditArgument, backtest_bot, backtest_inputs, compare};
pub(crate) use summary::BacktestSummary;
pub(crate) use time_argument::TimeArgument;
