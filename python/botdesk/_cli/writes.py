"""The command of a write: the question before it, the request, and what is printed after it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

import botdesk
from botdesk import BulkInterrupted
from botdesk._cli import exit_codes, options, output, wording
from botdesk._cli.operations import Operation, add_command, option_name
from botdesk._native import Record, _account_of, _destination, _printable, _take_last_write

if TYPE_CHECKING:
    from collections.abc import Callable

    from botdesk import BulkResult

# The maximum number of characters of a name in a question.
_LONGEST_NAME = 60


class Write(NamedTuple):
    """A write, and its prompt, such as `Disable {}`, in which the records replace `{}`."""

    operation: Operation
    prompt: str

    def question(self, client: botdesk.Client, values: dict[str, Any]) -> options.Question:
        """Return the question to confirm, such as `Disable 2 DCA bots at https://api.3commas.io, profile demo?`."""
        details = [f"  {name}: {output.dumps(value)}" for name, value in self._shown(values).items()]
        if self.operation.stakes is not None:
            details.append("  This can't be undone.")
        destination = _destination(client)
        record_ids = self.operation.records_of(values)
        if not record_ids:
            return options.Question(wording.question_of(self.operation.docstring), destination, details)
        records = [_record(self.operation, client, record_id) for record_id in record_ids]
        if len(records) == 1:
            ((label, account, stakes),) = records
            what = wording.named(self.prompt, f"{self.operation.noun} {label}")
            where = ", ".join(filter(None, [destination, account]))
            return options.Question(what, where, [*(f"  {stake}" for stake in stakes), *details])
        lines = [f"  {', '.join(filter(None, [label, account, *stakes]))}" for label, account, stakes in records]
        what = wording.named(self.prompt, f"{len(records)} {self.operation.noun}s", are_several=True)
        return options.Question(what, destination, [*lines, *details])

    def _shown(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return what the prompt does not name: the ids of parts of the record, and the inputs without secrets."""
        named = 1 if wording.PLACE in self.prompt else 0
        ids = {name: values[name] for name in list(self.operation.ids)[named:]}
        shown: dict[str, Any] = json.loads(
            _printable(output.dumps({**ids, **self.operation.arguments(values)}), secrets=False)
        )
        return shown

    def call_and_show(self, client: botdesk.Client, values: dict[str, Any], *, as_json: bool, secrets: bool) -> None:
        """Call the method, and print the record that it changed in one line, or any other result."""
        result = self.operation.call(client, values)
        record_id = next(iter(self.operation.records_of(values)), None)
        if as_json or not (result is None or _is_record(result, record_id)):
            output.show(result, as_json=as_json, secrets=secrets)
            return
        account = None if result is None else _account_of(result.to_json())
        destination = ", ".join(filter(None, [_destination(client), account]))
        line = wording.named(wording.done(self.prompt), f"{self.operation.noun} {_labelled(record_id, result)}".strip())
        output.print_lines(output.one_line(f"{line} at {destination}"))


def add(app: typer.Typer, name: str, operation: Operation, prompt: str, *, secrets: bool) -> None:
    """Add the command of a write, with its prompt; `secrets` prints secrets too."""
    write = Write(operation, prompt)

    def run(*, profile: str | None, as_json: bool, yes: bool, **values: Any) -> None:  # noqa: ANN401
        client = options.client(profile)
        values = {name: _asked(operation, name, value) for name, value in values.items()}
        options.confirm(lambda: write.question(client, values), yes=yes)
        if operation.takes_several and len(operation.records_of(values)) > 1:
            _call_many(operation, client, values, as_json=as_json)
        else:
            write.call_and_show(client, values, as_json=as_json, secrets=secrets)

    add_command(app, name, operation, run)


def _asked(operation: Operation, name: str, value: Any) -> Any:  # noqa: ANN401
    """Return the value of an option, or ask for a secret that is given as `-`."""
    if value == "-" and name in operation.inputs and operation.inputs[name].is_secret:
        return options.ask_hidden(option_name(name), "pass its value")
    return value


def _call_many(operation: Operation, client: botdesk.Client, values: dict[str, Any], *, as_json: bool) -> None:
    result = run_and_show(lambda: operation.call_many(client, values), as_json=as_json)
    raise typer.Exit(exit_codes.of_bulk_result(result))


def run_and_show(run: Callable[[], BulkResult[Any]], *, as_json: bool) -> BulkResult[Any]:
    """Run over many records, print the outcome of each, also after Ctrl-C, and return the result."""
    try:
        result = run()
    except BulkInterrupted as interrupted:
        _show_outcomes(interrupted.result, as_json=as_json)
        # The outcomes of all writes are printed, so that nothing else has to be said about them.
        _take_last_write()
        raise
    _show_outcomes(result, as_json=as_json)
    return result


def _show_outcomes(result: BulkResult[Any], *, as_json: bool) -> None:
    """Print the outcome of each record."""
    if not as_json:
        output.print_lines(str(result))
        return
    items = [
        {
            "id": item.id,
            "outcome": item.status,
            "error": None if item.error is None else str(item.error),
            "record": output.to_json_types(item.record),
        }
        for item in result
    ]
    output.show(items, as_json=True)


def _record(operation: Operation, client: botdesk.Client, record_id: int | str) -> tuple[str, str | None, list[str]]:
    """Return the id with the name, the account, and what is at stake.

    Only the id is known if the API can't return the record, or if the key may not read it.
    """
    resource = operation.of(client)
    if not hasattr(resource, "get"):
        return str(record_id), None, []
    try:
        record = resource.get(record_id)
        return _labelled(record_id, record), _account_of(record.to_json()), _stakes(operation, record)
    except (botdesk.ForbiddenError, botdesk.DecodeError):
        return str(record_id), None, []


def _stakes(operation: Operation, record: Record) -> list[str]:
    """Return the fields that say what an irreversible operation takes away."""
    fields = record.to_dict()
    return [f"{name}: {fields[name]}" for name in operation.stakes or () if name in fields]


def _is_record(result: object, record_id: int | str | None) -> bool:
    """Return True if a result is the record that was changed or created, and not something about it."""
    if not isinstance(result, Record):
        return False
    return _id(result) is not None if record_id is None else str(_id(result)) == str(record_id)


def _id(record: Record) -> Any:  # noqa: ANN401
    return record.to_dict().get("id")


def _labelled(record_id: int | str | None, record: Record | None) -> str:
    """Return the id of a record, that of a new one if it is None, and its name if it has one that can be read."""
    found: Any = record
    label = str(record_id or (_id(found) if record else ""))
    try:
        name = output.one_line(found.name or "", _LONGEST_NAME)
    except (AttributeError, botdesk.DecodeError):
        return label
    return f"{label} “{name}”"
