//! The orders of a DCA bot: the distance and the size of its safety orders.

use serde::{Deserialize, Serialize};

use super::decimal::Decimal;

/// The direction of a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// The deal profits from a rising price: it buys, and buys more as the price falls.
    Long,
    /// The deal profits from a falling price: it sells, and sells more as the price rises.
    Short,
}

impl Direction {
    /// Returns a price that is better for the deal by a percentage.
    pub fn better(self, price: &Decimal, percent: &Decimal) -> Decimal {
        let percent = match self {
            Self::Long => Decimal::HUNDRED + percent,
            Self::Short => Decimal::HUNDRED - percent,
        };
        (price * percent).hundredth()
    }

    /// Returns the other direction.
    fn opposite(self) -> Self {
        match self {
            Self::Long => Self::Short,
            Self::Short => Self::Long,
        }
    }

    /// Returns a price that is worse for the deal by a percentage.
    pub fn worse(self, price: &Decimal, percent: &Decimal) -> Decimal {
        self.opposite().better(price, percent)
    }
}

/// Returns the distance of safety order `number` (1, 2, …) from the base order's price, in percent.
///
/// Each step is `coefficient` times as long as the one before: `step × (1 + c + c² + … + c^(number - 1))`.
pub fn deviation(number: u32, step: &Decimal, coefficient: &Decimal) -> Decimal {
    // Horner's scheme.
    (0..number).fold(Decimal::ZERO, |sum, _| sum * coefficient + step)
}

/// Returns the price of a safety order at this distance from the base order's price, in percent.
///
/// It is rounded to the tick away from the base order: down for a long deal, up for a short one.
pub fn safety_order_price(
    direction: Direction,
    base_price: &Decimal,
    deviation: &Decimal,
    tick: Option<&Decimal>,
) -> Decimal {
    let price = direction.worse(base_price, deviation);
    match direction {
        Direction::Long => price.round_down_to(tick),
        Direction::Short => price.round_up_to(tick),
    }
}

/// Returns the quantity of an order of that size: size ÷ price, rounded up to the lot.
///
/// Returns None if the price is not above 0.
pub fn quantity(size: &Decimal, price: &Decimal, lot: Option<&Decimal>) -> Option<Decimal> {
    if price.is_positive() { size.div_round_up(price, lot) } else { None }
}

/// Returns the stop loss price at this distance from the base order's price, in percent, without rounding.
pub fn stop_loss_price(direction: Direction, base_price: &Decimal, percent: &Decimal) -> Decimal {
    direction.worse(base_price, percent).normalized()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Direction::{Long, Short};
    use super::*;

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn deviations(step: i64, coefficient: i64) -> Vec<Decimal> {
        (1..=3).map(|number| deviation(number, &step.into(), &coefficient.into())).collect()
    }

    fn price(direction: Direction, base: &str, deviation: &str, tick: &str) -> String {
        let tick = number(tick);
        safety_order_price(direction, &number(base), &number(deviation), Some(&tick)).to_string()
    }

    #[test]
    fn published_samples() {
        assert_eq!(deviations(1, 4), [1, 5, 21].map(Decimal::from));
        assert_eq!(deviations(1, 2), [1, 3, 7].map(Decimal::from));
    }

    #[test]
    fn a_bot_without_safety_orders_has_no_deviation() {
        assert_eq!(deviation(0, &1.into(), &2.into()), Decimal::ZERO);
    }

    #[test]
    fn the_published_price_of_a_safety_order() {
        assert_eq!(price(Long, "2561.66911", "21", "0.01"), "2023.71");
    }

    #[test]
    fn a_short_deal_sells_on_above_its_base_order() {
        assert_eq!(price(Short, "2561.66911", "21", "0.01"), "3099.62");
        assert_eq!(price(Short, "100", "1", "0.01"), "101.00");
    }

    #[test]
    fn without_a_tick_a_price_is_exact() {
        assert_eq!(safety_order_price(Long, &number("2561.66911"), &number("21"), None), number("2023.7185969"));
    }

    #[test]
    fn a_quantity_is_rounded_up_to_the_lot() {
        let lot = number("0.0001");
        assert_eq!(quantity(&80.into(), &number("2561.66911"), Some(&lot)), Some(number("0.0313")));
        assert_eq!(quantity(&80.into(), &number("2500"), Some(&lot)), Some(number("0.0320")));
        assert_eq!(quantity(&80.into(), &number("2500"), None), Some(number("0.032")));
    }

    #[test]
    fn nothing_is_bought_at_a_price_of_nothing() {
        assert_eq!(quantity(&80.into(), &0.into(), None), None);
        assert_eq!(quantity(&80.into(), &number("-5"), Some(&number("0.1"))), None);
    }

    #[test]
    fn the_published_stop_loss() {
        let price = |direction| stop_loss_price(direction, &number("2561.66911"), &22.into()).to_string();
        assert_eq!(price(Long), "1998.1019058");
        assert_eq!(price(Short), "3125.2363142");
    }

    proptest! {
        #[test]
        fn a_safety_order_is_never_nearer_than_its_deviation(
            base in 1_u64..100_000_000, percent in 0_u64..9_999, tick in 1_u64..100,
        ) {
            let base = Decimal::new(base.into(), 4);
            let percent = Decimal::new(percent.into(), 2);
            let tick = Decimal::new(tick.into(), 3);
            let exact = |direction: Direction| direction.worse(&base, &percent);
            let rounded = |direction| safety_order_price(direction, &base, &percent, Some(&tick));
            prop_assert!(rounded(Long) <= exact(Long) && exact(Long) < rounded(Long) + &tick);
            prop_assert!(rounded(Short) >= exact(Short) && exact(Short) > rounded(Short) - &tick);
            prop_assert_eq!(exact(Long) + exact(Short), &base + &base);
        }

        #[test]
        fn a_quantity_is_worth_its_size_and_less_than_a_lot_more(
            size in 1_u64..1_000_000_000, price in 1_u64..1_000_000_000, lot in 1_u64..1_000_000,
        ) {
            let [size, price, lot] = [(size, 3), (price, 5), (lot, 6)].map(|(n, scale)| Decimal::new(n.into(), scale));
            let quantity = quantity(&size, &price, Some(&lot)).unwrap();
            prop_assert!(&quantity * &price >= size && (&quantity - &lot) * &price < size);
        }
    }
}
