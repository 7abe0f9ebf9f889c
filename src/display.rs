//! Plots of records and plans, which are drawn in Python.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use super::values::typed_objects;

/// The type of matplotlib's axes in the stubs.
const AXES: PyStaticExpr = type_hint_identifier!("matplotlib.axes", "Axes");

typed_objects! {
    /// The axes of a plot.
    Axes(PyAny) => AXES;
}

impl<'py> FromPyObject<'_, 'py> for Axes<'py> {
    type Error = std::convert::Infallible;

    const INPUT_TYPE: PyStaticExpr = AXES;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self, Self::Error> {
        Ok(Self(given.to_owned()))
    }
}

/// Draws an object with the function `name` of `botdesk._pictures`.
pub(super) fn picture<'py>(drawn: &Bound<'py, PyAny>, name: &str, ax: Option<Axes<'py>>) -> PyResult<Axes<'py>> {
    let pictures = drawn.py().import("botdesk._pictures")?;
    pictures.getattr(name)?.call1((drawn, ax)).map(Axes)
}

/// Defines the method `plot` of classes: its summary, its function, and the rest of its documentation.
macro_rules! plot_methods {
    ($($(#[doc = $about:literal])* $class:ident by $function:literal: $(#[doc = $more:literal])*;)*) => {$(
        #[pymethods]
        impl $class {
            $(#[doc = $about])*
            ///
            /// Args:
            ///     ax: The axes to draw in; new ones by default.
            ///
            /// Returns:
            ///     The matplotlib axes, in the colours of the current style.
            ///
            /// Raises:
            ///     ConfigurationError: matplotlib is not installed.
            $(#[doc = $more])*
            #[pyo3(signature = (ax = None))]
            fn plot<'py>(
                this: &Bound<'py, Self>,
                ax: Option<$crate::display::Axes<'py>>,
            ) -> PyResult<$crate::display::Axes<'py>> {
                $crate::display::picture(this, $function, ax)
            }
        }
    )*};
}
pub(super) use plot_methods;
