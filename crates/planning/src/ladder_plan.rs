//! The plan of a DCA deal: its ladder of orders, from the base order to the last safety order.

use std::iter::successors;

use bigdecimal::{BigDecimal, Zero};
use serde::{Deserialize, Serialize};

use super::ladder_config::{CustomSafetyOrder, LadderConfig, LadderMarketValues, OrderVolume, SafetyOrders};
use super::order_warnings::{BentTarget, OrderWarnings};
pub use super::planned_order::PlannedOrder;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::VolumeUnit;
use botdesk_trading::ladder::{Direction, quantity, safety_order_price, stop_loss_price};
use botdesk_trading::position::{Position, TakeProfit};
use botdesk_trading::rounding::{quotient, to_digits};

/// The number of digits of the quotients in a plan.
pub(super) const QUOTIENT_DIGITS: u64 = 50;

/// The number of digits to which deviations and sizes are rounded. Otherwise, repeated multiplication could exhaust the memory.
const MAX_DIGITS: u64 = 1_000;

/// The orders of a deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LadderPlan {
    /// The direction of the deal.
    pub direction: Direction,
    /// The orders, the base order first.
    pub rungs: Vec<PlannedOrder>,
    /// The sizes of all orders of a deal that can be placed, in the quote currency.
    pub budget: BigDecimal,
    /// The budget of as many deals as may be open at once.
    pub bot_budget: BigDecimal,
    /// The price at which a deal is closed at a loss; None without a stop loss.
    pub stop_loss_price: Option<BigDecimal>,
    /// The warnings.
    pub warnings: Vec<String>,
}

impl LadderPlan {
    /// Plans the ladder of a configuration on a market.
    pub fn new(config: &LadderConfig, market: &LadderMarketValues) -> Self {
        let (mut ladder, warnings) = Self::with_order_warnings(config, market);
        ladder.warnings.extend(warnings.all());
        if let Some(limits) = &market.limits {
            let refused =
                limits.warnings(&ladder.rungs, config.direction, market.lot.is_some(), config.starts_at_market);
            ladder.warnings.extend(refused);
        }
        ladder
    }

    /// Plans the ladder, and returns the warnings that follow from its orders apart.
    pub(super) fn with_order_warnings(config: &LadderConfig, market: &LadderMarketValues) -> (Self, OrderWarnings) {
        let mut builder = LadderBuilder::new(config, market);
        let base = builder.rung(0, &BigDecimal::zero(), market.price.clone(), &config.base);
        let safety =
            (1..).zip(safety_orders(&config.safety)).map(|(number, CustomSafetyOrder { deviation, volume })| {
                let price = builder.safety_order_price(&deviation);
                builder.rung(number, &deviation, price, &volume)
            });
        let rungs: Vec<PlannedOrder> = std::iter::once(base).chain(safety).collect();
        let budget: BigDecimal = rungs.iter().take_while(|rung| rung.can_be_placed()).map(|rung| &rung.size).sum();
        let stop_loss = config.stop_loss.as_ref();
        let stop_loss_price =
            stop_loss.map(|percent| stop_loss_price(config.direction, &builder.base_price, &percent.into()).into());
        let bent_target = builder.bent_target;
        let ladder = Self {
            direction: config.direction,
            bot_budget: (&budget * &config.deals).normalized(),
            budget: budget.normalized(),
            stop_loss_price,
            warnings: market.warnings.iter().chain(&config.warnings).cloned().collect(),
            rungs,
        };
        let warnings = OrderWarnings::new(
            &ladder.rungs,
            &ladder.budget,
            ladder.stop_loss_price.as_ref(),
            market,
            bent_target.as_ref(),
        );
        (ladder, warnings)
    }
}

/// Returns the deviation and the volume of each safety order.
fn safety_orders(orders: &SafetyOrders) -> Vec<CustomSafetyOrder> {
    if !orders.custom.is_empty() {
        return orders.custom.clone();
    }
    let further = |deviation: &BigDecimal| Some(limit_digits(&(deviation * &orders.step_coefficient + &orders.step)));
    let larger = |amount: &BigDecimal| Some(limit_digits(&(amount * &orders.volume_coefficient)));
    let deviations = successors(Some(orders.step.clone()), further);
    let amounts = successors(Some(orders.volume.amount.clone()), larger);
    let unit = orders.volume.unit;
    let order = |(_, (deviation, amount))| CustomSafetyOrder { deviation, volume: OrderVolume { amount, unit } };
    (0..orders.count).zip(deviations.zip(amounts)).map(order).collect()
}

