//! Plots of records and plans, which are drawn in Python.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::hints::input_type;
use crate::values::typed_objects;

typed_objects! {
    /// The axes of a plot.
    Axes(PyAny) => AXES;
}

impl<'py> FromPyObject<'_, 'py> for Axes<'py> {
    type Error = std::convert::Infallible;

    input_type!(AXES);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self, Self::Error> {
        Ok(Self(given.to_owned()))
    }
}

/// The themes of a plot.
#[cfg(feature = "stubs")]
struct Themes;

#[cfg(feature = "stubs")]
impl botdesk_schema::values::Choices for Themes {
    const VALUES: &'static [&'static str] = &["auto", "light", "dark"];
    const SAMPLE: &'static str = r#""auto""#;
}

/// The theme of a plot, which the Python code checks.
pub(crate) struct Theme<'py>(Option<Bound<'py, PyAny>>);

impl Theme<'_> {
    /// Returns the default theme.
    pub(crate) fn auto() -> Self {
        Self(None)
    }
}

impl<'py> FromPyObject<'_, 'py> for Theme<'py> {
    type Error = std::convert::Infallible;

    input_type!(Literal::<Themes>::HINT);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self, Self::Error> {
        Ok(Self(Some(given.to_owned())))
    }
}

/// Draw a record with a function of `botdesk._pictures`.
#[pyfunction]
#[pyo3(signature = (name, drawn, ax, theme))]
pub(crate) fn _picture<'py>(
    name: &str,
    drawn: &Bound<'py, PyAny>,
    ax: Option<Axes<'py>>,
    theme: Theme<'py>,
) -> PyResult<Axes<'py>> {
    picture(drawn, name, ax, theme)
}

/// Draws an object with the function `name` of `botdesk._pictures`.
pub(crate) fn picture<'py>(
    drawn: &Bound<'py, PyAny>,
    name: &str,
    ax: Option<Axes<'py>>,
    theme: Theme<'py>,
) -> PyResult<Axes<'py>> {
    picture_with(drawn, name, ax, theme, &PyTuple::empty(drawn.py()))
}

/// Draws an object with the function `name` of `botdesk._pictures`, which takes options after the axes.
pub(crate) fn picture_with<'py>(
    drawn: &Bound<'py, PyAny>,
    name: &str,
    ax: Option<Axes<'py>>,
    theme: Theme<'py>,
    options: &Bound<'py, PyTuple>,
) -> PyResult<Axes<'py>> {
    let pictures = drawn.py().import("botdesk._pictures")?;
    let Theme(theme) = theme;
    let theme = theme.map_or_else(|| "auto".into_bound_py_any(drawn.py()), Ok)?;
    pictures.getattr("draw")?.call1((name, drawn, ax, theme, options)).map(Axes)
}

/// Defines the method `plot` of classes: its summary, its function, and the rest of its documentation.
macro_rules! plot_methods {
    ($($(#[doc = $about:literal])* $class:ident by $function:literal: $(#[doc = $more:literal])*;)*) => {$(
        #[pymethods]
        impl $class {
            $(#[doc = $about])*
            ///
            /// Args:
            ///     ax: The matplotlib axes to draw in; new ones by default.
            ///     theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one
            ///         is set.
            ///
            /// Returns:
            ///     The matplotlib axes.
            ///
            /// Raises:
            ///     ConfigurationError: matplotlib is not installed.
            ///     ValidationError: `theme` is none of the three.
            $(#[doc = $more])*
            #[pyo3(signature = (ax = None, *, theme = $crate::display::pictures::Theme::auto()))]
            fn plot<'py>(
                this: &Bound<'py, Self>,
                ax: Option<$crate::display::pictures::Axes<'py>>,
                theme: $crate::display::pictures::Theme<'py>,
            ) -> PyResult<$crate::display::pictures::Axes<'py>> {
                $crate::display::pictures::picture(this, $function, ax, theme)
            }
        }
    )*};
}
pub(crate) use plot_methods;
