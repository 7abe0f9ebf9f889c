"""The tools: a few of whole resources by default, or one for each operation on request. All follow from the table."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from botdesk._cli.mcp import planning, reads
from botdesk._cli.mcp.json_types import is_integer, is_list, is_object
from botdesk._cli.mcp.previews import SET_NULL
from botdesk._cli.mcp.refused import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from botdesk._cli.mcp.catalog import Entry
    from botdesk._cli.mcp.desk import Desk
    from botdesk._cli.mcp.previews import Previews
    from botdesk._cli.mcp.results import Result
    from botdesk._cli.mcp.schemas import Schema

EVERY = "all"

_TOKEN: dict[str, Schema] = {"token": {"type": "string", "description": "The token of the preview."}}
_NULL: dict[str, Schema] = {
    SET_NULL: {"type": "array", "items": {"type": "string"}, "description": "Inputs to set to null."}
}
_DANGER = {True: " Expensive or irreversible.", False: ""}


@dataclass(frozen=True)
class Tool:
    """A tool, as the protocol describes it, and the function that carries out a call."""

    name: str
    about: str
    properties: dict[str, Schema]
    required: list[str]
    run: Callable[[dict[str, Any]], Result]
    is_read_only: bool = True
    is_destructive: bool = False
    # Whether a second call with the same arguments changes nothing more.
    is_idempotent: bool = True
    # Whether it sends requests to the service.
    is_open: bool = True

    @property
    def schema(self) -> Schema:
        """The schema of the arguments."""
        schema: Schema = {"type": "object", "properties": self.properties, "additionalProperties": False}
        return {**schema, "required": self.required} if self.required else schema

    def call(self, arguments: dict[str, Any]) -> Result:
        """Carry out a call.

        Raises:
            RefusedError: An argument is unknown or missing, or the call is not allowed.
            BotdeskError: The call failed.
        """
        if unknown := [name for name in arguments if name not in self.properties]:
            raise RefusedError(
                f"{self.name} does not take {', '.join(map(repr, unknown))}; it takes: {', '.join(self.properties)}"
            )
        if missing := [name for name in self.required if name not in arguments]:
            raise RefusedError(f"{self.name} needs {', '.join(missing)}")
        return self.run(arguments)


def of(desk: Desk, previews: Previews) -> dict[str, Tool]:
    """Return the tools that a server has, by their names.

    Raises:
        ValueError: The settings name a tool that does not exist.
    """
    grouped = {tool.name: tool for tool in _grouped(desk, previews)}
    single = {tool.name: tool for tool in _single(desk, previews)}
    others = {tool.name: tool for tool in _others(desk, previews)}
    wanted = desk.settings.tools
    if wanted is None:
        return grouped | others
    if wanted == (EVERY,):
        return single | others
    known = grouped | single | others
    if unknown := [name for name in wanted if name not in known]:
        raise ValueError(f"there is no tool {', '.join(unknown)}; there are: {', '.join(known)}")
    # Without these, previews would lead nowhere.
    needed = ["apply", "check_outcome"] if any(name.startswith("preview_") for name in wanted) else []
    return {name: known[name] for name in dict.fromkeys([*wanted, *needed])}


def _grouped(desk: Desk, previews: Previews) -> Iterator[Tool]:
    """Yield a tool that reads, and one that previews writes, for each resource."""
    for resource, entries in _by_resource(desk.catalog.reads()).items():
        yield _group(f"{resource}_read", f"Read {_words(resource)}.", entries, reads.SHAPE, partial(reads.run, desk))
    if desk.settings.writes:
        for resource, entries in _by_resource(desk.catalog.writes(dangerous=desk.settings.dangerous)).items():
            about = f"Preview a change of {_words(resource)}, and get the token that applies it. Nothing is sent."
            yield _group(f"preview_{resource}", about, entries, _NULL, previews.preview)


def _single(desk: Desk, previews: Previews) -> Iterator[Tool]:
    """Yield a tool for each operation."""
    for entry in desk.catalog.reads():
        properties = {**entry.ids, **entry.inputs, **_shape(entry, reads.SHAPE)}
        yield Tool(_name(entry), entry.about, properties, entry.required, partial(reads.run, desk, entry))
    if desk.settings.writes:
        for entry in desk.catalog.writes(dangerous=desk.settings.dangerous):
            about = f"Preview: {entry.about}{_DANGER[entry.is_dangerous]} Returns the token that applies it."
            run = partial(previews.preview, entry)
            properties = {**entry.ids, **entry.inputs, **(_NULL if entry.operation.is_edit else {})}
            yield Tool(f"preview_{_name(entry)}", about, properties, entry.required, run)


def _others(desk: Desk, previews: Previews) -> Iterator[Tool]:
    for name, run, about, properties, required in planning.TOOLS:
        checked = partial(_with_types, properties, partial(run, desk))
        yield Tool(name, about, properties, required, checked, is_open=name != "report")
    if not desk.settings.writes:
        return
    yield Tool(
        "apply",
        "Send the change of a preview, once, within a minute. Call it only if the person agreed to that preview.",
        _TOKEN,
        ["token"],
        lambda arguments: previews.apply(_token(arguments)),
        is_read_only=False,
        is_destructive=True,
        is_idempotent=False,
    )
    yield Tool(
        "check_outcome",
        "Look at what the service shows of a change whose outcome is unknown.",
        _TOKEN,
        ["token"],
        lambda arguments: previews.check_outcome(_token(arguments)),
    )


def _with_types(
    properties: dict[str, Schema], run: Callable[[dict[str, Any]], Result], arguments: dict[str, Any]
) -> Result:
    """Carry out a call whose arguments no operation checks."""
    for name, value in arguments.items():
        types = _types(properties[name])
        if value is not None and not any(_TYPES[type_](value) for type_ in types):
            raise RefusedError(f"{name}: must be of the type {' or '.join(types)}, not {value!r}")
    return run(arguments)


# A number may be written in place of the text of its digits.
_TYPES: dict[str, Callable[[object], bool]] = {
    "array": is_list,
    "boolean": lambda value: isinstance(value, bool),
    "integer": is_integer,
    "object": is_object,
    "string": lambda value: isinstance(value, str | int | float | Decimal) and not isinstance(value, bool),
}


def _group(
    name: str,
    about: str,
    entries: list[Entry],
    shape: dict[str, Schema],
    run: Callable[[Entry, dict[str, Any]], Result],
) -> Tool:
    """Return a tool whose argument `action` names the operation."""
    by_action = {entry.action: entry for entry in entries}
    actions = [f"- {_signature(entry)}: {entry.about}{_DANGER[_is_marked(entry)]}" for entry in entries]
    properties: dict[str, Schema] = {"action": {"type": "string", "enum": list(by_action)}}
    for entry in entries:
        for argument, schema in {**entry.ids, **entry.inputs}.items():
            properties[argument] = _merged(properties.get(argument), schema)
    properties.update(shape)

    def call(arguments: dict[str, Any]) -> Result:
        action = arguments.get("action")
        entry = by_action.get(action) if isinstance(action, str) else None
        if entry is None:
            raise RefusedError(f"action: {action!r} is none of {', '.join(by_action)}")
        others = {name: value for name, value in arguments.items() if name != "action"}
        return run(entry, others)

    return Tool(name, "\n".join([about, "Actions, with what each takes:", *actions]), properties, ["action"], call)


def _is_marked(entry: Entry) -> bool:
    return entry.operation.writes and entry.is_dangerous


def _signature(entry: Entry) -> str:
    """Return an action with its arguments; those in brackets may be left out."""
    required = entry.required
    optional = [name for name in (*entry.ids, *entry.inputs) if name not in required]
    # An edit takes nearly all of the tool's arguments.
    most = 14
    listed = [f"[{name}]" for name in optional] if len(optional) <= most else ["[settings]"]
    return f"{entry.action}({', '.join([*required, *listed])})"


def _merged(known: Schema | None, schema: Schema) -> Schema:
    """Return the schema of an argument that several actions take; limits that differ are left to the core."""
    if known is None or known == schema:
        return schema
    merged = {name: value for name, value in known.items() if schema.get(name) == value}
    choices = [*known.get("enum", []), *schema.get("enum", [])]
    if "enum" in known and "enum" in schema:
        merged["enum"] = list(dict.fromkeys(choices))
    merged.setdefault("type", _types(known, schema))
    descriptions = dict.fromkeys(filter(None, (each.get("description") for each in (known, schema))))
    if descriptions:
        merged["description"] = " Or: ".join(descriptions)
    return merged


def _types(*schemas: Schema) -> list[str]:
    found: list[str] = []
    for schema in schemas:
        types: str | list[str] = schema["type"]
        found += [types] if isinstance(types, str) else types
    return list(dict.fromkeys(found))


def _by_resource(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.resource, []).append(entry)
    return found


def _shape(entry: Entry, shape: dict[str, Schema]) -> dict[str, Schema]:
    return {} if entry.name == "general.validate" else shape


def _name(entry: Entry) -> str:
    return f"{entry.resource}_{entry.action}"


def _words(resource: str) -> str:
    words = {"dca_bots": "DCA bots", "general": "whether the keys work", "smart_trades": "SmartTrades"}
    return words.get(resource, resource.replace("_", " "))


def _token(arguments: dict[str, Any]) -> str:
    token = arguments["token"]
    if not isinstance(token, str):
        raise RefusedError("token: give the string of the preview")
    return token
