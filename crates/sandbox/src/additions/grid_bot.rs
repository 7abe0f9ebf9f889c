//! Adds grid bots.

use bigdecimal::BigDecimal;

use super::fields::NamedValue;
use super::{fields, free_id};
use crate::defaults::{self, object};
use crate::grid_bots::GridBots;
use crate::grid_levels;
use crate::listings::PairQuote;
use crate::record::{JsonRecord, is_true, string};
use crate::resource::Resource as _;
use crate::state::State;
use botdesk_api::input::Violation;
use botdesk_api::pair::currencies;
use botdesk_trading::decimal::Decimal;

/// The default distance between the price and the bounds of a grid, in percent.
const DEFAULT_DISTANCE: i64 = 10;

impl State {
    /// Adds a grid bot with levels around the price; returns its id.
    pub(crate) fn add_grid_bot(&mut self, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let given = fields::parse_fields(GridBots.record(), given)?;
        let id = free_id(&given, &self.store.grid_bots)?;
        let listings = self.market.listings.clone();
        let bot = self.grid_bot_record(id, given).map_err(|violation| {
            self.market.listings = listings;
            vec![violation]
        })?;
        self.store.grid_bots.insert(id, bot);
        Ok(id)
    }

    fn grid_bot_record(&mut self, id: u64, given: JsonRecord) -> Result<JsonRecord, Violation> {
        let mut bot = defaults::grid_bot();
        bot.extend(self.creation_times());
        bot.extend(self.account_fields(&given)?);
        let mode = self.trades_futures(&bot).then_some("long");
        bot.extend(object! { "id": id, "mode": mode });
        if let Some(pair) = given.get("pair") {
            bot.insert("pair".to_owned(), pair.clone());
        }
        let quote = self.quote_or_list(string(&bot, "pair"), &given, &["current_price"])?;
        write_price_fields(&mut bot, &quote);
        let [lines, started] = ["grid_lines", "start_price"].map(|field| given.contains_key(field));
        bot.extend(given);
        if is_true(&bot, "is_enabled") && !started {
            bot.extend(object! { "start_price": bot.get("current_price").cloned() });
        }
        if !lines {
            grid_levels::place_levels(&mut bot, &quote.tick)
                .map_err(|(field, message)| Violation::new(field, message))?;
        }
        Ok(bot)
    }
}

/// Writes the fields that depend on the price.
fn write_price_fields(bot: &mut JsonRecord, quote: &PairQuote) {
    let bound = |percent: i64| {
        let bound = &quote.price * BigDecimal::new((100 + percent).into(), 2);
        Decimal::from(bound).round_down_to(Some(&(&quote.tick).into())).to_string()
    };
    let price = quote.price.to_plain_string();
    bot.extend(object! {
        "lower_price": bound(-DEFAULT_DISTANCE),
        "upper_price": bound(DEFAULT_DISTANCE),
        "current_price": price,
        "orderbook_price_currency": currencies(&quote.pair).map(|(quote, _)| quote),
    });
}
