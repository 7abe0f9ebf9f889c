//! What the two ways to wait for a call have in common.

use std::pin::Pin;
use std::time::Duration;

/// How often a blocking call looks for Ctrl-C.
pub(super) const SIGNALS: Duration = Duration::from_millis(50);

/// A future whose type is forgotten: otherwise all that runs it would be compiled for each method of the package.
pub(super) type Work = Pin<Box<dyn Future<Output = ()> + Send>>;
