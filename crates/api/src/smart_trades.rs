//! SmartTrades: single trades with targets, and the orders that the service makes for them.

use super::choices::OrderDirection;
use super::smart_trade_closing::{MarketClose, ReduceFunds};
use super::smart_trade_data::{AccountReference, Data, Margin, Profit, Trade};
use super::smart_trade_forms::{EDIT, EDIT_PREVIEW, NEW, NEW_PREVIEW};
use super::smart_trade_inputs::{FundsOrder, SmartTradeCreate, SmartTradeEdit};
use super::smart_trade_position::{Leverage, Position, Status};
use super::smart_trade_targets::{SmartTradeStopLoss, TakeProfit};
use super::time_span::end_before_start;
use botdesk_schema::choices;
use botdesk_schema::error::ApiErrorKind::{Forbidden, NotFound, RecordInvalid, SignatureInvalid, WrongParams};
use botdesk_schema::id::{IdSpec, IdType};
use botdesk_schema::input::Rule::{AtLeast, Between, Characters, Own, Required, ServiceDefault};
use botdesk_schema::input::{RequestBuilder, Time, Violation};
use botdesk_schema::inputs;
use botdesk_schema::operation::{ArgumentStyle, delete, get, patch, post, trace};
use botdesk_schema::permission::Permission::{SmartTradesRead, SmartTradesWrite};
use botdesk_schema::record;
use botdesk_schema::refusal::{RefusalBody, refusal};
use botdesk_schema::resource::Resource;
use botdesk_schema::streamed::Streamed;
use botdesk_schema::values::{Bool, Decimal, Integer, List, OneOf, Text};
use botdesk_schema::watched::{Sign, Watched};

choices! {
    /// Group of SmartTrades by their state.
    SmartTradeGroup = "all" | "active" | "finished" | "successfully_finish" | "cancelled" | "failed";
    /// Sort key of a list of SmartTrades.
    SmartTradeOrder = "created_at" | "updated_at" | "closed_at" | "status" | "profit" | "profit_percentage";
}

record! {
    /// A SmartTrade: one position with its entry, its take-profit steps and its stop loss.
    SmartTrade {
        /// Identifier of the SmartTrade.
        id: Integer, identifier, in_repr;
        /// Version of the record's format; absent from some responses.
        version: Integer, sample(2);
        /// The account that the SmartTrade trades on.
        account: AccountReference, sample({});
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text, in_repr, sample("USDT_ETH");
        /// True if it is a simple buy or a simple sell, which has no targets.
        instant: Bool;
        /// Status of the SmartTrade.
        status: Status, in_repr, sample({});
        /// Leverage of the position.
        leverage: Leverage, sample({"enabled": false});
        /// The entry.
        position: Position, sample({});
        /// The take profit.
        take_profit: TakeProfit, sample({});
        /// The stop loss.
        stop_loss: SmartTradeStopLoss, sample({"enabled": false});
        /// The reductions of the position.
        reduce_funds: ReduceFunds, sample({"steps": []});
        /// The order that closes the position at market price; empty until there is one.
        market_close: MarketClose, sample({});
        /// Note on the SmartTrade; empty if there is none.
        note: Text;
        /// The note as it was entered; None if there is none.
        note_raw: Text, sample(null);
        /// True if the entry was skipped, because the position is held already.
        skip_enter_step: Bool;
        /// Allowed actions, totals, times and the kind of the SmartTrade.
        data: Data, volatile, sample({});
        /// The profit.
        profit: Profit, volatile, in_repr, sample({});
        /// The margin.
        margin: Margin, sample({});
        /// True if the entry is not filled.
        is_position_not_filled: Bool;
    }
}

record! {
    /// The amount by which the funds of a SmartTrade can be reduced.
    ReduceFundsInfo {
        /// The highest amount by which the funds can be reduced.
        max_reduce_funds_amount: Decimal, in_repr;
    }
}

inputs! {
    /// The filters, the order and the page of a list.
    SmartTradeList of "a list of SmartTrades" {
        /// Only SmartTrades of this account.
        account_id: Integer [Own(&AtLeast("1"))];
        /// Only SmartTrades on this pair, as `<QUOTE>_<BASE>`.
        pair: Text;
        /// Only SmartTrades of this kind: `simple_buy`, `simple_sell`, `smart_sell`, `smart_buy`, `smart_trade` or `smart_cover`.
        r#type: Text;
        /// Page of the list, starting at 1; the service's default is 1.
        page: Integer [ServiceDefault("1"), Own(&AtLeast("1"))];
        /// Most records on a page, 1 to 100; the service's default is 10.
        per_page: Integer [Between("1", "100"), ServiceDefault("10")];
        /// Only SmartTrades of this group: `successfully_finish` has those with a profit of 0 or more.
        status: OneOf<SmartTradeGroup>;
        /// Sort key; the service's default is `status`.
        order_by: OneOf<SmartTradeOrder> [ServiceDefault("\"status\"")];
        /// Sort order; the service's default is `DESC`.
        order_direction: OneOf<OrderDirection> [ServiceDefault("\"DESC\"")];
        /// Only SmartTrades created at this time or later: seconds since 1970, ISO 8601, a datetime with a timezone, or a date (00:00 UTC).
        from_: Time = "from";
        /// Only SmartTrades created at this time or earlier.
        to: Time;
        /// Only SmartTrades on pairs with this base currency.
        base: Text;
        /// Only SmartTrades on pairs with this quote currency.
        quote: Text;
    }
    own [to | from_ => to_is_not_before_from]
}

