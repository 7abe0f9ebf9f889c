//! An independent implementation of grids, in fractions: it keeps the order of each level, the open steps, and a ledger of money.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::{collection, option};

use super::exact_event::{ExactEvent, ExactEventKind, exact_events};
use super::fraction::Fraction;
use super::simulation::{market, number};
use crate::decimal::Decimal;
use crate::engine::{
    DisableReason, Event, GridBotConfig, GridEnd, GridMode, GridOrderSize, GridStop, Market, OrderKind,
    QuantityCurrency, Quote, SimulatedGridBot, StopAction,
};
use crate::grid::{OrderSide, Spacing};

/// The first price of all paths, in ticks.
const START: i64 = 1_000;

struct GridReference<'a> {
    config: &'a GridBotConfig,
    market: &'a Market,
    levels: Vec<Fraction>,
    quantities: Vec<Fraction>,
    orders: Vec<Option<OrderSide>>,
    /// For the gap above each level, the side of the order that opened its step; None if the step is not open.
    opened: Vec<Option<OrderSide>>,
    is_enabled: bool,
    price: Fraction,
    /// The quote currency that orders brought in, minus what they cost, minus the value of the position at the start.
    money: Fraction,
    held: Fraction,
    /// What was paid for what is held, less what was received for what is owed; each sale takes a share of it.
    entry: Fraction,
    /// The profit of the closed steps, minus all fees.
    realized: Fraction,
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
        let amount = Fraction::from(&config.order_size.amount);
        let quantity = |level: &Fraction| match config.order_size.currency {
            QuantityCurrency::Base => amount.floor_to((&market.lot).into()),
            QuantityCurrency::Quote => (amount / *level).floor_to((&market.lot).into()),
        };
        let quantities: Vec<_> = levels.iter().map(quantity).collect();
        let sum_of = |side: OrderSide| {
            let of_side = orders.iter().zip(&quantities).filter(move |(order, _)| **order == Some(side));
            of_side.map(|(_, quantity)| *quantity).sum::<Fraction>()
        };
        let held = match config.mode {
            GridMode::Long => sum_of(OrderSide::Sell),
            GridMode::Short => -sum_of(OrderSide::Buy),
            GridMode::Reversal => Fraction::ZERO,
        };
        // A market order gets the position: a tick better than the price or, with slippage, worse than it.
        let (tick, slippage) = (Fraction::from(&market.tick), Fraction::from(&market.slippage));
        let paid = match (slippage.is_positive(), held.is_positive()) {
            (false, true) => start - tick,
            (false, false) => start + tick,
            (true, true) => (start * (Fraction::ONE + slippage)).ceil_to(tick),
            (true, false) => (start * (Fraction::ONE - slippage)).floor_to(tick),
        };
        let size = if held.is_positive() { held } else { -held };
        let fee = size * paid * Fraction::from(&market.fee);
        // The position at the start belongs to the steps between the price and the orders that close it.
        let opened = |level: &Fraction| match config.mode {
            GridMode::Long => (*level >= nearest).then_some(OrderSide::Buy),
            GridMode::Short => (*level < nearest).then_some(OrderSide::Sell),
            GridMode::Reversal => None,
        };
        Self {
            opened: levels.iter().map(opened).collect(),
            config,
            market,
            levels,
            quantities,
            orders,
            is_enabled: true,
            price: start,
            money: -(held * paid) - fee,
            held,
            entry: held * paid,
            realized: -fee,
            log: Vec::new(),
        }
    }

    fn tick(&self) -> Fraction {
        (&self.market.tick).into()
    }

    /// Returns the profit if the position were closed at the price, without a fee for that.
    fn total_profit(&self) -> Fraction {
        self.money + self.held * self.price
    }

    /// Returns the next order that the price has reached: the lowest sell order or the highest buy order. An order of nothing is
    /// not on the exchange.
    fn reached_order(&self, price: Fraction) -> Option<(usize, OrderSide)> {
        let has = |side| {
            move |(level, order): &(usize, &Option<OrderSide>)| {
                **order == Some(side) && self.quantities[*level].is_positive()
            }
        };
        let to_sell = self.orders.iter().enumerate().find(has(OrderSide::Sell)).map(|(level, _)| level);
        let to_buy = self.orders.iter().enumerate().rfind(has(OrderSide::Buy)).map(|(level, _)| level);
        let to_sell = to_sell.filter(|level| self.config.max_active_sells != Some(0) && price >= self.levels[*level]);
        let to_buy = to_buy.filter(|level| self.config.max_active_buys != Some(0) && price <= self.levels[*level]);
        to_sell.map(|level| (level, OrderSide::Sell)).or(to_buy.map(|level| (level, OrderSide::Buy)))
    }

    /// Fills the order of a level, which opens or closes the step below it if it sells, or above it if it buys.
    fn trade(&mut self, level: usize, side: OrderSide) {
        for (other, order) in self.orders.iter_mut().enumerate() {
            *order = match other.cmp(&level) {
                std::cmp::Ordering::Less => Some(OrderSide::Buy),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some(OrderSide::Sell),
            };
        }
        let gap = if side == OrderSide::Sell { level - 1 } else { level };
        let quantity = match self.opened[gap].take() {
            None => {
                self.opened[gap] = Some(side);
                Fraction::ZERO
            }
            Some(OrderSide::Buy) => self.quantities[gap],
            Some(OrderSide::Sell) => self.quantities[gap + 1],
        };
        let (price, volume) = (self.levels[level], self.quantities[level]);
        if self.config.profit_from_entry {
            let earned = self.earned_from_entry(side, volume, price);
            self.realized = self.realized + earned;
        } else {
            self.realized = self.realized + (self.levels[gap + 1] - self.levels[gap]) * quantity;
        }
        self.fill(OrderKind::GridLevel(level), side, self.levels[level], self.quantities[level]);
    }

    /// Returns what an order earns, measured from the average entry of the position; 0 if it closes nothing.
    fn earned_from_entry(&mut self, side: OrderSide, quantity: Fraction, price: Fraction) -> Fraction {
        let sign = if side == OrderSide::Buy { Fraction::ONE } else { -Fraction::ONE };
        let against = -sign * self.held;
        let closed = quantity.min(against.max(Fraction::ZERO));
        let share = if closed == Fraction::ZERO { closed } else { nearest(self.entry * (closed / against)) };
        let opened = quantity - closed;
        self.entry = self.entry - share + sign * opened * price;
        -sign * closed * price - share
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
            self.trade(level, side);
        }
        let Some(action) = self.stop(price) else {
            return;
        };
        if action == StopAction::Close {
            self.close(price);
        }
        self.is_enabled = false;
        self.log.push(ExactEvent { at: 0, kind: ExactEventKind::Disabled(DisableReason::StopLoss) });
    }

    /// Closes the position with a market order; all profit is realized then.
    fn close(&mut self, price: Fraction) {
        let slippage = Fraction::from(&self.market.slippage);
        let rounded = |price: Fraction, is_up: bool| match (slippage.is_positive(), is_up) {
            (false, _) => price,
            (true, true) => price.ceil_to(self.tick()),
            (true, false) => price.floor_to(self.tick()),
        };
        let owes = (-self.held).is_positive();
        let worse = if owes { Fraction::ONE + slippage } else { Fraction::ONE - slippage };
        let price = rounded(price * worse, owes);
        if owes {
            self.fill(OrderKind::StopLoss, OrderSide::Buy, price, -self.held);
        } else if self.held.is_positive() {
            self.fill(OrderKind::StopLoss, OrderSide::Sell, price, self.held);
        }
        self.realized = self.money;
    }

    fn fill(&mut self, kind: OrderKind, side: OrderSide, price: Fraction, quantity: Fraction) {
        let sign = if side == OrderSide::Buy { -Fraction::ONE } else { Fraction::ONE };
        let fee = quantity * price * Fraction::from(&self.market.fee);
        self.held = self.held - sign * quantity;
        self.money = self.money + sign * quantity * price - fee;
        self.realized = self.realized - fee;
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

/// Returns a fraction rounded to 18 decimal places; a tie goes to the even digit.
fn nearest(number: Fraction) -> Fraction {
    let place = Fraction::new(1, 10_i128.pow(18));
    let below = number.floor_to(place);
    let rest = number - below;
    let is_even = below.floor_to(place + place) == below;
    if rest + rest < place || (rest + rest == place && is_even) { below } else { below + place }
}

fn stops() -> impl Strategy<Value = Option<(i64, bool, bool, bool)>> {
    option::of((-20..40_i64, any::<bool>(), any::<bool>(), any::<bool>()))
}

/// Returns sizes of orders at prices around 1000. With the largest lot, some levels of a grid have an order of nothing.
fn order_sizes() -> impl Strategy<Value = GridOrderSize> {
    let base = Just(("0.3", QuantityCurrency::Base));
    let quote = select(vec!["150", "491", "777.77"]).prop_map(|amount| (amount, QuantityCurrency::Quote));
    prop_oneof![1 => base, 2 => quote].prop_map(|(amount, currency)| GridOrderSize { amount: number(amount), currency })
}

prop_compose! {
    /// Returns settings with prices in ticks: up to 12 levels around the start, stop losses near their ends, and limits.
    fn configs()(
        gaps in collection::vec(1..40_i64, 1..12), first in -150..20_i64, off_tick: bool,
        bounds in (-2..3_i64, -2..3_i64),
        size in order_sizes(), mode in select(vec![GridMode::Long, GridMode::Short, GridMode::Reversal]),
        stops in (stops(), stops()), profit_from_entry: bool, limits in (option::weighted(0.3, 0..3_usize), option::weighted(0.3, 0..3_usize)),
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
                GridStop { price, action: if is_sell { StopAction::Close } else { StopAction::Keep } }
            })
        };
        GridBotConfig {
            profit_in_base: false,
            profit_from_entry,
            levels: std::iter::once(at(first)).chain(levels).collect(),
            lower_price: Decimal::from(first + bounds.0),
            upper_price: Decimal::from(last + bounds.1),
            order_size: size,
            mode,
            max_active_buys: limits.0,
            max_active_sells: limits.1,
            lower_stop: stop(stops.0, first, -1),
            upper_stop: stop(stops.1, last, 1),
            spacing: Spacing::Arithmetic,
            above: GridEnd::default(),
            below: GridEnd::default(),
        }
    }
}

