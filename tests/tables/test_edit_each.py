"""Edits of many records, each with the values of its row in a table."""

from __future__ import annotations

import asyncio
import csv
import sys
from decimal import Decimal
from pathlib import Path
from traceback import format_exception
from typing import TYPE_CHECKING, Any

import openpyxl
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import botdesk
from botdesk._cli.app import run
from botdesk._formulas import with_mark, without_mark
from botdesk._tables.cells import CellError, is_same, value_of
from botdesk._tables.files import numbered, rows_of, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def edits(sandbox: botdesk.Sandbox) -> list[Any]:
    return [request for request in sandbox.requests if request.method == "PATCH"]


def refused(bots: botdesk.DcaBots, table: object) -> dict[str, list[str]]:
    with pytest.raises(botdesk.ValidationError) as caught:
        bots.edit_each(table)
    return caught.value.errors


def cooldowns(bots: botdesk.DcaBots, *ids: int) -> list[int]:
    return [int(bots.get(bot_id).cooldown or 0) for bot_id in ids]


class TestEachRow:
    def test_has_values_of_its_own(self, bots: botdesk.DcaBots) -> None:
        result = bots.edit_each([{"id": 41, "take_profit": "1.5"}, {"id": 43, "cooldown": 90}])
        assert result.is_complete
        assert bots.get(41).take_profit == Decimal("1.5")
        assert cooldowns(bots, 43, 41) == [90, 0]

    def test_is_sent_only_if_a_cell_differs(self, sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
        same = {"id": 41, "name": bots.get(41).name, "take_profit": "1.00", "cooldown": None, "pairs": ""}
        result = bots.edit_each([same, {"id": 43, "cooldown": 90}])
        assert [item.id for item in result] == [43]
        assert len(edits(sandbox)) == 1

    def test_may_calculate_with_the_current_value(self, bots: botdesk.DcaBots) -> None:
        before = bots.get(41)
        bots.edit_each([{"id": 41, "base_order_volume": "*1.1", "max_safety_orders": "+2"}])
        after = bots.get(41)
        assert after.base_order_volume == (before.base_order_volume or 0) * Decimal("1.1")
        assert after.max_safety_orders == (before.max_safety_orders or 0) + 2

    def test_may_be_named_instead(self, bots: botdesk.DcaBots) -> None:
        result = bots.edit_each([{"name": bots.get(41).name, "cooldown": 90}])
        assert [item.id for item in result] == [41]

    def test_is_that_of_the_bot_with_exactly_the_name(self, bots: botdesk.DcaBots) -> None:
        bots.edit(41, name="Main")
        assert "did you mean 'Main'?" in refused(bots, [{"name": "Main ", "cooldown": 90}])["row 1"][0]
        bots.edit(43, name="Main ")
        assert [item.id for item in bots.edit_each([{"name": "Main ", "cooldown": 90}])] == [43]

    def test_of_a_frame_has_no_decimal_point_in_a_name(self, bots: botdesk.DcaBots) -> None:
        bots.edit_each(pd.DataFrame({"id": [41, 43], "name": [8, None]}))
        assert bots.get(41).name == "8"
        frame = pd.DataFrame({"name": [8.0], "cooldown": [90]})
        assert [item.id for item in bots.edit_each(frame)] == [41]
        bots.edit(43, name="8.0")
        assert "2 records have the name '8' (41, 43)" in refused(bots, frame)["row 1"][0]

    def test_without_a_member_of_a_step_ends_what_that_switched_on(
        self, sandbox: botdesk.Sandbox, bots: botdesk.DcaBots
    ) -> None:
        halves = [{"amount_percentage": "50", "profit_percentage": profit} for profit in ("1", "2")]
        trailing = {"trailing_enabled": True, "trailing_deviation": "0.5"}
        bot_id = sandbox.add_dca_bot(take_profit="0", take_profit_steps=[halves[0], {**halves[1], **trailing}])
        assert bots.edit_each([{"id": bot_id, "take_profit_steps": halves}]).is_complete
        assert "trailing_enabled" not in bots.get(bot_id).to_dict()["take_profit_steps"][1]
        assert len(bots.edit_each([{"id": bot_id, "take_profit_steps": halves}])) == 0

    @pytest.mark.parametrize("off", [None, False, "", "0", "0.0", [], {}], ids=repr)
    def test_may_leave_out_a_member_that_is_off(self, off: object) -> None:
        assert is_same([{"strategy": "nonstop"}], [{"strategy": "nonstop", "options": off}])

    def test_is_edited_under_asyncio(self, bots: botdesk.DcaBots) -> None:
        result = asyncio.run(bots.edit_each_async([{"id": 41, "cooldown": 90}]))
        assert [item.status for item in result] == ["done"]
        assert cooldowns(bots, 41) == [90]

    def test_of_a_grid_bot_is_edited_alike(self, sandbox: botdesk.Sandbox) -> None:
        result = sandbox.client().grid_bots.edit_each([{"id": 203, "upper_price": "*1.01"}])
        assert [bot.upper_price for bot in result.done] == [Decimal(3939)]


def arrow(rows: list[dict[str, Any]]) -> Any:  # noqa: ANN401
    frame: Any = pl.DataFrame(rows)
    return frame.to_arrow()


FRAMES: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "Arrow": arrow,
    "an iterator": iter,
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_a_frame_is_a_table(bots: botdesk.DcaBots, frame: Callable[[list[dict[str, Any]]], object]) -> None:
    rows = [{"id": 41, "cooldown": 90.0, "take_profit": None}, {"id": 43, "cooldown": None, "take_profit": 2.5}]
    result = bots.edit_each(frame(rows))
    assert result.is_complete
    assert cooldowns(bots, 41) == [90]
    assert bots.get(43).take_profit == Decimal("2.5")


def test_a_preview_shows_old_and_new_and_sends_nothing(sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
    preview = bots.edit_each([{"id": 41, "take_profit": "1.5"}], preview=True)
    assert "take_profit: 1.0 → 1.5" in str(preview)
    assert edits(sandbox) == []
    assert isinstance(preview, botdesk.BulkPreview)
    assert preview.apply().is_complete


def test_a_run_that_was_stopped_is_continued(sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
    sandbox.faults.add("dca_bots.edit", "status", status=401)
    result = bots.edit_each([{"id": 41, "cooldown": 90}, {"id": 43, "cooldown": 30}], concurrency=1)
    assert len(result.not_started) == 1
    assert result.retry_failed().is_complete
    assert cooldowns(bots, 41, 43) == [90, 30]


class TestAWrongTable:
    def test_is_refused_with_all_of_its_errors_before_anything_is_sent(
        self, sandbox: botdesk.Sandbox, bots: botdesk.DcaBots
    ) -> None:
        rows = [
            {"id": 41, "take_profit": "1,5"},
            {"id": 41, "cooldown": 1},
            {"id": 999, "cooldown": 1},
            {"cooldown": 3},
            {"id": 42, "cooldown": "5%", "max_safety_orders": "1.5", "trailing_enabled": "perhaps"},
        ]
        errors = refused(bots, rows)
        assert list(errors) == [
            *("41.take_profit", "row 2", "row 3", "row 4"),
            *("42.max_safety_orders", "42.cooldown", "42.trailing_enabled"),
        ]
        assert errors["row 3"] == ["there is none with the id '999'"]
        assert edits(sandbox) == []

    def test_names_the_setting_that_a_column_may_mean(self, bots: botdesk.DcaBots) -> None:
        errors = refused(bots, [{"id": 41, "take_profi": 1}])
        assert errors == {"column take_profi": ["is not a setting that dca_bots.edit takes; did you mean take_profit?"]}

    def test_names_the_bot_whose_rule_it_breaks(self, sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> None:
        errors = refused(bots, [{"id": 41, "cooldown": 90}, {"id": 43, "max_active_deals": 0}])
        assert list(errors) == ["43.max_active_deals"]
        assert edits(sandbox) == []

    def test_says_that_a_name_is_that_of_two(self, bots: botdesk.DcaBots) -> None:
        name = bots.edit(43, name=bots.get(41).name).name
        assert "2 records have the name" in refused(bots, [{"name": name, "cooldown": 1}])["row 1"][0]

    def test_has_its_number_whatever_rows_are_empty(self, bots: botdesk.DcaBots, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("id,cooldown\n41,60\n , \n,\n999,60\n", "utf-8")
        assert list(refused(bots, tmp_path / "t.csv")) == ["row 4"]

    def test_of_another_list_points_to_the_export(self, bots: botdesk.DcaBots) -> None:
        errors = refused(bots, bots.list().to_pandas())
        assert "export(path) writes a table that has only settings" in errors["table"][0]

    @pytest.mark.parametrize("table", [5, {"id": 41}, ["41"], [{"a": 1}]])
    def test_says_what_a_table_is(self, bots: botdesk.DcaBots, table: object) -> None:
        assert "table" in refused(bots, table)


@pytest.mark.parametrize("name", ["settings.csv", "settings.xlsx"])
class TestAFile:
    def test_that_was_exported_changes_nothing(self, bots: botdesk.DcaBots, tmp_path: Path, name: str) -> None:
        assert bots.export(tmp_path / name) == 12
        assert len(bots.edit_each(tmp_path / name, preview=True)) == 0

    def test_that_was_edited_changes_what_was_edited(self, bots: botdesk.DcaBots, tmp_path: Path, name: str) -> None:
        path = tmp_path / name
        bots.export(path)
        rows = [{**row, "cooldown": 90 if str(row["id"]) == "41" else row["cooldown"]} for row in rows_of(path)]
        write_rows(path, list(rows[0]), [list(row.values()) for row in rows])
        result = bots.edit_each(path)
        assert [item.id for item in result] == [41]
        assert cooldowns(bots, 41) == [90]

    def test_has_no_text_that_a_spreadsheet_would_execute(
        self, bots: botdesk.DcaBots, tmp_path: Path, name: str
    ) -> None:
        path = tmp_path / name
        bots.edit(41, name="=1+1")
        bots.export(path)
        if path.suffix == ".csv":
            cells = [cell for row in csv.reader(path.read_text("utf-8").splitlines()) for cell in row]
        else:
            sheet = openpyxl.load_workbook(path)["settings"]
            cells = [str(cell) for row in sheet.iter_rows(values_only=True) for cell in row]
        assert "'=1+1" in cells
        assert len(bots.edit_each(path, preview=True)) == 0

    def test_a_name_that_looks_marked_comes_back_as_it_is(
        self, bots: botdesk.DcaBots, tmp_path: Path, name: str
    ) -> None:
        bots.edit(41, name="'=1+1")
        bots.export(tmp_path / name)
        assert len(bots.edit_each(tmp_path / name, preview=True)) == 0


@pytest.mark.parametrize("name", ["twice.csv", "twice.xlsx"])
def test_a_file_with_a_column_twice_is_refused(tmp_path: Path, name: str) -> None:
    write_rows(tmp_path / name, ["id", "cooldown", "cooldown"], [[41, 1, 2]])
    with pytest.raises(botdesk.ConfigurationError, match="several columns 'cooldown'; keep one of them"):
        rows_of(tmp_path / name)


def test_a_control_character_is_kept_in_csv_and_refused_in_a_workbook(bots: botdesk.DcaBots, tmp_path: Path) -> None:
    bots.edit(41, name="a\x1bb")
    bots.export(tmp_path / "settings.csv")
    assert len(bots.edit_each(tmp_path / "settings.csv", preview=True)) == 0
    with pytest.raises(botdesk.ConfigurationError, match="the row 41 has a control character"):
        bots.export(tmp_path / "settings.xlsx")
    assert not (tmp_path / "settings.xlsx").exists()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.csv", "id,name\n41,Café\n".encode("latin-1"), "it is not UTF-8; save it as CSV UTF-8"),
        ("t.csv", b'id,name\n41,"' + b"x" * 200_000 + b'"\n', "after line 1: field larger than field limit"),
        ("t.csv", b"id,name,\n41,A,5\n", "'5' is in a column without a name"),
        ("t.xlsx", b"id,name\n41,A\n", "this is no workbook"),
    ],
)
def test_a_file_that_can_not_be_read_is_named(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(botdesk.ConfigurationError, match=rf"^{name}: {reason}"):
        rows_of(tmp_path / name)


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
def test_empty_rows_and_columns_without_a_name_are_left_out(tmp_path: Path, name: str) -> None:
    write_rows(tmp_path / name, ["id", "cooldown", ""], [[41, 60, None], [None, None, None], [43, 90, None]])
    rows = [row for _, row in numbered(rows_of(tmp_path / name))]
    assert [(str(row["id"]), str(row["cooldown"]), len(row)) for row in rows] == [("41", "60", 2), ("43", "90", 2)]


def test_a_name_of_digits_is_text(bots: botdesk.DcaBots) -> None:
    bots.edit(41, name="7")
    bots.edit_each([{"id": 41, "name": "007"}])
    assert bots.get(41).name == "007"


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
def test_a_number_of_many_digits_comes_back_as_it_is(tmp_path: Path, name: str) -> None:
    numbers = [Decimal("0.1234567890123456789"), Decimal("-12345678901234567.5"), Decimal("80.5")]
    write_rows(tmp_path / name, ["id", "value"], [[41, number] for number in numbers])
    assert [value_of(row["value"], "decimal", None) for row in rows_of(tmp_path / name)] == numbers


@pytest.mark.skipif(sys.platform == "win32", reason="links and permissions of POSIX")
def test_a_file_keeps_its_permissions_and_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "kept.csv").touch(mode=0o600)
    (tmp_path / "link.csv").symlink_to("kept.csv")
    write_rows(tmp_path / "link.csv", ["id"], [[41]])
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "kept.csv").stat().st_mode & 0o777 == 0o600
    assert rows_of(tmp_path / "link.csv") == [{"id": "41"}]
    write_rows(Path("/dev/null"), ["id"], [[41]])


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
def test_a_file_that_can_not_be_written_stays_as_it_was(tmp_path: Path, name: str) -> None:
    def rows() -> Iterator[list[object]]:
        yield [41, "A"]
        raise OSError(28, "No space left on device")

    (tmp_path / name).write_bytes(b"before")
    with pytest.raises(botdesk.ConfigurationError, match=f"{name} can't be written: No space left on device$"):
        write_rows(tmp_path / name, ["id", "name"], rows())
    assert (tmp_path / name).read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
def test_an_empty_file_is_no_table_without_changes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(botdesk.ConfigurationError, match=r"is empty|is no workbook"):
        rows_of(tmp_path / name)


def test_the_error_of_a_file_hides_a_secret_in_its_path(tmp_path: Path) -> None:
    secret = "9b74c9897bac770f" * 10
    for call in (
        lambda: rows_of(tmp_path / f"{secret}.csv"),
        lambda: rows_of(tmp_path / secret),
        lambda: write_rows(tmp_path / secret / "plan.csv", ["id"], [[41]]),
    ):
        with pytest.raises(botdesk.ConfigurationError) as caught:
            call()
        assert secret not in "".join(format_exception(caught.value))


def test_formulas_in_other_widths_get_a_mark_too() -> None:
    for start in "\uff1d\uff0b\uff0d\uff20":
        assert without_mark(with_mark(f"{start}1")) == f"{start}1"
        assert with_mark(f"{start}1") == f"'{start}1"


def test_a_file_with_semicolons_is_read(tmp_path: Path) -> None:
    path = tmp_path / "settings.csv"
    path.write_text("\ufeffid;pairs\n41;USDT_BTC USDT_ETH\n", encoding="utf-8")
    assert rows_of(path) == [{"id": "41", "pairs": "USDT_BTC USDT_ETH"}]


@pytest.fixture
def command(
    sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., tuple[int, str]]:
    """Return a function that runs a command, and returns its exit code and what it printed."""
    key = botdesk.PrivateKey.generate(bits=2048)
    key.save(tmp_path / "key.pem")
    monkeypatch.setenv("BOTDESK_API_KEY", sandbox.add_key(key.public_key_pem))
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY_FILE", str(tmp_path / "key.pem"))
    monkeypatch.setenv("BOTDESK_BASE_URL", sandbox.url)

    def command(*arguments: str) -> tuple[int, str]:
        code = run(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return command


def test_the_command_line_exports_and_edits(
    command: Callable[..., tuple[int, str]], bots: botdesk.DcaBots, tmp_path: Path
) -> None:
    path = tmp_path / "settings.csv"
    assert command("bots", "export", str(path)) == (0, f"12 DCA bots written to {path}\n")
    assert "nothing changes" in command("bots", "edit-each", str(path))[1]
    path.write_text("id,cooldown\n41,90\n", encoding="utf-8")
    code, shown = command("bots", "edit-each", str(path), "--preview")
    assert (code, "cooldown: 0 → 90" in shown, cooldowns(bots, 41)) == (0, True, [0])
    code, shown = command("bots", "edit-each", str(path), "--yes")
    assert (code, cooldowns(bots, 41)) == (0, [90])
    assert "1 done" in shown


NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=8)


@given(NUMBERS)
@settings(max_examples=50, deadline=None)
def test_a_number_in_a_cell_is_exact(number: Decimal) -> None:
    assert value_of(format(number, "f"), "decimal", None) == number
    assert is_same(value_of(number, "decimal", None), number)


@given(NUMBERS, st.decimals(min_value=0, max_value=1000, places=4))
@settings(max_examples=50, deadline=None)
def test_a_calculation_is_exact(current: Decimal, factor: Decimal) -> None:
    assert value_of(f"*{factor:f}", "decimal", current) == current * factor
    assert value_of(f"+{factor:f}", "decimal", current) == current + factor


@pytest.mark.parametrize("cell", ["1,5", "5%", "*", "*x", "nan", "inf", "--1", True])
def test_what_is_no_number_is_refused(cell: object) -> None:
    with pytest.raises(CellError):
        value_of(cell, "decimal", Decimal(1))


def test_deals_have_no_name_and_are_found_by_their_id() -> None:
    with botdesk.Sandbox() as sandbox:
        deals = sandbox.client().deals
        deals.edit_each([{"id": 410, "note": "watched"}])
        assert deals.get(410).note == "watched"
        assert len(deals.edit_each([], preview=True)) == 0
        with pytest.raises(botdesk.ValidationError, match="needs a column id, which"):
            deals.edit_each([{"note": "watched"}])
