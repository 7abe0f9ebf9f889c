//! The payment for the orders of SmartTrades and simple trades: what a change of their records moves.

use bigdecimal::BigDecimal;

use crate::active_entities::account_of;
use crate::funds::{Amounts, Settlement};
use crate::record::{JsonRecord, is_true, string};
use crate::simple_trade_life::order_side;
use crate::smart_trade_figures::{is_short, nested_number};
use crate::smart_trade_parts::code;
use crate::state::State;
use botdesk_planning::smart_trade_state::position;
use botdesk_trading::grid::OrderSide;

impl State {
    /// Pays for a change of a SmartTrade; returns false, and pays nothing, if it is beyond the balance.
    pub(crate) fn pay_for_smart_trade(&mut self, before: &JsonRecord, after: &JsonRecord) -> bool {
        let moved = |settlement: &Settlement| moved_by_smart_trade(before, after, settlement);
        self.pay_for_trade(before, after, moved, Self::reserved_by_smart_trade)
    }

    /// Pays for a change of a simple trade; returns false, and pays nothing, if it is beyond the balance.
    pub(crate) fn pay_for_simple_trade(&mut self, before: &JsonRecord, after: &JsonRecord) -> bool {
        let fee = self.fee();
        let moved = |settlement: &Settlement| moved_by_simple_trade(before, after, &fee, settlement);
        self.pay_for_trade(before, after, moved, Self::reserved_by_simple_trade)
    }

    /// The state has the record as it was before.
    fn pay_for_trade(
        &mut self,
        before: &JsonRecord,
        after: &JsonRecord,
        moved: impl FnOnce(&Settlement) -> Amounts,
        reserved: fn(&Self, &JsonRecord) -> Amounts,
    ) -> bool {
        let mut purse = self.purse(before);
        let moved = moved(&purse.settlement);
        let is_paid = purse.pay(&reserved(self, before), &reserved(self, after), &moved);
        self.post(account_of(before), &purse.moved());
        is_paid
    }
}

/// Returns what the fills between two records of a SmartTrade move.
fn moved_by_smart_trade(before: &JsonRecord, after: &JsonRecord, settlement: &Settlement) -> Amounts {
    let pair = string(after, "pair");
    let filled = |path: &str| nested_number(after, path) - nested_number(before, path);
    let closed = (filled("data.closed_amount"), filled("data.closed_total"));
    // A position that is held already costs nothing when the SmartTrade takes it over.
    let takes_over = is_true(after, "skip_enter_step") && code(before) == "created";
    let entered = if takes_over {
        <(BigDecimal, BigDecimal)>::default()
    } else {
        (filled("data.entered_amount"), filled("data.entered_total"))
    };
    let [entry, exit] =
        if is_short(after) { [OrderSide::Sell, OrderSide::Buy] } else { [OrderSide::Buy, OrderSide::Sell] };
    match settlement {
        Settlement::Spot => {
            let mut moved = Amounts::swapped(pair, entry, entered.0, entered.1);
            moved.add_all(&Amounts::swapped(pair, exit, closed.0, closed.1));
            moved
        }
        // Funds that are added change the average entry, and with it the profit of what was closed before.
        Settlement::Futures { .. } => {
            let gain = position(after).realized() - position(before).realized();
            Amounts::in_quote(pair, gain.to_big())
        }
    }
}

/// Returns what the fill between two records of a simple trade moves. As for SmartTrades, a purchase pays its fee in the base currency.
/// The sandbox does not follow the positions of simple trades on futures, which only pay the fee.
fn moved_by_simple_trade(
    before: &JsonRecord,
    after: &JsonRecord,
    fee: &BigDecimal,
    settlement: &Settlement,
) -> Amounts {
    let pair = string(after, "pair");
    let filled = |path: &str| nested_number(after, path) - nested_number(before, path);
    let (units, total) = (filled("filled.units"), filled("filled.total"));
    let rest = BigDecimal::from(1) - fee;
    match (settlement, order_side(after)) {
        (Settlement::Futures { .. }, _) => Amounts::in_quote(pair, -(total * fee)),
        (Settlement::Spot, OrderSide::Buy) => Amounts::swapped(pair, OrderSide::Buy, units * rest, total),
        (Settlement::Spot, OrderSide::Sell) => Amounts::swapped(pair, OrderSide::Sell, units, total * rest),
    }
}
