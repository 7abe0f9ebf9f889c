//! The options of a sandbox.

use super::funds::GivenBalances;
use super::limit_options::LimitOptions;
use botdesk_trading::decimal::Decimal;

/// The highest number of DCA bots in the initial state of a sandbox, which take 0.6 GB.
pub const MAX_BOTS: usize = 10_000;

/// The options of a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxOptions {
    /// The seed of the initial state; the same seed gives the same state.
    pub seed: u64,
    /// The number of DCA bots, at most [`MAX_BOTS`].
    pub bots: usize,
    /// True if the initial state has odd values, such as exponents and numbers of 50 digits.
    pub odd_values: bool,
    /// The port to listen on; 0 for any free one.
    pub port: u16,
    /// The limits on requests.
    pub limits: LimitOptions,
    /// True to accept only signatures of the documented text, and not those of the other forms that programs use.
    pub strict_signatures: bool,
    /// The fee of every order, as a fraction of its volume; the default is that of the accounts in the samples of the service.
    pub fee: Decimal,
    /// The fraction by which market orders fill at a worse price.
    pub slippage: Decimal,
    /// The balances of every account; None for random ones, which are enough for every order.
    pub balances: Option<GivenBalances>,
}

impl Default for SandboxOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            bots: 12,
            odd_values: false,
            port: 0,
            limits: LimitOptions::default(),
            strict_signatures: false,
            fee: Decimal::new(1, 3),
            slippage: Decimal::ZERO,
            balances: None,
        }
    }
}
