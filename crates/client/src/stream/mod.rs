//! Live events: the streams of the service, and polling for what has none.
//!
//! - `command` composes and signs what subscribes; `frame` reads what comes in. Neither lets a key out.
//! - `merge` decides which states of records are new, in which order, and how far they are complete; `records` holds frames back while
//!   a list is read.
//! - `channel` is a resource with a stream; `fill` lists what the stream may not have sent, and polls while there is no stream.
//! - `hub` has the channels of all streams of a client, which share one connection: `session` keeps it, with its states and delays,
//!   `connection` subscribes and passes on what comes in, and `socket` has the frames.
//! - `polled` is a resource without a stream, which a watch polls; `prices` polls those of pairs.
//! - `queue` keeps events until they are taken; `streamer` has all of it.

mod backoff;
mod channel;
mod command;
mod connection;
mod event;
mod fill;
pub mod frame;
mod hub;
mod merge;
mod options;
mod polled;
mod prices;
mod queue;
mod records;
mod saved;
mod session;
mod shared;
mod socket;
mod streamer;

#[cfg(test)]
mod tests;

pub use event::{Origin, StreamEvent};
pub use options::{PricedPairs, StreamOptions};
pub use streamer::{StreamStart, Streamer};
