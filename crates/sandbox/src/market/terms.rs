//! What a deal goes by, read from its record.

use bigdecimal::{BigDecimal, Zero};
use jiff::SignedDuration;
use serde_json::Value;

use crate::record::{Record, is_true, list, number, text, whole};
use botdesk_api::dca_bot::DcaBotEdit;
use botdesk_api::decimal;
use botdesk_trading::ladder::{self, Direction};
use botdesk_trading::position::{ProfitOf, TakeProfit};

/// The terms of a deal.
pub(super) struct Terms {
    pub(super) direction: Direction,
    /// The price of the base order.
    pub(super) base_price: BigDecimal,
    /// Where parts of the deal take their profit, one after the other.
    pub(super) targets: Vec<Target>,
    pub(super) ladder: Ladder,
    /// How far the take profit trails the price, in percent, where it does.
    pub(super) trailing: Option<BigDecimal>,
    pub(super) stop_loss: Option<StopLoss>,
}

/// A take-profit target.
pub(super) struct Target {
    pub(super) take_profit: TakeProfit,
    /// How much of the deal is closed once it is reached, those before it counted, in percent.
    pub(super) closed: BigDecimal,
}

/// The safety orders of a deal.
pub(super) struct Ladder {
    step: BigDecimal,
    step_coefficient: BigDecimal,
    volume: Volume,
    volume_coefficient: BigDecimal,
    /// How many there are.
    pub(super) orders: u32,
    /// How many of them may be on the exchange at once.
    pub(super) at_once: u32,
}

/// Where a deal stops its loss.
pub(super) struct StopLoss {
    /// How far away, in percent.
    pub(super) percent: BigDecimal,
    /// Whether it trails the price.
    pub(super) trails: bool,
    /// How long it waits.
    pub(super) waits: Option<SignedDuration>,
    /// How far it moves as targets are reached: 0 is the base order's price, 1 the first target, and so on.
    pub(super) moves_to: Option<usize>,
}

/// The volume of an order, and what it is counted in.
pub(super) struct Volume {
    amount: BigDecimal,
    of: VolumeOf,
}

enum VolumeOf {
    Quote,
    Base,
    /// So many percent of what the account holds.
    Balance,
}

impl Terms {
    pub(super) fn of(deal: &Record) -> Self {
        let positive = |field: &str| Some(number(deal, field)).filter(|percent| *percent > BigDecimal::zero());
        let in_steps = !list(deal, "take_profit_steps").is_empty();
        Self {
            direction: if text(deal, "strategy") == "short" { Direction::Short } else { Direction::Long },
            base_price: number(deal, "base_order_average_price"),
            targets: targets(deal),
            ladder: Ladder::of(deal),
            trailing: positive("trailing_deviation").filter(|_| is_true(deal, "trailing_enabled") && !in_steps),
            stop_loss: positive("stop_loss_percentage").map(|percent| StopLoss::of(deal, percent)),
        }
    }
}

/// The targets of a deal; without steps it has one, or none at a take profit of 0.
fn targets(deal: &Record) -> Vec<Target> {
    let of = if text(deal, "take_profit_type") == "base" { ProfitOf::BaseOrder } else { ProfitOf::Total };
    let steps = list(deal, "take_profit_steps");
    if steps.is_empty() {
        let percent = number(deal, "take_profit");
        let target = Target { take_profit: TakeProfit { percent, of }, closed: BigDecimal::from(100) };
        return if target.take_profit.percent > BigDecimal::zero() { vec![target] } else { Vec::new() };
    }
    let member = |step: &Value, name: &str| step.get(name).and_then(decimal::of).unwrap_or_default();
    let mut closed = BigDecimal::zero();
    let target = |step| {
        closed += member(step, "amount_percentage");
        Target { take_profit: TakeProfit { percent: member(step, "profit_percentage"), of }, closed: closed.clone() }
    };
    steps.iter().map(target).collect()
}

impl Ladder {
    fn of(deal: &Record) -> Self {
        // A record may claim more than the document allows.
        let most = DcaBotEdit::max_safety_orders.most().and_then(|most| u32::try_from(most).ok()).unwrap_or_default();
        let count = |field: &str| {
            u32::try_from(whole(deal, field).unwrap_or_default().clamp(0, most.into())).unwrap_or_default()
        };
        Self {
            step: number(deal, "safety_order_step_percentage"),
            step_coefficient: number(deal, "martingale_step_coefficient"),
            volume: Volume::of(deal, "safety_order_volume", "safety_order_volume_type"),
            volume_coefficient: number(deal, "martingale_volume_coefficient"),
            orders: count("max_safety_orders"),
            at_once: count("active_safety_orders_count"),
        }
    }

    /// The price of a safety order.
    pub(super) fn price(&self, terms: &Terms, order: u32, tick: &BigDecimal) -> BigDecimal {
        let deviation = ladder::deviation(order, &self.step, &self.step_coefficient);
        ladder::safety_order_price(terms.direction, &terms.base_price, &deviation, Some(tick))
    }

    /// How much a safety order buys or sells at a price; None where there is no such order.
    pub(super) fn quantity(&self, order: u32, price: &BigDecimal, balance: &BigDecimal) -> Option<BigDecimal> {
        let amount = ladder::safety_order_size(order, &self.volume.amount, &self.volume_coefficient);
        self.volume.quantity_of(&amount, price, balance)
    }
}

impl StopLoss {
    fn of(deal: &Record, percent: BigDecimal) -> Self {
        let seconds = whole(deal, "stop_loss_timeout_in_seconds").unwrap_or_default();
        let limit = deal.get("sl_to_breakeven_data").and_then(|data| data.get("upper_breakeven_limit"));
        let limit = limit.and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
        Self {
            percent,
            trails: is_true(deal, "tsl_enabled"),
            waits: (is_true(deal, "stop_loss_timeout_enabled") && seconds > 0)
                .then(|| SignedDuration::from_secs(seconds)),
            moves_to: limit.filter(|_| is_true(deal, "sl_to_breakeven_enabled")),
        }
    }
}

impl Volume {
    pub(super) fn of(record: &Record, amount: &str, kind: &str) -> Self {
        let of = match text(record, kind) {
            "base_currency" => VolumeOf::Base,
            "percent" => VolumeOf::Balance,
            _ => VolumeOf::Quote,
        };
        Self { amount: number(record, amount), of }
    }

    /// How much an order of this volume buys or sells at a price; None where there is no such order.
    pub(super) fn quantity(&self, price: &BigDecimal, balance: &BigDecimal) -> Option<BigDecimal> {
        self.quantity_of(&self.amount, price, balance)
    }

    fn quantity_of(&self, amount: &BigDecimal, price: &BigDecimal, balance: &BigDecimal) -> Option<BigDecimal> {
        let size = match self.of {
            VolumeOf::Quote => amount.clone(),
            VolumeOf::Base => amount * price,
            VolumeOf::Balance => amount * balance * BigDecimal::new(1.into(), 2),
        };
        ladder::quantity(&size, price, Some(&super::lot())).filter(|quantity| *quantity > BigDecimal::zero())
    }
}
