"""The other machine: a process of its own with the same key, budget and archive, which may be killed at a response.

It is run as a script; its argument is a task in JSON, and its output the outcome in JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from typing import Any

import botdesk
from botdesk._archive import kinds

# Small pages, so that a sync has many.
PAGE = 7
_SMALL = {"trades": 2}


def small_pages(sizes: dict[str, int] | None = None) -> dict[str, int]:
    """Make the pages of the archive small, or give them these sizes; return the sizes before."""
    before = {kind.name: kind.size for kind in kinds.KINDS}
    for kind in kinds.KINDS:
        vars(kind)["size"] = (sizes or _SMALL).get(kind.name, PAGE)
    return before


def connect(access: dict[str, Any], **options: Any) -> botdesk.Client:  # noqa: ANN401
    """Return a client with the key and the budget that the machines share."""
    return botdesk.Client(
        access["key"],
        secret=access["secret"],
        base_url=access["url"],
        rate_limit=botdesk.RateLimit(access["limit"], per=3600, shared=True),
        wait=False,
        retries=botdesk.RetryPolicy(2, backoff=0),
        **options,
    )


def outcomes(result: Any) -> list[tuple[str, str]]:  # noqa: ANN401
    """Return the title and the status of each item of a bulk run."""
    return [(item.title, item.status) for item in result]


def spend(client: botdesk.Client) -> int:
    """Read until the budget is spent; return the number of reads."""
    for number in range(100_000):
        try:
            client.accounts.list(page=1, per_page=1)
        except botdesk.RateLimitedError:
            return number
    raise AssertionError("the budget is never spent")


def run(client: botdesk.Client, task: dict[str, Any]) -> Any:  # noqa: ANN401
    """Carry out the task."""
    match task["action"]:
        case "sync":
            botdesk.Archive(task["archive"]).sync(client)
            return None
        case "edit_each":
            return outcomes(client.dca_bots.edit_each(task["table"], progress=False, concurrency=task["concurrency"]))
        case "create_each":
            return outcomes(client.dca_bots.create_each(task["table"], skip_existing=True).create())
        case _:
            return spend(client)


def main(task: dict[str, Any]) -> None:
    """Run the task; print its outcome, or that the budget is spent."""
    responses = 0

    def count(_: object) -> None:
        nonlocal responses
        responses += 1
        if responses == task["killed_at"]:
            os.kill(os.getpid(), signal.SIGKILL)

    warnings.simplefilter("ignore")
    small_pages()
    try:
        outcome = run(connect(task["access"], on_response=count), task)
    except botdesk.RateLimitedError:
        outcome = "spent"
    sys.stdout.write(json.dumps(outcome))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
