//! The permissions and the security of requests.

/// A permission of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// No permission.
    None,
    /// Read bots.
    BotsRead,
    /// Change bots.
    BotsWrite,
    /// Read accounts.
    AccountsRead,
    /// Change accounts.
    AccountsWrite,
    /// Read SmartTrades.
    SmartTradesRead,
    /// Change SmartTrades.
    SmartTradesWrite,
}

impl Permission {
    /// The permissions that a key can have.
    pub const ALL: [Self; 6] = [
        Self::BotsRead,
        Self::BotsWrite,
        Self::AccountsRead,
        Self::AccountsWrite,
        Self::SmartTradesRead,
        Self::SmartTradesWrite,
    ];

    /// Returns the name in the API reference.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::BotsRead => "BOTS_READ",
            Self::BotsWrite => "BOTS_WRITE",
            Self::AccountsRead => "ACCOUNTS_READ",
            Self::AccountsWrite => "ACCOUNTS_WRITE",
            Self::SmartTradesRead => "SMART_TRADES_READ",
            Self::SmartTradesWrite => "SMART_TRADES_WRITE",
        }
    }

    /// Returns the permission with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|permission| permission.as_str() == name)
    }
}

/// Whether a request is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// It needs no API key.
    None,
    /// It carries an API key and a signature.
    Signed,
}

impl Security {
    /// Returns the name in the API reference.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Signed => "SIGNED",
        }
    }
}
