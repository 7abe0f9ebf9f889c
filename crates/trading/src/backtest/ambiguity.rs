//! Candles that would have gone otherwise if their extremes had come in the other order.

use super::run::{Backtest, Interrupted, STOP_INTERVAL, Simulation};
use crate::engine::{Event, EventKind, Milliseconds};

impl Backtest {
    /// Counts the candles in which other deals would have opened, or other orders filled, if their extremes had come in the other order.
    pub fn ambiguous_candles(&self, should_stop: &dyn Fn() -> bool) -> Result<usize, Interrupted> {
        let mut steps = 0_usize;
        let mut must_stop = || {
            steps += 1;
            steps.is_multiple_of(STOP_INTERVAL) && should_stop()
        };
        let mut simulation = Simulation::new(self);
        let mut compared: Vec<Option<usize>> = vec![None; self.histories.len()];
        let mut count = 0;
        while let Some(step) = simulation.next_step() {
            for (pair, last) in compared.iter_mut().enumerate() {
                let Some((candle, end)) = simulation.candle_at(pair, step.time()) else { continue };
                // At the first step within a candle, nothing has happened since its start.
                if last.is_none_or(|last| last < candle) {
                    *last = Some(candle);
                    count += usize::from(simulation.is_ambiguous(pair, candle, end, &mut must_stop)?);
                }
            }
            simulation.take(step);
            if must_stop() {
                return Err(Interrupted);
            }
        }
        Ok(count)
    }
}

impl Simulation<'_> {
    /// Returns the candle of a pair at a time, and the time of its last point.
    fn candle_at(&self, pair: usize, time: Milliseconds) -> Option<(usize, Milliseconds)> {
        let cursor = self.pairs.cursors.get(pair)?;
        let candle = cursor.candle_at(time)?;
        Some((candle, cursor.end_of(candle)?))
    }

    /// Returns true if other deals would open, or other orders fill, by the end of a candle with its extremes in the other order. The
    /// candle must not have begun.
    fn is_ambiguous(
        &self,
        pair: usize,
        candle: usize,
        end: Milliseconds,
        must_stop: &mut impl FnMut() -> bool,
    ) -> Result<bool, Interrupted> {
        let mut flipped = self.copy();
        if let Some(cursor) = flipped.pairs.cursors.get_mut(pair) {
            cursor.flip(candle);
        }
        let usual = self.copy().deals_and_orders_until(end, must_stop)?;
        Ok(usual != flipped.deals_and_orders_until(end, must_stop)?)
    }

    fn deals_and_orders_until(
        mut self,
        end: Milliseconds,
        must_stop: &mut impl FnMut() -> bool,
    ) -> Result<Vec<EventKind>, Interrupted> {
        while let Some(step) = self.next_step().filter(|step| step.time() <= end) {
            self.take(step);
            if must_stop() {
                return Err(Interrupted);
            }
        }
        Ok(deals_and_orders(self.events))
    }
}

