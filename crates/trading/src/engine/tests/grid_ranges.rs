//! Grids whose range follows the price, and the figures of the service's samples.

use bigdecimal::BigDecimal;

use super::simulation::{describe, market, number};
use crate::decimal::Decimal;
use crate::engine::{
    Event, GridBotConfig, GridEnd, GridMode, GridOrderSize, GridStop, Market, QuantityCurrency, Quote,
    SimulatedGridBot, StopAction,
};
use crate::grid::{Grid, OrderSide, Spacing};

/// A grid bot on a market.
struct Range {
    bot: SimulatedGridBot,
    market: Market,
    price: Decimal,
    events: Vec<Event>,
}

fn big(text: &str) -> BigDecimal {
    text.parse().unwrap()
}

fn quote(amount: &str) -> GridOrderSize {
    GridOrderSize { amount: number(amount), currency: QuantityCurrency::Quote }
}

/// Returns a grid of the service's samples: 81 levels in a geometric grid, with a tick of 0.000001.
fn published(lower: &str, upper: &str) -> GridBotConfig {
    let grid = Grid { lower: big(lower), upper: big(upper), levels: 81, spacing: Spacing::Geometric };
    GridBotConfig {
        levels: grid.prices(&big("0.000001")).unwrap().into_iter().map(Decimal::from).collect(),
        lower_price: number(lower),
        upper_price: number(upper),
        spacing: Spacing::Geometric,
        order_size: quote("20"),
        ..arithmetic()
    }
}

/// Returns a grid at 90, 95, 100, 105, and 110 with orders of 1.
fn arithmetic() -> GridBotConfig {
    GridBotConfig {
        levels: ["90", "95", "100", "105", "110"].map(number).into(),
        lower_price: number("90"),
        upper_price: number("110"),
        spacing: Spacing::Arithmetic,
        order_size: GridOrderSize { amount: Decimal::ONE, currency: QuantityCurrency::Base },
        mode: GridMode::Long,
        max_active_buys: None,
        max_active_sells: None,
        lower_stop: None,
        upper_stop: None,
        above: GridEnd::default(),
        below: GridEnd::default(),
        profit_in_base: false,
        profit_from_entry: false,
    }
}

fn trails() -> GridEnd {
    GridEnd { trails: true, expands_to: None }
}

fn expands_to(price: &str) -> GridEnd {
    GridEnd { trails: false, expands_to: Some(number(price)) }
}

/// Returns a grid whose range trails at both ends.
fn trailing(mode: GridMode) -> GridBotConfig {
    GridBotConfig { mode, above: trails(), below: trails(), ..arithmetic() }
}

impl Range {
    fn new(config: GridBotConfig, price: &str, tick: &str, lot: &str) -> Self {
        let market = Market { tick: number(tick), lot: number(lot), ..market("USDT_BTC") };
        let bot = SimulatedGridBot::start(config, number(price), &market).unwrap();
        Self { bot, market, price: number(price), events: Vec::new() }
    }

    fn at_100(config: GridBotConfig) -> Self {
        Self::new(config, "100", "1", "0.0001")
    }

    fn of_sample(config: GridBotConfig, price: &str) -> Self {
        Self::new(config, price, "0.000001", "1")
    }

    fn jump(&mut self, price: &str) -> Vec<String> {
        self.price = number(price);
        let quote = Quote { market: &self.market, price: &self.price, balance: &Decimal::ZERO };
        self.bot.set_price(&quote, 0, &mut self.events);
        self.log()
    }

    fn move_to(&mut self, price: &str) -> Vec<String> {
        let from = std::mem::replace(&mut self.price, number(price));
        let quote = Quote { market: &self.market, price: &self.price, balance: &Decimal::ZERO };
        self.bot.move_price(&from, &quote, 0, &mut self.events);
        self.log()
    }

    fn log(&mut self) -> Vec<String> {
        self.events.drain(..).map(|event| describe(&event)).collect()
    }

    fn levels(&self) -> Vec<String> {
        self.bot.config.levels.iter().map(|level| level.normalized().to_string()).collect()
    }

