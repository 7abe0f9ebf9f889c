//! Pictures of records and plans. The package's Python half draws them.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use super::values::hinted;

/// What the stubs call the axes of matplotlib.
const AXES: PyStaticExpr = type_hint_identifier!("matplotlib.axes", "Axes");

hinted! {
    /// The axes that a picture is drawn in.
    Axes(PyAny) => AXES;
}

impl<'py> FromPyObject<'_, 'py> for Axes<'py> {
    type Error = std::convert::Infallible;

    const INPUT_TYPE: PyStaticExpr = AXES;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self, Self::Error> {
        Ok(Self(given.to_owned()))
    }
}

/// A picture, drawn by the function of that name.
pub(super) fn picture<'py>(drawn: &Bound<'py, PyAny>, name: &str, ax: Option<Axes<'py>>) -> PyResult<Axes<'py>> {
    let pictures = drawn.py().import("botdesk._pictures")?;
    pictures.getattr(name)?.call1((drawn, ax)).map(Axes)
}

/// Gives classes their `plot`: what it draws, by which function, and what else there is to say of it.
macro_rules! drawn {
    ($($(#[doc = $about:literal])* $class:ident by $function:literal: $(#[doc = $more:literal])*;)*) => {$(
        #[pymethods]
        impl $class {
            $(#[doc = $about])*
            ///
            /// Args:
            ///     ax: The axes to draw in; new ones unless given.
            ///
            /// Returns:
            ///     The axes of matplotlib, in the colours of the style that is in use.
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
pub(super) use drawn;
