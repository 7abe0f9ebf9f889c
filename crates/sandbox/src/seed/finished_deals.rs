//! The number and the profit of the deals that a seeded bot has finished.

use bigdecimal::{BigDecimal, ToPrimitive};

use super::amounts::{cents, part_of};
use super::deal::first_target;
use crate::defaults::object;
use crate::random::Random;
use crate::record::{JsonRecord, is_true, number};

/// The volume of all safety orders, in hundredths of the first one: 1 + 1.7 + 2.89.
const ALL_SAFETY_ORDERS: i64 = 559;

/// Writes the finished deals of a bot. A bot with a lower take profit finishes more deals, and one without a stop loss loses in none.
pub(super) fn write(record: &mut JsonRecord, random: &mut Random) {
    let target = first_target(record);
    let tenths = (&target * BigDecimal::from(10)).to_i64().unwrap_or_default().max(1);
    let possible = random.between(180, 360) / tenths;
    let wins = if is_true(record, "is_enabled") { possible } else { possible / 3 };
    let has_stop_loss = number(record, "stop_loss_percentage") > 0;
    let losses = if has_stop_loss { random.between(0, wins / 8) } else { 0 };
    let gain = volume(record, random.between(20, 220)) * target;
    let loss = volume(record, ALL_SAFETY_ORDERS) * number(record, "stop_loss_percentage");
    let profit = (gain * BigDecimal::from(wins) - loss * BigDecimal::from(losses)) / BigDecimal::from(100);
    record.extend(object! {
        "finished_deals_profit_usd": cents(&profit).to_plain_string(),
        "finished_deals_count": (wins + losses).to_string(),
    });
}

/// Returns the volume of a deal with a part of its safety orders, in hundredths of the first one.
fn volume(record: &JsonRecord, hundredths: i64) -> BigDecimal {
    number(record, "base_order_volume") + part_of(&number(record, "safety_order_volume"), hundredths)
}
