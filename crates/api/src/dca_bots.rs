//! DCA bots: their fields, what an edit takes, and their operations.

use std::collections::BTreeSet;

use bigdecimal::{BigDecimal, ToPrimitive, Zero};
use serde_json::Value;

use super::bot_statistics::{BotStats, DailyProfit, DealsStats, StatsByDate};
pub use super::choices::{
    Direction, LeverageChoice, MinProfitType, OrderDirection, ProfitCurrency, StopLossType, TakeProfitType, VolumeType,
};
use super::deals::Deal;
use super::safety_step::SafetyStep;
use super::strategy::{Strategy, StrategyDescription};
use super::take_profit_step::TakeProfitStep;
use super::trade_rules::{
    breakeven_limit_is_known, breakeven_needs_two_steps, no_take_profit_beside_steps, safety_steps_are_in_range,
    safety_steps_have_a_size, safety_steps_lead_away, steps_cover_the_position, steps_take_profit,
    stop_loss_above_a_price_of_0,
};
pub use super::trade_rules::{safety_steps_fit_the_number_of_orders, safety_steps_not_away, step_numbers};
use botdesk_schema::choices;
use botdesk_schema::decimal;
use botdesk_schema::error::ApiErrorKind::{Forbidden, NotFound, RecordInvalid, SignatureInvalid};
use botdesk_schema::input::Rule::{
    Above, AtLeast, Below, Between, CarriedOnlyWith, Characters, ClientDefault, ExclusiveRange, NeverReturned,
    NotCarriedIf, OnlyIf, OnlyIfGiven, Own, Required, RequiredIfTrue, RequiredUnless, ServiceDefault,
};
use botdesk_schema::input::{InputName, IsoTime, ListOf, Pairs, RequestBuilder, Time, Violation};
use botdesk_schema::inputs;
use botdesk_schema::operation::{ArgumentStyle, get, patch, post, trace};
use botdesk_schema::pair;
use botdesk_schema::permission::Permission::{BotsRead, BotsWrite};
use botdesk_schema::record;
use botdesk_schema::refusal::{RefusalBody, refusal};
use botdesk_schema::resource::Resource;
use botdesk_schema::values::{Any, Bool, Decimal, Integer, List, Map, Nothing, Object, OneOf, Text, Timestamp};
use botdesk_schema::watched::{Nested, Watched};
use botdesk_trading::ladder;

choices! {
    /// Number of pairs that a bot trades.
    BotType = "Bot::SingleBot" | "Bot::MultiBot";
    /// Leverage types in responses.
    LeverageType = "not_specified" | "cross" | "isolated";
    /// Order type of the base order.
    StartOrderType = "limit" | "market";
    /// Filter of a list of bots. Some servers expect `enabled` in place of `enable`.
    Scope = "enable" | "disabled" | "null" | "enabled";
    /// Sort key of a list.
    SortBy = "created_at" | "updated_at" | "profit";
    /// Kind of the lists in which a strategy can be used: of one strategy, or of several.
    StrategyUse = "simple" | "composite";
}

