//! The initial state as a trader sees it: names and amounts that agree with each other.

use bigdecimal::BigDecimal;
use serde_json::Map;

use super::*;
use crate::state::State;
use crate::store::Store;

/// The fields that the market computes from quantities with eight places and prices with up to six, and does not round further.
const EXACT: [&str; 17] = [
    "active_deals_usd_profit",
    "actual_profit",
    "actual_usd_profit",
    "bought_volume",
    "closed_total",
    "current_profit_loss",
    "entered_total",
    "investment_base_currency",
    "investment_quote_currency",
    "reserved_base_coin",
    "sold_volume",
    "stop_loss_price",
    "total",
    "unrealized_profit_loss",
    "usd",
    "value",
    "volume",
];

/// The states of several seeds with the default number of bots.
fn states() -> impl Iterator<Item = State> {
    (1..30).map(|seed| initial_state(seed, SandboxOptions::default().bots))
}

/// Returns all records as the sandbox returns them.
fn records(state: &State) -> Vec<Value> {
    let dca_bots = state.store.dca_bots.keys().map(|id| serde_json::to_value(state.bot_with_deals(*id)).unwrap());
    let Store { accounts, grid_bots, smart_trades, trades, .. } = &state.store;
    let others = accounts.values().chain(grid_bots.values()).chain(smart_trades.values()).chain(trades.values());
    dca_bots.chain(others.cloned().map(Value::Object)).collect()
}

/// Calls a function with each string and number in a value, and the name of its field.
fn visit(field: &str, value: &Value, check: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, member)| visit(name, member, check)),
        Value::Array(elements) => elements.iter().for_each(|element| visit(field, element, check)),
        Value::String(string) => check(field, string),
        Value::Number(number) => check(field, &number.to_string()),
        Value::Bool(_) | Value::Null => {}
    }
}

fn number(record: &Map<String, Value>, field: &str) -> BigDecimal {
    let value = &record[field];
    let string = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    string.parse().unwrap()
}

fn percent(part: &BigDecimal, whole: &BigDecimal) -> BigDecimal {
    (part * BigDecimal::from(100) / whole).round(2)
}

/// The fields with an average price, which the service rounds to 27 places.
const AVERAGES: [&str; 3] = ["bought_average_price", "buyPrice", "sold_average_price"];

fn is_on(account_id: u64) -> impl Fn(&&Map<String, Value>) -> bool {
    move |record| record["account_id"] == account_id
}

#[test]
fn numbers_are_short_and_plain() {
    for record in states().flat_map(|state| records(&state)) {
        visit("", &record, &mut |field, text| {
            // The API reference publishes it with all digits.
            if field == "grid_price_step" {
                return;
            }
            if let Ok(number) = text.parse::<BigDecimal>() {
                assert!(text.chars().all(|letter| "-.0123456789".contains(letter)), "{field}: {text}");
                let most = match field {
                    _ if AVERAGES.contains(&field) => 27,
                    _ if EXACT.contains(&field) => 16,
                    _ => 8,
                };
                assert!(number.normalized().fractional_digit_count() <= most, "{field}: {text}");
                assert!(!text.starts_with('-') || number != 0, "{field}: {text}");
            }
            assert!(!matches!(text, "Infinity" | "NaN"), "{field}: {text}");
        });
    }
}

#[test]
fn ids_are_consecutive() {
    for state in states() {
        assert_eq!(state.store.dca_bots.keys().copied().collect::<Vec<_>>(), (41..53).collect::<Vec<_>>());
        assert_eq!(state.store.grid_bots.keys().copied().collect::<Vec<_>>(), (201..206).collect::<Vec<_>>());
    }
}

#[test]
fn names_are_english_and_different() {
    for state in states().chain([initial_state(1, 250)]) {
        let records = state.store.accounts.values().chain(state.store.dca_bots.values());
        let names: Vec<_> =
            records.chain(state.store.grid_bots.values()).map(|record| record["name"].as_str().unwrap()).collect();
        assert!(names.iter().all(|name| name.is_ascii()), "{names:?}");
        assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), names.len(), "{names:?}");
    }
}

#[test]
fn the_profit_of_a_bot_agrees_with_its_finished_deals() {
    for record in states().flat_map(|state| state.store.dca_bots.into_values()) {
        let (profit, count) = (number(&record, "finished_deals_profit_usd"), number(&record, "finished_deals_count"));
        let volume =
            number(&record, "base_order_volume") + number(&record, "safety_order_volume") * BigDecimal::from(6);
        let lowest = -(number(&record, "stop_loss_percentage") * &volume * &count) / BigDecimal::from(100);
        assert!(profit >= lowest && profit <= volume * &count * BigDecimal::new(25.into(), 3), "{record:?}");
        assert!(count > 0 && profit != 0, "{record:?}");
        assert!(profit > 0 || number(&record, "stop_loss_percentage") > 0);
    }
}

