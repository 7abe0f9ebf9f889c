//! Properties of all bots, in all states that random prices lead to.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index;

use super::exact_event::{ExactEvent, ExactEventKind, exact_events};
use super::fraction::Fraction;
use super::random::{BotSettings, ExchangeRules, RandomBot, SimulationStep, cases, random_bots, steps_of};
use super::simulation::{BotSimulation, PAIRS};
use crate::decimal::Decimal;
use crate::engine::{CloseReason, DcaBotConfig, Deal, Event, EventKind, OrderKind, VolumeUnit};
use crate::grid::OrderSide;
use crate::ladder::Direction;
use crate::position::ProfitOf;

/// The amounts that a deal bought and sold according to its fills. The volumes are after fees.
#[derive(Clone, Debug, Default)]
struct Ledger {
    bought: [Decimal; 2],
    sold: [Decimal; 2],
}

impl Ledger {
    fn add(&mut self, side: OrderSide, price: &Decimal, quantity: &Decimal, fee: &Decimal) {
        let ([quantities, volumes], after_fee) = match side {
            OrderSide::Buy => (&mut self.bought, Decimal::ONE + fee),
            OrderSide::Sell => (&mut self.sold, Decimal::ONE - fee),
        };
        *quantities += quantity;
        *volumes += quantity * price * after_fee;
    }

    /// Returns why a deal differs from its fills.
    fn check(&self, deal: &Deal, is_closed: bool) -> Result<(), TestCaseError> {
        let [entered, exited] = match deal.direction() {
            Direction::Long => [&self.bought, &self.sold],
            Direction::Short => [&self.sold, &self.bought],
        };
        prop_assert_eq!(&deal.entry.quantity, &entered[0]);
        prop_assert_eq!(&deal.entry.volume, &entered[1]);
        prop_assert_eq!(&deal.exited_quantity, &exited[0]);
        prop_assert_eq!(&deal.exited_volume, &exited[1]);
        prop_assert_eq!(deal.open_quantity(), &entered[0] - &exited[0]);
        prop_assert!(exited[0] <= entered[0]);
        if is_closed {
            prop_assert!(deal.open_quantity().is_zero());
            let income = &self.sold[1] - &self.bought[1];
            prop_assert_eq!(deal.final_profit(), income.clone());
            prop_assert_eq!(deal.realized_profit(), income);
        }
        Ok(())
    }
}

/// Checks that every deal holds what its fills bought and did not sell, at each event and after it.
fn check_money(simulation: &BotSimulation, fee: &Decimal) -> Result<(), TestCaseError> {
    let mut ledgers: BTreeMap<u64, Ledger> = BTreeMap::new();
    for event in &simulation.events {
        match &event.kind {
            EventKind::OrderFilled(fill) => {
                let ledger = ledgers.entry(fill.deal.unwrap()).or_default();
                ledger.add(fill.side, &fill.price, &fill.quantity, fee);
            }
            EventKind::DealClosed { deal, reason } => {
                let is_cancelled = *reason == CloseReason::Cancelled;
                ledgers.remove(&deal.id).unwrap().check(deal, !is_cancelled)?;
            }
            _ => {}
        }
    }
    prop_assert_eq!(ledgers.len(), simulation.bot.deals.len());
    simulation.bot.deals.iter().try_for_each(|deal| ledgers[&deal.id].check(deal, false))
}

/// Returns the multiples of the tick between two prices, from the first to the second.
fn ticks_between(from: &Decimal, to: &Decimal, tick: &Decimal) -> Vec<Decimal> {
    let (low, high) = (from.min(to), from.max(to));
    let mut ticks: Vec<_> =
        std::iter::successors(Some(low.round_down_to(Some(tick)) + tick), |price| Some(price + tick))
            .take_while(|price| price < high)
            .collect();
    if from > to {
        ticks.reverse();
    }
    ticks
}

/// Returns bots in which a price that a move does not visit opens no deal: others would open one where the move is cut.
///
/// Either only signals open deals, or the single deal is followed by the next at the same price, or not at all at that time.
fn without_openings_at_cuts() -> impl Strategy<Value = (RandomBot, Vec<SimulationStep>)> {
    let bots = random_bots().prop_map(|settings| {
        let bot = BotSettings { min_price: None, max_price: None, max_active_deals: 1, ..settings.bot.clone() };
        let bot = if settings.bot.is_nonstop { bot } else { settings.bot };
        RandomBot { bot, ..settings }
    });
    bots.prop_flat_map(|settings| {
        let steps = steps_of(&settings, 4);
        (Just(settings), steps)
    })
}

