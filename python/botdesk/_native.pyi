"""
The Rust core of botdesk.
"""

from _typeshed import Incomplete, SupportsGetItem, SupportsLenAndGetItem
from botdesk import (
    Accounts,
    DcaBot,
    DcaBotEditPreview,
    DcaBots,
    Deal,
    Deals,
    GridBot,
    GridBotEditPreview,
    GridBots,
    Markets,
    Overview,
    PairRates,
    RequestEvent as RequestEvent2,
    SmartTrade,
    SmartTrades,
    Trades,
)
from botdesk._records import Records
from botdesk.errors import BotdeskError
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from datetime import datetime, timedelta
from decimal import Decimal
from matplotlib.axes import Axes
from os import PathLike
from pathlib import Path
from polars import DataFrame
from typing import Any, Final, Literal, Self, SupportsFloat, SupportsIndex, final, overload
from typing_extensions import disjoint_base

__all__ = [
    "_PUBLISHED_BASE_URL",
    "__version__",
    "Answer",
    "ArrowTable",
    "Backtest",
    "BacktestBounds",
    "BacktestComparison",
    "BacktestDeal",
    "BacktestOrder",
    "BacktestSummary",
    "Budget",
    "Candle",
    "Candles",
    "Client",
    "Clock",
    "DisplayOptions",
    "EditPreview",
    "EquityPoint",
    "Faults",
    "FieldChange",
    "GridLevel",
    "GridPlan",
    "HappenedFault",
    "Ladder",
    "MarketEvent",
    "Moment",
    "NotSimulated",
    "Operation",
    "PendingFault",
    "Playback",
    "PrivateKey",
    "RateLimit",
    "ReceivedRequest",
    "Record",
    "RecordAsyncIterator",
    "RecordAsyncWatch",
    "RecordChange",
    "RecordIterator",
    "RecordWatch",
    "Recording",
    "RefusedCombination",
    "Replay",
    "RequestEvent",
    "Resource",
    "RetryPolicy",
    "Rung",
    "Sandbox",
    "SandboxStreams",
    "SignedRequest",
    "Stream",
    "StreamAttempt",
    "StreamEvent",
    "Sweep",
    "SweepFold",
    "SweepPoint",
    "_Attribute",
    "_Look",
    "_Run",
    "_SweepChunks",
    "_SweepPlan",
    "_Unset",
    "_account_of",
    "_add_profile",
    "_add_secret_profile",
    "_backtest",
    "_backtest_async",
    "_backtest_inputs",
    "_backtest_of_inputs",
    "_backtest_of_inputs_async",
    "_candles_of_csv",
    "_changes_html",
    "_check_profile_name",
    "_chosen_client",
    "_class_words",
    "_client_facts",
    "_compare",
    "_compare_async",
    "_decimals",
    "_default_profile",
    "_destination",
    "_duration_text",
    "_edit_lines",
    "_fit_tables_to_terminal",
    "_ladder",
    "_ladder_of_edit",
    "_levels",
    "_levels_of_edit",
    "_looks_like_key",
    "_one_line",
    "_operation",
    "_operation_names",
    "_picture",
    "_places_shown",
    "_plan_grid",
    "_plan_ladder",
    "_printable",
    "_profiles",
    "_profiles_file",
    "_rate_limit",
    "_record_html",
    "_records_html",
    "_records_text",
    "_remove_profile",
    "_set_default_profile",
    "_short_forms",
    "_shown_column",
    "_shown_line",
    "_shown_message",
    "_shown_path",
    "_shutdown",
    "_stream",
    "_sweep",
    "_sweep_async",
    "_table_html",
    "_take_last_write",
    "_tuning_inputs",
    "_value_and_rule",
    "_watched",
    "_widget",
    "display",
    "record",
]

_PUBLISHED_BASE_URL: Final[str]

__version__: Final[str]
"""
The version of botdesk.
"""

@final
class Answer:
    """
    A response that reports success, which is not decoded.
    """
    def __repr__(self, /) -> str: ...
    @property
    def body(self, /) -> str:
        """
        The body as a string.
        """
    @property
    def headers(self, /) -> dict[str, str]:
        """
        The headers, with names in lower case. The values of a repeated header are joined by commas.
        """
    def json(self, /) -> Any:
        """
        Parse the body as JSON: integers become int, other numbers Decimal.

        Raises:
            DecodeError: The body is not JSON.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().request("GET", "/ver1/bots/41/show").json().get("id")
            41
        """
    @property
    def status(self, /) -> int:
        """
        The status, 200 to 299.
        """

@final
class ArrowTable:
    """
    A list of records as a table, for any library that supports the Arrow PyCapsule interface.

    `to_arrow()` of a list of records or of a plan returns one. `polars.DataFrame(table)`, `pyarrow.table(table)`,
    `pandas.DataFrame.from_arrow(table)` and `duckdb.sql("select … from table")` read it, any number of times.
    """
    def __arrow_c_stream__(self, /, requested_schema: "object" = None) -> Any:
        """
        Return the table as an Arrow stream, for libraries that request one.
        """
    def __repr__(self, /) -> str: ...
    def _with_json_lists(self, /) -> ArrowTable:
        """
        Return the table with its lists of strings as JSON.
        """

@final
class Backtest:
    """
    The deals, orders and figures that a bot or a SmartTrade would have had over candles.

    The run takes milliseconds. Everything else is calculated when it is first read, and kept.

    Settings that matter but are not simulated are in `not_simulated`, and at the end of what it prints. Two backtests are equal if
    their bots, markets and candles are. A pickle has those, without the results.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str, list[Candles]]]: ...
    def __repr__(self, /) -> str: ...
    def _deal_lines(self, /) -> list[tuple[int, datetime, datetime, Decimal, Decimal | None]]:
        """
        Return the average price and the take profit between the orders of each deal.
        """
    @property
    def _fee_text(self, /) -> str:
        """
        The fee, as the title of a picture names it.
        """
    def _price_lines(self, /, columns: SupportsIndex) -> list[tuple[str | None, list[tuple[datetime, Decimal]]]]:
        """
        Return the price of each pair as points for a picture with this number of columns.
        """
    def _profit_line(self, /, points: SupportsIndex) -> list[tuple[int, float]]:
        """
        Return the profit over time in about `points` points: milliseconds since 1970 and an amount.
        """
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(setup: str, candles: SupportsGetItem[int, Candles]) -> Backtest: ...
    def _tried(self, /, resource: str) -> Any:
        """
        Return a record with the settings of the bot, which is one of the resource with this name.
        """
    @property
    def ambiguous(self, /) -> int:
        """
        The number of candles in which other orders would have filled if the two extremes had come in the other order.

        If it is not 0, compare with `bounds()`, or use shorter candles.
        """
    def bounds(self, /) -> BacktestBounds:
        """
        Run the backtest with the low of each candle first, and with the high first.

        Returns:
            The figures of both, and the range of the profit. A path that mixes both may leave the range.

        Example:
            >>> import botdesk
            >>> candles = botdesk.Candles([[0, 100, 100, 100, 100], [60000, 100, 102, 97, 100]])
            >>> bounds = botdesk.backtest(
            ...     candles,
            ...     base_order_volume=100,
            ...     max_safety_orders=0,
            ...     take_profit=2,
            ...     stop_loss_percentage=3,
            ...     cooldown=3600,
            ... ).bounds()
            >>> bounds.profit
            (Decimal('-3'), Decimal('2'))
        """
    @property
    def candles(self, /) -> Any:
        """
        The candles from `start` to `end`; for a bot of several pairs, a dict from pair to candles.
        """
    @property
    def deals(self, /) -> Records[BacktestDeal]:
        """
        The deals, in the order in which they were opened. A deal that is open after the last candle is among them.
        """
    @property
    def equity(self, /) -> Records[EquityPoint]:
        """
        The profit and the capital over time: a point after each price and each timer at which an order filled, one for each start of a
        day (UTC), and one for the end. Several points may have the same time.
        """
    @property
    def not_simulated(self, /) -> list[NotSimulated]:
        """
        The settings that matter but are not simulated, each with the reason.
        """
    @property
    def orders(self, /) -> Records[BacktestOrder]:
        """
        The orders, in the order in which they filled.
        """
    @property
    def path(self, /) -> Literal["nearest", "low_first", "high_first"]:
        """
        The extreme of each candle that the price reaches first.
        """
    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = ...) -> Axes:
        """
        Draw the backtest: the price with all orders, the average price and the take profit of deals, then the profit and the capital.

        The place of the axes is divided into panels that share the times, and the axes become those of the price. The price of a long
        history is drawn from some thousand points, its extremes among them. Every order is drawn. A bot of several pairs has a panel
        for each, up to six.

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
            >>> candles = botdesk.Candles([[0, 100, 102, 100, 102], [60000, 102, 104, 101, 104]])
            >>> result = botdesk.backtest(candles, base_order_volume=100, max_safety_orders=0, take_profit=1)
            >>> result.plot().get_ylabel()
            'price'
        """
    @property
    def status(self, /) -> str | None:
        """
        The status of the SmartTrade after the last candle, such as `finished`, `stop_loss_finished` or `waiting_targets`; None for a bot.
        """
    @property
    def summary(self, /) -> BacktestSummary:
        """
        The figures: deals, profit, drawdown, time in the market, fees and others.
        """
    @property
    def warnings(self, /) -> list[str]:
        """
        Notes about the settings, the candles and the result, each in a sentence.
        """

@final
class BacktestBounds:
    """
    The figures of a backtest with the low of each candle first, and with the high first.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[BacktestSummary, BacktestSummary]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(low_first: BacktestSummary, high_first: BacktestSummary) -> BacktestBounds: ...
    @property
    def high_first(self, /) -> BacktestSummary:
        """
        The figures if the price reaches the high of each candle first.
        """
    @property
    def low_first(self, /) -> BacktestSummary:
        """
        The figures if the price reaches the low of each candle first.
        """
    @property
    def profit(self, /) -> tuple[Decimal, Decimal]:
        """
        The lower and the higher of the two profits, those of open deals included.
        """

@final
class BacktestComparison:
    """
    The backtests of a bot before and after an edit, side by side.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[Backtest, Backtest]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(before: Backtest, after: Backtest) -> BacktestComparison: ...
    def _table(self, /) -> tuple[list[str], list[list[tuple[str, str | None, bool | None]]], list[str]]:
        """
        Return the heads of the table, its rows and its notes, for `tune`.
        """
    @property
    def after(self, /) -> Backtest:
        """
        The backtest of the bot after the edit.
        """
    @property
    def before(self, /) -> Backtest:
        """
        The backtest of the bot as it is.
        """
    @property
    def difference(self, /) -> BacktestSummary:
        """
        Each figure of the summary after the edit minus the one before. It is None if one of the two is.
        """
    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = ...) -> Axes:
        """
        Draw the profit and the capital of both backtests, one over the other.

        The place of the axes is divided into two panels, and the axes become those of the profit.

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
            >>> candles = botdesk.Candles([[0, 100, 102, 100, 102], [60000, 102, 104, 101, 104]])
            >>> with botdesk.Sandbox() as sandbox:
            ...     preview = sandbox.client().dca_bots.get(41).preview_edit(take_profit="1.5")
            >>> preview.backtest(candles).plot().get_ylabel()
            'profit, USDT'
        """

@final
class BacktestDeal:
    """
    A deal of a backtest, or a SmartTrade after its entry.
    """

    _figures: Final[list[str]]
    """
    The attributes that are rounded for people.
    """
    _shown: Final[list[str]]
    """
    The attributes that a table shows.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(row: str) -> BacktestDeal: ...
    @staticmethod
    def _table(
        elements: Any, decimals: Literal["decimal", "text", "float"]
    ) -> tuple[ArrowTable, list[tuple[str, str, list[int]]]]:
        """
        Return the table of these elements, and the values that it can't represent.
        """
    @property
    def average_price(self, /) -> Decimal:
        """
        The average price of the base order and the safety orders, with their fees, rounded to 18 decimal places.
        """
    @property
    def base_price(self, /) -> Decimal:
        """
        The price of the base order, with its fee.
        """
    @property
    def closed_at(self, /) -> datetime | None:
        """
        The time of the last order, in UTC; None if the deal is open at the end.
        """
    @property
    def direction(self, /) -> Literal["long", "short"]:
        """
        The direction of the deal.
        """
    @property
    def drawdown_percentage(self, /) -> Decimal:
        """
        The deepest loss before the end, in percent of the volume at that time, rounded to two decimal places; 0 if there was none.
        """
    @property
    def duration(self, /) -> timedelta:
        """
        The time for which the deal was open.
        """
    @property
    def exit_price(self, /) -> Decimal | None:
        """
        The average price of the orders that closed the deal, after their fees, rounded to 18 decimal places; None if it is open at the
        end.
        """
    @property
    def fee(self, /) -> Decimal:
        """
        The fees of all orders, in the quote currency.
        """
    @property
    def opened_at(self, /) -> datetime:
        """
        The time of the base order, in UTC.
        """
    @property
    def pair(self, /) -> str | None:
        """
        The pair, as `<QUOTE>_<BASE>`; None if the bot has none.
        """
    @property
    def profit(self, /) -> Decimal:
        """
        The profit after fees, in the quote currency; of an open deal, the profit of closing it at the last price.
        """
    @property
    def profit_percentage(self, /) -> Decimal:
        """
        The profit in percent of the volume, rounded to two decimal places.
        """
    @property
    def quantity(self, /) -> Decimal:
        """
        The quantity of the base order and the safety orders, in the base currency.
        """
    @property
    def safety_orders(self, /) -> int:
        """
        The number of filled safety orders.
        """
    @property
    def status(self, /) -> Literal["completed", "stop_loss_finished", "timeout", "open"]:
        """
        The state of the deal: `completed` took profit, `stop_loss_finished` hit its stop loss, `timeout` was open for too long,
        `open` is open after the last candle.
        """
    @property
    def volume(self, /) -> Decimal:
        """
        The volume of the base order and the safety orders with their fees, in the quote currency.
        """

@final
class BacktestOrder:
    """
    An order that filled in a backtest.
    """

    _figures: Final[list[str]]
    """
    The attributes that are rounded for people.
    """
    _shown: Final[list[str]]
    """
    The attributes that a table shows.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(row: str) -> BacktestOrder: ...
    @staticmethod
    def _table(
        elements: Any, decimals: Literal["decimal", "text", "float"]
    ) -> tuple[ArrowTable, list[tuple[str, str, list[int]]]]:
        """
        Return the table of these elements, and the values that it can't represent.
        """
    @property
    def deal(self, /) -> int | None:
        """
        The number of the deal, which is `deals[order.deal - 1]`; None for an order of a grid.
        """
    @property
    def fee(self, /) -> Decimal:
        """
        The fee, in the quote currency.
        """
    @property
    def kind(
        self, /
    ) -> Literal[
        "entry",
        "base_order",
        "safety_order",
        "take_profit",
        "trailing",
        "stop_loss",
        "timeout",
        "reduced_funds",
        "step_by_hand",
        "by_hand",
        "grid_line",
        "balancing_order",
    ]:
        """
        The kind of the order.
        """
    @property
    def price(self, /) -> Decimal:
        """
        The price.
        """
    @property
    def quantity(self, /) -> Decimal:
        """
        The quantity, in the base currency.
        """
    @property
    def side(self, /) -> Literal["buy", "sell"]:
        """
        The side of the order.
        """
    @property
    def time(self, /) -> datetime:
        """
        The time at which the order filled, in UTC.
        """
    @property
    def volume(self, /) -> Decimal:
        """
        The volume, in the quote currency: price × quantity.
        """

@final
class BacktestSummary:
    """
    The figures of a backtest, or the differences between the figures of two. Amounts are in the quote currency.
    """

    _figures: Final[list[str]]
    """
    The attributes that are rounded for people.
    """
    _shown: Final[list[str]]
    """
    The attributes that a table shows.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(row: str) -> BacktestSummary: ...
    @staticmethod
    def _table(
        elements: Any, decimals: Literal["decimal", "text", "float"]
    ) -> tuple[ArrowTable, list[tuple[str, str, list[int]]]]:
        """
        Return the table of these elements, and the values that it can't represent.
        """
    @property
    def budget(self, /) -> Decimal | None:
        """
        The volume of all orders of all deals that may be open at once, or the investment of a grid. It is None if volumes are in
        percent.
        """
    @property
    def buy_and_hold(self, /) -> Decimal:
        """
        The profit after fees of buying for the most capital in use at the first price, and holding until the last one.
        """
    @property
    def deals(self, /) -> int:
        """
        The number of finished deals.
        """
    @property
    def drawdown(self, /) -> Decimal:
        """
        The deepest fall of realized and unrealized profit from its highest value, over the points of `equity`: one after each order,
        and one a day. Between them the profit may fall deeper. The `drawdown_percentage` of a deal counts every price.
        """
    @property
    def fees(self, /) -> Decimal:
        """
        The fees of all orders.
        """
    @property
    def longest_duration(self, /) -> timedelta | None:
        """
        The duration of the longest deal, finished or open; None without any.
        """
    @property
    def lost(self, /) -> int:
        """
        The number of finished deals without one.
        """
    @property
    def mean_duration(self, /) -> timedelta | None:
        """
        The mean duration of finished deals; None without any.
        """
    @property
    def most_capital(self, /) -> Decimal:
        """
        The most capital in use at once.
        """
    @property
    def most_safety_orders(self, /) -> int:
        """
        The most safety orders that a deal used.
        """
    @property
    def open_profit(self, /) -> Decimal:
        """
        The profit of the deals that are open at the end, if they are closed at the last price; or of what a grid holds, before the
        fee of selling it.
        """
    @property
    def profit(self, /) -> Decimal:
        """
        The profit after fees of finished deals, or of the steps of a grid.
        """
    @property
    def profit_percentage(self, /) -> Decimal | None:
        """
        The profit in percent of the most capital in use; None if none was used.
        """
    @property
    def profit_percentage_of_budget(self, /) -> Decimal | None:
        """
        The profit in percent of the budget; None without a budget.
        """
    @property
    def time_in_market(self, /) -> Decimal:
        """
        The share of time with an open deal, in percent.
        """
    @property
    def won(self, /) -> int:
        """
        The number of finished deals with a profit.
        """

@final
class Budget:
    """
    The used and the remaining part of a rate limit.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(used: SupportsIndex, limit: SupportsIndex, resets_in: SupportsFloat | SupportsIndex) -> Budget: ...
    @property
    def limit(self, /) -> int:
        """
        The highest number of requests that may count at once.
        """
    @property
    def resets_in(self, /) -> float:
        """
        The seconds until a request may be sent if the limit is reached; otherwise until the oldest request no longer counts.
        """
    @property
    def used(self, /) -> int:
        """
        The number of requests that count now.
        """

@final
class Candle:
    """
    One candle: the prices of an interval of time.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[int, int, list[int]]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(
        time: SupportsIndex, places: SupportsIndex, prices: SupportsLenAndGetItem[SupportsIndex]
    ) -> Candle: ...
    @property
    def close(self, /) -> Decimal:
        """
        The last price.
        """
    @property
    def high(self, /) -> Decimal:
        """
        The highest price.
        """
    @property
    def low(self, /) -> Decimal:
        """
        The lowest price.
        """
    @property
    def open(self, /) -> Decimal:
        """
        The first price.
        """
    @property
    def time(self, /) -> datetime:
        """
        The time at which the candle opens, in UTC.
        """

