//! The deals that the seeded bots finished before the sandbox started. Their number and their profit are those of the bots.

use std::sync::{Arc, Mutex};

use bigdecimal::BigDecimal;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::account::market_type;
use super::amounts::cents;
use super::bot;
use super::cache::MAX_CACHED_BOTS;
use super::market;
use super::times::DAY;
use crate::clock::later;
use crate::defaults::object;
use crate::fills::{OrderFill, base_order};
use crate::listings::{Costs, PairQuote};
use crate::market::{milliseconds, new_record, write_close};
use crate::random::Random;
use crate::record::{JsonRecord, integer, list, number, string};
use crate::seed_options::SeedOptions;
use crate::state::{DcaBotMut, DealState, State};
use botdesk_planning::engine_config::deal_config;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{CloseReason, Deal, Market, OrderKind, Quote};
use botdesk_trading::ladder::Direction;

/// The id before that of the first finished deal. Those of other deals are lower, or those of bots with large ids.
const IDS: u64 = 1_000_000_000;

/// The ids that each bot has for its finished deals.
const IDS_OF_BOT: u64 = 1_000;

/// The time from the creation of a bot to its first finished deal, and the time in which it finished deals, in seconds. All are
/// earlier than its open deals.
const FINISHED_IN: (i64, i64) = (2 * DAY, 17 * DAY);

/// The largest move of the price against a deal before it took profit, in thousandths of a percent.
const MAX_ADVERSE_MOVE: i64 = 3_000;

/// The finished deals of bots by the ids of the bots, oldest first.
type FinishedDeals = Vec<(u64, Vec<FinishedDeal>)>;

/// The last finished deals with their options: generating them takes long, and a test suite starts thousands of sandboxes.
static LAST: Mutex<Option<Arc<(SeedOptions, FinishedDeals)>>> = Mutex::new(None);

/// A finished deal.
#[derive(Clone)]
pub(crate) struct FinishedDeal {
    pub(crate) id: u64,
    pub(crate) record: JsonRecord,
    pub(crate) fills: Vec<OrderFill>,
}

/// Returns the finished deals of the seeded bots: the last ones if they have these options. It does not wait for the lock, which
/// nothing releases in a process that was forked while another thread held it.
fn finished_deals(options: &SeedOptions) -> Arc<(SeedOptions, FinishedDeals)> {
    let mut last = LAST.try_lock().ok();
    if let Some(known) = last.as_ref().and_then(|last| last.as_ref()).filter(|known| known.0 == *options) {
        return Arc::clone(known);
    }
    let deals = (0..).take(options.bots).filter_map(|index| of_bot(options, index)).collect();
    let deals = Arc::new((options.clone(), deals));
    if let Some(last) = last.as_mut().filter(|_| options.bots <= MAX_CACHED_BOTS) {
        **last = Some(Arc::clone(&deals));
    }
    deals
}

fn of_bot(options: &SeedOptions, index: u64) -> Option<(u64, Vec<FinishedDeal>)> {
    let bot = bot::seeded_record(options, index);
    let id = u64::try_from(integer(&bot, "id")?).ok()?;
    let count = integer(&bot, "finished_deals_count").unwrap_or_default();
    let mut random = Random::new(options.seed.rotate_left(32), index);
    let profits = shares(&number(&bot, "finished_deals_profit_usd"), count, &mut random);
    let listings = market::market(options.seed);
    let costs = Costs { fee: options.fee.clone(), ..Costs::default() };
    let pairs = list(&bot, "pairs").iter().filter_map(Value::as_str).cycle();
    let deals = profits.into_iter().zip(pairs).zip(0..).filter_map(|((profit, pair), place)| {
        let id = IDS + index.saturating_mul(IDS_OF_BOT) + u64::try_from(place).unwrap_or_default() + 1;
        let quote = listings.quote(pair)?;
        let history = History { bot: &bot, market: quote.market(&costs), quote, count };
        history.deal(id, place, &profit, &mut random)
    });
    Some((id, deals.collect()))
}

/// Splits a profit into shares in cents; the last one has the rest.
fn shares(profit: &BigDecimal, count: i64, random: &mut Random) -> Vec<BigDecimal> {
    let weights: Vec<_> = (0..count).map(|_| random.between(60, 140)).collect();
    let (mut rest, mut weight_left) = (profit.clone(), weights.iter().sum::<i64>());
    let share = |weight: i64| {
        let share = if weight == weight_left {
            rest.clone()
        } else {
            cents(&(&rest * BigDecimal::from(weight) / BigDecimal::from(weight_left)))
        };
        weight_left -= weight;
        rest = &rest - &share;
        share
    };
    weights.into_iter().map(share).collect()
}

/// A bot on one of its pairs.
struct History<'a> {
    bot: &'a JsonRecord,
    market: Market,
    quote: PairQuote,
    /// The number of deals that the bot finished.
    count: i64,
}

