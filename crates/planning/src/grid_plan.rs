//! The plan of a grid bot: its levels, its investment and its profit.

use bigdecimal::{BigDecimal, ToPrimitive, Zero};
use serde::{Deserialize, Serialize};

use super::engine_config::{grid_mode, quantity_currency};
use super::error::PlanError;
use super::fraction::PlannedFee;
use super::ladder_config::message_of;
use super::ladder_plan::QUOTIENT_DIGITS;
use super::reader::Reader;
use botdesk_api::grid_bots::{self, GridBot, GridBotEdit, GridCurrency, upper_above_lower};
use botdesk_schema::decimal;
use botdesk_schema::input::{RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::record::Record;
use botdesk_schema::secrets::shown_value;
use botdesk_schema::values::{Choices as _, Decimal};
use botdesk_trading::decimal as trading;
use botdesk_trading::engine::grid_config::{GridInvestment, GridMode, GridOrderSize};
use botdesk_trading::grid::{Grid, OrderSide, Spacing};
use botdesk_trading::rounding::{quotient, to_digits};

inputs! {
    /// The market that a grid is planned for.
    GridMarket of "a grid" {
        /// Price of the pair, in the quote currency, which decides what each level does.
        price: Decimal;
        /// Tick of the pair: levels are rounded to its nearest multiple; if omitted they are not rounded.
        tick: Decimal;
        /// Lot of the pair: quantities are rounded down to its multiples; if omitted they are not rounded.
        lot: Decimal;
        use PlannedFee;
    }
}

/// The maximum number of levels of a plan.
const MAX_LEVELS: u32 = 10_000;

/// The configuration of a planned grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridConfig {
    /// The levels.
    pub grid: Grid,
    /// The size of each order; None if it is not known.
    pub order_size: Option<GridOrderSize>,
    /// The direction.
    pub mode: GridMode,
    /// The price of the pair; None if it is not known.
    pub price: Option<BigDecimal>,
    /// The tick: the levels are multiples of it.
    pub tick: BigDecimal,
    /// The lot: the quantities are multiples of it; None not to round them.
    pub lot: Option<trading::Decimal>,
    /// The fee of each order, as a fraction.
    pub fee: BigDecimal,
    /// The warnings.
    pub warnings: Vec<String>,
}

/// The levels of a grid, its investment and its profit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridPlan {
    /// The levels, the lowest first.
    pub levels: Vec<GridLevel>,
    /// The distance between two adjacent levels: a difference in an arithmetic grid, a ratio in a geometric one.
    pub step: BigDecimal,
    /// The price of the pair that decides the side of each level; None if it is not known.
    pub price: Option<BigDecimal>,
    /// The investment that all orders need; None without a price or a quantity.
    pub investment: Option<Investment>,
    /// The mean profit of the levels, in the quote currency; None without a quantity.
    pub profit_per_grid: Option<BigDecimal>,
    /// The warnings.
    pub warnings: Vec<String>,
}

/// A level of a grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridLevel {
    /// Its price.
    pub price: BigDecimal,
    /// The side of its order; None at the level closest to the price, and at every level if no price is known.
    pub side: Option<OrderSide>,
    /// The quantity of its order, in the base currency; None if the size of the orders is not known.
    #[serde(default)]
    pub quantity: Option<BigDecimal>,
    /// The profit of buying one level lower and selling here, in the quote currency.
    pub profit: Option<BigDecimal>,
}

/// The investment that all orders of a grid need.
///
/// A long grid needs quote currency for its buy orders, and base currency for its sell orders. Grids in the other directions trade
/// futures: everything that they need is in the quote currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Investment {
    /// The investment in the quote currency.
    pub quote: BigDecimal,
    /// The investment in the base currency.
    pub base: BigDecimal,
    /// The total at the price of the pair, in the quote currency.
    pub total: BigDecimal,
}

