//! The options that the records of an initial state depend on.

use botdesk_trading::decimal::Decimal;

/// The kind of values in the state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueStyle {
    /// Names and amounts that agree with each other.
    Plausible,
    /// The same, with odd values in some fields.
    Odd,
}

/// The options that the records of an initial state depend on.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SeedOptions {
    /// The seed of the random values.
    pub(crate) seed: u64,
    /// The number of DCA bots. It does not change the first bots or anything else.
    pub(crate) bots: usize,
    /// The kind of values.
    pub(crate) values: ValueStyle,
    /// The fee of every order, as a fraction of its volume.
    pub(crate) fee: Decimal,
}
