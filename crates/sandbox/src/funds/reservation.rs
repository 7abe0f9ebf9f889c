//! What the orders of one bot, deal or trade reserve on its account.
//!
//! A position reserves what the order that closes it needs, also while that order is not on the exchange: no other order can
//! spend the coins of a deal.

use bigdecimal::{BigDecimal, RoundingMode};

use super::Amounts;
use crate::record::{JsonRecord, string};
use crate::simple_trade_life;
use crate::smart_trade_figures::{is_short, nested_number, nested_string};
use crate::smart_trade_life::open_amount;
use crate::smart_trade_parts::code;
use botdesk_schema::pair::currencies;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{Deal, Market, SimulatedGridBot};
use botdesk_trading::grid::OrderSide;
use botdesk_trading::ladder::Direction;
use botdesk_trading::rounding::quotient;

/// The decimal places of margins.
const MARGIN_PLACES: i64 = 8;

/// The way in which an account pays for orders.
#[derive(Clone, Debug)]
pub(crate) enum Settlement {
    /// An order swaps two currencies.
    Spot,
    /// An order needs its margin, and the order that closes a position brings its profit.
    Futures { leverage: BigDecimal },
}

/// The amounts that orders on a pair reserve.
struct Reservation<'a> {
    currencies: (&'a str, &'a str),
    settlement: &'a Settlement,
    amounts: Amounts,
}

impl<'a> Reservation<'a> {
    fn new(pair: &'a str, settlement: &'a Settlement) -> Self {
        Self { currencies: currencies(pair).unwrap_or_default(), settlement, amounts: Amounts::default() }
    }

    /// Adds an order with its total, the volume after the fee.
    fn order(&mut self, side: OrderSide, quantity: BigDecimal, total: BigDecimal) {
        let (quote, base) = self.currencies;
        match (self.settlement, side) {
            (Settlement::Spot, OrderSide::Buy) => self.amounts.add(quote, total),
            (Settlement::Spot, OrderSide::Sell) => self.amounts.add(base, quantity),
            (Settlement::Futures { leverage }, _) => {
                let margin = quotient(&total, leverage).unwrap_or_default();
                self.amounts.add(quote, margin.with_scale_round(MARGIN_PLACES, RoundingMode::Up));
            }
        }
    }

    /// Adds an order of a market, at a price.
    fn at(&mut self, market: &Market, side: OrderSide, price: &Decimal, quantity: &Decimal) {
        let total = market.volume_after_fee(side, price * quantity);
        self.order(side, quantity.to_big(), total.to_big());
    }
}

/// Returns the sides of the orders that enlarge and that close a position.
fn sides(is_short: bool) -> [OrderSide; 2] {
    if is_short { [OrderSide::Sell, OrderSide::Buy] } else { [OrderSide::Buy, OrderSide::Sell] }
}

/// Returns what a deal reserves: its position, and the orders that enlarge it.
pub(crate) fn of_deal(deal: &Deal, market: &Market, balance: &Decimal, settlement: &Settlement) -> Amounts {
    let mut reservation = Reservation::new(&deal.pair, settlement);
    reservation.amounts = of_position(deal, settlement);
    let [entry, _] = sides(deal.direction() == Direction::Short);
    if deal.is_ending() {
        return reservation.amounts;
    }
    let filled = deal.filled_safety_orders;
    for number in filled + 1..=filled.saturating_add(deal.active_safety_orders()) {
        if let Some((price, quantity)) = deal.planned_safety_order(number, market, balance) {
            reservation.at(market, entry, &price, &quantity);
        }
    }
    for order in &deal.manual_orders {
        if let Some(limit) = &order.limit {
            reservation.at(market, entry, limit, &order.quantity);
        }
    }
    reservation.amounts
}

/// Returns what the position of a deal reserves.
pub(crate) fn of_position(deal: &Deal, settlement: &Settlement) -> Amounts {
    let mut reservation = Reservation::new(&deal.pair, settlement);
    let [_, exit] = sides(deal.direction() == Direction::Short);
    reservation.order(exit, deal.open_quantity().to_big(), deal.open_volume().to_big());
    reservation.amounts
}

/// Returns what the orders of a grid bot on the exchange reserve, and on a futures account its position.
pub(crate) fn of_grid(grid: &SimulatedGridBot, market: &Market, settlement: &Settlement) -> Amounts {
    let mut reservation = Reservation::new(&market.pair, settlement);
    if !grid.is_enabled {
        return reservation.amounts;
    }
    for (level, (price, quantity)) in grid.config.levels.iter().zip(grid.quantities.iter()).enumerate() {
        if let Some(side) = grid.side(level).filter(|_| grid.is_placed(level)) {
            reservation.at(market, side, price, quantity);
        }
    }
    if matches!(settlement, Settlement::Futures { .. }) {
        reservation.order(OrderSide::Buy, BigDecimal::default(), grid.position.cost.abs().to_big());
    }
    reservation.amounts
}

/// Returns what a SmartTrade reserves: its entry on the exchange, or its position.
pub(crate) fn of_smart_trade(trade: &JsonRecord, settlement: &Settlement) -> Amounts {
    let mut reservation = Reservation::new(string(trade, "pair"), settlement);
    let [entry, exit] = sides(is_short(trade));
    let number = |path: &str| nested_number(trade, path);
    match code(trade) {
        "waiting_position" if nested_string(trade, "position.status.basic_type") == "order_placed" => {
            let units = number("position.units.value");
            reservation.order(entry, units.clone(), units * number("position.price.value"));
        }
        "waiting_targets" | "pending_reduce_funds" | "panic_sell_pending" | "cancellation_pending" => {
            let (open, entered) = (open_amount(trade).to_big(), number("data.entered_amount"));
            let volume = quotient(&(number("data.entered_total") * &open), &entered).unwrap_or_default();
            reservation.order(exit, open, volume);
        }
        _ => {}
    }
    reservation.amounts
}

/// Returns what the order of a simple trade on the exchange reserves.
pub(crate) fn of_simple_trade(trade: &JsonRecord, settlement: &Settlement) -> Amounts {
    let mut reservation = Reservation::new(string(trade, "pair"), settlement);
    if nested_string(trade, "status.value") == "order_placed" {
        let units = nested_number(trade, "units.value");
        let total = &units * nested_number(trade, "price.value");
        reservation.order(simple_trade_life::order_side(trade), units, total);
    }
    reservation.amounts
}
