//! The WebSocket connections of the live streams: `handshake` upgrades a request to one, `connection` reads and writes its frames.

mod connection;
mod handshake;

pub(super) use handshake::connect;
