//! Grid bots: their fields, their inputs and their endpoints.

use super::api_module::ApiModule;
use super::choices::LeverageChoice;
use super::endpoint::{Endpoint, EndpointInputs, Method, Permission};
use super::input::Rule::{
    Above, AtLeast, Characters, NeverReturned, OmitIf, Own, Required, RequiredIfTrue, RequiresField,
};
use super::input::{RequestBuilder, Violation};
use super::record::{RecordSpec, record};
use super::values::{Bool, Decimal, FieldType, Integer, List, OneOf, Text, Timestamp, choices};
use crate::inputs;

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

/// Edit a grid bot.
pub const EDIT: Endpoint = Endpoint {
    operation: "grid_bots.edit",
    section: "Edit Grid Bot",
    method: Method::Patch,
    path: "/ver1/grid_bots/{id}/manual",
    permission: Permission::BotsWrite,
    takes: EndpointInputs::Json(GridBotEdit::INPUTS),
    success: 200,
    response: <GridBot as FieldType>::SCHEMA,
    may_return_one: false,
    errors: &[],
};

/// Set a note to a grid bot.
pub const SET_NOTE: Endpoint = Endpoint {
    operation: "grid_bots.set_note",
    section: "Set a note to Grid Bot",
    method: Method::Post,
    path: "/ver1/grid_bots/{id}/note",
    permission: Permission::BotsWrite,
    takes: EndpointInputs::Json(GridBotNote::INPUTS),
    success: 201,
    response: <GridBot as FieldType>::SCHEMA,
    may_return_one: false,
    errors: &[],
};

/// Enable a grid bot.
pub const ENABLE: Endpoint = Endpoint {
    operation: "grid_bots.enable",
    section: "Enable Grid Bot",
    method: Method::Post,
    path: "/ver1/grid_bots/{id}/enable",
    permission: Permission::BotsWrite,
    takes: EndpointInputs::Nothing,
    success: 201,
    response: <GridBot as FieldType>::SCHEMA,
    may_return_one: false,
    errors: &[],
};

/// This module's part of the API reference.
pub const API_MODULE: ApiModule = ApiModule {
    file: file!(),
    records: &[RecordSpec::of::<GridBot>(), RecordSpec::of::<GridLine>()],
    operations: &[EDIT, SET_NOTE, ENABLE],
};

#[cfg(test)]
mod tests;
