"""Lists of records that print as tables, and that libraries for tables take as they are."""

from __future__ import annotations

import sys
from itertools import zip_longest

from botdesk._native import _places_shown, _records_html
from botdesk.errors import DecodeError

# What `typing` would say; importing it takes longer than the rest of the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_WIDEST_COLUMN = 32


class Records:
    """A list of records that can't be changed, prints as a table, and can be read as an Arrow table.

    `polars.DataFrame(bots)`, `pyarrow.table(bots)` and whatever else knows the Arrow PyCapsule interface take it as it
    is. There is a column for each field of the document under its attribute's name, and `extra` for what the document
    does not know. Whole numbers are int64, flags are booleans, times are UTC timestamps with microseconds, lists of
    texts are lists. What is nested is JSON. Secrets are left out. A value that is not of its documented type is null; a
    warning says of which records, and the metadata of the column, under `botdesk.unreadable`, as well.

    Decimals are `Decimal(38, 18)`: 38 digits, 18 of them after the point. A value with more places is rounded half to
    even; one that is too large, infinite or not a number is null. A warning names the fields and counts the values, and
    the metadata of the columns lists the first ten records, under `botdesk.rounded`, `botdesk.too_large` and
    `botdesk.not_finite`, and counts them, under `botdesk.rounded.count` and so on. `to_arrow(decimals="text")` keeps
    every digit.

    Args:
        records: The records, all of one kind, such as those that `iter` gives.
        kind: Their class; only an empty list that is to become a table needs it.

    Example:
        >>> import botdesk
        >>> with botdesk.Sandbox() as sandbox:
        ...     bots = botdesk.Records(sandbox.client().dca_bots.iter())
        >>> len(bots), type(bots[:3]).__name__
        (12, 'Records')
    """

    # Not a `list`, nor registered as a sequence: polars and pyarrow would then take it apart, and find no table in it.
    __slots__ = ("_has_warned", "_kind", "_records")
    # As of a list: it is equal to one, which has no hash.
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, records: Iterable[Any] = (), kind: type | None = None) -> None:
        """Keep the records, and of what kind they are."""
        self._records = tuple(records)
        # Lists and walks say it themselves, be they empty or not.
        self._kind = kind or getattr(records, "_kind", None)
        self._has_warned = False

    def __getstate__(self) -> Any:  # noqa: ANN401
        attributes, slots = _any(super().__getstate__())
        # Another process has not warned yet.
        return attributes, {name: value for name, value in slots.items() if name != "_has_warned"}

    def __setstate__(self, state: tuple[dict[str, object] | None, dict[str, object]]) -> None:
        attributes, slots = state
        # Older versions pickled no `_has_warned`, or the one of the process that pickled.
        for name, value in {**(attributes or {}), **slots, "_has_warned": False}.items():
            setattr(self, name, value)

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._records)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._records)

    def __contains__(self, record: object) -> bool:
        return record in self._records

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401
        found = self._records[index]
        return Records(found, self._kind) if isinstance(index, slice) else found

    def __add__(self, others: object) -> Any:  # noqa: ANN401
        if not isinstance(others, (Records, list)):
            return NotImplemented
        return Records([*self, *_any(others)], self._kind)

    def __radd__(self, others: object) -> Any:  # noqa: ANN401
        if not isinstance(others, list):
            return NotImplemented
        return Records([*_any(others), *self], self._kind)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Records, list)):
            return NotImplemented
        return list(self) == list(_any(other))

    def index(self, record: object, start: int = 0, stop: int = sys.maxsize) -> int:
        """Give the place of a record.

        Args:
            record: The record.
            start: The place to look from.
            stop: The place to look up to.

        Raises:
            ValueError: It is not in the list.

        Example:
            >>> import botdesk
            >>> bots = botdesk.DcaBot.list_from_json('[{"id": 1}, {"id": 2}]')
            >>> bots.index(bots[1])
            1
        """
        return self._records.index(record, start, stop)

    def count(self, record: object) -> int:
        """Count how often a record is in the list.

        Args:
            record: The record.

        Example:
            >>> import botdesk
            >>> bots = botdesk.DcaBot.list_from_json('[{"id": 1}, {"id": 2}]')
            >>> bots.count(bots[1])
            1
        """
        return self._records.count(record)

    def __repr__(self) -> str:
        """Show the records as a table, one in each line."""
        if not self:
            return "[]"
        columns = self._columns()
        if columns is None:
            return repr(list(self))
        rows = [columns, *([_cell(record, column) for column in columns] for record in self)]
        widths = [max(len(cell) for cell in column) for column in zip_longest(*rows, fillvalue="")]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)

    def _repr_html_(self) -> str:
        """Show the records as a table; of a long list its beginning, its end, and how many are between them."""
        kind = _any(type(_any(self[0]))) if self else self._kind
        columns = self._columns()
        places = _places_shown(len(self))
        named = "Records" if kind is None else f"{kind.__name__}: {len(self)}"
        if columns is None:
            rows = [[_one_line(repr(self[place]))] for place in places]
            return _records_html(named, ["record"], rows, len(self))
        rows = [[_short(_cell(self[place], column)) for column in columns] for place in places]
        return _records_html(named, columns, rows, len(self))

    def _columns(self) -> list[str] | None:
        """Give the attributes that a table shows; None where the records are of several kinds, or of none of ours."""
        kinds: set[Any] = {type(_any(record)) for record in self} or {self._kind}
        return getattr(kinds.pop(), "_shown", None) if len(kinds) == 1 else None

    def plot(self, ax: Any = None) -> Any:  # noqa: ANN401
        """Draw deals, or what accounts hold.

        Of a deal it is the price against what it was bought at, its take profit and its stop loss. Of DCA bots, the
        deals of all of them are drawn. Deals of one pair are drawn at their prices, those of several pairs by how far
        they are from what they were bought at.

        Args:
            ax: The axes of matplotlib to draw in; new ones unless given.

        Returns:
            The axes, in the colours of the style that is in use.

        Raises:
            ConfigurationError: matplotlib is not installed.
            TypeError: The records are neither deals, nor DCA bots, nor accounts.
            ValidationError: A bot's record does not hold its deals, as those of a list do not.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.get(41)
            >>> botdesk.Records(bot.active_deals).plot().get_xlabel()
            'price, USDT per ETH'
        """
        from botdesk import _pictures  # noqa: PLC0415

        return _pictures.records(list(self), ax)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the records as an Arrow stream, for libraries that ask for one."""
        # A library may ask for the stream several times to make one table of it.
        table = self._table(None, warns=not self._has_warned)
        self._has_warned = True
        return table.__arrow_c_stream__(requested_schema)

    def __array__(self, dtype: object = None, copy: object = None) -> Any:  # noqa: ANN401
        """Raise the error that says how to make a table."""
        return _no_array(dtype, copy)

    def to_arrow(self, *, decimals: str | None = None) -> Any:  # noqa: ANN401
        """Return the records as an Arrow table, which any library reads that knows the Arrow PyCapsule interface.

        Such libraries read the list itself as well; this is for other decimals than theirs.

        Args:
            decimals: What decimals become: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.

        Returns:
            The table, with a row for each record.

        Raises:
            ValidationError: `decimals` is none of the three.
            ValueError: The list is empty and does not say of what kind it is.

        Example:
            >>> import botdesk
            >>> import pyarrow
            >>> bots = botdesk.DcaBot.list_from_json('[{"take_profit": "1.50"}]')
            >>> pyarrow.table(bots.to_arrow(decimals="text"))["take_profit"].to_pylist()
            ['1.50']
        """
        return self._table(decimals, warns=True)

    def _table(self, decimals: str | None, *, warns: bool) -> Any:  # noqa: ANN401
        kind = _any(type(_any(self[0])) if self else self._kind)
        if kind is None:
            raise ValueError("an empty list has no columns unless it says of what: Records([], kind=botdesk.DcaBot)")
        if not hasattr(kind, "_table"):
            raise TypeError(f"a table is made of records of botdesk, and {kind.__name__} is none of them")
        table, issues = kind._table(self, _choose(decimals))  # noqa: SLF001
        if warns:
            _warn(issues)
        return table

    def to_polars(self, *, decimals: str | None = None, floats: bool = False) -> Any:  # noqa: ANN401
        """Return the records as a `polars.DataFrame`.

        Args:
            decimals: What decimals become: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.

        Returns:
            The table, with a row for each record.

        Raises:
            ValidationError: `decimals` is none of the three, or `floats` contradicts it.
            ImportError: polars is not installed.
            ValueError: The list is empty and does not say of what kind it is.

        Example:
            >>> import botdesk
            >>> bots = botdesk.DcaBot.list_from_json('[{"take_profit": "9.5"}, {"take_profit": "10"}]')
            >>> bots.to_polars()["take_profit"].max()
            Decimal('10.000000000000000000')
        """
        decimals = _choose(decimals, floats=floats)
        (pl,) = _libraries("to_polars", "polars")
        return pl.DataFrame(self.to_arrow(decimals=decimals))

    def to_pandas(self, *, decimals: str | None = None, floats: bool = False) -> Any:  # noqa: ANN401
        """Return the records as a `pandas.DataFrame`.

        Decimals are columns of `pandas.ArrowDtype`, which sort, compare, sum and average exactly. To multiply or
        subtract them, convert a column with `.astype(float)`, or use `decimals="float"`.

        Args:
            decimals: What decimals become: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.

        Returns:
            The table, with a row for each record.

        Raises:
            ValidationError: `decimals` is none of the three, or `floats` contradicts it.
            ImportError: pandas or pyarrow, which it reads Arrow with, is not installed.
            ValueError: The list is empty and does not say of what kind it is.

        Example:
            >>> import botdesk
            >>> bots = botdesk.DcaBot.list_from_json('[{"take_profit": "9.5"}, {"take_profit": "10"}]')
            >>> bots.to_pandas()["take_profit"].max()
            Decimal('10.000000000000000000')
        """
        decimals = _choose(decimals, floats=floats)
        # pyarrow makes the tables of pandas.
        pd, pa = _libraries("to_pandas", "pandas", "pyarrow")

        def dtype(column: Any) -> Any:  # noqa: ANN401
            # Without a type of its own, a decimal column would be one of Python objects.
            return pd.ArrowDtype(column) if pa.types.is_decimal(column) else None

        return pa.table(self.to_arrow(decimals=decimals)).to_pandas(types_mapper=dtype)


def _any(thing: Any) -> Any:  # noqa: ANN401
    """Give the same thing, of which type checkers are not to ask what it holds."""
    return thing


def _choose(decimals: str | None, *, floats: bool = False) -> str:
    from botdesk._native import _decimals  # noqa: PLC0415

    return _decimals(_any(decimals), floats)


def _no_array(dtype: object, copy: object) -> Any:  # noqa: ANN401
    """Refuse to become an array, which `pandas.DataFrame(bots)` asks for and would make one column of objects of."""
    del dtype, copy
    raise TypeError(
        "pandas.DataFrame(…) and numpy would make one column of objects of this; "
        "use botdesk.Records(…).to_pandas() for a table, or list(…) for the objects"
    )


def _warn(issues: list[tuple[str, str, list[int]]]) -> None:
    """Warn of what a table does not hold as the records do."""
    if not issues:
        return
    import warnings  # noqa: PLC0415

    unread = [f"{field} of {_places(places)}" for issue, field, places in issues if issue == "unreadable"]
    if unread:
        message = f"some fields could not be read and are null in the table: {_some(unread)}"
        warnings.warn(message, stacklevel=_caller())
    changed = [f"{outcome}: {fields}" for issue, outcome in _OUTCOMES.items() if (fields := _counted(issues, issue))]
    if changed:
        advice = 'decimals="text" keeps every digit'
        warnings.warn(f"some decimals do not fit the table; {'; '.join(changed)}; {advice}", stacklevel=_caller())


# What becomes of decimals that do not fit a column.
_OUTCOMES = {
    "rounded": "rounded to 18 places",
    "too_large": "too large and null",
    "not_finite": "infinite or not a number and null",
}


def _counted(issues: list[tuple[str, str, list[int]]], wanted: str) -> str:
    """Name the fields with an issue, each with the number of its values."""
    return ", ".join(f"{field} ({len(places)})" for issue, field, places in issues if issue == wanted)


def _caller() -> int:
    """Count the frames from the caller of this function to the code that made the table."""
    level = 1
    frame = sys._getframe(1)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] in _TABLE_MAKERS:
        frame = frame.f_back
        level += 1
    return level


# A warning names the line of the user, not one of these packages.
_TABLE_MAKERS = {"botdesk", "duckdb", "pandas", "polars", "pyarrow"}


def _short(cell: str) -> str:
    """Leave out the digits of a long fraction that a glance does not need."""
    places = 6
    whole, point, fraction = cell.partition(".")
    is_long = whole.lstrip("-").isdigit() and len(fraction) > places and fraction.rstrip("…").isdigit()
    # What is close to zero keeps its first digit that is none.
    first = len(fraction) - len(fraction.lstrip("0")) + 1
    return f"{whole}{point}{fraction[: max(places, first)]}…" if is_long and first < len(fraction) else cell


def _libraries(method: str, *names: str) -> list[Any]:
    """Import what a method needs, or say how to install it."""
    from importlib import import_module  # noqa: PLC0415

    try:
        return [import_module(name) for name in names]
    except ImportError as error:
        needed = " and ".join(names)
        raise ImportError(f"{method} needs {needed}; install with: pip install {' '.join(names)}") from error


def _places(places: list[int]) -> str:
    return f"record{'s' if len(places) > 1 else ''} {_some([str(place) for place in places])}"


def _some(texts: list[str]) -> str:
    """Join texts, and only count those past the first few."""
    most = 5
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def _cell(record: object, column: str) -> str:
    try:
        value = getattr(record, column)
    except DecodeError:
        return "?"
    if value is None:
        return "-"
    text = ", ".join(map(str, iter(value))) if isinstance(value, list) else str(value)  # pyright: ignore[reportUnknownArgumentType]
    return _one_line(text)


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST_COLUMN else text[: _WIDEST_COLUMN - 1] + "…"
