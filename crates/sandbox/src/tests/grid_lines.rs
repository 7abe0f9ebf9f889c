//! Grids at changing prices.

use serde_json::json;

use super::*;
use crate::state::State;

/// Returns a state with one grid bot that has levels at 100, 110, … 140, the middle one empty.
fn grid(changes: Value) -> (State, u64) {
    let defaults = json!({
        "pair": "USDT_NEW", "current_price": "120", "lower_price": "100", "upper_price": "140", "grids_quantity": "5",
        "quantity_per_grid": "2", "order_currency_type": "base", "is_enabled": true,
    });
    let mut state = odd_state(1, 0);
    let id = state.add("grid_bots", fields(defaults, changes)).unwrap();
    (state, id)
}

fn bot_after(changes: Value, prices: &[&str]) -> Value {
    let (mut state, id) = grid(changes);
    for price in prices {
        state.set_price("USDT_NEW", price.parse().unwrap()).unwrap();
    }
    Value::Object(state.store.grid_bots[&id].clone())
}

/// Returns the sides of the lines, in capitals if their orders are placed.
fn sides(bot: &Value) -> String {
    let side = |line: &Value| {
        let placed = line["order_placed"] == true;
        match line["side"].as_str().and_then(|side| side.chars().next()) {
            Some(side) if placed => side.to_ascii_uppercase(),
            Some(side) => side,
            None if placed => '!',
            None => '-',
        }
    };
    bot["grid_lines"].as_array().unwrap().iter().map(side).collect()
}

fn figures<const N: usize>(bot: &Value, fields: [&str; N]) -> [String; N] {
    fields.map(|field| bot[field].as_str().map_or_else(|| bot[field].to_string(), str::to_owned))
}

#[test]
fn it_starts_around_the_price() {
    let bot = bot_after(json!({}), &[]);
    assert_eq!(sides(&bot), "BB-SS");
    assert_eq!(
        figures(&bot, ["start_price", "investment_quote_currency", "investment_base_currency"]),
        ["120", "420", "4"]
    );
}

#[test]
fn a_level_without_a_quantity_takes_no_place_among_the_active_orders() {
    let price = json!({
        "current_price": "3000000", "lower_price": "1000000", "upper_price": "4000000", "grids_quantity": "4",
        "order_currency_type": "quote", "quantity_per_grid": "0.015", "max_active_buy_lines": "1",
    });
    // 0.015 buys 0.00000001 at 1 000 000, and less than the lot at 2 000 000.
    assert_eq!(sides(&bot_after(price, &[])), "Bb-s");
}

#[test]
fn an_order_fills_when_the_price_reaches_its_level() {
    assert_eq!(sides(&bot_after(json!({}), &["129.99"])), "BB-SS");
    assert_eq!(sides(&bot_after(json!({}), &["130"])), "BBB-S");
    assert_eq!(sides(&bot_after(json!({}), &["110.01"])), "BB-SS");
    assert_eq!(sides(&bot_after(json!({}), &["110"])), "B-SSS");
}

#[test]
fn what_was_bought_is_sold_one_level_higher() {
    let bot = bot_after(json!({}), &["110", "120"]);
    assert_eq!(sides(&bot), "BB-SS");
    assert_eq!(
        figures(&bot, ["bought_volume", "sold_volume", "current_profit", "current_profit_usd", "total_profits_count"]),
        ["220", "240", "20", "20", "1"]
    );
    // Four units of the base currency, bought at 119.999 each, are still to be sold.
    assert_eq!(
        figures(&bot, ["unrealized_profit_loss", "current_profit_loss", "profit_percentage"]),
        ["0.004", "20.004", "2.22"]
    );
}

#[test]
fn a_price_that_passes_several_levels_fills_each_at_its_own_price() {
    let (leap, walk) = (bot_after(json!({}), &["90"]), bot_after(json!({}), &["110", "100", "90"]));
    assert_eq!(sides(&leap), "-SSSS");
    let fields = ["bought_volume", "unrealized_profit_loss", "current_profit_loss", "current_price"];
    assert_eq!(figures(&leap, fields), figures(&walk, fields));
    // Bought two at 110 and two at 100, and had four bought at 119.999, a tick below the start.
    assert_eq!(figures(&leap, fields), ["420", "-179.996", "-179.996", "90"]);
}

