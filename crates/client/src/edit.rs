//! Edits of records: the changes, the fields that are sent unchanged, and conflicts with other changes.

use crate::error::Error;
use crate::http::HttpClient;
use crate::request::spec::{InputValues, RequestSpec, check};
use botdesk_api::reference;
use botdesk_display::html::Folded;
use botdesk_display::text_table::Table;
use botdesk_display::view::{account_of, titled};
use botdesk_schema::input::{Change, Input, Inputs, RequestBuilder, Violation, input_differences};
use botdesk_schema::operation::Operation;
use botdesk_schema::record::Fields;

/// A valid edit: its request, and its changes.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The operation.
    pub operation: &'static Operation,
    /// The request.
    pub request: RequestSpec,
    /// The identifier of the record.
    pub id: u64,
    /// The kind, the identifier and the name of the record.
    title: String,
    /// The record as it was when the edit was made.
    before: Fields,
    builder: RequestBuilder,
}

impl Edit {
    /// Makes an edit of the record with an identifier: the given inputs, and all other fields of the record.
    pub fn of(operation: &'static Operation, id: u64, record: &Fields, given: InputValues) -> Result<Self, Error> {
        let before = record.clone();
        let validate = given.validate;
        let builder = request_builder(operation, given)?;
        let builder = if validate { builder.accept_echoes(&before) } else { builder };
        let builder = if operation.sends_only_given { builder.only_given() } else { builder }.carry_over(&before);
        let request = RequestSpec::from_builder(operation, Some(id), &builder, validate)?;
        Ok(Self { operation, request, id, title: titled(before.spec().name, Some(id), &before), before, builder })
    }

    /// Validates the changes before fetching the record.
    pub fn check(operation: &'static Operation, given: InputValues) -> Result<(), Error> {
        let validate = given.validate;
        let builder = request_builder(operation, given)?;
        check(if validate { builder.violations_of_changes() } else { builder.unsendable() })
    }

    /// Returns the record before the edit.
    pub fn before(&self) -> &Fields {
        &self.before
    }

    /// Returns the inputs of the request.
    pub fn builder(&self) -> &RequestBuilder {
        &self.builder
    }

    /// Returns the changes. An input that is equal to the record's field is not one.
    pub fn changes(&self) -> Vec<Change> {
        self.builder.changes()
    }

    /// Returns the fields that are sent along unchanged.
    pub fn carried_over(&self) -> Vec<Change> {
        self.builder.carried_over()
    }

    /// Returns the fields that are not sent, each with the reason.
    pub fn left_out(&self) -> Vec<(&'static str, String)> {
        self.builder.left_out()
    }

    /// Returns the title of the edit, in one line.
    pub fn title(&self) -> String {
        format!("Edit of {}", self.title)
    }

    /// Returns the kind, the identifier and the name of the record.
    pub fn record(&self) -> &str {
        &self.title
    }

    /// Returns the account of the record, as far as the record has it.
    pub fn account(&self) -> Option<String> {
        account_of(&self.before)
    }

