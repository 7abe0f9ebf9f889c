//! The orders of a deal: those that were filled, and those that stand.

use jiff::Timestamp;
use serde_json::Value;

use super::clock::timestamp;
use super::deal_history::{ManualStatus, PlacedOrder};
use super::defaults::object;
use super::fills::OrderFill;
use super::market::{balance, order_id, order_number, target_orders};
use super::record::{JsonRecord, integer, is_true, plain, string};
use super::state::{DealState, State};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{Deal, Market, OrderKind};
use botdesk_trading::ladder::Direction;
use botdesk_trading::position::average_price;

/// An order of a deal.
pub(super) struct DealOrder {
    pub(super) kind: OrderKind,
    /// The time when it was filled; None if it stands.
    pub(super) filled_at: Option<Timestamp>,
    pub(super) placed_at: Timestamp,
    pub(super) price: Decimal,
    pub(super) quantity: Decimal,
    /// The volume that was filled, after its fee.
    pub(super) total: Decimal,
    /// The status if it was placed by hand.
    pub(super) manual: Option<ManualStatus>,
}

impl DealOrder {
    /// Returns the status as the API has it.
    fn status(&self) -> &'static str {
        let usual = if self.filled_at.is_some() { ManualStatus::Filled } else { ManualStatus::Active };
        self.manual.unwrap_or(usual).name()
    }
}

/// A deal as the engine knows it, with its filled orders.
pub(super) struct DealWithOrders {
    pub(super) deal: Deal,
    pub(super) market: Market,
    pub(super) balance: Decimal,
    /// The filled orders, oldest first.
    pub(super) fills: Vec<OrderFill>,
    /// The orders that were placed by hand, oldest first.
    pub(super) placed_orders: Vec<PlacedOrder>,
    /// True if it has orders on the exchange.
    pub(super) is_traded: bool,
}

impl DealWithOrders {
    /// Returns the deal of a record; None if its pair is not traded.
    pub(super) fn of(state: &State, record: &JsonRecord) -> Option<Self> {
        let quote = state.market.quote(string(record, "pair"))?;
        let market = quote.market(&state.costs);
        let id = integer(record, "id").and_then(|id| u64::try_from(id).ok()).unwrap_or_default();
        let bot = integer(record, "bot_id").and_then(|id| u64::try_from(id).ok());
        let bot = bot.and_then(|bot| state.dca_bot_states.get(&bot));
        let open = bot.and_then(|bot| bot.deals.iter().find(|deal| deal.id == id)).cloned();
        let balance = balance(&state.store.accounts, record, &quote).into();
        let is_traded = open.is_some() && string(record, "status") == "bought";
        let deal = open.unwrap_or_else(|| DealState { id, ..DealState::default() }).read(record, &market, &balance);
        let fills = bot.and_then(|bot| bot.fills.get(&id)).map(Vec::as_slice).unwrap_or_default();
        let fills = known_or_summed(&deal, fills, ended_at(record));
        let history = bot.and_then(|bot| bot.histories.get(&id));
        let placed_orders = history.map(|history| history.orders.clone()).unwrap_or_default();
        Some(Self { deal, market, balance, fills, placed_orders, is_traded })
    }

    /// Returns all orders: those placed by hand, take profits, safety orders and the base order, in each group the newest first.
    pub(super) fn orders(&self) -> Vec<DealOrder> {
        let filled = self.fills.iter().filter(|fill| !self.is_placed_by_hand(fill.kind)).map(|fill| DealOrder {
            kind: fill.kind,
            filled_at: Some(fill.at),
            placed_at: if fill.is_entry() { self.opened_at() } else { self.last_entry() },
            price: fill.price.clone(),
            quantity: fill.quantity.clone(),
            total: fill.total.clone(),
            manual: None,
        });
        let standing = self.standing_targets().into_iter().chain(self.standing_safety_orders());
        let mut orders: Vec<_> = filled.chain(standing).chain(self.manual_orders()).collect();
        orders.sort_by_key(|order| (group(order.kind), std::cmp::Reverse(order_number(order.kind))));
        orders
    }

    fn is_placed_by_hand(&self, kind: OrderKind) -> bool {
        matches!(kind, OrderKind::Manual(number) if self.placed_orders.iter().any(|order| order.number == number))
    }

