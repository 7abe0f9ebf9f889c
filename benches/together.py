"""Many asyncio calls at once: 64 tasks over kept-alive connections to a server on this machine."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from itertools import count

import orjson
from cryptography.hazmat.primitives.asymmetric import rsa

from benches import peers, responses, rust
from benches.calls import client
from benches.measure import Contender, Goal, Results, Row, in_turns

TASKS = 64

# The number of bots that a task fetches in a turn; of pages, one.
EACH_BOT = 4

# Fetches the bot or page with this number.
Call = Callable[[int], Awaitable[object]]

BARE = "aiohttp, neither signing nor decoding"
JSON = "aiohttp + cryptography + json"


def measure(seconds: float, results: Results) -> None:
    """Measure concurrent calls, all contenders in one event loop."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with rust.serving(responses.bot(), responses.bots_with_deals()) as url, asyncio.Runner() as runner:
        account = peers.Account(url, "key", key)
        # A session belongs to the loop that it is made in, here the runner's.
        sessions: list[peers.Aiohttp] = []
        small(account, runner, sessions, seconds, results)
        pages(account, runner, sessions, seconds, results)
        for session in sessions:
            runner.run(session.close())


def small(
    account: peers.Account, runner: asyncio.Runner, sessions: list[peers.Aiohttp], seconds: float, results: Results
) -> None:
    """Fetch one bot."""
    ours = client(account)
    bare = peers.Aiohttp(account, None, signs=False)
    plain = peers.Aiohttp(account, json.loads)
    sessions += [bare, plain]

    async def name(bot_id: int) -> object:
        return (await ours.dca_bots.get_async(bot_id)).name

    known = results.table(
        f"{TASKS} asyncio calls at once, signature known",
        "The same bot (about 4 KB of JSON) in every call; its name is read. The time is the mean per call.",
        compete(
            runner,
            {
                "botdesk": lambda _: name(1),
                BARE: lambda _: bare.get(peers.bot_path(1)),
            },
            EACH_BOT,
            seconds,
        ),
    )
    new = results.table(
        f"{TASKS} asyncio calls at once, new signatures",
        "Every call has another id, so it needs a new RSA-2048 signature. Otherwise as above.",
        compete(
            runner,
            {
                "botdesk": name,
                JSON: lambda bot_id: plain.get(peers.bot_path(bot_id)),
            },
            EACH_BOT,
            seconds,
        ),
    )
    results.goals += [
        Goal(
            "64 asyncio calls at once, small, signature known, against aiohttp that neither signs nor decodes",
            known.ratio(BARE),
            at_least=1.4,
        ),
        Goal(
            "64 asyncio calls at once, small, new signatures, against aiohttp + cryptography",
            new.ratio(JSON),
            at_least=1.4,
        ),
    ]


def pages(
    account: peers.Account, runner: asyncio.Runner, sessions: list[peers.Aiohttp], seconds: float, results: Results
) -> None:
    """Fetch pages of bots."""
    ours = client(account)
    plain = peers.Aiohttp(account, json.loads)
    fast = peers.Aiohttp(account, orjson.loads)
    sessions += [plain, fast]
    table = results.table(
        f"{TASKS} asyncio pages of 100 bots at once, new signatures",
        f"{len(responses.bots_with_deals()):,} bytes of JSON each; the time is the mean per page.",
        compete(
            runner,
            {
                "botdesk": lambda offset: ours.dca_bots.list_async(limit=responses.BOTS, offset=offset),
                JSON: lambda offset: plain.get(peers.page_path(offset)),
                "aiohttp + cryptography + orjson": lambda offset: fast.get(peers.page_path(offset)),
            },
            1,
            seconds,
        ),
    )
    results.goals.append(
        Goal(
            "100-bot pages, 64 at once, new signatures, against aiohttp + json + cryptography",
            table.ratio(JSON),
            at_least=4,
        )
    )


def compete(runner: asyncio.Runner, calls: Mapping[str, Call], each: int, seconds: float) -> list[Row]:
    """Run all contenders in turns in one loop."""
    contenders: dict[str, Contender] = {name: turn(runner, call, each) for name, call in calls.items()}
    return in_turns(contenders, seconds, calls=TASKS * each)


def turn(runner: asyncio.Runner, call: Call, each: int) -> Contender:
    """Make a turn: tasks that each send some requests in order."""
    numbers = count(1)

    async def task() -> None:
        for _ in range(each):
            await call(next(numbers))

    async def tasks() -> None:
        await asyncio.gather(*(task() for _ in range(TASKS)))

    return lambda: runner.run(tasks())
