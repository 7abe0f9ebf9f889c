//! The names of events, orders and reasons, with the types that the stubs show.

use std::borrow::Cow;
use std::convert::Infallible;

use pyo3::prelude::*;
use pyo3::types::PyString;

/// Gives names the type of their values in the stubs.
macro_rules! names {
    ($($(#[$about:meta])* $name:ident => $hint:expr;)*) => {$(
        $(#[$about])*
        pub(super) struct $name<'a>(pub(super) Cow<'a, str>);

        impl<'py> IntoPyObject<'py> for $name<'_> {
            type Target = PyString;
            type Output = Bound<'py, PyString>;
            type Error = Infallible;

            $crate::hints::output_type!($hint);

            fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
                Ok(PyString::intern(py, &self.0))
            }
        }
    )*};
}

names! {
    /// The name of a kind of event.
    KindName => Literal::<choices::Kinds>::HINT;
    /// The name of a kind of order.
    OrderName => Literal::<choices::Orders>::HINT;
    /// The name of a side.
    SideName => Literal::<botdesk_api::grid_bots::Side>::HINT;
    /// The name of a reason.
    ReasonName => type_hint_union!(Literal::<choices::CloseReasons>::HINT, Literal::<choices::DisableReasons>::HINT);
}

#[cfg(feature = "stubs")]
mod choices {
    use botdesk_schema::values::Choices;
    use botdesk_trading::engine::{CloseReason, DisableReason, EventKind, OrderKind};

    /// Makes the names of an enumeration of the engine choices.
    macro_rules! choices {
        ($($choices:ident of $enum:ident;)*) => {$(
            pub(super) enum $choices {}

            impl Choices for $choices {
                const VALUES: &'static [&'static str] = $enum::NAMES;
                const SAMPLE: &'static str = "null";
            }
        )*};
    }

    choices! {
        Kinds of EventKind;
        Orders of OrderKind;
        CloseReasons of CloseReason;
        DisableReasons of DisableReason;
    }
}
