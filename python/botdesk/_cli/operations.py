"""Commands generated from the inputs of an operation, which are defined once, in the core."""

from __future__ import annotations

import inspect
import json
from contextlib import nullcontext
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import botdesk
from botdesk._cli import help_layout, options, output
from botdesk._native import _account_of, _destination, _operation, _operation_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class InputType(StrEnum):
    """The types of arguments, as the core names them."""

    BOOL = "bool"
    DECIMAL = "decimal"
    INTEGER = "integer"
    JSON = "json"
    STRING = "string"
    STRINGS = "strings"
    TIME = "time"


_METAVARS = {
    InputType.DECIMAL: "DECIMAL",
    InputType.JSON: "JSON",
    InputType.STRING: "TEXT",
    InputType.STRINGS: "TEXT,…",
    InputType.TIME: "TIME",
}

# How a question names the records of a resource.
_NOUNS = {"dca_bots": "DCA bot", "grid_bots": "grid bot", "accounts": "account"}

# The maximum number of characters of a name in a question.
_LONGEST_NAME = 60

# Leaving an option out sends nothing, so null needs an option of its own.
_NULL = "null"
_NULL_OPTION = typer.Option("--null", metavar="FIELD", help="Send null for this field; repeatable.", show_default=False)


class Input(NamedTuple):
    """An argument of an operation, as the core describes it."""

    name: str
    type: InputType
    choices: list[str]
    about: str

    def parse(self, argument: Any) -> Any:  # noqa: ANN401
        """Convert the value of an option."""
        match self.type:
            case InputType.JSON:
                return self._parse_json(argument)
            case InputType.TIME if argument.isdecimal():
                return int(argument)
            case InputType.STRINGS:
                return argument.split(",")
            case _:
                return argument

    def _parse_json(self, argument: str) -> Any:  # noqa: ANN401
        try:
            return json.loads(argument, parse_float=Decimal)
        except ValueError as error:
            raise typer.BadParameter(f"{option_name(self.name)} is not JSON: {error}") from error

    def annotation(self, declaration: Any) -> Any:  # noqa: ANN401
        """Return the annotation of typer's option or argument."""
        match self.type:
            case InputType.BOOL:
                return Annotated[bool | None, declaration]
            case InputType.INTEGER:
                return Annotated[int | None, declaration]
            case _:
                return Annotated[str | None, declaration]

    def parameter(self, *, positional: bool, required: bool, group: str | None) -> inspect.Parameter:
        """Return the parameter of a command."""
        settings: dict[str, Any] = {"help": self.about.strip(), "show_default": False}
        if self.type in _METAVARS:
            settings["metavar"] = _METAVARS[self.type]
        if self.choices:
            choices = "|".join(self.choices)
            if help_layout.fits(option_name(self.name), choices):
                settings["metavar"] = choices
            else:
                settings["help"] += f" One of: {', '.join(self.choices)}."
            settings["autocompletion"] = lambda: self.choices
        if positional:
            settings["metavar"] = self.name.upper()
            declaration = typer.Argument(**settings)
        else:
            name = option_name(self.name)
            names = f"{name}/--no-{name[2:]}" if self.type is InputType.BOOL else name
            declaration = typer.Option(names, rich_help_panel=group, **settings)
        default = inspect.Parameter.empty if required else None
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=self.annotation(declaration)
        )


def inputs_of(rows: Iterable[tuple[str, str, list[str], str]]) -> dict[str, Input]:
    """Return the inputs that the core describes, by their names."""
    inputs = (Input(name, InputType(type_), choices, about) for name, type_, choices, about in rows)
    return {each.name: each for each in inputs}


