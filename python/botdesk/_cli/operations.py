"""Commands generated from the inputs of an operation, which are defined once, in the core."""

from __future__ import annotations

import inspect
import json
from contextlib import nullcontext
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import botdesk
from botdesk._cli import help_layout, options, output, wording
from botdesk._native import _operation, _operation_names, _printable, _short_forms

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

# Leaving an option out sends nothing, so null needs an option of its own.
_NULL = "null"
_NULL_OPTION = typer.Option("--null", metavar="FIELD", help="Send null for this field; repeatable.", show_default=False)


class Input(NamedTuple):
    """An argument of an operation, as the core describes it."""

    name: str
    type: InputType
    choices: list[str]
    about: str

    @property
    def is_secret(self) -> bool:
        """Whether no output repeats the value."""
        given = json.dumps({self.name: "given"})
        return _printable(given, secrets=False) != given

    def parse(self, argument: Any) -> Any:  # noqa: ANN401
        """Convert the value of an option."""
        match self.type:
            case InputType.JSON:
                return self._parse_json(argument)
            case InputType.TIME if argument.isdecimal():
                return int(argument)
            case InputType.STRINGS:
                return argument.split(",") if argument else []
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
        if self.is_secret:
            settings["help"] += " `-` asks for it without showing it."
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

    def __init__(self, name: str, method: str | None = None, *, takes_one: bool = False) -> None:
        """Look up an operation.

        Args:
            name: Such as `dca_bots.list`.
            method: The method to call, if its name is not that of the operation.
            takes_one: Whether the command takes a single id although the method has a version for several records.
        """
        self.name = name
        # The fields that say what is at stake; None unless the operation is irreversible.
        rows, self.stakes, (self.writes, self.is_dangerous, self.adds_no_volume) = _operation(name)
        self.inputs = inputs_of(rows)
        # What the method converts to inputs, such as the side of a SmartTrade.
        self.forms = inputs_of(_short_forms(name))
        self.resource, _, own_method = name.partition(".")
        self.method = method or own_method
        self.owner = class_of(self.resource)
        self._documented: Any = getattr(self.owner, self.method)
        self._parameters = inspect.signature(self._documented).parameters
        # The identifiers in the path, by the names of their arguments.
        self.ids = {
            name: str(parameter.annotation)
            for name, parameter in self._parameters.items()
            if name.endswith(("_id", "uuid")) and name not in self.inputs
        }
        # The rules for a new record, which has no identifier yet, can be left to the service too.
        self.is_edit = "validate" in self._parameters and bool(self.ids)
        has_many = hasattr(self.owner, f"{self.method}_many")
        self.takes_several = has_many and len(self.ids) == 1 and not (takes_one or self.is_edit)

    @property
    def switches(self) -> list[str]:
        """The arguments of the method that are true or false and no inputs of the operation."""
        return [
            name
            for name, parameter in self._parameters.items()
            if parameter.annotation == "bool" and name not in self.inputs
        ]

    @property
    def docstring(self) -> str:
        """The docstring of the method."""
        return str(self._documented.__doc__)

    @property
    def about(self) -> str:
        """The summary of the method."""
        return self.docstring.strip().partition("\n")[0]

    @property
    def noun(self) -> str:
        """The noun of a record of the resource, such as `DCA bot`."""
        return _noun_of(self.resource)

    @property
    def iterator(self) -> str | None:
        """The method that iterates over all pages; None if there is none."""
        name = "iter" if self.method == "list" else f"iter_{self.method}"
        return name if hasattr(self.owner, name) else None

    def parameters(self) -> Iterator[inspect.Parameter]:
        """Yield the parameters of the command; the positional arguments of the method are positional too."""
        for parameter in self._parameters.values():
            if parameter.name in self.inputs:
                required = parameter.default is inspect.Parameter.empty
                is_positional = parameter.kind is not inspect.Parameter.KEYWORD_ONLY
                # After several ids, the last one could be taken for the input.
                positional = required and is_positional and not self.takes_several
                group = help_layout.group_of_field(parameter.name) if self.is_edit else None
                yield self.inputs[parameter.name].parameter(positional=positional, required=required, group=group)
            elif parameter.name in self.forms:
                yield self.forms[parameter.name].parameter(positional=False, required=False, group=None)
            elif parameter.name in self.ids:
                yield self._id_parameter(parameter.name)

    def _id_parameter(self, name: str) -> inspect.Parameter:
        type_: Any = int if self.ids[name] == "int" else str
        annotation: Any = Annotated[type_, options.IDENTIFIER if len(self.ids) == 1 else options.identifier(name)]
        if self.takes_several:
            annotation = Annotated[list[type_], options.IDENTIFIERS]
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation)

    def ids_of(self, values: dict[str, Any]) -> list[Any]:
        """Return the identifiers of one request, in the order of the path."""
        parts = list(self.ids)[1:]
        return [*self.records_of(values)[:1], *(self._id(name, values[name]) for name in parts)]

    def records_of(self, values: dict[str, Any]) -> list[Any]:
        """Return the identifiers of the records that the command is about, without those of their parts."""
        name = next(iter(self.ids), None)
        if name is None:
            return []
        given: list[Any] = values[name] if self.takes_several else [values[name]]
        return [self._id(name, each) for each in given]

    def _id(self, name: str, given: int | str) -> int | str:
        """Return an identifier; one that may be a number or a word arrives as a word."""
        is_number = isinstance(given, str) and given.isdecimal() and "int" in self.ids[name]
        return int(given) if is_number else given

    def arguments(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of the method: the given options, and None for those of `--null`."""
        arguments = parse({**self.inputs, **self.forms}, values)
        for name in values.get(_NULL) or ():
            arguments[name.replace("-", "_")] = None
        return arguments

    def of(self, client: botdesk.Client) -> Any:  # noqa: ANN401
        """Return the resource of a client, or the client itself: the object that has the method."""
        return getattr(client, self.resource, client)

    def call(self, client: botdesk.Client, values: dict[str, Any], method: str | None = None) -> Any:  # noqa: ANN401
        """Call the method, or another with the same arguments, and return its result."""
        return getattr(self.of(client), method or self.method)(*self.ids_of(values), **self.arguments(values))

    def call_many(self, client: botdesk.Client, values: dict[str, Any]) -> botdesk.BulkResult[Any]:
        """Call the version of the method for several records."""
        many = getattr(self.of(client), f"{self.method}_many")
        result: botdesk.BulkResult[Any] = many(self.records_of(values), **self.arguments(values))
        return result


def class_of(resource: str) -> type:
    """Return the class with the methods of a resource; some operations are methods of the client itself."""
    found: type = getattr(botdesk, "".join(map(str.capitalize, resource.split("_"))), botdesk.Client)
    return found


@cache
def _noun_of(resource: str) -> str:
    methods = (name.partition(".") for name in _operation_names())
    docstrings = (str(getattr(class_of(owner), verb).__doc__) for owner, _, verb in methods if owner == resource)
    return next(filter(None, map(wording.noun_of, docstrings)), "record")


def option_name(name: str) -> str:
    """Return the option for an input."""
    return f"--{name.rstrip('_').replace('_', '-')}"


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
