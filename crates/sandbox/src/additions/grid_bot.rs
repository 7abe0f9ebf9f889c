//! Grid bots that are added.

use bigdecimal::BigDecimal;

use super::fields::Given;
use super::{fields, free_id};
use crate::defaults::{self, object};
use crate::grid_bots;
use crate::market::Quote;
use crate::record::{Record, is_true, text};
use crate::state::World;
use botdesk_api::grid_bot::GridBot;
use botdesk_api::input::Violation;
use botdesk_api::pair::currencies;
use botdesk_api::record::Record as _;
use botdesk_trading::rounding::down;

/// How far the ends of a grid lie from the price where they are not given, in percent.
const HALF_WIDTH: i64 = 10;

impl World {
    /// Adds a grid bot, its levels laid around the price; gives its identifier.
    pub(crate) fn add_grid_bot(&mut self, given: Vec<Given>) -> Result<u64, Vec<Violation>> {
        let given = fields::of(&GridBot::ROWS.iter(), "a grid bot", given)?;
        let id = free_id(&given, &self.grid_bots)?;
        let listings = self.market.listings.clone();
        let bot = self.grid_bot_record(id, given).map_err(|wrong| {
            self.market.listings = listings;
            vec![wrong]
        })?;
        self.grid_bots.insert(id, bot);
        Ok(id)
    }

    fn grid_bot_record(&mut self, id: u64, given: Record) -> Result<Record, Violation> {
        let mut bot = defaults::grid_bot();
        bot.extend(self.made_now());
        bot.extend(self.account_of(&given)?);
        bot.extend(object! { "id": id });
        if let Some(pair) = given.get("pair") {
            bot.insert("pair".to_owned(), pair.clone());
        }
        let quote = self.listed(text(&bot, "pair"), &given, &["current_price"])?;
        around(&mut bot, &quote);
        let [lines, started] = ["grid_lines", "start_price"].map(|field| given.contains_key(field));
        bot.extend(given);
        if is_true(&bot, "is_enabled") && !started {
            bot.extend(object! { "start_price": bot.get("current_price").cloned() });
        }
        if !lines {
            grid_bots::lay(&mut bot, &quote.tick).map_err(|(field, message)| Violation::new(field, message))?;
        }
        Ok(bot)
    }
}

/// Writes what follows from the price.
fn around(bot: &mut Record, quote: &Quote) {
    let end = |percent: i64| {
        let end = &quote.price * BigDecimal::new((100 + percent).into(), 2);
        down(&end, Some(&quote.tick)).to_plain_string()
    };
    let price = quote.price.to_plain_string();
    bot.extend(object! {
        "lower_price": end(-HALF_WIDTH),
        "upper_price": end(HALF_WIDTH),
        "current_price": price,
        "orderbook_price_currency": currencies(&quote.pair).map(|(quote, _)| quote),
    });
}
