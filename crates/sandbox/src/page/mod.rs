//! The page of a sandbox: its state in a browser, with buttons that change it.
//!
//! The page calls a JSON API under `/_sandbox/`, which no path of the service begins with. Its requests are not logged, do not count
//! for the rate limit and trigger no faults.

mod access;
mod actions;
mod assets;
mod handler;
mod overview;
mod reply;

pub(super) use access::PageToken;
pub(super) use handler::{SandboxPage, router};
