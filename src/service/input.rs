//! What endpoints take: the inputs of a query or a body, each a row with its rules, and the draft of a request.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use super::decimal;
use super::json::{Json, ascii};
use super::record::{Fields, attribute_name};
use super::strategy::Strategy;
use super::take_profit_step::TakeProfitStep;
use super::values::{Amount, Choices, Field, Flag, Integer, Kind, List, Object, OneOf, Text};

/// One thing that a caller may set.
#[derive(Clone, Copy, Debug)]
pub struct Input {
    /// The name of the argument.
    pub name: &'static str,
    /// The name on the wire.
    pub wire: &'static str,
    /// What it takes.
    pub form: Form,
    /// What the document asks of its value.
    pub rules: &'static [Rule],
}

impl Input {
    /// An input whose argument has the name that stands on the wire.
    pub const fn new(identifier: &'static str, form: Form, rules: &'static [Rule]) -> Self {
        let name = attribute_name(identifier);
        Self { name, wire: name, form, rules }
    }

    /// The same input with another name on the wire.
    #[must_use]
    pub const fn wire(self, wire: &'static str) -> Self {
        Self { wire, ..self }
    }
}

/// A rule of the document about one input. Other inputs are named by their index among the rows.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// It must be there.
    Required,
    /// It must be there when that flag is true.
    RequiredWhen(usize),
    /// It lies between the two, both allowed.
    Between(&'static str, &'static str),
    /// It is at least this.
    AtLeast(&'static str),
    /// It is greater than the one and lower than the other.
    Within(&'static str, &'static str),
    /// It is only for records whose field, by its name on the wire, has that value.
    OnlyWhere(&'static str, &'static str),
    /// A record that holds this value has none: it is not carried over into an edit.
    NoneWhere(&'static str),
}

/// A rule about several inputs together: those it looks at, and the check.
#[derive(Debug)]
pub struct Together {
    /// The inputs, by their index among the rows. The rule is looked at when one of them is changed.
    pub inputs: &'static [usize],
    /// What is wrong, if anything.
    pub check: fn(&Draft) -> Option<Violation>,
}

/// All that an endpoint takes in its query or its body.
#[derive(Debug)]
pub struct Inputs {
    /// What the inputs belong to, as a message says it.
    pub of: &'static str,
    /// The inputs, in the document's order.
    pub rows: &'static [Input],
    /// The rules about several inputs.
    pub together: &'static [Together],
    /// Fills in what follows from other inputs, once all are known.
    pub settle: fn(&mut Draft),
}

impl Inputs {
    /// The name of the input that is spelled most like `name`.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        let names = self.rows.iter().map(|row| row.name);
        names.max_by(|left, right| strsim::jaro_winkler(left, name).total_cmp(&strsim::jaro_winkler(right, name)))
    }

    /// The index of the input with this name, or what is wrong with the name.
    pub fn index(&self, name: &str) -> Result<usize, Violation> {
        self.rows.iter().position(|row| row.name == name).ok_or_else(|| {
            let nearest = self.nearest(name).map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default();
            Violation::new(name, format!("is not a field of {}{nearest}", self.of))
        })
    }
}

/// What is wrong with one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the argument.
    pub field: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl Violation {
    /// A violation of `field`.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

/// What an input takes.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A decimal; it is sent as text.
    Amount,
    /// A whole number.
    Integer,
    /// Yes or no.
    Flag,
    /// A text.
    Text,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A time: seconds since 1970 or ISO 8601.
    Moment,
    /// One pair or several.
    Pairs,
    /// Take-profit steps.
    Steps,
    /// Strategy objects.
    Strategies,
    /// A JSON object.
    Object,
}

/// A kind of value that an input takes.
pub trait Accepts {
    /// What it takes.
    const FORM: Form;
}

/// A time: seconds since 1970 or ISO 8601.
#[derive(Debug)]
pub enum Moment {}

/// One pair or several.
#[derive(Debug)]
pub enum Pairs {}

macro_rules! accepts {
    ($($kind:ty => $form:expr;)*) => {$(
        impl Accepts for $kind {
            const FORM: Form = $form;
        }
    )*};
}

