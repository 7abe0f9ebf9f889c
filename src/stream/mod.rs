//! Live events: what `client.stream` returns, for `for` and for `async for`.

mod event;
mod iterator;

pub(super) use event::StreamEvent;
pub(super) use iterator::Stream;