record! {
    /// A DCA bot (dollar-cost averaging): a base order opens a deal, and safety orders add to it.
    DcaBot {
        /// Identifier of the bot.
        id: Integer, identifier, in_repr;
        /// Identifier of the account that the bot trades on.
        account_id: Integer;
        /// Name of the account that the bot trades on.
        account_name: Text, volatile;
        /// True if the bot opens new deals.
        is_enabled: Bool, volatile, in_repr;
        /// Name of the bot.
        name: Text, in_repr, sample("DCA bot");
        /// Type of the bot: one pair or several pairs.
        r#type: OneOf<BotType>;
        /// Direction of the bot's deals.
        strategy: OneOf<Direction>, in_repr;
        /// The pairs, each as `<QUOTE>_<BASE>`.
        pairs: List<Text>, in_repr, sample(["USDT_BTC"]);
        /// Most safety orders that a deal may place.
        max_safety_orders: Integer, sample(3);
        /// Safety orders of a deal that may be on the exchange at once.
        active_safety_orders_count: Integer, sample(1);
        /// Most deals that may be open at once.
        max_active_deals: Integer, sample(1);
        /// Deals that are open now.
        active_deals_count: Integer, volatile, in_repr;
        /// True if the bot can be deleted.
        deletable: Bool = "deletable?", volatile, sample(true);
        /// Time when the bot was created.
        created_at: Timestamp;
        /// Time when the bot last changed.
        updated_at: Timestamp, volatile;
        /// Strategies that open deals.
        strategy_list: List<Strategy>, sample([{"strategy": "nonstop", "options": {}}]);
        /// Strategies that close deals.
        close_strategy_list: List<Strategy>;
        /// Strategies that place safety orders.
        safety_strategy_list: List<Strategy>;
        /// True if the take profit trails the price.
        trailing_enabled: Bool, nullable;
        /// Trailing distance of the take profit, in percent.
        trailing_deviation: Decimal, sample("0.2");
        /// True if the stop loss trails the price.
        tsl_enabled: Bool;
        /// Delay between a signal and the deal, in seconds.
        deal_start_delay_seconds: Integer, sample(null);
        /// Number of deals after which the bot disables itself.
        disable_after_deals_count: Integer, sample(null);
        /// Deals counted towards `disable_after_deals_count`.
        deals_counter: Integer, volatile, sample(null);
        /// Deals that may be open on one pair at once; multi-pair bots only.
        allowed_deals_on_same_pair: Integer, sample(null);
        /// Time after which a deal is closed, in seconds.
        close_deals_timeout: Integer, sample(null);
        /// True if the stop loss waits before it closes a deal.
        stop_loss_timeout_enabled: Bool;
        /// Delay of the stop loss, in seconds.
        stop_loss_timeout_in_seconds: Integer;
        /// True if the service can show the bot in its simple form.
        easy_form_supported: Bool, volatile;
        /// Secret of the bot; never shown.
        url_secret: Text;
        /// Take-profit targets, if the bot has several.
        take_profit_steps: List<TakeProfitStep>;
        /// Take profit in percent; None if the bot has take-profit steps.
        take_profit: Decimal, in_repr, nullable, sample("1.0");
        /// Least profit, in percent, at which a signal may close a deal.
        min_profit_percentage: Decimal, sample(null);
        /// Volume of the base order.
        base_order_volume: Decimal, sample("80.0");
        /// Volume of the first safety order.
        safety_order_volume: Decimal, sample("30.0");
        /// Distance of the first safety order from the base order's price, in percent.
        safety_order_step_percentage: Decimal, sample("1.0");
        /// Base of the take-profit percentage.
        take_profit_type: OneOf<TakeProfitType>, sample("total");
        /// Base of the minimum-profit percentage.
        min_profit_type: OneOf<MinProfitType>, sample(null);
        /// Ratio of each safety order's size to the size before.
        martingale_volume_coefficient: Decimal, sample("1.7");
        /// Ratio of each step down to the step before.
        martingale_step_coefficient: Decimal, sample("2.0");
        /// Safety orders of their own distances and sizes, which replace the steps and coefficients.
        custom_safety_steps: List<SafetyStep>, sample(null);
        /// Stop loss in percent; `0` means none.
        stop_loss_percentage: Decimal;
        /// Pause between deals, in seconds.
        cooldown: Decimal, sample("0");
        /// Price of BTC past which the bot opens no deal.
        btc_price_limit: Decimal;
        /// Least trading volume of a pair in 24 hours, in BTC.
        min_volume_btc_24h: Decimal;
        /// Currency that the profit is taken in.
        profit_currency: OneOf<ProfitCurrency>;
        /// Lowest price at which the bot opens deals.
        min_price: Any, decimal;
        /// Highest price at which the bot opens deals.
        max_price: Any, decimal;
        /// Lowest price at which the bot opens deals, in percent.
        min_price_percentage: Any, decimal;
        /// Highest price at which the bot opens deals, in percent.
        max_price_percentage: Any, decimal;
        /// Action at the stop loss.
        stop_loss_type: OneOf<StopLossType>;
        /// Unit of the safety orders' volume.
        safety_order_volume_type: OneOf<VolumeType>;
        /// Unit of the base order's volume.
        base_order_volume_type: OneOf<VolumeType>;
        /// Profit of all finished deals, in USD.
        finished_deals_profit_usd: Decimal, volatile, in_repr;
        /// Number of finished deals.
        finished_deals_count: Integer, volatile, sample("0");
        /// Leverage type; `not_specified` outside of futures.
        leverage_type: OneOf<LeverageType>;
        /// Leverage, if it is custom.
        leverage_custom_value: Decimal, sample(null);
        /// Order type of the base order.
        start_order_type: OneOf<StartOrderType>;
        /// Profit of the open deals at current prices, in USD.
        active_deals_usd_profit: Decimal, volatile;
        /// Share of the profit that is put into later deals, in percent.
        reinvesting_percentage: Decimal, sample(null);
        /// Percentage by which losses reduce later deals.
        risk_reduction_percentage: Decimal, sample(null);
        /// Profit that was put into later deals, in USD.
        reinvested_volume_usd: Any, decimal, volatile;
        /// The open deals; absent from records of a list.
        active_deals: List<Deal>, volatile, unlisted;
    }
}

record! {
    /// The pairs on which no DCA bot of the user opens deals.
    Blacklist {
        /// The pairs, each as `<QUOTE>_<BASE>`.
        pairs: List<Text>, in_repr;
    }
}

record! {
    /// The bot that a copy made.
    CopyResult {
        /// Identifier of the new bot.
        bot_id: Integer, in_repr, sample(1);
        /// Least amount of the quote currency with which the bot can run.
        bot_required_amount: Decimal, in_repr, sample(0);
    }
}

inputs! {
    /// The inputs of a copy of a bot.
    DcaBotCopy of "a copy of a DCA bot" {
        /// Name of the new bot.
        name: Text [Required];
        /// Secret of the bot to copy: its `url_secret`.
        secret: Text [Required];
        /// Amount of the quote currency for the new bot.
        amount: Decimal [Required, Own(&Above("0"))];
    }
}

inputs! {
    /// The pairs to add to the blacklist.
    BlacklistAddition of "an addition to the blacklist" {
        /// The pair as `<QUOTE>_<BASE>`, or a list of pairs.
        pairs: Pairs [Required];
    }
}

inputs! {
    /// The inputs of a new deal of a bot.
    DealStart of "the start of a deal" {
        /// The pair as `<QUOTE>_<BASE>`; may be left out for a bot with one pair.
        pair: Text;
        /// True to ignore the bot's start conditions.
        skip_signal_checks: Bool [ServiceDefault("false")];
        /// True to allow another deal on a pair that has one; only for a bot with several pairs.
        skip_open_deals_checks: Bool [ServiceDefault("false")];
        /// True to refuse if the bot is disabled; botdesk sends it unless it is given. With false, the service *enables* a
        /// disabled bot.
        only_for_enabled: Bool [ServiceDefault("false"), ClientDefault("true")];
    }
    own [pair => pair_is_written_as_quote_and_base]
}