accepts! {
    Amount => Form::Amount;
    Integer => Form::Integer;
    Flag => Form::Flag;
    Text => Form::Text;
    Moment => Form::Moment;
    Pairs => Form::Pairs;
    List<TakeProfitStep> => Form::Steps;
    List<Strategy> => Form::Strategies;
    Object => Form::Object;
}

impl<C: Choices> Accepts for OneOf<C> {
    const FORM: Form = Form::OneOf(C::VALUES);
}

impl Form {
    /// What the form takes, in words.
    fn needs(self) -> &'static str {
        match self {
            Self::Amount => "a decimal (as text, Decimal or a number)",
            Self::Integer => "a whole number",
            Self::Flag => "True or False",
            Self::Text | Self::OneOf(_) => "a text",
            Self::Moment => "seconds since 1970, a text in ISO 8601, or a datetime with a timezone",
            Self::Pairs => "a pair such as USDT_BTC, or a list of them",
            Self::Steps => "a list of {amount_percentage, profit_percentage}",
            Self::Strategies => "a list of strategy objects",
            Self::Object => "an object",
        }
    }

    /// The value in the form that goes on the wire.
    fn accept(self, given: Value) -> Result<Value, String> {
        let refused = |given: &Value| format!("{} is needed, not {}", self.needs(), excerpt(given));
        match (self, given) {
            (Self::Amount, Value::String(text)) => amount(&text).ok_or_else(|| refused(&Value::String(text))),
            (Self::Amount, Value::Number(number)) => {
                amount(&number.to_string()).ok_or_else(|| refused(&Value::Number(number)))
            }
            (Self::Integer | Self::Moment, Value::Number(number)) if is_whole(&number) => Ok(Value::Number(number)),
            (Self::Moment, Value::String(text)) if is_moment(&text) => Ok(Value::String(text)),
            (Self::OneOf(choices), Value::String(text)) if !choices.contains(&text.as_str()) => {
                Err(format!("one of {} is needed, not {text:?}", choices.join(", ")))
            }
            (Self::Flag, value @ Value::Bool(_))
            | (Self::Text | Self::OneOf(_) | Self::Pairs, value @ Value::String(_))
            | (Self::Object, value @ Value::Object(_)) => Ok(value),
            (Self::Pairs, Value::Array(pairs)) if !pairs.is_empty() && pairs.iter().all(Value::is_string) => {
                Ok(one_or_several(pairs))
            }
            (Self::Steps, Value::Array(steps)) => {
                steps.into_iter().map(step).collect::<Result<_, _>>().map(Value::Array)
            }
            (Self::Strategies, value @ Value::Array(_)) if is_list_of_objects(&value) => Ok(value),
            (_, given) => Err(refused(&given)),
        }
    }

    /// The value of a record's field in the form that goes on the wire; None if it can't be sent.
    fn carry(self, held: Json<'_>) -> Option<Value> {
        let as_it_came = || serde_json::from_str(held.text()).ok();
        match self {
            Self::Amount => held.number_or_string().filter(|text| decimal::parse(text).is_some()).map(text_value),
            Self::Integer => Integer::read(held).map(Value::from),
            Self::Flag => Flag::read(held).map(Value::Bool),
            Self::Text | Self::OneOf(_) | Self::Moment => held.string().map(text_value),
            Self::Pairs => match as_it_came()? {
                Value::Array(pairs) => Some(one_or_several(pairs)),
                value => value.is_string().then_some(value),
            },
            Self::Steps => match as_it_came()? {
                Value::Array(steps) => Some(Value::Array(steps.into_iter().map(without_position).collect())),
                _ => None,
            },
            Self::Strategies | Self::Object => as_it_came(),
        }
    }
}

fn text_value(text: impl Into<String>) -> Value {
    Value::String(text.into())
}

fn amount(text: &str) -> Option<Value> {
    decimal::plain(text).map(Value::String)
}

fn is_whole(number: &Number) -> bool {
    number.to_string().parse::<i64>().is_ok()
}

fn is_moment(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::DateTime>().is_ok()
}

