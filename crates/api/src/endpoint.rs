//! Endpoints: method, path, permission, inputs and responses.

use super::input::Inputs;
use super::row::{RecordSpec, Schema};

/// The HTTP method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads without changing anything.
    Get,
    /// Performs an action.
    Post,
    /// Changes some fields.
    Patch,
    /// Replaces a record or a field.
    Put,
    /// Deletes a record.
    Delete,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 5] = [Self::Get, Self::Post, Self::Patch, Self::Put, Self::Delete];

    /// Returns the method with this name, ignoring case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(name))
    }

    /// Returns the name in the request line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    /// Returns true if the request changes something at the service. Such a request must not be retried blindly.
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Get)
    }
}

/// A permission of an API key.
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

    /// Returns the name in the API reference.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BotsRead => "BOTS_READ",
            Self::BotsWrite => "BOTS_WRITE",
            Self::AccountsRead => "ACCOUNTS_READ",
            Self::AccountsWrite => "ACCOUNTS_WRITE",
            Self::SmartTradesWrite => "SMART_TRADES_WRITE",
        }
    }

    /// Returns the permission with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|permission| permission.as_str() == name)
    }
}

/// The inputs of an endpoint, and the part of the request that carries them.
#[derive(Clone, Copy, Debug)]
pub enum EndpointInputs {
    /// The endpoint has no inputs.
    Nothing,
    /// The query string carries the inputs.
    Query(&'static Inputs),
    /// A JSON body carries the inputs.
    Json(&'static Inputs),
}

impl EndpointInputs {
    /// Returns the inputs, whichever part of the request carries them.
    pub fn inputs(self) -> Option<&'static Inputs> {
        match self {
            Self::Nothing => None,
            Self::Query(inputs) | Self::Json(inputs) => Some(inputs),
        }
    }
}

/// An operation of the API reference.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// The name of the operation, such as `dca_bots.edit`.
    pub operation: &'static str,
    /// The title of its section of the API reference.
    pub section: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path in the API reference, in which `{id}` is a placeholder for an identifier.
    pub path: &'static str,
    /// The permission that the API key needs.
    pub permission: Permission,
    /// The inputs.
    pub takes: EndpointInputs,
    /// The documented status of success. The service may respond with any 2xx status.
    pub success: u16,
    /// The schema of the response.
    pub response: Schema,
    /// True if the service may return a single record in place of a list.
    pub may_return_one: bool,
    /// The documented statuses of errors.
    pub errors: &'static [u16],
}

/// The prefix of every path.
pub const PREFIX: &str = "/public/api";

/// The placeholder for an identifier in a path.
pub const IDENTIFIER: &str = "{id}";

impl Endpoint {
    /// Returns the resource, such as `dca_bots`.
    pub fn resource(&self) -> &'static str {
        self.operation.split_once('.').map_or(self.operation, |(resource, _)| resource)
    }

    /// Returns the name of the method, such as `edit`.
    pub fn name(&self) -> &'static str {
        self.operation.split_once('.').map_or("", |(_, name)| name)
    }

    /// Returns true if the path has the identifier of a record.
    pub fn has_id(&self) -> bool {
        self.path.contains(IDENTIFIER)
    }

    /// Returns true if it changes some fields of a record and keeps all others.
    pub fn is_edit(&self) -> bool {
        self.method == Method::Patch
    }

    /// Returns true if None omits an argument. In an operation that changes a record, it is null.
    pub fn none_is_absent(&self) -> bool {
        !(matches!(self.takes, EndpointInputs::Json(_)) && self.has_id())
    }

    /// Returns the record that the response has, alone or in a list.
    pub fn record(&self) -> &'static RecordSpec {
        match self.response {
            Schema::Record(spec) | Schema::List(&Schema::Record(spec)) => spec,
            _ => &RecordSpec::NOTHING,
        }
    }

    /// Returns the path of a request, starting with `/public/api`.
    pub fn path(&self, id: Option<u64>) -> String {
        let path = match id {
            Some(id) => self.path.replace(IDENTIFIER, &id.to_string()),
            None => self.path.to_owned(),
        };
        format!("{PREFIX}{path}")
    }
}