/// Returns the deals that opened, each with its pair, and the orders that filled, deal by deal. Their times may differ.
fn deals_and_orders(events: Vec<Event>) -> Vec<EventKind> {
    let is_deal_or_order = |kind: &EventKind| matches!(kind, EventKind::DealOpened { .. } | EventKind::OrderFilled(_));
    let mut kinds: Vec<_> = events.into_iter().map(|event| event.kind).filter(is_deal_or_order).collect();
    // The orders of a deal stay in their order, and so do those of a grid.
    kinds.sort_by_key(|kind| match kind {
        EventKind::DealOpened { deal, .. } => Some(*deal),
        EventKind::OrderFilled(fill) => fill.deal,
        EventKind::DealClosed { .. } | EventKind::GridMoved(_) | EventKind::BotDisabled(_) => None,
    });
    kinds
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::{option, sample};

    use super::super::run::History;
    use super::super::simulated_bot::{EngineBot, SimulatedBot};
    use super::*;
    use crate::candles::{Candles, CandlesBuilder, ExtremeOrder};
    use crate::decimal::Decimal;
    use crate::engine::{
        DcaBotConfig, DealConfig, Market, OrderVolume, SafetyOrders, SimulatedDcaBot, StopLoss, Target, VolumeUnit,
    };
    use crate::ladder::Direction;
    use crate::position::{ProfitOf, TakeProfit};

    const MINUTE: i64 = 60_000;

    /// Returns a tenth of a number of tenths.
    fn tenths(number: i128) -> Decimal {
        Decimal::new(number, 1)
    }

    /// The hours since the candle before, the steps in tenths to the open, the low and the high, and the place of the close between
    /// these in quarters.
    type PriceSteps = (i64, i128, i128, i128, i128);

    /// Returns candles of an hour.
    fn candles(steps: &[PriceSteps]) -> Candles {
        let mut builder = CandlesBuilder::default();
        let (mut close, mut hour) = (1_000, 0);
        for (hours, to_open, below, above, to_close) in steps {
            hour += hours;
            let open = close + to_open;
            let (low, high) = (open - below, open + above);
            close = low + (high - low) * to_close / 4;
            builder.times.push(60 * MINUTE * hour);
            for (column, price) in builder.prices.iter_mut().zip([open, high, low, close]) {
                column.push_text(&tenths(price).to_string()).unwrap();
            }
        }
        builder.finish().unwrap()
    }

    prop_compose! {
        fn deal()(
            direction in sample::select(vec![Direction::Long, Direction::Short]), count in 0_u32..3, step in 1_i128..20,
            take_profit in 1_i128..40, trailing in option::of(1_i128..15), stop_loss in option::of(10_i128..50),
            is_trailing in any::<bool>(), timeout in option::of(10_i64..90),
        ) -> DealConfig {
            let volume = OrderVolume { amount: Decimal::HUNDRED, unit: VolumeUnit::Quote };
            let take_profit = TakeProfit { percent: tenths(take_profit), of: ProfitOf::Total };
            let stop_loss = stop_loss.map(|percent| StopLoss {
                percent: tenths(percent), is_trailing, timeout: timeout.map(|minutes| minutes * MINUTE), breakeven_limit: None,
            });
            DealConfig {
                direction, base_order: volume.clone(), base_order_is_market: false,
                safety_orders: SafetyOrders::new(count, volume, tenths(step), &Decimal::ONE, &Decimal::ONE),
                targets: vec![Target { take_profit, closed: Decimal::HUNDRED }], trailing: trailing.map(tenths), stop_loss,
            }
        }
    }

    prop_compose! {
        fn bot(pairs: usize)(
            deal in deal(), max_active_deals in 1_usize..4, max_deals_per_pair in option::of(1_usize..3),
            cooldown in sample::select(vec![0, 0, 20, 50, 130]), start_delay in option::of(1_i64..150),
            deal_timeout in option::of(30_i64..400), max_price in option::of(980_i128..1_020),
        ) -> SimulatedBot {
            let minutes = |minutes: Option<i64>| minutes.map(|minutes| minutes * MINUTE);
            SimulatedBot::new(EngineBot::Dca(SimulatedDcaBot::new(DcaBotConfig {
                deal: Arc::new(deal), pairs: (0..pairs).map(|pair| Arc::from(pair.to_string())).collect(), is_nonstop: true,
                max_active_deals, max_deals_per_pair, cooldown: cooldown * MINUTE, start_delay: minutes(start_delay),
                deal_timeout: minutes(deal_timeout), max_deals: None, disables_after_stop_loss: false, min_price: None,
                max_price: max_price.map(tenths),
            })))
        }
    }

    /// Returns a bot, and the steps of the prices of each of its pairs.
    fn bot_and_steps() -> impl Strategy<Value = (SimulatedBot, Vec<Vec<PriceSteps>>)> {
        let step = (1_i64..3, -8_i128..9, 0_i128..20, 0_i128..20, 0_i128..5);
        (1_usize..3).prop_flat_map(move |pairs| (bot(pairs), vec(vec(step.clone(), 1..10), pairs)))
    }

    fn history((pair, steps): (usize, &Vec<PriceSteps>)) -> History {
        let market = Market {
            pair: Arc::from(pair.to_string()),
            tick: tenths(1),
            lot: Decimal::new(1, 4),
            fee: Decimal::ZERO,
            slippage: Decimal::ZERO,
        };
        History { market, candles: candles(steps), signals: Vec::new() }
    }

    /// Returns the deals and orders within a candle, after a run from the first candle on.
    fn outcome(backtest: &Backtest, pair: usize, candle: usize, is_flipped: bool) -> Vec<EventKind> {
        let mut simulation = Simulation::new(backtest);
        let cursor = &mut simulation.pairs.cursors[pair];
        if is_flipped {
            cursor.flip(candle);
        }
        let times = backtest.histories[pair].candles.time(candle).unwrap()..=cursor.end_of(candle).unwrap();
        while let Some(step) = simulation.next_step() {
            simulation.take(step);
        }
        deals_and_orders(simulation.events.into_iter().filter(|event| times.contains(&event.at)).collect())
    }

    proptest! {
        #[test]
        fn a_candle_is_ambiguous_if_a_run_with_its_other_order_differs_in_it(
            (bot, steps) in bot_and_steps(), path in sample::select(ExtremeOrder::ALL.map(|(_, path)| path).to_vec()),
        ) {
            let histories: Vec<_> = steps.iter().enumerate().map(history).collect();
            let backtest = Backtest { bot, histories, balance: Decimal::ZERO, path };
            let candles = |pair: usize| (0..backtest.histories[pair].candles.len()).map(move |candle| (pair, candle));
            let all = (0..backtest.histories.len()).flat_map(candles);
            let differs = |(pair, candle): &(usize, usize)| {
                outcome(&backtest, *pair, *candle, false) != outcome(&backtest, *pair, *candle, true)
            };
            let ambiguous: Vec<_> = all.filter(differs).collect();
            let count = backtest.ambiguous_candles(&|| false);
            prop_assert_eq!(count, Ok(ambiguous.len()), "ambiguous pairs and candles: {:?}", ambiguous);
        }
    }
}
