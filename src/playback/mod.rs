//! Playing candles through the market of a sandbox.

pub(super) mod histories;
mod iterator;
mod market_event;
mod moment;
mod names;
mod pairs;
mod player;

pub(super) use iterator::Playback;
pub(super) use market_event::MarketEvent;
pub(super) use moment::Moment;
