//! The events of a deal, in the words of the service: they follow from its orders.

use serde_json::Value;

use super::deal_history::{DealHistory, event};
use super::deal_orders::{DealOrder, DealWithOrders};
use super::defaults::object;
use super::fills::OrderFill;
use super::market::target_orders;
use super::record::{JsonRecord, integer, plain, string};
use super::state::State;
use botdesk_schema::pair::currencies;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{Deal, HandClosing, OrderKind};
use botdesk_trading::position::{Position, average_price};

/// Returns the events of a deal, oldest first.
pub(super) fn events_of(state: &State, record: &JsonRecord) -> Vec<Value> {
    let history = history_of(state, record);
    let mut events = DealWithOrders::of(state, record).map(|deal| Story::of(&deal, history).events).unwrap_or_default();
    if string(record, "status") == "failed" {
        let closed_at = string(record, "closed_at");
        let message = format!("Deal failed. {}", string(record, "error_message"));
        events.push(Value::Object(object! { "message": message, "created_at": closed_at }));
    }
    events
}

/// Returns what was done to a deal by hand.
fn history_of<'a>(state: &'a State, record: &JsonRecord) -> Option<&'a DealHistory> {
    let id = |field: &str| integer(record, field).and_then(|id| u64::try_from(id).ok());
    state.dca_bot_states.get(&id("bot_id")?)?.histories.get(&id("id")?)
}

/// Returns the messages about the orders that a change of a deal withdrew and placed.
pub(super) fn order_messages(before: &DealWithOrders, after: &DealWithOrders) -> Vec<String> {
    let (old, new) = (before.standing_orders(), after.standing_orders());
    let is_in = |order: &DealOrder, others: &[DealOrder]| {
        let same = |other: &DealOrder| {
            (other.kind, &other.price, &other.quantity) == (order.kind, &order.price, &order.quantity)
        };
        others.iter().any(same)
    };
    let (was, is) = (Story::of(before, None), Story::of(after, None));
    let withdrawn = old.iter().filter(|order| !is_in(order, &new)).map(|order| was.withdrawn(order));
    let placed = new.iter().filter(|order| !is_in(order, &old)).map(|order| is.placed(order));
    withdrawn.chain(placed).collect()
}

/// Returns an order in words: its price and its size.
pub(super) fn sized(deal: &DealWithOrders, price: &Decimal, quantity: &Decimal) -> String {
    Story::of(deal, None).sized(price, quantity)
}

/// The events of a deal up to one of its orders.
struct Story<'a> {
    of: &'a DealWithOrders,
    quote: &'a str,
    base: &'a str,
    /// The deal without the orders that were not filled yet.
    deal: Deal,
    /// The number of safety orders that were placed.
    placed: u32,
    events: Vec<Value>,
}

impl<'a> Story<'a> {
    fn of(of: &'a DealWithOrders, history: Option<&DealHistory>) -> Self {
        let (quote, base) = currencies(&of.deal.pair).unwrap_or_default();
        let mut deal = of.deal.clone();
        deal.entry = Position::new(deal.direction());
        (deal.filled_safety_orders, deal.reached_targets, deal.trailing_best) = (0, 0, None);
        (deal.exited_quantity, deal.exited_volume) = (Decimal::ZERO, Decimal::ZERO);
        deal.hand_closings.clear();
        let mut story = Self { of, quote, base, deal, placed: 0, events: Vec::new() };
        let told = history.map(|history| history.told_fills.min(of.fills.len())).unwrap_or_default();
        let (before, after) = of.fills.split_at(told);
        for fill in before {
            story.tell(fill);
        }
        // What happened until the last action is told with the settings of that time.
        if let Some(history) = history {
            story.events.clone_from(&history.events);
        }
        for fill in after {
            story.tell(fill);
        }
        story
    }

    fn withdrawn(&self, order: &DealOrder) -> String {
        let sized = self.sized(&order.price, &order.quantity);
        match order.kind {
            OrderKind::Safety(number) => format!("Safety trade ({number} out of {}) cancelled. {sized}", self.most()),
            _ => format!("Cancelling TakeProfit trade. {sized}"),
        }
    }

