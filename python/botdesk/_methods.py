"""Methods of records and resources that are not operations of the API. The modules beside this one implement them."""

from __future__ import annotations

from botdesk._coroutines import type_methods
from botdesk._invalid import invalid
from botdesk._native import Record, Resource, _picture, _widget
from botdesk._types import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager, AbstractContextManager
    from decimal import Decimal
    from typing import Any, Literal

    from matplotlib.axes import Axes

    from botdesk._api.balances import Balance
    from botdesk._api.dca_bots import DcaBot
    from botdesk._api.deal_orders import Order
    from botdesk._api.deals import Deal, DealAsyncIterator, DealIterator
    from botdesk._api.grid_bots import GridBot
    from botdesk._archive import Archive
    from botdesk._archive.compounding import CompoundPreview
    from botdesk._create_each import NewBotsPreview
    from botdesk._deal_actions import ClosePreview
    from botdesk._grid_enable import GridEnablePreview
    from botdesk._grid_report import GridReport
    from botdesk._native import Backtest
    from botdesk._new_bots import NewBotPreview
    from botdesk._new_grids import NewGridBotPreview
    from botdesk._records import Records
    from botdesk._widgets.tune_widget import TuneWidget


class DcaBotMethods(Record):
    """Methods of `DcaBot`."""

    __slots__ = ()

    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the bot's open deals: the price of each, its average entry price, its take profit and its stop loss.

        Args:
            ax: The matplotlib axes to draw in; new ones by default.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one
                is set.

        Returns:
            The matplotlib axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three.
            ValidationError: The record has no deals; records from a list never have them.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.get(41)
            >>> bot.plot().get_xlabel()
            'price, USDT per ETH'
        """
        return _picture("deals_of", self, ax, theme)

    def tune(self, /, candles: Any = None, *, fee: str | Decimal | float | None = None) -> TuneWidget:  # noqa: ANN401
        """Show the settings of the bot as sliders and fields in a notebook, and the effect of each change.

        Beside them are the ladder, the budget, the deepest price covered, the preview of the edit, and warnings.
        Nothing is sent until *Apply* is pressed and confirmed in the widget; that sends what `apply()` of the
        preview sends.

        Args:
            candles: Candles to backtest the bot over, before and after the changes: anything that `backtest` takes; the
                default makes none.
            fee: Fee of the exchange for the plan and the backtests, as a fraction such as 0.001 or in percent such as
                `"0.1%"`; none by default. The widget has a field for it.

        Returns:
            The widget. `preview` is the edit with the current values, and `bot` the bot that it edits.

        Raises:
            ConfigurationError: anywidget is not installed.
            ValidationError: The candles can't be read.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     widget = sandbox.client().dca_bots.get(41).tune()
            >>> widget.bot.id
            41
        """
        widget: TuneWidget = _widget("tune", self, (candles, fee))
        return widget

    def deals(self, /, **filters: Any) -> DealIterator:  # noqa: ANN401
        """Iterate over all deals of the bot, open and finished ones, page after page.

        API reference: List deals. Permission BOTS_READ.

        Args:
            **filters: The arguments of `client.deals.iter`, such as `scope="active"`.

        Returns:
            An iterator. `limit` is the number of records that each page adds, 100 by default.

        Raises:
            ConfigurationError: The record has no client.
            ValidationError: The record has no id, or an argument breaks a rule; nothing was sent.
            ApiError: The service returned an error for a page, at the step that needs it.
            TransportError: No response was received for a page, at the step that needs it.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.get(41)
            ...     [deal.id for deal in bot.deals(scope="active")] == [deal.id for deal in bot.active_deals]
            True
        """
        from botdesk import _related  # noqa: PLC0415 - the other resource is loaded when it is needed

        return _related.deals(self, filters)

    def deals_async(self, /, **filters: Any) -> DealAsyncIterator:  # noqa: ANN401
        """Iterate over all deals of the bot with `async for`; see `deals`."""
        from botdesk import _related  # noqa: PLC0415 - the other resource is loaded when it is needed

        return _related.deals_async(self, filters)

    def create_like(self, /, *, name: str, **changes: Any) -> DcaBot:  # noqa: ANN401
        """Create a bot with the settings of this one.

        Unlike `copy`, it needs no secret, and any setting can be another one. The new bot has neither deals nor
        profits, and does not trade until it is enabled.

        API reference: Create DCA bot. Permission BOTS_WRITE.

        Args:
            name: Name of the new bot, 1 to 200 characters.
            **changes: Settings that differ from those of this bot: the inputs of `client.dca_bots.create`.

        Returns:
            The new bot, which is disabled.

        Raises:
            ValidationError: The settings break rules; `errors` lists all of them, and nothing was sent.
            ConfigurationError: The record has no client.
            OutcomeUnknownError: The outcome is unknown: the bot may have been created; look for one with its name.
            ApiError: The service returned an error.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.get(41)
            ...     twin = bot.create_like(name="Twin", take_profit="2.5")
            >>> (twin.take_profit, twin.pairs == bot.pairs, twin.is_enabled)
            (Decimal('2.5'), True, False)
        """
        from botdesk import _new_bots  # noqa: PLC0415 - few scripts create bots

        return _new_bots.create_like(self, name, changes)

    async def create_like_async(self, /, *, name: str, **changes: Any) -> DcaBot:  # noqa: ANN401
        """Create a bot with the settings of this one; see `create_like`."""
        from botdesk import _new_bots  # noqa: PLC0415 - few scripts create bots

        return await _new_bots.create_like_async(self, name, changes)

    def compound(
        self,
        /,
        profit_share: str | Decimal | float = "100%",
        *,
        archive: Archive,
    ) -> CompoundPreview:
        """Preview the reinvestment of profits: larger volumes, by a share of what closed deals have earned.

        The profits are those of the archive, which counts each deal once, and none that was cancelled or failed before
        a part of it was closed. The base order and the first safety order grow by the same factor, so that the budget
        of the bot grows by the share; they are rounded down. A loss changes nothing, and is set against later profits.
        The bot is read again; nothing is written before `apply()`.

        API reference: Get DCA Bot. Permission BOTS_READ, and BOTS_WRITE to apply it.

        Args:
            profit_share: The share of the profit to reinvest, such as `"50%"` or `0.5`.
            archive: The archive with the deals; sync it first.

        Returns:
            The preview: `deals`, `profit`, `added`, `budget_before`, `budget_after` and `edit`; `apply()` sends it.

        Raises:
            ValidationError: The share is not between 0 and 100 %, or `archive` is none.
            ConfigurationError: The budget of the bot depends on prices, or its record has no client.
            ArchiveError: The archive has no deals of this service, or can't be used; the message says what to do.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk, tempfile
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     with botdesk.Archive(f"{folder}/desk.sqlite") as archive:
            ...         _ = archive.sync(client)
            ...         preview = client.dca_bots.get(41).compound("50%", archive=archive)
            ...         bot = preview.apply()
            >>> (preview.profit, preview.added, bot.base_order_volume)
            (Decimal('42.18'), Decimal('21.09'), Decimal('86.811'))
        """
        preview: CompoundPreview = _given(archive)._compound(self, profit_share)  # noqa: SLF001 - a class of the package
        return preview

    async def compound_async(
        self,
        /,
        profit_share: str | Decimal | float = "100%",
        *,
        archive: Archive,
    ) -> CompoundPreview:
        """Preview the reinvestment of profits; see `compound`."""
        preview: CompoundPreview = await _given(archive)._compound_async(self, profit_share)  # noqa: SLF001
        return preview

    def wait_deals_closed(self, /, timeout: float = 60, *, every: float = 1) -> DcaBot:
        """Wait until all deals of the bot are over that were open when it was read.

        `close_all_deals` and `cancel_all_deals` return while the deals are still being ended; this method reads the bot
        until they have ended, within the rate limit. The pauses between two reads grow up to 15 seconds. A record of a
        list has no deals; then those that are open at the first read are waited for.

        API reference: Get DCA bot. Permission BOTS_READ.

        Args:
            timeout: The longest time to wait, in seconds.
            every: The pause before the second read, in seconds.

        Returns:
            The bot. `bot.deals(scope="finished")` lists what was sold.

        Raises:
            TimeoutError: Some deals are not over after that time. They may end later.
            ValidationError: `timeout` or `every` is not greater than 0; nothing was sent.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.close_all_deals(41).wait_deals_closed(every=0.01)
            >>> bot.active_deals
            []
        """
        from botdesk import _waits  # noqa: PLC0415 - few scripts close deals

        bot: DcaBot = _waits.wait(self, _waits.deals_closed(self), timeout, every)
        return bot

    async def wait_deals_closed_async(self, /, timeout: float = 60, *, every: float = 1) -> DcaBot:  # noqa: ASYNC109
        """Wait until all deals of the bot are over that were open when it was read; see `wait_deals_closed`."""
        from botdesk import _waits  # noqa: PLC0415 - few scripts close deals

        bot: DcaBot = await _waits.wait_async(self, _waits.deals_closed(self), timeout, every)
        return bot


class DealMethods(Record):
    """Methods of `Deal`."""

    __slots__ = ()

    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the deal: its price, with its average entry price, its take profit and its stop loss.

        Args:
            ax: The matplotlib axes to draw in; new ones by default.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one
                is set.

        Returns:
            The matplotlib axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     deal = sandbox.client().dca_bots.get(41).active_deals[0]
            >>> deal.plot().get_xlabel()
            'price, USDT per ETH'
        """
        return _picture("deal", self, ax, theme)

    def wait_closed(self, /, timeout: float = 60, *, every: float = 1) -> Deal:
        """Wait until the deal is over: sold, bought back, cancelled or failed.

        Writes that end a deal return while it is still being ended; this method reads the deal until it has ended,
        within the rate limit. The pauses between two reads grow up to 15 seconds.

        API reference: Get deal. Permission BOTS_READ.

        Args:
            timeout: The longest time to wait, in seconds.
            every: The pause before the second read, in seconds.

        Returns:
            The deal that is over, with `status`, `sold_amount`, `sold_volume` and `final_profit`.

        Raises:
            TimeoutError: The deal is not over after that time. It may end later.
            ValidationError: `timeout` or `every` is not greater than 0; nothing was sent.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sold = sandbox.client().deals.close(410).wait_closed(every=0.01)
            >>> (sold.status, sold.sold_amount == sold.bought_amount)
            ('panic_sold', True)
        """
        from botdesk import _waits  # noqa: PLC0415 - few scripts close deals

        deal: Deal = _waits.wait(self, _waits.CLOSED, timeout, every)
        return deal

    async def wait_closed_async(self, /, timeout: float = 60, *, every: float = 1) -> Deal:  # noqa: ASYNC109
        """Wait until the deal is over; see `wait_closed`."""
        from botdesk import _waits  # noqa: PLC0415 - few scripts close deals

        deal: Deal = await _waits.wait_async(self, _waits.CLOSED, timeout, every)
        return deal

    def wait_steps_closed(self, /, timeout: float = 60, *, every: float = 1) -> Deal:
        """Wait until no take-profit step of the deal is being closed at the market price.

        `close_step` returns while the order of the step is not filled yet; this method reads the deal until it is,
        within the rate limit. The pauses between two reads grow up to 15 seconds.

        API reference: Get deal. Permission BOTS_READ.

        Args:
            timeout: The longest time to wait, in seconds.
            every: The pause before the second read, in seconds.

        Returns:
            The deal, with the `status` and the `price` of its `take_profit_steps`; it is over if that was its last one.

        Raises:
            TimeoutError: The step is not closed after that time. It may be closed later.
            ValidationError: `timeout` or `every` is not greater than 0; nothing was sent.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     deal = sandbox.client().deals.close_step(421, 421501).wait_steps_closed(every=0.01)
            >>> deal.take_profit_steps[0].status
            'Panic sold'
        """
        from botdesk import _waits  # noqa: PLC0415 - few scripts close steps

        deal: Deal = _waits.wait(self, _waits.STEPS_CLOSED, timeout, every)
        return deal

    async def wait_steps_closed_async(self, /, timeout: float = 60, *, every: float = 1) -> Deal:  # noqa: ASYNC109
        """Wait until no take-profit step of the deal is being closed; see `wait_steps_closed`."""
        from botdesk import _waits  # noqa: PLC0415 - few scripts close steps

        deal: Deal = await _waits.wait_async(self, _waits.STEPS_CLOSED, timeout, every)
        return deal

    def preview_close(self, /) -> ClosePreview:
        """Show what the market would take for the deal now, and the profit, without closing it.

        The deal is read; nothing is written. `close()` of the preview closes it.

        API reference: Close deal at market price. Permissions BOTS_READ, and BOTS_WRITE to close it.

        Returns:
            The preview: `amount`, `price`, `volume`, `profit`, `usd_profit` and `profit_percentage`.

        Raises:
            ConfigurationError: The deal can't be closed now, or the record has no client.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     preview = sandbox.client().deals.get(410).preview_close()
            >>> (preview.amount == preview.deal.bought_amount, preview.profit == preview.deal.actual_profit)
            (True, True)
        """
        from botdesk import _deal_actions  # noqa: PLC0415 - few scripts close deals

        return _deal_actions.preview_close(self)

    async def preview_close_async(self, /) -> ClosePreview:
        """Show what the market would take for the deal now, without closing it; see `preview_close`."""
        from botdesk import _deal_actions  # noqa: PLC0415 - few scripts close deals

        return await _deal_actions.preview_close_async(self)

    def add_volume(
        self,
        /,
        volume: str | Decimal | float,
        *,
        below_average: str | Decimal | float | None = None,
        rate: str | Decimal | float | None = None,
    ) -> Order | None:
        """Add funds of a volume in the quote currency, at the market price or with a limit order.

        The deal and its limits are read first: the quantity is rounded down to the lot, and the price to the tick.

        API reference: Data for adding funds, Add funds. Permissions BOTS_READ and BOTS_WRITE.

        Args:
            volume: Volume of the order in the quote currency, such as `50` of the USDT in `USDT_BTC`.
            below_average: Distance of a limit order from the average price of the deal, such as `"2%"` or `2`: below it
                for a long deal, above it for a short one.
            rate: Price of a limit order. Without it and `below_average`, it is a market order.

        Returns:
            The order, before it has reached the exchange; None if the service has accepted it without returning it.

        Raises:
            ValidationError: A number is invalid, the order is too small, or it costs more than is free; nothing was
                written.
            ForbiddenError: No funds can be added to the deal now, or the API key lacks the permission.
            OutcomeUnknownError: The outcome is unknown: the order may have been placed; list the orders of the deal.
            ApiError: The service returned an error.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     deal = sandbox.client().deals.get(410)
            ...     order = deal.add_volume(50, below_average="2%")
            >>> order is not None and order.rate < deal.bought_average_price
            True
        """
        from botdesk import _deal_actions  # noqa: PLC0415 - few scripts add funds

        return _deal_actions.add_volume(self, volume, below_average, rate)

    async def add_volume_async(
        self,
        /,
        volume: str | Decimal | float,
        *,
        below_average: str | Decimal | float | None = None,
        rate: str | Decimal | float | None = None,
    ) -> Order | None:
        """Add funds of a volume in the quote currency; see `add_volume`."""
        from botdesk import _deal_actions  # noqa: PLC0415 - few scripts add funds

        return await _deal_actions.add_volume_async(self, volume, below_average, rate)


