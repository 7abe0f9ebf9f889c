//! The profits of an account: of the day, of the month and since the beginning.

use bigdecimal::{BigDecimal, RoundingMode};

use super::amounts::{cents, part_of, percent};
use crate::balances::bare_number;
use crate::defaults::object;
use crate::random::Random;
use crate::record::{JsonRecord, integer, number};
use botdesk_trading::rounding::quotient;

/// Returns the profit that DCA bots and grid bots have earned on an account.
pub(super) fn of_bots<'a>(bots: impl Iterator<Item = &'a JsonRecord>, account_id: u64) -> BigDecimal {
    let account_id = i64::try_from(account_id).ok();
    let on_account = bots.filter(|bot| integer(bot, "account_id") == account_id);
    on_account.map(|bot| number(bot, "finished_deals_profit_usd") + number(bot, "current_profit_usd")).sum()
}

/// Profits in USD.
pub(super) struct Profits {
    day: BigDecimal,
    month: BigDecimal,
    total: BigDecimal,
}

impl Profits {
    /// Returns the profits of an account on which bots have earned an amount this month.
    pub(super) fn generate(month: &BigDecimal, random: &mut Random) -> Self {
        let month = cents(month);
        let day = part_of(&month, random.between(1, 7));
        let earlier = part_of(&month.abs(), random.between(150, 600));
        let total = &month + earlier;
        Self { day, month, total }
    }

    /// Returns the fields of an account that is worth an amount of USD.
    pub(super) fn fields(&self, value: &BigDecimal, bitcoin_price: &BigDecimal) -> JsonRecord {
        let btc = |usd: &BigDecimal| {
            let btc = quotient(usd, bitcoin_price).unwrap_or_default();
            btc.with_scale_round(8, RoundingMode::HalfEven).to_plain_string()
        };
        let usd = BigDecimal::to_plain_string;
        let money = |amount: &str| object! { "currency": "USD", "amount": amount };
        let [day_percentage, month_percentage] = [&self.day, &self.month].map(|profit| percent(profit, value));
        object! {
            "day_profit_usd": usd(&self.day),
            "day_profit_usd_percentage": day_percentage.as_str(),
            "day_profit_btc": btc(&self.day),
            "day_profit_btc_percentage": day_percentage.as_str(),
            "day_profit_primary_display_currency": money(&usd(&self.day)),
            "day_profit_primary_display_currency_percentage": money(&day_percentage),
            "usd_profit": usd(&self.month),
            "usd_profit_percentage": month_percentage.as_str(),
            "btc_profit": btc(&self.month),
            "btc_profit_percentage": month_percentage.as_str(),
            "primary_display_currency_profit": money(&usd(&self.month)),
            "primary_display_currency_profit_percentage": money(&month_percentage),
            "total_usd_profit": usd(&self.total),
            "total_btc_profit": btc(&self.total),
            "total_primary_display_currency_profit": object! { "currency": "USD", "amount": bare_number(&self.total) },
        }
    }
}
