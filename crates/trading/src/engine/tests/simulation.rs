//! A bot on markets with prices and a clock, and a short notation for what happens.

use std::sync::Arc;

use super::random::SimulationStep;
use crate::decimal::Decimal;
use crate::engine::dca_bot::{Context, Markets};
use crate::engine::{
    DcaBotConfig, DealConfig, Event, EventKind, Fill, Market, Milliseconds, OrderVolume, Quote, SafetyOrders,
    SimulatedDcaBot, StopLoss, Target, VolumeUnit,
};
use crate::ladder::Direction;
use crate::position::{ProfitOf, TakeProfit};

/// The pairs of the tests. A bot with one pair is on the first.
pub(super) const PAIRS: [&str; 2] = ["USDT_BTC", "USDT_ETH"];

pub(super) fn number(string: &str) -> Decimal {
    string.parse().unwrap()
}

/// Returns a market with the tick 0.01, the lot 0.0001, and without costs.
pub(super) fn market(pair: &str) -> Market {
    Market {
        pair: pair.into(),
        tick: number("0.01"),
        lot: number("0.0001"),
        fee: Decimal::ZERO,
        slippage: Decimal::ZERO,
    }
}

pub(super) fn volume(amount: &str, unit: VolumeUnit) -> OrderVolume {
    OrderVolume { amount: number(amount), unit }
}

/// Returns safety orders of 1 base currency each at every `step` percent.
pub(super) fn safety_orders(count: u32, step: &str) -> SafetyOrders {
    SafetyOrders::new(count, volume("1", VolumeUnit::Base), number(step), &Decimal::ONE, &Decimal::ONE)
}

/// Returns a target at a percentage of the total volume, which closes the deal up to a percentage.
pub(super) fn target(percent: &str, closed: &str) -> Target {
    Target { take_profit: TakeProfit { percent: number(percent), of: ProfitOf::Total }, closed: number(closed) }
}

pub(super) fn stop_loss(percent: &str) -> StopLoss {
    StopLoss { percent: number(percent), is_trailing: false, timeout: None, breakeven_limit: None }
}

/// Returns the settings of a deal that buys 1 base currency and does nothing else.
pub(super) fn base_order_only(direction: Direction) -> DealConfig {
    DealConfig {
        direction,
        base_order: volume("1", VolumeUnit::Base),
        base_order_is_market: true,
        safety_orders: safety_orders(0, "1"),
        targets: Vec::new(),
        trailing: None,
        stop_loss: None,
    }
}

/// Returns the settings of a bot that always has one deal, without a pause.
pub(super) fn nonstop(deal: DealConfig) -> DcaBotConfig {
    DcaBotConfig {
        deal: Arc::new(deal),
        pairs: vec![PAIRS[0].into()],
        is_nonstop: true,
        max_active_deals: 1,
        max_deals_per_pair: None,
        cooldown: 0,
        start_delay: None,
        deal_timeout: None,
        max_deals: None,
        disables_after_stop_loss: false,
        min_price: None,
        max_price: None,
    }
}

/// Returns the settings of a bot that opens deals only if a signal asks for them.
pub(super) fn on_signal(deal: DealConfig) -> DcaBotConfig {
    DcaBotConfig { is_nonstop: false, ..nonstop(deal) }
}

/// The markets and their prices.
#[derive(Clone, Debug)]
pub(super) struct TestMarkets {
    pub(super) markets: Vec<Market>,
    /// The last price of each market; None before the first.
    pub(super) latest: Vec<Option<Decimal>>,
    pub(super) balance: Decimal,
}

impl TestMarkets {
    pub(super) fn quote_at<'a>(&'a self, pair: usize, price: &'a Decimal) -> Quote<'a> {
        Quote { market: &self.markets[pair], price, balance: &self.balance }
    }
}

impl Markets for TestMarkets {
    fn quote(&self, pair: &Arc<str>) -> Option<Quote<'_>> {
        let index = self.markets.iter().position(|market| market.pair == *pair)?;
        Some(self.quote_at(index, self.latest[index].as_ref()?))
    }
}

/// A DCA bot, its markets, and the clock.
#[derive(Clone, Debug)]
pub(super) struct BotSimulation {
    pub(super) bot: SimulatedDcaBot,
    pub(super) prices: TestMarkets,
    pub(super) now: Milliseconds,
    pub(super) next_deal: u64,
    pub(super) events: Vec<Event>,
}