@final
class Candles:
    """
    Candles: a history of prices, checked, exact and ready for backtests.

    Times in seconds instead of milliseconds raise a `UserWarning`: they would all be in the first months of 1970.

    Candles can't be changed. `candles[0]` is the first `Candle`, `for candle in candles` iterates over all of them, and
    `candles[:1440]` is a slice that shares the data. A slice keeps the interval and the tick of the whole history.

    A float is taken by its shortest text: 0.1 is exactly 0.1. Numbers may have up to 38 digits. A candle takes about 17 bytes,
    33 if prices need more than 9 digits, and 65 if they need more than 18.

    Args:
        data: A table of polars, pyarrow, pandas or duckdb, or any other object that exports an Arrow stream; or rows of
            `[milliseconds, open, high, low, close, …]`, as ccxt returns them; or other candles. A lazy table of polars is
            collected. For a CSV file, see `Candles.read_csv`.

            In a table, the times are in the column `timestamp`, `time`, `datetime`, `date`, `ts` or `open_time`, in any case; the
            first of these that there is counts. They are timestamps, dates, or milliseconds since 1970. Without a timezone, they
            are in UTC. The prices are in `open`, `high`, `low` and `close`, or `o`, `h`, `l` and `c`. They are decimals, floats,
            integers or strings. The index of a pandas table may hold the times. Other columns are ignored.

    Raises:
        ValidationError: `data` has no candle, a column is missing, or a row is wrong, which the message names. Rows count
            from 0. A row is wrong if a price is not a number above 0, if the high is below the low, if the open or close is
            outside of them, or if its time is not after that of the row before. Missing candles are not an error; `gaps`
            counts them.

    Example:
        >>> import botdesk
        >>> candles = botdesk.Candles([
        ...     [1704067200000, 42283.58, 42298.62, 42261.02, 42298.61, 35.92],
        ...     [1704067260000, 42298.62, 42320.00, 42298.61, 42320.00, 21.16],
        ... ])
        >>> candles
        <Candles rows=2 start=2024-01-01T00:00:00Z end=2024-01-01T00:01:00Z interval=1m gaps=0>
        >>> candles[1].high
        Decimal('42320.00')
    """
    def __array__(self, /, dtype: "object" = None, copy: "object" = None) -> Any: ...
    def __arrow_c_stream__(self, /, requested_schema: "object" = None) -> Any:
        """
        Return the candles as an Arrow stream, for libraries that ask for one.

        The columns are `timestamp`, in UTC, and the decimals `open`, `high`, `low` and `close`, which have 38 digits, 18 of
        them after the point. If a price does not fit, they have as many digits after the point as the prices.

        Example:
            >>> import botdesk
            >>> import polars
            >>> print(*polars.DataFrame(botdesk.Candles([[0, 1, 2, 1, 2]])).columns)
            timestamp open high low close
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __getitem__(self, index: int | slice, /) -> Any: ...
    def __iter__(self, /) -> Iterator[Candle]: ...
    def __len__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(cls, /, data: "object") -> Candles: ...
    def __reduce__(self, /) -> tuple[Any, tuple[bytes, str | None]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(candles: bytes, file_format: str | None = None) -> Candles: ...
    @property
    def end(self, /) -> datetime:
        """
        The time of the last candle, in UTC.
        """
    @staticmethod
    def fetch(
        pair: str,
        *,
        days: SupportsFloat | SupportsIndex = 90.0,
        exchange: "object" = None,
        interval: str = "1h",
        folder: str | PathLike[str] | None = None,
    ) -> Candles:
        """
        Fetch the candles of the last days from an exchange, and keep them in a file.

        What the file of the pair has is not fetched again: it is extended to both sides. The candle that is not over yet is left
        out. ccxt sends the requests, within the rate limit of the exchange; no key is needed. Prices have the digits of ccxt.

        Args:
            pair: The pair as `<QUOTE>_<BASE>`, such as `USDT_ETH`.
            days: The length of the history, until now.
            exchange: The name of the exchange in ccxt, such as `"kraken"`, `"binance"` by default; or an exchange of ccxt.
            interval: The length of a candle, such as `"1m"`, `"5m"`, `"1h"` or `"1d"`.
            folder: The folder of the files; by default `botdesk/candles` in the folder for caches of the platform.

        Returns:
            The candles, oldest first.

        Raises:
            ConfigurationError: ccxt or pyarrow is not installed, a file can't be used, or the exchange returned an error or nothing.
            ValidationError: The exchange does not have the pair or the interval, or an argument is wrong.
            ConnectionFailedError: The exchange was not reached. Candles before that are kept.

        Example:
            >>> import botdesk
            >>> try:
            ...     candles = botdesk.Candles.fetch("ETH/USDT", days=90, exchange="binance")
            ... except botdesk.ValidationError as error:
            ...     print(error)
            validation failed: pair: 'ETH/USDT' is not a pair; write it as 'USDT_ETH'
        """
    @property
    def file_format(self, /) -> str | None:
        """
        The format that `read_csv` recognized: the program that has written the file, the unit of the times, and the order of the rows.

        It is None for candles that are not from a file.
        """
    @property
    def gaps(self, /) -> int:
        """
        The number of places where candles are missing.
        """
    @property
    def interval(self, /) -> timedelta | None:
        """
        The length of a candle: the smallest distance between two times; None for a single candle.
        """
    @staticmethod
    def read_csv(path: str | PathLike[str]) -> Candles:
        """
        Read candles from a CSV file, as exchanges and charts export it, with every digit of the prices.

        Times are dates in ISO 8601, in UTC if they have no timezone, or whole numbers of seconds, milliseconds, microseconds or
        nanoseconds since 1970. The unit follows from the years 2000 to 2099, or from the usual length of a candle. Rows may be in
        either order. `file_format` says what was recognized. A file that can be read in two ways is refused.

        Args:
            path: The path of the file, in UTF-8, with values separated by commas: an export of Binance, which has no names of
                columns; an export of CryptoDataDownload, which has a URL in its first line; an export of TradingView; or any other
                file whose first line names the columns. The times are in `unix`, `unix timestamp`, `timestamp`, `time`,
                `datetime`, `date`, `ts` or `open_time`, the prices in `open`, `high`, `low` and `close`, or `o`, `h`, `l` and `c`,
                in any case. Other columns are ignored.

        Returns:
            The candles, oldest first.

        Raises:
            ConfigurationError: The file can't be read.
            ValidationError: A column is missing, a row is wrong, times are of several units or may be of another one, rows are in
                no order, or a time is there twice. The message names the row, which counts from 0, and the line of the file.

        Example:
            >>> import botdesk, pathlib, tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "btc.csv")
            ...     header, row = "time,open,high,low,close", "1735689600,93576.1,93610.9,93537.5,93610.9"
            ...     _ = path.write_text(f"{header}\\n{row}")
            ...     candles = botdesk.Candles.read_csv(path)
            >>> candles.file_format
            'TradingView export, times in seconds (column time)'
            >>> candles[0].close
            Decimal('93610.9')
        """
    @property
    def start(self, /) -> datetime:
        """
        The time of the first candle, in UTC.
        """
    @property
    def tick(self, /) -> Decimal:
        """
        The smallest decimal place of the prices.

        Example:
            >>> import botdesk
            >>> botdesk.Candles([[0, "1.50", 2, "1.25", 2]]).tick
            Decimal('0.01')
        """

@final
class Client:
    """
    A client of the service, with an API key, a private key or a secret, and settings.

    The service has two kinds of API keys. It makes a system-generated one itself, with a secret that it displays once: pass it as
    `secret`, and requests are signed with HMAC-SHA256. For a self-generated one, it has the public half of an RSA key pair: pass
    the private half as `private_key`.

    Clients are cheap, because the clients of a process share their connections. A client may be used from several threads
    and event loops at once. `Client.from_env()` reads the keys from the environment, `Client.from_profile(name)` from the
    profiles file.

    A client from the environment, from a profile or from the path of a key file can be pickled for worker processes. The
    private key or the secret is not in the pickle: the worker reads it itself, and raises `ConfigurationError` if it finds
    another private key, API key or base URL. The API key is in the pickle only if the client was created with the path of a
    key file. A client whose private key or secret was passed itself can't be pickled.

    Args:
        api_key: The API key.
        private_key: The RSA private key of a self-generated API key: the path of a PEM file (PKCS#1, PKCS#8 or encrypted
            PKCS#8), the content of one as `str` or `bytes`, or a `PrivateKey`.
        secret: The secret of a system-generated API key, in place of a private key. White space around it is removed, with a
            warning.
        base_url: The URL of the service, by default the published one, `https://api.3commas.io`. Plain `http` is accepted only
            for this machine.
        password: The password of an encrypted private key.
        allow_http: True to send everything unencrypted to another machine.
        mode: `"paper"` or `"real"`, to see only accounts of this kind and what is on them; by default the mode that was last chosen at the service. It only filters: the account of a write decides whether it trades real money. With `"paper"`, the account of a write is checked once, and a write to a real one is not sent.
        timeout: Time limit of a call with all its retries, in seconds, 30 by default; waiting for the rate limit does not count.
        connect_timeout: Time limit of connecting, in seconds, 10 by default.
        retries: When a request is retried: a `RetryPolicy`, or the highest number of retries, 3 by default; 0 for none.
        rate_limit: Rate limit that all clients of this API key and base URL share, in all processes of this user, 100 requests a minute by default; None for no limit.
        requests_per_minute: Number of requests a minute that your plan allows, such as 5, 50 or 120, at least 1; a short form of `rate_limit=RateLimit(…)`, which replaces its number and keeps its sharing.
        requests_per_second: Number of requests in one second, with any API key, 10 by default, because the service counts them by IP address; 0 for no limit, the default for a service on this machine. `rate_limit=None` turns it off too.
        wait: True, the default, to wait while the rate limit is reached; False to raise `RateLimitedError`.
        max_body: Largest response body that is accepted, in bytes, 32 MiB by default.
        signature_cache: Number of signatures that are cached, so that the same request is signed once, 1 024 by default; 0 for no cache. Those of a secret are not cached, because signing takes about as long as looking one up.
        ca_file: PEM file of certificates that are trusted besides those of the system.
        proxy: Proxy, as `http://…`, `https://…` or `socks5://…`; by default the one that `HTTPS_PROXY` and the like name.
        stream_url: URL of the live streams, as `wss://host/websocket`; by default the one that follows from `base_url`.
        on_request: Called with a `RequestEvent` when an attempt starts; the attempt does not wait for it.
        on_response: Called with a `RequestEvent` after each attempt.
        on_retry: Called with a `RequestEvent` when a request will be retried.

    Raises:
        ConfigurationError: The key, the URL or an option is invalid, or both kinds of key are given, or none; the message says
            what to do.

    Example:
        >>> import botdesk
        >>> with botdesk.Sandbox() as sandbox:
        ...     client = sandbox.client()
        ...     client.dca_bots.get(41).id
        41
    """
    async def __aenter__(self, /) -> Client: ...
    async def __aexit__(self, /, *_error: "object") -> "None": ...
    def __copy__(self, /) -> Client: ...
    def __deepcopy__(self, /, _memo: Any) -> Client: ...
    def __enter__(self, /) -> Client: ...
    def __exit__(self, /, *_error: "object") -> "None": ...
    def __new__(
        cls,
        /,
        api_key: str,
        private_key: str | bytes | PathLike[str] | PrivateKey | None = None,
        *,
        secret: str | None = None,
        base_url: str = ...,
        password: str | None = None,
        allow_http: bool = False,
        mode: Literal["paper", "real"] | None = ...,
        timeout: float | int | None = ...,
        connect_timeout: float | int | None = ...,
        retries: RetryPolicy | int | None = ...,
        rate_limit: RateLimit | None = ...,
        requests_per_minute: int | None = ...,
        requests_per_second: int | None = ...,
        wait: bool | None = ...,
        max_body: int | None = ...,
        signature_cache: int | None = ...,
        ca_file: str | PathLike[str] | None = ...,
        proxy: str | None = ...,
        stream_url: str | None = ...,
        on_request: Callable[[RequestEvent2], object] | None = ...,
        on_response: Callable[[RequestEvent2], object] | None = ...,
        on_retry: Callable[[RequestEvent2], object] | None = ...,
    ) -> Client: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore_from_env(options: Any, account: tuple[str, str, str] | None = None) -> Any: ...
    @staticmethod
    def _restore_from_file(
        api_key: str,
        path: str | PathLike[str],
        base_url: str,
        options: Any,
        account: tuple[str, str, str] | None = None,
    ) -> Any: ...
    @staticmethod
    def _restore_from_profile(name: str, options: Any, account: tuple[str, str, str] | None = None) -> Any: ...
    @staticmethod
    def _restore_public(base_url: str, options: Any) -> Any: ...
    @property
    def accounts(self, /) -> Accounts:
        """
        The exchange accounts.
        """
    async def aclose(self, /) -> None:
        """
        Close the client, as `close` does.

        Example:
            >>> import asyncio
            >>> import botdesk
            >>> async def main():
            ...     async with botdesk.Sandbox() as sandbox, sandbox.client() as client:
            ...         return await client.dca_bots.get_async(41)
            >>> asyncio.run(main()).id
            41
        """
    @property
    def budget(self, /) -> Budget | None:
        """
        The used and the remaining part of the rate limit; None without a limit.
        """
    def close(self, /) -> None:
        """
        Close the client: its idle connections are closed at once, and requests that are not sent yet raise `ConfigurationError`.

        Requests in flight are completed. A request that waits for the rate limit or for a retry is not sent. A call of several
        requests, such as an edit, ends before the next one; a bulk run returns the rest as not started. Records and lists that
        the client returned can't call the service any more; clients from `with_options` can. Other clients with the same
        connection settings make new connections at their next call. Closing is optional: idle connections of an open client
        are closed after 90 seconds.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     with sandbox.client() as client:
            ...         client.dca_bots.get(41).id
            41
        """
    @property
    def dca_bots(self, /) -> DcaBots:
        """
        The DCA bots of an account.
        """
    @property
    def deals(self, /) -> Deals:
        """
        The deals of DCA bots.
        """
    @staticmethod
    def from_env() -> Client:
        """
        Create a client from environment variables.

        `BOTDESK_API_KEY` is the API key. For a system-generated one, `BOTDESK_SECRET` is its secret. For a self-generated one,
        `BOTDESK_PRIVATE_KEY` is the private key in PEM, or `BOTDESK_PRIVATE_KEY_FILE` the path of its file, and
        `BOTDESK_PRIVATE_KEY_PASSWORD` the password of an encrypted key. `BOTDESK_BASE_URL` is the URL of the service, by default
        the published one, `https://api.3commas.io`. `BOTDESK_MODE` is the mode, `paper` or `real`, if there is one.

        Raises:
            ConfigurationError: A variable is missing or invalid, or there are two keys; the message lists all that are missing.

        Example:
            >>> import os
            >>> import botdesk
            >>> os.environ.update(BOTDESK_PRIVATE_KEY_FILE="private.pem")
            >>> try:
            ...     client = botdesk.Client.from_env()
            ... except botdesk.ConfigurationError as error:
            ...     print(error)
            the environment does not set: BOTDESK_API_KEY; the command botdesk init ...
        """
    @staticmethod
    def from_profile(name: str | None = None) -> Client:
        """
        Create a client from a profile: a table of the file `botdesk/profiles.toml`.

        The file is in the configuration folder of the platform: `XDG_CONFIG_HOME` or `~/.config` on Linux and macOS,
        `%APPDATA%` on Windows. A table `[name]` has `api_key`; `secret`, or `private_key` (the path of a PEM file, relative to the
        profiles file, or the content of one) with `password` if the key has one; `base_url`, by default the published one; and
        `mode`, `paper` or `real`, if the client has one. The file is rejected if other users of the machine can read it.

        Args:
            name: The name of the profile; by default that of the variable `BOTDESK_PROFILE`, otherwise the default profile of the
                file, which `botdesk profile default` sets.

        Raises:
            ConfigurationError: The profile does not exist, none is chosen, other users can read the file, or its content is invalid.

        Example:
            >>> import os, pathlib, tempfile
            >>> import botdesk
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     os.environ.update(XDG_CONFIG_HOME=folder)
            ...     desk = pathlib.Path(folder, "botdesk")
            ...     desk.mkdir()
            ...     botdesk.PrivateKey.generate(bits=2048).save(desk / "private.pem")
            ...     profiles = desk / "profiles.toml"
            ...     profiles.touch(mode=0o600)
            ...     lines = ["[demo]", "api_key = 'k'", "private_key = 'private.pem'", "base_url = 'https://host.example'"]
            ...     _ = profiles.write_text("\\n".join(lines))
            ...     client = botdesk.Client.from_profile("demo")
        """
    @property
    def grid_bots(self, /) -> GridBots:
        """
        The grid bots.
        """
    @property
    def markets(self, /) -> Markets:
        """
        The exchanges, their pairs, prices and order limits.
        """
    def operations(self, /) -> Records[Operation]:
        """
        List the operations of the API that botdesk has methods for.

        Nothing is sent.

        Returns:
            The operations, each with its `name`, `method`, `path`, `effect`, `permission`, `security` and `section`.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     operations = sandbox.client().operations()
            >>> print(*(operation.name for operation in operations if operation.effect == "write"), sep=", ")
            accounts.add, accounts.edit, ...
        """
    def overview(self, /) -> Overview:
        """
        Read accounts, balances, bots, deals and profits, and show them in one view.

        The view displays itself in a notebook, and prints as text in a terminal. It takes about ten requests, more with
        more than 100 bots. Profits are those of DCA bots, in USD as the service reports it; days and months are in UTC.

        The time of the view is that of the service, from the response to `/ver1/validate`. If the key may not send that request, or it
        fails, the time is that of this machine, and `warnings` says so. Deals without a profit in USD are counted in `warnings` too.

        API reference: All connected exchanges and wallets, Information about the balances, List DCA Bots, Get the list of Grid Bots,
        List deals, Get DCA Bots stats. Permissions ACCOUNTS_READ and BOTS_READ.

        Returns:
            The view.

        Raises:
            ApiError: The service returned an error, other than to `/ver1/validate`; or one that every request would get, such as 401.
            TransportError: No response was received, other than to `/ver1/validate`.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     view = sandbox.client().overview()
            >>> (view.dca_bots, view.active_deals)
            ((9, 12), 16)
        """
    async def overview_async(self, /) -> Overview:
        """
        Read accounts, balances, bots, deals and profits, and show them in one view; see `overview`.

        API reference: All connected exchanges and wallets, Information about the balances, List DCA Bots, Get the list of Grid Bots,
        List deals, Get DCA Bots stats. Permissions ACCOUNTS_READ and BOTS_READ.

        Returns:
            The view.

        Raises:
            ApiError: The service returned an error, other than to `/ver1/validate`; or one that every request would get, such as 401.
            TransportError: No response was received, other than to `/ver1/validate`.

        Example:
            >>> import asyncio
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     view = asyncio.run(sandbox.client().overview_async())
            >>> (view.dca_bots, view.active_deals)
            ((9, 12), 16)
        """
    @staticmethod
    def public(*, base_url: str = ..., allow_http: bool = False) -> Client:
        """
        Create a client without credentials, for what needs none: market data.

        Calls that need an API key raise `ConfigurationError`, and nothing is sent. The requests count for a rate limit of their own.

        Args:
            base_url: The URL of the service, by default the published one, `https://api.3commas.io`. Plain `http` is accepted only
                for this machine.
            allow_http: True to send everything unencrypted to another machine.

        Returns:
            The client. `with_options` gives it other options.

        Raises:
            ConfigurationError: The URL is invalid.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     client = botdesk.Client.public(base_url=sandbox.url)
            ...     "USDT_BTC" in client.markets.pairs("demo_spot")
            True
        """
    def request(
        self,
        /,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = ...,
        json: dict[str, Any] | Sequence[Any] | None = ...,
        *,
        headers: Mapping[str, str] | None = ...,
    ) -> Answer:
        """
        Send a signed request to any path of the API, also to one that botdesk has no method for.

        It is handled like all other requests: the exact bytes that are sent are signed, redirects are not followed, and
        error responses are raised as the errors of `botdesk.errors`.

        API reference: Authentication. The permission that the path needs.

        Args:
            method: `GET`, `POST`, `PATCH`, `PUT` or `DELETE`.
            path: The path as in the API reference, such as `/ver1/bots`; it is prefixed with `/public/api`.
            query: The query parameters by name; a list repeats its name, None leaves it out.
            json: The JSON body, a dict or a list. Decimals in it keep their digits.
            headers: Headers by name, such as `{"X-Plan": "test"}`, each up to 8192 characters of ASCII. Those that the client
                sets are not accepted, such as `Apikey`, `Signature` and `Content-Type`; `Forced-Mode` is `mode` of the client.
                Headers are not signed, and a recording does not keep their values.

        Returns:
            The status, the headers and the body of the response if it reports success.

        Raises:
            ValidationError: An argument is invalid; nothing was sent.
            OutcomeUnknownError: The outcome of anything but a GET is unknown: it may have been carried out.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     response = sandbox.client().request("GET", "/ver1/bots", query={"limit": 1})
            ...     response.status, len(response.json())
            (200, 1)
        """
    async def request_async(
        self,
        /,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = ...,
        json: dict[str, Any] | Sequence[Any] | None = ...,
        *,
        headers: Mapping[str, str] | None = ...,
    ) -> Answer:
        """
        Send a signed request to any path of the API, also to one that botdesk has no method for.

        It is handled like all other requests: the exact bytes that are sent are signed, redirects are not followed, and
        error responses are raised as the errors of `botdesk.errors`.

        API reference: Authentication. The permission that the path needs.

        Args:
            method: `GET`, `POST`, `PATCH`, `PUT` or `DELETE`.
            path: The path as in the API reference, such as `/ver1/bots`; it is prefixed with `/public/api`.
            query: The query parameters by name; a list repeats its name, None leaves it out.
            json: The JSON body, a dict or a list. Decimals in it keep their digits.
            headers: Headers by name, such as `{"X-Plan": "test"}`, each up to 8192 characters of ASCII. Those that the client
                sets are not accepted, such as `Apikey`, `Signature` and `Content-Type`; `Forced-Mode` is `mode` of the client.
                Headers are not signed, and a recording does not keep their values.

        Returns:
            The status, the headers and the body of the response if it reports success.

        Raises:
            ValidationError: An argument is invalid; nothing was sent.
            OutcomeUnknownError: The outcome of anything but a GET is unknown: it may have been carried out.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     response = sandbox.client().request("GET", "/ver1/bots", query={"limit": 1})
            ...     response.status, len(response.json())
            (200, 1)
        """
    def sign(
        self,
        /,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = ...,
        json: dict[str, Any] | Sequence[Any] | None = ...,
    ) -> SignedRequest:
        """
        Sign a request without sending it, to see what is signed or to send it another way.

        API reference: Authentication. The permission that the path needs.

        Args:
            method: `GET`, `POST`, `PATCH`, `PUT` or `DELETE`. It is not signed.
            path: The path as in the API reference, such as `/ver1/bots`; it is prefixed with `/public/api`.
            query: The query parameters by name; a list repeats its name, None leaves it out.
            json: The JSON body, a dict or a list. Decimals in it keep their digits.

        Returns:
            The payload, its signature, the fingerprint of the key, and a `curl` command.

        Raises:
            ValidationError: An argument is invalid.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().sign("GET", "/ver1/bots", query={"limit": 1}).payload
            '/public/api/ver1/bots?limit=1'
        """
    async def sign_async(
        self,
        /,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = ...,
        json: dict[str, Any] | Sequence[Any] | None = ...,
    ) -> SignedRequest:
        """
        Sign a request without sending it, to see what is signed or to send it another way.

        API reference: Authentication. The permission that the path needs.

        Args:
            method: `GET`, `POST`, `PATCH`, `PUT` or `DELETE`. It is not signed.
            path: The path as in the API reference, such as `/ver1/bots`; it is prefixed with `/public/api`.
            query: The query parameters by name; a list repeats its name, None leaves it out.
            json: The JSON body, a dict or a list. Decimals in it keep their digits.

        Returns:
            The payload, its signature, the fingerprint of the key, and a `curl` command.

        Raises:
            ValidationError: An argument is invalid.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.client().sign("GET", "/ver1/bots", query={"limit": 1}).payload
            '/public/api/ver1/bots?limit=1'
        """
    @property
    def smart_trades(self, /) -> SmartTrades:
        """
        The SmartTrades.
        """
    def stream(
        self,
        /,
        *resources: "str",
        every: "float" = 15.0,
        since: datetime | str | PathLike[str] | None = None,
        on_error: Callable[[BotdeskError], object] | None = ...,
        stale_after: "float" = 10.0,
        states: "bool" = False,
        targets: "bool" = False,
        pairs: Sequence[str] | None = None,
        market_code: str | None = None,
    ) -> Stream:
        """
        Follow records live: an iterator of events, for `for` and for `async for`.

        Deals and SmartTrades come from the streams of the service, which are unpublished: it may end them at any time. Everything
        else is polled, and so is what the service refuses to stream; a `StreamWarning` says so once. After each gap, lists fill
        in what was not sent. Each change comes at least once, in the order of the record's `updated_at`, and a state that is
        known is not repeated. Changes between two states that were not sent are lost if a newer one was seen.

        The stream starts at once, in the background. A `with` block begins when no change is missed any more. Errors that do not end
        it are passed to `on_error`; it raises the last one if no resource can be followed any more. A stream of SmartTrades has
        changes of their status only. Requests in the background count for the rate limit, and call no hooks.

        API reference: none; the streams are unpublished. Permission BOTS_READ for deals, SMART_TRADES_READ for SmartTrades, and
        what the list of a resource needs if it is polled.

        Args:
            resources: What to follow: `"deals"`, `"smart_trades"`, `"dca_bots"`, `"grid_bots"`, `"accounts"`, `"prices"`.
            every: The seconds between two polls of what is not streamed, 1 to 31 536 000; 15 by default.
            since: Where to begin: a `datetime` with a timezone, from which on changed deals and SmartTrades are returned; or the
                `state` of an earlier stream, or the path to which it was saved. By default, changes from now on.
            on_error: A function that is called with each error that does not end the stream; by default they are logged.
            stale_after: The seconds without any frame after which a connection counts as dead, at least 6; 10 by default, 0 to
                switch the check off. The service sends a frame every 3 seconds.
            states: True to return changes of the connection as events too.
            targets: True to poll active SmartTrades too, whose stream does not send a target that is hit without a change of the
                status.
            pairs: The pairs of `"prices"`, each as `<QUOTE>_<BASE>`. Each poll takes a request for each of them.
            market_code: The code of the exchange of `"prices"`, as `client.markets.list()` has it.

        Returns:
            The stream. Close it, or use it in a `with` block.

        Raises:
            ConfigurationError: A resource is unknown, a number is out of range, `since` can't be used, or the client has no key.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     with client.stream("deals", "smart_trades") as stream:
            ...         sandbox.set_price("USDT_DOGE", 5)
            ...         event = next(stream)
            ...     event.kind, event.record.pair, event.origin
            ('closed', 'USDT_DOGE', 'stream')
        """
    @property
    def trades(self, /) -> Trades:
        """
        The simple trades.
        """
    def validate(self, /) -> bool:
        """
        Check that the service accepts the API key and the signature.

        API reference: Validate credentials. No permission is needed.

        Returns:
            True if the service accepts both.

        Raises:
            SignatureInvalidError: The service knows another public key or another secret.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     client.validate()
            True
        """
    async def validate_async(self, /) -> bool:
        """
        Check that the service accepts the API key and the signature.

        API reference: Validate credentials. No permission is needed.

        Returns:
            True if the service accepts both.

        Raises:
            SignatureInvalidError: The service knows another public key or another secret.
            ApiError: The service returned an error.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     client.validate()
            True
        """
    def with_options(
        self,
        /,
        *,
        mode: Literal["paper", "real"] | None = ...,
        timeout: float | int | None = ...,
        connect_timeout: float | int | None = ...,
        retries: RetryPolicy | int | None = ...,
        rate_limit: RateLimit | None = ...,
        requests_per_minute: int | None = ...,
        requests_per_second: int | None = ...,
        wait: bool | None = ...,
        max_body: int | None = ...,
        signature_cache: int | None = ...,
        ca_file: str | PathLike[str] | None = ...,
        proxy: str | None = ...,
        stream_url: str | None = ...,
        on_request: Callable[[RequestEvent2], object] | None = ...,
        on_response: Callable[[RequestEvent2], object] | None = ...,
        on_retry: Callable[[RequestEvent2], object] | None = ...,
    ) -> Client:
        """
        Return a client with other options that shares this one's keys and connections.

        Options that are left out keep their values.

        Args:
            mode: `"paper"` or `"real"`, to see only accounts of this kind and what is on them; by default the mode that was last chosen at the service. It only filters: the account of a write decides whether it trades real money. With `"paper"`, the account of a write is checked once, and a write to a real one is not sent.
            timeout: Time limit of a call with all its retries, in seconds, 30 by default; waiting for the rate limit does not count.
            connect_timeout: Time limit of connecting, in seconds, 10 by default.
            retries: When a request is retried: a `RetryPolicy`, or the highest number of retries, 3 by default; 0 for none.
            rate_limit: Rate limit that all clients of this API key and base URL share, in all processes of this user, 100 requests a minute by default; None for no limit.
            requests_per_minute: Number of requests a minute that your plan allows, such as 5, 50 or 120, at least 1; a short form of `rate_limit=RateLimit(…)`, which replaces its number and keeps its sharing.
            requests_per_second: Number of requests in one second, with any API key, 10 by default, because the service counts them by IP address; 0 for no limit, the default for a service on this machine. `rate_limit=None` turns it off too.
            wait: True, the default, to wait while the rate limit is reached; False to raise `RateLimitedError`.
            max_body: Largest response body that is accepted, in bytes, 32 MiB by default.
            signature_cache: Number of signatures that are cached, so that the same request is signed once, 1 024 by default; 0 for no cache. Those of a secret are not cached, because signing takes about as long as looking one up.
            ca_file: PEM file of certificates that are trusted besides those of the system.
            proxy: Proxy, as `http://…`, `https://…` or `socks5://…`; by default the one that `HTTPS_PROXY` and the like name.
            stream_url: URL of the live streams, as `wss://host/websocket`; by default the one that follows from `base_url`.
            on_request: Called with a `RequestEvent` when an attempt starts; the attempt does not wait for it.
            on_response: Called with a `RequestEvent` after each attempt.
            on_retry: Called with a `RequestEvent` when a request will be retried.

        Raises:
            ConfigurationError: An option is invalid.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     patient = sandbox.client().with_options(timeout=120, retries=5)
            ...     patient.dca_bots.get(41).id
            41
        """

@final
class Clock:
    """
    The clock of a sandbox: `sandbox.clock`.

    All timestamps of the sandbox come from it. It also controls the timers of DCA bots: the cooldown, the start delay, and the
    timeouts of deals and stop losses.

    At first it is manual: only requests that change something advance it, by one second each. So the same requests always give
    the same state.

    Example:
        >>> import botdesk
        >>> with botdesk.Sandbox(seed=1) as sandbox:
        ...     before = sandbox.clock.now
        ...     sandbox.clock.advance(3600)
        ...     print(sandbox.clock.now - before)
        1:00:00
    """
    def __repr__(self, /) -> str: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...
    def advance(self, /, seconds: float | timedelta) -> None:
        """
        Advance the clock by a duration. Events that become due happen in order, each at its time.

        Args:
            seconds: The duration in seconds or as a `timedelta`; 0 or more.

        Raises:
            ValidationError: The duration is invalid or negative, or ends after 9999-12-30T22:00Z.

        Example:
            >>> from datetime import timedelta
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.clock.advance(timedelta(days=1))
            ...     sandbox.clock.advance(0.5)
        """
    def manual(self, /) -> None:
        """
        Stop following the wall clock.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.clock.real()
            ...     sandbox.clock.manual()
            ...     sandbox.clock.now == sandbox.clock.now
            True
        """
    @property
    def now(self, /) -> datetime:
        """
        The current time of the sandbox, in UTC.
        """
    def real(self, /) -> None:
        """
        Follow the wall clock from now on.

        The clock then has the time of this machine. If it is ahead already, it stays ahead. Events that become due happen at the
        next request or call.

        Example:
            >>> from datetime import datetime, timezone
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.clock.real()
            ...     sandbox.clock.now.date() == datetime.now(timezone.utc).date()
            True
        """
    def set(self, /, time: datetime) -> None:
        """
        Advance the clock to a time. Events that become due happen in order, each at its time.

        Args:
            time: A `datetime` with a timezone. The clock can't go back.

        Raises:
            ValidationError: The time has no timezone, or it is in the past.

        Example:
            >>> from datetime import datetime, timezone
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.clock.set(datetime(2030, 1, 1, tzinfo=timezone.utc))
            ...     sandbox.clock.now.isoformat()
            '2030-01-01T00:00:00+00:00'
        """

@final
class DisplayOptions:
    """
    The options of the display of tables, as `botdesk.display` set them.

    A `with` block restores the options from before the call at its end.
    """
    def __enter__(self, /) -> DisplayOptions: ...
    def __exit__(self, /, *_error: "object") -> "None": ...
    def __repr__(self, /) -> str: ...
    @property
    def columns(self, /) -> int | None:
        """
        The most columns of a table; None for all.
        """
    @property
    def decimals(self, /) -> int | None:
        """
        The most decimal places of a number; None to round figures as usual, and to show every digit of settings.
        """
    @property
    def rows(self, /) -> int | None:
        """
        The most rows of a table; None for 60.
        """

@disjoint_base
class EditPreview:
    """
    An edit that was not sent yet: its changes, the fields that it sends unchanged, and the bytes of its body.

    `bot.preview_edit(…)` returns one. It prints as a readable diff, and as a table in a notebook. Nothing is sent until
    `apply()`.
    """
    def __repr__(self, /) -> str: ...
    def _apply(self, /, force: bool = False) -> Any:
        """
        Send the edit; unless it is forced, only if the record has not changed since.
        """
    async def _apply_async(self, /, force: bool = False) -> Any:
        """
        Send the edit; unless it is forced, only if the record has not changed since.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def body(self, /) -> str:
        """
        The body, byte for byte as it is sent.
        """
    @property
    def carried_over(self, /) -> dict[str, Any]:
        """
        The fields that are sent unchanged, each with its value.
        """
    @property
    def changes(self, /) -> list[FieldChange]:
        """
        The changes. A field that already has its new value is not listed.
        """
    @property
    def destination(self, /) -> str:
        """
        The destination of the edit: the URL of the service, the profile or the fingerprint of the key, and the account of the
        bot as far as its record has it.
        """
    @property
    def left_out(self, /) -> dict[str, Any]:
        """
        The fields that are left out, each with the reason. A field of the record is null, has no meaning in an edit, or is
        taken only by the creation of a bot. A field that the record lacks has a default of the service, or the service never
        returns it, such as `sl_to_breakeven_enabled`. The service may set a field that is left out to its default.
        """
    @property
    def method(self, /) -> str:
        """
        The method of the request.
        """
    @property
    def path(self, /) -> str:
        """
        The path of the request, from `/public/api` on.
        """
    @property
    def payload(self, /) -> str:
        """
        The payload of the signature: the path and the body.
        """
    @property
    def warnings(self, /) -> list[str]:
        """
        The changes that may be mistakes, each in a sentence: a volume or a price changes by more than a factor of ten.
        """

@final
class EquityPoint:
    """
    The profit of a bot at a time, and the capital that it uses, in the quote currency.
    """

    _figures: Final[list[str]]
    """
    The attributes that are rounded for people.
    """
    _shown: Final[list[str]]
    """
    The attributes that a table shows.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(row: str) -> EquityPoint: ...
    @staticmethod
    def _table(
        elements: Any, decimals: Literal["decimal", "text", "float"]
    ) -> tuple[ArrowTable, list[tuple[str, str, list[int]]]]:
        """
        Return the table of these elements, and the values that it can't represent.
        """
    @property
    def capital(self, /) -> Decimal:
        """
        The capital in use: the volume of the entries of open deals minus that of their exits, at least 0; or the investment of a
        grid.
        """
    @property
    def realized_profit(self, /) -> Decimal:
        """
        The profit of closed deals, or of the steps of a grid.
        """
    @property
    def time(self, /) -> datetime:
        """
        The time, in UTC.
        """
    @property
    def unrealized_profit(self, /) -> Decimal:
        """
        The profit of closing the open deals at the price of the time, or of selling what a grid holds.
        """

@final
class Faults:
    """
    Fault injection for a sandbox: `sandbox.faults`.

    Each request or connection triggers the first pending fault that matches it. A request with an invalid API key or signature
    gets 401 or 403 and triggers none. The same is true for a request that the sandbox's own rate limit rejects with 429 or 418.
    For faults of connections, every connection counts. `Sandbox.requests` shows the fault of each request. The kinds:

    - `status`: an error response as in the API reference; the request is not executed. Options: `status`, 400 to 599;
      `retry_after`, the `Retry-After` header, none by default; `plan=True`, the 429 for a request that the subscription plan does
      not include. 502, 504 and 520 to 524 have HTML bodies.
    - `refuse`: connections are refused, for any operation. The operating system refuses them, so they can't be counted: the fault
      ends with `clear()`, or after `seconds`. Open connections are closed first.
    - `reset`: connections are reset before a byte is read, for any operation. `times` counts connections. Open connections are
      closed first. A client may see a failed connection or a broken one.
    - `close_before`: the request is read but not executed, and the connection closes.
    - `close_after`: the request is executed, and the connection closes without a response.
    - `stall`: the request is read but not executed, and no response is sent. The connection stays open until the client or the
      sandbox closes it.
    - `redirect`: a 302; the request is not executed. Option: `location`.
    - `trickle`: the request is executed; the response is sent one byte at a time. Option: `interval`, the seconds between two
      bytes, 0 by default.
    - `cut_body`: the request is executed; the connection closes after half of the body.
    - `wrong_length`: the request is executed; `Content-Length` is one byte too small.
    - `wrong_json`, `bad_utf8`, `deep_json`: the request is executed; the body is truncated, is not UTF-8, or is nested 10 000 levels
      deep.
    - `huge_body`, `gzip_bomb`: the request is executed; the body is 40 MiB large, or 128 MiB when decompressed.
    - `header_flood`: the request is executed; the response has 2 000 headers.
    - `ban`: the request is not executed, and the IP address is banned: it and all later requests get 418. Options: `seconds`,
      120 by default, and twice as long each further time; advancing the clock of the sandbox passes them; `retry_after`.

    Example:
        >>> import botdesk
        >>> with botdesk.Sandbox() as sandbox:
        ...     client = sandbox.client()
        ...     sandbox.faults.add("dca_bots.get", kind="status", status=501)
        ...     try:
        ...         client.dca_bots.get(41)
        ...     except botdesk.ServerError as error:
        ...         error.status
        ...     client.dca_bots.get(41).id
        501
        41
    """
    def __repr__(self, /) -> str: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...
    def add(
        self,
        /,
        operation: str,
        kind: str,
        *,
        times: "int | None" = ...,
        status: "int | None" = None,
        retry_after: str | float | None = None,
        plan: bool = False,
        interval: "float | None" = None,
        seconds: "float | None" = None,
        location: str | None = None,
    ) -> None:
        """
        Add a fault, which takes effect with the next request.

        Args:
            operation: The operation, such as `"dca_bots.edit"`; `"*"` for every request.
            kind: The kind of fault; the class documents the kinds.
            times: How many times to inject it; None for no limit.
            status: The status of an error response, 400 to 599.
            retry_after: The `Retry-After` header of an error response: seconds, or an HTTP date.
            plan: True for the 429 of a request that the subscription plan does not include.
            interval: The seconds between two bytes of a trickled response.
            seconds: How many seconds connections are refused, until `clear()` by default; or the IP address is banned.
            location: The target of a redirect.

        Raises:
            ValidationError: The operation, the kind or an option is invalid; the message suggests the nearest name.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.faults.add("dca_bots.disable", kind="close_after")
            ...     try:
            ...         sandbox.client().dca_bots.disable(41)
            ...     except botdesk.OutcomeUnknownError:
            ...         print(sandbox.requests[-1].carried_out)
            True
        """
    def clear(self, /) -> None:
        """
        Remove all pending faults, and listen again if connections were refused.

        Raises:
            ConfigurationError: Another process took the port while connections were refused.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.faults.add("*", kind="refuse")
            ...     sandbox.faults.clear()
            ...     sandbox.client().dca_bots.get(41).id
            41
        """
    @property
    def happened(self, /) -> list[HappenedFault]:
        """
        The injected faults, oldest first: the newest 10 000. A `refuse` is listed once, at its start.
        """
    @property
    def pending(self, /) -> list[PendingFault]:
        """
        The pending faults, the next one first.
        """
    def random(self, /, share: "float" = 0.02, seed: "int" = 1) -> None:
        """
        Inject random faults into a share of the requests. The same seed gives the same faults.

        Requests that fail authentication or the rate limit don't count.

        The faults are the statuses 429, 500, 502, 503 and 504, `close_before`, `close_after`, `cut_body` and `wrong_length`: none that
        hangs. Faults from `add` take precedence.

        Args:
            share: The share of requests, 0 to 1.
            seed: The seed of the random numbers.

        Raises:
            ValidationError: The share is not between 0 and 1.
            ConfigurationError: The seed is out of range.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.faults.random(share=0.02, seed=1)
            ...     sandbox.faults
            <Faults pending=[<PendingFault * random always>] happened=0>
        """

@final
class FieldChange:
    """
    The change of a field, by an edit or reported by a watch. It unpacks into `field, old, new`.
    """
    def __iter__(self, /) -> Iterator[Any]: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the attributes that a list of these objects shows.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def field(self, /) -> str:
        """
        The name of the field.
        """
    @property
    def new(self, /) -> Any:
        """
        The new value; None if it is null.
        """
    @property
    def old(self, /) -> Any:
        """
        The old value; None if the record had none.
        """

@final
class GridLevel:
    """
    A level of a grid, and its profit.
    """

    _figures: Final[list[str]]
    """
    The attributes that are rounded for people.
    """
    _shown: Final[list[str]]
    """
    The attributes that a table shows.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(element: str) -> GridLevel: ...
    @staticmethod
    def _table(
        elements: Any, decimals: Literal["decimal", "text", "float"]
    ) -> tuple[ArrowTable, list[tuple[str, str, list[int]]]]:
        """
        Return the table of these elements, and the values that it can't represent.
        """
    @property
    def price(self, /) -> Decimal:
        """
        The price of the level, rounded to the nearest tick.
        """
    @property
    def profit(self, /) -> Decimal | None:
        """
        The profit of buying one level lower and selling here, in the quote currency.

        It is (price − price below) × the quantity of the order that opens the step, less the fees of both orders. That order
        is the lower one, but the upper one if `mode` is `short`, and above the price if it is `reversal`. None at the lowest
        level, and if `quantity_per_grid` is unknown.

        On a futures account the bot counts its profit from the average entry price of its position instead.
        """
    @property
    def quantity(self, /) -> Decimal | None:
        """
        The quantity of the level's order, in the base currency; None if `quantity_per_grid` is unknown.

        It is `quantity_per_grid`, or `quantity_per_grid` ÷ price if `order_currency_type` is `quote`, rounded down to the lot.
        An order whose quantity is 0 can't be placed.
        """
    @property
    def side(self, /) -> Literal["buy", "sell"] | None:
        """
        The side of the level's order; None at the level nearest to the price, and if the price is unknown.
        """

@final
class GridPlan:
    """
    The levels of a grid, the lowest first.

    `for level in grid` iterates over them, `grid[0]` is the lowest, and `len(grid)` is their number. All numbers are exact,
    except for divisions and roots with infinitely many digits, which have at least 36 decimal places.
    """
    def __array__(self, /, dtype: "object" = None, copy: "object" = None) -> Any: ...
    def __arrow_c_stream__(self, /, requested_schema: "object" = None) -> Any:
        """
        Return the plan as an Arrow stream, for libraries that request one.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __getitem__(self, index: SupportsIndex, /) -> GridLevel: ...
    def __iter__(self, /) -> Iterator[GridLevel]: ...
    def __len__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str, str | None]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(plan: str, pair: str | None) -> GridPlan: ...
    @property
    def investment(self, /) -> Decimal | None:
        """
        The amount for all orders at once, in the quote currency: `investment_quote_currency` +
        `investment_base_currency` × price. None if the price or `quantity_per_grid` is unknown.
        """
    @property
    def investment_base_currency(self, /) -> Decimal | None:
        """
        The amount for the sell orders, in the base currency: the sum of their quantities. It is 0 if `mode` is `short` or
        `reversal`, because the margin of futures is in the quote currency.
        """
    @property
    def investment_quote_currency(self, /) -> Decimal | None:
        """
        The amount for the orders, in the quote currency.

        For a bot that is long, as those on spot accounts are, it is the amount for the buy orders: `quantity_per_grid` for each if
        `order_currency_type` is `quote`, otherwise price × quantity. If `mode` is `short` it is the amount for the sell orders, and
        for the position that the bot sells at its start; if `mode` is `reversal` that for all orders.
        """
    @property
    def pair(self, /) -> str | None:
        """
        The pair of the grid, as `<QUOTE>_<BASE>`; None if it is unknown.
        """
    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = ...) -> Axes:
        """
        Draw the grid: its levels, and the side of each.

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
            >>> grid = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5, price=121)
            >>> grid.plot().get_title("left")
            'Grid of 5 levels: 2 buy below 121, 2 sell above'
        """
    @property
    def price(self, /) -> Decimal | None:
        """
        The price that decides the side of each level; None if it is unknown.
        """
    @property
    def profit_per_grid(self, /) -> Decimal | None:
        """
        The profit of one grid step, in the quote currency: the mean of `GridLevel.profit`.

        In an arithmetic grid without a fee whose `order_currency_type` is `base`, it is step × `quantity_per_grid`. None if
        `quantity_per_grid` is unknown. On a futures account the bot counts its profit from the average entry price of its position instead.
        """
    @property
    def step(self, /) -> Decimal:
        """
        The distance of two levels before rounding: a difference in an arithmetic grid, a ratio in a geometric one.
        """
    def to_arrow(self, /, *, decimals: Literal["decimal", "text", "float"] | None = None) -> ArrowTable:
        """
        Return the plan as an Arrow table, for any library that supports the Arrow PyCapsule interface.

        Args:
            decimals: The type of decimals: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.

        Returns:
            The table, with a row for each `GridLevel` and a column for each of its attributes.

        Raises:
            ValidationError: `decimals` is not one of the three.

        Example:
            >>> import botdesk
            >>> import pyarrow
            >>> plan = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5)
            >>> pyarrow.table(plan.to_arrow(decimals="text")).num_rows == len(plan)
            True
        """
    def to_pandas(self, /, *, decimals: Literal["decimal", "text", "float"] | None = None, floats: bool = False) -> Any:
        """
        Return the plan as a `pandas.DataFrame`.

        Args:
            decimals: The type of decimals: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.

        Returns:
            The table, with a row for each `GridLevel` and a column for each of its attributes.

        Raises:
            ValidationError: `decimals` is not one of the three, or `floats` contradicts it.
            ImportError: pandas or pyarrow is not installed.

        Example:
            >>> import botdesk
            >>> plan = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5)
            >>> len(plan.to_pandas(floats=True)) == len(plan)
            True
        """
    def to_polars(
        self, /, *, decimals: Literal["decimal", "text", "float"] | None = None, floats: bool = False
    ) -> DataFrame:
        """
        Return the plan as a `polars.DataFrame`.

        Args:
            decimals: The type of decimals: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.

        Returns:
            The table, with a row for each `GridLevel` and a column for each of its attributes.

        Raises:
            ValidationError: `decimals` is not one of the three, or `floats` contradicts it.
            ImportError: polars is not installed.

        Example:
            >>> import botdesk
            >>> plan = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5)
            >>> plan.to_polars().height == len(plan)
            True
        """
    @property
    def warnings(self, /) -> list[str]:
        """
        Warnings, each a sentence: a price outside of the grid, levels with the same price, levels without profit, orders of less
        than a lot, values that the service would reject.
        """

@final
class HappenedFault:
    """
    A fault that was injected.
    """
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the attributes that a list of these objects shows.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def kind(self, /) -> str:
        """
        The kind of fault.
        """
    @property
    def method(self, /) -> str | None:
        """
        The method of the request; None if no request was read.
        """
    @property
    def operation(self, /) -> str | None:
        """
        The operation; None if it is unknown.
        """
    @property
    def path(self, /) -> str | None:
        """
        The path of the request; None if no request was read.
        """

@final
class Ladder:
    """
    The orders of a deal: the base order first, then each safety order.

    `for rung in ladder` iterates over them, `ladder[0]` is the base order, and `len(ladder)` is their number. All numbers
    are exact, except for divisions with infinitely many digits, which have 50 digits.
    """
    def __array__(self, /, dtype: "object" = None, copy: "object" = None) -> Any: ...
    def __arrow_c_stream__(self, /, requested_schema: "object" = None) -> Any:
        """
        Return the plan as an Arrow stream, for libraries that request one.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __getitem__(self, index: SupportsIndex, /) -> Rung: ...
    def __iter__(self, /) -> Iterator[Rung]: ...
    def __len__(self, /) -> int: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str, str | None]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(plan: str, pair: str | None) -> Ladder: ...
    @property
    def bot_budget(self, /) -> Decimal:
        """
        The budget of all deals that may be open at once, in the quote currency: `budget` × `max_active_deals`.
        """
    @property
    def budget(self, /) -> Decimal:
        """
        The budget of a deal, in the quote currency: the sizes of all its orders.
        """
    @property
    def pair(self, /) -> str | None:
        """
        The pair of the ladder, as `<QUOTE>_<BASE>`; None if the bot has several or none is known.
        """
    def plot(self, /, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = ...) -> Axes:
        """
        Draw the ladder: the orders, and after each of them the average price and the take profit.

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
            ...     ladder = sandbox.client().dca_bots.get(41).ladder(2561, tick="0.01")
            >>> ladder.plot().get_ylabel()
            'price, USDT per ETH'
        """
    @property
    def stop_loss_price(self, /) -> Decimal | None:
        """
        The price at which a deal is closed at a loss, not rounded; None without a stop loss.
        """
    def to_arrow(self, /, *, decimals: Literal["decimal", "text", "float"] | None = None) -> ArrowTable:
        """
        Return the plan as an Arrow table, for any library that supports the Arrow PyCapsule interface.

        Args:
            decimals: The type of decimals: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.

        Returns:
            The table, with a row for each `Rung` and a column for each of its attributes.

        Raises:
            ValidationError: `decimals` is not one of the three.

        Example:
            >>> import botdesk
            >>> import pyarrow
            >>> plan = botdesk.plan_ladder(price=100, base_order_volume=80, max_safety_orders=0)
            >>> pyarrow.table(plan.to_arrow(decimals="text")).num_rows == len(plan)
            True
        """
    def to_pandas(self, /, *, decimals: Literal["decimal", "text", "float"] | None = None, floats: bool = False) -> Any:
        """
        Return the plan as a `pandas.DataFrame`.

        Args:
            decimals: The type of decimals: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.

        Returns:
            The table, with a row for each `Rung` and a column for each of its attributes.

        Raises:
            ValidationError: `decimals` is not one of the three, or `floats` contradicts it.
            ImportError: pandas or pyarrow is not installed.

        Example:
            >>> import botdesk
            >>> plan = botdesk.plan_ladder(price=100, base_order_volume=80, max_safety_orders=0)
            >>> len(plan.to_pandas(floats=True)) == len(plan)
            True
        """
    def to_polars(
        self, /, *, decimals: Literal["decimal", "text", "float"] | None = None, floats: bool = False
    ) -> DataFrame:
        """
        Return the plan as a `polars.DataFrame`.

        Args:
            decimals: The type of decimals: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.

        Returns:
            The table, with a row for each `Rung` and a column for each of its attributes.

        Raises:
            ValidationError: `decimals` is not one of the three, or `floats` contradicts it.
            ImportError: polars is not installed.

        Example:
            >>> import botdesk
            >>> plan = botdesk.plan_ladder(price=100, base_order_volume=80, max_safety_orders=0)
            >>> plan.to_polars().height == len(plan)
            True
        """
    @property
    def warnings(self, /) -> list[str]:
        """
        Warnings, each a sentence: orders that are never placed, values that the service would reject, orders smaller than a
        lot, orders outside of the limits of `rates`, a take profit in steps, and settings that trail the price.
        """

