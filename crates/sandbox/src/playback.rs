//! Plays candles through the market, one candle after the other.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;

use super::market::{check_pair, milliseconds, time_of};
use super::market_event::{MarketEvent, Moment};
use super::server::SandboxService;
use super::state::State;
use botdesk_api::input::Violation;
use botdesk_trading::candles::{Candles, Path, PricePoint, Timeline};
use botdesk_trading::decimal::Decimal;

/// The maximum number of timers that one step runs. Before a candle after a long gap, there may be millions.
const MAX_TIMERS: usize = 256;

/// Candles that are played through the market of a sandbox.
pub struct Playback {
    service: Arc<SandboxService>,
    /// The number of this playback among those of the sandbox.
    number: u64,
    pairs: Vec<String>,
    timeline: Peekable<Timeline>,
    /// The closes since the last moment.
    prices: BTreeMap<String, Decimal>,
}

/// What a step reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaybackStep {
    /// The end of a candle.
    Moment(Moment),
    /// Nothing yet: there are more timers than one step runs.
    Unfinished,
    /// The end of the last candle, after its moment.
    End,
}

/// The reason why candles can't be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaybackError {
    /// An argument is invalid.
    #[error("{}: {}", .0.field, .0.message)]
    Invalid(Violation),
    /// The sandbox was closed.
    #[error("the sandbox is closed; play the candles in a new one")]
    Closed,
    /// The sandbox plays other candles.
    #[error("the sandbox plays other candles since; only the playback that was started last continues")]
    Replaced,
}

impl From<Violation> for PlaybackError {
    fn from(violation: Violation) -> Self {
        Self::Invalid(violation)
    }
}

impl Playback {
    /// Sets the clock to the first candle, and the ticks of the pairs.
    pub(super) fn new(
        service: Arc<SandboxService>,
        histories: Vec<(String, Candles)>,
        path: Path,
        tick: Option<&Decimal>,
    ) -> Result<Self, PlaybackError> {
        for (pair, _) in &histories {
            check_pair("pair", pair)?;
        }
        if service.is_closed() {
            return Err(PlaybackError::Closed);
        }
        let mut state = service.state();
        for (pair, candles) in &histories {
            list_pair(&mut state, pair, candles, tick);
        }
        if let Some(first) = histories.iter().filter_map(|(_, candles)| candles.time(0)).min() {
            state.clock.set(time_of(first));
        }
        state.recorded_events = Some(Vec::new());
        let number = service.begin_playback();
        drop(state);
        let (pairs, candles): (Vec<_>, Vec<_>) = histories.into_iter().unzip();
        let timeline = Timeline::new(candles, path).peekable();
        Ok(Self { service, number, pairs, timeline, prices: BTreeMap::new() })
    }

    /// Plays up to the end of the next candle of any pair, or a part of that.
    ///
    /// Records are not written until somebody reads them.
    pub fn step(&mut self) -> Result<PlaybackStep, PlaybackError> {
        let service = Arc::clone(&self.service);
        let mut state = service.state_for_play();
        if service.is_closed() {
            return Err(PlaybackError::Closed);
        }
        if !service.is_current_playback(self.number) {
            return Err(PlaybackError::Replaced);
        }
        while let Some(next) = self.timeline.peek() {
            if !state.run_some_timers_until(time_of(next.time), MAX_TIMERS) {
                return Ok(PlaybackStep::Unfinished);
            }
            if self.play_point(&mut state) {
                let events = state.recorded_events.replace(Vec::new()).unwrap_or_default();
                let events = events.into_iter().map(MarketEvent::from).collect();
                let prices = std::mem::take(&mut self.prices);
                return Ok(PlaybackStep::Moment(Moment { time: milliseconds(state.clock.now()), prices, events }));
            }
        }
        Ok(PlaybackStep::End)
    }

    /// Plays the next point of a candle; returns whether it is a moment.
    fn play_point(&mut self, state: &mut State) -> bool {
        let Some(point) = self.timeline.next() else {
            return false;
        };
        let Some(pair) = self.pairs.get(point.history) else {
            return false;
        };
        if point.is_open {
            state.jump_to(pair, point.price.to_big());
        } else {
            state.move_to(pair, point.price.to_big());
        }
        if point.is_close {
            self.prices.insert(pair.clone(), point.price);
        }
        // Candles of several pairs may end at the same time.
        let is_last_of_its_time = |next: Option<&PricePoint>| next.is_none_or(|next| next.time > point.time);
        !self.prices.is_empty() && is_last_of_its_time(self.timeline.peek())
    }
}

impl Drop for Playback {
    fn drop(&mut self) {
        let mut state = self.service.state_for_play();
        if self.service.is_current_playback(self.number) {
            state.recorded_events = None;
        }
    }
}

/// Trades a pair from now on, if it is not yet, at its first price. A new pair gets the smallest decimal place of its candles as its
/// tick, unless one is given.
fn list_pair(state: &mut State, pair: &str, candles: &Candles, tick: Option<&Decimal>) {
    let is_new = state.market.quote(pair).is_none();
    if let (true, Some(candle)) = (is_new, candles.candle(0)) {
        state.market.set(pair, candle.open.to_big());
    }
    if let Some(tick) = tick.cloned().or_else(|| is_new.then(|| candles.tick())) {
        state.set_tick(pair, &tick);
    }
}
