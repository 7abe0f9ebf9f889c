//! The methods of `Sandbox` that move its market, and those that show what came of it.

use std::marker::PhantomData;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use crate::arguments::Identifier;
use crate::numbers::ExactNumber;
use crate::planning::candles::PathArgument;
use crate::records::RecordsAs;
use crate::sandbox::class::Sandbox;
use crate::sandbox::playback::{Playback, histories};
use botdesk_api::deals::Deal;
use botdesk_schema::input::Violation;
use botdesk_schema::record::Record as _;
use botdesk_trading::decimal::Decimal;

#[pymethods]
impl Sandbox {
    /// Set the price of a pair, and update all bots and deals on it. The price jumps: prices in between are not traded.
    ///
    /// Safety orders that the price reaches fill at their own prices, one by one. A deal closes at its take-profit price, in parts if
    /// it has steps. If it is trailing, it closes when the price retraces. At the stop loss it closes at the current price, after
    /// its timeout if it has one. An enabled bot with the strategy `nonstop` then opens a deal, unless it has reached its limit of
    /// deals or is in its cooldown.
    ///
    /// A grid order that the price reaches fills at its level, and the level that was empty gets an order on the opposite side. Each
    /// filled sell order takes the profit of one step; on futures, an order that closes a part of the position takes its profit. An
    /// enabled stop loss disables the bot.
    ///
    /// The clock does not advance. Each order costs the `fee` of the sandbox, and quantities have 8 decimal places. A new pair is
    /// traded from now on, with the tick that gives this price six digits. `move_price` passes the prices in between.
    ///
    /// Args:
    ///     pair: The pair, as `<QUOTE>_<BASE>`.
    ///     price: The price, greater than 0: a str, a Decimal or an int.
    ///
    /// Raises:
    ///     ValidationError: The pair or the price is invalid.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox(fee=0) as sandbox:
    ///     ...     bot_id = sandbox.add_dca_bot(pairs=["USDT_ETH"], is_enabled=True)
    ///     ...     sandbox.set_price("USDT_ETH", "2561.66911")
    ///     ...     sandbox.set_price("USDT_ETH", "2536.05")
    ///     ...     deal = sandbox.client().dca_bots.get(bot_id).active_deals[0]
    ///     ...     deal.completed_safety_orders_count, deal.take_profit_price
    ///     (1, Decimal('2580.18'))
    fn set_price(&self, py: Python<'_>, pair: &str, price: ExactNumber) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        let price = price.of("price").or_py_err()?;
        py.detach(|| running.set_price(pair, price)).or_py_err()
    }

    /// Move the price of a pair, which passes every price in between, and update all bots and deals on it.
    ///
    /// Wherever something happens on the way, such as a take profit, a stop loss or a grid order, the sandbox does what it does on
    /// `set_price`, and then moves on. So a bot may take profit and open its next deal several times, and a stop loss closes at its
    /// own price, rounded to the tick away from the deal. The first price of a new pair is a jump, as no price precedes it.
    ///
    /// The clock does not advance.
    ///
    /// Args:
    ///     pair: The pair, as `<QUOTE>_<BASE>`.
    ///     price: The last price of the move, greater than 0: a str, a Decimal or an int.
    ///
    /// Raises:
    ///     ValidationError: The pair or the price is invalid.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox(fee=0) as sandbox:
    ///     ...     bot_id = sandbox.add_dca_bot(pairs=["USDT_ETH"], is_enabled=True, take_profit="1")
    ///     ...     sandbox.set_price("USDT_ETH", 2500)
    ///     ...     sandbox.move_price("USDT_ETH", 2600)
    ///     ...     print(*[deal.sold_average_price for deal in sandbox.finished_deals(bot_id)])
    ///     2525 2550.25 2575.76
    fn move_price(&self, py: Python<'_>, pair: &str, price: ExactNumber) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        let price = price.of("price").or_py_err()?;
        py.detach(|| running.move_price(pair, price)).or_py_err()
    }