fn to_is_not_before_from(request: &RequestBuilder) -> Option<Violation> {
    end_before_start(request, SmartTradeList::from_, SmartTradeList::to)
}

inputs! {
    /// The note on a SmartTrade.
    SmartTradeNote of "a note" {
        /// The note, 1 to 300 characters.
        note: Text [Required, Characters(1, 300)];
    }
}

/// The identifier of one of the trades of a SmartTrade.
const TRADE_ID: IdSpec = IdSpec {
    placeholder: "trade_id",
    name: "trade_id",
    id_type: IdType::Integer,
    noun: "order",
    about: ", which `trades` returns; that of a take-profit step is also in the step",
    samples: &["30111"],
};

/// The SmartTrades.
pub const RESOURCE: Resource = Resource::new("smart_trades", "The SmartTrades.")
    .of::<SmartTrade>()
    .called("trade", "a SmartTrade", "SmartTrades")
    .id("smart_trade_id", &["301"])
    .unknown_record(RefusalBody::new("Not found", "Smart Trade not found"))
    .watched(
        &Watched::ending(
            ("status", "active"),
            &[
                Sign::Given("data.closed_at"),
                Sign::True("data.finished"),
                Sign::OneOf("status.basic_type", &["cancelled", "failed"]),
            ],
        )
        .example("sandbox.add_smart_trade()", "opened")
        .profits(&["profit.usd"]),
    )
    .streamed(
        &Streamed::new("SmartTradesChannel", "/smart_trades", SmartTradesRead)
            .newest_first(&[("order_by", "updated_at"), ("order_direction", "DESC")])
            .times("data.updated_at", "data.created_at")
            .partial(),
    )
    .operations(&[
        get("smart_trades.list", "/v2/smart_trades")
            .section("Get the list of SmartTrades")
            .says("List one page of SmartTrades.", "The SmartTrades of the page.")
            .query(SmartTradeList::INPUTS)
            .until_empty()
            .pages_sorted_by("order_by", "created_at")
            .style(ArgumentStyle::Named)
            .returns::<List<SmartTrade>>()
            .limit(40, 10, 10)
            .needs(SmartTradesRead)
            .example(
                &["status=\"active\"", "per_page=2"],
                &["page = {call}", "[trade.status.basic_type for trade in page]"],
                "['waiting_targets', 'created']",
            ),
        get("smart_trades.get", "/v2/smart_trades/{id}")
            .section("Get SmartTrade")
            .says("Get {record} as it is now.", "The SmartTrade.")
            .returns::<SmartTrade>()
            .needs(SmartTradesRead)
            .refuses(&[refusal(400, NotFound, "The SmartTrade does not exist.")])
            .example(&[], &["trade = {call}", "trade.status.title"], "'Waiting Targets'"),
        get("smart_trades.reduce_funds_info", "/v2/smart_trades/{id}/reduce_funds_info")
            .section("Available reduce funds")
            .says("Get the amount by which the funds of {record} can be reduced.", "The amounts.")
            .details(&["The status of the SmartTrade must be `waiting_targets`."])
            .returns::<ReduceFundsInfo>()
            .needs(SmartTradesWrite)
            .refuses(&[refusal(400, WrongParams, "The status of the SmartTrade does not allow it.")])
            .example(&[], &["{call}.max_reduce_funds_amount > 0"], "True"),
        get("smart_trades.trades", "/v2/smart_trades/{id}/trades")
            .section("Get trades of SmartTrade")
            .says(
                "List the trades that the service made for {record}.",
                "The trades: the entry, the take-profit steps, the stop loss, the reductions and the close at market price.",
            )
            .returns::<List<Trade>>()
            .needs(SmartTradesRead)
            .example(&[], &["trades = {call}", "trades[0].trade_purpose"], "'position'"),
        post("smart_trades.create", "/v2/smart_trades")
            .section("Create SmartTrade")
            .says(
                "Create a SmartTrade: an entry with its take profit and its stop loss.",
                "The new SmartTrade, with the status `created` until its entry is placed.",
            )
            .details(&[
                "**An entry at the market price trades at once.** `instant=True` makes a simple buy or sell without targets. \
                 `skip_enter_step=True` sets targets for a position that is held already.",
            ])
            .json(SmartTradeCreate::INPUTS)
            .style(ArgumentStyle::Named)
            .short_forms(NEW)
            .previewed(&NEW_PREVIEW)
            .returns::<SmartTrade>()
            .created()
            .needs(SmartTradesWrite)
            .may_have("the SmartTrade may have been created; list the SmartTrades of the pair")
            .traces(&[trace("smart_trades.list").asked(&[("order_by", "created_at"), ("order_direction", "DESC")]).time(&["data", "created_at"]).has(&[("pair", "{pair}"), ("note", "{note}")])])
            .refuses(&[
                refusal(400, RecordInvalid, "The service rejected the values of fields."),
                refusal(422, RecordInvalid, "An order is outside of the limits of the exchange."),
                refusal(403, Forbidden, "The account is that of another user, or the API key lacks the permission."),
            ])
            .irreversible(&[])
            .example(
                &[
                    "account_id=1001",
                    "pair=\"USDT_ETH\"",
                    "side=\"buy\"",
                    "units=\"1\"",
                    "order=botdesk.Limit(\"900\")",
                    "take_profit=[(\"1000\", 50), botdesk.Trailing(\"1100\", \"1%\")]",
                    "stop_loss=botdesk.StopLoss(\"800\", breakeven=True, timeout=60)",
                ],
                &["trade = {call}", "trade.refresh().status.basic_type"],
                "'waiting_position'",
            ),
        patch("smart_trades.edit", "/v2/smart_trades/{id}")
            .section("Edit SmartTrade")
            .says("Edit {record}: replace the given parts and keep all others.", "The SmartTrade after the change.")
            .details(&[
                "Each part is replaced as a whole, so give all of its members; one with `enabled` false is removed. Orders at the \
                 targets are placed again, with other identifiers.",
                "A SmartTrade can be edited while its status is `waiting_position` or `waiting_targets`: `data.editable` is true then.",
            ])
            .json(SmartTradeEdit::INPUTS)
            .style(ArgumentStyle::Keyword)
            .short_forms(EDIT)
            .previewed(&EDIT_PREVIEW)
            .returns::<SmartTrade>()
            .needs(SmartTradesWrite)
            .may_have("the SmartTrade may have been changed; read it again")
            .refuses(&[
                refusal(400, RecordInvalid, "The service rejected the values of fields."),
                refusal(400, WrongParams, "The status of the SmartTrade does not allow it."),
            ])
            .irreversible(&["pair"])
            .example(&["stop_loss={\"enabled\": False}"], &["{call}.stop_loss.enabled"], "False"),
        post("smart_trades.add_funds", "/v2/smart_trades/{id}/add_funds")
            .section("Add funds")
            .says("Add to the position of {record}.", "The SmartTrade after the change.")
            .details(&[
                "**An order at the market price trades at once.** `data.add_funds_available` says whether funds can be added: not \
                 with trailing, and not to a simple buy or sell.",
            ])
            .json(FundsOrder::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<SmartTrade>()
            .created()
            .needs(SmartTradesWrite)
            .may_have("the funds may have been added; list the trades of the SmartTrade")
            .refuses(&[
                refusal(400, RecordInvalid, "The service rejected the values of fields."),
                refusal(422, RecordInvalid, "The order is below the minimum of the exchange."),
                refusal(400, WrongParams, "The status of the SmartTrade does not allow it."),
            ])
            .irreversible(&["pair"])
            .example(
                &["order_type=\"market\"", "units={\"value\": \"0.5\"}"],
                &["before = client.smart_trades.get(301).data.entered_amount", "{call}.data.entered_amount > before"],
                "True",
            ),
        post("smart_trades.reduce_funds", "/v2/smart_trades/{id}/reduce_funds")
            .section("Reduce funds")
            .says(
                "Sell a part of the position of {record}, or buy it back if it is short.",
                "The SmartTrade, with the status `pending_reduce_funds` until the order is filled.",
            )
            .details(&[
                "**An order at the market price trades at once.** `reduce_funds_info` has the largest quantity.",
                "A SmartTrade has no method of this name, because its field `reduce_funds` has the reductions.",
            ])
            .json(FundsOrder::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<SmartTrade>()
            .created()
            .needs(SmartTradesWrite)
            .adds_no_volume()
            .may_have("the funds may have been reduced; list the trades of the SmartTrade")
            .refuses(&[
                refusal(400, WrongParams, "The status of the SmartTrade does not allow it."),
                refusal(422, RecordInvalid, "The quantity, or what would be left, is too small."),
            ])
            .irreversible(&["pair"])
            .example(
                &["order_type=\"market\"", "units={\"value\": \"0.5\"}"],
                &["{call}.status.basic_type"],
                "'pending_reduce_funds'",
            ),
        post("smart_trades.close", "/v2/smart_trades/{id}/close_by_market")
            .section("Close at market price")
            .says(
                "Close {record} at the market price.",
                "The SmartTrade, with the status `panic_sell_pending` until the order is filled.",
            )
            .details(&["`data.panic_sell_available` says whether the SmartTrade can be closed."])
            .returns::<SmartTrade>()
            .created()
            .needs(SmartTradesWrite)
            .adds_no_volume()
            .may_have("the SmartTrade may have been closed")
            .refuses(&[refusal(400, WrongParams, "The status of the SmartTrade does not allow it.")])
            .many()
            .irreversible(&["pair"])
            .example(&[], &["{call}.status.basic_type"], "'panic_sell_pending'"),
        post("smart_trades.set_note", "/v2/smart_trades/{id}/set_note")
            .section("Add a note")
            .says("Set the note on {record}.", "The SmartTrade after the change.")
            .json(SmartTradeNote::INPUTS)
            .returns::<SmartTrade>()
            .created()
            .needs(SmartTradesWrite)
            .adds_no_volume()
            .may_have("the note may have been set")
            .refuses(&[
                refusal(400, RecordInvalid, "The note is empty or too long."),
                refusal(401, SignatureInvalid, "The signature is invalid."),
            ])
            .example(&["\"Out before the weekend\""], &["{call}.note"], "'Out before the weekend'"),
        delete("smart_trades.cancel", "/v2/smart_trades/{id}")
            .section("Cancel SmartTrade")
            .says(
                "Cancel {record} without closing its position.",
                "The SmartTrade, with the status `cancellation_pending` until its orders are cancelled.",
            )
            .details(&[
                "What was bought stays on the account. `data.cancel_available` says whether the SmartTrade can be cancelled.",
            ])
            .returns::<SmartTrade>()
            .needs(SmartTradesWrite)
            .adds_no_volume()
            .may_have("the SmartTrade may have been cancelled")
            .refuses(&[
                refusal(400, NotFound, "The SmartTrade does not exist."),
                refusal(400, WrongParams, "The status of the SmartTrade does not allow it."),
            ])
            .many()
            .irreversible(&["pair"])
            .example(&[], &["{call}.status.basic_type"], "'cancellation_pending'"),
        post("smart_trades.force_start", "/v2/smart_trades/{id}/force_start")
            .section("Force start")
            .says(
                "Enter the position of {record} at the market price, without waiting for its entry.",
                "The SmartTrade; the status of its position is `panic_sell_pending` until the order is filled.",
            )
            .details(&["`data.force_start_available` says whether the position can be entered."])
            .returns::<SmartTrade>()
            .created()
            .needs(SmartTradesWrite)
            .may_have("the position may have been entered")
            .refuses(&[refusal(400, WrongParams, "The status of the SmartTrade or of its position does not allow it.")])
            .irreversible(&["pair"])
            .example_ids(&["300"])
            .example(&[], &["{call}.position.status.title"], "'Panic closing'"),
        post("smart_trades.close_trade", "/v2/smart_trades/{id}/trades/{trade_id}/close_by_market")
            .section("Close trade by market")
            .says(
                "Close a take-profit step of {record} at the market price.",
                "The SmartTrade; the status of the step is `panic_sell_pending` until the order is filled.",
            )
            .details(&["Only a step with the status `to_process`, `order_placed` or `trailing_activated` can be closed."])
            .more_ids(&[TRADE_ID])
            .returns::<SmartTrade>()
            .created()
            .needs(SmartTradesWrite)
            .adds_no_volume()
            .may_have("the step may have been closed")
            .refuses(&[refusal(400, WrongParams, "The order is no take-profit step, or its status does not allow it.")])
            .irreversible(&["pair"])
            .example(&["30111"], &["{call}.take_profit.steps[0].status.title"], "'Panic closing'"),
        delete("smart_trades.cancel_trade", "/v2/smart_trades/{id}/trades/{trade_id}")
            .section("Cancel trade")
            .says("Cancel an order of {record}.", "The SmartTrade after the change.")
            .details(&[
                "**The SmartTrade is cancelled as well** if its last take-profit step goes, or its stop loss: its status is then \
                 `cancellation_pending`.",
            ])
            .more_ids(&[TRADE_ID])
            .returns::<SmartTrade>()
            .needs(SmartTradesWrite)
            .adds_no_volume()
            .may_have("the order may have been cancelled, and the SmartTrade with it")
            .refuses(&[refusal(400, WrongParams, "The order can't be cancelled.")])
            .irreversible(&["pair"])
            .example(&["30113"], &["[step.volume for step in {call}.take_profit.steps]"], "[Decimal('50.0'), Decimal('25.0')]"),
    ]);