    /// Returns the profit if the position was closed at the price, without a fee for that.
    fn total(&self) -> Decimal {
        &self.bot.totals.profit + &self.bot.position.unrealized(&self.price)
    }

    /// Returns the profit of the events, by a ledger of money: the first order, all others, and what is held.
    fn ledger(&self, events: &[Event]) -> Decimal {
        let all = self.bot.balancing_event(0).into_iter().chain(events.iter().cloned());
        let (mut money, mut held) = (Decimal::ZERO, Decimal::ZERO);
        for event in all {
            if let crate::engine::EventKind::OrderFilled(fill) = event.kind {
                let volume = &fill.price * &fill.quantity;
                money -= &(&volume * &self.market.fee);
                match fill.side {
                    OrderSide::Buy => (money, held) = (money - volume, held + &fill.quantity),
                    OrderSide::Sell => (money, held) = (money + volume, held - &fill.quantity),
                }
            }
        }
        money + held * &self.price
    }
}

#[test]
fn the_published_balancing_orders_and_investments() {
    let start = |config: GridBotConfig, price: &str, tick: &str, lot: &str| {
        let bot = Range::new(config, price, tick, lot).bot;
        let order = bot.balancing.unwrap();
        assert_eq!(order.side, OrderSide::Buy);
        [order.quantity, order.price, bot.invested].map(|number| number.normalized().to_string())
    };
    let first = start(published("0.016287", "0.022414"), "0.021968", "0.000001", "1");
    assert_eq!(first, ["4495", "0.021967", "1598.741665"]);
    let second = start(published("0.016352", "0.022503"), "0.022395", "0.000001", "1");
    assert_eq!(second, ["888", "0.022394", "1599.885872"]);
    // The bounds of the third bot are not published: these have 79 levels below the price and one above, as it had.
    let third = GridBotConfig { order_size: quote("1.525"), ..published("0.08", "0.110820") };
    assert_eq!(start(third, "0.11039", "0.00001", "10"), ["10", "0.11038", "121.5788"]);
}

#[test]
fn the_published_lines_and_quantities() {
    let grid = Range::of_sample(published("0.016287", "0.022414"), "0.021968");
    let prices = [32, 46, 74, 77, 79].map(|level| grid.levels()[level].clone());
    assert_eq!(prices, ["0.018506", "0.01957", "0.021884", "0.022147", "0.022325"]);
    let sold: Vec<_> = (76..81).rev().map(|level| grid.bot.quantities[level].to_string()).collect();
    assert_eq!(sold, ["892", "895", "899", "903", "906"]);
    assert_eq!(grid.bot.quantities[0], number("1227"));
    let buys = (0..81).filter(|level| grid.bot.side(*level) == Some(OrderSide::Buy)).count();
    assert_eq!(buys, 75);
}

#[test]
fn the_published_eighteen_moves_up() {
    let mut grid = Range::of_sample(GridBotConfig { above: trails(), ..published("0.016287", "0.022414") }, "0.021968");
    let before = grid.levels();
    let step = |grid: &Range| {
        let config = &grid.bot.config;
        let (lower, upper) = (config.lower_price.to_big(), config.upper_price.to_big());
        Grid { lower, upper, levels: 81, spacing: Spacing::Geometric }.step().unwrap().to_plain_string()
    };
    assert_eq!(grid.move_to("0.022414").len(), 5);
    // The first tick above the range.
    assert_eq!(grid.move_to("0.022415"), ["balancing_order: buy 888 at 0.022415", "trailing_up: line 81 at 0.022503"]);
    assert_eq!((&grid.levels()[..80], grid.levels()[80].as_str()), (&before[1..], "0.022503"));
    assert_eq!(grid.bot.lines[..], (1..82).collect::<Vec<_>>());
    assert!(step(&grid).starts_with("1.00399920"));
    // One step back: it bought for 20 at 0.022325, and holds what 20 buy at 0.022503.
    assert_eq!(grid.move_to("0.022325").len(), 1);
    let investment = grid.bot.exact_base_investment().round(16);
    let quotient = |price: &str| number("20").div_round(&number(price), 30).unwrap();
    assert_eq!(investment, (quotient("0.022325") + quotient("0.022503")).round(16));
    // Seventeen moves more.
    grid.move_to("0.023979");
    assert_eq!(grid.levels()[80], "0.024073");
    assert_eq!((grid.bot.lines[0], grid.bot.lines[80]), (18, 98));
    assert_eq!(grid.bot.config.lower_price, number(&before[18]));
    assert!(step(&grid).starts_with("1.00399408"));
    assert_eq!(grid.bot.exact_base_investment().round(16), quotient("0.024073").round(16));
}

