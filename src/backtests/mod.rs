//! Backtests: what a bot would have done over candles.

mod bounds;
mod candles_argument;
mod class;
mod comparison;
mod drawing;
mod histories;
mod rows;
mod signals_argument;
mod simulation;
mod start;
mod summary;
mod time_argument;
mod values;

pub(super) use bounds::BacktestBounds;
pub(super) use candles_argument::CandlesArgument;
pub(super) use class::{Backtest, NotSimulated};
pub(super) use comparison::BacktestComparison;
pub(super) use histories::HistoryArguments;
pub(super) use rows::{BacktestDeal, BacktestOrder, EquityPoint};
pub(super) use signals_argument::SignalsArgument;
pub(super) use simulation::ShouldStop;
pub(super) use start::{backtest_dca_bot, backtest_edit, backtest_grid_bot, compare_dca_bot, compare_grid_bot};
pub(super) use summary::BacktestSummary;
pub(super) use time_argument::TimeArgument;
