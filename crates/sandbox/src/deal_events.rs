//! The events of a deal, in the words of the service: they follow from its orders.

use serde_json::Value;

use super::clock::timestamp;
use super::deal_orders::DealWithOrders;
use super::defaults::object;
use super::fills::OrderFill;
use super::market::target_orders;
use super::record::{JsonRecord, plain};
use super::state::State;
use botdesk_schema::pair::currencies;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{Deal, OrderKind};
use botdesk_trading::position::{Position, average_price};

/// Returns the events of a deal, oldest first.
pub(super) fn events_of(state: &State, record: &JsonRecord) -> Vec<Value> {
    DealWithOrders::of(state, record).map(|deal| Story::of(&deal).events).unwrap_or_default()
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
    fn of(of: &'a DealWithOrders) -> Self {
        let (quote, base) = currencies(&of.deal.pair).unwrap_or_default();
        let mut deal = of.deal.clone();
        deal.entry = Position::new(deal.direction());
        (deal.filled_safety_orders, deal.reached_targets, deal.trailing_best) = (0, 0, None);
        let mut story = Self { of, quote, base, deal, placed: 0, events: Vec::new() };
        for fill in &of.fills {
            story.tell(fill);
        }
        story
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
            OrderKind::StopLoss => return self.add(fill, &format!("Stop loss executed. {executed}")),
            OrderKind::Timeout => return self.add(fill, &format!("Closed by timeout. {executed}")),
            OrderKind::ByHand => return self.add(fill, &format!("Closed at market price. {executed}")),
            _ => return self.add(fill, &format!("TakeProfit trade executed. {executed}")),
        }
        self.deal.entry.fill(&fill.quantity, &fill.total);
        self.tell_targets(fill, "Placing");
        self.tell_safety_orders(fill);
    }

    fn tell_targets(&mut self, at: &OrderFill, action: &str) {
        if self.deal.config.trailing.is_some() {
            return;
        }
        for order in target_orders(&self.deal, &self.of.market) {
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
        self.events.push(Value::Object(object! { "message": message, "created_at": timestamp(fill.at) }));
    }
}
