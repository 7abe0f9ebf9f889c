//! The history of a bot that did nothing in the sandbox yet, from the figures of its record.

use jiff::{SignedDuration, Timestamp};

use super::{GridHistory, Situation, StartTimes};
use crate::clock::later;
use crate::grid_bot_record;
use crate::random::Random;
use crate::record::{JsonRecord, integer, is_true, string};
use botdesk_planning::engine_config::decimal_of;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{Market, SimulatedGridBot};
use botdesk_trading::grid::OrderSide;

/// The highest number of profits that are told. If a record counts more, each of them is larger.
const MOST_PROFITS: u64 = 1_000;

/// The decimal places of a profit.
const PLACES: u8 = 8;

impl GridHistory {
    /// Returns the history that fits a record: a bot that has started, traded, and returned to the level where it began.
    pub(crate) fn of_record(bot: &JsonRecord, market: &Market, seed: u64) -> Self {
        tell(bot, market, seed)
    }
}

fn tell(bot: &JsonRecord, market: &Market, seed: u64) -> GridHistory {
    let mut history = GridHistory::default();
    let [created, updated] = ["created_at", "updated_at"].map(|field| string(bot, field).parse().unwrap_or_default());
    let updated: Timestamp = std::cmp::max(created, updated);
    let count = integer(bot, "total_profits_count").and_then(|count| u64::try_from(count).ok()).unwrap_or_default();
    let count = count.min(MOST_PROFITS);
    let is_enabled = is_true(bot, "is_enabled");
    let grid = grid_bot_record::read(bot, market, None).filter(|_| is_enabled || count > 0);
    let Some(mut grid) = grid.filter(|grid| grid.config.levels.len() > 1) else {
        history.say("Bot created".to_owned(), created);
        return history;
    };
    if !grid.start_price.is_positive() {
        grid.start_price = grid.config.levels.get(grid.empty_level).cloned().unwrap_or_default();
    }
    grid.is_enabled = true;
    let within = |millis: i64| later(created, SignedDuration::from_millis(millis)).min(updated);
    history.start_with(&Situation { bot, grid: &grid, at: created }, StartTimes::LIVE, within);
    let started = history.times().max().and_then(|last| last.parse().ok()).unwrap_or(created);
    trade(&mut history, bot, &mut grid, Random::new(seed, identifier(bot)), count, [started, updated]);
    grid.is_enabled = is_enabled;
    let now = Situation { bot, grid: &grid, at: updated };
    if !is_enabled {
        history.turn_off(&now);
    }
    history.agree_with(&now);
    history
}

fn identifier(bot: &JsonRecord) -> u64 {
    integer(bot, "id").and_then(|id| u64::try_from(id).ok()).unwrap_or_default()
}

/// Lets the price go up and down until the bot has made its profits: on a way that ends where it began, each step up has one down,
/// and one of the two makes a profit.
fn trade(
    history: &mut GridHistory,
    bot: &JsonRecord,
    grid: &mut SimulatedGridBot,
    random: Random,
    count: u64,
    [started, updated]: [Timestamp; 2],
) {
    let fills = way(grid, random, count);
    let weights: Vec<_> = fills.iter().filter_map(|(level, side)| grid.step_profit(*side, *level)).collect();
    let [profits, usd] =
        ["current_profit", "current_profit_usd"].map(|field| shares(&decimal_of(bot, field), &weights));
    let mut profits = profits.into_iter().zip(usd);
    let period = updated.duration_since(started).as_millis();
    let steps = i128::try_from(fills.len()).unwrap_or(i128::MAX).max(1);
    for (step, (level, side)) in (1_i128..).zip(fills) {
        let millis = i64::try_from(period.saturating_mul(step) / steps).unwrap_or(i64::MAX);
        let at = later(started, SignedDuration::from_millis(millis));
        let profit = grid.step_profit(side, level).and_then(|_| profits.next());
        let line = (grid.lines.get(level), grid.config.levels.get(level), grid.quantities.get(level));
        if let (Some(number), Some(price), Some(quantity)) = line {
            history.fill_order(&Situation { bot, grid, at }, *number, (side, price, quantity), profit);
        }
        grid.empty_level = level;
        history.update_orders(&Situation { bot, grid, at }, |_| at);
    }
}

/// Returns the levels whose orders are filled on a way, each with the side of its order.
fn way(grid: &SimulatedGridBot, mut random: Random, count: u64) -> Vec<(usize, OrderSide)> {
    let highest = grid.config.levels.len().saturating_sub(1);
    let (mut ups, mut downs, mut level) = (count, count, grid.empty_level);
    let mut fills = Vec::new();
    while ups > 0 || downs > 0 {
        let is_up = downs == 0 || level == 0 || level < highest && ups > 0 && random.next().is_multiple_of(2);
        let side = if is_up {
            ups = ups.saturating_sub(1);
            level = level.saturating_add(1);
            OrderSide::Sell
        } else {
            downs = downs.saturating_sub(1);
            level = level.saturating_sub(1);
            OrderSide::Buy
        };
        fills.push((level, side));
    }
    fills
}

/// Divides an amount by weights. The parts add up to the amount.
fn shares(amount: &Decimal, weights: &[Decimal]) -> Vec<Decimal> {
    let total = weights.iter().fold(Decimal::ZERO, |sum, weight| sum + weight);
    let mut left = amount.clone();
    let last = weights.len().saturating_sub(1);
    let share = |(index, weight): (usize, &Decimal)| {
        if index == last {
            return std::mem::take(&mut left);
        }
        let share = (amount * weight).div_round(&total, PLACES).unwrap_or_default();
        left -= &share;
        share
    };
    weights.iter().enumerate().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_amount() {
        let weights: Vec<_> = [1, 2, 4].map(Decimal::integer).into();
        let parts = shares(&Decimal::integer(10), &weights);
        assert_eq!(
            parts.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["1.42857143", "2.85714286", "5.71428571"]
        );
        assert_eq!(shares(&Decimal::integer(3), &[Decimal::ZERO, Decimal::ZERO])[1], Decimal::integer(3));
        assert!(shares(&Decimal::ONE, &[]).is_empty());
    }
}
