//! Backtests and played candles give the same deals and orders, to the digit.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::*;
use crate::state::BotEvent;
use crate::{SandboxServer, SavedState};
use botdesk_planning::engine_config::{dca_bot_config, grid_bot_config};
use botdesk_trading::backtest::{Backtest, EngineBot, History, SimulatedBot};
use botdesk_trading::candles::{Candles, CandlesBuilder, ExtremeOrder};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{Event, EventKind, Fill, Market, OrderKind, SimulatedDcaBot, SimulatedGridBot};

const PAIRS: [&str; 2] = ["USDT_ONE", "USDT_TWO"];

/// Candles of a pair, as steps from one price to the next in ticks.
#[derive(Clone, Debug)]
struct RandomWalk {
    first: i64,
    /// The digits of each price after those of its ticks. With more of them, prices are stored in 64 or in 128 bits.
    digits: &'static str,
    /// The minutes since the candle before, and the steps to the open, the two extremes and the close.
    steps: Vec<(i64, i64, i64, i64, i64)>,
}

impl RandomWalk {
    fn candles(&self) -> Candles {
        let mut builder = CandlesBuilder::default();
        let (mut price, mut minute) = (self.first, 0);
        for (minutes, to_open, below, above, close) in &self.steps {
            minute += minutes;
            let open = (price + to_open).max(500);
            let low = (open - below).max(400);
            let high = open + above;
            price = low + (high - low) * close / 100;
            builder.times.push(1_704_067_200_000 + 60_000 * minute);
            for (column, ticks) in builder.prices.iter_mut().zip([open, high, low, price]) {
                column.push_text(&format!("{}.{:02}{}", ticks / 100, ticks % 100, self.digits)).unwrap();
            }
        }
        builder.finish().unwrap()
    }
}

fn walk() -> impl Strategy<Value = RandomWalk> {
    let minutes = prop_oneof![8 => Just(1_i64), 1 => 1_i64..200];
    let to_open = prop_oneof![4 => Just(0_i64), 3 => -30_i64..30, 1 => -900_i64..900];
    let reach = prop_oneof![4 => 0_i64..60, 1 => 0_i64..900];
    let step = (minutes, to_open, reach.clone(), reach, 0_i64..=100);
    let digits = prop_oneof![8 => Just(""), 2 => Just("314159"), 1 => Just("271828182845904523")];
    (5_000_i64..20_000, digits, vec(step, 1..80)).prop_map(|(first, digits, steps)| RandomWalk { first, digits, steps })
}

/// Returns a number of hundredths as a decimal.
fn hundredths(range: std::ops::Range<u32>) -> impl Strategy<Value = Value> {
    range.prop_map(|number| Value::from(format!("{}.{:02}", number / 100, number % 100)))
}

fn flag() -> impl Strategy<Value = Value> {
    any::<bool>().prop_map(Value::Bool)
}

prop_compose! {
    fn orders()(
        strategy in select(vec!["long", "short"]), base in hundredths(500..50_000), safety in hundredths(500..50_000),
        units in vec(select(vec!["quote_currency", "quote_currency", "percent", "base_currency"]), 2),
        count in 0_u32..7, active in 0_u32..4, step in hundredths(10..300), step_coefficient in hundredths(50..200),
        volume_coefficient in hundredths(50..200), start in select(vec!["limit", "market"]),
    ) -> Value {
        json!({
            "strategy": strategy, "base_order_volume": base, "safety_order_volume": safety,
            "base_order_volume_type": units[0], "safety_order_volume_type": units[1],
            "max_safety_orders": count, "active_safety_orders_count": active, "safety_order_step_percentage": step,
            "martingale_step_coefficient": step_coefficient, "martingale_volume_coefficient": volume_coefficient,
            "start_order_type": start,
        })
    }
}

