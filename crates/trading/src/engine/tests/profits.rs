//! The profit of a deal, and the price at which it takes profit.

use std::sync::Arc;

use proptest::prelude::*;

use super::simulation::{PAIRS, base_order_only, market, number};
use crate::decimal::Decimal;
use crate::engine::{Deal, Market};
use crate::ladder::Direction::{self, Long, Short};
use crate::position::{ProfitOf, TakeProfit};

/// Returns a deal whose orders have these quantities, and these volumes after fees.
fn deal(direction: Direction, fills: impl IntoIterator<Item = (Decimal, Decimal)>) -> Deal {
    let mut deal = Deal::new(1, Arc::new(base_order_only(direction)), &market(PAIRS[0]), 0, Decimal::ONE);
    for (quantity, volume) in fills {
        deal.entry.fill(&quantity, &volume);
    }
    deal
}

#[test]
fn the_profit_of_a_deal_at_a_price() {
    let long = deal(Long, [("1", "100"), ("1", "90")].map(|(quantity, volume)| (number(quantity), number(volume))));
    let market = |fee: &str| Market { fee: number(fee), ..market(PAIRS[0]) };
    assert_eq!(long.profit(&number("104.5"), &market("0")), number("19"));
    // 200 × 0.999 - 190
    assert_eq!(long.profit(&number("100"), &market("0.001")), number("9.8"));
    let short = deal(Short, [("1", "100"), ("1", "110")].map(|(quantity, volume)| (number(quantity), number(volume))));
    assert_eq!(short.profit(&number("94.5"), &market("0")), number("21"));
    // 210 - 200 × 1.001
    assert_eq!(short.profit(&number("100"), &market("0.001")), number("9.8"));
}

proptest! {
    #[test]
    fn a_deal_closed_at_its_take_profit_earns_that_much_and_hardly_more(
        short: bool, total: bool, fills in prop::collection::vec((1_u64..1_000_000, 1_u64..1_000_000), 1..8),
        hundredths in 1_u64..1_000, fee in 0_u64..20, tick in 1_u64..1_000,
    ) {
        let fills = fills.into_iter().map(|(quantity, volume)| {
            (Decimal::new(quantity.into(), 3), Decimal::new(volume.into(), 2))
        });
        let deal = deal(if short { Short } else { Long }, fills);
        let of = if total { ProfitOf::Total } else { ProfitOf::BaseOrder };
        let take_profit = TakeProfit { percent: Decimal::new(hundredths.into(), 2), of };
        let (fee, tick) = (Decimal::new(fee.into(), 4), Decimal::new(tick.into(), 4));
        let market = Market { fee: fee.clone(), tick: tick.clone(), ..market(PAIRS[0]) };
        let price = deal.entry.take_profit_price(&take_profit, &fee, Some(&tick)).unwrap();
        let volume = if total { &deal.entry.volume } else { &deal.entry.base_volume };
        let least = (volume * &take_profit.percent).hundredth();
        prop_assert!(deal.profit(&price, &market) >= least);
        let nearer = if short { &price + &tick } else { &price - &tick };
        prop_assert!(deal.profit(&nearer, &market) < least);
    }
}
