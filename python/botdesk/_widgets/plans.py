"""The drawing of a plan in a widget: numbers for the drawing, and strings with the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botdesk import Ladder
from botdesk._pictures.values import brief, quote_of

if TYPE_CHECKING:
    from botdesk import GridPlan


def described(plan: Ladder | GridPlan) -> dict[str, Any]:
    """Describe a plan: its drawing, its figures and its warnings."""
    parts = _ladder(plan) if isinstance(plan, Ladder) else _grid(plan)
    return {**parts, "warnings": plan.warnings}


def _ladder(plan: Ladder) -> dict[str, Any]:
    quote = quote_of(plan.pair)
    last = plan[-1]
    rungs = [
        {
            "number": rung.number,
            "price": float(rung.price),
            "size": float(rung.size),
            "average": float(rung.average_price),
            "take_profit": _float(rung.take_profit_price),
            "about": f"{_order(rung.number)}: {brief(rung.size)} {quote} at {brief(rung.price)}",
        }
        for rung in plan
        if rung.price > 0
    ]
    figures = [
        ("Budget of a deal", f"{brief(plan.budget)} {quote}"),
        ("Budget of all deals", f"{brief(plan.bot_budget)} {quote}"),
        ("Deepest price covered", f"{brief(last.price)} {quote}, {brief(last.deviation)} % away"),
    ]
    if last.move_to_close is not None:
        figures.append(("Move to close from there", f"{brief(last.move_to_close)} %"))
    if plan.stop_loss_price is not None:
        figures.append(("Stop loss", f"{brief(plan.stop_loss_price)} {quote}"))
    return {"rungs": rungs, "stop_loss": _float(plan.stop_loss_price), "figures": _trimmed(figures)}


def _grid(plan: GridPlan) -> dict[str, Any]:
    quote, _, base = (plan.pair or "").partition("_")
    levels = [
        {
            "price": float(level.price),
            "side": level.side,
            "about": f"{level.side or 'no order'} at {brief(level.price)}",
        }
        for level in plan
    ]
    figures = [
        ("Investment", plan.investment, quote),
        ("For buy orders", plan.investment_quote_currency, quote),
        ("For sell orders", plan.investment_base_currency, base),
        ("Profit of a level", plan.profit_per_grid, quote),
        ("Deepest price covered", plan[0].price, quote),
        ("Highest price covered", plan[-1].price, quote),
        ("Step", plan.step, ""),
    ]
    shown = [(name, f"{brief(value)} {unit}") for name, value, unit in figures if value is not None]
    return {"levels": levels, "price": _float(plan.price), "figures": _trimmed(shown)}


def _order(number: int) -> str:
    return f"safety order {number}" if number else "base order"


def _float(value: Any) -> float | None:  # noqa: ANN401
    return None if value is None else float(value)


def _trimmed(figures: list[tuple[str, str]]) -> list[list[str]]:
    return [[name, value.rstrip()] for name, value in figures]
