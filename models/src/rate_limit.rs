//! The rate limiter of the client. The counts that other processes share are files and servers, and do not exist here.

#[allow(dead_code, reason = "the models do not use all of it")]
#[path = "../../crates/client/src/rate_limit/bans.rs"]
pub mod bans;
#[path = "../../crates/client/src/rate_limit/error.rs"]
pub mod error;
#[allow(dead_code, reason = "the models do not use all of it")]
#[path = "../../crates/client/src/rate_limit/limit.rs"]
pub mod limit;
#[allow(dead_code, reason = "the models do not use all of it")]
#[path = "../../crates/client/src/rate_limit/limiter.rs"]
pub mod limiter;
#[allow(dead_code, reason = "the models do not use all of it")]
#[path = "../../crates/client/src/rate_limit/sharing.rs"]
pub mod sharing;
#[allow(dead_code, reason = "the models do not use all of it")]
#[path = "../../crates/client/src/rate_limit/window.rs"]
mod window;

/// The types of the count of a server. There is none.
#[allow(dead_code, unused_variables, reason = "no value of these types exists")]
pub mod leased {
    pub mod redis_url {
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct RedisUrl;
    }

    pub mod budget {
        use std::sync::Arc;
        use std::time::Duration;

        use crate::rate_limit::error::RateLimitError;
        use crate::rate_limit::limit::{Budget, RateLimit};

        #[derive(Debug)]
        pub enum LeasedBudget {}

        impl LeasedBudget {
            pub fn place(self: &Arc<Self>) -> ServerQueueEntry {
                match **self {}
            }

            pub fn budget(&self, limit: RateLimit) -> Option<Budget> {
                match *self {}
            }

            pub fn check_wait(&self, limit: RateLimit, longest: Duration) -> Result<(), RateLimitError> {
                match *self {}
            }

            pub async fn start(
                self: &Arc<Self>,
                limit: RateLimit,
                place: Option<&mut ServerQueueEntry>,
            ) -> Result<Leased, RateLimitError> {
                match **self {}
            }
        }

        #[derive(Debug)]
        pub enum ServerQueueEntry {}

        pub enum Leased {
            Counted(LeasedPermit),
            Alone(RateLimit, LeasedPermit),
        }

        #[derive(Debug)]
        pub enum LeasedPermit {}

        impl LeasedPermit {
            pub fn prolong(&self, timeout: Duration) {
                match *self {}
            }

            pub fn end(self, arrives_within: Option<Duration>) {
                match self {}
            }
        }
    }
}

/// The types of the files that processes share. There are none.
#[allow(dead_code, unused_variables, reason = "no value of these types exists")]
pub mod shared {
    pub mod budget {
        use std::sync::Arc;
        use std::time::Duration;

        use crate::rate_limit::error::RateLimitError;
        use crate::rate_limit::limit::{Budget, RateLimit};

        #[derive(Debug)]
        pub enum SharedBudget {}

        impl SharedBudget {
            pub fn place(self: &Arc<Self>) -> FileQueueEntry {
                match **self {}
            }

            pub fn budget(&self, limit: RateLimit) -> Option<Budget> {
                match *self {}
            }

            pub fn ban(&self) -> Option<(Duration, Option<Duration>)> {
                match *self {}
            }

            pub fn check_wait(&self, limit: RateLimit, longest: Duration) -> Result<(), RateLimitError> {
                match *self {}
            }

            pub fn start(
                self: &Arc<Self>,
                limit: RateLimit,
                place: Option<&mut FileQueueEntry>,
            ) -> Result<SharedPermit, StartError> {
                match **self {}
            }
        }

        #[derive(Debug)]
        pub enum FileQueueEntry {}

        pub enum StartError {
            Throttled(RateLimitError),
            Locked,
        }

        #[derive(Debug)]
        pub enum SharedPermit {}

        impl SharedPermit {
            pub fn prolong(&self, timeout: Duration) {
                match *self {}
            }

            pub fn end(self, arrives_within: Option<Duration>) {
                match self {}
            }
        }
    }
}
