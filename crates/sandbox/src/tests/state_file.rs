//! State files: contents and errors.

use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::state::State;
use crate::state_file::{SavedState, write};

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn lively() -> State {
    let mut state = odd_state(3, 20);
    for price in ["3000", "3500", "3600", "2000"] {
        state.set_price("USDT_ETH", price.parse().unwrap()).unwrap();
        state.set_price("USDT_BTC", price.parse().unwrap()).unwrap();
        let until = crate::clock::later(state.clock.now(), jiff::SignedDuration::from_hours(400));
        state.advance_to(until);
    }
    state
}

fn written(text: &str) -> (TempDir, PathBuf) {
    let folder = folder();
    let path = folder.path().join("desk.json");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn read(text: &str) -> Result<State, String> {
    let (_folder, path) = written(text);
    let read = SavedState::read(&path).map(|state| state.0).map_err(|error| error.to_string());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    if let Err(error) = &read {
        assert!(error.contains("desk.json"), "{error}");
    }
    read
}

/// Returns the error for a state file with one changed value.
fn error_with(place: &str, value: Value) -> String {
    let mut document: Value = serde_json::from_str(&odd_state(1, 2).to_json().unwrap()).unwrap();
    // A member that is empty is not in the file.
    let (parent, name) = place.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap() {
        Value::Array(elements) => elements[name.parse::<usize>().unwrap()] = value,
        object => object[name] = value,
    }
    read(&document.to_string()).err().unwrap()
}

#[test]
fn a_state_file_is_read_as_it_was_written() {
    for state in [odd_state(1, 0), odd_state(1, 60), lively()] {
        let text = state.to_json().unwrap();
        assert_eq!(read(&text).unwrap().to_json().unwrap(), text);
    }
}

#[test]
fn a_restored_state_continues_as_the_original() {
    let mut one = lively();
    let mut other = read(&one.to_json().unwrap()).unwrap();
    for state in [&mut one, &mut other] {
        state.set_price("USDT_ETH", "4000".parse().unwrap()).unwrap();
        state.advance_to("2031-01-01T00:00:00Z".parse().unwrap());
    }
    assert_eq!(one.to_json().unwrap(), other.to_json().unwrap());
}

#[test]
fn the_same_calls_give_the_same_state() {
    assert_eq!(lively().to_json().unwrap(), lively().to_json().unwrap());
}

#[test]
fn missing_fields_get_their_samples() {
    let mut document: Value = serde_json::from_str(&odd_state(1, 1).to_json().unwrap()).unwrap();
    document["dca_bots"][0]["record"].as_object_mut().unwrap().shift_remove("cooldown");
    assert_eq!(read(&document.to_string()).unwrap().store.dca_bots[&41]["cooldown"], "0");
}

#[test]
fn a_resource_that_an_older_version_does_not_have_is_empty() {
    let mut document: Value = serde_json::from_str(&odd_state(1, 1).to_json().unwrap()).unwrap();
    document.as_object_mut().unwrap().shift_remove("smart_trades").unwrap();
    assert_eq!(read(&document.to_string()).unwrap().store.smart_trades.len(), 0);
}

#[test]
fn real_secrets_are_not_in_the_file() {
    let mut state = odd_state(1, 1);
    let given = |name: &str, value: &str| (name.to_owned(), Ok(json!(value)));
    state.add("accounts", vec![given("api_key", "real-key"), given("customer_id", "real-customer")]).unwrap();
    state.add("dca_bots", vec![given("url_secret", "real-secret")]).unwrap();
    let text = state.to_json().unwrap();
    assert!(!text.contains("real-"));
    assert_eq!(read(&text).unwrap().to_json().unwrap(), text);
}

#[test]
fn the_error_for_a_missing_file_explains_how_to_write_one() {
    let folder = folder();
    let error = SavedState::read(&folder.path().join("none.json")).err().unwrap().to_string();
    assert!(error.contains("none.json") && error.contains("sandbox.dump(path)"), "{error}");
}

#[test]
fn other_files_are_rejected() {
    for (text, why) in [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("[]", "it is not a state file"),
        ("{}", "it is not a state file"),
        ("{\"format\": \"other\", \"version\": 1}", "its format is \"other\""),
        ("{\"format\": \"botdesk sandbox\", \"version\": 1}", "missing field"),
    ] {
        let error = read(text).err().unwrap();
        assert!(error.contains(why) && error.contains("pass a file that sandbox.dump(path) wrote"), "{text}: {error}");
    }
}

#[test]
fn a_file_of_a_newer_version_is_rejected() {
    let error = error_with("/version", json!(2));
    assert!(
        error.contains("a newer botdesk wrote it (format version 2") && error.contains("upgrade botdesk"),
        "{error}"
    );
}

#[test]
fn an_invalid_record_is_reported_by_its_location() {
    for (place, value, why) in [
        ("/accounts/0/name", json!(5), "accounts[0]: name is not a text"),
        ("/accounts/1/id", json!(101), "accounts[1]: the id 101 appears twice"),
        ("/dca_bots/1/record/id", json!(-1), "dca_bots[1]: id is not an integer greater than 0"),
        ("/dca_bots/1/record/account_id", json!(9), "dca_bots[1]: account_id names an account that does not exist"),
        ("/dca_bots/1/record/take_profit_steps", json!([5]), "dca_bots[1]: take_profit_steps is not an array"),
        (
            "/dca_bots/0/deals/0/record/bought_amount",
            json!("much"),
            "dca_bots[0].deals[0]: bought_amount is not a decimal",
        ),
        (
            "/dca_bots/0/deals/0/record/pair",
            json!("USDT_OLD"),
            "dca_bots[0].deals[0]: the market has no pair \"USDT_OLD\"",
        ),
        ("/dca_bots/0/deals/0/stops_at", json!("soon"), "dca_bots[0].deals[0].stops_at is not an ISO 8601 timestamp"),
        ("/grid_bots/0/grid_lines/3/price", json!([]), "grid_bots[0]: grid_lines is not an array"),
        ("/grid_bots/0/pair", json!("USDT_OLD"), "grid_bots[0]: the market has no pair"),
        ("/smart_trades/0/position/price", json!([]), "smart_trades[0]: position is not an object"),
        ("/smart_trades/0/pair", json!("USDT_OLD"), "smart_trades[0]: the market has no pair"),
        (
            "/smart_trades/0",
            json!({"id": 7, "status": "created", "max_reduce_funds_amount": "x"}),
            "smart_trades[0]: max_reduce_funds_amount is not a decimal",
        ),
        ("/trades/1/uuid", json!("0b9c5e4a-7d21-4c63-9f08-000000000501"), "trades[1]: the uuid"),
        ("/trades/0/account_id", json!(9), "trades[0]: account_id names an account that does not exist"),
        (
            "/grid_positions",
            json!([{"id": 999_999, "quantity": "1", "cost": "1"}]),
            "grid_positions[0]: no grid bot has the id 999999",
        ),
        (
            "/dca_bots/0/timers",
            json!([{"pair": "USDT_OLD", "cooldown_until": null, "starts_at": null}]),
            "dca_bots[0].timers[0]: \"USDT_OLD\" is not a pair of the bot, or appears twice",
        ),
        ("/market/0/price", json!("0"), "market[0]: price is not a decimal greater than 0"),
        ("/market/0/pair", json!("eth"), "market[0]: 'eth' is not a pair"),
        ("/clock", json!("noon"), "clock is not an ISO 8601 timestamp"),
        ("/accounts", json!({}), "accounts is not a list"),
        ("/dca_bots/1/targets", json!(1), "dca_bots[1]: unknown field `targets`"),
        (
            "/dca_bots/1/finished",
            json!([{"id": 410, "pair": "USDT_ETH"}]),
            "dca_bots[1].finished[0]: the id 410 appears twice",
        ),
        ("/deals", json!([]), "deals is not a member of a state file"),
        ("/orders", json!([]), "orders is not a member of a state file"),
    ] {
        let error = error_with(place, value);
        assert!(error.contains(why) && error.contains("correct it"), "{place}: {error}");
    }
}

#[test]
fn a_file_is_replaced_atomically_and_only_its_owner_may_read_it() {
    let (folder, path) = written("before");
    write(&path, "after").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "after");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn the_error_for_an_unwritable_file_names_it() {
    let folder = folder();
    let error = write(&folder.path().join("nowhere/desk.json"), "text").unwrap_err().to_string();
    assert!(error.contains("can't write the state file") && error.contains("nowhere/desk.json"), "{error}");
    // A folder with the name of the file: no temporary file remains.
    std::fs::create_dir(folder.path().join("desk.json")).unwrap();
    assert!(write(&folder.path().join("desk.json"), "text").is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_of_a_version_with_fewer_fields_of_smart_trades_is_read() {
    let mut document: Value = serde_json::from_str(&odd_state(1, 0).to_json().unwrap()).unwrap();
    document.as_object_mut().unwrap().remove("trades");
    document["smart_trades"] = json!([
        {"id": 301, "status": "waiting_targets", "max_reduce_funds_amount": "20.63369344"},
        {"id": 304, "status": "finished", "max_reduce_funds_amount": "1.5"},
    ]);
    let state = read(&document.to_string()).unwrap();
    let [waiting, finished] = [301, 304].map(|id| &state.store.smart_trades[&id]);
    assert_eq!((&waiting["status"]["title"], &finished["data"]["finished"]), (&json!("Waiting Targets"), &json!(true)));
    assert_eq!(waiting["data"]["entered_amount"], "20.63369344");
    assert_eq!(waiting["account"]["id"], 1002);
    assert!(state.store.trades.is_empty());
}