    /// Returns where the edit goes: the destination of the client, and the account of the record.
    pub fn destination(&self, client: &HttpClient) -> String {
        std::iter::once(client.destination()).chain(self.account()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the warnings about changes that may be mistakes.
    pub fn warnings(&self) -> Vec<String> {
        self.changes().iter().filter_map(Change::warning).collect()
    }

    /// Returns the changes, one in each line, or a line that says that there are none.
    pub fn change_lines(&self) -> Vec<String> {
        let changes = self.changes();
        if changes.is_empty() {
            return vec!["nothing changes".to_owned()];
        }
        changes.iter().map(ToString::to_string).collect()
    }

    /// Returns two lines: the fields that are sent unchanged, and the fields that are left out.
    pub fn unchanged(&self) -> Vec<String> {
        let carried: Vec<_> = self.carried_over().iter().map(|change| change.name.to_owned()).collect();
        let left_out = self.left_out().into_iter().map(|(name, reason)| format!("{name} ({reason})"));
        let lines = [("sent along unchanged", carried), ("left out", left_out.collect())];
        let lines = lines.into_iter().filter(|(_, names)| !names.is_empty());
        lines.map(|(what, names)| format!("{what}: {}", names.join(", "))).collect()
    }

    /// Returns the edit as text: where it goes, its changes, the warnings, and the fields that stay as they are.
    pub fn text(&self, destination: &str) -> String {
        let changes = self.change_lines().into_iter().map(|line| format!("  {line}"));
        let warnings = self.warnings().into_iter().map(|warning| format!("! {warning}"));
        let head = [self.title(), format!("at {destination}")];
        head.into_iter().chain(changes).chain(warnings).chain(self.unchanged()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the edit as HTML: its changes, the warnings and where it goes, and folded below them the fields that stay as they
    /// are.
    pub fn html(&self, destination: &str) -> String {
        let row = |change: &Change| {
            let (field, old, new) = change.cells();
            vec![field.to_owned(), old, new]
        };
        let rows = self.changes().iter().map(row).collect();
        let heads = vec!["field", "old", "new"];
        let mut notes = self.warnings();
        notes.push(format!("at {destination}"));
        Table { title: self.title(), heads, rows, notes, ..Table::default() }.changes_html(&self.folded())
    }

    fn folded(&self) -> Vec<Folded> {
        let value = |change: &Change| {
            let (field, _, new) = change.cells();
            (field.to_owned(), new)
        };
        let carried = self.carried_over().iter().map(value).collect();
        let left_out = self.left_out().into_iter().map(|(name, reason)| (name.to_owned(), reason)).collect();
        let parts = [("sent along unchanged", carried), ("left out", left_out)];
        let folded = |(what, fields): (&str, Vec<(String, String)>)| Folded {
            title: format!("{what}: {} field{}", fields.len(), if fields.len() == 1 { "" } else { "s" }),
            fields,
        };
        parts.into_iter().map(folded).filter(|part| !part.fields.is_empty()).collect()
    }

    /// Reads the record again, and returns an error if it has changed since. A record that can't be read is not checked.
    pub async fn check_unchanged(&self, client: &HttpClient) -> Result<(), Error> {
        let Some(reading) = reference::reading(self.operation.resource()) else { return Ok(()) };
        self.check_against(&client.record(RequestSpec::plain(reading, Some(self.id))).await?)
    }

    /// Returns an error if the record has changed since: the fields that are sent would overwrite that.
    pub fn check_against(&self, now: &Fields) -> Result<(), Error> {
        let is_sent = |input: &&Input| !self.operation.sends_only_given || self.builder.is_given(input.key());
        let changes = input_differences(self.builder.inputs().rows.iter().filter(is_sent), &self.before, now);
        if changes.is_empty() { Ok(()) } else { Err(Error::Conflict(changes)) }
    }
}

fn request_builder(operation: &'static Operation, given: InputValues) -> Result<RequestBuilder, Error> {
    let inputs = operation.inputs().unwrap_or(&Inputs::NONE);
    let builder = given.into_builder(inputs);
    if builder.is_empty() { Err(nothing_to_change(inputs).into()) } else { Ok(builder) }
}

fn nothing_to_change(inputs: &Inputs) -> Violation {
    let example = inputs.rows.first().map_or("", |input| input.name);
    Violation::new("edit", format!("changes nothing; name at least one field of {}, such as {example}", inputs.subject))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use botdesk_api::dca_bots::{DcaBotEdit, DcaBotInputs};
    use botdesk_api::samples::dca_bot;
    use botdesk_api::samples::operation;
    use botdesk_display::view::MAX_NAME_LENGTH;
    use botdesk_schema::record::Record as _;
    use botdesk_schema::values::Field;

    fn bot(fields: &Value) -> Fields {
        let mut before = json!({"id": 41, "strategy_list": [{"strategy": "manual"}], "min_profit_type": null});
        before.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        dca_bot(&before).fields().clone()
    }

    fn given(name: &str, validate: bool) -> InputValues {
        let inputs = vec![(DcaBotEdit::name, Field::Value(name.into()))];
        InputValues { inputs, unsendable: Vec::new(), validate }
    }

    fn rename(record: &Fields) -> Edit {
        Edit::of(operation("dca_bots.edit"), 41, record, given("Calm", true)).unwrap()
    }

    fn conflicts_with(fields: &Value) -> Vec<&'static str> {
        match rename(&bot(&json!({}))).check_against(&bot(fields)) {
            Ok(()) => Vec::new(),
            Err(Error::Conflict(changes)) => changes.iter().map(|change| change.name).collect(),
            Err(other) => panic!("it is not a conflict: {other}"),
        }
    }

    #[test]
    fn an_edit_shows_its_changes() {
        let expected = "Edit of DcaBot 41 “Steady”\nat the sandbox\n  name: Steady → Calm\nsent along unchanged: pairs, \
                        base_order_volume, take_profit, safety_order_volume, martingale_volume_coefficient, \
                        martingale_step_coefficient, max_safety_orders, active_safety_orders_count, \
                        safety_order_step_percentage, take_profit_type, strategy_list\nleft out: max_active_deals \
                        (default: 1), sl_to_breakeven_enabled (default: False), sl_to_breakeven_data (the service \
                        does not return it; pass it to keep it), stop_loss_timeout_enabled (default: False), \
                        min_profit_type (null)";
        assert_eq!(rename(&bot(&json!({}))).text("the sandbox"), expected);
    }

    #[test]
    fn a_change_by_more_than_a_factor_of_ten_is_pointed_out_below_the_changes() {
        let inputs = vec![(DcaBotInputs::base_order_volume, Field::Value("80000".into()))];
        let given = InputValues { inputs, unsendable: Vec::new(), validate: true };
        let edit = Edit::of(operation("dca_bots.edit"), 41, &bot(&json!({})), given).unwrap();
        let warning = "base_order_volume: 80.0 → 80000 is a change by more than a factor of ten; check every digit";
        assert_eq!(edit.warnings(), [warning]);
        assert_eq!(edit.text("here").lines().nth(3), Some(format!("! {warning}").as_str()));
        assert!(edit.html("here").contains(&format!(r#"<div class="bd-note">{warning}</div>"#)));
    }

    #[test]
    fn an_edit_names_the_fields_that_are_not_sent() {
        let left_out: Vec<_> = rename(&bot(&json!({}))).left_out().into_iter().map(|(name, _)| name).collect();
        let expected = [
            "max_active_deals",
            "sl_to_breakeven_enabled",
            "sl_to_breakeven_data",
            "stop_loss_timeout_enabled",
            "min_profit_type",
        ];
        assert_eq!(left_out, expected);
    }

    #[test]
    fn an_input_that_equals_the_field_is_not_a_change() {
        let edit = Edit::of(operation("dca_bots.edit"), 41, &bot(&json!({})), given("Steady", true)).unwrap();
        assert!(edit.changes().is_empty());
        let text = edit.text("the sandbox");
        assert!(text.starts_with("Edit of DcaBot 41 “Steady”\nat the sandbox\n  nothing changes\n"), "{text}");
    }

    #[test]
    fn html_folds_what_stays_below_the_changes() {
        let html = rename(&bot(&json!({}))).html("the sandbox");
        let parts = [
            "Edit of DcaBot 41 “Steady”",
            "<td>Steady</td><td>Calm</td>",
            "at the sandbox",
            "<details><summary>sent along unchanged: 11 fields</summary>",
            r#"<th scope="row">pairs</th>"#,
            "<details><summary>left out: 5 fields</summary>",
            "<td>default: False</td>",
        ];
        let places: Vec<_> = parts.iter().map(|part| html.find(part).unwrap()).collect();
        assert!(places.is_sorted(), "{html}");
    }

    #[test]
    fn html_of_an_edit_without_changes_says_so() {
        let edit = Edit::of(operation("dca_bots.edit"), 41, &bot(&json!({})), given("Steady", true)).unwrap();
        let html = edit.html("the sandbox");
        assert!(html.contains("nothing changes"), "{html}");
        assert!(!html.contains("<thead>"), "{html}");
    }

    #[test]
    fn a_long_name_or_one_with_line_breaks_stays_in_one_line() {
        let edit = rename(&bot(&json!({"name": format!("a\n\u{202e}{}", "x".repeat(500))})));
        let expected = format!("DcaBot 41 “a  {}…”", "x".repeat(MAX_NAME_LENGTH - 3));
        assert_eq!(edit.record(), expected);
        assert_eq!(edit.title(), format!("Edit of {expected}"));
    }

    #[test]
    fn a_secret_in_a_name_is_not_shown() {
        let edit = rename(&bot(&json!({"name": r#"{"api_key": "canary-of-a-secret"}"#})));
        assert!(edit.title().contains("api_key") && !edit.title().contains("canary"), "{}", edit.title());
    }

    #[test]
    fn a_field_that_was_changed_by_others_is_a_conflict() {
        assert_eq!(conflicts_with(&json!({"cooldown": "5"})), Vec::<&str>::new());
        assert_eq!(conflicts_with(&json!({"name": "Other", "take_profit": null})), ["name", "take_profit"]);
        assert_eq!(conflicts_with(&json!({"min_profit_type": "base_order_volume"})), ["min_profit_type"]);
        assert_eq!(conflicts_with(&json!({"base_order_volume": "80.01"})), ["base_order_volume"]);
    }

    #[test]
    fn another_spelling_of_the_same_value_is_not_a_conflict() {
        let respelled = json!({
            "take_profit": 1.50,
            "base_order_volume": "8e1",
            "max_safety_orders": "3",
            "pairs": "USDT_ETH",
            "updated_at": "2026-01-01T00:00:00.000Z",
        });
        assert_eq!(conflicts_with(&respelled), Vec::<&str>::new());
    }

    #[test]
    fn the_edit_writes_to_the_given_identifier() {
        for id in [json!(42), json!(null), json!("x")] {
            let edit = Edit::of(operation("dca_bots.edit"), 41, &bot(&json!({"id": id})), given("Calm", true)).unwrap();
            assert!(edit.request.path.ends_with("/bots/41/update"), "{}", edit.request.path);
        }
    }

    #[test]
    fn changes_are_validated_before_the_record_is_fetched() {
        let nothing = InputValues { inputs: Vec::new(), unsendable: Vec::new(), validate: true };
        assert!(matches!(Edit::check(operation("dca_bots.edit"), nothing), Err(Error::Validation(_))));
        assert!(matches!(Edit::check(operation("dca_bots.edit"), given("", true)), Err(Error::Validation(_))));
        assert!(Edit::check(operation("dca_bots.edit"), given("", false)).is_ok());
        assert!(Edit::check(operation("dca_bots.edit"), given("Calm", true)).is_ok());
    }
}
