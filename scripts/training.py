"""The training run of profile-guided optimisation: read, edit and backtest bots as a typical script does.

`maturin build --pgo` builds botdesk with counters, runs this script, and builds botdesk again with the counts. The
script needs no other package.
"""

import asyncio
import random
from itertools import count
from typing import Any

import botdesk

ROUNDS = 150
BOTS = 300
# Rounds of backtests. More rounds make the wheel larger, but backtests no faster.
BACKTESTS = 4
# Requests in flight at once.
AT_ONCE = 64
# Changes and errors are rare; most calls read.
RARELY = 10
# The candles of a backtest, and their length in milliseconds.
CANDLES = 20_000
MINUTE = 60_000
# The attributes of a bot: its fields.
FIELDS = [name for name, member in vars(botdesk.DcaBot).items() if type(member) is type(botdesk.DcaBot.name)]


def main() -> None:
    """Read bots in all the usual ways, edit some, and backtest others."""
    with botdesk.Sandbox(bots=BOTS) as sandbox:
        client = sandbox.client().with_options(rate_limit=None)
        some = [bot.id for bot in client.dca_bots.list(limit=AT_ONCE) if bot.id is not None]
        for number in range(ROUNDS):
            look(client, number, some)
            if number % RARELY == 0:
                change(client, number, some)
        asyncio.run(look_at_once(client, some))
    candles = botdesk.Candles(random_walk())
    for _ in range(BACKTESTS):
        backtest(candles)


def look(client: botdesk.Client, number: int, some: list[int]) -> None:
    """Fetch pages, new and known ones, and bots with their deals; read a few fields, or all in two ways."""
    page = client.dca_bots.list(limit=100, offset=number)
    response = "[" + ",".join(bot.to_json() for bot in page) + "]"
    for bots in (page, client.dca_bots.list(limit=100), botdesk.DcaBot.list_from_json(response)):
        for bot in bots:
            _ = (bot.id, bot.is_enabled, bot.take_profit, bot.created_at, bot.name)
    for bot in botdesk.DcaBot.list_from_json(response):
        bot.to_dict()
        for name in FIELDS:
            getattr(bot, name)
    for bot_id in (some[0], some[number % len(some)]):
        for deal in client.dca_bots.get(bot_id).active_deals or ():
            deal.to_dict()


def change(client: botdesk.Client, number: int, some: list[int]) -> None:
    """Edit bots, one and many; fetch one that does not exist."""
    client.dca_bots.edit(some[0], cooldown=60 + number)
    client.dca_bots.edit_many(some[:5], cooldown=60 + number)
    try:
        client.dca_bots.get(10**9)
    except botdesk.NotFoundError:
        pass
    else:
        raise AssertionError


async def look_at_once(client: botdesk.Client, some: list[int]) -> None:
    """Fetch many bots, and many pages, concurrently."""
    numbers = count()
    for _ in range(ROUNDS // RARELY):
        await asyncio.gather(*(client.dca_bots.get_async(bot_id) for bot_id in some))
        offsets = [next(numbers) % BOTS for _ in range(AT_ONCE)]
        await asyncio.gather(*(client.dca_bots.list_async(limit=100, offset=offset) for offset in offsets))


def backtest(candles: botdesk.Candles) -> None:
    """Backtest bots with several kinds of orders, and try values of two settings."""
    ladder = {
        "base_order_volume": 20,
        "safety_order_volume": 25,
        "max_safety_orders": 6,
        "safety_order_step_percentage": "0.4",
        "martingale_volume_coefficient": "1.3",
    }
    for more in (
        {"take_profit": "0.5"},
        {"take_profit": "0.5", "strategy": "short", "base_order_volume_type": "base_currency", "base_order_volume": 1},
        {"take_profit": "0.5", "trailing_enabled": True, "trailing_deviation": "0.2", "cooldown": 600},
        {"take_profit": 1, "stop_loss_percentage": 3},
    ):
        fields: Any = ladder | more
        result = botdesk.backtest(candles, fee="0.001", **fields)
        _ = (result.summary.profit, len(result.deals), len(result.orders), len(result.equity))
    values: Any = {"take_profit": ["0.4", "0.6"], "max_safety_orders": range(2, 7)}
    botdesk.sweep(ladder, candles, values, fee="0.001").best(1)


def random_walk() -> list[list[float]]:
    """Return candles of a random walk."""
    wander = random.Random(1)  # noqa: S311 (prices, no secrets)
    cents = 10_000
    result: list[list[float]] = []
    for minute in range(CANDLES):
        open_, cents = cents, cents + wander.randint(-20, 20)
        high, low = max(open_, cents) + wander.randint(0, 9), min(open_, cents) - wander.randint(0, 9)
        result.append([minute * MINUTE, open_ / 100, high / 100, low / 100, cents / 100])
    return result


if __name__ == "__main__":
    main()