fn limit_digits(number: &BigDecimal) -> BigDecimal {
    to_digits(number, MAX_DIGITS)
}

/// Builds a ladder order by order, with the position so far.
struct LadderBuilder<'a> {
    config: &'a LadderConfig,
    /// The average price of the base order, with its fee.
    base_price: Decimal,
    tick: Option<Decimal>,
    lot: Option<Decimal>,
    fee: Decimal,
    position: Position,
    /// True if all orders so far can be placed; those after one that can't are not placed either.
    is_placeable: bool,
    /// The take profit that the tick moves most.
    bent_target: Option<BentTarget>,
}

impl<'a> LadderBuilder<'a> {
    fn new(config: &'a LadderConfig, market: &LadderMarketValues) -> Self {
        Self {
            config,
            base_price: after_fee(config.direction, &(&market.price).into(), &(&market.fee).into()),
            tick: market.tick.as_ref().map(Decimal::from),
            lot: market.lot.as_ref().map(Decimal::from),
            fee: (&market.fee).into(),
            position: Position::new(config.direction),
            is_placeable: true,
            bent_target: None,
        }
    }

    fn safety_order_price(&self, deviation: &BigDecimal) -> BigDecimal {
        safety_order_price(self.config.direction, &self.base_price, &deviation.into(), self.tick.as_ref()).into()
    }

    fn rung(&mut self, number: u32, deviation: &BigDecimal, price: BigDecimal, volume: &OrderVolume) -> PlannedOrder {
        let (size, quantity) = self.order(&price, volume);
        // An order that is rounded up to a lot costs more than its size; any other costs exactly its size.
        let cost = if self.lot.is_some() || quantity.is_zero() { &quantity * &price } else { size.clone() };
        let cost = after_fee(self.config.direction, &cost.into(), &self.fee);
        self.is_placeable = self.is_placeable && price > BigDecimal::zero();
        if self.is_placeable {
            self.position.fill(&(&quantity).into(), &cost);
        }
        let average_price = self.position.average_price().unwrap_or_default();
        let take_profit_price =
            self.config.take_profit.as_ref().and_then(|take_profit| self.take_profit(number, take_profit));
        let move_to_close = take_profit_price.as_ref().and_then(|to| percent_between(&price, to));
        PlannedOrder {
            number,
            deviation: deviation.normalized(),
            price,
            size: size.normalized(),
            quantity: to_digits(&quantity, QUOTIENT_DIGITS),
            spent: self.position.volume.normalized().into(),
            average_price: average_price.into(),
            take_profit_price,
            move_to_close,
        }
    }

    /// Returns the size of an order in the quote currency, and its quantity in the base currency.
    fn order(&self, price: &BigDecimal, volume: &OrderVolume) -> (BigDecimal, BigDecimal) {
        let lot = self.lot.as_ref();
        let amount = Decimal::from(&volume.amount);
        match volume.unit {
            // A plan has no balance, so it rejects volumes in percent of it.
            VolumeUnit::Quote | VolumeUnit::Percent => {
                let quantity = quantity(&amount, &price.into(), lot).unwrap_or_default();
                (volume.amount.clone(), quantity.into())
            }
            VolumeUnit::Base if *price > BigDecimal::zero() => (&volume.amount * price, amount.round_up_to(lot).into()),
            VolumeUnit::Base => (BigDecimal::zero(), BigDecimal::zero()),
        }
    }

    fn take_profit(&mut self, number: u32, take_profit: &TakeProfit) -> Option<BigDecimal> {
        let exact = self.position.take_profit_price(take_profit, &self.fee, None)?;
        let Some(tick) = self.tick.as_ref() else { return Some(to_digits(&exact.to_big(), QUOTIENT_DIGITS)) };
        let price = self.position.take_profit_price(take_profit, &self.fee, Some(tick))?;
        let bent = BentTarget::new(number, &self.position.average_price()?, &exact, &price);
        self.bent_target = BentTarget::larger(self.bent_target.take(), bent);
        Some(price.to_big())
    }
}

