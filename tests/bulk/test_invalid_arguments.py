"""Invalid arguments of bulk methods: all errors are raised at once, before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from .conftest import Call, Desk


def validation_errors(call: Call, owner: object, method: str, *args: object, **named: object) -> dict[str, list[str]]:
    with pytest.raises(botdesk.ValidationError) as caught:
        call(owner, method, *args, **named)
    return caught.value.errors


def test_a_bot_that_is_named_twice(desk: Desk, call: Call) -> None:
    first, second, *_ = desk.bots
    errors = validation_errors(call, desk.client.dca_bots, "disable_many", [first, second, first.id, second.id, second])
    assert errors == {"bots": [f"DcaBot {bot.id} is listed more than once" for bot in (first, second)]}
    assert desk.arrived == []


def test_a_value_that_is_not_a_bot(desk: Desk, call: Call) -> None:
    errors = validation_errors(call, desk.client.dca_bots, "disable_many", [41, "x", -1, None])
    assert list(errors) == ["bots[1]", "bots[2]", "bots[3]"]
    assert desk.arrived == []


def test_the_message_has_the_first_twenty_of_many_errors(desk: Desk) -> None:
    with pytest.raises(botdesk.ValidationError, match=r"and 10 more$") as raised:
        desk.client.dca_bots.disable_many(range(-30, 0))
    assert (str(raised.value).count("bots["), len(raised.value.errors)) == (20, 30)
    assert desk.arrived == []


def test_a_bot_of_another_account(desk: Desk, call: Call) -> None:
    with botdesk.Sandbox(bots=3) as other:
        theirs = other.client().dca_bots.list()[0]
    errors = validation_errors(call, desk.client.dca_bots, "disable_many", [desk.bots[0], theirs])
    assert list(errors) == ["bots[1]"]
    assert errors["bots[1]"][0].startswith("is a record of a client with another API key or base URL")
    assert desk.arrived == []


def test_a_bot_of_the_same_account_by_another_client(desk: Desk) -> None:
    again = desk.client.with_options(timeout=60)
    assert again.dca_bots.disable_many(desk.bots[:2]).is_complete


def test_a_value_that_is_not_a_list(desk: Desk, call: Call) -> None:
    some: Any = 41
    assert validation_errors(call, desk.client.dca_bots, "disable_many", some) == {
        "bots": ["must be a list of records or ids"]
    }


def test_an_account_in_the_place_of_a_bot(desk: Desk, call: Call) -> None:
    account = desk.client.accounts.load_balances(1001)
    assert list(validation_errors(call, desk.client.dca_bots, "disable_many", [account])) == ["bots[0]"]


@pytest.mark.parametrize("concurrency", [0, -1, 65])
def test_a_concurrency_out_of_range(desk: Desk, call: Call, concurrency: int) -> None:
    errors = validation_errors(call, desk.client.dca_bots, "disable_many", desk.ids, concurrency=concurrency)
    assert errors == {"concurrency": [f"must be between 1 and 64, not {concurrency}"]}
    assert desk.arrived == []


def test_a_change_that_is_invalid_for_every_bot_is_reported_once(desk: Desk, call: Call) -> None:
    errors = validation_errors(call, desk.client.dca_bots, "edit_many", desk.ids, cooldown=-1, nmae="x")
    assert list(errors) == ["nmae", "cooldown"]
    assert desk.arrived == []


def test_an_edit_of_nothing(desk: Desk, call: Call) -> None:
    assert list(validation_errors(call, desk.client.dca_bots, "edit_many", desk.ids)) == ["edit"]


@pytest.mark.parametrize("named", ["records", "identifiers"])
def test_broken_rules_of_some_bots_are_reported_by_bot_and_none_is_changed(desk: Desk, call: Call, named: str) -> None:
    # Their last safety orders lie below the stop loss that fits all others.
    few = [bot.edit(max_safety_orders=6, stop_loss_percentage=0) for bot in desk.bots[:2]]
    bots = [*few, *desk.bots[2:]] if named == "records" else desk.ids
    before = len(desk.writes())
    errors = validation_errors(call, desk.client.dca_bots, "edit_many", bots, stop_loss_percentage="8")
    assert list(errors) == [f"{bot.id}.stop_loss_percentage" for bot in few]
    assert len(desk.writes()) == before


def test_without_validation_the_service_validates_each(desk: Desk, call: Call) -> None:
    result = call(desk.client.dca_bots, "edit_many", desk.bots[:3], max_active_deals=100_000, validate=False)
    assert {type(item.error) for item in result.failed} == {botdesk.RecordInvalidError}
    assert len(result.failed) == 3


def test_the_error_of_an_iteration_is_raised_unchanged(desk: Desk) -> None:
    desk.sandbox.faults.add("dca_bots.list", kind="status", status=403)
    with pytest.raises(botdesk.ForbiddenError):
        desk.client.dca_bots.disable_many(desk.client.dca_bots.iter())
    assert desk.writes() == []
