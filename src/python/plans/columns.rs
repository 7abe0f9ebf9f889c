//! The attributes of a plan's elements, which are the columns of the plan as a table as well.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTypeInfo, type_hint_identifier};

use super::grid::GridSide;
use crate::python::records::records_type;
use crate::python::values::{ANY, Exact, hinted};
use crate::tables::Calculated;

hinted! {
    /// A table of polars.
    PolarsTable(PyAny) => type_hint_identifier!("polars", "DataFrame");
    /// A table of pandas, which brings no types; or whatever else a library makes of a plan.
    OtherTable(PyAny) => ANY;
}

/// What attributes become in a table.
pub(super) trait Column: Sized {
    /// The column of these values.
    fn column(values: impl Iterator<Item = Self>) -> Calculated;
}

impl Column for u32 {
    fn column(values: impl Iterator<Item = Self>) -> Calculated {
        Calculated::Integers(values.map(i64::from).collect())
    }
}

impl Column for Exact<'_> {
    fn column(values: impl Iterator<Item = Self>) -> Calculated {
        Option::column(values.map(Some))
    }
}

impl Column for Option<Exact<'_>> {
    fn column(values: impl Iterator<Item = Self>) -> Calculated {
        Calculated::Amounts(values.map(|value| value.map(|exact| exact.text())).collect())
    }
}

impl Column for Option<GridSide> {
    fn column(values: impl Iterator<Item = Self>) -> Calculated {
        Calculated::Texts(values.map(|value| value.map(|side| side.0.name())).collect())
    }
}

/// Gives a class its attributes, and tables their columns.
macro_rules! attributes {
    ($class:ident { $($(#[doc = $doc:literal])* fn $name:ident(&$this:ident) -> $kind:ty $value:block)* }) => {
        #[pymethods]
        impl $class {
            $(
                $(#[doc = $doc])*
                #[getter]
                fn $name(&$this) -> $kind $value
            )*

            /// The Arrow stream of these elements; all of their values can be read.
            #[staticmethod]
            fn _table<'py>(
                elements: &Bound<'py, PyAny>,
                floats: bool,
            ) -> PyResult<($crate::python::tables::Stream<'py>, Vec<$crate::python::tables::Unread>)> {
                use $crate::python::plans::columns::Column;

                let all = $crate::python::tables::all::<Self>(elements)?;
                let columns = vec![$((stringify!($name), Column::column(all.iter().map(|one| one.get().$name())))),*];
                Ok(($crate::python::tables::calculated(elements.py(), columns, floats)?, Vec::new()))
            }

            /// The attributes that a table shows.
            #[classattr]
            fn _shown() -> Vec<&'static str> {
                vec![$(stringify!($name)),*]
            }
        }
    };
}
pub(super) use attributes;

/// The elements of a plan as a list of records, which knows how to become a table.
pub(super) fn listed<'py, T: PyTypeInfo>(plan: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = plan.py();
    records_type(py)?.call1((plan, py.get_type::<T>()))
}

/// What a method of a list gives that makes a table of it.
pub(super) fn table<'py>(list: &Bound<'py, PyAny>, method: &str, floats: bool) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(list.py());
    options.set_item("floats", floats)?;
    list.call_method(method, (), Some(&options))
}

/// Makes plans tables for whatever reads them; the example of each is its own.
macro_rules! tabled {
    ($($plan:ident of $element:ident, such as $example:literal;)*) => {$(
        #[pymethods]
        impl $plan {
            /// Give the plan as an Arrow stream, for libraries that ask for one.
            #[pyo3(signature = (requested_schema: "object" = None))]
            fn __arrow_c_stream__<'py>(
                this: &Bound<'py, Self>,
                requested_schema: Option<Bound<'py, PyAny>>,
            ) -> PyResult<$crate::python::plans::columns::OtherTable<'py>> {
                let list = $crate::python::plans::columns::listed::<$element>(this)?;
                let stream = list.call_method1("__arrow_c_stream__", (requested_schema,))?;
                Ok($crate::python::plans::columns::OtherTable(stream))
            }

            /// Give the plan as a `polars.DataFrame`.
            ///
            /// Args:
            ///     floats: Whether decimals become floats, which can be calculated with at once and have fifteen
            ///         digits. As texts they keep every digit.
            ///
            /// Returns:
            #[doc = concat!("    The table, with a row for each `", stringify!($element), "` and a column for each of its attributes.")]
            ///
            /// Raises:
            ///     ImportError: polars is not installed.
            ///
            /// Example:
            ///     >>> import botdesk
            #[doc = concat!("    >>> plan = botdesk.", $example)]
            ///     >>> plan.to_polars().height == len(plan)
            ///     True
            #[pyo3(signature = (*, floats = false))]
            fn to_polars<'py>(
                this: &Bound<'py, Self>,
                floats: bool,
            ) -> PyResult<$crate::python::plans::columns::PolarsTable<'py>> {
                let list = $crate::python::plans::columns::listed::<$element>(this)?;
                let table = $crate::python::plans::columns::table(&list, "to_polars", floats)?;
                Ok($crate::python::plans::columns::PolarsTable(table))
            }

            /// Give the plan as a `pandas.DataFrame`.
            ///
            /// Args:
            ///     floats: Whether decimals become floats, which can be calculated with at once and have fifteen
            ///         digits. As texts they keep every digit.
            ///
            /// Returns:
            #[doc = concat!("    The table, with a row for each `", stringify!($element), "` and a column for each of its attributes.")]
            ///
            /// Raises:
            ///     ImportError: pandas or pyarrow, which it reads Arrow with, is not installed.
            ///
            /// Example:
            ///     >>> import botdesk
            #[doc = concat!("    >>> plan = botdesk.", $example)]
            ///     >>> len(plan.to_pandas(floats=True)) == len(plan)
            ///     True
            #[pyo3(signature = (*, floats = false))]
            fn to_pandas<'py>(
                this: &Bound<'py, Self>,
                floats: bool,
            ) -> PyResult<$crate::python::plans::columns::OtherTable<'py>> {
                let list = $crate::python::plans::columns::listed::<$element>(this)?;
                let table = $crate::python::plans::columns::table(&list, "to_pandas", floats)?;
                Ok($crate::python::plans::columns::OtherTable(table))
            }
        }
    )*};
}
pub(super) use tabled;
