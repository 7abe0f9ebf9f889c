//! DCA bots: their fields, what an edit takes, and their endpoints.

use bigdecimal::{BigDecimal, ToPrimitive, Zero};
use serde_json::Value;

pub use super::choices::{
    Direction, LeverageChoice, MinProfitType, ProfitCurrency, StopLossType, TakeProfitType, VolumeType,
};
use super::deal::Deal;
use super::endpoint::{Endpoint, Method, Permission, Takes};
use super::input::Rule::{
    Above, AtLeast, Below, Beside, Between, NoneWhere, OnlyIfGiven, OnlyWhere, Own, Required, RequiredUnless,
    RequiredWhen, ServiceDefault, Within,
};
use super::input::{Draft, Moment, Pairs, Violation};
use super::json::Json;
use super::part::{Part, Shape};
use super::record::record;
use super::strategy::Strategy;
use super::take_profit_step::TakeProfitStep;
use super::values::{Amount, Flag, Integer, Kind, List, Object, OneOf, Open, Text, Timestamp, choices};
use crate::decimal;
use crate::inputs;
use botdesk_trading::ladder;

choices! {
    /// How many pairs a bot trades.
    BotType = "Bot::SingleBot" | "Bot::MultiBot";
    /// How leverage is set; what an answer may hold.
    LeverageType = "not_specified" | "cross" | "isolated";
    /// How the base order is placed.
    StartOrderType = "limit" | "market";
    /// Which bots a list holds. `enabled` is what some servers want in place of `enable`.
    Scope = "enable" | "disabled" | "null" | "enabled";
    /// What a list is sorted by.
    SortBy = "created_at" | "updated_at" | "profit";
    /// Which way a list is sorted.
    OrderDirection = "ASC" | "DESC";
}

