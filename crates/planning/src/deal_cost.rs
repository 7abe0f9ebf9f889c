//! The cost of a deal whose safety orders all fill.

use std::iter::once;

use botdesk_api::decimal;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{DealConfig, Market};
use botdesk_trading::ladder::safety_order_price;

/// The percentage by which a deal may exceed its budget without a warning.
const TOLERANCE: Decimal = Decimal::ONE;

/// The budget and the cost of a deal whose safety orders all fill, in the quote currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DealCost {
    /// The sum of the sizes of all orders.
    pub(super) budget: Decimal,
    /// The cost of all orders before fees, after their quantities are rounded up to the lot.
    pub(super) spent: Decimal,
}

impl DealCost {
    /// Returns the cost of a deal whose base order fills at a price. The balance is for volumes in percent.
    pub(super) fn new(deal: &DealConfig, price: &Decimal, market: &Market, balance: &Decimal) -> Self {
        let base_price = market.entry_after_fee(deal.direction, price.clone());
        let safety = deal.safety_orders.orders.iter().map(|order| {
            let price = safety_order_price(deal.direction, &base_price, &order.deviation, Some(&market.tick));
            (price, &order.volume)
        });
        let mut cost = Self { budget: Decimal::ZERO, spent: Decimal::ZERO };
        for (price, volume) in once((price.clone(), &deal.base_order)).chain(safety) {
            // An order at a price of 0 or less is never placed, but counts in the budget, as in a ladder.
            cost.budget += volume.size(&price, balance).max(Decimal::ZERO);
            cost.spent += volume.quantity(&price, balance, Some(&market.lot)).unwrap_or_default() * price;
        }
        cost
    }

    /// Returns the warning if a deal costs more than its budget, because its orders are rounded up to a lot.
    pub(super) fn warning(&self) -> Option<String> {
        let Self { budget, spent } = self;
        if !budget.is_positive() {
            return None;
        }
        let more = (spent - budget) * Decimal::HUNDRED;
        if more < budget * TOLERANCE {
            return None;
        }
        let more = more.div_round(budget, 1)?;
        let [spent, budget, more] = [spent, budget, &more].map(|number| decimal::shown(&number.normalized().to_big()));
        Some(format!(
            "the lot is large: rounded up to it, a deal costs {spent}, {more} % more than its budget of {budget}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use bigdecimal::BigDecimal;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::engine_config::deal_config;
    use crate::ladder_config::{LadderConfig, LadderMarketValues, LadderStrategy};
    use crate::ladder_plan::LadderPlan;
    use botdesk_api::dca_bot::DcaBotEdit;
    use botdesk_api::input::RequestBuilder;
    use botdesk_api::values::Field;

    fn plan(fields: &Value, market: &Market, price: &Decimal) -> LadderPlan {
        let of = |(name, value): (&String, &Value)| {
            Some((DcaBotEdit::INPUTS.index(name).ok()?, Field::Value(value.clone())))
        };
        let edit = RequestBuilder::new(DcaBotEdit::INPUTS, fields.as_object().unwrap().iter().filter_map(of));
        let strategy = (LadderStrategy::strategy as usize, Field::Value(fields["strategy"].clone()));
        let strategy = RequestBuilder::new(LadderStrategy::INPUTS, [strategy]);
        let market = LadderMarketValues {
            price: price.to_big(),
            tick: Some(market.tick.to_big()),
            lot: Some(market.lot.to_big()),
            fee: market.fee.to_big(),
        };
        LadderPlan::new(&LadderConfig::from_arguments(&edit, &strategy).unwrap(), &market)
    }

    proptest! {
        #[test]
        fn a_deal_costs_what_its_ladder_costs(
            strategy in prop::sample::select(vec!["long", "short"]), price in 1_u32..10_000_000, lot in 1_u32..100_000,
            tick in 1_u32..500, fee in 0_u32..5,
            unit in prop::sample::select(vec!["quote_currency", "base_currency"]), base in 1_u32..10_000,
            safety in 1_u32..10_000, count in 0_u32..30, step in 1_u32..300, coefficients in (10_u32..300, 10_u32..200),
        ) {
            let hundredths = |number: u32| Decimal::new(number.into(), 2);
            let digits = |number: u32| hundredths(number).to_string();
            let fields = json!({
                "strategy": strategy, "base_order_volume": digits(base), "base_order_volume_type": unit,
                "safety_order_volume": digits(safety), "safety_order_volume_type": unit, "max_safety_orders": count,
                "safety_order_step_percentage": digits(step), "martingale_step_coefficient": digits(coefficients.0),
                "martingale_volume_coefficient": digits(coefficients.1), "take_profit": "1.5",
            });
            let market = Market {
                pair: "".into(), tick: hundredths(tick), lot: Decimal::new(lot.into(), 4), fee: hundredths(fee),
                slippage: Decimal::ZERO,
            };
            let price = hundredths(price);
            let ladder = plan(&fields, &market, &price);
            let cost = DealCost::new(&deal_config(fields.as_object().unwrap()), &price, &market, &Decimal::ZERO);
            prop_assert_eq!(cost.budget.to_big(), ladder.budget);
            let spent: BigDecimal = ladder.rungs.iter().map(|rung| &rung.quantity * &rung.price).sum();
            prop_assert_eq!(cost.spent.to_big(), spent);
        }
    }
}
