//! How a run is waited for: with a bar that shows how far it is, and so that Ctrl-C loses nothing.

use std::future::poll_fn;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use pyo3::coroutine::CancelHandle;
use pyo3::prelude::*;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::handle::Handled;
use super::run::{Given, Interruption, Run};
use crate::bridge::{Abort, polled, receive};
use crate::carrier::through;
use crate::exceptions::{CatchException, RustResult};
use crate::listening::{is_heard, tell};
use crate::runtime::{ended, spawn};
use crate::under_way::{UnderWay, stand_still_if_left_behind};
use botdesk_client::bulk::{RunControl, StopSignal};
use botdesk_client::http::events::{Event, Listener, with_listener};

/// What a run tells the thread that waits for it.
enum Told<R> {
    /// Something happened on the road.
    Event(Event),
    /// A request, or a pair of them, has ended.
    Step,
    /// The run has ended.
    End(R),
}

/// Waits for a run, the GIL released. Ctrl-C has it end what is under way; a second Ctrl-C drops that as well.
pub(super) fn wait<A: Handled>(py: Python<'_>, run: Run<A>) -> PyResult<Given<A>> {
    let _under_way = UnderWay::begin(py);
    let mut bar = Bar::of(py, &run)?;
    let brake = Arc::<StopSignal>::default();
    let (sender, receiver) = channel();
    let step = sender.clone();
    // Nobody receives any more where the wait ended with an error.
    let step = Box::new(move || {
        step.send(Told::Step).rust_ok();
    });
    let doing = run.go(RunControl { stop: Arc::clone(&brake), step });
    let heard: Option<Listener> = is_heard(py)?.then(|| {
        let sender = sender.clone();
        Arc::new(move |event| {
            sender.send(Told::Event(event)).rust_ok();
        }) as Listener
    });
    let task = async move {
        let result = with_listener(heard, doing).await;
        sender.send(Told::End(result)).rust_ok();
    };
    let _task = Abort::new(spawn(py, task)?);
    let receiver = Mutex::new(receiver);
    let mut interruption = Interruption::default();
    loop {
        let told = py.detach(|| receive(&receiver));
        stand_still_if_left_behind(py);
        let heard = match told {
            Ok(Told::End(result)) => {
                if let Err(error) = bar.close(py) {
                    interruption.add(py, error);
                }
                return run.end(py, result, interruption);
            }
            Ok(Told::Event(event)) => tell(py, event),
            Ok(Told::Step) => bar.step(py),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => return Err(ended(py)),
        };
        if let Err(error) = heard.and_then(|()| py.check_signals()) {
            brake.request();
            interruption.add(py, error);
        }
    }
}

/// Awaits a run. Cancelling has it end what is under way; cancelling again drops that as well.
pub(super) async fn awaited<A: Handled>(run: Run<A>, mut cancel: CancelHandle) -> PyResult<Given<A>> {
    let mut interruption = Interruption::default();
    let brake = Arc::<StopSignal>::default();
    let _under_way = Python::attach(UnderWay::begin);
    let mut bar = Python::attach(|py| Bar::of(py, &run))?;
    let (sender, mut told_of) = unbounded_channel();
    let step = sender.clone();
    let step = Box::new(move || {
        step.send(Told::Step).rust_ok();
    });
    let doing = run.go(RunControl { stop: Arc::clone(&brake), step });
    let listener: Option<Listener> = Python::attach(is_heard)?.then(|| {
        Arc::new(move |event| {
            sender.send(Told::Event(event)).rust_ok();
        }) as Listener
    });
    let mut task = Abort::new(Python::attach(|py| spawn(py, with_listener(listener, doing)))?);
    let outcome = poll_fn(|context| {
        // Polled first, so that what happened before the end is told before it.
        let (outcome, heard) =
            through(context, |context| (polled(&mut task, context), hear(context, &mut told_of, &mut bar)));
        let mut interrupt = |py: Python<'_>, raised| {
            brake.request();
            interruption.add(py, raised);
        };
        for raised in heard {
            Python::attach(|py| interrupt(py, raised));
        }
        while let Poll::Ready(error) = cancel.poll_cancelled(context) {
            Python::attach(|py| interrupt(py, PyErr::from_value(error.into_bound(py))));
        }
        outcome
    });
    let outcome = outcome.await.rust_ok();
    Python::attach(|py| {
        if let Err(error) = bar.close(py) {
            interruption.add(py, error);
        }
        match outcome {
            Some(result) => run.end(py, result, interruption),
            None => Err(ended(py)),
        }
    })
}

/// Takes up what was told; returns what a listener raised that is not an `Exception`, such as Ctrl-C.
fn hear(context: &mut Context<'_>, told_of: &mut UnboundedReceiver<Told<()>>, bar: &mut Bar) -> Vec<PyErr> {
    let mut raised = Vec::new();
    while let Poll::Ready(Some(told)) = told_of.poll_recv(context) {
        let heard = Python::attach(|py| match told {
            Told::Event(event) => tell(py, event),
            Told::Step => bar.step(py),
            Told::End(()) => Ok(()),
        });
        if let Err(error) = heard {
            raised.push(error);
        }
    }
    raised
}

/// The bar that shows how far a run is; None where none is wanted.
struct Bar(Option<Py<PyAny>>);

impl Bar {
    fn of<A: Handled>(py: Python<'_>, run: &Run<A>) -> PyResult<Self> {
        if run.progress == Some(false) {
            return Ok(Self(None));
        }
        let bar = py.import("botdesk._progress")?.getattr("Bar")?;
        let always = run.progress.is_some();
        Ok(Self(Some(bar.call1((run.operation(), run.steps(), always))?.unbind())))
    }

    fn step(&mut self, py: Python<'_>) -> PyResult<()> {
        self.call(py, "step")
    }

    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.call(py, "close")
    }

    /// A bar that can't be drawn is written out, and the run goes on without it.
    fn call(&mut self, py: Python<'_>, method: &str) -> PyResult<()> {
        let Some(bar) = &self.0 else { return Ok(()) };
        let drawn = bar.call_method0(py, method).or_write_out(py, Some(bar.bind(py)))?;
        if drawn.is_none() {
            self.0 = None;
        }
        Ok(())
    }
}

/// Writes each method twice, as `twins!` does: blocking, and as a coroutine. The body gives a run.
macro_rules! many {
    (impl $class:ident {$(
        $(#[doc = $doc:expr])*
        #[signature $signature:tt]
        fn $name:ident | $twin:ident(
            &$this:ident $(, $argument:ident: $type:ty)* $(, **$unknown:ident: $names:ty)?
        ) -> $output:ty $body:block
    )*}) => {
        #[pyo3::pymethods]
        impl $class {$(
            $(#[doc = $doc])*
            #[pyo3(signature = $signature)]
            fn $name(
                &$this, py: pyo3::Python<'_> $(, $argument: $type)* $(, $unknown: Option<$names>)?
            ) -> pyo3::PyResult<$output> {
                $crate::bulk::waiting::wait(py, $body)
            }

            $(#[doc = $doc])*
            #[pyo3(signature = $signature)]
            async fn $twin(
                &$this $(, $argument: $type)* $(, $unknown: Option<$names>)?,
                #[pyo3(cancel_handle)] cancel: pyo3::coroutine::CancelHandle,
            ) -> pyo3::PyResult<$output> {
                $crate::bulk::waiting::awaited($body, cancel).await
            }
        )*}
    };
}
pub(super) use many;
