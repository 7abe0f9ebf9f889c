//! The SmartTrades of the initial state, of every kind and in every state.

use bigdecimal::BigDecimal;

use super::account::{AccountSeed, FUTURES, SPOT};
use super::market::{BITCOIN, ETH, SOLANA, SeedPair, XRP};
use super::records::SeedRecords;
use super::times::{FIRST_CREATED, HOUR, timestamp};
use crate::exchanges::ExchangeType;
use crate::listings::PairQuote;
use crate::random::Random;
use crate::record::JsonRecord;
use crate::seed_options::SeedOptions;
use crate::smart_trade_figures::at_tick;
use crate::smart_trade_plan::{
    Entry, Kind, SmartTradePlan, StepPlan, StopPlan, Times, USUAL_STEPS, USUAL_STOP_LOSS, account_reference,
};

/// The fee of the exchange, as a fraction: 0.1 %.
const FEE: (i64, i64) = (1, 3);

/// The leverage on the futures account.
const LEVERAGE: i64 = 5;

/// The time between the creation of two SmartTrades, in seconds.
const INTERVAL: i64 = 47 * HOUR + 1_260;

/// A SmartTrade of the initial state.
struct SmartTradeSeed {
    id: u64,
    kind: Kind,
    status: &'static str,
    account: AccountSeed,
    pair: SeedPair,
    order_type: &'static str,
    /// The price of the entry, in thousandths of the current one.
    price: i64,
    /// The quantity, in thousandths of the base currency.
    quantity: i64,
    /// The distance at which a conditional entry follows the price, in percent.
    trailing: Option<&'static str>,
    steps: &'static [StepPlan],
    stop_loss: Option<StopPlan>,
    /// The part of the position that was reduced, in percent.
    reduced: Option<i64>,
    note: &'static str,
}

/// A SmartTrade on the spot account, with the usual targets.
const USUAL: SmartTradeSeed = SmartTradeSeed {
    id: 0,
    kind: Kind::SmartTrade,
    status: "waiting_targets",
    account: SPOT,
    pair: ETH,
    order_type: "limit",
    price: 990,
    quantity: 800,
    trailing: None,
    steps: &USUAL_STEPS,
    stop_loss: Some(USUAL_STOP_LOSS),
    reduced: None,
    note: "",
};

const fn step(volume: i64, distance: i64) -> StepPlan {
    StepPlan { volume, distance, order_type: "limit", trailing: None }
}

/// A step that closes the whole position, and follows the price.
const FOLLOWING: StepPlan = StepPlan { volume: 100, distance: 6, order_type: "market", trailing: Some("1.5") };

