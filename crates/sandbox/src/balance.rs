//! The balance of an account in a currency.

use bigdecimal::{BigDecimal, Zero as _};

use super::defaults::object;
use super::record::JsonRecord;

/// The reason why the exchange refused an order that the balance can't pay for.
pub(super) const REFUSED: &str = "Account has insufficient balance for requested action";

/// The balance of an account in a currency.
#[derive(Clone)]
pub(super) struct Balance {
    /// The code of the currency.
    pub(super) code: String,
    pub(super) free: BigDecimal,
    pub(super) in_orders: BigDecimal,
}

impl Balance {
    /// Returns a balance that is free.
    pub(super) fn free(code: &str, amount: BigDecimal) -> Self {
        Self { code: code.to_owned(), free: amount, in_orders: BigDecimal::zero() }
    }

    /// Adds an amount, which may be below 0. If more goes than is free, orders outside of the sandbox pay for it.
    pub(super) fn change(&mut self, amount: &BigDecimal) {
        self.free += amount;
        if self.free < BigDecimal::zero() {
            let lacking = std::mem::take(&mut self.free);
            self.in_orders = (&self.in_orders + lacking).max(BigDecimal::zero());
        }
    }

    /// Returns the balance with another amount in orders, as far as it is there.
    pub(super) fn with_reserved(self, reserved: &BigDecimal) -> Self {
        let total = self.total();
        let in_orders = (&self.in_orders + reserved).min(total.clone());
        Self { free: total - &in_orders, in_orders, ..self }
    }

    pub(super) fn total(&self) -> BigDecimal {
        &self.free + &self.in_orders
    }

    /// Returns the fields of deposit data.
    pub(super) fn deposit_fields(&self) -> JsonRecord {
        object! {
            "available_balance": self.free.to_plain_string(),
            "in_orders": self.in_orders.to_plain_string(),
            "total_balance": self.total().to_plain_string(),
        }
    }
}
