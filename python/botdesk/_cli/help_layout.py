"""The layout of `--help`: options in groups, and no name cut off in a narrow terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from collections.abc import Iterable

ARGUMENTS = "Arguments"
OPTIONS = "Options"
_BOT = "Bot"
# The columns of the narrowest terminal that the help is made for, without the indent of an option.
_WIDTH = 78
# Longer than any summary, so that none is cut off.
_WHOLE = 1000
# The first group with a part of the field's name decides.
_GROUPS_OF_FIELDS = (
    ("Stop loss", ("stop_loss", "sl_", "expansion")),
    ("Safety orders", ("safety_order", "martingale")),
    ("Take profit", ("take_profit", "trailing", "profit")),
    ("Base order", ("base_order", "start_order", "leverage")),
    ("Grid", ("grid", "upper_price", "lower_price", "lines")),
    ("Deals", ("deal", "strategy_list", "cooldown", "price", "volume", "percentage")),
)


class Command(TyperCommand):
    """A command whose help has long options on a line of their own."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer does not export the types
        """Write each group of options as a section."""
        _write_groups(self.get_params(ctx), ctx, formatter)


class Group(TyperGroup):
    """A group of commands with the same layout."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the commands with their whole summaries, then each group of options."""
        commands = [(name, command.get_short_help_str(_WHOLE)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(commands)
        _write_groups(self.get_params(ctx), ctx, formatter)


def group_of_field(name: str) -> str:
    """Return the group for the option of a field of a bot."""
    return next((group for group, parts in _GROUPS_OF_FIELDS if any(part in name for part in parts)), _BOT)


def fits(option: str, metavar: str) -> bool:
    """Return True if an option and its metavar fit on one line of a narrow terminal."""
    return len(f"{option} {metavar}") <= _WIDTH


def _write_groups(parameters: Iterable[Any], ctx: Any, formatter: Any) -> None:  # noqa: ANN401
    groups: dict[str, list[tuple[str, str]]] = {ARGUMENTS: []}
    own: list[tuple[str, str]] = []
    for parameter in parameters:
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        default = ARGUMENTS if parameter.param_type_name == "argument" else OPTIONS
        group = parameter.rich_help_panel or default
        (own if group == OPTIONS else groups.setdefault(group, [])).append(record)
    # The options that all commands share come last.
    for group, records in {**groups, OPTIONS: own}.items():
        if records:
            with formatter.section(group):
                formatter.write_dl(records)