#[test]
fn profits_add_up_to_the_gain_of_the_balances() {
    let bot = bot_after(json!({}), &["141", "115", "99", "131", "108", "123"]);
    // Sold minus bought, plus the change in the value of the balance.
    let sells = u32::try_from(sides(&bot).to_ascii_lowercase().matches('s').count()).unwrap();
    let held = f64::from(2 * sells);
    let number = |field: &str| bot[field].as_str().unwrap().parse::<f64>().unwrap();
    let cash = number("sold_volume") - number("bought_volume");
    let gain = cash + held * 123.0 - 4.0 * 119.999;
    assert!((number("current_profit_loss") - gain).abs() < 1e-9, "{bot}");
}

#[test]
fn orders_are_placed_next_to_the_price_first() {
    let limits = json!({"max_active_buy_lines": "1", "max_active_sell_lines": "1"});
    assert_eq!(sides(&bot_after(limits.clone(), &[])), "bB-Ss");
    assert_eq!(sides(&bot_after(limits, &["100"])), "-Ssss");
    assert_eq!(sides(&bot_after(json!({"max_active_sell_lines": "0"}), &["140"])), "BB-ss");
}

#[test]
fn a_disabled_bot_only_updates_the_price() {
    let bot = bot_after(json!({"is_enabled": false}), &["100"]);
    assert_eq!(
        (sides(&bot).as_str(), &bot["current_price"], &bot["bought_volume"]),
        ("bb-ss", &json!("100"), &json!("0.0"))
    );
}

#[test]
fn prices_outside_the_grid_fill_no_orders() {
    let bot = bot_after(json!({}), &["1000"]);
    assert_eq!((sides(&bot).as_str(), &bot["is_enabled"]), ("BBBB-", &json!(true)));
}

#[test]
fn a_stop_loss_disables_the_bot() {
    let lower = json!({"lower_stop_loss_enabled": true, "lower_stop_loss_price": "95"});
    assert_eq!(bot_after(lower.clone(), &["95.01"])["is_enabled"], true);
    let bot = bot_after(lower, &["95"]);
    assert_eq!((&bot["is_enabled"], sides(&bot).as_str()), (&json!(false), "-ssss"));
    let upper = bot_after(json!({"upper_stop_loss_enabled": true, "upper_stop_loss_price": "150"}), &["151"]);
    assert_eq!(upper["is_enabled"], false);
}

#[test]
fn a_stop_loss_without_a_price_triggers_outside_the_grid() {
    let lower = json!({"lower_stop_loss_enabled": true});
    assert_eq!(bot_after(lower.clone(), &["100"])["is_enabled"], true);
    assert_eq!(bot_after(lower, &["99.99"])["is_enabled"], false);
}

#[test]
fn a_stop_loss_can_sell_everything() {
    let stop = json!({
        "lower_stop_loss_enabled": true, "lower_stop_loss_price": "95", "lower_stop_loss_action": "stop_bot_and_sell",
    });
    let bot = bot_after(stop, &["90"]);
    assert_eq!(figures(&bot, ["sold_volume", "unrealized_profit_loss", "current_profit"]), ["720", "0", "-179.996"]);
}

/// Orders of 200 in the quote currency: 2 at 100, 1.81818181 at 110, 1.66666666 at 120, and so on.
fn in_quote() -> Value {
    json!({"quantity_per_grid": "200", "order_currency_type": "quote"})
}

/// Returns the fields of a bot on the futures account with a direction.
fn futures(mode: &str) -> Value {
    json!({"account_id": 1_002, "mode": mode})
}

#[test]
fn orders_in_the_quote_currency_buy_what_their_level_gives_for_it() {
    let bot = bot_after(in_quote(), &["130", "120"]);
    // Two orders of 200 below the price; 200 divided by 120, which it bought, and by 140.
    assert_eq!(figures(&bot, ["investment_quote_currency", "investment_base_currency"]), ["400", "3.0952380952380952"]);
    // It sold 1.53846153 at 130 and bought 1.66666666 at 120: a step of 10 with the quantity at 120.
    assert_eq!(figures(&bot, ["sold_volume", "bought_volume"]), ["199.9999989", "199.9999992"]);
    assert_eq!(figures(&bot, ["current_profit", "total_profits_count"]), ["16.6666666", "1"]);
    // The 0.12820513 that it holds in addition have the price of the sale, 130; what it started with was bought a tick of 0.001 below 120.
    assert_eq!(figures(&bot, ["unrealized_profit_loss"]), ["-1.27908426705"]);
}

