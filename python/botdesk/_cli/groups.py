"""Groups of commands that are put together at their first use: to put all of them together takes long."""

from __future__ import annotations

from collections import UserDict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer

from botdesk._cli import help_layout

if TYPE_CHECKING:
    from collections.abc import Callable

    Add = Callable[[typer.Typer], None]


class Group:
    """A group, and the functions that add its commands."""

    def __init__(self, app: typer.Typer, name: str, about: str) -> None:
        """Add a group to an application, without commands yet."""
        self.name = name
        self._about = about
        self._additions: list[Add] = []
        # typer makes the group, so that the commands come with its class.
        app.add_typer(self._typer(cls=type("LazyGroup", (_LazyGroup,), {"of": self})))

    def add(self, addition: Add) -> None:
        """Add commands with a function, which is called at their first use."""
        self._additions.append(addition)

    def commands(self) -> dict[str, Any]:
        """Put the commands together, by their names."""
        app = self._typer(rich_markup_mode=None)
        for addition in self._additions:
            addition(app)
        return dict(typer.main.get_group(app).commands)

    def _typer(self, **settings: Any) -> typer.Typer:  # noqa: ANN401
        made = typer.Typer(name=self.name, help=self._about, no_args_is_help=True, **settings)
        # Without a callback, typer would merge a group with one command into that command.
        made.callback()(lambda: None)
        return made


class _Commands(UserDict[str, Any]):
    """The commands of a group, by their names."""

    def __init__(self, group: Group) -> None:
        # `UserDict` would set `data`.
        self._group = group

    @cached_property
    def data(self) -> dict[str, Any]:  # type: ignore[override]
        return self._group.commands()


class _LazyGroup(help_layout.Group):
    """The group as typer has it."""

    of: Group

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(**settings)
        self.commands = _Commands(self.of)
