//! The budget that the processes of several machines share. A Redis server counts the requests, and leases several at a time.

pub(crate) mod budget;
mod demand;
mod lease_sync;
mod leases;
mod redis_store;
pub mod redis_url;
mod registry;
mod worker;

pub use registry::give_back_leases;
