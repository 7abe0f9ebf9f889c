//! The settings of a backtested SmartTrade, and those of them that a backtest does not simulate.

use super::backtest_settings::NotSimulated;
use super::error::PlanError;
use super::smart_trade_state::smart_trade;
use botdesk_schema::input::Violation;
use botdesk_schema::json_record::{JsonRecord, string};
use botdesk_trading::backtest::{BacktestRun, EngineBot};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::smart_trade::{OrderStatus, PriceType, SmartTrade, SmartTradeStatus};
use botdesk_trading::engine::{EventKind, Market};

/// The settings of a SmartTrade that is backtested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmartTradeSettings {
    /// The SmartTrade before the first price.
    pub(super) trade: SmartTrade,
    /// The pair; None if none was given.
    pub pair: Option<String>,
    /// The warnings.
    pub(super) warnings: Vec<String>,
    /// The settings that are not simulated.
    pub(super) not_simulated: Vec<NotSimulated>,
}

impl SmartTradeSettings {
    /// Reads the settings from a record, or from the body of a request that creates a SmartTrade.
    pub fn new(record: &JsonRecord) -> Result<Self, PlanError> {
        let mut trade = smart_trade(record);
        if let Some(reason) = why_not(&trade) {
            return Err(Violation::new("smart_trade", reason).into());
        }
        let warnings = trade
            .is_instant
            .then(|| "a simple buy or sell is not closed, so the backtest has its order and no profit".to_owned());
        let mut not_simulated = not_simulated(&trade);
        not_simulated.extend(follow_from_triggers(&mut trade));
        Ok(Self {
            not_simulated,
            trade,
            pair: Some(string(record, "pair").to_owned()).filter(|pair| !pair.is_empty()),
            warnings: warnings.into_iter().collect(),
        })
    }

    /// Returns the value of the entry, at its own price or at another one.
    pub(super) fn volume(&self, price: &Decimal) -> Decimal {
        &self.trade.entry.quantity * self.trade.entry.price.as_ref().unwrap_or(price)
    }
}

/// Returns the reason why a SmartTrade can't be backtested.
fn why_not(trade: &SmartTrade) -> Option<String> {
    let status = trade.status;
    if status.has_ended() {
        return Some(format!("has ended: its status is {}; pass the arguments of a new one", status.code()));
    }
    if status == SmartTradeStatus::Other {
        return Some("has a status that botdesk does not know".to_owned());
    }
    (!trade.entry.quantity.is_positive()).then(|| "has no quantity".to_owned())
}

fn not_simulated(trade: &SmartTrade) -> Vec<NotSimulated> {
    let leverage = NotSimulated::new(
        "leverage",
        "the margin, a liquidation and funding payments are left out; profits are those of the whole position",
    );
    let price_type =
        |field| NotSimulated::new(field, "candles have one price, which counts as the bid and as the ask too");
    let entry =
        trade.entry.condition.as_ref().map(|condition| ("position.conditional.price.type", condition.trigger.of));
    let targets = trade.targets.iter().map(|target| ("take_profit.steps.price.type", target.trigger.of));
    let stop = trade.stop_loss.as_ref().map(|stop| ("stop_loss.conditional.price.type", stop.trigger.of));
    let mut fields: Vec<_> = entry.into_iter().chain(targets).chain(stop).collect();
    fields.retain(|(_, of)| *of != PriceType::Last);
    fields.dedup();
    let mut found: Vec<_> = fields.into_iter().map(|(field, _)| price_type(field)).collect();
    found.dedup();
    found.extend(trade.is_leveraged.then_some(leverage));
    found
}

/// Lets the orders that follow the price go on from their triggers, which they have passed, and returns the settings that this concerns.
/// The engine takes the first price instead if it is better.
fn follow_from_triggers(trade: &mut SmartTrade) -> Vec<NotSimulated> {
    let inexact = |field| {
        NotSimulated::new(
            field,
            "the record has no best price of an order that follows the price; it is the trigger or the first price, the better one",
        )
    };
    let mut found = Vec::new();
    let SmartTrade { entry, targets, .. } = trade;
    if entry.status == OrderStatus::Following {
        entry.best = entry.condition.as_ref().and_then(|condition| condition.trigger.price.clone());
        found.push(inexact("position.conditional.trailing"));
    }
    for target in targets.iter_mut().filter(|target| target.status == OrderStatus::Following) {
        target.best.clone_from(&target.trigger.price);
        // Only the last target may follow the price.
        found.push(inexact("take_profit.steps.trailing"));
    }
    found
}

/// Returns the timeout of a stop loss that may be running before the first price: the price is beyond the trigger already.
pub(super) fn running_timeout(trade: &SmartTrade, first_price: &Decimal) -> Option<NotSimulated> {
    let stop =
        trade.stop_loss.as_ref().filter(|stop| stop.timeout.is_some() && stop.status == OrderStatus::ToProcess)?;
    let trigger = stop.trigger.price.as_ref()?;
    trade.exit_side().is_passed(first_price, trigger).then(|| {
        NotSimulated::new(
            "stop_loss.timeout",
            "the price is beyond the trigger at first, and the record does not say since when; the timeout starts at the first price",
        )
    })
}

/// Returns what is to be known about the end of a run of a SmartTrade, each in a sentence.
pub(super) fn end_notes(run: &BacktestRun, market: &Market) -> Vec<String> {
    let EngineBot::SmartTrade(simulated) = &run.bot.state else { return Vec::new() };
    let trade = &simulated.trade;
    [unfilled(trade, run), too_small(trade), left_over(trade, market)].into_iter().flatten().collect()
}

/// The entry was not filled.
fn unfilled(trade: &SmartTrade, run: &BacktestRun) -> Option<String> {
    let is_filled = run.events.iter().any(|event| matches!(event.kind, EventKind::OrderFilled(_)));
    if is_filled || trade.status != SmartTradeStatus::WaitingPosition {
        return None;
    }
    let limit = trade.entry.price.as_ref().filter(|_| trade.entry.condition.is_none());
    let trigger = trade.entry.condition.as_ref().and_then(|condition| condition.trigger.price.as_ref());
    let price = limit.or(trigger)?.normalized();
    Some(format!("the entry was not filled: the candles end before the price reached {price} and the order filled"))
}

/// A target gets no whole lot.
fn too_small(trade: &SmartTrade) -> Option<String> {
    let is_empty = |quantity: &Decimal| quantity.is_zero();
    let number = trade.targets.iter().position(|target| target.quantity.as_ref().is_some_and(is_empty))?;
    Some(format!("target {} gets less than a lot, so it closes nothing", number + 1))
}

/// A part was not closed.
fn left_over(trade: &SmartTrade, market: &Market) -> Option<String> {
    let left = trade.position.open_amount().normalized();
    let is_closed = trade.status.has_ended() && !trade.is_instant;
    (is_closed && left.is_positive()).then(|| {
        let lot = market.lot.normalized();
        if left >= lot {
            return format!("{left} of the base currency is left open, because no target covers it; the profit is that of the rest");
        }
        format!("{left} of the base currency is not closed, because orders are multiples of the lot {lot}; it counts as lost")
    })
}
