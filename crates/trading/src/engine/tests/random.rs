//! Random bots and random price paths.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::{collection, option, sample};

use super::simulation::{BotSimulation, PAIRS, market};
use crate::decimal::Decimal;
use crate::engine::{
    DcaBotConfig, DealConfig, Market, Milliseconds, OrderVolume, SafetyOrders, StopLoss, Target, VolumeUnit,
};
use crate::ladder::Direction;
use crate::position::{ProfitOf, TakeProfit};

/// The time between two points of a candle.
pub(super) const QUARTER: Milliseconds = 15_000;

/// The settings of a bot in the terms of the API, from which the engine and the reference derive all prices and volumes.
#[derive(Clone, Debug)]
pub(super) struct RandomBot {
    pub(super) direction: Direction,
    pub(super) base_order: OrderVolume,
    pub(super) base_order_is_market: bool,
    pub(super) ladder: LadderSettings,
    /// The profit of each step in percent, and the share of the deal that it closes.
    pub(super) steps: Vec<(Decimal, Decimal)>,
    pub(super) profit_of: ProfitOf,
    pub(super) trailing: Option<Decimal>,
    pub(super) stop_loss: Option<StopLoss>,
    pub(super) bot: BotSettings,
    pub(super) exchange: ExchangeRules,
}

#[derive(Clone, Debug)]
pub(super) struct LadderSettings {
    pub(super) count: u32,
    pub(super) active: u32,
    pub(super) volume: OrderVolume,
    pub(super) step: Decimal,
    pub(super) step_coefficient: Decimal,
    pub(super) volume_coefficient: Decimal,
}

#[derive(Clone, Debug)]
pub(super) struct BotSettings {
    pub(super) pairs: usize,
    pub(super) is_nonstop: bool,
    pub(super) max_active_deals: usize,
    pub(super) max_deals_per_pair: Option<usize>,
    pub(super) cooldown: Milliseconds,
    pub(super) start_delay: Option<Milliseconds>,
    pub(super) deal_timeout: Option<Milliseconds>,
    pub(super) max_deals: Option<u64>,
    pub(super) disables_after_stop_loss: bool,
    pub(super) min_price: Option<Decimal>,
    pub(super) max_price: Option<Decimal>,
}

#[derive(Clone, Debug)]
pub(super) struct ExchangeRules {
    pub(super) tick: Decimal,
    pub(super) lot: Decimal,
    pub(super) fee: Decimal,
    pub(super) slippage: Decimal,
    pub(super) balance: Decimal,
}

/// Something that happens to a bot from outside. Pairs are indices of [`PAIRS`].
#[derive(Clone, Debug)]
pub(super) enum SimulationStep {
    Advance(Milliseconds),
    Jump(usize, Decimal),
    Move(usize, Decimal),
    Signal(usize),
    /// Cancels all deals. It takes `delay` until they are cancelled.
    Cancel {
        delay: Milliseconds,
        disables: bool,
    },
}

impl RandomBot {
    fn deal_config(&self) -> DealConfig {
        let LadderSettings { count, active, volume, step, step_coefficient, volume_coefficient } = &self.ladder;
        let orders = SafetyOrders::new(*count, volume.clone(), step.clone(), step_coefficient, volume_coefficient);
        let mut closed = Decimal::ZERO;
        let target = |(percent, share): &(Decimal, Decimal)| {
            closed += share;
            Target { take_profit: TakeProfit { percent: percent.clone(), of: self.profit_of }, closed: closed.clone() }
        };
        DealConfig {
            direction: self.direction,
            base_order: self.base_order.clone(),
            base_order_is_market: self.base_order_is_market,
            safety_orders: SafetyOrders { max_active: *active, ..orders },
            targets: self.steps.iter().map(target).collect(),
            trailing: self.trailing.clone(),
            stop_loss: self.stop_loss.clone(),
        }
    }

    pub(super) fn config(&self) -> DcaBotConfig {
        let bot = self.bot.clone();
        DcaBotConfig {
            deal: Arc::new(self.deal_config()),
            pairs: PAIRS.iter().take(bot.pairs).map(|pair| Arc::from(*pair)).collect(),
            is_nonstop: bot.is_nonstop,
            max_active_deals: bot.max_active_deals,
            max_deals_per_pair: bot.max_deals_per_pair,
            cooldown: bot.cooldown,
            start_delay: bot.start_delay,
            deal_timeout: bot.deal_timeout,
            max_deals: bot.max_deals,
            disables_after_stop_loss: bot.disables_after_stop_loss,
            min_price: bot.min_price,
            max_price: bot.max_price,
        }
    }

