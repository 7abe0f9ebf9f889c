"""The archive: a first sync, one that finds nothing new, and a table, also of about ten times as many records."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

import botdesk
from benches.measure import Results, Turn, in_turns, timed

# Bots of the sandbox; each has about twenty deals.
FEW, MANY = 100, 1_000
ROUNDS = 3


def measure(seconds: float, results: Results) -> None:
    """Measure archives of sandboxes in this process."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        desks = [Desk(stack.enter_context(botdesk.Sandbox(bots=bots)), folder, bots) for bots in (FEW, MANY)]
        results.table(
            "A record in the first sync of an archive",
            "Deals, SmartTrades, trades, bots and profits of grids into a new file; the time of the sandbox is in it.",
            in_turns({desk.name: desk.first_sync for desk in desks}, seconds, rounds=ROUNDS),
        )
        results.table(
            "A sync that finds nothing new",
            "One request for each list; the time of the sandbox is in it.",
            in_turns({desk.name: desk.sync for desk in desks}, seconds),
        )
        results.table(
            "A deal of an archive in a table",
            '`archive.deals(decimals="text")`, read by pyarrow.',
            in_turns({desk.name: desk.table for desk in desks}, seconds),
        )


class Desk:
    """A sandbox, its archive, and the number of its records."""

    def __init__(self, sandbox: botdesk.Sandbox, folder: Path, bots: int) -> None:
        self.client = sandbox.client().with_options(rate_limit=None)
        self.folder, self.files = folder / str(bots), 0
        self.folder.mkdir()
        self.archive = self.new_archive()
        self.records = sum(counts["new"] for counts in self.archive.sync(self.client).counts.values())
        self.deals = pa.table(self.archive.deals(decimals="text")).num_rows
        self.name = f"{self.records:,} records"

    def new_archive(self) -> botdesk.Archive:
        """Return an archive in a new file."""
        self.files += 1
        return botdesk.Archive(self.folder / f"{self.files}.sqlite")

    def first_sync(self) -> Turn:
        """Sync into a new file; return the time of a record."""
        archive = self.new_archive()
        return timed(lambda: archive.sync(self.client), 1, self.records)

    def sync(self) -> Turn:
        """Sync again."""
        return timed(lambda: self.archive.sync(self.client), 1, 1)

    def table(self) -> Turn:
        """Read all deals; return the time of one."""
        return timed(lambda: pa.table(self.archive.deals(decimals="text")), 1, self.deals)
