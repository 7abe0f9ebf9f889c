"""`botdesk archive`: keep what the service forgets, and add it up."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from botdesk import Archive
from botdesk._archive.results import as_text
from botdesk._cli import help_layout, options, output
from botdesk._native import _shown_path
from botdesk.errors import ConfigurationError

if TYPE_CHECKING:
    from botdesk import ArchiveTable

_SUMMARY = "An archive of deals, trades, grid profits and bots, also of those that the service forgets."
_FILE = typer.Argument(metavar="FILE", help="The archive, an SQLite file.", show_default=False)
_YEAR = typer.Option("--year", metavar="YEAR", help="Only what was closed in this year, in UTC.", show_default=False)

app = typer.Typer(name="archive", help=_SUMMARY, cls=help_layout.Group, no_args_is_help=True)


class By(StrEnum):
    """What a report adds up."""

    DAY = "day"
    MONTH = "month"
    BOT = "bot"
    PAIR = "pair"


@app.callback()
def _group() -> None:
    """Say what the group is; its help does."""


@app.command("sync", cls=help_layout.Command)
def sync(
    *,
    file: Annotated[Path, _FILE],
    complete: Annotated[
        bool, typer.Option("--complete", help="List everything again, and mark what the service has no more.")
    ] = False,
    profile: Annotated[str | None, options.PROFILE] = None,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Fetch what is new or changed since the last sync. The file is created by the first one."""
    with Archive(file) as archive:
        report = archive.sync(options.client(profile), complete=complete)
    if as_json:
        output.show(report.to_dict(), as_json=True)
    else:
        output.print_lines(repr(report))


@app.command("export", cls=help_layout.Command)
def export(
    *,
    file: Annotated[Path, _FILE],
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="The .csv or .xlsx file to write.", show_default=False)
    ],
    year: Annotated[int | None, _YEAR] = None,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Write closed deals, closed SmartTrades and grid profits to a CSV or Excel file, for the tax adviser."""
    with _existing(file) as archive:
        count = archive.export(target, year=year)
    if as_json:
        output.show({"file": str(target), "rows": count}, as_json=True)
    else:
        output.print_lines(output.one_line(f"{count} rows written to {_shown_path(str(target))}"))


@app.command("report", cls=help_layout.Command)
def report(
    *,
    file: Annotated[Path, _FILE],
    by: Annotated[By, typer.Option("--by", help="What to add up; days and months are in UTC.")] = By.MONTH,
    year: Annotated[int | None, _YEAR] = None,
    funds: Annotated[
        bool, typer.Option("--funds", help="Print the most funds in deals at once, by day, in place of the profit.")
    ] = False,
    as_json: Annotated[bool, options.JSON] = False,
    as_csv: Annotated[bool, options.CSV] = False,
) -> None:
    """Add up the profit of closed deals, closed SmartTrades and grids, in USD as the service reports it."""
    if funds and (by is not By.MONTH or year is not None):
        raise typer.BadParameter("--funds is by day and over all years; leave out --by and --year")
    with _existing(file) as archive:
        table = archive.funds_in_use() if funds else archive.report(by.value, year=year)
    _show(table, as_json=as_json, as_csv=as_csv)


@app.command("sql", cls=help_layout.Command)
def sql(
    *,
    file: Annotated[Path, _FILE],
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The query, in SQL of SQLite.", show_default=False)],
    as_json: Annotated[bool, options.JSON] = False,
    as_csv: Annotated[bool, options.CSV] = False,
) -> None:
    """Run a query, which can't change the archive. decimal_sum(column) adds decimals exactly."""
    with _existing(file) as archive:
        table = archive.sql(query)
    _show(table, as_json=as_json, as_csv=as_csv)


def _existing(file: Path) -> Archive:
    """Return an archive that was synced before; reading another one would create it."""
    if not options.exists(file):
        shown = _shown_path(str(file))
        raise ConfigurationError(f"{shown}: there is no such archive; create it: botdesk archive sync {shown}")
    return Archive(file)


def _show(table: ArchiveTable, *, as_json: bool, as_csv: bool) -> None:
    if as_csv and as_json:
        raise typer.BadParameter("--csv and --json exclude each other; pass one of them")
    if as_csv:
        with output.as_csv():
            output.print_json(table.to_dicts())
    elif as_json:
        output.show(table.to_dicts(), as_json=True)
    else:
        output.print_lines(as_text(table, len(table)) if table else "nothing")
