//! Grid bots: edits, notes and enabling.

use serde_json::{Map, json};

use super::*;
use botdesk_api::grid_bots::GridBotEdit;
use botdesk_schema::input::Rule;

fn body(changes: Value) -> String {
    let required = json!({
        "upper_price": "70000",
        "lower_price": "56000",
        "grids_quantity": 40,
        "quantity_per_grid": "100",
        "upper_stop_loss_enabled": false,
    });
    let mut members: Map<String, Value> = serde_json::from_value(required).unwrap();
    members.extend(serde_json::from_value::<Map<_, _>>(changes).unwrap());
    Value::Object(members).to_string()
}

impl TestClient {
    async fn edit_grid(&self, id: u64, changes: Value) -> Response {
        self.request("PATCH", &format!("/ver1/grid_bots/{id}/manual"), &body(changes)).await
    }

    async fn note(&self, id: u64, body: &Value) -> Response {
        self.request("POST", &format!("/ver1/grid_bots/{id}/note"), &body.to_string()).await
    }

    async fn enable(&self, id: u64) -> Response {
        self.request("POST", &format!("/ver1/grid_bots/{id}/enable"), "").await
    }
}

fn lines(bot: &Value) -> &Vec<Value> {
    bot["grid_lines"].as_array().unwrap()
}

fn placed(bot: &Value, side: &str) -> usize {
    lines(bot).iter().filter(|line| line["side"] == side && line["order_placed"] == true).count()
}

#[tokio::test]
async fn a_disabled_bot_is_enabled_and_places_its_orders() {
    let client = TestClient::open(0).await;
    for id in [203, 2_376_446_601] {
        let before = client.note(id, &json!({"note": "x"})).await.body;
        assert_eq!((&before["is_enabled"], placed(&before, "buy"), placed(&before, "sell")), (&false.into(), 0, 0));
        let response = client.enable(id).await;
        assert_eq!((response.status, &response.body["is_enabled"]), (201, &true.into()));
        assert_eq!(response.body["start_price"], response.body["current_price"]);
        assert!(response.body["updated_at"].as_str() > before["updated_at"].as_str());
        let orders = placed(&response.body, "buy") + placed(&response.body, "sell");
        assert_eq!(orders, lines(&response.body).len() - 1);
        assert_eq!(client.enable(id).await.status, 201);
    }
}

#[tokio::test]
async fn a_bot_with_impossible_levels_stays_disabled() {
    let client = TestClient::open(0).await;
    let given = fields(json!({"quantity_per_grid": "0", "grid_lines": []}), json!({}));
    let id = client.sandbox.add("grid_bots", given).unwrap();
    assert_eq!(client.enable(id).await.messages("quantity_per_grid"), ["must be greater than 0"]);
    let noted = client.note(id, &json!({"note": "still off"})).await;
    assert_eq!((noted.status, &noted.body["is_enabled"]), (201, &false.into()));
}

