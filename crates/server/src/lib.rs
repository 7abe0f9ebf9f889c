//! The HTTP plumbing that the sandbox and the replay of cassettes share.

pub mod answer;
pub mod gate;
pub mod judge;
pub mod line;
pub mod request;
pub mod script;
pub mod serving;
pub mod socket;
