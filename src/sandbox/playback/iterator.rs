//! The iterator over the moments of a playback, for `for` and for `async for`.

use std::sync::Arc;

use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;

use super::Moment;
use super::histories::PlayedHistory;
use super::pairs::pairs_with;
use super::player::{Player, StepOutcome};
use crate::exceptions::RustResult as _;
use crate::raise::OrPyErr as _;
use crate::runtime::active_calls::{ActiveCall, park_if_finalizing};
use crate::runtime::bridge::spawned;
use crate::sandbox::class::Sandbox;
use crate::values::typed_objects;
use botdesk_trading::candles::ExtremeOrder;
use botdesk_trading::decimal::Decimal;

typed_objects! {
    /// A coroutine that returns a moment.
    NextMoment(PyAny) => type_hint_subscript!(COROUTINE, ANY, ANY, Moment::TYPE_HINT);
}

/// Candles that `sandbox.play` plays: an iterator over a `Moment` for each candle, for `for` and for `async for`.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Playback {
    /// Keeps the sandbox running.
    sandbox: Py<Sandbox>,
    player: Arc<Player>,
    /// The pairs, and the number of candles of each.
    histories: Vec<(String, usize)>,
}

impl Playback {
    /// Begins to play candles.
    pub(crate) fn begin(
        sandbox: &Bound<'_, Sandbox>,
        histories: Vec<PlayedHistory>,
        path: ExtremeOrder,
        tick: Option<Decimal>,
    ) -> PyResult<Self> {
        let running = sandbox.get().running().or_py_err()?;
        let lengths = histories.iter().map(|(pair, candles)| (pair.clone(), candles.len())).collect();
        let playback = sandbox.py().detach(|| running.play(histories, path, tick.as_ref())).or_py_err()?;
        Ok(Self { sandbox: sandbox.clone().unbind(), player: Player::new(playback), histories: lengths })
    }

    /// Returns the player; fails in a forked child.
    fn player(&self) -> PyResult<&Arc<Player>> {
        self.sandbox.get().running().or_py_err()?;
        Ok(&self.player)
    }
}

#[pymethods]
impl Playback {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Moment>> {
        let player = self.player()?;
        let _active_call = ActiveCall::start(py);
        loop {
            let reached = py.detach(|| player.advance());
            park_if_finalizing(py);
            match reached.or_py_err()? {
                StepOutcome::Moment => {
                    if let Some(moment) = player.take() {
                        return Ok(Some(Moment(moment)));
                    }
                }
                StepOutcome::Nothing => py.check_signals()?,
                StepOutcome::End => return Ok(None),
            }
        }
    }

    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    // A slot can't be an `async fn`; an ordinary method can.
    fn __anext__<'py>(this: &Bound<'py, Self>) -> PyResult<NextMoment<'py>> {
        this.call_method0("_next").map(NextMoment)
    }

    async fn _next(&self) -> PyResult<Moment> {
        let player = self.player()?;
        while spawned(Arc::clone(player).reach()).await? {
            if let Some(moment) = player.take() {
                return Ok(Moment(moment));
            }
        }
        Err(PyStopAsyncIteration::new_err(()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let histories = pairs_with(self.histories.iter().map(|(pair, candles)| (pair, candles)));
        let is_here = self.sandbox.get().running().rust_ok().is_some();
        let played = if is_here { py.detach(|| self.player.count()) } else { 0 };
        format!("<Playback{histories} played={played}>")
    }
}
