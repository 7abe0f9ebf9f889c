//! What DCA bots and their deals have earned.

use botdesk_schema::record;
use botdesk_schema::values::{Bool, Decimal, Integer, Map, Text};

record! {
    /// An amount in BTC and in USD.
    DailyAmounts {
        /// The amount in BTC.
        btc: Decimal, in_repr;
        /// The amount in USD.
        usd: Decimal, in_repr;
    }
}

record! {
    /// The profit of a bot on one day.
    DailyProfit {
        /// The day in UTC, as `YYYY-MM-DD`.
        s_date: Text, in_repr, sample("1970-01-01");
        /// The first second of the day in UTC, in seconds since 1970.
        unix_timestamp: Integer;
        /// Profit of the day; negative for a loss.
        profit: DailyAmounts, in_repr, sample({"btc": "0.0", "usd": "0.0"});
    }
}

record! {
    /// Profits of bots, in USD.
    UsdProfits {
        /// Profit of all finished deals.
        overall_usd_profit: Decimal, in_repr, volatile;
        /// Profit of the deals that finished today.
        today_usd_profit: Decimal, in_repr, volatile;
        /// Profit of the open deals at current prices.
        active_deals_usd_profit: Decimal, in_repr, volatile;
        /// Volume of the open deals.
        funds_locked_in_active_deals: Decimal, volatile;
    }
}

record! {
    /// Profits of all DCA bots, of one, or of those on an account.
    BotStats {
        /// Profit of all finished deals, by currency.
        overall_stats: Map<Decimal>, volatile;
        /// Profit of the deals that finished today, by currency.
        today_stats: Map<Decimal>, volatile;
        /// The same in USD, and the open deals.
        profits_in_usd: UsdProfits, in_repr, volatile, sample({});
    }
}

record! {
    /// Profit of bots on one day.
    StatsByDate {
        /// Profit of the day, by currency.
        stats: Map<Decimal>, also(profits_in_usd), volatile;
        /// Profit of the day, in USD.
        usd_profit: Decimal, in_repr, volatile;
        /// Profit of the day, in BTC.
        btc_profit: Decimal, in_repr, volatile;
    }
}

record! {
    /// Numbers and profits of the deals of a bot.
    DealsStats {
        /// Number of open deals.
        active: Integer, in_repr, volatile;
        /// Number of deals that closed with success.
        completed: Integer, in_repr, volatile;
        /// Number of deals that were closed by hand at the market price.
        panic_sold: Integer, in_repr, volatile;
        /// True if profit is counted in dollars.
        from_currency_is_dollars: Bool, sample(true);
        /// Profit of the completed deals, in USD.
        completed_deals_usd_profit: Decimal, in_repr, volatile;
        /// Profit of the open deals at current prices, in USD.
        active_deals_usd_profit: Decimal, volatile;
        /// Profit of the completed deals, in BTC.
        completed_deals_btc_profit: Decimal, volatile;
        /// Profit of the open deals at current prices, in BTC.
        active_deals_btc_profit: Decimal, volatile;
        /// Volume of the open deals, in USD.
        funds_locked_in_active_deals: Decimal, volatile;
        /// Volume of the open deals, in BTC.
        btc_funds_locked_in_active_deals: Decimal, volatile;
    }
}
