//! The records that the service returns. They keep their text and decode a field when it is read.

mod decode;
mod field;
mod field_error;
mod fields;
mod finder;

pub use crate::field::RecordSpec;
pub use decode::{DecodeError, Record};
pub use field_error::{FieldError, MAX_EXCERPT_LENGTH};
pub use fields::Fields;

/// Defines a record with its fields in the order of the API reference.
///
/// Expands to the record's type with a method for each field, and its table of [`FieldSpec`](crate::field::FieldSpec)s, from which the
/// binding is generated. The attributes after the type of a field are methods of `FieldSpec`. A sample is JSON, such as `sample(null)`.
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
            use $crate::field::FieldSpec;
            use $crate::{field::Schema, json::Json, values::FieldType};

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

#[cfg(test)]
mod tests {
    #![allow(unreachable_pub, reason = "the macro defines public types")]

    use super::Record as _;
    use crate::id::{Id, IdSpec, IdType, SUMMARY};
    use crate::resource::Resource;
    use crate::values::{Integer, Text};

    crate::record! {
        /// A trade that is known by its UUID.
        SimpleTrade {
            /// Identifier.
            uuid: Text, identifier;
        }
    }

    crate::record! {
        /// A position in a currency.
        Holding {
            /// Identifier of the account.
            id: Integer, identifier;
            /// Side of the position; None if there is none.
            side: Text, none(0);
        }
    }

    #[test]
    fn another_value_than_null_may_mean_null() {
        let holding = |side: &str| Holding::from_json(&format!(r#"{{"id": 1, "side": {side}}}"#)).unwrap();
        assert_eq!(holding(r#""long""#).side().unwrap().as_deref(), Some("long"));
        for none in ["0", "null"] {
            assert_eq!(holding(none).side(), Ok(None), "{none}");
            assert_eq!((holding(none).id(), holding(none).unreadable()), (Ok(Some(1)), vec![]));
            assert!(holding(none).fields().text().contains(none));
        }
        assert!(holding("1").side().is_err());
    }

    #[test]
    fn an_aggregate_needs_no_identifier() {
        let summary = Id::Text(SUMMARY.to_owned());
        for body in [r#"{"id": null, "side": "long"}"#, r#"{"side": "long"}"#] {
            assert!(Holding::SPEC.from_response(body, Some(&summary)).is_ok(), "{body}");
            assert!(Holding::SPEC.from_response(body, Some(&Id::Number(1))).is_err(), "{body}");
        }
        assert!(Holding::SPEC.from_response("{}", Some(&summary)).is_err());
    }

    const UUID: &str = "5ed7c4d2-4d3b-4c2c-8b4a-6e0a3f1f9f00";
    const TRADES: Resource = Resource::new("trades", "Single orders.")
        .of::<SimpleTrade>()
        .called("trade", "a trade", "trades")
        .uuid(&[UUID]);

    #[test]
    fn a_record_with_a_uuid_must_be_the_requested_one() {
        let asked = Id::Text(UUID.to_owned());
        let response = |uuid: &str| SimpleTrade::SPEC.from_response(&format!(r#"{{"uuid": "{uuid}"}}"#), Some(&asked));
        let found = response(UUID).map(SimpleTrade::from_fields).unwrap();
        assert_eq!(found.uuid().unwrap().as_deref(), Some(UUID));
        assert!(response(&UUID.to_uppercase()).is_ok());
        let error = response("00000000-4d3b-4c2c-8b4a-6e0a3f1f9f00").unwrap_err();
        assert!(error.is_of_another_record(), "{error}");
        assert!(error.to_string().ends_with(&format!("not {UUID}")), "{error}");
    }

    #[test]
    fn a_resource_may_have_uuids_as_identifiers() {
        let IdSpec { placeholder, name, id_type, noun, .. } = TRADES.id;
        assert_eq!((placeholder, name, id_type, noun), ("uuid", "uuid", IdType::Uuid, "trade"));
        assert_eq!(TRADES.example_id(), format!("\"{UUID}\""));
    }
}
