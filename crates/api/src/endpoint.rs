//! What an endpoint is.

use super::input::Inputs;
use super::row::Schema;

/// How a request asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Does something.
    Post,
    /// Changes something.
    Patch,
    /// Puts something in the place of what is there.
    Put,
    /// Takes something away.
    Delete,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 5] = [Self::Get, Self::Post, Self::Patch, Self::Put, Self::Delete];

    /// The method of that name, in whatever case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(name))
    }

    /// The name in the request line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    /// Whether the request changes something at the service, so that it must not be repeated blindly.
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Get)
    }
}

/// What an API key must be allowed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Read bots.
    BotsRead,
    /// Change bots.
    BotsWrite,
    /// Read accounts.
    AccountsRead,
    /// Change accounts.
    AccountsWrite,
    /// Read and change SmartTrades.
    SmartTradesWrite,
}

impl Permission {
    /// All permissions.
    pub const ALL: [Self; 5] =
        [Self::BotsRead, Self::BotsWrite, Self::AccountsRead, Self::AccountsWrite, Self::SmartTradesWrite];

    /// The name that the document gives it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BotsRead => "BOTS_READ",
            Self::BotsWrite => "BOTS_WRITE",
            Self::AccountsRead => "ACCOUNTS_READ",
            Self::AccountsWrite => "ACCOUNTS_WRITE",
            Self::SmartTradesWrite => "SMART_TRADES_WRITE",
        }
    }

    /// The permission of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|permission| permission.as_str() == name)
    }
}

/// Where the inputs of an endpoint travel.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// It takes none.
    Nothing,
    /// In the query.
    Query(&'static Inputs),
    /// In a JSON body.
    Json(&'static Inputs),
}

impl Takes {
    /// The inputs, wherever they travel.
    pub fn inputs(self) -> Option<&'static Inputs> {
        match self {
            Self::Nothing => None,
            Self::Query(inputs) | Self::Json(inputs) => Some(inputs),
        }
    }
}

/// One operation of the document.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// The name of the operation everywhere, such as `dca_bots.edit`.
    pub operation: &'static str,
    /// The title of its section of the API reference.
    pub section: &'static str,
    /// How it asks.
    pub method: Method,
    /// The path as the document writes it; `{id}` stands for an identifier.
    pub path: &'static str,
    /// What the API key must be allowed to do.
    pub permission: Permission,
    /// What it takes.
    pub takes: Takes,
    /// The status that the document gives for success. An answer may come with any 2xx.
    pub success: u16,
    /// What the answer holds.
    pub answers: Schema,
    /// The statuses that the document names for refusals.
    pub errors: &'static [u16],
}

/// What stands before every path of the document.
pub const PREFIX: &str = "/public/api";

/// What stands for an identifier in a path.
pub const IDENTIFIER: &str = "{id}";

impl Endpoint {
    /// The path of a request, from `/public/api` on.
    pub fn path(&self, id: Option<u64>) -> String {
        let path = match id {
            Some(id) => self.path.replace(IDENTIFIER, &id.to_string()),
            None => self.path.to_owned(),
        };
        format!("{PREFIX}{path}")
    }
}
