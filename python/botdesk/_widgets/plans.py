"""The drawing of a plan in a widget: numbers for the drawing, and strings with the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from botdesk._native import Ladder
from botdesk._pictures.values import amount, every_digit, percent, price_label, quote_of, rounded_price

if TYPE_CHECKING:
    from collections.abc import Iterable

    from botdesk._native import GridPlan


# A figure: its name, how it is shown, and every digit of it.
Figure: TypeAlias = tuple[str, str, str]

# The script draws numbers of these sizes, and 0.
_SMALLEST, _LARGEST = 1e-80, 1e80
_TOO_LARGE = "the plan is not drawn, because its numbers are too large or too small"


def described(plan: Ladder | GridPlan) -> dict[str, Any]:
    """Describe a plan: its drawing, its figures and its warnings."""
    marks, drawing, figures = _ladder(plan) if isinstance(plan, Ladder) else _grid(plan)
    shown = {"figures": figures, "price_label": price_label(plan.pair), "warnings": plan.warnings, **drawing}
    if can_be_drawn(number for mark in (drawing, *drawing[marks]) for number in mark.values()):
        return shown
    return {**shown, marks: [], "warnings": [*plan.warnings, _TOO_LARGE]}


def can_be_drawn(values: Iterable[object]) -> bool:
    """Return True if the script can draw all numbers among some values."""
    sizes = (abs(value) for value in values if isinstance(value, float))
    return all(not size or _SMALLEST <= size <= _LARGEST for size in sizes)


def _ladder(plan: Ladder) -> tuple[str, dict[str, Any], list[Figure]]:
    """Return the name of the marks of a ladder, its drawing, and its figures; without orders that cannot be placed."""
    quote = quote_of(plan.pair)
    placed = [rung for rung in plan if rung.price > 0]
    rungs = [
        {
            "number": rung.number,
            "price": float(rung.price),
            "size": float(rung.size),
            "average": float(rung.average_price),
            "take_profit": _float(rung.take_profit_price),
            "about": f"{_order(rung.number)}: {_exact(rung.size, quote)} at {every_digit(rung.price)}",
        }
        for rung in placed
    ]
    figures = [
        _amount("Budget of a deal", plan.budget, quote),
        _amount("Budget of all deals", plan.bot_budget, quote),
    ]
    for last in placed[-1:]:
        name, shown, whole = _price("Deepest price covered", last.price, quote)
        away = f"{every_digit(last.deviation)} % away"
        figures.append((name, f"{shown}, {percent(last.deviation)} away", f"{whole}, {away}"))
        if last.move_to_close is not None:
            whole = f"{every_digit(last.move_to_close)} %"
            figures.append(("Move to close from there", percent(last.move_to_close), whole))
    if plan.stop_loss_price is not None:
        figures.append(_price("Stop loss", plan.stop_loss_price, quote))
    return "rungs", {"rungs": rungs, "stop_loss": _float(plan.stop_loss_price)}, figures


def _grid(plan: GridPlan) -> tuple[str, dict[str, Any], list[Figure]]:
    """Return the name of the marks of a grid, its drawing, and its figures."""
    quote, _, base = (plan.pair or "").partition("_")
    levels = [
        {
            "price": float(level.price),
            "side": level.side,
            "about": f"{level.side or 'no order'} at {every_digit(level.price)}",
        }
        for level in plan
    ]
    figures = [
        (_amount, "Investment", plan.investment, quote),
        (_amount, "For buy orders", plan.investment_quote_currency, quote),
        (_amount, "For sell orders", plan.investment_base_currency, base),
        (_amount, "Profit of a level", plan.profit_per_grid, quote),
        (_price, "Deepest price covered", plan[0].price, quote),
        (_price, "Highest price covered", plan[-1].price, quote),
        (_price, "Step", plan.step, ""),
    ]
    shown = [figure(name, value, unit) for figure, name, value, unit in figures if value is not None]
    return "levels", {"levels": levels, "price": _float(plan.price)}, shown


def _order(number: int) -> str:
    return f"safety order {number}" if number else "base order"


def _float(value: Any) -> float | None:  # noqa: ANN401
    return None if value is None else float(value)


def _amount(name: str, value: object, unit: str) -> Figure:
    return name, amount(value, unit), _exact(value, unit)


def _price(name: str, value: object, unit: str) -> Figure:
    return name, rounded_price(value, unit), _exact(value, unit)


def _exact(value: object, unit: str) -> str:
    return f"{every_digit(value)} {unit}".rstrip()
