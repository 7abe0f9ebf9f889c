//! The inputs of operations, each with its rules, and the builder of a request.

mod attribute;
mod bounds;
mod builder;
mod change;
mod encoding;
mod id;
mod input_type;
mod json_schema;
mod name;
mod nested;
mod objects;
mod rule;
mod same;
mod table;
mod violation;

pub use attribute::inputs_of_attribute;
pub use bounds::NumberBound;
pub use change::{Change, differences, input_differences};
pub use encoding::{encode_query, percent_encoded};
pub use input_type::{Fraction, Group, Groups, IsoTime, ListOf, Pairs, Time, excerpt, identifier};
pub use name::InputName;
pub use objects::{ListedObject, Objects, Sent};
pub use table::{
    Accepts, Audience, CrossFieldRule, DecimalType, Input, InputKey, InputTable, InputType, Inputs, RequestBuilder,
    Rule, count, joined, nearest, unknown,
};
pub use violation::Violation;

/// Defines the inputs of an operation in the order of the API reference, and the rules about several of them.
///
/// `use Group;` takes over the rows of another table and its rules, so that inputs of several operations are written once.
///
/// Expands to a name for each input, and to the table from which the binding is generated.
#[macro_export]
macro_rules! inputs {
    (
        $(#[$about:meta])*
        $inputs:ident of $of:literal $(, decimals as $decimals:ident)? {
            $(use $first:ident;)*
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $kind:ty $(= $wire:literal $(and $also:literal)?)? $([$($rule:expr),*])?;
                $(use $group:ident;)*
            )*
        }
        $(create_only [$($create_only:literal),* $(,)?])?
        $(together [$($($together:ident)|+ => $check:expr),* $(,)?])?
        $(own [$($($own:ident)|+ => $own_check:expr),* $(,)?])?
        $(set_derived $set_derived:expr)?
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub enum $inputs {}

        #[allow(non_upper_case_globals, reason = "the names are those of the API reference")]
        impl $inputs {
            $(
                $(#[doc = $doc])*
                pub const $field: $crate::input::InputName = $crate::input::InputName::new(stringify!($field));
            )*

            const PARTS: &'static [&'static [$crate::input::Input]] = &[
                $($first::INPUTS.rows,)*
                $(
                    &[
                        $crate::input::Input::new::<$kind>(stringify!($field), &[$($($rule),*)?])
                            $(.wire($wire) $(.also($also))?)?
                            .about(concat!($($doc),*))
                    ],
                    $($group::INPUTS.rows,)*
                )*
            ];
            const ROWS: [$crate::input::Input; $crate::input::count($inputs::PARTS)] =
                $crate::input::joined($inputs::PARTS);

            /// The inputs and their rules.
            pub const INPUTS: &'static $crate::input::Inputs = &$crate::input::Inputs {
                path: concat!(module_path!(), "::", stringify!($inputs)),
                subject: $of,
                decimals: $crate::input::DecimalType::of(&[$($crate::input::DecimalType::$decimals)?]),
                rows: &Self::ROWS,
                groups: &[$($first::INPUTS,)* $($($group::INPUTS,)*)*],
                create_only: &[$($($create_only),*)?],
                together: &[
                    $($($crate::input::CrossFieldRule {
                        name: stringify!($check),
                        inputs: &[$($crate::input::InputName::new(stringify!($together))),+],
                        check: $check,
                        is_own: false,
                    },)*)?
                    $($($crate::input::CrossFieldRule {
                        name: stringify!($own_check),
                        inputs: &[$($crate::input::InputName::new(stringify!($own))),+],
                        check: $own_check,
                        is_own: true,
                    },)*)?
                ],
                set_derived: $crate::set_derived!($($set_derived)?),
            };
        }

        impl $crate::input::InputTable for $inputs {
            const INPUTS: &'static $crate::input::Inputs = $inputs::INPUTS;
        }
    };
}

/// Expands to the function of a table that sets dependent inputs, or to one that does nothing.
#[macro_export]
#[doc(hidden)]
macro_rules! set_derived {
    () => {
        |_| ()
    };
    ($set_derived:expr) => {
        $set_derived
    };
}
