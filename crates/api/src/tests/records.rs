//! Decoding of records, and the text that they keep.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::dca_bots::DcaBot;
use crate::grid_bots::GridProfit;
use crate::reference;
use crate::strategy::Strategy as BotStrategy;
use crate::take_profit_step::TakeProfitStep;
use botdesk_schema::record::MAX_EXCERPT_LENGTH;
use botdesk_schema::record::{DecodeError, FieldError, Record, RecordSpec};
use botdesk_schema::values::DecimalText;

fn step(text: &str) -> TakeProfitStep {
    TakeProfitStep::from_json(text).unwrap()
}

fn steps(text: &str) -> Vec<TakeProfitStep> {
    TakeProfitStep::list_from_json(text).unwrap()
}

fn bot(text: &str) -> DcaBot {
    DcaBot::from_json(text).unwrap()
}

fn samples_read(spec: &'static RecordSpec) {
    let members: Vec<_> = spec.rows.iter().map(|row| format!("\"{}\": {}", row.wire, row.sample)).collect();
    let record = spec.from_json(&format!("{{{}}}", members.join(","))).unwrap();
    assert!(record.type_errors().next().is_none(), "{}", spec.name);
    for (index, row) in spec.rows.iter().enumerate() {
        let sample = record.get(index).unwrap();
        // Some records have another value in place of null.
        let same = serde_json::from_str::<Value>(if row.sample == row.none { "null" } else { row.sample }).unwrap();
        assert_eq!(serde_json::from_str::<Value>(sample.text()).unwrap(), same, "{}", row.name);
    }
}

#[test]
fn every_sample_is_json_and_has_the_type_of_its_field() {
    reference::records().for_each(samples_read);
}

