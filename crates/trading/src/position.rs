//! The position of a deal: its average price and its take profit price.

use serde::{Deserialize, Serialize};

use super::decimal::Decimal;
use super::ladder::Direction;

/// The orders of a deal that were filled, added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The direction of the deal.
    pub direction: Direction,
    /// The quantity in the base currency.
    pub quantity: Decimal,
    /// The volume in the quote currency, after fees.
    pub volume: Decimal,
    /// The volume of the base order, which is the first, in the quote currency, after its fee.
    pub base_volume: Decimal,
}

/// The take profit of a deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeProfit {
    /// The profit, in percent.
    pub percent: Decimal,
    /// The base of the percentage.
    pub of: ProfitOf,
}

/// The decimal places to which average prices are rounded, as the service rounds them.
const AVERAGE_PLACES: u8 = 27;

/// Returns the average price of orders, rounded to 27 decimal places; None without a quantity.
pub fn average_price(volume: &Decimal, quantity: &Decimal) -> Option<Decimal> {
    Some(volume.div_round(quantity, AVERAGE_PLACES)?.normalized())
}

/// The base of a take-profit percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProfitOf {
    /// The volume of the base order.
    BaseOrder,
    /// The total volume of the deal.
    Total,
}

impl Position {
    /// Returns a deal without orders.
    pub fn new(direction: Direction) -> Self {
        Self { direction, quantity: Decimal::ZERO, volume: Decimal::ZERO, base_volume: Decimal::ZERO }
    }

    /// Adds a filled order with its quantity and its volume in the quote currency, after its fee.
    pub fn fill(&mut self, quantity: &Decimal, volume: &Decimal) {
        if self.quantity.is_zero() {
            self.base_volume.clone_from(volume);
        }
        self.quantity += quantity;
        self.volume += volume;
    }

    /// Returns the average price of the orders, with their fees; None before the first.
    pub fn average_price(&self) -> Option<Decimal> {
        average_price(&self.volume, &self.quantity)
    }

    /// Returns the take profit price, after a fee given as a fraction of the closing order's volume.
    ///
    /// For the total volume that is average × (1 + percent ÷ 100) ÷ (1 − fee) for a long deal, and average × (1 − percent ÷
    /// 100) ÷ (1 + fee) for a short one. It is rounded to the tick so that the profit is not lower: up for a long deal, down
    /// for a short one. Returns None before the first order.
    pub fn take_profit_price(
        &self,
        take_profit: &TakeProfit,
        fee: &Decimal,
        tick: Option<&Decimal>,
    ) -> Option<Decimal> {
        let of = match take_profit.of {
            ProfitOf::BaseOrder => &self.base_volume,
            ProfitOf::Total => &self.volume,
        };
        let profit = (of * &take_profit.percent).hundredth();
        match self.direction {
            Direction::Long => (&self.volume + profit).div_round_up(&(&self.quantity * (Decimal::ONE - fee)), tick),
            Direction::Short => (&self.volume - profit).div_round_down(&(&self.quantity * (Decimal::ONE + fee)), tick),
        }
    }

    /// Returns the price at which closing earns nothing after the fee, rounded to the tick away from the deal: down for a long deal, up
    /// for a short one. Returns None before the first order.
    pub fn break_even_price(&self, fee: &Decimal, tick: &Decimal) -> Option<Decimal> {
        match self.direction {
            Direction::Long => self.volume.div_round_down(&(&self.quantity * (Decimal::ONE - fee)), Some(tick)),
            Direction::Short => self.volume.div_round_up(&(&self.quantity * (Decimal::ONE + fee)), Some(tick)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::Direction::{Long, Short};

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn position<const N: usize>(direction: Direction, fills: [(&str, &str); N]) -> Position {
        let mut position = Position::new(direction);
        for (quantity, volume) in fills {
            position.fill(&number(quantity), &number(volume));
        }
        position
    }

    fn percent(percent: &str, of: ProfitOf) -> TakeProfit {
        TakeProfit { percent: number(percent), of }
    }

    #[test]
    fn the_published_take_profit() {
        let held = position(Long, [("1", "2516.2882")]);
        let price = |tick: Option<&Decimal>| {
            held.take_profit_price(&percent("1", ProfitOf::Total), &number("0.001"), tick).unwrap()
        };
        assert_eq!(price(None).round(4), number("2543.9951"));
        assert_eq!(price(Some(&number("0.1"))).to_string(), "2544.0");
    }

    #[test]
    fn a_short_deal_buys_back_below_its_average() {
        let held = position(Short, [("1", "2516.2882")]);
        let price = held.take_profit_price(&percent("1", ProfitOf::Total), &number("0.001"), Some(&number("0.1")));
        // 2516.2882 × 0.99 ÷ 1.001 = 2488.636…
        assert_eq!(price.unwrap().to_string(), "2488.6");
    }

    #[test]
    fn a_profit_on_the_base_order_is_nearer_to_the_average() {
        // 100 for 1, then 90 for 1: the average is 95.
        let long = position(Long, [("1", "100"), ("1", "90")]);
        assert_eq!(long.average_price(), Some(number("95")));
        let price = |of| long.take_profit_price(&percent("10", of), &number("0"), None).unwrap();
        assert_eq!((price(ProfitOf::Total), price(ProfitOf::BaseOrder)), (number("104.5"), number("100")));
        let short = position(Short, [("1", "100"), ("1", "110")]);
        let price = |of| short.take_profit_price(&percent("10", of), &number("0"), None).unwrap();
        assert_eq!((price(ProfitOf::Total), price(ProfitOf::BaseOrder)), (number("94.5"), number("100")));
    }

    #[test]
    fn a_price_that_lies_on_a_tick_stays_there_though_the_quantity_has_no_end() {
        let mut held = Position::new(Long);
        held.fill(&Decimal::from(80).checked_div(&3.into()).unwrap(), &80.into());
        let price = held.take_profit_price(&percent("0", ProfitOf::Total), &number("0"), Some(&number("0.01")));
        assert_eq!(price.unwrap().to_string(), "3.00");
    }

    #[test]
    fn a_deal_that_holds_nothing_has_no_prices() {
        let held = Position::new(Long);
        assert_eq!(held.average_price(), None);
        assert_eq!(held.take_profit_price(&percent("1", ProfitOf::Total), &number("0"), None), None);
    }
}
