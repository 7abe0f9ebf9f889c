//! What endpoints take: the inputs of a query or a body, each a row with its rules, and the draft of a request.

mod change;
mod draft;
mod element;
mod encoding;
mod form;
mod rule;
mod same;
mod schema;

pub use change::{Change, differences, moved};
pub use draft::Draft;
pub use encoding::{encode_query, percent_encoded};
pub use form::excerpt;
pub use form::{Accepts, Audience, Form, Moment, Pairs, identifier};
pub use rule::Rule;

use std::any::type_name;

use serde_json::Value;

use super::row::attribute_name;
use super::secrets::NAMES;

/// One thing that a caller may set.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// The name of the argument.
    pub name: &'static str,
    /// The name on the wire.
    pub wire: &'static str,
    /// A second name under which a body carries it as well, where the document contradicts itself.
    pub also: Option<&'static str>,
    /// What it takes.
    pub form: Form,
    /// What the document asks of its value.
    pub rules: &'static [Rule],
    /// What it is, in a sentence.
    pub about: &'static str,
    /// Returns the path of the Rust type that it accepts, for the generator of the binding.
    pub kind: fn() -> &'static str,
}

impl Input {
    /// An input whose argument has the name that stands on the wire.
    pub const fn new<K: Accepts>(identifier: &'static str, rules: &'static [Rule]) -> Self {
        let name = attribute_name(identifier);
        Self { name, wire: name, also: None, form: K::FORM, rules, about: "", kind: type_name::<K> }
    }

    /// The same input with a description.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// The name in the table of the API reference, which an error response uses.
    pub fn documented_name(&self) -> &'static str {
        self.also.unwrap_or(self.wire)
    }

    /// Whether an edit must send it.
    pub fn is_required(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule, Rule::Required | Rule::RequiredUnless(_)))
    }

    /// What is sent where it is left out.
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

    /// Whether no message may show its value.
    pub fn is_secret(&self) -> bool {
        NAMES.contains(self.wire)
    }

    /// The highest number that it may be, where the document bounds it.
    pub fn most(&self) -> Option<u64> {
        self.rules.iter().find_map(|rule| match rule {
            Rule::Between(_, most) => most.parse().ok(),
            _ => None,
        })
    }

    /// The same input with another name on the wire.
    #[must_use]
    pub const fn wire(self, wire: &'static str) -> Self {
        Self { wire, ..self }
    }

    /// The same input, carried by a body under a second name as well.
    #[must_use]
    pub const fn also(self, wire: &'static str) -> Self {
        Self { also: Some(wire), ..self }
    }
}

/// A rule about several inputs together: those it looks at, and the check.
#[derive(Debug)]
pub struct Together {
    /// What the rule says, as its check is called.
    pub name: &'static str,
    /// The inputs, by their index among the rows. The rule is looked at when one of them is changed.
    pub inputs: &'static [usize],
    /// What is wrong, if anything.
    pub check: fn(&Draft) -> Option<Violation>,
    /// If the rule is botdesk's own and not in the API reference.
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
    /// The type of which an `inputs!` table speaks; numbers if it does not.
    pub const fn of(named: &[Self]) -> Self {
        match named {
            [named, ..] => *named,
            [] => Self::Number,
        }
    }
}

/// All that an endpoint takes in its query or its body.
#[derive(Debug)]
pub struct Inputs {
    /// The path of the enumeration that names them, for the generator of the binding.
    pub path: &'static str,
    /// What the inputs belong to, as a message says it.
    pub of: &'static str,
    /// The JSON type of decimals in a body.
    pub decimals: DecimalType,
    /// The inputs, in the document's order.
    pub rows: &'static [Input],
    /// The rules about several inputs.
    pub together: &'static [Together],
    /// Fills in what follows from other inputs, once all are known.
    pub settle: fn(&mut Draft),
}

impl Inputs {
    /// What an endpoint takes that takes nothing.
    pub const NONE: Self =
        Self { path: "", of: "nothing", decimals: DecimalType::Number, rows: &[], together: &[], settle: |_| () };

    /// The name of the input that is spelled most like `name`.
    ///
    /// None where none is spelled much like it.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        nearest(self.rows.iter().map(|row| row.name), name)
    }

    /// The index of the input with this name, or what is wrong with the name.
    pub fn index(&self, name: &str) -> Result<usize, Violation> {
        self.rows.iter().position(|row| row.name == name).ok_or_else(|| unknown(name, self.nearest(name), self.of))
    }
}

