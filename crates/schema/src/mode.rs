//! The mode of a request: paper or real trading.

use super::values::Choices;

/// The name of the header that chooses the mode. It is not signed.
pub const HEADER: &str = "forced-mode";

/// The mode of a request, which chooses the accounts that it shows. It does not choose the account of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Paper accounts, which trade no money.
    Paper,
    /// Real accounts.
    Real,
}

impl Choices for Mode {
    const VALUES: &'static [&'static str] = &[Self::Paper.as_str(), Self::Real.as_str()];
    const SAMPLE: &'static str = "\"paper\"";
}

impl Mode {
    /// The modes.
    pub const ALL: [Self; 2] = [Self::Paper, Self::Real];

    /// Returns the value of the header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Real => "real",
        }
    }

    /// Returns the mode with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }

    /// Returns the mode of an account on an exchange with this code.
    pub fn of_exchange(market_code: &str) -> Self {
        if market_code.starts_with(PAPER_EXCHANGE) { Self::Paper } else { Self::Real }
    }
}

/// The code of the exchange of a paper account, and the beginning of the codes of its variants.
pub const PAPER_EXCHANGE: &str = "paper_trading";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_has_exactly_one_spelling() {
        assert_eq!(Mode::named("paper"), Some(Mode::Paper));
        assert_eq!(Mode::named("real"), Some(Mode::Real));
        assert!(["", "Paper", "demo", " real"].iter().all(|name| Mode::named(name).is_none()));
    }

    #[test]
    fn only_the_exchange_of_paper_accounts_is_paper() {
        assert_eq!(Mode::of_exchange("paper_trading"), Mode::Paper);
        assert_eq!(Mode::of_exchange("binance"), Mode::Real);
        assert_eq!(Mode::of_exchange(""), Mode::Real);
    }
}
