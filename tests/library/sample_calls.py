"""A sample call of every operation, which succeeds in a new sandbox. Tests take their calls from here.

The samples are in `tests/reference/*.toml`, beside what the API reference says of the operations.
"""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._native import Operation

if TYPE_CHECKING:
    from collections.abc import Callable

    import botdesk

FOLDER = Path(__file__).parents[1] / "reference"
# The reference of each resource.
FILES: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))
}
# Inputs that are secrets, by their name.
SECRETS = {"api_key", "secret", "passphrase", "customer_id", "address"}


class Sample(NamedTuple):
    """The arguments of a call."""

    arguments: dict[str, Any]
    # The id of a record that every new sandbox has; None for an operation that takes no id.
    record_id: int | str | None


SAMPLES: dict[str, Sample] = {
    f"{resource}.{verb}": Sample(sample.get("arguments", {}), sample.get("id"))
    for resource, file in FILES.items()
    for verb, sample in file.get("samples", {}).items()
}


def reference(operation: str) -> dict[str, Any]:
    """Return what the API reference says of an operation."""
    resource, _, verb = operation.partition(".")
    says: dict[str, Any] = FILES[resource]["operations"][verb]
    return says


def writes(operation: str) -> bool:
    """Return True if an operation is not a read. Some operations only read, although their method is POST."""
    return Operation(operation).effect == "write"


def invoke(owner: object, method: str, *args: object, awaited: bool = False, **arguments: object) -> Any:  # noqa: ANN401
    """Call a method, or its `_async` version with `asyncio.run`."""
    if awaited:
        return asyncio.run(getattr(owner, f"{method}_async")(*args, **arguments))
    return getattr(owner, method)(*args, **arguments)


def owner_of(client: botdesk.Client, operation: str) -> Any:  # noqa: ANN401
    """Return the object that has the method of an operation: a resource, or the client itself."""
    resource = operation.partition(".")[0]
    return client if resource == "general" else getattr(client, resource)


def call(
    client: botdesk.Client,
    operation: str,
    *,
    record_id: object = ...,
    awaited: bool = False,
    left_out: tuple[str, ...] = (),
    **changes: object,
) -> Any:  # noqa: ANN401
    """Make the sample call of an operation, without some arguments; `record_id` and `changes` replace others."""
    method = operation.partition(".")[2]
    given, sample_id = SAMPLES[operation]
    arguments = {name: value for name, value in given.items() if name not in left_out}
    identifier = () if sample_id is None else (sample_id if record_id is ... else record_id,)
    return invoke(owner_of(client, operation), method, *identifier, awaited=awaited, **{**arguments, **changes})


def prepare(
    client: botdesk.Client,
    operation: str,
    *,
    record_id: object = ...,
    awaited: bool = False,
    **changes: Any,  # noqa: ANN401
) -> Callable[[], Any]:
    """Return the sample call as a function that sends one request.

    An edit reads its record first, which is a request of its own. So the record is read before the function returns.
    """
    resource, _, verb = operation.partition(".")
    if "reads" not in FILES[resource]["samples"][verb] or SAMPLES[operation].record_id is None:
        return lambda: call(client, operation, record_id=record_id, awaited=awaited, **changes)
    bot = call(client, f"{resource}.get", record_id=SAMPLES[operation].record_id if record_id is ... else record_id)
    return lambda: invoke(bot, "edit", awaited=awaited, **{**SAMPLES[operation].arguments, **changes})
