//! What requests do with the deals of a DCA bot: close all of them, cancel all of them, start one.

use serde_json::Value;

use super::balance::REFUSED;
use super::clock::{ARRIVAL, later, timestamp};
use super::defaults::object;
use super::inputs;
use super::market::new_record;
use super::record::{JsonRecord, integer, is_true, list, string};
use super::route::RequestParams;
use super::state::{Cancellation, DcaBotMut, State};
use botdesk_api::dca_bots::DealStart;
use botdesk_schema::input::RequestBuilder;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The class of the error about a pair that has an open deal, as the service appends it.
const OPEN_DEAL: &str = "Exceptions::OpenDealPresentForThisPair";

/// How deals end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The position is closed at the market price.
    Close,
    /// The orders are cancelled, and the coins stay on the account.
    Cancel,
}

impl Ending {
    /// Returns the fields of a deal that is ending.
    fn fields(self, now: &Value) -> JsonRecord {
        let (status, localized, cancellable) = match self {
            // A deal that is being closed can still be cancelled, as in the samples of the service.
            Self::Close => ("panic_sell_pending", "Closing at Market Price", true),
            Self::Cancel => ("cancel_pending", "Cancel pending", false),
        };
        object! {
            "status": status,
            "localized_status": localized,
            "cancellable?": cancellable,
            "panic_sellable?": false,
            "add_fundable": false,
            "smart_trade_convertable": false,
            "crypto_widget": Value::Null,
            "updated_at": now.clone(),
        }
    }
}

pub(super) fn close_all_deals(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    end_all_deals(state, params, Ending::Close, "All deals closed at market price")
}

pub(super) fn cancel_all_deals(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    end_all_deals(state, params, Ending::Cancel, "All deals cancelled")
}

fn end_all_deals(
    state: &mut State,
    params: &RequestParams<'_>,
    ending: Ending,
    event: &str,
) -> Result<SerializedBody, ApiError> {
    let id = params.id_in(&state.store.dca_bots)?;
    let (mut bot, clock) = state.dca_bot(Some(id))?;
    let now = clock.tick();
    let ends_at = later(clock.now(), ARRIVAL);
    let deals: Vec<_> = bot.state.deals.iter().map(|deal| deal.id).collect();
    for deal in deals {
        end_deal(&mut bot, deal, ending, ends_at, &now);
    }
    bot.set("is_enabled", false);
    bot.add_event(event, now);
    state.cancellation = Some(Cancellation::until(ends_at));
    let bot = state.bot_with_deals(id).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(&bot))
}

/// Lets an open deal of a bot end at a time, or at the next price before it.
pub(super) fn end_deal(bot: &mut DcaBotMut<'_>, id: u64, ending: Ending, ends_at: jiff::Timestamp, now: &Value) {
    let Some(deal) = bot.state.deals.iter_mut().find(|deal| deal.id == id) else { return };
    let Some(record) = bot.deals.get_mut(&id) else { return };
    deal.stops_at = None;
    (deal.cancels_at, deal.closes_at) = match ending {
        Ending::Close => (None, Some(ends_at)),
        Ending::Cancel => (Some(ends_at), None),
    };
    record.extend(ending.fields(now));
}

/// Starts a deal of a bot, in the order of checks of the service.
pub(super) fn start_deal(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = params.id().unwrap_or_default();
    let bot = state.store.dca_bots.get(&id).cloned().ok_or_else(|| params.not_found())?;
    let request = inputs::validated(DealStart::INPUTS, params)?;
    let pair = pair_of(&bot, &request)?;
    check_start(state, id, &bot, &pair, &request)?;
    let quote = state.market.quote(&pair).ok_or_else(|| refused("the pair has no price"))?;
    let (mut changed, clock) = state.dca_bot(Some(id))?;
    let now = clock.tick();
    if !is_true(&bot, "is_enabled") {
        changed.set("is_enabled", true);
        changed.add_event("Bot enabled", now.clone());
    }
    let deal = state.open_deal(id, &quote).ok_or_else(|| refused("the base order is too small for the exchange"))?;
    // The response shows the deal as it is when its base order is placed: the order fills afterwards.
    let mut placed = new_record(&bot, state.market_type(&bot), deal, &quote, state.clock.now());
    placed.extend(object! {
        "status": "base_order_placed",
        "localized_status": "Base order placed",
        "add_fundable": false,
        "smart_trade_convertable": false,
        "current_price": quote.price.to_plain_string(),
        "buy_steps": Vec::<Value>::new(),
        "bot_events": vec![Value::Object(object! {
            "message": "Placing base order",
            "created_at": timestamp(state.clock.now()),
        })],
    });
    Ok(SerializedBody::serialize(&placed))
}

/// Returns the pair of the new deal: the given one, or that of a bot with one pair.
fn pair_of(bot: &JsonRecord, request: &RequestBuilder) -> Result<String, ApiError> {
    const PAIR: &str = "pair";
    let pairs: Vec<_> = list(bot, "pairs").iter().filter_map(Value::as_str).collect();
    let given = request.value(DealStart::pair).and_then(Value::as_str);
    match (given, pairs.as_slice()) {
        (Some(pair), _) if pairs.contains(&pair) => Ok(pair.to_owned()),
        (Some(_), _) => Err(ApiError::invalid_field(PAIR, "is not a pair of the bot")),
        (None, [pair]) => Ok((*pair).to_owned()),
        (None, _) => Err(ApiError::invalid_field(PAIR, "is missing")),
    }
}

fn check_start(state: &State, id: u64, bot: &JsonRecord, pair: &str, request: &RequestBuilder) -> Result<(), ApiError> {
    if !is_true(bot, "is_enabled") && request.is_true(DealStart::only_for_enabled) {
        return Err(refused("Bot is disabled"));
    }
    let limit = |field: &str| integer(bot, field).and_then(|limit| usize::try_from(limit).ok()).unwrap_or(1);
    let on_pair = state.open_deals(id).filter(|deal| string(deal, "pair") == pair).count();
    let is_skipped = request.is_true(DealStart::skip_open_deals_checks) && list(bot, "pairs").len() > 1;
    if on_pair >= limit("allowed_deals_on_same_pair") && !is_skipped {
        return Err(ApiError::unknown_error_of(OPEN_DEAL));
    }
    if state.open_deals(id).count() >= limit("max_active_deals") {
        return Err(refused("Max active deals reached"));
    }
    if state.blacklist.iter().any(|listed| listed == pair) {
        return Err(refused("Pair is in the blacklist"));
    }
    if !state.can_pay_for_deal(bot, pair) {
        return Err(refused(REFUSED));
    }
    Ok(())
}

fn refused(message: &str) -> ApiError {
    ApiError::state_invalid("base", message)
}
