//! Lets idle connections handle what arrived on them, before one of them carries a request.

use std::io;

#[cfg(unix)]
use tokio::net::unix::pipe::Receiver;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::yield_now;

/// Waits until the connections of this runtime know of everything that arrived before this call.
///
/// A connection reads before it writes, but only if the runtime knows that there is something to read. Without this, a request could
/// leave on a connection that the service has closed, or that holds a response to no request.
pub(crate) async fn settle_idle_connections() -> io::Result<()> {
    if Handle::current().runtime_flavor() != RuntimeFlavor::CurrentThread {
        // Another thread may be about to handle the events, so yielding does not wait for them.
        return handle_events().await;
    }
    run_connections().await;
    Ok(())
}

/// Lets the connections of a runtime of one thread run once: the runtime polls for events first, and then the connections handle
/// them. Such a runtime runs only during calls; a connection that ends would stay open until the next one.
pub async fn run_connections() {
    yield_now().await;
    yield_now().await;
}

/// Waits until the runtime has handled the events that are pending now. The system reports them in the order in which they happened, so
/// one that happens now comes after them.
#[cfg(unix)]
async fn handle_events() -> io::Result<()> {
    let (reader, writer) = io::pipe()?;
    drop(writer);
    // A pipe without a writer is readable at once: it is at its end.
    Receiver::from_owned_fd_unchecked(reader.into())?.readable().await
}

/// Lets the thread that waits for events handle the pending ones.
#[cfg(not(unix))]
async fn handle_events() -> io::Result<()> {
    run_connections().await;
    Ok(())
}
