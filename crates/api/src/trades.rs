//! Simple trades: single orders, with a trigger, a trailing distance or a timeout if they need one.

use super::choices::{LeverageChoice, OrderSide, OrderType, PriceType};
use super::order_inputs::{
    LimitInput, QuantityInput, is_enabled, limit_price_is_given, pair_is_written_as_quote_and_base,
};
use super::smart_trade_data::TriggerCondition;
use botdesk_schema::choices;
use botdesk_schema::error::ApiErrorKind::{Forbidden, RecordInvalid, WrongParams};
use botdesk_schema::input::Rule::{Above, AtLeast, ClientDefault, Own, Required, ServiceDefault};
use botdesk_schema::input::{Group, RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::operation::{ArgumentStyle, get, post, trace};
use botdesk_schema::permission::Permission::{SmartTradesRead, SmartTradesWrite};
use botdesk_schema::record;
use botdesk_schema::refusal::{RefusalBody, refusal};
use botdesk_schema::resource::Resource;
use botdesk_schema::values::{Any, Bool, Decimal, Integer, List, OneOf, Text};
use serde_json::Value;

choices! {
    /// Time in force of an order.
    TimeInForce = "gtc" | "ioc" | "fok" | "post_only";
    /// Side of a position on a futures account.
    PositionSide = "both" | "long" | "short";
    /// Sort key of active simple trades.
    ActiveOrder = "pair" | "created_at";
    /// Sort key of simple trades that are over.
    HistoryOrder = "pair" | "created_at" | "closed_at";
    /// Sort order of simple trades.
    TradeDirection = "asc" | "desc";
}

record! {
    /// A simple trade: one order that the service places and watches.
    SimpleTrade {
        /// Identifier of the trade.
        uuid: Text, identifier, in_repr;
        /// Identifier of the account.
        account_id: Integer;
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text, in_repr, sample("USDT_ETH");
        /// Time when the trade was created, in seconds since 1970.
        created_at: Integer;
        /// Time when the trade ended, in seconds since 1970; None while it is active.
        closed_at: Integer, sample(null);
        /// The order.
        order: SimpleOrder, in_repr, sample({});
        /// Quantity of the order.
        units: SimpleUnits, in_repr, sample({});
        /// Limit price of the order.
        price: SimplePrice, sample({});
        /// Value of the order when the trade was created.
        total: SimpleTotal, sample({});
        /// Trigger of the order.
        conditional: SimpleConditional, sample({});
        /// Distance at which the trade follows the price.
        trailing: SimpleTrailing, sample({});
        /// Time that the condition must hold.
        timeout: SimpleTimeout, sample({});
        /// Leverage of the order.
        leverage: SimpleLeverage, sample({});
        /// Status of the trade.
        status: SimpleStatus, in_repr, sample({});
        /// The filled part of the order.
        filled: Filled, in_repr, sample({});
        /// The actions that the trade allows.
        data: SimpleData, sample({});
    }
}

record! {
    /// The order of a simple trade.
    SimpleOrder {
        /// Order type.
        r#type: OneOf<OrderType>, in_repr, in_cell;
        /// Side of the order.
        side: OneOf<OrderSide>, in_repr, in_cell;
        /// Time in force; None for a market order.
        strategy: OneOf<TimeInForce>, in_repr, nullable;
        /// Side of the position: `both` in one-way mode.
        position_side: OneOf<PositionSide>;
        /// True if the order may only reduce a position.
        reduce_only: Bool;
    }
}

record! {
    /// The quantity of a simple trade.
    SimpleUnits {
        /// Quantity in the base currency.
        value: Decimal, in_repr;
    }
}

record! {
    /// The limit price of a simple trade.
    SimplePrice {
        /// The price; None for a market order.
        value: Decimal, in_repr, nullable;
    }
}

record! {
    /// The value of a simple trade when it was created.
    SimpleTotal {
        /// Value in the quote currency.
        value: Decimal, in_repr;
    }
}

record! {
    /// The leverage of a simple trade.
    SimpleLeverage {
        /// Leverage type: `cross`, `isolated`, or None without leverage.
        r#type: Text, in_repr, sample(null);
    }
}

record! {
    /// The actions that a simple trade allows.
    SimpleData {
        /// True if the trade can be cancelled.
        cancelable: Bool, in_repr;
    }
}

record! {
    /// The condition of a simple trade.
    SimpleConditional {
        /// True if the order waits for the condition.
        enabled: Bool, in_repr;
        /// Comparison of the current price with the trigger.
        value: OneOf<TriggerCondition>, in_repr, sample(null);
        /// The trigger.
        price: SimpleTrigger, in_repr, sample({});
    }
}

record! {
    /// The trigger of a simple trade.
    SimpleTrigger {
        /// The trigger price.
        value: Decimal, in_repr, sample(null);
        /// The price that is compared with the trigger.
        r#type: OneOf<PriceType>, in_repr, sample(null);
    }
}

record! {
    /// The distance at which a simple trade follows the price.
    SimpleTrailing {
        /// True if the trade follows the price.
        enabled: Bool, in_repr;
        /// The distance, in the quote currency.
        value: Decimal, in_repr, sample(null);
        /// The distance, in percent.
        percent: Decimal, in_repr, sample(null);
    }
}

record! {
    /// The time that the condition of a simple trade must hold before the order is placed.
    SimpleTimeout {
        /// True if the trade waits.
        enabled: Bool, in_repr;
        /// The time in seconds, as a number or as a string.
        value: Any, in_repr, sample(null);
    }
}

record! {
    /// The status of a simple trade.
    SimpleStatus {
        /// Code of the status, such as `order_placed`; that of `basic_type` if the response has no other.
        value: Text, also(basic_type), in_repr, in_cell, sample("order_placed");
        /// Code of the status under the name that the response of a cancellation has.
        basic_type: Text, in_repr, sample(null);
        /// Reason of the failure; None unless the trade failed.
        error: Text, in_repr, sample(null);
    }
}

record! {
    /// The filled part of a simple trade.
    Filled {
        /// Filled quantity in the base currency.
        units: Decimal, in_repr, in_cell;
        /// Filled value in the quote currency.
        total: Decimal, in_repr;
        /// Average price; None if nothing is filled.
        price: Decimal, in_repr, nullable;
        /// Filled part of the order, in percent.
        value: Decimal;
    }
}

inputs! {
    /// The filters, the order and the page of active simple trades.
    ActiveTradesQuery of "a list of active simple trades" {
        /// Only trades of this account.
        account_id: Integer [Own(&AtLeast("1"))];
        /// Only trades on this pair, as `<QUOTE>_<BASE>`.
        pair: Text;
        /// Sort key; the service's default is `created_at`.
        order_by: OneOf<ActiveOrder> [ServiceDefault("\"created_at\"")];
        /// Sort order; the service's default is `asc`.
        order_direction: OneOf<TradeDirection> [ServiceDefault("\"asc\"")];
        /// Most trades to return at once; the service's default is 10.
        limit: Integer [ServiceDefault("10"), Own(&AtLeast("1"))];
        /// Number of trades to skip; the service's default is 0.
        offset: Integer [ServiceDefault("0"), Own(&AtLeast("0"))];
    }
}

inputs! {
    /// The filters, the order and the page of simple trades that are over.
    TradeHistoryQuery of "a list of simple trades that are over" {
        /// Only trades of this account.
        account_id: Integer [Own(&AtLeast("1"))];
        /// Only trades on this pair, as `<QUOTE>_<BASE>`.
        pair: Text;
        /// Sort key; the service's default is `created_at`.
        order_by: OneOf<HistoryOrder> [ServiceDefault("\"created_at\"")];
        /// Sort order; the service's default is `asc`.
        order_direction: OneOf<TradeDirection> [ServiceDefault("\"asc\"")];
        /// Most trades to return at once; the service's default is 10.
        limit: Integer [ServiceDefault("10"), Own(&AtLeast("1"))];
        /// Number of trades to skip; the service's default is 0.
        offset: Integer [ServiceDefault("0"), Own(&AtLeast("0"))];
    }
}

inputs! {
    /// The order of a new simple trade.
    OrderInput of "an order" {
        /// Order type.
        r#type: OneOf<OrderType> [Required];
        /// Side of the order.
        side: OneOf<OrderSide> [Required];
        /// Time in force of a limit order; the service's default is `gtc`.
        strategy: OneOf<TimeInForce> [ServiceDefault("\"gtc\"")];
        /// Side of the position on a futures account: `both` in one-way mode, `long` or `short` in hedge mode.
        position_side: OneOf<PositionSide>;
        /// True if the order may only reduce a position.
        reduce_only: Bool;
    }
}

inputs! {
    /// The trigger of a new simple trade.
    TriggerInput of "a trigger", decimals as String {
        /// The trigger price.
        value: Decimal [Required, Own(&Above("0"))];
        /// The price that is compared with the trigger.
        r#type: OneOf<PriceType> [Required];
    }
}

inputs! {
    /// The condition of a new simple trade.
    ConditionInput of "a condition" {
        /// True if the order waits for the condition.
        enabled: Bool [Required];
        /// Comparison of the current price with the trigger.
        value: OneOf<TriggerCondition>;
        /// The trigger.
        price: Group<TriggerInput>;
    }
}

inputs! {
    /// The distance at which a new simple trade follows the price.
    TrailingInput of "a trailing distance", decimals as String {
        /// True if the trade follows the price.
        enabled: Bool [Required];
        /// The distance, in the quote currency.
        value: Decimal [Own(&Above("0"))];
        /// The distance, in percent.
        percent: Decimal [Own(&Above("0"))];
    }
}

inputs! {
    /// The time that the condition of a new simple trade must hold.
    TimeoutInput of "a timeout" {
        /// True if the trade waits before it places its order.
        enabled: Bool [Required];
        /// The time in seconds.
        value: Integer [Own(&AtLeast("1"))];
    }
}

inputs! {
    /// The leverage of a new simple trade.
    TradeLeverageInput of "a leverage" {
        /// Leverage type.
        r#type: OneOf<LeverageChoice>;
    }
}

inputs! {
    /// The inputs of a new simple trade.
    SimpleTradeCreate of "a simple trade", decimals as String {
        /// Identifier of the account.
        account_id: Integer [Required, Own(&AtLeast("1"))];
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text [Required];
        /// The order: its `type` (`market` or `limit`) and its `side` (`buy` or `sell`); also `strategy` (`gtc`, `ioc`, `fok`,
        /// `post_only`), `position_side` and `reduce_only`.
        order: Group<OrderInput> [Required];
        /// The quantity in the base currency, as `{"value": "0.5"}`.
        units: Group<QuantityInput> [Required];
        /// The limit price, as `{"value": "2400"}`; required for a limit order.
        price: Group<LimitInput>;
        /// The condition that the order waits for: `enabled`, the comparison in `value`, such as `less_or_equal`, and the `price`, such
        /// as `{"value": "2300", "type": "last"}`. Sent with `enabled` false unless it is given.
        conditional: Group<ConditionInput> [Required, ClientDefault("{\"enabled\":false}")];
        /// The distance at which the trade follows the price before it places its order: `enabled` with either `value` or
        /// `percent`. Sent with `enabled` false unless it is given.
        trailing: Group<TrailingInput> [Required, ClientDefault("{\"enabled\":false}")];
        /// The time that the condition must hold: `enabled`, and the seconds in `value`; only beside a condition. Sent with `enabled`
        /// false unless it is given.
        timeout: Group<TimeoutInput> [Required, ClientDefault("{\"enabled\":false}")];
        /// The leverage, as `{"type": "cross"}` or `{"type": "isolated"}`; only for futures of one exchange (OKX).
        leverage: Group<TradeLeverageInput>;
    }
    own [
        pair => pair_is_written_as_quote_and_base,
        price | order => limit_order_has_a_price,
        conditional => condition_has_a_comparison_and_a_trigger,
        trailing => trailing_has_one_distance,
        timeout | conditional => timeout_has_a_condition,
    ]
}

fn limit_order_has_a_price(request: &RequestBuilder) -> Option<Violation> {
    let is_limit = request.value(SimpleTradeCreate::order)?.get("type")? == "limit";
    limit_price_is_given(request, SimpleTradeCreate::price, is_limit)
}

fn condition_has_a_comparison_and_a_trigger(request: &RequestBuilder) -> Option<Violation> {
    let name = SimpleTradeCreate::conditional;
    let condition = request.value(name).filter(|condition| is_enabled(Some(condition)))?;
    let missing = ["value", "price"].into_iter().find(|member| condition.get(*member).is_none_or(Value::is_null))?;
    Some(name.violation(format!("has no {missing}, which is required when enabled is true")))
}

fn trailing_has_one_distance(request: &RequestBuilder) -> Option<Violation> {
    let name = SimpleTradeCreate::trailing;
    let trailing = request.value(name).filter(|trailing| is_enabled(Some(trailing)))?;
    let given = ["value", "percent"].into_iter().filter(|member| trailing.get(*member).is_some_and(|it| !it.is_null()));
    (given.count() != 1).then(|| name.violation("must have either value or percent when enabled is true".to_owned()))
}

fn timeout_has_a_condition(request: &RequestBuilder) -> Option<Violation> {
    let name = SimpleTradeCreate::timeout;
    let timeout = request.value(name).filter(|timeout| is_enabled(Some(timeout)))?;
    if timeout.get("value").is_none_or(Value::is_null) {
        return Some(name.violation("has no value, which is required when enabled is true".to_owned()));
    }
    let has_condition = is_enabled(request.value(SimpleTradeCreate::conditional));
    (!has_condition).then(|| name.violation("is only for a trade with a condition; enable conditional too".to_owned()))
}

/// The simple trades.
pub const RESOURCE: Resource = Resource::new("trades", "The simple trades.")
    .of::<SimpleTrade>()
    .called("trade", "a simple trade", "simple trades")
    .uuid(&["0b9c5e4a-7d21-4c63-9f08-000000000501"])
    .unknown_record(RefusalBody::NOT_FOUND)
    .operations(&[
        get("trades.get", "/ver1/trades/{uuid}")
            .section("Get simple trade")
            .says("Get {record} as it is now.", "The trade.")
            .returns::<SimpleTrade>()
            .within("trade")
            .needs(SmartTradesRead)
            .example(&[], &["trade = {call}", "trade.order.side"], "'buy'"),
        get("trades.active", "/ver1/trades")
            .section("Get active simple trades")
            .says("List the simple trades that are active.", "The trades of the page.")
            .query(ActiveTradesQuery::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<List<SimpleTrade>>()
            .within("trades")
            .needs(SmartTradesRead)
            .example(&["limit=2"], &["trades = {call}", "[trade.closed_at for trade in trades]"], "[None, None]"),
        get("trades.history", "/ver1/trades/history")
            .section("Simple trades history")
            .says("List the simple trades that are over: completed, cancelled or failed.", "The trades of the page.")
            .query(TradeHistoryQuery::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<List<SimpleTrade>>()
            .within("trades")
            .needs(SmartTradesRead)
            .example(
                &["order_by=\"closed_at\"", "order_direction=\"desc\"", "limit=2"],
                &["trades = {call}", "all(trade.closed_at for trade in trades)"],
                "True",
            ),
        post("trades.create", "/ver1/trades")
            .section("Create simple trade")
            .says(
                "Create a simple trade: one order, with a condition, a trailing distance or a timeout if it needs one.",
                "The new trade, with the status `to_process` until its order is placed.",
            )
            .details(&[
                "**A market order trades at once.** A size that slightly exceeds the funds is reduced by the service to fit.",
            ])
            .json(SimpleTradeCreate::INPUTS)
            .style(ArgumentStyle::Named)
            .returns::<SimpleTrade>()
            .within("trade")
            .created()
            .needs(SmartTradesWrite)
            .may_have("the order may have been placed; look for it in `active` and `history`")
            .traces(&[trace("trades.active").asked(&[("order_by", "created_at"), ("order_direction", "desc")]).has(&[("pair", "{pair}")]), trace("trades.history").asked(&[("order_by", "created_at"), ("order_direction", "desc")]).has(&[("pair", "{pair}")])])
            .refuses(&[
                refusal(422, RecordInvalid, "Parameters are missing or invalid; the service does not say which."),
                refusal(403, Forbidden, "The account is that of another user, or the API key lacks the permission."),
            ])
            .irreversible(&[])
            .example(
                &[
                    "account_id=1001",
                    "pair=\"USDT_ETH\"",
                    "order={\"type\": \"limit\", \"side\": \"buy\"}",
                    "units={\"value\": \"0.5\"}",
                    "price={\"value\": \"2400\"}",
                ],
                &["trade = {call}", "client.trades.get(trade.uuid).status.value"],
                "'order_placed'",
            ),
        post("trades.cancel", "/ver1/trades/{uuid}/cancel")
            .section("Cancel simple trade")
            .says("Cancel {record}.", "The trade, whose status has its code in `basic_type`.")
            .details(&["`data.cancelable` says whether the trade can be cancelled. A part that is filled stays filled."])
            .returns::<SimpleTrade>()
            .within("trade")
            .created()
            .needs(SmartTradesWrite)
            .adds_no_volume()
            .may_have("the trade may have been cancelled")
            .refuses(&[refusal(400, WrongParams, "The trade is over.")])
            .many()
            .irreversible(&["pair"])
            .example(&[], &["{call}.status.basic_type"], "'cancelled'"),
    ]);
