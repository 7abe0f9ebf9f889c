"""SmartTrades from short forms: the request is that of the dictionaries, and errors name what was written."""

# pyright: reportArgumentType=false, reportUnknownMemberType=false, reportUnnecessaryTypeIgnoreComment=false

from __future__ import annotations

import asyncio
import json
from contextlib import closing, suppress
from decimal import Context, Decimal, localcontext
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import botdesk
from botdesk import Conditional, Limit, StopLoss, Trailing

from ..service.conftest import Service  # noqa: TID252

if TYPE_CHECKING:
    from collections.abc import Iterator

ENTRY: dict[str, Any] = {"account_id": 1001, "pair": "USDT_ETH", "side": "buy", "units": "1", "order": "market"}
PRICES = st.decimals("0.01", "100000", places=2).map(str)


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Return a sandbox in which one ETH costs 3000 USDT."""
    with botdesk.Sandbox() as sandbox:
        sandbox.set_price("USDT_ETH", "3000")
        yield sandbox


def sent(sandbox: botdesk.Sandbox) -> Any:  # noqa: ANN401 - any JSON
    """Return the body of the last write."""
    return json.loads([request for request in sandbox.requests if request.method == "POST"][-1].body)


def step(price: str, volume: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"order_type": "limit", "volume": volume, "price": {"value": price}, **more}


def stop(price: str) -> dict[str, Any]:
    return {"enabled": True, "order_type": "market", "conditional": {"price": {"value": price}}}


KINDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    # A simple buy, and a simple sell.
    ({"instant": True}, {"instant": True, "position": {"order_type": "market"}}),
    ({"instant": True, "side": "sell"}, {"instant": True, "position": {"type": "sell", "order_type": "market"}}),
    # A smart sell of what is held.
    (
        {"skip_enter_step": True, "take_profit": "3300"},
        {
            "skip_enter_step": True,
            "position": {"order_type": "market"},
            "take_profit": {"enabled": True, "steps": [step("3300", "100")]},
        },
    ),
    # A cover.
    (
        {"side": "sell", "order": Limit("3100"), "stop_loss": "3300"},
        {
            "position": {"type": "sell", "order_type": "limit", "price": {"value": "3100"}},
            "stop_loss": stop("3300"),
        },
    ),
    # Leverage.
    (
        {"leverage": {"enabled": True, "type": "isolated", "value": 5}},
        {"leverage": {"enabled": True, "type": "isolated", "value": 5}, "position": {"order_type": "market"}},
    ),
    # A conditional entry.
    (
        {"order": Conditional("3150", limit="3200", price_type="last")},
        {
            "position": {
                "order_type": "conditional",
                "price": {"value": "3200"},
                "conditional": {"order_type": "limit", "price": {"value": "3150", "type": "last"}},
            }
        },
    ),
    # A trailing entry.
    (
        {"order": Conditional("2900", trailing="0.5%")},
        {
            "position": {
                "order_type": "conditional",
                "conditional": {
                    "order_type": "market",
                    "price": {"value": "2900"},
                    "trailing": {"enabled": True, "percent": "0.5"},
                },
            }
        },
    ),
]


@pytest.mark.parametrize(("short", "inputs"), KINDS)
def test_each_kind_sends_the_body_of_its_dictionaries(
    sandbox: botdesk.Sandbox, short: dict[str, Any], inputs: dict[str, Any]
) -> None:
    client = sandbox.client()
    client.smart_trades.create(**{**ENTRY, **short})
    body = sent(sandbox)
    common = {"account_id": 1001, "pair": "USDT_ETH"}
    position = {"type": "buy", "units": {"value": "1"}, **inputs["position"]}
    client.smart_trades.create(**{**common, **inputs, "position": position})
    assert body == sent(sandbox)


@settings(max_examples=20)
@given(
    prices=st.lists(PRICES, min_size=4, max_size=6),
    timeout=st.integers(1, 9999),
    units=st.decimals("0.00000001", "1000", places=8),
)
def test_any_numbers_are_sent_digit_by_digit(
    shared_sandbox: botdesk.Sandbox, prices: list[str], timeout: int, units: Decimal
) -> None:
    entry, stop_price, *prices = prices
    shares = ["10"] * (len(prices) - 1)
    client = shared_sandbox.client()
    targets = [prices[0], *zip(prices[1:], shares, strict=True)]
    arguments = {**ENTRY, "units": units, "order": Limit(entry), "take_profit": targets}
    written: dict[str, Any] = {
        "account_id": 1001,
        "pair": "USDT_ETH",
        "position": {
            "type": "buy",
            "order_type": "limit",
            "units": {"value": format(units, "f")},
            "price": {"value": entry},
        },
        "take_profit": {
            "enabled": True,
            "steps": [
                step(price, share) for price, share in zip(prices, [str(100 - 10 * len(shares)), *shares], strict=True)
            ],
        },
        "stop_loss": {**stop(stop_price), "breakeven": True, "timeout": {"enabled": True, "value": timeout}},
    }
    bodies = []
    for send, values in (
        (client.smart_trades.create, {**arguments, "stop_loss": StopLoss(stop_price, breakeven=True, timeout=timeout)}),
        (client.smart_trades.create, written),
    ):
        # The exchange of the sandbox has limits; what counts is the request.
        with suppress(botdesk.RecordInvalidError):
            send(**values)
        bodies.append(sent(shared_sandbox))
    assert bodies[0] == bodies[1]
    assert bodies[0]["position"]["units"]["value"] == format(units, "f")


def test_short_targets_and_dictionaries_may_be_mixed(sandbox: botdesk.Sandbox) -> None:
    targets = [("3300", 50), step("3400", "30"), Trailing("5%", "1%", share="20%")]
    sandbox.client().smart_trades.create(**ENTRY, take_profit=targets, stop_loss=stop("2700"))
    assert sent(sandbox)["take_profit"]["steps"] == [
        step("3300", "50"),
        step("3400", "30"),
        {
            "order_type": "market",
            "volume": "20",
            "price": {"percent": "5"},
            "trailing": {"enabled": True, "percent": "1"},
        },
    ]
    assert sent(sandbox)["stop_loss"] == stop("2700")


def test_shares_that_are_left_out_are_filled_if_one_division_is_possible(sandbox: botdesk.Sandbox) -> None:
    for targets, shares in (
        (["3300", "3400", "3500", "3600"], ["25", "25", "25", "25"]),
        ([("3300", "33.5"), "3400"], ["33.5", "66.5"]),
    ):
        sandbox.client().smart_trades.create(**ENTRY, take_profit=targets)
        assert [each["volume"] for each in sent(sandbox)["take_profit"]["steps"]] == shares


def test_a_share_is_exact_whatever_the_precision_of_the_caller_is(sandbox: botdesk.Sandbox) -> None:
    with localcontext(Context(prec=4)):
        sandbox.client().smart_trades.create(**ENTRY, take_profit=[("3300", "33.3333"), "3400"])
    assert [each["volume"] for each in sent(sandbox)["take_profit"]["steps"]] == ["33.3333", "66.6667"]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"take_profit": ["3300", "3400", "3500"]}, "take_profit[0].share"),
        ({"take_profit": [("3300", 20), "3400", "3500"]}, "take_profit[1].share"),
        ({"take_profit": [("3300", 100), "3400"]}, "take_profit[1].share"),
        ({"take_profit": [("3300", 50), ("0", 50)]}, "take_profit[1].price"),
        ({"take_profit": [("3300", 50, 1)]}, "take_profit[0]"),
        ({"take_profit": ("3300", 50)}, "take_profit"),
        ({"take_profit": []}, "take_profit"),
        ({"take_profit": Trailing("3300", "101")}, "take_profit.distance"),
        ({"take_profit": [Trailing("3300", "1%", share=50), ("3400", 50)]}, "take_profit"),
        ({"take_profit": [Trailing("3300", "1%", share="x"), ("3400", 50)]}, "take_profit[0].share"),
        ({"take_profit": [Limit("3300")]}, "take_profit[0]"),
        ({"take_profit": [(str(3300 + at), "12.5") for at in range(9)]}, "take_profit"),
        ({"take_profit": [("3300", 50), {**step("3400", "50"), "volume": "-1"}]}, "take_profit[1].volume"),
        ({"take_profit": [{**step("3300", "50"), "volume": "half"}, "3400"]}, "take_profit[0].volume"),
        ({"take_profit": {"steps": [step("3300", "100")]}}, "take_profit.enabled"),
        ({"take_profit": [{**step("3300", "50"), "price": {"value": "0"}}, "3400"]}, "take_profit[0].price.value"),
        ({"stop_loss": "5%"}, "stop_loss"),
        ({"stop_loss": StopLoss("x")}, "stop_loss.price"),
        ({"take_profit": "x"}, "take_profit"),
        ({"take_profit": ["x"]}, "take_profit[0]"),
        ({"stop_loss": StopLoss("2700", timeout=0)}, "stop_loss.timeout"),
        ({"stop_loss": {**stop("0")}}, "stop_loss.conditional.price.value"),
        ({"units": 0.1}, "units"),
        ({"units": True}, "units"),
        ({"units": Decimal("NaN")}, "units"),
        ({"units": Decimal("1e999999")}, "units"),
        ({"side": "long"}, "side"),
        ({"order": "limit"}, "order"),
        ({"order": Trailing("3000", "1%")}, "order"),
        ({"order": Limit("3,000")}, "order.price"),
        ({"order": Conditional("3100", limit="0")}, "order.limit"),
        ({"order": Conditional("3100", trailing="0")}, "order.trailing"),
        ({"order": Conditional("3100", price_type="middle")}, "order.price_type"),  # type: ignore[arg-type]
        ({"side": None}, "side"),
        ({"units": None}, "units"),
        ({"order": None}, "order"),
        ({"side": None, "units": None, "order": None}, "position"),
        ({"position": {"type": "buy"}}, "side"),
        ({"position": {"price": {"value": "1"}}, "order": Limit("2")}, "order.price"),
        ({"note": "x" * 290, "marker": True}, "note"),
        ({"instant": True, "stop_loss": "2700"}, "stop_loss"),
    ],
)
def test_an_error_names_the_argument_that_was_written(
    sandbox: botdesk.Sandbox, arguments: dict[str, Any], name: str
) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        sandbox.client().smart_trades.create(**{**ENTRY, **arguments})
    assert name in caught.value.errors
    assert name in str(caught.value)
    assert sandbox.requests == []


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("position.total", "units"),
        ("units_to_buy", "units"),
        ("position", "order"),
        ("position.price.value", "order"),
        ("take_profit[steps][1][volume]", "take_profit[1].share"),
        (
            "take_profit[steps][0][price][value],take_profit[steps][0][price][percent]",
            "take_profit[0].price",
        ),
        ("stop_loss[price][value]", "stop_loss.limit"),
        ("stop_loss[order_type]", "stop_loss.order_type"),
        ("account_id", "account_id"),
        ("something[new]", "something.new"),
    ],
)
def test_an_error_of_the_service_names_the_argument_and_keeps_its_own_key(
    private_key: str, key: str, name: str
) -> None:
    error = json.dumps({"error": "record_invalid", "error_attributes": {key: ["is invalid"]}})
    with closing(Service()) as service:
        service.status = 422
        service.respond = lambda _: error
        client = botdesk.Client("an-api-key", private_key, base_url=service.url, retries=0, rate_limit=None)
        with pytest.raises(botdesk.RecordInvalidError) as caught:
            client.smart_trades.create(**ENTRY, take_profit=[("3300", 50), ("3400", 50)], stop_loss="2700")
        assert len(service.sent) == 1
    assert caught.value.inputs == {name: ["is invalid"]}
    assert caught.value.error_attributes == {key: ["is invalid"]}


def test_the_asynchronous_version_sends_the_same_body_once(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    client.smart_trades.create(**ENTRY, stop_loss="2700")
    blocking = sent(sandbox)
    asyncio.run(client.smart_trades.create_async(**ENTRY, stop_loss="2700"))
    assert (sent(sandbox), len(sandbox.requests)) == (blocking, 2)


def test_a_value_cannot_be_changed_after_it_was_made() -> None:
    with pytest.raises(AttributeError):
        Trailing("3300", "1%").share = 50  # type: ignore[misc]


def test_the_example_of_the_guide_runs() -> None:
    with botdesk.Sandbox(balances={"USDT": "10000"}) as sandbox:
        sandbox.set_price("USDT_BTC", "61000")
        trade = sandbox.client().smart_trades.create(
            account_id=1001,
            pair="USDT_BTC",
            side="buy",
            units="0.1",
            order=botdesk.Limit("60000"),
            take_profit=[("63000", 50), botdesk.Trailing("66000", "1%", share=50)],
            stop_loss=botdesk.StopLoss("57000", breakeven=True, timeout=60),
        )
    assert trade.take_profit is not None
    assert [step.trailing and step.trailing.enabled for step in trade.take_profit.steps or []] == [False, True]


def test_members_of_the_position_may_be_mixed_with_arguments(sandbox: botdesk.Sandbox) -> None:
    sandbox.client().smart_trades.create(
        account_id=1001, pair="USDT_ETH", position={"type": "buy", "order_type": "market"}, units="1"
    )
    assert sent(sandbox)["position"] == {"type": "buy", "order_type": "market", "units": {"value": "1"}}


def test_an_edit_takes_the_same_forms_and_says_what_the_stop_loss_no_longer_has(sandbox: botdesk.Sandbox) -> None:
    trade = sandbox.client().smart_trades.create(**{**ENTRY, "order": Limit("2900")}, stop_loss="2700")
    trade.edit(take_profit=["3300"], stop_loss=StopLoss("2600", limit="2590"), units="2", order="2800")
    written = json.loads(sandbox.requests[-1].body)
    assert written == {
        "position": {"units": {"value": "2"}, "price": {"value": "2800"}},
        "take_profit": {"enabled": True, "steps": [step("3300", "100")]},
        "stop_loss": {
            **stop("2600"),
            "order_type": "limit",
            "price": {"value": "2590"},
            "conditional": {"price": {"value": "2600"}, "trailing": {"enabled": False}},
            "breakeven": False,
            "timeout": {"enabled": False},
        },
    }


def test_an_edit_of_a_conditional_entry_ends_its_trailing_unless_it_has_one(sandbox: botdesk.Sandbox) -> None:
    entry = Conditional("3150", trailing="1%")
    trade = sandbox.client().smart_trades.create(**{**ENTRY, "order": entry})
    asyncio.run(trade.edit_async(order=Conditional("3160")))
    assert json.loads(sandbox.requests[-1].body) == {
        "position": {
            "conditional": {"order_type": "market", "price": {"value": "3160"}, "trailing": {"enabled": False}}
        }
    }


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"order": "market"}, "order"),
        ({"take_profit": [("3300", 50), ("3400", 40)]}, "take_profit"),
        ({"stop_loss": StopLoss("2700", timeout=0)}, "stop_loss.timeout"),
        ({"units": "0"}, "units"),
    ],
)
def test_an_edit_names_the_argument_that_was_written(
    sandbox: botdesk.Sandbox, arguments: dict[str, Any], name: str
) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        sandbox.client().smart_trades.edit(301, **arguments)
    assert name in caught.value.errors
    assert sandbox.requests == []


def test_a_marker_in_the_note_finds_the_one_smart_trade_of_a_lost_response(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    client.smart_trades.create(**ENTRY, note="Mine")
    sandbox.faults.add("smart_trades.create", kind="close_after")
    with pytest.raises(botdesk.OutcomeUnknownError) as caught:
        client.smart_trades.create(**ENTRY, note="Mine", marker=True)
    client.smart_trades.create(**ENTRY, note="Mine")
    client.smart_trades.create(**ENTRY, note="Mine", marker=True)
    notes = [trade.note for trade in caught.value.resolve()]
    assert len(notes) == 1
    assert notes[0].startswith("Mine [")
    assert [request.method for request in sandbox.requests].count("POST") == 4
