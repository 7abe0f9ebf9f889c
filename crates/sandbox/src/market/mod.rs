//! The market: the trading engine on the records of the sandbox.
//!
//! The engine decides what happens as prices move and time passes; this module translates. It uses neither random numbers nor
//! floats: the same calls in the same order give the same state.

mod calculable;
mod dca_bot_record;
mod deal_record;
mod deal_settlement;
mod grid_settlement;
mod moves;
mod quotes;
mod starts;
mod timers;
mod trade_timers;

pub(super) use calculable::problem;
pub(super) use deal_record::{TargetOrder, new_record, order_id, order_number, target_orders, write_close};
pub(super) use quotes::{balance, milliseconds, time_of};
pub(super) use starts::required_amount;
