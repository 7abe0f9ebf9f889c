//! The market: updates deals and grids when a price changes or time passes.
//!
//! It uses neither random numbers nor floats: the same calls in the same order give the same state.

mod bots;
mod calculable;
mod deal_config;
mod deals;
mod figures;
mod grid_lines;
pub(super) mod listing;
mod position;

mod timers;

pub(super) use calculable::problem;
pub(super) use deals::{fill_base_order, follow_price, new_deal, open_deal, recalculate};
pub(super) use listing::{Listing, Market, Quote, check_pair, check_price};

use bigdecimal::BigDecimal;
use jiff::Timestamp;

use super::record::{JsonRecord, integer, number};
use super::state::State;
use botdesk_api::input::Violation;
use botdesk_trading::rounding::quotient;

/// The market data that a deal needs.
pub(super) struct MarketContext<'a> {
    pub(super) quote: &'a Quote,
    pub(super) now: Timestamp,
    /// The balance of the account, in the quote currency of the pair.
    pub(super) balance: BigDecimal,
}

/// The reason why a deal was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    TakeProfit,
    StopLoss,
    /// The deal was open for too long.
    Timeout,
}

impl CloseReason {
    /// Returns the status of the deal and its localized label.
    fn status(self) -> (&'static str, &'static str) {
        match self {
            Self::TakeProfit | Self::Timeout => ("completed", "Completed"),
            Self::StopLoss => ("stop_loss_finished", "Stop loss finished"),
        }
    }
}

/// Returns the lot size: the increment of quantities on the exchange.
fn lot_size() -> BigDecimal {
    BigDecimal::new(1.into(), 8)
}

impl State {
    /// Sets the price of a pair, and updates all bots and deals on it.
    pub(super) fn set_price(&mut self, pair: &str, price: BigDecimal) -> Result<(), Violation> {
        check_pair("pair", pair)?;
        check_price("price", &price)?;
        self.catch_up();
        self.market.set(pair, price);
        self.update_bots(pair);
        Ok(())
    }

    fn update_bots(&mut self, pair: &str) {
        let Some(quote) = self.market.quote(pair) else {
            return;
        };
        let now = self.clock.now();
        for bot in self.dca_bots.values_mut() {
            let balance = balance(&self.accounts, &bot.record, &quote);
            let context = MarketContext { quote: &quote, now, balance };
            bot.follow_price(&context);
            bot.open_or_schedule_deal(&context, &mut self.next_deal);
        }
        for bot in self.grid_bots.values_mut() {
            grid_lines::follow_price(bot, &quote, now);
        }
    }
}

/// Returns the balance of a bot's account, in the quote currency of a pair.
pub(super) fn balance(
    accounts: &std::collections::BTreeMap<u64, JsonRecord>,
    bot: &JsonRecord,
    quote: &Quote,
) -> BigDecimal {
    let id = integer(bot, "account_id").and_then(|id| u64::try_from(id).ok());
    let usd = id.and_then(|id| accounts.get(&id)).map(|account| number(account, "usd_amount")).unwrap_or_default();
    quotient(&usd, &quote.usd).unwrap_or_default()
}
