//! The events of a step of the engine.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Milliseconds;
use super::deal::Deal;
use crate::decimal::Decimal;
use crate::grid::OrderSide;

/// An event of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The time.
    pub at: Milliseconds,
    /// The kind of the event, with its figures.
    pub kind: EventKind,
}

/// Gives an enumeration the names of its variants.
macro_rules! names {
    (impl $enum:ident { $($variant:pat => $name:literal,)* }) => {
        impl $enum {
            /// The names of all variants.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Returns the name.
            pub fn name(&self) -> &'static str {
                match self {
                    $($variant => $name),*
                }
            }
        }
    };
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A deal was opened. Its base order follows as the next event.
    DealOpened {
        /// The id of the deal.
        deal: u64,
        /// The code of the pair.
        pair: Arc<str>,
        /// The price of the moment. With slippage, the base order fills at a worse price.
        price: Decimal,
    },
    /// An order was filled.
    OrderFilled(Fill),
    /// A deal was closed.
    DealClosed {
        /// The deal in its last state.
        deal: Box<Deal>,
        /// The reason.
        reason: CloseReason,
    },
    /// The range of a grid moved or grew, by one line.
    GridMoved(GridMove),
    /// A bot disabled itself.
    BotDisabled(DisableReason),
}

names! {
    impl EventKind {
        Self::DealOpened { .. } => "deal_opened",
        Self::OrderFilled(_) => "order_filled",
        Self::DealClosed { .. } => "deal_closed",
        Self::GridMoved(_) => "grid_moved",
        Self::BotDisabled(_) => "bot_disabled",
    }
}

/// A filled order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The id of the deal; None for an order of a grid.
    pub deal: Option<u64>,
    /// The side.
    pub side: OrderSide,
    /// The kind of the order.
    pub kind: OrderKind,
    /// The price.
    pub price: Decimal,
    /// The quantity, in the base currency.
    pub quantity: Decimal,
    /// The profit of the grid step or, of futures, of the part of the position that it closed, before fees, in the quote currency; None
    /// if it closed none.
    pub profit: Option<Decimal>,
}

/// A line that joined a grid because the price left its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridMove {
    /// The kind of the move.
    pub kind: GridMoveKind,
    /// The number of the new line.
    pub added: usize,
    /// Its price.
    pub price: Decimal,
    /// The number of the line that left at the other end; None if the grid grew.
    pub removed: Option<usize>,
}

/// The kind of a move of a grid's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridMoveKind {
    /// The range moved up.
    TrailingUp,
    /// The range moved down.
    TrailingDown,
    /// The range grew upwards.
    ExpansionUp,
    /// The range grew downwards.
    ExpansionDown,
}

names! {
    impl GridMoveKind {
        Self::TrailingUp => "trailing_up",
        Self::TrailingDown => "trailing_down",
        Self::ExpansionUp => "expansion_up",
        Self::ExpansionDown => "expansion_down",
    }
}

/// An order that only SmartTrades have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SmartTradeOrder {
    /// The entry.
    Entry,
    /// The market order that adds funds.
    Addition,
    /// The order that takes funds.
    Reduction,
}

/// The kind of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderKind {
    /// An order that only SmartTrades have.
    SmartTrade(SmartTradeOrder),
    /// The first order of a deal.
    Base,
    /// The safety order with this number, from 1 on.
    Safety(u32),
    /// The order placed by hand with this number, from 1 on. It enlarges the deal.
    Manual(u32),
    /// The take profit at the target with this number, from 1 on.
    TakeProfit(usize),
    /// The market order that closes the part of the target with this number because the user asked for it.
    StepByHand(usize),
    /// The market order that closes a deal once the price fell back from its best value.
    Trailing,
    /// The market order of a stop loss.
    StopLoss,
    /// The market order that closes a deal that was open for too long.
    Timeout,
    /// The market order that closes a deal because the user asked for it.
    ByHand,
    /// The order at the line of a grid with this number: its index at the start, from 0 on; a line that joins gets the next number.
    GridLevel(usize),
    /// The market order of a grid that gets, or gives away, what the orders of its lines need.
    Balancing,
}

impl OrderKind {
    /// Returns true if the order opens or enlarges a position.
    pub fn is_entry(self) -> bool {
        matches!(
            self,
            Self::Base
                | Self::Safety(_)
                | Self::Manual(_)
                | Self::SmartTrade(SmartTradeOrder::Entry | SmartTradeOrder::Addition)
        )
    }
}

names! {
    impl OrderKind {
        Self::SmartTrade(SmartTradeOrder::Entry) => "entry",
        Self::SmartTrade(SmartTradeOrder::Addition) => "added_funds",
        Self::SmartTrade(SmartTradeOrder::Reduction) => "reduced_funds",
        Self::Base => "base_order",
        Self::Safety(_) => "safety_order",
        Self::Manual(_) => "manual_safety_order",
        Self::TakeProfit(_) => "take_profit",
        Self::StepByHand(_) => "step_by_hand",
        Self::Trailing => "trailing",
        Self::StopLoss => "stop_loss",
        Self::Timeout => "timeout",
        Self::ByHand => "by_hand",
        Self::GridLevel(_) => "grid_line",
        Self::Balancing => "balancing_order",
    }
}

/// The reason why a deal was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// It took profit.
    TakeProfit,
    /// It hit its stop loss.
    StopLoss,
    /// It was open for too long.
    Timeout,
    /// The user closed it at the market price.
    ByHand,
    /// It was cancelled. What it bought or sold stays on the account.
    Cancelled,
    /// The account could not pay for one of its orders. What it bought or sold stays on the account.
    Failed,
}

impl CloseReason {
    /// Returns true if the position stays on the account.
    pub fn keeps_position(self) -> bool {
        matches!(self, Self::Cancelled | Self::Failed)
    }
}

names! {
    impl CloseReason {
        Self::TakeProfit => "take_profit",
        Self::StopLoss => "stop_loss",
        Self::Timeout => "timeout",
        Self::ByHand => "by_hand",
        Self::Cancelled => "cancelled",
        Self::Failed => "failed",
    }
}

/// The reason why a bot disabled itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisableReason {
    /// A deal hit its stop loss.
    StopLoss,
    /// It finished as many deals as it may.
    DealCount,
    /// The account could not pay for one of its orders.
    InsufficientBalance,
}

names! {
    impl DisableReason {
        Self::StopLoss => "stop_loss",
        Self::DealCount => "deal_count",
        Self::InsufficientBalance => "insufficient_balance",
    }
}