impl History<'_> {
    /// Returns the deal at a place with this profit in USD.
    fn deal(&self, id: u64, place: i64, profit: &BigDecimal, random: &mut Random) -> Option<FinishedDeal> {
        let (opened, closed) = self.times(place, random)?;
        let filled = later(opened, SignedDuration::try_from(closed - opened).ok()? / 3);
        let quote = self.priced(BigDecimal::from(random.between(940, 1_060)) * BigDecimal::new(1.into(), 3));
        let price = Decimal::from(&quote.price);
        let opening = Quote { market: &self.market, price: &price, balance: &Decimal::ZERO };
        let config = Arc::new(deal_config(self.bot));
        let (mut deal, base_price) = Deal::open(id, &config, &opening, milliseconds(opened))?;
        let mut events = vec![base_order(&deal, base_price)];
        let adverse = self.moved(&price, random.between(0, MAX_ADVERSE_MOVE));
        let moved = Quote { price: &adverse, ..opening };
        // A bot may have a stop loss so near that it would end the deal, which here took profit.
        let mut moved_deal = deal.clone();
        if moved_deal.set_price(&moved, milliseconds(filled), &mut events).is_none() {
            deal = moved_deal;
        } else {
            events.truncate(1);
        }
        let mut fills: Vec<_> = events.iter().filter_map(|event| OrderFill::of(event, &self.market)).collect();
        let exit = self.exit(&mut deal, &(profit / &self.quote.usd).into(), closed)?;
        let exit_quote = PairQuote { price: exit.price.to_big(), ..quote.clone() };
        fills.push(exit);
        let mut record = new_record(self.bot, market_type(self.bot), id, &quote, opened);
        let mut state = DealState { id, ..DealState::default() };
        record.insert("base_order_average_price".to_owned(), deal.base_price.to_string().into());
        state.write(&mut record, &deal, &exit_quote, &self.market, closed);
        write_close(&mut record, &deal, CloseReason::TakeProfit, &exit_quote, &self.market, closed);
        Some(FinishedDeal { id, record, fills })
    }

    /// Returns the times when a deal was opened and closed, in a part of the time for each deal.
    fn times(&self, place: i64, random: &mut Random) -> Option<(Timestamp, Timestamp)> {
        let created: Timestamp = string(self.bot, "created_at").parse().ok()?;
        let (from, length) = FINISHED_IN;
        let part = length / self.count.max(1);
        let closed = from + part * (place + 1) - random.between(0, part / 10);
        let opened = closed - part * random.between(30, 80) / 100;
        let at = |seconds, random: &mut Random| {
            let milliseconds = SignedDuration::from_millis(random.between(0, 999));
            later(created, SignedDuration::from_secs(seconds) + milliseconds)
        };
        Some((at(opened, random), at(closed, random)))
    }

    fn priced(&self, factor: BigDecimal) -> PairQuote {
        let price = Decimal::from(&self.quote.price * factor).round_down_to(Some(&self.market.tick));
        PairQuote { price: price.to_big(), ..self.quote.clone() }
    }

    /// Returns a price after a move against the bot, in thousandths of a percent.
    fn moved(&self, price: &Decimal, by: i64) -> Decimal {
        let by = if string(self.bot, "strategy") == "short" { by } else { -by };
        (price * Decimal::new(i128::from(100_000 + by), 5)).round_down_to(Some(&self.market.tick))
    }

    /// Closes the deal with a profit in the quote currency; returns the order.
    fn exit(&self, deal: &mut Deal, profit: &Decimal, at: Timestamp) -> Option<OrderFill> {
        let (total, after_fee) = match deal.direction() {
            Direction::Long => (&deal.entry.volume + profit, Decimal::ONE - &self.market.fee),
            Direction::Short => (&deal.entry.volume - profit, Decimal::ONE + &self.market.fee),
        };
        let quantity = deal.entry.quantity.clone();
        let price = total.div_round_up(&(&quantity * after_fee), Some(&self.market.tick))?;
        deal.exited_quantity.clone_from(&quantity);
        deal.exited_volume.clone_from(&total);
        deal.reached_targets = deal.config.targets.len();
        let kind = OrderKind::TakeProfit(deal.reached_targets.max(1));
        Some(OrderFill { at, kind, price, quantity, total })
    }
}

impl State {
    /// Writes the deals that finished before the sandbox started.
    pub(crate) fn write_history(&mut self) {
        let Some(options) = self.unwritten_history.take() else { return };
        for (bot, deals) in &finished_deals(&options).1 {
            let Some(bot_record) = self.store.dca_bots.get_mut(bot) else { continue };
            let state = self.dca_bot_states.entry(*bot).or_default();
            state.finished.splice(0..0, deals.iter().map(|deal| deal.id));
            for FinishedDeal { id, mut record, fills } in deals.iter().cloned() {
                // Both may have been renamed since the start.
                record.extend(object! { "bot_name": string(bot_record, "name") });
                let account = record.get("account_id").and_then(Value::as_u64);
                if let Some(account) = account.and_then(|id| self.store.accounts.get(&id)) {
                    record.extend(object! { "account_name": account.get("name").cloned() });
                }
                state.fills.insert(id, fills);
                self.store.deals.insert(id, record);
            }
            DcaBotMut { record: bot_record, deals: &mut self.store.deals, state }.forget_finished_deals();
        }
    }
}
