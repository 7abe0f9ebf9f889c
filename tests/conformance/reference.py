"""The API reference as `tests/reference/*.toml` has it, and what follows from it: values, responses, and calls."""

from __future__ import annotations

import functools
import json
import keyword
import math
import re
import zlib
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import sample_calls
from sample_calls import FILES, SECRETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import botdesk

# An identifier beyond 32 bits, and a UUID. No sandbox has a record with them.
ID = 2_376_446_537
UUID = "5ed7c4d2-4d3b-4c2c-8b4a-6e0a3f1f9f00"
TIME = "2024-02-29T12:30:00.125Z"


class Statement(NamedTuple):
    """A statement of the reference about an input or a field, such as `integer, required, 1..100`."""

    owner: str
    name: str
    where: str
    says: str

    @property
    def path(self) -> str:
        """The name with the operation or the record."""
        return f"{self.owner}.{self.name}"

    @property
    def types(self) -> set[str]:
        """The types that a value may have; their elements are left out."""
        return {re.sub(r" of .*", "", part) for part in self.says.partition(",")[0].split(" or ")} - {"null"}

    @property
    def type(self) -> str:
        """The first type."""
        return re.split(r" or | of |,", self.says)[0]

    @property
    def element(self) -> str:
        """The type of the elements of a list, or the record of an object."""
        found = re.match(r"\w+ of (\w+)", self.says)
        return found[1] if found else ""

    @property
    def is_required(self) -> bool:
        """Whether it is required in any case."""
        return bool(re.search(r", required(,|$)", self.says))

    @property
    def is_secret(self) -> bool:
        """Whether no output shows it."""
        return self.name in SECRETS

    @property
    def condition(self) -> tuple[str, str] | None:
        """The input and the value that require this input."""
        found = re.search(r"required when ([\w.]+) is (\w+)", self.says)
        return (found[1], found[2]) if found else None

    @property
    def choices(self) -> list[str]:
        """The only values; empty if there are others."""
        found = re.search(r"one of (.*?)(, default|, in an|$)", self.says)
        return found[1].split(", ") if found else []

    @property
    def bounds(self) -> tuple[Decimal | None, Decimal | None]:
        """The smallest and the largest value, or number of characters."""
        patterns = {
            r"(-?[\d.]+?)\.\.(\d+)": (1, 2),
            r"between (-?[\d.]+) and (\d+)": (1, 2),
            r"at least (\d+)": (1, None),
            r"at most (\d+)": (None, 1),
        }
        for pattern, (low, high) in patterns.items():
            if found := re.search(pattern, self.says):
                return (Decimal(found[low]) if low else None, Decimal(found[high]) if high else None)
        return None, None

    @property
    def argument(self) -> str:
        """The name of the argument of the method."""
        spelled: dict[str, str] = OPERATIONS[self.owner].sample.get("spelled", {}) if self.owner in OPERATIONS else {}
        name = spelled.get(self.name, self.name)
        return f"{name}_" if keyword.iskeyword(name) else name

    @property
    def attribute(self) -> str:
        """The name of the attribute of the record."""
        name = self.name.replace("TTP\N{CYRILLIC CAPITAL LETTER A}", "TTP_a").removesuffix("?")
        return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


