//! The plots of records and backtests.

use pyo3::prelude::*;

use super::backtests::{Backtest, BacktestComparison};
use super::display::plot_methods;
use super::generated_records::account::{Account, DepositData};
use super::generated_records::dca_bot::DcaBot;
use super::generated_records::deal::Deal;
use super::generated_records::grid_bot::GridBot;
use super::generated_records::network::NetworkInfo;

plot_methods! {
    /// Draw the bot's open deals: the price of each, with its average entry price, its take profit and its stop loss.
    DcaBot by "deals_of":
    ///     ValidationError: The record has no deals; records from a list never have them.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot = sandbox.client().dca_bots.get(41)
    ///     >>> bot.plot().get_xlabel()
    ///     'price, USDT per ETH'
    ;
    /// Draw the deal: its price, with its average entry price, its take profit and its stop loss.
    Deal by "deal":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     deal = sandbox.client().dca_bots.get(41).active_deals[0]
    ///     >>> deal.plot().get_xlabel()
    ///     'price, USDT per ETH'
    ;
    /// Draw the bot's grid: its levels, the current price, and the prices at which it stops.
    ///
    /// The levels are those of the record; without them they are planned, as `levels()` does.
    GridBot by "grid_bot":
    ///     ValidationError: The record has neither levels nor the fields to plan them.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot = sandbox.client().grid_bots.enable(203)
    ///     >>> bot.plot().get_ylabel()
    ///     'price, USDT per ETH'
    ;
    /// Draw the profits of the account in USD: of the day, of the month, and in total.
    Account by "account":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> account = botdesk.Account.from_json('{"name": "Main", "usd_amount": "900", "usd_profit": "-3.5"}')
    ///     >>> account.plot().get_title("left")
    ///     'Main: holds 900 USD'
    ;
    /// Draw the available amount of the currency, and the amount in orders.
    DepositData by "deposit_data":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> data = botdesk.DepositData.from_json('{"available_balance": "3", "in_orders": "1", "total_balance": "4"}')
    ///     >>> data.plot().get_title("left")
    ///     'The account holds 4'
    ;
    /// Draw the fee of a withdrawal over each network of the currency, and mark closed networks.
    NetworkInfo by "network_info":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> networks = botdesk.NetworkInfo.from_json(
    ///     ...     '{"currency": "USDT", "network_list": [{"network": "TRX", "withdraw_fee": "1"}]}'
    ///     ... )
    ///     >>> networks.plot().get_xlabel()
    ///     'fee of a withdrawal, USDT'
    ;
    /// Draw the backtest: the price with all orders, the average price and the take profit of deals, then the profit and the capital.
    ///
    /// The place of the axes is divided into panels that share the times, and the axes become those of the price. The price of a long
    /// history is drawn from some thousand points, its extremes among them. Every order is drawn. A bot of several pairs has a panel
    /// for each, up to six.
    Backtest by "backtest":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> candles = botdesk.Candles([[0, 100, 102, 100, 102], [60000, 102, 104, 101, 104]])
    ///     >>> result = botdesk.backtest(candles, base_order_volume=100, max_safety_orders=0, take_profit=1)
    ///     >>> result.plot().get_ylabel()
    ///     'price'
    ;
    /// Draw the profit and the capital of both backtests, one over the other.
    ///
    /// The place of the axes is divided into two panels, and the axes become those of the profit.
    BacktestComparison by "backtest_comparison":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> candles = botdesk.Candles([[0, 100, 102, 100, 102], [60000, 102, 104, 101, 104]])
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     preview = sandbox.client().dca_bots.get(41).preview_edit(take_profit="1.5")
    ///     >>> preview.backtest(candles).plot().get_ylabel()
    ///     'profit, USDT'
    ;
}
