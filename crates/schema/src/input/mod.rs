//! The inputs of operations, each with its rules, and the builder of a request.

mod attribute;
mod bounds;
mod builder;
mod change;
mod encoding;
mod id;
mod input_type;
mod name;
mod nested;
mod objects;
mod rule;
mod same;
mod schema;
mod violation;

pub use attribute::inputs_of_attribute;
pub use bounds::NumberBound;
pub use builder::RequestBuilder;
pub use change::{Change, differences, input_differences};
pub use encoding::{encode_query, percent_encoded};
pub use input_type::excerpt;
pub use input_type::{Accepts, Audience, Fraction, Group, Groups, InputType, IsoTime, ListOf, Pairs, Time, identifier};
pub use name::InputName;
pub use nested::InputTable;
pub use objects::{ListedObject, Objects, Sent};
pub use rule::Rule;
pub use violation::Violation;

use serde_json::Value;

use super::row::attribute_name;
use super::secrets::NAMES;
use super::values::Text;

/// An input of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// The name of the argument.
    pub name: &'static str,
    /// The name in JSON.
    pub wire: &'static str,
    /// A second name in the body, if the API reference contradicts itself.
    pub also: Option<&'static str>,
    /// The type.
    pub form: InputType,
    /// The rules for its value.
    pub rules: &'static [Rule],
    /// The description, in a sentence.
    pub about: &'static str,
}

impl Input {
    /// Returns an input whose name is the same in Python and JSON.
    pub const fn new<K: Accepts>(identifier: &'static str, rules: &'static [Rule]) -> Self {
        let name = attribute_name(identifier);
        Self { name, wire: name, also: None, form: K::INPUT_TYPE, rules, about: "" }
    }

    /// Returns the input with a description.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// Returns its name, which reads its value in a request.
    pub const fn key(&self) -> InputName {
        InputName::new(self.name)
    }

    /// The name in the table of the API reference, which an error response uses.
    pub fn documented_name(&self) -> &'static str {
        self.also.unwrap_or(self.wire)
    }

    /// Returns true if an edit must send it.
    pub fn is_required(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule, Rule::Required | Rule::RequiredUnless(_)))
    }

    /// Returns the value that is sent by default.
    pub fn default(&self) -> Option<i64> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::Default(number) => Some(*number),
            _ => None,
        })
    }

    /// Returns the documented value that the service sets if a request omits it.
    pub fn service_default(&self) -> Option<Value> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::ServiceDefault(json) => serde_json::from_str(json).ok(),
            _ => None,
        })
    }

    /// Returns the value that the client sends if the caller omits the input.
    pub fn client_default(&self) -> Option<Value> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::ClientDefault(json) => serde_json::from_str(json).ok(),
            _ => None,
        })
    }

    /// Returns true if no message may show its value.
    pub fn is_secret(&self) -> bool {
        NAMES.contains(self.wire)
    }

    /// Returns the highest value, if the API reference limits it.
    pub fn most(&self) -> Option<u64> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::Between(_, most) => most.parse().ok(),
            _ => None,
        })
    }

    /// Returns the input with another name in JSON.
    #[must_use]
    pub const fn wire(self, wire: &'static str) -> Self {
        Self { wire, ..self }
    }

    /// Returns the input with a second name in the body.
    #[must_use]
    pub const fn also(self, wire: &'static str) -> Self {
        Self { also: Some(wire), ..self }
    }
}

/// A rule about several inputs.
#[derive(Debug)]
pub struct CrossFieldRule {
    /// The name of the rule, which is that of its check.
    pub name: &'static str,
    /// The inputs. The rule is checked if one of them changes.
    pub inputs: &'static [InputName],
    /// Returns the violation, if any.
    pub check: fn(&RequestBuilder) -> Option<Violation>,
    /// True if the rule is botdesk's own and not in the API reference.
    pub is_own: bool,
}

/// The JSON type of decimals in a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecimalType {
    /// Numbers, as the API reference types them.
    #[default]
    Number,
    /// Strings, which the API reference permits for some operations.
    String,
}

impl DecimalType {
    /// Returns the type named in an `inputs!` table; the default is numbers.
    pub const fn of(named: &[Self]) -> Self {
        match named {
            [named, ..] => *named,
            [] => Self::Number,
        }
    }
}

