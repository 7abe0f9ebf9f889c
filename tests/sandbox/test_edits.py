"""Edits of DCA bots as other clients send them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from sample_calls import reference

if TYPE_CHECKING:
    import botdesk

    from .conftest import Raw

EDITABLE = set(reference("dca_bots.edit")["body"])


def echo(bot: botdesk.DcaBot) -> dict[str, Any]:
    """Return every field of a bot that an edit takes, as it came."""
    record: dict[str, Any] = json.loads(bot.to_json())
    return {name: value for name, value in record.items() if name in EDITABLE}


@pytest.mark.shows("promise an echoed record")
@pytest.mark.parametrize("bots", [12])
def test_every_bot_may_be_sent_back_as_it_came(sandbox: botdesk.Sandbox, raw: Raw) -> None:
    before = sandbox.client().dca_bots.list()
    assert {bot.type for bot in before} == {"Bot::SingleBot", "Bot::MultiBot"}
    for bot in before:
        assert raw.send_json("PATCH", f"/ver1/bots/{bot.id}/update", echo(bot)).status == 200
    after = sandbox.client().dca_bots.list()
    assert {bot.id: echo(bot) for bot in after} == {bot.id: echo(bot) for bot in before}


@pytest.mark.shows("promise the account of an edit")
def test_the_account_of_an_edit_is_one_that_the_user_has(sandbox: botdesk.Sandbox, raw: Raw) -> None:
    bot = sandbox.client().dca_bots.get(sandbox.add_dca_bot(pairs=["USDT_BTC"]))
    path = f"/ver1/bots/{bot.id}/update"
    own = raw.send_json("PATCH", path, {**echo(bot), "account_id": bot.account_id})
    assert (own.status, own.body["account_id"]) == (200, bot.account_id)
    for other in (0, 999_999, None, "x"):
        messages = raw.send_json("PATCH", path, {**echo(bot), "account_id": other}).messages()
        assert list(messages) == ["account_id"]
