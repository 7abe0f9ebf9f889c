//! The attributes of elements, which are also the columns of their tables.

use crate::values::Exact;
use botdesk_api::tables::Calculated;

/// The type of an attribute, which can be a column.
pub(super) trait Column: Sized {
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
                elements: &Bound<'_, PyAny>,
                decimals: $crate::tables::DecimalsArgument,
            ) -> PyResult<$crate::tables::WithIssues> {
                use $crate::columns::Column;

                let all = $crate::tables::all::<Self>(elements)?;
                let columns = vec![$((stringify!($name), Column::column(all.iter().map(|one| one.get().$name())))),*];
                $crate::tables::ArrowTable::of_calculated(columns, decimals.0)
            }

            /// The attributes that a table shows.
            #[classattr]
            fn _shown() -> Vec<&'static str> {
                vec![$(stringify!($name)),*]
            }
        }
    };
}
pub(super) use element_columns;
