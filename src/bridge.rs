//! The bridge between tokio and Python: one loop that waits for work, and one that awaits it.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use crate::raise::IntoPyErr;
use pyo3::coroutine::CancelHandle;
use pyo3::prelude::*;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
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
pub(super) struct Outcome<T, E>(Arc<Mutex<Option<Result<T, E>>>>);

impl<T, E> Outcome<T, E>
where
    T: Send + 'static,
    E: Send + 'static,
{
    /// Returns a future as work, and where its result will be.
    pub(super) fn of<F>(future: F) -> (Work, Self)
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

    /// Returns the result; None if the work did not end, which only happens at the end of the runtime.
    pub(super) fn result(self) -> Option<Result<T, E>> {
        locked(&self.0).take()
    }
}

impl<T, E> Outcome<T, E>
where
    T: Send + 'static,
    E: Send + 'static + IntoPyErr,
{
    fn take(self) -> PyResult<T> {
        match self.result() {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(error.into_py_err()),
            None => Err(Python::attach(ended)),
        }
    }
}

/// What work reports to the thread that waits for it.
enum Message {
    /// An event of a request.
    Event(Event),
    /// The end of a step.
    Step,
    /// The end of the work.
    End,
}

/// Who waits for work: what becomes of its steps, and of exceptions that are raised meanwhile.
pub(super) trait Waiter {
    /// Reports the end of a step.
    fn step(&mut self, py: Python<'_>) -> PyResult<()>;

    /// Takes what a signal handler, a hook or the end of a task raised. An error ends the wait, which drops the work.
    fn interrupt(&mut self, py: Python<'_>, raised: PyErr) -> PyResult<()>;
}

/// Waits for a single request, which any exception drops.
struct DropOnInterrupt;

impl Waiter for DropOnInterrupt {
    fn step(&mut self, _: Python<'_>) -> PyResult<()> {
        Ok(())
    }

    fn interrupt(&mut self, _: Python<'_>, raised: PyErr) -> PyResult<()> {
        Err(raised)
    }
}

/// Waits for a future, the GIL released; Ctrl-C drops it.
///
/// It runs on the thread that waits, which spares it two thread switches, or on the runtime if that place is taken or if events are
/// reported meanwhile. So it must not start anything that outlives it.
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
        None => BlockingWait::new().run(py, work, &mut DropOnInterrupt)?,
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
    BlockingWait::new().run(py, work, &mut DropOnInterrupt)?;
    outcome.take()
}

/// Waits for blocking work on a thread of its own, the GIL released; Ctrl-C ends the wait and leaves the thread behind.
pub(super) fn wait_for_thread<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, inbox) = channel();
    std::thread::Builder::new().name("botdesk-file".to_owned()).spawn(move || {
        // Nobody receives it if the wait ended with an error.
        sender.send(work()).rust_ok();
    })?;
    let inbox = Mutex::new(inbox);
    loop {
        let received = py.detach(|| locked(&inbox).recv_timeout(SIGNALS));
        stand_still_if_left_behind(py);
        match received {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(ended(py)),
        }
    }
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
    AsyncWait::new().run(work, &mut DropOnInterrupt, None).await?;
    outcome.take()
}

/// A wait for work on the runtime, the GIL released.
pub(super) struct BlockingWait {
    sender: Sender<Message>,
    receiver: Receiver<Message>,
}

impl BlockingWait {
    pub(super) fn new() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }

    /// Returns what the work calls at the end of each step.
    pub(super) fn on_step(&self) -> Box<dyn Fn() + Send + Sync> {
        let sender = self.sender.clone();
        // Nobody receives it if the wait ended with an error; so for all messages.
        Box::new(move || {
            sender.send(Message::Step).rust_ok();
        })
    }

    /// Waits for the work.
    pub(super) fn run(self, py: Python<'_>, work: Work, waiter: &mut dyn Waiter) -> PyResult<()> {
        let Self { sender, receiver } = self;
        let listener: Option<Listener> = is_heard(py)?.then(|| {
            let sender = sender.clone();
            Arc::new(move |event| {
                sender.send(Message::Event(event)).rust_ok();
            }) as Listener
        });
        let task = async move {
            with_listener(listener, work).await;
            sender.send(Message::End).rust_ok();
        };
        let _task = Abort::new(spawn(py, task)?);
        let receiver = Mutex::new(receiver);
        loop {
            // Signals are looked for whenever no message comes for a while.
            let message = py.detach(|| locked(&receiver).recv_timeout(SIGNALS));
            // The end of the runtime breaks the connections of requests that it has not ended yet.
            stand_still_if_left_behind(py);
            let reported = match message {
                Ok(Message::End) => return Ok(()),
                Ok(Message::Event(event)) => tell(py, event),
                Ok(Message::Step) => waiter.step(py),
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Err(ended(py)),
            };
            if let Err(raised) = reported.and_then(|()| py.check_signals()) {
                waiter.interrupt(py, raised)?;
            }
        }
    }
}