    /// Returns the orders that were placed by hand, whatever became of them.
    pub(super) fn manual_orders(&self) -> Vec<DealOrder> {
        let order = |placed: &PlacedOrder| {
            let kind = OrderKind::Manual(placed.number);
            let fill = self.fills.iter().find(|fill| fill.kind == kind);
            let is_rejected = placed.status == ManualStatus::Inactive;
            DealOrder {
                kind,
                filled_at: fill.map(|fill| fill.at),
                placed_at: placed.placed_at,
                price: placed.limit.clone().or_else(|| Some(fill?.price.clone())).unwrap_or_default(),
                quantity: if is_rejected { Decimal::ZERO } else { placed.quantity.clone() },
                total: fill.map(|fill| fill.total.clone()).unwrap_or_default(),
                manual: Some(placed.status),
            }
        };
        self.placed_orders.iter().map(order).collect()
    }

    /// Returns the orders that stand on the exchange, without those that were placed by hand.
    pub(super) fn standing_orders(&self) -> Vec<DealOrder> {
        self.standing_targets().into_iter().chain(self.standing_safety_orders()).collect()
    }

    /// Returns the safety orders on the exchange.
    pub(super) fn standing_safety_orders(&self) -> Vec<DealOrder> {
        let active = if self.is_traded { self.deal.active_safety_orders() } else { 0 };
        let filled = self.deal.filled_safety_orders;
        (filled + 1..=filled.saturating_add(active)).filter_map(|number| self.safety_order(number)).collect()
    }

    /// Returns a safety order before it is filled.
    pub(super) fn safety_order(&self, number: u32) -> Option<DealOrder> {
        let (price, quantity) = self.deal.planned_safety_order(number, &self.market, &self.balance)?;
        Some(self.standing(OrderKind::Safety(number), price, quantity))
    }

    /// Returns the take profits on the exchange. While the take profit trails, there is none.
    fn standing_targets(&self) -> Vec<DealOrder> {
        if !self.is_traded || self.deal.config.trailing.is_some() {
            return Vec::new();
        }
        let orders = target_orders(&self.deal, &self.market).into_iter().enumerate();
        let orders = orders.filter(|(index, _)| self.deal.waits_for_target(*index));
        let order = |(index, order): (usize, _)| {
            let super::market::TargetOrder { quantity, price } = order;
            Some(self.standing(OrderKind::TakeProfit(index + 1), price?, quantity))
        };
        orders.filter_map(order).collect()
    }

    fn standing(&self, kind: OrderKind, price: Decimal, quantity: Decimal) -> DealOrder {
        let placed_at = self.last_entry();
        DealOrder { kind, filled_at: None, placed_at, price, quantity, total: Decimal::ZERO, manual: None }
    }

    pub(super) fn opened_at(&self) -> Timestamp {
        super::market::time_of(self.deal.opened_at)
    }

    /// Returns the time of the last order that enlarged the deal: the others were placed again then.
    fn last_entry(&self) -> Timestamp {
        self.fills.iter().rev().find(|fill| fill.is_entry()).map_or_else(|| self.opened_at(), |fill| fill.at)
    }

    /// Returns an order as the API has it.
    pub(super) fn to_json(&self, order: &DealOrder) -> JsonRecord {
        let is_filled = order.filled_at.is_some();
        let zero = || "0.0".to_owned();
        let ended_at = self.placed_orders.iter().find(|placed| OrderKind::Manual(placed.number) == order.kind);
        let updated_at = order.filled_at.or(ended_at.map(|placed| placed.updated_at)).unwrap_or(order.placed_at);
        let average = average_price(&order.total, &order.quantity).filter(|_| is_filled);
        object! {
            "order_id": order_id(self.deal.id, order_number(order.kind)).to_string(),
            "order_type": side(self.deal.direction(), order.kind),
            "deal_order_type": purpose(order.kind),
            "cancellable": order.status() == ManualStatus::Active.name(),
            "status_string": order.status(),
            "created_at": timestamp(order.placed_at),
            "updated_at": timestamp(updated_at),
            "quantity": plain(&order.quantity),
            "quantity_remaining": if is_filled { zero() } else { plain(&order.quantity) },
            "total": if is_filled { plain(&order.total) } else { zero() },
            "rate": plain(&order.price),
            "average_price": average.map_or_else(zero, |price| plain(&price)),
        }
    }
}