fn one_or_several(mut pairs: Vec<Value>) -> Value {
    if pairs.len() == 1
        && let Some(pair) = pairs.pop()
    {
        return pair;
    }
    Value::Array(pairs)
}

fn is_list_of_objects(value: &Value) -> bool {
    value.as_array().is_some_and(|elements| elements.iter().all(Value::is_object))
}

/// The members of a step that an edit takes.
const STEP_MEMBERS: [&str; 2] = ["amount_percentage", "profit_percentage"];

fn step(given: Value) -> Result<Value, String> {
    let Value::Object(given) = without_position(given) else {
        return Err(format!("each step is an object with {}", STEP_MEMBERS.join(" and ")));
    };
    if let Some(unknown) = given.keys().find(|key| !STEP_MEMBERS.contains(&key.as_str())) {
        return Err(format!("a step has {}, not {unknown}", STEP_MEMBERS.join(" and ")));
    }
    let mut step = Map::new();
    for member in STEP_MEMBERS {
        let value = given.get(member).cloned().ok_or_else(|| format!("each step needs {member}"))?;
        let value = Form::Amount.accept(value).map_err(|message| format!("{member}: {message}"))?;
        step.insert(member.to_owned(), bare_where_whole(value));
    }
    Ok(Value::Object(step))
}

/// A step without its position, which the service counts itself.
fn without_position(step: Value) -> Value {
    match step {
        Value::Object(mut step) => {
            step.shift_remove("id");
            Value::Object(step)
        }
        other => other,
    }
}

/// Whole percentages are numbers in the document's steps.
fn bare_where_whole(value: Value) -> Value {
    let number = value.as_str().and_then(|text| text.parse::<u32>().ok());
    number.map_or(value, Value::from)
}

/// How much of a refused value a message shows.
const EXCERPT: usize = 80;

fn excerpt(value: &Value) -> String {
    value.to_string().chars().take(EXCERPT).collect()
}

#[derive(Clone, Debug, Default)]
struct Setting {
    value: Field<Value>,
    changed: bool,
}

/// A request being put together: the inputs that a caller gave, and those carried over from a record.
#[derive(Clone, Debug)]
pub struct Draft {
    inputs: &'static Inputs,
    settings: Vec<Setting>,
    held: Option<Fields>,
    violations: Vec<Violation>,
}

impl Draft {
    /// A draft of what the caller gave, by the index of each input.
    pub fn new(inputs: &'static Inputs, given: impl IntoIterator<Item = (usize, Field<Value>)>) -> Self {
        let settings = vec![Setting::default(); inputs.rows.len()];
        let mut draft = Self { inputs, settings, held: None, violations: Vec::new() };
        for (index, value) in given {
            draft.give(index, value);
        }
        draft
    }

    /// Fills in every input that the caller left out and the record holds.
    ///
    /// Null fields stay out: a service may refuse a null that it sent itself.
    #[must_use]
    pub fn carry_over(mut self, held: &Fields) -> Self {
        self.held = Some(held.clone());
        for (index, input) in self.inputs.rows.iter().enumerate() {
            self.carry(index, input, held);
        }
        (self.inputs.settle)(&mut self);
        self
    }

