"""The steps of a history: what a script does, what its market does, and what goes wrong."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import botdesk

from . import checks
from .machine import outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .ledger import Outcome
    from .world import World

_STATUSES: dict[str, Outcome] = {"done": "done", "failed": "failed", "not_started": "failed", "unknown": "unknown"}
_PLAIN_BOT: dict[str, Any] = {
    "take_profit": "1",
    "take_profit_type": "total",
    "base_order_volume": "100",
    "safety_order_volume": "50",
    "max_safety_orders": 3,
    "active_safety_orders_count": 2,
    "safety_order_step_percentage": "1",
    "martingale_volume_coefficient": "1.2",
    "martingale_step_coefficient": "1.1",
    "strategy_list": [{"strategy": "nonstop", "options": {}}],
}


# Bots


def _new_rows(world: World, count: int) -> list[dict[str, Any]]:
    account = world.accounts["bots"]
    return [
        {**_PLAIN_BOT, "account_id": account, "pairs": pair, "name": f"n{world.number()}"}
        for pair in world.random.choices(list(world.prices), k=count)
    ]


def _named(name: str) -> str:
    return f'"name":"{name}"'


def _know_bots(world: World) -> None:
    world.bots = {str(bot.name): bot.id for bot in world.client.dca_bots.iter() if bot.id is not None}


def create_a_bot(world: World) -> None:
    (row,) = _new_rows(world, 1)
    row["pairs"] = [row["pairs"]]
    world.fault("dca_bots.create")
    world.write(_named(row["name"]), lambda client: client.dca_bots.create(**row), lambda bot: bot.name == row["name"])


def create_bots_from_a_table(world: World) -> None:
    rows = _new_rows(world, world.random.randint(2, 4))
    preview = world.client.dca_bots.create_each(rows)
    world.fault("dca_bots.create")
    _settle_new_bots(world, outcomes(preview.create()))
    _continue_creation(world, rows)


def create_bots_on_a_machine_that_is_killed(world: World) -> None:
    rows = _new_rows(world, 3)
    _run_killed(world, "create_each", [_named(row["name"]) for row in rows], table=rows)
    _continue_creation(world, rows)


def _continue_creation(world: World, rows: list[dict[str, Any]]) -> None:
    """Create the bots that are not there yet; each is there once in the end."""
    preview = world.client.dca_bots.create_each(rows, skip_existing=True)
    _settle_new_bots(world, outcomes(preview.create()))
    names = [bot.name for bot in world.client.dca_bots.iter()]
    times = {row["name"]: names.count(row["name"]) for row in rows}
    assert set(times.values()) <= {1}, f"bots by name: {times}"


def _settle_new_bots(world: World, items: Iterable[tuple[str, str]]) -> None:
    for title, status in items:
        world.ledger.expect(_named(title.split("“")[1].rstrip("”")), _STATUSES[status])
    world.ledger.settle()


def _some_bots(world: World, most: int = 5) -> list[int]:
    _know_bots(world)
    return [world.bots[name] for name in world.some(sorted(world.bots), most)] if world.bots else []


def _table(world: World, bots: list[int]) -> list[dict[str, Any]]:
    """Return new values of each bot, which differ from all before."""
    return [{"id": bot, "cooldown": 1000 + world.number()} for bot in bots]


def _updates(bot: object) -> str:
    return f"/bots/{bot}/update?"


def _reported(items: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Outcome]]:
    """Yield the key of each edit, and what the run reported about it."""
    for title, status in items:
        yield _updates(title.split()[1]), _STATUSES[status]


def _settle_edits(world: World, items: Iterable[tuple[str, str]]) -> dict[str, int]:
    for key, outcome in _reported(items):
        world.ledger.expect(key, outcome)
    return world.ledger.settle()


def edit_bots_alike(world: World) -> None:
    bots = _some_bots(world)
    world.fault("dca_bots.edit")
    result = world.client.dca_bots.edit_many(bots, cooldown=1000 + world.number(), progress=False, concurrency=1)
    _settle_edits(world, outcomes(result))
    again = result.retry_failed(progress=False)
    _settle_edits(world, [item for item in outcomes(again) if item not in outcomes(result)])


def edit_bots_from_a_table(world: World) -> None:
    table = _table(world, _some_bots(world))
    world.fault("dca_bots.edit", 0.5)
    first = _settle_edits(world, outcomes(world.client.dca_bots.edit_each(table, progress=False, concurrency=1)))
    _continue_edits(world, table, first)


def edit_bots_on_a_machine_that_is_killed(world: World) -> None:
    table = _table(world, _some_bots(world))
    keys = [_updates(row["id"]) for row in table]
    _continue_edits(world, table, _run_killed(world, "edit_each", keys, table=table, concurrency=1))


def _continue_edits(world: World, table: list[dict[str, Any]], first: dict[str, int]) -> None:
    """Send the table again: bots that have their values are not edited again, and all have them in the end."""
    world.sandbox.faults.clear()
    result = world.client.dca_bots.edit_each(table, progress=False)
    again = _settle_edits(world, outcomes(result))
    for item in result:
        world.raise_if_spent(item.error)
    for row in table:
        key = _updates(row["id"])
        times = first.get(key, 0) + again.get(key, 0)
        assert times == 1, f"bot {row['id']} was edited {times} times"
        assert world.client.dca_bots.get(row["id"]).cooldown == row["cooldown"]


def edit_bots_on_both_machines(world: World) -> None:
    table = _table(world, _some_bots(world, 8))
    mine, others = table[::2], table[1::2]
    machine = world.machine("edit_each", table=others, concurrency=4)
    # If the budget ends, each machine may have sent a part.
    for row in others:
        world.ledger.expect(_updates(row["id"]), "unknown")
    mine_reported = outcomes(world.client.dca_bots.edit_each(mine, progress=False))
    for key, outcome in _reported(mine_reported):
        world.ledger.expect(key, outcome)
    for key, outcome in _reported(world.outcome(machine)):
        world.ledger.revise(key, outcome)
    world.ledger.settle()


def _run_killed(world: World, action: str, keys: list[str], **task: Any) -> dict[str, int]:  # noqa: ANN401
    """Run a task on the other machine, and kill that; return how often each write was carried out."""
    killed_at = world.random.randint(1, 3 + 2 * len(keys))
    machine = world.machine(action, killed_at=killed_at, **task)
    for key in keys:
        world.ledger.expect(key, "unknown")
    outcome = world.outcome(machine)
    world.journal.append(f"  killed at response {killed_at}: {outcome}")
    return world.ledger.settle()


def interrupt_a_run(world: World) -> None:
    bots, left = _some_bots(world, 6), world.random.randint(1, 4)

    def press(event: botdesk.RequestEvent) -> None:
        nonlocal left
        if event.method == "GET":
            return
        left -= 1
        if left == 0:
            raise KeyboardInterrupt

    client = world.client.with_options(on_response=press)
    changes: dict[str, Any] = {"cooldown": 1000 + world.number(), "progress": False, "concurrency": 2}
    try:
        result = client.dca_bots.edit_many(bots, **changes)
    except botdesk.BulkInterrupted as stopped:
        world.journal.append(f"  interrupted: {stopped.result!r}")
        result = stopped.result.retry_failed(progress=False)
    _settle_edits(world, outcomes(result))


def switch_bots(world: World) -> None:
    bots, action = _some_bots(world), world.random.choice(("enable", "enable", "disable"))
    world.fault(f"dca_bots.{action}")
    result = getattr(world.client.dca_bots, f"{action}_many")(bots, progress=False, concurrency=1)
    for item in result:
        world.ledger.expect(f"/bots/{item.id}/{action}?", _STATUSES[item.status])
    world.ledger.settle()


def delete_a_bot(world: World) -> None:
    found = [bot for bot in world.client.dca_bots.iter() if not bot.is_enabled and not bot.active_deals_count]
    identifier = min(found, key=lambda bot: str(bot.name)).id if found else None
    if identifier is None:
        return
    _delete(world, "dca_bots", identifier, f"/bots/{identifier}/delete?")


def _delete(world: World, resource: str, identifier: int, key: str) -> None:
    """Delete a bot after a sync: only the archive keeps its deals or profits."""
    if _sync(world, complete=False):
        world.fault(f"{resource}.delete")
        if world.write(key, lambda client: getattr(client, resource).delete(identifier)):
            world.removed[resource].add(identifier)


# Deals


def change_a_deal(world: World) -> None:
    found = sorted(
        world.client.deals.list(scope="active", limit=100), key=lambda deal: (str(deal.bot_name), deal.id or 0)
    )
    found = [deal for deal in found if deal.status == "bought"]
    if not found:
        return
    deal = world.random.choice(found)
    assert deal.id is not None
    identifier = deal.id
    quantity = str(deal.bought_amount)
    calls: dict[str, tuple[str, Callable[[botdesk.Client], Any], Callable[[Any], bool] | None]] = {
        "close": ("panic_sell", lambda client: client.deals.close(identifier), None),
        "cancel": ("cancel", lambda client: client.deals.cancel(identifier), None),
        "edit": ("update_deal", lambda client: client.deals.edit(identifier, note=f"n{world.number()}"), None),
        "add_funds": (
            "add_funds",
            lambda client: client.deals.add_funds(identifier, quantity=quantity, is_market=True),
            lambda order: order.deal_order_type == "Manual Safety",
        ),
    }
    action = world.random.choice(list(calls))
    path, call, made = calls[action]
    world.fault(f"deals.{action}")
    world.write(f"/deals/{identifier}/{path}?", call, made)


def close_deals(world: World) -> None:
    found = [deal.id for deal in world.client.deals.list(scope="active", limit=100) if deal.status == "bought"]
    result = world.client.deals.close_many(world.some(sorted(found), 3) if found else [], progress=False, concurrency=1)
    for item in result:
        world.ledger.expect(f"/deals/{item.id}/panic_sell?", _STATUSES[item.status])
    world.ledger.settle()


# SmartTrades and grids


def place_a_smart_trade(world: World) -> None:
    pair = "USDT_ETH"
    price, note = world.prices[pair], f"n{world.number()}"
    order = world.random.choice(("market", botdesk.Limit(_rounded(price * Decimal("0.98")))))
    options: dict[str, Any] = {"side": "buy", "units": "0.1", "order": order, "note": note}
    options |= {"take_profit": [_rounded(price * Decimal("1.02"))], "stop_loss": _rounded(price * Decimal("0.9"))}
    world.fault("smart_trades.create")
    world.write(
        f'"note":"{note}"',
        lambda client: client.smart_trades.create(account_id=world.accounts["trades"], pair=pair, **options),
        lambda trade: note in {trade.note_raw, trade.note},
    )


def end_a_smart_trade(world: World) -> None:
    trades = world.client.smart_trades
    found = sorted(trade.id for trade in trades.list(status="active", account_id=world.accounts["trades"]) if trade.id)
    if found:
        identifier, action = world.random.choice(found), world.random.choice(("close", "cancel"))
        world.fault(f"smart_trades.{action}")
        path = {"close": f"/smart_trades/{identifier}/close_by_market?", "cancel": f"/smart_trades/{identifier}?"}[
            action
        ]
        world.write(path, lambda client: getattr(client.smart_trades, action)(identifier))


def place_a_grid(world: World) -> None:
    price, name = world.prices["USDT_ETH"], f"n{world.number()}"
    options: dict[str, Any] = {
        "upper_price": _rounded(price * Decimal("1.1")),
        "lower_price": _rounded(price * Decimal("0.9")),
    }
    options |= {"grids_quantity": 9, "quantity_per_grid": "0.05", "leverage_type": "not_specified"}
    world.fault("grid_bots.create")
    account = world.accounts["grids"]
    world.write(
        _named(name), lambda client: client.grid_bots.create(account_id=account, pair="USDT_ETH", name=name, **options)
    )


def switch_a_grid(world: World) -> None:
    grids = world.client.grid_bots
    found = sorted(
        (bot for bot in grids.list() if bot.account_id == world.accounts["grids"]), key=lambda bot: str(bot.name)
    )
    if not found:
        return
    bot = world.random.choice(found)
    assert bot.id is not None
    identifier = bot.id
    action = world.random.choice(("disable",) if bot.is_enabled else ("enable", "enable", "delete"))
    if action == "delete":
        _delete(world, "grid_bots", identifier, f"/grid_bots/{identifier}?")
        return
    world.fault(f"grid_bots.{action}")
    world.write(f"/grid_bots/{identifier}/{action}?", lambda client: getattr(client.grid_bots, action)(identifier))


def _rounded(price: Decimal) -> str:
    return str(price.quantize(Decimal("0.01")))


# The market


def move_prices(world: World) -> None:
    for pair in world.some(list(world.prices), 3):
        for _ in range(world.random.randint(1, 3)):
            price = world.prices[pair] * (1 + Decimal(world.random.randint(-50, 50)) / 1000)
            world.prices[pair] = price.quantize(Decimal("0.01") if price > 1 else Decimal("0.0001"))
            move = world.sandbox.move_price if world.chance(0.7) else world.sandbox.set_price
            move(pair, world.prices[pair])
            world.sandbox.clock.advance(world.random.choice((0, 0, 0.5, 1, 60, 3600)))


def let_time_pass(world: World) -> None:
    world.sandbox.clock.advance(world.random.choice((10, 600, 86_400)))


# Streams


def cut_the_stream(world: World) -> None:
    streams = world.sandbox.streams
    if world.chance(0.3):
        streams.refuse(503, times=1)
    cuts: list[Callable[[], None]] = [streams.drop, lambda: streams.drop(1001), streams.disconnect]
    world.random.choice(cuts)()
    move_prices(world)


def disturb_the_stream(world: World) -> None:
    world.sandbox.streams.repeat(world.random.randint(1, 2))
    world.sandbox.streams.hold()
    move_prices(world)
    # In their order: states of one time, which this clock has often, can't be told apart in another one.
    world.sandbox.streams.release()


def restart_the_follower(world: World) -> None:
    world.follower.end()
    move_prices(world)
    world.follower.restart(world.client)


# The archive


def sync(world: World) -> None:
    for operation in ("dca_bots.list", "grid_bots.list", "trades.history", "grid_bots.profits"):
        world.fault(operation, 0.1)
    _sync(world, complete=world.chance(0.2))


def _sync(world: World, *, complete: bool) -> bool:
    """Return whether nothing ended the sync."""
    try:
        if world.chance(0.5):
            report = world.archive.sync(world.client, complete=complete)
        else:
            report = asyncio.run(world.archive.sync_async(world.client, complete=complete))
    except (botdesk.ApiError, botdesk.TransportError, botdesk.DecodeError) as error:
        world.journal.append(f"  {error!r}"[:200])
        world.raise_if_spent(error)
        return False
    finally:
        world.ledger.settle()
    world.journal.append(f"  {report.counts}")
    return True


def sync_on_a_machine_that_is_killed(world: World) -> None:
    _run_killed(world, "sync", [], archive=str(world.folder / "desk.sqlite"))


def audit(world: World) -> None:
    checks.balances_add_up(world)
    world.ledger.settle()


STEPS: tuple[tuple[Callable[[World], None], int], ...] = (
    (create_a_bot, 2),
    (create_bots_from_a_table, 2),
    (create_bots_on_a_machine_that_is_killed, 1),
    (edit_bots_alike, 2),
    (edit_bots_from_a_table, 2),
    (edit_bots_on_a_machine_that_is_killed, 1),
    (edit_bots_on_both_machines, 1),
    (interrupt_a_run, 2),
    (switch_bots, 6),
    (delete_a_bot, 1),
    (change_a_deal, 8),
    (close_deals, 1),
    (place_a_smart_trade, 4),
    (end_a_smart_trade, 2),
    (place_a_grid, 2),
    (switch_a_grid, 4),
    (move_prices, 12),
    (let_time_pass, 2),
    (cut_the_stream, 2),
    (disturb_the_stream, 2),
    (restart_the_follower, 2),
    (sync, 3),
    (sync_on_a_machine_that_is_killed, 1),
    (audit, 2),
)
