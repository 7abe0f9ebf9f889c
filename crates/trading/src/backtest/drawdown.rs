//! The deepest loss of a deal while it was open.

use super::run::History;
use crate::candles::ExtremeOrder;
use crate::decimal::Decimal;
use crate::engine::{Fill, Market, Milliseconds};
use crate::grid::OrderSide;
use crate::ladder::Direction;

/// The fills of a deal, between which its position does not change.
#[derive(Debug)]
pub(super) struct Segments<'a> {
    /// The price of the moment at which the deal opened.
    opening_price: &'a Decimal,
    fills: Vec<(Milliseconds, &'a Fill)>,
}

/// The amounts that a deal bought and sold so far. The volumes are after fees.
#[derive(Default)]
struct Flows {
    bought: Flow,
    sold: Flow,
}

#[derive(Default)]
struct Flow {
    quantity: Decimal,
    volume: Decimal,
}

impl<'a> Segments<'a> {
    pub(super) fn new(opening_price: &'a Decimal) -> Self {
        Self { opening_price, fills: Vec::new() }
    }

    /// Adds an order that filled.
    pub(super) fn fill(&mut self, at: Milliseconds, fill: &'a Fill) {
        self.fills.push((at, fill));
    }

    /// Returns the fees of all orders.
    pub(super) fn fees(&self, fee: &Decimal) -> Decimal {
        let volume: Decimal = self.fills.iter().map(|(_, fill)| &fill.price * &fill.quantity).sum();
        (volume * fee).normalized()
    }

    /// Returns the deepest loss in percent of the volume at that time; 0 if there was none. `last_price` is that of an open deal; None
    /// if it was closed.
    pub(super) fn drawdown(
        &self,
        direction: Direction,
        end: Milliseconds,
        last_price: Option<&Decimal>,
        history: &History,
        path: ExtremeOrder,
    ) -> Decimal {
        let mut flows = Flows::default();
        let mut deepest = Decimal::ZERO;
        for (index, (at, fill)) in self.fills.iter().enumerate() {
            flows.add(fill, &history.market);
            let next = self.fills.get(index + 1);
            let until = next.map_or(end, |(at, _)| *at);
            let passed = worst_price(direction, *at..until, history, path);
            let end_price = next.map_or(last_price, |(_, next)| Some(&next.price));
            // Costs may make the fills at the time of the base order better than the price of that moment, which may be no point.
            let opening_price = self.fills.first().filter(|(opened, _)| opened == at).map(|_| self.opening_price);
            let own = [&fill.price].into_iter().chain(end_price).chain(opening_price).cloned();
            let prices = passed.into_iter().chain(own);
            let worst = match direction {
                Direction::Long => prices.min(),
                Direction::Short => prices.max(),
            };
            let loss = worst.map(|price| flows.loss(direction, &price, &history.market));
            deepest = deepest.max(loss.unwrap_or_default());
        }
        deepest
    }
}

impl Flows {
    fn add(&mut self, fill: &Fill, market: &Market) {
        let flow = match fill.side {
            OrderSide::Buy => &mut self.bought,
            OrderSide::Sell => &mut self.sold,
        };
        flow.volume += market.volume_after_fee(fill.side, &fill.price * &fill.quantity);
        flow.quantity += &fill.quantity;
    }

    /// Returns the loss in percent of the entered volume if the rest was closed at a price.
    fn loss(&self, direction: Direction, price: &Decimal, market: &Market) -> Decimal {
        let left = (&self.bought.quantity - &self.sold.quantity).abs() * price;
        let exit = market.exit_after_fee(direction, left);
        let (loss, entered) = match direction {
            Direction::Long => (&self.bought.volume - &self.sold.volume - exit, &self.bought.volume),
            Direction::Short => (&self.bought.volume + exit - &self.sold.volume, &self.sold.volume),
        };
        loss.percentage_of(entered)
    }
}

/// Returns the worst price at the points from a time on and before another one.
pub(super) fn worst_price(
    direction: Direction,
    times: std::ops::Range<Milliseconds>,
    history: &History,
    path: ExtremeOrder,
) -> Option<Decimal> {
    let candles = &history.candles;
    // Points of the candle before the first whole one may be within the times, and points of the last one after them.
    let first = candles.index_from(times.start);
    let last = candles.index_from(times.end).saturating_sub(1);
    let partial = [first.checked_sub(1), Some(last)].into_iter().flatten();
    let points = partial.filter_map(|candle| candles.points(candle, path)).flatten();
    let points = points.filter(|(time, _)| times.contains(time)).map(|(_, price)| price);
    let whole = first..last.max(first);
    match direction {
        Direction::Long => points.chain(candles.lowest(whole)).min(),
        Direction::Short => points.chain(candles.highest(whole)).max(),
    }
}