/// A coroutine's wait for work on the runtime.
pub(super) struct AsyncWait {
    /// None until something is reported: most requests report nothing.
    channel: Option<(UnboundedSender<Message>, UnboundedReceiver<Message>)>,
}

impl AsyncWait {
    pub(super) fn new() -> Self {
        Self { channel: None }
    }

    fn sender(&mut self) -> UnboundedSender<Message> {
        self.channel.get_or_insert_with(unbounded_channel).0.clone()
    }

    /// Returns what the work calls at the end of each step.
    pub(super) fn on_step(&mut self) -> Box<dyn Fn() + Send + Sync> {
        let sender = self.sender();
        Box::new(move || {
            sender.send(Message::Step).rust_ok();
        })
    }

    /// Awaits the work. If there is a handle, cancelling the coroutine interrupts the waiter; otherwise it drops all.
    pub(super) async fn run(
        mut self,
        work: Work,
        waiter: &mut (dyn Waiter + Send),
        mut cancel: Option<CancelHandle>,
    ) -> PyResult<()> {
        let listener: Option<Listener> = Python::attach(is_heard)?.then(|| {
            let sender = self.sender();
            Arc::new(move |event| {
                sender.send(Message::Event(event)).rust_ok();
            }) as Listener
        });
        let mut task = Abort::new(Python::attach(|py| spawn(py, with_listener(listener, work)))?);
        poll_fn(|context| {
            let polled = through(context, |context| {
                // Polled first, so that what happened before the end is reported before it.
                let outcome = polled(&mut task, context);
                report(context, self.channel.as_mut().map(|(_, receiver)| receiver), waiter)?;
                // Why it ended without a result does not matter.
                Ok(outcome.map(|_| ()))
            });
            let polled = polled.and_then(|outcome| {
                while let Some(Poll::Ready(error)) = cancel.as_mut().map(|cancel| cancel.poll_cancelled(context)) {
                    Python::attach(|py| waiter.interrupt(py, PyErr::from_value(error.into_bound(py))))?;
                }
                Ok(outcome)
            });
            match polled {
                Ok(outcome) => outcome.map(Ok),
                Err(raised) => Poll::Ready(Err(raised)),
            }
        })
        .await
    }
}

/// Reports the messages that have come, and hands what a hook or the waiter raises to the waiter.
fn report(
    context: &mut Context<'_>,
    messages: Option<&mut UnboundedReceiver<Message>>,
    waiter: &mut (dyn Waiter + Send),
) -> PyResult<()> {
    let Some(messages) = messages else { return Ok(()) };
    while let Poll::Ready(Some(message)) = messages.poll_recv(context) {
        Python::attach(|py| {
            let reported = match message {
                Message::Event(event) => tell(py, event),
                Message::Step => waiter.step(py),
                Message::End => Ok(()),
            };
            if let Err(raised) = reported { waiter.interrupt(py, raised) } else { Ok(()) }
        })?;
    }
    Ok(())
}

/// Polls a task. A thread that is left behind by the end of the process gets no further.
fn polled<T>(task: &mut Abort<T>, context: &mut Context<'_>) -> Poll<Result<T, JoinError>> {
    let outcome = Pin::new(task).poll(context);
    Python::attach(stand_still_if_left_behind);
    outcome
}

/// Writes a method that is not generated twice: blocking, and as a coroutine under its second name. The Python layer replaces the
/// second one by a coroutine function of Python's own, which calls it when the coroutine first runs.
///
/// The value of the body is a future; statements before it, such as reading arguments, may fail with `?`.
macro_rules! sync_and_async {
    (impl $class:ident {$(
        $(#[doc = $doc:expr])*
        #[signature $signature:tt]
        fn $name:ident | $async_name:ident(
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
            async fn $async_name(
                &$this $(, $argument: $type)* $(, $unknown: Option<$names>)?
            ) -> pyo3::PyResult<$output> {
                $crate::bridge::spawned($body).await
            }
        )*}
    };
}
pub(super) use sync_and_async;
