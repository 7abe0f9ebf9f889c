//! Reads the numbers of a plan, and notes all that is wrong with them.

use bigdecimal::{BigDecimal, One, Zero};

use crate::service::decimal;
use crate::service::input::{Draft, Inputs, Violation};

/// Reads the numbers of a draft, each by its index among the inputs.
pub(super) struct Reader<'a> {
    inputs: &'static Inputs,
    pub(super) draft: &'a Draft,
    violations: Vec<Violation>,
    missing: &'static str,
}

impl<'a> Reader<'a> {
    /// Reads what a caller gave.
    pub(super) fn new(inputs: &'static Inputs, draft: &'a Draft) -> Self {
        Self { inputs, draft, violations: draft.unusable(), missing: "is required" }
    }

    /// Reads what a record holds. What the plan does not look at may be as it will.
    pub(super) fn of_record(inputs: &'static Inputs, draft: &'a Draft) -> Self {
        let missing = "is needed, and the record holds no number for it";
        Self { inputs, draft, violations: Vec::new(), missing }
    }

    /// All that was read, or all that is wrong with it.
    pub(super) fn done<T>(self, read: T) -> Result<T, Vec<Violation>> {
        if self.violations.is_empty() { Ok(read) } else { Err(self.violations) }
    }

    /// Notes what is wrong with an input; of one that is wrong already, nothing more is told.
    pub(super) fn refuse(&mut self, index: usize, message: impl Into<String>) {
        let name = self.inputs.rows.get(index).map_or("", |input| input.name);
        self.refuse_other(name, message);
    }

    /// Notes what is wrong with a field that is no input.
    pub(super) fn refuse_other(&mut self, field: &str, message: impl Into<String>) {
        if self.violations.iter().all(|violation| violation.field != field) {
            self.violations.push(Violation::new(field, message));
        }
    }

    /// A number above 0; None where there is none.
    pub(super) fn above_zero(&mut self, index: usize) -> Option<BigDecimal> {
        self.judged(index, "must be more than 0", |number| *number > BigDecimal::zero())
    }

    /// A number that is not below 0; None where there is none.
    pub(super) fn at_least_zero(&mut self, index: usize) -> Option<BigDecimal> {
        self.judged(index, "must be at least 0", |number| *number >= BigDecimal::zero())
    }

    /// A number above 0 that must be there.
    pub(super) fn needed(&mut self, index: usize) -> Option<BigDecimal> {
        if self.draft.number(index).is_none() {
            self.refuse(index, self.missing);
        }
        self.above_zero(index)
    }

    /// A part of one; 0 where there is none.
    pub(super) fn fraction(&mut self, index: usize) -> BigDecimal {
        let asked = "must be a fraction below 1, such as 0.001 for 0.1 %";
        let is_fraction = |number: &BigDecimal| *number >= BigDecimal::zero() && *number < BigDecimal::one();
        self.judged(index, asked, is_fraction).unwrap_or_default()
    }

    fn judged(&mut self, index: usize, asked: &str, is_right: impl Fn(&BigDecimal) -> bool) -> Option<BigDecimal> {
        let number = self.draft.number(index)?;
        if !is_right(&number) {
            self.refuse(index, format!("{asked}, not {}", decimal::shown(&number)));
            return None;
        }
        Some(number)
    }
}