#[test]
fn percentages_of_an_account_are_profit_divided_by_value() {
    for account in states().flat_map(|state| state.store.accounts.into_values()) {
        let value = number(&account, "usd_amount");
        for (profit, percentage) in [
            ("day_profit_usd", "day_profit_usd_percentage"),
            ("day_profit_usd", "day_profit_btc_percentage"),
            ("usd_profit", "usd_profit_percentage"),
            ("usd_profit", "btc_profit_percentage"),
        ] {
            let expected = percent(&number(&account, profit), &value);
            assert_eq!(number(&account, percentage), expected, "{profit}: {account:?}");
        }
        for (profit, shown) in [
            ("day_profit_usd", "day_profit_primary_display_currency"),
            ("day_profit_usd_percentage", "day_profit_primary_display_currency_percentage"),
            ("usd_profit", "primary_display_currency_profit"),
            ("usd_profit_percentage", "primary_display_currency_profit_percentage"),
            ("total_usd_profit", "total_primary_display_currency_profit"),
            ("usd_amount", "primary_display_currency_amount"),
        ] {
            let shown = number(account[shown].as_object().unwrap(), "amount");
            assert_eq!(number(&account, profit), shown, "{profit}: {account:?}");
        }
        assert!(number(&account, "usd_profit").abs() < value / BigDecimal::from(5), "{account:?}");
        assert!(number(&account, "total_usd_profit") >= number(&account, "usd_profit"), "{account:?}");
    }
}

#[test]
fn amounts_in_btc_are_those_in_usd_at_the_price_of_the_market() {
    for state in states() {
        let price = state.market.quote("USDT_BTC").unwrap().price;
        for account in state.store.accounts.values() {
            for (usd, btc) in [
                ("usd_amount", "btc_amount"),
                ("day_profit_usd", "day_profit_btc"),
                ("usd_profit", "btc_profit"),
                ("total_usd_profit", "total_btc_profit"),
            ] {
                let difference = number(account, btc) * &price - number(account, usd);
                assert!(difference.abs() < BigDecimal::new(1.into(), 2), "{usd}: {account:?}");
            }
        }
    }
}

#[test]
fn the_profit_of_an_account_is_that_of_its_bots() {
    for state in states() {
        for id in [1_001, 1_002] {
            let dca_bots = state.store.dca_bots.values().filter(is_on(id));
            let of_dca_bots: BigDecimal = dca_bots.map(|bot| number(bot, "finished_deals_profit_usd")).sum();
            let of_grid_bots: BigDecimal =
                state.store.grid_bots.values().filter(is_on(id)).map(|bot| number(bot, "current_profit_usd")).sum();
            assert_eq!(number(&state.store.accounts[&id], "usd_profit"), of_dca_bots + of_grid_bots);
        }
    }
}

#[test]
fn an_account_can_pay_for_all_of_its_bots() {
    for state in states() {
        for id in [1_001, 1_002] {
            let budget = |bot: &Map<String, Value>| {
                let safety_orders = number(bot, "safety_order_volume") * BigDecimal::new(559.into(), 2);
                (number(bot, "base_order_volume") + safety_orders) * number(bot, "max_active_deals")
            };
            let of_dca_bots: BigDecimal = state.store.dca_bots.values().filter(is_on(id)).map(budget).sum();
            let investment = |bot: &Map<String, Value>| {
                let base = number(bot, "investment_base_currency") * number(bot, "current_price");
                number(bot, "investment_quote_currency") + base
            };
            let of_grid_bots: BigDecimal = state.store.grid_bots.values().filter(is_on(id)).map(investment).sum();
            assert!(of_dca_bots + of_grid_bots < number(&state.store.accounts[&id], "usd_amount"));
        }
    }
}

