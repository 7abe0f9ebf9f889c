//! Grid bots: their fields, what an edit takes, and their endpoints.

use super::choices::LeverageChoice;
use super::endpoint::{Endpoint, Method, Permission, Takes};
use super::input::Rule::{Above, AtLeast, Beside, Characters, NoneWhere, Own, Required, RequiredWhen};
use super::input::{Draft, Violation};
use super::part::{Part, Shape};
use super::record::record;
use super::values::{Amount, Flag, Integer, Kind, List, OneOf, Text, Timestamp, choices};
use crate::inputs;

choices! {
    /// What happens when the price leaves the grid.
    StopLossAction = "stop_bot" | "stop_bot_and_sell" | "stop_bot_and_close_position";
    /// How the levels of a grid lie to each other.
    GridType = "geometric" | "arithmetic";
    /// What an order at a level does.
    Side = "buy" | "sell";
}

record! {
    /// A level of a grid.
    GridLine {
        /// Identifier of the level.
        id: Integer, shown;
        /// Price of the level.
        price: Amount, shown;
        /// What the order at the level does; None at the level nearest to the price.
        side: OneOf<Side>, shown, nullable;
        /// Whether the order is on the exchange.
        order_placed: Flag, shown;
    }
}

record! {
    /// A grid bot: it buys and sells at the levels between two prices.
    GridBot {
        /// Identifier of the bot.
        id: Integer, identifier, shown;
        /// Identifier of the account that the bot trades on.
        account_id: Integer;
        /// Name of the account that the bot trades on.
        account_name: Text;
        /// Name of the bot.
        name: Text, shown, sample("Grid bot");
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text, shown, sample("USDT_BTC");
        /// Whether the bot trades.
        is_enabled: Flag, shown;
        /// How many levels the grid has, both ends counted.
        grids_quantity: Integer, shown, sample("10");
        /// When the bot was made.
        created_at: Timestamp;
        /// When the bot last changed.
        updated_at: Timestamp;
        /// How the grid was set up, such as `manual`.
        strategy_type: Text, sample("manual");
        /// Whether the bot stops above the grid.
        upper_stop_loss_enabled: Flag;
        /// Whether the bot stops below the grid.
        lower_stop_loss_enabled: Flag;
        /// Note on the bot.
        note: Text, sample(null);
        /// Whether the bot can be edited.
        editable: Flag, sample(true);
        /// Lower bound of the grid.
        lower_price: Amount, shown;
        /// Upper bound of the grid.
        upper_price: Amount, shown;
        /// Quantity of each order.
        quantity_per_grid: Amount, shown, sample("0.001");
        /// Price below the grid at which the bot stops.
        lower_stop_loss_price: Amount, sample(null);
        /// Price above the grid at which the bot stops.
        upper_stop_loss_price: Amount, sample(null);
        /// What happens when the bot stops below the grid.
        lower_stop_loss_action: OneOf<StopLossAction>;
        /// What happens when the bot stops above the grid.
        upper_stop_loss_action: OneOf<StopLossAction>;
        /// Leverage type.
        leverage_type: Text, sample("not_specified");
        /// Leverage, where it is set by hand.
        leverage_custom_value: Amount, sample("1.0");
        /// Price at the start of the bot.
        start_price: Amount;
        /// Current price of the pair.
        current_price: Amount, shown;
        /// Distance of two levels: a difference in an arithmetic grid, a ratio in a geometric one.
        grid_price_step: Amount;
        /// Profit of the bot.
        current_profit: Amount;
        /// Profit of the bot, in USD.
        current_profit_usd: Amount, shown;
        /// Profit of the bot, in percent.
        profit_percentage: Amount;
        /// How often the bot took profit.
        total_profits_count: Integer, sample("0");
        /// Volume bought.
        bought_volume: Amount;
        /// Volume sold.
        sold_volume: Amount;
        /// Most levels that may hold an order to buy at once.
        max_active_buy_lines: Integer, sample("50");
        /// Most levels that may hold an order to sell at once.
        max_active_sell_lines: Integer, sample("50");
        /// What the orders are counted in, such as `quote`.
        order_currency_type: Text, sample("quote");
        /// What the profit is taken in, such as `quote`.
        profit_currency_type: Text, sample("quote");
        /// Whether the grid follows the price up.
        trailing_up_enabled: Flag, sample("false");
        /// How the levels lie to each other.
        grid_type: OneOf<GridType>, sample("arithmetic");
        /// What is invested of the base currency.
        investment_base_currency: Amount;
        /// What is invested of the quote currency.
        investment_quote_currency: Amount;
        /// Profit or loss that is not realised.
        unrealized_profit_loss: Amount;
        /// Profit or loss now.
        current_profit_loss: Amount, sample(null);
        /// Profit or loss now, in percent.
        current_profit_loss_percent: Amount, sample(null);
        /// Currency of the order book's prices.
        orderbook_price_currency: Text;
        /// Whether the grid grows downwards.
        expansion_down_enabled: Flag, sample("false");
        /// Price below which the grid does not grow.
        expansion_down_stop_price: Amount, sample(null);
        /// The levels.
        grid_lines: List<GridLine>;
    }
}

