//! The open deals of a DCA bot that is added.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::dca_bot::in_deal;
use super::{fields, given_price, id_taken, parse_id};
use crate::deals::Deals;
use crate::listings::{PairQuote, check_price};
use crate::market::{balance, milliseconds, new_record};
use crate::record::{JsonRecord, list, string};
use crate::resource::Resource as _;
use crate::state::{DealState, State};
use botdesk_api::input::Violation;
use botdesk_planning::engine_config::deal_config;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{self, Market};

/// The fields that can set the price of a new pair.
const PRICES: [&str; 2] = ["current_price", BASE_PRICE];

/// The field with the price at which a deal was opened.
const BASE_PRICE: &str = "base_order_average_price";

impl State {
    /// Creates the deals of a new bot. If one is invalid, the market is unchanged.
    pub(super) fn new_deals(
        &mut self,
        bot: &JsonRecord,
        given: Vec<JsonRecord>,
    ) -> Result<Vec<(DealState, JsonRecord)>, Vec<Violation>> {
        let mut given = given.into_iter().enumerate().map(|(index, deal)| {
            let deal = deal.into_iter().map(|(name, value)| (name, Ok(value))).collect();
            let in_deal =
                |found: Vec<Violation>| found.into_iter().map(|violation| in_deal(index, violation)).collect();
            fields::parse_fields(Deals.record(), deal).map_err(in_deal)
        });
        let given = given.by_ref().collect::<Result<Vec<_>, Vec<_>>>()?;
        let (listings, next_deal) = (self.market.listings.clone(), self.next_deal);
        let mut taken: BTreeSet<u64> = self.store.deals.keys().copied().collect();
        let add = |(index, given)| {
            self.add_deal(bot, &given, &mut taken).map_err(|violation| vec![in_deal(index, violation)])
        };
        let deals = given.into_iter().enumerate().map(add).collect();
        if Result::is_err(&deals) {
            (self.market.listings, self.next_deal) = (listings, next_deal);
        }
        deals
    }

    fn add_deal(
        &mut self,
        bot: &JsonRecord,
        given: &JsonRecord,
        taken: &mut BTreeSet<u64>,
    ) -> Result<(DealState, JsonRecord), Violation> {
        let id = given.get("id").map_or(Ok(self.next_deal), parse_id)?;
        if !taken.insert(id) {
            return Err(id_taken(id));
        }
        let first_pair = list(bot, "pairs").first().and_then(Value::as_str).unwrap_or_default();
        let pair = if given.contains_key("pair") { string(given, "pair") } else { first_pair };
        if let Some((field, price)) = given_price(given, &[BASE_PRICE]) {
            check_price(field, &price)?;
        }
        let quote = self.quote_or_list(pair, given, &PRICES)?;
        self.next_deal = self.next_deal.max(id.saturating_add(1));
        Ok(self.deal_at(&quote, bot, id, given))
    }

    /// Opens a deal at the given price, or else at the market price, and moves it to the market price.
    fn deal_at(&self, quote: &PairQuote, bot: &JsonRecord, id: u64, given: &JsonRecord) -> (DealState, JsonRecord) {
        let base_price = given_price(given, &[BASE_PRICE]).map(|(_, price)| price);
        let (now, market) = (self.clock.now(), quote.market(&self.costs));
        // A given average price has its fee in it.
        let fee = if base_price.is_some() { Decimal::ZERO } else { market.fee.clone() };
        let opening_market = Market { fee, ..market.clone() };
        let opening_quote = PairQuote { price: base_price.unwrap_or_else(|| quote.price.clone()), ..quote.clone() };
        let balance = balance(&self.store.accounts, bot, quote).into();
        let mut state = DealState { id, ..DealState::default() };
        let mut record = new_record(bot, id, &opening_quote, now);
        record.extend(given.clone());
        let price = (&opening_quote.price).into();
        let opening = engine::Quote { market: &opening_market, price: &price, balance: &balance };
        let config = Arc::new(deal_config(&record));
        if let Some((deal, _)) = engine::Deal::open(id, &config, &opening, milliseconds(now)) {
            state.write(&mut record, &deal, &opening_quote, &market, now);
        }
        // Given amounts replace the computed ones. Fields that depend on them are recalculated unless they are given, too.
        record.extend(given.clone());
        let deal = state.read(&record, &market, &balance);
        state.write(&mut record, &deal, quote, &market, now);
        record.extend(given.clone());
        (state, record)
    }
}
