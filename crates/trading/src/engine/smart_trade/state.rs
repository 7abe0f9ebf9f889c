//! The state of a SmartTrade: its settings, its orders, and its totals.

use serde::{Deserialize, Serialize};

use crate::decimal::Decimal;
use crate::engine::Milliseconds;
use crate::grid::OrderSide;
use crate::ladder::Direction;

/// Defines a status whose variants have the codes of the service.
macro_rules! codes {
    ($(#[doc = $doc:literal])* $enum:ident { $($(#[doc = $about:literal])* $variant:ident = $code:literal,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $enum {
            $($(#[doc = $about])* $variant,)*
            /// A status of another version of the service, in which nothing happens.
            Other,
        }

        impl $enum {
            /// Returns the code of the service.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)*
                    Self::Other => "",
                }
            }

            /// Returns the status with a code.
            pub fn of(code: &str) -> Self {
                match code {
                    $($code => Self::$variant,)*
                    _ => Self::Other,
                }
            }
        }
    };
}

codes! {
    /// The status of a SmartTrade.
    SmartTradeStatus {
        /// It was created just now.
        Created = "created",
        /// Its entry is not filled.
        WaitingPosition = "waiting_position",
        /// Its entry is filled, and its targets are active.
        WaitingTargets = "waiting_targets",
        /// Its position is being reduced.
        Reducing = "pending_reduce_funds",
        /// Its position is being closed at the market price.
        Closing = "panic_sell_pending",
        /// It is being cancelled.
        Cancelling = "cancellation_pending",
        /// Its targets were reached, or it was a simple buy or sell whose order filled.
        Finished = "finished",
        /// Its stop loss closed the position.
        StopLossFinished = "stop_loss_finished",
        /// Its position was closed at the market price.
        Closed = "panic_sold",
        /// It was cancelled. What it holds stays on the account.
        Cancelled = "cancelled",
        /// The exchange refused an order.
        Failed = "failed",
    }
}

codes! {
    /// The status of an order of a SmartTrade.
    OrderStatus {
        /// The entry is not filled.
        Idle = "idle",
        /// It waits for its price.
        ToProcess = "to_process",
        /// It is on the exchange.
        Placed = "order_placed",
        /// It follows the price.
        Following = "trailing_activated",
        /// It is being filled at the market price.
        Closing = "panic_sell_pending",
        /// It was filled at the market price because the user asked for it.
        Closed = "panic_sold",
        /// It was filled.
        Finished = "finished",
        /// It was cancelled.
        Cancelled = "cancelled",
        /// The exchange refused it.
        Failed = "failed",
        /// There is no entry: the position is held already.
        Held = "smart_sell",
    }
}

impl SmartTradeStatus {
    /// Returns true if prices and times can change the SmartTrade.
    pub fn is_alive(self) -> bool {
        matches!(self, Self::WaitingPosition | Self::WaitingTargets)
    }

    /// Returns true if the SmartTrade has ended.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Finished | Self::StopLossFinished | Self::Closed | Self::Cancelled | Self::Failed)
    }
}

impl OrderStatus {
    /// Returns true if the order waits for its price.
    pub fn is_waiting(self) -> bool {
        matches!(self, Self::ToProcess | Self::Placed | Self::Following)
    }

    /// Returns true if the order was filled.
    pub fn is_filled(self) -> bool {
        matches!(self, Self::Finished | Self::Closed)
    }
}

/// The price that a trigger follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PriceType {
    /// The highest price of an order to buy.
    Bid,
    /// The lowest price of an order to sell.
    Ask,
    /// The price of the last trade.
    #[default]
    Last,
}

impl PriceType {
    /// Returns the type with a name of the service; by default the last price.
    pub fn of(name: &str) -> Self {
        match name {
            "bid" => Self::Bid,
            "ask" => Self::Ask,
            _ => Self::Last,
        }
    }
}

/// A price at which something happens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceTrigger {
    /// The price; None while it is known in percent of the entry only.
    pub price: Option<Decimal>,
    /// The price that is compared with it.
    pub of: PriceType,
}

impl PriceTrigger {
    /// Returns the last price at which the trigger is reached.
    pub fn level(&self, spread: &Decimal) -> Option<Decimal> {
        let price = self.price.as_ref()?;
        Some(match self.of {
            PriceType::Bid => price + spread,
            PriceType::Ask => price - spread,
            PriceType::Last => price.clone(),
        })
    }
}

/// The condition of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryTrigger {
    /// The price.
    pub trigger: PriceTrigger,
    /// The distance in percent by which the price must turn after the trigger; None for an entry at the trigger.
    pub trailing: Option<Decimal>,
}

