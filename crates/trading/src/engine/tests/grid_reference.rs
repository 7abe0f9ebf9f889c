//! An independent implementation of grids, in fractions: it keeps the order of each level and a ledger of money.

use proptest::prelude::*;
use proptest::{collection, option};

use super::exact_event::{ExactEvent, ExactEventKind, exact_events};
use super::fraction::Fraction;
use super::simulation::{market, number};
use crate::decimal::Decimal;
use crate::engine::{DisableReason, Event, GridBot, GridBotConfig, GridStop, Market, OrderKind, Quote, StopAction};
use crate::grid::OrderSide;

/// The first price of all paths, in ticks.
const START: i64 = 1_000;

struct GridReference<'a> {
    config: &'a GridBotConfig,
    market: &'a Market,
    levels: Vec<Fraction>,
    orders: Vec<Option<OrderSide>>,
    is_enabled: bool,
    price: Fraction,
    /// The quote currency that orders brought in, minus what they cost, minus the price of what was held at the start.
    money: Fraction,
    held: Fraction,
    log: Vec<ExactEvent>,
}

impl<'a> GridReference<'a> {
    fn new(config: &'a GridBotConfig, market: &'a Market, start: &Decimal) -> Self {
        let start = Fraction::from(start);
        let levels: Vec<_> = config.levels.iter().map(Fraction::from).collect();
        let distance = |level: &Fraction| (*level - start).max(start - *level);
        let nearest = levels.iter().copied().min_by_key(distance).unwrap();
        let order = |level: &Fraction| match level.cmp(&nearest) {
            std::cmp::Ordering::Less => Some(OrderSide::Buy),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(OrderSide::Sell),
        };
        let orders: Vec<_> = levels.iter().map(order).collect();
        let to_sell = orders.iter().filter(|order| **order == Some(OrderSide::Sell)).count();
        let held = Fraction::from(i128::try_from(to_sell).unwrap()) * (&config.quantity).into();
        let money = -(held * start);
        Self { config, market, levels, orders, is_enabled: true, price: start, money, held, log: Vec::new() }
    }

    fn tick(&self) -> Fraction {
        (&self.market.tick).into()
    }

    /// Returns the profit if all that is held were sold at the price, without a fee for that.
    fn total_profit(&self) -> Fraction {
        self.money + self.held * self.price
    }

    /// Returns the next order that the price has reached: the lowest sell order or the highest buy order.
    fn reached_order(&self, price: Fraction) -> Option<(usize, OrderSide)> {
        let has = |side| move |(_, order): &(usize, &Option<OrderSide>)| **order == Some(side);
        let to_sell = self.orders.iter().enumerate().find(has(OrderSide::Sell)).map(|(level, _)| level);
        let to_buy = self.orders.iter().enumerate().rfind(has(OrderSide::Buy)).map(|(level, _)| level);
        let to_sell = to_sell.filter(|level| self.config.max_active_sells != Some(0) && price >= self.levels[*level]);
        let to_buy = to_buy.filter(|level| self.config.max_active_buys != Some(0) && price <= self.levels[*level]);
        to_sell.map(|level| (level, OrderSide::Sell)).or(to_buy.map(|level| (level, OrderSide::Buy)))
    }

    fn stop(&self, price: Fraction) -> Option<StopAction> {
        let lower = self.config.lower_stop.as_ref().filter(|stop| match &stop.price {
            Some(limit) => price <= limit.into(),
            None => price < (&self.config.lower_price).into(),
        });
        let upper = self.config.upper_stop.as_ref().filter(|stop| match &stop.price {
            Some(limit) => price >= limit.into(),
            None => price > (&self.config.upper_price).into(),
        });
        lower.or(upper).map(|stop| stop.action)
    }

    fn set_price(&mut self, price: Fraction) {
        self.price = price;
        if !self.is_enabled {
            return;
        }
        while let Some((level, side)) = self.reached_order(price) {
            let empty = self.orders.iter().position(Option::is_none).unwrap();
            let opposite = if side == OrderSide::Buy { OrderSide::Sell } else { OrderSide::Buy };
            (self.orders[empty], self.orders[level]) = (Some(opposite), None);
            self.fill(OrderKind::GridLevel(level), side, self.levels[level], (&self.config.quantity).into());
        }
        let Some(action) = self.stop(price) else {
            return;
        };
        if action == StopAction::Sell && self.held.is_positive() {
            let slippage = Fraction::from(&self.market.slippage);
            let worse = (price * (Fraction::ONE - slippage)).floor_to(self.tick());
            let price = if slippage.is_positive() { worse } else { price };
            self.fill(OrderKind::StopLoss, OrderSide::Sell, price, self.held);
        }
        self.is_enabled = false;
        self.log.push(ExactEvent { at: 0, kind: ExactEventKind::Disabled(DisableReason::StopLoss) });
    }

    fn fill(&mut self, kind: OrderKind, side: OrderSide, price: Fraction, quantity: Fraction) {
        let sign = if side == OrderSide::Buy { -Fraction::ONE } else { Fraction::ONE };
        self.held = self.held - sign * quantity;
        self.money = self.money + quantity * price * (sign - (&self.market.fee).into());
        self.log.push(ExactEvent { at: 0, kind: ExactEventKind::Filled { deal: None, kind, side, price, quantity } });
    }

