//! The plots of backtests.

use pyo3::prelude::*;

use crate::display::pictures::plot_methods;
use crate::planning::backtests::{Backtest, BacktestComparison};

plot_methods! {
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
