//! The bridge between tokio and Python: a blocking wait for work, and an asynchronous one.

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

use crate::exceptions::RustResult;
use crate::runtime::active_calls::{ActiveCall, park_if_finalizing};
use crate::runtime::hooks::{emit, has_listeners};
use crate::runtime::inline_runtime;
use crate::runtime::tokio_runtime::{no_result_error, spawn};
use crate::runtime::waker_thread::with_forwarded_waker;
use crate::runtime::warnings::warn_pending;
use crate::runtime::work::{SIGNAL_INTERVAL, Work};
use botdesk_client::http::events::{Event, Listener, with_listener};
use botdesk_system::lock::locked;

/// A task that is aborted when its handle is dropped.
pub(crate) struct Abort<T> {
    process: u32,
    task: JoinHandle<T>,
}

impl<T> Abort<T> {
    pub(crate) fn new(task: JoinHandle<T>) -> Self {
        Self { process: std::process::id(), task }
    }
}

impl<T> Drop for Abort<T> {
    fn drop(&mut self) {
        // A forked child does not have the task, and a thread of the parent may have held its locks during the fork.
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

/// The slot that work puts its result into.
pub(crate) struct ResultSlot<T, E>(Arc<Mutex<Option<Result<T, E>>>>);

impl<T, E> ResultSlot<T, E>
where
    T: Send + 'static,
    E: Send + 'static,
{
    /// Wraps a future as work; returns the work and the slot for its result.
    pub(crate) fn of<F>(future: F) -> (Work, Self)
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        let shared = Arc::new(Mutex::new(None));
        let slot = Self(Arc::clone(&shared));
        let work = async move {
            let result = future.await;
            *locked(&shared) = Some(result);
        };
        (Box::pin(work), slot)
    }

    /// Returns the result; None if the work did not end, which happens only when the runtime shuts down.
    pub(crate) fn result(self) -> Option<Result<T, E>> {
        locked(&self.0).take()
    }
}

impl<T, E> ResultSlot<T, E>
where
    T: Send + 'static,
    E: Send + 'static + IntoPyErr,
{
    fn take(self) -> PyResult<T> {
        match self.result() {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => Err(error.into_py_err()),
            None => Err(Python::attach(no_result_error)),
        }
    }
}

/// A message from work to the thread that waits for it.
enum Message {
    /// An event of a request.
    Event(Event),
    /// The end of a step.
    Step,
    /// The end of the work.
    End,
}

/// Handles the steps of work during a wait, and the exceptions that are raised.
pub(crate) trait Waiter {
    /// Reports the end of a step.
    fn step(&mut self, py: Python<'_>) -> PyResult<()>;

    /// Handles an exception from a signal handler, a hook or a cancellation. An error ends the wait, which drops the work.
    fn interrupt(&mut self, py: Python<'_>, raised: PyErr) -> PyResult<()>;
}

/// A waiter that drops the request at any exception.
struct DropOnInterrupt;

impl Waiter for DropOnInterrupt {
    fn step(&mut self, _: Python<'_>) -> PyResult<()> {
        Ok(())
    }

    fn interrupt(&mut self, _: Python<'_>, raised: PyErr) -> PyResult<()> {
        Err(raised)
    }
}

/// Waits for a future without the GIL; Ctrl-C drops it.
///
/// The future runs on the calling thread, which saves two thread switches, or on the shared runtime if another call uses the inline
/// runtime or if there are listeners. It must not start anything that outlives it.
pub(crate) fn wait<T, E, F>(py: Python<'_>, future: F) -> PyResult<T>
where
    T: Send + 'static,
    E: Send + 'static + IntoPyErr,
    F: Future<Output = Result<T, E>> + Send + 'static,
{
    let _call = ActiveCall::start(py);
    let (work, slot) = ResultSlot::of(future);
    let inline = if has_listeners(py)? { None } else { inline_runtime::acquire()? };
    match inline {
        Some(runtime) => runtime.wait_for(py, work)?,
        None => BlockingWait::new().run(py, work, &mut DropOnInterrupt)?,
    }
    slot.take()
}

/// Waits without the GIL for a future on the shared runtime; Ctrl-C drops it.
pub(crate) fn wait_for_task<T, E, F>(py: Python<'_>, future: F) -> PyResult<T>
where
    T: Send + 'static,
    E: Send + 'static + IntoPyErr,
    F: Future<Output = Result<T, E>> + Send + 'static,
{
    let _call = ActiveCall::start(py);
    let (work, slot) = ResultSlot::of(future);
    BlockingWait::new().run(py, work, &mut DropOnInterrupt)?;
    slot.take()
}

/// Waits without the GIL for blocking work on a new thread; Ctrl-C ends the wait, and the thread runs on.
pub(crate) fn wait_for_thread<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, inbox) = channel();
    std::thread::Builder::new().name("botdesk-file".to_owned()).spawn(move || {
        // The receiver is dropped if the wait ended with an error.
        sender.send(work()).rust_ok();
    })?;
    let inbox = Mutex::new(inbox);
    loop {
        let received = py.detach(|| locked(&inbox).recv_timeout(SIGNAL_INTERVAL));
        park_if_finalizing(py);
        match received {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(no_result_error(py)),
        }
    }
}

/// Awaits a future on the shared runtime; cancelling the coroutine drops it.
pub(crate) async fn spawned<T, E, F>(future: F) -> PyResult<T>
where
    T: Send + 'static,
    E: Send + 'static + IntoPyErr,
    F: Future<Output = Result<T, E>> + Send + 'static,
{
    let _call = Python::attach(ActiveCall::start);
    let (work, slot) = ResultSlot::of(future);
    AsyncWait::new().run(work, &mut DropOnInterrupt, None).await?;
    slot.take()
}

/// A blocking wait, without the GIL, for work on the shared runtime.
pub(crate) struct BlockingWait {
    sender: Sender<Message>,
    receiver: Receiver<Message>,
}

impl BlockingWait {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }

    /// Returns the callback for the end of each step.
    pub(crate) fn on_step(&self) -> Box<dyn Fn() + Send + Sync> {
        let sender = self.sender.clone();
        // The receiver is dropped if the wait ended with an error.
        Box::new(move || {
            sender.send(Message::Step).rust_ok();
        })
    }

    /// Waits for the work.
    pub(crate) fn run(self, py: Python<'_>, work: Work, waiter: &mut dyn Waiter) -> PyResult<()> {
        let Self { sender, receiver } = self;
        let listener: Option<Listener> = has_listeners(py)?.then(|| {
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
            // Signals are checked after each message, and at this interval without one.
            let message = py.detach(|| locked(&receiver).recv_timeout(SIGNAL_INTERVAL));
            // The shutdown of the runtime aborts requests, whose errors must not be reported.
            park_if_finalizing(py);
            let reported = match message {
                Ok(Message::End) => return warn_pending(py),
                Ok(Message::Event(event)) => emit(py, event),
                Ok(Message::Step) => waiter.step(py),
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Err(no_result_error(py)),
            };
            if let Err(raised) = reported.and_then(|()| py.check_signals()) {
                waiter.interrupt(py, raised)?;
            }
        }
    }
}

/// An asynchronous wait for work on the shared runtime.
pub(crate) struct AsyncWait {
    /// None until it is needed: most requests report nothing.
    channel: Option<(UnboundedSender<Message>, UnboundedReceiver<Message>)>,
}

impl AsyncWait {
    pub(crate) fn new() -> Self {
        Self { channel: None }
    }

    fn sender(&mut self) -> UnboundedSender<Message> {
        self.channel.get_or_insert_with(unbounded_channel).0.clone()
    }

    /// Returns the callback for the end of each step.
    pub(crate) fn on_step(&mut self) -> Box<dyn Fn() + Send + Sync> {
        let sender = self.sender();
        Box::new(move || {
            sender.send(Message::Step).rust_ok();
        })
    }

    /// Awaits the work. With a handle, cancelling the coroutine interrupts the waiter; without one, it drops the work.
    pub(crate) async fn run(
        mut self,
        work: Work,
        waiter: &mut (dyn Waiter + Send),
        mut cancel: Option<CancelHandle>,
    ) -> PyResult<()> {
        let listener: Option<Listener> = Python::attach(has_listeners)?.then(|| {
            let sender = self.sender();
            Arc::new(move |event| {
                sender.send(Message::Event(event)).rust_ok();
            }) as Listener
        });
        let mut task = Abort::new(Python::attach(|py| spawn(py, with_listener(listener, work)))?);
        poll_fn(|context| {
            let polled: PyResult<Poll<()>> = with_forwarded_waker(context, |context| {
                // The task is polled before the messages, so that all of its messages are reported before its end.
                let result = polled(&mut task, context);
                report(context, self.channel.as_mut().map(|(_, receiver)| receiver), waiter)?;
                // The error can be dropped: the slot for the result stays empty, which is reported as an error.
                Ok(result.map(|_| ()))
            });
            let polled = polled.and_then(|result| {
                while let Some(Poll::Ready(error)) = cancel.as_mut().map(|cancel| cancel.poll_cancelled(context)) {
                    Python::attach(|py| waiter.interrupt(py, PyErr::from_value(error.into_bound(py))))?;
                }
                Ok(result)
            });
            match polled {
                Ok(result) => result.map(Ok),
                Err(raised) => Poll::Ready(Err(raised)),
            }
        })
        .await?;
        Python::attach(warn_pending)
    }
}

/// Handles the received messages, and passes the exceptions of hooks and of the waiter to the waiter.
fn report(
    context: &mut Context<'_>,
    messages: Option<&mut UnboundedReceiver<Message>>,
    waiter: &mut (dyn Waiter + Send),
) -> PyResult<()> {
    let Some(messages) = messages else { return Ok(()) };
    while let Poll::Ready(Some(message)) = messages.poll_recv(context) {
        Python::attach(|py| {
            let reported = match message {
                Message::Event(event) => emit(py, event),
                Message::Step => waiter.step(py),
                Message::End => Ok(()),
            };
            if let Err(raised) = reported { waiter.interrupt(py, raised) } else { Ok(()) }
        })?;
    }
    Ok(())
}

/// Polls a task, and parks the thread if the interpreter is finalizing.
fn polled<T>(task: &mut Abort<T>, context: &mut Context<'_>) -> Poll<Result<T, JoinError>> {
    let result = Pin::new(task).poll(context);
    Python::attach(park_if_finalizing);
    result
}

/// Defines a method twice: blocking, and as a coroutine under its second name. The Python layer wraps the second one in a Python
/// coroutine function, which calls it when the coroutine first runs.
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
                $crate::runtime::bridge::wait(py, $body)
            }

            $(#[doc = $doc])*
            #[pyo3(signature = $signature)]
            async fn $async_name(
                &$this $(, $argument: $type)* $(, $unknown: Option<$names>)?
            ) -> pyo3::PyResult<$output> {
                $crate::runtime::bridge::spawned($body).await
            }
        )*}
    };
}
pub(crate) use sync_and_async;