#[test]
fn a_short_grid_loses_in_a_rise_and_earns_on_the_way_back() {
    let bot = bot_after(futures("short"), &["145"]);
    assert_eq!((sides(&bot).as_str(), &bot["mode"]), ("BBBB-", &json!("short")));
    // 4 were sold at 120.001 at the start, 2 at 130 and 2 at 140.
    assert_eq!(
        figures(&bot, ["current_profit", "unrealized_profit_loss", "total_profits_count"]),
        ["0", "-139.996", "0"]
    );
    let bot = bot_after(futures("short"), &["145", "120"]);
    assert_eq!(
        figures(&bot, ["current_profit", "unrealized_profit_loss", "total_profits_count"]),
        // The 8 were sold at 127.5005 on average; 2 were bought back at 130, and 2 at 120.
        ["10.002", "30.002", "2"]
    );
    // 2 × 130 + 2 × 140, and 4 × 120: 10.002 of 1020.
    let margin = figures(&bot, ["investment_quote_currency", "investment_base_currency", "profit_percentage"]);
    assert_eq!(margin, ["1020", "0", "0.98"]);
}

#[test]
fn a_reversal_grid_holds_nothing_at_its_start_price() {
    let bot = bot_after(futures("reversal"), &["145"]);
    assert_eq!(figures(&bot, ["current_profit", "unrealized_profit_loss"]), ["0", "-40"]);
    let bot = bot_after(futures("reversal"), &["145", "120", "100", "120"]);
    assert_eq!(figures(&bot, ["current_profit", "unrealized_profit_loss"]), ["80", "0"]);
}

#[test]
fn a_stop_loss_closes_the_position_of_a_short_grid() {
    let mut fields = futures("short");
    fields["upper_stop_loss_enabled"] = json!(true);
    fields["upper_stop_loss_price"] = json!("150");
    fields["upper_stop_loss_action"] = json!("stop_bot_and_close_position");
    let bot = bot_after(fields, &["150"]);
    assert_eq!(figures(&bot, ["bought_volume", "unrealized_profit_loss", "current_profit"]), ["1200", "0", "-179.996"]);
}

#[test]
fn a_note_and_a_state_file_keep_the_position() {
    let (mut state, id) = grid(in_quote());
    let prices = |state: &mut State, prices: &[&str]| {
        for price in prices {
            state.set_price("USDT_NEW", price.parse().unwrap()).unwrap();
        }
    };
    prices(&mut state, &["130", "120", "130", "120"]);
    let json = state.to_json().unwrap();
    let mut restored = crate::SavedState::parse(&json).unwrap().0;
    assert_eq!(restored.to_json().unwrap(), json);
    // The engine reads the record again.
    state.grids.remove(&id);
    for state in [&mut state, &mut restored] {
        prices(state, &["110", "141"]);
    }
    let expected = bot_after(in_quote(), &["130", "120", "130", "120", "110", "141"]);
    for state in [&state, &restored] {
        let bot = Value::Object(state.store.grid_bots[&id].clone());
        let fields = ["current_profit", "unrealized_profit_loss", "current_profit_loss"];
        assert_eq!(figures(&bot, fields), figures(&expected, fields));
    }
}

#[test]
fn a_state_file_of_an_older_version_is_read() {
    let (mut state, id) = grid(json!({"mode": "long"}));
    state.set_price("USDT_NEW", "110".parse().unwrap()).unwrap();
    let mut document: Value = serde_json::from_str(&state.to_json().unwrap()).unwrap();
    assert!(document.as_object_mut().unwrap().remove("grid_positions").is_some());
    let mut restored = crate::SavedState::parse(&document.to_string()).unwrap().0;
    restored.set_price("USDT_NEW", "112".parse().unwrap()).unwrap();
    let bot = Value::Object(restored.store.grid_bots[&id].clone());
    // 4 bought at 119.999, and 2 at 110.
    assert_eq!(figures(&bot, ["unrealized_profit_loss", "current_profit"]), ["-27.996", "0"]);
}

#[test]
fn all_bots_on_a_pair_use_its_tick() {
    let state = odd_state(1, 60);
    let places = |text: &Value| text.as_str().unwrap().split_once('.').map_or(0, |(_, places)| places.len());
    assert_eq!(state.market.tick("USDT_BTC"), "0.1".parse::<bigdecimal::BigDecimal>().unwrap());
    let deals = state.store.dca_bots.keys().flat_map(|bot| state.open_deals(*bot));
    let of_bitcoin = deals.filter(|deal| deal["pair"] == "USDT_BTC");
    let prices: Vec<_> = of_bitcoin.map(|deal| &deal["take_profit_price"]).collect();
    assert!(!prices.is_empty() && prices.iter().all(|price| places(price) == 1), "{prices:?}");
}
