//! The signatures of classes with types, for `inspect` and Shift-Tab.

use pyo3::prelude::*;

use crate::client::Client;
use crate::options::{RateLimit, RetryPolicy};
use crate::planning::candles::Candles;
use crate::sandbox::class::Sandbox;
use crate::sandbox::recording::Replay;

macro_rules! class_signatures {
    ($($class:ty),* $(,)?) => {
        $(
            #[pymethods]
            impl $class {
                /// The signature with types, for `inspect`, which would show an option that is left out as `Ellipsis`.
                #[classattr]
                fn __signature__(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                    py.import("botdesk._coroutines")?.getattr("ClassSignature")?.call0()
                }
            }
        )*
    };
}

// All classes with a constructor.
class_signatures!(Candles, Client, RateLimit, Replay, RetryPolicy, Sandbox);
