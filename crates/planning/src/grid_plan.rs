//! The plan of a grid bot: its levels, its investment and its profit.

use bigdecimal::{BigDecimal, ToPrimitive, Zero};
use serde::{Deserialize, Serialize};

use super::error::PlanError;
use super::ladder_config::message_of;
use super::ladder_plan::QUOTIENT_DIGITS;
use super::reader::Reader;
use botdesk_api::decimal;
use botdesk_api::grid_bot::{GridBot, GridBotEdit, upper_above_lower};
use botdesk_api::input::{RequestBuilder, Violation};
use botdesk_api::inputs;
use botdesk_api::record::Record;
use botdesk_api::secrets::shown_value;
use botdesk_api::values::Decimal;
use botdesk_trading::grid::{Grid, OrderSide, Spacing};
use botdesk_trading::rounding::{quotient, to_digits};

inputs! {
    /// The market that a grid is planned for.
    GridMarket of "a grid" {
        /// Price of the pair, in the quote currency, which decides what each level does.
        price: Decimal;
        /// Tick of the pair: levels are rounded to its nearest multiple; if omitted they are not rounded.
        tick: Decimal;
        /// Fee of the exchange as a fraction, such as 0.001 for 0.1 %; the default is none.
        fee: Decimal;
    }
}

/// The maximum number of levels of a plan.
const MAX_LEVELS: u32 = 10_000;

/// The configuration of a planned grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridConfig {
    /// The levels.
    pub grid: Grid,
    /// The quantity of each order, in the base currency; None if it is not known.
    pub quantity: Option<BigDecimal>,
    /// The price of the pair; None if it is not known.
    pub price: Option<BigDecimal>,
    /// The tick: the levels are multiples of it.
    pub tick: BigDecimal,
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
    /// The profit of buying one level lower and selling here, in the quote currency.
    pub profit: Option<BigDecimal>,
}

/// The investment that all orders of a grid need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Investment {
    /// The investment of the buy orders, below the price: the sum of their volumes, in the quote currency.
    pub quote: BigDecimal,
    /// The investment of the sell orders, above the price: the sum of their quantities, in the base currency.
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
        let asks_record = market.value(GridMarket::price as usize).is_none();
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
        let price = around.above_zero(GridMarket::price as usize);
        let tick = around.above_zero(GridMarket::tick as usize).unwrap_or_default();
        let fee = around.fraction(GridMarket::fee as usize);
        let around = around.done(());
        let grid = grid(&mut reader);
        reader.assume(GridBotEdit::quantity_per_grid as usize, "the investment and the profit are unknown");
        let quantity = reader.above_zero(GridBotEdit::quantity_per_grid as usize);
        let warnings = std::mem::take(&mut reader.warnings);
        let config = Self { grid, quantity, price, tick, fee, warnings };
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

fn grid(reader: &mut Reader<'_>) -> Grid {
    let lower = reader.required(GridBotEdit::lower_price as usize).unwrap_or_default();
    let upper = reader.required(GridBotEdit::upper_price as usize).unwrap_or_default();
    if let Some(violation) = upper_above_lower(reader.request) {
        reader.report_other(&violation.field, violation.message);
    }
    let spacing = match reader.choice(GridBotEdit::grid_type as usize, "arithmetic") {
        "geometric" => Spacing::Geometric,
        _ => Spacing::Arithmetic,
    };
    Grid { lower, upper, levels: levels(reader).unwrap_or_default(), spacing }
}

fn levels(reader: &mut Reader<'_>) -> Option<u32> {
    let index = GridBotEdit::grids_quantity as usize;
    let number = reader.required(index)?;
    let levels = number.to_u32().filter(|levels| (2..=MAX_LEVELS).contains(levels));
    if levels.is_none() {
        reader.report(index, format!("must be between 2 and {MAX_LEVELS}, not {}", decimal::shown(&number)));
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
        let earns_nothing = |level: &&GridLevel| level.profit.as_ref().is_some_and(|it| *it <= BigDecimal::zero());
        let lossy = self.levels.iter().find(earns_nothing);
        let lossy = lossy.map(|level| {
            format!(
                "buying one level lower and selling at {} makes no profit after the fee",
                decimal::shown(&level.price)
            )
        });
        [same, below, above, lossy].into_iter().flatten()
    }
}

fn planned_levels(config: &GridConfig) -> Option<Vec<GridLevel>> {
    let sides: Vec<_> = match &config.price {
        Some(price) => config.grid.levels(&config.tick, price)?.into_iter().map(|it| (it.price, it.side)).collect(),
        None => config.grid.prices(&config.tick)?.into_iter().map(|price| (price, None)).collect(),
    };
    let mut below: Option<BigDecimal> = None;
    let level = |(price, side): (BigDecimal, Option<OrderSide>)| {
        let price = if config.tick.is_zero() { to_digits(&price, QUOTIENT_DIGITS) } else { price };
        let bought = below.replace(price.clone());
        let profit = bought.zip(config.quantity.as_ref()).map(|(bought, quantity)| {
            let fee = (&price + &bought) * &config.fee;
            ((&price - bought - fee) * quantity).normalized()
        });
        GridLevel { price, side, profit }
    };
    Some(sides.into_iter().map(level).collect())
}

fn mean(numbers: &[&BigDecimal]) -> Option<BigDecimal> {
    let sum: BigDecimal = numbers.iter().copied().sum();
    Some(to_digits(&quotient(&sum, &BigDecimal::from(u64::try_from(numbers.len()).ok()?))?, QUOTIENT_DIGITS))
}

fn investment(config: &GridConfig, levels: &[GridLevel]) -> Option<Investment> {
    let (quantity, price) = (config.quantity.as_ref()?, config.price.as_ref()?);
    let on = |side: OrderSide| levels.iter().filter(move |level| level.side == Some(side));
    let quote: BigDecimal = on(OrderSide::Buy).map(|level| &level.price * quantity).sum();
    let base: BigDecimal = on(OrderSide::Sell).map(|_| quantity).sum();
    let total = (&quote + &base * price).normalized();
    Some(Investment { quote: quote.normalized(), base: base.normalized(), total })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use botdesk_api::input::Inputs;
    use botdesk_api::values::Field;

    fn request(inputs: &'static Inputs, fields: &Value) -> RequestBuilder {
        let given = fields.as_object().unwrap().iter();
        RequestBuilder::new(
            inputs,
            given.map(|(name, value)| (inputs.index(name).unwrap(), Field::Value(value.clone()))),
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
        assert_eq!(lossy.warnings, ["buying one level lower and selling at 110 makes no profit after the fee"]);
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

    #[test]
    fn a_table_shows_all_levels() {
        let table = five(&json!({ "price": 121 })).to_string();
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
