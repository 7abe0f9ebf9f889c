//! The seeded state, with plausible values and with odd ones.

use super::*;
use crate::state::State;
use botdesk_api::accounts::Account;
use botdesk_api::dca_bots::{DcaBot, DcaBotEdit};
use botdesk_api::deals::Deal;
use botdesk_api::grid_bots::{GridBot, GridBotEdit, GridLine};
use botdesk_schema::input::RequestBuilder;
use botdesk_schema::record::Record;
use botdesk_schema::values::Field;

/// The functions that return an initial state.
const STATES: [fn(u64, usize) -> State; 2] = [initial_state, odd_state];

/// Returns all bots with their deals, as the sandbox would return them.
fn bots_of(state: &State) -> Vec<Value> {
    state.store.dca_bots.keys().map(|id| serde_json::to_value(state.bot_with_deals(*id)).unwrap()).collect()
}

/// Returns the bots of the state with plausible values.
fn bots(seed: u64, count: usize) -> Vec<Value> {
    bots_of(&initial_state(seed, count))
}

#[test]
fn the_same_seed_gives_the_same_bots() {
    for world in STATES {
        let state = |seed| bots_of(&world(seed, 30));
        assert_eq!(state(7), state(7));
        assert_ne!(state(7), state(8));
    }
}

#[test]
fn the_number_of_bots_does_not_change_the_first_ones() {
    for world in STATES {
        let state = |count| bots_of(&world(1, count));
        assert_eq!(state(60)[..8], state(8));
        assert_eq!(state(0), [Value::Null; 0]);
        assert_eq!(state(250).len(), 250);
    }
}

#[test]
fn every_documented_field_exists_and_is_readable() {
    for bot in STATES.iter().flat_map(|world| bots_of(&world(1, 60))) {
        let text = bot.to_string();
        let record = DcaBot::from_json(&text).unwrap();
        let present: Vec<_> = record.fields().present().map(|(row, _)| row.wire).collect();
        assert_eq!(present, DcaBot::ROWS.iter().map(|row| row.wire).collect::<Vec<_>>());
        assert_eq!(record.unreadable(), []);
        for deal in record.active_deals().unwrap().unwrap() {
            let present: Vec<_> = deal.fields().present().map(|(row, _)| row.wire).collect();
            let listed = Deal::ROWS.iter().filter(|row| row.listed);
            assert_eq!(present, listed.map(|row| row.wire).collect::<Vec<_>>());
            assert_eq!(deal.fields().extra().count(), 0);
            assert_eq!(deal.unreadable(), []);
        }
    }
}

/// Returns all accounts, grid bots and SmartTrades as JSON strings.
fn others(state: &State) -> Vec<String> {
    let accounts = state.store.accounts.values().map(|account| Value::Object(account.clone()).to_string());
    let grid_bots = state.store.grid_bots.values().map(|bot| Value::Object(bot.clone()).to_string());
    let trades = state.store.smart_trades.values().map(|trade| Value::Object(trade.clone()).to_string());
    accounts.chain(grid_bots).chain(trades).collect()
}

#[test]
fn the_same_seed_gives_the_same_other_records() {
    for world in STATES {
        let others = |seed, bots| others(&world(seed, bots));
        assert_eq!(others(7, 0), others(7, 30));
        for (one, other) in others(7, 0).iter().zip(&others(8, 0)) {
            assert_ne!(one, other);
        }
    }
}

fn has_all_fields<R: Record>(record: &R, extra: usize) {
    let present: Vec<_> = record.fields().present().map(|(row, _)| row.wire).collect();
    assert_eq!(present, R::ROWS.iter().map(|row| row.wire).collect::<Vec<_>>());
    assert_eq!(record.unreadable(), []);
    assert_eq!(record.fields().extra().count(), extra);
}

#[test]
fn every_documented_field_of_an_account_exists_and_is_readable() {
    for account in STATES.iter().flat_map(|world| world(1, 0).store.accounts.into_values()) {
        let account = Account::from_json(&Value::Object(account).to_string()).unwrap();
        has_all_fields(&account, 0);
        has_all_fields(&account.primary_display_currency_amount().unwrap().unwrap(), 0);
    }
}

#[test]
fn every_documented_field_of_a_grid_bot_exists_and_is_readable() {
    for (id, bot) in STATES.iter().flat_map(|world| world(1, 0).store.grid_bots) {
        let record = GridBot::from_json(&Value::Object(bot).to_string()).unwrap();
        has_all_fields(&record, 0);
        let lines: Vec<GridLine> = record.grid_lines().unwrap().unwrap();
        assert_eq!(lines.len().to_string(), record.grids_quantity().unwrap().unwrap().to_string(), "{id}");
        assert_eq!(lines.iter().filter(|line| line.side() == Ok(None)).count(), 1, "{id}");
        for line in &lines {
            has_all_fields(line, 0);
        }
        let name = (GridBotEdit::name, Field::Value("new".into()));
        let request = RequestBuilder::new(GridBotEdit::INPUTS, [name]).carry_over(record.fields());
        assert_eq!(request.violations(), [], "{id}");
    }
}

#[test]
fn bots_trade_on_existing_accounts() {
    for state in STATES.map(|world| world(1, 60)) {
        let of_dca_bots = state.store.dca_bots.values();
        let deals = state.store.dca_bots.keys().flat_map(|bot| state.open_deals(*bot));
        for record in of_dca_bots.chain(deals).chain(state.store.grid_bots.values()) {
            let account = &state.store.accounts[&record["account_id"].as_u64().unwrap()];
            assert_eq!(account["name"], record["account_name"]);
        }
    }
}

