"""The limits of a person hold whatever an agent asks: in any order, at once, and after a restart."""

from __future__ import annotations

import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from botdesk._cli.mcp import volumes
from botdesk._cli.mcp.refused import RefusedError
from botdesk._cli.mcp.settings import Bot, Settings, accounts_of, bots_of, volumes_of
from botdesk._cli.mcp.state import State, Volume

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agents import Agent

    import botdesk


def writer_with(agent_of: Callable[..., Agent], **limits: Any) -> Agent:  # noqa: ANN401
    """Start a server that may change everything within limits."""
    return agent_of(**{"writes": True, "dangerous": True, **limits})


def disable_token(agent: Agent, bot_id: int = 41) -> str:
    """Preview a write that adds no volume."""
    return str(agent.call("preview_dca_bots", action="disable", bot_id=bot_id)["token"])


def outcomes_at_once(tokens: list[tuple[Agent, str]]) -> list[object]:
    """Apply all tokens at once, and return the outcomes; the whole result of a refused one."""

    def apply(each: tuple[Agent, str]) -> object:
        agent, token = each
        result = agent.result("apply", token=token)
        return result.get("outcome", result)

    with ThreadPoolExecutor(len(tokens)) as pool:
        return list(pool.map(apply, tokens))


def sent(sandbox: botdesk.Sandbox) -> int:
    """Count the writes that reached the sandbox."""
    return len([each for each in sandbox.requests if each.method != "GET"])


def test_writes_an_hour_are_limited_also_after_a_restart(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox
) -> None:
    first = writer_with(agent_of, writes_per_hour=2)
    for _ in range(2):
        first.call("apply", token=disable_token(first))
    restarted = writer_with(agent_of, writes_per_hour=2)
    for agent in (first, restarted):
        error = agent.refused("preview_dca_bots", action="disable", bot_id=41)
        assert error.startswith("the limit of 2 writes an hour is reached; nothing was sent")
    assert sent(sandbox) == 2


def test_writes_an_hour_are_limited_for_several_servers_at_once(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox
) -> None:
    agents = [writer_with(agent_of, writes_per_hour=3) for _ in range(4)]
    # A preview of a bot that another write has changed since is refused, so each has a bot of its own.
    bots = iter(sorted(bot.id or 0 for bot in sandbox.client().dca_bots.iter() if bot.is_enabled))
    tokens = [(agent, disable_token(agent, next(bots))) for agent in agents for _ in range(2)]
    outcomes = outcomes_at_once(tokens)
    assert outcomes.count("done") == 3
    assert sent(sandbox) == 3


def test_writes_of_more_than_an_hour_ago_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "writes.sqlite"
    state = State(path, "here")
    settings = Settings(writes_per_hour=1)
    state.reserve(settings, "dca_bots.disable", "first", None)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE writes SET at = at - 3601")
    connection.close()
    state.reserve(settings, "dca_bots.disable", "second", None)
    # A clock that was set back does not hide it.
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE writes SET at = at + 7200")
    connection.close()
    with pytest.raises(RefusedError, match="the limit of 1 writes an hour is reached"):
        state.reserve(settings, "dca_bots.disable", "third", None)


def test_each_service_and_key_has_a_count_of_its_own(tmp_path: Path) -> None:
    settings = Settings(writes_per_hour=1)
    for destination in ("here", "there"):
        State(tmp_path / "writes.sqlite", destination).reserve(settings, "dca_bots.disable", destination, None)


def test_a_used_token_is_kept(tmp_path: Path) -> None:
    State(tmp_path / "writes.sqlite", "here").reserve(Settings(), "dca_bots.disable", "token", None)
    state = State(tmp_path / "writes.sqlite", "here")
    with pytest.raises(RefusedError, match="token: it was used already"):
        state.reserve(Settings(), "dca_bots.disable", "token", None)


