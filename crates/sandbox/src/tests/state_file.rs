//! State files: what is written, and what is refused.

use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::file::{State, write};
use crate::seed;
use crate::state::World;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn lively() -> World {
    let mut world = seed::world(3, 20);
    for price in ["3000", "3500", "3600", "2000"] {
        world.set_price("USDT_ETH", price.parse().unwrap()).unwrap();
        world.set_price("USDT_BTC", price.parse().unwrap()).unwrap();
        let until = crate::clock::later(world.clock.now(), jiff::SignedDuration::from_hours(400));
        world.pass(until);
    }
    world
}

fn written(text: &str) -> (TempDir, PathBuf) {
    let folder = folder();
    let path = folder.path().join("desk.json");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn read(text: &str) -> Result<World, String> {
    let (_folder, path) = written(text);
    let read = State::read(&path).map(|state| state.0).map_err(|error| error.to_string());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    if let Err(error) = &read {
        assert!(error.contains("desk.json"), "{error}");
    }
    read
}

/// The message about a state file with one thing changed.
fn wrong(place: &str, value: Value) -> String {
    let mut document: Value = serde_json::from_str(&seed::world(1, 2).to_text().unwrap()).unwrap();
    *document.pointer_mut(place).unwrap() = value;
    read(&document.to_string()).err().unwrap()
}

#[test]
fn what_is_read_is_what_was_written() {
    for world in [seed::world(1, 0), seed::world(1, 60), lively()] {
        let text = world.to_text().unwrap();
        assert_eq!(read(&text).unwrap().to_text().unwrap(), text);
    }
}

#[test]
fn a_world_goes_on_as_it_would_have() {
    let mut one = lively();
    let mut other = read(&one.to_text().unwrap()).unwrap();
    for world in [&mut one, &mut other] {
        world.set_price("USDT_ETH", "4000".parse().unwrap()).unwrap();
        world.pass("2031-01-01T00:00:00Z".parse().unwrap());
    }
    assert_eq!(one.to_text().unwrap(), other.to_text().unwrap());
}

#[test]
fn the_same_calls_make_the_same_world() {
    assert_eq!(lively().to_text().unwrap(), lively().to_text().unwrap());
}

#[test]
fn a_record_that_leaves_fields_out_has_their_samples() {
    let mut document: Value = serde_json::from_str(&seed::world(1, 1).to_text().unwrap()).unwrap();
    document["dca_bots"][0]["record"].as_object_mut().unwrap().shift_remove("cooldown");
    assert_eq!(read(&document.to_string()).unwrap().dca_bots[&41].record["cooldown"], "0");
}

#[test]
fn what_a_caller_gave_as_a_secret_is_not_in_the_file() {
    let mut world = seed::world(1, 1);
    let given = |name: &str, value: &str| (name.to_owned(), Ok(json!(value)));
    world.add_account(vec![given("api_key", "real-key"), given("customer_id", "real-customer")]).unwrap();
    world.add_dca_bot(vec![given("url_secret", "real-secret")]).unwrap();
    let text = world.to_text().unwrap();
    assert!(!text.contains("real-"));
    assert_eq!(read(&text).unwrap().to_text().unwrap(), text);
}

#[test]
fn a_file_that_is_missing_says_what_writes_one() {
    let folder = folder();
    let error = State::read(&folder.path().join("none.json")).err().unwrap().to_string();
    assert!(error.contains("none.json") && error.contains("sandbox.dump(path)"), "{error}");
}

#[test]
fn what_is_no_state_file_is_refused() {
    for (text, why) in [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[]", "no state file"),
        ("{}", "no state file"),
        ("{\"format\": \"other\", \"version\": 1}", "its format is \"other\""),
        ("{\"format\": \"botdesk sandbox\", \"version\": 1}", "missing field"),
    ] {
        let error = read(text).err().unwrap();
        assert!(error.contains(why) && error.contains("give a file that sandbox.dump(path) wrote"), "{text}: {error}");
    }
}

#[test]
fn a_file_of_a_newer_version_is_refused() {
    let error = wrong("/version", json!(2));
    assert!(error.contains("a newer botdesk (version 2") && error.contains("upgrade botdesk"), "{error}");
}

#[test]
fn a_record_that_cannot_be_used_is_named() {
    for (place, value, why) in [
        ("/accounts/0/name", json!(5), "accounts[0]: name is not a text"),
        ("/accounts/1/id", json!(101), "accounts[1]: the id 101 is there twice"),
        ("/dca_bots/1/record/id", json!(-1), "dca_bots[1]: id is not a whole number above 0"),
        ("/dca_bots/1/record/account_id", json!(9), "dca_bots[1]: account_id is that of no account"),
        ("/dca_bots/1/record/take_profit_steps", json!([5]), "dca_bots[1]: take_profit_steps is not an array"),
        (
            "/dca_bots/0/deals/1/record/bought_amount",
            json!("much"),
            "dca_bots[0].deals[1]: bought_amount is not a decimal",
        ),
        (
            "/dca_bots/0/deals/1/record/pair",
            json!("USDT_OLD"),
            "dca_bots[0].deals[1]: pair is \"USDT_OLD\", which the market",
        ),
        ("/dca_bots/0/deals/0/stops_at", json!("soon"), "dca_bots[0].deals[0].stops_at is not an ISO 8601 timestamp"),
        ("/grid_bots/0/grid_lines/3/price", json!([]), "grid_bots[0]: grid_lines is not an array"),
        ("/grid_bots/0/pair", json!("USDT_OLD"), "grid_bots[0]: pair is"),
        (
            "/smart_trades/0/max_reduce_funds_amount",
            json!("x"),
            "smart_trades[0]: max_reduce_funds_amount is not a decimal",
        ),
        ("/market/0/price", json!("0"), "market[0]: price is not a decimal above 0"),
        ("/market/0/pair", json!("eth"), "market[0]: 'eth' is not a pair"),
        ("/clock", json!("noon"), "clock is not an ISO 8601 timestamp"),
    ] {
        let error = wrong(place, value);
        assert!(error.contains(why) && error.contains("correct that"), "{place}: {error}");
    }
}

#[test]
fn a_file_is_replaced_as_a_whole_and_only_its_owner_may_read_it() {
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
fn a_file_that_cannot_be_written_is_named() {
    let folder = folder();
    let error = write(&folder.path().join("nowhere/desk.json"), "text").unwrap_err().to_string();
    assert!(error.contains("can't write the state file") && error.contains("nowhere/desk.json"), "{error}");
    // A folder in the file's place: nothing is left beside it.
    std::fs::create_dir(folder.path().join("desk.json")).unwrap();
    assert!(write(&folder.path().join("desk.json"), "text").is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
