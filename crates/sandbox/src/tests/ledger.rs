//! The balances of accounts as orders move them.

use bigdecimal::{BigDecimal, RoundingMode, Zero as _};
use jiff::SignedDuration;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;
use crate::balance::Balance;
use crate::clock::later;
use crate::funds::GivenBalances;
use crate::record::{JsonRecord, string};
use crate::smart_trade_figures::{is_short, nested_number};
use crate::state_file::SavedState;

/// The spot account of the seed.
const SPOT: u64 = 1_001;

/// The fee of the plays.
const FEE: &str = "0.001";

fn number(record: &JsonRecord, field: &str) -> BigDecimal {
    crate::record::number(record, field)
}

fn decimal(text: &str) -> BigDecimal {
    text.parse().unwrap()
}

/// Returns a state whose accounts have these balances, with a fee.
fn given(bots: usize, balances: &[(&str, &str)]) -> State {
    let fee: Decimal = FEE.parse().unwrap();
    let mut state = seeded_state(SeedOptions { seed: 3, bots, values: ValueStyle::Plausible, fee });
    let balances = balances.iter().map(|(code, amount)| ((*code).to_owned(), amount.parse().unwrap()));
    state.give_balances(&GivenBalances::new("balances", balances).unwrap());
    state
}

fn balance(state: &State, account: u64, code: &str) -> Balance {
    let found = state.exchange_balances(account).into_iter().find(|balance| balance.code == code);
    found.unwrap_or_else(|| Balance::free(code, BigDecimal::zero()))
}

fn add_bot(state: &mut State, changes: Value) -> u64 {
    let message = json!({
        "account_id": SPOT, "pairs": ["USDT_NEW"], "is_enabled": true, "strategy": "long", "strategy_list": [],
        "base_order_volume": "100", "safety_order_volume": "100", "max_safety_orders": 2, "active_safety_orders_count": 1,
        "take_profit": "3", "max_active_deals": 1, "cooldown": "0",
    });
    state.add("dca_bots", fields(message, changes)).unwrap()
}

fn set_price(state: &mut State, price: &str) {
    state.set_price("USDT_NEW", price.parse().unwrap()).unwrap();
}

fn start(state: &mut State, bot: u64) -> Option<u64> {
    let quote = state.market.quote("USDT_NEW").unwrap();
    state.open_deal(bot, &quote)
}

/// Adds an account with these balances, on which no bot of the seed trades.
fn own_account(state: &mut State, balances: &Value) -> u64 {
    state.add("accounts", fields(json!({"name": "Own"}), json!({"balances": balances}))).unwrap()
}

#[test]
fn a_deal_moves_the_balances_and_its_orders_reserve_them() {
    let mut state = given(0, &[]);
    let own = own_account(&mut state, &json!({"USDT": "1000"}));
    set_price(&mut state, "10");
    let before = balance(&state, own, "USDT");
    let bot = add_bot(&mut state, json!({"account_id": own}));
    start(&mut state, bot).unwrap();
    let (usdt, new) = (balance(&state, own, "USDT"), balance(&state, own, "NEW"));
    assert_eq!(before.total() - usdt.total(), decimal("100.1"));
    assert_eq!((new.free, new.in_orders), (BigDecimal::zero(), BigDecimal::from(10)));
    // The safety order costs about as much, and its fee.
    let reserved = &usdt.in_orders - &before.in_orders;
    assert!(reserved > decimal("100") && reserved < decimal("100.2"), "{reserved}");
    set_price(&mut state, "20");
    let deal = state.finished_deals(bot).next().unwrap().clone();
    assert_eq!(string(&deal, "status"), "completed");
    let gain = balance(&state, own, "USDT").total() - before.total();
    assert_eq!((gain, balance(&state, own, "NEW").total()), (number(&deal, "final_profit"), BigDecimal::zero()));
}

#[test]
fn a_deal_whose_base_order_is_beyond_the_balance_fails_without_a_purchase() {
    let mut state = given(0, &[]);
    let own = own_account(&mut state, &json!({"USDT": "1000"}));
    set_price(&mut state, "10");
    let free = balance(&state, own, "USDT").free.to_plain_string();
    let bot = add_bot(&mut state, json!({"account_id": own, "base_order_volume": free}));
    start(&mut state, bot).unwrap();
    let deal = state.finished_deals(bot).next().unwrap().clone();
    assert_eq!((string(&deal, "status"), string(&deal, "bought_amount")), ("failed", "0"));
    assert_eq!(string(&deal, "error_message"), "Account has insufficient balance for requested action");
    assert_eq!((&deal["finished?"], &deal["deal_has_error"]), (&json!(true), &json!(true)));
    let events = &state.dca_bot_states[&bot].events;
    let told =
        events.iter().any(|event| event["message"].as_str().unwrap().contains("failed: Account has insufficient"));
    assert!(told, "{events:?}");
    assert_eq!(balance(&state, own, "USDT").free.to_plain_string(), free);
    assert_eq!(state.open_deals(bot).count(), 0);
}