@pytest.mark.parametrize("damage", ["no database", "no folder"])
def test_without_the_count_nothing_is_sent(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox, tmp_path: Path, damage: str
) -> None:
    agent = writer_with(agent_of)
    token = disable_token(agent)
    path = tmp_path / "writes.sqlite"
    path.unlink()
    if damage == "no database":
        path.write_bytes(b"this is no database, and long enough to have a header of one")
    else:
        path.mkdir()
    error = agent.refused("apply", token=token)
    assert error.startswith("the writes of the last hour can't be counted in")
    assert sent(sandbox) == 0


def test_the_volume_of_an_hour_adds_up(agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox) -> None:
    agent = writer_with(agent_of, volumes={"USD": Decimal(300)})
    sandbox.client().dca_bots.disable(45)
    preview = agent.call("preview_dca_bots", action="enable", bot_id=45)
    assert preview["preview"]["adds_volume"] == "179.75 USD"
    agent.call("apply", token=preview["token"])
    error = agent.refused("preview_dca_bots", action="enable", bot_id=44)
    assert error == (
        "this adds 153.85 USD of volume after 179.75 in the last hour, and --max-volume allows 300; nothing was sent"
    )
    assert sent(sandbox) == 2


def test_volumes_of_previews_at_once_do_not_exceed_the_limit(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox
) -> None:
    agent = writer_with(agent_of, volumes={"USD": Decimal(100)})
    # Each adds 35.07 at the current price.
    order = {"action": "add_funds", "deal_id": 410, "quantity": "0.01", "is_market": True}
    tokens = [agent.call("preview_deals", **order)["token"] for _ in range(5)]
    outcomes = outcomes_at_once([(agent, token) for token in tokens])
    assert outcomes.count("done") == 2
    assert sent(sandbox) == 2


def test_an_edit_counts_with_what_it_adds(agent_of: Callable[..., Agent]) -> None:
    agent = writer_with(agent_of, volumes={"USD": Decimal(100)})

    def preview(**changes: str) -> dict[str, Any]:
        return agent.result("preview_dca_bots", action="edit", bot_id=41, **changes)

    assert preview(base_order_volume="100")["preview"]["adds_volume"] == "20.0 USD"
    assert "adds_volume" not in preview(base_order_volume="10")["preview"]
    assert "adds_volume" not in preview(take_profit="9")["preview"]
    assert preview(base_order_volume="180.01")["error"].startswith("this adds 100.01 USD of volume, and --max-volume")


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("preview_dca_bots", {"action": "edit", "bot_id": 41, "leverage_custom_value": "20"}, "leverage_custom_value"),
        ("preview_dca_bots", {"action": "edit", "bot_id": 41, "base_order_volume_type": "percent"}, "is percent"),
        ("preview_dca_bots", {"action": "enable", "bot_id": 43}, "leverage_type is isolated"),
        ("preview_accounts", {"action": "sell_all_to_btc", "account_id": 1001}, "it buys for all that the account has"),
        ("preview_deals", {"action": "edit", "deal_id": 410, "max_safety_orders": 9}, "max_safety_orders grows"),
        ("preview_grid_bots", {"action": "enable", "grid_bot_id": 204}, "the grid expands or trails"),
        (
            "preview_grid_bots",
            {
                "action": "create",
                "account_id": 1001,
                "pair": "USDT_ETH",
                "name": "Cheap",
                "lower_price": "3000",
                "upper_price": "4000",
                "grids_quantity": 10,
                "quantity_per_grid": "10",
            },
            "order_currency_type is not given",
        ),
        (
            "preview_trades",
            {
                "action": "create",
                "account_id": 1001,
                "pair": "USDT_ETH",
                "order": {"type": "market", "side": "buy"},
                "units": {"value": "1"},
                "trailing": {"enabled": True, "percent": "1"},
            },
            "the order trails the price",
        ),
    ],
)
def test_a_volume_that_can_not_be_bounded_is_refused(
    agent_of: Callable[..., Agent], tool: str, arguments: dict[str, Any], reason: str
) -> None:
    error = writer_with(agent_of, volumes={"USD": Decimal(10**9)}).refused(tool, **arguments)
    assert error.startswith("the volume of this write is unknown")
    assert reason in error