    pub(super) fn simulation(&self) -> BotSimulation {
        let mut simulation = BotSimulation::new(self.config());
        simulation.prices.markets = PAIRS.map(|pair| self.exchange.market(pair)).to_vec();
        simulation.prices.balance = self.exchange.balance.clone();
        simulation
    }
}

impl ExchangeRules {
    fn market(&self, pair: &str) -> Market {
        let Self { tick, lot, fee, slippage, .. } = self.clone();
        Market { tick, lot, fee, slippage, ..market(pair) }
    }
}

fn decimal(mantissas: std::ops::Range<i128>, scale: u8) -> impl Strategy<Value = Decimal> + Clone {
    mantissas.prop_map(move |mantissa| Decimal::new(mantissa, scale))
}

/// Returns times that often coincide with the points of candles.
fn time() -> impl Strategy<Value = Milliseconds> + Clone {
    prop_oneof![
        2 => (1..8_i64).prop_map(|quarters| quarters * QUARTER),
        1 => 1..200_000_i64,
    ]
}

fn volume() -> impl Strategy<Value = OrderVolume> {
    prop_oneof![
        decimal(1_000..100_000, 2).prop_map(|amount| OrderVolume { amount, unit: VolumeUnit::Quote }),
        decimal(1..50_000, 4).prop_map(|amount| OrderVolume { amount, unit: VolumeUnit::Base }),
        decimal(10..5_000, 2).prop_map(|amount| OrderVolume { amount, unit: VolumeUnit::Percent }),
    ]
}

fn ladder() -> impl Strategy<Value = LadderSettings> {
    let coefficients = || prop_oneof![Just(Decimal::ONE), decimal(5..25, 1)];
    let counts = (0..6_u32, 0..6_u32);
    let steps = prop_oneof![8 => decimal(80..400, 2), 2 => decimal(1..80, 2)];
    (counts, volume(), steps, coefficients(), coefficients()).prop_map(
        |((count, active), volume, step, step_coefficient, volume_coefficient)| LadderSettings {
            count,
            active,
            volume,
            step,
            step_coefficient,
            volume_coefficient,
        },
    )
}

/// Returns one to four steps with rising profits, of which the last closes the deal, or none.
fn steps() -> impl Strategy<Value = Vec<(Decimal, Decimal)>> {
    let shares = prop_oneof![
        1 => Just(vec![]),
        5 => Just(vec![100_i64]),
        2 => Just(vec![50, 50]),
        2 => Just(vec![33, 33, 34]),
        2 => Just(vec![10, 20, 30, 40]),
    ];
    (shares, collection::vec(20..250_i128, 4)).prop_map(|(shares, rises)| {
        let percents = rises.into_iter().scan(0, |sum, rise| {
            *sum += rise;
            Some(Decimal::new(*sum, 2))
        });
        percents.zip(shares.into_iter().map(Decimal::from)).collect()
    })
}

fn stop_losses() -> impl Strategy<Value = Option<StopLoss>> {
    let stop_loss = (decimal(80..900, 2), any::<bool>(), option::of(time()), option::of(0..4_usize));
    option::of(stop_loss.prop_map(|(percent, is_trailing, timeout, breakeven_limit)| StopLoss {
        percent,
        is_trailing,
        timeout,
        breakeven_limit,
    }))
}

fn bots() -> impl Strategy<Value = BotSettings> {
    let deals = (1..3_usize, prop::bool::weighted(0.8), 1..4_usize, option::weighted(0.6, 1..4_usize));
    let cooldown = prop_oneof![2 => Just(0), 1 => time()];
    let times = (cooldown, option::weighted(0.2, time()), option::weighted(0.2, time()));
    let ends = (option::weighted(0.2, 1..6_u64), prop::bool::weighted(0.2));
    let limits = (option::weighted(0.2, 850..1_000_i128), option::weighted(0.2, 1_000..1_150_i128));
    (deals, times, ends, limits).prop_map(|(deals, times, ends, limits)| BotSettings {
        pairs: deals.0,
        is_nonstop: deals.1,
        max_active_deals: deals.2,
        max_deals_per_pair: deals.3,
        cooldown: times.0,
        start_delay: times.1,
        deal_timeout: times.2,
        max_deals: ends.0,
        disables_after_stop_loss: ends.1,
        // In ticks, until the tick is known.
        min_price: limits.0.map(|ticks| Decimal::new(ticks, 0)),
        max_price: limits.1.map(|ticks| Decimal::new(ticks, 0)),
    })
}