impl GridConfig {
    /// Reads the configuration of a bot from its record, or reports everything that prevents a plan.
    ///
    /// A missing field is assumed, with a warning, only if the API reference does not require it. A field that can't be read is
    /// an error.
    pub fn from_record(bot: &GridBot, market: &RequestBuilder) -> Result<Self, PlanError> {
        Self::from_edit(bot, &RequestBuilder::new(GridBotEdit::INPUTS, []).carry_over(bot.fields()), market)
    }

    /// Reads the configuration of a bot with the values of an edit, as `from_record` reads it without.
    pub fn from_edit(bot: &GridBot, request: &RequestBuilder, market: &RequestBuilder) -> Result<Self, PlanError> {
        let mut reader = Reader::of_record(GridBotEdit::INPUTS, request, bot, "botdesk.plan_grid");
        let asks_record = market.value(GridMarket::price).is_none();
        let current = if asks_record { current_price(bot, &mut reader) } else { None };
        let mut config = Self::read(reader, market)?;
        config.price = config.price.or(current);
        config.warnings.extend(bot.pair().err().map(|unreadable| format!("{unreadable}; the grid has no pair")));
        Ok(config)
    }

    /// Reads the configuration from arguments with the names of an edit's fields, or reports everything that is wrong with
    /// them.
    pub fn from_arguments(request: &RequestBuilder, market: &RequestBuilder) -> Result<Self, PlanError> {
        let mut config = Self::read(Reader::new(GridBotEdit::INPUTS, request), market)?;
        let refused = request.violations_without_record();
        config.warnings.extend(refused.iter().filter(|violation| !violation.is_own).map(message_of));
        Ok(config)
    }

    fn read(mut reader: Reader<'_>, market: &RequestBuilder) -> Result<Self, PlanError> {
        let mut around = Reader::new(GridMarket::INPUTS, market);
        let price = around.above_zero(GridMarket::price);
        let tick = around.above_zero(GridMarket::tick).unwrap_or_default();
        let lot = around.above_zero(GridMarket::lot).map(trading::Decimal::from);
        let fee = around.fraction(PlannedFee::fee);
        let mut warnings = std::mem::take(&mut around.warnings);
        let around = around.done(());
        let grid = grid(&mut reader);
        let order_size = order_size(&mut reader);
        let mode =
            grid_mode(reader.optional_choice(GridBotEdit::mode, grid_bots::GridMode::VALUES).unwrap_or_default());
        warnings.append(&mut reader.warnings);
        let config = Self { grid, order_size, mode, price, tick, lot, fee, warnings };
        match (reader.done(config), around) {
            (Ok(config), Ok(())) => Ok(config),
            (Err(error), around) => Err(error.and(around.err())),
            (Ok(_), Err(error)) => Err(error),
        }
    }
}

/// Reads the current price of a bot; None, with a warning, if it is not a price.
fn current_price(bot: &GridBot, reader: &mut Reader<'_>) -> Option<BigDecimal> {
    let held = reader.readable_or(bot.current_price(), || "pass price=".to_owned())?;
    let Some(held) = held else {
        reader.assume_other("current_price", "pass price= to get the side of each level");
        return None;
    };
    let price = decimal::parse(held.as_str()).filter(|price| *price > BigDecimal::zero());
    if price.is_none() {
        let shown = shown_value(held.as_str());
        reader
            .warnings
            .push(format!("the record's current_price is {shown}; pass price= to get the side of each level"));
    }
    price
}

/// Reads the size of each order; None if the quantity is not known.
fn order_size(reader: &mut Reader<'_>) -> Option<GridOrderSize> {
    reader.assume(GridBotEdit::quantity_per_grid, "the investment and the profit are unknown");
    let amount = reader.above_zero(GridBotEdit::quantity_per_grid);
    let currency = quantity_currency(reader.choice_of(GridBotEdit::order_currency_type, GridCurrency::VALUES, "base"));
    amount.map(|amount| GridOrderSize { amount: amount.into(), currency })
}

fn grid(reader: &mut Reader<'_>) -> Grid {
    let lower = reader.required(GridBotEdit::lower_price).unwrap_or_default();
    let upper = reader.required(GridBotEdit::upper_price).unwrap_or_default();
    if let Some(violation) = upper_above_lower(reader.request) {
        reader.report_other(&violation.field, violation.message);
    }
    let spacing = match reader.choice(GridBotEdit::grid_type, "arithmetic") {
        "geometric" => Spacing::Geometric,
        _ => Spacing::Arithmetic,
    };
    Grid { lower, upper, levels: levels(reader).unwrap_or_default(), spacing }
}

