"""Walking forward: the best of each stretch is tried on the next one."""

from itertools import pairwise
from typing import Any

import polars as pl

import botdesk

GRID: dict[str, Any] = {"take_profit": ["1", "2", "4"], "max_safety_orders": [1, 2]}


def test_each_fold_has_the_best_of_its_stretch_and_its_figures_on_the_next_one(
    candles: botdesk.Candles, bot: dict[str, Any]
) -> None:
    sweep = botdesk.sweep(bot, candles, GRID, folds=3)
    assert len(sweep.folds) == 2
    for fold in sweep.folds:
        stretch = botdesk.sweep(bot, candles, GRID, start=fold.start, end=fold.end)
        assert fold.parameters == stretch.best(1)[0].parameters
        assert fold.summary == stretch.best(1)[0].summary
        assert fold.value == max(point.summary.profit for point in stretch)
        after = botdesk.sweep(bot, candles, GRID, start=fold.end, end=fold.end + (fold.end - fold.start))
        [same] = [point for point in after if point.parameters == fold.parameters]
        assert (fold.next_summary, fold.next_value) == (same.summary, same.summary.profit)
        better = [point for point in after if point.summary.profit > same.summary.profit]
        assert (fold.next_rank, fold.combinations) == (len(better) + 1, 6)


def test_stretches_follow_each_other(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    folds = botdesk.sweep(bot, candles, GRID, folds=5).folds
    assert folds[0].start == candles.start
    assert all(earlier.end == later.start for earlier, later in pairwise(folds))


def test_combinations_that_are_equal_on_the_next_stretch_have_the_same_rank(bot: dict[str, Any]) -> None:
    # Both targets are reached on the first day, and none on the second one.
    bot["cooldown"] = 80_000
    rows = [[0, 100, 105, 100, 105], [86_400_000, 105, 105, 105, 105]]
    [fold] = botdesk.sweep(bot, rows, {"take_profit": [1, 4]}, folds=2).folds
    assert fold.value > fold.next_value == 0
    assert fold.parameters["take_profit"] == 4
    assert (fold.next_rank, fold.combinations) == (1, 2)


def test_the_table_shows_both_stretches(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    folds = botdesk.sweep(bot, candles, GRID, folds=3, objective="mean_duration").folds
    table = pl.DataFrame(folds)
    assert table.columns == ["start", "end", "parameters", "value", "next_value", "next_rank", "combinations"]
    assert table["value"].to_list() == [fold.value for fold in folds]
    assert repr(folds).splitlines()[0].split()[:3] == ["parameters", "start", "end"]
    assert "next_rank=" in repr(folds[0])


def test_folds_change_nothing_about_the_sweep(candles: botdesk.Candles, bot: dict[str, Any]) -> None:
    whole = [point.summary for point in botdesk.sweep(bot, candles, GRID)]
    assert [point.summary for point in botdesk.sweep(bot, candles, GRID, folds=4)] == whole
    assert list(botdesk.sweep(bot, candles, GRID).folds) == []
