//! The SmartTrade of a backtest as a row of tables and as lines of pictures.

use std::sync::Arc;

use super::deal_prices::DealPrices;
use super::deal_row::{DealRow, DealStatus, average};
use super::drawdown::worst_price;
use super::run::{Backtest, BacktestRun, History};
use super::simulated_smart_trade::{Segment, SimulatedSmartTrade};
use crate::candles::ExtremeOrder;
use crate::decimal::Decimal;
use crate::engine::smart_trade::{DEAL, PositionFigures, SmartTradeStatus};
use crate::engine::{EventKind, Milliseconds};

impl BacktestRun {
    /// Returns the SmartTrade as the only deal; None before its entry, and for a simple buy or sell.
    pub(super) fn smart_trade_row(&self, simulated: &SimulatedSmartTrade, backtest: &Backtest) -> Option<DealRow> {
        let history = backtest.histories.first().filter(|_| !simulated.trade.is_instant)?;
        let market = &history.market;
        let segments = simulated.segments(&self.events, market);
        let (first, last) = segments.first().zip(segments.last())?;
        let (last_price, last_time) = self.last_prices.first()?;
        let position = &simulated.trade.position;
        let has_ended = simulated.trade.status.has_ended();
        let end = if has_ended { last.from } else { *last_time };
        let profit = if has_ended { position.profit(&market.lot) } else { position.profit_at(last_price, &market.fee) };
        let open_price = (!has_ended).then_some(last_price);
        let orders = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::OrderFilled(fill) => Some(&fill.price * &fill.quantity),
            _ => None,
        });
        let exit_price = average(&position.closed.total, &position.closed.amount);
        Some(DealRow {
            id: DEAL,
            pair: Arc::clone(&simulated.pair),
            direction: position.direction,
            opened_at: first.from,
            closed_at: has_ended.then_some(end),
            status: match simulated.trade.status {
                SmartTradeStatus::StopLossFinished => DealStatus::StopLossFinished,
                status if status.has_ended() => DealStatus::Completed,
                _ => DealStatus::Open,
            },
            base_price: average_price(&first.position),
            average_price: average_price(position),
            exit_price: exit_price.filter(|_| has_ended),
            safety_orders: 0,
            quantity: position.entered.amount.normalized(),
            volume: position.entered.total.normalized(),
            fee: (orders.sum::<Decimal>() * &market.fee).normalized(),
            profit_percentage: profit.percentage_of(&position.entered.total),
            profit: profit.normalized(),
            drawdown_percentage: drawdown(&segments, end, open_price, history, backtest.path),
            duration: end - first.from,
        })
    }

    /// Returns the average price and the next target between the orders of a SmartTrade.
    pub(super) fn smart_trade_prices(&self, simulated: &SimulatedSmartTrade, backtest: &Backtest) -> Vec<DealPrices> {
        let Some(history) = backtest.histories.first().filter(|_| !simulated.trade.is_instant) else {
            return Vec::new();
        };
        let segments = simulated.segments(&self.events, &history.market);
        let end = self.last_prices.first().map(|(_, time)| *time).unwrap_or_default();
        let until = segments.iter().skip(1).map(|segment| segment.from).chain([end]);
        let has_position = |segment: &Segment| segment.position.open_amount() >= history.market.lot;
        let prices =
            segments.iter().zip(until).filter(|(segment, until)| segment.from < *until && has_position(segment));
        let price = |(segment, until): (&Segment, Milliseconds)| DealPrices {
            deal: DEAL,
            from: segment.from,
            until,
            average_price: average_price(&segment.position),
            take_profit_price: simulated.target_after(segment.targets),
        };
        prices.map(price).collect()
    }
}

fn average_price(position: &PositionFigures) -> Decimal {
    average(&position.entered.total, &position.entered.amount).unwrap_or_default()
}

/// Returns the deepest loss in percent of the value of the entry; 0 if there was none.
fn drawdown(
    segments: &[Segment],
    end: Milliseconds,
    open_price: Option<&Decimal>,
    history: &History,
    path: ExtremeOrder,
) -> Decimal {
    let mut deepest = Decimal::ZERO;
    for (index, segment) in segments.iter().enumerate() {
        let next = segments.get(index + 1);
        let is_over = next.is_none() && open_price.is_none();
        if is_over {
            break;
        }
        let until = next.map_or(end, |next| next.from);
        let (position, fee) = (&segment.position, &history.market.fee);
        let passed = worst_price(position.direction, segment.from..until, history, path);
        let end_price = next.map(|next| &next.price).or(open_price);
        let own = [&segment.price].into_iter().chain(end_price).chain(&segment.opening_price);
        let prices = passed.into_iter().chain(own.cloned());
        let profits = prices.map(|price| position.profit_at(&price, fee).percentage_of(&position.entered.total));
        deepest = deepest.max(-profits.min().unwrap_or_default());
    }
    deepest
}
