//! Prices that move, and candles that are played.

use serde_json::json;

use super::*;
use crate::{Playback, PlaybackError, PlaybackMoment, PlaybackStep};
use botdesk_trading::candles::{self, Candles, CandlesBuilder};

const PAIR: &str = "USDT_NEW";

/// 2024-01-01.
const START: i64 = 1_704_067_200_000;

/// Returns candles of a minute each, from 2024-01-01 on, with rows of open, high, low and close.
fn minutes(rows: &[[&str; 4]]) -> Candles {
    let mut builder = CandlesBuilder::default();
    for (row, minute) in rows.iter().zip(0..) {
        builder.times.push(START + 60_000 * minute);
        for (column, price) in builder.prices.iter_mut().zip(row) {
            column.push_text(price).unwrap();
        }
    }
    builder.finish().unwrap()
}

/// Returns a sandbox with a bot that takes profit at 1 % and has one safety order at 2 %, and the bot's id.
async fn sandbox(changes: Value) -> (TestClient, u64) {
    let client = TestClient::open(0).await;
    let defaults = json!({
        "pairs": [PAIR], "is_enabled": true, "base_order_volume": "100", "safety_order_volume": "100", "take_profit": "1",
        "max_safety_orders": 1, "active_safety_orders_count": 1, "safety_order_step_percentage": "2",
        "max_active_deals": 1, "stop_loss_percentage": "0",
    });
    let bot = client.sandbox.add("dca_bots", fields(defaults, changes)).unwrap();
    (client, bot)
}

/// Plays up to the end of the next candle; None after the last one.
fn next_moment(playback: &mut Playback) -> Option<PlaybackMoment> {
    loop {
        match playback.step().unwrap() {
            PlaybackStep::Moment(moment) => return Some(moment),
            PlaybackStep::Unfinished => {}
            PlaybackStep::End => return None,
        }
    }
}

fn finished(client: &TestClient, bot: u64) -> Vec<Value> {
    let deals = client.sandbox.finished_deals(bot).unwrap();
    deals.iter().map(|deal| serde_json::from_str(deal).unwrap()).collect()
}

#[tokio::test]
async fn a_moving_price_trades_what_a_jumping_one_misses() {
    let (client, bot) = sandbox(json!({})).await;
    client.sandbox.set_price(PAIR, 100.into()).unwrap();
    client.sandbox.move_price(PAIR, "102.5".parse().unwrap()).unwrap();
    // The first deal takes profit at 101, the second, opened there, at 102.01; the third is open.
    let deals = finished(&client, bot);
    let prices: Vec<_> = deals.iter().map(|deal| &deal["sold_average_price"]).collect();
    assert_eq!(prices, ["101", "102.01"]);
    assert_eq!(client.show(bot).await["active_deals"][0]["base_order_average_price"], "102.010");

    let (client, bot) = sandbox(json!({})).await;
    client.sandbox.set_price(PAIR, 100.into()).unwrap();
    client.sandbox.set_price(PAIR, "102.5".parse().unwrap()).unwrap();
    assert_eq!(finished(&client, bot).len(), 1);
    assert_eq!(client.show(bot).await["active_deals"][0]["base_order_average_price"], "102.5");
}

#[tokio::test]
async fn a_stop_loss_fills_at_its_price_in_a_move_and_at_the_new_price_in_a_jump() {
    for (moves, price) in [(true, "89.99"), (false, "80")] {
        let (client, bot) = sandbox(json!({"stop_loss_percentage": "10.001"})).await;
        client.sandbox.set_price(PAIR, "100.00".parse().unwrap()).unwrap();
        if moves {
            client.sandbox.move_price(PAIR, 80.into()).unwrap();
        } else {
            client.sandbox.set_price(PAIR, 80.into()).unwrap();
        }
        let deal = &finished(&client, bot)[0];
        // The stop loss is at 89.999, which is rounded down to the tick of 0.001.
        let expected = if moves { "89.999" } else { price };
        assert_eq!((&deal["status"], &deal["sold_average_price"]), (&json!("stop_loss_finished"), &json!(expected)));
    }
}