    /// The record that the draft changes.
    pub fn held(&self, wire: &str) -> Option<Json<'_>> {
        self.held.as_ref()?.value(wire)
    }

    /// What the caller asks to change.
    pub fn changed(&self) -> impl Iterator<Item = &'static Input> {
        self.inputs.rows.iter().zip(&self.settings).filter(|(_, setting)| setting.changed).map(|(input, _)| input)
    }

    /// The value of an input as it would be sent.
    pub fn value(&self, index: usize) -> Option<&Value> {
        match &self.settings.get(index)?.value {
            Field::Value(value) => Some(value),
            Field::Absent | Field::Null => None,
        }
    }

    /// The value of an input as a number.
    pub fn number(&self, index: usize) -> Option<bigdecimal::BigDecimal> {
        decimal::of(self.value(index)?)
    }

    /// Whether an input is the flag true.
    pub fn is_true(&self, index: usize) -> bool {
        self.value(index) == Some(&Value::Bool(true))
    }

    /// The elements of an input that is a list.
    pub fn elements(&self, index: usize) -> &[Value] {
        self.value(index).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Whether the caller left an input out, and no record filled it in.
    pub fn is_absent(&self, index: usize) -> bool {
        self.settings.get(index).is_none_or(|setting| setting.value == Field::Absent)
    }

    /// Sets an input that follows from others.
    pub fn settle(&mut self, index: usize, value: Value) {
        if let Some(setting) = self.settings.get_mut(index) {
            setting.value = Field::Value(value);
        }
    }

    /// All that is wrong, in the order of the inputs.
    ///
    /// What must be there is checked always. The other rules are checked where the caller changes something: what a
    /// record holds already, the service has accepted.
    pub fn violations(&self) -> Vec<Violation> {
        let refused: BTreeSet<&str> = self.violations.iter().map(|violation| violation.field.as_str()).collect();
        let mut violations = self.violations.clone();
        for (index, (input, setting)) in self.inputs.rows.iter().zip(&self.settings).enumerate() {
            if !refused.contains(input.name) {
                let found = input.rules.iter().filter_map(|rule| self.violation(*rule, index, setting));
                violations.extend(found.map(|message| Violation::new(input.name, message)));
            }
        }
        let changed = |index: &usize| self.settings.get(*index).is_some_and(|setting| setting.changed);
        let together = self.inputs.together.iter().filter(|rule| rule.inputs.iter().any(changed));
        violations.extend(together.filter_map(|rule| (rule.check)(self)));
        violations
    }

    /// The JSON body, in ASCII.
    pub fn body(&self) -> String {
        let members = self.sent().map(|(input, value)| (input.wire.to_owned(), value.cloned().unwrap_or_default()));
        ascii(&Value::Object(members.collect()).to_string())
    }

    /// The query, percent-encoded; None where there is nothing in it.
    pub fn query(&self) -> Option<String> {
        let pairs = self.sent().filter_map(|(input, value)| {
            let text = match value? {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some(format!("{}={}", percent_encoded(input.wire), percent_encoded(&text)))
        });
        Some(pairs.collect::<Vec<_>>().join("&")).filter(|query| !query.is_empty())
    }

    fn sent(&self) -> impl Iterator<Item = (&'static Input, Option<&Value>)> {
        self.inputs.rows.iter().zip(&self.settings).filter_map(|(input, setting)| match &setting.value {
            Field::Absent => None,
            Field::Null => Some((input, None)),
            Field::Value(value) => Some((input, Some(value))),
        })
    }

    fn give(&mut self, index: usize, given: Field<Value>) {
        let (Some(input), Some(setting)) = (self.inputs.rows.get(index), self.settings.get_mut(index)) else {
            return;
        };
        setting.changed = given != Field::Absent;
        setting.value = match given {
            Field::Value(value) => match input.form.accept(value.clone()) {
                Ok(value) => Field::Value(value),
                Err(message) => {
                    self.violations.push(Violation::new(input.name, message));
                    Field::Value(value)
                }
            },
            other => other,
        };
    }

    fn carry(&mut self, index: usize, input: &Input, held: &Fields) {
        let Some(json) = held.value(input.wire).filter(|json| !json.is_null()) else {
            return;
        };
        if !self.is_absent(index) || !self.is_carried(input, json) {
            return;
        }
        match input.form.carry(json) {
            Some(value) => self.settle(index, value),
            None => self.violations.push(Violation::new(
                input.name,
                format!("the record holds {}, which can't be sent back; pass {} as well", json.text(), input.name),
            )),
        }
    }

    fn is_carried(&self, input: &Input, held: Json<'_>) -> bool {
        input.rules.iter().all(|rule| match *rule {
            Rule::NoneWhere(unset) => held.string().as_deref() != Some(unset),
            Rule::OnlyWhere(..) => self.applies(*rule),
            _ => true,
        })
    }

    /// Whether the record is one that the rule lets the input be set on; a record that does not say is.
    fn applies(&self, rule: Rule) -> bool {
        match rule {
            Rule::OnlyWhere(wire, value) => {
                self.held(wire).and_then(Json::string).is_none_or(|held| held.as_ref() == value)
            }
            _ => true,
        }
    }

    fn violation(&self, rule: Rule, index: usize, setting: &Setting) -> Option<String> {
        let missing = match &setting.value {
            Field::Value(value) => value.as_str() == Some(""),
            Field::Absent | Field::Null => true,
        };
        match rule {
            Rule::Required if missing => Some("is required".to_owned()),
            Rule::RequiredWhen(flag) if missing && self.is_true(flag) => {
                let name = self.inputs.rows.get(flag).map_or("", |input| input.name);
                Some(format!("is required when {name} is true"))
            }
            Rule::OnlyWhere(wire, value) if setting.changed && !self.applies(rule) => {
                Some(format!("is only for {} whose {wire} is {value}", self.inputs.of))
            }
            Rule::Between(least, most) => self.outside(index, setting, |number| {
                (*number < decimal::constant(least) || *number > decimal::constant(most))
                    .then(|| format!("must lie between {least} and {most}"))
            }),
            Rule::AtLeast(least) => self.outside(index, setting, |number| {
                (*number < decimal::constant(least)).then(|| format!("must be at least {least}"))
            }),
            Rule::Within(above, below) => self.outside(index, setting, |number| {
                (*number <= decimal::constant(above) || *number >= decimal::constant(below))
                    .then(|| format!("must be greater than {above} and lower than {below}"))
            }),
            _ => None,
        }
    }

    fn outside(
        &self,
        index: usize,
        setting: &Setting,
        check: impl FnOnce(&bigdecimal::BigDecimal) -> Option<String>,
    ) -> Option<String> {
        let number = self.number(index).filter(|_| setting.changed)?;
        check(&number).map(|message| format!("{message}, not {}", number.to_plain_string()))
    }
}

/// A text as part of a query: everything but letters, digits and `-._~` as `%XX`, so that no URL parser changes it.
fn percent_encoded(text: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, RESERVED).to_string()
}

