//! The payment for the orders of deals: what they move, and what the account can't pay for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::dca_bot_record::Surroundings;
use super::quotes::milliseconds;
use crate::fills::OrderFill;
use crate::funds::{Amounts, Purse, Settlement, of_deal, of_position};
use crate::record::JsonRecord;
use crate::state::{DcaBotMut, State};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{CloseReason, Deal, Event, EventKind, Market};
use botdesk_trading::grid::OrderSide;
use botdesk_trading::ladder::Direction;

/// What deals reserve, by their ids.
pub(super) type Reservations = BTreeMap<u64, Amounts>;

/// A deal as the engine knows it, with its market, and the balance for volumes in percent.
type KnownDeal<'a> = (Cow<'a, Deal>, Market, Decimal);

impl State {
    /// Returns the open deals of a bot as the engine knows them.
    pub(crate) fn known_deals(&self, id: u64, bot: &JsonRecord) -> Vec<KnownDeal<'_>> {
        let surroundings = Surroundings::of(self);
        let Some(state) = self.dca_bot_states.get(&id) else { return Vec::new() };
        let deals: Vec<Cow<'_, Deal>> = match &state.engine {
            Some(engine) => engine.deals.iter().map(|deal| Cow::Borrowed(&**deal)).collect(),
            None => {
                state.read(bot, &self.store.deals, &surroundings).deals.into_iter().map(|it| Cow::Owned(*it)).collect()
            }
        };
        let circumstances = |deal: &Deal| (surroundings.market_of(&deal.pair), surroundings.balance(bot, &deal.pair));
        deals
            .into_iter()
            .map(|deal| {
                let (market, balance) = circumstances(&deal);
                (deal, market, balance)
            })
            .collect()
    }

    /// Returns true if the account of a bot can pay for a deal at the price of a pair.
    pub(crate) fn can_pay_for_deal(&self, bot: &JsonRecord, pair: &str) -> bool {
        let mut purse = self.purse(bot);
        let surroundings = Surroundings::of(self);
        let (market, balance) = (surroundings.market_of(pair), surroundings.balance(bot, pair));
        let Some(quote) = self.market.quote(pair).filter(|_| purse.is_limited()) else { return true };
        let price = Decimal::from(&quote.price);
        let priced = botdesk_trading::engine::Quote { market: &market, price: &price, balance: &balance };
        let config = std::sync::Arc::new(botdesk_planning::engine_config::deal_config(bot));
        let Some((deal, price)) = Deal::open(0, &config, &priced, milliseconds(self.clock.now())) else { return true };
        let base_order = crate::fills::base_order(&deal, price);
        let moved = moved(&deal, &[(base_order, market.clone())], &purse.settlement);
        let reserved = of_deal(&deal, &market, &balance, &purse.settlement);
        purse.pay(&Amounts::default(), &reserved, &moved)
    }
}

/// Returns what filled orders of a deal move.
fn moved(deal: &Deal, fills: &[(Event, Market)], settlement: &Settlement) -> Amounts {
    let mut moved = Amounts::default();
    for (event, market) in fills {
        if let (EventKind::OrderFilled(order), Some(fill)) = (&event.kind, OrderFill::of(event, market)) {
            moved.add_all(&moved_by(deal, order.side, &fill, settlement));
        }
    }
    moved
}

fn moved_by(deal: &Deal, side: OrderSide, fill: &OrderFill, settlement: &Settlement) -> Amounts {
    match settlement {
        Settlement::Spot => Amounts::swapped(&deal.pair, side, fill.quantity.to_big(), fill.total.to_big()),
        Settlement::Futures { .. } if fill.is_entry() => Amounts::default(),
        Settlement::Futures { .. } => {
            let entered = (&deal.entry.volume * &fill.quantity).checked_div(&deal.entry.quantity).unwrap_or_default();
            let profit = match deal.direction() {
                Direction::Long => &fill.total - entered,
                Direction::Short => entered - &fill.total,
            };
            Amounts::in_quote(&deal.pair, profit.to_big())
        }
    }
}

/// A deal whose order the account can't pay for.
struct Refusal {
    deal: u64,
    /// True if its fills were paid, and the orders after them were not.
    keeps_fills: bool,
}

