//! The simple trades of the initial state.

use bigdecimal::BigDecimal;

use super::account::{AccountSeed, FUTURES, SPOT};
use super::market::{BITCOIN, ETH, SOLANA, SeedPair, XRP};
use super::records::SeedRecords;
use super::times::{FIRST_CREATED, HOUR};
use crate::listings::PairQuote;
use crate::random::Random;
use crate::record::JsonRecord;
use crate::seed_options::SeedOptions;
use crate::simple_trade::{Condition, SimpleTradePlan};
use crate::smart_trade_figures::at_tick;

/// The first part of every identifier; the last one is the number of the trade.
const UUID: &str = "0b9c5e4a-7d21-4c63-9f08-000000000";

/// The time between the creation of two trades, in seconds.
const INTERVAL: i64 = 61 * HOUR + 540;

/// A simple trade of the initial state.
struct TradeSeed {
    number: u64,
    status: &'static str,
    account: AccountSeed,
    pair: SeedPair,
    side: &'static str,
    order_type: &'static str,
    /// The price of the order, or of its fill, in thousandths of the current one.
    price: i64,
    /// The quantity, in thousandths of the base currency.
    quantity: i64,
    /// The comparison with a trigger, and the trigger in thousandths of the current price.
    condition: Option<(&'static str, i64)>,
    /// The distance at which the trade follows the price, in percent.
    trailing: Option<&'static str>,
    /// The time that the condition must hold, in seconds.
    timeout: Option<u64>,
}

/// A market order on the spot account.
const MARKET: TradeSeed = TradeSeed {
    number: 0,
    status: "finished",
    account: SPOT,
    pair: ETH,
    side: "buy",
    order_type: "market",
    price: 1_000,
    quantity: 500,
    condition: None,
    trailing: None,
    timeout: None,
};

const TRADES: [TradeSeed; 8] = [
    TradeSeed { number: 501, status: "order_placed", order_type: "limit", price: 960, ..MARKET },
    TradeSeed { number: 502, price: 945, ..MARKET },
    TradeSeed { number: 503, pair: BITCOIN, side: "sell", order_type: "limit", price: 1_010, quantity: 12, ..MARKET },
    TradeSeed {
        number: 504,
        status: "cancelled",
        pair: SOLANA,
        order_type: "limit",
        price: 900,
        quantity: 3_000,
        ..MARKET
    },
    TradeSeed { number: 505, status: "failed", pair: BITCOIN, quantity: 4_000, ..MARKET },
    TradeSeed {
        number: 506,
        status: "to_process",
        pair: SOLANA,
        quantity: 2_500,
        condition: Some(("less_or_equal", 930)),
        timeout: Some(300),
        ..MARKET
    },
    TradeSeed {
        number: 507,
        status: "to_process",
        account: FUTURES,
        pair: XRP,
        side: "sell",
        quantity: 900_000,
        condition: Some(("greater_or_equal", 1_060)),
        trailing: Some("0.5"),
        ..MARKET
    },
    TradeSeed {
        number: 508,
        status: "order_placed",
        pair: BITCOIN,
        side: "sell",
        order_type: "limit",
        price: 1_045,
        quantity: 18,
        ..MARKET
    },
];

/// Adds the simple trades.
pub(crate) fn seed_trades(options: &SeedOptions, records: &mut SeedRecords) {
    for (seeded, index) in TRADES.iter().zip(0..) {
        if let Some(quote) = records.market.quote(&seeded.pair.code()) {
            let record = seeded.record(&quote, &mut Random::new(options.seed, seeded.number), index);
            records.store.trades.insert(seeded.number, record);
        }
    }
}

impl TradeSeed {
    fn record(&self, quote: &PairQuote, random: &mut Random, index: i64) -> JsonRecord {
        let part_of_price =
            |thousandths: i64| at_tick(&(&quote.price * BigDecimal::new(thousandths.into(), 3)), &quote.tick);
        let created = FIRST_CREATED + index * INTERVAL + random.between(0, 3_600);
        let price = part_of_price(self.price);
        // An order fills a little better or worse than its price.
        let slippage = if self.order_type == "market" { random.between(-3, 3) } else { 0 };
        SimpleTradePlan {
            uuid: format!("{UUID}{}", self.number),
            account_id: self.account.id,
            pair: quote.pair.clone(),
            status: self.status,
            side: self.side,
            order_type: self.order_type,
            filled_at: &price + &quote.tick * BigDecimal::from(slippage),
            price,
            quantity: BigDecimal::new(self.quantity.into(), 3),
            condition: self
                .condition
                .map(|(comparison, thousandths)| Condition { comparison, trigger: part_of_price(thousandths) }),
            trailing: self.trailing,
            timeout: self.timeout,
            created_at: created,
            closed_at: created + random.between(30, 5_400),
        }
        .record()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_identifier_is_a_uuid_of_its_own() {
        let uuids: std::collections::BTreeSet<_> =
            TRADES.iter().map(|seeded| format!("{UUID}{}", seeded.number)).collect();
        assert_eq!(uuids.len(), TRADES.len());
        assert!(uuids.iter().all(|uuid| uuid.len() == 36));
    }
}
