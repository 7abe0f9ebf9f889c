//! The candles that a bot is tried on.

use botdesk_trading::candles::Candles;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::Milliseconds;

/// The candles of a pair, and the signals for it.
#[derive(Clone, Debug)]
pub struct PairHistory {
    /// The code of the pair; empty if it is not known.
    pub pair: String,
    /// The candles.
    pub candles: Candles,
    /// The times at which a signal asks for a deal, in order.
    pub signals: Vec<Milliseconds>,
    /// The number of signals that the caller gave but that are before the start of the backtest, or not before its end.
    pub signals_outside: usize,
}

impl PairHistory {
    /// Returns the price at which the candles start; None without candles.
    pub(super) fn first_price(&self) -> Option<Decimal> {
        self.candles.candle(0).map(|candle| candle.open)
    }
}
