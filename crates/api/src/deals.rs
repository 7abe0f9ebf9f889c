//! Deals of a DCA bot.

use super::choices::{
    Direction, MinProfitType, OrderDirection, ProfitCurrency, StopLossType, TakeProfitType, VolumeType,
};
use super::deal_orders::{FundsData, Order};
use super::deal_parts::{BuyStep, Chart, DealEvent, DealStep};
use super::safety_step::SafetyStep;
use super::strategy::Strategy;
use super::time_span::end_before_start;
use botdesk_schema::choices;
use botdesk_schema::input::Rule::{AtLeast, Between, ServiceDefault};
use botdesk_schema::input::{IsoTime, RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::operation::{Style, get};
use botdesk_schema::permission::Permission::BotsRead;
use botdesk_schema::record;
use botdesk_schema::resource::Resource;
use botdesk_schema::values::{Any, Bool, Decimal, Integer, List, Object, OneOf, Text, Timestamp};
use botdesk_schema::watched::{Sign, Watched};

choices! {
    /// Status of a deal.
    DealStatus = "base_order_placed" | "bought" | "ttp_order_placed" | "close_strategy_activated" | "panic_sell_pending"
        | "cancel_pending" | "completed" | "cancelled" | "stop_loss_finished" | "panic_sold" | "failed" | "liquidated"
        | "settled";
    /// Market that a deal trades on.
    MarketType = "spot" | "futures";
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
        created_at: Timestamp;
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
        completed_safety_orders_count: Integer;
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

/// The deals of DCA bots.
pub const RESOURCE: Resource = Resource::new("deals", "The deals of DCA bots.")
    .of::<Deal>()
    .called("deal", "a deal", "deals")
    .id("deal_id", &["410", "430"])
    .watched(
        &Watched::ending(("scope", "active"), &[Sign::True("finished?"), Sign::Given("closed_at")])
            .example("sandbox.set_price(\"USDT_DOGE\", 5)", "closed")
            .profits(&["actual_usd_profit"]),
    )
    .operations(&[
        get("deals.list", "/ver1/deals")
            .section("List deals")
            .says("List one page of deals, open and finished ones.", "The deals of the page.")
            .query(DealList::INPUTS)
            .style(Style::Named)
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
    ]);