prop_compose! {
    fn exits()(
        take_profit in hundredths(10..400), of in select(vec!["base", "total"]), steps in select(vec![0, 0, 0, 2, 3]),
        is_trailing in flag(), deviation in hundredths(5..100), stop in prop_oneof![Just(json!("0")), hundredths(50..900)],
        trails in flag(), waits in flag(), wait in 1_u32..400, breaks_even in flag(), limit in 0_u32..3,
        after_stop in select(vec!["stop_loss", "stop_loss", "stop_loss_and_disable_bot"]),
    ) -> Value {
        let step = |number: i32| json!({"amount_percentage": if number == 0 { 100 - 30 * (steps - 1) } else { 30 },
            "profit_percentage": format!("{}.5", number), "id": number});
        json!({
            "take_profit": take_profit, "take_profit_type": of, "take_profit_steps": (0..steps).map(step).collect::<Vec<_>>(),
            "trailing_enabled": is_trailing, "trailing_deviation": deviation, "stop_loss_percentage": stop,
            "tsl_enabled": trails, "stop_loss_timeout_enabled": waits, "stop_loss_timeout_in_seconds": wait,
            "stop_loss_type": after_stop, "breaks_even": breaks_even, "limit": limit,
        })
    }
}

prop_compose! {
    fn timing()(
        deals in 1_u32..4, per_pair in prop_oneof![Just(Value::Null), (1_u32..3).prop_map(Value::from)],
        cooldown in select(vec!["0", "0", "30", "61.5", "3600"]), delay in prop_oneof![Just(Value::Null), (1_u32..200).prop_map(Value::from)],
        timeout in prop_oneof![3 => Just(Value::Null), 1 => (60_u32..4_000).prop_map(Value::from)],
        max_deals in prop_oneof![3 => Just(Value::Null), 1 => (1_u32..9).prop_map(Value::from)],
        min_price in prop_oneof![3 => Just(Value::Null), 1 => hundredths(4_000..15_000)],
        max_price in prop_oneof![3 => Just(Value::Null), 1 => hundredths(6_000..25_000)],
    ) -> Value {
        json!({
            "max_active_deals": deals, "allowed_deals_on_same_pair": per_pair, "cooldown": cooldown,
            "deal_start_delay_seconds": delay, "close_deals_timeout": timeout, "disable_after_deals_count": max_deals,
            "min_price": min_price, "max_price": max_price,
        })
    }
}

/// Returns the fields of a DCA bot.
fn dca_bot() -> impl Strategy<Value = serde_json::Map<String, Value>> {
    (orders(), exits(), timing()).prop_map(|parts| {
        let mut fields = serde_json::Map::new();
        for part in [parts.0, parts.1, parts.2] {
            fields.extend(part.as_object().unwrap().clone());
        }
        let (breaks_even, limit) = (fields.remove("breaks_even").unwrap(), fields.remove("limit").unwrap());
        fields.insert("sl_to_breakeven_enabled".to_owned(), breaks_even);
        fields.insert("sl_to_breakeven_data".to_owned(), json!({"upper_breakeven_limit": limit}));
        fields.insert("strategy_list".to_owned(), json!([{"strategy": "nonstop", "options": {}}]));
        fields.insert("is_enabled".to_owned(), json!(true));
        fields
    })
}

prop_compose! {
    fn grid_bot()(
        lower in 60_u32..100, width in 2_u32..80, levels in 2_u32..30, kind in select(vec!["arithmetic", "geometric"]),
        quantity in hundredths(1..500), max_buys in prop_oneof![Just(Value::Null), (0_u32..4).prop_map(|max| Value::from(max.to_string()))],
        max_sells in prop_oneof![Just(Value::Null), (0_u32..4).prop_map(|max| Value::from(max.to_string()))],
        lower_stop in flag(), lower_price in prop_oneof![Just(Value::Null), hundredths(4_000..9_000)],
        upper_stop in flag(), upper_price in prop_oneof![Just(Value::Null), hundredths(9_000..30_000)],
        actions in vec(select(vec!["stop_bot", "stop_bot_and_buy", "stop_bot_and_sell", "stop_bot_and_close_position"]), 2),
        (trails, grows, growth) in (vec(flag(), 2), vec(flag(), 2), vec(1_u32..40, 2)),
        currency in select(vec!["base", "quote"]), mode in select(vec![Value::Null, json!("long"), json!("short"), json!("reversal")]),
    ) -> serde_json::Map<String, Value> {
        let fields = json!({
            "lower_price": lower.to_string(), "upper_price": (lower + width).to_string(),
            "grids_quantity": levels.to_string(), "grid_type": kind, "quantity_per_grid": quantity,
            "max_active_buy_lines": max_buys, "max_active_sell_lines": max_sells, "is_enabled": true,
            "lower_stop_loss_enabled": lower_stop, "lower_stop_loss_price": lower_price, "lower_stop_loss_action": actions[0],
            "upper_stop_loss_enabled": upper_stop, "upper_stop_loss_price": upper_price, "upper_stop_loss_action": actions[1],
            "order_currency_type": currency, "mode": mode,
            "trailing_up_enabled": trails[0], "trailing_down_enabled": trails[1],
            "expansion_up_enabled": grows[0], "expansion_up_stop_price": (lower + width + growth[0]).to_string(),
            "expansion_down_enabled": grows[1], "expansion_down_stop_price": (lower - growth[1]).to_string(),
        });
        fields.as_object().unwrap().clone()
    }
}

