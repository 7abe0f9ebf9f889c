//! What the service returns: records that keep the text they came as and decode a field when it is read.

mod decode;
mod fields;
mod finder;
mod row;
#[cfg(test)]
mod tests;
mod unreadable;

pub use decode::{DecodeError, Record};
pub use fields::Fields;
pub use unreadable::FieldError;

/// Writes down a record: its fields, each once, in the document's order.
///
/// From the rows come the record's type with a method for each field, its table of [`Row`]s, and a macro named after
/// `rows` that hands the same rows to the binding. After a row's kind stand its marks: the methods of [`Row`], the JSON
/// of a sample as it is on the wire, such as `sample(null)`.
macro_rules! record {
    (
        ($d:tt)
        $(#[$about:meta])*
        $record:ident, rows $rows:ident {
            $($(#[doc = $doc:literal])* $field:ident: $kind:ty $(= $wire:literal)? $(, $mark:ident $(($($json:tt)+))?)*;)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $record($crate::record::Fields);

        const _: () = {
            use $crate::record::{Fields, Record, FieldError};
            use $crate::row::Row;
            use $crate::{json::Json, row::Schema, values::Kind};

            impl Record for $record {
                const NAME: &'static str = stringify!($record);
                const ROWS: &'static [Row] = &[$(
                    Row::of::<$kind>(stringify!($field)) $(.wire($wire))? .about(concat!($($doc),*)) $(.$mark($(stringify!($($json)+))?))*
                ),*];

                fn from_fields(fields: Fields) -> Self {
                    Self(fields)
                }

                fn fields(&self) -> &Fields {
                    &self.0
                }

                #[cfg(any(test, feature = "samples"))]
                fn unreadable(&self) -> Vec<FieldError> {
                    [$(self.$field().err()),*].into_iter().flatten().collect()
                }
            }

            #[allow(non_camel_case_types)]
            enum Index {
                $($field),*
            }

            impl $record {
                $(
                    $(#[doc = $doc])*
                    pub fn $field(&self) -> Result<Option<<$kind as Kind>::Value<'_>>, FieldError> {
                        self.0.read::<$kind>(<Self as Record>::NAME, Index::$field as usize)
                    }
                )*
            }

            impl Kind for $record {
                type Value<'a> = Self;
                const NAME: &'static str = "an object";
                const SAMPLE: &'static str = "null";
                const SCHEMA: Schema = Schema::Record { name: stringify!($record), rows: Self::ROWS };

                fn read(json: Json<'_>) -> Option<Self> {
                    Self::element(json).filter(|record| !record.fields().is_odd())
                }

                fn element(json: Json<'_>) -> Option<Self> {
                    Some(Self(Fields::within(Self::ROWS, json)))
                }

                fn fits(json: Json<'_>) -> bool {
                    Self::read(json).is_some_and(|record| record.fields().misfits().next().is_none())
                }
            }
        };

        /// Calls a macro with the rows, and before them with what else it is handed.
        #[macro_export]
        macro_rules! $rows {
            ($d callback:ident $d($d context:tt)*) => {
                $d callback! { $d($d context)* $(#[$about])* $record { $($(#[doc = $doc])* $field: $kind;)* } }
            };
        }
    };
}
pub(crate) use record;