inputs! {
    /// The filters of a list of strategies.
    StrategyQuery of "the query for strategies" {
        /// Only strategies that this account may use.
        account_id: Integer [AtLeast("1")];
        /// Only strategies for bots of this direction.
        r#type: OneOf<Direction>;
        /// Only strategies that can be used alone (`simple`), or only those that can be combined (`composite`).
        strategy: OneOf<StrategyUse>;
    }
}

inputs! {
    /// The number of days of a bot's daily profits.
    DailyProfitQuery of "the query for daily profits" {
        /// Number of days back from now; the service's default is 30.
        days: Integer [AtLeast("1"), ServiceDefault("30")];
    }
}

inputs! {
    /// The bots of statistics.
    StatsQuery of "the query for statistics" {
        /// Only bots of this account.
        account_id: Integer [AtLeast("1")];
        /// Only this bot.
        bot_id: Integer [AtLeast("1")];
    }
}

inputs! {
    /// The day and the bots of statistics.
    StatsByDateQuery of "the query for statistics" {
        /// First moment of the day, which ends 24 hours later: ISO 8601, a datetime with a timezone, or a date (00:00 UTC).
        date: IsoTime [Required];
        use StatsQuery;
    }
}

inputs! {
    /// The filters, the order and the page of a list.
    DcaBotList of "a list of DCA bots" {
        /// Most records to return at once, 1 to 100; the service's default is 50.
        limit: Integer [Between("1", "100"), ServiceDefault("50")];
        /// Number of records to skip.
        offset: Integer [AtLeast("0")];
        /// Only bots created after this time: seconds since 1970, ISO 8601, a datetime with a timezone, or a date (00:00 UTC).
        from_: Time = "from";
        /// Only bots of this account.
        account_id: Integer [AtLeast("1")];
        /// Only bots that are on (`enable`), only those that are off (`disabled`), or all (`null`).
        scope: OneOf<Scope>;
        /// Only bots of this direction.
        strategy: OneOf<Direction>;
        /// Sort key; the service's default is `created_at`.
        sort_by: OneOf<SortBy>;
        /// Sort order; the service's default is `DESC`.
        order_direction: OneOf<OrderDirection>;
        /// Only bots of pairs with this quote currency.
        quote: Text;
    }
}

inputs! {
    /// The options of a request for one bot.
    DcaBotShow of "the query for a DCA bot" {
        /// True to return the bot's events as well.
        include_events: Bool;
    }
}

