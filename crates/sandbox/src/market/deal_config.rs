//! The settings of a deal, parsed from its record.

use bigdecimal::{BigDecimal, Zero};
use jiff::SignedDuration;
use serde_json::Value;

use crate::record::{JsonRecord, integer, is_true, list, number, string};
use botdesk_api::dca_bot::DcaBotEdit;
use botdesk_api::decimal;
use botdesk_trading::ladder::{self, Direction};
use botdesk_trading::position::{ProfitOf, TakeProfit};

/// The settings of a deal.
pub(super) struct DealConfig {
    pub(super) direction: Direction,
    /// The price of the base order.
    pub(super) base_price: BigDecimal,
    /// The take-profit targets in order.
    pub(super) targets: Vec<TakeProfitTarget>,
    pub(super) safety_orders: SafetyOrderConfig,
    /// The trailing deviation in percent, if trailing is on.
    pub(super) trailing: Option<BigDecimal>,
    pub(super) stop_loss: Option<StopLossConfig>,
}

/// A take-profit target.
pub(super) struct TakeProfitTarget {
    pub(super) take_profit: TakeProfit,
    /// The percentage of the deal that is closed once this target and all before it are reached.
    pub(super) closed: BigDecimal,
}

/// The settings of safety orders.
pub(super) struct SafetyOrderConfig {
    step: BigDecimal,
    step_coefficient: BigDecimal,
    volume: OrderVolume,
    volume_coefficient: BigDecimal,
    /// The number of safety orders.
    pub(super) count: u32,
    /// The number of safety orders that may be on the exchange at the same time.
    pub(super) max_active: u32,
}

/// The settings of a stop loss.
pub(super) struct StopLossConfig {
    /// The distance in percent.
    pub(super) percent: BigDecimal,
    /// True if it trails the price.
    pub(super) is_trailing: bool,
    /// The time for which the price must stay past the stop loss.
    pub(super) timeout: Option<SignedDuration>,
    /// The farthest level to which it moves as targets are reached: 0 is the base order's price, 1 the first target, and so on.
    pub(super) breakeven_limit: Option<usize>,
}

/// The volume of an order and its unit.
pub(super) struct OrderVolume {
    amount: BigDecimal,
    unit: OrderVolumeUnit,
}

enum OrderVolumeUnit {
    Quote,
    Base,
    /// A percentage of the account's balance.
    Balance,
}

impl DealConfig {
    pub(super) fn from_record(deal: &JsonRecord) -> Self {
        let positive = |field: &str| Some(number(deal, field)).filter(|percent| *percent > BigDecimal::zero());
        let in_steps = !list(deal, "take_profit_steps").is_empty();
        Self {
            direction: if string(deal, "strategy") == "short" { Direction::Short } else { Direction::Long },
            base_price: number(deal, "base_order_average_price"),
            targets: targets(deal),
            safety_orders: SafetyOrderConfig::from_record(deal),
            trailing: positive("trailing_deviation").filter(|_| is_true(deal, "trailing_enabled") && !in_steps),
            stop_loss: positive("stop_loss_percentage").map(|percent| StopLossConfig::from_record(deal, percent)),
        }
    }
}

/// Returns the targets of a deal. A deal without steps has one, or none if its take profit is 0.
fn targets(deal: &JsonRecord) -> Vec<TakeProfitTarget> {
    let of = if string(deal, "take_profit_type") == "base" { ProfitOf::BaseOrder } else { ProfitOf::Total };
    let steps = list(deal, "take_profit_steps");
    if steps.is_empty() {
        let percent = number(deal, "take_profit");
        let target = TakeProfitTarget { take_profit: TakeProfit { percent, of }, closed: BigDecimal::from(100) };
        return if target.take_profit.percent > BigDecimal::zero() { vec![target] } else { Vec::new() };
    }
    let member = |step: &Value, name: &str| step.get(name).and_then(decimal::of).unwrap_or_default();
    let mut closed = BigDecimal::zero();
    let target = |step| {
        closed += member(step, "amount_percentage");
        TakeProfitTarget {
            take_profit: TakeProfit { percent: member(step, "profit_percentage"), of },
            closed: closed.clone(),
        }
    };
    steps.iter().map(target).collect()
}

impl SafetyOrderConfig {
    fn from_record(deal: &JsonRecord) -> Self {
        // A record may contain more than the API reference allows.
        let max = DcaBotEdit::max_safety_orders.most().and_then(|max| u32::try_from(max).ok()).unwrap_or_default();
        let count = |field: &str| {
            u32::try_from(integer(deal, field).unwrap_or_default().clamp(0, max.into())).unwrap_or_default()
        };
        Self {
            step: number(deal, "safety_order_step_percentage"),
            step_coefficient: number(deal, "martingale_step_coefficient"),
            volume: OrderVolume::from_record(deal, "safety_order_volume", "safety_order_volume_type"),
            volume_coefficient: number(deal, "martingale_volume_coefficient"),
            count: count("max_safety_orders"),
            max_active: count("active_safety_orders_count"),
        }
    }

    /// Returns the price of a safety order.
    pub(super) fn price(&self, config: &DealConfig, order: u32, tick: &BigDecimal) -> BigDecimal {
        let deviation = ladder::deviation(order, &self.step, &self.step_coefficient);
        ladder::safety_order_price(config.direction, &config.base_price, &deviation, Some(tick))
    }

    /// Returns the quantity of a safety order at a price; None if it is too small.
    pub(super) fn quantity(&self, order: u32, price: &BigDecimal, balance: &BigDecimal) -> Option<BigDecimal> {
        let amount = ladder::safety_order_size(order, &self.volume.amount, &self.volume_coefficient);
        self.volume.quantity_of(&amount, price, balance)
    }
}

impl StopLossConfig {
    fn from_record(deal: &JsonRecord, percent: BigDecimal) -> Self {
        let seconds = integer(deal, "stop_loss_timeout_in_seconds").unwrap_or_default();
        let limit = deal.get("sl_to_breakeven_data").and_then(|data| data.get("upper_breakeven_limit"));
        let limit = limit.and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        Self {
            percent,
            is_trailing: is_true(deal, "tsl_enabled"),
            timeout: (is_true(deal, "stop_loss_timeout_enabled") && seconds > 0)
                .then(|| SignedDuration::from_secs(seconds)),
            breakeven_limit: limit.filter(|_| is_true(deal, "sl_to_breakeven_enabled")),
        }
    }
}

impl OrderVolume {
    pub(super) fn from_record(record: &JsonRecord, amount: &str, kind: &str) -> Self {
        let unit = match string(record, kind) {
            "base_currency" => OrderVolumeUnit::Base,
            "percent" => OrderVolumeUnit::Balance,
            _ => OrderVolumeUnit::Quote,
        };
        Self { amount: number(record, amount), unit }
    }

    /// Returns the quantity of an order at a price; None if it is too small.
    pub(super) fn quantity(&self, price: &BigDecimal, balance: &BigDecimal) -> Option<BigDecimal> {
        self.quantity_of(&self.amount, price, balance)
    }

    fn quantity_of(&self, amount: &BigDecimal, price: &BigDecimal, balance: &BigDecimal) -> Option<BigDecimal> {
        let size = match self.unit {
            OrderVolumeUnit::Quote => amount.clone(),
            OrderVolumeUnit::Base => amount * price,
            OrderVolumeUnit::Balance => amount * balance * BigDecimal::new(1.into(), 2),
        };
        ladder::quantity(&size, price, Some(&super::lot_size())).filter(|quantity| *quantity > BigDecimal::zero())
    }
}
