//! Invariants that hold for all prices.

use bigdecimal::BigDecimal;
use jiff::SignedDuration;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::clock::later;
use crate::state::State;
use crate::state_file::SavedState;

/// A change of the state.
#[derive(Clone, Debug)]
enum Event {
    /// A pair moves to this many thousandths of its first price.
    Price(&'static str, i64),
    Time(i64),
}

fn event() -> impl Strategy<Value = Event> {
    let pair = prop_oneof![Just("USDT_ETH"), Just("USDT_BTC"), Just("USDC_LINK"), Just("USDT_NEW")];
    let price = prop_oneof![4 => 900_i64..1_100, 1 => 1_i64..5_000];
    prop_oneof![5 => (pair, price).prop_map(|(pair, price)| Event::Price(pair, price)), 1 => (0_i64..10_000_000).prop_map(Event::Time)]
}

fn state() -> State {
    let mut state = odd_state(2, 24);
    for (strategy, steps) in [
        ("long", json!([])),
        (
            "short",
            json!([{"amount_percentage": 33, "profit_percentage": 1},
        {"amount_percentage": 67, "profit_percentage": "2.5"}]),
        ),
    ] {
        let message = json!({
            "pairs": ["USDT_ETH"],
            "is_enabled": true,
            "strategy": strategy,
            "take_profit_steps": steps,
            "max_active_deals": 2,
            "stop_loss_percentage": "9",
        });
        state.add("dca_bots", fields(message, json!({}))).unwrap();
    }
    state
}

fn happen(state: &mut State, event: &Event) {
    match event {
        Event::Price(pair, thousandths) => {
            let first = odd_state(2, 0).market.quote(pair).map_or_else(|| BigDecimal::from(5), |quote| quote.price);
            let price = first * BigDecimal::new((*thousandths).into(), 3);
            state.set_price(pair, price).unwrap();
        }
        Event::Time(seconds) => {
            let until = later(state.clock.now(), SignedDuration::from_secs(*seconds));
            state.advance_to(until);
        }
    }
}

fn number(record: &serde_json::Map<String, Value>, field: &str) -> BigDecimal {
    record[field].as_str().unwrap().parse().unwrap()
}

fn bots_add_up(state: &State) {
    for (id, record) in &state.store.dca_bots {
        let deals = state.open_deals(*id);
        assert_eq!(record["active_deals_count"], deals.clone().count());
        assert_eq!(record["deletable?"], deals.clone().next().is_none());
        let profit: BigDecimal = deals.clone().map(|deal| number(deal, "actual_usd_profit")).sum();
        assert_eq!(number(record, "active_deals_usd_profit"), profit);
        assert!(deals.clone().all(|deal| deal["finished?"] == false));
        for deal in state.finished_deals(*id) {
            assert_eq!((&deal["finished?"], &deal["bought_amount"]), (&json!(true), &deal["sold_amount"]));
            assert_eq!(number(deal, "final_profit"), number(deal, "sold_volume") - number(deal, "bought_volume"));
        }
    }
    let ids: Vec<_> =
        state.store.dca_bots.keys().flat_map(|bot| state.open_deals(*bot)).map(|deal| deal["id"].as_u64()).collect();
    assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), ids.len());
}

fn no_deal_is_past_its_prices(state: &State) {
    for deal in state.store.dca_bots.keys().flat_map(|bot| state.open_deals(*bot)) {
        let price = number(deal, "current_price");
        let is_past = |limit: &BigDecimal, long: bool| if long { price >= *limit } else { price <= *limit };
        let long = deal["strategy"] == "long";
        let in_steps = deal["take_profit_steps"].as_array().is_some_and(|steps| !steps.is_empty());
        if deal["trailing_enabled"] != true && !in_steps && !deal["take_profit_price"].is_null() {
            assert!(!is_past(&number(deal, "take_profit_price"), long), "{deal:?}");
        }
        if deal["stop_loss_timeout_enabled"] != true && !deal["stop_loss_price"].is_null() {
            assert!(!is_past(&number(deal, "stop_loss_price"), !long), "{deal:?}");
        }
        let safety_orders = deal["completed_safety_orders_count"].as_i64() <= deal["max_safety_orders"].as_i64();
        assert!(safety_orders, "{deal:?}");
    }
}

fn grids_are_whole(state: &State) {
    for bot in state.store.grid_bots.values() {
        let price = number(bot, "current_price");
        let lines = bot["grid_lines"].as_array().unwrap();
        let side = |line: &Value| line["side"].as_str().and_then(|side| side.chars().next()).unwrap_or('-');
        let sides: String = lines.iter().map(side).collect();
        let (below, above) = sides.split_once('-').unwrap();
        assert!(below.chars().all(|side| side == 'b') && above.chars().all(|side| side == 's'), "{sides}");
        assert_eq!(lines[below.len()]["order_placed"], false, "the empty level has an order");
        if bot["is_enabled"] == true {
            let level = |place: usize| lines[place]["price"].as_str().unwrap().parse::<BigDecimal>().unwrap();
            assert!(below.is_empty() || price > level(below.len() - 1));
            assert!(above.is_empty() || price < level(below.len() + 1));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn invariants_hold_for_all_prices(events in vec(event(), 1..25)) {
        let mut state = state();
        bots_add_up(&state);
        no_deal_is_past_its_prices(&state);
        for event in &events {
            happen(&mut state, event);
            bots_add_up(&state);
            no_deal_is_past_its_prices(&state);
            grids_are_whole(&state);
        }
        let text = state.to_json().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.json");
        crate::state_file::write(&path, &text).unwrap();
        prop_assert_eq!(SavedState::read(&path).unwrap().0.to_json().unwrap(), text.clone());
        let mut again = self::state();
        for event in &events {
            happen(&mut again, event);
        }
        prop_assert_eq!(again.to_json().unwrap(), text);
    }
}
