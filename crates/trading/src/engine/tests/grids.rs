//! Grid bots: levels, limits, stop losses, and costs.

use super::simulation::{describe, market, number};
use crate::decimal::Decimal;
use crate::engine::{
    Event, GridBotConfig, GridEnd, GridMode, GridOrderSize, GridStop, Market, QuantityCurrency, Quote,
    SimulatedGridBot, StopAction,
};
use crate::grid::{OrderSide, Spacing};

/// A grid bot, its market, and the price.
struct GridSimulation {
    bot: SimulatedGridBot,
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
        order_size: GridOrderSize { amount: Decimal::ONE, currency: QuantityCurrency::Base },
        mode: GridMode::Long,
        max_active_buys: None,
        max_active_sells: None,
        lower_stop: None,
        upper_stop: None,
        spacing: Spacing::Arithmetic,
        above: GridEnd::default(),
        below: GridEnd::default(),
        profit_in_base: false,
        profit_from_entry: false,
    }
}

fn stop(price: Option<&str>, action: StopAction) -> GridStop {
    GridStop { price: price.map(number), action }
}

/// Returns the market of a start whose balancing order fills at the price of the start, so that the figures are round.
fn without_tick() -> Market {
    Market { tick: Decimal::ZERO, ..market("USDT_BTC") }
}

impl GridSimulation {
    fn start(config: GridBotConfig, price: &str) -> Self {
        let market = market("USDT_BTC");
        let bot = SimulatedGridBot::start(config, number(price), &without_tick()).unwrap();
        Self { bot, market, price: number(price), events: Vec::new() }
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
        let unrealized = self.bot.position.unrealized(&self.price);
        [&self.bot.totals.profit, &unrealized].map(|profit| profit.normalized().to_string())
    }
}

#[test]
fn a_profit_in_the_base_currency_is_worth_the_same_at_the_price_of_its_order() {
    let mut grid = GridSimulation::at_100(GridBotConfig { profit_in_base: true, ..config() }).with_costs("0.001", "0");
    grid.move_to("105");
    grid.move_to("110");
    // Steps of 5, less fees of 0.105 and 0.11.
    assert_eq!(grid.bot.totals.profit, number("9.785"));
    let at = |amount: &str, price: &str| number(amount).div_round(&number(price), 18).unwrap();
    let expected = at("5", "105") - at("0.105", "105") + at("5", "110") - at("0.11", "110");
    assert_eq!((grid.bot.totals.base_profit.as_deref(), grid.bot.profit()), (Some(&expected), expected.clone()));
    assert_eq!(GridSimulation::at_100(config()).bot.totals.base_profit, None);
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
    assert_eq!(grid.bot.position.quantity, number("3"));
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
    assert_eq!(grid.bot.position.quantity, number("4"));
    assert_eq!(grid.move_to("110"), [""; 0]);
}

#[test]
fn in_a_move_a_stop_loss_sells_at_its_price_rounded_to_the_tick() {
    let lower_stop = Some(stop(Some("84.995"), StopAction::Close));
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
        GridSimulation::at_100(GridBotConfig { lower_stop: Some(stop(Some("85"), StopAction::Close)), ..config() });
    assert_eq!(grid.jump("80")[2..], ["stop_loss: sell 4 at 80", "disabled: StopLoss"]);
    // 2 × (80 - 100) + (80 - 95) + (80 - 90) = -65.
    assert_eq!(grid.profits(), ["-65", "0"]);
}

#[test]
fn a_stop_loss_without_a_price_triggers_outside_the_grid() {
    let lower_stop = Some(stop(None, StopAction::Close));
    let mut grid = GridSimulation::at_100(GridBotConfig {
        lower_stop,
        upper_stop: Some(stop(None, StopAction::Close)),
        ..config()
    });
    assert_eq!(grid.move_to("90").len(), 2);
    assert_eq!(grid.move_to("80"), ["stop_loss: sell 4 at 89.99", "disabled: StopLoss"]);
    let mut grid =
        GridSimulation::at_100(GridBotConfig { upper_stop: Some(stop(None, StopAction::Close)), ..config() });
    assert_eq!(grid.move_to("110").len(), 2);
    // All is sold already.
    assert_eq!(grid.move_to("120"), ["disabled: StopLoss"]);
}

#[test]
fn an_upper_stop_loss_sells_what_is_held_above_the_grid() {
    let upper_stop = Some(stop(Some("115"), StopAction::Close));
    let mut grid = GridSimulation::at_100(GridBotConfig { max_active_sells: Some(0), upper_stop, ..config() });
    assert_eq!(grid.move_to("114.99"), [""; 0]);
    // 2 × (115 - 100) = 30.
    assert_eq!(grid.move_to("120"), ["stop_loss: sell 2 at 115", "disabled: StopLoss"]);
    assert_eq!(grid.profits(), ["30", "0"]);
}