_CHEAP = {"value": "0.01"}
_TRADE = {"action": "create", "account_id": 1001, "pair": "USDT_ETH", "units": {"value": "1"}, "price": _CHEAP}
_CONDITION = {"enabled": True, "value": "greater", "price": {"value": "9000.0", "type": "last"}}
_SMART = {"action": "create", "account_id": 1001, "pair": "USDT_ETH"}
_POSITION = {"type": "buy", "units": {"value": "1"}, "price": _CHEAP}


@pytest.mark.parametrize(
    ("tool", "arguments", "volume"),
    [
        ("preview_deals", {"action": "add_funds", "deal_id": 410, "quantity": "0.1", "is_market": True}, "350.667 USD"),
        (
            "preview_deals",
            {"action": "add_funds", "deal_id": 410, "quantity": "0.1", "is_market": False, "rate": "3600"},
            "360.0 USD",
        ),
        (
            "preview_trades",
            {
                "action": "create",
                "account_id": 1001,
                "pair": "USDT_ETH",
                "order": {"type": "limit", "side": "buy"},
                "units": {"value": "0.5"},
                "price": {"value": "2000"},
            },
            "1000.0 USD",
        ),
        (
            "preview_trades",
            {
                "action": "create",
                "account_id": 1001,
                "pair": "USDT_ETH",
                "order": {"type": "market", "side": "buy"},
                "units": {"value": "1"},
            },
            "3506.68 USD",
        ),
        # A price beside a market order does not make it cheaper, nor does the lowest price of a sale.
        ("preview_trades", {**_TRADE, "order": {"type": "market", "side": "buy"}}, "3506.68 USD"),
        ("preview_trades", {**_TRADE, "order": {"type": "limit", "side": "sell"}}, "3506.68 USD"),
        (
            "preview_trades",
            {**_TRADE, "order": {"type": "market", "side": "buy"}, "conditional": _CONDITION},
            "9000.0 USD",
        ),
        ("preview_smart_trades", {**_SMART, "position": {**_POSITION, "order_type": "market"}}, "3506.68 USD"),
        (
            "preview_smart_trades",
            {**_SMART, "position": {**_POSITION, "order_type": "limit", "units": {"value": "2"}}},
            "0.02 USD",
        ),
        (
            "preview_smart_trades",
            {
                **_SMART,
                "position": {
                    **_POSITION,
                    "order_type": "conditional",
                    "conditional": {"order_type": "market", "price": {"value": "9000"}},
                },
            },
            "9000 USD",
        ),
        (
            "preview_smart_trades",
            {
                "action": "add_funds",
                "smart_trade_id": 302,
                "order_type": "market",
                "units": {"value": "1"},
                "price": {"value": "0.01"},
            },
            "62818.8 USD",
        ),
    ],
)
def test_an_order_counts_with_its_price(
    agent_of: Callable[..., Agent], tool: str, arguments: dict[str, Any], volume: str
) -> None:
    agent = writer_with(agent_of, volumes={"USD": Decimal(100_000)})
    assert agent.call(tool, **arguments)["preview"]["adds_volume"] == volume
    small = writer_with(agent_of, volumes={"USD": Decimal("0.01")})
    assert f"this adds {volume} of volume, and --max-volume allows 0.01" in small.refused(tool, **arguments)