impl DcaBotMut<'_> {
    /// Returns what the deals reserve, if an order can be beyond the balance.
    pub(super) fn reservations(&mut self, purse: &Purse, surroundings: &Surroundings<'_>) -> Reservations {
        if !purse.is_limited() {
            return Reservations::new();
        }
        let deals: Vec<_> = self.engine(surroundings).deals.clone();
        let reserved = |deal: &Deal| self.reserved_by(deal, purse, surroundings);
        deals.iter().map(|deal| (deal.id, reserved(deal))).collect()
    }

    fn reserved_by(&self, deal: &Deal, purse: &Purse, surroundings: &Surroundings<'_>) -> Amounts {
        let balance = surroundings.balance(self.record, &deal.pair);
        of_deal(deal, &surroundings.market_of(&deal.pair), &balance, &purse.settlement)
    }

    /// Pays for the events of a step. A deal whose order is beyond the balance fails.
    pub(super) fn settle(
        &mut self,
        before: &Reservations,
        mut events: Vec<Event>,
        purse: &mut Purse,
        surroundings: &Surroundings<'_>,
    ) -> Vec<Event> {
        let refusals: Vec<_> =
            deals_of(&events).into_iter().filter_map(|id| self.pay(id, before, &events, purse, surroundings)).collect();
        for refusal in refusals {
            self.refuse(&refusal, &mut events, surroundings);
        }
        events
    }

    /// Pays for the events of a deal.
    fn pay(
        &self,
        id: u64,
        before: &Reservations,
        events: &[Event],
        purse: &mut Purse,
        surroundings: &Surroundings<'_>,
    ) -> Option<Refusal> {
        let closed = events.iter().find_map(|event| closed_deal(event).filter(|(deal, _)| deal.id == id));
        let deal = closed.map(|(deal, _)| deal).or_else(|| self.engine_deal(id))?;
        let market = surroundings.market_of(&deal.pair);
        let fills: Vec<_> =
            events.iter().filter(|event| is_fill_of(event, id)).map(|event| (event.clone(), market.clone())).collect();
        let moved = moved(deal, &fills, &purse.settlement);
        let before = before.get(&id).cloned().unwrap_or_default();
        let is_open = closed.is_none();
        let reserved = |purse: &Purse| self.reserved_by(deal, purse, surroundings);
        let after = if is_open && purse.is_limited() { reserved(purse) } else { Amounts::default() };
        if purse.pay(&before, &after, &moved) {
            return None;
        }
        let position = if is_open { of_position(deal, &purse.settlement) } else { Amounts::default() };
        Some(Refusal { deal: id, keeps_fills: is_open && purse.pay(&before, &position, &moved) })
    }

    /// Lets a deal fail: takes back what was not paid, and closes the deal as it is.
    fn refuse(&mut self, refusal: &Refusal, events: &mut Vec<Event>, surroundings: &Surroundings<'_>) {
        let Refusal { deal: id, keeps_fills } = *refusal;
        let of_engine = self.state.engine.as_mut().and_then(|engine| engine.fail(id));
        let closed = || events.iter().find_map(|event| closed_deal(event).filter(|(deal, _)| deal.id == id));
        let Some(mut deal) = of_engine.or_else(|| closed().map(|(deal, _)| Box::new(deal.clone()))) else { return };
        if !keeps_fills {
            let market = surroundings.market_of(&deal.pair);
            for fill in events.iter().filter(|event| is_fill_of(event, id)) {
                if let Some(OrderFill { kind, quantity, total, .. }) = OrderFill::of(fill, &market) {
                    deal.take_back(kind, &quantity, &total);
                }
            }
            events.retain(|event| !is_fill_of(event, id));
        }
        events.retain(|event| closed_deal(event).is_none_or(|(deal, _)| deal.id != id));
        let kind = EventKind::DealClosed { deal, reason: CloseReason::Failed };
        events.push(Event { at: milliseconds(surroundings.now), kind });
    }
}

/// Returns the deals of events, each once, in the order of their first events.
fn deals_of(events: &[Event]) -> Vec<u64> {
    let mut deals = Vec::new();
    for event in events {
        let deal = match &event.kind {
            EventKind::DealOpened { deal, .. } => Some(*deal),
            EventKind::OrderFilled(fill) => fill.deal,
            EventKind::DealClosed { deal, .. } => Some(deal.id),
            EventKind::GridMoved(_) | EventKind::BotDisabled(_) => None,
        };
        deals.extend(deal.filter(|deal| !deals.contains(deal)));
    }
    deals
}

fn is_fill_of(event: &Event, id: u64) -> bool {
    matches!(&event.kind, EventKind::OrderFilled(fill) if fill.deal == Some(id))
}

fn closed_deal(event: &Event) -> Option<(&Deal, CloseReason)> {
    match &event.kind {
        EventKind::DealClosed { deal, reason } => Some((deal, *reason)),
        _ => None,
    }
}
