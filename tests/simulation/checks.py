"""What must be true of every history."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import botdesk
from botdesk._archive.kinds import BY_NAME, as_time, without_secrets

from .world import MONEY, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .world import World

# What a change of a deal changes. A price changes others; the time of an update alone is no change.
_OF_A_DEAL = (
    "status",
    "closed_at",
    "finished",
    "note",
    "bought_amount",
    "bought_volume",
    "sold_amount",
    "sold_volume",
    "completed_safety_orders_count",
    "completed_manual_safety_orders_count",
    "max_safety_orders",
    "take_profit",
)


def requests_are_within_the_budget(world: World) -> None:
    """Both machines and the stream together send no more than the limit."""
    # Those that need no key, such as rates, have a limit of their own.
    sent = sum(request.signed_form is not None for request in world.sandbox.requests) - world.audits
    assert sent <= world.limit, f"{sent} requests; the limit of both machines is {world.limit}"


def balances_add_up(world: World) -> None:
    """Of each coin of each account, what is free and what is on orders is what there is."""
    for name, account in world.accounts.items():
        for row in _rows(world, account):
            held = row.position_available + row.on_orders
            assert row.position == held, f"{name}: {row.position} {row.currency_code}, free and on orders {held}"
            assert min(row.position, row.position_available, row.on_orders) >= 0, f"{name}: {row.to_json()}"


def fills_are_on_the_account(world: World) -> None:
    """The coins of an account are those of the start and of the fills that its records tell of."""
    deals = world.archive.sql(
        "select pair, bought_amount, bought_volume, sold_amount, sold_volume from deals where account_id = ?",
        [world.accounts["bots"]],
    ).rows
    _compare_balances(world, "bots", deals)
    trades = world.archive.sql(
        "select pair, data_entered_amount, data_entered_total, data_closed_amount, data_closed_total from smart_trades "
        "where account_id = ?",
        [world.accounts["trades"]],
    ).rows
    _compare_balances(world, "trades", trades)


def _compare_balances(world: World, name: str, fills: Iterable[tuple[Any, ...]]) -> None:
    expected = defaultdict[str, Decimal](Decimal, MONEY[name])
    for pair, *amounts in fills:
        quote, _, base = pair.partition("_")
        bought, paid, sold, received = (Decimal(amount or 0) for amount in amounts)
        expected[base] += bought - sold
        expected[quote] += received - paid
    found = {row.currency_code: row.position for row in _rows(world, world.accounts[name])}
    for coin, amount in expected.items():
        # The service rounds sums of orders to what it shows.
        difference = abs(amount - found.get(coin, Decimal(0)))
        assert difference < Decimal("0.0001"), f"{name}: {found.get(coin)} {coin}; the fills add up to {amount}"


def _rows(world: World, account: int) -> Any:  # noqa: ANN401
    return world.auditor.accounts.table_data(account)


def no_change_is_lost(world: World) -> None:
    """The last state of each record that changed comes in the stream, and is that of the service."""
    follower = world.follower
    follower.restart(world.auditor)
    # What is pending ends now; otherwise, reads would end it.
    world.sandbox.clock.advance(60)
    for deal in world.auditor.deals.iter():
        follower.wait("deals", deal.id, _difference_of_deals(deal))
    for trade in world.all_smart_trades():
        status = status_of(trade)
        if status != world.first_statuses.get(trade.id) or ("smart_trades", trade.id) in follower.last:
            follower.wait("smart_trades", trade.id, _difference_of_status(status))
    follower.end()


def _difference_of_deals(deal: botdesk.Deal) -> Callable[[Any], str]:
    """Return a function that says how another state of a deal differs from this one; with nothing if it does not."""

    def difference(seen: Any) -> str:  # noqa: ANN401
        found = [(name, getattr(seen, name), getattr(deal, name)) for name in _OF_A_DEAL]
        return "; ".join(f"{name} is {is_} and should be {should}" for name, is_, should in found if is_ != should)

    return difference


def _difference_of_status(status: str) -> Callable[[Any], str]:
    def difference(seen: Any) -> str:  # noqa: ANN401
        return "" if status_of(seen) == status else f"status is {status_of(seen)} and should be {status}"

    return difference


def archive_equals_service(world: World) -> None:
    """The archive has what the service has: after an incremental sync by all changes, after a complete one exactly."""
    world.archive.sync(world.auditor)
    for table, records in _service(world).items():
        kept = dict(world.archive.sql(f"select _id, _changed_at from {table} where _missing_since is null").rows)  # noqa: S608
        kind, texts = BY_NAME[table], _kept(world, table)
        for identifier, record in records.items():
            assert identifier in kept, f"the archive lacks {identifier} of {table}"
            changed = kind.time_of(record, kind.changed)
            seen = kept[identifier]
            assert seen == changed, f"{table} {identifier}: {seen} in the archive, {changed} at the service"
            if table == "deals":
                difference = _difference_of_deals(record)(botdesk.Deal.from_json(texts[identifier]))
                assert not difference, f"deal {identifier} in the archive: {difference}"
    world.archive.sync(world.auditor, complete=True)
    for table, records in _service(world).items():
        kept = _kept(world, table)
        assert kept.keys() == records.keys(), f"{table}: {kept.keys() ^ records.keys()} differ"
        for identifier, record in records.items():
            assert kept[identifier] == without_secrets(record), f"{table} {identifier} differs"
    # The profits that a sandbox begins with are made up: they are listed with other times after each new one.
    for bot in world.auditor.grid_bots.list(account_id=str(world.accounts["grids"])):
        query = "select grid_line_id, profit, created_at from grid_profits where _bot_id = ?"
        profits = [(profit.grid_line_id, str(profit.profit), as_time(profit.created_at)) for profit in bot.profits()]
        assert sorted(world.archive.sql(query, [bot.id]).rows) == sorted(profits), (
            f"profits of grid bot {bot.id} differ"
        )


def removed_records_are_kept(world: World) -> None:
    """What was archived and then deleted is in the archive, and marked as missing."""
    for table, identifiers in world.removed.items():
        query = f"select id from {table} where _missing_since is not null"  # noqa: S608
        marked = {row[0] for row in world.archive.sql(query).rows}
        assert marked == identifiers, f"{table}: {marked} are marked as missing; {identifiers} were deleted"


def _kept(world: World, table: str) -> dict[str, str]:
    return dict(world.archive.sql(f"select _id, _json from {table} where _missing_since is null").rows)  # noqa: S608


def _service(world: World) -> dict[str, dict[str, Any]]:
    client = world.auditor
    return {
        "deals": {str(deal.id): deal for deal in client.deals.iter()},
        "smart_trades": {str(trade.id): trade for trade in world.all_smart_trades()},
        "trades": {str(trade.uuid): trade for trade in client.trades.iter_history()},
        "dca_bots": {str(bot.id): bot for bot in client.dca_bots.iter()},
        "grid_bots": {str(bot.id): bot for bot in client.grid_bots.iter()},
    }