@final
class MarketEvent:
    """
    Something that happened to a bot while candles were played: an event of a `Moment`.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(event: str) -> MarketEvent: ...
    @property
    def bot_id(self, /) -> int:
        """
        The id of the bot, a DCA bot or a grid bot.
        """
    @property
    def deal_id(self, /) -> int | None:
        """
        The id of the deal; None for grid bots and for `bot_disabled`.
        """
    @property
    def kind(self, /) -> Literal["deal_opened", "order_filled", "deal_closed", "grid_moved", "bot_disabled"]:
        """
        The kind of the event: `deal_opened`, `order_filled`, `deal_closed` or `bot_disabled`.
        """
    @property
    def number(self, /) -> int | None:
        """
        The number of the filled order: of a `safety_order` or `take_profit` step from 1 on, of a `grid_line` from the lowest level, 0, on.
        None for other orders, of which a deal has only one.
        """
    @property
    def order(
        self, /
    ) -> (
        Literal[
            "entry",
            "added_funds",
            "reduced_funds",
            "base_order",
            "safety_order",
            "manual_safety_order",
            "take_profit",
            "step_by_hand",
            "trailing",
            "stop_loss",
            "timeout",
            "by_hand",
            "grid_line",
            "balancing_order",
        ]
        | None
    ):
        """
        The kind of the filled order; None for other events.
        """
    @property
    def pair(self, /) -> str | None:
        """
        The pair, as `<QUOTE>_<BASE>`; None for `bot_disabled`.
        """
    @property
    def price(self, /) -> Decimal | None:
        """
        The price at which the order filled; None for other events.
        """
    @property
    def quantity(self, /) -> Decimal | None:
        """
        The quantity of the filled order, in the base currency; None for other events.
        """
    @property
    def reason(
        self, /
    ) -> (
        Literal["take_profit", "stop_loss", "timeout", "by_hand", "cancelled", "failed"]
        | Literal["stop_loss", "deal_count", "insufficient_balance"]
        | None
    ):
        """
        The reason of `deal_closed`: `take_profit`, `stop_loss`, `timeout`, `by_hand`, `cancelled` or `failed`; or of `bot_disabled`:
        `stop_loss`, `deal_count` or `insufficient_balance`. None for other events.
        """
    @property
    def side(self, /) -> Literal["buy", "sell"] | None:
        """
        The side of the filled order; None for other events.
        """
    @property
    def time(self, /) -> datetime:
        """
        The time, in UTC.
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        Return the attributes as a dict.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox(bots=0) as sandbox:
            ...     _ = sandbox.add_dca_bot(pairs=["USDT_NEW"], is_enabled=True)
            ...     moment = next(sandbox.play([[1704067200000, 100, 101, 99, 100]], pair="USDT_NEW"))
            >>> moment.events[1].to_dict().get("order")
            'base_order'
        """

@final
class Moment:
    """
    The end of a candle that `sandbox.play` played.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(moment: str) -> Moment: ...
    @property
    def events(self, /) -> list[MarketEvent]:
        """
        The events of bots since the moment before, in order, also those between the candles.
        """
    @property
    def prices(self, /) -> dict[str, Decimal]:
        """
        The close of each pair of which a candle ended, by the pair.
        """
    @property
    def time(self, /) -> datetime:
        """
        The time of the close in the sandbox, in UTC: three quarters of the candle after its time.
        """

