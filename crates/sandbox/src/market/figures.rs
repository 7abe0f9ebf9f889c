//! The figures of a deal, as its record shows them.

use bigdecimal::{BigDecimal, RoundingMode, Zero};
use serde_json::Value;

use super::End;
use super::deals::Course;
use super::position::sides;
use crate::clock::text as timestamp;
use crate::defaults::object;
use crate::record::Record;
use botdesk_trading::ladder::Direction;
use botdesk_trading::rounding::quotient;

/// The decimal places of an average price beyond those of the tick.
const PLACES_BEYOND_TICK: i64 = 6;

/// A number as records hold it.
pub(crate) fn plain(number: &BigDecimal) -> String {
    // Without a scale below 0, which a zero would be written out with.
    number.normalized().to_plain_string()
}

/// A part of a whole in percent, to two places.
pub(crate) fn percent(part: &BigDecimal, whole: &BigDecimal) -> String {
    let percent = quotient(&(part * BigDecimal::from(100)), whole).unwrap_or_default();
    plain(&percent.with_scale_round(2, RoundingMode::HalfEven))
}

impl Course<'_> {
    /// Writes into the record what the deal holds, what follows from it, and what it is worth.
    pub(super) fn write(&mut self) {
        let now = timestamp(self.scene.now);
        let profit = self.holding.profit(&self.scene.quote.price);
        let target = self.take_profit_price().map(|price| price.to_plain_string());
        let stop_loss = self.stop_loss_price().map(|price| plain(&price));
        let placed = self.orders_placed();
        let widget = self.widget(target.as_deref());
        let held = plain(&self.holding.rest());
        let spent = plain(&(&self.holding.entered.volume - &self.holding.left_volume).max(BigDecimal::zero()));
        self.write_sides();
        self.deal.record.extend(object! {
            "completed_safety_orders_count": self.holding.safety_orders,
            "current_active_safety_orders": placed,
            "current_active_safety_orders_count": placed,
            "current_price": self.scene.quote.price.to_plain_string(),
            "take_profit_price": target,
            "stop_loss_price": stop_loss,
            "actual_profit": plain(&profit),
            "actual_usd_profit": plain(&(&profit * &self.scene.quote.usd)),
            "actual_profit_percentage": percent(&profit, &self.holding.entered.volume),
            "reserved_base_coin": held.as_str(),
            "reserved_base_funds": held,
            "reserved_second_coin": spent.as_str(),
            "reserved_quote_funds": spent,
            "crypto_widget": widget,
            "updated_at": now,
        });
    }

    fn write_sides(&mut self) {
        let [entry, exit] = sides(self.terms.direction);
        let holding = &self.holding;
        let places = self.scene.quote.tick.fractional_digit_count().max(0) + PLACES_BEYOND_TICK;
        let average = |volume: &BigDecimal, quantity: &BigDecimal| {
            let average = quotient(volume, quantity).unwrap_or_default();
            plain(&average.with_scale_round(places, RoundingMode::HalfEven))
        };
        let entered = (&holding.entered.quantity, &holding.entered.volume);
        let left = (&holding.left_quantity, &holding.left_volume);
        for (side, (quantity, volume)) in [(entry, entered), (exit, left)] {
            self.deal.record.extend([
                (side.amount.to_owned(), Value::from(plain(quantity))),
                (side.volume.to_owned(), Value::from(plain(volume))),
                (side.average.to_owned(), Value::from(average(volume, quantity))),
            ]);
        }
    }

    /// Writes that the deal is over, and what it ended with.
    pub(super) fn write_end(&mut self, end: End) {
        let profit = self.holding.profit(&self.scene.quote.price);
        let (status, localized) = end.status();
        self.deal.stops_at = None;
        self.deal.record.extend(object! {
            "status": status,
            "localized_status": localized,
            "finished?": true,
            "closed_at": timestamp(self.scene.now),
            "cancellable?": false,
            "panic_sellable?": false,
            "add_fundable": false,
            "smart_trade_convertable": false,
            "current_active_safety_orders": 0,
            "current_active_safety_orders_count": 0,
            "final_profit": plain(&profit),
            "final_profit_percentage": percent(&profit, &self.holding.entered.volume),
            "usd_final_profit": plain(&(&profit * &self.scene.quote.usd)),
        });
    }

    /// The chart. The first letter of its last member is Cyrillic, as live services send it.
    fn widget(&self, target: Option<&str>) -> Record {
        let step = |price: &BigDecimal, filled: bool| {
            Value::Object(object! { "price": price.to_plain_string(), "filled": filled })
        };
        let mut steps = vec![step(&self.terms.base_price, true)];
        if self.orders_placed() > 0 {
            steps.extend(self.next_order().map(|(price, _)| step(&price, false)));
        }
        let mark = |price| object! { "type": "takeProfit", "label": "TP", "price": price, "position": 100 };
        object! {
            "progressAccuracy": 2,
            "buyPrice": self.holding.entered.average_price().map(|price| plain(&price.with_prec(16))),
            "currentPrice": self.scene.quote.price.to_plain_string(),
            "inverted": self.terms.direction == Direction::Short,
            "stopLosses": Vec::<Value>::new(),
            "LP": Value::Null,
            "buySteps": steps,
            "marks": target.map(mark).map(Value::Object).into_iter().collect::<Vec<_>>(),
            "\u{430}ctivated": false,
        }
    }
}
