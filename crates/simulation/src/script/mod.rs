//! The script: it watches bots, edits them, and reads many of them at once. It can be killed at any time.

mod burst;
mod disk;
mod edits;
mod life;
mod watch;

use std::sync::Arc;

use tokio::task::JoinSet;

use botdesk_sandbox::Random;

pub(crate) use disk::{Disk, Saved};
pub(crate) use edits::name_of;
pub(crate) use life::Life;
pub(crate) use watch::watcher;

/// Starts all tasks of the script. Dropping them is what a kill does.
pub(crate) fn start(life: &Arc<Life>, disk: &Arc<Disk>, proxy: &str, random: impl Fn(u64) -> Random) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(watch::watch(Arc::clone(life), Arc::clone(disk), random(0)));
    tasks.spawn(edits::edit(Arc::clone(life), Arc::clone(disk), random(1)));
    tasks.spawn(burst::read_in_bursts(Arc::clone(life), Arc::clone(disk), proxy.to_owned(), random(2)));
    tasks
}