@final
class NotSimulated:
    """
    A setting that matters, but that a backtest does not simulate.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(setting: str) -> NotSimulated: ...
    @property
    def field(self, /) -> str:
        """
        The name of the field.
        """
    @property
    def reason(self, /) -> str:
        """
        The effect that the field has live, and what the backtest does instead.
        """

@final
class Operation:
    """
    An operation of the API reference.
    """
    def __new__(cls, /, name: str) -> Operation: ...
    def __repr__(self, /) -> str: ...
    def _ask(self, /, owner: Any, inputs: list[Any], *ids: "object") -> Any:
        """
        Send the request with the client of another resource or record, and return what the service returned.
        """
    async def _ask_async(self, /, owner: Any, inputs: list[Any], *ids: "object") -> Any:
        """
        Send the request with the client of another resource or record, and return what the service returned.
        """
    def _body(self, /, inputs: list[Any], unknown: Incomplete | None = None, *, validate: bool = True) -> str:
        """
        Return the body that a request with these inputs has, which are checked first unless `validate` is False.
        """
    def _each(
        self,
        /,
        owner: Any,
        targets: Any,
        inputs: SupportsGetItem[int, list[Any]],
        preview: bool,
        concurrency: SupportsIndex,
        progress: bool | None,
        validate: bool,
    ) -> Any:
        """
        Edit many records, each with inputs of its own.
        """
    async def _each_async(
        self,
        /,
        owner: Any,
        targets: Any,
        inputs: SupportsGetItem[int, list[Any]],
        preview: bool,
        concurrency: SupportsIndex,
        progress: bool | None,
        validate: bool,
    ) -> Any:
        """
        Edit many records, each with inputs of its own.
        """
    def _input_names(self, /) -> list[str]:
        """
        Return the names of the inputs, in order.
        """
    def _iter(self, /, owner: Any, inputs: list[Any], *ids: "object", unknown: Incomplete | None = None) -> Any:
        """
        Iterate over all records of the list.
        """
    def _iter_asked(self, /, owner: Any, inputs: list[Any], unknown: Incomplete | None = None) -> Any:
        """
        Iterate over all records of the list with the client of another resource or record.
        """
    def _iter_asked_async(self, /, owner: Any, inputs: list[Any], unknown: Incomplete | None = None) -> Any:
        """
        Iterate over all records of the list with `async for`, with the client of another resource or record.
        """
    def _iter_async(self, /, owner: Any, inputs: list[Any], *ids: "object", unknown: Incomplete | None = None) -> Any:
        """
        Iterate over all records of the list with `async for`.
        """
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the columns of a list of operations.
        """
    def _many(
        self,
        /,
        owner: Any,
        targets: Any,
        inputs: list[Any],
        name: str,
        preview: bool,
        concurrency: SupportsIndex,
        progress: bool | None,
        *,
        validate: bool = True,
        unknown: Incomplete | None = None,
    ) -> Any:
        """
        Apply the operation to many records.
        """
    async def _many_async(
        self,
        /,
        owner: Any,
        targets: Any,
        inputs: list[Any],
        name: str,
        preview: bool,
        concurrency: SupportsIndex,
        progress: bool | None,
        *,
        validate: bool = True,
        unknown: Incomplete | None = None,
    ) -> Any:
        """
        Apply the operation to many records.
        """
    def _preview(
        self, /, owner: Any, inputs: list[Any], *ids: "object", validate: bool = True, unknown: Incomplete | None = None
    ) -> Any:
        """
        Return the preview of an edit.
        """
    def _send(
        self, /, owner: Any, inputs: list[Any], *ids: "object", validate: bool = True, unknown: Incomplete | None = None
    ) -> Any:
        """
        Send the request, and return what the service returned.
        """
    async def _send_async(
        self, /, owner: Any, inputs: list[Any], *ids: "object", validate: bool = True, unknown: Incomplete | None = None
    ) -> Any:
        """
        Send the request, and return what the service returned.
        """
    def _watch(
        self,
        /,
        owner: Any,
        inputs: list[Any],
        every: SupportsFloat | SupportsIndex,
        nested: bool,
        since: str | PathLike[str] | None,
        on_error: Callable[[BotdeskError], object] | None,
        *,
        unknown: Incomplete | None = None,
    ) -> Any:
        """
        Watch the records of the list.
        """
    def _watch_async(
        self,
        /,
        owner: Any,
        inputs: list[Any],
        every: SupportsFloat | SupportsIndex,
        nested: bool,
        since: str | PathLike[str] | None,
        on_error: Callable[[BotdeskError], object] | None,
        *,
        unknown: Incomplete | None = None,
    ) -> Any:
        """
        Watch the records of the list with `async for`.
        """
    @property
    def effect(self, /) -> str:
        """
        The effect, `read` or `write`.
        """
    @property
    def method(self, /) -> str:
        """
        The HTTP method.
        """
    @property
    def name(self, /) -> str:
        """
        The name, such as `dca_bots.edit`.
        """
    @property
    def path(self, /) -> str:
        """
        The path in the API reference.
        """
    @property
    def permission(self, /) -> str:
        """
        The permission that the API key needs; `NONE` if it needs none.
        """
    @property
    def section(self, /) -> str:
        """
        The section of the API reference.
        """
    @property
    def security(self, /) -> str:
        """
        The security: `SIGNED` if a request needs a key and a signature, else `NONE`.
        """

@final
class PendingFault:
    """
    A pending fault.
    """
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the attributes that a list of these objects shows.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def kind(self, /) -> str:
        """
        The kind of fault; `random` for random faults.
        """
    @property
    def operation(self, /) -> str:
        """
        The operation, such as `dca_bots.edit`; `*` for every operation.
        """
    @property
    def times(self, /) -> int | None:
        """
        The number of remaining injections; None for no limit.
        """

@final
class Playback:
    """
    Candles that `sandbox.play` plays: an iterator over a `Moment` for each candle, for `for` and for `async for`.
    """
    def __aiter__(self, /) -> Playback: ...
    def __anext__(self, /) -> Coroutine[Any, Any, Moment]: ...
    def __iter__(self, /) -> Playback: ...
    def __next__(self, /) -> Moment: ...
    def __repr__(self, /) -> str: ...
    async def _next(self, /) -> Moment: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...