#[tokio::test]
async fn candles_are_played_one_by_one_and_bots_can_be_edited_in_between() {
    let (client, bot) = sandbox(json!({})).await;
    let candles =
        minutes(&[["100", "100.5", "99.5", "100"], ["100", "102", "97", "100"], ["100", "100", "100", "100"]]);
    let history = vec![(PAIR.to_owned(), candles)];
    let mut playback = client.sandbox.play(history, candles::ExtremeOrder::Nearest, None).unwrap();
    let first = next_moment(&mut playback).unwrap();
    assert_eq!((first.time, first.events.len()), (START + 45_000, 2));
    assert_eq!(first.prices[PAIR], "100".parse().unwrap());
    client.request("POST", &format!("/ver1/bots/{bot}/disable"), "").await;
    // The high, which is nearer to the open, comes first: the deal takes profit at 101.
    let second = next_moment(&mut playback).unwrap();
    let closed = second.events.iter().filter(|event| event.kind == "deal_closed");
    assert_eq!(closed.count(), 1);
    assert_eq!(finished(&client, bot)[0]["closed_at"], "2024-01-01T00:01:15.000Z");
    assert_eq!(next_moment(&mut playback).unwrap().events, []);
    assert_eq!(
        (next_moment(&mut playback), client.show(bot).await["active_deals"].as_array().unwrap().len()),
        (None, 0)
    );
}

#[tokio::test]
async fn the_playback_that_was_started_last_continues_until_the_sandbox_stops() {
    let (client, _) = sandbox(json!({})).await;
    let history = || vec![(PAIR.to_owned(), minutes(&[["100"; 4], ["100"; 4]]))];
    let play = || client.sandbox.play(history(), candles::ExtremeOrder::Nearest, None);
    let (mut first, mut second) = (play().unwrap(), play().unwrap());
    assert_eq!(first.step(), Err(PlaybackError::Replaced));
    drop(first);
    assert_eq!(next_moment(&mut second).unwrap().events.len(), 2);
    client.sandbox.stop();
    assert_eq!(second.step(), Err(PlaybackError::Closed));
    assert_eq!(play().err(), Some(PlaybackError::Closed));
}

#[tokio::test]
async fn a_gap_with_many_timers_is_played_in_steps() {
    let (client, bot) = sandbox(json!({"close_deals_timeout": "60"})).await;
    let mut builder = CandlesBuilder::default();
    for time in [0, 60_000, 60_000 * 1_000] {
        builder.times.push(time);
        for column in &mut builder.prices {
            column.push_text("100").unwrap();
        }
    }
    let history = vec![(PAIR.to_owned(), builder.finish().unwrap())];
    let mut playback = client.sandbox.play(history, candles::ExtremeOrder::Nearest, None).unwrap();
    assert_eq!((next_moment(&mut playback).is_some(), next_moment(&mut playback).is_some()), (true, true));
    let mut steps = 1;
    while playback.step().unwrap() == PlaybackStep::Unfinished {
        steps += 1;
    }
    assert!(steps > 3, "{steps}");
    assert_eq!(finished(&client, bot).len(), 1_000);
}

#[tokio::test]
async fn what_happens_between_two_candles_is_among_the_events_of_the_second_one() {
    let (client, bot) = sandbox(json!({})).await;
    let history = vec![(PAIR.to_owned(), minutes(&[["100"; 4], ["100"; 4]]))];
    let mut playback = client.sandbox.play(history, candles::ExtremeOrder::Nearest, None).unwrap();
    assert_eq!(next_moment(&mut playback).unwrap().events.len(), 2);
    client.request("POST", &format!("/ver1/bots/{bot}/disable"), "").await;
    client.request("POST", &format!("/ver1/bots/{bot}/cancel_all_deals"), "").await;
    client.show(bot).await;
    let events = next_moment(&mut playback).unwrap().events;
    assert_eq!((events[0].kind.as_str(), events[0].reason.as_deref()), ("deal_closed", Some("cancelled")));
}

