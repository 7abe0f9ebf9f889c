"""The ledger: what the script meant to write, compared with the writes that the sandbox carried out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import botdesk

if TYPE_CHECKING:
    from collections.abc import Sequence

Outcome = Literal["done", "failed", "unknown"]

# These are sent as a POST, and change nothing.
_READS = ("/account_table_data",)
# A write after which these are raised may have been carried out: docs/reliability.md.
_UNKNOWN = (botdesk.OutcomeUnknownError, botdesk.ServerError, botdesk.DecodeError)
_TIMES: dict[Outcome, tuple[int, ...]] = {"done": (1,), "failed": (0,), "unknown": (0, 1)}


def outcome_of(error: Exception | None) -> Outcome:
    """Return what an error says about the write that raised it."""
    if error is None:
        return "done"
    return "unknown" if isinstance(error, _UNKNOWN) else "failed"


@dataclass
class Ledger:
    """Counts each write that was carried out once: as what the script meant, or as an error.

    A key is a part of the path or of the body that no other write of the same step has.
    """

    sandbox: botdesk.Sandbox
    _read: int = 0
    _expected: dict[str, Outcome] = field(default_factory=dict[str, Outcome])

    def expect(self, key: str, outcome: Outcome) -> None:
        """Note what the client reported about a write."""
        assert key not in self._expected, f"the step meant {key} twice"
        self._expected[key] = outcome

    def revise(self, key: str, outcome: Outcome) -> None:
        """Note what the client reported about a write that was unknown until now."""
        assert self._expected.pop(key) == "unknown"
        self.expect(key, outcome)

    def settle(self) -> dict[str, int]:
        """Compare what was carried out since the last time; return how often each key was."""
        requests: Sequence[botdesk.ReceivedRequest] = self.sandbox.requests
        writes = [_text(request) for request in requests[self._read :] if _is_write(request)]
        self._read = len(requests)
        expected, self._expected = self._expected, {}
        found = {key: [write for write in writes if key in write] for key in expected}
        for key, outcome in expected.items():
            times = len(found[key])
            assert times in _TIMES[outcome], f"{key} was carried out {times} times, and reported as {outcome}: {writes}"
        meant = [write for key in found for write in found[key]]
        assert sorted(meant) == sorted(writes), f"the script did not mean {set(writes) - set(meant)}"
        return {key: len(found[key]) for key in found}


def _is_write(request: botdesk.ReceivedRequest) -> bool:
    return request.carried_out and request.method != "GET" and not request.path.endswith(_READS)


def _text(request: botdesk.ReceivedRequest) -> str:
    return f"{request.method} {request.path}? {request.query or ''} {request.body}"