#[test]
fn a_long_grid_that_trails_up_buys_what_the_new_line_sells() {
    let mut grid = Range::at_100(trailing(GridMode::Long));
    let expected = [
        "grid_line: sell 1 at 105",
        "grid_line: sell 1 at 110",
        "balancing_order: buy 1 at 111",
        "trailing_up: line 5 at 115",
    ];
    assert_eq!(grid.move_to("114")[..], expected.map(str::to_owned)[..]);
    assert_eq!(grid.levels(), ["95", "100", "105", "110", "115"]);
    assert_eq!(grid.bot.position.quantity, Decimal::ONE);
    assert_eq!(
        grid.move_to("116"),
        ["grid_line: sell 1 at 115", "balancing_order: buy 1 at 116", "trailing_up: line 6 at 120"]
    );
    // The step to 115 counts from 110; the rest is in the position.
    assert_eq!(grid.bot.totals.profits_count, 3);
    assert_eq!(grid.bot.totals.profit, number("15"));
}

#[test]
fn a_long_grid_that_trails_down_sells_what_the_highest_line_was_to_sell() {
    let mut grid = Range::at_100(trailing(GridMode::Long));
    grid.move_to("90");
    assert_eq!(grid.bot.position.quantity, number("4"));
    assert_eq!(grid.move_to("89"), ["balancing_order: sell 1 at 89", "trailing_down: line 5 at 85"]);
    assert_eq!(grid.levels(), ["85", "90", "95", "100", "105"]);
    // The step from 105 is closed at 89.
    assert_eq!((grid.bot.totals.profit.clone(), grid.bot.totals.profits_count), (number("-16"), 0));
    assert_eq!(grid.bot.position.quantity, number("3"));
}

#[test]
fn a_short_grid_buys_back_what_the_lowest_line_was_to_buy() {
    let mut grid = Range::at_100(trailing(GridMode::Short));
    grid.move_to("110");
    assert_eq!(grid.bot.position.quantity, number("-4"));
    assert_eq!(grid.move_to("111"), ["balancing_order: buy 1 at 111", "trailing_up: line 5 at 115"]);
    assert_eq!(grid.bot.totals.profit, number("-16"));
    assert_eq!(grid.move_to("115"), ["grid_line: sell 1 at 115"]);
    let mut grid = Range::at_100(trailing(GridMode::Short));
    grid.move_to("90");
    assert_eq!(grid.move_to("89"), ["balancing_order: sell 1 at 89", "trailing_down: line 5 at 85"]);
    assert_eq!(grid.move_to("85"), ["grid_line: buy 1 at 85"]);
}

#[test]
fn a_reversal_grid_closes_only_steps_that_no_line_can_close_any_more() {
    let mut grid = Range::at_100(trailing(GridMode::Reversal));
    grid.move_to("110");
    // The range from 90 moves to one from 100, where the bot started, without a market order.
    assert_eq!(grid.move_to("111"), ["trailing_up: line 5 at 115"]);
    assert_eq!(grid.move_to("116"), ["grid_line: sell 1 at 115", "trailing_up: line 6 at 120"]);
    let moved = ["grid_line: sell 1 at 120", "balancing_order: buy 1 at 121", "trailing_up: line 7 at 125"];
    assert_eq!(grid.move_to("121"), moved);
    // It owes what it sold at 110, 115 and 120.
    assert_eq!(grid.bot.position.quantity, number("-3"));
}

