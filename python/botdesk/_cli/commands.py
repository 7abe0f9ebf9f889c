"""The commands of all operations, which follow from the rows of the operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import typer

import botdesk
from botdesk._cli import edit_tables, edits, help_layout, live, reads, watch, wording, writes
from botdesk._cli.operations import Operation, class_of
from botdesk._native import _operation_names

if TYPE_CHECKING:
    from collections.abc import Mapping

# The commands that have another name than the method.
_VERBS = {"get": "show"}


class Settings(NamedTuple):
    """What does not follow from the row of an operation."""

    # The name of the command.
    name: str | None = None
    # The question before a write; the records replace `{}`.
    prompt: str | None = None
    # Whether the command takes a single id although the method has a version for several records.
    takes_one: bool = False
    # Whether the command prints secrets too.
    shows_secrets: bool = False


class Commands:
    """The commands of operations, in a group for each resource."""

    def __init__(self, app: typer.Typer, settings: Mapping[str, Settings]) -> None:
        """Begin with no command.

        Args:
            app: The commands without a group, for the operations of the client itself.
            settings: What does not follow from the row of an operation, by its name.
        """
        self._app = app
        self._settings = settings
        self._groups: dict[str, typer.Typer] = {}
        self._followed: set[str] = set()
        # The words of the command, by the operation.
        self.words: dict[str, tuple[str, ...]] = {}

    def group(self, resource: str, name: str | None = None, about: str | None = None) -> typer.Typer:
        """Return the group of a resource; its name and its description follow from the class by default."""
        if resource not in self._groups:
            about = about or f"{str(class_of(resource).__doc__).partition(': `client.')[0]}."
            self._groups[resource] = _new_group(self._app, name or resource.replace("_", "-"), about)
        return self._groups[resource]

    def add(self, name: str) -> None:
        """Add the command of an operation."""
        settings = self._settings.get(name, Settings())
        operation = Operation(name, takes_one=settings.takes_one)
        is_of_client = operation.owner is botdesk.Client
        app = self._app if is_of_client else self.group(operation.resource)
        word = settings.name or _VERBS.get(operation.method, operation.method.replace("_", "-"))
        self._add(app, word, operation, settings)
        self.words[name] = (word,) if is_of_client else (str(app.info.name), word)

    def add_missing(self) -> None:
        """Add a command for each operation that has none yet."""
        for name in _operation_names():
            if name not in self.words:
                self.add(name)

    def add_followers(self, resource: str) -> None:
        """Add the commands that follow the records of a resource: `watch` and `live`."""
        self._followed.add(resource)
        watch.add_watch(self.group(resource), resource)
        live.add_live(self.group(resource), resource)

    def add_missing_followers(self) -> None:
        """Add the commands that follow the records of each resource that has none yet."""
        for resource in self._groups:
            if hasattr(class_of(resource), "watch") and resource not in self._followed:
                self.add_followers(resource)

    @staticmethod
    def _add(app: typer.Typer, word: str, operation: Operation, settings: Settings) -> None:
        if word in (command.name for command in app.registered_commands):
            message = f"{operation.name}: another command is named {word!r}; give this one a name in its Settings"
            raise ValueError(message)
        if operation.is_edit:
            edits.add(app, word, operation)
            if hasattr(operation.owner, "edit_each"):
                edit_tables.add(app, operation)
        elif operation.writes:
            prompt = settings.prompt or wording.prompt_of(operation.docstring, operation.noun)
            writes.add(app, word, operation, prompt, secrets=settings.shows_secrets)
        else:
            reads.add(app, word, operation, secrets=settings.shows_secrets)


def _new_group(app: typer.Typer, name: str, about: str) -> typer.Typer:
    """Add the group of a resource."""
    made = typer.Typer(name=name, help=about, cls=help_layout.Group, no_args_is_help=True)
    # Without a callback, typer would merge a group with one command into that command.
    made.callback()(lambda: None)
    app.add_typer(made)
    return made