    fn placed(&self, order: &DealOrder) -> String {
        let sized = self.sized(&order.price, &order.quantity);
        match order.kind {
            OrderKind::Safety(number) => format!("Placing safety trade ({number} out of {}). {sized}", self.most()),
            _ => format!("Placing TakeProfit trade. {sized}"),
        }
    }

    fn tell(&mut self, fill: &OrderFill) {
        let executed = self.executed(fill);
        match fill.kind {
            OrderKind::Base => {
                self.add(fill, &format!("Placing base order. {}", self.sized(&fill.price, &fill.quantity)));
                self.add(fill, &format!("Base order executed. {executed}"));
            }
            OrderKind::Safety(number) => {
                self.deal.filled_safety_orders = number;
                self.add(fill, &format!("Safety trade ({number} out of {}) executed. {executed}", self.most()));
                self.tell_targets(fill, "Cancelling");
            }
            OrderKind::Manual(_) => {
                self.add(fill, &format!("Manual safety trade executed. {executed}"));
                self.tell_targets(fill, "Cancelling");
            }
            OrderKind::StepByHand(number) => {
                self.deal.hand_closings.push(HandClosing { target: number.saturating_sub(1), at: None });
                self.exit(fill);
                return self.add(fill, &format!("TakeProfit trade closed at market price. {executed}"));
            }
            OrderKind::TakeProfit(number) => {
                self.deal.reached_targets = number;
                self.exit(fill);
                return self.add(fill, &format!("TakeProfit trade executed. {executed}"));
            }
            OrderKind::StopLoss => return self.add(fill, &format!("Stop loss executed. {executed}")),
            OrderKind::Timeout => return self.add(fill, &format!("Closed by timeout. {executed}")),
            OrderKind::ByHand => return self.add(fill, &format!("Closed at market price. {executed}")),
            _ => return self.add(fill, &format!("TakeProfit trade executed. {executed}")),
        }
        self.deal.entry.fill(&fill.quantity, &fill.total);
        self.tell_targets(fill, "Placing");
        self.tell_safety_orders(fill);
    }

    fn exit(&mut self, fill: &OrderFill) {
        self.deal.exited_quantity += &fill.quantity;
        self.deal.exited_volume += &fill.total;
    }

    fn tell_targets(&mut self, at: &OrderFill, action: &str) {
        if self.deal.config.trailing.is_some() {
            return;
        }
        let orders = target_orders(&self.deal, &self.of.market).into_iter().enumerate();
        let open = orders.filter(|(index, _)| self.deal.waits_for_target(*index));
        for (_, order) in open.collect::<Vec<_>>() {
            if let Some(price) = order.price {
                self.add(at, &format!("{action} TakeProfit trade. {}", self.sized(&price, &order.quantity)));
            }
        }
    }

    /// Tells which safety orders are placed after an order was filled.
    fn tell_safety_orders(&mut self, at: &OrderFill) {
        let standing = self.deal.filled_safety_orders.saturating_add(self.deal.active_safety_orders());
        for number in self.placed + 1..=standing {
            if let Some(order) = self.of.safety_order(number) {
                let sized = self.sized(&order.price, &order.quantity);
                self.add(at, &format!("Placing safety trade ({number} out of {}). {sized}", self.most()));
            }
        }
        self.placed = self.placed.max(standing);
    }

    fn most(&self) -> usize {
        self.deal.config.safety_orders.orders.len()
    }

    fn sized(&self, price: &Decimal, quantity: &Decimal) -> String {
        let Self { quote, base, .. } = self;
        let volume = plain(&(price * quantity));
        format!("Price: {} {quote}. Size: {volume} {quote} ({} {base})", plain(price), plain(quantity))
    }

    /// Describes a filled order; its price has the fee in it.
    fn executed(&self, fill: &OrderFill) -> String {
        let Self { quote, base, .. } = self;
        let price = average_price(&fill.total, &fill.quantity).unwrap_or_default();
        let (total, quantity) = (plain(&fill.total), plain(&fill.quantity));
        format!("Price: {} {quote}. Size: {total} {quote} ({quantity} {base})", plain(&price))
    }

    fn add(&mut self, fill: &OrderFill, message: &str) {
        self.events.push(event(message, fill.at));
    }
}