fn exchanges() -> impl Strategy<Value = ExchangeRules> {
    let ticks = sample::select(vec!["0.01", "0.1", "0.25", "1", "0.00005", "5"]);
    let lots = sample::select(vec!["0.00000001", "0.0001", "0.001", "0.03"]);
    let fees = sample::select(vec!["0", "0", "0.001", "0.00075"]);
    let slippages = sample::select(vec!["0", "0", "0.0005", "0.001", "0.01"]);
    (ticks, lots, fees, slippages).prop_map(|(tick, lot, fee, slippage)| {
        let [tick, lot, fee, slippage] = [tick, lot, fee, slippage].map(|string| string.parse().unwrap());
        ExchangeRules { tick, lot, fee, slippage, balance: Decimal::from(1_000) }
    })
}

/// Returns bots of all kinds.
pub(super) fn random_bots() -> impl Strategy<Value = RandomBot> {
    let directions = prop_oneof![Just(Direction::Long), Just(Direction::Short)];
    let profits = prop_oneof![Just(ProfitOf::Total), Just(ProfitOf::BaseOrder)];
    let exits = (steps(), profits, option::weighted(0.3, decimal(20..300, 2)), stop_losses());
    let entries = (volume(), any::<bool>(), ladder());
    (directions, entries, exits, bots(), exchanges()).prop_map(|(direction, entries, exits, bot, exchange)| {
        let in_ticks = |limit: Option<Decimal>| limit.map(|ticks| ticks * &exchange.tick);
        let (min_price, max_price) = (in_ticks(bot.min_price.clone()), in_ticks(bot.max_price.clone()));
        let (steps, profit_of, trailing, stop_loss) = exits;
        // A stop loss is wider than the costs, or it would be past the price at which its deal opens.
        let wide = |stop_loss: StopLoss| StopLoss {
            percent: stop_loss.percent + &exchange.slippage * Decimal::HUNDRED,
            ..stop_loss
        };
        let stop_loss = stop_loss.map(wide);
        RandomBot {
            direction,
            base_order: entries.0,
            base_order_is_market: entries.1,
            ladder: entries.2,
            // As in the API, only a deal with one target has trailing.
            trailing: trailing.filter(|_| steps.len() <= 1),
            steps,
            profit_of,
            stop_loss,
            bot: BotSettings { min_price, max_price, ..bot },
            exchange,
        }
    })
}

/// The shape of a candle, in ticks.
#[derive(Clone, Debug)]
struct CandleShape {
    jump: i64,
    up: i64,
    down: i64,
    /// The close, from the low (0) to the high (8).
    close: i64,
    is_low_first: bool,
    /// True if its prices are between ticks.
    is_off_tick: bool,
}

fn shapes(count: usize) -> impl Strategy<Value = Vec<CandleShape>> {
    let jump = prop_oneof![4 => Just(0), 2 => -15..16_i64, 1 => -80..81_i64];
    let shape = (jump, 0..50_i64, 0..50_i64, 0..9_i64, any::<bool>(), prop::bool::weighted(0.2)).prop_map(
        |(jump, up, down, close, is_low_first, is_off_tick)| CandleShape {
            jump,
            up,
            down,
            close,
            is_low_first,
            is_off_tick,
        },
    );
    collection::vec(shape, count)
}

/// Returns the four prices of each candle in order. All are within half and twice the first.
fn path(shapes: &[CandleShape], tick: &Decimal) -> Vec<[Decimal; 4]> {
    let mut ticks = 1_000;
    let mut candle = |shape: &CandleShape| {
        let open = (ticks + shape.jump).clamp(600, 1_900);
        let (low, high) = (open - shape.down, open + shape.up);
        ticks = low + (high - low) * shape.close / 8;
        let extremes = if shape.is_low_first { [low, high] } else { [high, low] };
        let off = if shape.is_off_tick { Decimal::new(3, 1) } else { Decimal::ZERO };
        [open, extremes[0], extremes[1], ticks].map(|ticks| (Decimal::from(ticks) + &off) * tick)
    };
    shapes.iter().map(&mut candle).collect()
}