inputs! {
    /// The settings of a DCA bot, which an edit and a new bot have in common.
    DcaBotInputs of "a DCA bot", decimals as String {
        /// The pair as `<QUOTE>_<BASE>`, or a list of pairs.
        pairs: Pairs [Required];
        /// Most deals that may be open at once, 1 to 199; at most the number of pairs × `allowed_deals_on_same_pair`.
        max_active_deals: Integer [Between("1", "199"), ServiceDefault("1")];
        /// Unit of the base order's volume.
        base_order_volume_type: OneOf<VolumeType>;
        /// Volume of the base order.
        base_order_volume: Decimal [Required, Own(&Above("0"))];
        /// Take profit in percent; 0 if several steps are given.
        take_profit: Decimal [RequiredUnless(Self::take_profit_steps), Own(&AtLeast("0"))];
        /// Take-profit targets, at most 4, whose amounts add up to 100 %.
        take_profit_steps: ListOf<TakeProfitStep>;
        /// Volume of the first safety order.
        safety_order_volume: Decimal [Required, Own(&AtLeast("0"))];
        /// Unit of the safety orders' volume.
        safety_order_volume_type: OneOf<VolumeType>;
        /// Ratio of each safety order's size to the size before, 0.1 to 10.
        martingale_volume_coefficient: Decimal [Required, Between("0.1", "10")];
        /// Ratio of each step down to the step before, 0.1 to 10.
        martingale_step_coefficient: Decimal [Required, Between("0.1", "10")];
        /// Most safety orders that a deal may place, 0 to 200.
        max_safety_orders: Integer [Required, Between("0", "200")];
        /// Safety orders of a deal that may be on the exchange at once.
        active_safety_orders_count: Integer [Required, Own(&AtLeast("0"))];
        /// Safety orders of their own distances and sizes, such as `[{"deviation": "-1.1", "size": 10}]`, which replace the
        /// steps and coefficients: deviations in percent of the base order's price, sizes in `safety_order_volume_type`.
        custom_safety_steps: ListOf<SafetyStep>;
        /// Stop loss in percent, further away than the last safety order; 0 for none.
        stop_loss_percentage: Decimal [Own(&AtLeast("0"))];
        /// True if the stop loss moves to break even as targets are reached; needs at least two steps.
        sl_to_breakeven_enabled: Bool [ServiceDefault("false"), NeverReturned];
        /// Target to which the stop loss moves: `{"upper_breakeven_limit": 0}` for the base order's price, 1 for the first
        /// target, 2 for the second.
        sl_to_breakeven_data: Object [NeverReturned];
        /// Pause between deals in seconds, 0 to 2 592 000.
        cooldown: Decimal [Between("0", "2592000")];
        /// True if the take profit trails the price.
        trailing_enabled: Bool;
        /// Trailing distance of the take profit, in percent.
        trailing_deviation: Decimal [RequiredIfTrue(Self::trailing_enabled), Own(&AtLeast("0")), Own(&Below("100"))];
        /// Distance of the first safety order from the base order's price, in percent.
        safety_order_step_percentage: Decimal [Required, Own(&AtLeast("0"))];
        /// Base of the take-profit percentage.
        take_profit_type: OneOf<TakeProfitType> [Required];
        /// Strategies that open deals.
        strategy_list: ListOf<Strategy> [Required];
        /// Leverage type.
        leverage_type: OneOf<LeverageChoice> [NotCarriedIf("not_specified")];
        /// Leverage, if it is custom.
        leverage_custom_value: Decimal [CarriedOnlyWith(Self::leverage_type), Own(&Above("0"))];
        /// True if the stop loss waits before it closes a deal.
        stop_loss_timeout_enabled: Bool [ServiceDefault("false")];
        /// Delay of the stop loss, in seconds.
        stop_loss_timeout_in_seconds: Integer [RequiredIfTrue(Self::stop_loss_timeout_enabled), Own(&AtLeast("0"))];
        /// True if the stop loss trails the price.
        tsl_enabled: Bool;
        /// Least trading volume of a pair in 24 hours, in BTC.
        min_volume_btc_24h: Decimal [Own(&AtLeast("0"))];
        /// Delay between a signal and the deal, in seconds.
        deal_start_delay_seconds: Integer [Own(&AtLeast("0"))];
        /// Currency that the profit is taken in.
        profit_currency: OneOf<ProfitCurrency>;
        /// Order type of the base order.
        start_order_type: OneOf<StartOrderType>;
        /// Action at the stop loss.
        stop_loss_type: OneOf<StopLossType>;
        /// Number of deals after which the bot disables itself.
        disable_after_deals_count: Integer [Own(&AtLeast("0"))];
        /// Deals that may be open on one pair at once; multi-pair bots only.
        allowed_deals_on_same_pair: Integer [OnlyIf("type", "Bot::MultiBot", sets_several_pairs), Own(&AtLeast("1"))];
        /// Least profit, in percent, at which a signal may close a deal.
        min_profit_percentage: Decimal;
        /// Base of the minimum-profit percentage.
        min_profit_type: OneOf<MinProfitType>;
        /// Strategies that close deals.
        close_strategy_list: ListOf<Strategy>;
        /// Percentage by which losses reduce later deals.
        risk_reduction_percentage: Decimal [Own(&Between("0", "100"))];
        /// Share of the profit that is put into later deals, in percent, 0 to 100.
        reinvesting_percentage: Decimal [Between("0", "100")];
        /// Lowest price at which the bot opens deals, in percent, between -95 and 1000.
        min_price_percentage: Decimal [ExclusiveRange("-95", "1000")];
        /// Highest price at which the bot opens deals, in percent, between -95 and 1000.
        max_price_percentage: Decimal [ExclusiveRange("-95", "1000")];
        /// Time after which a deal is closed, in seconds, at least 60.
        close_deals_timeout: Integer [AtLeast("60")];
    }
    together [
        take_profit | take_profit_steps => no_take_profit_beside_steps,
        take_profit_steps => steps_cover_the_position,
        pairs => pairs_have_one_quote,
        strategy_list | pairs => nonstop_needs_one_pair,
        sl_to_breakeven_enabled | take_profit_steps => breakeven_needs_two_steps,
        sl_to_breakeven_data => breakeven_limit_is_known,
        custom_safety_steps => safety_steps_are_in_range,
        stop_loss_percentage | max_safety_orders | safety_order_step_percentage | martingale_step_coefficient | custom_safety_steps => stop_loss_below_last_safety_order,
    ]
    own [
        take_profit | take_profit_steps | close_strategy_list => takes_profit,
        take_profit_steps => steps_take_profit,
        max_active_deals | pairs | allowed_deals_on_same_pair => deals_fit_the_pairs,
        safety_order_volume | max_safety_orders | custom_safety_steps => safety_orders_have_a_volume,
        safety_order_step_percentage | max_safety_orders | custom_safety_steps => safety_orders_have_a_distance,
        custom_safety_steps | max_safety_orders => safety_steps_fit_the_number_of_orders,
        custom_safety_steps => safety_steps_lead_away,
        custom_safety_steps => safety_steps_have_a_size,
        stop_loss_percentage => stop_loss_above_a_price_of_0,
        trailing_enabled | trailing_deviation => trailing_has_a_deviation,
    ]
    set_derived zero_take_profit_beside_steps
}

inputs! {
    /// The inputs of a DCA bot edit.
    DcaBotEdit of "a DCA bot", decimals as String {
        /// Name of the bot.
        name: Text [Required];
        use DcaBotInputs;
        /// Identifier of the account to trade on. It is sent only if it is given: the API reference lists it without a rule.
        account_id: Integer [AtLeast("1"), OnlyIfGiven];
    }
    create_only ["strategy", "safety_strategy_list", "min_price", "max_price"]
}