/// The name that is spelled most like `name`; None where none is spelled much like it.
pub fn nearest(names: impl IntoIterator<Item = &'static str>, name: &str) -> Option<&'static str> {
    let likeness = names.into_iter().map(|known| (strsim::jaro_winkler(known, name), known));
    let likeness = likeness.filter(|(likeness, _)| *likeness > LIKE);
    likeness.max_by(|(left, _), (right, _)| left.total_cmp(right)).map(|(_, name)| name)
}

/// What is wrong with a name that is none of those of `of`.
pub fn unknown(name: &str, nearest: Option<&str>, of: &str) -> Violation {
    let nearest = nearest.map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default();
    Violation::new(name, format!("is not a field of {of}{nearest}"))
}

/// From which likeness on a name is taken for another one misspelled.
const LIKE: f64 = 0.8;

/// What is wrong with one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the argument.
    pub field: String,
    /// What is wrong and what to do.
    pub message: String,
    /// If the check is botdesk's own: the API reference has no such rule, and the service may accept the value.
    pub is_own: bool,
}

impl Violation {
    /// A violation of `field`.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into(), is_own: false }
    }

    /// Marks a violation of one of botdesk's own checks, and names the argument that skips it.
    #[must_use]
    pub fn own(self) -> Self {
        let message = format!("{} (botdesk's own check; validate=False sends it anyway)", self.message);
        Self { message, is_own: true, ..self }
    }
}

/// Defines what an endpoint takes: its inputs, each once, in the order of the API reference, and the rules about several.
///
/// It defines an enumeration of the inputs' indexes, and the table, from which the binding is generated.
#[macro_export]
macro_rules! inputs {
    (
        $(#[$about:meta])*
        $inputs:ident of $of:literal $(, decimals as $decimals:ident)? {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $kind:ty $(= $wire:literal $(and $also:literal)?)? $([$($rule:expr),*])?;
            )*
        }
        $(together [$($($together:ident)|+ => $check:expr),* $(,)?])?
        $(own [$($($own:ident)|+ => $own_check:expr),* $(,)?])?
        $(settle $settle:expr)?
    ) => {
        $(#[$about])*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $inputs {
            $($(#[doc = $doc])* $field),*
        }

        impl $inputs {
            /// The inputs and their rules.
            pub const INPUTS: &'static $crate::input::Inputs = &$crate::input::Inputs {
                path: concat!(module_path!(), "::", stringify!($inputs)),
                of: $of,
                decimals: $crate::input::DecimalType::of(&[$($crate::input::DecimalType::$decimals)?]),
                rows: &[$(
                    $crate::input::Input::new::<$kind>(stringify!($field), &[$($($rule),*)?]) $(.wire($wire) $(.also($also))?)? .about(concat!($($doc),*))
                ),*],
                together: &[
                    $($($crate::input::Together {
                        name: stringify!($check),
                        inputs: &[$(Self::$together as usize),+],
                        check: $check,
                        is_own: false,
                    },)*)?
                    $($($crate::input::Together {
                        name: stringify!($own_check),
                        inputs: &[$(Self::$own as usize),+],
                        check: $own_check,
                        is_own: true,
                    },)*)?
                ],
                settle: $crate::settle!($($settle)?),
            };

            /// The highest number that the input may be, where the document bounds it.
            pub fn most(self) -> Option<u64> {
                Self::INPUTS.rows.get(self as usize)?.most()
            }

            /// A violation of the input.
            pub fn violation(self, message: impl Into<String>) -> $crate::input::Violation {
                let name = Self::INPUTS.rows.get(self as usize).map_or("", |input| input.name);
                $crate::input::Violation::new(name, message)
            }
        }
    };
}

/// The settling function of a table, or one that does nothing.
#[macro_export]
#[doc(hidden)]
macro_rules! settle {
    () => {
        |_| ()
    };
    ($settle:expr) => {
        $settle
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Integer, Text};

    const PLAIN: Input = Input::new::<Text>("order_direction", &[]);

    #[test]
    fn an_input_is_described_by_its_row() {
        let input = PLAIN.wire("direction").also("orderDirection").about("Which end comes first.");
        assert_eq!((input.name, input.wire, input.also), ("order_direction", "direction", Some("orderDirection")));
        assert_eq!(input.about, "Which end comes first.");
    }

    #[test]
    fn an_input_has_the_default_of_its_rules() {
        const RULES: &[Rule] = &[Rule::Required, Rule::Default(100)];
        assert_eq!(Input::new::<Integer>("limit", RULES).default(), Some(100));
        assert_eq!(PLAIN.default(), None);
    }
}
