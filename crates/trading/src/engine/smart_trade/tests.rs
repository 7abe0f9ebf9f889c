//! The arithmetic that the samples of the API reference show, and the life of a SmartTrade.

use super::*;
use crate::ladder::Direction;

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn market(tick: &str, lot: &str, fee: &str) -> Market {
    let (pair, slippage) = ("USDT_XRP".into(), Decimal::ZERO);
    Market { pair, tick: number(tick), lot: number(lot), fee: number(fee), slippage }
}

fn trigger(price: &str) -> PriceTrigger {
    PriceTrigger { price: Some(number(price)), of: PriceType::Last }
}

/// Returns a SmartTrade that enters at the market price.
fn at_market(direction: Direction, quantity: &str) -> SmartTrade {
    SmartTrade {
        status: SmartTradeStatus::Created,
        is_instant: false,
        is_held: false,
        is_leveraged: false,
        entry: SmartTradeEntry {
            is_limit: false,
            quantity: number(quantity),
            price: None,
            condition: None,
            status: OrderStatus::ToProcess,
            best: None,
        },
        targets: Vec::new(),
        stop_loss: None,
        reductions: Vec::new(),
        market_close: None,
        position: PositionFigures::new(direction),
        average: None,
        average_without_fee: None,
    }
}

fn target(share: &str, price: Option<&str>, percent: Option<&str>) -> TargetOrder {
    TargetOrder {
        is_limit: true,
        share: number(share),
        trigger: PriceTrigger { price: price.map(number), of: PriceType::Last },
        percent: percent.map(number),
        trailing: None,
        status: OrderStatus::Idle,
        best: None,
        quantity: None,
        total: None,
    }
}

fn stop(price: &str) -> StopLossOrder {
    StopLossOrder {
        limit: None,
        trigger: trigger(price),
        percent: None,
        breakeven: false,
        is_trailing: false,
        distance: None,
        timeout: None,
        due: None,
        status: OrderStatus::Idle,
        quantity: None,
        total: None,
    }
}