record! {
    /// A DCA bot (dollar-cost averaging): it opens deals with a base order and buys on with safety orders.
    DcaBot {
        /// Identifier of the bot.
        id: Integer, identifier, shown;
        /// Identifier of the account that the bot trades on.
        account_id: Integer;
        /// Name of the account that the bot trades on.
        account_name: Text, moving;
        /// Whether the bot opens new deals.
        is_enabled: Flag, moving, shown;
        /// Name of the bot.
        name: Text, shown, sample("DCA bot");
        /// Whether the bot trades one pair or several.
        r#type: OneOf<BotType>;
        /// Direction of the bot's deals.
        strategy: OneOf<Direction>, shown;
        /// The pairs, each as `<QUOTE>_<BASE>`.
        pairs: List<Text>, shown, sample(["USDT_BTC"]);
        /// Most safety orders that a deal may place.
        max_safety_orders: Integer, sample(3);
        /// Safety orders of a deal that may be on the exchange at once.
        active_safety_orders_count: Integer, sample(1);
        /// Most deals that may be open at once.
        max_active_deals: Integer, sample(1);
        /// Deals that are open now.
        active_deals_count: Integer, moving, shown;
        /// Whether the bot can be deleted.
        deletable: Flag = "deletable?", moving, sample(true);
        /// When the bot was made.
        created_at: Timestamp;
        /// When the bot last changed.
        updated_at: Timestamp, moving;
        /// Strategies that open deals.
        strategy_list: List<Strategy>, sample([{"strategy": "nonstop", "options": {}}]);
        /// Strategies that close deals.
        close_strategy_list: List<Strategy>;
        /// Strategies that place safety orders.
        safety_strategy_list: List<Strategy>;
        /// Whether the take profit trails the price.
        trailing_enabled: Flag, nullable;
        /// How far the take profit trails the price, in percent.
        trailing_deviation: Amount, sample("0.2");
        /// Whether the stop loss trails the price.
        tsl_enabled: Flag;
        /// How long a signal waits before it opens a deal, in seconds.
        deal_start_delay_seconds: Integer, sample(null);
        /// After how many deals the bot disables itself.
        disable_after_deals_count: Integer, sample(null);
        /// Deals counted towards `disable_after_deals_count`.
        deals_counter: Integer, moving, sample(null);
        /// Deals that may be open on one pair at once; multi-pair bots only.
        allowed_deals_on_same_pair: Integer, sample(null);
        /// After how many seconds a deal is closed.
        close_deals_timeout: Integer, sample(null);
        /// Whether the stop loss waits before it closes a deal.
        stop_loss_timeout_enabled: Flag;
        /// How long the stop loss waits, in seconds.
        stop_loss_timeout_in_seconds: Integer;
        /// Whether the service can show the bot in its simple form.
        easy_form_supported: Flag, moving;
        /// Secret of the bot; never shown.
        url_secret: Text;
        /// Take-profit targets, where the bot has several.
        take_profit_steps: List<TakeProfitStep>;
        /// Take profit in percent; None where steps are used.
        take_profit: Amount, shown, nullable, sample("1.0");
        /// Least profit, in percent, at which a signal may close a deal.
        min_profit_percentage: Amount, sample(null);
        /// Volume of the base order.
        base_order_volume: Amount, sample("80.0");
        /// Volume of the first safety order.
        safety_order_volume: Amount, sample("30.0");
        /// Distance of the first safety order from the base order's price, in percent.
        safety_order_step_percentage: Amount, sample("1.0");
        /// What the take profit is a percentage of.
        take_profit_type: OneOf<TakeProfitType>, sample("total");
        /// What the least profit is a percentage of.
        min_profit_type: OneOf<MinProfitType>, sample(null);
        /// By how much each safety order is larger than the one before.
        martingale_volume_coefficient: Amount, sample("1.7");
        /// By how much each step down is longer than the one before.
        martingale_step_coefficient: Amount, sample("2.0");
        /// Stop loss in percent; `0` means none.
        stop_loss_percentage: Amount;
        /// Pause between deals, in seconds.
        cooldown: Amount, sample("0");
        /// Price of BTC past which the bot opens no deal.
        btc_price_limit: Amount;
        /// Least trading volume of a pair in 24 hours, in BTC.
        min_volume_btc_24h: Amount;
        /// Currency that the profit is taken in.
        profit_currency: OneOf<ProfitCurrency>;
        /// Least price at which the bot opens deals.
        min_price: Open, decimal;
        /// Highest price at which the bot opens deals.
        max_price: Open, decimal;
        /// Least price at which the bot opens deals, in percent.
        min_price_percentage: Open, decimal;
        /// Highest price at which the bot opens deals, in percent.
        max_price_percentage: Open, decimal;
        /// What happens at the stop loss.
        stop_loss_type: OneOf<StopLossType>;
        /// What the safety orders' volume is counted in.
        safety_order_volume_type: OneOf<VolumeType>;
        /// What the base order's volume is counted in.
        base_order_volume_type: OneOf<VolumeType>;
        /// Profit of all finished deals, in USD.
        finished_deals_profit_usd: Amount, moving, shown;
        /// How many deals were finished.
        finished_deals_count: Integer, moving, sample("0");
        /// Leverage type; `not_specified` outside of futures.
        leverage_type: OneOf<LeverageType>;
        /// Leverage, where it is set by hand.
        leverage_custom_value: Amount, sample(null);
        /// How the base order is placed.
        start_order_type: OneOf<StartOrderType>;
        /// Profit of the open deals at current prices, in USD.
        active_deals_usd_profit: Amount, moving;
        /// Share of the profit that is put into later deals, in percent.
        reinvesting_percentage: Amount, sample(null);
        /// By how much losses make later deals smaller, in percent.
        risk_reduction_percentage: Amount, sample(null);
        /// Profit that was put into later deals, in USD.
        reinvested_volume_usd: Open, decimal, moving;
        /// The open deals; absent from a list's records.
        active_deals: List<Deal>, moving, unlisted;
    }
}