inputs! {
    /// The inputs of a new DCA bot.
    DcaBotCreate of "a new DCA bot", decimals as String {
        /// Name of the bot, 1 to 200 characters.
        name: Text [Required, Characters(1, 200)];
        /// Identifier of the account to trade on.
        account_id: Integer [Required, AtLeast("1")];
        use DcaBotInputs;
        /// Direction of the bot's deals; the service's default is `long`. It can't be changed later.
        strategy: OneOf<Direction> [ServiceDefault("\"long\"")];
        /// Strategies that place safety orders.
        safety_strategy_list: ListOf<Strategy>;
        /// Lowest price at which the bot opens deals. It can't be changed later.
        min_price: Decimal [Own(&AtLeast("0"))];
        /// Highest price at which the bot opens deals. It can't be changed later.
        max_price: Decimal [Own(&AtLeast("0"))];
    }
    own [min_price | max_price => prices_leave_a_range]
}

fn prices_leave_a_range(request: &RequestBuilder) -> Option<Violation> {
    let [least, most] = [request.number(DcaBotCreate::min_price)?, request.number(DcaBotCreate::max_price)?];
    (least >= most).then(|| {
        let (least, most) = (decimal::shown(&least), decimal::shown(&most));
        DcaBotCreate::max_price.violation(format!("must be greater than min_price, {least}, not {most}"))
    })
}

fn pair_is_written_as_quote_and_base(request: &RequestBuilder) -> Option<Violation> {
    let pair = request.value(DealStart::pair)?.as_str()?;
    pair::problem(pair).map(|message| DealStart::pair.violation(message))
}

/// Sets the take profit of a bot with take-profit steps. The service returns null for it, but an edit requires the number.
fn zero_take_profit_beside_steps(request: &mut RequestBuilder) {
    let take_profit = DcaBotInputs::take_profit;
    if request.is_absent(take_profit) && !request.elements(DcaBotInputs::take_profit_steps).is_empty() {
        request.set_derived(take_profit, Value::from("0"));
    }
}

fn pairs_have_one_quote(request: &RequestBuilder) -> Option<Violation> {
    let pairs = request.elements(DcaBotInputs::pairs);
    pair::several_quotes(pairs.iter().filter_map(Value::as_str)).map(|message| DcaBotInputs::pairs.violation(message))
}

fn nonstop_needs_one_pair(request: &RequestBuilder) -> Option<Violation> {
    let strategies = request.elements(DcaBotInputs::strategy_list);
    let is_nonstop = strategies.iter().any(|strategy| strategy.get("strategy").is_some_and(|code| code == "nonstop"));
    let pairs = request.elements(DcaBotInputs::pairs).len();
    (is_nonstop && pairs > 1).then(|| {
        DcaBotInputs::strategy_list.violation(format!("nonstop is only for a bot with one pair, and there are {pairs}"))
    })
}

/// The stop loss is compared by price, so its percentage must be the larger one.
pub fn stop_loss_below_last_safety_order(request: &RequestBuilder) -> Option<Violation> {
    let stop_loss = request.number(DcaBotInputs::stop_loss_percentage).filter(|percent| !percent.is_zero())?;
    stop_loss_not_below(&stop_loss, &last_deviation(request)?)
}

/// Returns the violation by a stop loss that is not below the last safety order, which is `last` percent away.
pub fn stop_loss_not_below(stop_loss: &BigDecimal, last: &BigDecimal) -> Option<Violation> {
    (stop_loss <= last).then(|| {
        DcaBotInputs::stop_loss_percentage.violation(format!(
            "must be below the last safety order, so more than {} %, not {} %",
            decimal::shown(&decimal::rounded_up(last)),
            decimal::shown(stop_loss)
        ))
    })
}

/// Returns true if the edit results in several pairs, which make the bot a multi-pair bot.
fn sets_several_pairs(request: &RequestBuilder) -> bool {
    request.elements(DcaBotInputs::pairs).len() > 1
}

/// Returns a violation unless the bot takes profit at a percentage, at steps, or when a strategy closes its deals.
fn takes_profit(request: &RequestBuilder) -> Option<Violation> {
    let others = [DcaBotInputs::take_profit_steps, DcaBotInputs::close_strategy_list];
    let has_another = others.into_iter().any(|input| !request.elements(input).is_empty());
    (!has_another && is_zero(request, DcaBotInputs::take_profit)).then(|| {
        DcaBotInputs::take_profit
            .violation("must be greater than 0 if there are neither take_profit_steps nor a close_strategy_list")
    })
}

fn safety_orders_have_a_volume(request: &RequestBuilder) -> Option<Violation> {
    above_zero_with_safety_orders(request, DcaBotInputs::safety_order_volume)
}

fn safety_orders_have_a_distance(request: &RequestBuilder) -> Option<Violation> {
    above_zero_with_safety_orders(request, DcaBotInputs::safety_order_step_percentage)
}

fn above_zero_with_safety_orders(request: &RequestBuilder, input: InputName) -> Option<Violation> {
    let orders = request.number(DcaBotInputs::max_safety_orders).filter(|orders| *orders > BigDecimal::zero())?;
    if has_custom_safety_steps(request) {
        return None;
    }
    let shown = decimal::shown(&orders);
    is_zero(request, input)
        .then(|| input.violation(format!("must be greater than 0 if max_safety_orders is {shown}, not 0")))
}

fn trailing_has_a_deviation(request: &RequestBuilder) -> Option<Violation> {
    let is_on = request.is_true(DcaBotInputs::trailing_enabled);
    (is_on && is_zero(request, DcaBotInputs::trailing_deviation)).then(|| {
        DcaBotInputs::trailing_deviation.violation("must be greater than 0 if trailing_enabled is true, not 0")
    })
}

