//! The records that the service returns. They keep their text and decode a field when it is read.

mod decode;
mod field_error;
mod fields;
mod finder;
mod row;

pub use crate::row::RecordSpec;
pub use decode::{DecodeError, Record};
pub use field_error::{FieldError, MAX_EXCERPT_LENGTH};
pub use fields::Fields;

/// Defines a record with its fields in the order of the API reference.
///
/// Expands to the record's type with a method for each field, and its table of [`FieldSpec`]s, from which the binding is generated.
/// The attributes after the type of a field are methods of [`FieldSpec`]. A sample is JSON, such as `sample(null)`.
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $about:literal])*
        $record:ident {
            $($(#[doc = $doc:literal])* $field:ident: $kind:ty $(= $wire:literal)? $(, $mark:ident $(($($json:tt)+))?)*;)*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $record($crate::record::Fields);

        const _: () = {
            use $crate::record::{Fields, Record, FieldError, RecordSpec};
            use $crate::row::FieldSpec;
            use $crate::{json::Json, row::Schema, values::FieldType};

            impl Record for $record {
                const SPEC: &'static RecordSpec = &RecordSpec {
                    name: stringify!($record),
                    about: concat!($($about),*),
                    file: file!(),
                    rows: &[$(
                        FieldSpec::of::<$kind>(stringify!($field)) $(.wire($wire))? .about(concat!($($doc),*)) $(.$mark($(stringify!($($json)+))?))*
                    ),*],
                };

                fn from_fields(fields: Fields) -> Self {
                    Self(fields)
                }

                fn fields(&self) -> &Fields {
                    &self.0
                }

            }

            #[allow(non_camel_case_types)]
            enum Index {
                $($field),*
            }

            impl $record {
                $(
                    $(#[doc = $doc])*
                    pub fn $field(&self) -> Result<Option<<$kind as FieldType>::Value<'_>>, FieldError> {
                        self.0.read::<$kind>(Index::$field as usize)
                    }
                )*
            }

            impl FieldType for $record {
                type Value<'a> = Self;
                const NAME: &'static str = "an object";
                const SAMPLE: &'static str = "null";
                const SCHEMA: Schema = Schema::Record(<Self as Record>::SPEC);

                fn read(json: Json<'_>) -> Option<Self> {
                    Self::element(json).filter(|record| !record.fields().is_malformed())
                }

                fn element(json: Json<'_>) -> Option<Self> {
                    Some(Self(Fields::within(<Self as Record>::SPEC, json)))
                }

                fn fits(json: Json<'_>) -> bool {
                    Self::read(json).is_some_and(|record| record.fields().type_errors().next().is_none())
                }
            }
        };
    };
}
