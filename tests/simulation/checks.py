"""What must be true of every history."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import botdesk
from botdesk._archive.kinds import without_secrets

from .world import MONEY, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .world import World

# What a change of a deal changes, and a mere price does not.
_OF_A_DEAL = (
    "status",
    "updated_at",
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
    """The last state of each record in the stream is that of the service."""
    follower = world.follower
    follower.restart(world.auditor)
    marks = _last_changes(world)
    for resource, identifier, is_expected in marks:
        follower.wait(resource, identifier, is_expected)
    follower.end()
    for deal in world.auditor.deals.iter():
        seen = follower.last.get(("deals", deal.id))
        assert seen is not None, f"the stream never had {deal!r}"
        _same_deal(seen, deal, "the stream")
    for trade in world.all_smart_trades():
        status = status_of(trade)
        seen = follower.last.get(("smart_trades", trade.id))
        last = status_of(seen) if seen is not None else world.first_statuses.get(trade.id)
        assert last == status, f"SmartTrade {trade.id}: {last} in the stream, {status} at the service"


def _same_deal(seen: Any, deal: Any, where: str) -> None:  # noqa: ANN401
    for name in _OF_A_DEAL:
        assert getattr(seen, name) == getattr(deal, name), (
            f"{name} of deal {deal.id}: {getattr(seen, name)} in {where}, {getattr(deal, name)} at the service"
        )


def _last_changes(world: World) -> list[tuple[str, int, Callable[[Any], bool]]]:
    """Change a deal and a SmartTrade; when these changes arrive, those before have."""
    client = world.auditor
    entry: dict[str, Any] = {"side": "buy", "units": "0.01", "order": botdesk.Limit("1")}
    trade = client.smart_trades.create(account_id=world.accounts["trades"], pair="USDT_ETH", **entry)
    assert trade.id is not None
    marks: list[tuple[str, int, Callable[[Any], bool]]] = [("smart_trades", trade.id, lambda _: True)]
    editable = [deal for deal in client.deals.list(scope="active") if deal.status == "bought"]
    for deal in editable[:1]:
        assert deal.id is not None
        client.deals.edit(deal.id, note="the last change")
        marks.append(("deals", deal.id, lambda record: record.note == "the last change"))
    return marks


def archive_equals_service(world: World) -> None:
    """The archive has what the service has: after an incremental sync by all changes, after a complete one exactly."""
    world.archive.sync(world.auditor)
    services = _service(world)
    for table, records in services.items():
        kept = dict(world.archive.sql(f"select _id, _changed_at from {table} where _missing_since is null").rows)  # noqa: S608
        missing = records.keys() - kept.keys()
        assert not missing, f"the archive lacks {missing} of {table}"
    kept = _kept(world, "deals")
    for identifier, deal in services["deals"].items():
        _same_deal(botdesk.Deal.from_json(kept[identifier]), deal, "the archive")
    world.archive.sync(world.auditor, complete=True)
    for table, records in _service(world).items():
        kept = _kept(world, table)
        assert kept.keys() == records.keys(), f"{table}: {kept.keys() ^ records.keys()} differ"
        for identifier, record in records.items():
            assert kept[identifier] == without_secrets(record), f"{table} {identifier} differs"


def removed_records_are_kept(world: World) -> None:
    """What was archived and then deleted is marked as missing."""
    for table, identifiers in world.removed.items():
        query = f"select id from {table} where _missing_since is not null"  # noqa: S608
        marked = {row[0] for row in world.archive.sql(query).rows}
        known = {row[0] for row in world.archive.sql(f"select id from {table}").rows}  # noqa: S608
        assert marked == identifiers & known, f"{table}: {marked} are marked as missing; {identifiers} were deleted"


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
