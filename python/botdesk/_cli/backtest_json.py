"""Backtests and sweeps as JSON. Durations are in seconds, times in ISO 8601."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from botdesk import BacktestComparison

if TYPE_CHECKING:
    from botdesk import Backtest, Sweep, SweepFold


def of_backtest(result: Backtest | BacktestComparison) -> dict[str, Any]:
    """Convert a backtest, or those before and after an edit."""
    if isinstance(result, BacktestComparison):
        backtests = {"before": of_backtest(result.before), "after": of_backtest(result.after)}
        return {**backtests, "difference": _attributes(result.difference)}
    return {
        "summary": _attributes(result.summary),
        "path": result.path,
        "ambiguous": result.ambiguous,
        "warnings": result.warnings,
        "not_simulated": _not_simulated(result),
        "deals": [_attributes(deal) for deal in result.deals],
        "orders": [_attributes(order) for order in result.orders],
    }


def of_sweep(sweep: Sweep, best: int) -> dict[str, Any]:
    """Convert a sweep with its best combinations."""
    return {
        "objective": sweep.objective,
        "run": len(sweep),
        "best": [{"parameters": point.parameters, "summary": _attributes(point.summary)} for point in sweep.best(best)],
        "refused": [{"parameters": each.parameters, "errors": each.errors} for each in sweep.refused],
        "missing": sweep.missing,
        "interrupted": sweep.interrupted,
        "warnings": sweep.warnings,
        "not_simulated": _not_simulated(sweep),
        "folds": [_fold(fold) for fold in sweep.folds],
    }


def _not_simulated(result: Backtest | Sweep) -> list[dict[str, str]]:
    return [{"field": setting.field, "reason": setting.reason} for setting in result.not_simulated]


def _fold(fold: SweepFold) -> dict[str, Any]:
    summaries = {"summary": _attributes(fold.summary), "next_summary": _attributes(fold.next_summary)}
    return {**_attributes(fold), **summaries}


def _attributes(row: object) -> dict[str, Any]:
    """Return the attributes that a table of such rows has, by name."""
    names: list[str] = getattr(row, "_shown", [])
    return {name: _value(getattr(row, name)) for name in names}


def _value(value: object) -> object:
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value
