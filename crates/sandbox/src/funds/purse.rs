//! The money that an account has for the orders of a step.

use bigdecimal::{BigDecimal, Zero as _};

use super::{Amounts, Settlement};

/// The money that an account has for the orders of a step, and what they move.
pub(crate) struct Purse {
    pub(crate) settlement: Settlement,
    /// The limits of an account with given balances; any other account can pay for every order.
    limits: Option<Limits>,
    moved: Amounts,
}

/// The amounts that an account has.
pub(crate) struct Limits {
    pub(crate) total: Amounts,
    /// The amounts that nothing reserves. They are below 0 if an edit reserved more than there is.
    pub(crate) free: Amounts,
}

impl Purse {
    pub(crate) fn new(settlement: Settlement, limits: Option<Limits>) -> Self {
        Self { settlement, limits, moved: Amounts::default() }
    }

    /// Returns true if an order can be beyond the balance.
    pub(crate) fn is_limited(&self) -> bool {
        self.limits.is_some()
    }

    /// Pays for what fills move, and for what is reserved after them in place of what was reserved before. Returns false, and pays
    /// nothing, if that is beyond the balance.
    pub(crate) fn pay(&mut self, before: &Amounts, after: &Amounts, movement: &Amounts) -> bool {
        if let Some(Limits { total, free }) = &mut self.limits {
            let drawn = after.clone().minus(before).minus(movement);
            let has = |amounts: &Amounts, code: &str, needed: &BigDecimal| {
                *needed <= BigDecimal::zero() || *needed <= amounts.of(code)
            };
            let is_paid = drawn.iter().all(|(code, needed)| has(free, code, needed))
                && movement.iter().all(|(code, moved)| has(total, code, &-moved));
            if !is_paid {
                return false;
            }
            *free = std::mem::take(free).minus(&drawn);
            total.add_all(movement);
        }
        self.moved.add_all(movement);
        true
    }

    /// Returns what the paid fills moved.
    pub(crate) fn moved(self) -> Amounts {
        self.moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(given: &[(&str, i64)]) -> Amounts {
        given.iter().map(|(code, amount)| (*code, BigDecimal::from(*amount))).collect()
    }

    fn purse(total: &[(&str, i64)], free: &[(&str, i64)]) -> Purse {
        Purse::new(Settlement::Spot, Some(Limits { total: amounts(total), free: amounts(free) }))
    }

    #[test]
    fn an_order_takes_what_is_free_and_no_more() {
        let (none, bought) = (Amounts::default(), amounts(&[("USDT", -60), ("BTC", 1)]));
        let mut purse = purse(&[("USDT", 100)], &[("USDT", 80)]);
        assert!(purse.pay(&none, &amounts(&[("BTC", 1)]), &bought));
        assert!(!purse.pay(&none, &amounts(&[("BTC", 1)]), &bought));
        assert!(purse.pay(&none, &amounts(&[("USDT", 20)]), &none));
        assert_eq!(purse.moved(), bought);
    }

    #[test]
    fn a_reserved_order_fills_without_free_money() {
        let mut purse = purse(&[("USDT", 60)], &[]);
        let (before, after) = (amounts(&[("USDT", 60)]), amounts(&[("BTC", 1)]));
        assert!(purse.pay(&before, &after, &amounts(&[("USDT", -60), ("BTC", 1)])));
    }

    #[test]
    fn an_order_that_was_reserved_without_money_does_not_fill() {
        let mut purse = purse(&[("USDT", 10)], &[("USDT", -50)]);
        let before = amounts(&[("USDT", 60)]);
        assert!(!purse.pay(&before, &amounts(&[("BTC", 1)]), &amounts(&[("USDT", -60), ("BTC", 1)])));
    }
}