/// Returns the simulation after some steps, without the events until then.
fn run(settings: &RandomBot, steps: &[SimulationStep]) -> BotSimulation {
    let mut simulation = settings.simulation();
    for step in steps {
        simulation.apply(step);
    }
    simulation.events.clear();
    simulation
}

/// Returns a long bot whose prices can be mirrored exactly at the price at which its deal opens.
///
/// Safety orders, stop losses, and take profits of the base order are differences from that price, as long as there is no fee, no
/// slippage, and no volume in quote currency. Trailing measures percentages of other prices, which no mirror keeps.
fn mirrored_settings(settings: RandomBot) -> RandomBot {
    let mut settings = RandomBot {
        direction: Direction::Long,
        profit_of: ProfitOf::BaseOrder,
        trailing: None,
        exchange: ExchangeRules { fee: Decimal::ZERO, slippage: Decimal::ZERO, ..settings.exchange },
        bot: BotSettings {
            pairs: 1,
            is_nonstop: false,
            start_delay: None,
            min_price: None,
            max_price: None,
            ..settings.bot
        },
        ..settings
    };
    settings.base_order.unit = VolumeUnit::Base;
    settings.ladder.volume.unit = VolumeUnit::Base;
    if let Some(stop_loss) = &mut settings.stop_loss {
        stop_loss.is_trailing = false;
    }
    settings
}

fn mirrored_step(step: &SimulationStep, sum: &Decimal) -> SimulationStep {
    match step {
        SimulationStep::Jump(pair, price) => SimulationStep::Jump(*pair, sum - price),
        SimulationStep::Move(pair, price) => SimulationStep::Move(*pair, sum - price),
        other => other.clone(),
    }
}

fn mirrored_event(event: ExactEvent, sum: Fraction) -> ExactEvent {
    let kind = match event.kind {
        ExactEventKind::Filled { deal, kind, side, price, quantity } => {
            let side = if side == OrderSide::Buy { OrderSide::Sell } else { OrderSide::Buy };
            ExactEventKind::Filled { deal, kind, side, price: sum - price, quantity }
        }
        other => other,
    };
    ExactEvent { kind, ..event }
}

fn fills(events: &[Event]) -> impl Iterator<Item = (OrderKind, u64, &Decimal)> {
    events.iter().filter_map(|event| match &event.kind {
        EventKind::OrderFilled(fill) => Some((fill.kind, fill.deal.unwrap(), &fill.price)),
        _ => None,
    })
}