/// The market and its costs.
#[derive(Clone, Debug)]
struct Costs {
    fee: &'static str,
    slippage: &'static str,
    path: ExtremeOrder,
}

fn costs() -> impl Strategy<Value = Costs> {
    let path = select(vec![ExtremeOrder::Nearest, ExtremeOrder::LowFirst, ExtremeOrder::HighFirst]);
    (select(vec!["0", "0.001"]), select(vec!["0", "0", "0.0005", "0.01"]), path)
        .prop_map(|(fee, slippage, path)| Costs { fee, slippage, path })
}

fn number(string: &str) -> Decimal {
    string.parse().unwrap()
}

fn start(costs: &Costs, runtime: &tokio::runtime::Runtime) -> SandboxServer {
    let options = SandboxOptions {
        bots: 0,
        fee: number(costs.fee),
        slippage: number(costs.slippage),
        ..SandboxOptions::default()
    };
    // The grids of the demo bots would take most of the time.
    let empty = json!({
        "format": "botdesk sandbox", "version": 1, "seed": 1, "clock": "2024-01-01T00:00:00.000Z", "next_deal": 1,
        "market": [], "accounts": [], "dca_bots": [], "grid_bots": [], "smart_trades": [],
    });
    let state = SavedState::parse(&empty.to_string()).unwrap();
    runtime.block_on(SandboxServer::resume(options, state)).unwrap()
}

fn histories(walks: &[RandomWalk], costs: &Costs) -> Vec<History> {
    let market = |pair: &str| Market {
        pair: Arc::from(pair),
        tick: number("0.01"),
        lot: number("0.00000001"),
        fee: number(costs.fee),
        slippage: number(costs.slippage),
    };
    let history = |(pair, walk): (&&str, &RandomWalk)| History {
        market: market(pair),
        candles: walk.candles(),
        signals: Vec::new(),
    };
    PAIRS.iter().zip(walks).map(history).collect()
}

fn played(sandbox: &SandboxServer, histories: &[History], costs: &Costs) -> Vec<Event> {
    let of = |history: &History| (history.market.pair.to_string(), history.candles.clone());
    let playback = sandbox.play(histories.iter().map(of).collect(), costs.path, Some(&number("0.01"))).unwrap();
    let events = playback.into_bot_events();
    assert_pairs(&events);
    events.into_iter().map(|event| event.event).collect()
}