#[test]
fn a_deal_whose_safety_order_is_beyond_the_balance_fails_and_keeps_its_coins() {
    let mut state = given(0, &[]);
    let own = own_account(&mut state, &json!({"USDT": "1000"}));
    set_price(&mut state, "10");
    let free = balance(&state, own, "USDT").free;
    let base = (free - BigDecimal::from(50)).to_plain_string();
    let bot = add_bot(&mut state, json!({"account_id": own, "base_order_volume": base}));
    start(&mut state, bot).unwrap();
    let deal = state.finished_deals(bot).next().unwrap().clone();
    assert_eq!(string(&deal, "status"), "failed");
    let new = balance(&state, own, "NEW");
    assert_eq!((&new.free, &new.in_orders), (&number(&deal, "bought_amount"), &BigDecimal::zero()));
    assert!(new.free > BigDecimal::zero());
}

#[test]
fn a_short_deal_on_a_spot_account_sells_coins_of_the_account() {
    let mut state = given(0, &[]);
    let own = own_account(&mut state, &json!({"USDT": "1000", "NEW": "15"}));
    set_price(&mut state, "10");
    let bot = add_bot(&mut state, json!({"account_id": own, "strategy": "short"}));
    start(&mut state, bot).unwrap();
    // 10 are sold, and the safety order reserves 9 and more.
    assert_eq!(state.finished_deals(bot).map(|deal| string(deal, "status")).collect::<Vec<_>>(), ["failed"]);
    assert_eq!(balance(&state, own, "NEW").free, BigDecimal::from(5));
}

#[test]
fn an_account_without_given_balances_has_enough_for_every_order() {
    let mut state = initial_state(3, 0);
    set_price(&mut state, "10");
    let bot = add_bot(&mut state, json!({"base_order_volume": "100000000"}));
    start(&mut state, bot).unwrap();
    assert_eq!(state.open_deals(bot).count(), 1);
    assert_eq!(balance(&state, SPOT, "NEW").total(), BigDecimal::from(10_000_000));
    assert_eq!(balance(&state, SPOT, "USDT").total(), BigDecimal::zero());
}

#[test]
fn a_grid_bot_that_cannot_pay_for_a_level_stops() {
    let mut state = given(0, &[]);
    let own = own_account(&mut state, &json!({"USDT": "100"}));
    set_price(&mut state, "10");
    let message = json!({
        "account_id": own, "pair": "USDT_NEW", "is_enabled": true, "lower_price": "5", "upper_price": "15",
        "grids_quantity": "11", "quantity_per_grid": "3000",
    });
    let bot = state.add("grid_bots", fields(message, json!({}))).unwrap();
    // The money that its orders reserve came with the bot. Here it is spent elsewhere.
    let spent = Balance::free("USDT", BigDecimal::zero());
    state.holdings.insert(own, vec![spent]);
    set_price(&mut state, "8");
    let grid = &state.store.grid_bots[&bot];
    assert_eq!(grid["is_enabled"], false, "{grid:?}");
    let events: Vec<_> = state.grid_history(bot).unwrap().events.iter().map(|event| event.message.clone()).collect();
    assert!(events.contains(&"Account has insufficient balance for requested action".to_owned()), "{events:?}");
    assert_eq!(balance(&state, own, "NEW").total(), BigDecimal::zero());
}

#[test]
fn a_state_file_keeps_the_given_balances_and_their_limits() {
    let mut state = given(2, &[("BTC", "1")]);
    let own = own_account(&mut state, &json!({"USDT": "1000", "NEW": "0.5"}));
    set_price(&mut state, "10");
    let bot = add_bot(&mut state, json!({"account_id": own, "base_order_volume": "10", "safety_order_volume": "10"}));
    start(&mut state, bot).unwrap();
    let restored = SavedState::parse(&state.to_json().unwrap()).unwrap().0;
    let restored = State { costs: state.costs.clone(), ..restored };
    for code in ["USDT", "NEW"] {
        let [before, after] = [&state, &restored].map(|state| balance(state, own, code));
        assert_eq!((before.free, before.in_orders), (after.free, after.in_orders), "{code}");
    }
    assert!(restored.is_limited(own) && restored.is_limited(9_999));
    assert_eq!(restored.to_json().unwrap(), state.to_json().unwrap());
}

