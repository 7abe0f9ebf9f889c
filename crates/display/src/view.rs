//! The display of a record: its fields as strings, without secrets.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::figures::{Figures, Rounding};
use super::text_table::Table;
use super::words::{capitalized, class_words, field_words};
use botdesk_schema::field::FieldSpec;
use botdesk_schema::field::Schema;
use botdesk_schema::json::Json;
use botdesk_schema::record::Fields;
use botdesk_schema::secrets::{self, HIDDEN, shown_line, shown_value};
use botdesk_schema::text::{and_more, one_line};
use botdesk_schema::values::{FieldType, Integer, Text};

/// The maximum number of characters of a value.
const MAX_CHARS: usize = 200;

/// The maximum number of characters of a record's name in its title.
pub const MAX_NAME_LENGTH: usize = 60;

/// The maximum number of elements of a list that are shown; the title has the total.
const MAX_ELEMENTS: usize = 100;

/// A record as strings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The record's type, its identifier and its name.
    pub title: String,
    /// The fields that are also in the one-line form of the record.
    pub shown: Vec<(&'static str, String)>,
    /// The lists of records in the record, each under its field's name.
    pub lists: Vec<Table>,
    /// All other documented fields.
    pub others: Vec<(&'static str, String)>,
    /// The undocumented fields, under their names in JSON.
    pub unknown: Vec<(String, String)>,
    /// The rounding of the figures among the fields.
    pub roundings: BTreeMap<&'static str, Rounding>,
}

/// Returns a record in one line, without secrets.
pub fn summary(fields: &Fields) -> String {
    let shown = fields.present().filter(|(row, _)| row.in_repr && !row.secret);
    let each = shown.map(|(row, json)| {
        let shown = || Rounding::of_field(row).round(&shown_value(&(row.show)(json)));
        let value = match row.schema {
            _ if json.is_null() => "None".to_owned(),
            Schema::Record(spec) => summary(&Fields::within(spec, json)),
            _ => shown(),
        };
        format!(" {}={value}", row.name)
    });
    let unreadable = if fields.is_malformed() { " unreadable" } else { "" };
    format!("<{}{unreadable}{}>", fields.spec().name, each.collect::<String>())
}

/// Returns a record in a cell of a table: the fields that its rows mark for that, those after the first in parentheses; without a
/// value of the first, a dash. A record without such fields shows those of its one-line form.
pub fn cell(fields: &Fields) -> String {
    if fields.is_malformed() {
        return "?".to_owned();
    }
    let spec = fields.spec();
    let mut marked = fields.present().filter(|(row, _)| row.in_cell.is_some() && !row.secret);
    let leading = spec.rows.iter().find(|row| row.in_cell.is_some());
    if leading.and_then(|row| fields.value(row.wire)).is_some_and(Json::is_null) {
        return "-".to_owned();
    }
    let is_marked = marked.any(|(_, json)| !json.is_null());
    let is_shown = |row: &FieldSpec| !row.secret && if is_marked { row.in_cell.is_some() } else { row.in_repr };
    let is_named = !is_marked && spec.rows.iter().filter(|row| is_shown(row)).count() > 1;
    let present = fields.present().filter(|(row, json)| is_shown(row) && !json.is_null());
    let mut texts = present.map(|(row, json)| {
        let value = Rounding::of_field(row).round(&text(row, json));
        match row.in_cell {
            _ if is_named => format!("{}={value}", row.name),
            Some(unit) if !unit.is_empty() => format!("{value} {unit}"),
            _ => value,
        }
    });
    let Some(first) = texts.next() else { return "-".to_owned() };
    let others = texts.collect::<Vec<_>>().join(", ");
    match others.as_str() {
        "" => first,
        others if is_named => format!("{first}, {others}"),
        others => format!("{first} ({others})"),
    }
}

impl View {
    /// Returns the view of a record; `noun` is what one is called, if it is not the name of its class.
    pub fn of(fields: &Fields, noun: Option<&str>) -> Self {
        let spec = fields.spec();
        let open = || fields.present().filter(|(row, _)| !row.secret);
        let lists: Vec<_> = open().filter_map(|(row, json)| Some((row.name, list(row, json)?))).collect();
        let is_list = |row: &FieldSpec| lists.iter().any(|(name, _)| *name == row.name);
        let texts = |shown: bool| {
            let each = open().filter(move |(row, _)| row.in_repr == shown && !is_list(row));
            each.map(|(row, json)| (row.name, text(row, json))).collect()
        };
        Self {
            title: title(&noun.map_or_else(|| class_words(spec.name), str::to_owned), fields),
            shown: texts(true),
            others: texts(false),
            unknown: fields.extra().map(|(key, json)| unknown(&key, json)).collect(),
            roundings: spec.rows.iter().map(|row| (row.name, Rounding::of_field(row))).collect(),
            lists: lists.into_iter().map(|(_, table)| table).collect(),
        }
    }
}

fn title(noun: &str, fields: &Fields) -> String {
    let kind = &capitalized(noun);
    if fields.is_malformed() {
        return format!("{kind}: the response has something else in its place");
    }
    titled(kind, fields.value("id").and_then(Integer::read), fields)
}

/// Returns a record's type, its identifier and its name.
pub fn titled(kind: &str, id: Option<impl Display>, fields: &Fields) -> String {
    let name = fields.value("name").and_then(Text::read).filter(|name| !name.is_empty());
    let name = name.map(|name| format!("“{}”", shown_line(&name, MAX_NAME_LENGTH)));
    let id = id.map(|id| id.to_string());
    [Some(kind.to_owned()), id, name].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns the account of a record: its identifier, its name and its kind, as far as the record has them.
pub fn account_of(fields: &Fields) -> Option<String> {
    let text = |name: &str| fields.value(name).and_then(Text::read).filter(|text| !text.is_empty());
    let number = |name: &str| fields.value(name).and_then(Integer::read);
    // An account has a market; other records name their account.
    let (id, name) =
        if fields.value("market_code").is_some() { ("id", "name") } else { ("account_id", "account_name") };
    let kind = [text("exchange_name"), text("market_code")].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let id = number(id).map(|id| id.to_string());
    let name = text(name).map(|name| format!("“{}”", shown_line(&name, MAX_NAME_LENGTH)));
    let kind =
        Some(kind).filter(|kind| !kind.is_empty()).map(|kind| format!("({})", shown_line(&kind, MAX_NAME_LENGTH)));
    let parts: Vec<String> = [id, name, kind].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("account {}", parts.join(" ")))
}

/// Returns the value of a field as a string, with a mark if it does not have its documented type.
fn text(row: &FieldSpec, json: Json<'_>) -> String {
    if json.is_null() {
        return "None".to_owned();
    }
    if !(row.fits)(json) {
        return format!("? {}", brief(json.text()));
    }
    match (row.schema, json.elements()) {
        (Schema::List(Schema::Text), Some(elements)) => {
            brief(&elements.into_iter().map(plain).collect::<Vec<_>>().join(", "))
        }
        (Schema::Record(spec), _) => brief(&cell(&Fields::within(spec, json))),
        (Schema::List(Schema::Record(spec)), Some(elements)) if !elements.is_empty() => {
            let cells = elements.into_iter().map(|element| cell(&Fields::within(spec, element)));
            brief(&cells.collect::<Vec<_>>().join("; "))
        }
        (Schema::Text | Schema::OneOf(_) | Schema::Timestamp | Schema::Any, _) => brief(&plain(json)),
        _ => brief(&(row.show)(json)),
    }
}

/// Returns a string without its quotes; any other value as it is in the response.
fn plain(json: Json<'_>) -> String {
    json.string().map_or_else(|| json.text().to_owned(), std::borrow::Cow::into_owned)
}

fn brief(text: &str) -> String {
    shown_line(text, MAX_CHARS)
}

fn unknown(key: &str, json: Json<'_>) -> (String, String) {
    let hidden = secrets::NAMES.contains(key) && !json.is_null();
    (one_line(key, MAX_CHARS), if hidden { HIDDEN.to_owned() } else { brief(&plain(json)) })
}

/// Returns the table of a field that holds records; None if it holds none.
fn list(row: &FieldSpec, json: Json<'_>) -> Option<Table> {
    let Schema::List(Schema::Record(spec)) = row.schema else {
        return None;
    };
    let elements = json.elements().filter(|elements| !elements.is_empty())?;
    let columns: Vec<_> = spec.rows.iter().enumerate().filter(|(_, row)| row.in_repr && !row.secret).collect();
    let cells = |element: Json<'_>| {
        let fields = Fields::within(spec, element);
        columns.iter().map(|(index, row)| fields.get(*index).map_or_else(String::new, |json| text(row, json))).collect()
    };
    Some(Table {
        title: format!("{}: {}", field_words(row.name), elements.len()),
        heads: columns.iter().map(|(_, row)| row.name).collect(),
        notes: and_more(elements.len(), MAX_ELEMENTS).into_iter().collect(),
        rows: elements.into_iter().take(MAX_ELEMENTS).map(cells).collect(),
        figures: Figures::Columns(columns.iter().map(|(_, row)| Rounding::of_field(row)).collect()),
        ellipsis: None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use botdesk_api::accounts::Account;
    use botdesk_api::dca_bots::DcaBot;
    use botdesk_api::smart_trades::SmartTrade;
    use botdesk_schema::record::Record as _;
    use botdesk_schema::secrets::MAX_VALUE_LENGTH;

    fn view(json: &serde_json::Value) -> View {
        View::of(DcaBot::from_json(&json.to_string()).unwrap().fields(), None)
    }

    fn line(text: &str) -> String {
        summary(DcaBot::from_json(text).unwrap().fields())
    }

    #[test]
    fn a_record_in_one_line_shows_its_present_fields() {
        let shown = line(
            r#"{"url_secret": "hush", "id": 41, "is_enabled": true, "name": "It's \u00fc", "take_profit": null,
            "pairs": ["USDT_ETH", "USDT_BTC"], "cooldown": "5", "new": 1}"#,
        );
        let expected = "<DcaBot id=41 is_enabled=True name='It\\'s ü' pairs=['USDT_ETH', 'USDT_BTC'] take_profit=None>";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_secret_is_never_in_the_line() {
        for secret in DcaBot::ROWS.iter().filter(|row| row.secret) {
            assert_eq!(line(&format!(r#"{{"id": 41, "{}": [12345]}}"#, secret.wire)), "<DcaBot id=41>");
        }
    }

    #[test]
    fn the_line_shows_the_beginning_of_a_long_value() {
        let long = "é".repeat(10_000);
        assert!(line(&format!(r#"{{"id": "{long}", "name": "{long}"}}"#)).chars().count() < 3 * MAX_VALUE_LENGTH);
    }

    #[test]
    fn a_record_that_is_not_an_object_is_unreadable() {
        let bots = DcaBot::list_from_json("[5]").unwrap();
        assert_eq!(bots.first().map(|bot| summary(bot.fields())).as_deref(), Some("<DcaBot unreadable>"));
    }

    #[test]
    fn fields_are_grouped_by_where_they_are_shown() {
        let view = view(&json!({"id": 41, "name": "Steady", "cooldown": "5", "mode": "long", "take_profit": null}));
        assert_eq!(view.title, "DCA bot 41 “Steady”");
        assert_eq!(
            view.shown,
            [("id", "41"), ("name", "Steady"), ("take_profit", "None")].map(|(a, b)| (a, b.to_owned()))
        );
        assert_eq!(view.others, [("cooldown", "5".to_owned())]);
        assert_eq!(view.unknown, [("mode".to_owned(), "long".to_owned())]);
    }

    #[test]
    fn the_account_of_a_record_has_what_the_record_knows() {
        let of_bot = |json: serde_json::Value| account_of(DcaBot::from_json(&json.to_string()).unwrap().fields());
        assert_eq!(of_bot(json!({"id": 41})), None);
        assert_eq!(of_bot(json!({"id": 41, "account_id": 7})).as_deref(), Some("account 7"));
        let named = json!({"id": 41, "account_id": 7, "account_name": "Spot\u{202e}"});
        assert_eq!(of_bot(named).as_deref(), Some("account 7 “Spot ”"));
        let account = json!({"id": 7, "name": "Play", "exchange_name": "Paper", "market_code": "paper_trading"});
        let account = Account::from_json(&account.to_string()).unwrap();
        assert_eq!(account_of(account.fields()).as_deref(), Some("account 7 “Play” (Paper, paper_trading)"));
    }

    #[test]
    fn nested_records_are_tables() {
        let steps = json!([{"amount_percentage": 50, "profit_percentage": "1.5"}, {"amount_percentage": "x"}, 7]);
        let view = view(&json!({"take_profit_steps": steps, "active_deals": []}));
        let [table] = view.lists.as_slice() else { panic!("one list was given: {view:?}") };
        assert_eq!(
            (table.title.as_str(), table.heads.as_slice()),
            ("take profit steps: 3", ["amount_percentage", "profit_percentage"].as_slice())
        );
        assert_eq!(table.rows, [["50", "1.5"], ["? \"x\"", ""], ["", ""]]);
        assert_eq!(view.others, [("active_deals", "[]".to_owned())]);
    }

    fn trade_cell(json: &serde_json::Value) -> Vec<(&'static str, String)> {
        let trade = SmartTrade::from_json(&json.to_string()).unwrap();
        View::of(trade.fields(), None).shown
    }

    #[test]
    fn a_record_in_a_record_shows_the_fields_that_stand_for_it() {
        let shown = trade_cell(&json!({
            "status": {"type": "waiting_targets", "basic_type": "waiting_targets", "title": "Waiting Targets"},
            "profit": {"volume": "24.26", "usd": "24.2618", "percent": "1.284"},
        }));
        assert_eq!(shown, [("status", "Waiting Targets".to_owned()), ("profit", "24.26 USD (1.28 %)".to_owned())]);
    }

    #[test]
    fn a_record_in_a_record_leaves_out_what_is_null() {
        let profit = trade_cell(&json!({"profit": {"volume": null, "usd": null, "percent": "0"}}));
        assert_eq!(profit, [("profit", "-".to_owned())]);
        let percent = trade_cell(&json!({"profit": {"usd": "1.5", "percent": null}}));
        assert_eq!(percent, [("profit", "1.50 USD".to_owned())]);
    }

    #[test]
    fn a_record_without_marked_fields_shows_its_line_without_its_type() {
        let untitled = trade_cell(&json!({"status": {"basic_type": "created", "error": null}}));
        assert_eq!(untitled, [("status", "basic_type=created".to_owned())]);
        let margin = SmartTrade::from_json(r#"{"margin": {"amount": "1.5", "total": "30"}}"#).unwrap();
        assert_eq!(View::of(margin.fields(), None).others, [("margin", "amount=1.5, total=30".to_owned())]);
    }

    #[test]
    fn a_value_of_another_type_is_marked() {
        assert_eq!(view(&json!({"name": [1]})).shown, [("name", "? [1]".to_owned())]);
    }

    #[test]
    fn a_record_that_is_not_an_object_is_marked() {
        let malformed = DcaBot::SPEC.restore("[1]", false).unwrap();
        assert_eq!(
            View::of(&malformed, Some("DCA bot")).title,
            "DCA bot: the response has something else in its place"
        );
    }

    #[test]
    fn a_long_list_is_truncated_and_counted() {
        let view = view(&json!({"take_profit_steps": vec![json!({"amount_percentage": 1}); MAX_ELEMENTS + 5]}));
        let [table] = view.lists.as_slice() else { panic!("one list was given") };
        assert_eq!((table.title.as_str(), table.rows.len()), ("take profit steps: 105", MAX_ELEMENTS));
        assert_eq!(table.notes, ["and 5 more"]);
    }

    proptest! {
        #[test]
        fn no_secret_is_shown(secret in "[a-z0-9]{12,40}", unknown in "[a-z_]{1,12}") {
            let account = json!({
                "api_key": &secret,
                "customer_id": &secret,
                "secret": &secret,
                "url_secret": {"deep": &secret},
                "name": json!({"api_key": &secret}).to_string(),
                "stats_supported": {"passphrase": &secret},
                unknown: {"list": [{"address": &secret}]},
            });
            let shown = format!("{:?}", View::of(Account::from_json(&account.to_string()).unwrap().fields(), None));
            prop_assert!(!shown.contains(&secret), "{shown}");
        }
    }
}