/// All inputs of an operation.
#[derive(Debug)]
pub struct Inputs {
    /// The path of the table, which no other one has.
    pub path: &'static str,
    /// The thing that the inputs belong to, for messages.
    pub of: &'static str,
    /// The JSON type of decimals in a body.
    pub decimals: DecimalType,
    /// The inputs, in the order of the API reference.
    pub rows: &'static [Input],
    /// The fields of the record that only creating one takes, by their JSON names.
    pub create_only: &'static [&'static str],
    /// The tables whose rows and rules this one has too.
    pub groups: &'static [&'static Inputs],
    /// The rules about several inputs, without those of the groups.
    pub together: &'static [CrossFieldRule],
    /// Sets inputs that follow from others, once all are known.
    pub set_derived: fn(&mut RequestBuilder),
}

impl Inputs {
    /// The inputs of an operation without any.
    pub const NONE: Self = Self {
        path: "",
        of: "nothing",
        decimals: DecimalType::Number,
        rows: &[],
        create_only: &[],
        groups: &[],
        together: &[],
        set_derived: |_| (),
    };

    /// Returns the rules about several inputs, those of the groups first.
    pub fn cross_field_rules(&self) -> Vec<&'static CrossFieldRule> {
        self.groups.iter().flat_map(|group| group.cross_field_rules()).chain(self.together).collect()
    }

    /// Sets the inputs that follow from others.
    pub(crate) fn derive(&self, request: &mut RequestBuilder) {
        for group in self.groups {
            group.derive(request);
        }
        (self.set_derived)(request);
    }

    /// Returns the input with the most similar name; None if none is similar.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        nearest(self.rows.iter().map(|row| row.name), name)
    }

    /// Returns an input; None if the table does not have it.
    pub fn get(&self, key: impl InputKey) -> Option<&'static Input> {
        self.rows.get(key.place(self)?)
    }

    /// Returns the highest value of an input, if the API reference limits it.
    pub fn most(&self, key: impl InputKey) -> Option<u64> {
        self.get(key)?.most()
    }

    /// Returns the input with this name, or the violation by an unknown name.
    pub fn named(&self, name: &str) -> Result<&'static Input, Violation> {
        self.rows.iter().find(|row| row.name == name).ok_or_else(|| unknown(name, self.nearest(name), self.of))
    }
}

/// Counts the rows of the parts of a table.
pub const fn count(parts: &[&[Input]]) -> usize {
    let (mut count, mut parts) = (0, parts);
    while let [part, rest @ ..] = parts {
        count += part.len();
        parts = rest;
    }
    count
}

/// Joins the rows of the parts of a table.
#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it, and rejects an index that is out of range")]
pub const fn joined<const N: usize>(parts: &[&[Input]]) -> [Input; N] {
    let mut rows = [Input::new::<Text>("", &[]); N];
    let (mut index, mut parts) = (0, parts);
    while let [part, rest @ ..] = parts {
        let mut part = *part;
        while let [row, others @ ..] = part {
            rows[index] = *row;
            index += 1;
            part = others;
        }
        parts = rest;
    }
    rows
}

/// An input of a table: its name, or its place for code that walks the rows.
pub trait InputKey: Copy {
    /// Returns the place of the input; None if the table does not have it.
    fn place(self, inputs: &Inputs) -> Option<usize>;
}

impl InputKey for InputName {
    fn place(self, inputs: &Inputs) -> Option<usize> {
        inputs.rows.iter().position(|row| row.name == self.as_str())
    }
}

impl InputKey for usize {
    fn place(self, inputs: &Inputs) -> Option<usize> {
        Some(self).filter(|place| *place < inputs.rows.len())
    }
}

/// Returns the most similar of some names; None if none is similar.
pub fn nearest(names: impl IntoIterator<Item = &'static str>, name: &str) -> Option<&'static str> {
    let similarity = names.into_iter().map(|known| (strsim::jaro_winkler(known, name), known));
    let similarity = similarity.filter(|(similarity, _)| *similarity > MIN_SIMILARITY);
    similarity.max_by(|(left, _), (right, _)| left.total_cmp(right)).map(|(_, name)| name)
}

/// Returns the violation by a name that `of` does not have.
pub fn unknown(name: &str, nearest: Option<&str>, of: &str) -> Violation {
    let nearest = nearest.map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default();
    Violation::new(name, format!("is not a field of {of}{nearest}"))
}

/// The similarity from which a name is proposed as a correction.
const MIN_SIMILARITY: f64 = 0.8;

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
                of: $of,
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