class GridBotMethods(Record):
    """Methods of `GridBot`."""

    __slots__ = ()

    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the bot's grid: its levels, the current price, and the prices at which it stops.

        The levels are those of the record; without them they are planned, as `levels()` does.

        Args:
            ax: The matplotlib axes to draw in; new ones by default.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one
                is set.

        Returns:
            The matplotlib axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three.
            ValidationError: The record has neither levels nor the fields to plan them.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.enable(203)
            >>> bot.plot().get_ylabel()
            'price, USDT per ETH'
        """
        return _picture("grid_bot", self, ax, theme)

    def tune(self, /, candles: Any = None, *, fee: str | Decimal | float | None = None) -> TuneWidget:  # noqa: ANN401
        """Show the settings of the bot as sliders and fields in a notebook, and the effect of each change.

        Beside them are the levels, the investment, the profit of a level, the preview of the edit, and warnings.
        Nothing is sent until *Apply* is pressed and confirmed in the widget; that sends what `apply()` of the
        preview sends.

        Args:
            candles: Candles to backtest the bot over, before and after the changes: anything that `backtest` takes; the
                default makes none.
            fee: Fee of the exchange for the plan and the backtests, as a fraction such as 0.001 or in percent such as
                `"0.1%"`; none by default. The widget has a field for it.

        Returns:
            The widget. `preview` is the edit with the current values, and `bot` the bot that it edits.

        Raises:
            ConfigurationError: anywidget is not installed.
            ValidationError: The candles can't be read.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     widget = sandbox.client().grid_bots.enable(203).tune()
            >>> widget.bot.id
            203
        """
        widget: TuneWidget = _widget("tune", self, (candles, fee))
        return widget

    def report(
        self,
        /,
        *,
        fee: str | Decimal | float | None = None,
        candles: Any = None,  # noqa: ANN401
    ) -> GridReport:
        """Report what the bot has earned, in exact figures.

        Every figure is counted from the bot's record, its profits, its events and its orders. They are requested one
        after the other, so a bot that trades meanwhile may have figures that differ by an order; call it again.

        Args:
            fee: Fee of the exchange, as a fraction such as 0.001 or in percent such as `"0.1%"`, for `fees`; records do
                not contain fees. The realized profit is after fees in any case.
            candles: Candles since the start, for `time_in_range`: anything that `backtest` takes.

        Returns:
            The profit realized and not realized, by line and by day, for a year, against holding, and the fees and the
            time in the range. What the records do not tell is None and has a warning in `warnings`.

        Raises:
            ValidationError: `fee` is not a fraction, or the candles can't be read.
            ApiError: The service refused a request.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     report = sandbox.client().grid_bots.get(201).report()
            >>> report.total == report.realized + report.unrealized
            True
        """
        from botdesk import _grid_report  # noqa: PLC0415 - few scripts make reports

        return _grid_report.report(self, fee, candles)

    async def report_async(
        self,
        /,
        *,
        fee: str | Decimal | float | None = None,
        candles: Any = None,  # noqa: ANN401
    ) -> GridReport:
        """Report what the bot has earned, in exact figures; see `report`."""
        from botdesk import _grid_report  # noqa: PLC0415 - few scripts make reports

        return await _grid_report.report_async(self, fee, candles)

    def create_like(self, /, *, name: str, **changes: Any) -> GridBot:  # noqa: ANN401
        """Create a grid bot with the settings of this one.

        **The service does not return `trailing_down_enabled`, `expansion_up_enabled` and `expansion_up_stop_price`**:
        the new bot only has them if they are among the changes. The bounds are those of now, which trailing may have
        moved. The new bot has no profits, and does not trade until it is enabled.

        API reference: Create Grid Bot. Permission BOTS_WRITE.

        Args:
            name: Name of the new bot, 1 to 40 characters.
            **changes: Settings that differ from those of this bot: the inputs of `client.grid_bots.create`.

        Returns:
            The new bot, which is disabled.

        Raises:
            ValidationError: The settings break rules; `errors` lists all of them, and nothing was sent.
            ConfigurationError: The record has no client.
            OutcomeUnknownError: The outcome is unknown: the bot may have been created; look for one with its name.
            ApiError: The service returned an error.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().grid_bots.get(203)
            ...     twin = bot.create_like(name="Twin", grids_quantity=11)
            >>> (twin.grids_quantity, twin.pair == bot.pair, twin.is_enabled)
            (11, True, False)
        """
        from botdesk import _new_grids  # noqa: PLC0415 - few scripts create bots

        return _new_grids.create_like(self, name, changes)

    async def create_like_async(self, /, *, name: str, **changes: Any) -> GridBot:  # noqa: ANN401
        """Create a grid bot with the settings of this one; see `create_like`."""
        from botdesk import _new_grids  # noqa: PLC0415 - few scripts create bots

        return await _new_grids.create_like_async(self, name, changes)

    def preview_enable(self, /) -> GridEnablePreview:
        """Show what the bot would do at its start, without enabling it: see `client.grid_bots.preview_enable`.

        The bot is read again; nothing is written. `apply()` of the preview enables it.

        API reference: Get Grid Bot, Required balances for launch. Permission BOTS_READ, and BOTS_WRITE to enable it.

        Returns:
            The preview: `state`, `required`, `missing`, `balancing`, `is_funded` and `warnings`.

        Raises:
            ConfigurationError: The record has no client.
            NotFoundError: The bot does not exist.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     preview = sandbox.client().grid_bots.get(203).preview_enable()
            >>> (preview.balancing.side, preview.balancing.currency, preview.is_funded)
            ('buy', 'ETH', True)
        """
        from botdesk import _grid_enable  # noqa: PLC0415 - few scripts start bots

        return _grid_enable.preview_enable_of(self)

    async def preview_enable_async(self, /) -> GridEnablePreview:
        """Show what the bot would do at its start, without enabling it; see `preview_enable`."""
        from botdesk import _grid_enable  # noqa: PLC0415 - few scripts start bots

        return await _grid_enable.preview_enable_of_async(self)


class AccountMethods(Record):
    """Methods of `Account`."""

    __slots__ = ()

    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the profits of the account in USD: of the day, of the month, and in total.

        Args:
            ax: The matplotlib axes to draw in; new ones by default.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one
                is set.

        Returns:
            The matplotlib axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three.

        Example:
            >>> import botdesk
            >>> account = botdesk.Account.from_json('{"name": "Main", "usd_amount": "900", "usd_profit": "-3.5"}')
            >>> account.plot().get_title("left")
            'Main: holds 900 USD'
        """
        return _picture("account", self, ax, theme)

    def balances(self, /) -> Records[Balance]:
        """Get the balance, the orders and the prices of each currency in the account: another name of `table_data`.

        API reference: Get table balances. Permission ACCOUNTS_READ.

        Returns:
            The balances.

        Raises:
            ConfigurationError: The record has no client.
            NotFoundError: The account does not exist.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account = sandbox.client().accounts.get(1001)
            ...     account.balances() == account.table_data()
            True
        """
        from botdesk import _related  # noqa: PLC0415 - other records are loaded when they are needed

        return _related.balances(self)

    async def balances_async(self, /) -> Records[Balance]:
        """Get the balance, the orders and the prices of each currency in the account; see `balances`."""
        from botdesk import _related  # noqa: PLC0415 - other records are loaded when they are needed

        return await _related.balances_async(self)


