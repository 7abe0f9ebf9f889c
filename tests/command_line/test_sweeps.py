"""Sweeps of settings on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .conftest import write_candles
from .test_bots import writes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Ended

    Desk = Callable[..., Ended]

HOUR = 3_600_000
# The price swings, so that deals close in each part of the history.
ROWS = [[hour * HOUR, 2500, 2500 + 10 * (hour % 9), 2490 - 20 * (hour % 5), 2500] for hour in range(120)]
PROFITS = ["1", "1.5", "2"]


@pytest.fixture
def candles(tmp_path: Path) -> str:
    """Return the path of a CSV file of candles."""
    return write_candles(tmp_path / "eth.csv", ROWS)


@pytest.fixture
def bot(sandbox: botdesk.Sandbox) -> botdesk.DcaBot:
    """Return the bot that the tests sweep."""
    return sandbox.client().dca_bots.get(41)


@pytest.fixture
def run(desk: Desk, candles: str) -> Desk:
    """Return a function that runs `sweep` over the candles with some options."""
    return lambda *options: desk("sweep", "41", "--candles", candles, *options)


class TestOutput:
    def test_the_best_combinations_as_a_table(self, run: Desk, bot: botdesk.DcaBot) -> None:
        sweep = botdesk.sweep(bot, ROWS, {"take_profit": PROFITS}, fee="0.001")
        assert run("--set", "take_profit=1,1.5,2", "--fee", "0.001") == (0, f"{sweep.best(10)!r}\n", "")
        assert run("--set", "take_profit=1,1.5,2", "--fee", "0.001", "--best", "1").out == f"{sweep.best(1)!r}\n"

    def test_several_settings_of_several_types(self, run: Desk, bot: botdesk.DcaBot) -> None:
        grid: dict[str, list[Any]] = {
            "take_profit": PROFITS,
            "max_safety_orders": [1, 2],
            "trailing_enabled": [False],
            "cooldown": [0, 3600],
        }
        sweep = botdesk.sweep(bot, ROWS, grid, objective="drawdown")
        shown = run("--set", "take-profit=1, 1.5 ,2", "--set", "max_safety_orders=1,2", "--set", "trailing_enabled=no",
                    "--set", "--cooldown=0,3600", "--objective", "drawdown")  # fmt: skip
        assert shown == (0, f"{sweep.best(10)!r}\n", "")

    def test_values_as_json_and_null(self, run: Desk, bot: botdesk.DcaBot) -> None:
        sweep = botdesk.sweep(bot, ROWS, {"pairs": [["USDT_ETH"]], "max_active_deals": [1, None]})
        options = ("--set", 'pairs=[["USDT_ETH"]]', "--set", "max_active_deals=1,null")
        assert run(*options) == (0, f"{sweep.best(10)!r}\n" + refused_lines(sweep), "")
        assert run("--set", "pairs=USDT_ETH", *options[2:]).out == run(*options).out

    def test_folds_are_printed_below(self, run: Desk, bot: botdesk.DcaBot) -> None:
        sweep = botdesk.sweep(bot, ROWS, {"take_profit": PROFITS}, folds=3)
        shown = run("--set", "take_profit=1,1.5,2", "--folds", "3").out
        assert shown.startswith(repr(sweep.best(10)))
        assert shown.endswith(f"on the next one:\n{sweep.folds!r}\n")

    def test_refused_combinations_are_printed_with_their_reasons(self, run: Desk, bot: botdesk.DcaBot) -> None:
        sweep = botdesk.sweep(bot, ROWS, {"take_profit": ["1", "-1"]})
        shown = run("--set", "take_profit=1,-1")
        assert shown == (0, f"{sweep!r}\n{refused_lines(sweep)}", "")
        assert "refused: take_profit=-1: take_profit: must be" in shown.out

    def test_of_many_refused_combinations_the_first_are_printed(self, run: Desk) -> None:
        values = ",".join(str(-number) for number in range(1, 15))
        shown = run("--set", f"take_profit=1,{values}").out.splitlines()
        assert len([line for line in shown if line.startswith("refused: take_profit=")]) == 10
        assert shown[-1] == "refused: 4 more; --json has all"

    def test_json(self, run: Desk, bot: botdesk.DcaBot) -> None:
        sweep = botdesk.sweep(bot, ROWS, {"take_profit": [*PROFITS, "-1"]}, folds=2)
        shown = run("--set", "take_profit=1,1.5,2,-1", "--folds", "2", "--best", "2", "--json").json
        assert (shown["objective"], shown["run"], shown["interrupted"], shown["missing"]) == ("profit", 3, False, [])
        best = [(point.parameters["take_profit"], point.summary.profit) for point in sweep.best(2)]
        assert [(each["parameters"]["take_profit"], each["summary"]["profit"]) for each in shown["best"]] == [
            (str(setting), str(profit)) for setting, profit in best
        ]
        assert shown["refused"] == [{"parameters": {"take_profit": "-1"}, "errors": sweep.refused[0].errors}]
        assert (shown["warnings"], shown["not_simulated"]) == (sweep.warnings, [])
        (fold,) = shown["folds"]
        assert fold["start"] == "1970-01-01T00:00:00Z"
        assert fold["next_value"] == fold["next_summary"]["profit"] == str(sweep.folds[0].next_value)

    def test_nothing_is_changed(self, run: Desk, sandbox: botdesk.Sandbox) -> None:
        assert run("--set", "take_profit=1,2").code == 0
        assert writes(sandbox) == []


def refused_lines(sweep: botdesk.Sweep) -> str:
    """Return the lines about refused combinations."""
    lines: list[str] = []
    for each in sweep.refused:
        settings = " ".join(f"{name}={value}" for name, value in each.parameters.items())
        reasons = "; ".join(f"{field}: {', '.join(messages)}" for field, messages in each.errors.items())
        lines.append(f"refused: {settings}: {reasons}\n")
    return "".join(lines)


class TestErrors:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ((), "Missing option '--set'"),
            (("--set", "take_profit"), "'take_profit' has no FIELD=; write it as take_profit=1,1.5,2"),
            (("--set", "=1"), "'=1' has no FIELD="),
            (("--set", "take_profit=1", "--set", "take-profit=2"), "take_profit is there twice"),
            (("--set", "take_profit=[1"), "the values of take_profit are not JSON"),
            (("--set", "take_proft=1"), "take_profit"),
            (("--set", "take_profit=1", "--objective", "luck"), "'luck' is not a figure of the summary"),
            (("--set", "take_profit=1", "--folds", "1"), "folds: must be at least 2, not 1"),
            (("--set", "take_profit=1", "--folds", "10000"), "folds"),
            (("--set", "take_profit=1", "--best", "-1"), "--best"),
            (("--set", "take_profit=1", "--fee", "much"), "fee"),
            (("--set", "take_profit=1", "--start", "2100-01-01"), "start"),
        ],
    )
    def test_a_wrong_argument_is_named(self, run: Desk, options: tuple[str, ...], message: str) -> None:
        ended = run(*options)
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert message in ended.err

    @pytest.mark.parametrize("setting", ["take_profit=much", "max_safety_orders=1.5", "trailing_enabled=maybe"])
    def test_a_value_of_another_type_is_refused(self, run: Desk, setting: str) -> None:
        ended = run("--set", setting)
        assert ended.code == 2
        assert f"refused: {setting}: {setting.partition('=')[0]}: " in ended.out

    def test_a_missing_file_is_reported_before_a_request(self, desk: Desk, sandbox: botdesk.Sandbox) -> None:
        ended = desk("sweep", "41", "--candles", "nowhere.csv", "--set", "take_profit=1")
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert len(sandbox.requests) == 0

    def test_an_unknown_bot(self, desk: Desk, candles: str) -> None:
        ended = desk("sweep", "999", "--candles", candles, "--set", "take_profit=1")
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)

    def test_without_any_valid_combination_the_command_fails(self, run: Desk) -> None:
        ended = run("--set", "take_profit=-1,-2")
        assert (ended.code, ended.err) == (2, "botdesk: every combination was refused; pass other values with --set\n")
        assert ended.out.count("refused: take_profit=") == 2

    def test_an_interrupted_sweep_prints_what_is_done(
        self, run: Desk, bot: botdesk.DcaBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from concurrent.futures import Future

        class OneWorker:
            """An executor that runs the first chunk, and loses all others, as Ctrl-C does."""

            _max_workers = 1
            submitted = 0

            def submit(self, function: Callable[..., str], *arguments: object) -> Future[str]:
                future: Future[str] = Future()
                self.submitted += 1
                if self.submitted == 1:
                    future.set_result(function(*arguments))
                else:
                    future.set_exception(RuntimeError("the worker died"))
                return future

        executor: Any = OneWorker()
        sweep = botdesk.sweep(bot, ROWS, {"take_profit": PROFITS}, executor=executor)
        assert sweep.interrupted

        def interrupted(*_: object, **__: object) -> botdesk.Sweep:
            return sweep

        monkeypatch.setattr(botdesk, "sweep", interrupted)
        ended = run("--set", "take_profit=1,1.5,2")
        assert ended == (130, f"{sweep.best(10)!r}\n", "botdesk: interrupted; 2 combinations were not run\n")


class TestHelp:
    def test_it_fits_80_columns(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        shown = desk("sweep", "--help").out
        assert [line for line in shown.splitlines() if len(line) > 80] == []
        for name in ("--set", "--folds", "--best", "--objective", "--candles", "--fee", "--signals", "--json"):
            assert f"{name} " in shown
        assert "--yes" not in shown
