//! The HTTP server that the sandbox and the replay of cassettes share.

pub mod api_error;
pub mod authenticator;
pub mod connection;
pub mod connection_handle;
pub mod handshake;
pub mod listener;
pub mod port_guard;
pub mod raw_bytes;
pub mod request;
pub mod response;
pub mod server;
pub mod signed_text;
pub mod subscription;
