//! The market: what happens to deals and grids when a price moves or time passes.
//!
//! Nothing here is random and nothing is a float: the same calls in the same order make the same world.

mod bots;
mod calculable;
mod deals;
mod figures;
mod grid_lines;
pub(super) mod listing;
mod position;
mod terms;
mod timers;

pub(super) use calculable::problem;
pub(super) use deals::{begin, fill_base_order, follow, open, refresh};
pub(super) use listing::{Listing, Market, Quote, check_pair, check_price};

use bigdecimal::BigDecimal;
use jiff::Timestamp;

use super::record::{Record, number, whole};
use super::state::World;
use botdesk_api::input::Violation;
use botdesk_trading::rounding::quotient;

/// What a deal sees of the world around it.
pub(super) struct Scene<'a> {
    pub(super) quote: &'a Quote,
    pub(super) now: Timestamp,
    /// What the account holds, in the quote currency of the pair.
    pub(super) balance: BigDecimal,
}

/// How a deal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    TakeProfit,
    StopLoss,
    /// It was open for too long.
    Timeout,
}

impl End {
    /// The status of the deal, and that in words.
    fn status(self) -> (&'static str, &'static str) {
        match self {
            Self::TakeProfit | Self::Timeout => ("completed", "Completed"),
            Self::StopLoss => ("stop_loss_finished", "Stop loss finished"),
        }
    }
}

/// The smallest part of a quantity that the demo exchange trades.
fn lot() -> BigDecimal {
    BigDecimal::new(1.into(), 8)
}

impl World {
    /// Moves the price of a pair, and with it all that trades it.
    pub(super) fn set_price(&mut self, pair: &str, price: BigDecimal) -> Result<(), Violation> {
        check_pair("pair", pair)?;
        check_price("price", &price)?;
        self.catch_up();
        self.market.set(pair, price);
        self.follow_price(pair);
        Ok(())
    }

    fn follow_price(&mut self, pair: &str) {
        let Some(quote) = self.market.quote(pair) else {
            return;
        };
        let now = self.clock.now();
        for bot in self.dca_bots.values_mut() {
            let balance = balance(&self.accounts, &bot.record, &quote);
            let scene = Scene { quote: &quote, now, balance };
            bot.follow(&scene);
            bot.answer_signal(&scene, &mut self.next_deal);
        }
        for bot in self.grid_bots.values_mut() {
            grid_lines::follow(bot, &quote, now);
        }
    }
}

/// What the account of a bot holds, in the quote currency of a pair.
pub(super) fn balance(accounts: &std::collections::BTreeMap<u64, Record>, bot: &Record, quote: &Quote) -> BigDecimal {
    let id = whole(bot, "account_id").and_then(|id| u64::try_from(id).ok());
    let usd = id.and_then(|id| accounts.get(&id)).map(|account| number(account, "usd_amount")).unwrap_or_default();
    quotient(&usd, &quote.usd).unwrap_or_default()
}
