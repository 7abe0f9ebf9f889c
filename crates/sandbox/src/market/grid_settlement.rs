//! The payment for the orders of grid bots.

use crate::active_entities::account_of;
use crate::funds::{Amounts, Purse, Settlement, of_grid};
use crate::grid_bot_record;
use crate::record::{JsonRecord, string};
use crate::state::State;
use botdesk_trading::engine::{Event, EventKind, Market, SimulatedGridBot};

impl State {
    /// Pays for the launch of a grid bot with these levels: the balancing order, and the orders on the exchange. Returns false, and
    /// pays nothing, if it is beyond the balance.
    pub(crate) fn pay_for_launch(&mut self, id: u64, bot: &JsonRecord) -> bool {
        let Some(quote) = self.market.quote(string(bot, "pair")) else { return true };
        let market = quote.market(&self.costs);
        let Some(grid) = grid_bot_record::read(bot, &market, None) else { return true };
        let mut purse = self.purse(bot);
        let moved = balancing(&grid, &market, &purse.settlement);
        let before = self.store.grid_bots.get(&id).map(|bot| self.reserved_by_grid(id, bot)).unwrap_or_default();
        let after = of_grid(&grid, &market, &purse.settlement);
        let is_paid = purse.pay(&before, &after, &moved);
        self.post(account_of(bot), &purse.moved());
        is_paid
    }

    /// Pays for the market order of an edit that changes the lines of a running grid bot. Returns false, and pays nothing, if it is
    /// beyond the balance.
    pub(crate) fn pay_for_edit(&mut self, id: u64) -> bool {
        let (Some(bot), Some(engine)) = (self.store.grid_bots.get(&id), self.grids.get(&id)) else { return true };
        let market = self.market.market(string(bot, "pair"), &self.costs);
        let mut purse = self.purse(bot);
        let moved = engine.grid.as_ref().map(|grid| balancing(grid, &market, &purse.settlement)).unwrap_or_default();
        let is_paid = purse.pay(&Amounts::default(), &Amounts::default(), &moved);
        self.post(account_of(bot), &purse.moved());
        is_paid
    }
}

/// Returns what the market order of a start moves.
fn balancing(grid: &SimulatedGridBot, market: &Market, settlement: &Settlement) -> Amounts {
    let Some(order) = &grid.balancing else { return Amounts::default() };
    let volume = &order.price * &order.quantity;
    let total = market.volume_after_fee(order.side, volume.clone());
    match settlement {
        Settlement::Spot => Amounts::swapped(&market.pair, order.side, order.quantity.to_big(), total.to_big()),
        Settlement::Futures { .. } => Amounts::in_quote(&market.pair, -(total - volume).abs().to_big()),
    }
}

/// Pays for the events of a step; returns false, and pays nothing, if they are beyond the balance.
pub(super) fn pay(
    before: &SimulatedGridBot,
    after: &SimulatedGridBot,
    events: &[Event],
    market: &Market,
    purse: &mut Purse,
) -> bool {
    let reserved = |grid: &SimulatedGridBot, purse: &Purse| {
        if purse.is_limited() { of_grid(grid, market, &purse.settlement) } else { Amounts::default() }
    };
    let moved = match purse.settlement {
        Settlement::Spot => swapped(events, market),
        Settlement::Futures { .. } => {
            let profit = &after.totals.profit - &before.totals.profit;
            Amounts::in_quote(&market.pair, profit.to_big())
        }
    };
    let (reserved_before, reserved_after) = (reserved(before, purse), reserved(after, purse));
    purse.pay(&reserved_before, &reserved_after, &moved)
}

fn swapped(events: &[Event], market: &Market) -> Amounts {
    let mut moved = Amounts::default();
    for event in events {
        if let EventKind::OrderFilled(fill) = &event.kind {
            let total = market.volume_after_fee(fill.side, &fill.price * &fill.quantity);
            moved.add_all(&Amounts::swapped(&market.pair, fill.side, fill.quantity.to_big(), total.to_big()));
        }
    }
    moved
}
