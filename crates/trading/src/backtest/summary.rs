//! The figures of a backtest.

use super::deal_row::{DealRow, DealStatus};
use super::equity::deepest_drawdown;
use super::run::{Backtest, Run};
use crate::decimal::Decimal;
use crate::engine::Milliseconds;

/// The figures of a backtest. Amounts are in the quote currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The number of finished deals.
    pub deals: u64,
    /// The profit after fees of finished deals, or of the steps of a grid.
    pub profit: Decimal,
    /// The profit of deals that are open at the end, or of what a grid holds, if it was closed at the last price.
    pub open_profit: Decimal,
    /// The most capital that was in use.
    pub most_capital: Decimal,
    /// The profit in percent of the most capital in use; None if none was used.
    pub profit_percentage: Option<Decimal>,
    /// The number of finished deals with a profit.
    pub won: u64,
    /// The number of finished deals without one.
    pub lost: u64,
    /// The deepest fall of realized and unrealized profit from its highest value.
    pub drawdown: Decimal,
    /// The share of time with an open deal, in percent.
    pub time_in_market: Decimal,
    /// The mean duration of finished deals; None without any.
    pub mean_duration: Option<Milliseconds>,
    /// The duration of the longest deal, finished or open; None without any.
    pub longest_duration: Option<Milliseconds>,
    /// The most safety orders that a deal used.
    pub most_safety_orders: u32,
    /// The fees of all orders.
    pub fees: Decimal,
    /// The profit after fees of buying for the most capital in use at the first price, and holding until the last one.
    pub buy_and_hold: Decimal,
}

/// The decimal places of the profit of buying and holding.
const HOLD_PLACES: u8 = 8;

impl Run {
    /// Returns the figures of the run, whose deals are given.
    pub fn summary(&self, deals: &[DealRow], backtest: &Backtest) -> Summary {
        let finished = || deals.iter().filter(|deal| deal.status != DealStatus::Open);
        let count = |deals: usize| u64::try_from(deals).unwrap_or(u64::MAX);
        let won = count(finished().filter(|deal| deal.profit.is_positive()).count());
        let total = count(finished().count());
        let most_capital = self.equity.iter().map(|point| &point.capital).max().cloned().unwrap_or_default();
        let last = self.equity.last();
        let profit = last.map(|point| point.realized.clone()).unwrap_or_default();
        let durations: i64 = finished().map(|deal| deal.duration).sum();
        let fees = self.orders(backtest).iter().map(|order| &order.fee).sum::<Decimal>();
        Summary {
            deals: total,
            open_profit: last.map(|point| point.unrealized.normalized()).unwrap_or_default(),
            profit_percentage: most_capital.is_positive().then(|| profit.percentage_of(&most_capital)),
            profit: profit.normalized(),
            won,
            lost: total - won,
            drawdown: deepest_drawdown(&self.equity).normalized(),
            time_in_market: self.time_in_market(deals, backtest),
            mean_duration: i64::try_from(total).ok().filter(|total| *total > 0).map(|total| durations / total),
            longest_duration: deals.iter().map(|deal| deal.duration).max(),
            most_safety_orders: deals.iter().map(|deal| deal.safety_orders).max().unwrap_or(0),
            fees: fees.normalized(),
            buy_and_hold: self.buy_and_hold(&most_capital, backtest),
            most_capital: most_capital.normalized(),
        }
    }

    /// Returns the share of time with an open deal, in percent.
    fn time_in_market(&self, deals: &[DealRow], backtest: &Backtest) -> Decimal {
        let start = backtest.histories.iter().filter_map(|history| history.candles.time(0)).min().unwrap_or(0);
        let end = self.last_prices.iter().map(|(_, time)| *time).max().unwrap_or(start);
        let (mut covered, mut open_time) = (start, 0_i64);
        // Deals are in the order of their starts.
        for deal in deals {
            let closed_at = deal.opened_at.saturating_add(deal.duration);
            open_time += (closed_at - deal.opened_at.max(covered)).max(0);
            covered = covered.max(closed_at);
        }
        Decimal::from(open_time).percentage_of(&(end - start).into())
    }

    /// Returns the profit of buying in equal parts of all pairs, and holding.
    fn buy_and_hold(&self, capital: &Decimal, backtest: &Backtest) -> Decimal {
        let pairs = u64::try_from(backtest.histories.len()).unwrap_or(1);
        let profit = backtest.histories.iter().zip(&self.last_prices).filter_map(|(history, (last, _))| {
            let first = history.candles.candle(0)?.open;
            let fee = &history.market.fee;
            let profit = capital * (last * (Decimal::ONE - fee) - &first * (Decimal::ONE + fee));
            profit.quotient_rounded(&(first * Decimal::from(pairs)), HOLD_PLACES)
        });
        profit.sum::<Decimal>().normalized()
    }
}
