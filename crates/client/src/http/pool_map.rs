//! The connection pools of a process, and their closing.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use crate::sync::{Mutex, locked};

/// A connection pool, open until it is closed.
pub(crate) struct ClosablePool<C> {
    reuses_connections: bool,
    /// None once the pool is closed.
    client: Arc<Mutex<Option<C>>>,
}

impl<C> Clone for ClosablePool<C> {
    fn clone(&self) -> Self {
        Self { reuses_connections: self.reuses_connections, client: Arc::clone(&self.client) }
    }
}

impl<C: Clone> ClosablePool<C> {
    /// Returns the pool's client if the pool is open and reuses connections exactly if the caller wants that.
    pub(crate) fn get(&self, reuses_connections: bool) -> Option<C> {
        (self.reuses_connections == reuses_connections).then(|| locked(&self.client).clone()).flatten()
    }

    fn close(&self) {
        let client = locked(&self.client).take();
        drop(client);
    }

    #[cfg(test)]
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.client, &other.client)
    }
}

/// Pools by runtime, because a connection lives on the runtime that made it, by reuse of connections, and by configuration.
type Pools<R, K, C> = HashMap<(R, bool), HashMap<K, ClosablePool<C>>>;

/// All pools of a process.
pub(crate) struct PoolMap<R, K, C> {
    pools: Mutex<Pools<R, K, C>>,
}

impl<R, K, C> Default for PoolMap<R, K, C> {
    fn default() -> Self {
        Self { pools: Mutex::new(HashMap::new()) }
    }
}

impl<R: Eq + Hash, K: Clone + Eq + Hash, C: Clone> PoolMap<R, K, C> {
    /// Returns the pool of a configuration on a runtime; `build` makes its client if there is none. `reuses_connections` is called under
    /// the lock that closing takes, so that no pool is made after it was closed for good.
    pub(crate) fn pool<E>(
        &self,
        runtime: R,
        configuration: &K,
        reuses_connections: impl FnOnce() -> bool,
        build: impl FnOnce(bool) -> Result<C, E>,
    ) -> Result<ClosablePool<C>, E> {
        let mut pools = locked(&self.pools);
        let reuses_connections = reuses_connections();
        let pools = pools.entry((runtime, reuses_connections)).or_default();
        if let Some(pool) = pools.get(configuration) {
            return Ok(pool.clone());
        }
        let client = Arc::new(Mutex::new(Some(build(reuses_connections)?)));
        let pool = ClosablePool { reuses_connections, client };
        pools.insert(configuration.clone(), pool.clone());
        Ok(pool)
    }

    /// Closes the pool of a configuration on a runtime, if it reuses connections.
    pub(crate) fn close(&self, runtime: R, configuration: &K) {
        let key = (runtime, true);
        let pool = locked(&self.pools).get_mut(&key).and_then(|pools| pools.remove(configuration));
        pool.iter().for_each(ClosablePool::close);
    }

    /// Closes the pools of a configuration on all runtimes.
    pub(crate) fn close_all(&self, configuration: &K) {
        let closed: Vec<_> = locked(&self.pools).values_mut().filter_map(|pools| pools.remove(configuration)).collect();
        closed.iter().for_each(ClosablePool::close);
    }
}
