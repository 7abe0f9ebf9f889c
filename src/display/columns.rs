//! The attributes of elements, which are also the columns of their tables.

use crate::values::Exact;
use botdesk_display::arrow::Calculated;

/// The type of an attribute, which can be a column.
pub(crate) trait Column: Sized {
    /// Returns the column of these values.
    fn column(values: impl Iterator<Item = Self>) -> Calculated;
}

impl Column for u32 {
    fn column(values: impl Iterator<Item = Self>) -> Calculated {
        Calculated::Integers(values.map(|value| Some(value.into())).collect())
    }
}

impl Column for Exact<'_> {
    fn column(values: impl Iterator<Item = Self>) -> Calculated {
        Option::column(values.map(Some))
    }
}

impl Column for Option<Exact<'_>> {
    fn column(values: impl Iterator<Item = Self>) -> Calculated {
        Calculated::Decimals(values.map(|value| value.map(|exact| exact.text())).collect())
    }
}

/// A class whose attributes are the columns of a table.
pub(crate) trait Columns {
    /// The names of the columns.
    const NAMES: &'static [&'static str];

    /// Returns the columns of a table of elements, each with its name.
    fn columns(elements: &[&Self]) -> Vec<(&'static str, Calculated)>;
}

/// Defines the attributes of a class, and the columns of its tables.
macro_rules! element_columns {
    ($class:ident { $($(#[doc = $doc:literal])* fn $name:ident(&$this:ident) -> $kind:ty $value:block)* }) => {
        #[pymethods]
        impl $class {
            $(
                $(#[doc = $doc])*
                #[getter]
                fn $name(&$this) -> $kind $value
            )*

            /// Return the table of these elements, and the values that it can't represent.
            #[staticmethod]
            fn _table(
                py: Python<'_>,
                elements: &Bound<'_, PyAny>,
                decimals: $crate::display::tables::DecimalsArgument,
            ) -> PyResult<$crate::display::tables::WithIssues> {
                let all = $crate::display::tables::all::<Self>(elements, &elements.py().get_type::<Self>())?;
                let all: Vec<_> = all.iter().map(Bound::get).collect();
                // Long tables take a while, in which other threads run.
                py.detach(|| {
                    let columns = <Self as $crate::display::columns::Columns>::columns(&all);
                    $crate::display::tables::ArrowTable::of_calculated(columns, decimals.0)
                })
            }

            /// The attributes that are rounded for people.
            #[classattr]
            fn _figures() -> Vec<&'static str> {
                vec![$(stringify!($name)),*]
            }

            /// The attributes that a table shows.
            #[classattr]
            fn _shown() -> Vec<&'static str> {
                vec![$(stringify!($name)),*]
            }
        }

        impl $crate::display::columns::Columns for $class {
            const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            fn columns(elements: &[&Self]) -> Vec<(&'static str, botdesk_display::arrow::Calculated)> {
                use $crate::display::columns::Column;

                vec![$((stringify!($name), Column::column(elements.iter().map(|one| one.$name())))),*]
            }
        }
    };
}
pub(crate) use element_columns;
