"""A page of 100 bots, from the bytes of the answer to five fields of each bot as Python values."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec
import orjson

from benches import answers, structs
from benches.measure import Table, in_turns, need_agreement
from botdesk import DcaBot


class FiveFields(msgspec.Struct):
    """A bot as someone writes it down who needs nothing else: what else there is, msgspec passes over."""

    id: int
    is_enabled: bool
    take_profit: Decimal | None
    created_at: datetime
    name: str


FIVE_FIELDS = msgspec.json.Decoder(list[FiveFields])
ALL_FIELDS = msgspec.json.Decoder(list[structs.DcaBot])


def tables(seconds: float) -> list[Table]:
    """Measure pages without and with deals."""
    return [
        table("A page of 100 bots, reading 5 fields of each", answers.bots(), seconds),
        table("The same, each bot with its open deals", answers.bots_with_deals(), seconds),
    ]


def table(title: str, answer: bytes, seconds: float) -> Table:
    """Measure one page."""
    contenders: dict[str, Callable[[], list[tuple[object, ...]]]] = {
        "botdesk": lambda: attributes(DcaBot.list_from_json(answer)),
        "json, to dicts": lambda: members(json.loads(answer)),
        "orjson, to dicts": lambda: members(orjson.loads(answer)),
        "msgspec, a struct of these 5 fields": lambda: attributes(FIVE_FIELDS.decode(answer)),
        "msgspec, structs of all fields": lambda: attributes(ALL_FIELDS.decode(answer)),
    }
    need_agreement({name: contender() for name, contender in contenders.items()})
    about = (
        f"{len(answer):,} bytes of JSON to records; then `id`, `is_enabled`, `take_profit` as Decimal, `created_at` as "
        "datetime and `name` of each. From dicts, these two are converted by hand."
    )
    return Table(title, about, in_turns(contenders, seconds))


def attributes(bots: Iterable[Any]) -> list[tuple[object, ...]]:
    """Read the five fields of records."""
    return [(bot.id, bot.is_enabled, bot.take_profit, bot.created_at, bot.name) for bot in bots]


def members(bots: Iterable[dict[str, Any]]) -> list[tuple[object, ...]]:
    """Read the five fields of dicts."""
    return [
        (
            bot["id"],
            bot["is_enabled"],
            None if bot["take_profit"] is None else Decimal(bot["take_profit"]),
            datetime.fromisoformat(bot["created_at"]),
            bot["name"],
        )
        for bot in bots
    ]
