//! The prices at which something happens to a SmartTrade next.

use super::state::{OrderStatus, SmartTrade, SmartTradeStatus, StopLossOrder};
use crate::decimal::Decimal;
use crate::engine::market::Market;
use crate::grid::OrderSide;

/// The prices at which something happens to a SmartTrade next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmartTradeLevels {
    /// The prices at which an order is placed or fills.
    pub prices: Vec<Decimal>,
    /// The prices past which an order that follows the price moves with it: upwards for an order to sell, downwards for one to buy.
    pub followed: Vec<Decimal>,
}

/// The prices between which nothing happens to a SmartTrade.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuietPrices {
    /// Something may happen from this price downwards.
    pub lower: Option<Decimal>,
    /// Something may happen from this price upwards.
    pub upper: Option<Decimal>,
}

impl QuietPrices {
    /// Narrows the range by a price at which something happens.
    fn add(&mut self, level: Decimal, price: &Decimal) {
        if level <= *price {
            self.raise(level.clone());
        }
        if level >= *price {
            self.reduce(level);
        }
    }

    /// Narrows the range to prices above another one.
    fn raise(&mut self, lower: Decimal) {
        if self.lower.as_ref().is_none_or(|known| *known < lower) {
            self.lower = Some(lower);
        }
    }

    /// Narrows the range to prices below another one.
    fn reduce(&mut self, upper: Decimal) {
        if self.upper.as_ref().is_none_or(|known| *known > upper) {
            self.upper = Some(upper);
        }
    }
}

impl SmartTrade {
    /// Returns the prices at which something happens next.
    pub fn levels(&self, market: &Market, spread: &Decimal) -> SmartTradeLevels {
        let mut levels = SmartTradeLevels::default();
        match self.status {
            SmartTradeStatus::WaitingPosition => levels.add_entry(self, market, spread),
            SmartTradeStatus::WaitingTargets => levels.add_exits(self, market, spread),
            _ => {}
        }
        levels
    }

    /// Returns the prices around another one between which nothing happens.
    pub fn quiet_prices(&self, market: &Market, spread: &Decimal, price: &Decimal) -> QuietPrices {
        let levels = self.levels(market, spread);
        let waits_for_entry = self.status == SmartTradeStatus::WaitingPosition;
        let side = if waits_for_entry { self.entry_side() } else { self.exit_side() };
        let mut quiet = QuietPrices::default();
        for level in levels.prices {
            quiet.add(level, price);
        }
        for level in levels.followed {
            match side {
                OrderSide::Sell => quiet.reduce(level.max(price.clone())),
                OrderSide::Buy => quiet.raise(level.min(price.clone())),
            }
        }
        quiet
    }
}

impl SmartTradeLevels {
    fn add_entry(&mut self, trade: &SmartTrade, market: &Market, spread: &Decimal) {
        let (side, entry) = (trade.entry_side(), &trade.entry);
        match entry.status {
            OrderStatus::ToProcess => {
                self.prices.extend(entry.condition.as_ref().and_then(|it| it.trigger.level(spread)));
            }
            OrderStatus::Placed => self.prices.extend(entry.price.clone()),
            OrderStatus::Following => {
                let distance = entry.condition.as_ref().and_then(|condition| condition.trailing.as_ref());
                self.add_following(entry.best.as_ref(), distance, side, &market.tick);
            }
            _ => {}
        }
    }

    fn add_exits(&mut self, trade: &SmartTrade, market: &Market, spread: &Decimal) {
        let side = trade.exit_side();
        for target in trade.targets.iter().filter(|target| target.status.is_waiting()) {
            if target.status == OrderStatus::Following {
                self.add_following(target.best.as_ref(), target.trailing.as_ref(), side, &market.tick);
            } else {
                self.prices.extend(target.trigger.level(spread));
            }
        }
        let Some(stop) = trade.stop_loss.as_ref().filter(|stop| stop.status.is_waiting()) else { return };
        if stop.status == OrderStatus::Placed {
            self.prices.extend(stop.limit.clone());
            return;
        }
        self.prices.extend(stop.trigger.level(spread));
        self.followed.extend(stop.followed_from(side, &market.tick));
    }

    fn add_following(&mut self, best: Option<&Decimal>, distance: Option<&Decimal>, side: OrderSide, tick: &Decimal) {
        let Some((best, distance)) = best.zip(distance) else { return };
        self.prices.push(side.worse(best, distance, tick));
        self.followed.push(best.clone());
    }
}

impl StopLossOrder {
    /// Returns a price that is not past the one from which on the trigger moves; None if it never does.
    fn followed_from(&self, side: OrderSide, tick: &Decimal) -> Option<Decimal> {
        let (distance, trigger) = self.following_distance().zip(self.trigger.price.as_ref())?;
        match side {
            OrderSide::Sell => {
                let next = trigger.round_down_to(Some(tick)) + tick;
                let rest = Decimal::HUNDRED - distance;
                (next * Decimal::HUNDRED).div_round_down(&rest, Some(tick)).filter(|_| rest.is_positive())
            }
            OrderSide::Buy => {
                let next = trigger.round_up_to(Some(tick)) - tick;
                (next * Decimal::HUNDRED).div_round_up(&(Decimal::HUNDRED + distance), Some(tick))
            }
        }
    }
}
