//! Amounts of money: what the user gave, what an order reserves, and what an account can pay for.

mod amounts;
mod given;
mod purse;
mod reservation;

pub(crate) use amounts::Amounts;
pub use given::GivenBalances;
pub(crate) use purse::{Limits, Purse};
pub(crate) use reservation::{Settlement, of_deal, of_grid, of_position, of_simple_trade, of_smart_trade};
