//! The balance of an account in a currency.

use bigdecimal::BigDecimal;

use super::defaults::object;
use super::exchanges::CurrencySpec;
use super::record::JsonRecord;

/// The balance of an account in a currency.
#[derive(Clone)]
pub(super) struct Balance {
    pub(super) currency: &'static CurrencySpec,
    pub(super) free: BigDecimal,
    pub(super) in_orders: BigDecimal,
}

impl Balance {
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