proptest! {
    #[test]
    fn money_is_conserved_at_every_event((settings, steps) in cases(8)) {
        let mut simulation = settings.simulation();
        for step in &steps {
            simulation.apply(step);
            check_money(&simulation, &settings.exchange.fee)?;
        }
    }

    #[test]
    fn a_move_is_the_same_as_its_parts(
        (settings, steps) in without_openings_at_cuts(), change in -150..151_i64,
        cuts in prop::collection::vec(any::<Index>(), 0..6),
    ) {
        let mut whole = run(&settings, &steps);
        whole.apply(&SimulationStep::Signal(0));
        whole.events.clear();
        prop_assume!(whole.bot.deals.iter().all(|deal| deal.cancels_at.is_none()));
        let tick = &settings.exchange.tick;
        let from = whole.prices.latest[0].clone().unwrap();
        // A bot that waits for nothing would open a deal at the first cut.
        let is_waiting = whole.bot.timers.iter().any(|timers| {
            *timers.pair == *PAIRS[0] && (timers.cooldown_until > Some(whole.now) || timers.starts_at.is_some())
        });
        let may_open = settings.bot.is_nonstop && whole.bot.is_enabled && whole.bot.deals.is_empty();
        prop_assume!(!may_open || is_waiting);
        let to = &from + Decimal::from(change) * tick;
        let mut parts = whole.clone();
        let between = ticks_between(&from, &to, tick);
        let cuts = cuts.iter().filter(|_| !between.is_empty());
        let mut cuts: Vec<_> = cuts.map(|cut| cut.index(between.len())).collect();
        cuts.sort_unstable();
        for cut in cuts {
            parts.apply(&SimulationStep::Move(0, between[cut].clone()));
        }
        parts.apply(&SimulationStep::Move(0, to.clone()));
        whole.apply(&SimulationStep::Move(0, to));
        // A closed deal is not compared: a timer of its stop loss may have stopped at a cut before.
        prop_assert_eq!(exact_events(&whole.events), exact_events(&parts.events));
        for deal in whole.bot.deals.iter_mut().chain(&mut parts.bot.deals) {
            // Before the first price after the base order, its price is the best.
            deal.stop_loss_best = Some(deal.stop_loss_base().clone());
        }
        prop_assert_eq!(whole.bot, parts.bot);
    }

    #[test]
    fn a_long_bot_and_a_mirrored_short_one_agree((settings, steps) in cases(12)) {
        let settings = mirrored_settings(settings);
        let mirrored = RandomBot { direction: Direction::Short, ..settings.clone() };
        let (mut long, mut short) = (settings.simulation(), mirrored.simulation());
        let steps: Vec<_> = steps.into_iter().filter(|step| match step {
            SimulationStep::Jump(pair, _) | SimulationStep::Move(pair, _) => *pair == 0,
            SimulationStep::Signal(_) => false,
            _ => true,
        }).collect();
        let Some(SimulationStep::Jump(_, first)) = steps.iter().find(|step| matches!(step, SimulationStep::Jump(..))) else {
            return Err(TestCaseError::fail("a first price is missing"));
        };
        // A mirror that is half a tick away from a tick would round to the other side.
        let first = first.round_down_to(Some(&settings.exchange.tick));
        let sum = &first + &first;
        let start = [SimulationStep::Jump(0, first), SimulationStep::Signal(0)];
        for step in start.iter().chain(&steps) {
            long.apply(step);
            short.apply(&mirrored_step(step, &sum));
        }
        let of = |simulation: &BotSimulation| exact_events(&simulation.events);
        let mirror = |event| mirrored_event(event, (&sum).into());
        prop_assert_eq!(of(&long), of(&short).into_iter().map(mirror).collect::<Vec<_>>());
    }

    #[test]
    fn prices_fill_in_order((settings, steps) in cases(8)) {
        // With costs, a safety order may be past the price at which its deal opens.
        let exchange = ExchangeRules { fee: Decimal::ZERO, slippage: Decimal::ZERO, ..settings.exchange.clone() };
        let settings = RandomBot { exchange, ..settings };
        let mut simulation = settings.simulation();
        for step in &steps {
            let before = simulation.prices.clone();
            simulation.apply(step);
            let events = std::mem::take(&mut simulation.events);
            if let SimulationStep::Move(pair, to) = step {
                let rises = before.latest[*pair].as_ref().unwrap() < to;
                let in_order = |left: &Decimal, right: &Decimal| if rises { left <= right } else { left >= right };
                prop_assert!(fills(&events).map(|(_, _, price)| price).is_sorted_by(|left, right| in_order(left, right)));
            }
            let mut latest = BTreeMap::new();
            for (kind, deal, price) in fills(&events) {
                let OrderKind::Safety(number) = kind else { continue };
                if let Some((last_number, last_price)) = latest.insert(deal, (number, price)) {
                    let is_long = settings.direction == Direction::Long;
                    let is_further = if is_long { price <= last_price } else { price >= last_price };
                    prop_assert!(number == last_number + 1 && is_further);
                }
            }
        }
    }

    #[test]
    fn within_the_quiet_range_nothing_happens(
        (settings, steps) in cases(6), edit in prop::option::of(random_bots()), length in any::<Index>(),
        prices in prop::collection::vec(1..100_i64, 1..6),
    ) {
        let mut simulation = run(&settings, &steps[..=length.index(steps.len())]);
        if let Some(edit) = edit {
            // Open deals keep their settings.
            let pairs = simulation.bot.config.pairs.clone();
            simulation.bot.config = DcaBotConfig { pairs, ..edit.config() };
        }
        for (pair, code) in PAIRS.iter().enumerate().take(settings.bot.pairs) {
            let Some(price) = simulation.prices.latest[pair].clone() else { continue };
            let market = &simulation.prices.markets[pair];
            prop_assert_eq!(&*market.pair, *code);
            let bot = simulation.bot.clone();
            let Some(range) = bot.quiet_range(market, simulation.now) else { continue };
            let lower = range.lower.cloned().unwrap_or(&price * Decimal::new(5, 1));
            let upper = range.upper.cloned().unwrap_or(&price * Decimal::new(2, 0));
            let within = |percent: &i64| &lower + ((&upper - &lower) * Decimal::from(*percent)).hundredth();
            for (index, price) in prices.iter().map(within).filter(|price| range.contains(price)).enumerate() {
                let before = simulation.bot.clone();
                // The first price may be outside of the range, from which a move might pass anything.
                let jumps = index == 0;
                let step = if jumps { SimulationStep::Jump(pair, price) } else { SimulationStep::Move(pair, price) };
                simulation.apply(&step);
                prop_assert_eq!(&simulation.events, &[]);
                prop_assert_eq!(&simulation.bot, &before);
            }
        }
    }
}
