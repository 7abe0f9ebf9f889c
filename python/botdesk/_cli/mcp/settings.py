"""What a person lets an agent do. Nothing that an agent sends changes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from botdesk._pairs import DOLLARS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# A limit without a currency is one in US dollars, whichever of `DOLLARS` the pair has.
DOLLAR = "USD"

_VOLUME = re.compile(r"(\d+(?:\.\d+)?)(?:\s+([^\W\d_][\w.-]*))?")
_BOT = re.compile(r"(?:(dca|grid):)?([1-9]\d*)")
_RESOURCES = {"dca": "dca_bots", "grid": "grid_bots"}


class Bot(NamedTuple):
    """A bot; the ids of DCA bots and those of grid bots are of their own."""

    resource: str
    id: int


@dataclass(frozen=True)
class Settings:
    """The limits of a server.

    Attributes:
        writes: Whether writes can be previewed and applied.
        dangerous: Whether these include the expensive and the irreversible ones.
        volumes: The most volume that the writes of an hour may add, by currency; None for no limit.
        accounts: The accounts that may be read and changed; None for all.
        bots: The bots that may be read and changed; None for all.
        writes_per_hour: The most writes in an hour.
        candles: The folders whose files may be read as candles.
        archive: The archive that reports are made from.
        tools: The names of the tools; None for the default ones, and `all` for one of each operation.
    """

    writes: bool = False
    dangerous: bool = False
    volumes: dict[str, Decimal] | None = None
    accounts: frozenset[int] | None = None
    bots: frozenset[Bot] | None = None
    writes_per_hour: int = 20
    candles: tuple[Path, ...] = ()
    archive: Path | None = None
    tools: tuple[str, ...] | None = None

    def described(self) -> list[str]:
        """Return the limits, each in one line."""
        if not self.writes:
            lines = ["nothing can be changed: the server was started without --allow-writes"]
        else:
            dangerous = "including" if self.dangerous else "without the"
            lines = [f"changes are allowed, {dangerous} expensive and irreversible ones; each is previewed first"]
            lines.append(f"at most {self.writes_per_hour} writes an hour")
        if self.writes and self.volumes is not None:
            volumes = " and ".join(f"{volume} {currency}" for currency, volume in self.volumes.items())
            lines.append(f"the writes of an hour may add at most {volumes} of volume")
        if self.accounts is not None:
            lines.append(f"only the accounts {', '.join(map(str, sorted(self.accounts)))}")
        if self.bots is not None:
            bots = ", ".join(f"{bot.resource} {bot.id}" for bot in sorted(self.bots))
            lines.append(f"only the bots {bots}")
        return lines


def volumes_of(given: Iterable[str]) -> dict[str, Decimal]:
    """Read the limits of volume, each such as `100` (in US dollars) or `0.01 BTC`.

    Raises:
        ValueError: One is no volume, or a currency is there twice.
    """
    volumes: dict[str, Decimal] = {}
    for text in given:
        found = _VOLUME.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text!r} is no volume; write it as 100 (in US dollars) or '0.01 BTC'")
        currency = currency_of(found[2] or DOLLAR)
        if currency in volumes:
            raise ValueError(f"{currency} is there twice; write one limit for each currency")
        volumes[currency] = Decimal(found[1])
    return volumes


def currency_of(quote: str) -> str:
    """Return the currency that a limit names: `USD` for those that are worth a US dollar."""
    quote = quote.upper()
    return DOLLAR if quote in DOLLARS else quote


def accounts_of(given: str) -> frozenset[int]:
    """Read the ids of accounts, such as `1001,1002`.

    Raises:
        ValueError: One is no id.
    """
    return frozenset(_id(text, "the id of an account") for text in given.split(","))


def bots_of(given: str) -> frozenset[Bot]:
    """Read bots, such as `41,grid:204`; without a prefix, the id is that of a DCA bot.

    Raises:
        ValueError: One is no bot.
    """
    bots: set[Bot] = set()
    for text in given.split(","):
        found = _BOT.fullmatch(text.strip())
        if found is None:
            raise ValueError(
                f"{text.strip()!r} is no bot; write the id of a DCA bot as 41, and of a grid bot as grid:204"
            )
        bots.add(Bot(_RESOURCES[found[1] or "dca"], int(found[2])))
    return frozenset(bots)


def _id(text: str, what: str) -> int:
    text = text.strip()
    if not text.isascii() or not text.isdecimal() or not int(text):
        raise ValueError(f"{text!r} is not {what}; write ids as 1001,1002")
    return int(text)