/// Returns the time when a deal ended, or when it last changed.
fn ended_at(record: &JsonRecord) -> Timestamp {
    let field = if is_true(record, "finished?") { "closed_at" } else { "updated_at" };
    string(record, field).parse().or_else(|_| string(record, "created_at").parse()).unwrap_or_default()
}

/// Returns the filled orders if they add up to the deal. A deal that a user added, or one from an older state file, may have other
/// amounts: one order then stands for what is not known.
fn known_or_summed(deal: &Deal, fills: &[OrderFill], ended_at: Timestamp) -> Vec<OrderFill> {
    let opened_at = super::market::time_of(deal.opened_at);
    let (entries, exits): (Vec<_>, Vec<_>) = fills.iter().cloned().partition(OrderFill::is_entry);
    let entered = (&deal.entry.quantity, &deal.entry.volume);
    let exited = (&deal.exited_quantity, &deal.exited_volume);
    let entries = completed(entries, OrderKind::Base, entered, opened_at);
    let kind = OrderKind::TakeProfit(deal.reached_targets.max(1));
    let exits = completed(exits, kind, exited, ended_at);
    let mut fills: Vec<_> = entries.into_iter().chain(exits).collect();
    fills.sort_by_key(|fill| fill.at);
    fills
}

/// Returns orders that add up to these totals: the known ones, and before them one for the rest.
fn completed(
    known: Vec<OrderFill>,
    kind: OrderKind,
    (quantity, volume): (&Decimal, &Decimal),
    at: Timestamp,
) -> Vec<OrderFill> {
    let sum = |part: fn(&OrderFill) -> &Decimal| known.iter().map(part).fold(Decimal::ZERO, |sum, part| sum + part);
    let (rest, rest_volume) = (quantity - sum(|fill| &fill.quantity), volume - sum(|fill| &fill.total));
    if rest.is_zero() && rest_volume.is_zero() {
        return known;
    }
    let has_rest = rest.is_positive() && rest_volume.is_positive() && known.iter().all(|fill| fill.kind != kind);
    if !has_rest {
        return summed(kind, (quantity, volume), at);
    }
    summed(kind, (&rest, &rest_volume), at).into_iter().chain(known).collect()
}

fn summed(kind: OrderKind, (quantity, volume): (&Decimal, &Decimal), at: Timestamp) -> Vec<OrderFill> {
    let price = average_price(volume, quantity);
    let fill = |price| OrderFill { at, kind, price, quantity: quantity.clone(), total: volume.clone() };
    price.map(fill).into_iter().collect()
}

/// Returns the place of the orders of a kind in a list.
fn group(kind: OrderKind) -> u8 {
    match kind {
        OrderKind::Manual(_) => 0,
        OrderKind::TakeProfit(_)
        | OrderKind::StepByHand(_)
        | OrderKind::Trailing
        | OrderKind::StopLoss
        | OrderKind::Timeout
        | OrderKind::ByHand => 1,
        OrderKind::Safety(_) => 2,
        OrderKind::Base | OrderKind::SmartTrade(_) | OrderKind::GridLevel(_) | OrderKind::Balancing => 3,
    }
}

fn side(direction: Direction, kind: OrderKind) -> &'static str {
    if kind.is_entry() == (direction == Direction::Long) { "BUY" } else { "SELL" }
}

fn purpose(kind: OrderKind) -> &'static str {
    match kind {
        OrderKind::Base | OrderKind::SmartTrade(_) | OrderKind::GridLevel(_) | OrderKind::Balancing => "Base",
        OrderKind::Safety(_) => "Safety",
        OrderKind::Manual(_) => "Manual Safety",
        OrderKind::TakeProfit(_)
        | OrderKind::StepByHand(_)
        | OrderKind::Trailing
        | OrderKind::Timeout
        | OrderKind::ByHand => "Take Profit",
        OrderKind::StopLoss => "Stop Loss",
    }
}

/// Returns the orders of a deal as the API lists them.
pub(super) fn orders_of(state: &State, record: &JsonRecord) -> Vec<Value> {
    let Some(deal) = DealWithOrders::of(state, record) else { return Vec::new() };
    deal.orders().iter().map(|order| Value::Object(deal.to_json(order))).collect()
}
