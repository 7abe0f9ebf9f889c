"""The budgets of DCA bots before and after an edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._exact import plain, total
from botdesk._pairs import common_quote
from botdesk._planning import plan_ladder
from botdesk.errors import DecodeError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from decimal import Decimal


class BudgetChange(NamedTuple):
    """The funds that all deals of a bot need at once, before and after an edit.

    Attributes:
        id: The identifier of the bot.
        currency: The quote currency of its pairs; empty if there are several.
        before: The budget before the edit; None if it depends on prices or can't be planned.
        after: The budget after the edit; None if it depends on prices or can't be planned.
    """

    id: int
    currency: str
    before: Decimal | None
    after: Decimal | None


def budget_change(bot_id: int, edit: Any) -> BudgetChange:  # noqa: ANN401 - the preview of an edit of a DCA bot
    """Return the budgets of an edit."""
    after = settings_after(edit)
    before = {**edit.carried_over, **{field: old for field, old, _ in edit.changes}}
    return BudgetChange(bot_id, common_quote(pairs_of(after)), _budget(before), _budget(after))


def lines_of(changes: Iterable[BudgetChange]) -> list[str]:
    """Return the budgets of all bots together, a line for each currency in which one changes."""
    found = list(changes)
    lines: list[str] = []
    for currency in dict.fromkeys(change.currency for change in found if change.before != change.after):
        own = [change for change in found if change.currency == currency]
        known = [(each.before, each.after) for each in own if each.before is not None and each.after is not None]
        before, after = total(each[0] for each in known), total(each[1] for each in known)
        unknown = f", without {len(own) - len(known)} whose budget depends on prices" if len(own) > len(known) else ""
        if len(known) > 1:
            lines.append(f"budgets of {len(known)} together: {before:f} → {after:f} {currency}".rstrip() + unknown)
    return lines


def settings_after(edit: Any) -> dict[str, Any]:  # noqa: ANN401 - the preview of an edit
    """Return the settings that the edit sends: those that change, and those that stay."""
    return {**edit.carried_over, **{field: new for field, _, new in edit.changes}}


def pairs_of(settings: Mapping[str, Any]) -> list[str]:
    """Return the pairs of a DCA bot, or the one of a grid bot."""
    pairs: Any = settings.get("pairs") or settings.get("pair") or ()
    return [pairs] if isinstance(pairs, str) else [str(pair) for pair in pairs]


def budget_of(bot: Any) -> Decimal | None:  # noqa: ANN401 - a DCA bot
    """Return the funds that all deals of a bot need at once; None if they follow from a price."""
    return _independent_of_price(lambda price: bot.ladder(price).bot_budget)


def _budget(settings: Mapping[str, Any]) -> Decimal | None:
    given = {name: value for name, value in settings.items() if value is not None}
    return _independent_of_price(lambda price: plan_ladder(price=price, **given).bot_budget)


def _independent_of_price(budget: Callable[[int], Decimal]) -> Decimal | None:
    """Return a budget that is the same at any price; None if it is not, such as that of volumes in coins."""
    try:
        first, second = budget(1), budget(2)
    except (ValidationError, DecodeError):
        return None
    return plain(first) if first == second else None


def shown_budget(budget: Decimal | None, currency: str) -> str:
    """Return a budget for people."""
    return "depends on prices" if budget is None else f"{budget:f} {currency}".rstrip()
