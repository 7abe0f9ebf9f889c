//! SmartTrades: single trades with targets, and the orders that the service makes for them.

use super::choices::OrderDirection;
use super::smart_trade_closing::{MarketClose, ReduceFunds};
use super::smart_trade_data::{AccountReference, Data, Margin, Profit, Trade};
use super::smart_trade_position::{Leverage, Position, Status};
use super::smart_trade_targets::{StopLoss, TakeProfit};
use super::time_span::end_before_start;
use botdesk_schema::choices;
use botdesk_schema::error::ApiErrorKind::{NotFound, WrongParams};
use botdesk_schema::input::Rule::{AtLeast, Between, Own, ServiceDefault};
use botdesk_schema::input::{RequestBuilder, Time, Violation};
use botdesk_schema::inputs;
use botdesk_schema::operation::{Style, get, refusal};
use botdesk_schema::permission::Permission::{SmartTradesRead, SmartTradesWrite};
use botdesk_schema::record;
use botdesk_schema::resource::Resource;
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
        stop_loss: StopLoss, sample({"enabled": false});
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
        /// Only SmartTrades of this group: `successfully_finish` has those that finished without a loss.
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

/// The SmartTrades.
pub const RESOURCE: Resource = Resource::new("smart_trades", "The SmartTrades.")
    .of::<SmartTrade>()
    .called("trade", "a SmartTrade", "SmartTrades")
    .id("smart_trade_id", &["301"])
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
    .operations(&[
        get("smart_trades.list", "/v2/smart_trades")
            .section("Get the list of SmartTrades")
            .says("List one page of SmartTrades.", "The SmartTrades of the page.")
            .query(SmartTradeList::INPUTS)
            .style(Style::Named)
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
    ]);