inputs! {
    /// The filters, the order and the page of a list.
    DcaBotList of "a list of DCA bots" {
        /// Most records to return at once, 1 to 100; the service's default is 50.
        limit: Integer [Between("1", "100")];
        /// How many records to skip.
        offset: Integer [AtLeast("0")];
        /// Only bots created after this time: seconds since 1970, ISO 8601, a datetime with a timezone, or a date (00:00 UTC).
        from_: Moment = "from";
        /// Only bots of this account.
        account_id: Integer [AtLeast("1")];
        /// Only bots that are on (`enable`), only those that are off (`disabled`), or all (`null`).
        scope: OneOf<Scope>;
        /// Only bots of this direction.
        strategy: OneOf<Direction>;
        /// What to sort by; the service's default is `created_at`.
        sort_by: OneOf<SortBy>;
        /// Which way to sort; the service's default is `DESC`.
        order_direction: OneOf<OrderDirection>;
        /// Only bots of pairs with this quote currency.
        quote: Text;
    }
}

inputs! {
    /// What to return beside a bot.
    DcaBotShow of "the query for a DCA bot" {
        /// Whether to return the bot's events as well.
        include_events: Flag;
    }
}

inputs! {
    /// What an edit of a DCA bot may change.
    DcaBotEdit of "a DCA bot", decimals as String {
        /// Name of the bot.
        name: Text [Required];
        /// The pair as `<QUOTE>_<BASE>`, or a list of pairs.
        pairs: Pairs [Required];
        /// Most deals that may be open at once, 1 to 199.
        max_active_deals: Integer [Between("1", "199"), ServiceDefault("1")];
        /// What the base order's volume is counted in.
        base_order_volume_type: OneOf<VolumeType>;
        /// Volume of the base order.
        base_order_volume: Amount [Required, Own(&Above("0"))];
        /// Take profit in percent; 0 where several steps are given.
        take_profit: Amount [RequiredUnless(Self::take_profit_steps as usize), Own(&AtLeast("0"))];
        /// Take-profit targets, at most 4, whose amounts add up to 100 %.
        take_profit_steps: List<TakeProfitStep>;
        /// Volume of the first safety order.
        safety_order_volume: Amount [Required, Own(&AtLeast("0"))];
        /// What the safety orders' volume is counted in.
        safety_order_volume_type: OneOf<VolumeType>;
        /// By how much each safety order is larger than the one before, 0.1 to 10.
        martingale_volume_coefficient: Amount [Required, Between("0.1", "10")];
        /// By how much each step down is longer than the one before, 0.1 to 10.
        martingale_step_coefficient: Amount [Required, Between("0.1", "10")];
        /// Most safety orders that a deal may place, 0 to 200.
        max_safety_orders: Integer [Required, Between("0", "200")];
        /// Safety orders of a deal that may be on the exchange at once.
        active_safety_orders_count: Integer [Required, Own(&AtLeast("0"))];
        /// Stop loss in percent, further away than the last safety order; 0 for none.
        stop_loss_percentage: Amount [Own(&AtLeast("0"))];
        /// Whether the stop loss moves to break even as targets are reached; needs at least two steps.
        sl_to_breakeven_enabled: Flag [ServiceDefault("false")];
        /// How far the stop loss moves: `{"upper_breakeven_limit": 0}` to the base order's price, 1 to the first
        /// target, 2 to the second.
        sl_to_breakeven_data: Object;
        /// Pause between deals in seconds, 0 to 2 592 000.
        cooldown: Amount [Between("0", "2592000")];
        /// Whether the take profit trails the price.
        trailing_enabled: Flag;
        /// How far the take profit trails the price, in percent.
        trailing_deviation: Amount [RequiredWhen(Self::trailing_enabled as usize), Own(&AtLeast("0")), Own(&Below("100"))];
        /// Distance of the first safety order from the base order's price, in percent.
        safety_order_step_percentage: Amount [Required, Own(&AtLeast("0"))];
        /// What the take profit is a percentage of.
        take_profit_type: OneOf<TakeProfitType> [Required];
        /// Strategies that open deals.
        strategy_list: List<Strategy> [Required];
        /// Leverage type.
        leverage_type: OneOf<LeverageChoice> [NoneWhere("not_specified")];
        /// Leverage, where it is set by hand.
        leverage_custom_value: Amount [Beside(Self::leverage_type as usize), Own(&Above("0"))];
        /// Whether the stop loss waits before it closes a deal.
        stop_loss_timeout_enabled: Flag [ServiceDefault("false")];
        /// How long the stop loss waits, in seconds.
        stop_loss_timeout_in_seconds: Integer [RequiredWhen(Self::stop_loss_timeout_enabled as usize), Own(&AtLeast("0"))];
        /// Whether the stop loss trails the price.
        tsl_enabled: Flag;
        /// Least trading volume of a pair in 24 hours, in BTC.
        min_volume_btc_24h: Amount [Own(&AtLeast("0"))];
        /// How long a signal waits before it opens a deal, in seconds.
        deal_start_delay_seconds: Integer [Own(&AtLeast("0"))];
        /// Currency that the profit is taken in.
        profit_currency: OneOf<ProfitCurrency>;
        /// How the base order is placed.
        start_order_type: OneOf<StartOrderType>;
        /// What happens at the stop loss.
        stop_loss_type: OneOf<StopLossType>;
        /// After how many deals the bot disables itself.
        disable_after_deals_count: Integer [Own(&AtLeast("0"))];
        /// Deals that may be open on one pair at once; multi-pair bots only.
        allowed_deals_on_same_pair: Integer [OnlyWhere("type", "Bot::MultiBot", sets_several_pairs), Own(&AtLeast("1"))];
        /// Least profit, in percent, at which a signal may close a deal.
        min_profit_percentage: Amount;
        /// What the least profit is a percentage of.
        min_profit_type: OneOf<MinProfitType>;
        /// Strategies that close deals.
        close_strategy_list: List<Strategy>;
        /// By how much losses make later deals smaller, in percent.
        risk_reduction_percentage: Amount [Own(&Between("0", "100"))];
        /// Share of the profit that is put into later deals, in percent, 0 to 100.
        reinvesting_percentage: Amount [Between("0", "100")];
        /// Least price at which the bot opens deals, in percent, between -95 and 1000.
        min_price_percentage: Amount [Within("-95", "1000")];
        /// Highest price at which the bot opens deals, in percent, between -95 and 1000.
        max_price_percentage: Amount [Within("-95", "1000")];
        /// After how many seconds a deal is closed, at least 60.
        close_deals_timeout: Integer [AtLeast("60")];
        /// Identifier of the account to trade on. It is sent only if it is given: the API reference shows it and gives
        /// no rule.
        account_id: Integer [AtLeast("1"), OnlyIfGiven];
    }
    together [
        take_profit | take_profit_steps => no_take_profit_beside_steps,
        take_profit_steps => steps_cover_the_position,
        strategy_list | pairs => nonstop_needs_one_pair,
        sl_to_breakeven_enabled | take_profit_steps => breakeven_needs_two_steps,
        sl_to_breakeven_data => breakeven_limit_is_known,
        stop_loss_percentage | max_safety_orders | safety_order_step_percentage | martingale_step_coefficient
            => stop_loss_below_last_safety_order,
    ]
    own [
        take_profit | take_profit_steps | close_strategy_list => takes_profit,
        take_profit_steps => steps_take_profit,
        safety_order_volume | max_safety_orders => safety_orders_have_a_volume,
        safety_order_step_percentage | max_safety_orders => safety_orders_have_a_distance,
        stop_loss_percentage => stop_loss_above_a_price_of_0,
        trailing_enabled | trailing_deviation => trailing_has_a_deviation,
    ]
    settle no_take_profit_where_steps_are_used
}

