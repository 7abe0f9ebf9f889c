//! The deals and the orders of a backtest, as rows of tables.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::drawdown::Segments;
use super::run::{Backtest, BacktestRun, Interrupted};
use super::simulated_bot::EngineBot;
use crate::decimal::Decimal;
use crate::engine::{CloseReason, Deal, Event, EventKind, Fill, Milliseconds, OrderKind};
use crate::grid::OrderSide;
use crate::ladder::Direction;

/// The decimal places of average prices: as many as a table holds.
const AVERAGE_PLACES: u8 = 18;

/// The state of a deal at the end of a backtest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DealStatus {
    /// It took profit.
    Completed,
    /// It hit its stop loss.
    StopLossFinished,
    /// It was open for too long.
    Timeout,
    /// It is open at the end of the candles.
    Open,
}

impl DealStatus {
    /// Returns the name of the status.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::StopLossFinished => "stop_loss_finished",
            Self::Timeout => "timeout",
            Self::Open => "open",
        }
    }
}

/// A deal of a backtest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DealRow {
    /// The number of the deal, from 1 on.
    pub id: u64,
    /// The code of the pair.
    pub pair: Arc<str>,
    /// The direction.
    pub direction: Direction,
    /// The time of the base order.
    pub opened_at: Milliseconds,
    /// The time of the last order; None for an open deal.
    pub closed_at: Option<Milliseconds>,
    /// The state.
    pub status: DealStatus,
    /// The price of the base order, with its fee.
    pub base_price: Decimal,
    /// The average price of the base order and the safety orders, with their fees, rounded to 18 decimal places.
    pub average_price: Decimal,
    /// The average price of the orders that closed the deal, after their fees, rounded to 18 decimal places; None for an open deal.
    pub exit_price: Option<Decimal>,
    /// The number of filled safety orders.
    pub safety_orders: u32,
    /// The quantity of the base order and the safety orders, in the base currency.
    pub quantity: Decimal,
    /// Their volume with fees, in the quote currency.
    pub volume: Decimal,
    /// The fees of all orders, in the quote currency.
    pub fee: Decimal,
    /// The profit after fees, in the quote currency; of an open deal at the last price.
    pub profit: Decimal,
    /// The profit in percent of the volume.
    pub profit_percentage: Decimal,
    /// The deepest loss up to the end, in percent of the volume at that time; 0 if there was none.
    pub drawdown_percentage: Decimal,
    /// The time for which the deal was open.
    pub duration: Milliseconds,
}

/// A filled order of a backtest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderRow {
    /// The number of the deal; None for an order of a grid.
    pub deal: Option<u64>,
    /// The time.
    pub time: Milliseconds,
    /// The side.
    pub side: OrderSide,
    /// The kind.
    pub kind: OrderKind,
    /// The price.
    pub price: Decimal,
    /// The quantity, in the base currency.
    pub quantity: Decimal,
    /// The volume, in the quote currency.
    pub volume: Decimal,
    /// The fee, in the quote currency.
    pub fee: Decimal,
}

impl BacktestRun {
    /// Returns the orders in the order in which they filled.
    pub fn orders(&self, backtest: &Backtest, should_stop: &dyn Fn() -> bool) -> Result<Vec<OrderRow>, Interrupted> {
        let fee = backtest.fee();
        let order = |event: &Event| match &event.kind {
            _ if should_stop() => Some(Err(Interrupted)),
            EventKind::OrderFilled(fill) => Some(Ok(order_row(fill, event.at, &fee))),
            _ => None,
        };
        self.events.iter().filter_map(order).collect()
    }

    /// Returns the deals in the order in which they were opened.
    pub fn deals(&self, backtest: &Backtest, should_stop: &dyn Fn() -> bool) -> Result<Vec<DealRow>, Interrupted> {
        let mut segments = HashMap::new();
        let mut rows = Vec::new();
        for Event { at, kind } in &self.events {
            if should_stop() {
                return Err(Interrupted);
            }
            match kind {
                EventKind::DealOpened { deal, price, .. } => {
                    segments.insert(*deal, Segments::new(price));
                }
                EventKind::OrderFilled(fill) => {
                    if let Some(segments) = fill.deal.and_then(|deal| segments.get_mut(&deal)) {
                        segments.fill(*at, fill);
                    }
                }
                EventKind::DealClosed { deal, reason } => {
                    let end = End { at: *at, reason: Some(*reason), last_price: None };
                    rows.extend(row(deal, &end, segments.remove(&deal.id), backtest));
                }
                EventKind::GridMoved(_) | EventKind::BotDisabled(_) => {}
            }
        }
        rows.extend(self.open_deals(&mut segments, backtest));
        rows.sort_by_key(|row| row.id);
        Ok(rows)
    }

