//! The events on which the engine and the reference implementation must agree.

use super::fraction::Fraction;
use crate::engine::{CloseReason, DisableReason, Event, EventKind, GridMoveKind, Milliseconds, OrderKind};
use crate::grid::OrderSide;

/// An event with all its figures as fractions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExactEvent {
    pub(super) at: Milliseconds,
    pub(super) kind: ExactEventKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExactEventKind {
    Opened { deal: u64, pair: String },
    Filled { deal: Option<u64>, kind: OrderKind, side: OrderSide, price: Fraction, quantity: Fraction },
    Closed { deal: u64, reason: CloseReason, profit: Option<Fraction> },
    Moved { kind: GridMoveKind, added: usize, price: Fraction, removed: Option<usize> },
    Disabled(DisableReason),
}

/// Converts the engine's events. The profit of a cancelled deal is None, because part of it remains open.
pub(super) fn exact_events(events: &[Event]) -> Vec<ExactEvent> {
    let convert = |event: &Event| ExactEvent { at: event.at, kind: exact_kind(&event.kind) };
    events.iter().map(convert).collect()
}

fn exact_kind(kind: &EventKind) -> ExactEventKind {
    match kind {
        EventKind::DealOpened { deal, pair, .. } => ExactEventKind::Opened { deal: *deal, pair: pair.to_string() },
        EventKind::OrderFilled(fill) => ExactEventKind::Filled {
            deal: fill.deal,
            kind: fill.kind,
            side: fill.side,
            price: (&fill.price).into(),
            quantity: (&fill.quantity).into(),
        },
        EventKind::DealClosed { deal, reason } => {
            let profit = (*reason != CloseReason::Cancelled).then(|| (&deal.final_profit()).into());
            ExactEventKind::Closed { deal: deal.id, reason: *reason, profit }
        }
        EventKind::GridMoved(moved) => ExactEventKind::Moved {
            kind: moved.kind,
            added: moved.added,
            price: (&moved.price).into(),
            removed: moved.removed,
        },
        EventKind::BotDisabled(reason) => ExactEventKind::Disabled(*reason),
    }
}
