//! The market and the account of a backtest.

use bigdecimal::{BigDecimal, One};

use super::error::PlanError;
use super::reader::Reader;
use botdesk_schema::input::{Fraction, RequestBuilder};
use botdesk_schema::inputs;
use botdesk_schema::values::{Choices, Decimal, OneOf};
use botdesk_trading::candles::ExtremeOrder;
use botdesk_trading::decimal;

/// The order of the two extremes of each candle, as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandlePath {}

impl Choices for CandlePath {
    const VALUES: &'static [&'static str] = &["nearest", "low_first", "high_first"];
    const SAMPLE: &'static str = "\"nearest\"";
}

inputs! {
    /// The market and the account of a backtest.
    BacktestMarket of "a backtest" {
        /// Balance of the account in the quote currency. Volumes in percent need it; no deal changes it.
        balance: Decimal;
        /// Fee of the exchange of each order, as a fraction of its volume such as 0.001, or in percent such as `"0.1%"`; the default is none.
        fee: Fraction;
        /// Part of the price by which market orders fill at a worse one, such as 0.0005 or `"0.05%"`; the default is none.
        slippage: Fraction;
        /// Tick of the pairs: the prices of safety orders, take profits and grid orders are multiples of it; the default is the smallest
        /// decimal place of the candles.
        tick: Decimal;
        /// Lot of the pairs: quantities are multiples of it; the default is 0.00000001.
        lot: Decimal;
        /// Extreme of each candle that the price reaches first: `nearest` is the one nearer to the open, and the default.
        path: OneOf<CandlePath>;
    }
}

/// The market and the account of a backtest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BacktestMarketValues {
    /// The balance in the quote currency; None if it is not known.
    pub balance: Option<BigDecimal>,
    /// The fee, as a fraction.
    pub fee: BigDecimal,
    /// The fraction by which market orders fill at a worse price.
    pub slippage: BigDecimal,
    /// The tick; None for the smallest decimal place of the candles.
    pub tick: Option<BigDecimal>,
    /// The lot.
    pub lot: BigDecimal,
    /// The order of the two extremes of each candle.
    pub path: ExtremeOrder,
    /// The warnings.
    pub warnings: Vec<String>,
}

/// The decimal places of the default lot.
const LOT_PLACES: i64 = 8;

impl BacktestMarketValues {
    /// Reads the market from arguments, or reports everything that is wrong with them.
    pub fn from_arguments(request: &RequestBuilder) -> Result<Self, PlanError> {
        let mut reader = Reader::new(BacktestMarket::INPUTS, request);
        let lot = reader.above_zero(BacktestMarket::lot);
        let mut market = Self {
            balance: reader.above_zero(BacktestMarket::balance),
            fee: reader.fraction(BacktestMarket::fee),
            slippage: reader.fraction(BacktestMarket::slippage),
            tick: reader.above_zero(BacktestMarket::tick),
            lot: lot.unwrap_or_else(|| BigDecimal::new(One::one(), LOT_PLACES)),
            path: path_of(reader.choice(BacktestMarket::path, "nearest")),
            warnings: Vec::new(),
        };
        market.warnings = std::mem::take(&mut reader.warnings);
        reader.done(market)
    }

    /// Returns the tick of a pair whose candles have a smallest decimal place.
    pub(super) fn tick_of(&self, smallest: decimal::Decimal) -> decimal::Decimal {
        self.tick.as_ref().map_or(smallest, Into::into)
    }
}

fn path_of(name: &str) -> ExtremeOrder {
    match name {
        "low_first" => ExtremeOrder::LowFirst,
        "high_first" => ExtremeOrder::HighFirst,
        _ => ExtremeOrder::Nearest,
    }
}
