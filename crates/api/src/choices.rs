//! Enumerations that fields of several records share.

use botdesk_schema::choices;

choices! {
    /// Direction of a bot.
    Direction = "long" | "short";
    /// Base of a take-profit percentage.
    TakeProfitType = "base" | "total";
    /// Base of a minimum-profit percentage.
    MinProfitType = "base_order_volume" | "total_bought_volume";
    /// Currency of the profit.
    ProfitCurrency = "quote_currency" | "base_currency";
    /// Action at the stop loss.
    StopLossType = "stop_loss" | "stop_loss_and_disable_bot";
    /// Unit of a volume.
    VolumeType = "quote_currency" | "base_currency" | "percent";
    /// Sort order of a list.
    OrderDirection = "ASC" | "DESC";
    /// Leverage types that an edit accepts.
    LeverageChoice = "cross" | "isolated";
    /// Side of an order.
    OrderSide = "buy" | "sell";
    /// Type of an order.
    OrderType = "market" | "limit";
    /// The price that a trigger follows.
    PriceType = "bid" | "ask" | "last";
}
