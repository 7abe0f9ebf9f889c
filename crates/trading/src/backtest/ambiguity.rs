//! Candles that would have gone otherwise if their extremes had come in the other order.

use super::cursor::{POINTS, PointAt};
use super::run::{Backtest, Interrupted, STOP_INTERVAL, Simulation};
use crate::engine::{Event, EventKind, Fill};

impl Backtest {
    /// Counts the candles in which other orders would have filled if their extremes had come in the other order.
    pub fn ambiguous_candles(&self, should_stop: &dyn Fn() -> bool) -> Result<usize, Interrupted> {
        let mut simulation = Simulation::new(self);
        let (mut count, mut steps, mut last) = (0, 0_usize, None);
        loop {
            if let Some((point, pair)) = simulation.next_point() {
                let candle = (pair, point.index / POINTS);
                if last.replace(candle) != Some(candle) {
                    count += usize::from(simulation.is_ambiguous(point, pair));
                }
            }
            if !simulation.step() {
                return Ok(count);
            }
            steps += 1;
            if steps.is_multiple_of(STOP_INTERVAL) && should_stop() {
                return Err(Interrupted);
            }
        }
    }
}

impl Simulation<'_> {
    /// Returns true if other orders fill in the candle of a point if its extremes come in the other order.
    fn is_ambiguous(&self, point: PointAt, pair: usize) -> bool {
        let orders = |flipped| fills(self.events_of_candle(point.index / POINTS, pair, flipped));
        orders(false) != orders(true)
    }

    /// Returns what happens in one candle of a pair.
    fn events_of_candle(&self, candle: usize, pair: usize, flipped: bool) -> Vec<Event> {
        let mut copy = self.copy();
        let Some(cursor) = copy.pairs.cursors.get_mut(pair) else {
            return Vec::new();
        };
        cursor.flip(flipped);
        cursor.skip_to(candle * POINTS);
        while let Some(point) = copy.next_point_of(pair).filter(|point| point.index / POINTS == candle) {
            if let Some(timer) = copy.bot.next_timer(&copy.pairs).filter(|timer| *timer <= point.time) {
                copy.run_timers(timer);
            } else {
                copy.pass(point, pair);
            }
        }
        copy.events
    }
}

/// Returns the orders that filled. Their times may differ.
fn fills(events: Vec<Event>) -> Vec<Fill> {
    let fill = |event: Event| match event.kind {
        EventKind::OrderFilled(fill) => Some(fill),
        _ => None,
    };
    events.into_iter().filter_map(fill).collect()
}
