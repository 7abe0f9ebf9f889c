//! Objects with elements as tables.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::display::displayed_list::records_type;
use crate::values::typed_objects;
use botdesk_display::arrow::Decimals;

typed_objects! {
    /// A polars table.
    PolarsTable(PyAny) => type_hint_identifier!("polars", "DataFrame");
    /// A pandas table; pandas has no types in its package.
    OtherTable(PyAny) => ANY;
}

/// Returns the elements of a plan as a list of records, which has the methods for tables.
pub(crate) fn listed<'py, T: PyTypeInfo>(plan: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = plan.py();
    records_type(py)?.call1((plan, py.get_type::<T>()))
}

/// Returns the table that a method of a list of records returns.
pub(crate) fn table<'py>(
    list: &Bound<'py, PyAny>,
    method: &str,
    decimals: Option<Decimals>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(list.py());
    options.set_item("decimals", decimals.map(Decimals::name))?;
    list.call_method(method, (), Some(&options))
}

/// The description of the argument `decimals`.
macro_rules! decimals_argument {
    () => {
        "    decimals: The type of decimals: `\"decimal\"`, with 38 digits, 18 of them after the point (the default);\n        \
         `\"text\"`, with every digit; or `\"float\"`, with about fifteen digits."
    };
}
pub(crate) use decimals_argument;

/// Defines the methods of plans for tables. Each plan has its own example.
macro_rules! table_methods {
    ($($plan:ident, a $noun:literal of $element:ident, such as $example:literal;)*) => {$(
        $crate::display::tables::not_an_array!($plan);

        #[pymethods]
        impl $plan {
            #[doc = concat!("Return the ", $noun, " as an Arrow stream, for libraries that request one.")]
            #[pyo3(signature = (requested_schema: "object" = None))]
            fn __arrow_c_stream__<'py>(
                this: &Bound<'py, Self>,
                requested_schema: Option<Bound<'py, PyAny>>,
            ) -> PyResult<$crate::display::tables::Stream<'py>> {
                let list = $crate::display::table_methods::listed::<$element>(this)?;
                $crate::display::tables::stream(&list, requested_schema)
            }

            #[doc = concat!("Return the ", $noun, " as an Arrow table, for any library that supports the Arrow PyCapsule interface.")]
            ///
            /// Args:
            #[doc = $crate::display::table_methods::decimals_argument!()]
            ///
            /// Returns:
            #[doc = concat!("    The table, with a row for each `", stringify!($element), "` and a column for each of its attributes.")]
            ///
            /// Raises:
            ///     ValidationError: `decimals` is not one of the three.
            ///
            /// Example:
            ///     >>> import botdesk
            ///     >>> import pyarrow
            #[doc = concat!("    >>> ", $noun, " = botdesk.", $example)]
            #[doc = concat!("    >>> pyarrow.table(", $noun, ".to_arrow(decimals=\"text\")).num_rows == len(", $noun, ")")]
            ///     True
            #[pyo3(signature = (*, decimals = None))]
            fn to_arrow<'py>(
                this: &Bound<'py, Self>,
                decimals: Option<$crate::display::tables::DecimalsArgument>,
            ) -> PyResult<Bound<'py, $crate::display::tables::ArrowTable>> {
                let list = $crate::display::table_methods::listed::<$element>(this)?;
                let table = $crate::display::table_methods::table(&list, "to_arrow", decimals.map(|argument| argument.0))?;
                Ok(table.cast_into()?)
            }

            #[doc = concat!("Return the ", $noun, " as a `polars.DataFrame`.")]
            ///
            /// Args:
            #[doc = $crate::display::table_methods::decimals_argument!()]
            ///     floats: Short for `decimals="float"`.
            ///
            /// Returns:
            #[doc = concat!("    The table, with a row for each `", stringify!($element), "` and a column for each of its attributes.")]
            ///
            /// Raises:
            ///     ValidationError: `decimals` is not one of the three, or `floats` contradicts it.
            ///     ImportError: polars is not installed.
            ///
            /// Example:
            ///     >>> import botdesk
            #[doc = concat!("    >>> ", $noun, " = botdesk.", $example)]
            #[doc = concat!("    >>> ", $noun, ".to_polars().height == len(", $noun, ")")]
            ///     True
            #[pyo3(signature = (*, decimals = None, floats = false))]
            fn to_polars<'py>(
                this: &Bound<'py, Self>,
                decimals: Option<$crate::display::tables::DecimalsArgument>,
                floats: bool,
            ) -> PyResult<$crate::display::table_methods::PolarsTable<'py>> {
                let list = $crate::display::table_methods::listed::<$element>(this)?;
                let table = $crate::display::table_methods::table(&list, "to_polars", $crate::display::tables::choose(decimals, floats)?)?;
                Ok($crate::display::table_methods::PolarsTable(table))
            }

            #[doc = concat!("Return the ", $noun, " as a `pandas.DataFrame`.")]
            ///
            /// Args:
            #[doc = $crate::display::table_methods::decimals_argument!()]
            ///     floats: Short for `decimals="float"`.
            ///
            /// Returns:
            #[doc = concat!("    The table, with a row for each `", stringify!($element), "` and a column for each of its attributes.")]
            ///
            /// Raises:
            ///     ValidationError: `decimals` is not one of the three, or `floats` contradicts it.
            ///     ImportError: pandas or pyarrow is not installed.
            ///
            /// Example:
            ///     >>> import botdesk
            #[doc = concat!("    >>> ", $noun, " = botdesk.", $example)]
            #[doc = concat!("    >>> len(", $noun, ".to_pandas(floats=True)) == len(", $noun, ")")]
            ///     True
            #[pyo3(signature = (*, decimals = None, floats = false))]
            fn to_pandas<'py>(
                this: &Bound<'py, Self>,
                decimals: Option<$crate::display::tables::DecimalsArgument>,
                floats: bool,
            ) -> PyResult<$crate::display::table_methods::OtherTable<'py>> {
                let list = $crate::display::table_methods::listed::<$element>(this)?;
                let table = $crate::display::table_methods::table(&list, "to_pandas", $crate::display::tables::choose(decimals, floats)?)?;
                Ok($crate::display::table_methods::OtherTable(table))
            }
        }
    )*};
}
pub(crate) use table_methods;