#[tokio::test]
async fn an_edit_recalculates_the_levels() {
    let client = TestClient::open(0).await;
    let changes = json!({"name": "Wide", "grids_quantity": 5, "lower_price": 60000, "upper_price": "64000.0"});
    let response = client.edit_grid(201, changes).await;
    assert_eq!(response.status, 200, "{}", response.body);
    let bot = response.body;
    let value = |field: &str| bot[field].as_str().unwrap().to_owned();
    assert_eq!([value("name"), value("grids_quantity")], ["Wide", "5"]);
    assert_eq!([value("lower_price"), value("upper_price")], ["60000", "64000.0"]);
    assert_eq!(value("grid_price_step").split('.').next(), Some("1000"));
    let prices: Vec<_> = lines(&bot).iter().map(|line| line["price"].as_str().unwrap()).collect();
    assert_eq!(prices, ["60000.0", "61000.0", "62000.0", "63000.0", "64000.0"]);
    let ids: Vec<_> = lines(&bot).iter().map(|line| line["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [201_000, 201_001, 201_002, 201_003, 201_004]);
    assert_eq!(client.note(201, &json!({"note": "x"})).await.body["grid_lines"], bot["grid_lines"]);
}

#[tokio::test]
async fn the_published_grids_have_their_levels() {
    let client = TestClient::open(0).await;
    let bot = client.edit_grid(201, json!({})).await.body;
    assert_eq!(bot["grid_price_step"], "358.974358974358974358974358974358974359");
    assert_eq!((lines(&bot).len(), &lines(&bot)[4]["price"]), (40, &"57435.9".into()));
    let bot = client.enable(202).await.body;
    assert!(bot["grid_price_step"].as_str().unwrap().starts_with("1.00399920581210916146041542739112586575"));
    assert_eq!((lines(&bot).len(), &bot["grids_quantity"]), (81, &"81".into()));
    assert_eq!((&lines(&bot)[0]["price"], &lines(&bot)[80]["price"]), (&"0.016352".into(), &"0.022503".into()));
}

#[tokio::test]
async fn levels_below_the_price_buy_and_those_above_it_sell() {
    let client = TestClient::open(0).await;
    let bot = client.enable(201).await.body;
    let sides: Vec<_> = lines(&bot).iter().map(|line| line["side"].as_str()).collect();
    let middle = sides.iter().position(Option::is_none).unwrap();
    assert!(sides[..middle].iter().all(|side| *side == Some("buy")));
    assert!(sides[middle + 1..].iter().all(|side| *side == Some("sell")));
    let number = |value: &Value| value.as_str().unwrap().parse::<f64>().unwrap();
    let distance = |line: &Value| (number(&line["price"]) - number(&bot["current_price"])).abs();
    assert!(lines(&bot).iter().all(|line| distance(line) >= distance(&lines(&bot)[middle])));
    assert_eq!(lines(&bot)[middle]["order_placed"], false);
}

#[tokio::test]
async fn no_more_orders_are_placed_than_may_be_active() {
    let client = TestClient::open(0).await;
    let bot = client.edit_grid(201, json!({"max_active_buy_lines": 3, "max_active_sell_lines": "2"})).await.body;
    assert_eq!((placed(&bot, "buy"), placed(&bot, "sell")), (3, 2));
    assert_eq!((&bot["max_active_buy_lines"], &bot["max_active_sell_lines"]), (&"3".into(), &"2".into()));
    let middle = lines(&bot).iter().position(|line| line["side"].is_null()).unwrap();
    let placed: Vec<_> = lines(&bot)[middle - 3..=middle + 2].iter().map(|line| line["order_placed"] == true).collect();
    assert_eq!(placed, [true, true, true, false, true, true]);
}

#[tokio::test]
async fn both_names_of_the_number_of_levels_are_accepted() {
    let client = TestClient::open(0).await;
    for (names, levels) in [
        (json!({"grids_quantity": 7}), 7),
        (json!({"grid_quantity": 8}), 8),
        (json!({"grid_quantity": "9"}), 9),
        (json!({"grids_quantity": 10, "grid_quantity": 10}), 10),
    ] {
        let mut members: Map<String, Value> = serde_json::from_str(&body(json!({}))).unwrap();
        members.remove("grids_quantity");
        members.extend(serde_json::from_value::<Map<_, _>>(names).unwrap());
        let response = client.request("PATCH", "/ver1/grid_bots/201/manual", &Value::Object(members).to_string()).await;
        assert_eq!(response.body["grids_quantity"], levels.to_string(), "{}", response.body);
        assert_eq!(lines(&response.body).len(), levels);
        assert!(response.body.get("grid_quantity").is_none());
    }
}

#[tokio::test]
async fn counts_and_some_booleans_are_stored_as_strings() {
    let client = TestClient::open(0).await;
    let changes = json!({
        "trailing_up_enabled": true,
        "expansion_down_enabled": true,
        "expansion_down_stop_price": 50000.5,
        "lower_stop_loss_enabled": true,
        "lower_stop_loss_price": "49000",
        "ignore_warnings": true,
        "mode": "short",
        "note": "n",
    });
    let bot = client.edit_grid(201, changes).await.body;
    let value = |field: &str| bot[field].clone();
    assert_eq!((value("trailing_up_enabled"), value("expansion_down_enabled")), ("true".into(), "true".into()));
    assert_eq!((value("lower_stop_loss_enabled"), value("upper_stop_loss_enabled")), (true.into(), false.into()));
    assert_eq!(
        (value("expansion_down_stop_price"), value("lower_stop_loss_price")),
        ("50000.5".into(), "49000".into())
    );
    assert_eq!((value("mode"), value("note"), value("ignore_warnings")), (Value::Null, "n".into(), Value::Null));
}

#[tokio::test]
async fn only_a_bot_on_a_futures_account_has_a_direction() {
    let client = TestClient::open(0).await;
    assert_eq!(client.edit_grid(201, json!({"mode": "short"})).await.body["mode"], Value::Null);
    for mode in ["short", "reversal", "long"] {
        let bot = client.edit_grid(204, json!({"mode": mode})).await.body;
        assert_eq!(bot["mode"], mode);
        // An edit without a direction keeps it.
        assert_eq!(client.edit_grid(204, json!({})).await.body["mode"], mode);
    }
}

#[tokio::test]
async fn an_order_in_the_quote_currency_needs_its_quantity() {
    let client = TestClient::open(0).await;
    let changes = json!({
        "upper_price": 4000, "lower_price": 3000, "grids_quantity": 11, "quantity_per_grid": 20,
        "order_currency_type": "quote",
    });
    let bot = client.edit_grid(203, changes).await.body;
    let buys = lines(&bot).iter().filter(|line| line["side"] == "buy").count();
    assert_eq!(bot["investment_quote_currency"], (20 * buys).to_string());
    assert!(buys > 0, "{bot}");
}

#[tokio::test]
async fn missing_required_fields_of_a_grid_are_reported_by_name() {
    let client = TestClient::open(0).await;
    let response = client.request("PATCH", "/ver1/grid_bots/201/manual", "{}").await;
    for row in GridBotEdit::INPUTS.rows {
        let required = row.rules.iter().any(|rule| matches!(rule, Rule::Required));
        let expected: &[&str] = if required { &["is required"] } else { &[] };
        assert_eq!(response.messages(row.documented_name()), expected, "{}", row.wire);
    }
    assert_eq!(response.messages("grid_quantity"), ["is required"]);
    assert_eq!(response.messages("grids_quantity"), [""; 0]);
}

#[tokio::test]
async fn two_names_for_the_levels_must_agree() {
    let client = TestClient::open(0).await;
    for agreeing in [json!(12), json!("12")] {
        let response = client.edit_grid(201, json!({"grid_quantity": 12, "grids_quantity": agreeing})).await;
        assert_eq!((response.status, &response.body["grids_quantity"]), (200, &"12".into()), "{}", response.body);
    }
    for (changes, message) in [
        (
            json!({"grid_quantity": 12, "grids_quantity": 10}),
            "is 12, but grids_quantity is 10; send one of the two, or the same value",
        ),
        (
            json!({"grid_quantity": null, "grids_quantity": 10}),
            "is null, but grids_quantity is 10; send one of the two, or the same value",
        ),
    ] {
        assert_eq!(client.edit_grid(201, changes).await.messages("grid_quantity"), [message]);
    }
    assert_eq!(lines(&client.enable(201).await.body).len(), 12);
}

#[tokio::test]
async fn a_broken_rule_is_reported_and_nothing_is_changed() {
    let client = TestClient::open(0).await;
    let before = client.note(201, &json!({"note": "x"})).await.body;
    let long = "n".repeat(301);
    for (changes, field) in [
        (json!({"upper_price": "56000"}), "upper_price"),
        (json!({"upper_price": 10}), "upper_price"),
        (json!({"upper_price": "high"}), "upper_price"),
        (json!({"lower_price": "0"}), "lower_price"),
        (json!({"lower_price": -1, "grid_type": "geometric"}), "lower_price"),
        (json!({"quantity_per_grid": 0}), "quantity_per_grid"),
        (json!({"grids_quantity": 1}), "grid_quantity"),
        (json!({"grids_quantity": 201}), "grid_quantity"),
        (json!({"grids_quantity": -5}), "grid_quantity"),
        (json!({"grids_quantity": 9_999_999_999_u64}), "grid_quantity"),
        (json!({"grids_quantity": 1.5}), "grid_quantity"),
        (json!({"upper_price": "56000.5"}), "grid_quantity"),
        (json!({"lower_price": "1e-300", "upper_price": "1e300", "grid_type": "geometric"}), "upper_price"),
        (json!({"grid_type": "round"}), "grid_type"),
        (json!({"grid_type": null}), "grid_type"),
        (json!({"upper_stop_loss_action": "panic"}), "upper_stop_loss_action"),
        (json!({"upper_stop_loss_enabled": null}), "upper_stop_loss_enabled"),
        (json!({"expansion_down_enabled": true}), "expansion_down_stop_price"),
        (json!({"expansion_up_enabled": true}), "expansion_up_stop_price"),
        (json!({"note": ""}), "note"),
        (json!({"note": long}), "note"),
    ] {
        let response = client.edit_grid(201, changes.clone()).await;
        assert_eq!(response.messages(field).len(), 1, "{changes}: {}", response.body);
        assert_eq!(response.body["error_attributes"].as_object().unwrap().len(), 1, "{changes}: {}", response.body);
    }
    let mut after = client.note(201, &json!({"note": "x"})).await.body;
    after["updated_at"] = before["updated_at"].clone();
    assert_eq!(after, before);
}

#[tokio::test]
async fn null_resets_optional_fields() {
    let client = TestClient::open(0).await;
    let changes = json!({
        "lower_stop_loss_enabled": false, "lower_stop_loss_price": null, "note": null, "max_active_buy_lines": null,
    });
    let bot = client.edit_grid(204, changes).await.body;
    assert_eq!((&bot["lower_stop_loss_price"], &bot["note"]), (&Value::Null, &Value::Null));
    assert_eq!(bot["max_active_buy_lines"], "50");
}

#[tokio::test]
async fn a_note_has_1_to_300_characters() {
    let client = TestClient::open(0).await;
    for note in ["n".to_owned(), "ü".repeat(300), "\u{1f600}".repeat(300)] {
        let response = client.note(203, &json!({"note": note})).await;
        assert_eq!((response.status, &response.body["note"]), (201, &note.into()));
    }
    for (note, message) in [
        (json!({"note": "ü".repeat(301)}), "must have 1 to 300 characters, not 301"),
        (json!({}), "is required"),
        (json!({"note": null}), "is required"),
        (json!({"note": 5}), "must be a string, not 5"),
    ] {
        assert_eq!(client.note(203, &note).await.messages("note"), [message]);
    }
    assert!(!client.note(203, &json!({"note": ""})).await.messages("note").is_empty());
    assert_eq!(client.note(203, &json!([])).await.messages("base").len(), 1);
}

#[tokio::test]
async fn a_note_is_accepted_in_the_query_a_form_or_json() {
    let client = TestClient::open(0).await;
    for encoding in ALL_ENCODINGS {
        let response =
            client.send_values(encoding, "POST", "/ver1/grid_bots/203/note", &[("note", "Früh & spät+1")]).await;
        assert_eq!(
            (response.status, &response.body["note"]),
            (201, &"Früh & spät+1".into()),
            "{encoding:?}: {}",
            response.body
        );
        let response = client.send_values(encoding, "POST", "/ver1/grid_bots/203/note", &[("note", "")]).await;
        assert_eq!(response.messages("note"), ["is required"], "{encoding:?}");
    }
}

#[tokio::test]
async fn a_grid_can_be_edited_with_a_form() {
    let client = TestClient::open(0).await;
    let values = [
        ("upper_price", "70000"),
        ("lower_price", "56000"),
        ("grid_quantity", "40"),
        ("quantity_per_grid", "100"),
        ("upper_stop_loss_enabled", "false"),
    ];
    for encoding in [Encoding::Query, Encoding::Form] {
        let response = client.send_values(encoding, "PATCH", "/ver1/grid_bots/201/manual", &values).await;
        assert_eq!((response.status, lines(&response.body).len()), (200, 40), "{encoding:?}: {}", response.body);
    }
}

#[tokio::test]
async fn an_unknown_grid_bot_is_not_found() {
    let client = TestClient::open(0).await;
    for response in [
        client.edit_grid(999, json!({})).await,
        client.note(999, &json!({"note": "x"})).await,
        client.enable(999).await,
    ] {
        assert_eq!(
            (response.status, response.body),
            (404, json!({"error": "not_found", "error_description": "Not Found"}))
        );
    }
    // The ids of DCA bots are not ids of grid bots.
    assert_eq!(TestClient::open(1).await.enable(41).await.status, 404);
}

#[tokio::test]
async fn prices_of_any_length_are_validated_quickly() {
    let client = TestClient::open(0).await;
    let long = "9".repeat(900);
    for (lower, upper) in [
        ("1e-999".to_owned(), "1e999".to_owned()),
        (format!("0.{long}"), format!("{long}.5")),
        (format!("1.{long}"), format!("2.{long}")),
    ] {
        for grid_type in ["arithmetic", "geometric"] {
            let changes =
                json!({"lower_price": lower, "upper_price": upper, "grids_quantity": 200, "grid_type": grid_type});
            let status = client.edit_grid(201, changes).await.status;
            assert!([200, 400].contains(&status), "{lower} {upper}: {status}");
        }
    }
}

#[tokio::test]
async fn what_the_service_never_returns_is_kept_and_not_returned() {
    let client = TestClient::open(0).await;
    let changes = json!({
        "trailing_down_enabled": true, "expansion_up_enabled": true, "expansion_up_stop_price": 90_000,
        "trailing_up_enabled": true,
    });
    let edited = client.edit_grid(201, changes).await.body;
    let bots = client.request("GET", "/ver1/grid_bots", "").await.body;
    let listed = bots.as_array().unwrap().iter().find(|bot| bot["id"] == 201).unwrap().clone();
    let again = client.enable(201).await.body;
    let stopped = client.request("POST", "/ver1/grid_bots/201/disable", "").await.body;
    let started = client.enable(201).await.body;
    let noted = client.note(201, &json!({"note": "x"})).await.body;
    let shown = client.request("GET", "/ver1/grid_bots/201", "").await.body;
    for bot in [edited, listed, again, stopped, started, noted, shown] {
        assert_eq!(bot["trailing_up_enabled"], "true");
        for field in ["trailing_down_enabled", "expansion_up_enabled", "expansion_up_stop_price"] {
            assert_eq!(bot.get(field), None, "{field}");
        }
    }
}

#[tokio::test]
async fn an_edit_follows_the_rules_of_a_new_bot() {
    let client = TestClient::open(0).await;
    let included = "is not included in the list";
    let least = "the order at 56000 is worth 4, less than the minimum of 5";
    for (changes, field, message) in [
        (json!({"order_currency_type": "euro"}), "order_currency_type", included),
        (json!({"profit_currency_type": "Quote"}), "profit_currency_type", included),
        (json!({"mode": "sideways"}), "mode", included),
        (json!({"quantity_per_grid": 4}), "quantity_per_grid", least),
        (json!({"lower_stop_loss_enabled": true}), "lower_stop_loss_price", "is missing"),
        (
            json!({"upper_stop_loss_enabled": true, "upper_stop_loss_price": 60_000}),
            "upper_stop_loss_price",
            "must be above upper_price",
        ),
        (
            json!({"lower_stop_loss_action": "stop_bot_and_close_position"}),
            "lower_stop_loss_action",
            "is not available for this account",
        ),
    ] {
        let response = client.edit_grid(201, changes).await;
        assert_eq!(response.messages(field), [message], "{field}");
    }
    let large = client.edit_grid(204, json!({"leverage_type": "isolated", "leverage_custom_value": 51})).await;
    assert_eq!(large.messages("leverage_custom_value"), ["must be at most 50"]);
    let changes = json!({"account_id": 1002, "pair": "USDT_BTC", "leverage_type": "isolated"});
    let none = client.request("POST", "/ver1/grid_bots/manual", &body(changes)).await;
    assert_eq!(none.messages("leverage_custom_value"), ["is missing"]);
    let stop = json!({"upper_stop_loss_enabled": true, "upper_stop_loss_price": 60_000, "ignore_warnings": true});
    assert_eq!(client.edit_grid(201, stop).await.status, 200);
    // What is there already prevents no other change.
    assert_eq!(client.edit_grid(201, json!({"name": "Renamed"})).await.body["name"], "Renamed");
}
