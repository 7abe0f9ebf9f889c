//! Grid bots: their fields, their inputs and their operations.

use super::choices::LeverageChoice;
use botdesk_schema::choices;
use botdesk_schema::error::ApiErrorKind::RecordInvalid;
use botdesk_schema::input::Rule::{
    Above, AtLeast, Characters, NeverReturned, OmitIf, Own, Required, RequiredIfTrue, RequiresField,
};
use botdesk_schema::input::{RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::operation::{patch, post, refusal};
use botdesk_schema::permission::Permission::BotsWrite;
use botdesk_schema::record;
use botdesk_schema::resource::Resource;
use botdesk_schema::values::{Bool, Decimal, Integer, List, OneOf, Text, Timestamp};

choices! {
    /// Action when the price leaves the grid.
    StopLossAction = "stop_bot" | "stop_bot_and_sell" | "stop_bot_and_close_position";
    /// Spacing of the levels of a grid.
    GridType = "geometric" | "arithmetic";
    /// Currency of the quantity of each order, or of the profit.
    GridCurrency = "quote" | "base";
    /// Direction of a grid bot on a futures account.
    GridMode = "long" | "short" | "reversal";
    /// Side of the order at a level.
    Side = "buy" | "sell";
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
        updated_at: Timestamp;
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
        leverage_custom_value: Decimal, sample("1.0");
        /// Price at the start of the bot.
        start_price: Decimal;
        /// Current price of the pair.
        current_price: Decimal, in_repr;
        /// Distance of two levels: a difference in an arithmetic grid, a ratio in a geometric one.
        grid_price_step: Decimal;
        /// Profit of the bot.
        current_profit: Decimal;
        /// Profit of the bot, in USD.
        current_profit_usd: Decimal, in_repr;
        /// Profit of the bot, in percent.
        profit_percentage: Decimal;
        /// Number of times that the bot took profit.
        total_profits_count: Integer, sample("0");
        /// Volume bought.
        bought_volume: Decimal;
        /// Volume sold.
        sold_volume: Decimal;
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
        investment_base_currency: Decimal;
        /// Investment in the quote currency.
        investment_quote_currency: Decimal;
        /// Profit or loss that is not realised.
        unrealized_profit_loss: Decimal;
        /// Profit or loss now.
        current_profit_loss: Decimal, sample(null);
        /// Profit or loss now, in percent.
        current_profit_loss_percent: Decimal, sample(null);
        /// Currency of the order book's prices.
        orderbook_price_currency: Text;
        /// True if the grid grows downwards.
        expansion_down_enabled: Bool, sample("false");
        /// Price below which the grid does not grow.
        expansion_down_stop_price: Decimal, sample(null);
        /// The levels.
        grid_lines: List<GridLine>;
        /// Direction of a bot on a futures account; None on a spot account.
        mode: OneOf<GridMode>, sample(null);
    }
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
        leverage_type: OneOf<LeverageChoice> [OmitIf("not_specified")];
        /// Leverage, if it is custom.
        leverage_custom_value: Decimal [RequiresField(Self::leverage_type), Own(&Above("0"))];
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
    .example_of_record("enable")
    .operations(&[
        patch("grid_bots.edit", "/ver1/grid_bots/{id}/manual")
            .section("Edit Grid Bot")
            .says("Edit {record}: change the given fields.", "The bot after the change.")
            .edits(GridBotEdit::INPUTS)
            .returns::<GridBot>()
            .needs(BotsWrite)
            .may_have("the bot may have been changed")
            .refuses(&[refusal(400, RecordInvalid, "The service rejected the values of fields.")])
            .example(
                &[
                    "lower_price=\"1900\"",
                    "upper_price=\"2100\"",
                    "grids_quantity=11",
                    "quantity_per_grid=\"0.01\"",
                    "upper_stop_loss_enabled=False",
                ],
                &["bot = {call}", "bot.grids_quantity"],
                "11",
            )
            .example_of_record(&["grids_quantity=11"])
            .example_changes("field           old  new\ngrids_quantity   21   11"),
        post("grid_bots.set_note", "/ver1/grid_bots/{id}/note")
            .section("Set a note to Grid Bot")
            .says("Set the note of {record}.", "The bot with its new note.")
            .json(GridBotNote::INPUTS)
            .returns::<GridBot>()
            .created()
            .needs(BotsWrite)
            .may_have("the note may have been set")
            .example(&["\"Mind the range\""], &["{call}.note"], "'Mind the range'"),
        post("grid_bots.enable", "/ver1/grid_bots/{id}/enable")
            .section("Enable Grid Bot")
            .says("Enable {record}.", "The bot after the change.")
            .returns::<GridBot>()
            .created()
            .needs(BotsWrite)
            .may_have("the bot may have been enabled")
            .example(&[], &["{call}.is_enabled"], "True"),
    ]);

#[cfg(test)]
mod tests;
