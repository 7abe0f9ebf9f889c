"""Lists of records that print as tables and convert to Arrow, polars and pandas."""

from __future__ import annotations

import sys

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes as long as importing botdesk.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


class Records:
    """An immutable list of records that prints as a table and can be read as an Arrow table.

    `polars.DataFrame(bots)`, `pyarrow.table(bots)` and other consumers of the Arrow PyCapsule interface accept it. The
    table has a column for each field of the API reference, named after its attribute, and `extra` for undocumented
    fields. Whole numbers are int64, booleans are booleans, times are UTC timestamps in microseconds, lists of strings
    are lists. Nested values are JSON. Secrets are left out. A value that is not of its documented type is null; a
    warning names its records, and so does the metadata of the column, under `botdesk.unreadable`.

    Decimals are `Decimal(38, 18)`: 38 digits, 18 of them after the point. A value with more places is rounded half to
    even; one that is too large, infinite or not a number is null. A warning names the fields and counts the values. The
    metadata of the columns lists the first ten records under `botdesk.rounded`, `botdesk.too_large` and
    `botdesk.not_finite`, and their number under `botdesk.rounded.count` and so on. `to_arrow(decimals="text")` keeps
    every digit.

    Args:
        records: The records, all of one class, such as those that `iter` yields.
        kind: The class of the records; only needed to make a table of an empty list.

    Example:
        >>> import botdesk
        >>> with botdesk.Sandbox() as sandbox:
        ...     bots = botdesk.Records(sandbox.client().dca_bots.iter())
        >>> len(bots), type(bots[:3]).__name__
        (12, 'Records')
    """

    # Neither a `list` nor registered as a sequence: polars and pyarrow would read its elements, not the table.
    __slots__ = ("_full_page_from", "_has_warned", "_kind", "_records")
    # It compares equal to a list, which has no hash.
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, records: Iterable[Any] = (), kind: type | None = None) -> None:
        """Store the records and their class."""
        self._records = tuple(records)
        # Lists and iterators of botdesk know their class, even if they are empty.
        self._kind = kind or getattr(records, "_kind", None)
        self._has_warned = False
        # The number of records before these if they are a full page of a list; the core sets it.
        self._full_page_from: int | None = None

    def __getstate__(self) -> Any:  # noqa: ANN401
        attributes, slots = _any(super().__getstate__())
        # Another process has not warned yet.
        return attributes, {name: value for name, value in slots.items() if name != "_has_warned"}

    def __setstate__(self, state: tuple[dict[str, object] | None, dict[str, object]]) -> None:
        attributes, slots = state
        # Older versions pickled no `_has_warned`, or the one of the process that pickled.
        for name, value in {**(attributes or {}), "_full_page_from": None, **slots, "_has_warned": False}.items():
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
        """Return the index of a record.

        Args:
            record: The record.
            start: The index to start at.
            stop: The index to stop before.

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
        """Show the records as a table, one per line; of a long list the first and the last, and the number between."""
        from botdesk import _lists  # noqa: PLC0415

        return _lists.text(self._records, self._kind, _lists.page_notes(self._records, self._full_page_from))

    def _repr_html_(self) -> str:
        """Show the records as a table; for a long list the first, the last, and the number of those between."""
        from botdesk import _lists  # noqa: PLC0415

        return _lists.html(self._records, self._kind, _lists.page_notes(self._records, self._full_page_from))

    def plot(self, ax: Any = None, *, theme: Any = "auto") -> Any:  # noqa: ANN401
        """Draw deals, or the balances of accounts.

        A deal is drawn as its current price, average price, take profit and stop loss. For DCA bots, the deals of all
        bots are drawn. Deals of one pair are drawn at their prices; deals of several pairs by their distance from the
        average price in percent.

        Args:
            ax: The matplotlib axes to draw in; by default new ones.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one is
                set.

        Returns:
            The axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three.
            TypeError: The records are neither deals, nor DCA bots, nor accounts.
            ValidationError: A bot's record has no deals: records from a list do not have them.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.get(41)
            >>> botdesk.Records(bot.active_deals).plot().get_xlabel()
            'price, USDT per ETH'
        """
        from botdesk import _pictures  # noqa: PLC0415

        return _pictures.draw("records", list(self), ax, theme)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the records as an Arrow stream, for libraries that ask for one."""
        # A library may ask for the stream several times to make one table of it.
        table = self._table(None, warns=not self._has_warned)
        self._has_warned = True
        return table.__arrow_c_stream__(requested_schema)

    def __array__(self, dtype: object = None, copy: object = None) -> Any:  # noqa: ANN401
        """Raise the error that says how to make a table."""
        return _no_array(dtype, copy)

    def to_arrow(self, *, decimals: str | None = None, lists: str = "list") -> Any:  # noqa: ANN401
        """Return the records as an Arrow table, for any consumer of the Arrow PyCapsule interface.

        Such libraries can read the list itself, too; use this to convert decimals differently.

        Args:
            decimals: What decimals become: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            lists: What lists of strings, such as pairs, become: `"list"`, or `"json"` for formats without lists, such
                as CSV.

        Returns:
            The table, with a row for each record.

        Raises:
            ValidationError: `decimals` is none of the three, or `lists` is neither of the two.
            ValueError: The list is empty and its class is unknown.

        Example:
            >>> import botdesk
            >>> import pyarrow
            >>> bots = botdesk.DcaBot.list_from_json('[{"take_profit": "1.50"}]')
            >>> pyarrow.table(bots.to_arrow(decimals="text"))["take_profit"].to_pylist()
            ['1.50']
        """
        table = self._table(decimals, warns=True)
        return table if _kept(lists) else table._with_json_lists()  # noqa: SLF001

    def _table(self, decimals: str | None, *, warns: bool) -> Any:  # noqa: ANN401
        kind = _any(type(_any(self[0])) if self else self._kind)
        if kind is None:
            raise ValueError(
                "an empty list of unknown class has no columns; pass the class: Records([], kind=botdesk.DcaBot)"
            )
        if not hasattr(kind, "_table"):
            raise TypeError(f"a table needs records of botdesk, not {kind.__name__}")
        table, issues = kind._table(self, _choose(decimals))  # noqa: SLF001
        if warns:
            _warn(issues)
        return table

    def to_polars(self, *, decimals: str | None = None, floats: bool = False, lists: str = "list") -> Any:  # noqa: ANN401
        """Return the records as a `polars.DataFrame`.

        Args:
            decimals: What decimals become: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.
            lists: What lists of strings, such as pairs, become: `"list"`, or `"json"` for formats without lists, such
                as CSV: `bots.to_polars(lists="json").write_csv("bots.csv")`.

        Returns:
            The table, with a row for each record.

        Raises:
            ValidationError: `decimals` is none of the three, `floats` contradicts it, or `lists` is neither of the two.
            ImportError: polars is not installed.
            ValueError: The list is empty and its class is unknown.

        Example:
            >>> import botdesk
            >>> bots = botdesk.DcaBot.list_from_json('[{"take_profit": "9.5"}, {"take_profit": "10"}]')
            >>> bots.to_polars()["take_profit"].max()
            Decimal('10.000000000000000000')
        """
        decimals = _choose(decimals, floats=floats)
        (pl,) = _libraries("to_polars", "polars")
        return pl.DataFrame(self.to_arrow(decimals=decimals, lists=lists))

    def to_pandas(self, *, decimals: str | None = None, floats: bool = False, lists: str = "list") -> Any:  # noqa: ANN401
        """Return the records as a `pandas.DataFrame`.

        Decimals are columns of `pandas.ArrowDtype`, which sort, compare, sum and average exactly. To multiply or
        subtract them, convert a column with `.astype(float)`, or use `decimals="float"`.

        Args:
            decimals: What decimals become: `"decimal"`, with 38 digits, 18 of them after the point (the default);
                `"text"`, with every digit; or `"float"`, with about fifteen digits.
            floats: Short for `decimals="float"`.
            lists: What lists of strings, such as pairs, become: `"list"`, or `"json"` for formats without lists, such
                as CSV: `bots.to_polars(lists="json").write_csv("bots.csv")`.

        Returns:
            The table, with a row for each record.

        Raises:
            ValidationError: `decimals` is none of the three, `floats` contradicts it, or `lists` is neither of the two.
            ImportError: pandas or pyarrow is not installed.
            ValueError: The list is empty and its class is unknown.

        Example:
            >>> import botdesk
            >>> bots = botdesk.DcaBot.list_from_json('[{"take_profit": "9.5"}, {"take_profit": "10"}]')
            >>> bots.to_pandas()["take_profit"].max()
            Decimal('10.000000000000000000')
        """
        decimals = _choose(decimals, floats=floats)
        pd, pa = _libraries("to_pandas", "pandas", "pyarrow")

        def dtype(column: Any) -> Any:  # noqa: ANN401
            # By default pandas stores decimals as Python objects.
            return pd.ArrowDtype(column) if pa.types.is_decimal(column) else None

        return pa.table(self.to_arrow(decimals=decimals, lists=lists)).to_pandas(types_mapper=dtype)


