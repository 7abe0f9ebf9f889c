//! Tables of inputs.

#![allow(unreachable_pub, reason = "the macro defines public tables")]

use serde_json::json;

use crate::samples::dca_bot;
use botdesk_schema::input::{Input, InputName, RequestBuilder, Rule, Violation};
use botdesk_schema::record::Record;
use botdesk_schema::values::Text;
use botdesk_schema::values::{Field, Integer};
use serde_json::Value;

const PLAIN: Input = Input::new::<Text>("order_direction", &[]);

#[test]
fn an_input_is_described_by_its_row() {
    let input = PLAIN.wire("direction").also("orderDirection").about("Which end comes first.");
    assert_eq!(
        (input.name, input.wire, input.second_wire_name),
        ("order_direction", "direction", Some("orderDirection"))
    );
    assert_eq!(input.about, "Which end comes first.");
}

#[test]
fn an_input_has_the_default_of_its_rules() {
    const RULES: &[Rule] = &[Rule::Required, Rule::Default(100)];
    assert_eq!(Input::new::<Integer>("limit", RULES).default(), Some(100));
    assert_eq!(PLAIN.default(), None);
}

#[test]
fn an_input_is_named_as_in_the_api_reference() {
    assert_eq!(PLAIN.wire("direction").documented_name(), "direction");
    assert_eq!(PLAIN.wire("direction").also("orderDirection").documented_name(), "orderDirection");
}

#[test]
fn an_input_is_required_by_its_rules() {
    for (rules, is_required) in [
        (&[Rule::Required] as &'static [Rule], true),
        (const { &[Rule::Between("1", "9"), Rule::RequiredUnless(InputName::new("steps"))] }, true),
        (const { &[Rule::RequiredIfTrue(InputName::new("enabled"))] }, false),
        (&[], false),
    ] {
        assert_eq!(Input::new::<Integer>("limit", rules).is_required(), is_required, "{rules:?}");
    }
}

#[test]
fn an_input_has_the_documented_default_of_the_service() {
    const RULES: &[Rule] = &[Rule::Between("1", "199"), Rule::ServiceDefault("1")];
    assert_eq!(Input::new::<Integer>("max_active_deals", RULES).service_default(), Some(Value::from(1)));
    assert_eq!(PLAIN.service_default(), None);
}

#[test]
fn an_input_has_the_highest_value_of_its_rules() {
    const RULES: &[Rule] = &[Rule::Required, Rule::Between("1", "199")];
    assert_eq!(Input::new::<Integer>("max_active_deals", RULES).most(), Some(199));
    assert_eq!(PLAIN.most(), None);
}

#[test]
fn a_violation_is_split_into_the_value_and_the_rule() {
    for (message, value, rule) in [
        ("must be at least 60, not 59", "59", "must be at least 60"),
        ("is required", "", "is required"),
        (
            "must be at least 0, not -1 (botdesk's own check; validate=False sends it anyway)",
            "-1",
            "must be at least 0 (botdesk's own check; validate=False sends it anyway)",
        ),
    ] {
        assert_eq!(Violation::value_and_rule(message), (value.to_owned(), rule.to_owned()));
    }
}

#[test]
fn the_plain_message_does_not_name_the_argument_that_skips_a_check() {
    let violation = Violation::new("take_profit", "must be at least 0, not -1");
    assert_eq!(violation.plain_message(), "must be at least 0, not -1");
    assert_eq!(violation.own().plain_message(), "must be at least 0, not -1");
}

botdesk_schema::inputs! {
    /// The inputs that creating a thing and editing it share.
    Shared of "a shared thing" {
        /// Lowest price.
        low: Integer;
        /// Highest price.
        high: Integer;
    }
    together [low | high => low_is_below_high]
    set_derived double_low
}

botdesk_schema::inputs! {
    /// The inputs of an edit.
    Edit of "a thing" {
        /// Name.
        name: Text [Rule::Required];
        use Shared;
        /// Note.
        note: Text;
    }
    own [note | low => note_needs_low]
}

fn low_is_below_high(request: &RequestBuilder) -> Option<Violation> {
    let [low, high] = [Shared::low, Shared::high].map(|name| request.number(name));
    (low? >= high?).then(|| Shared::low.violation("must be below high"))
}

fn double_low(request: &mut RequestBuilder) {
    if request.is_absent(Shared::high)
        && let Some(low) = request.value(Shared::low).and_then(Value::as_i64)
    {
        request.set_derived(Shared::high, (low * 2).into());
    }
}

fn note_needs_low(request: &RequestBuilder) -> Option<Violation> {
    request.is_absent(Shared::low).then(|| Edit::note.violation("needs low"))
}

fn edit<const N: usize>(given: [(InputName, Value); N]) -> RequestBuilder {
    RequestBuilder::new(Edit::INPUTS, given.map(|(name, value)| (name, Field::Value(value))))
}

#[test]
fn a_table_has_the_rows_of_its_groups_in_their_place() {
    let names: Vec<_> = Edit::INPUTS.rows.iter().map(|row| row.name).collect();
    assert_eq!(names, ["name", "low", "high", "note"]);
    let body = edit([(Edit::name, "a".into()), (Shared::low, 1.into())]).body();
    assert_eq!(body, r#"{"name":"a","low":1}"#);
}

#[test]
fn a_table_has_the_rules_of_its_groups_and_may_refer_to_their_rows() {
    let request = edit([(Edit::name, "a".into()), (Shared::low, 2.into()), (Shared::high, 1.into())]);
    assert_eq!(request.violations(), [Shared::low.violation("must be below high")]);
    let request = edit([(Edit::name, "a".into()), (Edit::note, "b".into())]);
    assert_eq!(request.violations(), [Edit::note.violation("needs low").own()]);
}

#[test]
fn a_table_derives_the_inputs_of_its_groups() {
    let record = dca_bot(&json!({}));
    let request = edit([(Edit::name, "a".into()), (Shared::low, 2.into())]).carry_over(record.fields());
    assert_eq!(request.number(Shared::high), Some(4.into()));
}
