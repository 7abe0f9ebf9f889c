"""Edits of many records, each with values of its own, from a table."""

from __future__ import annotations

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes longer than the rest of the import.
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
    from botdesk._tables.edits import EditTable  # noqa: PLC0415 - it takes longer than the rest of the import

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
    from botdesk._tables.edits import EditTable  # noqa: PLC0415 - it takes longer than the rest of the import

    edits = EditTable.read(operation.name, table)
    targets, inputs = edits.changes([record async for record in resource.iter_async()])
    return await operation._each_async(resource, targets, inputs, *options, validate)  # noqa: SLF001


def export(resource: Any, operation: Operation, path: str | PathLike[str]) -> int:  # noqa: ANN401
    """Write the settings of all records to a file."""
    from botdesk._tables.edits import write_settings  # noqa: PLC0415 - it takes longer than the rest of the import

    return write_settings(operation.name, resource.iter(), path)


async def export_async(resource: Any, operation: Operation, path: str | PathLike[str]) -> int:  # noqa: ANN401
    """Write the settings of all records to a file: the `_async` version of `export`."""
    from botdesk._tables.edits import write_settings  # noqa: PLC0415 - it takes longer than the rest of the import

    return write_settings(operation.name, [record async for record in resource.iter_async()], path)