class DepositDataMethods(Record):
    """Methods of `DepositData`."""

    __slots__ = ()

    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the available amount of the currency, and the amount in orders.

        Args:
            ax: The matplotlib axes to draw in; new ones by default.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one
                is set.

        Returns:
            The matplotlib axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three.

        Example:
            >>> import botdesk
            >>> balances = '{"available_balance": "3", "in_orders": "1", "total_balance": "4"}'
            >>> data = botdesk.DepositData.from_json(balances)
            >>> data.plot().get_title("left")
            'The account holds 4'
        """
        return _picture("deposit_data", self, ax, theme)


class NetworkInfoMethods(Record):
    """Methods of `NetworkInfo`."""

    __slots__ = ()

    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the fee of a withdrawal over each network of the currency, and mark closed networks.

        Args:
            ax: The matplotlib axes to draw in; new ones by default.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one
                is set.

        Returns:
            The matplotlib axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three.

        Example:
            >>> import botdesk
            >>> networks = botdesk.NetworkInfo.from_json(
            ...     '{"currency": "USDT", "network_list": [{"network": "TRX", "withdraw_fee": "1"}]}'
            ... )
            >>> networks.plot().get_xlabel()
            'fee of a withdrawal, USDT'
        """
        return _picture("network_info", self, ax, theme)


