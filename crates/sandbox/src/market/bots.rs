//! What a DCA bot does as the price moves: its deals follow, and where its signal says so, it opens another one.

use bigdecimal::{BigDecimal, Zero};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::figures::plain;
use super::{End, Scene, deals};
use crate::clock::{later, text as timestamp};
use crate::defaults::object;
use crate::record::{is_true, list, number, text, whole};
use crate::state::{DcaBotState, DealState};
use botdesk_api::decimal;

/// How many of its finished deals a bot keeps.
const FINISHED_KEPT: usize = 1_000;

impl DcaBotState {
    /// Moves the deals on a pair to its price.
    pub(super) fn follow(&mut self, scene: &Scene<'_>) {
        for mut deal in std::mem::take(&mut self.deals) {
            let is_on_pair = text(&deal.record, "pair") == scene.quote.pair;
            let end = if is_on_pair { deals::follow(&mut deal, scene) } else { None };
            self.keep(deal, end, scene.now);
        }
        self.sum_up();
    }

    /// Keeps an open deal, or counts one that ended.
    pub(super) fn keep(&mut self, deal: DealState, end: Option<End>, now: Timestamp) {
        match end {
            None => self.deals.push(deal),
            Some(end) => self.count(deal, end, now),
        }
    }

    fn count(&mut self, deal: DealState, end: End, now: Timestamp) {
        let profit = number(&self.record, "finished_deals_profit_usd") + number(&deal.record, "usd_final_profit");
        let finished = whole(&self.record, "finished_deals_count").unwrap_or_default().saturating_add(1);
        let deals = whole(&self.record, "deals_counter").unwrap_or_default().saturating_add(1);
        self.record.extend(object! {
            "finished_deals_profit_usd": profit.to_plain_string(),
            "finished_deals_count": finished.to_string(),
            "deals_counter": deals,
        });
        let what = match end {
            End::TakeProfit => "took its profit",
            End::StopLoss => "stopped its loss",
            End::Timeout => "was closed after its time",
        };
        let id = whole(&deal.record, "id").unwrap_or_default();
        self.happened(&format!("Deal {id} {what}"), Value::from(timestamp(now)));
        self.rest(now);
        self.disable_after(end, deals, now);
        self.finished.push(deal.record);
        let too_many = self.finished.len().saturating_sub(FINISHED_KEPT);
        self.finished.drain(..too_many);
    }

    /// The pause after a deal, be it none.
    fn rest(&mut self, now: Timestamp) {
        let seconds = number(&self.record, "cooldown").max(BigDecimal::zero());
        self.rests_until = Some(later(now, duration(&seconds)));
    }

    fn disable_after(&mut self, end: End, deals: i64, now: Timestamp) {
        let by_loss = end == End::StopLoss && text(&self.record, "stop_loss_type") == "stop_loss_and_disable_bot";
        let by_count = whole(&self.record, "disable_after_deals_count").is_some_and(|most| most > 0 && deals >= most);
        if (by_loss || by_count) && is_true(&self.record, "is_enabled") {
            self.set("is_enabled", false);
            self.happened("Bot disabled", Value::from(timestamp(now)));
        }
    }

    /// Opens a deal where the bot's signal asks for one, or notes when it will.
    pub(super) fn answer_signal(&mut self, scene: &Scene<'_>, next_deal: &mut u64) {
        if !self.wants_deal(scene) {
            return;
        }
        let delay = whole(&self.record, "deal_start_delay_seconds").unwrap_or_default();
        if delay > 0 {
            self.starts_at.get_or_insert(later(scene.now, SignedDuration::from_secs(delay)));
        } else {
            self.open(scene, next_deal);
        }
    }

    /// Whether the signal that never ceases asks for a deal on a pair, and the bot may open one.
    pub(super) fn wants_deal(&self, scene: &Scene<'_>) -> bool {
        let bot = &self.record;
        let is_nonstop = |strategy: &Value| strategy.get("strategy").is_some_and(|code| code == "nonstop");
        let trades = list(bot, "pairs").iter().any(|pair| *pair == scene.quote.pair);
        let open = i64::try_from(self.deals.len()).unwrap_or(i64::MAX);
        is_true(bot, "is_enabled")
            && trades
            && list(bot, "strategy_list").iter().any(is_nonstop)
            && open < whole(bot, "max_active_deals").unwrap_or_default()
            && self.has_room_on(&scene.quote.pair)
            && self.rests_until.is_none_or(|until| until <= scene.now)
            && self.allows_price(&scene.quote.price)
    }

    /// A bot with several pairs may have only so many deals on one of them.
    fn has_room_on(&self, pair: &str) -> bool {
        let open = self.deals.iter().filter(|deal| text(&deal.record, "pair") == pair).count();
        let most = whole(&self.record, "allowed_deals_on_same_pair").and_then(|most| usize::try_from(most).ok());
        list(&self.record, "pairs").len() < 2 || most.is_none_or(|most| open < most)
    }

    fn allows_price(&self, price: &BigDecimal) -> bool {
        let limit = |field: &str| self.record.get(field).and_then(decimal::of);
        limit("min_price").is_none_or(|least| *price >= least) && limit("max_price").is_none_or(|most| *price <= most)
    }

    /// Opens a deal at the price.
    pub(super) fn open(&mut self, scene: &Scene<'_>, next_deal: &mut u64) {
        let Some(deal) = deals::open(&self.record, *next_deal, scene) else {
            return;
        };
        self.happened(&format!("Deal {next_deal} opened"), Value::from(timestamp(scene.now)));
        *next_deal = next_deal.saturating_add(1);
        (self.starts_at, self.rests_until) = (None, None);
        self.deals.push(deal);
        self.sum_up();
    }

    /// Writes what follows from the open deals.
    pub(crate) fn sum_up(&mut self) {
        let profit: BigDecimal = self.deals.iter().map(|deal| number(&deal.record, "actual_usd_profit")).sum();
        self.record.extend(object! {
            "active_deals_count": self.deals.len(),
            "deletable?": self.deals.is_empty(),
            "active_deals_usd_profit": if self.deals.is_empty() { "0.0".to_owned() } else { plain(&profit) },
        });
    }
}

/// So many seconds, to the millisecond.
fn duration(seconds: &BigDecimal) -> SignedDuration {
    use bigdecimal::ToPrimitive as _;
    let milliseconds = (seconds * BigDecimal::from(1_000)).to_i64();
    milliseconds.map_or(SignedDuration::MAX, SignedDuration::from_millis)
}