/// What the amounts of the targets add up to, in percent.
const WHOLE_POSITION: u32 = 100;

/// How many targets a bot may have.
const MOST_STEPS: usize = 4;

/// A bot whose profit is taken in steps answers null for its take profit; an edit needs the number.
fn no_take_profit_where_steps_are_used(draft: &mut Draft) {
    let take_profit = DcaBotEdit::take_profit as usize;
    if draft.is_absent(take_profit) && !draft.elements(DcaBotEdit::take_profit_steps as usize).is_empty() {
        draft.settle(take_profit, Value::from("0"));
    }
}

fn no_take_profit_beside_steps(draft: &Draft) -> Option<Violation> {
    let steps = draft.elements(DcaBotEdit::take_profit_steps as usize).len();
    let take_profit = draft.number(DcaBotEdit::take_profit as usize).unwrap_or_default();
    (steps > 1 && !take_profit.is_zero()).then(|| {
        DcaBotEdit::take_profit.violation(format!(
            "must be 0 where several take_profit_steps are given, and there are {steps}; pass take_profit=0 to use \
                 the steps, or take_profit_steps=[] to take all profit at {} %",
            decimal::shown(&take_profit)
        ))
    })
}

fn steps_cover_the_position(draft: &Draft) -> Option<Violation> {
    let steps = draft.elements(DcaBotEdit::take_profit_steps as usize);
    let amounts = steps.iter().filter_map(|step| decimal::of(step.get("amount_percentage")?));
    let amounts: Vec<BigDecimal> = amounts.collect();
    let covered: BigDecimal = amounts.iter().sum();
    let message = if steps.len() > MOST_STEPS {
        format!("at most {MOST_STEPS} targets are possible, not {}", steps.len())
    } else if let Some(amount) = amounts.iter().find(|amount| **amount <= BigDecimal::zero()) {
        format!("each amount must be more than 0 %, not {} %", decimal::shown(amount))
    } else if !steps.is_empty() && covered != WHOLE_POSITION {
        format!("the amounts must add up to {WHOLE_POSITION} %, not {} %", decimal::shown(&covered))
    } else {
        return None;
    };
    Some(DcaBotEdit::take_profit_steps.violation(message))
}