/// Returns what an order that enters a deal counts, with its fee: a purchase costs more, a sale brings in less.
fn after_fee(direction: Direction, volume: &Decimal, fee: &Decimal) -> Decimal {
    match direction {
        Direction::Long => volume * (Decimal::ONE + fee),
        Direction::Short => volume * (Decimal::ONE - fee),
    }
}

/// Returns the distance of one price from another, in percent.
fn percent_between(from: &BigDecimal, to: &BigDecimal) -> Option<BigDecimal> {
    let part = quotient(&(to - from), from).filter(|_| *from > BigDecimal::zero())?;
    Some(to_digits(&(part * BigDecimal::from(100)), QUOTIENT_DIGITS))
}

#[cfg(test)]
mod tests {
    use bigdecimal::One;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::error::PlanError;
    use crate::ladder_config::{LadderMarket, LadderStrategy};
    use botdesk_api::dca_bots::{DcaBot, DcaBotEdit};
    use botdesk_schema::input::{Inputs, RequestBuilder};
    use botdesk_schema::record::Record;
    use botdesk_schema::values::Field;
    use botdesk_trading::ladder::deviation;

    fn number(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    fn request(inputs: &'static Inputs, fields: &Value) -> RequestBuilder {
        let given = fields.as_object().unwrap().iter();
        RequestBuilder::new(
            inputs,
            given.map(|(name, value)| (inputs.named(name).unwrap().key(), Field::Value(value.clone()))),
        )
    }

    fn config(strategy: &str, fields: &Value) -> Result<LadderConfig, PlanError> {
        let strategy = request(LadderStrategy::INPUTS, &json!({ "strategy": strategy }));
        LadderConfig::from_arguments(&request(DcaBotEdit::INPUTS, fields), &strategy)
    }

    fn market(fields: &Value) -> LadderMarketValues {
        LadderMarketValues::from_arguments(&request(LadderMarket::INPUTS, fields), None).unwrap()
    }

    fn published(changes: &Value) -> Value {
        let mut fields = json!({
            "base_order_volume": 80, "safety_order_volume": 30, "max_safety_orders": 3,
            "safety_order_step_percentage": 1, "martingale_step_coefficient": 4,
            "martingale_volume_coefficient": "1.7", "take_profit": 1, "max_active_deals": 3,
        });
        fields.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        fields
    }

    fn ladder(strategy: &str, changes: &Value) -> LadderPlan {
        // With its fee, the base order has the published average price of 2561.66911.
        let market = market(&json!({ "price": "2559.11", "tick": "0.01", "lot": "0.0001", "fee": "0.001" }));
        LadderPlan::new(&config(strategy, &published(changes)).unwrap(), &market)
    }

    fn of_each(ladder: &LadderPlan, of: impl Fn(&PlannedOrder) -> &BigDecimal) -> Vec<String> {
        ladder.rungs.iter().map(|rung| of(rung).to_plain_string()).collect()
    }

    #[test]
    fn the_published_ladder() {
        let ladder = ladder("long", &json!({ "stop_loss_percentage": 22 }));
        assert_eq!(of_each(&ladder, |rung| &rung.deviation), ["0", "1", "5", "21"]);
        assert_eq!(of_each(&ladder, |rung| &rung.price), ["2559.11", "2536.05", "2433.58", "2023.71"]);
        assert_eq!(of_each(&ladder, |rung| &rung.size), ["80", "30", "51", "86.7"]);
        assert_eq!(of_each(&ladder, |rung| &rung.quantity), ["0.0313", "0.0119", "0.021", "0.0429"]);
        assert_eq!((ladder.budget, ladder.bot_budget), (number("247.7"), number("743.1")));
        assert_eq!(ladder.stop_loss_price, Some(number("1998.1019058")));
        assert_eq!(ladder.warnings, [""; 0]);
    }

    #[test]
    fn a_rung_tells_of_all_that_was_filled_so_far() {
        let ladder = ladder("long", &json!({}));
        let rung = &ladder.rungs[1];
        // (0.0313 × 2559.11 + 0.0119 × 2536.05) × 1.001
        assert_eq!(rung.spent, number("110.389417138"));
        assert_eq!(rung.average_price.with_scale(8), number("2555.31058189"));
        // 2555.31058… × 1.01 ÷ 0.999 = 2583.4471…
        assert_eq!(rung.take_profit_price, Some(number("2583.45")));
        // 2583.45 ÷ 2536.05 − 1
        assert_eq!(rung.move_to_close.as_ref().unwrap().with_scale(6), number("1.869048"));
    }

    #[test]
    fn a_short_deal_is_the_other_way_round() {
        let ladder = ladder("short", &json!({ "stop_loss_percentage": 22 }));
        assert_eq!(of_each(&ladder, |rung| &rung.price), ["2559.11", "2582.12", "2684.38", "3093.43"]);
        assert_eq!(ladder.stop_loss_price, Some(number("3118.9920858")));
        for rung in &ladder.rungs {
            assert!(rung.take_profit_price.as_ref().unwrap() < &rung.average_price);
            assert!(*rung.move_to_close.as_ref().unwrap() < BigDecimal::zero());
        }
    }

    #[test]
    fn an_order_at_or_below_zero_is_never_placed() {
        let ladder = ladder("long", &json!({ "max_safety_orders": 5, "martingale_step_coefficient": 4 }));
        let last = &ladder.rungs[5];
        assert_eq!((last.deviation.clone(), last.quantity.clone()), (number("341"), BigDecimal::zero()));
        assert_eq!((&last.spent, &last.average_price), (&ladder.rungs[4].spent, &ladder.rungs[4].average_price));
        assert_eq!(last.move_to_close, None);
        assert_eq!(
            ladder.warnings,
            ["safety order 5 has a price of zero or less; neither it nor the orders after it can be placed"]
        );
    }

    #[test]
    fn what_the_service_would_refuse_is_a_warning() {
        let ladder = ladder("long", &json!({ "stop_loss_percentage": "6.5", "martingale_step_coefficient": 12 }));
        assert_eq!(
            ladder.warnings[..2],
            [
                "martingale_step_coefficient must be between 0.1 and 10, not 12",
                "stop_loss_percentage must be below the last safety order, so more than 157 %, not 6.5 %",
            ]
        );
    }

    #[test]
    fn an_order_below_one_lot_is_rounded_up_and_said_so() {
        let config = config("long", &published(&json!({ "max_safety_orders": 0, "base_order_volume": 10 }))).unwrap();
        let ladder = LadderPlan::new(&config, &market(&json!({ "price": 100, "lot": 1 })));
        assert_eq!(ladder.warnings[0], "the base order is smaller than one lot: rounded up, it costs 100, not 10");
        assert_eq!((&ladder.rungs[0].average_price, &ladder.budget), (&number("100"), &number("10")));
    }

    #[test]
    fn a_deal_that_costs_more_than_its_budget_is_said_so() {
        let config = config("long", &published(&json!({ "max_safety_orders": 0, "base_order_volume": 150 }))).unwrap();
        let warnings = |lot: &str| LadderPlan::new(&config, &market(&json!({ "price": 100, "lot": lot }))).warnings;
        assert_eq!(
            warnings("1"),
            ["the lot is large: rounded up to it, a deal costs 200, 33.3 % more than its budget of 150"]
        );
        assert_eq!(warnings("0.007"), [""; 0]);
    }

    #[test]
    fn a_volume_of_the_base_currency_is_the_quantity_itself() {
        let kind = json!("base_currency");
        let changes = json!({
            "base_order_volume": "0.5", "base_order_volume_type": kind,
            "safety_order_volume": "0.25", "safety_order_volume_type": kind, "martingale_volume_coefficient": 2,
            "max_safety_orders": 2, "safety_order_step_percentage": 10, "martingale_step_coefficient": 1,
        });
        let ladder = LadderPlan::new(&config("long", &published(&changes)).unwrap(), &market(&json!({ "price": 100 })));
        assert_eq!(of_each(&ladder, |rung| &rung.quantity), ["0.5", "0.25", "0.5"]);
        assert_eq!(of_each(&ladder, |rung| &rung.size), ["50", "22.5", "40"]);
    }

    #[test]
    fn profit_in_steps_is_told_of_the_first() {
        let steps = json!([
            {"amount_percentage": 50, "profit_percentage": "1.5"}, {"amount_percentage": 50, "profit_percentage": 3},
        ]);
        let config = config("long", &published(&json!({ "take_profit": 0, "take_profit_steps": steps }))).unwrap();
        assert_eq!(config.take_profit.unwrap().percent.to_big(), number("1.5"));
        assert_eq!(config.warnings, ["profit is taken in 2 steps; the take-profit prices are those of the first"]);
    }

    fn refused(error: PlanError) -> Vec<String> {
        let PlanError::Values(violations) = error else { panic!("all fields can be read: {error}") };
        violations.into_iter().map(|violation| violation.field).collect()
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let wrong = config("long", &json!({ "take_profit": -1, "base_order_volume_type": "percent", "cooldown": [] }));
        let fields = refused(wrong.unwrap_err());
        let expected = ["cooldown", "base_order_volume", "base_order_volume_type", "max_safety_orders", "take_profit"];
        assert_eq!(fields, expected);
    }

    #[test]
    fn custom_safety_steps_replace_the_ladder() {
        let steps = json!([{ "deviation": "-1.5", "size": 40 }, { "deviation": "-6", "size": 90 }]);
        let long = ladder("long", &json!({ "custom_safety_steps": steps }));
        assert_eq!(of_each(&long, |rung| &rung.deviation), ["0", "1.5", "6"]);
        // 2561.66911 × (1 - 1.5 %) and × (1 - 6 %), rounded down to the tick.
        assert_eq!(of_each(&long, |rung| &rung.price), ["2559.11", "2523.24", "2407.96"]);
        assert_eq!(of_each(&long, |rung| &rung.size), ["80", "40", "90"]);
        assert_eq!((&long.budget, long.warnings.len()), (&number("210"), 0));
        let steps = json!([{ "deviation": "1.5", "size": "0.02" }, { "deviation": 6, "size": "0.04" }]);
        let short =
            ladder("short", &json!({ "custom_safety_steps": steps, "safety_order_volume_type": "base_currency" }));
        assert_eq!(of_each(&short, |rung| &rung.price), ["2559.11", "2594.90", "2709.95"]);
        assert_eq!(of_each(&short, |rung| &rung.quantity)[1..], ["0.02", "0.04"]);
    }

    #[test]
    fn custom_safety_steps_that_the_service_would_refuse_are_warned_of() {
        let steps = json!([{ "deviation": "1.5", "size": 40 }, { "deviation": "-6", "size": 90 }]);
        let fields = json!({ "custom_safety_steps": steps, "max_safety_orders": 1 });
        let ladder = ladder("long", &fields);
        assert_eq!(of_each(&ladder, |rung| &rung.deviation), ["0", "-1.5"]);
        assert_eq!(
            ladder.warnings,
            [
                "custom_safety_steps must have at most as many steps as max_safety_orders, 1, and there are 2",
                "custom_safety_steps each deviation of a long bot must be below 0 and below the deviation before it, \
                 not 1.5 %",
            ]
        );
    }

    #[test]
    fn custom_safety_steps_need_no_other_settings_of_safety_orders() {
        let fields = json!({
            "base_order_volume": 80, "take_profit": 1, "custom_safety_steps": [{ "deviation": -1, "size": 40 }],
        });
        assert_eq!(config("long", &fields).unwrap().safety.count, 1);
    }

    #[test]
    fn a_bot_whose_safety_steps_cannot_be_read_has_no_ladder() {
        let mut fields = published(&json!({ "custom_safety_steps": [{}] }));
        let of = |fields: &Value| LadderConfig::from_record(&DcaBot::from_json(&fields.to_string()).unwrap());
        assert_eq!(refused(of(&fields).unwrap_err()), ["strategy", "custom_safety_steps", "take_profit_type"]);
        fields["strategy"] = json!("long");
        fields["custom_safety_steps"] = json!([]);
        fields["take_profit_type"] = json!("total");
        assert!(of(&fields).is_ok());
    }

    #[test]
    fn a_bot_has_no_budget_for_more_deals_than_its_pairs_allow() {
        let plan = |changes: &Value| {
            let ladder = ladder("long", changes);
            (ladder.bot_budget.to_plain_string(), ladder.warnings)
        };
        assert_eq!(plan(&json!({})), ("743.1".to_owned(), vec![]));
        let one = "max_active_deals is 3, but at most 1 can be open at once (1 pair, 1 deal on each by \
                   allowed_deals_on_same_pair); the budget is that of 1";
        assert_eq!(plan(&json!({ "pairs": "USDT_ETH" })), ("247.7".to_owned(), vec![one.to_owned()]));
        assert_eq!(plan(&json!({ "pairs": "USDT_ETH", "allowed_deals_on_same_pair": 3 })), plan(&json!({})));
        assert_eq!(plan(&json!({ "pairs": ["USDT_ETH", "USDT_BTC", "USDT_SOL"] })), plan(&json!({})));
    }

    #[test]
    fn orders_that_a_large_tick_puts_at_one_price_are_said_so() {
        let fields = json!({
            "base_order_volume": 10, "safety_order_volume": 10, "max_safety_orders": 5,
            "safety_order_step_percentage": "0.2", "take_profit": 20,
        });
        let market = market(&json!({ "price": "0.00000150", "tick": "0.00000001", "lot": 1 }));
        let ladder = LadderPlan::new(&config("long", &fields).unwrap(), &market);
        assert_eq!(
            ladder.warnings,
            [
                "the tick is large: rounded to it, safety orders 1 to 3 share the price 0.00000149, and others share theirs"
            ]
        );
    }

    #[test]
    fn a_target_that_a_large_tick_moves_is_said_so() {
        let fields = json!({ "base_order_volume": 10, "max_safety_orders": 0, "take_profit": 1 });
        let market = |price: &str| market(&json!({ "price": price, "tick": "0.00000001" }));
        let warnings = |strategy, price| LadderPlan::new(&config(strategy, &fields).unwrap(), &market(price)).warnings;
        assert_eq!(
            warnings("long", "0.00000001"),
            ["the tick is large: rounded to it, the take profit of the base order is 100 % away from the average \
                 price, not 1 %"]
        );
        assert_eq!(warnings("long", "0.00001"), [""; 0]);
        assert_eq!(warnings("short", "0.00001"), [""; 0]);
        assert_eq!(
            warnings("short", "0.00000033"),
            ["the tick is large: rounded to it, the take profit of the base order is 3.03 % away from the average \
                 price, not 1 %"]
        );
    }

    #[test]
    fn an_order_that_cannot_be_placed_has_no_budget() {
        let ladder = ladder("long", &json!({ "max_safety_orders": 5, "martingale_step_coefficient": 4 }));
        // 80 + 30 + 51 + 86.7 + 147.39, without the fifth at 250.563.
        assert_eq!(ladder.budget, number("395.09"));
        assert_eq!(ladder.rungs[5].size, number("250.563"));
    }

    #[test]
    fn the_largest_coefficients_are_borne() {
        let changes = json!({
            "max_safety_orders": 200, "martingale_step_coefficient": "1e1000",
            "martingale_volume_coefficient": format!("1.{}", "7".repeat(900)),
        });
        assert_eq!(ladder("short", &changes).rungs.len(), 201);
    }

    #[test]
    fn a_table_shows_all_rungs() {
        let changes = json!({ "max_safety_orders": 1, "martingale_step_coefficient": 12 });
        let table = ladder("long", &changes).table(None).text(0);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines[0], "Ladder, long: a deal takes 110, all deals of the bot 330");
        assert!(lines[1].starts_with("order  deviation    price  size  quantity"), "{table}");
        assert!(lines[2].starts_with(" base         0%  2559.11    80    0.0313"), "{table}");
        assert_eq!(lines[4], "! martingale_step_coefficient must be between 0.1 and 10, not 12");
    }