@pytest.mark.parametrize(("entry", "volume"), [("1900", "3506.68"), ("9000", "9000.0")])
def test_funds_for_an_entry_that_waits_count_with_the_price_of_the_entry(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox, entry: str, volume: str
) -> None:
    # The market is at 3506.68 USDT; a condition waits until the price is above it.
    trigger = {"price": {"value": entry}, "order_type": "limit"}
    position = {"type": "buy", "order_type": "conditional", "units": {"value": "0.01"}, "price": {"value": entry}}
    trades = sandbox.client().smart_trades
    waiting = trades.create(account_id=1001, pair="USDT_ETH", position={**position, "conditional": trigger}).id
    funds = {"action": "add_funds", "smart_trade_id": waiting, "order_type": "limit", "units": {"value": "1"}}
    agent = writer_with(agent_of, volumes={"USD": Decimal(100)})
    refusal = agent.refused("preview_smart_trades", **funds, price={"value": "0.01"})
    assert f"this adds {volume} USD of volume" in refusal


def test_funds_for_an_entry_that_trails_are_refused(agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox) -> None:
    trailing = {"enabled": True, "percent": "1"}
    condition = {"price": {"value": "3000"}, "order_type": "market", "trailing": trailing}
    position = {"type": "buy", "order_type": "conditional", "units": {"value": "0.01"}, "conditional": condition}
    waiting = sandbox.client().smart_trades.create(account_id=1001, pair="USDT_ETH", position=position).id
    funds = {"action": "add_funds", "smart_trade_id": waiting, "order_type": "limit", "units": {"value": "1"}}
    agent = writer_with(agent_of, volumes={"USD": Decimal(10**9)})
    assert "the order trails the price" in agent.refused("preview_smart_trades", **funds, price={"value": "0.01"})


def test_a_grid_with_leverage_is_refused_whatever_is_done_with_it(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox
) -> None:
    bot_id = sandbox.add_grid_bot(
        account_id=1002, pair="USDT_BTC", is_enabled=False, leverage_type="isolated", order_currency_type="quote"
    )
    agent = writer_with(agent_of, volumes={"USD": Decimal(10**9)})
    for change in ({"action": "enable"}, {"action": "edit", "quantity_per_grid": "20"}):
        error = agent.refused("preview_grid_bots", grid_bot_id=bot_id, **change)
        assert "leverage_type is isolated" in error


def test_a_bot_that_moves_to_another_account_counts_with_all_of_its_volume(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox
) -> None:
    bot = sandbox.client().dca_bots.get(45)
    agent = writer_with(agent_of, volumes={"USD": Decimal(100_000)})
    preview = agent.call(
        "preview_dca_bots", action="edit", bot_id=45, account_id=1001 if bot.account_id != 1001 else 1002
    )
    assert preview["preview"]["adds_volume"].startswith(str(bot.ladder(price=1).bot_budget.normalize()))


def test_a_currency_without_a_limit_is_refused(agent_of: Callable[..., Agent]) -> None:
    agent = writer_with(agent_of, volumes={"BTC": Decimal(1)})
    error = agent.refused("preview_dca_bots", action="start_deal", bot_id=45)
    assert error == "--max-volume has no limit for USD, only for BTC; nothing was sent"


def test_it_is_decided_for_every_write_what_it_adds(agent_of: Callable[..., Agent]) -> None:
    writes = agent_of().desk.catalog.writes(dangerous=True)
    assert {entry.name for entry in writes if not entry.operation.adds_no_volume} == volumes.COUNTED.keys()


def test_it_is_decided_for_every_field_of_an_edit_whether_it_adds_volume(agent_of: Callable[..., Agent]) -> None:
    edits = [entry for entry in agent_of().desk.catalog.writes(dangerous=True) if entry.name.endswith(".edit")]
    fields = {name for entry in edits if entry.name != "accounts.edit" for name in entry.sent._input_names()}
    assert fields == volumes.KNOWN_FIELDS


