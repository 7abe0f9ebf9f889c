//! Markets: the exchanges that can be connected, their pairs, prices and order limits.

use super::accounts::LeverageType;
use botdesk_schema::choices;
use botdesk_schema::input::Rule::Required;
use botdesk_schema::inputs;
use botdesk_schema::operation::get;
use botdesk_schema::record;
use botdesk_schema::resource::Resource;
use botdesk_schema::values::{Bool, Decimal, List, OneOf, Text};

choices! {
    /// What the order limits of a pair are for: DCA, signal and grid bots, or SmartTrades.
    LimitType = "bot" | "smart_trade";
}

record! {
    /// An input of a connection to an exchange.
    FormField {
        /// Name of the input of `client.accounts.add`.
        field: Text, in_repr, sample("api_key");
        /// Label, to show.
        localized_name: Text, in_repr, sample("API key:");
    }
}

record! {
    /// The inputs of a connection to an exchange.
    FormFields {
        /// The inputs that must be given.
        required: List<FormField>;
        /// The inputs that may be given.
        optional: List<FormField>;
    }
}

record! {
    /// An exchange that can be connected.
    Market {
        /// Name of the exchange, to show.
        market_name: Text, in_repr;
        /// URL of the exchange.
        market_url: Text;
        /// URL of the exchange's icon.
        market_icon: Text;
        /// URL of the help about the connection.
        help_link: Text;
        /// Code of the exchange: the `type` of a new account, and the `market_code` of pairs and rates.
        market_code: Text, in_repr;
        /// The inputs of the connection.
        form_fields: FormFields, sample({"required": [], "optional": []});
        /// Ways to connect, such as `form` and `fast_connect`.
        available_connection_flows: List<Text>, sample(["form"]);
        /// True if the exchange lets third-party applications connect.
        third_party_allowed: Bool;
        /// IP addresses and ranges that the exchange must allow.
        trusted_ips: List<Text>;
        /// Form in which the exchange takes the IP addresses.
        trusted_ips_input_type: Text, sample("inline");
        /// Name of the exchange for the quick connection.
        fast_connect_action_name: Text, nullable;
    }
}

record! {
    /// The prices and the order limits of a pair.
    PairRates {
        /// Last price.
        last: Decimal, in_repr, volatile;
        /// Highest price that a buyer offers.
        bid: Decimal, in_repr, volatile;
        /// Lowest price that a seller asks for.
        ask: Decimal, in_repr, volatile;
        /// Lowest price that a seller asks for, in the order book.
        orderbook_ask: Decimal, volatile;
        /// Highest price that a buyer offers, in the order book.
        orderbook_bid: Decimal, volatile;
        /// Last price, in the order book.
        orderbook_last: Decimal, volatile;
        /// Currency of the order book's prices.
        orderbook_price_currency: Text;
        /// How the price is computed.
        strategy_name: Text, sample("orderbook_price");
        /// How the price of the contract is computed.
        contract_strategy_name: Text, sample("orderbook_price");
        /// Kind of the market, such as `spot` or `linear_futures`.
        instrument_kind: Text = "instrumentKind", sample("spot");
        /// Lowest price of an order.
        min_price: Decimal = "minPrice";
        /// Highest price of an order.
        max_price: Decimal = "maxPrice";
        /// Tick: the increment of prices.
        price_step: Decimal = "priceStep";
        /// Smallest quantity of an order, in the base currency.
        min_lot_size: Decimal = "minLotSize";
        /// Increment of quantities, in the base currency.
        lot_step: Decimal = "lotStep";
        /// Largest market order to buy, in the base currency.
        max_market_buy_amount: Decimal = "maxMarketBuyAmount";
        /// Largest market order to sell, in the base currency.
        max_market_sell_amount: Decimal = "maxMarketSellAmount";
        /// Factor for the lowest price of an order to buy.
        bid_multiplier_down: Decimal = "bidMultiplierDown", unlisted;
        /// Factor for the highest price of an order to buy.
        bid_multiplier_up: Decimal = "bidMultiplierUp", sample("5");
        /// Factor for the highest price of an order to sell.
        ask_multiplier_up: Decimal = "askMultiplierUp", unlisted;
        /// Factor for the lowest price of an order to sell.
        ask_multiplier_down: Decimal = "askMultiplierDown", sample("0.2");
        /// Smallest volume of an order, in the quote currency.
        min_total: Decimal = "minTotal";
        /// Smallest volume of a market order, in the quote currency.
        min_market_total: Decimal = "minMarketTotal", unlisted;
        /// Largest volume of an order, in the quote currency.
        max_total: Decimal = "maxTotal", unlisted;
        /// Largest quantity of an order, in the base currency.
        max_lot_size: Decimal = "maxLotSize";
        /// The kinds of leverage; only of futures.
        leverage_data: List<LeverageType>, unlisted;
        /// Smallest market order to buy, in the base currency; only of futures.
        min_market_buy_amount: Decimal = "minMarketBuyAmount", unlisted;
        /// Smallest market order to sell, in the base currency; only of futures.
        min_market_sell_amount: Decimal = "minMarketSellAmount", unlisted;
    }
}

inputs! {
    /// The exchange of a list of pairs.
    PairsQuery of "the query for pairs" {
        /// Code of the exchange, as `client.markets.list()` has it.
        market_code: Text [Required];
    }
}

inputs! {
    /// The pair whose rates and leverage are read.
    LeverageRatesQuery of "the query for rates" {
        use PairsQuery;
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text [Required];
    }
}

inputs! {
    /// The pair whose rates are read.
    RatesQuery of "the query for rates" {
        use LeverageRatesQuery;
        /// What the order limits are for: bots (`bot`) or SmartTrades (`smart_trade`).
        limit_type: OneOf<LimitType>;
    }
}

/// The markets.
pub const RESOURCE: Resource = Resource::new("markets", "The exchanges, their pairs, prices and order limits.")
    .of::<Market>()
    .called("market", "a market", "markets")
    .operations(&[
        get("markets.list", "/ver1/accounts/market_list")
            .section("List supported markets")
            .says("List the exchanges that can be connected.", "The exchanges.")
            .returns::<List<Market>>()
            .unsigned()
            .example(&[], &["{call}[0].market_code"], "'demo_spot'"),
        get("markets.pairs", "/ver1/accounts/market_pairs")
            .section("List pairs of a market")
            .says("List the pairs of an exchange.", "The pairs, each as `<QUOTE>_<BASE>`.")
            .query(PairsQuery::INPUTS)
            .returns::<List<Text>>()
            .unsigned()
            .example(&["\"demo_spot\""], &["\"USDT_BTC\" in {call}"], "True"),
        get("markets.rates", "/ver1/accounts/currency_rates")
            .section("Get rates and limits of a pair")
            .says("Get the prices and the order limits of a pair.", "The prices and the limits.")
            .query(RatesQuery::INPUTS)
            .returns::<PairRates>()
            .unsigned()
            .example(&["\"demo_spot\"", "\"USDT_BTC\""], &["{call}.price_step"], "Decimal('0.1')"),
        get("markets.rates_with_leverage", "/ver1/accounts/currency_rates_with_leverage_data")
            .section("Get rates, limits and leverage of a pair")
            .says(
                "Get the prices, the order limits and the kinds of leverage of a pair of futures.",
                "The prices, the limits and the leverage.",
            )
            .query(LeverageRatesQuery::INPUTS)
            .returns::<PairRates>()
            .unsigned()
            .example(&["\"demo_futures\"", "\"USDT_BTC\""], &["{call}.leverage_data[1].code"], "'cross'"),
    ]);