#[test]
fn the_first_bot_is_plain() {
    let bot = &bots(1, 1)[0];
    assert_eq!((&bot["id"], &bot["is_enabled"], &bot["type"]), (&41.into(), &true.into(), &"Bot::SingleBot".into()));
    assert_eq!((&bot["strategy"], &bot["take_profit"]), (&"long".into(), &"1.0".into()));
    assert_eq!(bot["strategy_list"][0]["strategy"], "nonstop");
    assert_eq!(bot["take_profit_steps"], serde_json::json!([]));
    assert_eq!(bot["pairs"].as_array().unwrap().len(), 1);
    assert_eq!((&bot["max_active_deals"], bot["active_deals"].as_array().unwrap().len()), (&1.into(), 1));
}

#[test]
fn every_bot_accepts_an_edit_of_one_field() {
    for seed in 1..20 {
        for bot in STATES.iter().flat_map(|world| bots_of(&world(seed, 30))) {
            let record = DcaBot::from_json(&bot.to_string()).unwrap();
            let name = (DcaBotEdit::name, Field::Value("new".into()));
            let request = RequestBuilder::new(DcaBotEdit::INPUTS, [name]).carry_over(record.fields());
            assert_eq!(request.violations(), [], "{bot}");
        }
    }
}

#[test]
fn the_default_state_has_every_kind_of_bot() {
    for bots in (1..20).flat_map(|seed| STATES.map(|world| bots_of(&world(seed, 12)))) {
        let has = |what: &str, is: &dyn Fn(&Value) -> bool| assert!(bots.iter().any(is), "{what}");
        has("short", &|bot| bot["strategy"] == "short");
        has("multi", &|bot| bot["type"] == "Bot::MultiBot" && bot["pairs"].as_array().unwrap().len() > 1);
        has("disabled", &|bot| bot["is_enabled"] == false);
        has("steps", &|bot| bot["take_profit"].is_null() && bot["take_profit_steps"].as_array().unwrap().len() > 1);
        has("own steps", &|bot| bot["custom_safety_steps"] == serde_json::json!([]));
        has("Cyrillic", &|bot| bot["active_deals"][0]["crypto_widget"].get("TTP\u{410}ctivated").is_some());
    }
}

#[test]
fn odd_values_have_every_oddity() {
    for seed in 1..20 {
        let state = odd_state(seed, 12);
        let bots = bots_of(&state);
        let has = |what: &str, is: &dyn Fn(&Value) -> bool| assert!(bots.iter().any(is), "seed {seed}: {what}");
        has("id past 2^31", &|bot| bot["id"] == 2_376_446_537_u64);
        has("trailing unknown", &|bot| bot["trailing_enabled"].is_null());
        has("long decimal", &|bot| bot["finished_deals_profit_usd"].as_str().unwrap().len() > 52);
        has("exponent", &|bot| bot["finished_deals_profit_usd"].as_str().unwrap().contains('e'));
        has("umlaut", &|bot| bot["name"].as_str().unwrap().starts_with("Früh "));
        has("Cyrillic name", &|bot| bot["name"].as_str().unwrap().starts_with("Тихий "));
        assert!(state.store.grid_bots.contains_key(&2_376_446_601));
        assert_eq!(state.store.accounts[&1_001]["btc_profit"], "1.5795860715256732e-25");
        assert_eq!(state.store.accounts[&1_001]["day_profit_btc_percentage"], "-0.0");
        assert_eq!(state.store.accounts[&104]["day_profit_usd_percentage"], "Infinity");
        assert_eq!(state.store.accounts[&104]["auto_balance_period"], "12");
    }
}

#[test]
fn timestamps_have_milliseconds_and_an_offset() {
    for bot in STATES.iter().flat_map(|world| bots_of(&world(1, 12))) {
        let (made, changed) = (bot["created_at"].as_str().unwrap(), bot["updated_at"].as_str().unwrap());
        let form: String = made.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
        assert_eq!(form, "0000-00-00T00:00:00.000Z");
        assert!(made < changed);
    }
}

#[test]
fn deals_add_up() {
    let number = |deal: &Value, field: &str| deal[field].as_str().unwrap().parse::<f64>().unwrap();
    let bots = bots(1, 60);
    let deals: Vec<_> = bots.iter().flat_map(|bot| bot["active_deals"].as_array().unwrap()).collect();
    assert!(deals.len() > 20);
    for deal in deals {
        let entry = if deal["strategy"] == "long" { "bought" } else { "sold" };
        let of_entry = |figure: &str| number(deal, &format!("{entry}_{figure}"));
        let (amount, volume, average) = (of_entry("amount"), of_entry("volume"), of_entry("average_price"));
        assert!((amount * average / volume - 1.0).abs() < 1e-6, "{deal}");
        let gain = amount * number(deal, "current_price") - volume;
        let profit = if deal["strategy"] == "long" { gain } else { -gain };
        assert!((profit - number(deal, "actual_profit")).abs() < 1e-6, "{deal}");
        let in_steps = deal["take_profit_steps"].as_array().is_some_and(|steps| !steps.is_empty());
        assert!(in_steps || (number(deal, "take_profit_price") >= average) == (deal["strategy"] == "long"));
    }
}
