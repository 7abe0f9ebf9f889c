//! Plays candles through the market, one candle after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::market::{check_pair, time_of};
use super::server::SandboxService;
use super::state::BotEvent;
use botdesk_api::input::Violation;
use botdesk_trading::candles::{Candles, Path, PricePoint, Timeline};
use botdesk_trading::decimal::Decimal;

/// Candles that are played through the market of a sandbox.
pub struct Playback {
    service: Arc<SandboxService>,
    pairs: Vec<PlayedPair>,
    timeline: std::iter::Peekable<Timeline>,
}

/// A pair that is played.
struct PlayedPair {
    pair: String,
    /// The tick of a pair that is not traded before its first candle.
    new_tick: Option<Decimal>,
}

/// The end of a candle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time.
    pub at: Timestamp,
    /// The price of each pair of which a candle ended.
    pub prices: BTreeMap<String, Decimal>,
    /// The events of bots since the moment before.
    pub events: Vec<BotEvent>,
}

impl Playback {
    /// Sets the clock to the first candle, and the ticks of the pairs.
    pub(super) fn new(
        service: Arc<SandboxService>,
        histories: Vec<(String, Candles)>,
        path: Path,
        tick: Option<&Decimal>,
    ) -> Result<Self, Violation> {
        let mut state = service.state();
        for (pair, _) in &histories {
            check_pair("pair", pair)?;
        }
        let mut pairs = Vec::new();
        for (pair, candles) in &histories {
            let new_tick = state.market.quote(pair).is_none().then(|| tick.cloned().unwrap_or_else(|| candles.tick()));
            if let (None, Some(tick)) = (&new_tick, tick) {
                state.set_tick(pair, tick);
            }
            pairs.push(PlayedPair { pair: pair.clone(), new_tick });
        }
        if let Some(first) = histories.iter().filter_map(|(_, candles)| candles.time(0)).min() {
            state.clock.set(time_of(first));
        }
        drop(state);
        let candles = histories.into_iter().map(|(_, candles)| candles);
        Ok(Self { service, pairs, timeline: Timeline::new(candles, path).peekable() })
    }

    /// Plays up to the end of the next candle of any pair; None after the last one.
    ///
    /// Records are not written until somebody reads them.
    pub fn next_moment(&mut self) -> Option<Moment> {
        self.timeline.peek()?;
        let mut state = self.service.state_for_play();
        state.recorded_events.get_or_insert_default();
        let mut prices = BTreeMap::new();
        while let Some(point) = self.timeline.next() {
            let Some(PlayedPair { pair, new_tick }) = self.pairs.get_mut(point.history) else {
                continue;
            };
            state.run_all_timers_until(time_of(point.time));
            if let Some(tick) = new_tick.take() {
                state.market.list(pair, point.price.to_big(), tick.to_big());
            }
            if point.is_open {
                state.jump_to(pair, point.price.to_big());
            } else {
                state.move_to(pair, point.price.to_big());
            }
            if point.is_close {
                prices.insert(pair.clone(), point.price);
            }
            // Candles of several pairs may end at the same time.
            let is_last_of_its_time = |next: Option<&PricePoint>| next.is_none_or(|next| next.time > point.time);
            if !prices.is_empty() && is_last_of_its_time(self.timeline.peek()) {
                break;
            }
        }
        let events = state.recorded_events.take().unwrap_or_default();
        Some(Moment { at: state.clock.now(), prices, events })
    }
}
