//! Bots of all kinds, and SmartTrades, as a backtest uses them.

use std::sync::Arc;

use super::equity::EquityPoint;
use super::simulated_smart_trade::SimulatedSmartTrade;
use crate::decimal::Decimal;
use crate::engine::dca_bot::{Context, Markets};
use crate::engine::movement::QuietRange;
use crate::engine::{Deal, Event, Market, Milliseconds, Quote, SimulatedDcaBot, SimulatedGridBot};

/// A bot that is tried on candles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedBot {
    /// The bot.
    pub state: EngineBot,
    /// The id of its next deal.
    next_deal: u64,
    /// The profit of closed deals.
    realized: Decimal,
    /// The investment in the orders of a grid.
    invested: Decimal,
}

/// A bot of either kind, or a SmartTrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineBot {
    /// A DCA bot.
    Dca(SimulatedDcaBot),
    /// A grid bot.
    Grid {
        /// The bot.
        bot: SimulatedGridBot,
        /// The code of its pair.
        pair: Arc<str>,
    },
    /// A SmartTrade.
    SmartTrade(Box<SimulatedSmartTrade>),
}

impl SimulatedBot {
    /// Returns a bot before its first deal.
    pub fn new(state: EngineBot) -> Self {
        let invested = match &state {
            EngineBot::Dca(_) | EngineBot::SmartTrade(_) => Decimal::ZERO,
            EngineBot::Grid { bot, .. } => bot.invested.clone(),
        };
        Self { state, next_deal: 1, realized: Decimal::ZERO, invested }
    }

    /// Lets the price of a pair jump, or move from the price before it.
    pub(super) fn set_price(
        &mut self,
        from: Option<&Decimal>,
        quote: &Quote<'_>,
        now: Milliseconds,
        events: &mut Vec<Event>,
    ) {
        let Self { state, next_deal, .. } = self;
        match (state, from) {
            (EngineBot::Dca(bot), None) => bot.set_price(quote, &mut Context { now, next_deal, events }),
            (EngineBot::Dca(bot), Some(from)) => bot.move_price(from, quote, &mut Context { now, next_deal, events }),
            (EngineBot::Grid { bot, .. }, None) => bot.set_price(quote, now, events),
            (EngineBot::Grid { bot, .. }, Some(from)) => bot.move_price(from, quote, now, events),
            (EngineBot::SmartTrade(trade), from) => trade.set_price(from, quote, now, events),
        }
    }

    /// Returns the order with which the bot starts; None if it has none.
    pub(super) fn first_order(&self, at: Milliseconds) -> Option<Event> {
        match &self.state {
            EngineBot::Dca(_) | EngineBot::SmartTrade(_) => None,
            EngineBot::Grid { bot, .. } => bot.balancing_event(at),
        }
    }

    /// Asks for a deal. A grid bot has none.
    pub(super) fn signal(&mut self, quote: &Quote<'_>, now: Milliseconds, events: &mut Vec<Event>) {
        let Self { state, next_deal, .. } = self;
        if let EngineBot::Dca(bot) = state {
            bot.signal(quote, &mut Context { now, next_deal, events });
        }
    }

    /// Returns the prices between which nothing happens; None if something may happen at every price.
    pub(super) fn quiet_range(&self, market: &Market, now: Milliseconds) -> Option<QuietRange<'_>> {
        match &self.state {
            EngineBot::Dca(bot) => bot.quiet_range(market, now),
            EngineBot::Grid { bot, .. } => Some(bot.quiet_range()),
            EngineBot::SmartTrade(trade) => trade.quiet_range(),
        }
    }

    /// Returns the time of the next timer.
    pub(super) fn next_timer(&self, markets: &impl Markets) -> Option<Milliseconds> {
        match &self.state {
            EngineBot::Dca(bot) => bot.next_timer(|pair| markets.quote(pair).is_some()),
            EngineBot::Grid { .. } => None,
            EngineBot::SmartTrade(trade) => trade.next_timer(),
        }
    }

    /// Runs the timers that are due.
    pub(super) fn run_timers(&mut self, markets: &impl Markets, now: Milliseconds, events: &mut Vec<Event>) {
        let Self { state, next_deal, .. } = self;
        match state {
            EngineBot::Dca(bot) => bot.run_timers(markets, &mut Context { now, next_deal, events }),
            EngineBot::SmartTrade(trade) => {
                if let Some(quote) = markets.quote(&Arc::clone(&trade.pair)) {
                    trade.run_timers(&quote, now, events);
                }
            }
            EngineBot::Grid { .. } => {}
        }
    }

    /// Adds the profit of a closed deal.
    pub(super) fn close(&mut self, deal: &Deal) {
        self.realized += deal.final_profit();
    }

    /// Adds the profit and the capital at the prices of a time.
    pub(super) fn add_equity(&self, markets: &impl Markets, time: Milliseconds, equity: &mut Vec<EquityPoint>) {
        match &self.state {
            EngineBot::Dca(bot) => self.add_equity_of_deals(bot, markets, time, equity),
            EngineBot::Grid { bot, pair } => equity.push(EquityPoint {
                time,
                realized: bot.totals.profit.clone(),
                unrealized: markets.quote(pair).map(|quote| bot.position.unrealized(quote.price)).unwrap_or_default(),
                capital: self.invested.clone(),
            }),
            EngineBot::SmartTrade(trade) => equity.push(trade.equity(time, markets.quote(&trade.pair).as_ref())),
        }
    }

    fn add_equity_of_deals(
        &self,
        bot: &SimulatedDcaBot,
        markets: &impl Markets,
        time: Milliseconds,
        equity: &mut Vec<EquityPoint>,
    ) {
        // The sums are calculated where they stay. To move them there would take longer than to calculate them.
        equity.push(EquityPoint {
            time,
            realized: self.realized.clone(),
            unrealized: Decimal::ZERO,
            capital: Decimal::ZERO,
        });
        let Some(point) = equity.last_mut() else { return };
        for deal in &bot.deals {
            if let Some(quote) = markets.quote(&deal.pair) {
                point.unrealized += deal.profit(quote.price, quote.market);
            }
            point.capital += deal.open_volume();
        }
    }
}
