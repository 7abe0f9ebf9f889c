"""Backtests of the preview of many edits: each bot before and after, and their profits together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from botdesk._budgets import pairs_of, settings_after
from botdesk._exact import EXACT, plain, total
from botdesk._invalid import invalid
from botdesk._native import Candles, _printable, _table_html
from botdesk._pairs import common_quote
from botdesk._text import aligned
from botdesk.errors import ConfigurationError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from botdesk import BacktestComparison

# The columns of a table that are no figures.
_NAMES = 2


class BulkBacktestItem(NamedTuple):
    """The backtests of a bot before and after its edit.

    Attributes:
        id: The identifier of the bot.
        title: Its type, its identifier and its name.
        currency: The quote currency of its pairs.
        comparison: Both backtests; None if the bot was skipped.
        skipped: Why there are none; empty if there are.
    """

    id: int
    title: str
    currency: str
    comparison: BacktestComparison | None
    skipped: str


class ProfitChange(NamedTuple):
    """The profits of several bots together, before and after their edits.

    Attributes:
        currency: The quote currency of their pairs.
        bots: The number of bots.
        before: Their profit without the edits.
        after: Their profit with the edits.
        difference: What the edits would have earned.
    """

    currency: str
    bots: int
    before: Decimal
    after: Decimal
    difference: Decimal


class BulkBacktest:
    """What the edits of a preview would have changed: each bot over the candles, before and after.

    Each bot runs on its own: they share no funds.

    Attributes:
        items: Each bot, also those that were skipped.
        profits: The profits of all bots together, for each quote currency.
    """

    __module__ = "botdesk"

    def __init__(self, items: Sequence[BulkBacktestItem]) -> None:
        """Add the profits up."""
        self.items: list[BulkBacktestItem] = list(items)
        currencies = dict.fromkeys(item.currency for item in self.items if item.comparison is not None)
        self.profits: list[ProfitChange] = [_profits(currency, self.items) for currency in currencies]

    def __repr__(self) -> str:
        """Return the table as text."""
        lines = aligned([self._heads(), *self._rows()], _NAMES)
        return _printable("\n".join([self._title(), *lines, *self._notes()]), secrets=False)

    def _repr_html_(self) -> str:
        return _table_html(self._title(), self._heads(), self._rows(), self._notes())

    def _title(self) -> str:
        return f"Backtests of {len(self.items)} edits"

    @staticmethod
    def _heads() -> list[str]:
        return ["bot", "currency", "profit before", "after", "difference", "deals before", "after"]

    def _rows(self) -> list[list[str]]:
        return [_row(item) for item in self.items]

    def _notes(self) -> list[str]:
        skipped = [f"! {item.title}: skipped, {item.skipped}" for item in self.items if item.comparison is None]
        together = [
            f"{_counted(each.bots)}: {each.before:f} → {each.after:f} {each.currency}, {each.difference:+f}".rstrip()
            for each in self.profits
        ]
        return [*together, *skipped]


def backtest(planned: Sequence[Any], operation: str, candles: object, options: dict[str, Any]) -> BulkBacktest:
    """Run each edit over its candles; `BulkPreview.backtest` calls it."""
    items: list[BulkBacktestItem] = []
    for each, own in _with_candles(planned, operation, candles):
        try:
            items.append(_item(each, own if isinstance(own, str) else each.shown.backtest(own, **options)))
        except ValidationError as error:
            items.append(_item(each, _why(error)))
    return BulkBacktest(items)


async def backtest_async(
    planned: Sequence[Any], operation: str, candles: object, options: dict[str, Any]
) -> BulkBacktest:
    """Run each edit over its candles; `BulkPreview.backtest_async` calls it."""
    items: list[BulkBacktestItem] = []
    for each, own in _with_candles(planned, operation, candles):
        try:
            items.append(_item(each, own if isinstance(own, str) else await each.shown.backtest_async(own, **options)))
        except ValidationError as error:
            items.append(_item(each, _why(error)))
    return BulkBacktest(items)


def _with_candles(planned: Sequence[Any], operation: str, candles: object) -> list[tuple[Any, object]]:
    """Return each planned edit with its candles, which are read once for all, or with the text why it is skipped."""
    if not all(hasattr(each.shown, "backtest") for each in planned):
        raise ConfigurationError(f"a preview of {operation} can't be backtested; those of edits of bots can")
    if isinstance(candles, Mapping):
        given = cast("Mapping[object, Any]", candles)
        read: object = {str(pair): _read(own) for pair, own in given.items()}
    else:
        read = _read(candles)
        pairs = sorted({pair for each in planned for pair in _pairs(each.shown)})
        if len(pairs) > 1:
            raise invalid("candles", f"must be a dict by pair, since the bots have several: {', '.join(pairs)}")
    return [(each, _candles_of(_pairs(each.shown), read)) for each in planned]


def _read(candles: Any) -> Candles:  # noqa: ANN401
    return candles if isinstance(candles, Candles) else Candles(candles)


def _item(planned: Any, outcome: BacktestComparison | str) -> BulkBacktestItem:  # noqa: ANN401
    """Return the outcome of a planned edit: both backtests, or why there are none."""
    currency = common_quote(_pairs(planned.shown))
    if isinstance(outcome, str):
        return BulkBacktestItem(planned.id, planned.title, currency, None, outcome)
    return BulkBacktestItem(planned.id, planned.title, currency, outcome, "")


def _why(error: ValidationError) -> str:
    """Return why a bot is skipped: its settings can't be backtested with the arguments."""
    return str(error).removeprefix("validation failed: ")


def _pairs(edit: Any) -> list[str]:  # noqa: ANN401
    return pairs_of(settings_after(edit))


def _candles_of(pairs: list[str], candles: object) -> object:
    if not isinstance(candles, Mapping):
        return candles
    given = cast("Mapping[str, Candles]", candles)
    missing = [pair for pair in pairs if pair not in given]
    if missing:
        return f"there are no candles of {', '.join(missing)}"
    return {pair: given[pair] for pair in pairs} or given


def _profits(currency: str, items: Sequence[BulkBacktestItem]) -> ProfitChange:
    own = [item.comparison for item in items if item.comparison is not None and item.currency == currency]
    before = total(each.before.summary.profit for each in own)
    after = total(each.after.summary.profit for each in own)
    return ProfitChange(currency, len(own), before, after, plain(EXACT.subtract(after, before)))


def _counted(bots: int) -> str:
    return "1 bot" if bots == 1 else f"{bots} bots together"


def _row(item: BulkBacktestItem) -> list[str]:
    if item.comparison is None:
        return [item.title, item.currency, *"-----"]
    before, after = item.comparison.before.summary, item.comparison.after.summary
    figures = [f"{before.profit:f}", f"{after.profit:f}", f"{item.comparison.difference.profit:+f}"]
    return [item.title, item.currency, *figures, str(before.deals), str(after.deals)]
