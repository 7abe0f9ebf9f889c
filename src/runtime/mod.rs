//! The bridge to tokio and asyncio: calls, waits, forks, Ctrl-C and the exit of the process.

pub(crate) mod active_calls;
pub(crate) mod bridge;
pub(crate) mod computation;
pub(crate) mod fork_safe_lazy;
pub(crate) mod hooks;
pub(crate) mod inline_runtime;
pub(crate) mod interruption;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) mod thread_exit;
pub(crate) mod tokio_runtime;
pub(crate) mod waker_thread;
pub(crate) mod warnings;
pub(crate) mod work;