def _given(archive: object) -> Any:  # noqa: ANN401 - the archive, whose class imports this module
    """Return an archive that was passed as an argument."""
    if not hasattr(archive, "_compound"):
        message = f"must be a botdesk.Archive, not {type(archive).__name__}; write archive=botdesk.Archive(path)"
        raise invalid("archive", message)
    return archive


def live_table(records: Resource, name: str, interval: float) -> Any:  # noqa: ANN401 - the methods have the type
    """Return the table that follows the records of a resource."""
    return _widget("live", records, (name, interval))


class DcaBotsMethods(Resource):
    """Methods of `DcaBots`."""

    __slots__ = ()

    def create_from(self, backtest: Backtest, /, *, account_id: int, name: str, **changes: Any) -> DcaBot:  # noqa: ANN401
        """Create the bot that a backtest has tried.

        The bot has the settings of the backtest; those that a backtest does not need are the service's defaults. It
        does not trade until it is enabled.

        API reference: Create DCA bot. Permission BOTS_WRITE.

        Args:
            backtest: The backtest of a DCA bot; `point.backtest()` is that of a point of a sweep.
            account_id: Identifier of the account that the bot trades on.
            name: Name of the new bot, 1 to 200 characters.
            **changes: Settings that differ from those of the backtest: the inputs of `create`.

        Returns:
            The new bot, which is disabled.

        Raises:
            ValidationError: The settings break rules; `errors` lists all of them, and nothing was sent.
            ConfigurationError: The backtest is that of a grid bot.
            OutcomeUnknownError: The outcome is unknown: the bot may have been created; look for one with its name.
            ApiError: The service returned an error.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> candles = botdesk.Candles([[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]])
            >>> settings = {"base_order_volume": 100, "max_safety_orders": 0, "take_profit": 2}
            >>> tried = botdesk.backtest({"USDT_ETH": candles}, **settings)
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.create_from(tried, account_id=1001, name="Tried")
            >>> (bot.take_profit, bot.pairs, bot.is_enabled)
            (Decimal('2'), ['USDT_ETH'], False)
        """
        from botdesk import _new_bots  # noqa: PLC0415 - few scripts create bots

        return _new_bots.create_tried(self, backtest, account_id, name, changes)

    async def create_from_async(
        self,
        backtest: Backtest,
        /,
        *,
        account_id: int,
        name: str,
        **changes: Any,  # noqa: ANN401
    ) -> DcaBot:
        """Create the bot that a backtest has tried; see `create_from`."""
        from botdesk import _new_bots  # noqa: PLC0415 - few scripts create bots

        return await _new_bots.create_tried_async(self, backtest, account_id, name, changes)

    def preview_create(self, /, **settings: Any) -> NewBotPreview:  # noqa: ANN401
        """Show what a new bot would be, without creating it: the request, the orders of a deal, and what they cost.

        The account and the current prices of the pairs are read; nothing is written. `apply()` of the preview
        creates the bot.

        API reference: Create DCA bot. Permissions ACCOUNTS_READ, and BOTS_WRITE to create it.

        Args:
            **settings: The inputs of `create`.

        Returns:
            The preview: `body`, `ladder`, `budget`, `available`, `minimums` and `warnings`.

        Raises:
            ValidationError: The settings break rules; `errors` lists all of them, and nothing was sent.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> settings = {
            ...     "name": "Slow ETH", "account_id": 1001, "pairs": "USDT_ETH",
            ...     "strategy_list": [{"strategy": "nonstop"}], "base_order_volume": 80,
            ...     "take_profit": "1.5", "take_profit_type": "total", "safety_order_volume": 30,
            ...     "safety_order_step_percentage": 2, "max_safety_orders": 3, "active_safety_orders_count": 1,
            ...     "martingale_volume_coefficient": 1, "martingale_step_coefficient": 1,
            ... }
            >>> with botdesk.Sandbox() as sandbox:
            ...     preview = sandbox.client().dca_bots.preview_create(**settings)
            >>> (len(preview.ladder), preview.budget > 170, preview.warnings)
            (4, True, [])
        """
        from botdesk import _new_bots  # noqa: PLC0415 - few scripts create bots

        return _new_bots.preview(self, settings)

    async def preview_create_async(self, /, **settings: Any) -> NewBotPreview:  # noqa: ANN401
        """Show what a new bot would be, without creating it; see `preview_create`."""
        from botdesk import _new_bots  # noqa: PLC0415 - few scripts create bots

        return await _new_bots.preview_async(self, settings)

    def create_each(
        self,
        table: object,
        /,
        *,
        like: DcaBot | int | None = None,
        name: str | None = None,
        skip_existing: bool = False,
    ) -> NewBotsPreview:
        """Preview the creation of many bots, each with the settings of its row in a table.

        Each column is an input of `create`. With `like`, the bots have the settings of another bot, and the table has
        what differs: a number may then be a calculation such as `*1.1`. All rows are checked before anything is sent,
        against the rules of the API reference and against the names of the bots that exist. `create()` of the preview
        creates the bots, which are disabled.

        API reference: List DCA Bots, Create DCA bot. Permissions BOTS_READ and ACCOUNTS_READ, and BOTS_WRITE to create
        them.

        Args:
            table: A frame of pandas or polars, an Arrow table, the path of a .csv or .xlsx file, or a list of dicts.
            like: The bot whose settings the new ones have: a record or an identifier.
            name: The name of bots without a cell `name`. In a name, `{pair}`, `{strategy}` (`long` or `short`) and
                `{n}` (the number of the row) are replaced.
            skip_existing: If True, leave out rows whose account has a bot of this name already, such as to continue a
                run that was stopped. If False, they are errors.

        Returns:
            The preview of all bots: their budgets together against what is free, and warnings.

        Raises:
            ValidationError: A column, a row or a cell is wrong, or a row breaks a rule; `errors` lists all of them.
                Nothing was sent.
            ConfigurationError: The file can't be read, is no CSV and no workbook, or openpyxl is not installed; nothing
                was sent.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bots = sandbox.client().dca_bots
            ...     table = [{"pairs": "USDT_BTC"}, {"pairs": "USDT_SOL", "take_profit": "*2"}]
            ...     preview = bots.create_each(table, like=41, name="{strategy} {pair}")
            ...     result = preview.create()
            >>> [(bot.name, bot.take_profit) for bot in result.done]
            [('long USDT_BTC', Decimal('1.0')), ('long USDT_SOL', Decimal('2'))]
        """
        from botdesk import _create_each  # noqa: PLC0415 - few scripts create bots

        return _create_each.create_each(self, table, like, name, skip_existing=skip_existing)

    async def create_each_async(
        self,
        table: object,
        /,
        *,
        like: DcaBot | int | None = None,
        name: str | None = None,
        skip_existing: bool = False,
    ) -> NewBotsPreview:
        """Preview the creation of many bots; see `create_each`."""
        from botdesk import _create_each  # noqa: PLC0415 - few scripts create bots

        return await _create_each.create_each_async(self, table, like, name, skip_existing=skip_existing)


