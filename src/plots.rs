//! The pictures of records.

use pyo3::prelude::*;

use super::display::drawn;
use super::generated::records::account::{Account, DepositData};
use super::generated::records::dca_bot::DcaBot;
use super::generated::records::deal::Deal;
use super::generated::records::grid_bot::GridBot;
use super::generated::records::network::NetworkInfo;

drawn! {
    /// Draw the bot's open deals: the price of each against what it was bought at, its take profit and its stop loss.
    DcaBot by "deals_of":
    ///     ValidationError: The record does not hold the bot's deals, as those of a list do not.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot = sandbox.client().dca_bots.get(41)
    ///     >>> bot.plot().get_xlabel()
    ///     'price, USDT per ETH'
    ;
    /// Draw the deal: its price against what it was bought at, its take profit and its stop loss.
    Deal by "deal":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     deal = sandbox.client().dca_bots.get(41).active_deals[0]
    ///     >>> deal.plot().get_xlabel()
    ///     'price, USDT per ETH'
    ;
    /// Draw the bot's grid: its levels against the current price, and the prices at which it stops.
    ///
    /// The levels are those of the record; where it holds none they are planned, as by `levels()`.
    GridBot by "grid_bot":
    ///     ValidationError: The record holds neither levels nor what they follow from.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot = sandbox.client().grid_bots.enable(203)
    ///     >>> bot.plot().get_ylabel()
    ///     'price, USDT per ETH'
    ;
    /// Draw what the account has gained, in USD: in the day, in the month, and since the beginning.
    Account by "account":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> account = botdesk.Account.from_json('{"name": "Main", "usd_amount": "900", "usd_profit": "-3.5"}')
    ///     >>> account.plot().get_title("left")
    ///     'Main: holds 900 USD'
    ;
    /// Draw how much of the currency is free, and how much is in orders.
    DepositData by "deposit_data":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> data = botdesk.DepositData.from_json('{"available_balance": "3", "in_orders": "1", "total_balance": "4"}')
    ///     >>> data.plot().get_title("left")
    ///     'The account holds 4'
    ;
    /// Draw what a withdrawal costs over each network of the currency; networks that are closed say so.
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
}