fn is_zero(request: &RequestBuilder, input: InputName) -> bool {
    request.number(input).is_some_and(|number| number.is_zero())
}

/// Returns true if safety orders have distances and sizes of their own.
pub fn has_custom_safety_steps(request: &RequestBuilder) -> bool {
    !request.elements(DcaBotInputs::custom_safety_steps).is_empty()
}

fn deals_fit_the_pairs(request: &RequestBuilder) -> Option<Violation> {
    let deals = request.number(DcaBotInputs::max_active_deals)?;
    let limit = DealLimit::of(request)?;
    let (most, shown) = (limit.most(), decimal::shown(&deals));
    (deals > most).then(|| {
        DcaBotInputs::max_active_deals.violation(format!("must be less than or equal to {most} ({limit}), not {shown}"))
    })
}

/// The deals that a bot can have open at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DealLimit {
    /// The number of pairs.
    pub pairs: u64,
    /// The number of deals that may be open on one pair.
    pub per_pair: u64,
}

impl DealLimit {
    /// Returns the limit of a request; None if its pairs are not known.
    pub fn of(request: &RequestBuilder) -> Option<Self> {
        let pairs = match request.value(DcaBotInputs::pairs)? {
            Value::Array(pairs) => pairs.iter().filter_map(Value::as_str).collect::<BTreeSet<_>>().len(),
            _ => 1,
        };
        Some(Self::new(pairs, request))
    }

    /// Returns the limit of a request for a number of pairs.
    pub fn new(pairs: usize, request: &RequestBuilder) -> Self {
        let per_pair = request.number(DcaBotInputs::allowed_deals_on_same_pair);
        let per_pair = per_pair.and_then(|number| number.to_u64()).filter(|number| *number > 0);
        Self { pairs: u64::try_from(pairs).unwrap_or(u64::MAX), per_pair: per_pair.unwrap_or(1) }
    }

    /// Returns the most deals that can be open at once.
    pub fn most(self) -> u64 {
        self.pairs.saturating_mul(self.per_pair)
    }
}

impl std::fmt::Display for DealLimit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pairs, per_pair } = self;
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        write!(
            formatter,
            "{pairs} pair{}, {per_pair} deal{} on each by allowed_deals_on_same_pair",
            plural(*pairs),
            plural(*per_pair)
        )
    }
}

/// Returns how far the last safety order of the request is from the base order, in percent; None if that can't be calculated.
pub fn last_deviation(request: &RequestBuilder) -> Option<BigDecimal> {
    let orders = request.number(DcaBotInputs::max_safety_orders)?.to_u32()?;
    // More orders than the limit are a violation already, and such a ladder takes long to calculate.
    if orders == 0
        || DcaBotEdit::INPUTS.most(DcaBotInputs::max_safety_orders).is_none_or(|most| u64::from(orders) > most)
    {
        return None;
    }
    if has_custom_safety_steps(request) {
        let placed = usize::try_from(orders).unwrap_or(usize::MAX);
        return step_numbers(request, "deviation").into_iter().take(placed).map(|deviation| deviation.abs()).max();
    }
    let step = request.number(DcaBotInputs::safety_order_step_percentage)?;
    let coefficient = request.number(DcaBotInputs::martingale_step_coefficient)?;
    Some(ladder::deviation(orders, &step.into(), &coefficient.into()).into())
}

