"""The methods of records and resources that are written by hand: pictures and widgets."""

from __future__ import annotations

from botdesk._native import Record, Resource, _picture, _widget
from botdesk._types import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any, Literal

    from matplotlib.axes import Axes

    from botdesk._api.dca_bots import DcaBot
    from botdesk._new_bots import NewBotPreview
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


def live_table(records: Resource, name: str, interval: float) -> Any:  # noqa: ANN401 - the methods have the type
    """Return the table that follows the records of a resource."""
    return _widget("live", records, (name, interval))


class DcaBotsMethods(Resource):
    """Methods of `DcaBots`."""

    __slots__ = ()

    def preview_create(self, /, **settings: Any) -> NewBotPreview:  # noqa: ANN401
        """Show what a new bot would be, without creating it: the request, the orders of a deal, and what they cost.

        The account and the current prices of the pairs are read; nothing is written. `create()` of the preview
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