#[test]
fn a_price_that_jumps_over_lines_leaves_the_last_of_them_empty() {
    let mut grid = Range::at_100(trailing(GridMode::Long));
    let expected = [
        "grid_line: sell 1 at 105",
        "grid_line: sell 1 at 110",
        "trailing_up: line 5 at 115",
        "trailing_up: line 6 at 120",
        "balancing_order: buy 1 at 121",
        "trailing_up: line 7 at 125",
    ];
    assert_eq!(grid.jump("121")[..], expected.map(str::to_owned)[..]);
    assert_eq!((grid.bot.empty_level, grid.levels()[3].as_str()), (3, "120"));
    let mut grid = Range::at_100(trailing(GridMode::Short));
    assert_eq!(grid.jump("121").iter().filter(|event| event.contains("sell 1 at 121")).count(), 2);
    // Of three lines that left, two were sold again at the lines that the price jumped over.
    assert_eq!(grid.bot.position.quantity, number("-3"));
}

#[test]
fn a_grid_grows_up_to_its_stop_price() {
    let config = GridBotConfig { above: expands_to("120"), below: expands_to("84"), ..arithmetic() };
    let mut grid = Range::at_100(config.clone());
    grid.move_to("140");
    assert_eq!(grid.levels(), ["90", "95", "100", "105", "110", "115", "120"]);
    assert_eq!(
        (grid.bot.config.lower_price.clone(), grid.bot.config.upper_price.clone()),
        (number("90"), number("120"))
    );
    assert!(grid.bot.position.quantity.is_zero());
    grid.move_to("50");
    assert_eq!(grid.levels()[..2], ["85", "90"]);
    assert_eq!(grid.bot.position.quantity, number("7"));
    // A grid that grows and trails grows first.
    let both = GridBotConfig { above: GridEnd { trails: true, expands_to: Some(number("115")) }, ..config };
    let mut grid = Range::at_100(both);
    let moves: Vec<_> = grid.move_to("116").into_iter().filter(|event| event.contains(": line ")).collect();
    assert_eq!(moves, ["expansion_up: line 5 at 115", "trailing_up: line 6 at 120"]);
    assert_eq!(grid.levels(), ["95", "100", "105", "110", "115", "120"]);
}

#[test]
fn a_stop_loss_ends_the_bot_before_the_range_moves() {
    let stop = |action| Some(GridStop { price: Some(number("111")), action });
    let with = |action| GridBotConfig { upper_stop: stop(action), ..trailing(GridMode::Long) };
    assert_eq!(Range::at_100(with(StopAction::Keep)).move_to("120")[2..], ["disabled: StopLoss"]);
    // The funds of the buy orders at 90, 95, 100 and 105 buy 390 ÷ 111.
    let mut grid = Range::at_100(with(StopAction::Buy));
    assert_eq!(grid.move_to("120")[2..], ["stop_loss: buy 3.5135 at 111", "disabled: StopLoss"]);
    assert_eq!(grid.bot.position.quantity, number("3.5135"));
}

#[test]
fn a_limit_of_0_holds_the_range() {
    let config = GridBotConfig { max_active_sells: Some(0), ..trailing(GridMode::Long) };
    assert_eq!(Range::new(config, "150", "1", "0.0001").jump("160"), [""; 0]);
}

#[test]
fn the_profit_is_that_of_all_orders_however_the_range_moves() {
    let path = ["112", "97", "131", "86", "70", "104", "140", "99", "60", "101"];
    for mode in [GridMode::Long, GridMode::Short, GridMode::Reversal] {
        for (jumps, profit_from_entry) in [(false, false), (true, false), (false, true), (true, true)] {
            let config = GridBotConfig { order_size: quote("150"), profit_from_entry, ..trailing(mode) };
            let mut grid = Range::at_100(config);
            grid.market.fee = number("0.001");
            grid.bot = SimulatedGridBot::start((*grid.bot.config).clone(), number("100"), &grid.market).unwrap();
            let mut all = Vec::new();
            for price in path {
                let to = number(price);
                let quote = Quote { market: &grid.market, price: &to, balance: &Decimal::ZERO };
                if jumps {
                    grid.bot.set_price(&quote, 0, &mut all);
                } else {
                    grid.bot.move_price(&grid.price, &quote, 0, &mut all);
                }
                grid.price = to;
                assert_eq!(grid.total(), grid.ledger(&all), "{mode:?} at {price}");
                let entry = grid.bot.position.entry_price().filter(|_| profit_from_entry);
                assert!(entry.is_none_or(|entry| number("59") < entry && entry < number("141")), "{mode:?} at {price}");
            }
        }
    }
}

