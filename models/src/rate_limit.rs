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
pub mod leased {
    pub mod redis_url {
        /// The URL of no server.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct NoUrl;

        pub use NoUrl as RedisUrl;
    }

    #[allow(dead_code, unused_variables, reason = "no value of these types exists")]
    pub mod budget {
        use std::sync::Arc;
        use std::time::Duration;

        use crate::rate_limit::error::RateLimitError;
        use crate::rate_limit::limit::{Budget, RateLimit};

        /// The count of no server, a place in its queue, and a request in it.
        #[derive(Debug)]
        pub enum NoServer {}

        pub use NoServer as LeasedBudget;
        pub use NoServer as ServerQueueEntry;
        pub use NoServer as LeasedPermit;

        /// Permission from no server.
        pub enum NoLease {
            Counted(NoServer),
            Alone(RateLimit, NoServer),
        }

        pub use NoLease as Leased;

        impl NoServer {
            pub fn place(self: &Arc<Self>) -> Self {
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
                place: Option<&mut Self>,
            ) -> Result<NoLease, RateLimitError> {
                match **self {}
            }

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
pub mod shared {
    #[allow(dead_code, unused_variables, reason = "no value of these types exists")]
    pub mod budget {
        use std::sync::Arc;
        use std::time::Duration;

        use crate::rate_limit::error::RateLimitError;
        use crate::rate_limit::limit::{Budget, RateLimit};

        /// No file, a place in its queue, and a request in it.
        #[derive(Debug)]
        pub enum NoFile {}

        pub use NoFile as SharedBudget;
        pub use NoFile as FileQueueEntry;
        pub use NoFile as SharedPermit;

        /// The reason why a request is in no file.
        pub enum NoStart {
            Throttled(RateLimitError),
            Locked,
        }

        pub use NoStart as StartError;

        impl NoFile {
            pub fn place(self: &Arc<Self>) -> Self {
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

            pub fn start(self: &Arc<Self>, limit: RateLimit, place: Option<&mut Self>) -> Result<Self, NoStart> {
                match **self {}
            }

            pub fn prolong(&self, timeout: Duration) {
                match *self {}
            }

            pub fn end(self, arrives_within: Option<Duration>) {
                match self {}
            }
        }
    }
}