fn levels(reader: &mut Reader<'_>) -> Option<u32> {
    let input = GridBotEdit::grids_quantity;
    let number = reader.required(input)?;
    let levels = number.to_u32().filter(|levels| (2..=MAX_LEVELS).contains(levels));
    if levels.is_none() {
        reader.report(input, format!("must be between 2 and {MAX_LEVELS}, not {}", decimal::shown(&number)));
    }
    levels
}

impl GridPlan {
    /// Plans the grid, or returns the violation that prevents it.
    pub fn new(config: &GridConfig) -> Result<Self, Violation> {
        let made = || Some((config.grid.step()?, planned_levels(config)?));
        let too_far = "is too far above lower_price for a grid to be calculated";
        let (step, levels) = made().ok_or_else(|| GridBotEdit::upper_price.violation(too_far))?;
        let profits: Option<Vec<&BigDecimal>> = levels.iter().skip(1).map(|level| level.profit.as_ref()).collect();
        let profit_per_grid = profits.as_deref().and_then(mean);
        let mut plan = Self {
            investment: investment(config, &levels),
            step: step.normalized(),
            price: config.price.clone(),
            profit_per_grid,
            levels,
            warnings: Vec::new(),
        };
        plan.warnings = config.warnings.iter().cloned().chain(plan.level_warnings(config)).collect();
        Ok(plan)
    }

    fn level_warnings(&self, config: &GridConfig) -> impl Iterator<Item = String> {
        let same = self.levels.windows(2).any(|pair| matches!(pair, [lower, upper] if lower.price == upper.price));
        let same = same.then(|| "the tick is so large that levels have the same price".to_owned());
        let outside = |is_outside: bool, side: &str| is_outside.then(|| format!("the price is {side} the grid"));
        let price = config.price.as_ref();
        let below = outside(price.is_some_and(|price| *price < config.grid.lower), "below");
        let above = outside(price.is_some_and(|price| *price > config.grid.upper), "above");
        let quantities = self.levels.iter().filter_map(|level| Some((level, level.quantity.as_ref()?)));
        let quantities: Vec<_> = quantities.map(|(level, quantity)| ((&level.price).into(), quantity.into())).collect();
        let unplaced = unplaced_warning(quantities.iter().map(|(price, quantity)| (price, quantity)));
        let lossy = self.levels.windows(2).find_map(|pair| match pair {
            [lower, upper] if lower.is_placed() && upper.is_placed() && upper.earns_nothing() => Some(upper),
            _ => None,
        });
        let lossy = lossy.map(|level| {
            format!(
                "buying one level lower and selling at {} makes no profit after the fee",
                decimal::shown(&level.price)
            )
        });
        [same, below, above, unplaced, lossy].into_iter().flatten()
    }
}

impl GridLevel {
    fn is_placed(&self) -> bool {
        self.quantity.as_ref().is_some_and(|quantity| *quantity > BigDecimal::zero())
    }

    fn earns_nothing(&self) -> bool {
        self.profit.as_ref().is_some_and(|profit| *profit <= BigDecimal::zero())
    }
}

/// Returns the warning about levels, each with its price and quantity, whose quantity is 0.
pub(super) fn unplaced_warning<'a>(
    levels: impl Iterator<Item = (&'a trading::Decimal, &'a trading::Decimal)>,
) -> Option<String> {
    let prices: Vec<_> = levels.filter(|(_, quantity)| !quantity.is_positive()).map(|(price, _)| price).collect();
    let first = decimal::shown(&prices.first()?.to_big());
    let rest = match prices.len() {
        1 => String::new(),
        all => format!(", and those at {} more levels", all - 1),
    };
    Some(format!("the order at {first} can't be placed: quantity_per_grid is less than a lot there{rest}"))
}