#[test]
fn the_position_of_futures_has_an_entry_and_a_liquidation_price() {
    let bot = Range::at_100(GridBotConfig { mode: GridMode::Short, ..arithmetic() }).bot;
    // 2 sold at 101, with a margin of 40.4 at five times the leverage.
    assert_eq!(bot.position.entry_price(), Some(number("101")));
    assert_eq!(bot.position.liquidation_price(&number("5")), Some(number("121.2")));
    let long = Range::at_100(arithmetic()).bot.position;
    assert_eq!(long.liquidation_price(&number("5")), Some(number("79.2")));
    assert_eq!(long.liquidation_price(&Decimal::ONE), None);
    let none = Range::at_100(GridBotConfig { mode: GridMode::Reversal, ..arithmetic() }).bot.position;
    assert_eq!((none.entry_price(), none.liquidation_price(&Decimal::ONE)), (None, None));
}

/// Returns a grid of futures from 1000 to 1080, whose step of 8 is worth 0.08.
fn futures(price: &str) -> Range {
    let config = GridBotConfig {
        levels: (0..11).map(|level| Decimal::from(1_000 + 8 * level)).collect(),
        lower_price: number("1000"),
        upper_price: number("1080"),
        order_size: GridOrderSize { amount: number("0.01"), currency: QuantityCurrency::Base },
        profit_from_entry: true,
        ..arithmetic()
    };
    Range::new(config, price, "1", "0.01")
}

#[test]
fn the_published_profits_of_futures_are_measured_from_the_entry_of_the_position() {
    let profit_at = |start: &str, level: &str| {
        let mut grid = futures(start);
        grid.move_to(level);
        let last = grid.bot.totals.profit.clone();
        grid.move_to(&(number(level) + number("8")).to_string());
        (grid.bot.totals.profit - last).normalized().to_string()
    };
    // The positions were opened at 1005 and at 1002.
    assert_eq!(profit_at("1006", "1024"), "0.27");
    assert_eq!(profit_at("1003", "1048"), "0.54");
}

#[test]
fn the_profit_of_futures_may_fall_while_the_number_of_profits_rises() {
    let mut grid = futures("1040");
    grid.move_to("1056");
    let (before, count) = (grid.bot.totals.profit.clone(), grid.bot.totals.profits_count);
    assert_eq!((before.normalized().to_string().as_str(), count), ("0.26", 2));
    grid.move_to("1008");
    assert_eq!(grid.bot.totals.profit, before);
    // 0.03 at 1039 and 0.06 at 1048, 1040, 1032, 1024, 1016 and 1008: the entry is 9285 ÷ 9.
    assert_eq!(grid.bot.position.entry_price(), number("9285").div_round(&number("9"), 18));
    grid.move_to("1016");
    assert_eq!(grid.bot.totals.profits_count, 3);
    assert_eq!(grid.bot.totals.profit.round(6), number("0.103333"));
    grid.move_to("1056");
    // In total: 5 at 1039 and 6 bought on the way down, 8 sold on the way up, and 3 left, each of 0.01.
    assert_eq!(grid.total().normalized().to_string(), "1.25");
}

#[test]
fn a_position_of_futures_that_another_direction_takes_over_is_closed_with_its_profit() {
    let held = futures("1040").bot.position;
    let config = GridBotConfig { mode: GridMode::Short, ..(*futures("1040").bot.config).clone() };
    let mut grid = Range::new(config, "1040", "1", "0.01");
    assert_eq!(grid.bot.adopt(held, &grid.market), number("0.10"));
    // It sold the 0.05 that it had bought at 1039, and another 0.05, at 1041.
    assert_eq!(grid.bot.position.quantity, number("-0.05"));
    assert_eq!(grid.bot.position.entry_price(), Some(number("1041")));
    assert_eq!(grid.bot.totals.profit, number("0.10"));
}