@final
class PrivateKey:
    """
    An RSA private key, which signs requests. The service has its public key.

    `repr` shows only its fingerprint, and it can't be pickled.
    """
    def __copy__(self, /) -> PrivateKey: ...
    def __deepcopy__(self, /, _memo: Any) -> PrivateKey: ...
    def __reduce__(self, /) -> str: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the attributes that a list of these objects shows.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def fingerprint(self, /) -> str:
        """
        The fingerprint, which identifies the key and is safe to show: the SHA-256 of its public key, as `SHA256:…`.
        """
    @staticmethod
    def generate(bits: "int" = 4096) -> PrivateKey:
        """
        Generate a new key.

        Args:
            bits: The length: 2048, 3072, 4096 or 8192. Longer keys sign more slowly.

        Raises:
            ConfigurationError: The length is not one of these.

        Example:
            >>> import botdesk
            >>> key = botdesk.PrivateKey.generate(bits=2048)
            >>> print(key.public_key_pem.splitlines()[0])  # paste it all into the service
            -----BEGIN PUBLIC KEY-----
        """
    @staticmethod
    def load(path_or_text: str | bytes | PathLike[str] | PrivateKey, password: str | None = None) -> PrivateKey:
        """
        Read a key from a PEM file or from a string.

        Args:
            path_or_text: The path of a PEM file or of a pipe, or the content of one as `str` or `bytes`: PKCS#1, PKCS#8 or
                encrypted PKCS#8.
            password: The password of an encrypted key.

        Raises:
            ConfigurationError: The file does not exist, or is not such a key; the message says what to do.

        Example:
            >>> import botdesk, tempfile, pathlib
            >>> key = botdesk.PrivateKey.generate(bits=2048)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = pathlib.Path(folder, "private.pem")
            ...     key.save(path)
            ...     botdesk.PrivateKey.load(path).fingerprint == key.fingerprint
            True
        """
    @property
    def public_key_pem(self, /) -> str:
        """
        The public key in PEM, to paste into the service.
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Write the key to a new file that only its owner can read (mode 0600), in PEM, unencrypted.

        An existing file is never overwritten.

        Args:
            path: The path of the new file.

        Raises:
            ConfigurationError: The file exists, or can't be written.

        Example:
            >>> import botdesk, tempfile, pathlib
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     botdesk.PrivateKey.generate(bits=2048).save(pathlib.Path(folder, "private.pem"))
        """

@final
class RateLimit:
    """
    A limit on the number of requests in a period. The clients with the same API key and base URL share it: those of this process, and
    by default those of all processes of this user on this machine.

    A request counts until `per` after its response. One that ended without a response may still arrive, and counts 30
    seconds longer.

    Args:
        requests: The number of requests, at least 1; at most 1 000 with `shared=True`.
        per: The period in seconds. The limit applies to any period of that length, not only to full minutes.
        shared: True to count the requests of all processes of this user on this machine, in a small file; False to count those
            of this process only. The URL of a Redis or Valkey server, such as `"redis://host:6379/0"`, to count those of all
            processes that name this server, on any machine; `rediss://` for TLS, `unix://` for a socket. If the URL has no
            password, that in the environment variable BOTDESK_REDIS_PASSWORD is used. None, the default, is True, except for
            a service on this machine, such as a sandbox, and for a limit of more than 1 000 requests.

    Raises:
        ConfigurationError: A number is out of range, or the URL is not one of a Redis server.

    Example:
        >>> import botdesk
        >>> botdesk.RateLimit(100, per=60)
        RateLimit(100, per=60.0)
        >>> botdesk.RateLimit(100, per=60, shared=False)
        RateLimit(100, per=60.0, shared=False)
        >>> botdesk.RateLimit(100, per=60, shared="redis://:password@cache.example")
        RateLimit(100, per=60.0, shared='redis://***@cache.example:6379')
    """
    def __copy__(self, /) -> RateLimit: ...
    def __deepcopy__(self, /, _memo: Any) -> RateLimit: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(
        cls, /, requests: "int" = 100, per: "float" = 60.0, shared: "bool | str | None" = None
    ) -> RateLimit: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the attributes that a list of these objects shows.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def per(self, /) -> float:
        """
        The period in seconds.
        """
    @property
    def requests(self, /) -> int:
        """
        The number of requests.
        """
    @property
    def shared(self, /) -> bool | str | None:
        """
        True if all processes of this user on this machine share the limit, False if this process alone uses it; the URL of the
        server that counts, without its password; None, the default, for True, except for a service on this machine and for a
        limit of more than 1 000 requests.
        """

@final
class ReceivedRequest:
    """
    A request that a sandbox received, without its API key and its signature.
    """
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the attributes that a list of these objects shows.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def body(self, /) -> str:
        """
        The body with secrets redacted; empty if there was none.
        """
    @property
    def carried_out(self, /) -> bool:
        """
        True if the request was executed, even if no response was sent.
        """
    @property
    def fault(self, /) -> str | None:
        """
        The kind of the fault that the request triggered, such as `close_after`; None if it triggered none.
        """
    @property
    def method(self, /) -> str:
        """
        The method.
        """
    @property
    def path(self, /) -> str:
        """
        The path, as in the request line.
        """
    @property
    def query(self, /) -> str | None:
        """
        The query string, as in the request line but with secrets redacted; None if there was none.
        """
    @property
    def signed_form(self, /) -> str | None:
        """
        The form of the text that was signed: `path`, `path?`, `path?params`, `pathjson` or `path?json`; None if there was no valid
        signature, or if the operation needs none.
        """
    @property
    def status(self, /) -> int | None:
        """
        The status of the response; None if a fault prevented the response.
        """

@disjoint_base
class Record:
    """
    A record of the service. Its class has an attribute for each field, and the operations that a record has.
    """
    def __copy__(self, /) -> Record: ...
    def __deepcopy__(self, /, _memo: Any) -> Record: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    @classmethod
    def __init_subclass__(cls, /) -> None:
        """
        Give a class of a record an attribute for each field.
        """
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str, bool]]: ...
    def __repr__(self, /) -> str: ...
    def _cell(self, /) -> str:
        """
        Return the record as a cell of a table shows it.
        """
    def _repr_html_(self, /) -> str: ...
    def _request(self, /, method: str, path: str) -> Answer:
        """
        Send a request with the client of the record, for what no operation returns, such as the headers of a response.
        """
    async def _request_async(self, /, method: str, path: str) -> Answer:
        """
        Send a request with the client of the record, for what no operation returns, such as the headers of a response.
        """
    @classmethod
    def _restore(cls, /, text: str | bytes, is_odd: bool = False) -> Any:
        """
        Restore a record from `to_json()`, also if it is not a JSON object; for `pickle`.
        """
    @classmethod
    def _table(
        cls, /, records: Any, decimals: Literal["decimal", "text", "float"]
    ) -> tuple[ArrowTable, list[tuple[str, str, list[int]]]]:
        """
        Return the table of these records, and the values that it can't represent.
        """
    @property
    def extra(self, /) -> dict[str, Any]:
        """
        The fields of the response that the API reference does not list, under their names in the JSON.
        """
    @property
    def fields_set(self, /) -> frozenset[str]:
        """
        The names of the attributes that the response has, null or not.
        """
    @classmethod
    def from_json(cls, /, text: str | bytes) -> Self:
        """
        Read a record from a JSON object.

        Args:
            text: The JSON, as `str` or `bytes`.

        Raises:
            DecodeError: The text is not a JSON object.

        Example:
            >>> import botdesk
            >>> botdesk.DcaBot.from_json('{"new_field": 1}').extra
            {'new_field': 1}
        """
    @classmethod
    def list_from_json(cls, /, text: str | bytes) -> Records[Self]:
        """
        Read records from a JSON array.

        An element that is not an object becomes a record whose fields all raise `DecodeError`.

        Args:
            text: The JSON, as `str` or `bytes`.

        Raises:
            DecodeError: The text is not a JSON array.

        Example:
            >>> import botdesk
            >>> len(botdesk.DcaBot.list_from_json(b'[{}, {}]'))
            2
        """
    def to_dict(self, /) -> dict[str, Any]:
        """
        Return the record as a dict with the names of the JSON: integers as int, other numbers as Decimal.

        Raises:
            DecodeError: The JSON of the record is not an object.

        Example:
            >>> import botdesk
            >>> botdesk.DcaBot.from_json('{"a?": 1.50}').to_dict()
            {'a?': Decimal('1.50')}
        """
    def to_json(self, /) -> str:
        """
        Return the JSON of the record, byte for byte as it was received.

        Example:
            >>> import botdesk
            >>> botdesk.DcaBot.from_json('{ "id":1.0 }').to_json()
            '{ "id":1.0 }'
        """

@disjoint_base
class RecordAsyncIterator:
    """
    An asynchronous iterator over all records of a list.
    """
    def __aiter__(self, /) -> RecordAsyncIterator: ...
    def __anext__(self, /) -> Coroutine[Any, Any, Any]: ...
    def __repr__(self, /) -> str: ...
    async def _next(self, /) -> Any: ...
    def _repr_html_(self, /) -> str: ...

@disjoint_base
class RecordAsyncWatch:
    """
    A watch over the records of a list for `async for`.
    """
    async def __aenter__(self, /) -> RecordAsyncWatch: ...
    async def __aexit__(self, /, _class: "object", _error: "object", _traceback: "object") -> "None": ...
    def __aiter__(self, /) -> RecordAsyncWatch: ...
    def __anext__(self, /) -> Coroutine[Any, Any, Any]: ...
    def __repr__(self, /) -> str: ...
    async def _next(self, /) -> Any: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _poll(self, /) -> list[Any]: ...
    async def _poll_async(self, /) -> list[Any]: ...
    def _repr_html_(self, /) -> str: ...
    def close(self, /) -> None:
        """
        End the watch: iterations over it end, and the state stays readable.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     watch = sandbox.client().dca_bots.watch_async()
            ...     watch.close()
            ...     repr(watch).endswith("every=30 s closed>")
            True
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Write the state to a file for `since`, atomically and readable only by its owner.

        Args:
            path: The path of the file; an existing file is replaced.

        Raises:
            ConfigurationError: The file can't be written.

        Example:
            >>> import botdesk, tempfile, pathlib
            >>> with botdesk.Sandbox() as sandbox, tempfile.TemporaryDirectory() as folder:
            ...     dca_bots = sandbox.client().dca_bots
            ...     path = pathlib.Path(folder, "watch.json")
            ...     watch = dca_bots.watch_async()
            ...     _ = watch.poll()
            ...     watch.save(path)
            ...     _ = dca_bots.disable(41)
            ...     (change,) = dca_bots.watch_async(since=path).poll()
            >>> change.kind
            'disabled'
        """
    @property
    def state(self, /) -> str:
        """
        The state of the watch as a string for `since`: a later watch continues from it, also in another process.

        It includes the changes that were found and not returned yet. It has no secrets.
        """

@disjoint_base
class RecordChange:
    """
    A change of a record, or of one of the records in it, that a watch reports.
    """
    def __repr__(self, /) -> str: ...
    def _list_cells(self, /) -> list[str]:
        """
        Return the cells of these columns.
        """
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the columns of a list of changes.
        """
    @property
    def _nested(self, /) -> Any | None:
        """
        The record in it after the change; if it is gone, as it was last. None for a change of the record itself.
        """
    @property
    def _nested_before(self, /) -> Any | None:
        """
        The record in it before the change; None if it was opened, and for a change of the record itself.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def at(self, /) -> datetime:
        """
        The time of the poll that found the change, in UTC. It happened between the previous poll and this time.
        """
    @property
    def before(self, /) -> Any | None:
        """
        The record before the change; None if it appeared.
        """
    @property
    def fields(self, /) -> dict[str, FieldChange]:
        """
        The changed fields by name, each with its `old` and its `new` value.

        Volatile fields, such as the price and the profit, are not listed; the records have them.
        """
    @property
    def kind(self, /) -> str:
        """
        The kind: `appeared`, `vanished`, `enabled`, `disabled`, `edited`; of what ends `opened`, `changed`, `closed`; or that of a record in the record, such as `deal_opened`.
        """
    @property
    def record(self, /) -> Any:
        """
        The record after the change; if it vanished, as it was last.
        """

@disjoint_base
class RecordIterator:
    """
    An iterator over all records of a list.
    """
    def __array__(self, /, dtype: "object" = None, copy: "object" = None) -> Any: ...
    def __arrow_c_stream__(self, /, requested_schema: "object" = None) -> Any:
        """
        Return the remaining records as an Arrow stream, for libraries that request one.

        All pages are fetched first. If one of them fails, the next attempt continues there.
        """
    def __iter__(self, /) -> RecordIterator: ...
    def __next__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def _kind(self, /) -> type:
        """
        The class of the elements, for an empty list.
        """
    def _repr_html_(self, /) -> str: ...

@disjoint_base
class RecordWatch:
    """
    A watch over the records of a list: iterate over it, or `poll()` it yourself.
    """
    def __enter__(self, /) -> RecordWatch: ...
    def __exit__(self, /, _class: "object", _error: "object", _traceback: "object") -> "None": ...
    def __iter__(self, /) -> RecordWatch: ...
    def __next__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _poll(self, /) -> list[Any]: ...
    async def _poll_async(self, /) -> list[Any]: ...
    def _repr_html_(self, /) -> str: ...
    def close(self, /) -> None:
        """
        End the watch: iterations over it end, and the state stays readable.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     watch = sandbox.client().dca_bots.watch()
            ...     watch.close()
            ...     repr(watch).endswith("every=30 s closed>")
            True
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Write the state to a file for `since`, atomically and readable only by its owner.

        Args:
            path: The path of the file; an existing file is replaced.

        Raises:
            ConfigurationError: The file can't be written.

        Example:
            >>> import botdesk, tempfile, pathlib
            >>> with botdesk.Sandbox() as sandbox, tempfile.TemporaryDirectory() as folder:
            ...     dca_bots = sandbox.client().dca_bots
            ...     path = pathlib.Path(folder, "watch.json")
            ...     watch = dca_bots.watch()
            ...     _ = watch.poll()
            ...     watch.save(path)
            ...     _ = dca_bots.disable(41)
            ...     (change,) = dca_bots.watch(since=path).poll()
            >>> change.kind
            'disabled'
        """
    @property
    def state(self, /) -> str:
        """
        The state of the watch as a string for `since`: a later watch continues from it, also in another process.

        It includes the changes that were found and not returned yet. It has no secrets.
        """

@final
class Recording:
    """
    A recording, which starts with its block and is written at the end of it.
    """
    async def __aenter__(self, /) -> Recording: ...
    async def __aexit__(self, /, _class: "object", error: "object", _traceback: "object") -> "None": ...
    def __enter__(self, /) -> Recording: ...
    def __exit__(self, /, _class: "object", error: "object", _traceback: "object") -> "None": ...
    def __repr__(self, /) -> str: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def exchanges(self, /) -> int:
        """
        The number of exchanges so far; after the block, the number of written ones.
        """
    @property
    def path(self, /) -> Path:
        """
        The file that is written.
        """