fn planned_levels(config: &GridConfig) -> Option<Vec<GridLevel>> {
    let sides: Vec<_> = match &config.price {
        Some(price) => config.grid.levels(&config.tick, price)?.into_iter().map(|it| (it.price, it.side)).collect(),
        None => config.grid.prices(&config.tick)?.into_iter().map(|price| (price, None)).collect(),
    };
    let order = |(price, side): (BigDecimal, Option<OrderSide>)| {
        let price = if config.tick.is_zero() { to_digits(&price, QUOTIENT_DIGITS) } else { price };
        let size = config.order_size.as_ref();
        let quantity = size.map(|size| size.quantity(&(&price).into(), config.lot.as_ref()).to_big());
        PlannedLevel { price, side, quantity }
    };
    let orders: Vec<_> = sides.into_iter().map(order).collect();
    let below = std::iter::once(None).chain(orders.iter().map(Some));
    let level = |(order, below): (&PlannedLevel, Option<&PlannedLevel>)| GridLevel {
        price: order.price.clone(),
        side: order.side,
        quantity: order.quantity.as_ref().map(|quantity| to_digits(quantity, QUOTIENT_DIGITS)),
        profit: below.and_then(|below| step_profit(config, below, order)),
    };
    Some(orders.iter().zip(below).map(level).collect())
}

/// A level, with all digits of its quantity.
struct PlannedLevel {
    price: BigDecimal,
    side: Option<OrderSide>,
    quantity: Option<BigDecimal>,
}

/// Returns the profit of the step between two levels: of the quantity at the level that opens it, less the fees of both orders.
fn step_profit(config: &GridConfig, lower: &PlannedLevel, upper: &PlannedLevel) -> Option<BigDecimal> {
    let (bought, sold) = lower.quantity.as_ref().zip(upper.quantity.as_ref())?;
    if bought.is_zero() || sold.is_zero() {
        return Some(BigDecimal::zero());
    }
    let opens_above = match config.mode {
        GridMode::Long => false,
        GridMode::Short => true,
        GridMode::Reversal => upper.side == Some(OrderSide::Sell),
    };
    let opened = if opens_above { sold } else { bought };
    let fees = (&lower.price * bought + &upper.price * sold) * &config.fee;
    let profit = (&upper.price - &lower.price) * opened - fees;
    Some(to_digits(&profit, QUOTIENT_DIGITS))
}

fn mean(numbers: &[&BigDecimal]) -> Option<BigDecimal> {
    let sum: BigDecimal = numbers.iter().copied().sum();
    Some(to_digits(&quotient(&sum, &BigDecimal::from(u64::try_from(numbers.len()).ok()?))?, QUOTIENT_DIGITS))
}

