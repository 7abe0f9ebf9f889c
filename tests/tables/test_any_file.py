"""Any file in place of a table ends in a result, or in an error that says where; an exported file changes nothing."""

from __future__ import annotations

import io
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from thorough import cases

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COLUMNS = st.sampled_from(
    [
        "id",
        "name",
        "pairs",
        "take_profit",
        "max_safety_orders",
        "strategy_list",
        "note",
        "profit_currency",
        "cooldown",
        "trailing_enabled",
        "take_profit_steps",
        "account_id",
        "nope",
    ]
)
CELLS = st.one_of(
    st.sampled_from(
        [
            "41",
            "42",
            "1.5",
            "*1.1",
            "+5",
            "null",
            "true",
            "USDT_BTC",
            "1e999999999",
            "-0",
            "NaN",
            "1_0",
            "[]",
            "{}",
            '[{"strategy":"nonstop","options":{}}]',
            '"',
            "''",
            "=1+1",
            "9" * 5000,
        ]
    ),
    st.text(max_size=8),
    st.decimals(allow_nan=True, allow_infinity=True).map(str),
)
TABLES = st.lists(COLUMNS, min_size=1, max_size=4).flatmap(
    lambda names: st.lists(st.lists(CELLS, max_size=5), max_size=3).map(lambda rows: [names, *rows])
)
SETTINGS = settings(
    max_examples=cases(30, 1_000),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def bots(shared_sandbox: botdesk.Sandbox) -> Any:  # noqa: ANN401
    """Return the DCA bots of the sandbox."""
    return shared_sandbox.client().dca_bots


class Preview(NamedTuple):
    """A method that previews what follows from a file, and the columns that it needs first."""

    read: Callable[[Any], object]
    key: str


@pytest.fixture(params=["edit_each", "create_each"])
def preview(request: pytest.FixtureRequest, bots: Any) -> Preview:  # noqa: ANN401
    """Return each method that reads files."""
    if request.param == "edit_each":
        return Preview(partial(bots.edit_each, preview=True), "id")
    return Preview(partial(bots.create_each, like=41, name="{pair} {n}"), "note")


# A column may name an account that does not exist.
DOCUMENTED = (botdesk.ValidationError, botdesk.ConfigurationError, botdesk.NotFoundError)
# The beginnings of the places that an error names: rows, columns, bots, or the whole table.
PLACES = ("row ", "column ", "table", *map(str, range(41, 53)))


def check(preview: Callable[[Any], object], table: Any) -> None:  # noqa: ANN401
    try:
        preview(table)
    except DOCUMENTED as raised:
        error = raised
    else:
        return
    if isinstance(error, botdesk.ValidationError):
        assert all(place.startswith(PLACES) for place in error.errors)
    elif isinstance(error, botdesk.ConfigurationError):
        assert table.name in str(error)


@given(data=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@example(b"id,take_profit\n41,\xff")
@example(b'id,take_profit\n41,"1')
@example(b"id;take_profit\n41;1;5")
@SETTINGS
def test_any_bytes_in_a_csv_file(preview: Preview, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bots.csv"
    path.write_bytes(data)
    check(preview.read, path)


@example(table=[["max_safety_orders"], ["1e999999999"]], separator=",", end="\n")
@example(table=[["take_profit"], ["1e999999999"]], separator=",", end="\n")
@example(table=[["strategy_list"], ["[" * 99_999]], separator=",", end="\n")
@given(table=TABLES, separator=st.sampled_from(",;\t"), end=st.sampled_from(["\n", "\r\n", "\r"]))
@SETTINGS
def test_any_cells_in_a_csv_file(
    preview: Preview, tmp_path: Path, table: list[list[str]], separator: str, end: str
) -> None:
    path = tmp_path / "bots.csv"
    # With a key, the cells are read.
    rows = [[str(40 + number) if number else preview.key, *row] for number, row in enumerate(table)]
    path.write_bytes(end.join(separator.join(row) for row in rows).encode())
    check(preview.read, path)


OBJECTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.datetimes() | st.timedeltas() | st.binary() | CELLS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(CELLS, inner, max_size=2),
    max_leaves=4,
)


@given(rows=st.lists(st.dictionaries(COLUMNS, OBJECTS, max_size=4), max_size=3))
@example(rows=[{"pairs": 5}])
@SETTINGS
def test_any_objects_in_a_table(preview: Preview, rows: list[dict[str, Any]]) -> None:
    table: Any = [{preview.key: 41 + number, **row} for number, row in enumerate(rows)]
    check(preview.read, table)


WHAT_XML_LOSES = {*map(chr, range(32))} - {"\t", "\n"} | {"\ufffe", "\uffff"}
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(names=st.lists(NAMES, max_size=3))
@example(names=["null", " x ", "*1.1", "'=1", "1,5", "a\nb", "007", "_x000D_"])
@example(names=["a\rb"])
@example(names=["\uffff"])
@pytest.mark.parametrize("file", ["bots.csv", "bots.xlsx"])
@SETTINGS
def test_an_exported_file_changes_nothing(file: str, tmp_path: Path, names: list[str]) -> None:
    with botdesk.Sandbox(bots=0) as sandbox:
        for name in names:
            sandbox.add_dca_bot(name=name, active_deals=[])
        bots = sandbox.client().dca_bots
        path = tmp_path / file
        if path.suffix == ".xlsx" and not WHAT_XML_LOSES.isdisjoint("".join(names)):
            with pytest.raises(botdesk.ConfigurationError, match="control character"):
                bots.export(path)
            return
        bots.export(path)
        assert len(bots.edit_each(path, preview=True)) == 0


@pytest.fixture(scope="module")
def workbook(bots: Any, tmp_path_factory: pytest.TempPathFactory) -> bytes:  # noqa: ANN401
    """Return an exported workbook."""
    path = tmp_path_factory.mktemp("exported") / "bots.xlsx"
    bots.export(path)
    return path.read_bytes()


@given(data=st.data())
@SETTINGS
def test_any_damage_of_a_workbook(preview: Preview, tmp_path: Path, workbook: bytes, data: st.DataObject) -> None:
    path = tmp_path / "bots.xlsx"
    path.write_bytes(damaged(workbook, data))
    check(preview.read, path)


def damaged(content: bytes, data: st.DataObject) -> bytes:
    """Damage the archive, or one of its members."""
    if data.draw(st.booleans()):
        return changed(content, data)
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(written, "w") as other:
        member = data.draw(st.sampled_from(archive.namelist()))
        for name in archive.namelist():
            other.writestr(name, changed(archive.read(name), data) if name == member else archive.read(name))
    return written.getvalue()


def changed(content: bytes, data: st.DataObject) -> bytes:
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    return content[:start] + data.draw(st.binary(max_size=8)) + content[end:]
