//! The exchange accounts of the initial state: those of the bots, and one of each other type.

use super::random::{Random, secret};
use super::{FIRST_CREATED, HOUR, timestamp};
use crate::accounts;
use crate::defaults::object;
use crate::exchanges;
use crate::record::JsonRecord;

/// An account of the initial state.
pub(super) struct AccountSeed {
    pub(super) id: u64,
    pub(super) name: &'static str,
    code: &'static str,
    keys_are_valid: bool,
}

const fn seeded(id: u64, name: &'static str, code: &'static str) -> AccountSeed {
    AccountSeed { id, name, code, keys_are_valid: true }
}

/// The account of long bots and of grid bots.
pub(super) const SPOT: AccountSeed = seeded(1_001, "Demo spot", "demo_spot");

/// The account of short bots.
pub(super) const FUTURES: AccountSeed = seeded(1_002, "Demo futures", "demo_futures");

const ACCOUNTS: [AccountSeed; 6] = [
    AccountSeed { keys_are_valid: false, ..seeded(101, "Pier with old keys", "pier_spot") },
    seeded(102, "Regional", "demo_regional"),
    seeded(103, "Früh broker", "demo_broker"),
    seeded(104, "Cold wallet", "ethereumwallet"),
    SPOT,
    FUTURES,
];

/// Returns the accounts with their ids.
pub(super) fn accounts(seed: u64) -> impl Iterator<Item = (u64, JsonRecord)> {
    ACCOUNTS.into_iter().map(move |seeded| (seeded.id, account(seed, &seeded)))
}

fn account(seed: u64, seeded: &AccountSeed) -> JsonRecord {
    let mut random = Random::new(!seed, seeded.id);
    let api_key = secret(seed, seeded.id, "api_key");
    let mut account = accounts::new_account(seeded.id, seeded.code, &api_key);
    exchanges::write_value(&mut account, &exchanges::balances_of(seed, seeded.id));
    let created = FIRST_CREATED - random.between(100, 900) * 24 * HOUR;
    account.extend(object! {
        "name": seeded.name,
        "created_at": timestamp(created, random.between(0, 999)),
        "updated_at": timestamp(created + random.between(1, 2_000) * HOUR, random.between(0, 999)),
    });
    write_profits(&mut account, &mut random);
    if !seeded.keys_are_valid {
        account.extend(object! { "api_key_invalid": true, "api_keys_state": "invalid" });
    }
    account
}

/// Writes the profits of an account, with numbers that once broke a client.
fn write_profits(account: &mut JsonRecord, random: &mut Random) {
    let mut usd = |max: i64| format!("{}.{:02}", random.between(-max, max), random.between(0, 99));
    let (day, month, total) = (usd(90), usd(2_000), usd(9_000));
    let exact: serde_json::Value = serde_json::from_str(&total).unwrap_or_default();
    let money = |amount: &str| object! { "currency": "USD", "amount": amount };
    account.extend(object! {
        "day_profit_usd": day.as_str(),
        "day_profit_btc": "-3.30980633289966e-05",
        "day_profit_btc_percentage": "-0.0",
        "day_profit_primary_display_currency": money(&day),
        "usd_profit": month.as_str(),
        "btc_profit": "1.5795860715256732e-25",
        "primary_display_currency_profit": money(&month),
        "total_usd_profit": total.as_str(),
        "total_primary_display_currency_profit": object! { "currency": "USD", "amount": exact },
    });
}