def _any(thing: Any) -> Any:  # noqa: ANN401
    """Return the argument as `Any`, so that type checkers do not check its type."""
    return thing


def _choose(decimals: str | None, *, floats: bool = False) -> str:
    from botdesk._native import _decimals  # noqa: PLC0415

    return _decimals(_any(decimals), floats)


def _kept(lists: object) -> bool:
    """Return True if lists stay lists, and False if they become JSON."""
    if lists in ("list", "json"):
        return lists == "list"
    from botdesk._invalid import invalid  # noqa: PLC0415 - few make a mistake

    message = f"must be 'list' or 'json', not {lists!r}"
    raise invalid("lists", message)


def _no_array(dtype: object, copy: object) -> Any:  # noqa: ANN401
    """Raise a TypeError: `pandas.DataFrame(bots)` asks for an array, and would make one column of objects of it."""
    del dtype, copy
    raise TypeError(
        "pandas.DataFrame(…) and numpy would turn this into one column of objects; "
        "use botdesk.Records(…).to_pandas() for a table, or list(…) for the objects"
    )


def _warn(issues: list[tuple[str, str, list[int]]]) -> None:
    """Warn about values that the table holds differently, or not at all."""
    if not issues:
        return
    import warnings  # noqa: PLC0415

    from botdesk._frames import caller  # noqa: PLC0415

    unread = [f"{field} of {_places(places)}" for issue, field, places in issues if issue == "unreadable"]
    if unread:
        message = f"some fields could not be read and are null in the table: {_some(unread)}"
        warnings.warn(message, stacklevel=caller())
    changed = [f"{outcome}: {fields}" for issue, outcome in _OUTCOMES.items() if (fields := _counted(issues, issue))]
    if changed:
        advice = 'decimals="text" keeps every digit'
        warnings.warn(f"some decimals do not fit the table; {'; '.join(changed)}; {advice}", stacklevel=caller())


# The text of the warning for each issue with decimals.
_OUTCOMES = {
    "rounded": "rounded to 18 places",
    "too_large": "too large and null",
    "not_finite": "infinite or not a number and null",
}


def _counted(issues: list[tuple[str, str, list[int]]], wanted: str) -> str:
    """Name the fields with an issue, each with the number of its values."""
    return ", ".join(f"{field} ({len(places)})" for issue, field, places in issues if issue == wanted)


def _libraries(method: str, *names: str) -> list[Any]:
    """Import the libraries of a method, or raise an error that says how to install them."""
    from importlib import import_module  # noqa: PLC0415

    try:
        return [import_module(name) for name in names]
    except ImportError as error:
        needed = " and ".join(names)
        raise ImportError(f"{method} needs {needed}; install with: pip install {' '.join(names)}") from error


def _places(places: list[int]) -> str:
    return f"record{'s' if len(places) > 1 else ''} {_some([str(place) for place in places])}"


def _some(texts: list[str]) -> str:
    """Join strings; only count those after the first few."""
    most = 5
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
