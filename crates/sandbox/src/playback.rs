//! Plays candles through the market, one candle after the other.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;

use super::listings::check_pair;
use super::market::{milliseconds, time_of};
use super::market_event::{MarketEvent, PlaybackMoment};
use super::server::SandboxService;
use super::state::State;
use botdesk_schema::input::Violation;
use botdesk_trading::candles::{Candles, ExtremeOrder, PricePoint, Timeline};
use botdesk_trading::decimal::Decimal;

/// The maximum number of timers that one step runs. Before a candle after a long gap, there may be millions.
const MAX_TIMERS: usize = 256;

/// Candles that are played through the market of a sandbox.
pub struct Playback {
    service: Arc<SandboxService>,
    /// The number of this playback among those of the sandbox.
    number: u64,
    pairs: Vec<PlayedPair>,
    timeline: Peekable<Timeline>,
    /// The closes since the last moment.
    prices: BTreeMap<String, Decimal>,
}

/// A pair that is played.
struct PlayedPair {
    pair: String,
    /// The tick of a pair that is not traded before its first candle.
    new_tick: Option<Decimal>,
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaybackStep {
    /// The end of a candle.
    Moment(PlaybackMoment),
    /// Nothing yet: there are more timers than one step runs.
    Unfinished,
    /// The end of the last candle, after its moment.
    End,
}

/// The point that a playback reached.
#[derive(PartialEq, Eq)]
enum Reached {
    /// The end of a candle.
    Moment,
    /// A timer.
    Timer,
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
    /// The sandbox plays other candles, or was reset.
    #[error("the sandbox plays other candles since, or was reset; only the playback that was started last continues")]
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
        path: ExtremeOrder,
        tick: Option<&Decimal>,
    ) -> Result<Self, PlaybackError> {
        for (pair, _) in &histories {
            check_pair("pair", pair)?;
        }
        if service.is_closed() {
            return Err(PlaybackError::Closed);
        }
        let mut state = service.state();
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
        state.recorded_events = Some(Vec::new());
        let number = service.begin_playback();
        drop(state);
        let timeline = Timeline::new(histories.into_iter().map(|(_, candles)| candles), path).peekable();
        Ok(Self { service, number, pairs, timeline, prices: BTreeMap::new() })
    }

    /// Plays up to the end of the next candle of any pair, or a part of that.
    ///
    /// Records are updated only when a request reads them.
    pub fn step(&mut self) -> Result<PlaybackStep, PlaybackError> {
        let service = Arc::clone(&self.service);
        let mut state = service.state_for_play();
        if service.is_closed() {
            return Err(PlaybackError::Closed);
        }
        if !service.is_current_playback(self.number) {
            return Err(PlaybackError::Replaced);
        }
        Ok(match self.advance(&mut state) {
            Reached::Moment => {
                let events = state.recorded_events.replace(Vec::new()).unwrap_or_default();
                let events = events.into_iter().map(MarketEvent::from).collect();
                let prices = std::mem::take(&mut self.prices);
                PlaybackStep::Moment(PlaybackMoment { time: milliseconds(state.clock.now()), prices, events })
            }
            Reached::Timer => PlaybackStep::Unfinished,
            Reached::End => PlaybackStep::End,
        })
    }

    /// Plays up to the end of the next candle, but runs at most a number of timers.
    fn advance(&mut self, state: &mut State) -> Reached {
        while let Some(next) = self.timeline.peek() {
            if !state.run_some_timers_until(time_of(next.time), MAX_TIMERS) {
                return Reached::Timer;
            }
            if self.play_point(state) {
                return Reached::Moment;
            }
        }
        Reached::End
    }

    /// Plays all candles; returns the events as the engine has them.
    #[cfg(test)]
    pub(super) fn into_bot_events(mut self) -> Vec<super::state::BotEvent> {
        let service = Arc::clone(&self.service);
        let mut state = service.state_for_play();
        while self.advance(&mut state) != Reached::End {}
        let events = state.recorded_events.take().unwrap_or_default();
        drop(state);
        events
    }

    /// Plays the next point of a candle; returns true if it is a moment.
    fn play_point(&mut self, state: &mut State) -> bool {
        let Some(point) = self.timeline.next() else {
            return false;
        };
        let Some(PlayedPair { pair, new_tick }) = self.pairs.get_mut(point.history) else {
            return false;
        };
        if let Some(tick) = new_tick.take() {
            state.market.list(pair, point.price.to_big(), tick.to_big());
        }
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