class Operation(NamedTuple):
    """An operation of the reference."""

    name: str
    method: str
    path: str
    permission: str
    security: str
    success: int
    returns: str
    # Such as `120 requests per minute, blocked for 60 s`; empty if the general limit applies.
    limit: str
    errors: list[str]
    inputs: dict[str, Statement]
    sample: dict[str, Any]

    @property
    def id(self) -> int | str | None:
        """The id of a record that the sample is about."""
        return self.sample.get("id")

    @property
    def other_id(self) -> int | str:
        """The id of another record, which no sandbox has."""
        return UUID if isinstance(self.id, str) else ID

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the sample, without the id."""
        arguments: dict[str, Any] = self.sample.get("arguments", {})
        return arguments

    @property
    def is_list(self) -> bool:
        """Whether it returns an array."""
        return self.value.startswith("list of ")

    @property
    def value(self) -> str:
        """What the method returns, without the member of the body that has it, and without other bodies."""
        return self.returns.rpartition(": ")[2].partition(" or ")[0]

    @property
    def member(self) -> str:
        """The member of the body that has what the method returns; empty if that is the body."""
        return self.returns.rpartition(": ")[0]

    def target(self, record_id: int | str | None = None) -> str:
        """Return the path of the sample, or that of another record."""
        # A part of the record has an argument with the name of its placeholder.
        return "/public/api" + re.sub(
            r"{(\w+)}", lambda id_: str(self.arguments.get(id_[1], record_id or self.id)), self.path
        )

    def response(self, record_id: int | str | None = None) -> str:
        """Return a response with every field of the reference."""
        shape, _, element = self.value.rpartition(" of ")
        value = example(element, record_id or self.id) if element in RECORDS else VALUES.get(element, f"a {element}")
        body = {"list": [value], "map": {"a code": value}}.get(shape, value)
        return json.dumps({self.member: body} if self.member else body)

    def result(self, body: str) -> Any:  # noqa: ANN401
        """Return what the method returns for a response, as plain values."""
        if self.value == "nothing":
            return None
        read = json.loads(body, parse_float=Decimal)
        read = read[self.member] if self.member else read
        return read[self.sample["field"]] if "field" in self.sample else read


def operations() -> Iterator[Operation]:
    """Read the operations."""
    for resource, file in FILES.items():
        for verb, read in file.get("operations", {}).items():
            name = f"{resource}.{verb}"
            method, path = read["request"].split(" ")
            inputs = {
                wire: Statement(name, wire, where, says)
                for where in ("query", "body")
                for wire, says in read.get(where, {}).items()
            }
            yield Operation(
                name,
                method,
                path,
                read["permission"],
                read["security"],
                read["success"],
                read["returns"],
                read.get("limit", ""),
                read.get("errors", []),
                inputs,
                file["samples"][verb],
            )


OPERATIONS = {operation.name: operation for operation in operations()}
ALL_INPUTS = [statement for operation in OPERATIONS.values() for statement in operation.inputs.values()]
# Those that are arguments: the members of objects are none.
INPUTS = [statement for statement in ALL_INPUTS if "." not in statement.name]
# The names of objects inside records, by their path: the reference has them as fields such as `profit.btc`.
NESTED: dict[str, str] = {path: name for file in FILES.values() for path, name in file.get("nested", {}).items()}


def records() -> dict[str, dict[str, Statement]]:
    """Read the records, and the objects inside them as records of their own."""
    found: dict[str, dict[str, Statement]] = {}
    for file in FILES.values():
        for record, fields in file.get("records", {}).items():
            found[record] = {}
            for wire, says in fields.items():
                outer, _, inner = wire.partition(".")
                if name := NESTED.get(f"{record}.{outer}"):
                    found[record][outer] = Statement(record, outer, "", f"object of {name}")
                    found.setdefault(name, {})[inner] = Statement(name, inner, "", says)
                else:
                    found[record][wire] = Statement(record, wire, "", says)
    return found


RECORDS = records()
VALUES: dict[str, Any] = {
    "integer": ID,
    "decimal": "12.50",
    "boolean": True,
    "time": TIME,
    "list": [],
    "object": {},
    "any": "7.5",
}


@functools.cache
def example(record: str, record_id: int | str | None = None) -> Mapping[str, Any]:
    """Return a record with a value in each field."""
    found = {wire: value_of(field) for wire, field in RECORDS[record].items() if "some responses" not in field.says}
    name = "uuid" if isinstance(record_id, str) else "id"
    return {**found, name: record_id} if record_id and name in found else found


def value_of(field: Statement) -> Any:  # noqa: ANN401
    """Return a value of a field."""
    # Each text differs from the start, so that no cassette takes one for the secret of another field.
    values = {"text": f"{zlib.crc32(field.path.encode()):08x} text", **VALUES}
    inner = example(field.element) if field.element in RECORDS else values.get(field.element)
    if field.type == "list":
        return [inner] if field.element else []
    return inner if field.type == "object" and field.element else values[field.type]


def valid(statement: Statement) -> Any:  # noqa: ANN401
    """Return a value of an input that breaks no rule."""
    sample = OPERATIONS[statement.owner].sample
    name = statement.argument
    for given in (sample.get("values", {}), sample.get("arguments", {})):
        if name in given:
            return given[name]
    if statement.choices:
        return statement.choices[0]
    bound = next((each for each in statement.bounds if each is not None), None)
    if statement.type in {"integer", "decimal"} and bound is not None:
        # The bounds themselves may be excluded.
        return math.ceil(bound) + ("between" in statement.says)
    return {"integer": 3, "decimal": "2.5", "boolean": False}.get(statement.type, "a text")


def call(
    client: botdesk.Client,
    name: str,
    changes: Mapping[str, Any] = MappingProxyType({}),
    *,
    awaited: bool = False,
    record_id: object = ...,
    left_out: tuple[str, ...] = (),
) -> Any:  # noqa: ANN401
    """Make the sample call of an operation; `record_id` and `changes` replace what the sample says."""
    return sample_calls.call(client, name, record_id=record_id, awaited=awaited, left_out=left_out, **changes)