/// Asserts that each order of a deal has the pair on which the deal opened.
fn assert_pairs(events: &[BotEvent]) {
    let opened = events.iter().filter_map(|event| match &event.event.kind {
        EventKind::DealOpened { deal, pair, .. } => Some((*deal, pair)),
        _ => None,
    });
    let pairs: HashMap<_, _> = opened.collect();
    for event in events {
        if let EventKind::OrderFilled(Fill { deal: Some(deal), .. }) = &event.event.kind {
            assert_eq!(event.pair.as_ref(), pairs.get(deal).copied(), "{event:?}");
        }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Asserts that two lists of events are the same, and shows the first that differs.
fn assert_same(played: &[Event], tested: &[Event]) {
    for (index, (left, right)) in played.iter().zip(tested).enumerate() {
        assert_eq!(left, right, "event {index}: played and backtested");
    }
    assert_eq!(played.len(), tested.len(), "the numbers of events: played and backtested");
}

/// Returns true if the first order got what the lines of a grid need.
fn bot_starts_with_an_order(events: &[Event]) -> bool {
    let is_balancing = |fill: &Fill| fill.kind == OrderKind::Balancing;
    matches!(events.first(), Some(Event { kind: EventKind::OrderFilled(fill), .. }) if is_balancing(fill))
}

/// Returns the usual number of cases, each of which takes long to shrink.
fn cases() -> ProptestConfig {
    ProptestConfig { max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_dca_bot_does_the_same_in_both(bot in dca_bot(), walks in vec(walk(), 1..3), costs in costs()) {
        let histories = histories(&walks, &costs);
        let mut bot = bot;
        let pairs: Vec<_> = histories.iter().map(|history| history.market.pair.to_string()).collect();
        bot.insert("pairs".to_owned(), json!(pairs));
        let sandbox = start(&costs, &runtime());
        let account = sandbox.add("accounts", fields(json!({"usd_amount": "12345.67"}), json!({}))).unwrap();
        bot.insert("account_id".to_owned(), json!(account));
        let breakeven = ["sl_to_breakeven_enabled", "sl_to_breakeven_data"];
        let breakeven = breakeven.map(|field| (field.to_owned(), bot.shift_remove(field).unwrap()));
        let id = sandbox.add("dca_bots", fields(Value::Object(bot), json!({}))).unwrap();
        sandbox.service.state().dca_bot(Some(id)).ok().unwrap().0.record.extend(breakeven);
        let record = sandbox.service.state().store.dca_bots[&id].clone();
        let played = played(&sandbox, &histories, &costs);
        let bot = SimulatedBot::new(EngineBot::Dca(SimulatedDcaBot::new(dca_bot_config(&record))));
        let backtest = Backtest { bot, histories, balance: number("12345.67"), path: costs.path };
        let run = backtest.run(&|| false).unwrap();
        assert_same(&played, &run.events);
        prop_assert_eq!(backtest.figures(&|| false), Ok((run.figures(&backtest), run.is_idle())));
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..cases() })]

    #[test]
    fn a_grid_bot_does_the_same_in_both(bot in grid_bot(), walk in walk(), costs in costs()) {
        let histories = histories(&[walk], &costs);
        let first = histories[0].candles.candle(0).unwrap().open;
        let mut bot = bot;
        bot.insert("pair".to_owned(), json!(PAIRS[0]));
        let sandbox = start(&costs, &runtime());
        sandbox.set_price(PAIRS[0], first.to_big()).unwrap();
        sandbox.service.state().set_tick(PAIRS[0], &number("0.01"));
        // Records do not have these, but the sandbox keeps them.
        let unreturned = ["trailing_down_enabled", "expansion_up_enabled", "expansion_up_stop_price"];
        let unreturned = unreturned.map(|field| (field.to_owned(), bot.shift_remove(field).unwrap()));
        let Ok(id) = sandbox.add("grid_bots", fields(Value::Object(bot), json!({}))) else {
            return Ok(());
        };
        sandbox.service.state().store.grid_bots.get_mut(&id).unwrap().extend(unreturned);
        let record = sandbox.service.state().store.grid_bots[&id].clone();
        let played = played(&sandbox, &histories, &costs);
        let bot = SimulatedGridBot::start(grid_bot_config(&record), first, &histories[0].market).unwrap();
        let bot = SimulatedBot::new(EngineBot::Grid { bot, pair: Arc::from(PAIRS[0]) });
        let backtest = Backtest { bot, histories, balance: Decimal::ZERO, path: costs.path };
        let run = backtest.run(&|| false).unwrap();
        // The sandbox's bot started before the candles.
        let started = bot_starts_with_an_order(&run.events);
        assert_same(&played, &run.events[usize::from(started)..]);
        prop_assert_eq!(backtest.figures(&|| false), Ok((run.figures(&backtest), run.is_idle())));
        let (record, end) = (sandbox.service.state().store.grid_bots[&id].clone(), run.equity.last().unwrap());
        let figure = |field: &str| number(record[field].as_str().unwrap());
        prop_assert_eq!(figure("current_profit"), end.realized.clone());
        // A bot that a stop loss disabled has the figures of that time.
        if record["is_enabled"] == true && record["current_profit_loss"] != Value::Null {
            prop_assert_eq!(figure("unrealized_profit_loss"), end.unrealized.clone());
        }
    }
}
