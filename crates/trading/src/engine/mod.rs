//! The trading engine: it moves bots as prices move and time passes. It is exact, and has neither I/O nor a clock of its own.
//!
//! The sandbox runs it on its records, backtests run it over candles, and plans are its first step. A price either jumps
//! ([`SimulatedDcaBot::set_price`]) or moves ([`SimulatedDcaBot::move_price`]): a move visits, in order, every price at which something happens, and
//! does at each what a jump to it does.

pub mod config;
pub mod dca_bot;
pub mod deal;
pub mod deal_orders;
pub mod deal_targets;
pub mod event;
pub mod grid_bot;
pub mod grid_config;
pub mod grid_position;
mod grid_range;
pub mod hand_orders;
pub mod market;
pub mod movement;
pub mod smart_trade;

pub use config::{DcaBotConfig, DealConfig, OrderVolume, SafetyOrder, SafetyOrders, StopLoss, Target, VolumeUnit};
pub use dca_bot::SimulatedDcaBot;
pub use deal::Deal;
pub use event::{
    CloseReason, DisableReason, Event, EventKind, Fill, GridMove, GridMoveKind, OrderKind, SmartTradeOrder,
};
pub use grid_bot::SimulatedGridBot;
pub use grid_config::{GridBotConfig, GridEnd, GridMode, GridOrderSize, GridStop, QuantityCurrency, StopAction};
pub use grid_position::{BalancingOrder, GridPosition, GridRun, GridTotals};
pub use hand_orders::{HandClosing, ManualOrder};
pub use market::{Market, Quote};

/// A time in milliseconds since 1970, in UTC.
pub type Milliseconds = i64;

#[cfg(test)]
mod tests;