def parse(inputs: dict[str, Input], values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for these inputs: the options that were given."""
    return {name: inputs[name].parse(value) for name, value in values.items() if name in inputs and value is not None}


class Operation:
    """An operation of the API, and the method of the client that calls it."""

    def __init__(
        self,
        name: str,
        method: str | None = None,
        *,
        several: bool = False,
        prompt: str = "Change {}",
        done: str | None = None,
    ) -> None:
        """Look up an operation.

        Args:
            name: Such as `dca_bots.list`.
            method: The method to call, if its name is not that of the operation.
            several: Whether the command takes several ids.
            prompt: The question before a change; the records replace `{}`.
            done: What is printed after a change of a record, which replaces `{}`; None prints the result.
        """
        self.name = name
        rows, self.writes = _operation(name)
        self.inputs = inputs_of(rows)
        self._resource, _, own_method = name.partition(".")
        self._method = method or own_method
        self._several = several
        self._prompt = prompt
        self._done = done
        self._has_groups = own_method == "edit"
        self._documented: Any = getattr(_class_of(self._resource), self._method)

    @property
    def about(self) -> str:
        """The summary of the method."""
        return str(self._documented.__doc__).strip().partition("\n")[0]

    def parameters(self) -> Iterator[inspect.Parameter]:
        """Yield the parameters of the command; the positional arguments of the method are positional too."""
        for parameter in inspect.signature(self._documented).parameters.values():
            if parameter.name in self.inputs:
                required = parameter.default is inspect.Parameter.empty
                positional = required and parameter.kind is not inspect.Parameter.KEYWORD_ONLY
                group = help_layout.group_of_field(parameter.name) if self._has_groups else None
                yield self.inputs[parameter.name].parameter(positional=positional, required=required, group=group)
            elif parameter.name.endswith("_id"):
                yield self._id_parameter()

    def _id_parameter(self) -> inspect.Parameter:
        one = ("record_id", Annotated[int, options.IDENTIFIER])
        name, annotation = ("record_ids", Annotated[list[int], options.IDENTIFIERS]) if self._several else one
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)

    def arguments(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of the method: the given options, and None for those of `--null`."""
        arguments = parse(self.inputs, values)
        for name in values.get(_NULL) or ():
            arguments[name.replace("-", "_")] = None
        return arguments

    def call(self, client: botdesk.Client, values: dict[str, Any]) -> Any:  # noqa: ANN401
        """Call the method and return its result."""
        record_id = [values["record_id"]] if "record_id" in values else []
        owner = getattr(client, self._resource, client)
        return getattr(owner, self._method)(*record_id, **self.arguments(values))

    def call_many(self, client: botdesk.Client, record_ids: list[int]) -> botdesk.BulkResult[Any]:
        """Call the bulk version of the method."""
        result: botdesk.BulkResult[Any] = getattr(getattr(client, self._resource), f"{self._method}_many")(record_ids)
        return result

    def question(self, client: botdesk.Client, values: dict[str, Any]) -> options.Question:
        """Return the question to confirm, such as `Disable 2 DCA bots at https://api.3commas.io, profile demo?`."""
        record_ids = [values["record_id"]] if "record_id" in values else values.get("record_ids", [])
        records = [self._record(client, record_id) for record_id in record_ids]
        details = [f"  {name}: {output.dumps(value)}" for name, value in self.arguments(values).items()]
        destination = _destination(client)
        if len(records) == 1:
            label, account = records[0]
            named = f"{self.noun} {label}"
            destination = f"{destination}, {account}" if account else destination
        else:
            named = f"{len(records)} {self.noun}s"
            lines = [f"{label}, {account}" if account else label for label, account in records]
            details = [*(f"  {line}" for line in lines), *details]
        return options.Question(self._prompt.format(named), destination, details)

    def call_and_show(
        self, client: botdesk.Client, values: dict[str, Any], *, as_json: bool, secrets: bool = False
    ) -> None:
        """Call the method, and print its result: that of a write in one line, or else every field."""
        result = self.call(client, values)
        if as_json or not self._done:
            output.show(result, as_json=as_json, secrets=secrets)
            return
        named = self._done.format(f"{self.noun} {_labelled(values['record_id'], result)}")
        destination = ", ".join(filter(None, [_destination(client), _account_of(result.to_json())]))
        output.print_lines(output.one_line(f"{named} at {destination}"))

    @property
    def noun(self) -> str:
        """The noun of a record, such as `DCA bot`."""
        return _NOUNS.get(self._resource, "record")

    def _record(self, client: botdesk.Client, record_id: int) -> tuple[str, str | None]:
        """Return the id with the name, and the account, if the API can return the record and the key may read it."""
        resource = getattr(client, self._resource)
        if not hasattr(resource, "get"):
            return str(record_id), None
        try:
            record = resource.get(record_id)
            return _labelled(record_id, record), _account_of(record.to_json())
        except (botdesk.ForbiddenError, botdesk.DecodeError):
            return str(record_id), None


def _class_of(resource: str) -> type:
    """Return the class with the methods of a resource; some operations are methods of the client itself."""
    found: type = getattr(botdesk, "".join(map(str.capitalize, resource.split("_"))), botdesk.Client)
    return found


def _labelled(record_id: int, record: Any) -> str:  # noqa: ANN401
    """Return the id of a record and its name if that can be read."""
    try:
        name = output.one_line(record.name or "", _LONGEST_NAME)
    except botdesk.DecodeError:
        return str(record_id)
    return f"{record_id} “{name}”"


def option_name(name: str) -> str:
    """Return the option for an input."""
    return f"--{name.rstrip('_').replace('_', '-')}"


def add(
    app: typer.Typer,
    name: str,
    operation_name: str,
    *,
    secrets: bool = False,
    prompt: str = "Change {}",
    done: str | None = None,
) -> None:
    """Add a command that calls an operation and prints the result."""
    operation = Operation(operation_name, prompt=prompt, done=done)

    def run(*, profile: str | None, as_json: bool, **values: Any) -> None:  # noqa: ANN401
        client = options.client(profile)
        if operation.writes:
            options.confirm(lambda: operation.question(client, values), yes=values["yes"])
        operation.call_and_show(client, values, as_json=as_json, secrets=secrets)

    add_command(app, name, operation, run)


# The operations that have a command.
_commands: set[str] = set()


def add_missing(app: typer.Typer, groups: dict[str, typer.Typer], new_group: Callable[[str, str], typer.Typer]) -> None:
    """Add a command for each operation that reads and has none yet.

    Args:
        app: The commands without a group, for the operations of the client itself.
        groups: The groups by resource.
        new_group: Makes a group from its name and its description.
    """
    for name in _operation_names():
        if name in _commands or Operation(name).writes:
            continue
        resource, _, verb = name.partition(".")
        owner = _class_of(resource)
        if owner is not botdesk.Client and resource not in groups:
            about = str(owner.__doc__).partition(": `client.")[0]
            groups[resource] = new_group(resource.replace("_", "-"), f"{about}.")
        add(groups.get(resource, app), verb.replace("_", "-"), name)


def add_command(
    app: typer.Typer,
    name: str,
    operation: Operation,
    run: Callable[..., None],
    *more: inspect.Parameter,
    about: str | None = None,
    sends: bool = True,
) -> None:
    """Add a command with the parameters of an operation, more of its own, and those that all commands share.

    Args:
        app: The group of the command.
        name: The name of the command.
        operation: The operation.
        run: The function that runs the command.
        *more: Parameters that the operation does not have.
        about: The summary; that of the method by default.
        sends: Whether the command sends the operation; one that only reads its arguments needs no confirmation.
    """
    _commands.add(operation.name)
    parameters = [*operation.parameters(), *more]
    if operation.writes and any(parameter.default is None for parameter in parameters):
        parameters.append(option(_NULL, Annotated[list[str] | None, _NULL_OPTION], None))
    parameters += [
        option("profile", Annotated[str | None, options.PROFILE], None),
        option("as_json", Annotated[bool, options.JSON], default=False),
    ]
    if not operation.writes:
        parameters.append(option("as_csv", Annotated[bool, options.CSV], default=False))
        run = _with_csv(run)
    if operation.writes and sends:
        parameters.append(option("yes", Annotated[bool, options.YES], default=False))
    # typer reads the parameters from the signature.
    setattr(run, "__signature__", inspect.Signature(parameters))  # noqa: B010 - a function has no such attribute yet
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(name, help=about or operation.about, cls=help_layout.Command)(run)


def _with_csv(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that prints CSV on request; its exit code is that of the command."""

    def formatted(*, as_csv: bool, as_json: bool, **values: Any) -> Any:  # noqa: ANN401
        if as_csv and as_json:
            raise typer.BadParameter("--csv and --json exclude each other; pass one of them")
        with output.as_csv() if as_csv else nullcontext():
            return run(as_json=as_json or as_csv, **values)

    return formatted


def option(name: str, annotation: Any, default: object) -> inspect.Parameter:  # noqa: ANN401
    """Return the parameter of an option; `inspect.Parameter.empty` as the default requires it."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