@final
class RefusedCombination:
    """
    A combination that was not run, because it breaks rules of the API or because no bot can have its settings.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[_SweepPlan, int, str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(plan: _SweepPlan, index: SupportsIndex, reasons: str) -> RefusedCombination: ...
    @property
    def errors(self, /) -> dict[str, Any]:
        """
        The reasons: the messages for each field, as in `ValidationError.errors`.
        """
    @property
    def parameters(self, /) -> dict[str, Any]:
        """
        The settings of the combination, by name.
        """

@final
class Replay:
    """
    A local server that sends the responses of a HAR file, on a loopback port.

    A request is matched by its method, path, query (in any order) and JSON body (members in any order, numbers by their
    decimal value). Each recorded response is sent once, in the order of the recording. After the last one, a `GET` gets
    it again, and a write does not. A request that was not recorded raises `ApiError` (421, `not_recorded`), whose message
    names the nearest recorded request and the differences. A placeholder in a recorded request matches any value. If no
    response was recorded, the connection closes without one. Signatures are verified.

    Files from browsers and proxies load as well: requests to other paths than `/public/api/…` are skipped, and secrets
    are redacted in memory. A file from botdesk that contains a secret is rejected. No file is changed.

    Args:
        path: The HAR file.
        strict: True to raise at the end of the `with` block if a recorded request was not made.

    Raises:
        RecordingError: The file can't be read, is not HAR, or contains a secret. At the end of a strict block: a
            recorded request was not made.

    Example:
        >>> import tempfile
        >>> import botdesk
        >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
        ...     client = sandbox.client()
        ...     with botdesk.record(f"{folder}/desk.har", client):
        ...         name = client.dca_bots.get(41).name
        ...     with botdesk.Replay(f"{folder}/desk.har") as replay:
        ...         replay.client().dca_bots.get(41).name == name
        ...         try:
        ...             replay.client().dca_bots.get(42)
        ...         except botdesk.ApiError as error:
        ...             error.error
        True
        'not_recorded'
    """
    async def __aenter__(self, /) -> Replay: ...
    async def __aexit__(self, /, _class: "object", error: "object", _traceback: "object") -> "None": ...
    def __enter__(self, /) -> Replay: ...
    def __exit__(self, /, _class: "object", error: "object", _traceback: "object") -> "None": ...
    def __new__(cls, /, path: str | PathLike[str], *, strict: bool = False) -> Replay: ...
    def __repr__(self, /) -> str: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...
    def add_key(self, /, public_key_pem: str) -> str:
        """
        Register a public key, for a script that creates its own client.

        Args:
            public_key_pem: An RSA public key in PEM.

        Returns:
            A new API key for it.

        Raises:
            ConfigurationError: The string is not an RSA public key in PEM.

        Example:
            >>> import tempfile
            >>> import botdesk
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     with botdesk.record(f"{folder}/desk.har", client):
            ...         pass
            ...     with botdesk.Replay(f"{folder}/desk.har") as replay:
            ...         try:
            ...             api_key = replay.add_key("-----BEGIN CERTIFICATE-----")
            ...         except botdesk.ConfigurationError as error:
            ...             print(error)
            the public key is not PEM; it must begin with -----BEGIN PUBLIC KEY----- or -----BEGIN RSA PUBLIC KEY-----
        """
    def client(self, /) -> Client:
        """
        Create a client of the server with a new API key.

        Example:
            >>> import tempfile
            >>> import botdesk
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     with botdesk.record(f"{folder}/desk.har", client):
            ...         bot = client.dca_bots.get(41)
            ...     with botdesk.Replay(f"{folder}/desk.har") as replay:
            ...         replay.client().dca_bots.get(41).id
            41
        """
    def close(self, /) -> None:
        """
        Stop the server for good, and free its port. It raises nothing, even if the replay is strict.

        Example:
            >>> import tempfile
            >>> import botdesk
            >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     with botdesk.record(f"{folder}/desk.har", client):
            ...         pass
            ...     replay = botdesk.Replay(f"{folder}/desk.har")
            ...     replay.close()
        """
    @property
    def unused(self, /) -> list[str]:
        """
        The recorded requests that were not made yet, such as `GET /public/api/ver1/bots?limit=5`.
        """
    @property
    def url(self, /) -> str:
        """
        The base URL of the server, `http://127.0.0.1:PORT`.
        """

@final
class RequestEvent:
    """
    An event of a request, as hooks receive it. It has no secrets.
    """
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the attributes that a list of these objects shows.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def attempt(self, /) -> int:
        """
        The number of the attempt, from 1 on.
        """
    @property
    def failure(self, /) -> str | None:
        """
        The reason why the attempt failed; None if it did not fail.
        """
    @property
    def method(self, /) -> str:
        """
        The method.
        """
    @property
    def milliseconds(self, /) -> float | None:
        """
        The duration of the attempt in milliseconds; None before its end.
        """
    @property
    def operation(self, /) -> str:
        """
        The name of the operation, such as `dca_bots.edit`.
        """
    @property
    def path(self, /) -> str:
        """
        The path, from `/public/api` on, without the query string.
        """
    @property
    def request_id(self, /) -> str | None:
        """
        The id that the service gave the request, `X-Request-Id`, for a question to its support; None before the response, or
        without one.
        """
    @property
    def status(self, /) -> int | None:
        """
        The status of the response; None before the response, or without one.
        """
    @property
    def wait(self, /) -> float | None:
        """
        The seconds until the request is retried; None if it is not.
        """

@disjoint_base
class Resource:
    """
    A part of a client: the operations of one kind of record.
    """
    def __repr__(self, /) -> str: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...

@final
class RetryPolicy:
    """
    The conditions and the waits of retries.

    A read is retried after a failure to connect, a timeout or a broken connection, after 502, 503, 504 and 520 to 524, and
    after a 429 of the rate limit; after a 500 it is sent once more, unless the error names its reason. A write is retried only if it certainly changed nothing: after a failure to connect, and after a 429
    of the rate limit. No request is retried after a 429 of the subscription plan or after a 418. The waits are random, from
    0 to a bound that doubles each time (full jitter), and never shorter than `Retry-After`. After a 429 they are never
    shorter than the bound. All attempts and waits together stay within the client's `timeout`.

    Args:
        retries: The highest number of retries; 0 for none.
        backoff: The bound of the first wait, in seconds.
        max_backoff: The bound of any wait, in seconds.
        attempt_timeout: The time limit of each attempt of a read but the last one, in seconds; a third of the client's
            `timeout` by default.

    Raises:
        ConfigurationError: A number is out of range.

    Example:
        >>> import botdesk
        >>> botdesk.RetryPolicy(5, backoff=1.0)
        RetryPolicy(5, backoff=1.0, max_backoff=20.0, attempt_timeout=None)
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __new__(
        cls,
        /,
        retries: "int" = 3,
        *,
        backoff: "float" = 0.5,
        max_backoff: "float" = 20.0,
        attempt_timeout: "float | None" = None,
    ) -> RetryPolicy: ...
    def __reduce__(self, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the attributes that a list of these objects shows.
        """
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(
        retries: SupportsIndex,
        backoff: SupportsFloat | SupportsIndex,
        max_backoff: SupportsFloat | SupportsIndex,
        attempt_timeout: SupportsFloat | SupportsIndex | None,
    ) -> RetryPolicy: ...
    @property
    def attempt_timeout(self, /) -> float | None:
        """
        The time limit of each attempt of a read but the last one, in seconds; None for a third of the client's `timeout`.
        """
    @property
    def backoff(self, /) -> float:
        """
        The bound of the first wait, in seconds.
        """
    @property
    def max_backoff(self, /) -> float:
        """
        The bound of any wait, in seconds.
        """
    @property
    def retries(self, /) -> int:
        """
        The highest number of retries.
        """

@final
class Rung:
    """
    An order of a deal, and the state of the deal once this order and those before it are filled.
    """

    _figures: Final[list[str]]
    """
    The attributes that are rounded for people.
    """
    _shown: Final[list[str]]
    """
    The attributes that a table shows.
    """
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(element: str) -> Rung: ...
    @staticmethod
    def _table(
        elements: Any, decimals: Literal["decimal", "text", "float"]
    ) -> tuple[ArrowTable, list[tuple[str, str, list[int]]]]:
        """
        Return the table of these elements, and the values that it can't represent.
        """
    @property
    def average_price(self, /) -> Decimal:
        """
        The average price of this order and those before it: spent ÷ the sum of their quantities, rounded to 27 decimal places.
        """
    @property
    def deviation(self, /) -> Decimal:
        """
        The distance of the order from the base order's price, in percent.
        """
    @property
    def move_to_close(self, /) -> Decimal | None:
        """
        The distance from this order's price to the take profit, in percent; below 0 for a short bot.
        """
    @property
    def number(self, /) -> int:
        """
        The number of the safety order; 0 for the base order.
        """
    @property
    def price(self, /) -> Decimal:
        """
        The price of the order, rounded to the tick away from the base order: down for a long bot, up for a short one.
        """
    @property
    def quantity(self, /) -> Decimal:
        """
        The amount of the base currency that the order buys, or sells for a short bot: size ÷ price, rounded up to the lot.

        0 if the price is not above 0: such an order is never placed.
        """
    @property
    def size(self, /) -> Decimal:
        """
        The size of the order, in the quote currency.
        """
    @property
    def spent(self, /) -> Decimal:
        """
        The cost of this order and those before it with their fees, in the quote currency.

        Before fees it is the sum of their sizes; with a lot, the sum of quantity × price, which is a little more. A short bot sells:
        its fees are subtracted.
        """
    @property
    def take_profit_price(self, /) -> Decimal | None:
        """
        The price at which the deal takes its profit now; None without a take profit.

        For the type `total`: average × (1 + take profit) ÷ (1 − fee), rounded up to the tick. For the type `base`, the
        profit is that percentage of the cost of the base order. For a short bot: average × (1 − take profit) ÷ (1 + fee),
        rounded down. With several steps, it is the price of the first one.
        """

@final
class Sandbox:
    """
    A local mock of the service: an HTTP server on a loopback port, with state of its own.

    The server starts immediately. It stops at the end of its `with` block, with `close()`, or when neither the sandbox nor any of
    its clients is referenced. It verifies signatures and permissions, and keeps its state in memory until it stops. `clock`
    controls its time, and `set_price` its market.

    Args:
        seed: The seed of the initial state, 1 by default; the same seed gives the same state.
        bots: The number of DCA bots, 12 by default, at most 10 000.
        port: The port to listen on; 0 for any free one.
        state: A file that `dump` wrote; the sandbox continues with its state.
        rate_limit: The number of requests per minute and API key, such as 100; None for no limit. A key that exceeds it gets 429
            for 300 s. Clients that continue get their IP banned (418), first for 120 s, then each time twice as long. From 100
            on, the endpoints that have limits of their own at the service have them here too.
        odd_values: True for records with the odd values that live services send, to test a client: numbers with 50 digits,
            exponents, `-0.0`, `Infinity`, strings in place of numbers, nulls, ids above 2^31, and names that are not ASCII.
            Otherwise, names and amounts agree with each other.
        fee: The fee of every order as a fraction of its volume, such as `"0.001"` for 0.1 %, charged in the quote currency: a str, a
            Decimal or an int, at least 0 and below 1; `"0.001"` by default, the commission of the accounts in the samples of the
            service. Averages, volumes and take-profit prices include it, like those of `plan_ladder`.
        slippage: The fraction by which market orders fill at a worse price than that of the moment, such as `"0.0005"`; 0 by default.
        balances: The balances of each account, also of those that are added later, such as `{"USDT": "10000", "BTC": "0.5"}`: a
            str, a Decimal or an int of at least 0 for each currency. An order that costs more than is free is refused: its deal
            or SmartTrade fails. What the orders and positions of the seed need beyond the balances comes on top. By default,
            the balances are random, and an account has enough for every order.
        strict_signatures: True to accept signatures of the documented text alone: the path, and the parameters or the body as the
            reference of the service shows it. Otherwise, the other forms that programs use with success are accepted as well: a
            `?` after a path without parameters, and a JSON body with or without a `?` before it.
        requests_per_second: The number of requests per second and IP address, such as 15; None for no limit.
        plan: A plan of the service: `"lowest"` with 5 requests a minute, `"middle"` with 50, or `"highest"` with 120. The first
            two include no writes, which get a 429 that says so. `rate_limit` replaces the number of the plan.
        rolling_limits: True to count the requests of the last minute; False, the default, to count them from the beginning of
            each minute, as the service does.
        retry_after: True to send `Retry-After` with a 429 and a 418; the service does not.

    Raises:
        ConfigurationError: An argument or the state file is invalid, or the port is in use.

    Example:
        >>> import botdesk
        >>> with botdesk.Sandbox(bots=3) as sandbox:
        ...     len(sandbox.client().dca_bots.list())
        3
    """
    async def __aenter__(self, /) -> Sandbox: ...
    async def __aexit__(self, /, *_error: "object") -> "None": ...
    def __enter__(self, /) -> Sandbox: ...
    def __exit__(self, /, *_error: "object") -> "None": ...
    def __new__(
        cls,
        /,
        *,
        seed: "int | None" = None,
        bots: "int | None" = None,
        port: "int" = 0,
        state: str | PathLike[str] | None = None,
        rate_limit: "int | None" = None,
        odd_values: "bool" = False,
        fee: str | Decimal | int | None = None,
        slippage: str | Decimal | int | None = None,
        balances: Mapping[str, str | Decimal | int] | None = None,
        strict_signatures: "bool" = False,
        requests_per_second: "int | None" = None,
        plan: "str | None" = None,
        rolling_limits: "bool" = False,
        retry_after: "bool" = False,
    ) -> Sandbox: ...
    def __repr__(self, /) -> str: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...
    def add(self, /, resource: str, record: "dict[str, object] | None" = None) -> int:
        """
        Add a record of any resource.

        `add_account`, `add_dca_bot`, `add_grid_bot` and `add_smart_trade` describe their resources. A deal belongs to the DCA bot
        of its `bot_id`, and is open unless `finished` is True. The id of a simple trade is the number at the end of its `uuid`.

        Args:
            resource: The resource, such as `"deals"`.
            record: Fields of the record, by attribute name. The others get the samples of the API reference, `id` the next
                free id.

        Returns:
            The id of the record.

        Raises:
            ValidationError: The resource or a field is unknown, a value has the wrong type, or the id is taken.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot_id = sandbox.add("dca_bots", {"name": "Mine"})
            ...     deal_id = sandbox.add("deals", {"bot_id": bot_id, "note": "By hand"})
            ...     sandbox.client().dca_bots.get(bot_id).active_deals[0].note
            'By hand'
        """
    def add_account(self, /, **fields: "object") -> int:
        """
        Add an exchange account.

        Args:
            fields: Fields of an `Account`, by attribute name. The others get the samples of the API reference, `id` the next
                free id. `balances` is a dict with an amount of each currency, such as `{"USDT": "500"}`: the account has these, and
                an order that costs more than is free is refused.

        Returns:
            The id of the account.

        Raises:
            ValidationError: A field is unknown, its value has the wrong type, or the id is taken.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     account_id = sandbox.add_account(name="Spare", market_code="demo_futures")
            ...     sandbox.client().accounts.rename(account_id, "Renamed").exchange_name
            'Demo Exchange Futures'
        """
    def add_dca_bot(self, /, **fields: "object") -> int:
        """
        Add a DCA bot, optionally with open deals.

        By default a deal is opened at the market price. The fields that depend on its figures and on the bot's settings are
        computed.

        Args:
            fields: Fields of a `DcaBot`, by attribute name. The others get the samples of the API reference. `active_deals` is a
                list of dicts with fields of a `Deal`. Without `account_id` the bot trades on the first account with valid
                API keys.

        Returns:
            The id of the bot.

        Raises:
            ValidationError: A field is unknown, its value has the wrong type, an id is taken, or the account does not exist.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     deal = {"pair": "USDT_ETH", "base_order_average_price": "2561.66911"}
            ...     bot_id = sandbox.add_dca_bot(name="Mine", pairs=["USDT_ETH"], active_deals=[deal])
            ...     sandbox.client().dca_bots.get(bot_id).active_deals[0].bought_average_price
            Decimal('2561.66911')
        """
    def add_grid_bot(self, /, **fields: "object") -> int:
        """
        Add a grid bot with levels between `lower_price` and `upper_price`, around the current price.

        Args:
            fields: Fields of a `GridBot`, by attribute name. The others get the samples of the API reference. Without bounds the
                grid reaches from 10 % below the current price to 10 % above it. Without `account_id` the bot trades on the first
                account with valid API keys.

        Returns:
            The id of the bot.

        Raises:
            ValidationError: A field is unknown, its value has the wrong type, the id is taken, the account does not exist, or the
                levels are impossible.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot_id = sandbox.add_grid_bot(
            ...         pair="USDT_BTC", lower_price=56000, upper_price=70000, grids_quantity=40
            ...     )
            ...     bot = sandbox.client().grid_bots.set_note(bot_id, "As published")
            ...     print(bot.grid_lines[4].price)
            57435.9
        """
    @overload
    def add_key(
        self, /, public_key_pem: None = None, permissions: Sequence[str] | None = None, *, secret: Literal[True]
    ) -> tuple[str, str]: ...
    @overload
    def add_key(
        self, /, public_key_pem: str, permissions: Sequence[str] | None = None, *, secret: Literal[False] = False
    ) -> str:
        """
        Register a key: a public key, or a new system-generated key.

        Args:
            public_key_pem: An RSA public key in PEM.
            permissions: The permissions of the API key, such as `["BOTS_READ"]`; all by default.
            secret: True to create a system-generated key with a secret, in place of registering a public key.

        Returns:
            A new API key for the public key; with `secret=True`, a new API key and its secret.

        Raises:
            ConfigurationError: The string is not an RSA public key in PEM, or both kinds of key are asked for, or none.
            ValidationError: A permission is unknown.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     try:
            ...         api_key = sandbox.add_key("-----BEGIN CERTIFICATE-----")
            ...     except botdesk.ConfigurationError as error:
            ...         print(error)
            ...     api_key, secret = sandbox.add_key(secret=True)
            ...     botdesk.Client(api_key, secret=secret, base_url=sandbox.url).validate()
            the public key is not PEM; it must begin with -----BEGIN PUBLIC KEY----- or -----BEGIN RSA PUBLIC KEY-----
            True
        """
    def add_smart_trade(self, /, **fields: "object") -> int:
        """
        Add a SmartTrade.

        Args:
            fields: Fields of the SmartTrade, by attribute name. `status` may be its code alone (`waiting_targets` by default).
                `max_reduce_funds_amount` is the quantity of the position. The others are those of a limit order with two
                targets and a stop loss.

        Returns:
            The id of the SmartTrade.

        Raises:
            ValidationError: A field is unknown, its value has the wrong type, or the id is taken.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     trade_id = sandbox.add_smart_trade(status="waiting_targets", max_reduce_funds_amount="1.5")
            ...     sandbox.client().smart_trades.reduce_funds_info(trade_id).max_reduce_funds_amount
            Decimal('1.5')
        """
    def client(self, /, permissions: Sequence[str] | None = None) -> Client:
        """
        Create a client of the sandbox with a new API key.

        Args:
            permissions: The permissions of the API key, such as `["BOTS_READ"]`; all by default.

        Raises:
            ValidationError: A permission is unknown.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     reader = sandbox.client(permissions=["BOTS_READ"])
            ...     try:
            ...         reader.dca_bots.disable(41)
            ...     except botdesk.ForbiddenError as error:
            ...         error.status
            403
        """
    @property
    def clock(self, /) -> Clock:
        """
        The clock of the sandbox.
        """
    def close(self, /) -> None:
        """
        Stop the sandbox for good, and free its port.

        It does nothing in a forked child, because the sandbox belongs to the process that started it.

        Example:
            >>> import botdesk
            >>> sandbox = botdesk.Sandbox()
            >>> sandbox.close()
        """
    def dump(self, /, path: str | PathLike[str]) -> None:
        """
        Write the whole state to a file, for `Sandbox(state=path)`.

        The file is JSON with records, deals, events, the time of the clock and the prices of the market. It contains no API keys of
        the sandbox. Secrets in records, such as `url_secret` or the `api_key` of an account, are replaced by generated ones. The
        file is written atomically, and only its owner may read it. A sandbox that continues with it starts with a manual clock.

        Args:
            path: The path of the file. An existing file is replaced.

        Raises:
            ConfigurationError: The file can't be written.

        Example:
            >>> import tempfile
            >>> import botdesk
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     with botdesk.Sandbox() as sandbox:
            ...         bot_id = sandbox.add_dca_bot(name="Kept")
            ...         sandbox.dump(f"{folder}/desk.json")
            ...     with botdesk.Sandbox(state=f"{folder}/desk.json") as sandbox:
            ...         sandbox.client().dca_bots.get(bot_id).name
            'Kept'
        """
    @property
    def faults(self, /) -> Faults:
        """
        The fault injection of this sandbox.
        """
    def finished_deals(self, /, bot_id: int) -> Records[Deal]:
        """
        Return the finished and cancelled deals of a DCA bot, oldest first.

        The API returns active deals only. The sandbox keeps the last 1000 deals of each bot.

        Args:
            bot_id: The id of the bot.

        Raises:
            ValidationError: The sandbox has no DCA bot with this id.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox(fee=0) as sandbox:
            ...     bot_id = sandbox.add_dca_bot(pairs=["USDT_ETH"], is_enabled=True, take_profit="1")
            ...     sandbox.set_price("USDT_ETH", 2500)
            ...     sandbox.set_price("USDT_ETH", 2600)
            ...     (deal,) = sandbox.finished_deals(bot_id)
            >>> deal.status, deal.sold_average_price
            ('completed', Decimal('2525'))
        """
    def move_price(self, /, pair: str, price: str | Decimal | int) -> None:
        """
        Move the price of a pair, which passes every price in between, and update all bots and deals on it.

        Wherever something happens on the way, such as a take profit, a stop loss or a grid order, the sandbox does what it does on
        `set_price`, and then moves on. So a bot may take profit and open its next deal several times, and a stop loss closes at its
        own price, rounded to the tick away from the deal. The first price of a new pair is a jump, as no price precedes it.

        The clock does not advance.

        Args:
            pair: The pair, as `<QUOTE>_<BASE>`.
            price: The last price of the move, greater than 0: a str, a Decimal or an int.

        Raises:
            ValidationError: The pair or the price is invalid.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox(fee=0) as sandbox:
            ...     bot_id = sandbox.add_dca_bot(pairs=["USDT_ETH"], is_enabled=True, take_profit="1")
            ...     sandbox.set_price("USDT_ETH", 2500)
            ...     sandbox.move_price("USDT_ETH", 2600)
            ...     print(*[deal.sold_average_price for deal in sandbox.finished_deals(bot_id)])
            2525 2550.25 2575.76
        """
    @property
    def page_url(self, /) -> str:
        """
        The URL of a page that shows the sandbox in a browser: bots, deals, prices, the clock, requests and faults.

        The page can move prices, advance the clock, inject faults and reset the sandbox. For that, the fragment of the URL is a
        token, so give the URL only to those who may do so.
        """
    def play(
        self,
        /,
        candles: "object",
        pair: str | None = None,
        *,
        path: Literal["nearest", "low_first", "high_first"] | None = None,
        tick: str | Decimal | int | None = None,
    ) -> Playback:
        """
        Play candles through the market, one candle at each step of the iteration.

        It is for trying a script on history: between two candles, the script reads and edits bots, as it would live. Other clients
        may do so as well. The clock follows the candles, also into the past: it starts at the first one, and becomes manual.

        A candle is four prices: the open at its time, the two extremes a quarter and a half of its length later, and the close at three
        quarters. The price jumps to the open, and moves from there to the close, as with `move_price`. Timers that are due before a
        price fire first. A pair that the sandbox does not trade yet is traded from now on.

        `for` plays a candle at each step, and `async for` does without blocking the event loop. If Ctrl-C or a cancellation ends a
        step, the next one continues with the same candle. Starting another playback ends this one.

        As with `Candles`, times in seconds instead of milliseconds raise a `UserWarning`, before the clock is set.

        Args:
            candles: A `Candles`, or all that `Candles` takes; or a mapping from pairs to these, which are played together.
            pair: The pair of the candles, as `<QUOTE>_<BASE>`. A mapping has its own.
            path: Which extreme comes first: `"nearest"`, the one nearer to the open, or the low if both are as near;
                `"low_first"` or `"high_first"`.
            tick: The increment of prices, such as `"0.01"`. By default, pairs keep theirs, and a new pair gets the smallest decimal
                place of its candles.

        Returns:
            An iterator, which is an asynchronous one too, over a `Moment` for each candle.

        Raises:
            ValidationError: The candles, a pair, the path or the tick are invalid.
            ConfigurationError: The sandbox is closed. The iteration raises it too, also after another playback was started.

        Example:
            >>> import botdesk
            >>> candles = [[1704067200000, 100, 101, 100, 100], [1704067260000, 100, 103, 100, 102]]
            >>> with botdesk.Sandbox(bots=0) as sandbox:
            ...     bot_id = sandbox.add_dca_bot(pairs=["USDT_NEW"], is_enabled=True, take_profit="1.5")
            ...     for moment in sandbox.play(candles, pair="USDT_NEW"):
            ...         print(moment.time.time(), *[event.kind for event in moment.events])
            00:00:45 deal_opened order_filled
            00:01:45 order_filled deal_closed deal_opened order_filled
        """
    @property
    def requests(self, /) -> list[ReceivedRequest]:
        """
        The received requests, oldest first, without API keys and signatures.
        """
    def reset(self, /) -> None:
        """
        Return to the state at the start, that of the seed or of the state file.

        Bots, deals, accounts, prices and the clock are again as they were. Pending faults are removed, a playback ends, and
        `requests`, `faults.happened` and the usage of the rate limit are empty. API keys and clients stay valid.

        Raises:
            ConfigurationError: Another process took the port while connections were refused.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     client.dca_bots.disable(41).is_enabled
            ...     sandbox.reset()
            ...     client.dca_bots.get(41).is_enabled
            False
            True
        """
    def set_price(self, /, pair: str, price: str | Decimal | int) -> None:
        """
        Set the price of a pair, and update all bots and deals on it. The price jumps: prices in between are not traded.

        Safety orders that the price reaches fill at their own prices, one by one. A deal closes at its take-profit price, in parts if
        it has steps. If it is trailing, it closes when the price retraces. At the stop loss it closes at the current price, after
        its timeout if it has one. An enabled bot with the strategy `nonstop` then opens a deal, unless it has reached its limit of
        deals or is in its cooldown.

        A grid order that the price reaches fills at its level, and the level that was empty gets an order on the opposite side. Each
        filled sell order takes the profit of one step; on futures, an order that closes a part of the position takes its profit. An
        enabled stop loss disables the bot.

        The clock does not advance. Each order costs the `fee` of the sandbox, and quantities have 8 decimal places. A new pair is
        traded from now on, with the tick that gives this price six digits. `move_price` passes the prices in between.

        Args:
            pair: The pair, as `<QUOTE>_<BASE>`.
            price: The price, greater than 0: a str, a Decimal or an int.

        Raises:
            ValidationError: The pair or the price is invalid.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox(fee=0) as sandbox:
            ...     bot_id = sandbox.add_dca_bot(pairs=["USDT_ETH"], is_enabled=True)
            ...     sandbox.set_price("USDT_ETH", "2561.66911")
            ...     sandbox.set_price("USDT_ETH", "2536.05")
            ...     deal = sandbox.client().dca_bots.get(bot_id).active_deals[0]
            ...     deal.completed_safety_orders_count, deal.take_profit_price
            (1, Decimal('2580.18'))
        """
    @property
    def streams(self, /) -> SandboxStreams:
        """
        The live streams of this sandbox.
        """
    @property
    def url(self, /) -> str:
        """
        The base URL of the sandbox, `http://127.0.0.1:PORT`.
        """

@final
class SandboxStreams:
    """
    The live streams of a sandbox: `sandbox.streams`.

    They are WebSockets at `/websocket`, on the port of the sandbox, and send the deals that were created or changed, and the
    SmartTrades whose status changed. A ping comes every 3 seconds of this machine, and when the clock of the sandbox is advanced
    by 3 seconds or more.

    The controls let them fail as the service may. They concern all connections, until `clear()` or `sandbox.reset()`.

    Example:
        >>> import botdesk
        >>> with botdesk.Sandbox() as sandbox:
        ...     with sandbox.client().stream("deals"):
        ...         [(attempt.channel, attempt.result) for attempt in sandbox.streams.attempts]
        [(None, 'connected'), ('DealsChannel', 'confirmed')]
    """
    def __repr__(self, /) -> str: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def attempts(self, /) -> list[StreamAttempt]:
        """
        The handshakes and commands, oldest first, each with its outcome and the cause: the newest 10 000.
        """
    def clear(self, /) -> None:
        """
        End the effects of all controls, and send what was kept back.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.refuse(404, times=None)
            ...     sandbox.streams.clear()
        """
    @property
    def connections(self, /) -> int:
        """
        The number of open connections.
        """
    def disconnect(self, /, reason: str = "server_restart", reconnect: "bool" = True) -> None:
        """
        Announce the end of all connections, and close them.

        Args:
            reason: `unauthorized`, `invalid_request`, `server_restart` or `remote`.
            reconnect: True if the client may connect again.

        Raises:
            ValidationError: The reason is unknown.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.disconnect("server_restart")
            ...     sandbox.streams.connections
            0
        """
    def drop(self, /, code: "int | None" = None) -> None:
        """
        Drop all connections.

        Args:
            code: The code of the close frame, 1000 to 4999; None to send no close frame, which clients see as 1006.

        Raises:
            ValidationError: The code is out of range.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     client = sandbox.client()
            ...     with client.stream("deals", states=True) as stream:
            ...         sandbox.streams.drop()
            ...         next(stream).kind, next(stream).kind
            ('connected', 'disconnected')
        """
    def hold(self, /) -> None:
        """
        Keep records back until `release`.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.hold()
            ...     sandbox.streams.release(reverse=True)
        """
    def ping(self, /) -> None:
        """
        Send a ping to all connections.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.ping()
        """
    def price_ticks(self, /, ticks: "bool" = True) -> None:
        """
        Send a deal at a mere change of its price too.

        Args:
            ticks: False to send none again.

        Raises:
            ConfigurationError: The sandbox runs in the process that started it, not in this fork.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.price_ticks()
        """
    def refuse(self, /, status: "int" = 403, *, times: "int | None" = ...) -> None:
        """
        Refuse handshakes with a status.

        Args:
            status: The status, 400 to 599.
            times: How many handshakes, at least 1; None for all.

        Raises:
            ValidationError: A number is out of range.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.refuse(404, times=None)
        """
    def reject(self, /, times: "int" = 1) -> None:
        """
        Reject the next subscriptions.

        Args:
            times: How many, 0 to 1000.

        Raises:
            ValidationError: The number is out of range.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.reject()
        """
    def release(self, /, reverse: "bool" = False) -> None:
        """
        Send the records that were kept back, and keep none back any more.

        Args:
            reverse: True to send the newest first.

        Raises:
            ConfigurationError: The sandbox runs in the process that started it, not in this fork.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.hold()
            ...     sandbox.streams.release()
        """
    def repeat(self, /, times: "int" = 1) -> None:
        """
        Send each record more than once.

        Args:
            times: How many times more, 0 to 100.

        Raises:
            ValidationError: The number is out of range.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.repeat(2)
        """
    def send(self, /, frame: str | bytes) -> None:
        """
        Send a frame to all connections, as it is: garbage, an unknown type, a record that never was.

        Args:
            frame: A str for a text frame, bytes for a binary one.

        Raises:
            ConfigurationError: The sandbox runs in the process that started it, not in this fork.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.send('{"type": "news"}')
            ...     sandbox.streams.send(b"binary")
        """
    def silence(self, /, silent: "bool" = True) -> None:
        """
        Send nothing at all any more, with the connections open: no ping, and no record.

        Args:
            silent: False to send again.

        Raises:
            ConfigurationError: The sandbox runs in the process that started it, not in this fork.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.silence()
            ...     sandbox.streams.silence(False)
        """
    def withhold(self, /, frame: str) -> None:
        """
        Withhold the `welcome` of new connections, or the `confirmation` of subscriptions.

        Args:
            frame: `"welcome"` or `"confirmation"`.

        Raises:
            ValidationError: The frame is neither.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     sandbox.streams.withhold("welcome")
        """

@final
class SignedRequest:
    """
    A request that was signed and not sent.
    """
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @property
    def curl(self, /) -> str:
        """
        A `curl` command that sends the request, with the API key from the variable `BOTDESK_API_KEY`.
        """
    @property
    def fingerprint(self, /) -> str:
        """
        The fingerprint of the key: `SHA256:…` of an RSA public key, or `HMAC:…` of the API key if a secret signs.
        """
    @property
    def payload(self, /) -> str:
        """
        The payload that was signed: the path, then `?` and the query string, or the body.
        """
    @property
    def signature(self, /) -> str:
        """
        The signature for the header `Signature`: in Base64, or in hexadecimal if a secret signs.
        """

@final
class Stream:
    """
    Live events about records, for `for` and for `async for`: what `client.stream` returns.

    It starts at once, and runs in the background until `close()`, the end of its `with` block, or until nothing refers to it.
    """
    async def __aenter__(self, /) -> Stream: ...
    async def __aexit__(self, /, _class: "object", _error: "object", _traceback: "object") -> "None": ...
    def __aiter__(self, /) -> Stream: ...
    def __anext__(self, /) -> Coroutine[Any, Any, StreamEvent]: ...
    def __enter__(self, /) -> Stream: ...
    def __exit__(self, /, _class: "object", _error: "object", _traceback: "object") -> "None": ...
    def __iter__(self, /) -> Stream: ...
    def __next__(self, /) -> StreamEvent: ...
    def __repr__(self, /) -> str: ...
    async def _next(self, /) -> StreamEvent: ...
    def _offered(self, /) -> str:
        """
        Return what the object offers as text, for a terminal.
        """
    def _repr_html_(self, /) -> str: ...
    def close(self, /) -> None:
        """
        End the stream: iterations over it end, and the state stays readable.

        It may be called from another thread and from a signal handler.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     stream = sandbox.client().stream("deals")
            ...     stream.close()
            ...     list(stream), stream.status
            ([], 'closed')
        """
    @property
    def merged(self, /) -> int:
        """
        The number of events that newer ones of the same record have replaced, because more than 1 000 were waiting.
        """
    @property
    def resources(self, /) -> list[str]:
        """
        The names of the resources, in their order.
        """
    def save(self, /, path: str | PathLike[str]) -> None:
        """
        Write the state to a file for `since`, atomically and readable only by its owner.

        Args:
            path: The path of the file; an existing file is replaced.

        Raises:
            ConfigurationError: The file can't be written.

        Example:
            >>> import botdesk, pathlib, tempfile
            >>> with botdesk.Sandbox() as sandbox, tempfile.TemporaryDirectory() as folder:
            ...     client = sandbox.client()
            ...     path = pathlib.Path(folder, "stream.json")
            ...     with client.stream("deals") as stream:
            ...         stream.save(path)
            ...     _ = client.deals.close(client.deals.list()[0].id)
            ...     with client.stream("deals", since=path) as stream:
            ...         next(stream).origin
            'list'
        """
    @property
    def state(self, /) -> str:
        """
        The state of the stream as a string for `since`: a later stream continues from it, also in another process.

        What was not returned yet is returned again. It has the records that changed last, and no secrets.
        """
    @property
    def status(self, /) -> str:
        """
        The state of the connection: `connecting`, `live`, `waiting` (for the next attempt; meanwhile it is polled), `polling`
        (there is no stream), or `closed`.
        """

@final
class StreamAttempt:
    """
    A handshake or a command that the streams of a sandbox received, without its API key and its signature.
    """
    def __repr__(self, /) -> str: ...
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the attributes that a list of these objects shows.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def algorithm(self, /) -> str | None:
        """
        The algorithm of the key: `RSA` or `HMAC`; None if the key is unknown.
        """
    @property
    def cause(self, /) -> str:
        """
        The reason of the outcome, which the client does not see; empty for a success.
        """
    @property
    def channel(self, /) -> str | None:
        """
        The channel; None for a handshake.
        """
    @property
    def key(self, /) -> str | None:
        """
        The last four characters of the API key; None if there is none.
        """
    @property
    def path(self, /) -> str:
        """
        The path of the connection.
        """
    @property
    def result(self, /) -> str:
        """
        The outcome: `connected`, `refused`, `confirmed`, `rejected`, `unsubscribed` or `ignored`.
        """
    @property
    def signed_text(self, /) -> str | None:
        """
        The text whose signature was checked; None if none was.
        """
    @property
    def subprotocol(self, /) -> str | None:
        """
        The subprotocols that the client offered; None if it offered none.
        """

@final
class StreamEvent:
    """
    An event of a stream: a record that was created, that changed or that is gone; with `states=True` also a change of the
    connection.

    Its records have the client of the stream, so `event.record.refresh()` works.
    """
    def __repr__(self, /) -> str: ...
    def _list_cells(self, /) -> list[str]:
        """
        Return the cells of these columns.
        """
    @staticmethod
    def _list_columns() -> list[str]:
        """
        Return the columns of a list of events.
        """
    def _repr_html_(self, /) -> str: ...
    @property
    def at(self, /) -> datetime:
        """
        The time when it was received, in UTC, by the clock of this machine.
        """
    @property
    def before(self, /) -> Any | None:
        """
        The record as it was last known; None if this is the first that is known of it.
        """
    @property
    def fields(self, /) -> dict[str, FieldChange]:
        """
        The changed fields by name, each with its `old` and its `new` value; empty if `before` is None.

        Volatile fields, such as the price and the profit, are not listed; the records have them.
        """
    @property
    def kind(self, /) -> str:
        """
        The kind: of deals and SmartTrades `opened`, `changed`, `closed`; of what does not end `appeared`, `edited`, `enabled`,
        `disabled`, `vanished`; `unknown` for a record without an id. Of the connection `connected`, `disconnected`, `gap_filled`,
        `polling`.
        """
    @property
    def origin(self, /) -> str | None:
        """
        Where the state comes from: `stream` if the service sent it; `list` if a list had what was not sent while there was no
        connection; `poll` if there is no stream. Records of lists have no `bot_events` and no `buy_steps`. None for a change of
        the connection.
        """
    @property
    def pair(self, /) -> str | None:
        """
        The pair of prices, as `<QUOTE>_<BASE>`; None for everything else.
        """
    @property
    def reason(self, /) -> str | None:
        """
        Why the connection changed; None for a record.
        """
    @property
    def record(self, /) -> Any:
        """
        The record as it is now, such as a `Deal`; if it vanished, as it was last. None for a change of the connection.
        """
    @property
    def resource(self, /) -> str | None:
        """
        The resource of the record, such as `deals`; None for a change of the connection.
        """

@final
class Sweep:
    """
    The backtests of a bot with every combination of some settings.

    `len(sweep)` is the number of combinations that ran. `sweep[i]` and `for point in sweep` return them in the order of the
    combinations, in which the last setting changes first. As a table it has a column for each setting, and then one for each
    figure of the summary.
    """
    def __array__(self, /, dtype: "object" = None, copy: "object" = None) -> Any: ...
    def __arrow_c_stream__(self, /, requested_schema: "object" = None) -> Any:
        """
        Return the sweep as an Arrow stream, for libraries that request one.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __getitem__(self, index: SupportsIndex, /) -> SweepPoint: ...
    def __iter__(self, /) -> Iterator[SweepPoint]: ...
    def __len__(self, /) -> int: ...
    def __reduce__(self, /) -> tuple[Any, tuple[_SweepPlan, str, str, BaseException | None]]: ...
    def __repr__(self, /) -> str: ...
    @property
    def _less_is_better(self, /) -> bool:
        """
        True if less of the objective is better.
        """
    @property
    def _own(self, /) -> list[str | None]:
        """
        The value that the bot itself has for each setting; None if it has none.
        """
    @property
    def _pairs(self, /) -> list[str]:
        """
        The pairs of the bot with any of the combinations.
        """
    @property
    def _places(self, /) -> list[list[list[int]]]:
        """
        The places of the combinations that ran, of the refused ones, and of the missing ones.
        """
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(plan: _SweepPlan, objective: str, results: str, error: "object") -> Sweep: ...
    @property
    def _settings(self, /) -> list[tuple[str, str | None, list[str]]]:
        """
        The settings, each with its unit and its values.
        """
    def best(self, /, n: SupportsIndex = ...) -> Sweep:
        """
        Return the best combinations.

        Args:
            n: The number of combinations.

        Returns:
            A sweep with these combinations, the best one first. Of equal ones, the first comes first. Combinations without a value
            come last.

        Raises:
            ValidationError: `n` is negative or out of range.

        Example:
            >>> import botdesk
            >>> rows = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]
            >>> bot = {"base_order_volume": 100, "max_safety_orders": 0}
            >>> sweep = botdesk.sweep(bot, rows, {"take_profit": [1, 2, 3]})
            >>> [point.parameters for point in sweep.best(1)]
            [{'take_profit': Decimal('3')}]
        """
    @property
    def error(self, /) -> BaseException | None:
        """
        The first error of a worker of the executor; None if there was none.
        """
    @property
    def folds(self, /) -> Records[SweepFold]:
        """
        The best combination of each stretch of the candles but the last one, and what it did on the next stretch. It is empty
        without `folds`.
        """
    @property
    def interrupted(self, /) -> bool:
        """
        True if combinations are missing: Ctrl-C ended the sweep, or a worker of the executor failed.
        """
    @property
    def missing(self, /) -> list[dict[str, Any]]:
        """
        The settings of the combinations that were not run because the sweep was interrupted.
        """
    @property
    def not_simulated(self, /) -> list[NotSimulated]:
        """
        The settings that matter but are not simulated with one of the combinations, each with the reason.
        """
    @property
    def objective(self, /) -> str:
        """
        The figure by which the combinations are compared.
        """
    def plot(
        self,
        /,
        ax: Axes | None = None,
        *,
        x: str | None = None,
        y: str | None = None,
        theme: Literal["auto", "light", "dark"] = ...,
    ) -> Axes:
        """
        Draw the objective over the settings: a line over one setting, or a heat map over two.

        Without `x` and `y`, a sweep of one setting is a line, and any other a heat map of the first two. Of combinations that differ in
        other settings only, the best is drawn; the title says so. Combinations that break rules are hatched in a heat map, and
        crosses below a line. A sweep with `folds` has a second panel with the best combination of each stretch: its figure on that
        stretch, and on the next one.

        Args:
            ax: The axes to draw in; new ones by default.
            x: The name of the setting on the horizontal axis. Alone, it makes a line.
            y: The name of the setting on the vertical axis, for a heat map.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one is set.

        Returns:
            The matplotlib axes of the objective.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `x` or `y` is not a setting of the sweep, or both are the same; or `theme` is none of the three.

        Example:
            >>> import botdesk
            >>> rows = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]
            >>> bot = {"base_order_volume": 100, "max_safety_orders": 0}
            >>> ax = botdesk.sweep(bot, rows, {"take_profit": [1, 2, 3]}).plot()
            >>> ax.get_xlabel(), ax.get_ylabel()
            ('take_profit, %', 'profit')
        """
    @property
    def refused(self, /) -> list[RefusedCombination]:
        """
        The combinations that break a rule or that no bot can have, with the reasons. They were not run.
        """
    def to_arrow(self, /, *, decimals: Literal["decimal", "text", "float"] | None = None) -> ArrowTable:
        """
        Return the sweep as an Arrow table, for any library that supports the Arrow PyCapsule interface.

        Args:
            decimals: The type of decimals: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.

        Returns:
            The table, with a row for each `SweepPoint` and a column for each of its attributes.

        Raises:
            ValidationError: `decimals` is not one of the three.

        Example:
            >>> import botdesk
            >>> import pyarrow
            >>> sweep = botdesk.sweep({'base_order_volume': 100, 'max_safety_orders': 0}, [[0, 9, 9, 9, 9]], {'take_profit': [1, 2]})
            >>> pyarrow.table(sweep.to_arrow(decimals="text")).num_rows == len(sweep)
            True
        """
    def to_pandas(self, /, *, decimals: Literal["decimal", "text", "float"] | None = None, floats: bool = False) -> Any:
        """
        Return the sweep as a `pandas.DataFrame`.

        Args:
            decimals: The type of decimals: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.

        Returns:
            The table, with a row for each `SweepPoint` and a column for each of its attributes.

        Raises:
            ValidationError: `decimals` is not one of the three, or `floats` contradicts it.
            ImportError: pandas or pyarrow is not installed.

        Example:
            >>> import botdesk
            >>> sweep = botdesk.sweep({'base_order_volume': 100, 'max_safety_orders': 0}, [[0, 9, 9, 9, 9]], {'take_profit': [1, 2]})
            >>> len(sweep.to_pandas(floats=True)) == len(sweep)
            True
        """
    def to_polars(
        self, /, *, decimals: Literal["decimal", "text", "float"] | None = None, floats: bool = False
    ) -> DataFrame:
        """
        Return the sweep as a `polars.DataFrame`.

        Args:
            decimals: The type of decimals: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.

        Returns:
            The table, with a row for each `SweepPoint` and a column for each of its attributes.

        Raises:
            ValidationError: `decimals` is not one of the three, or `floats` contradicts it.
            ImportError: polars is not installed.

        Example:
            >>> import botdesk
            >>> sweep = botdesk.sweep({'base_order_volume': 100, 'max_safety_orders': 0}, [[0, 9, 9, 9, 9]], {'take_profit': [1, 2]})
            >>> sweep.to_polars().height == len(sweep)
            True
        """
    @property
    def warnings(self, /) -> list[str]:
        """
        Notes about the candles and the combinations that ran, each in a sentence and once.
        """

@final
class SweepFold:
    """
    The best combination of a stretch of the candles, and what it did on the next stretch.

    A setting that is good by luck is best on one stretch and ordinary on the next one: compare `value` with `next_value`, and
    `next_rank` with `combinations`.
    """

    _figures: Final[list[str]]
    """
    The attributes that are rounded for people.
    """
    _shown: Final[list[str]]
    """
    The attributes that a table shows. A narrow terminal keeps the first one, and of the numbers those at the ends.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[_SweepPlan, str, str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(plan: _SweepPlan, objective: str, results: str) -> SweepFold: ...
    @staticmethod
    def _table(
        elements: Any, decimals: Literal["decimal", "text", "float"]
    ) -> tuple[ArrowTable, list[tuple[str, str, list[int]]]]:
        """
        Return the table of these folds, and the values that it can't represent.
        """
    @property
    def combinations(self, /) -> int:
        """
        The number of combinations that are ranked.
        """
    @property
    def end(self, /) -> datetime:
        """
        The end of the stretch, at which the next one starts, in UTC.
        """
    @property
    def next_rank(self, /) -> int:
        """
        The rank of the combination on the next stretch: 1 if none is better there. Equal ones have the same rank.
        """
    @property
    def next_summary(self, /) -> BacktestSummary:
        """
        The figures of the same combination on the next stretch.
        """
    @property
    def next_value(self, /) -> Any:
        """
        The objective on the next stretch.
        """
    @property
    def parameters(self, /) -> dict[str, Any]:
        """
        The settings of the combination that is the best of the stretch, by name.
        """
    @property
    def start(self, /) -> datetime:
        """
        The start of the stretch, in UTC.
        """
    @property
    def summary(self, /) -> BacktestSummary:
        """
        The figures of the combination on the stretch.
        """
    @property
    def value(self, /) -> Any:
        """
        The objective on the stretch.
        """

@final
class SweepPoint:
    """
    A combination of settings that was run, and its figures.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self, /) -> tuple[Any, tuple[_SweepPlan, int, str]]: ...
    def __repr__(self, /) -> str: ...
    def _repr_html_(self, /) -> str: ...
    @staticmethod
    def _restore(plan: _SweepPlan, index: SupportsIndex, figures: str) -> SweepPoint: ...
    @staticmethod
    def _table(
        elements: Any, decimals: Literal["decimal", "text", "float"]
    ) -> tuple[ArrowTable, list[tuple[str, str, list[int]]]]:
        """
        Return the table of these points, and the values that it can't represent.
        """
    def backtest(self, /) -> Backtest:
        """
        Return the backtest of the combination, with its deals, orders and equity.

        Example:
            >>> import botdesk
            >>> rows = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]
            >>> bot = {"base_order_volume": 100, "max_safety_orders": 0}
            >>> point = botdesk.sweep(bot, rows, {"take_profit": [1, 2]})[1]
            >>> point.backtest().summary == point.summary
            True
        """
    async def backtest_async(self, /) -> Backtest:
        """
        Return the backtest of the combination, with its deals, orders and equity.

        Example:
            >>> import asyncio
            >>> import botdesk
            >>> rows = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]
            >>> bot = {"base_order_volume": 100, "max_safety_orders": 0}
            >>> point = botdesk.sweep(bot, rows, {"take_profit": [1, 2]})[1]
            >>> asyncio.run(point.backtest_async()).summary == point.summary
            True
        """
    @property
    def parameters(self, /) -> dict[str, Any]:
        """
        The settings of the combination, by name.
        """
    def preview(self, /, bot: DcaBot | GridBot) -> DcaBotEditPreview | GridBotEditPreview:
        """
        Return the preview of the edit that gives a bot the settings of the combination.

        Nothing is sent until `preview.apply()`.

        Args:
            bot: The bot, usually the one of the sweep.

        Returns:
            The preview, as `bot.preview_edit(**point.parameters)` returns it.

        Raises:
            ValidationError: The edit breaks a rule.
            ConfigurationError: The record has no client.

        Example:
            >>> import botdesk
            >>> rows = [[0, 2500, 2600, 2400, 2550], [60000, 2550, 2700, 2500, 2600]]
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.get(41)
            ...     sweep = botdesk.sweep(bot, rows, {"take_profit": [1.5, 2.5]}, signals=[0])
            ...     sweep[1].preview(bot).changes
            field        old  new
            take_profit  1.0  2.5
        """
    @property
    def summary(self, /) -> BacktestSummary:
        """
        The figures of the backtest.
        """

