//! Deals of a DCA bot.

use super::choices::{
    Direction, MinProfitType, OrderDirection, ProfitCurrency, StopLossType, TakeProfitType, VolumeType,
};
use super::deal_orders::{FundsData, Order};
use super::deal_parts::{BuyStep, Chart, DealEvent, DealStep, DealSteps};
use super::safety_step::{DealSafetySteps, SafetyStep};
use super::smart_trades::SmartTrade;
use super::strategy::Strategy;
use super::time_span::end_before_start;
use super::trade_rules::{
    breakeven_limit_is_known, breakeven_needs_two_steps, no_take_profit_beside_steps, safety_steps_are_in_range,
    safety_steps_fit_the_number_of_orders, safety_steps_have_a_size, safety_steps_lead_away, steps_cover_the_position,
    steps_take_profit, stop_loss_above_a_price_of_0,
};
use botdesk_schema::choices;
use botdesk_schema::error::ApiErrorKind::{Forbidden, RecordInvalid, WrongParams};
use botdesk_schema::field::Schema;
use botdesk_schema::input::Rule::{Above, AtLeast, Between, Own, Required, RequiredIfTrue, ServiceDefault};
use botdesk_schema::input::{IsoTime, RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::json::Json;
use botdesk_schema::operation::{ArgumentStyle, get, patch, post, trace};
use botdesk_schema::permission::Permission::{BotsRead, BotsWrite, SmartTradesWrite};
use botdesk_schema::record;
use botdesk_schema::record::Record as _;
use botdesk_schema::refusal::{RefusalBody, refusal};
use botdesk_schema::resource::Resource;
use botdesk_schema::streamed::Streamed;
use botdesk_schema::values::{
    Any, Bool, Choices, Decimal, FieldType as _, Integer, List, Nothing, Object, OneOf, Text, Timestamp,
};
use botdesk_schema::watched::{Sign, Watched};

choices! {
    /// Status of a deal.
    DealStatus = "base_order_placed" | "bought" | "ttp_order_placed" | "close_strategy_activated" | "panic_sell_pending"
        | "cancel_pending" | "completed" | "cancelled" | "stop_loss_finished" | "panic_sold" | "failed" | "liquidated"
        | "settled";
    /// Market that a deal trades on.
    MarketType = "spot" | "futures";
    /// The response of the service when funds were added.
    FundsResponse = "deal" | "market_order" | "empty";
    /// Filter of a list of deals.
    DealScope = "active" | "finished" | "completed" | "cancelled" | "failed" | "null";
    /// Sort key of a list of deals.
    DealOrder = "created_at" | "updated_at" | "closed_at" | "profit" | "profit_percentage" | "null";
}

record! {
    /// A deal of a DCA bot: a base order and the safety orders after it, until profit or loss is taken.
    Deal {
        /// Identifier of the deal.
        id: Integer, identifier, in_repr;
        /// Kind of the record, `Deal`.
        r#type: Text, sample("Deal");
        /// Identifier of the bot that opened the deal.
        bot_id: Integer;
        /// Name of the bot that opened the deal.
        bot_name: Text, volatile;
        /// Identifier of the account that the deal trades on.
        account_id: Integer;
        /// Name of the account that the deal trades on.
        account_name: Text, volatile;
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text, in_repr;
        /// Status of the deal: `bought` (active), `completed` or another.
        status: OneOf<DealStatus>, in_repr, sample("bought");
        /// The status in words.
        localized_status: Text, sample("Active");
        /// Direction of the deal.
        strategy: OneOf<Direction>;
        /// Market that the deal trades on.
        market_type: OneOf<MarketType>;
        /// Time when the deal was opened.
        created_at: Timestamp, in_repr;
        /// Time when the deal last changed.
        updated_at: Timestamp, volatile;
        /// Time when the deal was closed; None while it is open.
        closed_at: Timestamp, sample(null);
        /// True if the deal is over.
        finished: Bool = "finished?";
        /// True if the deal can be cancelled.
        cancellable: Bool = "cancellable?", sample(true);
        /// True if the deal can be sold at market price.
        panic_sellable: Bool = "panic_sellable?", sample(true);
        /// True if the deal has an error.
        deal_has_error: Bool;
        /// Description of the error.
        error_message: Text, sample(null);
        /// Reason why the deal failed.
        failed_message: Text, sample(null);
        /// Note on the deal.
        note: Text, sample(null);
        /// Identifier of the currency that is spent.
        from_currency_id: Integer;
        /// Identifier of the currency that is bought.
        to_currency_id: Integer;
        /// Currency that is spent.
        from_currency: Text;
        /// Currency that is bought.
        to_currency: Text;
        /// Most safety orders that the deal may place.
        max_safety_orders: Integer;
        /// Safety orders that may be on the exchange at once.
        active_safety_orders_count: Integer;
        /// Safety orders that are on the exchange now, counted.
        current_active_safety_orders_count: Integer;
        /// Safety orders that are on the exchange now.
        current_active_safety_orders: Integer;
        /// Safety orders that were filled.
        completed_safety_orders_count: Integer, in_repr;
        /// Safety orders placed by hand that were filled.
        completed_manual_safety_orders_count: Integer;
        /// Safety orders placed by hand that are on the exchange now.
        active_manual_safety_orders: Integer;
        /// Take profit in percent; None if the deal has take-profit steps.
        take_profit: Decimal, nullable;
        /// Take-profit targets, if the deal has several.
        take_profit_steps: List<DealStep>;
        /// Base of the take-profit percentage.
        take_profit_type: OneOf<TakeProfitType>, sample("total");
        /// Price at which profit is taken. With several steps it has no meaning: each step has a price of its own.
        take_profit_price: Decimal;
        /// Least profit, in percent, at which a signal may close the deal.
        min_profit_percentage: Decimal;
        /// Base of the minimum-profit percentage.
        min_profit_type: OneOf<MinProfitType>, sample(null);
        /// Currency that the profit is taken in.
        profit_currency: OneOf<ProfitCurrency>;
        /// True if the take profit trails the price.
        trailing_enabled: Bool, nullable;
        /// Trailing distance of the take profit, in percent.
        trailing_deviation: Decimal, sample("0.2");
        /// Best price since the take profit began to trail.
        trailing_max_price: Any, decimal, volatile;
        /// True if the stop loss trails the price.
        tsl_enabled: Bool;
        /// Best price since the stop loss began to trail.
        tsl_max_price: Any, decimal, volatile;
        /// Stop loss in percent; `0` means none.
        stop_loss_percentage: Decimal;
        /// Price at which the loss is stopped; None without a stop loss.
        stop_loss_price: Decimal, sample(null);
        /// Action at the stop loss.
        stop_loss_type: OneOf<StopLossType>;
        /// True if the stop loss waits before it closes the deal.
        stop_loss_timeout_enabled: Bool;
        /// Delay of the stop loss, in seconds.
        stop_loss_timeout_in_seconds: Integer;
        /// True if the stop loss moves to break even as targets are reached.
        sl_to_breakeven_enabled: Bool;
        /// Target to which the stop loss moves, as `upper_breakeven_limit`: 0 is the base order.
        sl_to_breakeven_data: Object;
        /// Volume of the base order.
        base_order_volume: Decimal;
        /// Unit of the base order's volume.
        base_order_volume_type: OneOf<VolumeType>;
        /// Volume of the first safety order.
        safety_order_volume: Decimal;
        /// Unit of the safety orders' volume.
        safety_order_volume_type: OneOf<VolumeType>;
        /// Distance of the first safety order from the base order's price, in percent.
        safety_order_step_percentage: Decimal;
        /// Martingale coefficient, under its old name.
        martingale_coefficient: Decimal, sample("1.0");
        /// Ratio of each safety order's size to the size before.
        martingale_volume_coefficient: Decimal, sample("1.0");
        /// Ratio of each step down to the step before.
        martingale_step_coefficient: Decimal, sample("1.0");
        /// Safety orders of their own distances and sizes, which replace the steps and coefficients, if the bot has them.
        custom_safety_steps: List<SafetyStep>, sample(null);
        /// Leverage type; `not_specified` outside of futures.
        leverage_type: Text, sample("not_specified");
        /// Leverage, if it is custom.
        leverage_custom_value: Decimal, sample(null);
        /// Amount bought.
        bought_amount: Decimal;
        /// Volume that the amount was bought for, in the quote currency, with fees.
        bought_volume: Decimal, in_repr;
        /// Average price of what was bought.
        bought_average_price: Decimal;
        /// Average price of the base order.
        base_order_average_price: Decimal;
        /// Amount sold.
        sold_amount: Decimal;
        /// Volume that the amount was sold for.
        sold_volume: Decimal;
        /// Average price of what was sold.
        sold_average_price: Decimal, sample("0");
        /// Current price of the pair.
        current_price: Decimal, volatile;
        /// Profit that the deal ended with. Of a deal that is not over, it is the profit when the service last saved it.
        final_profit: Decimal;
        /// Profit that the deal ended with, in percent; 0 until it is over.
        final_profit_percentage: Decimal, sample("0");
        /// Profit that the deal ended with, in USD.
        usd_final_profit: Decimal, volatile;
        /// Profit at the current price.
        actual_profit: Decimal, nullable, volatile;
        /// Profit at the current price, in USD.
        actual_usd_profit: Decimal, nullable, volatile, in_repr;
        /// Profit at the current price, in percent.
        actual_profit_percentage: Decimal, volatile;
        /// Volume that is set aside for the deal, in the quote currency, against its name.
        reserved_base_coin: Decimal;
        /// Amount that is set aside for the deal, in the base currency.
        reserved_second_coin: Decimal;
        /// Quote funds set aside for the deal.
        reserved_quote_funds: Decimal;
        /// Base funds set aside for the deal.
        reserved_base_funds: Decimal;
        /// Last known position on a futures market.
        last_known_position_info: Any, volatile;
        /// Strategies that close the deal.
        close_strategy_list: List<Strategy>;
        /// Strategies that place safety orders.
        safety_strategy_list: List<Strategy>;
        /// True if funds can be added to the deal.
        add_fundable: Bool, sample(true);
        /// True if the deal can be turned into a SmartTrade.
        smart_trade_convertable: Bool, sample(true);
        /// Currency of the order book's prices.
        orderbook_price_currency: Text;
        /// Chart that the service draws of the deal; None if the deal is being closed.
        crypto_widget: Chart, volatile;
        /// Next safety order on the exchange; only in the response for one deal.
        buy_steps: List<BuyStep>, volatile, unlisted;
        /// Events of the deal; only in the response for one deal.
        bot_events: List<DealEvent>, volatile, unlisted;
    }
}

inputs! {
    /// The filters, the order and the page of a list of deals.
    DealList of "a list of deals" {
        /// Only deals of this bot.
        bot_id: Integer [AtLeast("1")];
        /// Only deals of this account.
        account_id: Integer [AtLeast("1")];
        /// Most records to return at once, 1 to 1000; the service's default is 50.
        limit: Integer [Between("1", "1000"), ServiceDefault("50")];
        /// Number of records to skip.
        offset: Integer [AtLeast("0")];
        /// Only deals opened after this time: ISO 8601, a datetime with a timezone, or a date (00:00 UTC).
        from_: IsoTime = "from";
        /// Only deals opened before this time: ISO 8601, a datetime with a timezone, or a date (00:00 UTC).
        to: IsoTime;
        /// Only deals that are not over (`active`), that are over (`finished`), that ended in this way (`completed`,
        /// `cancelled`, `failed`), or all (`null`).
        scope: OneOf<DealScope>;
        /// Sort key; the service's default is `created_at`.
        order: OneOf<DealOrder>;
        /// Sort order; the service's default is `DESC`.
        order_direction: OneOf<OrderDirection>;
        /// Only deals on pairs with this base currency.
        base: Text;
        /// Only deals on pairs with this quote currency.
        quote: Text;
        /// Only deals whose note has this text.
        note: Text;
    }
    own [to | from_ => to_is_not_before_from]
}

fn to_is_not_before_from(request: &RequestBuilder) -> Option<Violation> {
    end_before_start(request, DealList::from_, DealList::to)
}

inputs! {
    /// The inputs of a deal edit. Only what is given is sent.
    DealEdit of "a deal" {
        /// Take profit in percent; 0 if several steps are given.
        take_profit: Decimal [Own(&AtLeast("0"))];
        /// Take-profit targets, at most 4, whose amounts add up to 100 %, each with the `id` that the deal shows, from 0. A step that
        /// is not `editable` must be given unchanged.
        take_profit_steps: DealSteps;
        /// Base of the take-profit percentage.
        take_profit_type: OneOf<TakeProfitType>;
        /// Currency that the profit is taken in.
        profit_currency: OneOf<ProfitCurrency>;
        /// True if the take profit trails the price, by the distance that the deal has.
        trailing_enabled: Bool;
        /// True if the stop loss moves to break even as targets are reached; needs at least two steps.
        sl_to_breakeven_enabled: Bool;
        /// Target to which the stop loss moves: `{"upper_breakeven_limit": 0}` for the base order's price, 1 for the first
        /// target, 2 for the second.
        sl_to_breakeven_data: Object;
        /// Most safety orders that the deal may place, 0 to 200; not fewer than are filled.
        max_safety_orders: Integer [Between("0", "200")];
        /// Safety orders that may be on the exchange at once.
        active_safety_orders_count: Integer [Own(&AtLeast("0"))];
        /// Safety orders of their own distances and sizes. Those that are filled must be given unchanged.
        custom_safety_steps: DealSafetySteps;
        /// Stop loss in percent of the base order's price; 0 for none. A negative one is a stop in profit: -2 is 2 % above the price
        /// of a long deal.
        stop_loss_percentage: Decimal;
        /// True if the stop loss waits before it closes the deal.
        stop_loss_timeout_enabled: Bool;
        /// Delay of the stop loss, in seconds.
        stop_loss_timeout_in_seconds: Integer [RequiredIfTrue(Self::stop_loss_timeout_enabled), Own(&AtLeast("0"))];
        /// True if the stop loss trails the price.
        tsl_enabled: Bool;
        /// Action at the stop loss.
        stop_loss_type: OneOf<StopLossType>;
        /// Time after which the deal closes itself, in seconds since it was opened, at least 60. No record shows it.
        close_timeout: Integer [AtLeast("60")];
        /// Note on the deal.
        note: Text;
        /// Least profit, in percent, at which a signal may close the deal.
        min_profit_percentage: Decimal;
    }
    together [
        take_profit | take_profit_steps => no_take_profit_beside_steps,
        take_profit_steps => steps_cover_the_position,
        sl_to_breakeven_enabled | take_profit_steps => breakeven_needs_two_steps,
        sl_to_breakeven_data => breakeven_limit_is_known,
        custom_safety_steps => safety_steps_are_in_range,
    ]
    own [
        take_profit_type => take_profit_type_is_one,
        take_profit_steps => steps_take_profit,
        max_safety_orders => no_fewer_safety_orders_than_filled,
        custom_safety_steps | max_safety_orders => safety_steps_fit_the_number_of_orders,
        custom_safety_steps => safety_steps_lead_away,
        custom_safety_steps => safety_steps_have_a_size,
        stop_loss_percentage => stop_loss_above_a_price_of_0,
        take_profit | take_profit_steps | take_profit_type | profit_currency | trailing_enabled | sl_to_breakeven_enabled
            | sl_to_breakeven_data | max_safety_orders | active_safety_orders_count | custom_safety_steps
            | stop_loss_percentage | stop_loss_timeout_enabled | stop_loss_timeout_in_seconds | tsl_enabled | stop_loss_type
            | close_timeout | note | min_profit_percentage => deal_can_be_edited,
    ]
}

/// The statuses in which a deal can be edited.
pub const EDITABLE: [&str; 2] = ["bought", "close_strategy_activated"];

/// Returns the violation by an edit of a deal in a known status in which the service refuses it.
fn deal_can_be_edited(request: &RequestBuilder) -> Option<Violation> {
    let status = request.record_value("status").and_then(Json::string)?;
    let is_refused = <DealStatus as Choices>::VALUES.contains(&status.as_ref()) && !EDITABLE.contains(&status.as_ref());
    let [active, activated] = EDITABLE;
    is_refused.then(|| {
        let message = format!("is {status}; a deal can be edited only while it is {active} or {activated}");
        Violation::new("status", message)
    })
}

fn take_profit_type_is_one(request: &RequestBuilder) -> Option<Violation> {
    request.value(DealEdit::take_profit_type).is_none().then(|| DealEdit::take_profit_type.violation("is required"))
}

fn no_fewer_safety_orders_than_filled(request: &RequestBuilder) -> Option<Violation> {
    let filled = request.record_value("completed_safety_orders_count").and_then(Integer::read)?;
    let most = request.value(DealEdit::max_safety_orders)?.as_i64()?;
    (most < filled).then(|| {
        DealEdit::max_safety_orders
            .violation(format!("must be at least {filled}, the number of filled orders, not {most}"))
    })
}

inputs! {
    /// The take-profit step of a deal to close.
    DealStepClose of "the close of a step" {
        /// Identifier of the step's order: the `trade_id` of the step.
        trade_id: Integer [Required, Own(&AtLeast("1"))];
    }
}

inputs! {
    /// The number of safety orders of a deal.
    DealSafetyOrders of "a deal" {
        /// Most safety orders that the deal may place, 0 to 200; not fewer than are filled.
        max_safety_orders: Integer [Required, Between("0", "200")];
    }
}

inputs! {
    /// The order of a deal to cancel.
    DealOrderCancel of "the cancellation of an order" {
        /// Identifier of the order: its `order_id` as an integer.
        order_id: Integer [Required, Own(&AtLeast("1"))];
    }
}

inputs! {
    /// The fate of the bot of a deal that becomes a SmartTrade.
    DealConversion of "the conversion of a deal" {
        /// True to disable the bot as well.
        stop_bot: Bool [Required];
    }
}

inputs! {
    /// An order that adds funds to a deal.
    DealFunds of "an order that adds funds" {
        /// Quantity in the base currency, such as 0.01 of the BTC in `USDT_BTC`. The API reference does not name the currency.
        quantity: Decimal [Required, Own(&Above("0"))];
        /// True if it is a market order; otherwise it is a limit order.
        is_market: Bool [Required];
        /// Price of a limit order; the service ignores it beside `is_market`.
        rate: Decimal [Own(&Above("0"))];
        /// What the service returns: the order (`market_order`), the deal (`deal`, only for a bot with one pair), or nothing
        /// (`empty`, its default).
        response_type: OneOf<FundsResponse> [ServiceDefault("\"empty\"")];
    }
    together [rate | is_market => limit_order_has_a_rate]
}

fn limit_order_has_a_rate(request: &RequestBuilder) -> Option<Violation> {
    let is_limit = !request.is_true(DealFunds::is_market);
    (is_limit && request.value(DealFunds::rate).is_none())
        .then(|| DealFunds::rate.violation("is missing; a limit order needs a price"))
}

/// The deals of DCA bots.
pub const RESOURCE: Resource = Resource::new("deals", "The deals of DCA bots.")
    .of::<Deal>()
    .called("deal", "a deal", "deals")
    .id("deal_id", &["410", "430"])
    .unknown_record(RefusalBody::NOT_FOUND)
    .watched(
        &Watched::ending(("scope", "active"), &[Sign::True("finished?"), Sign::Given("closed_at")])
            .example("sandbox.set_price(\"USDT_DOGE\", 5)", "closed")
            .profits(&["actual_usd_profit"]),
    )
    .streamed(
        &Streamed::new("DealsChannel", "/deals", BotsRead)
            .newest_first(&[("order", "updated_at"), ("order_direction", "DESC")]),
    )
    .operations(&[
        get("deals.list", "/ver1/deals")
            .section("List deals")
            .says("List one page of deals, open and finished ones.", "The deals of the page.")
            .query(DealList::INPUTS)
            .style(ArgumentStyle::Named)
            .returns::<List<Deal>>()
            .needs(BotsRead)
            .limit(120, 60, 60)
            .example(&["bot_id=41", "scope=\"active\""], &["page = {call}", "[deal.status for deal in page]"], "['bought']"),
        get("deals.get", "/ver1/deals/{id}/show")
            .section("Get deal")
            .says("Get {record} as it is now, with its events.", "The deal.")
            .returns::<Deal>()
            .needs(BotsRead)
            .limit(120, 60, 60)
            .example(&[], &["{call}.bot_events[0].message.split(\". \")[0]"], "'Placing base order'"),
        get("deals.orders", "/ver1/deals/{id}/market_orders")
            .section("Orders of a deal")
            .says(
                "List the orders of {record}, of every kind and status.",
                "The orders: safety orders placed by hand, take profits, safety orders and the base order, in each group the \
                 newest first.",
            )
            .returns::<List<Order>>()
            .needs(BotsRead)
            .example(&[], &["{call}[-1].deal_order_type"], "'Base'"),
        get("deals.data_for_adding_funds", "/ver1/deals/{id}/data_for_adding_funds")
            .section("Data for adding funds")
            .says(
                "Get what is needed to size a safety order of {record} by hand: prices, limits and free funds.",
                "The data.",
            )
            .returns::<FundsData>()
            .needs(BotsRead)
            .example(&[], &["data = {call}", "data.available_amount >= data.limits.min_total"], "True"),
        patch("deals.edit", "/ver1/deals/{id}/update_deal")
            .section("Update deal")
            .says("Edit {record}: change the given settings and keep all others.", "The deal after the change.")
            .details(&[
                "A deal can be edited only while its status is `bought` or `close_strategy_activated`. Its orders are withdrawn and \
                 placed again as the settings say.",
            ])
            .edits(DealEdit::INPUTS)
            .sends_only_given()
            .returns::<Deal>()
            .needs(BotsWrite)
            .may_have("the deal may have been changed")
            .refuses(&[refusal(400, RecordInvalid, "The service rejected fields, or the status of the deal does not allow edits.")])
            .many()
            .example(&["take_profit=\"2.5\""], &["{call}.take_profit"], "Decimal('2.5')")
            .example_changes("field        old  new\ntake_profit  1.0  2.5")
            .example_of_many("stop_loss_percentage=20", "Preview of deals.edit of 2\n\
                 at http://127.0.0.1:..., key SHA256:..., account ...\n  \
                 Deal 410  stop_loss_percentage: 0.0 → 20\n  \
                 Deal 430  stop_loss_percentage: 0.0 → 20\n\
                 nothing is sent until apply()"),
        post("deals.close", "/ver1/deals/{id}/panic_sell")
            .section("Close deal at market price")
            .says(
                "Close {record} at the market price.",
                "The deal with the status `panic_sell_pending`; it becomes `panic_sold` once its order is filled.",
            )
            .returns::<Deal>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .waits("wait_closed")
            .may_have("the deal may have been closed")
            .refuses(&[refusal(403, Forbidden, "The deal is over or already being closed, or the API key lacks the permission.")])
            .many()
            .irreversible(&["pair", "bought_volume", "actual_usd_profit"])
            .example(&[], &["{call}.status"], "'panic_sell_pending'"),
        post("deals.close_step", "/ver1/deals/{id}/panic_sell_step")
            .section("Close one take-profit step at market price")
            .says(
                "Close the part of {record} that one take-profit step covers, at the market price.",
                "The deal; the step has the status `Panic closing` until its order is filled.",
            )
            .json(DealStepClose::INPUTS)
            .returns::<Deal>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .waits("wait_steps_closed")
            .may_have("the step may have been closed; read the deal and look at the status of its steps")
            .refuses(&[refusal(403, Forbidden, "The step is closed or being closed, or the API key lacks the permission.")])
            .irreversible(&["pair", "actual_usd_profit"])
            .example_ids(&["421"])
            .example(&["421501"], &["{call}.take_profit_steps[0].status"], "'Panic closing'"),
        post("deals.cancel", "/ver1/deals/{id}/cancel")
            .section("Cancel deal")
            .says(
                "Cancel {record}: its orders are withdrawn, and what it bought stays on the account.",
                "The deal with the status `cancel_pending`; it becomes `cancelled` once its orders are withdrawn.",
            )
            .returns::<Deal>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .waits("wait_closed")
            .may_have("the deal may have been cancelled")
            .refuses(&[refusal(403, Forbidden, "The deal is over or already being cancelled, or the API key lacks the permission.")])
            .many()
            .irreversible(&["pair", "bought_volume", "actual_usd_profit"])
            .example(&[], &["{call}.status"], "'cancel_pending'"),
        post("deals.set_max_safety_orders", "/ver1/deals/{id}/update_max_safety_orders")
            .section("Change the number of safety orders")
            .says("Set the most safety orders that {record} may place.", "The deal after the change.")
            .details(&["More orders are placed while fewer than `active_safety_orders_count` stand; with fewer, the farthest are cancelled."])
            .json(DealSafetyOrders::INPUTS)
            .returns::<Deal>()
            .created()
            .needs(BotsWrite)
            .may_have("the number may have been changed")
            .refuses(&[refusal(400, RecordInvalid, "More safety orders are filled already.")])
            .many()
            .example(&["5"], &["{call}.max_safety_orders"], "5")
            .example_of_many("max_safety_orders=5", "Preview of deals.set_max_safety_orders of 2\n\
                 at http://127.0.0.1:..., key SHA256:...\n  \
                 Deal 410  POST /public/api/ver1/deals/410/update_max_safety_orders {\"max_safety_orders\":5}\n  \
                 Deal 430  POST /public/api/ver1/deals/430/update_max_safety_orders {\"max_safety_orders\":5}\n\
                 nothing is sent until apply()"),
        post("deals.add_funds", "/ver1/deals/{id}/add_funds")
            .section("Add funds")
            .says(
                "Place an order by hand that enlarges {record}: a market order, or a limit order at a price.",
                "The order with `response_type=\"market_order\"`, before it has reached the exchange; the deal with \
                 `response_type=\"deal\"`; else None.",
            )
            .details(&[
                "A response does not mean that the order stands: an exchange rejects one that is too small, or that the account can't \
                 pay, afterwards. Such an order has the status `Inactive` in `orders`.",
                "It is never sent again after a lost response.",
            ])
            .json(DealFunds::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<Nothing>()
            .or_one_of(&[("order_id", Schema::Record(Order::SPEC)), ("bought_volume", Schema::Record(Deal::SPEC))])
            .created()
            .needs(BotsWrite)
            .dangerous()
            .may_have("the order may have been placed; list the orders of the deal, and look for a new one that is `Manual Safety`")
            .traces(&[trace("deals.orders").has(&[("deal_order_type", "Manual Safety")])])
            .refuses(&[
                refusal(400, RecordInvalid, "The service rejected fields, such as a missing rate."),
                refusal(403, Forbidden, "No funds can be added to the deal now, or the API key lacks the permission."),
            ])
            .many()
            .example(
                &["quantity=\"0.01\"", "is_market=False", "rate=\"3000\"", "response_type=\"market_order\""],
                &["order = {call}", "(order.deal_order_type, order.rate)"],
                "('Manual Safety', Decimal('3000'))",
            )
            .example_of_many(
                "quantity=\"0.01\", is_market=True",
                "Preview of deals.add_funds of 2\n\
                 at http://127.0.0.1:..., key SHA256:...\n  \
                 Deal 410  POST /public/api/ver1/deals/410/add_funds {\"quantity\":0.01,\"is_market\":true}\n  \
                 Deal 430  POST /public/api/ver1/deals/430/add_funds {\"quantity\":0.01,\"is_market\":true}\n\
                 nothing is sent until apply()",
            ),
        post("deals.cancel_order", "/ver1/deals/{id}/cancel_order")
            .section("Cancel a manual safety order")
            .says(
                "Cancel an order of {record} that was placed with `add_funds`.",
                "All orders of the deal after the cancellation.",
            )
            .json(DealOrderCancel::INPUTS)
            .returns::<List<Order>>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .may_have("the order may have been cancelled; list the orders of the deal")
            .refuses(&[
                refusal(400, RecordInvalid, "The service rejected an argument."),
                refusal(422, WrongParams, "The order was not placed by hand, or is filled or cancelled already."),
            ])
            .example_ids(&["502"])
            .example(&["502801"], &["{call}[0].status_string"], "'Cancelled'"),
        post("deals.convert_to_smart_trade", "/ver1/deals/{id}/convert_to_smart_trade")
            .section("Convert deal to SmartTrade")
            .says(
                "Convert {record} to a SmartTrade, which takes over what was bought, the targets and the stop loss.",
                "The new SmartTrade.",
            )
            .details(&[
                "The deal is cancelled: its status becomes `cancel_pending` and then `cancelled`. It is never sent again after a lost \
                 response.",
            ])
            .json(DealConversion::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<SmartTrade>()
            .created()
            .needs(SmartTradesWrite)
            .adds_no_volume()
            .may_have("the deal may have been converted; read it, and list the SmartTrades")
            .traces(&[trace("smart_trades.list").asked(&[("order_by", "created_at"), ("order_direction", "DESC")]).time(&["data", "created_at"])])
            .refuses(&[refusal(403, Forbidden, "The deal can't be converted now, or the API key lacks the permission.")])
            .irreversible(&["pair", "bought_volume", "actual_usd_profit"])
            .example(&["stop_bot=False"], &["{call}.status.basic_type"], "'created'"),
    ]);
