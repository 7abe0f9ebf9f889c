//! Grid bots: levels, limits, stop losses, and costs.

use super::simulation::{describe, market, number};
use crate::decimal::Decimal;
use crate::engine::{Event, GridBot, GridBotConfig, GridStop, Market, Quote, StopAction};
use crate::grid::OrderSide;

/// A grid bot, its market, and the price.
struct GridSimulation {
    bot: GridBot,
    market: Market,
    price: Decimal,
    events: Vec<Event>,
}

/// Returns a grid at 90, 95, 100, 105, and 110 with orders of 1.
fn config() -> GridBotConfig {
    GridBotConfig {
        levels: ["90", "95", "100", "105", "110"].map(number).into(),
        lower_price: number("90"),
        upper_price: number("110"),
        quantity: Decimal::ONE,
        max_active_buys: None,
        max_active_sells: None,
        lower_stop: None,
        upper_stop: None,
    }
}

fn stop(price: Option<&str>, action: StopAction) -> GridStop {
    GridStop { price: price.map(number), action }
}

impl GridSimulation {
    fn start(config: GridBotConfig, price: &str) -> Self {
        let bot = GridBot::start(config, number(price)).unwrap();
        Self { bot, market: market("USDT_BTC"), price: number(price), events: Vec::new() }
    }

    fn at_100(config: GridBotConfig) -> Self {
        Self::start(config, "100")
    }

