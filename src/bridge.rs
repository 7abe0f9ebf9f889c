//! The bridge between tokio and Python: one body, a blocking method and a coroutine.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use crate::raise::IntoPyErr;
use pyo3::prelude::*;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::{JoinError, JoinHandle};

use super::carrier::through;
use super::exceptions::RustResult;
use super::in_place;
use super::listening::{is_heard, tell};
use super::runtime::{ended, spawn};
use super::under_way::{UnderWay, stand_still_if_left_behind};
use super::work::{SIGNALS, Work};
use botdesk_client::http::events::{Event, Listener, with_listener};
use botdesk_system::lock::locked;

/// A task that ends when nobody waits for it any more.
pub(super) struct Abort<T> {
    process: u32,
    task: JoinHandle<T>,
}

impl<T> Abort<T> {
    pub(super) fn new(task: JoinHandle<T>) -> Self {
        Self { process: std::process::id(), task }
    }
}

impl<T> Drop for Abort<T> {
    fn drop(&mut self) {
        // In a forked child there is no such task, and a thread that the fork left behind may hold its locks.
        if self.process == std::process::id() {
            self.task.abort();
        }
    }
}

impl<T> Future for Abort<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.task).poll(context)
    }
}

/// Where work leaves its result.
struct Outcome<T, E>(Arc<Mutex<Option<Result<T, E>>>>);

impl<T, E> Outcome<T, E>
where
    T: Send + 'static,
    E: Send + 'static + IntoPyErr,
{
    /// A future as work, and where its result will be.
    fn of<F>(future: F) -> (Work, Self)
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        let left = Arc::new(Mutex::new(None));
        let outcome = Self(Arc::clone(&left));
        let work = async move {
            let result = future.await;
            *locked(&left) = Some(result);
        };
        (Box::pin(work), outcome)
    }

    /// The result; work that was broken off has left none, and only the end of the runtime breaks it off.
    fn take(self) -> PyResult<T> {
        let result = locked(&self.0).take();
        match result {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(error.into_py_err()),
            None => Err(Python::attach(ended)),
        }
    }
}

/// What work tells the thread that waits for it.
enum Told {
    /// Something happened on the road.
    Event(Event),
    /// It has ended.
    End,
}

/// Waits for a future, the GIL released; Ctrl-C drops it.
///
/// It runs on the thread that waits, which spares it two changes of threads, or on the runtime where that place is taken or where
/// there is something to tell meanwhile. So it starts nothing that goes on without it.
pub(super) fn wait<T, E, F>(py: Python<'_>, future: F) -> PyResult<T>
where
    T: Send + 'static,
    E: Send + 'static + IntoPyErr,
    F: Future<Output = Result<T, E>> + Send + 'static,
{
    let _under_way = UnderWay::begin(py);
    let (work, outcome) = Outcome::of(future);
    let place = if is_heard(py)? { None } else { in_place::take()? };
    match place {
        Some(place) => place.wait_for(py, work)?,
        None => wait_for(py, work)?,
    }
    outcome.take()
}

/// Waits for a future on the runtime, the GIL released; Ctrl-C drops it.
pub(super) fn wait_for_task<T, E, F>(py: Python<'_>, future: F) -> PyResult<T>
where
    T: Send + 'static,
    E: Send + 'static + IntoPyErr,
    F: Future<Output = Result<T, E>> + Send + 'static,
{
    let _under_way = UnderWay::begin(py);
    let (work, outcome) = Outcome::of(future);
    wait_for(py, work)?;
    outcome.take()
}

fn wait_for(py: Python<'_>, work: Work) -> PyResult<()> {
    let (sender, receiver) = channel();
    let heard: Option<Listener> = is_heard(py)?.then(|| {
        let sender = sender.clone();
        // Nobody receives where Ctrl-C ended the wait.
        Arc::new(move |event| {
            sender.send(Told::Event(event)).rust_ok();
        }) as Listener
    });
    let task = async move {
        with_listener(heard, work).await;
        sender.send(Told::End).rust_ok();
    };
    let _task = Abort::new(spawn(py, task)?);
    let receiver = Mutex::new(receiver);
    loop {
        let told = py.detach(|| receive(&receiver));
        // The end of the runtime breaks the connections of requests that it has not ended yet.
        stand_still_if_left_behind(py);
        match told {
            Ok(Told::End) => return Ok(()),
            Ok(Told::Event(event)) => tell(py, event)?,
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(ended(py)),
        }
    }
}

/// Waits for the next message, but no longer than until signals are to be looked for.
pub(super) fn receive<T>(receiver: &Mutex<Receiver<T>>) -> Result<T, RecvTimeoutError> {
    locked(receiver).recv_timeout(SIGNALS)
}

/// Awaits a future that runs on the runtime; cancelling the coroutine drops it.
pub(super) async fn spawned<T, E, F>(future: F) -> PyResult<T>
where
    T: Send + 'static,
    E: Send + 'static + IntoPyErr,
    F: Future<Output = Result<T, E>> + Send + 'static,
{
    let _under_way = Python::attach(UnderWay::begin);
    let (work, outcome) = Outcome::of(future);
    if Python::attach(is_heard)? {
        heard(work).await?;
    } else {
        let mut task = Abort::new(Python::attach(|py| spawn(py, work))?);
        // Why it ended without a result does not matter.
        poll_fn(|context| through(context, |context| polled(&mut task, context))).await.rust_ok();
    }
    outcome.take()
}

/// Looks whether a task has ended. The loop of a thread that is left behind gets no answer any more.
pub(super) fn polled<T>(task: &mut Abort<T>, context: &mut Context<'_>) -> Poll<Result<T, JoinError>> {
    let outcome = Pin::new(task).poll(context);
    Python::attach(stand_still_if_left_behind);
    outcome
}

/// Awaits work that runs on the runtime, and tells what happens in it on the thread that awaits.
async fn heard(work: Work) -> PyResult<()> {
    let (sender, mut events) = unbounded_channel();
    let listener: Listener = Arc::new(move |event| {
        sender.send(event).rust_ok();
    });
    let mut task = Abort::new(Python::attach(|py| spawn(py, with_listener(Some(listener), work)))?);
    let mut look = |context: &mut Context<'_>| {
        // Polled first, so that what happened before the end is told before it.
        let outcome = polled(&mut task, context);
        while let Poll::Ready(Some(event)) = events.poll_recv(context) {
            if let Err(error) = Python::attach(|py| tell(py, event)) {
                return Poll::Ready(Err(error));
            }
        }
        outcome.map(|_| Ok(()))
    };
    poll_fn(|context| through(context, &mut look)).await
}

/// Writes each method twice: blocking, and as a coroutine under its second name. The Python layer replaces the second one by a
/// coroutine function of Python's own, which calls it when the coroutine first runs.
///
/// The body gives a future; what it does before that, such as reading its arguments, may fail with `?`.
macro_rules! twins {
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
                $crate::bridge::wait(py, $body)
            }

            $(#[doc = $doc])*
            #[pyo3(signature = $signature)]
            async fn $twin(
                &$this $(, $argument: $type)* $(, $unknown: Option<$names>)?
            ) -> pyo3::PyResult<$output> {
                $crate::bridge::spawned($body).await
            }
        )*}
    };
}
pub(super) use twins;
