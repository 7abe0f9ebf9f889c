//! The average price and the take profit of deals over time, for pictures.

use std::collections::HashMap;
use std::sync::Arc;

use super::deal_row::average;
use super::run::{Backtest, BacktestRun, Interrupted};
use super::simulated_bot::EngineBot;
use crate::decimal::Decimal;
use crate::engine::{Deal, Event, EventKind, Fill, Market, Milliseconds, OrderKind};

/// The average price and the take profit of a deal between two of its orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DealPrices {
    /// The number of the deal.
    pub deal: u64,
    /// The time of the order after which the prices hold.
    pub from: Milliseconds,
    /// The time of the next order; that of the last price if there is none.
    pub until: Milliseconds,
    /// The average price of the base order and the safety orders so far, with their fees.
    pub average_price: Decimal,
    /// The price of the next target; None if the deal has no take profit.
    pub take_profit_price: Option<Decimal>,
}

impl BacktestRun {
    /// Returns the average price and the take profit between the orders of each deal.
    pub fn deal_prices(
        &self,
        backtest: &Backtest,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<Vec<DealPrices>, Interrupted> {
        if let EngineBot::SmartTrade(trade) = &self.bot.state {
            return Ok(self.smart_trade_prices(trade, backtest));
        }
        let mut fills: HashMap<u64, Vec<(Milliseconds, &Fill)>> = HashMap::new();
        let mut prices = Vec::new();
        for Event { at, kind } in &self.events {
            if should_stop() {
                return Err(Interrupted);
            }
            match kind {
                EventKind::OrderFilled(fill) => {
                    if let Some(deal) = fill.deal {
                        fills.entry(deal).or_default().push((*at, fill));
                    }
                }
                EventKind::DealClosed { deal, .. } => {
                    let fills = fills.remove(&deal.id).unwrap_or_default();
                    prices.extend(replay(deal, &fills, *at, backtest));
                }
                EventKind::DealOpened { .. } | EventKind::GridMoved(_) | EventKind::BotDisabled(_) => {}
            }
        }
        if let EngineBot::Dca(bot) = &self.bot.state {
            let end = self.last_prices.iter().map(|(_, at)| *at).max().unwrap_or_default();
            for deal in &bot.deals {
                prices.extend(replay(deal, &fills.remove(&deal.id).unwrap_or_default(), end, backtest));
            }
        }
        Ok(prices)
    }
}

/// Fills the orders of a deal once more, and returns its prices after each.
fn replay(deal: &Deal, fills: &[(Milliseconds, &Fill)], end: Milliseconds, backtest: &Backtest) -> Vec<DealPrices> {
    let history = backtest.histories.iter().find(|history| history.market.is_of(&deal.pair));
    let Some(market) = history.map(|history| &history.market) else { return Vec::new() };
    let (config, base_price) = (Arc::clone(&deal.config), deal.base_price.clone());
    let mut replayed = Deal::new(deal.id, config, market, deal.opened_at, base_price);
    let mut prices = Vec::new();
    for (index, (at, fill)) in fills.iter().enumerate() {
        apply(&mut replayed, fill, market);
        let until = fills.get(index + 1).map_or(end, |(next, _)| *next);
        prices.extend(prices_of(&replayed, *at, until, market));
    }
    prices
}

fn apply(deal: &mut Deal, fill: &Fill, market: &Market) {
    match fill.kind {
        OrderKind::Base | OrderKind::Safety(_) | OrderKind::Manual(_) => {
            deal.enter(&fill.quantity, &fill.price, market);
        }
        OrderKind::TakeProfit(target) => deal.reached_targets = target,
        OrderKind::SmartTrade(_)
        | OrderKind::Trailing
        | OrderKind::StopLoss
        | OrderKind::Timeout
        | OrderKind::ByHand
        | OrderKind::StepByHand(_)
        | OrderKind::GridLevel(_)
        | OrderKind::Balancing => {}
    }
}

fn prices_of(deal: &Deal, from: Milliseconds, until: Milliseconds, market: &Market) -> Option<DealPrices> {
    (from < until).then_some(())?;
    Some(DealPrices {
        deal: deal.id,
        from,
        until,
        average_price: average(&deal.entry.volume, &deal.entry.quantity)?,
        take_profit_price: deal.take_profit_price(market),
    })
}