    fn with_costs(mut self, fee: &str, slippage: &str) -> Self {
        (self.market.fee, self.market.slippage) = (number(fee), number(slippage));
        self
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

    /// Returns the realized profit, and the unrealized one at the last price.
    fn profits(&self) -> [String; 2] {
        let unrealized = self.bot.unrealized(&self.price);
        [&self.bot.totals.profit, &unrealized].map(|profit| profit.normalized().to_string())
    }
}

#[test]
fn the_level_nearest_to_the_price_is_empty_the_lower_one_of_two() {
    let sides = |price| {
        let grid = GridSimulation::start(config(), price);
        [0, 1, 2, 3, 4].map(|level| match grid.bot.side(level) {
            Some(OrderSide::Buy) => 'b',
            None => '-',
            Some(OrderSide::Sell) => 's',
        })
    };
    assert_eq!(sides("100"), ['b', 'b', '-', 's', 's']);
    assert_eq!(sides("102.49"), ['b', 'b', '-', 's', 's']);
    assert_eq!(sides("102.5"), ['b', 'b', '-', 's', 's']);
    assert_eq!(sides("102.51"), ['b', 'b', 'b', '-', 's']);
    assert_eq!(sides("50"), ['-', 's', 's', 's', 's']);
    assert_eq!(sides("500"), ['b', 'b', 'b', 'b', '-']);
}

#[test]
fn the_orders_fill_at_their_own_levels_in_a_move_and_in_a_jump() {
    let sold = ["grid_line: sell 1 at 105", "grid_line: sell 1 at 110"];
    assert_eq!(GridSimulation::at_100(config()).move_to("120"), sold);
    assert_eq!(GridSimulation::at_100(config()).jump("120"), sold);
    let bought = ["grid_line: buy 1 at 95", "grid_line: buy 1 at 90"];
    assert_eq!(GridSimulation::at_100(config()).move_to("80"), bought);
    assert_eq!(GridSimulation::at_100(config()).jump("80"), bought);
}

#[test]
fn what_was_bought_at_one_level_is_sold_one_level_higher() {
    let mut grid = GridSimulation::at_100(config());
    assert_eq!(grid.move_to("95"), ["grid_line: buy 1 at 95"]);
    // The level 95 is empty now: nothing happens between 90 and 100.
    assert_eq!(grid.move_to("99.99"), [""; 0]);
    assert_eq!(grid.move_to("90.01"), [""; 0]);
    assert_eq!(grid.move_to("100"), ["grid_line: sell 1 at 100"]);
    // One step of 5.
    assert_eq!((grid.profits(), grid.bot.totals.profits_count), (["5".into(), "0".into()], 1));
}

#[test]
fn the_unrealized_profit_values_what_is_held() {
    let mut grid = GridSimulation::at_100(config());
    grid.move_to("92");
    // 2 were bought at 100 and 1 at 95: 2 × (92 - 100) + (92 - 95) = -19.
    assert_eq!(grid.profits(), ["0", "-19"]);
    assert_eq!(grid.bot.held_quantity(), number("3"));
    grid.move_to("108");
    // Sold at 100 and at 105, for two steps of 5. In total 100 + 105 - 95 - 100 + (108 - 100) = 18.
    assert_eq!(grid.profits(), ["10", "8"]);
    let totals = &grid.bot.totals;
    assert_eq!((&totals.bought_volume, &totals.sold_volume), (&number("95"), &number("205")));
}

#[test]
fn the_limits_place_the_orders_nearest_to_the_price() {
    let mut grid =
        GridSimulation::at_100(GridBotConfig { max_active_buys: Some(1), max_active_sells: Some(2), ..config() });
    assert_eq!([0, 1, 2, 3, 4].map(|level| grid.bot.is_placed(level)), [false, true, false, true, true]);
    // The fill of one order places the next.
    assert_eq!(grid.jump("80"), ["grid_line: buy 1 at 95", "grid_line: buy 1 at 90"]);
    assert_eq!([0, 1, 2, 3, 4].map(|level| grid.bot.is_placed(level)), [false, true, true, false, false]);
}

#[test]
fn a_limit_of_0_places_no_orders() {
    let mut grid = GridSimulation::at_100(GridBotConfig { max_active_buys: Some(0), ..config() });
    assert_eq!(grid.move_to("80"), [""; 0]);
    assert_eq!(grid.move_to("106"), ["grid_line: sell 1 at 105"]);
    let mut grid = GridSimulation::at_100(GridBotConfig { max_active_sells: Some(0), ..config() });
    assert_eq!(grid.move_to("120"), [""; 0]);
    assert_eq!(grid.move_to("94"), ["grid_line: buy 1 at 95"]);
}

#[test]
fn a_stop_loss_that_keeps_what_is_held_disables_the_bot() {
    let lower_stop = Some(stop(Some("85"), StopAction::Keep));
    let mut grid = GridSimulation::at_100(GridBotConfig { lower_stop, ..config() });
    let expected = ["grid_line: buy 1 at 95", "grid_line: buy 1 at 90", "disabled: StopLoss"];
    assert_eq!(grid.move_to("80"), expected);
    assert_eq!(grid.bot.held_quantity(), number("4"));
    assert_eq!(grid.move_to("110"), [""; 0]);
}

#[test]
fn in_a_move_a_stop_loss_sells_at_its_price_rounded_to_the_tick() {
    let lower_stop = Some(stop(Some("84.995"), StopAction::Sell));
    let mut grid = GridSimulation::at_100(GridBotConfig { lower_stop: lower_stop.clone(), ..config() });
    assert_eq!(grid.move_to("80")[2..], ["stop_loss: sell 4 at 84.99", "disabled: StopLoss"]);
    // 2 × (84.99 - 100) + (84.99 - 95) + (84.99 - 90) = -45.04.
    assert_eq!(grid.profits(), ["-45.04", "0"]);
    let mut grid = GridSimulation::at_100(GridBotConfig { lower_stop, ..config() });
    assert_eq!(grid.move_to("84.994")[2..], ["stop_loss: sell 4 at 84.994", "disabled: StopLoss"]);
}

#[test]
fn in_a_jump_a_stop_loss_sells_at_the_price_after_it() {
    let mut grid =
        GridSimulation::at_100(GridBotConfig { lower_stop: Some(stop(Some("85"), StopAction::Sell)), ..config() });
    assert_eq!(grid.jump("80")[2..], ["stop_loss: sell 4 at 80", "disabled: StopLoss"]);
    // 2 × (80 - 100) + (80 - 95) + (80 - 90) = -65.
    assert_eq!(grid.profits(), ["-65", "0"]);
}

#[test]
fn a_stop_loss_without_a_price_triggers_outside_the_grid() {
    let lower_stop = Some(stop(None, StopAction::Sell));
    let mut grid = GridSimulation::at_100(GridBotConfig {
        lower_stop,
        upper_stop: Some(stop(None, StopAction::Sell)),
        ..config()
    });
    assert_eq!(grid.move_to("90").len(), 2);
    assert_eq!(grid.move_to("80"), ["stop_loss: sell 4 at 89.99", "disabled: StopLoss"]);
    let mut grid = GridSimulation::at_100(GridBotConfig { upper_stop: Some(stop(None, StopAction::Sell)), ..config() });
    assert_eq!(grid.move_to("110").len(), 2);
    // All is sold already.
    assert_eq!(grid.move_to("120"), ["disabled: StopLoss"]);
}

#[test]
fn an_upper_stop_loss_sells_what_is_held_above_the_grid() {
    let upper_stop = Some(stop(Some("115"), StopAction::Sell));
    let mut grid = GridSimulation::at_100(GridBotConfig { max_active_sells: Some(0), upper_stop, ..config() });
    assert_eq!(grid.move_to("114.99"), [""; 0]);
    // 2 × (115 - 100) = 30.
    assert_eq!(grid.move_to("120"), ["stop_loss: sell 2 at 115", "disabled: StopLoss"]);
    assert_eq!(grid.profits(), ["30", "0"]);
}

#[test]
fn every_order_has_a_fee_and_a_stop_loss_has_slippage() {
    let config = GridBotConfig { lower_stop: Some(stop(Some("85"), StopAction::Sell)), ..config() };
    let mut grid = GridSimulation::at_100(config).with_costs("0.001", "0.0015");
    grid.move_to("105");
    // 5 - 0.105.
    assert_eq!(grid.profits()[0], "4.895");
    grid.move_to("100");
    // 0.1 less.
    assert_eq!(grid.profits()[0], "4.795");
    // 85 × 0.9985 = 84.8725, rounded down.
    assert_eq!(grid.move_to("80")[2..], ["stop_loss: sell 4 at 84.87", "disabled: StopLoss"]);
    // The fees: 0.105 + 0.1 + 0.095 + 0.09 + 4 × 84.87 × 0.001 = 0.72948. The position: 2 × (84.87 - 100) + (84.87 - 95)
    // + (84.87 - 90) = -45.52. The step: 5.
    assert_eq!(grid.bot.totals.fees, number("0.72948"));
    assert_eq!(grid.profits()[0], "-41.24948");
}

#[test]
fn a_grid_without_levels_does_not_start() {
    assert_eq!(GridBot::start(GridBotConfig { levels: Vec::new(), ..config() }, number("100")), None);
}

#[test]
fn the_orders_of_all_levels_need_an_investment() {
    // 90 + 95 to buy, and 2 to sell.
    assert_eq!(GridSimulation::at_100(config()).bot.investment(), (number("185"), number("2")));
}

#[test]
fn levels_at_the_same_price_trade_one_by_one() {
    // A tick that is wider than the grid's steps gives equal levels.
    let levels = ["100", "100", "101"].map(number).into();
    let mut grid = GridSimulation::at_100(GridBotConfig { levels, ..config() });
    assert_eq!(grid.jump("100"), ["grid_line: sell 1 at 100"]);
    assert_eq!(grid.jump("100"), ["grid_line: buy 1 at 100"]);
    assert_eq!(grid.move_to("101"), ["grid_line: sell 1 at 100", "grid_line: sell 1 at 101"]);
}