/// A whole number that names a record in a path.
///
/// A violation of `name` unless it is a positive whole number.
pub fn identifier(name: &str, given: &Value) -> Result<u64, Violation> {
    given.as_u64().filter(|id| *id > 0).ok_or_else(|| {
        Violation::new(name, format!("an identifier is a whole number greater than 0, not {}", excerpt(given)))
    })
}

/// Writes down what an endpoint takes: its inputs, each once, in the document's order, and the rules about several.
///
/// From the rows come an enumeration that names each input's index, the table, and a macro named after `rows` that
/// hands the same rows to the binding.
macro_rules! inputs {
    (
        ($d:tt)
        $(#[$about:meta])*
        $inputs:ident of $of:literal, rows $rows:ident {
            $($(#[doc = $doc:literal])* $field:ident: $kind:ty $(= $wire:literal)? $([$($rule:expr),*])?;)*
        }
        $(together [$($($together:ident)|+ => $check:expr),* $(,)?])?
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
            pub const INPUTS: &'static $crate::service::input::Inputs = &$crate::service::input::Inputs {
                of: $of,
                rows: &[$(
                    $crate::service::input::Input::new(
                        stringify!($field),
                        <$kind as $crate::service::input::Accepts>::FORM,
                        &[$($($rule),*)?],
                    ) $(.wire($wire))?
                ),*],
                together: &[$($(
                    $crate::service::input::Together { inputs: &[$(Self::$together as usize),+], check: $check }
                ),*)?],
                settle: $crate::service::input::settle!($($settle)?),
            };
        }

        #[cfg(feature = "python")]
        macro_rules! $rows {
            ($d callback:ident $d($d context:tt)*) => {
                $d callback! { $d($d context)* $inputs { $($(#[doc = $doc])* $field: $kind;)* } }
            };
        }
        #[cfg(feature = "python")]
        pub(crate) use $rows;
    };
}
pub(crate) use inputs;

/// The settling function of a table, or one that does nothing.
macro_rules! settle {
    () => {
        |_| ()
    };
    ($settle:expr) => {
        $settle
    };
}
pub(crate) use settle;