#[test]
fn the_figures_of_a_grid_bot_agree_with_its_levels() {
    for bot in states().flat_map(|state| state.store.grid_bots.into_values()) {
        let [profit, count, volume] =
            ["current_profit", "total_profits_count", "quantity_per_grid"].map(|field| number(&bot, field));
        assert_eq!(bot["order_currency_type"], "quote");
        let lines: Vec<_> =
            bot["grid_lines"].as_array().unwrap().iter().map(|line| line.as_object().unwrap()).collect();
        let levels: Vec<_> = lines.iter().map(|line| number(line, "price")).collect();
        // Each step earns its width times the quantity that its lower level buys for the volume.
        let steps: BigDecimal = levels.windows(2).map(|pair| (&pair[1] - &pair[0]) * &volume / &pair[0]).sum();
        let per_step = steps / (number(&bot, "grids_quantity") - BigDecimal::from(1));
        assert!((&profit - &count * per_step).abs() < BigDecimal::new(1.into(), 2), "{bot:?}");
        assert_eq!(number(&bot, "sold_volume") - number(&bot, "bought_volume"), profit);
        assert_eq!(number(&bot, "current_profit_loss"), &profit + number(&bot, "unrealized_profit_loss"));
        assert!((BigDecimal::from(0)..BigDecimal::from(30)).contains(&number(&bot, "profit_percentage")), "{bot:?}");
    }
}

#[test]
fn the_investment_of_a_grid_bot_is_its_volume_for_each_order() {
    for bot in states().flat_map(|state| state.store.grid_bots.into_values()) {
        let [volume, quote, base] = ["quantity_per_grid", "investment_quote_currency", "investment_base_currency"]
            .map(|field| number(&bot, field));
        let lines = bot["grid_lines"].as_array().unwrap();
        // Of a running bot, only the orders on the exchange are funded.
        let is_funded = |line: &Value| bot["is_enabled"] == false || line["order_placed"] == true;
        let on = |side: &str| {
            let of_side = lines.iter().filter(|line| line["side"] == side);
            of_side.filter(|line| side == "sell" || is_funded(line)).count()
        };
        let count = |side| BigDecimal::from(u64::try_from(on(side)).unwrap());
        assert_eq!(quote, count("buy") * &volume, "{bot:?}");
        let most = count("sell") * &volume / number(&bot, "current_price");
        assert!(base <= most && base > &most * BigDecimal::new(7.into(), 1), "{bot:?}");
    }
}

#[test]
fn only_grid_bots_on_a_futures_account_have_a_direction() {
    for bot in states().flat_map(|state| state.store.grid_bots.into_values()) {
        assert_eq!(bot["mode"], if bot["account_id"] == 1_002 { "long".into() } else { Value::Null });
    }
}

#[test]
fn the_market_keeps_the_seeded_figures_of_a_grid_bot() {
    for mut state in states() {
        let before = state.store.grid_bots.clone();
        for pair in ["USDT_BTC", "USDT_VET"] {
            let price = state.market.quote(pair).unwrap().price;
            state.set_price(pair, price).unwrap();
        }
        for (id, bot) in &state.store.grid_bots {
            for field in
                ["unrealized_profit_loss", "current_profit_loss", "profit_percentage", "current_profit_loss_percent"]
            {
                assert_eq!(number(bot, field), number(&before[id], field), "{id} {field}");
            }
        }
    }
}

#[test]
fn no_bot_may_have_more_deals_than_its_pairs_allow() {
    for state in states() {
        for (id, bot) in &state.store.dca_bots {
            let pairs = bot["pairs"].as_array().unwrap().len();
            let per_pair = &bot["allowed_deals_on_same_pair"];
            assert_eq!(pairs > 1, per_pair.as_u64().is_some_and(|deals| deals > 0), "{bot:?}");
            let most = pairs as u64 * per_pair.as_u64().unwrap_or(1);
            assert!((1..=most).contains(&bot["max_active_deals"].as_u64().unwrap()), "{bot:?}");
            assert!(state.open_deals(*id).count() as u64 <= bot["max_active_deals"].as_u64().unwrap(), "{bot:?}");
        }
    }
}

#[test]
fn deals_are_opened_one_after_the_other_on_the_pairs_of_their_bot() {
    for state in states() {
        let start = crate::clock::timestamp(state.clock.now());
        for (id, bot) in &state.store.dca_bots {
            let times = state.open_deals(*id).map(|deal| deal["created_at"].as_str().unwrap());
            let updated = bot["updated_at"].as_str().unwrap();
            let times: Vec<_> = [bot["created_at"].as_str().unwrap()]
                .into_iter()
                .chain(times)
                .chain([updated, start.as_str()])
                .collect();
            assert!(times.is_sorted_by(|left, right| left < right), "{times:?}");
            let pairs = bot["pairs"].as_array().unwrap();
            if pairs.len() > 1 {
                let of_deals: Vec<_> = state.open_deals(*id).map(|deal| &deal["pair"]).collect();
                assert_eq!(of_deals, pairs.iter().take(of_deals.len()).collect::<Vec<_>>());
            }
        }
    }
}