fn nonstop_needs_one_pair(draft: &Draft) -> Option<Violation> {
    let strategies = draft.elements(DcaBotEdit::strategy_list as usize);
    let is_nonstop = strategies.iter().any(|strategy| strategy.get("strategy").is_some_and(|code| code == "nonstop"));
    let pairs = draft.elements(DcaBotEdit::pairs as usize).len();
    (is_nonstop && pairs > 1).then(|| {
        DcaBotEdit::strategy_list.violation(format!("nonstop is only for a bot with one pair, and there are {pairs}"))
    })
}

fn breakeven_needs_two_steps(draft: &Draft) -> Option<Violation> {
    let steps = draft.elements(DcaBotEdit::take_profit_steps as usize).len();
    (draft.is_true(DcaBotEdit::sl_to_breakeven_enabled as usize) && steps < 2).then(|| {
        DcaBotEdit::sl_to_breakeven_enabled
            .violation(format!("needs at least two take_profit_steps; there are {steps}"))
    })
}

fn breakeven_limit_is_known(draft: &Draft) -> Option<Violation> {
    let limit = draft.value(DcaBotEdit::sl_to_breakeven_data as usize)?.get("upper_breakeven_limit");
    let known = limit.and_then(Value::as_u64).is_some_and(|limit| limit <= 2);
    (!known).then(|| {
        DcaBotEdit::sl_to_breakeven_data.violation(
            "needs upper_breakeven_limit: 0 (the base order's price), 1 (the first target) or 2 (the second)",
        )
    })
}