class GridBotsMethods(Resource):
    """Methods of `GridBots`."""

    __slots__ = ()

    def create_from(self, backtest: Backtest, /, *, account_id: int, name: str, **changes: Any) -> GridBot:  # noqa: ANN401
        """Create the grid bot that a backtest has tried.

        The bot has the settings of the backtest, also those that the service does not return, such as
        `trailing_down_enabled`. It does not trade until it is enabled.

        API reference: Create Grid Bot. Permission BOTS_WRITE.

        Args:
            backtest: The backtest of a grid bot; `point.backtest()` is that of a point of a sweep.
            account_id: Identifier of the account that the bot trades on.
            name: Name of the new bot, 1 to 40 characters.
            **changes: Settings that differ from those of the backtest: the inputs of `create`.

        Returns:
            The new bot, which is disabled.

        Raises:
            ValidationError: The settings break rules; `errors` lists all of them, and nothing was sent.
            ConfigurationError: The backtest is that of a DCA bot.
            OutcomeUnknownError: The outcome is unknown: the bot may have been created; look for one with its name.
            ApiError: The service returned an error.
            TransportError: Nothing was sent.

        Example:
            >>> import botdesk
            >>> candles = botdesk.Candles([[0, 3500, 3600, 3400, 3500], [60000, 3500, 3550, 3450, 3500]])
            >>> with botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     edit = client.grid_bots.get(203).preview_edit(grids_quantity=11)
            ...     tried = edit.backtest(candles).after
            ...     bot = client.grid_bots.create_from(tried, account_id=1001, name="Tried")
            >>> (bot.grids_quantity, bot.pair, bot.is_enabled)
            (11, 'USDT_ETH', False)
        """
        from botdesk import _new_grids  # noqa: PLC0415 - few scripts create bots

        return _new_grids.create_tried(self, backtest, account_id, name, changes)

    async def create_from_async(
        self,
        backtest: Backtest,
        /,
        *,
        account_id: int,
        name: str,
        **changes: Any,  # noqa: ANN401
    ) -> GridBot:
        """Create the grid bot that a backtest has tried; see `create_from`."""
        from botdesk import _new_grids  # noqa: PLC0415 - few scripts create bots

        return await _new_grids.create_tried_async(self, backtest, account_id, name, changes)

    def preview_create(
        self,
        /,
        *,
        fee: str | Decimal | float | None = None,
        **settings: Any,  # noqa: ANN401
    ) -> NewGridBotPreview:
        """Show what a new grid bot would be, without creating it: the request, its lines, and what they cost.

        The account, its balances and the current price are read; nothing is written. `apply()` of the preview creates
        the bot.

        API reference: Create Grid Bot. Permissions ACCOUNTS_READ, and BOTS_WRITE to create it.

        Args:
            fee: Fee of the exchange for the profit of a step, as a fraction such as 0.001 or in percent such as
                `"0.1%"`; none by default.
            **settings: The inputs of `create`.

        Returns:
            The preview: `body`, `grid`, `budget`, `available`, `missing`, `balancing`, `smallest_order` and `warnings`.

        Raises:
            ValidationError: The settings break rules; `errors` lists all of them, and nothing was sent.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> settings = {
            ...     "name": "Night ETH", "account_id": 1001, "pair": "USDT_ETH", "lower_price": 3000,
            ...     "upper_price": 3800, "grids_quantity": 9, "quantity_per_grid": 50, "order_currency_type": "quote",
            ... }
            >>> with botdesk.Sandbox() as sandbox:
            ...     preview = sandbox.client().grid_bots.preview_create(**settings)
            >>> (len(preview.grid), preview.budget["USDT"], preview.balancing.side, preview.warnings)
            (9, Decimal('250'), 'buy', [])
        """
        from botdesk import _new_grids  # noqa: PLC0415 - few scripts create bots

        return _new_grids.preview(self, settings, fee)

    async def preview_create_async(
        self,
        /,
        *,
        fee: str | Decimal | float | None = None,
        **settings: Any,  # noqa: ANN401
    ) -> NewGridBotPreview:
        """Show what a new grid bot would be, without creating it; see `preview_create`."""
        from botdesk import _new_grids  # noqa: PLC0415 - few scripts create bots

        return await _new_grids.preview_async(self, settings, fee)

    def preview_enable(self, grid_bot_id: int, /) -> GridEnablePreview:
        """Show what a grid bot would do at its start, without enabling it.

        That is what it buys or sells first, what is missing, and in which currency.

        The figures are those of the service's `required_balances`. The service has none on a futures account, and for a
        bot whose lines have no side because it was stopped; then they are planned at the current price, from the
        balances of the account. Nothing is written; `apply()` of the preview enables the bot.

        API reference: Get Grid Bot, Required balances for launch. Permission BOTS_READ, for a plan also ACCOUNTS_READ,
        and BOTS_WRITE to enable it.

        Args:
            grid_bot_id: Identifier of the bot.

        Returns:
            The preview: `state`, `required`, `missing`, `balancing`, `is_funded` and `warnings`.

        Raises:
            ValidationError: `grid_bot_id` is not an identifier; nothing was sent.
            NotFoundError: The bot does not exist.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     preview = sandbox.client().grid_bots.preview_enable(203)
            >>> (preview.state, preview.balancing.side, preview.balancing.currency, preview.is_funded)
            ('stopped', 'buy', 'ETH', True)
        """
        from botdesk import _grid_enable  # noqa: PLC0415 - few scripts start bots

        return _grid_enable.preview_enable(self, grid_bot_id)

    async def preview_enable_async(self, grid_bot_id: int, /) -> GridEnablePreview:
        """Show what a grid bot would do at its start, without enabling it; see `preview_enable`."""
        from botdesk import _grid_enable  # noqa: PLC0415 - few scripts start bots

        return await _grid_enable.preview_enable_async(self, grid_bot_id)


