//! The parts of the client's HTTP that threads share.

#[allow(dead_code, reason = "the models do not use all of it")]
#[path = "../../crates/client/src/http/pool_map.rs"]
pub mod pool_map;
#[allow(dead_code, reason = "the models do not use all of it")]
#[path = "../../crates/client/src/http/recorder.rs"]
pub mod recorder;