/// Below is meant in price, so the percentage must be the larger one.
pub fn stop_loss_below_last_safety_order(draft: &Draft) -> Option<Violation> {
    let stop_loss = draft.number(DcaBotEdit::stop_loss_percentage as usize).filter(|percent| !percent.is_zero())?;
    stop_loss_not_below(&stop_loss, &last_deviation(draft)?)
}

/// Returns the violation by a stop loss that is not below the last safety order, which lies so far away.
pub fn stop_loss_not_below(stop_loss: &BigDecimal, last: &BigDecimal) -> Option<Violation> {
    (stop_loss <= last).then(|| {
        DcaBotEdit::stop_loss_percentage.violation(format!(
            "must be below the last safety order, so more than {} %, not {} %",
            decimal::shown(&decimal::rounded_up(last)),
            decimal::shown(stop_loss)
        ))
    })
}

/// Returns if the edit results in several pairs, which make the bot a multi-pair bot.
fn sets_several_pairs(draft: &Draft) -> bool {
    draft.elements(DcaBotEdit::pairs as usize).len() > 1
}

/// A bot takes profit at a percentage, at steps, or when a strategy closes its deals.
fn takes_profit(draft: &Draft) -> Option<Violation> {
    let others = [DcaBotEdit::take_profit_steps, DcaBotEdit::close_strategy_list];
    let has_another = others.into_iter().any(|input| !draft.elements(input as usize).is_empty());
    (!has_another && is_zero(draft, DcaBotEdit::take_profit)).then(|| {
        DcaBotEdit::take_profit
            .violation("must be greater than 0 if there are neither take_profit_steps nor a close_strategy_list")
    })
}

fn steps_take_profit(draft: &Draft) -> Option<Violation> {
    let steps = draft.elements(DcaBotEdit::take_profit_steps as usize).iter();
    let mut profits = steps.filter_map(|step| decimal::of(step.get("profit_percentage")?));
    let profit = profits.find(|profit| *profit <= BigDecimal::zero())?;
    let shown = decimal::shown(&profit);
    Some(DcaBotEdit::take_profit_steps.violation(format!("each profit must be more than 0 %, not {shown} %")))
}

fn safety_orders_have_a_volume(draft: &Draft) -> Option<Violation> {
    above_zero_with_safety_orders(draft, DcaBotEdit::safety_order_volume)
}

fn safety_orders_have_a_distance(draft: &Draft) -> Option<Violation> {
    above_zero_with_safety_orders(draft, DcaBotEdit::safety_order_step_percentage)
}

fn above_zero_with_safety_orders(draft: &Draft, input: DcaBotEdit) -> Option<Violation> {
    let orders = draft.number(DcaBotEdit::max_safety_orders as usize).filter(|orders| *orders > BigDecimal::zero())?;
    if has_own_safety_steps(draft) {
        return None;
    }
    let shown = decimal::shown(&orders);
    is_zero(draft, input)
        .then(|| input.violation(format!("must be greater than 0 if max_safety_orders is {shown}, not 0")))
}

/// Short bots lose at rising prices, which have no end; a price never falls by 100 %.
fn stop_loss_above_a_price_of_0(draft: &Draft) -> Option<Violation> {
    let is_long = draft.held("strategy").and_then(Json::string).is_some_and(|strategy| strategy == "long");
    let stop_loss = draft.number(DcaBotEdit::stop_loss_percentage as usize);
    let stop_loss = stop_loss.filter(|percent| is_long && *percent >= decimal::constant("100"))?;
    let shown = decimal::shown(&stop_loss);
    Some(DcaBotEdit::stop_loss_percentage.violation(format!("must be lower than 100 for a long bot, not {shown}")))
}

fn trailing_has_a_deviation(draft: &Draft) -> Option<Violation> {
    let is_on = draft.is_true(DcaBotEdit::trailing_enabled as usize);
    (is_on && is_zero(draft, DcaBotEdit::trailing_deviation))
        .then(|| DcaBotEdit::trailing_deviation.violation("must be greater than 0 if trailing_enabled is true, not 0"))
}