def short_forms(
    owner: Record | Resource,
    operation: str,
    inputs: list[Any],
    /,
    *ids: int,
    **more: Any,  # noqa: ANN401
) -> AbstractContextManager[list[Any]]:
    """Return the inputs that an operation has for its arguments; errors within name the arguments as written."""
    from botdesk import _smart_orders  # noqa: PLC0415 - few scripts place SmartTrades

    return _smart_orders.converted(owner, operation, inputs, ids, more)


def short_forms_async(
    owner: Record | Resource,
    operation: str,
    inputs: list[Any],
    /,
    *ids: int,
    **more: Any,  # noqa: ANN401
) -> AbstractAsyncContextManager[list[Any]]:
    """Return the inputs that an operation has for its arguments; see `short_forms`."""
    from botdesk import _smart_orders  # noqa: PLC0415 - few scripts place SmartTrades

    return _smart_orders.converted_async(owner, operation, inputs, ids, more)


def short_preview(owner: Record | Resource, operation: str, inputs: list[Any], /, *ids: int, **more: Any) -> Any:  # noqa: ANN401 - the methods have the type
    """Return the preview of an operation."""
    from botdesk import _smart_previews  # noqa: PLC0415 - few scripts place SmartTrades

    return _smart_previews.preview(owner, operation, inputs, ids, more)


async def short_preview_async(
    owner: Record | Resource,
    operation: str,
    inputs: list[Any],
    /,
    *ids: int,
    **more: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401 - the methods have the type
    """Return the preview of an operation."""
    from botdesk import _smart_previews  # noqa: PLC0415 - few scripts place SmartTrades

    return await _smart_previews.preview_async(owner, operation, inputs, ids, more)


type_methods(*(kind for kind in tuple(vars().values()) if isinstance(kind, type) and kind.__module__ == __name__))