def test_a_field_that_is_not_known_is_refused(agent_of: Callable[..., Agent], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(volumes, "KNOWN_FIELDS", volumes.KNOWN_FIELDS - {"base_order_volume"})
    agent = writer_with(agent_of, volumes={"USD": Decimal(100_000)})
    refused = agent.refused("preview_dca_bots", action="edit", bot_id=45, base_order_volume="50")
    assert "base_order_volume can add volume that botdesk does not know" in refused


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("preview_dca_bots", {"action": "disable", "bot_id": 43}),
        ("preview_deals", {"action": "close", "deal_id": 430}),
        ("preview_dca_bots", {"action": "edit", "bot_id": 41, "account_id": 1002}),
        ("preview_dca_bots", {"action": "add_to_blacklist", "pairs": ["USDT_BTC"]}),
        ("preview_accounts", {"action": "rename", "account_id": 1002, "name": "Mine"}),
        ("preview_accounts", {"action": "edit", "account_id": 1002, "name": "Mine"}),
        ("preview_smart_trades", {"action": "close", "smart_trade_id": 303}),
        ("dca_bots_read", {"action": "get", "bot_id": 43}),
        ("dca_bots_read", {"action": "profit_by_day", "bot_id": 43}),
        ("dca_bots_read", {"action": "stats"}),
        ("dca_bots_read", {"action": "stats", "account_id": 1002}),
        ("dca_bots_read", {"action": "stats", "account_id": 1001, "bot_id": 43}),
        ("dca_bots_read", {"action": "stats", "account_id": "1001"}),
        ("deals_read", {"action": "orders", "deal_id": 430}),
        ("accounts_read", {"action": "get", "account_id": "summary"}),
        ("smart_trades_read", {"action": "trades", "smart_trade_id": 303}),
        ("plan", {"bot_id": 43}),
        ("picture", {"deal_id": 430}),
    ],
)
def test_accounts_outside_of_the_allowed_ones_are_out_of_reach(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox, tool: str, arguments: dict[str, Any]
) -> None:
    client = sandbox.client()
    assert (client.dca_bots.get(41).account_id, client.dca_bots.get(43).account_id) == (1001, 1002)
    agent = writer_with(agent_of, accounts=frozenset({1001}))
    assert "limited to accounts 1001" in agent.refused(tool, **arguments)
    assert sent(sandbox) == 0


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("preview_dca_bots", {"action": "disable", "bot_id": 42}),
        ("preview_grid_bots", {"action": "disable", "grid_bot_id": 41}),
        ("preview_grid_bots", {"action": "disable", "grid_bot_id": 204}),
        ("preview_deals", {"action": "close", "deal_id": 420}),
        ("preview_accounts", {"action": "rename", "account_id": 1001, "name": "Mine"}),
        ("preview_smart_trades", {"action": "close", "smart_trade_id": 303}),
        ("dca_bots_read", {"action": "get", "bot_id": 42}),
        ("deals_read", {"action": "list", "bot_id": 42}),
        ("deals_read", {"action": "list", "bot_id": "42"}),
        ("dca_bots_read", {"action": "stats"}),
        ("dca_bots_read", {"action": "stats", "bot_id": "42"}),
        ("deals_read", {"action": "get", "deal_id": 420}),
        ("grid_bots_read", {"action": "profits", "grid_bot_id": 204}),
    ],
)
def test_bots_outside_of_the_allowed_ones_are_out_of_reach(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox, tool: str, arguments: dict[str, Any]
) -> None:
    agent = writer_with(agent_of, bots=frozenset({Bot("dca_bots", 41)}))
    agent.refused(tool, **arguments)
    assert sent(sandbox) == 0


def test_what_is_allowed_is_within_reach(agent_of: Callable[..., Agent]) -> None:
    agent = writer_with(agent_of, accounts=frozenset({1001}), bots=frozenset({Bot("dca_bots", 41)}))
    rows = agent.call("dca_bots_read", action="list")["from_service"]["rows"]
    assert [row[0] for row in rows] == [41]
    assert agent.call("deals_read", action="list", scope="active")["notes"]
    assert agent.call("preview_deals", action="close", deal_id=410)["token"]
    assert agent.call("preview_dca_bots", action="edit", bot_id=41, name="Mine")["token"]


