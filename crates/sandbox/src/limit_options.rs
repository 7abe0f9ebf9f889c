//! The limits on requests that a sandbox enforces.

use botdesk_schema::input::{Violation, nearest};

/// A plan of the service, with a rate limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// 5 requests a minute, reads only.
    Lowest,
    /// 50 requests a minute, reads only.
    Middle,
    /// 120 requests a minute, reads and writes.
    Highest,
}

/// The plans, with their names.
const PLANS: [(Plan, &str); 3] = [(Plan::Lowest, "lowest"), (Plan::Middle, "middle"), (Plan::Highest, "highest")];

impl Plan {
    /// Finds a plan by its name.
    pub fn named(name: &str) -> Result<Self, Violation> {
        let names = PLANS.map(|(_, name)| name);
        let found = PLANS.iter().find(|(_, known)| *known == name).map(|(plan, _)| *plan);
        found.ok_or_else(|| {
            let hint = match nearest(names, name) {
                Some(nearest) => format!("did you mean {nearest}?"),
                None => format!("choose one of {}", names.join(", ")),
            };
            Violation::new("plan", format!("unknown plan {name:?}; {hint}"))
        })
    }

    /// Returns the number of requests per minute and API key.
    pub fn requests_per_minute(self) -> u32 {
        match self {
            Self::Lowest => 5,
            Self::Middle => 50,
            Self::Highest => 120,
        }
    }

    /// Returns true if the plan includes writes.
    pub fn includes_writes(self) -> bool {
        self == Self::Highest
    }
}

/// The limits on requests that a sandbox enforces. The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitOptions {
    /// The number of requests per minute and API key; None for that of the plan, or for no limit without a plan.
    pub requests_per_minute: Option<u32>,
    /// The number of requests per second and IP address; None for no limit.
    pub requests_per_second: Option<u32>,
    /// The plan of the keys; None if it allows everything.
    pub plan: Option<Plan>,
    /// True to count the requests of the last minute, and false to count those since the minute began.
    pub rolling: bool,
    /// True to send `Retry-After` with a 429 and a 418, which the service does not.
    pub retry_after: bool,
}

impl LimitOptions {
    /// Returns a limit on the requests per minute and API key.
    pub fn per_minute(requests: u32) -> Self {
        Self { requests_per_minute: Some(requests), ..Self::default() }
    }

    /// Returns the number of requests per minute and API key; None for no limit.
    pub(super) fn general(&self) -> Option<u32> {
        self.requests_per_minute.or_else(|| self.plan.map(Plan::requests_per_minute))
    }
}
