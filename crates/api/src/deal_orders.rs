//! The orders of a deal, and the data to size another one.

use super::choices::Direction;
use botdesk_schema::choices;
use botdesk_schema::record;
use botdesk_schema::values::{Bool, Decimal, Integer, OneOf, Text, Timestamp};

choices! {
    /// Side of an order of a deal.
    DealOrderSide = "BUY" | "SELL" | "Buy" | "Sell";
    /// Purpose of an order of a deal.
    DealOrderType = "Base" | "Take Profit" | "Take profit" | "Stop Loss" | "Safety" | "Manual Safety";
    /// Status of an order of a deal.
    OrderStatus = "Active" | "Filled" | "Finished" | "Cancelled" | "Inactive";
}

record! {
    /// An order of a deal.
    Order {
        /// Identifier of the order, which the service sends as digits in a string.
        order_id: Integer, in_repr, sample("0");
        /// Side of the order.
        order_type: OneOf<DealOrderSide>, in_repr;
        /// Purpose of the order.
        deal_order_type: OneOf<DealOrderType>, in_repr;
        /// True if the order can be cancelled.
        cancellable: Bool;
        /// Status of the order: `Active` (open), `Filled`, `Cancelled` or another.
        status_string: OneOf<OrderStatus>, in_repr;
        /// Time when the order was placed.
        created_at: Timestamp;
        /// Time when the order last changed.
        updated_at: Timestamp;
        /// Quantity, in the base currency.
        quantity: Decimal, in_repr;
        /// Quantity that was not filled, in the base currency.
        quantity_remaining: Decimal;
        /// Volume that was filled, in the quote currency, with fees.
        total: Decimal;
        /// Price of the order; 0 if it has none.
        rate: Decimal, in_repr;
        /// Average price of what was filled, with fees; 0 before.
        average_price: Decimal;
    }
}

record! {
    /// The limits of orders on a pair.
    OrderLimits {
        /// Lowest price of an order.
        min_price: Decimal = "minPrice";
        /// Highest price of an order.
        max_price: Decimal = "maxPrice";
        /// Tick: the increment of prices.
        price_step: Decimal = "priceStep", in_repr;
        /// Factor of the current price for the lowest price of an order.
        price_multiplier_down: Decimal = "priceMultiplierDown", sample("0.2");
        /// Factor of the current price for the highest price of an order.
        price_multiplier_up: Decimal = "priceMultiplierUp", sample("5");
        /// Smallest quantity of an order, in the base currency.
        min_lot_size: Decimal = "minLotSize";
        /// Increment of quantities, in the base currency.
        lot_step: Decimal = "lotStep", in_repr;
        /// Smallest volume of an order, in the quote currency.
        min_total: Decimal = "minTotal", in_repr;
        /// Largest market order to buy, in the base currency.
        max_market_buy_amount: Decimal = "maxMarketBuyAmount";
        /// Largest market order to sell, in the base currency.
        max_market_sell_amount: Decimal = "maxMarketSellAmount";
        /// Smallest market order to buy, in the base currency.
        min_market_buy_amount: Decimal = "minMarketBuyAmount";
        /// Smallest market order to sell, in the base currency.
        min_market_sell_amount: Decimal = "minMarketSellAmount";
        /// Largest quantity of an order, in the base currency.
        max_lot_size: Decimal = "maxLotSize";
        /// Smallest volume of a market order to buy, in the quote currency.
        market_buy_min_total: Decimal = "marketBuyMinTotal";
    }
}

record! {
    /// What is needed to size a safety order of a deal by hand.
    FundsData {
        /// Current price of the pair.
        orderbook_price: Decimal, in_repr, volatile;
        /// How the price is computed.
        price_per_one_unit_strategy_name: Text, sample("orderbook_price");
        /// Identifier of the account that the deal trades on.
        account_id: Integer;
        /// Quote currency of the pair.
        quote_currency: Text;
        /// Base currency of the pair.
        base_currency: Text;
        /// Currency of the funds that can be added.
        adding_funds_currency: Text, in_repr;
        /// Free amount of the quote currency on the account.
        available_amount: Decimal, in_repr, volatile;
        /// Limits of orders on the pair.
        limits: OrderLimits, sample({});
        /// True if market orders are possible.
        market_supported: Bool, sample(true);
        /// True if the pair is a contract.
        is_contract: Bool;
        /// Currency of the order book's prices.
        orderbook_price_currency: Text;
        /// Price at which the deal takes profit.
        take_profit_price: Decimal;
        /// Price at which the loss is stopped; None without a stop loss.
        stop_loss_price: Decimal, sample(null);
        /// Class of the account.
        account_type: Text;
        /// Direction of the deal.
        deal_type: OneOf<Direction>;
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text, in_repr;
        /// Smallest volume of an order, in the quote currency.
        limit: Decimal;
        /// Smallest volume of a market order to buy, in the quote currency.
        market_buy_min_total: Decimal;
        /// Smallest quantity of an order, in the base currency.
        min_lot_size: Decimal;
        /// Leverage, if it is custom.
        leverage_custom_value: Decimal, sample(null);
        /// Leverage type; `not_specified` outside of futures.
        leverage_type: Text, sample("not_specified");
    }
}