    fn open_deals(&self, segments: &mut HashMap<u64, Segments<'_>>, backtest: &Backtest) -> Vec<DealRow> {
        let bot = match &self.bot.state {
            EngineBot::Dca(bot) => bot,
            EngineBot::SmartTrade(trade) => return self.smart_trade_row(trade, backtest).into_iter().collect(),
            EngineBot::Grid { .. } => return Vec::new(),
        };
        let open = |deal: &Deal| {
            let history = backtest.histories.iter().position(|history| history.market.is_of(&deal.pair))?;
            let (last_price, at) = self.last_prices.get(history)?.clone();
            // A timer may open a deal after the last candle of its pair, if another pair has more.
            let end = End { at: at.max(deal.opened_at), reason: None, last_price: Some(last_price) };
            row(deal, &end, segments.remove(&deal.id), backtest)
        };
        bot.deals.iter().map(Box::as_ref).filter_map(open).collect()
    }
}

/// The end of a deal, or of the candles.
struct End {
    at: Milliseconds,
    /// None if the deal is open.
    reason: Option<CloseReason>,
    /// The last price of an open deal, at which its open part counts; None if the deal was closed.
    last_price: Option<Decimal>,
}

fn row(deal: &Deal, end: &End, segments: Option<Segments<'_>>, backtest: &Backtest) -> Option<DealRow> {
    let history = backtest.histories.iter().find(|history| history.market.is_of(&deal.pair))?;
    let market = &history.market;
    let last_price = end.last_price.as_ref();
    let profit = last_price.map_or_else(|| deal.final_profit(), |price| deal.profit(price, market));
    let fee = segments.as_ref().map(|segments| segments.fees(&market.fee));
    let drawdown =
        segments.map(|segments| segments.drawdown(deal.direction(), end.at, last_price, history, backtest.path));
    let status = match end.reason {
        None | Some(CloseReason::Cancelled | CloseReason::Failed) => DealStatus::Open,
        Some(CloseReason::TakeProfit | CloseReason::ByHand) => DealStatus::Completed,
        Some(CloseReason::StopLoss) => DealStatus::StopLossFinished,
        Some(CloseReason::Timeout) => DealStatus::Timeout,
    };
    Some(DealRow {
        id: deal.id,
        pair: Arc::clone(&deal.pair),
        direction: deal.direction(),
        opened_at: deal.opened_at,
        closed_at: end.reason.map(|_| end.at),
        status,
        base_price: deal.base_price.normalized(),
        average_price: average(&deal.entry.volume, &deal.entry.quantity).unwrap_or_default(),
        exit_price: end.reason.and_then(|_| average(&deal.exited_volume, &deal.exited_quantity)),
        safety_orders: deal.filled_safety_orders,
        quantity: deal.entry.quantity.normalized(),
        volume: deal.entry.volume.normalized(),
        fee: fee.unwrap_or_default(),
        profit_percentage: profit.percentage_of(&deal.entry.volume),
        profit: profit.normalized(),
        drawdown_percentage: drawdown.unwrap_or_default(),
        duration: end.at - deal.opened_at,
    })
}

/// Returns the average price of orders.
pub(super) fn average(volume: &Decimal, quantity: &Decimal) -> Option<Decimal> {
    Some(volume.div_round(quantity, AVERAGE_PLACES)?.normalized())
}

fn order_row(fill: &Fill, time: Milliseconds, fee: &Decimal) -> OrderRow {
    let volume = (&fill.price * &fill.quantity).normalized();
    OrderRow {
        deal: fill.deal,
        time,
        side: fill.side,
        kind: fill.kind,
        price: fill.price.normalized(),
        quantity: fill.quantity.normalized(),
        fee: (&volume * fee).normalized(),
        volume,
    }
}