#[test]
fn a_row_has_the_sample_of_its_type_by_default() {
    let sample = |name: &str| DcaBot::ROWS.iter().find(|row| row.name == name).unwrap().sample;
    assert_eq!((sample("stop_loss_percentage"), sample("cooldown")), ("\"0.0\"", "\"0\""));
    assert_eq!((sample("strategy"), sample("take_profit_type")), ("\"long\"", "\"total\""));
    assert_eq!(sample("strategy_list"), r#"[{"strategy": "nonstop", "options": {}}]"#);
}

#[test]
fn a_field_is_identified_by_its_json_name() {
    let bot = bot(r#"{"deletable?": true, "deletable": false, "r#type": 1, "type": "Bot::MultiBot"}"#);
    assert_eq!(bot.deletable(), Ok(Some(true)));
    assert_eq!(bot.r#type().unwrap().unwrap().as_str(), "Bot::MultiBot");
    let present: Vec<_> = bot.fields().present().map(|(row, _)| row.name).collect();
    assert_eq!(present, ["type", "deletable"]);
    let extra: Vec<_> = bot.fields().extra().map(|(key, value)| (key, value.text())).collect();
    assert_eq!(extra, [("deletable".to_owned(), "false"), ("r#type".to_owned(), "1")]);
}

#[test]
fn null_differs_from_absent() {
    let step = step(r#"{"id": null}"#);
    assert_eq!((step.id(), step.amount_percentage()), (Ok(None), Ok(None)));
    let fields = step.fields();
    assert!(fields.value("id").unwrap().is_null());
    assert!(fields.value("amount_percentage").is_none());
    assert_eq!(fields.present().count(), 1);
}

#[test]
fn the_json_is_kept_byte_for_byte() {
    let text = "{ \"id\" :1.0,\n\"note\": \"\\u00fc\" }";
    assert_eq!(step(&format!(" {text}\t")).fields().text(), text);
    let texts: Vec<_> = steps(&format!("[ {text} ,{{}}]")).iter().map(|step| step.fields().text().to_owned()).collect();
    assert_eq!(texts, [text, "{}"]);
}

#[test]
fn records_of_a_page_share_the_body_in_blocks() {
    let step = format!(r#"{{"id": 1, "note": "{}"}}"#, "x".repeat(1_000));
    let page = steps(&format!("[{}]", vec![step.as_str(); 100].join(", ")));
    let kept: HashSet<_> = page.iter().map(|step| step.fields().json().source().as_ptr()).collect();
    assert!((2..=10).contains(&kept.len()), "{}", kept.len());
    for record in &page {
        assert_eq!((record.fields().text(), record.id()), (step.as_str(), Ok(Some(1))));
        assert!(record.fields().json().source().len() < 20_000);
    }
}

#[test]
fn a_record_of_any_length_reads_the_same() {
    let long = "x".repeat(200_000);
    let records = steps(&format!(r#"[{{"id": 1}}, {{"note": "{long}", "id": 2}}, {{"id": 3, "new": "{long}"}}]"#));
    let ids: Vec<_> = records.iter().map(|step| step.id().unwrap().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3]);
    assert_eq!(records[2].fields().value("new").unwrap().text().len(), long.len() + 2);
    assert_eq!(step(records[1].fields().text()), records[1]);
}

#[test]
fn objects_may_contain_white_space() {
    let steps = steps("[{\"id\":0,\"new\":1},{ \"id\" : 1 , \"new\":1 } ,\n{\"id\":2,\"new\":1},{},{\"id\":4 }]");
    let ids: Vec<_> = steps.iter().map(|step| step.id().unwrap()).collect();
    assert_eq!(ids, [Some(0), Some(1), Some(2), None, Some(4)]);
    assert_eq!(steps.iter().map(|step| step.fields().extra().count()).collect::<Vec<_>>(), [1, 1, 1, 0, 0]);
    let keys: Vec<_> = steps.iter().flat_map(|step| step.fields().extra()).map(|(key, _)| key).collect();
    assert_eq!(keys, ["new"; 3]);
}

#[test]
fn invalid_json_in_a_list_of_similar_objects_is_rejected() {
    for malformed in ["{\"id\":1,}", "{\"id\":1 \"new\":2}", "{\"id\":1", "{,\"id\":1}", "{\"id\":1,\"new\":}"] {
        let text = format!(r#"[{{"id":1,"new":2}},{{"id":1,"new":2}},{malformed}]"#);
        assert!(matches!(TakeProfitStep::list_from_json(&text), Err(DecodeError::Malformed(_))), "{malformed}");
    }
}

#[test]
fn objects_in_a_list_may_have_their_members_in_different_orders() {
    let steps = steps(
        r#"[
            {"id": 0, "amount_percentage": 10, "profit_percentage": 1},
            {"profit_percentage": 2, "id": 1, "amount_percentage": 20},
            {"amount_percentage": 30, "new": true, "id": 2},
            {"id": 3, "amount_percentage": 40, "profit_percentage": 4}
        ]"#,
    );
    let ids: Vec<_> = steps.iter().map(|step| step.id().unwrap().unwrap()).collect();
    assert_eq!(ids, [0, 1, 2, 3]);
    let profits: Vec<_> = steps.iter().map(|step| step.profit_percentage().unwrap()).collect();
    let profits: Vec<_> = profits.iter().map(|profit| profit.as_ref().map(DecimalText::as_str)).collect();
    assert_eq!(profits, [Some("1"), Some("2"), None, Some("4")]);
    assert_eq!(steps.iter().map(|step| step.fields().extra().count()).collect::<Vec<_>>(), [0, 0, 1, 0]);
}

#[test]
fn the_last_of_several_members_with_one_key_is_used() {
    let step = step(r#"{"id": 1, "new": 1, "id": 2, "\u0069d": 3, "new": 2}"#);
    assert_eq!(step.id(), Ok(Some(3)));
    assert_eq!(step.fields().value("new").unwrap().text(), "2");
}

#[test]
fn a_key_may_be_escaped() {
    let bot = bot(r#"{"\u0069d": 41, "deletable\u003f": true, "n\u00e9w": 5}"#);
    assert_eq!((bot.id(), bot.deletable()), (Ok(Some(41)), Ok(Some(true))));
    assert_eq!(bot.fields().value("n\u{e9}w").unwrap().text(), "5");
}

#[test]
fn an_element_that_is_not_an_object_does_not_affect_others() {
    for malformed in ["5", "null", "[]", "\"id\"", "true"] {
        let steps = steps(&format!(r#"[{{"id": 0}}, {malformed}, {{"id": 2}}]"#));
        assert_eq!((steps[0].id(), steps[2].id()), (Ok(Some(0)), Ok(Some(2))));
        let unreadable = FieldError {
            record: "TakeProfitStep",
            field: "id",
            expected: "a field of an object",
            text: malformed.to_owned(),
        };
        assert_eq!(steps[1].id(), Err(unreadable));
        assert_eq!(steps[1].unreadable().len(), TakeProfitStep::ROWS.len());
        assert_eq!(steps[1].fields().text(), malformed);
        assert_eq!((steps[1].fields().present().count(), steps[1].fields().extra().count()), (0, 0));
        assert_eq!(TakeProfitStep::SPEC.restore(malformed, true).as_ref(), Ok(steps[1].fields()));
    }
}

#[test]
fn json_of_another_type_is_not_a_record() {
    let message = |text: &str| TakeProfitStep::from_json(text).unwrap_err().to_string();
    assert_eq!(message("[]"), "the text is not a TakeProfitStep: expected a JSON object");
    assert_eq!(message("null"), "the text is not a TakeProfitStep: expected a JSON object");
    assert!(message("{").starts_with("the JSON is invalid: "));
    assert!(message("{} {}").starts_with("the JSON is invalid: "));
    let message = |text: &str| TakeProfitStep::list_from_json(text).unwrap_err().to_string();
    assert_eq!(message("{}"), "the text is not a TakeProfitStep: expected a JSON array of them");
    assert!(message("[{}").starts_with("the JSON is invalid: "));
    assert_eq!(steps("[]"), []);
}

#[test]
fn a_nested_record_is_read_like_any_other() {
    let inner = r#"{"strategy": "rsi", "options": {"points": 30}, "new": 1}"#;
    let bot = bot(&format!(r#"{{"id": 41, "strategy_list": [{{}}, {inner}]}}"#));
    let strategies = bot.strategy_list().unwrap().unwrap();
    assert_eq!(strategies[1], BotStrategy::from_json(inner).unwrap());
    assert_eq!(strategies[1].fields().text(), inner);
    assert_eq!(strategies[1].strategy().unwrap().unwrap(), "rsi");
    assert_eq!(strategies[1].options().unwrap().unwrap().0.text(), r#"{"points": 30}"#);
    assert_eq!(strategies[1].fields().value("new").unwrap().text(), "1");
    assert_eq!(strategies[0].strategy(), Ok(None));
}

#[test]
fn records_nest_to_any_depth() {
    let bot = bot(r#"{"active_deals": [{"id": 410, "take_profit_steps": [{"id": 0}, {"id": 1}]}]}"#);
    let deals = bot.active_deals().unwrap().unwrap();
    let steps = deals[0].take_profit_steps().unwrap().unwrap();
    assert_eq!((deals[0].id(), steps[1].id()), (Ok(Some(410)), Ok(Some(1))));
}

#[test]
fn a_malformed_element_in_a_record_does_not_affect_others() {
    let bot = bot(r#"{"strategy_list": [{"strategy": "rsi"}, 5]}"#);
    let strategies = bot.strategy_list().unwrap().unwrap();
    assert_eq!(strategies[0].strategy().unwrap().unwrap(), "rsi");
    assert_eq!(strategies[1].strategy().unwrap_err().to_string(), "Strategy.strategy is not a field of an object: 5");
}

#[test]
fn records_with_the_same_json_are_equal() {
    let text = r#"{"id": 1}"#;
    let in_list = steps(&format!("[{{}}, {text}]")).remove(1);
    assert_eq!(step(text), in_list);
    assert_ne!(step(text), step(r#"{"id":1}"#));
    let distinct: HashSet<_> = [step(text), in_list, step(r#"{"id":1}"#)].into_iter().collect();
    assert_eq!(distinct.len(), 2);
}

#[test]
fn a_message_about_a_secret_hides_it() {
    let secret = DcaBot::ROWS.iter().find(|row| row.secret).unwrap();
    let bot = bot(&format!(r#"{{"id": 41, "{}": [12345]}}"#, secret.wire));
    assert_eq!(bot.unreadable().len(), 1);
    assert_eq!(bot.unreadable()[0].to_string(), format!("DcaBot.{} is not a text: <hidden>", secret.name));
}

#[test]
fn a_message_shows_the_beginning_of_a_long_value() {
    let long = "é".repeat(10_000);
    let bot = bot(&format!(r#"{{"id": "{long}", "name": "{long}"}}"#));
    assert_eq!(bot.id().unwrap_err().text.chars().count(), MAX_EXCERPT_LENGTH);
}

/// Keys that a response may have, the last one a documented key with an escape.
const KEYS: [&str; 6] = ["id", "amount_percentage", "profit_percentage", "ids", "", "\\u0069d"];

proptest! {
    #[test]
    fn each_object_of_a_list_is_sorted_by_its_own_keys(objects in vec(vec(0..KEYS.len(), 0..8), 0..6)) {
        let mut count = 0;
        let objects = objects.iter().map(|keys| {
            let members = keys.iter().map(|key| {
                count += 1;
                format!("\"{}\": {count}", KEYS[*key])
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        });
        let objects: Vec<_> = objects.collect();
        for (step, text) in steps(&format!("[{}]", objects.join(","))).iter().zip(&objects) {
            let expected: Map<String, Value> = serde_json::from_str(text).unwrap();
            for key in &KEYS[..5] {
                let found = step.fields().value(key).map(|value| value.text().to_owned());
                prop_assert_eq!(found, expected.get(*key).map(Value::to_string), "{} in {}", key, text);
            }
            let known = step.fields().present().count();
            let others: HashSet<_> = step.fields().extra().map(|(key, _)| key).collect();
            prop_assert_eq!(known + others.len(), expected.len());
        }
    }

    #[test]
    fn a_list_of_similar_objects_is_accepted_like_by_serde_json(
        count in 1_usize..6, at in any::<prop::sample::Index>(), byte in r#"[{}\[\]:,"x1\\ ]"#,
    ) {
        let object = r#"{"id":1,"first":2,"second":[{"a":"x","b":[1,2]},{"a":"y\n","b":[]}],"other":{"c":null,"d":{}}}"#;
        let mut text = format!("[{}]", vec![object; count].join(","));
        let at = at.index(text.len());
        text.replace_range(at..=at, &byte);
        let parsed: Option<Vec<Value>> = serde_json::from_str(&text).ok();
        let list = TakeProfitStep::list_from_json(&text).ok();
        prop_assert_eq!(list.as_ref().map(Vec::len), parsed.map(|parsed| parsed.len()));
        for step in list.into_iter().flatten().filter(|step| !step.fields().is_malformed()) {
            // A single record is not compared with any layout.
            let alone = TakeProfitStep::from_json(step.fields().text()).unwrap();
            prop_assert_eq!(members(&step), members(&alone));
        }
    }
}

fn members(step: &TakeProfitStep) -> Vec<(String, String)> {
    let known = step.fields().present().map(|(row, json)| (row.name.to_owned(), json));
    known.chain(step.fields().extra()).map(|(name, json)| (name, json.text().to_owned())).collect()
}

#[test]
fn a_field_is_read_under_its_other_name_only_if_its_own_is_missing() {
    let line = |profit: &str| {
        let profit = GridProfit::from_json(profit).unwrap();
        profit.grid_line().unwrap().and_then(|line| line.id().unwrap())
    };
    assert_eq!(line(r#"{"grid_lines": {"id": 1}}"#), Some(1));
    assert_eq!(line(r#"{"grid_lines": {"id": 1}, "grid_line": {"id": 2}}"#), Some(2));
    assert_eq!(line(r#"{"grid_lines": {"id": 1}, "grid_line": null}"#), None);
    assert_eq!(line(r#"{"lines": {"id": 1}}"#), None);
}
