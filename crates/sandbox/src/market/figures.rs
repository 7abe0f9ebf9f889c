//! Writes the figures of a deal to its record.

use bigdecimal::{BigDecimal, RoundingMode, Zero};
use serde_json::Value;

use super::CloseReason;
use super::deals::DealSimulation;
use super::position::entry_and_exit;
use crate::clock::timestamp;
use crate::defaults::object;
use crate::record::JsonRecord;
use botdesk_trading::ladder::Direction;
use botdesk_trading::rounding::quotient;

/// The number of decimal places that an average price has in addition to those of the tick.
const ADDITIONAL_PLACES: i64 = 6;

/// Formats a number as records contain it.
pub(crate) fn plain(number: &BigDecimal) -> String {
    // Without it, a zero with a negative scale would be written with several digits.
    number.normalized().to_plain_string()
}

/// Returns the percentage that a part is of a whole, with two decimal places.
pub(crate) fn percent(part: &BigDecimal, whole: &BigDecimal) -> String {
    let percent = quotient(&(part * BigDecimal::from(100)), whole).unwrap_or_default();
    plain(&percent.with_scale_round(2, RoundingMode::HalfEven))
}

impl DealSimulation<'_> {
    /// Writes the position of the deal, its value, and the figures that depend on them.
    pub(super) fn write(&mut self) {
        let now = timestamp(self.context.now);
        let profit = self.position.profit(&self.context.quote.price);
        let target = self.take_profit_price().map(|price| price.to_plain_string());
        let stop_loss = self.stop_loss_price().map(|price| plain(&price));
        let placed = self.orders_placed();
        let widget = self.widget(target.as_deref());
        let open = plain(&self.position.open_quantity());
        let spent = plain(&(&self.position.entry.volume - &self.position.exited_volume).max(BigDecimal::zero()));
        self.write_sides();
        self.deal.record.extend(object! {
            "completed_safety_orders_count": self.position.filled_safety_orders,
            "current_active_safety_orders": placed,
            "current_active_safety_orders_count": placed,
            "current_price": self.context.quote.price.to_plain_string(),
            "take_profit_price": target,
            "stop_loss_price": stop_loss,
            "actual_profit": plain(&profit),
            "actual_usd_profit": plain(&(&profit * &self.context.quote.usd)),
            "actual_profit_percentage": percent(&profit, &self.position.entry.volume),
            "reserved_base_coin": open.as_str(),
            "reserved_base_funds": open,
            "reserved_second_coin": spent.as_str(),
            "reserved_quote_funds": spent,
            "crypto_widget": widget,
            "updated_at": now,
        });
    }

    fn write_sides(&mut self) {
        let [entry, exit] = entry_and_exit(self.config.direction);
        let position = &self.position;
        let places = self.context.quote.tick.fractional_digit_count().max(0) + ADDITIONAL_PLACES;
        let average = |volume: &BigDecimal, quantity: &BigDecimal| {
            let average = quotient(volume, quantity).unwrap_or_default();
            plain(&average.with_scale_round(places, RoundingMode::HalfEven))
        };
        let entry_totals = (&position.entry.quantity, &position.entry.volume);
        let exit_totals = (&position.exited_quantity, &position.exited_volume);
        for (side, (quantity, volume)) in [(entry, entry_totals), (exit, exit_totals)] {
            self.deal.record.extend([
                (side.amount.to_owned(), Value::from(plain(quantity))),
                (side.volume.to_owned(), Value::from(plain(volume))),
                (side.average.to_owned(), Value::from(average(volume, quantity))),
            ]);
        }
    }

    /// Marks the deal as closed, and writes its final profit.
    pub(super) fn write_close(&mut self, reason: CloseReason) {
        let profit = self.position.profit(&self.context.quote.price);
        let (status, localized) = reason.status();
        self.deal.stops_at = None;
        self.deal.record.extend(object! {
            "status": status,
            "localized_status": localized,
            "finished?": true,
            "closed_at": timestamp(self.context.now),
            "cancellable?": false,
            "panic_sellable?": false,
            "add_fundable": false,
            "smart_trade_convertable": false,
            "current_active_safety_orders": 0,
            "current_active_safety_orders_count": 0,
            "final_profit": plain(&profit),
            "final_profit_percentage": percent(&profit, &self.position.entry.volume),
            "usd_final_profit": plain(&(&profit * &self.context.quote.usd)),
        });
    }

    /// Returns the chart. The first letter of its last member is Cyrillic, because live services send it that way.
    fn widget(&self, target: Option<&str>) -> JsonRecord {
        let step = |price: &BigDecimal, filled: bool| {
            Value::Object(object! { "price": price.to_plain_string(), "filled": filled })
        };
        let mut steps = vec![step(&self.config.base_price, true)];
        if self.orders_placed() > 0 {
            steps.extend(self.next_order().map(|(price, _)| step(&price, false)));
        }
        let mark = |price| object! { "type": "takeProfit", "label": "TP", "price": price, "position": 100 };
        object! {
            "progressAccuracy": 2,
            "buyPrice": self.position.entry.average_price().map(|price| plain(&price.with_prec(16))),
            "currentPrice": self.context.quote.price.to_plain_string(),
            "inverted": self.config.direction == Direction::Short,
            "stopLosses": Vec::<Value>::new(),
            "LP": Value::Null,
            "buySteps": steps,
            "marks": target.map(mark).map(Value::Object).into_iter().collect::<Vec<_>>(),
            "\u{430}ctivated": false,
        }
    }
}