/// The entry of a SmartTrade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmartTradeEntry {
    /// True for a limit order, also for one that is placed at the trigger.
    pub is_limit: bool,
    /// The wanted quantity; once filled, the quantity after the fee.
    pub quantity: Decimal,
    /// The wanted price; once filled, the average price with the fee.
    pub price: Option<Decimal>,
    /// The condition; None for an entry that is placed at once.
    pub condition: Option<EntryTrigger>,
    /// The status.
    pub status: OrderStatus,
    /// The best price since it follows the price.
    pub best: Option<Decimal>,
}

/// A take-profit target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetOrder {
    /// True for a limit order.
    pub is_limit: bool,
    /// The part of the position, in percent.
    pub share: Decimal,
    /// The price.
    pub trigger: PriceTrigger,
    /// The distance from the entry in percent, from which the price follows once the entry is filled; None if the price was given.
    pub percent: Option<Decimal>,
    /// The distance in percent by which the price must fall back after the target; None for an order at the target.
    pub trailing: Option<Decimal>,
    /// The status.
    pub status: OrderStatus,
    /// The best price since it follows the price.
    pub best: Option<Decimal>,
    /// The quantity; None while the entry is not filled.
    pub quantity: Option<Decimal>,
    /// Quantity × price: that of the target, or that at which it was filled.
    pub total: Option<Decimal>,
}

/// A stop loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopLossOrder {
    /// The price of the limit order that is placed at the trigger; None for a market order.
    pub limit: Option<Decimal>,
    /// The trigger.
    pub trigger: PriceTrigger,
    /// The distance of the trigger from the entry in percent; None once it is a price.
    pub percent: Option<Decimal>,
    /// True if it moves to the entry after a target.
    pub breakeven: bool,
    /// True if the trigger follows the price.
    pub is_trailing: bool,
    /// The distance in percent at which it does; None while it follows from the entry.
    pub distance: Option<Decimal>,
    /// The time for which the price must stay beyond the trigger.
    pub timeout: Option<Milliseconds>,
    /// The time at which the condition is checked again.
    pub due: Option<Milliseconds>,
    /// The status.
    pub status: OrderStatus,
    /// The quantity that it closed.
    pub quantity: Option<Decimal>,
    /// The value that it closed, without the fee.
    pub total: Option<Decimal>,
}

/// An order that reduces or closes the position because the user asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// True for a limit order.
    pub is_limit: bool,
    /// The quantity.
    pub quantity: Decimal,
    /// The price without the fee: that at which it was filled, or that of the limit or of the moment of the request.
    pub price: Decimal,
    /// The status.
    pub status: OrderStatus,
}

impl Closing {
    /// Returns quantity × price.
    pub fn total(&self) -> Decimal {
        &self.quantity * &self.price
    }
}

/// A quantity, and its value after fees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// The quantity, in the base currency.
    pub amount: Decimal,
    /// The value, in the quote currency.
    pub total: Decimal,
}

impl Totals {
    fn add(&mut self, amount: Decimal, total: Decimal) {
        self.amount = (&self.amount + amount).normalized();
        self.total = (&self.total + total).normalized();
    }
}

/// What was entered and closed so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionFigures {
    /// The direction.
    pub direction: Direction,
    /// What was entered, added funds included.
    pub entered: Totals,
    /// What was closed.
    pub closed: Totals,
}

/// The decimal places of the value of a part of a position.
const VALUE_PLACES: u8 = 8;

impl PositionFigures {
    /// Returns a position without orders.
    pub fn new(direction: Direction) -> Self {
        Self { direction, entered: Totals::default(), closed: Totals::default() }
    }

    /// Adds an order that enters. The exchange takes the fee of a purchase on a spot account in the base currency.
    pub fn enter(&mut self, quantity: &Decimal, price: &Decimal, fee: &Decimal, is_leveraged: bool) {
        let value = quantity * price;
        let fee_of_value = &value * fee;
        let (amount, total) = match (self.direction, is_leveraged) {
            (Direction::Short, _) => (quantity.clone(), value - fee_of_value),
            (Direction::Long, true) => (quantity.clone(), value + fee_of_value),
            (Direction::Long, false) => (quantity - quantity * fee, value),
        };
        self.entered.add(amount, total);
    }

    /// Adds an order that closes a part.
    pub fn close(&mut self, quantity: &Decimal, price: &Decimal, fee: &Decimal) {
        let total = self.value_after_fee(quantity * price, fee);
        self.closed.add(quantity.clone(), total);
    }

    /// Returns the quantity that is not closed.
    pub fn open_amount(&self) -> Decimal {
        &self.entered.amount - &self.closed.amount
    }

