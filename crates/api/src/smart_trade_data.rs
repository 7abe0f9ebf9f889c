//! The figures of a SmartTrade: what is possible with it, its totals, its profit and its margin.

use super::choices::PriceType;
use botdesk_schema::choices;
use botdesk_schema::record;
use botdesk_schema::values::{Any, Bool, Decimal, Integer, OneOf, Text, Timestamp};

choices! {
    /// Kind of a SmartTrade.
    SmartTradeType = "simple_buy" | "simple_sell" | "smart_sell" | "smart_buy" | "smart_trade" | "smart_cover";
}

record! {
    /// The account that a SmartTrade trades on.
    AccountReference {
        /// Identifier of the account.
        id: Integer, in_repr;
        /// Code of the exchange, such as `paper_trading`.
        r#type: Text;
        /// Name of the account.
        name: Text, in_repr, in_cell;
        /// Name of the exchange, to show.
        market: Text;
        /// Address of the account's page, without the host.
        link: Text;
    }
}

record! {
    /// The actions that a SmartTrade allows, its totals and its times.
    Data {
        /// True if the SmartTrade can be changed.
        editable: Bool;
        /// Current prices of the pair.
        current_price: CurrentPrice, volatile, sample({});
        /// Kind of the prices of targets, such as `price`; its meaning is undocumented.
        target_price_type: Text, sample("price");
        /// Currency of the prices.
        orderbook_price_currency: Text, sample("USDT");
        /// Undocumented: it is set even before the entry is filled; use `base_position_step_finished`.
        base_order_finished: Bool, sample(true);
        /// Quantity that the account lacks to close the position.
        missing_funds_to_close: Decimal;
        /// Price at which the exchange liquidates a futures position.
        liquidation_price: Decimal, sample(null);
        /// Average price of the entry, with fees; None until it is filled.
        average_enter_price: Decimal, nullable;
        /// Average price at which the position was closed, with fees.
        average_close_price: Decimal, sample(null);
        /// Average price of the entry, without fees.
        average_enter_price_without_commission: Decimal, nullable;
        /// Average price at which the position was closed, without fees.
        average_close_price_without_commission: Decimal, sample(null);
        /// True if the position can be closed at market price.
        panic_sell_available: Bool, sample(true);
        /// True if funds can be added.
        add_funds_available: Bool, sample(true);
        /// True if funds can be reduced.
        reduce_funds_available: Bool, sample(true);
        /// True if the position can be entered at market price.
        force_start_available: Bool;
        /// True if the SmartTrade has not ended.
        force_process_available: Bool, sample(true);
        /// True if the SmartTrade can be cancelled.
        cancel_available: Bool, sample(true);
        /// True if the SmartTrade was completed; false after a cancellation or a failure.
        finished: Bool, in_repr;
        /// True if the entry is over, even if it failed.
        base_position_step_finished: Bool, sample(true);
        /// Entered quantity in the base currency, with added funds.
        entered_amount: Decimal, in_repr;
        /// Entered value in the quote currency, with added funds.
        entered_total: Decimal;
        /// Closed quantity in the base currency.
        closed_amount: Decimal, in_repr;
        /// Closed value in the quote currency.
        closed_total: Decimal;
        /// Fee with which the close is estimated, as a fraction.
        commission: Decimal, sample(0.001);
        /// Time when the SmartTrade was created.
        created_at: Timestamp;
        /// Time when the SmartTrade last changed.
        updated_at: Timestamp, volatile, nullable;
        /// Time when the SmartTrade ended; absent until then.
        closed_at: Timestamp, sample(null);
        /// Kind of the SmartTrade.
        r#type: OneOf<SmartTradeType>, in_repr, sample("smart_trade");
    }
}

record! {
    /// The current prices of the pair of a SmartTrade.
    CurrentPrice {
        /// Highest price of an order to buy.
        bid: Decimal, in_repr;
        /// Lowest price of an order to sell.
        ask: Decimal, in_repr;
        /// Price of the last trade.
        last: Decimal, in_repr;
        /// Volume of 24 hours, in the quote currency.
        quote_volume: Decimal;
        /// Change in 24 hours, in percent.
        day_change_percent: Decimal;
    }
}

