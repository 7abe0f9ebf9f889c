//! The quotes of a bot: with the costs of the sandbox and the balance of an account.

use std::sync::Arc;

use bigdecimal::BigDecimal;
use jiff::Timestamp;

use crate::listings::{Costs, PairListings, PairQuote};
use crate::record::{JsonRecord, integer, number};
use crate::store::Table;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::dca_bot::Markets;
use botdesk_trading::engine::{self, Milliseconds};
use botdesk_trading::rounding::quotient;

/// The quotes of some pairs, for a bot.
pub(super) struct BotQuotes {
    quotes: Vec<(engine::Market, Decimal, Decimal)>,
}

impl BotQuotes {
    /// Looks up the quotes of pairs, with the balance of a bot's account.
    pub(super) fn new<'a>(
        pairs: impl Iterator<Item = &'a str>,
        bot: &JsonRecord,
        market: &PairListings,
        accounts: &Table,
        costs: &Costs,
    ) -> Self {
        let quote = |pair| {
            let quote = market.quote(pair)?;
            let balance = balance(accounts, bot, &quote).into();
            Some((quote.market(costs), Decimal::from(&quote.price), balance))
        };
        Self { quotes: pairs.filter_map(quote).collect() }
    }
}

impl Markets for BotQuotes {
    fn quote(&self, pair: &Arc<str>) -> Option<engine::Quote<'_>> {
        let (market, price, balance) = self.quotes.iter().find(|(market, _, _)| market.is_of(pair))?;
        Some(engine::Quote { market, price, balance })
    }
}

/// Returns the balance of a bot's account, in the quote currency of a pair.
pub(crate) fn balance(accounts: &Table, bot: &JsonRecord, quote: &PairQuote) -> BigDecimal {
    let id = integer(bot, "account_id").and_then(|id| u64::try_from(id).ok());
    let usd = id.and_then(|id| accounts.get(&id)).map(|account| number(account, "usd_amount")).unwrap_or_default();
    quotient(&usd, &quote.usd).unwrap_or_default()
}

/// Converts a time to that of the engine.
pub(crate) fn milliseconds(time: Timestamp) -> Milliseconds {
    time.as_millisecond()
}

/// Converts a time of the engine.
pub(crate) fn time_of(time: Milliseconds) -> Timestamp {
    let bound = if time < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(time).unwrap_or(bound)
}
