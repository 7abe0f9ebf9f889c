"""The layout of `--help`: options in groups, and no name cut off in a narrow terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from botdesk._native import _not_covered

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

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Find the command; for one that botdesk does not cover yet, say how to send its request until then."""
        if args and self.get_command(ctx, args[0]) is None and (message := self._not_covered(*args[:2])):
            ctx.fail(message)
        return super().resolve_command(ctx, args)

    def find_not_covered(self, name: str) -> tuple[str, str] | None:
        """Return the method and the path of an operation that botdesk does not cover yet."""
        del name
        return None

    def _not_covered(self, name: str, record_id: str = "") -> str | None:
        found = self.find_not_covered(name.replace("-", "_"))
        if found is None:
            return None
        method, path = found
        if record_id.isdecimal():
            path = path.replace("{id}", record_id)
        return f"botdesk does not cover {name!r} yet; until then: botdesk request {method} {path}"

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the commands with their whole summaries, then each group of options."""
        commands = [(name, command.get_short_help_str(_WHOLE)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(commands)
        _write_groups(self.get_params(ctx), ctx, formatter)


class Root(Group):
    """The group of all commands."""

    def find_not_covered(self, name: str) -> tuple[str, str] | None:
        """Return the first operation of a resource that botdesk does not cover yet."""
        return _not_covered(name, None)


def group_of(resource: str) -> type[Group]:
    """Return the class of the group of a resource."""

    class ResourceGroup(Group):
        def find_not_covered(self, name: str) -> tuple[str, str] | None:
            return _not_covered(resource, name)

    return ResourceGroup


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
