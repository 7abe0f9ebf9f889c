//! A server at work, from when it listens until its port is free again.

use std::io;

use axum::Router;
use tokio::sync::watch;

use crate::line::Line;
use crate::socket::{Door, stopped};

/// A running server; it stops when it is dropped.
pub struct Serving {
    url: String,
    running: watch::Sender<bool>,
    port_freed: watch::Receiver<()>,
}

impl Serving {
    /// Serves on the runtime of the caller what comes in by a door. The door is told when to close.
    pub fn begin(door: impl FnOnce(watch::Receiver<bool>) -> io::Result<Door>, router: Router) -> io::Result<Self> {
        let (running, until) = watch::channel(true);
        let door = door(until)?;
        let url = format!("http://{}", door.address());
        Ok(Self { url, running, port_freed: serve(door, router) })
    }

    /// The address to call, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops listening and drops the connections. Once stopped, it stays so.
    pub fn stop(&self) {
        self.running.send_replace(false);
    }

    /// Waits until a stopped server has let go of its port.
    pub async fn port_freed(&self) {
        // Nothing is ever sent: the channel ends when the listener is gone.
        while self.port_freed.clone().changed().await.is_ok() {}
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Serves until what the door belongs to stops. The channel that is returned ends when the port is free again.
fn serve(door: Door, router: Router) -> watch::Receiver<()> {
    let (listening, port_freed) = watch::channel(());
    let mut until = stopped(door.running.clone());
    let serving = axum::serve(door, router.into_make_service_with_connect_info::<Line>());
    tokio::spawn(async move {
        let mut serving = Box::pin(serving.into_future());
        std::future::poll_fn(|context| {
            // Serving ends never by itself.
            let _ = serving.as_mut().poll(context);
            until.as_mut().poll(context)
        })
        .await;
        drop(serving);
        drop(listening);
    });
    port_freed
}
