"""The sample call of every operation as a command: its words, and its arguments from `sample_calls`."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import typer
from sample_calls import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from botdesk._cli.commands import Commands


def sample_command(app: typer.Typer, commands: Commands, operation: str) -> list[str]:
    """Return the words and the arguments of the sample call of an operation, without `--yes`."""
    words = commands.words[operation]
    arguments, record_id = SAMPLES[operation]
    command = command_at(app, words)
    ids = [] if record_id is None else [str(record_id)]
    named = dict(arguments)
    positional = [str(named.pop(each.name)) for each in command.params if each.name in named and is_positional(each)]
    return [*words, *ids, *positional, *(word for name, value in named.items() for word in option(name, value))]


def command_at(app: typer.Typer, words: tuple[str, ...]) -> Any:  # noqa: ANN401
    """Return the command that these words select."""
    found = together(app)
    for word in words:
        found = found.commands[word]
    return found


@cache
def together(app: typer.Typer) -> Any:  # noqa: ANN401
    """Put all commands of an application together, once: it takes longer than to run one."""
    return typer.main.get_command(app)


def is_positional(parameter: Any) -> bool:  # noqa: ANN401
    """Return True if a parameter of a command is not an option."""
    return bool(parameter.param_type_name == "argument")


def option(name: str, value: object) -> Iterator[str]:
    """Yield the words of an option."""
    name = name.rstrip("_").replace("_", "-")
    if value is None:
        yield from ("--null", name)
    elif isinstance(value, bool):
        yield f"--{name}" if value else f"--no-{name}"
    elif isinstance(value, list) and all(isinstance(each, str) for each in cast("list[object]", value)):
        yield from (f"--{name}", ",".join(cast("list[str]", value)))
    else:
        yield from (f"--{name}", json.dumps(value) if isinstance(value, list | dict) else str(value))
