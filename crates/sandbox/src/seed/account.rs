//! The exchange accounts of the initial state: those of the bots, and one of each other type.

use bigdecimal::BigDecimal;

use super::odd_values;
use super::profits::{self, Profits};
use super::records::SeedRecords;
use super::times::{DAY, FIRST_CREATED, HOUR, timestamp};
use crate::balances;
use crate::defaults::object;
use crate::exchanges;
use crate::listings::PairListings;
use crate::random::{Random, secret};
use crate::record::{JsonRecord, integer, number};
use crate::seed_options::{SeedOptions, ValueStyle};
use botdesk_schema::mode::PAPER_EXCHANGE;

/// An account of the initial state.
pub(super) struct AccountSeed {
    pub(super) id: u64,
    pub(super) name: &'static str,
    pub(super) code: &'static str,
    keys_are_valid: bool,
}

const fn seeded(id: u64, name: &'static str, code: &'static str) -> AccountSeed {
    AccountSeed { id, name, code, keys_are_valid: true }
}

impl AccountSeed {
    fn has_bots(&self) -> bool {
        [SPOT.id, FUTURES.id].contains(&self.id)
    }

    /// Returns the profit of the trades of this month without bots: a small part of the value, and nothing if it can't trade.
    fn profit_of_trades(&self, value: &BigDecimal, random: &mut Random) -> BigDecimal {
        let trades = self.keys_are_valid && self.code != WALLET;
        let thousandths = if trades { random.between(-10, 35) } else { 0 };
        value * BigDecimal::new(thousandths.into(), 3)
    }
}

/// The exchange type of the wallet, which can't trade.
const WALLET: &str = "ethereumwallet";

/// The account of long bots and of grid bots.
pub(super) const SPOT: AccountSeed = seeded(1_001, "Demo spot", "demo_spot");

/// The account of short bots.
pub(super) const FUTURES: AccountSeed = seeded(1_002, "Demo futures", "demo_futures");

/// The paper account, which only requests in paper mode list.
const PAPER: AccountSeed = seeded(105, "Paper account", PAPER_EXCHANGE);

const ACCOUNTS: [AccountSeed; 7] = [
    AccountSeed { keys_are_valid: false, ..seeded(101, "Old Pier account", "pier_spot") },
    seeded(102, "Regional", "demo_regional"),
    seeded(103, "Broker", "demo_broker"),
    seeded(104, "Cold wallet", WALLET),
    PAPER,
    SPOT,
    FUTURES,
];

/// Returns the type of the market on which a seeded bot trades.
pub(super) fn market_type(bot: &JsonRecord) -> &'static str {
    let account = ACCOUNTS.iter().find(|account| integer(bot, "account_id") == i64::try_from(account.id).ok());
    exchanges::market_type(account.map_or("", |account| account.code))
}

/// Adds the accounts. Their profits are those of the grid bots, and of some DCA bots.
pub(crate) fn seed_accounts(options: &SeedOptions, dca_bots: &[JsonRecord], records: &mut SeedRecords) {
    let SeedOptions { seed, values, .. } = *options;
    for seeded in ACCOUNTS {
        let bots = dca_bots.iter().chain(records.store.grid_bots.values());
        let month = seeded.has_bots().then(|| profits::of_bots(bots, seeded.id));
        records.store.accounts.insert(seeded.id, account(seed, values, &records.market, &seeded, month));
    }
}

fn account(
    seed: u64,
    values: ValueStyle,
    market: &PairListings,
    seeded: &AccountSeed,
    profit_of_bots: Option<BigDecimal>,
) -> JsonRecord {
    let mut random = Random::new(!seed, seeded.id);
    let api_key = secret(seed, seeded.id, "api_key");
    let mut account = exchanges::new_account(seeded.id, seeded.code, &api_key);
    account.extend(balances::value_fields(&balances::balances_of(seed, seeded.id), market));
    let created = FIRST_CREATED - random.between(100, 900) * DAY;
    account.extend(object! {
        "name": seeded.name,
        "created_at": timestamp(created, random.between(0, 999)),
        "updated_at": timestamp(FIRST_CREATED + random.between(1, 700) * HOUR, random.between(0, 999)),
    });
    let value = number(&account, "usd_amount");
    let month = profit_of_bots.unwrap_or_else(|| seeded.profit_of_trades(&value, &mut random));
    let profits = Profits::generate(&month, &mut random);
    account.extend(profits.fields(&value, &balances::bitcoin_price(market)));
    if !seeded.keys_are_valid {
        account.extend(object! { "api_key_invalid": true, "api_keys_state": "expired" });
    }
    if seeded.code == PAPER_EXCHANGE {
        // It would add play money to the summary of the real accounts.
        account.extend(object! { "include_in_summary": false });
    }
    if values == ValueStyle::Odd {
        odd_values::write_account(&mut account);
    }
    account
}
