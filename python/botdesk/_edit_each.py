"""Edits of many records, each with values of its own: from a table, or calculated with what a record has."""

from __future__ import annotations

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes as long as importing botdesk.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from botdesk._native import Operation


def edit_each(
    resource: Any,  # noqa: ANN401 - it has the methods of one kind of records
    operation: Operation,
    table: object,
    options: tuple[bool, int, bool | None],
    *,
    validate: bool,
) -> Any:  # noqa: ANN401
    """Read the records of a table, and edit each one with the values of its row."""
    from botdesk._tables.edits import EditTable  # noqa: PLC0415 - it takes long

    edits = EditTable.read(operation.name, table)
    targets, inputs = edits.changes(resource.iter())
    return operation._each(resource, targets, inputs, *options, validate)  # noqa: SLF001


async def edit_each_async(
    resource: Any,  # noqa: ANN401 - it has the methods of one kind of records
    operation: Operation,
    table: object,
    options: tuple[bool, int, bool | None],
    *,
    validate: bool,
) -> Any:  # noqa: ANN401
    """Read the records of a table, and edit each one: the `_async` version of `edit_each`."""
    from botdesk._tables.edits import EditTable  # noqa: PLC0415 - it takes long

    edits = EditTable.read(operation.name, table)
    targets, inputs = edits.changes([record async for record in resource.iter_async()])
    return await operation._each_async(resource, targets, inputs, *options, validate)  # noqa: SLF001


def edit_many(  # noqa: PLR0913, PLR0917 - what the generated methods have
    resource: Any,  # noqa: ANN401 - it has the methods of one kind of records
    targets: object,
    operation: Operation,
    inputs: list[Any],
    name: str,
    options: tuple[bool, int, bool | None],
    pairs: tuple[Any, Any] | None,
    *,
    validate: bool,
    unknown: dict[str, Any],
) -> Any:  # noqa: ANN401
    """Edit records, all with the same values, or each with what follows from its own."""
    if unknown or not _is_relative(operation, inputs, pairs):
        return operation._many(resource, targets, inputs, name, *options, validate=validate, unknown=unknown)  # noqa: SLF001
    from botdesk._tables.relative import RelativeEdit  # noqa: PLC0415 - it takes long

    edit = RelativeEdit(operation.name, inputs, pairs, targets)
    records = resource.iter() if edit.needs_list else [resource.get(id_) for id_ in edit.ids]
    found, changes = edit.changes(records)
    return operation._each(resource, found, changes, *options, validate)  # noqa: SLF001


async def edit_many_async(  # noqa: PLR0913, PLR0917 - what the generated methods have
    resource: Any,  # noqa: ANN401 - it has the methods of one kind of records
    targets: object,
    operation: Operation,
    inputs: list[Any],
    name: str,
    options: tuple[bool, int, bool | None],
    pairs: tuple[Any, Any] | None,
    *,
    validate: bool,
    unknown: dict[str, Any],
) -> Any:  # noqa: ANN401
    """Edit records, all with the same values, or each with what follows from its own: see `edit_many`."""
    if unknown or not _is_relative(operation, inputs, pairs):
        return await operation._many_async(  # noqa: SLF001
            resource, targets, inputs, name, *options, validate=validate, unknown=unknown
        )
    from botdesk._tables.relative import RelativeEdit  # noqa: PLC0415 - it takes long

    edit = RelativeEdit(operation.name, inputs, pairs, targets)
    if edit.needs_list:
        records = [record async for record in resource.iter_async()]
    else:
        records = [await resource.get_async(id_) for id_ in edit.ids]
    found, changes = edit.changes(records)
    return await operation._each_async(resource, found, changes, *options, validate)  # noqa: SLF001


def _is_relative(operation: Operation, inputs: list[Any], pairs: tuple[Any, Any] | None) -> bool:
    """Return True if pairs are added or removed, or if an input is a calculation with the current value."""
    if pairs and any(pairs):
        return True
    if not any(isinstance(value, str) and value.lstrip().startswith(("*", "+")) for value in inputs):
        return False
    from botdesk._tables.relative import has_calculation  # noqa: PLC0415 - it takes long

    return has_calculation(operation.name, inputs)


def export(resource: Any, operation: Operation, path: str | PathLike[str]) -> int:  # noqa: ANN401
    """Write the settings of all records to a file."""
    from botdesk._tables.edits import write_settings  # noqa: PLC0415 - it takes long

    return write_settings(operation.name, resource.iter(), path)


async def export_async(resource: Any, operation: Operation, path: str | PathLike[str]) -> int:  # noqa: ANN401
    """Write the settings of all records to a file: the `_async` version of `export`."""
    from botdesk._tables.edits import write_settings  # noqa: PLC0415 - it takes long

    return write_settings(operation.name, [record async for record in resource.iter_async()], path)
