"""The commands of all operations, which follow from the rows of the operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import botdesk
from botdesk._cli import edit_tables, edits, live, reads, watch, wording, writes
from botdesk._cli.groups import Group
from botdesk._cli.operations import Operation, class_of
from botdesk._native import _operation_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    import typer

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
        self._groups: dict[str, Group] = {}
        self._followed: set[str] = set()
        # The words of the command, by the operation.
        self.words: dict[str, tuple[str, ...]] = {}

    def group(self, resource: str, name: str | None = None, about: str | None = None) -> Group:
        """Return the group of a resource; its name and its description follow from the class by default."""
        if resource not in self._groups:
            about = about or f"{str(class_of(resource).__doc__).partition(': `client.')[0]}."
            self._groups[resource] = Group(self._app, name or resource.replace("_", "-"), about)
        return self._groups[resource]

    def add(self, name: str) -> None:
        """Add the command of an operation."""
        settings = self._settings.get(name, Settings())
        resource, _, method = name.partition(".")
        word = settings.name or _VERBS.get(method, method.replace("_", "-"))
        if class_of(resource) is botdesk.Client:
            self.words[name] = (word,)
            _add(self._app, name, word, settings)
        else:
            group = self.group(resource)
            self.words[name] = (group.name, word)
            group.add(lambda app: _add(app, name, word, settings))

    def add_missing(self) -> None:
        """Add a command for each operation that has none yet."""
        for name in _operation_names():
            if name not in self.words:
                self.add(name)

    def add_followers(self, resource: str) -> None:
        """Add the commands that follow the records of a resource: `watch` and `live`."""
        self._followed.add(resource)
        group = self.group(resource)
        group.add(lambda app: watch.add_watch(app, resource))
        group.add(lambda app: live.add_live(app, resource))

    def add_missing_followers(self) -> None:
        """Add the commands that follow the records of each resource that has none yet."""
        for resource in self._groups:
            if hasattr(class_of(resource), "watch") and resource not in self._followed:
                self.add_followers(resource)


def _add(app: typer.Typer, name: str, word: str, settings: Settings) -> None:
    """Add the command of an operation to its group."""
    operation = Operation(name, takes_one=settings.takes_one)
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