    /// Goes over all ticks and levels to `to`.
    fn move_price(&mut self, to: Fraction) {
        let (tick, mut price) = (self.tick(), self.price);
        while price != to {
            let levels = self.levels.iter().copied();
            price = if to > price {
                let next = price.floor_to(tick) + tick;
                levels.filter(|level| *level > price).chain([next, to]).min().unwrap()
            } else {
                let next = price.ceil_to(tick) - tick;
                levels.filter(|level| *level < price).chain([next, to]).max().unwrap()
            };
            // A stop loss triggers at a tick, or with an order that fills between ticks.
            let stops = price.floor_to(tick) == price && self.stop(price).is_some();
            if self.is_enabled && (stops || self.reached_order(price).is_some()) {
                self.set_price(price);
            }
        }
        self.set_price(to);
    }
}

fn stops() -> impl Strategy<Value = Option<(i64, bool, bool, bool)>> {
    option::of((-20..40_i64, any::<bool>(), any::<bool>(), any::<bool>()))
}

prop_compose! {
    /// Returns settings with prices in ticks: up to 12 levels around the start, stop losses near their ends, and limits.
    fn configs()(
        gaps in collection::vec(1..40_i64, 1..12), first in -150..20_i64, off_tick: bool,
        bounds in (-2..3_i64, -2..3_i64),
        stops in (stops(), stops()), limits in (option::weighted(0.3, 0..3_usize), option::weighted(0.3, 0..3_usize)),
    ) -> GridBotConfig {
        let off = if off_tick { number("0.4") } else { Decimal::ZERO };
        let at = |ticks: i64| Decimal::from(ticks) + &off;
        let first = START + first;
        let last = first + gaps.iter().sum::<i64>();
        let levels = gaps.iter().scan(first, |level, gap| { *level += gap; Some(at(*level)) });
        let stop = |stop: Option<(i64, bool, bool, bool)>, end: i64, outwards: i64| {
            stop.map(|(distance, has_price, is_sell, off_tick)| {
                let off = if off_tick { number("0.7") } else { Decimal::ZERO };
                let price = has_price.then(|| Decimal::from(end + outwards * distance) + off);
                GridStop { price, action: if is_sell { StopAction::Sell } else { StopAction::Keep } }
            })
        };
        GridBotConfig {
            levels: std::iter::once(at(first)).chain(levels).collect(),
            lower_price: Decimal::from(first + bounds.0),
            upper_price: Decimal::from(last + bounds.1),
            quantity: number("0.3"),
            max_active_buys: limits.0,
            max_active_sells: limits.1,
            lower_stop: stop(stops.0, first, -1),
            upper_stop: stop(stops.1, last, 1),
        }
    }
}

/// Returns the steps of a price: true if it jumps, by how many ticks, and true if it then is between two ticks.
fn steps() -> impl Strategy<Value = Vec<(bool, i64, bool)>> {
    collection::vec((prop::bool::weighted(0.2), -80..81_i64, prop::bool::weighted(0.2)), 1..40)
}

fn markets() -> impl Strategy<Value = Market> {
    (0..3_i128, 0..3_i128).prop_map(|(fee, slippage)| Market {
        tick: Decimal::ONE,
        fee: Decimal::new(fee, 3),
        slippage: Decimal::new(slippage, 3),
        ..market("USDT_BTC")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_engine_does_with_grids_what_the_reference_does(config in configs(), market in markets(), steps in steps()) {
        let mut price = Decimal::from(START);
        let mut ticks = START;
        let mut engine = GridBot::start(config.clone(), price.clone()).unwrap();
        let mut reference = GridReference::new(&config, &market, &price);
        let mut events: Vec<Event> = Vec::new();
        // The first jump, to the same price, triggers stop losses that the start is past already.
        for (jumps, change, is_off_tick) in [(true, 0, false)].into_iter().chain(steps) {
            ticks = (ticks + change).max(500);
            let to = Decimal::from(ticks) + if is_off_tick { number("0.6") } else { Decimal::ZERO };
            let quote = Quote { market: &market, price: &to, balance: &Decimal::ZERO };
            if jumps {
                engine.set_price(&quote, 0, &mut events);
                reference.set_price((&to).into());
            } else {
                engine.move_price(&price, &quote, 0, &mut events);
                reference.move_price((&to).into());
            }
            price = to;
            prop_assert_eq!(&exact_events(&events), &reference.log, "at {}", price);
            prop_assert_eq!(Fraction::from(&engine.held_quantity()), reference.held);
            let profit = &engine.totals.profit + &engine.unrealized(&price);
            prop_assert_eq!(Fraction::from(&profit), reference.total_profit(), "the profit at {}", price);
            prop_assert!(engine.is_enabled == reference.is_enabled);
            let range = engine.quiet_range();
            let lower = range.lower.cloned().unwrap_or(number("300"));
            let upper = range.upper.cloned().unwrap_or(number("3000"));
            for percent in [1, 30, 70, 99] {
                let within = &lower + (&upper - &lower) * Decimal::new(percent, 2);
                let quote = Quote { market: &market, price: &within, balance: &Decimal::ZERO };
                let (mut quiet, known) = (engine.clone(), events.len());
                if range.contains(&within) {
                    quiet.set_price(&quote, 0, &mut events);
                }
                prop_assert_eq!((&quiet, events.len()), (&engine, known), "within {:?}", range);
            }
        }
    }
}
