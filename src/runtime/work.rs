//! Definitions that the shared and the inline runtime have in common.

use std::pin::Pin;
use std::time::Duration;

/// The interval at which a blocking call checks for Ctrl-C.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// A boxed future, so that the code that runs it is not compiled for each method of the package.
pub(crate) type Work = Pin<Box<dyn Future<Output = ()> + Send>>;
