//! Open deals of a DCA bot that is added.

use std::collections::BTreeSet;

use serde_json::Value;

use super::dca_bot::of_deal;
use super::{fields, given_price, id_of, taken_id};
use crate::market::{self, Quote, Scene, balance, check_price};
use crate::record::{Record, list, text, whole};
use crate::state::{DealState, World};
use botdesk_api::deal::Deal;
use botdesk_api::input::Violation;
use botdesk_api::record::Record as _;

/// What may say the price of a pair that is not traded yet.
const PRICES: [&str; 2] = ["current_price", BASE_PRICE];

/// The price that a deal was opened at.
const BASE_PRICE: &str = "base_order_average_price";

impl World {
    /// The deals of a new bot. Where one is refused, the market is as it was.
    pub(super) fn new_deals(&mut self, bot: &Record, given: Vec<Record>) -> Result<Vec<DealState>, Vec<Violation>> {
        let mut given = given.into_iter().enumerate().map(|(place, deal)| {
            let deal = deal.into_iter().map(|(name, value)| (name, Ok(value))).collect();
            let named = |wrong: Vec<Violation>| wrong.into_iter().map(|found| of_deal(place, found)).collect();
            fields::of(&Deal::ROWS.iter(), "a deal", deal).map_err(named)
        });
        let given = given.by_ref().collect::<Result<Vec<_>, Vec<_>>>()?;
        let (listings, next_deal) = (self.market.listings.clone(), self.next_deal);
        let mut taken = self.deal_ids();
        let new = |(place, given)| self.new_deal(bot, &given, &mut taken).map_err(|wrong| vec![of_deal(place, wrong)]);
        let deals = given.into_iter().enumerate().map(new).collect();
        if Result::is_err(&deals) {
            (self.market.listings, self.next_deal) = (listings, next_deal);
        }
        deals
    }

    fn deal_ids(&self) -> BTreeSet<i64> {
        let deals =
            self.dca_bots.values().flat_map(|bot| bot.deals.iter().map(|deal| &deal.record).chain(&bot.finished));
        deals.filter_map(|deal| whole(deal, "id")).collect()
    }

    fn new_deal(&mut self, bot: &Record, given: &Record, taken: &mut BTreeSet<i64>) -> Result<DealState, Violation> {
        let id = given.get("id").map_or(Ok(self.next_deal), id_of)?;
        if !taken.insert(i64::try_from(id).unwrap_or(i64::MAX)) {
            return Err(taken_id(id));
        }
        let first_pair = list(bot, "pairs").first().and_then(Value::as_str).unwrap_or_default();
        let pair = if given.contains_key("pair") { text(given, "pair") } else { first_pair };
        if let Some((field, price)) = given_price(given, &[BASE_PRICE]) {
            check_price(field, &price)?;
        }
        let quote = self.listed(pair, given, &PRICES)?;
        self.next_deal = self.next_deal.max(id.saturating_add(1));
        Ok(self.deal_at(&quote, bot, id, given))
    }

    /// A deal that was opened at the price that was given, or else at the market's, and is at the market's now.
    fn deal_at(&self, quote: &Quote, bot: &Record, id: u64, given: &Record) -> DealState {
        let at_first = given_price(given, &[BASE_PRICE]);
        let at_first =
            Quote { price: at_first.map_or_else(|| quote.price.clone(), |(_, price)| price), ..quote.clone() };
        let scene = |quote| Scene { quote, now: self.clock.now(), balance: balance(&self.accounts, bot, quote) };
        let mut deal = market::begin(bot, id, &scene(&at_first));
        deal.record.extend(given.clone());
        market::fill_base_order(&mut deal, &scene(&at_first));
        // What was bought is as it was given; what follows from it is worked out anew, unless it was given as well.
        deal.record.extend(given.clone());
        market::refresh(&mut deal, &scene(quote));
        deal.record.extend(given.clone());
        deal
    }
}
