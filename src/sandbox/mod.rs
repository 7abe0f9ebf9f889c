//! The sandbox, its market and its faults, and cassettes.

pub(crate) mod balances;
pub(crate) mod class;
pub(crate) mod clock;
pub(crate) mod faults;
pub(crate) mod local_server;
pub(crate) mod market;
pub(crate) mod playback;
pub(crate) mod recording;
pub(crate) mod state;
pub(crate) mod streams;