/// The DCA bots.
pub const RESOURCE: Resource = Resource::new("dca_bots", "The DCA bots of an account.")
    .of::<DcaBot>()
    .called("bot", "a DCA bot", "DCA bots")
    .id("bot_id", &["41", "43"])
    .watched(
        &Watched::SETTINGS
            .switched("is_enabled", "scope")
            .with(Nested::of::<Deal>(
                "deal",
                "active_deals",
                "active_deals_count",
                ["deal_opened", "deal_changed", "deal_closed"],
            ))
            .example("client.dca_bots.disable(41)", "disabled")
            .profits(&["finished_deals_profit_usd", "active_deals_usd_profit"]),
    )
    .operations(&[
        get("dca_bots.list", "/ver1/bots")
            .section("Get the list of DCA Bots")
            .says("List one page of DCA bots.", "The bots of the page, without their deals.")
            .query(DcaBotList::INPUTS)
            .style(ArgumentStyle::Named)
            .returns::<List<DcaBot>>()
            .needs(BotsRead)
            .example(&["limit=5", "scope=\"enable\""], &["page = {call}", "len(page)"], "5"),
        get("dca_bots.get", "/ver1/bots/{id}/show")
            .section("Get DCA Bot")
            .says("Get {record} as it is now, with its open deals.", "The bot.")
            .query(DcaBotShow::INPUTS)
            .returns::<DcaBot>()
            .needs(BotsRead)
            .example(&[], &["{call}.id"], "41"),
        post("dca_bots.create", "/ver1/bots/create_bot")
            .section("Create DCA bot")
            .says("Create a DCA bot.", "The new bot, which is disabled.")
            .details(&["The bot does not trade until it is enabled."])
            .json(DcaBotCreate::INPUTS)
            .style(ArgumentStyle::Named)
            .returns::<DcaBot>()
            .created()
            .needs(BotsWrite)
            .unknown_record(RefusalBody::NOT_FOUND)
            .may_have("the bot may have been created; look for one with its name")
            .traces(&[trace("dca_bots.list").asked(&[("sort_by", "created_at"), ("order_direction", "DESC")]).has(&[("name", "{name}")])])
            .refuses(&[
                refusal(400, RecordInvalid, "The service rejected the values of fields."),
                refusal(404, NotFound, "There is no such account."),
            ])
            .example(
                &[
                    "name=\"Slow ETH\"",
                    "account_id=1001",
                    "pairs=\"USDT_ETH\"",
                    "strategy_list=[{\"strategy\": \"nonstop\"}]",
                    "base_order_volume=80",
                    "take_profit=\"1.5\"",
                    "take_profit_type=\"total\"",
                    "safety_order_volume=30",
                    "safety_order_step_percentage=2",
                    "max_safety_orders=3",
                    "active_safety_orders_count=1",
                    "martingale_volume_coefficient=1",
                    "martingale_step_coefficient=1",
                ],
                &["bot = {call}", "(bot.name, bot.is_enabled)"],
                "('Slow ETH', False)",
            ),
        post("dca_bots.copy", "/ver1/bots/{id}/copy_and_create")
            .section("Copy DCA bot")
            .says(
                "Copy {record} into a new bot with the same settings, on the same account.",
                "The identifier of the new bot, and the least amount with which it can run.",
            )
            .details(&["The new bot is disabled; enable it to let it trade."])
            .json(DcaBotCopy::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<CopyResult>()
            .created()
            .needs(BotsWrite)
            .unknown_record(RefusalBody::NOT_FOUND)
            .may_have("the bot may have been copied; look for one with the name of the copy")
            .traces(&[trace("dca_bots.list").asked(&[("sort_by", "created_at"), ("order_direction", "DESC")]).has(&[("name", "{name}")])])
            .refuses(&[
                refusal(400, RecordInvalid, "The service rejected fields, such as the secret."),
                refusal(401, SignatureInvalid, "The service knows another public key or another secret."),
            ])
            .example(
                &["name=\"Copy\"", "secret=client.dca_bots.get(41).url_secret", "amount=200"],
                &["{call}.bot_id > 41"],
                "True",
            ),
        post("dca_bots.enable", "/ver1/bots/{id}/enable")
            .section("Enable DCA bot")
            .says("Enable {record}.", "The bot after the change, with its open deals.")
            .details(&["An enabled bot opens deals as its start conditions say. It trades with real money on a real account."])
            .returns::<DcaBot>()
            .created()
            .needs(BotsWrite)
            .dangerous()
            .unknown_record(RefusalBody::NOT_FOUND)
            .may_have("the bot may have been enabled")
            .many()
            .example(&[], &["{call}.is_enabled"], "True"),
        post("dca_bots.disable", "/ver1/bots/{id}/disable")
            .section("Disable DCA Bot")
            .says("Disable {record}.", "The bot after the change, with its open deals.")
            .details(&["A disabled bot opens no more deals; its open deals stay."])
            .returns::<DcaBot>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .may_have("the bot may have been disabled")
            .refuses(&[refusal(403, Forbidden, "The API key lacks the permission.")])
            .many()
            .example(&[], &["{call}.is_enabled"], "False"),
        post("dca_bots.cancel_all_deals", "/ver1/bots/{id}/cancel_all_deals")
            .section("Cancel all deals of DCA Bot")
            .says(
                "Cancel all open deals of {record}, and disable {it}.",
                "The bot after the change; its deals have the status `cancel_pending`.",
            )
            .returns::<DcaBot>()
            .needs(BotsWrite)
            .dangerous()
            .adds_no_volume()
            .waits("wait_deals_closed")
            .may_have("the deals may have been cancelled")
            .many()
            .irreversible(&["active_deals_count", "active_deals_usd_profit"])
            .example(&[], &["bot = {call}", "{deal.status for deal in bot.active_deals}"], "{'cancel_pending'}"),
        post("dca_bots.close_all_deals", "/ver1/bots/{id}/panic_sell_all_deals")
            .section("Close all deals at market price")
            .says(
                "Close all open deals of {record} at the market price, and disable {it}.",
                "The bot after the change; its deals have the status `panic_sell_pending` until their orders are filled.",
            )
            .returns::<DcaBot>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .unknown_record(RefusalBody::NOT_FOUND)
            .waits("wait_deals_closed")
            .may_have("the deals may have been closed")
            .many()
            .irreversible(&["active_deals_count", "active_deals_usd_profit"])
            .example(&[], &["bot = {call}", "{deal.status for deal in bot.active_deals}"], "{'panic_sell_pending'}"),
        post("dca_bots.delete", "/ver1/bots/{id}/delete")
            .section("Delete DCA bot")
            .says("Delete {record}.", "Nothing.")
            .details(&[
                "A bot with open deals can't be deleted; `deletable` says whether it can. Close or cancel its deals first.",
            ])
            .returns::<Nothing>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .unknown_record(RefusalBody::NOT_FOUND)
            .may_have("the bot may have been deleted")
            .refuses(&[refusal(403, Forbidden, "The bot has open deals, or the API key lacks the permission.")])
            .many()
            .irreversible(&["active_deals_count", "finished_deals_profit_usd"])
            .example_ids(&["48"])
            .example(&[], &["{call} is None"], "True"),
        post("dca_bots.start_deal", "/ver1/bots/{id}/start_new_deal")
            .section("Start a new deal")
            .says("Start a deal of {record} at the market price.", "The new deal, whose base order is placed.")
            .details(&[
                "This operation was removed from the published API reference in 2025; the service may refuse it. It is never sent \
                 again after a lost response: compare the open deals of the bot before and after.",
                "If the bot has an open deal on the pair, the service fails: a `ServerError`, with `OpenDealPresentForThisPair` in its text.",
            ])
            .json(DealStart::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<Deal>()
            .or_newest_of::<DcaBot>("active_deals")
            .created()
            .needs(BotsWrite)
            .dangerous()
            .unknown_record(RefusalBody::NOT_FOUND)
            .refuses(&[refusal(422, RecordInvalid, "The bot is disabled, has enough deals, or can't pay for another one, or the pair is in the blacklist.")])
            .may_have("a deal may have been started; list the open deals of the bot")
            .traces(&[trace("deals.list").asked(&[("bot_id", "{id}"), ("order", "created_at"), ("order_direction", "DESC")])])
            .example_ids(&["42"])
            .example(&["pair=\"USDC_AVAX\""], &["{call}.status"], "'base_order_placed'"),
        patch("dca_bots.edit", "/ver1/bots/{id}/update")
            .section("Edit DCA Bot")
            .says("Edit {record}: change the given fields and keep all others.", "The bot after the change.")
            .edits(DcaBotEdit::INPUTS)
            .returns::<DcaBot>()
            .needs(BotsWrite)
            .may_have("the bot may have been changed")
            .refuses(&[refusal(400, RecordInvalid, "The service rejected the values of fields.")])
            .many()
            .example(&["take_profit=\"2.5\""], &["{call}.take_profit"], "Decimal('2.5')")
            .example_changes("field        old  new\ntake_profit  1.0  2.5")
            .example_of_many(
                "cooldown=60",
                "Preview of dca_bots.edit of 2\n\
                 at http://127.0.0.1:..., key SHA256:..., account ...\n  \
                 DcaBot 41 “Steady ETH long”  cooldown: 0 → 60\n  \
                 DcaBot 43 “Quick XRP short”  cooldown: 300 → 60\n\
                 nothing is sent until apply()",
            ),
        get("dca_bots.strategies", "/ver1/bots/strategy_list")
            .section("Available strategies")
            .says("Get the strategies that bots can use.", "The strategies by their codes.")
            .query(StrategyQuery::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<Map<StrategyDescription>>()
            .needs(BotsRead)
            .example(&[], &["{call}[\"rsi\"].strategy_type"], "'indicator'"),
        get("dca_bots.blacklist", "/ver1/bots/pairs_black_list")
            .section("Get the blacklist")
            .says("Get the pairs on which no DCA bot opens deals.", "The pairs.")
            .returns::<Blacklist>()
            .created()
            .needs(BotsRead)
            .example(&[], &["{call}.pairs"], "[]"),
        post("dca_bots.add_to_blacklist", "/ver1/bots/update_pairs_black_list")
            .section("Add pairs to the blacklist")
            .says(
                "Add pairs to those on which no DCA bot opens deals.",
                "The pairs that the service says it has added or kept.",
            )
            .details(&[
                "The pairs that are on the list already are read first and sent along, because the service might replace the list. \
                 A warning names a pair that the service has not taken. The API can't remove a pair.",
            ])
            .json(BlacklistAddition::INPUTS)
            .adds_to("dca_bots.blacklist")
            .returns::<Blacklist>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .may_have("the pairs may have been added; read the blacklist")
            .example(&["\"USDT_DOGE\""], &["{call}.pairs"], "['USDT_DOGE']"),
        get("dca_bots.profit_by_day", "/ver1/bots/{id}/profit_by_day")
            .section("Profit by day")
            .says(
                "List the profit of {record} on each day.",
                "The days, oldest first. A day on which no deal finished has no row.",
            )
            .query(DailyProfitQuery::INPUTS)
            .returns::<List<DailyProfit>>()
            .within("data")
            .created()
            .needs(BotsRead)
            .unknown_record(RefusalBody::NOT_FOUND)
            .example(&[], &["{call}[0].s_date"], "'2024-03-03'"),
        get("dca_bots.stats", "/ver1/bots/stats")
            .section("Stats")
            .says("Get the profits of all DCA bots, of one, or of those on an account.", "The profits.")
            .query(StatsQuery::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<BotStats>()
            .needs(BotsRead)
            .example(&["bot_id=41"], &["{call}.profits_in_usd.overall_usd_profit > 0"], "True"),
        get("dca_bots.stats_by_date", "/ver1/bots/stats_by_date")
            .section("Stats by date")
            .says("Get the profits of DCA bots on one day.", "The profits.")
            .query(StatsByDateQuery::INPUTS)
            .returns::<StatsByDate>()
            .needs(BotsRead)
            .example(&["\"2024-03-10\"", "bot_id=41"], &["{call}.usd_profit > 0"], "True"),
        get("dca_bots.deals_stats", "/ver1/bots/{id}/deals_stats")
            .section("Deals stats")
            .says("Get the numbers and the profits of the deals of {record}.", "The numbers and the profits.")
            .returns::<DealsStats>()
            .needs(BotsRead)
            .unknown_record(RefusalBody::NOT_FOUND)
            .refuses(&[refusal(400, NotFound, "There is no such bot.")])
            .example(&[], &["{call}.active"], "1"),
    ]);

#[cfg(test)]
mod tests;
