//! Updates DCA bots when the price changes: their deals follow it, and bots whose signal is on open new deals.

use bigdecimal::{BigDecimal, Zero};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::figures::plain;
use super::{CloseReason, MarketContext, deals};
use crate::clock::{later, timestamp};
use crate::defaults::object;
use crate::record::{integer, is_true, list, number, string};
use crate::state::{DcaBotState, DealState};
use botdesk_api::decimal;

/// The maximum number of finished deals in a bot.
const MAX_FINISHED: usize = 1_000;

impl DcaBotState {
    /// Moves the deals on a pair to its new price.
    pub(super) fn follow_price(&mut self, context: &MarketContext<'_>) {
        for mut deal in std::mem::take(&mut self.deals) {
            let is_on_pair = string(&deal.record, "pair") == context.quote.pair;
            let reason = if is_on_pair { deals::follow_price(&mut deal, context) } else { None };
            self.keep_or_finish(deal, reason, context.now);
        }
        self.update_deal_totals();
    }

    /// Keeps a deal that is open, or finishes one that was closed.
    pub(super) fn keep_or_finish(&mut self, deal: DealState, reason: Option<CloseReason>, now: Timestamp) {
        match reason {
            None => self.deals.push(deal),
            Some(reason) => self.finish_deal(deal, reason, now),
        }
    }

    fn finish_deal(&mut self, deal: DealState, reason: CloseReason, now: Timestamp) {
        let profit = number(&self.record, "finished_deals_profit_usd") + number(&deal.record, "usd_final_profit");
        let finished = integer(&self.record, "finished_deals_count").unwrap_or_default().saturating_add(1);
        let deals = integer(&self.record, "deals_counter").unwrap_or_default().saturating_add(1);
        self.record.extend(object! {
            "finished_deals_profit_usd": profit.to_plain_string(),
            "finished_deals_count": finished.to_string(),
            "deals_counter": deals,
        });
        let event = match reason {
            CloseReason::TakeProfit => "took profit",
            CloseReason::StopLoss => "hit its stop loss",
            CloseReason::Timeout => "timed out",
        };
        let id = integer(&deal.record, "id").unwrap_or_default();
        self.add_event(&format!("Deal {id} {event}"), Value::from(timestamp(now)));
        self.start_cooldown(now);
        self.disable_after(reason, deals, now);
        self.finished.push(deal.record);
        let too_many = self.finished.len().saturating_sub(MAX_FINISHED);
        self.finished.drain(..too_many);
    }

    /// Starts the cooldown after a deal, which may be 0 seconds.
    fn start_cooldown(&mut self, now: Timestamp) {
        let seconds = number(&self.record, "cooldown").max(BigDecimal::zero());
        self.cooldown_until = Some(later(now, to_duration(&seconds)));
    }

    fn disable_after(&mut self, reason: CloseReason, deals: i64, now: Timestamp) {
        let by_stop_loss =
            reason == CloseReason::StopLoss && string(&self.record, "stop_loss_type") == "stop_loss_and_disable_bot";
        let by_count =
            integer(&self.record, "disable_after_deals_count").is_some_and(|limit| limit > 0 && deals >= limit);
        if (by_stop_loss || by_count) && is_true(&self.record, "is_enabled") {
            self.set("is_enabled", false);
            self.add_event("Bot disabled", Value::from(timestamp(now)));
        }
    }

    /// Opens a deal if the bot's signal is on, or schedules it if the bot has a start delay.
    pub(super) fn open_or_schedule_deal(&mut self, context: &MarketContext<'_>, next_deal: &mut u64) {
        if !self.may_open_deal(context) {
            return;
        }
        let delay = integer(&self.record, "deal_start_delay_seconds").unwrap_or_default();
        if delay > 0 {
            self.starts_at.get_or_insert(later(context.now, SignedDuration::from_secs(delay)));
        } else {
            self.open_deal(context, next_deal);
        }
    }

    /// Returns whether the bot has the `nonstop` signal and may open a deal on the pair.
    pub(super) fn may_open_deal(&self, context: &MarketContext<'_>) -> bool {
        let bot = &self.record;
        let is_nonstop = |strategy: &Value| strategy.get("strategy").is_some_and(|code| code == "nonstop");
        let trades = list(bot, "pairs").iter().any(|pair| *pair == context.quote.pair);
        let open = i64::try_from(self.deals.len()).unwrap_or(i64::MAX);
        is_true(bot, "is_enabled")
            && trades
            && list(bot, "strategy_list").iter().any(is_nonstop)
            && open < integer(bot, "max_active_deals").unwrap_or_default()
            && self.allows_another_deal_on(&context.quote.pair)
            && self.cooldown_until.is_none_or(|until| until <= context.now)
            && self.allows_price(&context.quote.price)
    }

    /// Returns whether the limit of deals on the same pair allows another one. It applies to bots with several pairs.
    fn allows_another_deal_on(&self, pair: &str) -> bool {
        let open = self.deals.iter().filter(|deal| string(&deal.record, "pair") == pair).count();
        let limit = integer(&self.record, "allowed_deals_on_same_pair").and_then(|limit| usize::try_from(limit).ok());
        list(&self.record, "pairs").len() < 2 || limit.is_none_or(|limit| open < limit)
    }

    fn allows_price(&self, price: &BigDecimal) -> bool {
        let limit = |field: &str| self.record.get(field).and_then(decimal::of);
        limit("min_price").is_none_or(|min| *price >= min) && limit("max_price").is_none_or(|max| *price <= max)
    }

    /// Opens a deal at the current price.
    pub(super) fn open_deal(&mut self, context: &MarketContext<'_>, next_deal: &mut u64) {
        let Some(deal) = deals::open_deal(&self.record, *next_deal, context) else {
            return;
        };
        self.add_event(&format!("Deal {next_deal} opened"), Value::from(timestamp(context.now)));
        *next_deal = next_deal.saturating_add(1);
        (self.starts_at, self.cooldown_until) = (None, None);
        self.deals.push(deal);
        self.update_deal_totals();
    }

    /// Updates the fields that summarize the open deals.
    pub(crate) fn update_deal_totals(&mut self) {
        let profit: BigDecimal = self.deals.iter().map(|deal| number(&deal.record, "actual_usd_profit")).sum();
        self.record.extend(object! {
            "active_deals_count": self.deals.len(),
            "deletable?": self.deals.is_empty(),
            "active_deals_usd_profit": if self.deals.is_empty() { "0.0".to_owned() } else { plain(&profit) },
        });
    }
}

/// Converts seconds to a duration in whole milliseconds.
fn to_duration(seconds: &BigDecimal) -> SignedDuration {
    use bigdecimal::ToPrimitive as _;
    let milliseconds = (seconds * BigDecimal::from(1_000)).to_i64();
    milliseconds.map_or(SignedDuration::MAX, SignedDuration::from_millis)
}
