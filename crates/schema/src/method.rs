//! HTTP methods.

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

    /// Returns what a request with this method does, unless its operation says otherwise.
    pub const fn effect(self) -> Effect {
        match self {
            Self::Get => Effect::Read,
            Self::Post | Self::Patch | Self::Put | Self::Delete => Effect::Write,
        }
    }
}

/// What a request does at the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It changes nothing.
    Read,
    /// It changes something, so it must not be retried blindly.
    Write,
}

impl Effect {
    /// Returns true if the request changes something.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write)
    }

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}