@final
class _Attribute:
    def __delete__(self, record: Any, /) -> None: ...
    def __get__(self, record: Any, _class: Any = None, /) -> Any: ...
    @property
    def __name__(self, /) -> str: ...
    def __repr__(self, /) -> str: ...
    def __set__(self, _record: Any, _value: Any, /) -> None: ...

@final
class _Look:
    """
    The reads that tell what a write with an unknown outcome has done.
    """
    def check(self, /) -> Any:
        """
        Read the record.
        """
    async def check_async(self, /) -> Any:
        """
        Read the record.
        """
    def resolve(self, /) -> Any:
        """
        Look for what the write may have made.
        """
    async def resolve_async(self, /) -> Any:
        """
        Look for what the write may have made.
        """

@final
class _Run:
    """
    The data with which a run continues.
    """
    def again(self, /, progress: bool | None = None) -> Any:
        """
        Retry the targets that failed or were not started.
        """
    async def again_async(self, /, progress: bool | None = None) -> Any:
        """
        Retry the targets that failed or were not started.
        """
    def apply(self, /, force: bool, progress: bool | None = None) -> Any:
        """
        Send the planned requests.
        """
    async def apply_async(self, /, force: bool, progress: bool | None = None) -> Any:
        """
        Send the planned requests.
        """

