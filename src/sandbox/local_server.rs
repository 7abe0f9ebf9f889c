//! Local servers (sandboxes and replays), and the processes in which they run.

use std::sync::Arc;

/// A server that stops when its last handle is dropped.
///
/// It runs in the process that started it. A forked child has a copy of the handle but no server.
pub(crate) struct LocalServer<S> {
    process: u32,
    server: Arc<S>,
}

impl<S> LocalServer<S> {
    /// Creates a handle to share between a server and its clients.
    pub(crate) fn new(server: S) -> Arc<Self> {
        Arc::new(Self { process: std::process::id(), server: Arc::new(server) })
    }

    /// Returns the server, or None in a forked child.
    pub(crate) fn get(&self) -> Option<&Arc<S>> {
        (self.process == std::process::id()).then_some(&self.server)
    }

    /// Returns the server even in a forked child, which may read only its URL.
    pub(crate) fn even_if_forked(&self) -> &S {
        &self.server
    }
}

impl<S> Drop for LocalServer<S> {
    fn drop(&mut self) {
        if self.get().is_none() {
            // A thread that does not exist after the fork may hold the locks of the server.
            std::mem::forget(Arc::clone(&self.server));
        }
    }
}
