//! What the engine and the reference implementation must agree on.

use super::fraction::Fraction;
use crate::decimal::Decimal;
use crate::engine::{CloseReason, DisableReason, Event, EventKind, Milliseconds, OrderKind};
use crate::grid::OrderSide;

/// An event with all its figures as fractions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) at: Milliseconds,
    pub(super) kind: OutcomeKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OutcomeKind {
    Opened { deal: u64, pair: String },
    Filled { deal: Option<u64>, kind: OrderKind, side: OrderSide, price: Fraction, quantity: Fraction },
    Closed { deal: u64, reason: CloseReason, profit: Option<Fraction> },
    Disabled(DisableReason),
}

/// Converts the engine's events. The profit of a cancelled deal is None, because part of it remains open.
pub(super) fn outcomes(events: &[Event], fee: &Decimal) -> Vec<Outcome> {
    let convert = |event: &Event| Outcome { at: event.at, kind: outcome_kind(&event.kind, fee) };
    events.iter().map(convert).collect()
}

fn outcome_kind(kind: &EventKind, fee: &Decimal) -> OutcomeKind {
    match kind {
        EventKind::DealOpened { deal, pair } => OutcomeKind::Opened { deal: *deal, pair: pair.to_string() },
        EventKind::OrderFilled(fill) => OutcomeKind::Filled {
            deal: fill.deal,
            kind: fill.kind,
            side: fill.side,
            price: (&fill.price).into(),
            quantity: (&fill.quantity).into(),
        },
        EventKind::DealClosed { deal, reason } => {
            let profit = (*reason != CloseReason::Cancelled).then(|| (&deal.profit(&Decimal::ZERO, fee)).into());
            OutcomeKind::Closed { deal: deal.id, reason: *reason, profit }
        }
        EventKind::BotDisabled(reason) => OutcomeKind::Disabled(*reason),
    }
}