impl BotSimulation {
    pub(super) fn new(config: DcaBotConfig) -> Self {
        let markets = PAIRS.map(market).to_vec();
        let prices = TestMarkets { latest: vec![None; markets.len()], markets, balance: Decimal::from(1_000) };
        Self { bot: SimulatedDcaBot::new(config), prices, now: 0, next_deal: 1, events: Vec::new() }
    }

    /// Returns the simulation of a deal, which is opened by a signal at a price. Its first events are dropped.
    pub(super) fn of_deal(deal: DealConfig, price: &str) -> Self {
        let mut simulation = Self::new(on_signal(deal));
        simulation.jump(price);
        simulation.apply(&SimulationStep::Signal(0));
        simulation.log();
        simulation
    }

    pub(super) fn with_costs(mut self, fee: &str, slippage: &str) -> Self {
        for market in &mut self.prices.markets {
            (market.fee, market.slippage) = (number(fee), number(slippage));
        }
        self
    }

    pub(super) fn apply(&mut self, step: &SimulationStep) {
        let Self { bot, prices, now, next_deal, events } = self;
        let mut context = Context { now: *now, next_deal, events };
        match step {
            SimulationStep::Jump(pair, price) => {
                prices.latest[*pair] = Some(price.clone());
                bot.set_price(&prices.quote_at(*pair, price), &mut context);
            }
            SimulationStep::Move(pair, price) => {
                let from = prices.latest[*pair].replace(price.clone()).unwrap();
                bot.move_price(&from, &prices.quote_at(*pair, price), &mut context);
            }
            SimulationStep::Signal(pair) => {
                let price = prices.latest[*pair].clone().unwrap();
                bot.signal(&prices.quote_at(*pair, &price), &mut context);
            }
            SimulationStep::Cancel { delay, disables } => {
                bot.is_enabled &= !disables;
                for deal in &mut bot.deals {
                    deal.cancels_at.get_or_insert(*now + delay);
                }
            }
            SimulationStep::Advance(until) => self.advance_to(*until),
        }
    }

    /// Advances the clock, and runs the timers until then, each at its time.
    fn advance_to(&mut self, until: Milliseconds) {
        while let Some(at) = self.bot.next_timer(|_| true).filter(|at| *at <= until) {
            self.now = self.now.max(at);
            let Self { bot, prices, now, next_deal, events } = self;
            bot.run_timers(prices, &mut Context { now: *now, next_deal, events });
        }
        self.now = self.now.max(until);
    }

    pub(super) fn jump(&mut self, price: &str) -> Vec<String> {
        self.apply(&SimulationStep::Jump(0, number(price)));
        self.log()
    }

    pub(super) fn move_to(&mut self, price: &str) -> Vec<String> {
        self.apply(&SimulationStep::Move(0, number(price)));
        self.log()
    }

    /// Advances the clock by a time in milliseconds.
    pub(super) fn wait(&mut self, time: Milliseconds) -> Vec<String> {
        self.apply(&SimulationStep::Advance(self.now + time));
        self.log()
    }

    /// Returns what happened since the last call.
    pub(super) fn log(&mut self) -> Vec<String> {
        self.events.drain(..).map(|event| describe(&event)).collect()
    }
}

/// Describes an event, such as `safety_order: buy 1 at 99`.
pub(super) fn describe(event: &Event) -> String {
    match &event.kind {
        EventKind::DealOpened { deal, pair, .. } => format!("deal {deal} opened on {pair}"),
        EventKind::OrderFilled(fill) => describe_fill(fill),
        EventKind::DealClosed { deal, reason } => {
            let profit = deal.final_profit().normalized();
            format!("deal {} closed: {reason:?}, {profit}", deal.id)
        }
        EventKind::GridMoved(moved) => {
            format!("{}: line {} at {}", moved.kind.name(), moved.added, moved.price.normalized())
        }
        EventKind::BotDisabled(reason) => format!("disabled: {reason:?}"),
    }
}

fn describe_fill(Fill { side, kind, price, quantity, .. }: &Fill) -> String {
    format!("{}: {} {} at {}", kind.name(), side.name(), quantity.normalized(), price.normalized())
}
