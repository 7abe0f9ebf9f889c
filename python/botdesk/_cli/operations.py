"""Commands made from the rows of an operation, so that an input is written down once, in the core."""

from __future__ import annotations

import inspect
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import botdesk
from botdesk._cli import options, output
from botdesk._native import _operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_METAVARS = {"decimal": "DECIMAL", "moment": "TIME", "text": "TEXT", "texts": "TEXT,…", "json": "JSON"}

# An option of the command line that stands for None, where leaving an option out does not.
_NULL = "null"
_NULL_OPTION = typer.Option(
    "--null", metavar="FIELD", help="Send null for this field; may be repeated.", show_default=False
)


class Input(NamedTuple):
    """One thing that an operation takes."""

    name: str
    form: str
    choices: list[str]
    about: str

    def read(self, given: Any) -> Any:  # noqa: ANN401
        """Give the value that a text of the command line stands for."""
        match self.form:
            case "json":
                return self._read_json(given)
            case "moment" if given.isdecimal():
                return int(given)
            case "texts":
                return given.split(",")
            case _:
                return given

    def _read_json(self, text: str) -> Any:  # noqa: ANN401
        try:
            return json.loads(text, parse_float=Decimal)
        except ValueError as error:
            raise typer.BadParameter(f"{flag(self.name)} is not JSON: {error}") from error

    def annotation(self, kind: Any) -> Any:  # noqa: ANN401
        """Give what typer reads an option or an argument from."""
        match self.form:
            case "flag":
                return Annotated[bool | None, kind]
            case "integer":
                return Annotated[int | None, kind]
            case _:
                return Annotated[str | None, kind]

    def parameter(self, *, positional: bool, required: bool) -> inspect.Parameter:
        """Give the parameter of a command."""
        about = self.about.strip()
        shared: dict[str, Any] = {"help": about, "show_default": False}
        if self.form in _METAVARS:
            shared["metavar"] = "|".join(self.choices) or _METAVARS[self.form]
        if self.choices:
            shared["autocompletion"] = lambda: self.choices
        if positional:
            shared["metavar"] = self.name.upper()
            kind = typer.Argument(**shared)
        else:
            name = flag(self.name)
            kind = typer.Option(f"{name}/--no-{name[2:]}" if self.form == "flag" else name, **shared)
        default = inspect.Parameter.empty if required else None
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=self.annotation(kind)
        )


class Operation:
    """An operation of the document, as a method of a client does it."""

    def __init__(self, name: str, method: str | None = None, *, several: bool = False) -> None:
        """Look the operation up; a method of another name may take what it takes, and for several records at once."""
        self.name = name
        rows, self.writes = _operation(name)
        self.inputs = {row[0]: Input(*row) for row in rows}
        resource, _, own = name.partition(".")
        self._method = method or own
        self._resource = resource
        self._several = several
        kind = getattr(botdesk, "".join(map(str.capitalize, resource.split("_"))))
        self._documented: Any = getattr(kind, self._method)

    @property
    def about(self) -> str:
        """What it does, in a sentence."""
        return str(self._documented.__doc__).strip().partition("\n")[0]

    def parameters(self) -> Iterator[inspect.Parameter]:
        """Give a command's parameters: its arguments are those that the method takes by place."""
        for parameter in inspect.signature(self._documented).parameters.values():
            if parameter.name in self.inputs:
                required = parameter.default is inspect.Parameter.empty
                positional = required and parameter.kind is not inspect.Parameter.KEYWORD_ONLY
                yield self.inputs[parameter.name].parameter(positional=positional, required=required)
            elif parameter.name.endswith("_id"):
                yield self._identifier()

    def _identifier(self) -> inspect.Parameter:
        one = ("record_id", Annotated[int, options.IDENTIFIER])
        name, annotation = ("record_ids", Annotated[list[int], options.IDENTIFIERS]) if self._several else one
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)

    def given(self, values: dict[str, Any]) -> dict[str, Any]:
        """Give the arguments of the method: what was given, and None for what is to be null."""
        given = {
            name: self.inputs[name].read(value)
            for name, value in values.items()
            if name in self.inputs and value is not None
        }
        for name in values.get(_NULL) or ():
            given[name.replace("-", "_")] = None
        return given

    def call(self, client: botdesk.Client, values: dict[str, Any]) -> Any:  # noqa: ANN401
        """Do it."""
        identifier = [values["record_id"]] if "record_id" in values else []
        return getattr(getattr(client, self._resource), self._method)(*identifier, **self.given(values))

    def call_many(self, client: botdesk.Client, record_ids: list[int]) -> botdesk.BulkResult[Any]:
        """Do it to several records."""
        result: botdesk.BulkResult[Any] = getattr(getattr(client, self._resource), f"{self._method}_many")(record_ids)
        return result

    def question(self, client: botdesk.Client, values: dict[str, Any]) -> str:
        """Ask whether to do it."""
        identifiers = [values["record_id"]] if "record_id" in values else values.get("record_ids", [])
        named = ", ".join(self._named(client, identifier) for identifier in identifiers)
        changes = [f"{name}={output.dumps(value)}" for name, value in self.given(values).items()]
        return f"{' '.join(filter(None, [self.name, named, *changes]))}: go on?"

    def _named(self, client: botdesk.Client, identifier: int) -> str:
        """Give the identifier, and the name where the service can be asked for it and the key may ask."""
        resource = getattr(client, self._resource)
        if not hasattr(resource, "get"):
            return str(identifier)
        try:
            name = output.one_line(resource.get(identifier).name or "")
        except (botdesk.ForbiddenError, botdesk.DecodeError):
            return str(identifier)
        return f"{identifier} “{name}”"


def flag(name: str) -> str:
    """Give the option that stands for an input."""
    return f"--{name.rstrip('_').replace('_', '-')}"


def add(app: typer.Typer, name: str, operation: str, *, secrets: bool = False) -> None:
    """Add the command of an operation that is asked for and whose answer is shown."""
    asked = Operation(operation)

    def run(*, profile: str | None, as_json: bool, **values: Any) -> None:  # noqa: ANN401
        client = options.client(profile)
        if asked.writes:
            options.ask(lambda: asked.question(client, values), yes=values["yes"])
        output.show(asked.call(client, values), as_json=as_json, secrets=secrets)

    command(app, name, asked, run)


def command(
    app: typer.Typer,
    name: str,
    operation: Operation,
    run: Callable[..., None],
    *more: inspect.Parameter,
    about: str | None = None,
) -> None:
    """Add a command that has the parameters of an operation, more of its own, and those of all commands."""
    parameters = [*operation.parameters(), *more]
    if operation.writes and any(parameter.default is None for parameter in parameters):
        parameters.append(_shared(_NULL, Annotated[list[str] | None, _NULL_OPTION], None))
    parameters += [
        _shared("profile", Annotated[str | None, options.PROFILE], None),
        _shared("as_json", Annotated[bool, options.JSON], default=False),
    ]
    if operation.writes:
        parameters.append(_shared("yes", Annotated[bool, options.YES], default=False))
    # typer reads the parameters from here.
    setattr(run, "__signature__", inspect.Signature(parameters))  # noqa: B010 - a function has no such attribute yet
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(name, help=about or operation.about)(run)


def _shared(name: str, annotation: Any, default: object) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