inputs! {
    /// What an edit of a grid bot may change.
    GridBotEdit of "a grid bot" {
        /// Name of the bot.
        name: Text;
        /// Upper bound of the grid; no order to sell lies above it.
        upper_price: Amount [Required, Own(&Above("0"))];
        /// Lower bound of the grid.
        lower_price: Amount [Required, Own(&Above("0"))];
        /// How many levels the grid has, both ends counted.
        grids_quantity: Integer = "grids_quantity" and "grid_quantity" [Required, Own(&AtLeast("1"))];
        /// How the levels lie to each other.
        grid_type: OneOf<GridType>;
        /// Quantity of each order.
        quantity_per_grid: Amount [Required, Own(&Above("0"))];
        /// Whether the bot stops above the grid.
        upper_stop_loss_enabled: Flag [Required];
        /// What happens when the bot stops above the grid.
        upper_stop_loss_action: OneOf<StopLossAction>;
        /// Price above the grid at which the bot stops.
        upper_stop_loss_price: Amount [Own(&AtLeast("0"))];
        /// Whether the bot stops below the grid.
        lower_stop_loss_enabled: Flag;
        /// What happens when the bot stops below the grid.
        lower_stop_loss_action: OneOf<StopLossAction>;
        /// Price below the grid at which the bot stops.
        lower_stop_loss_price: Amount [Own(&AtLeast("0"))];
        /// Leverage type.
        leverage_type: OneOf<LeverageChoice> [NoneWhere("not_specified")];
        /// Leverage, where it is set by hand.
        leverage_custom_value: Amount [Beside(Self::leverage_type as usize), Own(&Above("0"))];
        /// Most levels that may hold an order to buy at once.
        max_active_buy_lines: Integer [Own(&AtLeast("0"))];
        /// Most levels that may hold an order to sell at once.
        max_active_sell_lines: Integer [Own(&AtLeast("0"))];
        /// Whether the grid follows the price up.
        trailing_up_enabled: Flag;
        /// Whether the grid follows the price down.
        trailing_down_enabled: Flag;
        /// Whether the grid grows downwards.
        expansion_down_enabled: Flag;
        /// Price below which the grid does not grow.
        expansion_down_stop_price: Amount [RequiredWhen(Self::expansion_down_enabled as usize), Own(&AtLeast("0"))];
        /// Whether the grid grows upwards.
        expansion_up_enabled: Flag;
        /// Price above which the grid does not grow.
        expansion_up_stop_price: Amount [RequiredWhen(Self::expansion_up_enabled as usize), Own(&AtLeast("0"))];
        /// Whether warnings are ignored.
        ignore_warnings: Flag;
        /// Note on the bot, 1 to 300 characters.
        note: Text [Characters(1, 300)];
        /// What the orders are counted in; the document shows it and gives no rule.
        order_currency_type: Text;
        /// What the profit is taken in; the document shows it and gives no rule.
        profit_currency_type: Text;
        /// Direction of the bot, such as `long`; the document shows it and gives no rule.
        mode: Text;
    }
    together [upper_price | lower_price => upper_above_lower]
}

/// Returns the violation of a draft whose upper price is not above its lower price.
pub fn upper_above_lower(draft: &Draft) -> Option<Violation> {
    let upper = draft.number(GridBotEdit::upper_price as usize)?;
    let lower = draft.number(GridBotEdit::lower_price as usize)?;
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
    takes: Takes::Json(GridBotEdit::INPUTS),
    success: 200,
    answers: <GridBot as Kind>::SCHEMA,
    errors: &[],
};

/// Set a note to a grid bot.
pub const SET_NOTE: Endpoint = Endpoint {
    operation: "grid_bots.set_note",
    section: "Set a note to Grid Bot",
    method: Method::Post,
    path: "/ver1/grid_bots/{id}/note",
    permission: Permission::BotsWrite,
    takes: Takes::Json(GridBotNote::INPUTS),
    success: 201,
    answers: <GridBot as Kind>::SCHEMA,
    errors: &[],
};

/// Enable a grid bot.
pub const ENABLE: Endpoint = Endpoint {
    operation: "grid_bots.enable",
    section: "Enable Grid Bot",
    method: Method::Post,
    path: "/ver1/grid_bots/{id}/enable",
    permission: Permission::BotsWrite,
    takes: Takes::Nothing,
    success: 201,
    answers: <GridBot as Kind>::SCHEMA,
    errors: &[],
};

/// What this file writes down of the document.
pub const PART: Part = Part {
    file: file!(),
    records: &[Shape::of::<GridBot>(), Shape::of::<GridLine>()],
    operations: &[EDIT, SET_NOTE, ENABLE],
};
