//! Playing candles through the market of a sandbox.

pub(crate) mod histories;
mod iterator;
mod market_event;
mod moment;
mod names;
mod pairs;
mod player;

pub(crate) use iterator::Playback;
pub(crate) use market_event::MarketEvent;
pub(crate) use moment::Moment;