/// A step of a play.
#[derive(Clone, Debug)]
enum Step {
    /// A pair moves to this many thousandths of its price.
    Price(&'static str, i64),
    Time(i64),
    /// A bot starts a deal.
    Start(usize),
    /// The market closes, or the user cancels, an open deal.
    End(usize, bool),
    /// A trade buys or sells at this many thousandths of the price, or at the market price.
    Trade {
        is_short: bool,
        limit: Option<i64>,
        quantity: i64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let pair = prop_oneof![Just("USDT_ETH"), Just("USDT_BTC"), Just("USDT_XRP")];
    let price = (pair, 850_i64..1_150).prop_map(|(pair, price)| Step::Price(pair, price));
    let limit = prop_oneof![Just(None), (900_i64..1_100).prop_map(Some)];
    let trade = (any::<bool>(), limit, 1_i64..400);
    prop_oneof![
        6 => price,
        1 => (0_i64..1_000_000).prop_map(Step::Time),
        2 => (0_usize..20).prop_map(Step::Start),
        2 => (0_usize..20, any::<bool>()).prop_map(|(deal, closes)| Step::End(deal, closes)),
        3 => trade.prop_map(|(is_short, limit, quantity)| Step::Trade { is_short, limit, quantity }),
    ]
}

fn play(state: &mut State, step: &Step) {
    match step {
        Step::Price(pair, thousandths) => {
            let now = state.market.quote(pair).unwrap().price;
            let next = (now * BigDecimal::new((*thousandths).into(), 3)).with_scale_round(4, RoundingMode::HalfEven);
            state.move_price(pair, next).unwrap();
        }
        Step::Time(seconds) => {
            let until = later(state.clock.now(), SignedDuration::from_secs(*seconds));
            state.advance_to(until);
        }
        Step::Start(place) => {
            let bots: Vec<_> = state.store.dca_bots.keys().copied().collect();
            let Some(bot) = bots.get(place % bots.len().max(1)).copied() else { return };
            let pair = state.store.dca_bots[&bot]["pairs"][0].as_str().unwrap().to_owned();
            if let Some(quote) = state.market.quote(&pair) {
                state.open_deal(bot, &quote);
            }
        }
        Step::End(place, closes) => end_deal(state, *place, *closes),
        Step::Trade { is_short, limit, quantity } => trade(state, *is_short, *limit, *quantity),
    }
}

fn end_deal(state: &mut State, place: usize, closes: bool) {
    use crate::bot_deals::Ending;
    let bots: Vec<_> = state.store.dca_bots.keys().copied().collect();
    let open: Vec<_> =
        bots.iter().flat_map(|bot| state.open_deals(*bot)).map(|deal| deal["id"].as_u64().unwrap()).collect();
    let Some(deal) = open.get(place % open.len().max(1)) else { return };
    let ending = if closes { Ending::Close } else { Ending::Cancel };
    crate::deal_actions::end_by_hand(state, *deal, ending, "Ended").unwrap();
}

/// Adds a SmartTrade and a simple trade that the service has not gone on with, and lets it.
fn trade(state: &mut State, is_short: bool, limit: Option<i64>, quantity: i64) {
    let quote = state.market.quote("USDT_XRP").unwrap();
    let price = limit.map(|thousandths| (&quote.price * BigDecimal::new(thousandths.into(), 3)).to_plain_string());
    let (order_type, side) = (if limit.is_some() { "limit" } else { "market" }, if is_short { "sell" } else { "buy" });
    let quantity = quantity.to_string();
    let given = json!({
        "account_id": SPOT, "pair": "USDT_XRP", "instant": false,
        "position": {"type": side, "order_type": order_type, "units": {"value": quantity}, "price": {"value": price}},
        "take_profit": {"enabled": true, "steps": [
            {"order_type": "limit", "volume": "40", "price": {"percent": if is_short { "-2" } else { "2" }, "type": "last"}},
            {"order_type": "market", "volume": "60", "price": {"percent": if is_short { "-5" } else { "5" }, "type": "last"}},
        ]},
        "stop_loss": {"enabled": false},
    });
    crate::smart_trade_new::create_on(state, SPOT, given.as_object().unwrap()).unwrap();
    let given = json!({
        "status": {"value": "cancelled"}, "account_id": SPOT,
        "pair": "USDT_XRP", "order": {"type": order_type, "side": side, "strategy": "gtc", "position_side": "both"},
        "units": {"value": quantity}, "price": {"value": price},
    });
    // What a record that is added reserves comes with it, but what a request places does not.
    let number = state.add("trades", fields(given, json!({}))).unwrap();
    let trade = state.store.trades.get_mut(&number).unwrap();
    trade.insert("status".to_owned(), json!({"value": "to_process", "error": null}));
    state.visit_simple_trade(number);
}

/// Returns what all orders of the spot account have moved so far, by the sums that the records have.
fn moved(state: &State) -> std::collections::BTreeMap<String, BigDecimal> {
    let mut sums = std::collections::BTreeMap::<String, BigDecimal>::new();
    let mut add = |pair: &str, base: BigDecimal, quote: BigDecimal| {
        let (quote_code, base_code) = pair.split_once('_').unwrap();
        *sums.entry(base_code.to_owned()).or_default() += base;
        *sums.entry(quote_code.to_owned()).or_default() += quote;
    };
    let is_on = |record: &&Map<String, Value>| crate::active_entities::account_of(record) == Some(SPOT);
    for deal in state.store.deals.values().filter(is_on) {
        let sum = |field| number(deal, field);
        let (base, quote) = (sum("bought_amount") - sum("sold_amount"), sum("sold_volume") - sum("bought_volume"));
        add(string(deal, "pair"), base, quote);
    }
    for trade in state.store.smart_trades.values().filter(is_on) {
        let sum = |field: &str| nested_number(trade, &format!("data.{field}"));
        let sign = BigDecimal::from(if is_short(trade) { -1 } else { 1 });
        let (base, quote) = (sum("entered_amount") - sum("closed_amount"), sum("closed_total") - sum("entered_total"));
        add(string(trade, "pair"), &sign * base, sign * quote);
    }
    let rest = BigDecimal::from(1) - FEE.parse::<BigDecimal>().unwrap();
    for trade in state.store.trades.values().filter(is_on) {
        let (units, total) = (nested_number(trade, "filled.units"), nested_number(trade, "filled.total"));
        match trade["order"]["side"].as_str().unwrap() {
            "buy" => add(string(trade, "pair"), units * &rest, -total),
            _ => add(string(trade, "pair"), -units, total * &rest),
        }
    }
    let (less, more) = (&rest, BigDecimal::from(2) - &rest);
    for bot in state.store.grid_bots.values().filter(is_on) {
        let quote = number(bot, "sold_volume") * less - number(bot, "bought_volume") * &more;
        add(string(bot, "pair"), BigDecimal::zero(), quote);
    }
    sums
}

/// Panics unless the balances of the spot account are what its orders moved since the start.
fn totals_follow(state: &State, start: &State, grids_move: &str) {
    let (before, after) = (moved(start), moved(state));
    for code in ["USDT", "USDC", "BTC", "ETH", "XRP", "SOL", "DOGE", "LINK"] {
        let Balance { free, in_orders, .. } = balance(state, SPOT, code);
        assert!(free >= BigDecimal::zero() && in_orders >= BigDecimal::zero(), "{code}: {free} {in_orders}");
        let of = |sums: &std::collections::BTreeMap<String, BigDecimal>| sums.get(code).cloned().unwrap_or_default();
        let gained = balance(state, SPOT, code).total() - balance(start, SPOT, code).total();
        // The records of grid bots have no sums of their base currencies.
        if !grids_move.contains(code) {
            assert_eq!(gained.normalized(), (of(&after) - of(&before)).normalized(), "{code}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn the_balances_are_the_start_and_all_fills(steps in vec(step(), 1..16), is_rich in any::<bool>()) {
        let rich: &[_] = &[("USDT", "1000000"), ("USDC", "100000"), ("BTC", "9"), ("ETH", "90"), ("XRP", "90000")];
        let poor: &[_] = &[("USDT", "300"), ("XRP", "200")];
        let mut state = given(8, if is_rich { rich } else { poor });
        state.write_history();
        let start = SavedState::parse(&state.to_json().unwrap()).unwrap().0;
        let start = State { costs: state.costs.clone(), ..start };
        let grid_pairs: Vec<_> = state.store.grid_bots.values().map(|bot| string(bot, "pair").split_once('_').unwrap().1.to_owned()).collect();
        for step in &steps {
            play(&mut state, step);
            totals_follow(&state, &start, &grid_pairs.join(" "));
        }
    }
}
