"""The operations that an agent may use, as the table of the API describes them."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

from botdesk._cli import wording
from botdesk._cli.mcp.json_types import is_integer, is_list, is_object
from botdesk._cli.mcp.refused import RefusedError
from botdesk._cli.mcp.schemas import Schema, Schemas, ids_of
from botdesk._cli.operations import Operation
from botdesk._native import Operation as Sent
from botdesk._native import _operation_names
from botdesk._types import UNSET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from botdesk import Client

# The inputs that the server sets itself, to select a page.
_PAGINGS = (frozenset({"limit", "offset"}), frozenset({"page", "per_page"}))


class Entry:
    """An operation, and what its tool takes."""

    def __init__(self, operation: Operation, schemas: Schemas) -> None:
        """Describe an operation."""
        self.operation = operation
        self.sent = Sent(operation.name)
        self._schemas = schemas.of(operation)
        self._required_in_body = schemas.required_of(operation)

    @property
    def name(self) -> str:
        """The name of the operation, such as `deals.list`."""
        return self.operation.name

    @property
    def resource(self) -> str:
        """The resource, such as `deals`."""
        return self.operation.resource

    @property
    def action(self) -> str:
        """The name within the resource, such as `list`."""
        return self.operation.method

    @property
    def is_dangerous(self) -> bool:
        """Whether it is irreversible, places orders at once, lets a bot do so, or gives up positions."""
        return self.operation.is_dangerous

    @property
    def ids(self) -> dict[str, Schema]:
        """The schemas of the identifiers in the path."""
        return ids_of(self.operation)

    @cached_property
    def inputs(self) -> dict[str, Schema]:
        """The schemas of the inputs that an agent may give."""
        return {name: schema for name, schema in self._schemas.items() if name not in self.paging}

    @property
    def paging(self) -> frozenset[str]:
        """The inputs that select a page; empty if there are no pages."""
        return next((names for names in _PAGINGS if names <= self._schemas.keys()), frozenset[str]())

    @cached_property
    def required(self) -> list[str]:
        """The names of the arguments that have no default."""
        is_required = {each.name: each.default is each.empty for each in self.operation.parameters()}
        return [name for name in (*self.ids, *self.inputs) if is_required.get(name)]

    @property
    def takes_secrets(self) -> bool:
        """Whether the operation can't be sent without a secret, which no agent should know."""
        secrets = {name for name, each in self.operation.inputs.items() if each.is_secret}
        by_position = {each.name for each in self.operation.parameters() if each.default is each.empty}
        return bool(secrets & (by_position | self._required_in_body))

    @property
    def about(self) -> str:
        """The summary of the operation."""
        return self.operation.about

    def question(self, label: str | None) -> str:
        """Return what the write would do, such as `Disable DCA bot 41`."""
        if not label:
            return wording.question_of(self.operation.docstring)
        prompt = wording.prompt_of(self.operation.docstring, self.operation.noun)
        return wording.named(prompt, f"{self.operation.noun} {label}")

    def split(self, arguments: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the identifiers in the order of the path, and the inputs, of arguments that were checked.

        Raises:
            RefusedError: An argument is unknown, missing, or a number that may have lost digits.
        """
        unknown = [name for name in arguments if name not in self.ids and name not in self.inputs]
        if unknown:
            taken = ", ".join([*self.ids, *self.inputs]) or "no arguments"
            raise RefusedError(f"{self.name} does not take {', '.join(map(repr, unknown))}; it takes: {taken}")
        if missing := [name for name in self.required if name not in arguments]:
            raise RefusedError(f"{self.name} needs {', '.join(missing)}; give it, and call the tool again")
        for name, value in arguments.items():
            check_exact(name, value)
        ids = [_id(name, arguments[name], schema) for name, schema in self.ids.items()]
        # A copy: what is sent later is what was checked.
        return ids, {name: copy.deepcopy(value) for name, value in arguments.items() if name in self.inputs}

    def call(self, client: Client, ids: list[Any], inputs: dict[str, Any]) -> Any:  # noqa: ANN401
        """Call the method of the client."""
        return getattr(self.operation.of(client), self.operation.method)(*ids, **inputs)

    def body(self, inputs: dict[str, Any]) -> str:
        """Return the body that a request with these inputs has; empty if it has none."""
        return self.sent._body([inputs.get(name, UNSET) for name in self.sent._input_names()])  # noqa: SLF001

    def path(self, ids: list[Any]) -> str:
        """Return the path of a request."""
        parts = self.sent.path.split("/")
        values = iter(ids)
        return "/".join(str(next(values)) if part.startswith("{") else part for part in parts)


class Catalog:
    """All operations that an agent may use."""

    def __init__(self, schemas: Schemas) -> None:
        """Read the table of operations."""
        entries = [Entry(Operation(name), schemas) for name in _operation_names()]
        self.entries = {each.name: each for each in entries if not each.takes_secrets}
        # They stay with the person who has the secrets.
        self.withheld = [each.name for each in entries if each.takes_secrets]

    def reads(self) -> Iterator[Entry]:
        """Yield the operations that read."""
        return (each for each in self.entries.values() if not each.operation.writes)

    def writes(self, *, dangerous: bool) -> Iterator[Entry]:
        """Yield the operations that write; the expensive and irreversible ones only on request."""
        writes = (each for each in self.entries.values() if each.operation.writes)
        return (each for each in writes if dangerous or not each.is_dangerous)

    def reader(self, resource: str) -> Entry | None:
        """Return the operation that reads one record of a resource."""
        return self.entries.get(f"{resource}.get")


def check_exact(name: str, value: object) -> None:
    """Raise an error for a number with a decimal point, which was rounded when the JSON was read."""
    if isinstance(value, float):
        raise RefusedError(f"{name}: {value} may have lost digits on its way; write decimals as strings, such as '2.5'")
    if is_object(value):
        for member, inner in value.items():
            check_exact(f"{name}.{member}", inner)
    if is_list(value):
        for inner in value:
            check_exact(name, inner)


def _id(name: str, value: object, schema: Schema) -> int | str:
    """Return an identifier, which is part of the path."""
    types = schema["type"]
    if is_integer(value) and value > 0 and types != "string":
        return value
    if isinstance(value, str) and (types == "string" or value == "summary"):
        return value
    wanted = "a UUID" if types == "string" else "a whole number, at least 1"
    raise RefusedError(f"{name}: {value!r} is not an identifier; give {wanted}")