    proptest! {
        #[test]
        fn a_ladder_holds_together(
            short: bool, base in 1_u32..10_000, safety in 1_u32..10_000, count in 0_u32..30, step in 1_u32..300,
            coefficients in (10_u32..150, 10_u32..200), rounded: bool, price in 1_u32..10_000_000,
        ) {
            let hundredths = |number: u32| BigDecimal::new(number.into(), 2).to_plain_string();
            let fields = json!({
                "base_order_volume": hundredths(base), "safety_order_volume": hundredths(safety),
                "max_safety_orders": count, "safety_order_step_percentage": hundredths(step),
                "martingale_step_coefficient": hundredths(coefficients.0),
                "martingale_volume_coefficient": hundredths(coefficients.1), "take_profit": "1.5",
            });
            let config = config(if short { "short" } else { "long" }, &fields).unwrap();
            let price = hundredths(price);
            let market = if rounded {
                market(&json!({ "price": price, "tick": "0.01", "lot": "0.001", "fee": "0.001" }))
            } else {
                market(&json!({ "price": price }))
            };
            let ladder = LadderPlan::new(&config, &market);
            prop_assert_eq!(ladder.rungs.len(), count as usize + 1);
            let placed = || ladder.rungs.iter().filter(|rung| rung.price > BigDecimal::zero());
            prop_assert_eq!(&ladder.budget, &placed().map(|rung| &rung.size).sum::<BigDecimal>());
            prop_assert_eq!(&ladder.bot_budget, &ladder.budget);
            for rung in placed() {
                let coefficient = (&config.safety.step_coefficient).into();
                let exact = deviation(rung.number, &(&config.safety.step).into(), &coefficient).to_big();
                prop_assert_eq!(&rung.deviation, &exact);
                prop_assert!(&rung.quantity * &rung.price >= &rung.size * (BigDecimal::one() - BigDecimal::new(1.into(), 40)));
                let prices = || ladder.rungs[..=rung.number as usize].iter().map(|rung| &rung.price);
                let (low, high) = (prices().min().unwrap(), prices().max().unwrap());
                // An average has the fee in it.
                let slack = BigDecimal::new(1.into(), 25) + high * &market.fee;
                prop_assert!(low - &slack <= rung.average_price && rung.average_price <= high + &slack);
                let target = rung.take_profit_price.as_ref().unwrap();
                let is_better = if short { *target <= rung.average_price } else { *target >= rung.average_price };
                prop_assert!(is_better);
                if !rounded {
                    let held: BigDecimal = ladder.rungs[..=rung.number as usize].iter().map(|rung| &rung.size).sum();
                    prop_assert_eq!(&rung.spent, &held);
                }
            }
        }
    }

