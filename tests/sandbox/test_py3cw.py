"""The third-party client `py3cw` works against the sandbox, with a key that is not the sandbox's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import py3cw.request  # pyright: ignore[reportMissingTypeStubs] - it has no types
import pytest
from rsa_keys import public_pem

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator

EDIT: dict[str, Any] = {
    "name": "Renamed by a peer",
    "pairs": "USDT_ETH",
    "base_order_volume": 80,
    "take_profit": 2.5,
    "safety_order_volume": 30,
    "martingale_volume_coefficient": 1.7,
    "martingale_step_coefficient": 2,
    "max_safety_orders": 3,
    "active_safety_orders_count": 1,
    "safety_order_step_percentage": 1,
    "take_profit_type": "total",
    "strategy_list": [{"strategy": "nonstop", "options": {}}],
}


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        yield sandbox


@pytest.fixture(params=["rsa", "hmac"])
def peer(
    request: pytest.FixtureRequest, sandbox: botdesk.Sandbox, private_key: str, monkeypatch: pytest.MonkeyPatch
) -> Any:  # noqa: ANN401
    """Return the other client with a key of each kind, its base address pointed at the sandbox."""
    monkeypatch.setattr(py3cw.request, "API_URL", sandbox.url)
    if request.param == "hmac":
        api_key, secret = sandbox.add_key(secret=True)
        return py3cw.request.Py3CW(key=api_key, secret=secret)
    api_key = sandbox.add_key(public_pem(private_key))
    return py3cw.request.Py3CW(key=api_key, selfsigned=private_key)


def asked(peer: Any, entity: str, **named: Any) -> Any:  # noqa: ANN401
    error, data = peer.request(entity=entity, **named)
    assert error == {}
    return data


def test_it_lists(peer: Any) -> None:  # noqa: ANN401
    assert len(asked(peer, "bots")) == 12


def test_it_lists_what_it_filters_for(peer: Any) -> None:  # noqa: ANN401
    bots = asked(peer, "bots", payload={"scope": "disabled", "limit": 3, "sort_by": "created_at"})
    assert 0 < len(bots) <= 3
    assert {bot["is_enabled"] for bot in bots} == {False}


def test_it_shows(peer: Any) -> None:  # noqa: ANN401
    bot = asked(peer, "bots", action="show", action_id="41")
    assert (bot["id"], bot["active_deals"] is not None) == (41, True)


def test_it_edits(peer: Any, sandbox: botdesk.Sandbox) -> None:  # noqa: ANN401
    bot = asked(peer, "bots", action="update", action_id="41", payload=EDIT)
    assert (bot["name"], bot["take_profit"]) == ("Renamed by a peer", "2.5")
    assert sandbox.client().dca_bots.get(41).name == "Renamed by a peer"


def test_it_disables(peer: Any, sandbox: botdesk.Sandbox) -> None:  # noqa: ANN401
    assert asked(peer, "bots", action="disable", action_id="41")["is_enabled"] is False
    assert sandbox.client().dca_bots.get(41).is_enabled is False


def test_it_cancels_all_deals(peer: Any) -> None:  # noqa: ANN401
    deals = asked(peer, "bots", action="cancel_all_deals", action_id="41")["active_deals"]
    assert {deal["status"] for deal in deals} <= {"cancel_pending"}


def test_it_loads_balances(peer: Any) -> None:  # noqa: ANN401
    assert asked(peer, "accounts", action="load_balances", action_id="1001")["id"] == 1001


def test_it_renames_an_account(peer: Any, sandbox: botdesk.Sandbox) -> None:  # noqa: ANN401
    name = "Früh & spät"
    assert asked(peer, "accounts", action="rename", action_id="1001", payload={"name": name})["name"] == name
    assert sandbox.client().accounts.load_balances(1001).name == name


def test_it_sets_the_levels_of_a_grid_bot(peer: Any) -> None:  # noqa: ANN401
    levels = {"upper_price": 70000, "lower_price": 56000, "grids_quantity": 40, "quantity_per_grid": 30}
    payload = {**levels, "upper_stop_loss_enabled": False}
    bot = asked(peer, "grid_bots", action="manual_update", action_id="201", payload=payload)
    assert bot["grids_quantity"] == "40"


def test_it_enables_a_grid_bot(peer: Any) -> None:  # noqa: ANN401
    assert asked(peer, "grid_bots", action="enable", action_id="203")["is_enabled"] is True


def test_it_reads_an_error(peer: Any) -> None:  # noqa: ANN401
    error, data = peer.request(
        entity="bots", action="update", action_id="41", payload={**EDIT, "max_safety_orders": 201}
    )
    assert data == {}
    assert error["status_code"] == 400
    assert "max_safety_orders" in error["msg"]