    /// Return the finished and cancelled deals of a DCA bot, oldest first.
    ///
    /// The API returns active deals only. The sandbox keeps the last 1000 deals of each bot.
    ///
    /// Args:
    ///     bot_id: The id of the bot.
    ///
    /// Raises:
    ///     ValidationError: The sandbox has no DCA bot with this id.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox(fee=0) as sandbox:
    ///     ...     bot_id = sandbox.add_dca_bot(pairs=["USDT_ETH"], is_enabled=True, take_profit="1")
    ///     ...     sandbox.set_price("USDT_ETH", 2500)
    ///     ...     sandbox.set_price("USDT_ETH", 2600)
    ///     ...     (deal,) = sandbox.finished_deals(bot_id)
    ///     >>> deal.status, deal.sold_average_price
    ///     ('completed', Decimal('2525'))
    fn finished_deals(&self, py: Python<'_>, bot_id: Identifier) -> PyResult<RecordsAs<Deal>> {
        let running = self.running().or_py_err()?;
        let bot_id = bot_id.of("bot_id").or_py_err()?;
        let unknown = || Violation::new("bot_id", format!("the sandbox has no DCA bot {bot_id}"));
        let deals = py.detach(|| running.finished_deals(bot_id)).ok_or_else(unknown).or_py_err()?;
        let deals = deals.iter().map(|deal| Deal::SPEC.from_json(deal));
        Ok(RecordsAs(deals.collect::<Result<_, _>>().or_py_err()?, PhantomData))
    }

    /// Play candles through the market, one candle at each step of the iteration.
    ///
    /// It is for trying a script on history: between two candles, the script reads and edits bots, as it would live. Other clients
    /// may do so as well. The clock follows the candles, also into the past: it starts at the first one, and becomes manual.
    ///
    /// A candle is four prices: the open at its time, the two extremes a quarter and a half of its length later, and the close at three
    /// quarters. The price jumps to the open, and moves from there to the close, as with `move_price`. Timers that are due before a
    /// price fire first. A pair that the sandbox does not trade yet is traded from now on.
    ///
    /// `for` plays a candle at each step, and `async for` does without blocking the event loop. If Ctrl-C or a cancellation ends a
    /// step, the next one continues with the same candle. Starting another playback ends this one.
    ///
    /// As with `Candles`, times in seconds instead of milliseconds raise a `UserWarning`, before the clock is set.
    ///
    /// Args:
    ///     candles: A `Candles`, or all that `Candles` takes; or a mapping from pairs to these, which are played together.
    ///     pair: The pair of the candles, as `<QUOTE>_<BASE>`. A mapping has its own.
    ///     path: Which extreme comes first: `"nearest"`, the one nearer to the open, or the low if both are as near;
    ///         `"low_first"` or `"high_first"`.
    ///     tick: The increment of prices, such as `"0.01"`. By default, pairs keep theirs, and a new pair gets the smallest decimal
    ///         place of its candles.
    ///
    /// Returns:
    ///     An iterator, which is an asynchronous one too, over a `Moment` for each candle.
    ///
    /// Raises:
    ///     ValidationError: The candles, a pair, the path or the tick are invalid.
    ///     ConfigurationError: The sandbox is closed. The iteration raises it too, also after another playback was started.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> candles = [[1704067200000, 100, 101, 100, 100], [1704067260000, 100, 103, 100, 102]]
    ///     >>> with botdesk.Sandbox(bots=0) as sandbox:
    ///     ...     bot_id = sandbox.add_dca_bot(pairs=["USDT_NEW"], is_enabled=True, take_profit="1.5")
    ///     ...     for moment in sandbox.play(candles, pair="USDT_NEW"):
    ///     ...         print(moment.time.time(), *[event.kind for event in moment.events])
    ///     00:00:45 deal_opened order_filled
    ///     00:01:45 order_filled deal_closed deal_opened order_filled
    #[pyo3(signature = (candles: "object", pair = None, *, path = None, tick = None))]
    fn play(
        this: &Bound<'_, Self>,
        candles: &Bound<'_, PyAny>,
        pair: Option<String>,
        path: Option<PathArgument>,
        tick: Option<ExactNumber>,
    ) -> PyResult<Playback> {
        let histories = histories::read(candles, pair)?;
        let tick = tick.map(|tick| tick.of("tick")).transpose().or_py_err()?.map(Decimal::from);
        if tick.as_ref().is_some_and(|tick| !tick.is_positive()) {
            return Err(Violation::new("tick", "must be greater than 0")).or_py_err();
        }
        Playback::begin(this, histories, path.unwrap_or_default().0, tick)
    }
}