fn is_zero(draft: &Draft, input: DcaBotEdit) -> bool {
    draft.number(input as usize).is_some_and(|number| number.is_zero())
}

/// Whether the bot that the draft changes has safety steps of its own, of which the document gives no form.
pub fn has_own_safety_steps(draft: &Draft) -> bool {
    let steps = draft.held("custom_safety_steps");
    steps.is_some_and(|steps| !steps.is_null() && steps.elements().is_none_or(|steps| !steps.is_empty()))
}

/// Returns how far the last safety order of the draft is from the base order, in percent; None if that can't be calculated.
pub fn last_deviation(draft: &Draft) -> Option<BigDecimal> {
    let orders = draft.number(DcaBotEdit::max_safety_orders as usize)?.to_u32()?;
    // Past the most, the number of orders is a violation of its own, and the ladder is not worth calculating.
    if has_own_safety_steps(draft)
        || orders == 0
        || DcaBotEdit::max_safety_orders.most().is_none_or(|most| u64::from(orders) > most)
    {
        return None;
    }
    let step = draft.number(DcaBotEdit::safety_order_step_percentage as usize)?;
    let coefficient = draft.number(DcaBotEdit::martingale_step_coefficient as usize)?;
    Some(ladder::deviation(orders, &step, &coefficient))
}

/// List DCA bots.
pub const LIST: Endpoint = Endpoint {
    operation: "dca_bots.list",
    section: "Get the list of DCA Bots",
    method: Method::Get,
    path: "/ver1/bots",
    permission: Permission::BotsRead,
    takes: Takes::Query(DcaBotList::INPUTS),
    success: 200,
    answers: <List<DcaBot> as Kind>::SCHEMA,
    errors: &[],
};

/// Get a DCA bot.
pub const GET: Endpoint = Endpoint {
    operation: "dca_bots.get",
    section: "Get DCA Bot",
    method: Method::Get,
    path: "/ver1/bots/{id}/show",
    permission: Permission::BotsRead,
    takes: Takes::Query(DcaBotShow::INPUTS),
    success: 200,
    answers: <DcaBot as Kind>::SCHEMA,
    errors: &[404],
};

/// Edit a DCA bot.
pub const EDIT: Endpoint = Endpoint {
    operation: "dca_bots.edit",
    section: "Edit DCA Bot",
    method: Method::Patch,
    path: "/ver1/bots/{id}/update",
    permission: Permission::BotsWrite,
    takes: Takes::Json(DcaBotEdit::INPUTS),
    success: 200,
    answers: <DcaBot as Kind>::SCHEMA,
    errors: &[400],
};

/// Disable a DCA bot.
pub const DISABLE: Endpoint = Endpoint {
    operation: "dca_bots.disable",
    section: "Disable DCA Bot",
    method: Method::Post,
    path: "/ver1/bots/{id}/disable",
    permission: Permission::BotsWrite,
    takes: Takes::Nothing,
    success: 201,
    answers: <DcaBot as Kind>::SCHEMA,
    errors: &[403],
};

/// Cancel all deals of a DCA bot.
pub const CANCEL_ALL_DEALS: Endpoint = Endpoint {
    operation: "dca_bots.cancel_all_deals",
    section: "Cancel all deals of DCA Bot",
    method: Method::Post,
    path: "/ver1/bots/{id}/cancel_all_deals",
    permission: Permission::BotsWrite,
    takes: Takes::Nothing,
    success: 200,
    answers: <DcaBot as Kind>::SCHEMA,
    errors: &[],
};

/// What this file writes down of the document.
pub const PART: Part = Part {
    file: file!(),
    records: &[Shape::of::<DcaBot>()],
    operations: &[LIST, GET, EDIT, DISABLE, CANCEL_ALL_DEALS],
};
