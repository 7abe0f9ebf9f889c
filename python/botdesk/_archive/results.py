"""What an archive returns: tables of a query, and the report of a sync."""

from __future__ import annotations

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes as long as importing botdesk.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Literal

    from matplotlib.axes import Axes

_SHOWN = 30


class ArchiveTable:
    """The rows of a query on an archive.

    `len(table)` is the number of rows, and iterating yields a dict for each. Decimals that SQL returns are strings with
    every digit; those of reports are `Decimal`.

    Attributes:
        columns: The names of the columns.
        rows: The rows, each a tuple.
    """

    __module__ = "botdesk"
    __slots__ = {"columns": "The names of the columns.", "rows": "The rows, each a tuple."}

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def __init__(self, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        self.columns = tuple(columns)
        self.rows = list(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __repr__(self) -> str:
        return as_text(self, _SHOWN)

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - only notebooks need it

        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_shown(cell))}</td>" for cell in row) + "</tr>" for row in self.rows[:_SHOWN]
        )
        more = f"<p>… {len(self.rows) - _SHOWN} more rows</p>" if len(self.rows) > _SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def plot(self, ax: Axes | None = None, *, theme: Literal["auto", "light", "dark"] = "auto") -> Axes:
        """Draw the table by what its columns are; a query of `sql` with the same columns is drawn too.

        | columns | picture |
        |---|---|
        | `day` and `profit_usd` | a calendar with a cell for each day |
        | `time` and `realized_usd` | realized profit over time, with the drawdown shaded |
        | `age_days` and the other columns of `open_deals` | open deals by age and depth |
        | `day`, `currency` and `most` | funds in use over time |
        | `month`, `bot` or `pair`, and `profit_usd` | a bar for each |

        Args:
            ax: The matplotlib axes to draw in; by default new ones.
            theme: `"light"` or `"dark"`; or `"auto"` for the theme of the notebook, or the matplotlib style if one is
                set.

        Returns:
            The axes.

        Raises:
            ConfigurationError: matplotlib is not installed.
            ValidationError: `theme` is none of the three, or the columns are none of these.
            ArchiveError: A value is neither a number nor a day, as its column should be.

        Example:
            >>> import botdesk
            >>> table = botdesk.ArchiveTable(["day", "profit_usd"], [("2026-03-02", "12.5"), ("2026-03-03", "-4")])
            >>> print(table.plot().get_title("left"))
            Profit by day, 2026-03-02 to 2026-03-03: 8.50 USD on 2 days
            best 2026-03-02: 12.50 USD, worst 2026-03-03: -4 USD
        """
        from botdesk._archive import drawing  # noqa: PLC0415 - only this method needs it

        return drawing.draw(self.columns, self.rows, ax, theme)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dicts.

        Returns:
            A dict for each row.

        Example:
            >>> import botdesk
            >>> botdesk.ArchiveTable(["pair"], [("USDT_BTC",)]).to_dicts()
            [{'pair': 'USDT_BTC'}]
        """
        return list(self)

    def to_arrow(self) -> Any:  # noqa: ANN401
        """Return the rows as a `pyarrow.Table`; pandas, polars and duckdb read it.

        Returns:
            The table. `Decimal` values keep their digits.

        Raises:
            ConfigurationError: pyarrow is not installed.

        Example:
            >>> import botdesk
            >>> botdesk.ArchiveTable(["pair"], [("USDT_BTC",)]).to_arrow().num_rows
            1
        """
        from botdesk._libraries import library  # noqa: PLC0415 - only this method needs it

        pyarrow = library("pyarrow", "to_arrow()", "pip install pyarrow")
        values = zip(*self.rows, strict=True) if self.rows else [() for _ in self.columns]
        return pyarrow.table([pyarrow.array(list(column)) for column in values], names=list(self.columns))


class SyncReport:
    """What a sync of an archive did.

    Attributes:
        requests: The number of requests that were sent.
        counts: For each table, the number of records that are `new`, `changed`, and newly `missing` at the service.
    """

    __module__ = "botdesk"
    __slots__ = {  # noqa: RUF023 - in the order of the description
        "requests": "The number of requests that were sent.",
        "counts": "The number of new, changed and missing records of each table.",
    }

    requests: int
    counts: dict[str, dict[str, int]]

    def __init__(self) -> None:
        self.requests = 0
        self.counts = {}

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON types.

        Returns:
            A dict with `requests` and `counts`.

        Example:
            >>> import botdesk
            >>> botdesk.SyncReport().to_dict()
            {'requests': 0, 'counts': {}}
        """
        return {"requests": self.requests, "counts": {table: dict(found) for table, found in self.counts.items()}}

    def _table(self) -> ArchiveTable:
        rows = [(table, found["new"], found["changed"], found["missing"]) for table, found in self.counts.items()]
        return ArchiveTable(("table", "new", "changed", "missing"), rows)

    def __repr__(self) -> str:
        return f"{self._table()!r}\n{self.requests} requests"

    def _repr_html_(self) -> str:
        table = self._table()._repr_html_()  # pyright: ignore[reportPrivateUsage]
        return f"{table}<p>{self.requests} requests</p>"


def as_text(table: ArchiveTable, most: int) -> str:
    """Return the first rows of a table as text, without secrets and characters that control a terminal."""
    from botdesk._native import _printable  # noqa: PLC0415 - this module is imported before it

    cells = [table.columns, *(tuple(map(_shown, row)) for row in table.rows[:most])]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    if len(table) > most:
        lines.append(f"… {len(table) - most} more rows")
    return _printable("\n".join(lines), secrets=False)


def count(report: SyncReport, table: str, what: str, number: int = 1) -> None:
    """Count records of a table that are new, changed or missing."""
    found = report.counts.setdefault(table, {"new": 0, "changed": 0, "missing": 0})
    found[what] += number


def _shown(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())
