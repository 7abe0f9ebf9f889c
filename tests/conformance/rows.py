"""The operations and records of the package, as it describes them itself."""

from __future__ import annotations

import functools
import json
import re
import urllib.request
from typing import TYPE_CHECKING, Any, NamedTuple

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


class Row(NamedTuple):
    """An operation of the package."""

    name: str
    method: str
    path: str
    permission: str
    security: str
    success: int
    returns: str
    # The statuses of the errors.
    errors: set[str]
    inputs: dict[str, Input]


class Input(NamedTuple):
    """An input of an operation, or a field of a record."""

    where: str
    schema: dict[str, Any]
    is_required: bool = False
    condition: tuple[str, str] | None = None

    @property
    def types(self) -> set[str]:
        """The types that a value may have, in the words of the reference."""
        return types_of(self.schema)

    @property
    def choices(self) -> list[str]:
        """The only values."""
        return [each for each in self.schema.get("enum", []) if isinstance(each, str)]

    @property
    def is_secret(self) -> bool:
        """Whether it is a secret."""
        return self.schema.get("format") == "password"

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The smallest and the largest value, or number of characters."""
        is_text = {"minLength", "maxLength"} & self.schema.keys()
        names = ("minLength", "maxLength") if is_text else ("minimum", "maximum")
        low, high = (self.schema.get(name) for name in names)
        return (self.schema.get("exclusiveMinimum", low), self.schema.get("exclusiveMaximum", high))


@functools.cache
def document() -> dict[str, Any]:
    """Return the OpenAPI document of the sandbox."""
    with botdesk.Sandbox(bots=0) as sandbox, urllib.request.urlopen(f"{sandbox.url}/openapi.json") as response:  # noqa: S310
        read: dict[str, Any] = json.load(response)
        return read


@functools.cache
def rows() -> dict[str, Row]:
    """Return the operations of the package. This is the only place that knows where they come from."""
    described = (
        row_of(path.removeprefix("/public/api"), method.upper(), operation)
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    )
    return {row.name: row for row in described}


@functools.cache
def records() -> dict[str, dict[str, Input]]:
    """Return the records of the package."""
    schemas: dict[str, Any] = document()["components"]["schemas"]
    return {
        name: {wire: Input("", schema) for wire, schema in described["properties"].items()}
        for name, described in schemas.items()
        if name != "Error"
    }


def row_of(path: str, method: str, operation: dict[str, Any]) -> Row:
    """Read one operation."""
    permission = re.search(r"permission (\w+)", operation["description"])
    security = operation.get("security", document()["security"])
    success = next(status for status in operation["responses"] if status.startswith("2"))
    content = operation["responses"][success].get("content", {}).get("application/json", {})
    return Row(
        operation["operationId"],
        method,
        path,
        permission[1] if permission else "NONE",
        "SIGNED" if security else "NONE",
        int(success),
        one_of(content["schema"]) if content else "nothing",
        {status for status in operation["responses"] if not status.startswith("2")},
        {**queried(operation), **bodied(operation)},
    )


def queried(operation: dict[str, Any]) -> dict[str, Input]:
    """Read the inputs in the query."""
    return {
        each["name"]: Input("query", each["schema"], each.get("required", False))
        for each in operation["parameters"]
        if each["in"] == "query"
    }


def bodied(operation: dict[str, Any]) -> dict[str, Input]:
    """Read the inputs in the body."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    required = set(body.get("required", ()))
    conditions: dict[str, tuple[str, str]] = {}
    for rule in body.get("allOf", ()):
        # One of two spellings is enough.
        required |= {name for either in rule.get("anyOf", ()) for name in either["required"]}
        for name, value in rule.get("if", {}).get("properties", {}).items():
            conditions |= {each: (name, str(value["const"]).lower()) for each in rule["then"].get("required", ())}
    return {
        path: each
        for name, schema in body.get("properties", {}).items()
        for path, each in nested(name, Input("body", schema, name in required, conditions.get(name)))
    }


def nested(path: str, found: Input) -> Iterator[tuple[str, Input]]:
    """Yield an input, and those inside of an object or a list of objects: `price.value`, `steps[].volume`."""
    yield path, found
    is_list = "items" in found.schema
    schema = found.schema["items"] if is_list else found.schema
    for name, member in schema.get("properties", {}).items():
        inside = Input("body", member, name in schema.get("required", ()))
        yield from nested(f"{path}[].{name}" if is_list else f"{path}.{name}", inside)


def one_of(schema: dict[str, Any]) -> str:
    """Return the shape and the record of a response, or of each if there are several."""
    # In place of a record, the service may return nothing, or an object that says no more than that it succeeded.
    return " or ".join(
        "nothing" if shape.get("type") == ["object", "null"] else returned(shape)
        for shape in schema.get("anyOf", [schema])
    )


def returned(schema: dict[str, Any]) -> str:
    """Return the shape and the record of a response."""
    if list(schema.get("properties", {})) == schema.get("required"):
        # An object with the value in its only member.
        ((member, value),) = schema["properties"].items()
        return f"{member}: {returned(value)}"
    if "items" in schema:
        return f"list of {returned(schema['items'])}"
    if "additionalProperties" in schema:
        return f"map of {returned(schema['additionalProperties'])}"
    if "$ref" not in schema and "required" in schema:
        (member,) = schema["required"]
        return f"{member}: {returned(schema['properties'][member])}"
    if "$ref" not in schema:
        return "".join(types_of(schema))
    return str(schema["$ref"]).rpartition("/")[2]


def types_of(schema: dict[str, Any]) -> set[str]:
    """Return the types of a schema."""
    if "anyOf" in schema:
        return set[str]().union(*map(types_of, schema["anyOf"]))
    if "$ref" in schema:
        return {"object"}
    named = schema.get("type", "any")
    json_types = ({named} if isinstance(named, str) else set(named)) - {"null"}
    # Numbers and booleans may be strings, too.
    for json_type, name in (("integer", "integer"), ("number", "decimal"), ("boolean", "boolean")):
        if json_type in json_types:
            return {name}
    names = {"string": "time" if schema.get("format") == "date-time" else "text", "array": "list"}
    return {names.get(each, each) for each in json_types}