def test_limits_are_read_as_they_are_written() -> None:
    assert volumes_of(["100", "0.01 BTC"]) == {"USD": Decimal(100), "BTC": Decimal("0.01")}
    assert accounts_of("1001, 1002") == {1001, 1002}
    assert bots_of("41,dca:42,grid:204") == {Bot("dca_bots", 41), Bot("dca_bots", 42), Bot("grid_bots", 204)}


@pytest.mark.parametrize(
    ("read", "given"),
    [
        (volumes_of, ["a lot"]),
        (volumes_of, ["-5"]),
        (volumes_of, ["1e9"]),
        (volumes_of, ["100", "5 USDT"]),
        (accounts_of, "summary"),
        (accounts_of, "0"),
        (accounts_of, ""),
        (bots_of, "deal:410"),
        (bots_of, "41,"),
    ],
)
def test_a_limit_that_can_not_be_read_is_an_error(read: Callable[[Any], object], given: object) -> None:
    with pytest.raises(ValueError, match="write"):
        read(given)


def test_a_volume_of_many_digits_is_not_rounded(tmp_path: Path) -> None:
    state = State(tmp_path / "writes.sqlite", "here")
    settings = Settings(volumes={"USD": Decimal(1)})
    almost = Decimal("0." + "9" * 60)
    state.reserve(settings, "deals.add_funds", "first", Volume(almost, "USD"))
    with pytest.raises(RefusedError, match="--max-volume allows 1"):
        state.reserve(settings, "deals.add_funds", "second", Volume(Decimal("0." + "0" * 59 + "2"), "USD"))
    state.reserve(settings, "deals.add_funds", "third", Volume(Decimal("0." + "0" * 59 + "1"), "USD"))


def test_no_order_of_calls_exceeds_the_limits(agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox) -> None:
    limits: dict[str, Any] = {
        "writes_per_hour": 12,
        "volumes": {"USD": Decimal(150)},
        "accounts": frozenset({1001}),
        "bots": frozenset({Bot("dca_bots", 41), Bot("dca_bots", 42)}),
    }
    calls: list[tuple[str, dict[str, Any]]] = [
        ("preview_dca_bots", {"action": "edit", "take_profit": "2"}),
        ("preview_dca_bots", {"action": "edit", "base_order_volume": "100"}),
        ("preview_dca_bots", {"action": "edit", "base_order_volume": "60"}),
        ("preview_dca_bots", {"action": "edit", "account_id": 1002}),
        ("preview_dca_bots", {"action": "disable"}),
        ("preview_dca_bots", {"action": "enable"}),
        ("preview_dca_bots", {"action": "delete"}),
        ("preview_deals", {"action": "add_funds", "quantity": "0.01", "is_market": True}),
        ("preview_deals", {"action": "close"}),
    ]
    chance = Random(42)  # noqa: S311 - it chooses calls, no secrets
    tokens: list[str] = []
    agent = writer_with(agent_of, **limits)
    for number in range(200):
        if number % 50 == 49:
            # A restart: the tokens of before are worth nothing.
            agent = writer_with(agent_of, **limits)
        if tokens and chance.random() < 0.5:
            chosen = [chance.choice(tokens) for _ in range(2)]
            outcomes_at_once([(agent, token) for token in chosen])
            continue
        tool, arguments = chance.choice(calls)
        ids = (
            {"deal_id": chance.choice([410, 420, 430])}
            if tool == "preview_deals"
            else {"bot_id": chance.choice([41, 42, 43, 44])}
        )
        tokens += filter(None, [agent.result(tool, **arguments, **ids).get("token")])
    writes = [each for each in sandbox.requests if each.method != "GET"]
    assert 0 < len(writes) <= 12
    touched = {int(re.findall(r"/(?:bots|deals)/(\d+)/", each.path)[0]) for each in writes}
    assert touched <= {41, 42, 410, 420}
    with sqlite3.connect(agent.audit_file.parent / "writes.sqlite") as connection:
        added = [Decimal(volume) for (volume,) in connection.execute("SELECT volume FROM writes WHERE volume NOT NULL")]
    connection.close()
    assert sum(added) <= 150
