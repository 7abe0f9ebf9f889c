//! A running server, from the moment it listens until its port is free again.

use std::io;

use axum::Router;
use tokio::sync::watch;

use crate::connection::until_stopped;
use crate::connection_handle::ConnectionHandle;
use crate::listener::ConnectionListener;

/// A running server; dropping it stops it.
pub struct Server {
    url: String,
    running: watch::Sender<bool>,
    port_freed: watch::Receiver<()>,
}

impl Server {
    /// Serves the connections of a listener on the runtime of the caller. The receiver that the listener is created with
    /// turns false when the server stops.
    pub fn start(
        listen: impl FnOnce(watch::Receiver<bool>) -> io::Result<ConnectionListener>,
        router: Router,
    ) -> io::Result<Self> {
        let (running, receiver) = watch::channel(true);
        let listener = listen(receiver)?;
        let url = format!("http://{}", listener.address());
        Ok(Self { url, running, port_freed: serve(listener, router) })
    }

    /// Returns the base URL, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops listening and drops the connections, for good.
    pub fn stop(&self) {
        self.running.send_replace(false);
    }

    /// Waits until a stopped server has freed its port.
    pub async fn port_freed(&self) {
        // Nothing is ever sent: the channel closes when the listener is dropped.
        while self.port_freed.clone().changed().await.is_ok() {}
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Serves until the server stops. The returned channel closes when the port is free again.
fn serve(listener: ConnectionListener, router: Router) -> watch::Receiver<()> {
    let (listening, port_freed) = watch::channel(());
    let mut stopped = until_stopped(listener.running.clone());
    let serving = axum::serve(listener, router.into_make_service_with_connect_info::<ConnectionHandle>());
    tokio::spawn(async move {
        let mut serving = Box::pin(serving.into_future());
        std::future::poll_fn(|context| {
            // Serving never completes by itself.
            let _ = serving.as_mut().poll(context);
            stopped.as_mut().poll(context)
        })
        .await;
        drop(serving);
        drop(listening);
    });
    port_freed
}
