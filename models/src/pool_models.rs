//! Connection pools that are opened while their client is closed.

use shuttle::sync::Arc;
use shuttle::sync::atomic::{AtomicBool, Ordering};
use shuttle::thread;

use crate::http::pool_map::PoolMap;

/// The only runtime, and the only configuration.
const RUNTIME: u8 = 0;
const CONFIGURATION: u8 = 0;

/// A client of the service.
#[derive(Default)]
struct PooledClient {
    pools: PoolMap<u8, u8, ()>,
    is_closed: AtomicBool,
}

impl PooledClient {
    fn reuses_connections(&self) -> bool {
        !self.is_closed.load(Ordering::SeqCst)
    }

    /// Takes the connections of an open pool, as a request does.
    fn connect(&self) {
        loop {
            let build = |_| Ok::<_, ()>(());
            let pool = self.pools.pool(RUNTIME, &CONFIGURATION, || self.reuses_connections(), build).unwrap();
            if pool.get(self.reuses_connections()).is_some() {
                return;
            }
        }
    }

    fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.pools.close_all(&CONFIGURATION);
    }
}

/// A request opens a pool while the client is closed. No pool that keeps idle connections is left.
pub fn a_pool_is_opened_while_its_client_is_closed() {
    let client = Arc::new(PooledClient::default());
    let threads = [PooledClient::connect, PooledClient::close].map(|step| {
        let client = Arc::clone(&client);
        thread::spawn(move || step(&client))
    });
    for thread in threads {
        thread.join().unwrap();
    }
    let is_left = client.pools.pool(RUNTIME, &CONFIGURATION, || true, |_| Err(())).is_ok();
    assert!(!is_left, "a closed client keeps idle connections");
}
