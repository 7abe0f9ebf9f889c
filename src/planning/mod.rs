//! Plans, candles, backtests and sweeps.

pub(crate) mod backtests;
pub(crate) mod calls;
pub(crate) mod candles;
pub(crate) mod plans;
pub(crate) mod plots;
pub(crate) mod sweeps;
