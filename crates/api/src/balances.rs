//! The balances of an account: its currencies, the share of each, and its value over time.

use botdesk_schema::choices;
use botdesk_schema::record;
use botdesk_schema::values::{Bool, Decimal, Integer, OneOf, Text, UnixTime};

choices! {
    /// Side of a position.
    PositionType = "long" | "short";
}

record! {
    /// An amount of a currency.
    Money {
        /// Code of the currency.
        currency: Text, in_repr, sample("USD");
        /// The amount.
        amount: Decimal, in_repr;
    }
}

record! {
    /// The value of an account at a point in time.
    BalancePoint {
        /// The time.
        date: UnixTime, in_repr, sample(1711929600);
        /// Value of the account, in USD.
        usd: Decimal, in_repr;
        /// Value of the account, in BTC.
        btc: Decimal, in_repr;
        /// Amount that was deposited on the day, in BTC.
        btc_deposit_amount: Decimal;
        /// Amount that was deposited on the day, in USD.
        usd_deposit_amount: Decimal;
    }
}

record! {
    /// The share of a currency in an account.
    BalanceShare {
        /// Identifier of the account; None for all accounts of the summary together.
        account_id: Integer, nullable;
        /// Code of the currency.
        code: Text, in_repr, sample("USDT");
        /// Identifier of the currency at CoinMarketCap.
        coinmarketcapid: Text, sample("825");
        /// Name of the currency, with its code in parentheses.
        name: Text, sample("Tether (USDT)");
        /// Share of the currency in the account's value, in percent; the same as `percentage`.
        y: Decimal;
        /// Share of the currency in the account's value, in percent.
        percentage: Decimal, in_repr;
        /// Amount of the currency.
        amount: Decimal, in_repr;
        /// Value of the amount, in BTC.
        btc_value: Decimal;
        /// Value of the amount, in USD.
        usd_value: Decimal, in_repr;
        /// Value of the amount, in the display currency.
        primary_display_currency: Money, sample({"currency": "USD", "amount": "0.0"});
    }
}

record! {
    /// The balance of a currency in an account, with its orders and prices.
    Balance {
        /// Code of the currency.
        currency_code: Text, in_repr, sample("USDT");
        /// Name of the currency.
        currency_name: Text, sample("Tether");
        /// URL of the currency's icon.
        currency_icon: Text, nullable;
        /// Name of the currency in URLs.
        currency_slug: Text, nullable, sample("tether");
        /// Share of the currency in the account's value, in percent.
        percentage: Decimal;
        /// Amount of the currency.
        position: Decimal, in_repr;
        /// Part of the amount that is neither in orders nor borrowed.
        position_available: Decimal, in_repr;
        /// Side of the position: `long` or `short`; None if it has no side. The service sends 0 in place of null.
        position_type: OneOf<PositionType>, none(0), sample(0);
        /// Borrowed amount.
        borrowed: Decimal;
        /// Part of the amount that is in orders.
        on_orders: Decimal, in_repr;
        /// Amount that is in orders, with leverage.
        on_orders_with_leverage: Decimal;
        /// Amount in orders of long positions.
        on_orders_long: Decimal;
        /// Amount in orders of short positions.
        on_orders_short: Decimal;
        /// Equity.
        equity: Decimal;
        /// Price of the currency, in BTC.
        current_price: Decimal, volatile;
        /// Price of the currency, in USD.
        current_price_usd: Decimal, volatile;
        /// Change of the price since yesterday in the display currency, in percent.
        day_change_percent: Decimal, volatile;
        /// Change of the price in BTC since yesterday, in percent.
        day_change_percent_btc: Decimal, volatile;
        /// Change of the price in USD since yesterday, in percent.
        day_change_percent_usd: Decimal, volatile;
        /// Value of the amount, in BTC.
        btc_value: Decimal, volatile;
        /// Value of the amount, in USD.
        usd_value: Decimal, volatile, in_repr;
        /// Amount that is available for long positions.
        available_long: Decimal;
        /// Amount that is available for short positions.
        available_short: Decimal;
        /// Amount that is available for long positions, with leverage.
        available_with_leverage_long: Decimal;
        /// Amount that is available for short positions, with leverage.
        available_with_leverage_short: Decimal;
        /// Identifier of the account; None for all accounts of the summary together.
        account_id: Integer, nullable;
        /// True if the account is a wallet.
        is_wallet: Bool;
    }
}
