//! Faults to inject.

use super::kind::{FaultKind, FaultOptions};
use crate::router;
use botdesk_schema::input::Violation;

/// The name for every operation.
pub const ANY: &str = "*";

/// A fault to inject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The operation, such as `dca_bots.edit`; `*` for every operation.
    pub operation: &'static str,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The number of remaining injections; None for no limit.
    pub times: Option<u32>,
    /// The options of its kind.
    pub options: FaultOptions,
}

impl Fault {
    /// Creates a fault; returns all violations if any argument is invalid.
    pub fn new(operation: &str, kind: &str, times: Option<u32>, options: FaultOptions) -> Result<Self, Vec<Violation>> {
        let (operation, kind) = (find_operation(operation), FaultKind::named(kind));
        let mut violations: Vec<_> =
            [operation.as_ref().err(), kind.as_ref().err()].into_iter().flatten().cloned().collect();
        violations.extend(kind.iter().flat_map(|kind| options.violations(*kind)));
        violations.extend(kind.iter().filter_map(|kind| check_times(*kind, times)));
        match (operation, kind) {
            (Ok(operation), Ok(kind)) if violations.is_empty() => {
                // The operating system refuses these connections, so they can't be counted.
                let times = times.filter(|_| kind != FaultKind::Refuse);
                let operation = if kind.affects_connections() { ANY } else { operation };
                Ok(Self { operation, kind, times, options })
            }
            _ => Err(violations),
        }
    }

    pub(super) fn applies_to(&self, operation: Option<&str>) -> bool {
        !self.kind.affects_connections() && (self.operation == ANY || Some(self.operation) == operation)
    }
}

fn find_operation(name: &str) -> Result<&'static str, Violation> {
    let known = std::iter::once(ANY).chain(router::operations().map(|operation| operation.name));
    known
        .clone()
        .find(|known| *known == name)
        .ok_or_else(|| super::kind::unknown("operation", "operation", name, known))
}

fn check_times(kind: FaultKind, times: Option<u32>) -> Option<Violation> {
    let message = match times {
        Some(0) => "must be at least 1",
        Some(2..) if kind == FaultKind::Refuse => {
            "refused connections can't be counted, because they never arrive; set seconds, end the fault with clear, or use \
             the kind reset"
        }
        _ => return None,
    };
    Some(Violation::new("times", message))
}
