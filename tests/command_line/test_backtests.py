"""Backtests of DCA bots on the command line."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import botdesk

from .conftest import COLUMNS, write_candles
from .test_bots import writes

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Ended

    Desk = Callable[..., Ended]

# They end far from where they start, so that deals close and one stays open.
ROWS = [
    [0, 2500, 2500, 2490, 2495],
    [60000, 2495, 2530, 2470, 2525],
    [120000, 2525, 2560, 2500, 2510],
]
RECENT = [[1735689600000 + time, *prices] for time, *prices in ROWS]
EDIT = ("--take-profit", "2.5")
MARKET = ("--fee", "0.001", "--slippage", "0.0005", "--tick", "0.01", "--path", "low_first")


@pytest.fixture
def candles(tmp_path: Path) -> str:
    """Return the path of a CSV file of candles."""
    return write_candles(tmp_path / "eth.csv", ROWS)


@pytest.fixture
def bot(sandbox: botdesk.Sandbox) -> botdesk.DcaBot:
    """Return the bot that the tests backtest."""
    return sandbox.client().dca_bots.get(41)


class TestOutput:
    def test_a_bot_alone(self, desk: Desk, bot: botdesk.DcaBot, candles: str) -> None:
        result = bot.backtest(ROWS, fee="0.001")
        assert desk("bots", "backtest", "41", "--candles", candles, "--fee", "0.001") == (0, f"{result!r}\n", "")

    def test_an_edit_prints_before_and_after(self, desk: Desk, bot: botdesk.DcaBot, candles: str) -> None:
        result = bot.preview_edit(take_profit="2.5").backtest(ROWS, fee="0.001", slippage="0.0005", tick="0.01",
                                                             path="low_first")  # fmt: skip
        assert desk("bots", "backtest", "41", "--candles", candles, *EDIT, *MARKET) == (0, f"{result!r}\n", "")

    def test_what_is_not_simulated_is_printed(self, desk: Desk, candles: str) -> None:
        ended = desk("bots", "backtest", "41", "--candles", candles, "--reinvesting-percentage", "50")
        assert ended.code == 0, ended.err
        assert "reinvesting_percentage" in ended.out

    def test_json_has_every_figure_of_both(self, desk: Desk, bot: botdesk.DcaBot, candles: str) -> None:
        shown = desk("bots", "backtest", "41", "--candles", candles, *EDIT, "--json").json
        result = bot.preview_edit(take_profit="2.5").backtest(ROWS)
        assert shown["before"]["summary"]["profit"] == str(result.before.summary.profit)
        assert shown["after"]["summary"]["profit"] == str(result.after.summary.profit)
        assert shown["difference"]["deals"] == result.difference.deals
        public = {name for name, _ in inspect.getmembers(result.difference) if not name.startswith("_")}
        assert set(shown["difference"]) == public

    def test_json_has_the_deals_and_the_orders(self, desk: Desk, bot: botdesk.DcaBot, candles: str) -> None:
        shown = desk("bots", "backtest", "41", "--candles", candles, "--json").json
        result = bot.backtest(ROWS)
        assert [len(shown["deals"]), len(shown["orders"])] == [len(result.deals), len(result.orders)]
        deal, order = shown["deals"][0], shown["orders"][0]
        assert set(deal) == {name for name in dir(result.deals[0]) if not name.startswith("_")}
        assert set(order) == {name for name in dir(result.orders[0]) if not name.startswith("_")}
        assert deal["opened_at"] == order["time"] == "1970-01-01T00:00:00Z"
        assert deal["profit"] == str(result.deals[0].profit)
        assert deal["duration"] == result.deals[0].duration.total_seconds()
        assert order["kind"] == "base_order"
        assert shown["deals"][-1]["closed_at"] is None

    def test_json_of_a_bot_alone(self, desk: Desk, bot: botdesk.DcaBot, candles: str) -> None:
        shown = desk("bots", "backtest", "41", "--candles", candles, "--path", "high_first", "--json").json
        result = bot.backtest(ROWS, path="high_first")
        assert shown["path"] == "high_first"
        assert shown["ambiguous"] == result.ambiguous
        assert shown["warnings"] == result.warnings
        assert shown["not_simulated"] == [{"field": each.field, "reason": each.reason} for each in result.not_simulated]
        longest = result.summary.longest_duration
        assert longest is not None
        assert shown["summary"]["longest_duration"] == longest.total_seconds()

    def test_nothing_is_changed(self, desk: Desk, sandbox: botdesk.Sandbox, candles: str) -> None:
        assert desk("bots", "backtest", "41", "--candles", candles, *EDIT).code == 0
        assert writes(sandbox) == []


class TestCandles:
    def test_a_parquet_file(self, desk: Desk, candles: str, tmp_path: Path) -> None:
        path = tmp_path / "eth.parquet"
        pl.DataFrame(ROWS, schema=COLUMNS, orient="row").write_parquet(path)
        of_csv = desk("bots", "backtest", "41", "--candles", candles)
        assert desk("bots", "backtest", "41", "--candles", str(path)) == of_csv

    @pytest.mark.parametrize("options", [(), ("--json",)])
    def test_an_export_is_read_as_it_is_and_what_was_recognized_is_said(
        self, desk: Desk, candles: str, tmp_path: Path, options: tuple[str, ...]
    ) -> None:
        path = tmp_path / "binance.csv"
        rows = [f"{time},{','.join(map(str, prices))},1,{time + 59_999},1,1,1,1,0" for time, *prices in RECENT]
        path.write_text("\n".join(rows))
        write_candles(Path(candles), RECENT)
        expected = desk("bots", "backtest", "41", "--candles", candles, *options)
        ended = desk("bots", "backtest", "41", "--candles", str(path), *options)
        assert (ended.code, ended.out) == (0, expected.out)
        assert ended.err == f"{path}: Binance export, times in milliseconds, oldest row first\n"
        assert expected.err == ""

    def test_a_pair_may_be_of_any_script(self, desk: Desk, sandbox: botdesk.Sandbox, candles: str) -> None:
        bot_id = sandbox.add_dca_bot(pairs=["USDC_币安人生"])
        ended = desk("bots", "backtest", str(bot_id), "--candles", f"USDC_币安人生={candles}")
        assert (ended.code, ended.err) == (0, "")

    def test_a_file_with_its_pair(self, desk: Desk, bot: botdesk.DcaBot, candles: str) -> None:
        single = desk("bots", "backtest", "41", "--candles", candles)
        assert bot.pairs == ["USDT_ETH"]
        assert desk("bots", "backtest", "41", "--candles", f"USDT_ETH={candles}") == single

    def test_files_for_each_of_several_pairs(
        self, desk: Desk, sandbox: botdesk.Sandbox, candles: str, tmp_path: Path
    ) -> None:
        signals = tmp_path / "signals.txt"
        signals.write_text("1970-01-01 00:01:00\n\n120000\n")
        pairs = ["USDT_ETH", "USDT_BTC"]
        strategies: list[dict[str, Any]] = [{"strategy": "manual", "options": {}}]
        bot_id = sandbox.add_dca_bot(pairs=pairs, strategy_list=strategies, max_active_deals=2)
        bot = sandbox.client().dca_bots.get(bot_id)
        result = bot.backtest({pair: ROWS for pair in pairs}, signals={pair: [60000, 120000] for pair in pairs})  # noqa: C420
        files = [f"--{name}={pair}={file}" for pair in pairs for name, file in
                 (("candles", candles), ("signals", signals))]  # fmt: skip
        assert desk("bots", "backtest", str(bot_id), *files) == (0, f"{result!r}\n", "")
        assert result.deals

    @pytest.mark.parametrize(
        ("content", "message"),
        [(None, "the signals can't be read from"), ("tomorrow", "'tomorrow'"), ("4102444800000", "signals")],
    )
    def test_wrong_signals_are_reported(
        self, desk: Desk, candles: str, tmp_path: Path, content: str | None, message: str
    ) -> None:
        signals = tmp_path / "signals.txt"
        if content is not None:
            signals.write_text(content)
        ended = desk("bots", "backtest", "41", "--candles", candles, "--signals", str(signals))
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert message in ended.err

    def test_start_and_end_in_iso_8601_or_milliseconds(self, desk: Desk, bot: botdesk.DcaBot, candles: str) -> None:
        result = bot.backtest(ROWS, start=60000, end=120000)
        for start, end in (("1970-01-01T00:01", "1970-01-01T00:02:00Z"), ("60000", "120000")):
            ended = desk("bots", "backtest", "41", "--candles", candles, "--start", start, "--end", end)
            assert ended == (0, f"{result!r}\n", "")

    @pytest.mark.parametrize(
        ("files", "message"),
        [
            ((), "Missing option '--candles'"),
            (("nowhere.csv",), "the candles can't be read from nowhere.csv"),
            (("nowhere.parquet",), "the candles can't be read from nowhere.parquet"),
            (("a.csv", "b.csv"), "write each as PAIR=FILE"),
            (("USDT_BTC=a.csv", "b.csv"), "write each as PAIR=FILE"),
            (("USDT_BTC=a.csv", "USDT_BTC=b.csv"), "each pair may have one file"),
        ],
    )
    def test_missing_files_are_reported_before_a_request(
        self, desk: Desk, sandbox: botdesk.Sandbox, files: tuple[str, ...], message: str
    ) -> None:
        options = [option for file in files for option in ("--candles", file)]
        ended = desk("bots", "backtest", "41", *options)
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert message in ended.err
        assert len(sandbox.requests) == 0

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            ("timestamp,open,high,low,close,Close\n0,1,1,1,1,2", "has the column close twice"),
            ("timestamp,open,high,low,close\n0,1,1,1,1\n9,1,5,1,6,1,4,1,5", "row 1 has more values than"),
        ],
    )
    def test_a_file_whose_values_have_no_clear_column_is_refused(
        self, desk: Desk, tmp_path: Path, lines: str, message: str
    ) -> None:
        wrong = tmp_path / "eth.csv"
        wrong.write_text(lines)
        ended = desk("bots", "backtest", "41", "--candles", str(wrong))
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert message in ended.err

    def test_an_error_names_the_pair_and_the_file(self, desk: Desk, candles: str, tmp_path: Path) -> None:
        wrong = tmp_path / "btc.csv"
        wrong.write_text(",".join(COLUMNS) + "\n0,1,1,2,1\n")
        ended = desk("bots", "backtest", "41", "--candles", f"USDT_ETH={candles}", "--candles", f"USDT_BTC={wrong}")
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "btc.csv: row 0: high 1 is below low 2" in ended.err


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("--fee", "much"), "fee"),
            (("--path", "sideways"), "path"),
            (("--tick", "0"), "tick"),
            (("--start", "yesterday"), "start: 'yesterday' is neither"),
            (("--start", "2100-01-01"), "start"),
            (("--take-profit", "-1"), "take_profit"),
            (("--max-active-deals", "200"), "max_active_deals"),
        ],
    )
    def test_a_wrong_argument_is_named(
        self, desk: Desk, candles: str, arguments: tuple[str, str], message: str
    ) -> None:
        ended = desk("bots", "backtest", "41", "--candles", candles, *arguments)
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert message in ended.err

    def test_a_pair_without_candles_is_named(self, desk: Desk, candles: str) -> None:
        ended = desk("bots", "backtest", "41", "--candles", f"USDT_XYZ={candles}")
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "USDT_ETH" in ended.err

    def test_an_unknown_bot(self, desk: Desk, candles: str) -> None:
        ended = desk("bots", "backtest", "999", "--candles", candles)
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)


class TestHelp:
    def test_an_option_for_each_argument_of_the_method(self, desk: Desk) -> None:
        shown = desk("bots", "backtest", "--help").out
        arguments = set(inspect.signature(botdesk.DcaBot.backtest).parameters) - {"self"}
        assert [name for name in arguments if f"--{name} " not in shown] == []
        assert "--take-profit " in shown
        assert "--yes" not in shown

    def test_it_fits_80_columns(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        shown = desk("bots", "backtest", "--help").out
        assert [line for line in shown.splitlines() if len(line) > 80] == []