record! {
    /// The profit of a SmartTrade.
    Profit {
        /// Profit in the quote currency; None until the entry is filled, and after a cancellation or a failure.
        volume: Decimal, in_repr, nullable;
        /// Profit in USD; None like `volume`.
        usd: Decimal, in_repr, in_cell_with(USD), nullable;
        /// Profit in percent of the entered value; 0 if there is no `volume`.
        percent: Decimal, volatile, in_repr, in_cell_with(%);
        /// Return on equity, for futures.
        roe: Decimal, sample(null);
    }
}

record! {
    /// The margin of a SmartTrade.
    Margin {
        /// Margin in the base currency.
        amount: Decimal, in_repr, sample(null);
        /// Margin in the quote currency.
        total: Decimal, in_repr, sample(null);
    }
}

choices! {
    /// Purpose of a trade of a SmartTrade.
    TradePurpose = "position" | "take_profit" | "stop_loss" | "reduce_funds";
    /// Comparison of the current price with a trigger.
    TriggerCondition = "less" | "less_or_equal" | "greater" | "greater_or_equal";
}

record! {
    /// A trade that the service made for a SmartTrade: its entry, a target, a reduction or its close at market price.
    Trade {
        /// Identifier of the trade.
        id: Integer, in_repr;
        /// Average price of the filled parts, weighted by quantity.
        average_price: Decimal, nullable;
        /// The price that the trade follows.
        follow_price_type: OneOf<PriceType>, sample("last");
        /// Wanted quantity in the base currency.
        initial_amount: Decimal, in_repr;
        /// Wanted value in the quote currency.
        initial_total: Decimal;
        /// Wanted price; of a stop loss, its trigger.
        initial_price: Decimal, in_repr;
        /// Price of a limit order; None for a market order.
        order_price: Decimal, nullable;
        /// Side of the order, in any case of letters.
        order_side: Text, in_repr, sample("sell");
        /// Type of the order, in any case of letters.
        order_type: Text, sample("limit");
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text, sample("USDT_ETH");
        /// Part of the position, in percent.
        position_percentage: Decimal, nullable;
        /// Filled quantity in the base currency, after the fee.
        realised_amount: Decimal, nullable;
        /// Filled value in the quote currency.
        realised_total: Decimal, nullable;
        /// Filled part of the trade, in percent.
        realised_percentage: Decimal;
        /// Average price of the filled parts, rounded down to the tick.
        realised_price: Decimal, nullable;
        /// Code of the status, such as `to_process` or `finished`.
        status: Text, in_repr, sample("to_process");
        /// Price of a take-profit step as a distance from the entry, in percent.
        take_profit_percentage: Decimal, sample(null);
        /// Purpose of the trade.
        trade_purpose: OneOf<TradePurpose>, in_repr, sample("take_profit");
        /// Distance at which the trade follows the price, in percent.
        trail_percentage: Decimal, sample(null);
        /// Distance at which the trade follows the price, in the quote currency.
        trail_value: Decimal, sample(null);
        /// True if the trade follows the price.
        trailing_enabled: Bool;
        /// The last price that the trade followed.
        trailing_last_price: Decimal, sample(null);
        /// Time of that price; its type is undocumented.
        trailing_last_price_updated_at: Any, sample(null);
        /// Comparison of the current price with the trigger.
        trigger_condition: OneOf<TriggerCondition>, sample(null);
        /// The trigger price.
        trigger_price: Decimal, sample(null);
        /// The trigger as a distance from the entry, in percent.
        trigger_price_percentage: Decimal, sample(null);
        /// Kind of the trigger: `none`, `conditional` or another.
        trigger_type: Text, sample("none");
        /// Time when the trade was created.
        created_at: Timestamp;
        /// Time when the trade last changed.
        updated_at: Timestamp;
        /// True if the trade can be cancelled.
        cancelable: Bool, sample(true);
        /// True if the trade can be closed at market price.
        force_processable: Bool, sample(true);
    }
}