#[tokio::test]
async fn fees_and_slippage_lower_the_profit() {
    let options = SandboxOptions {
        bots: 0,
        fee: "0.001".parse().unwrap(),
        slippage: "0.01".parse().unwrap(),
        ..SandboxOptions::default()
    };
    let client = TestClient::with(options).await;
    let bot = fields(
        json!({
            "pairs": [PAIR], "is_enabled": true, "base_order_volume": "100", "base_order_volume_type": "quote_currency",
            "start_order_type": "market", "take_profit": "1", "max_safety_orders": 0, "stop_loss_percentage": "0",
            "max_active_deals": 1,
        }),
        json!({}),
    );
    let bot = client.sandbox.add("dca_bots", bot).unwrap();
    client.sandbox.set_price(PAIR, 100.into()).unwrap();
    client.sandbox.move_price(PAIR, 105.into()).unwrap();
    let deal = &finished(&client, bot)[0];
    // 100 ÷ 101, rounded up to the lot, is 0.99009901. The target is 101.101 × 1.01 ÷ 0.999, rounded up to the tick of 0.001: 102.215.
    assert_eq!((&deal["bought_average_price"], &deal["sold_average_price"]), (&json!("101.101"), &json!("102.112785")));
    // 0.99009901 × (102.215 × 0.999 − 101 × 1.001)
    assert_eq!(deal["final_profit"], "1.00176732683285");
    // 102.215 ÷ 101.101 − 1
    assert_eq!(deal["final_profit_percentage"], "1.1");
}

#[tokio::test]
async fn a_script_that_waits_for_a_cancellation_sees_it() {
    let (client, bot) = sandbox(json!({})).await;
    client.sandbox.set_price(PAIR, 100.into()).unwrap();
    client.request("POST", &format!("/ver1/bots/{bot}/cancel_all_deals"), "").await;
    for _ in 0..4 {
        assert_eq!(client.show(bot).await["active_deals"][0]["status"], "cancel_pending");
    }
    assert_eq!(client.show(bot).await["active_deals"], json!([]));
    assert_eq!(finished(&client, bot)[0]["status"], "cancelled");
}

/// Returns a year of minutes: a random walk, in which a minute moves the price by 0.05 % on average.
fn year_of_minutes() -> Candles {
    let mut builder = CandlesBuilder::default();
    let mut random: u64 = 1;
    let mut step = |price: i64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = i64::try_from(random >> 44).unwrap() - (1 << 19);
        (price + price * share / (1 << 29)).max(100)
    };
    let mut price = 6_000_000;
    for minute in 0..525_600 {
        let open = price;
        let path = [open, step(open), step(open), step(open)];
        price = path[3];
        let candle = [open, *path.iter().max().unwrap(), *path.iter().min().unwrap(), price];
        builder.times.push(START + 60_000 * minute);
        for (column, mantissa) in builder.prices.iter_mut().zip(candle) {
            column.push(candles::Number { mantissa: mantissa.into(), scale: 2 }).unwrap();
        }
    }
    builder.finish().unwrap()
}

/// Run it with `cargo test --release --package botdesk-sandbox -- --ignored --nocapture a_year`.
#[tokio::test]
#[ignore = "a benchmark, for release builds"]
async fn a_year_of_minutes_is_played_within_a_minute() {
    let client = TestClient::open(12).await;
    let mut state = client.sandbox.service.state();
    for bot in state.store.dca_bots.values_mut() {
        bot.extend(crate::defaults::object! { "pairs": ["USDT_BTC"], "is_enabled": true });
    }
    for bot in state.dca_bot_states.values_mut() {
        bot.deals.clear();
        bot.engine = None;
    }
    drop(state);
    let history = vec![("USDT_BTC".to_owned(), year_of_minutes())];
    let mut playback = client.sandbox.play(history, candles::ExtremeOrder::Nearest, None).unwrap();
    let started = std::time::Instant::now();
    let (mut moments, mut events) = (0, 0);
    while let Some(moment) = next_moment(&mut playback) {
        moments += 1;
        events += moment.events.len();
    }
    let elapsed = started.elapsed();
    println!("{moments} candles and {events} events in {elapsed:?}");
    assert!(elapsed.as_secs() < 60, "it took {elapsed:?}");
}
