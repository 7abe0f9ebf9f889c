"""SmartTrades from short forms: the methods of `_methods.py` call these functions."""

# ruff: noqa: SLF001 - `Operation` has these methods for the modules of the package

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from botdesk import _smart_forms
from botdesk._native import Operation, Record
from botdesk._types import UNSET
from botdesk.errors import ApiError, ValidationError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Mapping, Sequence

    from botdesk._native import Resource

CREATE = Operation("smart_trades.create")
EDIT = Operation("smart_trades.edit")
GET = Operation("smart_trades.get")
_OPERATIONS = {operation.name: operation for operation in (CREATE, EDIT)}


@contextmanager
def converted(
    owner: Record | Resource, name: str, inputs: Sequence[Any], ids: tuple[int, ...], more: Mapping[str, Any]
) -> Generator[list[Any]]:
    """Yield the inputs for the arguments of an operation; errors within name the arguments as they were written."""
    given = arguments(name, inputs, more)
    made = api_inputs(name, given)
    if _edits_entry(name, made):
        _smart_forms.check_edited_entry(given, made, _read(owner) or GET._ask(owner, [], *ids).to_dict())
    with errors_by_argument(given):
        yield ordered(name, made)


@asynccontextmanager
async def converted_async(
    owner: Record | Resource, name: str, inputs: Sequence[Any], ids: tuple[int, ...], more: Mapping[str, Any]
) -> AsyncGenerator[list[Any]]:
    """Yield the inputs for the arguments of an operation; see `converted`."""
    given = arguments(name, inputs, more)
    made = api_inputs(name, given)
    if _edits_entry(name, made):
        _smart_forms.check_edited_entry(given, made, _read(owner) or (await GET._ask_async(owner, [], *ids)).to_dict())
    with errors_by_argument(given):
        yield ordered(name, made)


def _edits_entry(name: str, inputs: Mapping[str, Any]) -> bool:
    """Return whether an edit is about the price or the condition of the entry, whose type it has to suit."""
    position = inputs.get("position")
    return name == EDIT.name and isinstance(position, dict) and bool({"conditional", "price"} & position.keys())


def _read(owner: Record | Resource) -> dict[str, Any] | None:
    """Return the SmartTrade that is edited; None if only its identifier is known."""
    return owner.to_dict() if isinstance(owner, Record) else None


def arguments(name: str, inputs: Sequence[Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given: inputs in the order of their rows, and others."""
    given = {**dict(zip(_OPERATIONS[name]._input_names(), inputs, strict=True)), **more}
    return {argument: value for argument, value in given.items() if value is not None and value is not UNSET}


def api_inputs(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of the API for arguments."""
    convert = _smart_forms.inputs_of_new if name == CREATE.name else _smart_forms.inputs_of_edit
    return convert(given)


def body_of_new(given: Mapping[str, Any]) -> str:
    """Return the body of a request that creates a SmartTrade, from arguments that keep its rules."""
    with errors_by_argument(given):
        return CREATE._body(ordered(CREATE.name, api_inputs(CREATE.name, given)))


def ordered(name: str, inputs: Mapping[str, Any]) -> list[Any]:
    """Return the inputs in the order of their rows."""
    return [inputs.get(each, UNSET) for each in _OPERATIONS[name]._input_names()]


@contextmanager
def errors_by_argument(given: Mapping[str, Any]) -> Generator[None]:
    """Name the arguments that the user wrote in errors of the rules and of the service."""
    try:
        yield
    except ValidationError as error:
        named = _smart_forms.named_by_user(error.errors, given)
        if named == error.errors:
            raise
        listed = "; ".join(f"{name}: {message}" for name, messages in named.items() for message in messages)
        raise ValidationError(f"validation failed: {listed}", errors=named) from error
    except ApiError as error:
        # `error_attributes` keeps the names of the service.
        named = _smart_forms.named_by_user(error.inputs, given)
        if named != error.inputs:
            error.inputs = named
            error.add_note(f"arguments: {', '.join(named)}")
        raise