/// Returns the steps of a price: true if it jumps, by how many ticks, and true if it then is between two ticks.
fn steps() -> impl Strategy<Value = Vec<(bool, i64, bool)>> {
    collection::vec((prop::bool::weighted(0.2), -80..81_i64, prop::bool::weighted(0.2)), 1..40)
}

fn markets() -> impl Strategy<Value = Market> {
    (0..3_i128, 0..3_i128, select(vec!["0.00000001", "0.0001", "0.1", "0.5"])).prop_map(|(fee, slippage, lot)| Market {
        tick: Decimal::ONE,
        lot: number(lot),
        fee: Decimal::new(fee, 3),
        slippage: Decimal::new(slippage, 3),
        ..market("USDT_BTC")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_engine_does_with_grids_what_the_reference_does(config in configs(), market in markets(), steps in steps()) {
        let mut price = Decimal::from(START);
        let mut ticks = START;
        let mut engine = SimulatedGridBot::start(config.clone(), price.clone(), &market).unwrap();
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
            prop_assert_eq!(Fraction::from(&engine.position.quantity), reference.held);
            prop_assert_eq!(Fraction::from(&engine.totals.profit), reference.realized, "the realized profit at {}", price);
            let profit = &engine.totals.profit + &engine.position.unrealized(&price);
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
