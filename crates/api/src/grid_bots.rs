//! Grid bots: their fields, their inputs and their operations.

use super::choices::LeverageChoice;
use super::time_span::end_before_start;
use botdesk_schema::choices;
use botdesk_schema::error::ApiErrorKind::{Forbidden, NotFound, RecordInvalid, Server, SignatureInvalid};
use botdesk_schema::input::IsoTime;
use botdesk_schema::input::Rule::{
    Above, AtLeast, Between, CarriedOnlyWith, Characters, Default, NeverReturned, NotCarriedIf, Own, Required,
    RequiredIfTrue, ServiceDefault,
};
use botdesk_schema::input::{RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::operation::{ArgumentStyle, delete, get, patch, post, trace};
use botdesk_schema::pair;
use botdesk_schema::permission::Permission::{BotsRead, BotsWrite};
use botdesk_schema::record;
use botdesk_schema::refusal::{RefusalBody, refusal};
use botdesk_schema::resource::Resource;
use botdesk_schema::values::{Bool, Decimal, Integer, List, Nothing, OneOf, Text, Timestamp};
use botdesk_schema::watched::Watched;

choices! {
    /// Action when the price leaves the grid: on a spot account, the bot may buy or sell; on a futures account, close its position.
    StopLossAction = "stop_bot" | "stop_bot_and_buy" | "stop_bot_and_sell" | "stop_bot_and_close_position";
    /// Leverage types that a new bot accepts.
    NewGridLeverage = "cross" | "isolated" | "not_specified";
    /// Spacing of the levels of a grid.
    GridType = "geometric" | "arithmetic";
    /// Currency of the quantity of each order, or of the profit.
    GridCurrency = "quote" | "base";
    /// Direction of a grid bot on a futures account.
    GridMode = "long" | "short" | "reversal";
    /// Side of the order at a level.
    Side = "buy" | "sell";
    /// State of a grid bot.
    GridBotState = "enabled" | "disabled";
    /// Sort key of a list of grid bots.
    GridBotSortBy = "current_profit" | "profit" | "bot_id" | "pair" | "created_at" | "updated_at" | "name";
    /// Sort order.
    SortDirection = "ASC" | "DESC";
}

record! {
    /// A level of a grid.
    GridLine {
        /// Identifier of the level.
        id: Integer, in_repr;
        /// Price of the level.
        price: Decimal, in_repr;
        /// Side of the order; None at the level closest to the price.
        side: OneOf<Side>, in_repr, nullable;
        /// True if the order is on the exchange.
        order_placed: Bool, in_repr;
    }
}

record! {
    /// A grid bot: it buys and sells at the levels between two prices.
    GridBot {
        /// Identifier of the bot.
        id: Integer, identifier, in_repr;
        /// Identifier of the account that the bot trades on.
        account_id: Integer;
        /// Name of the account that the bot trades on.
        account_name: Text;
        /// Name of the bot.
        name: Text, in_repr, sample("Grid bot");
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text, in_repr, sample("USDT_BTC");
        /// True if the bot trades.
        is_enabled: Bool, in_repr;
        /// Number of levels, including both ends.
        grids_quantity: Integer, in_repr, sample("10");
        /// Time when the bot was created.
        created_at: Timestamp;
        /// Time when the bot last changed.
        updated_at: Timestamp, volatile;
        /// Setup of the grid, such as `manual`.
        strategy_type: Text, sample("manual");
        /// True if the bot stops above the grid.
        upper_stop_loss_enabled: Bool;
        /// True if the bot stops below the grid.
        lower_stop_loss_enabled: Bool;
        /// Note on the bot.
        note: Text, sample(null);
        /// True if the bot can be edited.
        editable: Bool, sample(true);
        /// Lower bound of the grid.
        lower_price: Decimal, in_repr;
        /// Upper bound of the grid.
        upper_price: Decimal, in_repr;
        /// Quantity of each order, in the currency of `order_currency_type`.
        quantity_per_grid: Decimal, in_repr, sample("0.001");
        /// Price below the grid at which the bot stops.
        lower_stop_loss_price: Decimal, sample(null);
        /// Price above the grid at which the bot stops.
        upper_stop_loss_price: Decimal, sample(null);
        /// Action when the bot stops below the grid.
        lower_stop_loss_action: OneOf<StopLossAction>;
        /// Action when the bot stops above the grid.
        upper_stop_loss_action: OneOf<StopLossAction>;
        /// Leverage type.
        leverage_type: Text, sample("not_specified");
        /// Leverage, if it is custom.
        leverage_custom_value: Decimal, nullable, sample("1.0");
        /// Price at the last start of the bot; None before the first one.
        start_price: Decimal, nullable;
        /// Current price of the pair.
        current_price: Decimal, in_repr, volatile;
        /// Distance of two levels: a difference in an arithmetic grid, a ratio in a geometric one.
        grid_price_step: Decimal;
        /// Profit of the bot.
        current_profit: Decimal, volatile;
        /// Profit of the bot, in USD.
        current_profit_usd: Decimal, in_repr, volatile;
        /// Profit of the bot, in percent.
        profit_percentage: Decimal, volatile;
        /// Number of times that the bot took profit.
        total_profits_count: Integer, sample("0"), volatile;
        /// Volume bought.
        bought_volume: Decimal, volatile;
        /// Volume sold.
        sold_volume: Decimal, volatile;
        /// Most levels that may hold an order to buy at once.
        max_active_buy_lines: Integer, sample("50");
        /// Most levels that may hold an order to sell at once.
        max_active_sell_lines: Integer, sample("50");
        /// Currency of `quantity_per_grid`.
        order_currency_type: OneOf<GridCurrency>, sample("base");
        /// Currency of the profit.
        profit_currency_type: OneOf<GridCurrency>;
        /// True if the grid follows the price up.
        trailing_up_enabled: Bool, sample("false");
        /// Spacing of the levels.
        grid_type: OneOf<GridType>, sample("arithmetic");
        /// Investment in the base currency.
        investment_base_currency: Decimal, volatile;
        /// Investment in the quote currency.
        investment_quote_currency: Decimal, volatile;
        /// Profit or loss that is not realised.
        unrealized_profit_loss: Decimal, volatile;
        /// Profit or loss now.
        current_profit_loss: Decimal, sample(null), volatile;
        /// Profit or loss now, in percent.
        current_profit_loss_percent: Decimal, sample(null), volatile;
        /// Currency of the order book's prices.
        orderbook_price_currency: Text;
        /// True if the grid grows downwards.
        expansion_down_enabled: Bool, sample("false");
        /// Price below which the grid does not grow.
        expansion_down_stop_price: Decimal, sample(null);
        /// The levels.
        grid_lines: List<GridLine>, volatile;
        /// Direction of a bot on a futures account; None on a spot account.
        mode: OneOf<GridMode>, sample(null);
    }
}

record! {
    /// A profit of a grid bot: a step of the grid that was bought and sold.
    GridProfit {
        /// Identifier of the level that made the profit.
        grid_line_id: Integer, in_repr;
        /// The profit, in the currency of `profit_currency_type`.
        profit: Decimal, in_repr;
        /// The profit, in USD.
        usd_profit: Decimal, in_repr;
        /// Time when the profit was made.
        created_at: Timestamp, in_repr;
        /// The level that made the profit, as it is now.
        grid_line: GridLine, also(grid_lines);
    }
}

record! {
    /// An amount of a currency that a grid bot needs.
    CurrencyAmount {
        /// The amount.
        quantity: Decimal, in_repr;
        /// Code of the currency.
        currency: Text, in_repr, sample("USDT");
    }
}

record! {
    /// An amount of each currency of a pair.
    BalancePair {
        /// The amount in the base currency.
        base: CurrencyAmount, in_repr, sample({"quantity": "0.0", "currency": "BTC"});
        /// The amount in the quote currency.
        quote: CurrencyAmount, in_repr, sample({"quantity": "0.0", "currency": "USDT"});
    }
}

record! {
    /// The balances that the start of a grid bot requires.
    RequiredBalances {
        /// What is missing of each currency; 0 if nothing is.
        missing_balance: BalancePair;
        /// What the start requires of each currency.
        required_balance: BalancePair;
        /// True if the balance of a currency is too low.
        need_balancing: Bool, in_repr;
        /// True if the bot can get what is missing with the other currency.
        balancing_available: Bool, in_repr;
        /// What the bot has to get.
        necessary_quantities: CurrencyAmount, in_repr;
    }
}

record! {
    /// An event in the log of a grid bot.
    GridEvent {
        /// What happened, in English.
        message: Text, in_repr, sample("Bot turned on");
        /// Time when it happened.
        created_at: Timestamp, in_repr;
    }
}

record! {
    /// An order of a grid bot.
    GridOrder {
        /// Identifier of the order.
        order_id: Integer, identifier, in_repr;
        /// Side of the order, such as `BUY`, in upper or lower case.
        order_type: Text, in_repr, sample("BUY");
        /// Status of the order, such as `Active`, `Filled`, `Inactive`, `Finished` or `Cancelled`.
        status_string: Text, in_repr, sample("Active");
        /// Time when the order was created.
        created_at: Timestamp;
        /// Time when the order last changed; orders that balance have it under a misspelled name.
        updated_at: Timestamp, also(update_at);
        /// Quantity, in the base currency.
        quantity: Decimal, in_repr;
        /// Quantity that is not filled yet, in the base currency.
        quantity_remaining: Decimal;
        /// Volume that is filled, in the quote currency.
        total: Decimal;
        /// Price of the order; of a filled market order, its average price.
        rate: Decimal, in_repr;
        /// Average price of what is filled; 0 if nothing is.
        average_price: Decimal;
    }
}

record! {
    /// The orders of a grid bot.
    GridOrders {
        /// Orders at the levels.
        grid_lines_orders: List<GridOrder>;
        /// Market orders that got the base currency for the orders to sell.
        balancing_orders: List<GridOrder>;
    }
}

inputs! {
    /// The filters, the order and the page of a list.
    GridBotList of "a list of grid bots" {
        /// Only bots of this account, or of several: their identifiers as text, with commas between them, such as `1001,1002`.
        account_id: Text;
        /// Only bots that are on (`enabled`), or only those that are off (`disabled`).
        state: OneOf<GridBotState>;
        /// Sort key.
        sort_by: OneOf<GridBotSortBy>;
        /// Sort order; the service's default is `DESC`.
        sort_direction: OneOf<SortDirection> [ServiceDefault("\"DESC\"")];
        /// Most records to return at once, 1 to 1000; the service's default is 10.
        limit: Integer [Between("1", "1000"), ServiceDefault("10")];
        /// Number of records to skip.
        offset: Integer [AtLeast("0"), ServiceDefault("0")];
        /// Only bots created after this time: ISO 8601, a datetime with a timezone, or a date (00:00 UTC).
        from_: IsoTime = "from";
        /// Only bots of pairs with this base currency.
        base: Text;
        /// Only bots of pairs with this quote currency.
        quote: Text;
    }
}

inputs! {
    /// The times between which profits were made.
    GridProfitsQuery of "the query for profits" {
        /// Only profits made at this time or later: ISO 8601, a datetime with a timezone, or a date (00:00 UTC).
        from_: IsoTime = "from";
        /// Only profits made at this time or earlier.
        to: IsoTime;
    }
    own [to | from_ => to_is_not_before_from]
}

fn to_is_not_before_from(request: &RequestBuilder) -> Option<Violation> {
    end_before_start(request, GridProfitsQuery::from_, GridProfitsQuery::to)
}

inputs! {
    /// The page of a log of events.
    GridEventsQuery of "the query for events" {
        /// Number of the page, starting at 1; the default is 1.
        page: Integer [Required, Default(1), AtLeast("1")];
        /// Most events to return at once, 1 to 100; the default is 100.
        per_page: Integer [Required, Default(100), Between("1", "100")];
    }
}

inputs! {
    /// The page of the orders.
    GridOrdersQuery of "the query for orders" {
        /// Most orders of each list to return at once, 1 to 1000; the service's default is 100.
        limit: Integer [Between("1", "1000"), ServiceDefault("100")];
        /// Number of orders of each list to skip.
        offset: Integer [AtLeast("0"), ServiceDefault("0")];
    }
}

inputs! {
    /// The inputs that a new grid bot and an edit share.
    GridOptions of "a grid bot" {
        /// Most levels that may hold an order to buy at once.
        max_active_buy_lines: Integer [Own(&AtLeast("0"))];
        /// Most levels that may hold an order to sell at once.
        max_active_sell_lines: Integer [Own(&AtLeast("0"))];
        /// True if the grid follows the price up.
        trailing_up_enabled: Bool;
        /// True if the grid follows the price down.
        trailing_down_enabled: Bool [NeverReturned];
        /// True if the grid grows downwards.
        expansion_down_enabled: Bool;
        /// Price below which the grid does not grow.
        expansion_down_stop_price: Decimal [RequiredIfTrue(Self::expansion_down_enabled), Own(&AtLeast("0"))];
        /// True if the grid grows upwards.
        expansion_up_enabled: Bool [NeverReturned];
        /// Price above which the grid does not grow.
        expansion_up_stop_price: Decimal [RequiredIfTrue(Self::expansion_up_enabled), Own(&AtLeast("0")), NeverReturned];
        /// True to ignore warnings.
        ignore_warnings: Bool;
        /// Note on the bot, 1 to 300 characters.
        note: Text [Characters(1, 300)];
    }
}

inputs! {
    /// The inputs of a new grid bot.
    GridBotCreate of "a new grid bot" {
        /// Identifier of the account to trade on.
        account_id: Integer [Required, AtLeast("1")];
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text [Required];
        /// Name of the bot, 1 to 40 characters; the service makes one up if it is omitted.
        name: Text [Characters(1, 40)];
        /// Upper bound of the grid; no sell order is above it.
        upper_price: Decimal [Required, Own(&Above("0"))];
        /// Lower bound of the grid; no buy order is below it.
        lower_price: Decimal [Required, Own(&Above("0"))];
        /// Number of levels, including both ends; at least 2.
        grids_quantity: Integer [Required, Own(&AtLeast("2"))];
        /// Quantity of each order, in the currency of `order_currency_type`.
        quantity_per_grid: Decimal [Required, Own(&Above("0"))];
        /// Spacing of the levels.
        grid_type: OneOf<GridType>;
        /// Currency of `quantity_per_grid`. Name it: the published API reference has no default.
        order_currency_type: OneOf<GridCurrency>;
        /// Currency of the profit.
        profit_currency_type: OneOf<GridCurrency>;
        /// True if the bot stops above the grid.
        upper_stop_loss_enabled: Bool;
        /// Action when the bot stops above the grid: on a spot account `stop_bot_and_buy`, on a futures account `stop_bot_and_close_position`.
        upper_stop_loss_action: OneOf<StopLossAction>;
        /// Price above the grid at which the bot stops.
        upper_stop_loss_price: Decimal [Own(&RequiredIfTrue(Self::upper_stop_loss_enabled)), Own(&AtLeast("0"))];
        /// True if the bot stops below the grid.
        lower_stop_loss_enabled: Bool;
        /// Action when the bot stops below the grid: on a spot account `stop_bot_and_sell`, on a futures account `stop_bot_and_close_position`.
        lower_stop_loss_action: OneOf<StopLossAction>;
        /// Price below the grid at which the bot stops.
        lower_stop_loss_price: Decimal [Own(&RequiredIfTrue(Self::lower_stop_loss_enabled)), Own(&AtLeast("0"))];
        /// Leverage type; only on a futures account.
        leverage_type: OneOf<NewGridLeverage>;
        /// Leverage, if it is custom.
        leverage_custom_value: Decimal [Own(&Above("0"))];
        /// Direction; only on a futures account.
        mode: OneOf<GridMode>;
        use GridOptions;
    }
    together [upper_price | lower_price => upper_above_lower]
    own [pair => pair_is_quote_and_base]
}

fn pair_is_quote_and_base(request: &RequestBuilder) -> Option<Violation> {
    let pair = request.value(GridBotCreate::pair)?.as_str()?;
    pair::problem(pair).map(|message| GridBotCreate::pair.violation(message))
}

inputs! {
    /// The inputs of a grid bot edit.
    GridBotEdit of "a grid bot" {
        /// Name of the bot, 1 to 40 characters.
        name: Text [Characters(1, 40)];
        /// Upper bound of the grid; no sell order is above it.
        upper_price: Decimal [Required, Own(&Above("0"))];
        /// Lower bound of the grid.
        lower_price: Decimal [Required, Own(&Above("0"))];
        /// Number of levels, including both ends.
        grids_quantity: Integer = "grids_quantity" and "grid_quantity" [Required, Own(&AtLeast("1"))];
        /// Spacing of the levels.
        grid_type: OneOf<GridType>;
        /// Quantity of each order, in the currency of `order_currency_type`.
        quantity_per_grid: Decimal [Required, Own(&Above("0"))];
        /// True if the bot stops above the grid.
        upper_stop_loss_enabled: Bool [Required];
        /// Action when the bot stops above the grid.
        upper_stop_loss_action: OneOf<StopLossAction>;
        /// Price above the grid at which the bot stops.
        upper_stop_loss_price: Decimal [Own(&AtLeast("0"))];
        /// True if the bot stops below the grid.
        lower_stop_loss_enabled: Bool;
        /// Action when the bot stops below the grid.
        lower_stop_loss_action: OneOf<StopLossAction>;
        /// Price below the grid at which the bot stops.
        lower_stop_loss_price: Decimal [Own(&AtLeast("0"))];
        /// Leverage type.
        leverage_type: OneOf<LeverageChoice> [NotCarriedIf("not_specified")];
        /// Leverage, if it is custom.
        leverage_custom_value: Decimal [CarriedOnlyWith(Self::leverage_type), Own(&Above("0"))];
        use GridOptions;
        /// Currency of `quantity_per_grid`: `quote` or `base`; the API reference lists it without a rule.
        order_currency_type: Text;
        /// Currency of the profit: `quote` or `base`; the API reference lists it without a rule.
        profit_currency_type: Text;
        /// Direction of a bot on a futures account: `long`, `short` or `reversal`; the API reference lists it without a rule.
        mode: Text;
    }
    together [upper_price | lower_price => upper_above_lower]
}

/// Returns the violation by an upper price that is not above the lower price.
pub fn upper_above_lower(request: &RequestBuilder) -> Option<Violation> {
    let upper = request.number(GridBotEdit::upper_price)?;
    let lower = request.number(GridBotEdit::lower_price)?;
    (upper <= lower).then(|| {
        let [upper, lower] = [upper, lower].map(|price| price.to_plain_string());
        Violation::new("upper_price", format!("must be above lower_price ({lower}), not {upper}"))
    })
}

inputs! {
    /// The note of a grid bot.
    GridBotNote of "a grid bot" {
        /// The note, 1 to 300 characters.
        note: Text [Required, Characters(1, 300)];
    }
}

/// The grid bots.
pub const RESOURCE: Resource = Resource::new("grid_bots", "The grid bots.")
    .of::<GridBot>()
    .called("bot", "a grid bot", "grid bots")
    .id("grid_bot_id", &["203", "204"])
    .unknown_record(RefusalBody::NOT_FOUND)
    .watched(&Watched::SETTINGS.switched("is_enabled", "state").example("client.grid_bots.set_note(203, \"Mind the range\")", "edited").profits(&["current_profit_usd"]))
    .operations(&[
        get("grid_bots.list", "/ver1/grid_bots")
            .section("Get the list of Grid Bots")
            .says("List one page of grid bots.", "The bots of the page.")
            .query(GridBotList::INPUTS)
            .pages_sorted_by("sort_by", "created_at")
            .style(ArgumentStyle::Named)
            .returns::<List<GridBot>>()
            .needs(BotsRead)
            .refuses(&[refusal(500, Server, "The service failed; `from_` is a likely cause, if it was given.")
                .body(RefusalBody::new("unknown_error", "The service failed #JSON::ParserError"))])
            .example(&["state=\"disabled\""], &["[bot.id for bot in {call}]"], "[203, 205]"),
        get("grid_bots.get", "/ver1/grid_bots/{id}")
            .section("Get Grid Bot")
            .says("Get {record} as it is now.", "The bot.")
            .returns::<GridBot>()
            .needs(BotsWrite)
            .example(&[], &["{call}.id"], "203"),
        post("grid_bots.create", "/ver1/grid_bots/manual")
            .section("Create Grid Bot")
            .says("Create a grid bot.", "The new bot, which is disabled.")
            .details(&["The bot does not trade until it is enabled."])
            .json(GridBotCreate::INPUTS)
            .style(ArgumentStyle::Named)
            .returns::<GridBot>()
            .created()
            .needs(BotsWrite)
            .dangerous()
            .may_have("the bot may have been created; look for one with its name")
            .traces(&[trace("grid_bots.list").asked(&[("sort_by", "created_at"), ("sort_direction", "DESC")]).has(&[("pair", "{pair}")])])
            .refuses(&[
                refusal(400, RecordInvalid, "The service rejected the values of fields."),
                refusal(404, NotFound, "There is no such account."),
            ])
            .example(
                &[
                    "name=\"Night ETH\"",
                    "account_id=1001",
                    "pair=\"USDT_ETH\"",
                    "lower_price=3000",
                    "upper_price=3800",
                    "grids_quantity=9",
                    "quantity_per_grid=50",
                    "order_currency_type=\"quote\"",
                ],
                &["bot = {call}", "(bot.name, bot.is_enabled)"],
                "('Night ETH', False)",
            ),
        get("grid_bots.profits", "/ver1/grid_bots/{id}/profits")
            .section("Get profit details")
            .says("List the profits of {record}, the latest first.", "The profits, one for each step of the grid.")
            .query(GridProfitsQuery::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<List<GridProfit>>()
            .created()
            .needs(BotsRead)
            .example(&[], &["sum(profit.profit for profit in {call})"], "Decimal('11.94000000')"),
        get("grid_bots.required_balances", "/ver1/grid_bots/{id}/required_balances")
            .section("Required balances for launch")
            .says(
                "Get the balances that the start of {record} requires, and what is missing. Only on a spot account.",
                "The balances.",
            )
            .returns::<RequiredBalances>()
            .needs(BotsRead)
            .refuses(&[
                refusal(404, NotFound, "The bot does not exist."),
                refusal(500, Server, "No level of the bot has an order to buy or to sell."),
            ])
            .example(&[], &["{call}.required_balance.quote.currency"], "'USDT'"),
        get("grid_bots.events", "/ver1/grid_bots/{id}/events")
            .section("Grid Bot events")
            .says("List one page of the events of {record}, the oldest first.", "The events of the page.")
            .query(GridEventsQuery::INPUTS)
            .until_empty()
            .style(ArgumentStyle::Keyword)
            .returns::<List<GridEvent>>()
            .created()
            .needs(BotsRead)
            .refuses(&[refusal(400, RecordInvalid, "The page or its size is not valid.")])
            .example(&[], &["{call}[0].message"], "'Start command received'"),
        get("grid_bots.orders", "/ver1/grid_bots/{id}/market_orders")
            .section("Get market orders of Grid Bot")
            .says("Get the orders of {record}, the latest first.", "The orders at the levels, and those that balanced.")
            .details(&[
                "Each call returns one page of both lists. To get all orders, raise `offset` by `limit` until both lists \
                 are empty.",
            ])
            .query(GridOrdersQuery::INPUTS)
            .style(ArgumentStyle::Keyword)
            .returns::<GridOrders>()
            .needs(BotsRead)
            .example(&[], &["len({call}.grid_lines_orders)"], "0"),
        patch("grid_bots.edit", "/ver1/grid_bots/{id}/manual")
            .section("Edit Grid Bot")
            .says("Edit {record}: change the given fields and keep all others.", "The bot after the change.")
            .details(&["`grids_quantity` is sent under both names that the API reference uses."])
            .edits(GridBotEdit::INPUTS)
            .returns::<GridBot>()
            .needs(BotsWrite)
            .may_have("the bot may have been changed")
            .refuses(&[refusal(400, RecordInvalid, "The service rejected the values of fields.")])
            .example(&["grids_quantity=11"], &["{call}.grids_quantity"], "11")
            .example_changes("field           old  new\ngrids_quantity   21   11"),
        post("grid_bots.set_note", "/ver1/grid_bots/{id}/note")
            .section("Set a note to Grid Bot")
            .says("Set the note of {record}.", "The bot with its new note.")
            .json(GridBotNote::INPUTS)
            .returns::<GridBot>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .may_have("the note may have been set")
            .example(&["\"Mind the range\""], &["{call}.note"], "'Mind the range'"),
        post("grid_bots.enable", "/ver1/grid_bots/{id}/enable")
            .section("Enable Grid Bot")
            .says("Enable {record}.", "The bot after the change.")
            .returns::<GridBot>()
            .created()
            .needs(BotsWrite)
            .dangerous()
            .may_have("the bot may have been enabled")
            .example(&[], &["{call}.is_enabled"], "True"),
        post("grid_bots.disable", "/ver1/grid_bots/{id}/disable")
            .section("Disable Grid Bot")
            .says("Disable {record}.", "The bot after the change.")
            .details(&["A disabled bot has no orders on the exchange. What it has bought stays on the account."])
            .returns::<GridBot>()
            .created()
            .needs(BotsWrite)
            .adds_no_volume()
            .may_have("the bot may have been disabled")
            .many()
            .example_ids(&["201", "204"])
            .example(&[], &["{call}.is_enabled"], "False"),
        delete("grid_bots.delete", "/ver1/grid_bots/{id}")
            .section("Delete Grid Bot")
            .says("Delete {record}.", "Nothing.")
            .details(&["A bot that is enabled can't be deleted; disable it first."])
            .returns::<Nothing>()
            .needs(BotsWrite)
            .adds_no_volume()
            .may_have("the bot may have been deleted")
            .refuses(&[
                refusal(401, SignatureInvalid, "The service knows another public key or another secret."),
                refusal(403, Forbidden, "The bot is enabled, or the API key lacks the permission."),
            ])
            .many()
            .irreversible(&["current_profit_usd"])
            .example_ids(&["203"])
            .example(&[], &["{call} is None"], "True"),
    ]);

#[cfg(test)]
mod tests;
