//! The definitions that refer to each other: an input with its type and rules, the table of an operation's inputs, and the
//! builder of a request, which rules read. Their other methods are in the files that are named after them.

use serde_json::Value;

use super::name::InputName;
use super::objects::Objects;
use super::violation::Violation;
use crate::field::attribute_name;
use crate::record::Fields;
use crate::secrets::NAMES;
use crate::values::{Field, Text};

/// An input of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// The name of the argument.
    pub name: &'static str,
    /// The name in JSON.
    pub wire: &'static str,
    /// A second name in the body, if the API reference contradicts itself.
    pub second_wire_name: Option<&'static str>,
    /// The type.
    pub input_type: InputType,
    /// The rules for its value.
    pub rules: &'static [Rule],
    /// The description, in a sentence.
    pub about: &'static str,
}

impl Input {
    /// Returns an input whose name is the same in Python and JSON.
    pub const fn new<K: Accepts>(identifier: &'static str, rules: &'static [Rule]) -> Self {
        let name = attribute_name(identifier);
        Self { name, wire: name, second_wire_name: None, input_type: K::INPUT_TYPE, rules, about: "" }
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
        self.second_wire_name.unwrap_or(self.wire)
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
        Self { second_wire_name: Some(wire), ..self }
    }
}

/// The reader of a message. Messages use the values and types of the reader's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A caller of the Python package.
    Python,
    /// A client of the HTTP API, in any language.
    Http,
}

/// The type of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputType {
    /// A decimal; it is sent as a string.
    Decimal,
    /// A part of a whole, such as a fee: a decimal, or a percentage such as `0.1%`. It is part of no request.
    Fraction,
    /// A whole number.
    Integer,
    /// A boolean.
    Bool,
    /// A string.
    Text,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A time: seconds since 1970 or ISO 8601.
    Time,
    /// A time: seconds since 1970 or ISO 8601. It is sent in ISO 8601.
    IsoTime,
    /// One pair or several.
    Pairs,
    /// A list of strings.
    Texts,
    /// A list of objects.
    Objects(&'static Objects),
    /// An object with inputs of its own.
    Group(&'static Inputs),
    /// A list of such objects.
    Groups(&'static Inputs),
    /// A JSON object.
    Object,
}

/// A type that an input can have.
pub trait Accepts {
    /// The type of the input.
    const INPUT_TYPE: InputType;
}

/// A rule of the API reference about one input. Other inputs are named by their name.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// The input is required.
    Required,
    /// The input is required if that boolean is true.
    RequiredIfTrue(InputName),
    /// The input is required, but may be null if that list has elements.
    RequiredUnless(InputName),
    /// The input is required if that input has that value.
    RequiredIfEquals(InputName, &'static str),
    /// The minimum and the maximum number of characters.
    Characters(usize, usize),
    /// The minimum number of characters.
    AtLeastCharacters(usize),
    /// The minimum and the maximum, both inclusive.
    Between(&'static str, &'static str),
    /// The inclusive minimum.
    AtLeast(&'static str),
    /// The minimum and the maximum, both exclusive.
    ExclusiveRange(&'static str, &'static str),
    /// The exclusive minimum.
    Above(&'static str),
    /// The exclusive maximum.
    Below(&'static str),
    /// The input applies only to records whose field, by its JSON name, has that value or gets it from this edit: the function
    /// returns true if the edit's other inputs lead to the value.
    OnlyIf(&'static str, &'static str, fn(&RequestBuilder) -> bool),
    /// A limit of botdesk's own that the API reference does not have. The client checks it, the sandbox does not.
    Own(&'static Self),
    /// The number that is sent by default.
    Default(i64),
    /// The value, in JSON, that the service sets if the input is omitted.
    ServiceDefault(&'static str),
    /// The value, in JSON, that the client sends if the caller omits the input: safer than the default of the service.
    ClientDefault(&'static str),
    /// A value that means that there is none. It is not carried over into an edit.
    NotCarriedIf(&'static str),
    /// The input is carried over into an edit only together with that input, without which it has no meaning.
    CarriedOnlyWith(InputName),
    /// The input is sent only if the caller sets it: the table of the API reference does not list it.
    OnlyIfGiven,
    /// The service returns the input in no record, so an edit can't carry it over.
    NeverReturned,
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
    pub subject: &'static str,
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

/// Two tables with the same path are the same.
impl PartialEq for Inputs {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Eq for Inputs {}

impl Inputs {
    /// The inputs of an operation without any.
    pub const NONE: Self = Self {
        path: "",
        subject: "nothing",
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
        self.rows.iter().find(|row| row.name == name).ok_or_else(|| unknown(name, self.nearest(name), self.subject))
    }
}

/// A table of inputs that an input may consist of.
pub trait InputTable {
    /// The inputs and their rules.
    const INPUTS: &'static Inputs;
}

#[derive(Clone, Debug, Default)]
pub(super) struct InputSetting {
    pub(super) value: Field<Value>,
    pub(super) changed: bool,
}

/// A request that is being built from the caller's inputs and the values carried over from a record.
#[derive(Clone, Debug)]
pub struct RequestBuilder {
    pub(super) inputs: &'static Inputs,
    pub(super) settings: Vec<InputSetting>,
    pub(super) record: Option<Fields>,
    /// The inputs that can't be sent at all.
    pub(super) unsendable: Vec<Violation>,
    /// The inputs whose values have the wrong type.
    pub(super) type_errors: Vec<Violation>,
    /// The reader of the violations.
    pub(super) audience: Audience,
    /// True if only the caller's inputs are sent: the others are known, so that rules can be checked.
    pub(super) sends_only_given: bool,
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

/// Returns the violation by a name that the subject does not have.
pub fn unknown(name: &str, nearest: Option<&str>, subject: &str) -> Violation {
    let nearest = nearest.map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default();
    Violation::new(name, format!("is not a field of {subject}{nearest}"))
}

/// The similarity from which a name is proposed as a correction.
const MIN_SIMILARITY: f64 = 0.8;