@final
class _SweepChunks:
    """
    Takes the results of chunks from the callbacks of their futures.
    """
    def __call__(self, /, first: SupportsIndex, outcomes: str | None, error: "object") -> None: ...

@final
class _SweepPlan:
    """
    A sweep that is ready to run: the bot, the combinations, the market and the candles.
    """
    def __reduce__(self, /) -> tuple[Any, tuple[str, list[Candles]]]: ...
    @staticmethod
    def _restore(plan: str, candles: SupportsGetItem[int, Candles]) -> _SweepPlan: ...
    def run(self, /, first: SupportsIndex, last: SupportsIndex) -> str:
        """
        Run some of the combinations on this thread, and return their outcomes as JSON.
        """

@final
class _Unset:
    """
    The value of an argument that was left out. It prints as `...`.
    """
    def __new__(cls, /) -> _Unset: ...
    def __repr__(self, /) -> str: ...

def _account_of(record: str) -> str | None:
    """
    Return the account of a record in JSON: its id, its name and its kind, as far as the record has them.
    """

def _add_profile(name: str, api_key: str, private_key: str, base_url: str, password: str | None) -> None:
    """
    Add a profile with the path of a private key to the file.
    """

def _add_secret_profile(name: str, api_key: str, secret: str, base_url: str) -> None:
    """
    Add a profile with the secret of a system-generated key to the file.
    """

def _backtest(
    bot: DcaBot | GridBot,
    candles: Any,
    market: list[Any],
    signals: Any | None,
    start: int | datetime | None,
    end: int | datetime | None,
) -> Backtest:
    """
    Return the backtest of a bot.
    """

async def _backtest_async(
    bot: DcaBot | GridBot,
    candles: Any,
    market: list[Any],
    signals: Any | None,
    start: int | datetime | None,
    end: int | datetime | None,
) -> Backtest:
    """
    Return the backtest of a bot.
    """

def _backtest_inputs() -> list[tuple[str, str, list[str], str]]:
    """
    Return the inputs of a backtest that describe the market and the account.
    """

def _backtest_of_inputs(
    candles: Any,
    market: list[Any],
    strategy: list[Any],
    edit: list[Any],
    signals: Any | None,
    start: int | datetime | None,
    end: int | datetime | None,
    smart_trade: SmartTrade | dict[str, Any] | None,
    unknown: Incomplete,
) -> Backtest:
    """
    Return the result of `backtest`.
    """

async def _backtest_of_inputs_async(
    candles: Any,
    market: list[Any],
    strategy: list[Any],
    edit: list[Any],
    signals: Any | None,
    start: int | datetime | None,
    end: int | datetime | None,
    smart_trade: SmartTrade | dict[str, Any] | None,
    unknown: Incomplete,
) -> Backtest:
    """
    Return the result of `backtest`.
    """

def _candles_of_csv(reader: "object") -> Candles:
    """
    Read candles from a `csv.reader`.
    """

def _changes_html(
    title: str,
    heads: SupportsGetItem[int, str],
    rows: SupportsGetItem[int, SupportsGetItem[int, str]],
    notes: SupportsGetItem[int, str],
) -> str:
    """
    Return the HTML of changes, with every digit, and with notes below it.
    """

def _check_profile_name(name: str) -> None:
    """
    Check that a profile of this name can be added.
    """

def _chosen_client(profile: str | None) -> Client:
    """
    Return the client of a profile. Without a name, return that of the environment if it has keys, otherwise that of `BOTDESK_PROFILE`
    or of the default profile.
    """

def _class_words(name: str) -> str:
    """
    Return the name of a class as words.
    """

def _client_facts(client: Client) -> tuple[str, str, str, str | None, str | None]:
    """
    Return the settings of a client that a diagnosis shows, without secrets.
    """

def _compare(
    edit: EditPreview,
    candles: Any,
    market: list[Any],
    signals: Any | None,
    start: int | datetime | None,
    end: int | datetime | None,
) -> BacktestComparison:
    """
    Return the backtests of a bot without an edit and with it.
    """

async def _compare_async(
    edit: EditPreview,
    candles: Any,
    market: list[Any],
    signals: Any | None,
    start: int | datetime | None,
    end: int | datetime | None,
) -> BacktestComparison:
    """
    Return the backtests of a bot without an edit and with it.
    """

def _decimals(decimals: Literal["decimal", "text", "float"] | None, floats: bool) -> str:
    """
    Return the type of decimals that these arguments select, for the Python code.
    """

def _default_profile() -> str | None:
    """
    Return the name of the default profile, if the file has one.
    """

def _destination(client: Client) -> str:
    """
    Return where the requests of a client go: the URL of the service, and the profile or the fingerprint of the key.
    """

def _duration_text(duration: timedelta) -> str:
    """
    Return a duration as every digit of it is shown.
    """

def _edit_lines(preview: EditPreview) -> tuple[str, list[str], list[str]]:
    """
    Return the record of an edit; its changes, each in one line; and the lines about the fields that stay as they are.
    """

def _fit_tables_to_terminal() -> None:
    """
    Fit tables to the terminal from now on. A function, because a module with code of its own gets a stub with gaps.
    """

def _ladder(bot: DcaBot, market: list[Any], rates: PairRates | None) -> Ladder:
    """
    Return the result of `DcaBot.ladder`.
    """

def _ladder_of_edit(edit: EditPreview, market: list[Any]) -> Ladder:
    """
    Return the ladder of a bot after an edit.
    """

def _levels(bot: GridBot, market: list[Any]) -> GridPlan:
    """
    Return the result of `GridBot.levels`.
    """

def _levels_of_edit(edit: EditPreview, market: list[Any]) -> GridPlan:
    """
    Return the levels of a grid bot after an edit.
    """

def _looks_like_key(text: str) -> bool:
    """
    Return whether text looks like a key, where a path, a name or a URL is expected.
    """

def _one_line(text: str, longest: SupportsIndex) -> str:
    """
    Return a string in one line, without control characters, and cut after `longest` characters.
    """

def _operation(name: str) -> tuple[list[tuple[str, str, list[str], str]], list[str] | None, tuple[bool, bool, bool]]:
    """
    Return the inputs of an operation, what is at stake, and what it does.
    """

def _operation_names() -> list[str]:
    """
    Return the names of all operations.
    """

def _picture(name: str, drawn: Any, ax: Axes | None, theme: Literal["auto", "light", "dark"]) -> Axes:
    """
    Draw a record with a function of `botdesk._pictures`.
    """

def _places_shown(count: SupportsIndex) -> list[int]:
    """
    Return the places of the records that the table of a list of `count` records shows.
    """

def _plan_grid(market: list[Any], edit: list[Any], unknown: Incomplete) -> GridPlan:
    """
    Return the result of `plan_grid`.
    """

def _plan_ladder(
    market: list[Any], strategy: list[Any], edit: list[Any], rates: PairRates | None, unknown: Incomplete
) -> Ladder:
    """
    Return the result of `plan_ladder`.
    """

def _printable(text: str, secrets: bool) -> str:
    """
    Return text with its secrets replaced by placeholders, and with escapes for characters that control a terminal. JSON keeps its
    meaning.
    """

def _profiles() -> list[tuple[str, str | None, str | None, bool]]:
    """
    List the profiles.
    """

def _profiles_file() -> Path:
    """
    Return the path of the profiles file.
    """

def _rate_limit(client: Client) -> tuple[int, float] | None:
    """
    Return the number of requests that a client may send in a period, and the period in seconds; None without a limit.
    """

def _record_html(title: str, fields: SupportsGetItem[int, tuple[str, str]]) -> str:
    """
    Return the HTML of an object that has these fields.
    """

def _records_html(
    title: str,
    columns: SupportsGetItem[int, str],
    rows: SupportsGetItem[int, SupportsGetItem[int, str]],
    count: SupportsIndex,
    figures: SupportsGetItem[int, str],
    quote: str | None,
    notes: SupportsGetItem[int, str],
) -> str:
    """
    Return the HTML of a list of `count` records; `rows` holds those at the places that are shown, and `figures` names the columns
    of figures, whose amounts are in the currency `quote`.
    """

def _records_text(
    columns: SupportsGetItem[int, str],
    rows: SupportsGetItem[int, SupportsGetItem[int, str]],
    count: SupportsIndex,
    figures: SupportsGetItem[int, str],
    quote: str | None,
    notes: SupportsGetItem[int, str],
) -> str:
    """
    Return the text of a list of `count` records; its arguments are those of `_records_html`.
    """

def _remove_profile(name: str) -> None:
    """
    Remove a profile from the file.
    """

def _set_default_profile(name: str | None) -> None:
    """
    Set the default profile, or remove it.
    """

def _short_forms(name: str) -> list[tuple[str, str, list[str], str]]:
    """
    Return the arguments of an operation that are converted to its inputs, and have other names than those.
    """

def _shown_column(name: str, cells: SupportsGetItem[int, str], is_figure: bool, quote: str | None) -> list[str]:
    """
    Return the cells of a column of figures, or of other numbers, as people read them. Different values stay different.
    """

def _shown_line(text: str, longest: SupportsIndex) -> str:
    """
    Return foreign text in one line, without secrets, and cut after `longest` characters.
    """

def _shown_message(text: str) -> str:
    """
    Return a message in one line, without PEM blocks.
    """

def _shown_path(path: str) -> str:
    """
    Return a path, a name or a URL in one line, or a placeholder if it looks like a key.
    """

def _shutdown() -> None:
    """
    Shut down the runtime of this process; requests in flight are dropped.

    The package calls it when the interpreter exits.
    """

def _stream(
    records: Resource,
    name: str,
    every: SupportsFloat | SupportsIndex,
    on_error: Callable[[BotdeskError], object] | None,
) -> Stream | None:
    """
    Follow the records of a resource live, with changes of the connection; None if the service does not send them.
    """

def _sweep(
    bot: DcaBot | GridBot | Mapping[str, Any],
    candles: Any,
    parameters: Mapping[str, Iterable[Any]],
    objective: str | None,
    executor: Executor | None,
    progress: bool | None,
    folds: SupportsIndex | None,
    market: list[Any],
    signals: Any | None,
    start: int | datetime | None,
    end: int | datetime | None,
) -> Sweep:
    """
    Return the result of `sweep`.
    """

async def _sweep_async(
    bot: DcaBot | GridBot | Mapping[str, Any],
    candles: Any,
    parameters: Mapping[str, Iterable[Any]],
    objective: str | None,
    executor: Executor | None,
    progress: bool | None,
    folds: SupportsIndex | None,
    market: list[Any],
    signals: Any | None,
    start: int | datetime | None,
    end: int | datetime | None,
) -> Sweep:
    """
    Return the result of `sweep`.
    """

def _table_html(
    title: str,
    heads: SupportsGetItem[int, str],
    rows: SupportsGetItem[int, SupportsGetItem[int, str]],
    notes: SupportsGetItem[int, str],
) -> str:
    """
    Return the HTML of a table, with notes below it.
    """

def _take_last_write() -> str | None:
    """
    Return the method and the path of the last write of this process that was not rejected, once.
    """

def _tuning_inputs(
    operation: str,
) -> tuple[
    list[tuple[tuple[str, str, list[str], str], tuple[str, bool] | None, tuple[str, bool] | None]],
    list[tuple[tuple[str, str, list[str], str], tuple[str, bool] | None, tuple[str, bool] | None]],
    list[tuple[tuple[str, str, list[str], str], tuple[str, bool] | None, tuple[str, bool] | None]],
]:
    """
    Return the inputs that `tune` offers for an edit: those of the edit, of the plan and of the backtest.
    """

def _value_and_rule(message: str) -> tuple[str, str]:
    """
    Return the value and the rule of a message of a `ValidationError`.
    """

def _watched(resource: str) -> tuple[str, str, list[tuple[str, str]], list[str]]:
    """
    Return how the records of a resource are followed.
    """

def _widget(name: str, shown: Any, options: SupportsGetItem[int, Any]) -> Any:
    """
    Call a function of `botdesk._widgets` with a record or a resource and an option.
    """

def display(*, rows: int | None = ..., columns: int | None = ..., decimals: int | None = ...) -> DisplayOptions:
    """
    Set how much tables show, in terminals and notebooks, for the whole process.

    The call takes effect at once. As a context manager, it restores the former options at the end of the block. Options that
    are left out stay as they are. Values never change. Without `decimals`, figures such as profits are rounded, but never so
    far that two different values of a column look the same. `decimals` cuts numbers instead, marks each cut number with `…`,
    and a note below the table says so. Previews of edits and errors always show every digit.

    Args:
        rows: Most rows of a table, 1 to 100 000: the first, and up to five of the last; None for 60.
        columns: Most columns of a table, 1 to 1 000: the first and the last; None for all.
        decimals: Most decimal places of a number, 0 to 1 000. A number close to zero keeps its first digit that is not
            zero. None rounds figures as usual; settings show every digit, in the lists of notebooks six places.

    Returns:
        The options, which are also the context manager.

    Raises:
        ValidationError: A number is out of range.

    Example:
        >>> import botdesk
        >>> bots = botdesk.DcaBot.list_from_json('[{"id": 1, "take_profit": "1.25"}, {"id": 2}, {"id": 3}]')
        >>> with botdesk.display(rows=2, columns=1):
        ...     bots
        id  …
         1  …
        … 1 more …
         3  …
        ! 7 columns are not shown; botdesk.display(columns=…) shows more
    """

def record(
    path: str | PathLike[str], client: Client | Sequence[Client], *, overwrite: bool = False, reproducible: bool = False
) -> Recording:
    """
    Record the requests and responses of clients during a `with` or `async with` block.

    At the end of the block they are written as HAR 1.2, which browsers and proxies open and `Replay` serves. Secrets are
    redacted first: keys, signatures, `url_secret`, deposit addresses and the like become placeholders such as
    `<api_key-1>`. The same secret becomes the same placeholder everywhere. A block that raises is written as well. A
    request in flight at the end of the block is written without a response.

    Args:
        path: The file to write. Only its owner may read it.
        client: The client, or a list of clients. The calls of their records are recorded as well.
        overwrite: True to replace an existing file.
        reproducible: True to write the same bytes for the same exchanges, with a fixed time, duration and port.

    Returns:
        The recording, for the `with` statement.

    Raises:
        RecordingError: The file exists, it can't be written, or a client is being recorded already. At the end of the
            block: nothing was written, because a secret is in a form that can't be redacted.

    Example:
        >>> import tempfile
        >>> import botdesk
        >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
        ...     client = sandbox.client()
        ...     with botdesk.record(f"{folder}/desk.har", client) as recording:
        ...         bot = client.dca_bots.get(41)
        ...         recording.exchanges
        ...     with botdesk.Replay(f"{folder}/desk.har") as replay:
        ...         replay.client().dca_bots.get(41).name == bot.name
        1
        True
    """