    /// Plans a record with the values of an edit, which must give the same as the record with these values.
    fn edited(record: &Value, edit: &Value) -> Result<LadderConfig, PlanError> {
        let bot = DcaBot::from_json(&record.to_string()).unwrap();
        LadderConfig::from_edit(&bot, &request(DcaBotEdit::INPUTS, edit).carry_over(bot.fields()))
    }

    #[test]
    fn the_values_of_an_edit_replace_those_of_the_record() {
        let record = |changes: &Value| {
            let mut fields = published(
                &json!({ "strategy": "long", "take_profit_type": "total", "take_profit_steps": [], "stop_loss_percentage": 0 }),
            );
            fields.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            fields
        };
        for edit in [
            json!({ "max_safety_orders": 2, "base_order_volume": "100.5", "martingale_volume_coefficient": "2" }),
            json!({ "take_profit": "0", "take_profit_steps": [{ "amount_percentage": 100, "profit_percentage": "2" }] }),
            json!({ "stop_loss_percentage": "30", "max_active_deals": 7, "take_profit_type": "base" }),
        ] {
            let applied = DcaBot::from_json(&record(&edit).to_string()).unwrap();
            assert_eq!(
                edited(&record(&json!({})), &edit).unwrap(),
                LadderConfig::from_record(&applied).unwrap(),
                "{edit}"
            );
        }
    }

    #[test]
    fn an_edit_gives_what_the_record_lacks_or_has_in_another_form() {
        let mut record =
            published(&json!({ "strategy": "long", "take_profit_type": "total", "max_active_deals": [1] }));
        record.as_object_mut().unwrap().remove("take_profit");
        assert!(edited(&record, &json!({ "take_profit": "1.5" })).is_err());
        assert!(edited(&record, &json!({ "max_active_deals": 2 })).is_err());
        let config = edited(&record, &json!({ "take_profit": "1.5", "max_active_deals": 2 })).unwrap();
        assert_eq!(
            (config.deals, config.take_profit.map(|profit| profit.percent.to_big())),
            (number("2"), Some(number("1.5")))
        );
    }
}
