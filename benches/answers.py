"""What the service answers: taken from the sandbox, so that it is what botdesk's own tests see."""

from collections.abc import Iterable
from functools import cache

import botdesk

BOTS = 100

# The one bot that is asked for, under whatever id.
BOT = 41


@cache
def bot() -> bytes:
    """Answer with one bot and its open deals."""
    with botdesk.Sandbox() as sandbox:
        return sandbox.client().dca_bots.get(BOT).to_json().encode()


@cache
def bots() -> bytes:
    """Answer with a page of bots, without deals, as a list has them."""
    with botdesk.Sandbox(bots=BOTS) as sandbox:
        page = sandbox.client().dca_bots.list(limit=BOTS)
    return array(bot.to_json() for bot in page)


@cache
def bots_with_deals() -> bytes:
    """Answer with a page of bots, each with its open deals."""
    with botdesk.Sandbox(bots=BOTS) as sandbox:
        client = sandbox.client()
        return array(client.dca_bots.get(bot.id).to_json() for bot in client.dca_bots.list(limit=BOTS) if bot.id)


def array(texts: Iterable[str]) -> bytes:
    """Join JSON texts to an array."""
    return f"[{','.join(texts)}]".encode()
