//! A fault to come.

use super::kind::{Details, Kind};
use crate::router;
use botdesk_api::input::Violation;

/// What stands for every operation.
pub const ANY: &str = "*";

/// A fault to come: what goes wrong, with which operation, how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The operation, such as `dca_bots.edit`; `*` for every one.
    pub operation: &'static str,
    /// What goes wrong.
    pub kind: Kind,
    /// How often it is still to happen; None for always.
    pub times: Option<u32>,
    /// What else is said of it.
    pub details: Details,
}

impl Fault {
    /// A fault as a caller describes it, or all that is wrong with the description.
    pub fn described(
        operation: &str,
        kind: &str,
        times: Option<u32>,
        details: Details,
    ) -> Result<Self, Vec<Violation>> {
        let (operation, kind) = (operation_named(operation), Kind::named(kind));
        let mut violations: Vec<_> =
            [operation.as_ref().err(), kind.as_ref().err()].into_iter().flatten().cloned().collect();
        violations.extend(kind.iter().flat_map(|kind| details.violations(*kind)));
        violations.extend(kind.iter().filter_map(|kind| wrong_times(*kind, times)));
        match (operation, kind) {
            (Ok(operation), Ok(kind)) if violations.is_empty() => {
                // Nobody can count the connections that the system refuses.
                let times = times.filter(|_| kind != Kind::Refuse);
                let operation = if kind.is_of_connections() { ANY } else { operation };
                Ok(Self { operation, kind, times, details })
            }
            _ => Err(violations),
        }
    }

    pub(super) fn befalls(&self, operation: Option<&str>) -> bool {
        !self.kind.is_of_connections() && (self.operation == ANY || Some(self.operation) == operation)
    }
}

fn operation_named(name: &str) -> Result<&'static str, Violation> {
    let known = std::iter::once(ANY).chain(router::operations());
    known
        .clone()
        .find(|known| *known == name)
        .ok_or_else(|| super::kind::unknown("operation", "operation", name, known))
}

fn wrong_times(kind: Kind, times: Option<u32>) -> Option<Violation> {
    let message = match times {
        Some(0) => "must be at least 1, or None for always",
        Some(2..) if kind == Kind::Refuse => {
            "can't be counted where connections are refused, for they never arrive; say for how long with seconds=, end \
             it with clear(), or take the kind reset"
        }
        _ => return None,
    };
    Some(Violation::new("times", message))
}
