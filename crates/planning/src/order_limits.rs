//! The limits of an exchange for the orders of a pair, and the warnings about orders that it would refuse.

use bigdecimal::{BigDecimal, Zero};

use super::planned_order::{PlannedOrder, order_name};
use super::reader::Reader;
use botdesk_api::markets::PairRates;
use botdesk_schema::decimal;
use botdesk_schema::record::FieldError;
use botdesk_schema::values::DecimalText;
use botdesk_trading::ladder::Direction;

/// A limit, by the name of its attribute of the rates; None if the exchange has none.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OrderLimit {
    name: &'static str,
    value: Option<BigDecimal>,
}

/// The limits of orders on one side of the market.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SideLimits {
    min_market_amount: OrderLimit,
    max_market_amount: OrderLimit,
    /// The factors of the current price for the lowest and the highest price of an order.
    lowest_factor: OrderLimit,
    highest_factor: OrderLimit,
}

/// The limits of an exchange for the orders of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderLimits {
    min_price: OrderLimit,
    max_price: OrderLimit,
    min_lot_size: OrderLimit,
    max_lot_size: OrderLimit,
    min_total: OrderLimit,
    max_total: OrderLimit,
    min_market_total: OrderLimit,
    buy: SideLimits,
    sell: SideLimits,
}

/// The rates of a pair, as far as a plan needs them.
pub(super) struct MarketRates {
    pub(super) last: Option<BigDecimal>,
    pub(super) tick: Option<BigDecimal>,
    pub(super) lot: Option<BigDecimal>,
    pub(super) limits: OrderLimits,
}

impl MarketRates {
    /// Reads the rates, and reports a field that can't be read.
    pub(super) fn read(rates: &PairRates, reader: &mut Reader<'_>) -> Self {
        let mut number = |field| positive(field, reader);
        let (last, tick, lot) = (number(rates.last()), number(rates.price_step()), number(rates.lot_step()));
        let mut limit = |name, field| OrderLimit { name, value: number(field) };
        let limits = OrderLimits {
            min_price: limit("min_price", rates.min_price()),
            max_price: limit("max_price", rates.max_price()),
            min_lot_size: limit("min_lot_size", rates.min_lot_size()),
            max_lot_size: limit("max_lot_size", rates.max_lot_size()),
            min_total: limit("min_total", rates.min_total()),
            max_total: limit("max_total", rates.max_total()),
            min_market_total: limit("min_market_total", rates.min_market_total()),
            buy: SideLimits {
                min_market_amount: limit("min_market_buy_amount", rates.min_market_buy_amount()),
                max_market_amount: limit("max_market_buy_amount", rates.max_market_buy_amount()),
                lowest_factor: limit("bid_multiplier_down", rates.bid_multiplier_down()),
                highest_factor: limit("bid_multiplier_up", rates.bid_multiplier_up()),
            },
            sell: SideLimits {
                min_market_amount: limit("min_market_sell_amount", rates.min_market_sell_amount()),
                max_market_amount: limit("max_market_sell_amount", rates.max_market_sell_amount()),
                lowest_factor: limit("ask_multiplier_down", rates.ask_multiplier_down()),
                highest_factor: limit("ask_multiplier_up", rates.ask_multiplier_up()),
            },
        };
        Self { last, tick, lot, limits }
    }
}

/// Returns a number above 0. Exchanges send 0 or `Infinity` for a limit that they do not have.
fn positive(field: Result<Option<DecimalText<'_>>, FieldError>, reader: &mut Reader<'_>) -> Option<BigDecimal> {
    let text = reader.readable_or(field, || "leave rates out, and pass tick and lot instead".to_owned())?;
    decimal::parse(text?.as_str()).filter(|number| *number > BigDecimal::zero())
}

/// An order that is checked.
struct CheckedOrder<'a> {
    order: &'a PlannedOrder,
    /// What it costs, in the quote currency.
    total: BigDecimal,
    is_market: bool,
}

impl OrderLimits {
    /// Returns a warning for each order of a deal that the exchange would refuse.
    ///
    /// The deal opens at the price of the base order. With a lot, quantities are rounded, and an order costs its quantity × its price.
    pub(super) fn warnings(
        &self,
        orders: &[PlannedOrder],
        direction: Direction,
        has_lot: bool,
        starts_at_market: bool,
    ) -> Vec<String> {
        let Some(current) = orders.first().map(|base| &base.price) else { return Vec::new() };
        let placed = orders.iter().take_while(|order| order.can_be_placed());
        let checked = placed.map(|order| CheckedOrder {
            order,
            total: if has_lot { &order.quantity * &order.price } else { order.size.clone() },
            is_market: starts_at_market && order.number == 0,
        });
        checked.filter_map(|checked| self.warning(&checked, direction, current)).collect()
    }

    fn warning(&self, checked: &CheckedOrder<'_>, direction: Direction, current: &BigDecimal) -> Option<String> {
        let side = if direction == Direction::Short { &self.sell } else { &self.buy };
        let reasons =
            if checked.is_market { self.of_market(checked, side) } else { self.of_limit(checked, side, current) };
        let reasons: Vec<_> = reasons.into_iter().flatten().collect();
        (!reasons.is_empty()).then(|| {
            format!("the exchange would refuse {}: {}", order_name(checked.order.number), reasons.join(", and "))
        })
    }

    fn of_market(
        &self,
        CheckedOrder { order, total, .. }: &CheckedOrder<'_>,
        side: &SideLimits,
    ) -> Vec<Option<String>> {
        let min_total = self.min_market_total.or(&self.min_total);
        let min_amount = side.min_market_amount.or(&self.min_lot_size);
        let max_amount = side.max_market_amount.or(&self.max_lot_size);
        vec![
            min_total.below("its value", total),
            self.max_total.above("its value", total),
            min_amount.below("its quantity", &order.quantity),
            max_amount.above("its quantity", &order.quantity),
        ]
    }

    fn of_limit(
        &self,
        CheckedOrder { order, total, .. }: &CheckedOrder<'_>,
        side: &SideLimits,
        current: &BigDecimal,
    ) -> Vec<Option<String>> {
        vec![
            self.min_total.below("its value", total),
            self.max_total.above("its value", total),
            self.min_lot_size.below("its quantity", &order.quantity),
            self.max_lot_size.above("its quantity", &order.quantity),
            self.min_price.below("its price", &order.price),
            self.max_price.above("its price", &order.price),
            side.lowest_factor.times(current).below("its price", &order.price),
            side.highest_factor.times(current).above("its price", &order.price),
        ]
    }
}

impl OrderLimit {
    fn or<'a>(&'a self, other: &'a Self) -> &'a Self {
        if self.value.is_some() { self } else { other }
    }

    /// Returns the limit of a price, from one that is a factor of the current price.
    fn times(&self, current: &BigDecimal) -> Self {
        Self { name: self.name, value: self.value.as_ref().map(|factor| factor * current) }
    }

    fn below(&self, what: &str, number: &BigDecimal) -> Option<String> {
        let least = self.value.as_ref().filter(|least| number < *least)?;
        Some(self.reason(what, number, "below", least))
    }

    fn above(&self, what: &str, number: &BigDecimal) -> Option<String> {
        let most = self.value.as_ref().filter(|most| number > *most)?;
        Some(self.reason(what, number, "above", most))
    }

    fn reason(&self, what: &str, number: &BigDecimal, relation: &str, limit: &BigDecimal) -> String {
        let [number, limit] = [number, limit].map(|number| decimal::shown(&number.normalized()));
        format!("{what} of {number} is {relation} {limit} ({})", self.name)
    }
}