fn investment(config: &GridConfig, levels: &[GridLevel]) -> Option<Investment> {
    let (size, price) = (config.order_size.as_ref()?, config.price.as_ref()?);
    let order = |level: &GridLevel| Some((level.side?, (&level.price).into(), level.quantity.as_ref()?.into()));
    let orders: Vec<(OrderSide, trading::Decimal, trading::Decimal)> = levels.iter().filter_map(order).collect();
    let orders = orders.iter().map(|(side, price, quantity)| (*side, price, quantity));
    let needed = GridInvestment::new(config.mode, size, &price.into(), orders);
    let [quote, base] = [needed.quote, needed.base].map(|amount| amount.to_big());
    let total = &quote + &base * price;
    let [quote, base, total] = [quote, base, total].map(|amount| to_digits(&amount, QUOTIENT_DIGITS));
    Some(Investment { quote, base, total })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use botdesk_schema::input::Inputs;
    use botdesk_schema::values::Field;
    use botdesk_trading::engine::{GridBotConfig, GridEnd, Market, Quote, SimulatedGridBot};

    fn request(inputs: &'static Inputs, fields: &Value) -> RequestBuilder {
        let given = fields.as_object().unwrap().iter();
        RequestBuilder::new(
            inputs,
            given.map(|(name, value)| (inputs.named(name).unwrap().key(), Field::Value(value.clone()))),
        )
    }

    fn plan(fields: &Value, market: &Value) -> Result<GridPlan, PlanError> {
        let config =
            GridConfig::from_arguments(&request(GridBotEdit::INPUTS, fields), &request(GridMarket::INPUTS, market))?;
        Ok(GridPlan::new(&config)?)
    }

    /// Levels at 100, 110, 120, 130 and 140.
    fn five(market: &Value) -> GridPlan {
        let fields = json!({
            "lower_price": 100, "upper_price": 140, "grids_quantity": 5, "quantity_per_grid": "0.5",
            "grid_type": "arithmetic",
        });
        plan(&fields, market).unwrap()
    }

    fn number(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_bought_below_takes_quote_and_what_is_sold_above_takes_base() {
        let plan = five(&json!({ "price": 121 }));
        let names: Vec<_> = plan.levels.iter().map(|level| level.side.map_or("-", OrderSide::name)).collect();
        assert_eq!(names, ["buy", "buy", "-", "sell", "sell"]);
        // 0.5 × (100 + 110), 0.5 + 0.5, and 105 + 1 × 121
        let expected = Investment { quote: number("105"), base: number("1"), total: number("226") };
        assert_eq!(plan.investment, Some(expected));
    }

    #[test]
    fn a_level_earns_its_distance_less_the_fee_of_both_orders() {
        let plan = five(&json!({ "price": 121, "fee": "0.001" }));
        let profits: Vec<_> = plan.levels.iter().map(|level| level.profit.clone()).collect();
        // 0.5 × (10 − 0.001 × (100 + 110)), and so on
        let expected = ["4.895", "4.885", "4.875", "4.865"].map(|text| Some(number(text)));
        assert_eq!(profits[0], None);
        assert_eq!(profits[1..], expected);
        assert_eq!(plan.profit_per_grid, Some(number("4.88")));
        assert_eq!(five(&json!({})).profit_per_grid, Some(number("5")));
    }

    #[test]
    fn without_a_price_there_are_no_sides_and_no_investment() {
        let plan = five(&json!({}));
        assert!(plan.levels.iter().all(|level| level.side.is_none()));
        assert_eq!((plan.investment, plan.step), (None, number("10")));
    }

    #[test]
    fn what_a_trader_should_know_is_said() {
        assert_eq!(five(&json!({ "price": 99 })).warnings, ["the price is below the grid"]);
        assert_eq!(five(&json!({ "tick": 50 })).warnings[0], "the tick is so large that levels have the same price");
        let lossy = five(&json!({ "fee": "0.05" }));
        assert_eq!(
            lossy.warnings,
            [
                "fee=0.05 is 5 %; for 0.05 %, pass fee=\"0.05%\"",
                "buying one level lower and selling at 110 makes no profit after the fee",
            ]
        );
    }

    #[test]
    fn what_makes_no_grid_is_refused_all_at_once() {
        let fields = |fields: Value, market: Value| {
            let PlanError::Values(violations) = plan(&fields, &market).unwrap_err() else {
                panic!("no record is read")
            };
            violations.into_iter().map(|violation| violation.field).collect::<Vec<_>>()
        };
        let all = ["lower_price", "upper_price", "grids_quantity", "fee"];
        assert_eq!(fields(json!({}), json!({ "fee": 1 })), all);
        let bounds = json!({ "lower_price": 2, "upper_price": 1, "grids_quantity": 10_001 });
        assert_eq!(fields(bounds, json!({})), ["upper_price", "grids_quantity"]);
        let far = json!({
            "lower_price": "1e-300", "upper_price": "1e300", "grids_quantity": 5, "grid_type": "geometric",
        });
        assert_eq!(fields(far, json!({})), ["upper_price"]);
    }

    /// Returns the grid of the published order sizes: 81 levels, 20 of the quote currency each.
    fn published(lower: &str, upper: &str, price: &str) -> GridPlan {
        let fields = json!({
            "lower_price": lower, "upper_price": upper, "grids_quantity": 81, "quantity_per_grid": 20,
            "grid_type": "geometric", "order_currency_type": "quote",
        });
        plan(&fields, &json!({ "price": price, "tick": "0.000001", "lot": 1 })).unwrap()
    }

    /// Levels at 56 000, 58 000, … 70 000, with orders of 150 of the quote currency.
    fn of_quote(mode: Option<&str>, market: &Value) -> GridPlan {
        let mut fields = json!({
            "lower_price": 56_000, "upper_price": 70_000, "grids_quantity": 8, "quantity_per_grid": 150,
            "order_currency_type": "quote",
        });
        if let Some(mode) = mode {
            fields["mode"] = mode.into();
        }
        plan(&fields, market).unwrap()
    }

    #[test]
    fn an_order_in_the_quote_currency_costs_its_quantity_wherever_its_level_is() {
        let plan = of_quote(None, &json!({ "price": 63_000, "lot": "0.00000001" }));
        let quantities: Vec<_> = plan.levels.iter().map(|level| level.quantity.clone().unwrap()).collect();
        assert_eq!(quantities[0], number("0.00267857"));
        assert_eq!(quantities[7], number("0.00214285"));
        // Three buy orders of 150; 150 divided by 64 000, 66 000, 68 000 and 70 000.
        let investment = plan.investment.unwrap();
        assert_eq!((investment.quote, investment.base), (number("450"), number("0.00896520")));
        // 2 000 times the mean quantity of the lower levels.
        assert_eq!(plan.profit_per_grid.unwrap().round(2), number("4.86"));
        assert_eq!(plan.warnings, [""; 0]);
    }

    #[test]
    fn without_a_lot_quantities_are_not_rounded() {
        let plan = of_quote(None, &json!({ "price": 63_000 }));
        let quantity = plan.levels[0].quantity.clone().unwrap().to_plain_string();
        assert_eq!(quantity, "0.0026785714285714285714285714285714285714285714285714");
    }

    #[test]
    fn the_published_quantities_and_investments() {
        let grid = published("0.016287", "0.022414", "0.021967");
        assert_eq!(grid.levels[0].quantity, Some(number("1227")));
        assert_eq!(
            grid.investment.unwrap(),
            Investment { quote: number("1500"), base: number("4495"), total: number("1598.741665") }
        );
        let grid = published("0.016352", "0.022503", "0.022394");
        assert_eq!(grid.levels[0].quantity, Some(number("1223")));
        assert_eq!(
            grid.investment.unwrap(),
            Investment { quote: number("1580"), base: number("888"), total: number("1599.885872") }
        );
    }

    #[test]
    fn a_short_or_reversal_grid_needs_margin_in_the_quote_currency() {
        let needed = |mode| {
            let investment = of_quote(Some(mode), &json!({ "price": 63_000, "lot": "0.00000001" })).investment.unwrap();
            assert_eq!((&investment.base, &investment.total), (&number("0"), &investment.quote));
            investment.quote
        };
        // Four sell orders of 150, and the 0.00776477 of the buy orders, sold at 63 000.
        assert_eq!(needed("short"), number("1089.18051"));
        // Seven orders of 150.
        assert_eq!(needed("reversal"), number("1050"));
    }

    #[test]
    fn a_step_earns_with_the_quantity_of_the_order_that_opens_it() {
        let profit = |mode, level: usize| {
            let plan = of_quote(mode, &json!({ "price": 63_000, "lot": "0.00000001" }));
            plan.levels[level].profit.clone().unwrap()
        };
        // 2 000 × 150 ÷ 56 000 and ÷ 58 000.
        assert_eq!(profit(Some("long"), 1), number("5.35714"));
        assert_eq!(profit(None, 1), number("5.35714"));
        assert_eq!(profit(Some("short"), 1), number("5.1724"));
        // Below the price a reversal grid buys first, above it sells first: 2 000 × 150 ÷ 64 000.
        assert_eq!(profit(Some("reversal"), 1), number("5.35714"));
        assert_eq!(profit(Some("reversal"), 4), number("4.6875"));
    }

    #[test]
    fn the_profit_of_a_level_is_what_the_engine_realizes_there() {
        let lot = trading::Decimal::new(1, 5);
        for (mode, market) in [("long", "0.001"), ("short", "0.001"), ("reversal", "0")]
            .iter()
            .flat_map(|(mode, fee)| (1..8).map(move |level| (*mode, (level, *fee))))
        {
            let (level, fee) = market;
            let price = 54_000 + 2_000 * level;
            let plan = of_quote(Some(mode), &json!({ "price": price, "lot": "0.00001", "fee": fee }));
            let config = GridBotConfig {
                levels: plan.levels.iter().map(|level| (&level.price).into()).collect(),
                lower_price: 56_000.into(),
                upper_price: 70_000.into(),
                order_size: GridOrderSize { amount: 150.into(), currency: quantity_currency("quote") },
                mode: grid_mode(mode),
                max_active_buys: None,
                max_active_sells: None,
                lower_stop: None,
                upper_stop: None,
                spacing: Spacing::Arithmetic,
                above: GridEnd::default(),
                below: GridEnd::default(),
                profit_in_base: false,
                profit_from_entry: false,
            };
            let market = Market {
                pair: "USDT_BTC".into(),
                tick: 1.into(),
                lot: lot.clone(),
                fee: fee.parse().unwrap(),
                slippage: trading::Decimal::ZERO,
            };
            let mut bot = SimulatedGridBot::start(config, price.into(), &market).unwrap();
            let started = bot.totals.profit.clone();
            for price in [price + 2_000, price] {
                let (price, balance) = (price.into(), trading::Decimal::ZERO);
                bot.set_price(&Quote { market: &market, price: &price, balance: &balance }, 0, &mut Vec::new());
            }
            let planned = plan.levels[usize::try_from(level).unwrap()].profit.clone();
            assert_eq!(planned, Some((&bot.totals.profit - &started).to_big()), "{mode}, level {level}");
        }
    }

    #[test]
    fn an_order_of_less_than_a_lot_is_said() {
        let warnings = |lot: &str| of_quote(None, &json!({ "lot": lot })).warnings;
        assert_eq!(
            warnings("0.0025"),
            [
                "the order at 62000 can't be placed: quantity_per_grid is less than a lot there, and those at 4 more levels"
            ]
        );
        assert_eq!(
            warnings("0.00215"),
            ["the order at 70000 can't be placed: quantity_per_grid is less than a lot there"]
        );
        assert_eq!(warnings("0.001"), [""; 0]);
    }

    #[test]
    fn a_currency_or_direction_that_does_not_exist_is_refused() {
        let refused = |changes: Value| {
            let mut fields = json!({ "lower_price": 1, "upper_price": 2, "grids_quantity": 3, "quantity_per_grid": 1 });
            fields.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            let PlanError::Values(violations) = plan(&fields, &json!({})).unwrap_err() else {
                panic!("no record is read")
            };
            violations.into_iter().map(|it| (it.field, it.message)).collect::<Vec<_>>()
        };
        let message = |field: &str, message: &str| vec![(field.to_owned(), message.to_owned())];
        assert_eq!(
            refused(json!({ "order_currency_type": "USDT" })),
            message("order_currency_type", "must be one of quote, base, not \"USDT\"")
        );
        assert_eq!(
            refused(json!({ "mode": "sideways" })),
            message("mode", "must be one of long, short, reversal, not \"sideways\"")
        );
    }

    #[test]
    fn plans_of_older_versions_are_read() {
        let old = r#"{"price": "110", "side": "Buy", "profit": "5"}"#;
        let level: GridLevel = serde_json::from_str(old).unwrap();
        assert_eq!((level.quantity, level.profit), (None, Some(number("5"))));
    }

    #[test]
    fn a_table_shows_all_levels() {
        let table = five(&json!({ "price": 121 })).table(None).text(0);
        let lines: Vec<_> = table.lines().collect();
        let head = "Grid: 5 levels, step 10, profit 5 a grid, investment 226 (105 of the quote currency, 1 of the base \
                    currency)";
        assert_eq!(
            lines,
            [
                head,
                "price  side  profit",
                "  100   buy       -",
                "  110   buy       5",
                "  120     -       5",
                "  130  sell       5",
                "  140  sell       5"
            ]
        );
    }
}