#[test]
fn every_order_has_a_fee_and_a_stop_loss_has_slippage() {
    let config = GridBotConfig { lower_stop: Some(stop(Some("85"), StopAction::Close)), ..config() };
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
    let empty = GridBotConfig { levels: Vec::new(), ..config() };
    assert_eq!(SimulatedGridBot::start(empty, number("100"), &without_tick()), None);
}

#[test]
fn the_orders_of_all_levels_need_an_investment() {
    // 90 + 95 to buy, and 2 to sell.
    let investment = GridSimulation::at_100(config()).bot.investment(&number("100"));
    assert_eq!((investment.quote, investment.base), (number("185"), number("2")));
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

fn with_mode(mode: GridMode) -> GridBotConfig {
    GridBotConfig { mode, ..config() }
}

fn quote(amount: &str) -> GridOrderSize {
    GridOrderSize { amount: number(amount), currency: QuantityCurrency::Quote }
}

#[test]
fn a_short_grid_sells_first_and_loses_in_a_rise() {
    let mut grid = GridSimulation::at_100(with_mode(GridMode::Short));
    assert_eq!(grid.bot.position.quantity, number("-2"));
    assert_eq!(grid.move_to("112"), ["grid_line: sell 1 at 105", "grid_line: sell 1 at 110"]);
    // It owes 4: 2 × (100 - 112) + (105 - 112) + (110 - 112) = -33.
    assert_eq!(grid.profits(), ["0", "-33"]);
    assert_eq!(grid.bot.totals.profits_count, 0);
}

#[test]
fn a_short_grid_takes_profit_with_each_buy_order() {
    let mut grid = GridSimulation::at_100(with_mode(GridMode::Short));
    grid.move_to("112");
    assert_eq!(grid.move_to("100"), ["grid_line: buy 1 at 105", "grid_line: buy 1 at 100"]);
    assert_eq!((grid.profits(), grid.bot.totals.profits_count), (["10".into(), "0".into()], 2));
    // The position of the start, sold at 100, is bought back at 95 and 90: 15, of which two steps are 10.
    assert_eq!(grid.move_to("90").len(), 2);
    assert_eq!((grid.profits(), grid.bot.position.quantity.is_zero()), (["20".into(), "5".into()], true));
}

#[test]
fn a_reversal_grid_starts_with_nothing_and_earns_on_the_way_back() {
    let mut grid = GridSimulation::at_100(with_mode(GridMode::Reversal));
    assert!(grid.bot.position.quantity.is_zero());
    grid.move_to("112");
    // It owes 2: (105 - 112) + (110 - 112) = -9.
    assert_eq!(grid.profits(), ["0", "-9"]);
    grid.move_to("100");
    assert_eq!(grid.profits(), ["10", "0"]);
    grid.move_to("90");
    // It holds 2, bought at 95 and 90.
    assert_eq!((grid.profits(), grid.bot.position.quantity.to_string()), (["10".into(), "-5".into()], "2".into()));
    grid.move_to("100");
    assert_eq!(grid.profits(), ["20", "0"]);
}

#[test]
fn the_same_rise_is_a_gain_a_loss_or_both_by_direction() {
    let total = |mode| {
        let mut grid = GridSimulation::at_100(with_mode(mode));
        grid.move_to("112");
        &grid.bot.totals.profit + &grid.bot.position.unrealized(&grid.price)
    };
    // 5 + 10; 2 × (100 - 112) + 5 - 12 + 10 - 12; 105 + 110 - 2 × 112.
    assert_eq!([GridMode::Long, GridMode::Short, GridMode::Reversal].map(total), ["15", "-33", "-9"].map(number));
}

#[test]
fn a_stop_loss_buys_back_what_a_short_grid_owes() {
    let upper_stop = Some(stop(Some("115"), StopAction::Close));
    let config = GridBotConfig { upper_stop, ..with_mode(GridMode::Short) };
    let mut grid = GridSimulation::at_100(config).with_costs("0", "0.001");
    // 115 × 1.001 = 115.115, rounded up.
    assert_eq!(grid.move_to("120")[2..], ["stop_loss: buy 4 at 115.12", "disabled: StopLoss"]);
    // 2 × (100 - 115.12) + (105 - 115.12) + (110 - 115.12).
    assert_eq!(grid.profits(), ["-45.48", "0"]);
}

#[test]
fn a_quantity_in_the_quote_currency_is_divided_by_the_price_of_the_level_and_rounded_down() {
    let quantity = |price| quote("20").quantity(&number(price), Some(&Decimal::ONE)).to_string();
    assert_eq!(["0.016287", "0.016352", "0.02171"].map(quantity), ["1227", "1223", "921"]);
    // 105 takes 1.9047, 110 takes 1.8181, 95 takes 2.1052.
    let mut grid = GridSimulation::at_100(GridBotConfig { order_size: quote("200"), ..config() });
    assert_eq!(grid.move_to("110"), ["grid_line: sell 1.9047 at 105", "grid_line: sell 1.8181 at 110"]);
    // The steps are those of the quantities one level lower: 5 × 2 + 5 × 1.9047.
    assert_eq!(grid.profits()[0], "19.5235");
    assert_eq!(grid.move_to("95")[2..], ["grid_line: buy 2.1052 at 95"]);
}

#[test]
fn differences_of_quantities_stay_in_the_position() {
    let mut grid = GridSimulation::at_100(GridBotConfig { order_size: quote("200"), ..config() });
    let start = grid.bot.position.quantity.clone();
    assert_eq!(start, number("3.7228"));
    grid.move_to("105");
    grid.move_to("100");
    // It sold 1.9047 at 105 and bought 2 at 100. The step is 5 × 2; the rest of 0.0953 was bought for 105 each.
    assert_eq!(&grid.bot.position.quantity - start, number("0.0953"));
    assert_eq!(grid.profits(), ["10", "-0.4765"]);
}

#[test]
fn a_short_grid_needs_margin_for_its_sell_orders_and_its_start() {
    let quote_of = |mode, size| {
        let bot = GridSimulation::at_100(GridBotConfig { order_size: size, ..with_mode(mode) }).bot;
        let investment = bot.investment(&bot.start_price);
        assert!(investment.base.is_zero());
        investment.quote.normalized().to_string()
    };
    // 105 + 110, and 2 sold at 100.
    assert_eq!(quote_of(GridMode::Short, config().order_size), "415");
    // 90 + 95 + 105 + 110.
    assert_eq!(quote_of(GridMode::Reversal, config().order_size), "400");
    // Two orders of 200, and 2.1052 + 2.2222 sold at 100.
    assert_eq!(quote_of(GridMode::Short, quote("200")), "832.74");
    assert_eq!(quote_of(GridMode::Reversal, quote("200")), "800");
}

#[test]
fn an_order_of_less_than_a_lot_is_not_placed() {
    let mut grid = GridSimulation::start(config(), "100");
    let order_size = quote("100");
    grid.bot = SimulatedGridBot::start(
        GridBotConfig { order_size, ..config() },
        number("107"),
        &Market { lot: Decimal::ONE, ..without_tick() },
    )
    .unwrap();
    // 100 buys 1 at 90, 95 and 100, and nothing at 105 and 110.
    assert_eq!([0, 1, 2, 3, 4].map(|level| grid.bot.is_placed(level)), [true, true, true, false, false]);
    assert_eq!(grid.move_to("120"), [""; 0]);
    assert_eq!(grid.move_to("95"), ["grid_line: buy 1 at 100", "grid_line: buy 1 at 95"]);
    assert_eq!(grid.move_to("120"), ["grid_line: sell 1 at 100"]);
}

#[test]
fn another_empty_level_has_the_position_of_a_straight_move_there() {
    for mode in [GridMode::Long, GridMode::Short, GridMode::Reversal] {
        for (level, price) in [(0, "90"), (1, "95"), (2, "100"), (3, "105"), (4, "110")] {
            let mut grid = GridSimulation::at_100(with_mode(mode));
            let at_level = grid.bot.clone().at_level(level);
            grid.move_to(price);
            assert_eq!((at_level.position, at_level.empty_level), (grid.bot.position, grid.bot.empty_level));
        }
    }
}

#[test]
fn settings_of_older_versions_are_read_as_long_grids_of_base_currency() {
    let old = r#"{"levels": ["90", "110"], "lower_price": "90", "upper_price": "110", "quantity": "0.3",
        "max_active_buys": null, "max_active_sells": 3, "lower_stop": {"price": "80", "action": "Sell"}, "upper_stop": null}"#;
    let config: GridBotConfig = serde_json::from_str(old).unwrap();
    let size = GridOrderSize { amount: number("0.3"), currency: QuantityCurrency::Base };
    assert_eq!((config.mode, &config.order_size), (GridMode::Long, &size));
    assert_eq!(config.lower_stop, Some(stop(Some("80"), StopAction::Close)));
    let again = serde_json::from_str(&serde_json::to_string(&config).unwrap());
    assert_eq!(config, again.unwrap());
}
