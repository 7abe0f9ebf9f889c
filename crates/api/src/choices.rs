//! Enumerations that fields of several records share.

use super::values::choices;

choices! {
    /// Which way a bot bets.
    Direction = "long" | "short";
    /// What a take profit is a percentage of.
    TakeProfitType = "base" | "total";
    /// What a least profit is a percentage of.
    MinProfitType = "base_order_volume" | "total_bought_volume";
    /// Which currency profit is taken in.
    ProfitCurrency = "quote_currency" | "base_currency";
    /// What happens at the stop loss.
    StopLossType = "stop_loss" | "stop_loss_and_disable_bot";
    /// What a volume is counted in.
    VolumeType = "quote_currency" | "base_currency" | "percent";
    /// How leverage is set; what an edit may ask for.
    LeverageChoice = "cross" | "isolated";
}