const SMART_TRADES: [SmartTradeSeed; 13] = [
    SmartTradeSeed { id: 292, status: "finished", price: 930, steps: &[step(60, 3), step(40, 6)], ..USUAL },
    SmartTradeSeed { id: 293, status: "stop_loss_finished", pair: SOLANA, price: 1_080, quantity: 6_500, ..USUAL },
    SmartTradeSeed {
        id: 294,
        kind: Kind::SimpleBuy,
        status: "finished",
        pair: BITCOIN,
        order_type: "market",
        price: 950,
        quantity: 15,
        steps: &[],
        stop_loss: None,
        ..USUAL
    },
    SmartTradeSeed {
        id: 295,
        kind: Kind::SmartCover,
        status: "panic_sold",
        account: FUTURES,
        pair: XRP,
        price: 1_040,
        quantity: 2_400_000,
        ..USUAL
    },
    SmartTradeSeed { id: 296, status: "cancelled", pair: SOLANA, price: 970, quantity: 4_000, ..USUAL },
    SmartTradeSeed { id: 297, status: "failed", quantity: 90_000, ..USUAL },
    SmartTradeSeed {
        id: 298,
        kind: Kind::SmartSell,
        pair: BITCOIN,
        order_type: "market",
        price: 980,
        quantity: 40,
        steps: &[step(100, 12)],
        stop_loss: Some(StopPlan { is_trailing: true, ..USUAL_STOP_LOSS }),
        ..USUAL
    },
    SmartTradeSeed {
        id: 299,
        status: "waiting_position",
        pair: SOLANA,
        order_type: "conditional",
        price: 1_030,
        quantity: 5_000,
        trailing: Some("0.8"),
        ..USUAL
    },
    SmartTradeSeed { id: 300, status: "waiting_position", price: 940, steps: &[FOLLOWING], stop_loss: None, ..USUAL },
    SmartTradeSeed {
        id: 301,
        price: 1_005,
        quantity: 1_250,
        steps: &[step(50, 4), step(25, 7), step(25, 11)],
        stop_loss: Some(StopPlan { breakeven: true, ..USUAL_STOP_LOSS }),
        note: "Half at the first target",
        ..USUAL
    },
    SmartTradeSeed {
        id: 302,
        kind: Kind::SimpleBuy,
        status: "created",
        pair: BITCOIN,
        order_type: "market",
        price: 1_000,
        quantity: 20,
        steps: &[],
        stop_loss: None,
        ..USUAL
    },
    SmartTradeSeed {
        id: 303,
        kind: Kind::SmartCover,
        account: FUTURES,
        pair: XRP,
        price: 1_012,
        quantity: 3_000_000,
        steps: &[FOLLOWING],
        stop_loss: Some(StopPlan { order_type: "limit", timeout: Some(300), ..USUAL_STOP_LOSS }),
        reduced: Some(40),
        ..USUAL
    },
    SmartTradeSeed {
        id: 304,
        kind: Kind::SimpleSell,
        status: "finished",
        order_type: "market",
        price: 1_002,
        quantity: 350,
        steps: &[],
        stop_loss: None,
        ..USUAL
    },
];

/// Adds the SmartTrades.
pub(crate) fn seed_smart_trades(options: &SeedOptions, records: &mut SeedRecords) {
    for (seeded, index) in SMART_TRADES.iter().zip(0..) {
        if let Some(quote) = records.market.quote(&seeded.pair.code()) {
            let record = seeded.plan(&quote, &mut Random::new(options.seed, seeded.id), index).record();
            records.store.smart_trades.insert(seeded.id, record);
        }
    }
}

impl SmartTradeSeed {
    fn plan<'a>(&self, quote: &'a PairQuote, random: &mut Random, index: i64) -> SmartTradePlan<'a> {
        let is_futures = self.account.id == FUTURES.id;
        let part_of_price =
            |thousandths: i64| at_tick(&(&quote.price * BigDecimal::new(thousandths.into(), 3)), &quote.tick);
        let created = FIRST_CREATED + index * INTERVAL + random.between(0, 3_600);
        let updated = created + random.between(60, 7_200);
        let ended = created + random.between(10, 24) * HOUR;
        let mut time = |seconds| timestamp(seconds, random.between(0, 999));
        SmartTradePlan {
            id: self.id,
            kind: self.kind,
            status: self.status,
            account: account(&self.account),
            quote,
            leverage: is_futures.then_some(LEVERAGE),
            entry: Entry {
                order_type: self.order_type,
                price: part_of_price(self.price),
                quantity: BigDecimal::new(self.quantity.into(), 3),
                trailing: self.trailing,
            },
            steps: self.steps,
            stop_loss: self.stop_loss,
            reduced: self.reduced.map(|percent| (percent, part_of_price(self.price - 20))),
            closed_at_market: Some(part_of_price(self.price - 35)),
            fee: BigDecimal::new(FEE.0.into(), FEE.1),
            note: self.note,
            times: Times { created: time(created), updated: time(updated), ended: time(ended) },
        }
    }
}

/// Returns the reference to an account of the initial state.
fn account(seeded: &AccountSeed) -> JsonRecord {
    let market = ExchangeType::of_code(seeded.code).map_or("", |exchange| exchange.name);
    account_reference(seeded.id, seeded.code, seeded.name, market)
}