/// An occurrence beside prices, at a point of a path.
#[derive(Clone, Debug)]
enum ExtraStep {
    None,
    Signal,
    Cancel { delay: Milliseconds, disables: bool },
}

fn extras(count: usize) -> impl Strategy<Value = Vec<ExtraStep>> {
    let cancel =
        (time(), prop::bool::weighted(0.3)).prop_map(|(delay, disables)| ExtraStep::Cancel { delay, disables });
    collection::vec(prop_oneof![20 => Just(ExtraStep::None), 6 => Just(ExtraStep::Signal), 1 => cancel], count)
}

/// Returns what happens on one or two pairs during some candles of a minute.
pub(super) fn steps_of(settings: &RandomBot, candles: usize) -> impl Strategy<Value = Vec<SimulationStep>> + use<> {
    let (pairs, tick) = (settings.bot.pairs, settings.exchange.tick.clone());
    (collection::vec(shapes(candles), pairs), extras(candles * 4)).prop_map(move |(shapes, extras)| {
        let paths: Vec<_> = shapes.iter().map(|shapes| path(shapes, &tick)).collect();
        let points = (0..candles * 4).zip(extras);
        points.flat_map(|(point, extra)| steps_at(&paths, point, &extra)).collect()
    })
}

fn steps_at(paths: &[Vec<[Decimal; 4]>], point: usize, extra: &ExtraStep) -> Vec<SimulationStep> {
    let mut steps = vec![SimulationStep::Advance(QUARTER * i64::try_from(point).unwrap())];
    for (pair, candles) in paths.iter().enumerate() {
        let price = candles[point / 4][point % 4].clone();
        steps.push(if point.is_multiple_of(4) {
            SimulationStep::Jump(pair, price)
        } else {
            SimulationStep::Move(pair, price)
        });
    }
    match extra {
        ExtraStep::None => {}
        ExtraStep::Signal => steps.push(SimulationStep::Signal(point % paths.len())),
        ExtraStep::Cancel { delay, disables } => {
            steps.push(SimulationStep::Cancel { delay: *delay, disables: *disables });
        }
    }
    steps
}

/// Returns a bot and what happens to it.
pub(super) fn cases(candles: usize) -> impl Strategy<Value = (RandomBot, Vec<SimulationStep>)> {
    random_bots().prop_flat_map(move |settings| {
        let steps = steps_of(&settings, candles);
        (Just(settings), steps)
    })
}

/// A candle: its time, open, high, low, and close.
pub(super) type CandleRow = (Milliseconds, [Decimal; 4]);

/// The candles of a pair, and the times of its signals.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub(super) candles: Vec<CandleRow>,
    pub(super) signals: Vec<Milliseconds>,
}

/// Returns a chart of some candles with gaps between them.
fn charts(settings: &RandomBot, count: usize) -> impl Strategy<Value = Chart> + use<> {
    let tick = settings.exchange.tick.clone();
    let gaps = collection::vec(prop_oneof![8 => Just(1_i64), 1 => 2..30_i64], count);
    let intervals = sample::select(vec![60_000_i64, 60_000, 7_001, 2]);
    let signals = collection::vec(0..1_000_i64, 0..6);
    (shapes(count), gaps, intervals, signals).prop_map(move |(shapes, gaps, interval, signals)| {
        let times = gaps.iter().scan(1_700_000_000_000, |time, gap| {
            *time += gap * interval;
            Some(*time)
        });
        let candle = |[open, left, right, close]: [Decimal; 4]| {
            let (high, low) = if left < right { (right, left) } else { (left, right) };
            [open, high, low, close]
        };
        let candles: Vec<_> = times.zip(path(&shapes, &tick).into_iter().map(candle)).collect();
        let (first, last) = (candles[0].0, candles[count - 1].0 + interval);
        // Some are before the first candle, and some after the last.
        let signal = |thousandths: i64| first + (last - first) * (thousandths - 50) / 900;
        let mut signals: Vec<_> = signals.into_iter().map(signal).collect();
        signals.sort_unstable();
        Chart { candles, signals }
    })
}

/// Returns a bot and a chart of each of its pairs.
pub(super) fn histories(count: usize) -> impl Strategy<Value = (RandomBot, Vec<Chart>)> {
    random_bots().prop_flat_map(move |settings| {
        let charts = collection::vec(charts(&settings, count), settings.bot.pairs);
        (Just(settings), charts)
    })
}
