"""The responses of the benchmarks' server, taken from the sandbox so that botdesk's own tests cover them too."""

import json
from functools import cache
from itertools import cycle
from typing import Any

import botdesk

BOTS = 100

# Returned for every id.
BOT = 41

# The numbers of open deals of the bots, repeated: a page of them has about 300 KB.
DEALS = (1, 0, 0, 1, 0)


@cache
def bot() -> bytes:
    """Return one bot and one open deal: about 4 KB."""
    return text(bots_with(cycle((1,)), 1)[0])


@cache
def bots() -> bytes:
    """Return a page of bots without deals, as in a list."""
    return text(bots_with(cycle((0,)), BOTS))


@cache
def bots_with_deals() -> bytes:
    """Return a page of bots, some with an open deal."""
    return text(bots_with(cycle(DEALS), BOTS))


def bots_with(deals: "cycle[int]", bots: int) -> list[dict[str, Any]]:
    """Make bots with these numbers of open deals."""
    with botdesk.Sandbox(bots=bots) as sandbox:
        client = sandbox.client()
        pattern = json.loads(client.dca_bots.get(BOT).to_json())["active_deals"]
        page: list[dict[str, Any]] = [json.loads(bot.to_json()) for bot in client.dca_bots.list(limit=bots)]
    return [{**bot, "active_deals": (pattern * 2)[:some]} for bot, some in zip(page, deals, strict=False)]


def text(value: object) -> bytes:
    """Write JSON as the service does, without spaces."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