    /// Returns the profit if what is open was closed at a price with a fee: at the bid of a long position, at the ask of a short one.
    pub fn profit_at(&self, price: &Decimal, fee: &Decimal) -> Decimal {
        let value = self.open_amount() * price;
        let value = self.value_after_fee(value, fee);
        self.profit_of(&value)
    }

    /// Returns the profit of a position that has ended. Less than a lot that is left is worth nothing. A lot or more was left open by
    /// the user, and stays on the account: it is neither profit nor loss.
    pub fn profit(&self, lot: &Decimal) -> Decimal {
        let open = self.open_amount();
        if open.is_positive() && open >= *lot { self.realized() } else { self.profit_of(&Decimal::ZERO) }
    }

    /// Returns the profit of the part that is closed, which was entered at the average price.
    pub fn realized(&self) -> Decimal {
        let Totals { amount, total } = &self.entered;
        let left = (total * self.open_amount()).div_round_down(amount, Some(&Decimal::new(1, VALUE_PLACES)));
        self.profit_of(&left.unwrap_or_default())
    }

    /// Returns what closing a value brings in, or costs if the position is short.
    pub fn value_after_fee(&self, value: Decimal, fee: &Decimal) -> Decimal {
        let fee = &value * fee;
        if self.direction == Direction::Short { value + fee } else { value - fee }
    }

    fn profit_of(&self, rest: &Decimal) -> Decimal {
        let gain = &self.closed.total + rest - &self.entered.total;
        if self.direction == Direction::Short { -gain } else { gain }
    }
}

/// A SmartTrade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmartTrade {
    /// The status.
    pub status: SmartTradeStatus,
    /// True for a simple buy or sell, which has neither targets nor a stop loss.
    pub is_instant: bool,
    /// True if the position is held already, so that there is no entry.
    pub is_held: bool,
    /// True if the exchange takes the fee of a purchase in the quote currency, as on futures, with a leverage group or without.
    pub is_leveraged: bool,
    /// The entry.
    pub entry: SmartTradeEntry,
    /// The take-profit targets.
    pub targets: Vec<TargetOrder>,
    /// The stop loss.
    pub stop_loss: Option<StopLossOrder>,
    /// The orders that reduced the position; the last one may be pending.
    pub reductions: Vec<Closing>,
    /// The order that closed the position at the market price.
    pub market_close: Option<Closing>,
    /// What was entered and closed.
    pub position: PositionFigures,
    /// The average price of the entry with fees, rounded down to the tick; None before it, and for a position that was held already.
    pub average: Option<Decimal>,
    /// The same without fees.
    pub average_without_fee: Option<Decimal>,
}

impl SmartTrade {
    /// Returns the side of the entry.
    pub fn entry_side(&self) -> OrderSide {
        if self.position.direction == Direction::Short { OrderSide::Sell } else { OrderSide::Buy }
    }

    /// Returns the side of the targets and of the stop loss.
    pub fn exit_side(&self) -> OrderSide {
        self.entry_side().opposite()
    }

    /// Returns the value of the orders that closed parts of the position, without fees.
    pub fn closed_value(&self) -> Decimal {
        let targets = self.targets.iter().filter(|target| target.status.is_filled());
        let targets: Decimal = targets.filter_map(|target| target.total.as_ref()).sum();
        let closings = self.reductions.iter().chain(&self.market_close);
        let closings: Decimal = closings.filter(|closing| closing.status.is_filled()).map(Closing::total).sum();
        let stop = self.stop_loss.as_ref().filter(|stop| stop.status.is_filled());
        targets + closings + stop.and_then(|stop| stop.total.clone()).unwrap_or_default()
    }

    /// Returns true if something of it happens as soon as the exchange gets to it.
    pub fn is_pending(&self) -> bool {
        use SmartTradeStatus::{Cancelling, Closing, Reducing};
        matches!(self.status, Closing | Cancelling | Reducing)
            || self.entry.status == OrderStatus::Closing
            || self.targets.iter().any(|target| target.status == OrderStatus::Closing)
    }

    /// Returns the quantity of the targets with statuses.
    pub(super) fn quantity_of_targets(&self, has_status: impl Fn(OrderStatus) -> bool) -> Decimal {
        let targets = self.targets.iter().filter(|target| has_status(target.status));
        targets.filter_map(|target| target.quantity.as_ref()).sum()
    }

    /// Returns the price from which targets and a stop loss at break-even are measured.
    pub(super) fn reference_price(&self) -> Option<&Decimal> {
        self.average.as_ref().or(self.entry.price.as_ref())
    }
}
