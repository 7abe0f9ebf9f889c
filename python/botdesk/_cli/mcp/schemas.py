"""The JSON schemas of inputs: those of the OpenAPI document, shortened, with decimals as strings."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from botdesk._cli.mcp.json_types import is_list, is_object

if TYPE_CHECKING:
    from botdesk import Sandbox
    from botdesk._cli.operations import Operation

Schema = dict[str, Any]

# What no caller needs to read. The patterns of decimals are long, and the core checks them.
_LEFT_OUT = ("pattern", "format")
_ID: Schema = {"type": "integer", "minimum": 1}


class Schemas:
    """The schemas of the inputs of all operations."""

    def __init__(self, document: dict[str, Any]) -> None:
        """Read them from an OpenAPI document."""
        self._inputs: dict[str, dict[str, Schema]] = {}
        self._required: dict[str, frozenset[str]] = {}
        for methods in document["paths"].values():
            for described in methods.values():
                name = described["operationId"]
                self._inputs[name] = _inputs_of(described)
                self._required[name] = frozenset(_body_of(described).get("required", ()))

    @classmethod
    def of_sandbox(cls, sandbox: Sandbox) -> Schemas:
        """Request the document from a sandbox; proxies of the environment are not asked."""
        connection = http.client.HTTPConnection(str(urlsplit(sandbox.url).netloc), timeout=10)
        try:
            connection.request("GET", "/openapi.json")
            return cls(json.loads(connection.getresponse().read()))
        finally:
            connection.close()

    def of(self, operation: Operation) -> dict[str, Schema]:
        """Return the schemas of the inputs of an operation, without secrets, by the names of the arguments."""
        known = self._inputs[operation.name]
        # In JSON, the name `from` needs no underscore.
        return {
            name: known[name] if name in known else known[name.rstrip("_")]
            for name, each in operation.inputs.items()
            if not each.is_secret
        }

    def required_of(self, operation: Operation) -> frozenset[str]:
        """Return the members that the body of an operation must have; botdesk adds some of them itself."""
        return self._required[operation.name]


def ids_of(operation: Operation) -> dict[str, Schema]:
    """Return the schemas of the identifiers in the path, by the names of the arguments."""
    return {name: _id_schema(name, annotation) for name, annotation in operation.ids.items()}


def _id_schema(name: str, annotation: str) -> Schema:
    what = f"Identifier of the {name.removesuffix('_id').replace('_', ' ')}"
    if "UUID" in annotation:
        return {"type": "string", "description": "Identifier of the trade, a UUID."}
    if "summary" in annotation:
        return {"type": ["integer", "string"], "description": f'{what}, or "summary" for all of them.'}
    return {**_ID, "description": f"{what}."}


def _inputs_of(described: dict[str, Any]) -> dict[str, Schema]:
    schemas = {each["name"]: each["schema"] for each in described.get("parameters", ()) if each["in"] == "query"}
    schemas.update(_body_of(described).get("properties", {}))
    return {name: _shortened(schema) for name, schema in schemas.items()}


def _body_of(described: dict[str, Any]) -> Schema:
    """Return the schema of the body; empty if there is none."""
    body: Schema = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return body


def _shortened(schema: Any) -> Any:  # noqa: ANN401
    """Return a schema without what is left out, and with decimals as strings, because floats lose digits."""
    if is_list(schema):
        return [_shortened(each) for each in schema]
    if not is_object(schema):
        return schema
    kept = {name: _shortened(value) for name, value in schema.items() if not _is_left_out(name, value)}
    if kept.get("type") == ["number", "string"]:
        kept["type"] = "string"
    if kept.get("required") == []:
        del kept["required"]
    return kept


def _is_left_out(name: str, value: object) -> bool:
    # A property may have such a name too.
    return name in _LEFT_OUT and isinstance(value, str)
