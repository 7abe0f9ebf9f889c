"""A page of 100 bots, from the bytes of the response to Python values: five fields of each bot, or all."""

from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any

import msgspec
import orjson

from benches import responses, structs
from benches.measure import Goal, Results, Table, in_turns, need_agreement
from botdesk import DcaBot

ALL_FIELDS = msgspec.json.Decoder(list[structs.DcaBot])

ORJSON = "orjson, to dicts"
MSGSPEC = "msgspec, structs of all fields, with Decimal and datetime"

every_field = attrgetter(*structs.DcaBot.__struct_fields__)


def measure(seconds: float, results: Results) -> None:
    """Measure pages."""
    five_fields("A page of 100 bots to records, reading 5 fields of each", responses.bots(), seconds, results)
    table = five_fields("The same, some bots with an open deal", responses.bots_with_deals(), seconds, results)
    results.goals += [
        Goal(
            "page of 100 bots to records, reading 5 fields of each, against orjson to dicts, converting the same 5",
            table.ratio(ORJSON),
            at_least=4,
        ),
        Goal("the same against msgspec with Decimal and datetime", table.ratio(MSGSPEC), at_least=4.5),
    ]
    all_fields(seconds, results)


def five_fields(title: str, response: bytes, seconds: float, results: Results) -> Table:
    """Measure one page."""
    contenders: dict[str, Callable[[], list[tuple[object, ...]]]] = {
        "botdesk": lambda: attributes(DcaBot.list_from_json(response)),
        ORJSON: lambda: members(orjson.loads(response)),
        MSGSPEC: lambda: attributes(ALL_FIELDS.decode(response)),
    }
    need_agreement({name: contender() for name, contender in contenders.items()})
    about = (
        f"{len(response):,} bytes of JSON to records; then `id`, `is_enabled`, `take_profit` as Decimal, `created_at` "
        "as datetime and `name` of each. From dicts, these two are converted by hand."
    )
    return results.table(title, about, in_turns(contenders, seconds))


def all_fields(seconds: float, results: Results) -> None:
    """Measure a page whose fields are all read."""
    response = responses.bots()
    contenders = {
        "botdesk": lambda: [every_field(bot) for bot in DcaBot.list_from_json(response)],
        MSGSPEC: lambda: [every_field(bot) for bot in ALL_FIELDS.decode(response)],
    }
    table = results.table(
        "A page of 100 bots to records, reading every field",
        f"{len(response):,} bytes of JSON to records; then all {len(structs.DcaBot.__struct_fields__)} fields of each.",
        in_turns(contenders, seconds),
    )
    results.goals.append(
        Goal("reading every field of 100 bots, against msgspec", 1 / table.ratio(MSGSPEC), at_most=1.1)
    )


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
