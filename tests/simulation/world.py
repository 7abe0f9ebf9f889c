"""The world of one history: a sandbox, two machines with one key, an archive and a stream.

All choices follow a seed.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import botdesk

from .follower import Follower
from .ledger import Ledger, outcome_of
from .machine import connect

if TYPE_CHECKING:
    from collections.abc import Callable

_MACHINE = Path(__file__).with_name("machine.py")
# The requests of both machines in a history.
_BUDGETS = (300, 400, 500, 600)
_PRICES = {"USDT_ETH": Decimal(2000), "USDT_SOL": Decimal(100), "USDT_XRP": Decimal("0.5")}
MONEY = {
    "bots": {"USDT": Decimal(20_000)},
    "trades": {"USDT": Decimal(20_000), "ETH": Decimal(10)},
    "grids": {"USDT": Decimal(20_000), "ETH": Decimal(10)},
}
_STATUS = {"kind": "status"}
_WRITE_FAULTS: tuple[dict[str, Any], ...] = (
    _STATUS | {"status": 500},
    _STATUS | {"status": 503},
    _STATUS | {"status": 422},
    _STATUS | {"status": 409},
    _STATUS | {"status": 429, "retry_after": "0"},
    {"kind": "close_before"},
    {"kind": "close_after"},
    {"kind": "cut_body"},
    {"kind": "wrong_json"},
    {"kind": "redirect"},
)
_READ_FAULTS: tuple[dict[str, Any], ...] = (
    _STATUS | {"status": 503},
    _STATUS | {"status": 502, "times": 3},
    {"kind": "close_after"},
    {"kind": "cut_body", "times": 4},
    {"kind": "bad_utf8"},
)


def status_of(trade: Any) -> str:  # noqa: ANN401 - a SmartTrade whose status is known
    """Return the status of a SmartTrade."""
    return str(trade.status.basic_type)


class BudgetSpentError(Exception):
    """The machines may send no more requests; the history ends."""


class World:
    """What the steps of a history change, and the checks read."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed, self.folder = seed, folder
        self.random = random.Random(seed)  # noqa: S311 - a history, no secret
        fee = self.random.choice(("0", "0.001"))
        self.sandbox = botdesk.Sandbox(seed=seed, bots=0, fee=fee, balances=dict.fromkeys(("USDT", "ETH"), 100_000))
        self.accounts = {name: self.sandbox.add_account(name=name, balances=money) for name, money in MONEY.items()}
        self.prices = dict(_PRICES)
        for pair, price in self.prices.items():
            self.sandbox.set_price(pair, price)
        key, secret = self.sandbox.add_key(secret=True)
        self.limit = self.random.choice(_BUDGETS)
        self.access = {"key": key, "secret": secret, "url": self.sandbox.url, "limit": self.limit}
        self.client = connect(self.access)
        self.audits = 0
        self.auditor = self.client.with_options(rate_limit=None, wait=True, on_request=self._count_audit)
        self.ledger = Ledger(self.sandbox)
        self.journal: list[str] = []
        self.bots: dict[str, int] = {}
        self.removed: dict[str, set[int]] = {"dca_bots": set(), "grid_bots": set()}
        self.archive = botdesk.Archive(folder / "desk.sqlite")
        self.first_statuses = {trade.id: status_of(trade) for trade in self.all_smart_trades()}
        self.follower = Follower(self.client, folder / "stream.json", every=self.random.choice((1, 2, 5)))
        self._numbers = 0
        self._processes: list[subprocess.Popen[str]] = []

    def close(self) -> None:
        """End the other machine, the stream and the sandbox."""
        with ExitStack() as stack:
            stack.callback(self.sandbox.close)
            stack.callback(self.archive.close)
            stack.callback(self.follower.end)
            for process in self._processes:
                process.kill()
                process.communicate()

    def wait_for_machines(self) -> None:
        """Wait for the processes of steps that ended early."""
        for process in self._processes:
            process.communicate()
        self._processes.clear()

    def _count_audit(self, _: object) -> None:
        self.audits += 1

    def all_smart_trades(self) -> list[botdesk.SmartTrade]:
        """Return all SmartTrades of the service, which no budget limits."""
        return list(self.auditor.smart_trades.iter(status="all"))

    def number(self) -> int:
        """Return a number that the history has not had."""
        self._numbers += 1
        return self._numbers

    def chance(self, share: float) -> bool:
        """Return True in this share of the calls."""
        return self.random.random() < share

    def some(self, found: list[Any], most: int) -> list[Any]:
        """Return some of these, in random order."""
        return self.random.sample(found, min(len(found), self.random.randint(1, most)))

    def fault(self, operation: str, share: float = 0.35) -> None:
        """Let one of the next requests of an operation fail, in this share of the calls."""
        if self.chance(share):
            reads = operation.endswith((".list", ".history", ".profits"))
            options = self.random.choice(_READ_FAULTS if reads else _WRITE_FAULTS)
            self.journal.append(f"  a fault of {operation}: {options}")
            self.sandbox.faults.add(operation, **options)

    def write(self, key: str, call: Callable[[botdesk.Client], Any], made: Callable[[Any], bool] | None = None) -> bool:
        """Send one write. Return whether it was carried out; the client must have reported that.

        Args:
            key: What only this write has in its path or body.
            call: Sends it with the client that it is given.
            made: Whether a record that `OutcomeUnknownError.resolve()` finds is what the write makes, if it makes one.
        """
        error: botdesk.BotdeskError | None = None
        try:
            call(self.client)
        except botdesk.BotdeskError as raised:
            error = raised
        self.journal.append(f"  {key}: {error!r}"[:200])
        self.ledger.expect(key, outcome_of(error))
        is_done = self.ledger.settle()[key] == 1
        self.raise_if_spent(error)
        if isinstance(error, botdesk.OutcomeUnknownError) and made is not None:
            found = [record for record in error.resolve() if made(record)]
            assert len(found) == is_done, f"resolve() found {found}; carried out: {is_done}"
        return is_done

    def raise_if_spent(self, error: BaseException | None) -> None:
        """End the history if the budget is spent."""
        if _is_spent(error):
            raise BudgetSpentError from error

    def raise_unless_spent(self, error: BaseException) -> None:
        """Raise an error that is not the end of the budget."""
        if not isinstance(error, BudgetSpentError) and not _is_spent(error):
            raise error
        self.journal.append("the budget is spent")

    def machine(self, action: str, *, killed_at: int = 0, **task: Any) -> subprocess.Popen[str]:  # noqa: ANN401
        """Start the other machine with a task; `killed_at` is the response at which it is killed, 0 for none."""
        text = json.dumps({"action": action, "killed_at": killed_at, "access": self.access, **task}, default=str)
        process = subprocess.Popen([sys.executable, str(_MACHINE), text], stdout=subprocess.PIPE, text=True)
        self._processes.append(process)
        return process

    def outcome(self, process: subprocess.Popen[str]) -> Any:  # noqa: ANN401
        """Return what the other machine printed at its end; None if it was killed."""
        output, _ = process.communicate()
        self._processes.remove(process)
        if process.returncode == -signal.SIGKILL:
            # The sandbox has read what the process sent last before it responds to two more requests.
            for _ in range(2):
                self.auditor.accounts.list(page=1, per_page=1)
            return None
        assert process.returncode == 0, f"the other machine ended with {process.returncode}: {output}"
        found = json.loads(output)
        if found == "spent":
            self.ledger.settle()
            raise BudgetSpentError
        return found


def _is_spent(error: BaseException | None) -> bool:
    return isinstance(error, botdesk.RateLimitedError) and "was not sent" in str(error)