/// Does something at a price, and returns the orders that fill: their kinds, prices and quantities.
fn at(
    trade: &mut SmartTrade,
    market: &Market,
    price: &str,
    act: impl FnOnce(&mut SmartTrade, &mut Moment<'_>),
) -> Vec<String> {
    let (price, mut events) = (number(price), Vec::new());
    act(trade, &mut Moment { market, price: &price, spread: &Decimal::ZERO, now: 0, events: &mut events });
    let shown = |event: Event| match event.kind {
        EventKind::OrderFilled(Fill { side, kind, price, quantity, .. }) => {
            Some(format!("{} {} {quantity} at {price}", kind.name(), side.name()))
        }
        EventKind::DealOpened { .. } => None,
        other => panic!("{other:?}"),
    };
    events.into_iter().filter_map(shown).collect()
}

/// Starts a SmartTrade at a price.
fn started(mut trade: SmartTrade, market: &Market, price: &str) -> SmartTrade {
    at(&mut trade, market, price, SmartTrade::start);
    trade
}

fn entered(trade: &SmartTrade) -> [String; 3] {
    let Totals { amount, total } = &trade.position.entered;
    [amount.to_string(), total.to_string(), trade.average.clone().unwrap().to_string()]
}

#[test]
fn an_entry_has_the_amounts_and_the_average_of_the_samples() {
    let bought = started(at_market(Direction::Long, "15"), &market("0.00001", "1", "0.006"), "0.10559");
    assert_eq!(entered(&bought), ["14.91", "1.58385", "0.10622"]);
    let sold = started(at_market(Direction::Short, "7.8"), &market("0.0001", "0.1", "0.006"), "0.255");
    assert_eq!(entered(&sold), ["7.8", "1.977066", "0.2534"]);
    for (quantity, price, tick, total, average) in [
        ("4", "0.03716", "0.00001", "0.14878864", "0.03719"),
        ("34", "0.00000442", "0.00000001", "0.00015043028", "0.00000442"),
    ] {
        let leveraged = SmartTrade { is_leveraged: true, ..at_market(Direction::Long, quantity) };
        let bought = started(leveraged, &market(tick, "1", "0.001"), price);
        assert_eq!(entered(&bought), [quantity, total, average]);
    }
}

#[test]
fn a_profit_is_that_of_the_samples() {
    let position = |direction, amount: &str, total: &str| PositionFigures {
        entered: Totals { amount: number(amount), total: number(total) },
        ..PositionFigures::new(direction)
    };
    for (direction, amount, total, price, volume, percent) in [
        (Direction::Long, "43.736", "4.57371", "0.10244", "-0.09787447584", "-2.14"),
        (Direction::Short, "7.8", "1.977066", "0.264", "-0.0841932", "-4.26"),
    ] {
        let profit = position(direction, amount, total).profit_at(&number(price), &number("0.001"));
        assert_eq!(
            (profit.clone(), profit.percentage_of(&number(total)).to_string()),
            (number(volume), percent.into())
        );
    }
    for (volume, total, percent) in [("-36.10", "100", "-36.1"), ("1.4714", "100", "1.47"), ("-4.2585", "100", "-4.26")]
    {
        assert_eq!(number(volume).percentage_of(&number(total)).to_string(), percent);
    }
}

fn quantities(trade: &SmartTrade) -> Vec<String> {
    trade.targets.iter().map(|target| target.quantity.clone().unwrap().to_string()).collect()
}

#[test]
fn targets_get_whole_lots_and_the_first_one_what_is_left_of_them() {
    let market = market("0.00001", "1", "0.006");
    let mut trade = at_market(Direction::Long, "15");
    trade.targets = vec![target("100", None, Some("5"))];
    assert_eq!(quantities(&started(trade.clone(), &market, "0.10559")), ["14"]);
    trade.targets = ["50", "25", "25"].map(|share| target(share, Some("0.11"), None)).to_vec();
    let trade = started(trade, &market, "0.10559");
    assert_eq!(quantities(&trade), ["8", "3", "3"]);
    assert_eq!(trade.targets[0].total, Some(number("0.88")));
    let mut larger = at_market(Direction::Long, "44");
    larger.targets = vec![target("100", None, Some("5"))];
    assert_eq!(quantities(&started(larger, &market, "0.1044")), ["43"]);
}

#[test]
fn a_target_in_percent_is_at_the_tick_below_and_a_stop_loss_closes_whole_lots() {
    let market = market("0.0001", "1", "0");
    let mut trade = at_market(Direction::Long, "14.91");
    trade.targets = vec![target("100", None, Some("5"))];
    trade.stop_loss = Some(stop("0.1013"));
    let mut trade = started(trade, &market, "0.104575");
    // The average is not rounded for it: 0.104575 × 1.05 = 0.10980375.
    assert_eq!(trade.targets[0].trigger.price, Some(number("0.1098")));
    assert_eq!(at(&mut trade, &market, "0.1013", SmartTrade::visit), ["stop_loss sell 14 at 0.1013"]);
    assert_eq!(trade.stop_loss.as_ref().unwrap().total, Some(number("1.4182")));
    assert_eq!((trade.status, trade.position.open_amount()), (SmartTradeStatus::StopLossFinished, number("0.91")));
}

#[test]
fn a_price_that_moves_visits_every_level_on_its_way() {
    let market = market("1", "1", "0");
    let mut trade = at_market(Direction::Long, "10");
    (trade.entry.is_limit, trade.entry.price) = (true, Some(number("95")));
    trade.targets = vec![target("50", Some("110"), None), target("50", Some("120"), None)];
    trade.stop_loss = Some(StopLossOrder { breakeven: true, ..stop("90") });
    let mut trade = started(trade, &market, "100");
    let moved = |trade: &mut SmartTrade, from: &str, to: &str| {
        at(trade, &market, to, |trade, moment| trade.move_price(&number(from), moment))
    };
    assert_eq!(moved(&mut trade, "100", "92"), ["entry buy 10 at 95"]);
    assert_eq!(moved(&mut trade, "92", "115"), ["take_profit sell 5 at 110"]);
    assert_eq!(moved(&mut trade, "115", "80"), ["stop_loss sell 5 at 95"]);
    assert_eq!(trade.position.profit(&Decimal::ONE), number("75"));
}

#[test]
fn break_even_never_moves_a_stop_loss_away_from_the_price() {
    let market = market("1", "1", "0");
    let mut trade = at_market(Direction::Long, "10");
    trade.targets = vec![target("50", Some("150"), None), target("50", Some("170"), None)];
    let trailing = StopLossOrder { breakeven: true, is_trailing: true, ..stop("90") };
    trade.stop_loss = Some(trailing);
    let mut trade = started(trade, &market, "100");
    at(&mut trade, &market, "150", SmartTrade::visit);
    // 150 less the distance of 10 %.
    assert_eq!(trade.stop_loss.as_ref().unwrap().trigger.price, Some(number("135")));
    at(&mut trade, &market, "151", SmartTrade::visit);
    assert_eq!(trade.stop_loss.unwrap().trigger.price, Some(number("135")));
}

#[test]
fn funds_are_added_and_taken_and_the_targets_share_what_is_left() {
    let market = market("1", "1", "0");
    let mut trade = at_market(Direction::Short, "10");
    trade.targets = vec![target("50", Some("90"), None), target("50", Some("80"), None)];
    let mut trade = started(trade, &market, "100");
    let added = at(&mut trade, &market, "106", |trade, moment| trade.add_funds(&number("10"), moment));
    assert_eq!(
        (added.as_slice(), quantities(&trade)),
        (["added_funds sell 10 at 106".to_owned()].as_slice(), vec!["10".into(), "10".into()])
    );
    assert_eq!(entered(&trade), ["20", "2060", "103"]);
    trade.reduce(number("4"), None, number("100"));
    assert_eq!((trade.status.code(), trade.is_pending()), ("pending_reduce_funds", true));
    assert_eq!(at(&mut trade, &market, "101", SmartTrade::end_pending), ["reduced_funds buy 4 at 101"]);
    assert_eq!((trade.status.code(), quantities(&trade)), ("waiting_targets", vec!["8".to_owned(), "8".to_owned()]));
    trade.close();
    assert_eq!(at(&mut trade, &market, "99", SmartTrade::end_pending), ["by_hand buy 16 at 99"]);
    assert_eq!((trade.status.code(), trade.position.profit(&Decimal::ONE)), ("panic_sold", number("72")));
}

#[test]
fn between_its_quiet_prices_nothing_happens() {
    let market = market("1", "1", "0");
    let mut trade = at_market(Direction::Long, "10");
    trade.targets = vec![target("100", Some("120"), None)];
    trade.stop_loss = Some(StopLossOrder { is_trailing: true, ..stop("90") });
    let trade = started(trade, &market, "100");
    let quiet = trade.quiet_prices(&market, &Decimal::ZERO, &number("100"));
    // The trigger moves to 91 at 101.12 and above.
    assert_eq!((quiet.lower, quiet.upper), (Some(number("90")), Some(number("101"))));
    for price in ["91", "99", "100"] {
        let mut visited = trade.clone();
        assert_eq!(at(&mut visited, &market, price, SmartTrade::visit).len(), 0);
        assert_eq!(visited, trade);
    }
}
