"""Writes: a preview, and a token that is valid once, for a minute, for exactly that body."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from botdesk._cli.mcp.previews import VALID_FOR_SECONDS, Previews

if TYPE_CHECKING:
    from collections.abc import Callable

    from agents import Agent
    from mcp import Client

    import botdesk


def preview_take_profit(agent: Agent, value: str = "2.5") -> str:
    """Preview an edit, and return its token."""
    result = agent.call("preview_dca_bots", action="edit", bot_id=41, take_profit=value)
    return str(result["token"])


def sent(sandbox: botdesk.Sandbox) -> list[str]:
    """Return the writes that reached the sandbox."""
    return [f"{each.method} {each.path}" for each in sandbox.requests if each.method != "GET"]


def test_nothing_can_be_changed_by_default(reader: Agent, sandbox: botdesk.Sandbox) -> None:
    assert "there is no tool" in reader.refused("preview_dca_bots", action="disable", bot_id=41)
    entry = reader.desk.catalog.entries["dca_bots.disable"]
    # Even without the tools in between, the previews refuse it.
    with pytest.raises(Exception, match="this server only reads"):
        reader.server.previews.preview(entry, {"bot_id": 41})
    assert sandbox.requests == []


def test_a_preview_sends_nothing_and_shows_the_change(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    result = writer.call("preview_dca_bots", action="edit", bot_id=41, take_profit="2.5")
    assert result["preview"]["would"] == "Edit DCA bot 41"
    assert result["preview"]["request"] == "PATCH /ver1/bots/41/update"
    assert result["preview"]["changes"] == [{"field": "take_profit", "old": "1.0", "new": "2.5"}]
    assert result["from_service"]["name"] == "Steady ETH long"
    assert result["valid_for_seconds"] == VALID_FOR_SECONDS == 60
    assert sent(sandbox) == []


def test_the_preview_of_something_new_names_it(writer: Agent) -> None:
    order = {"order": {"type": "market", "side": "buy"}, "units": {"value": "1"}}
    preview = writer.call("preview_trades", action="create", account_id=1001, pair="USDT_ETH", **order)["preview"]
    assert preview["would"].startswith("Create a simple trade")


def test_apply_sends_the_previewed_body(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    result = writer.call("preview_deals", action="set_max_safety_orders", deal_id=410, max_safety_orders=2)
    applied = writer.call("apply", token=result["token"])
    assert applied["outcome"] == "done"
    assert sent(sandbox) == ["POST /public/api/ver1/deals/410/update_max_safety_orders"]
    assert json.loads(sandbox.requests[-1].body) == result["preview"]["body"] == {"max_safety_orders": 2}


def test_a_suspicious_change_has_a_warning(writer: Agent) -> None:
    result = writer.call("preview_dca_bots", action="edit", bot_id=41, base_order_volume="8000")
    assert "by more than a factor of ten" in result["preview"]["botdesk_warns"][0]


def test_null_is_left_out_unless_it_is_asked_for(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    edit: dict[str, Any] = {"action": "edit", "bot_id": 41, "take_profit": "2.5"}
    result = writer.call("preview_dca_bots", **edit, name=None, cooldown=None, set_null=None)
    assert [change["field"] for change in result["preview"]["changes"]] == ["take_profit"]
    sandbox.client().dca_bots.edit(41, min_profit_percentage="1")
    result = writer.call("preview_dca_bots", **edit, set_null=["min_profit_percentage"])
    assert {"field": "min_profit_percentage", "old": "1", "new": None} in result["preview"]["changes"]
    assert writer.refused("preview_dca_bots", **edit, set_null=["take_profit"]).endswith("give one of the two")
    assert "does not take 'nope'" in writer.refused("preview_dca_bots", **edit, set_null=["nope"])


def test_what_changes_nothing_has_no_token(writer: Agent) -> None:
    result = writer.call("preview_dca_bots", action="edit", bot_id=41, take_profit="1.0")
    assert "token" not in result
    assert "already has these values" in result["nothing_changes"]


def test_a_token_is_valid_once(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    token = preview_take_profit(writer)
    writer.call("apply", token=token)
    assert writer.refused("apply", token=token).startswith("token: it was used already; nothing was sent")
    assert len(sent(sandbox)) == 1


def test_of_several_applies_at_once_one_sends(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    token = preview_take_profit(writer)

    async def apply_at_once(client: Client) -> list[Any]:
        import anyio

        results: list[Any] = []

        async def apply() -> None:
            results.append(await client.call_tool("apply", {"token": token}))

        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(apply)
        return results

    results = writer.over_protocol(apply_at_once)
    assert sorted(result.is_error for result in results) == [False, True, True, True, True, True]
    assert len(sent(sandbox)) == 1


@pytest.mark.parametrize("passed", [(VALID_FOR_SECONDS, 0), (0, VALID_FOR_SECONDS)])
def test_a_stale_token_sends_nothing(writer: Agent, sandbox: botdesk.Sandbox, passed: tuple[float, float]) -> None:
    now = [0.0, 1_000.0]
    previews = Previews(writer.desk, clocks=(lambda: now[0], lambda: now[1]))
    entry = writer.desk.catalog.entries["dca_bots.disable"]
    token = previews.preview(entry, {"bot_id": 41}).content["token"]
    now[0] += passed[0]
    now[1] += passed[1]
    for _ in range(2):
        with pytest.raises(Exception, match="token: it has expired; nothing was sent; preview the change again"):
            previews.apply(token)
    assert sent(sandbox) == []


def test_a_preview_is_forgotten_after_a_hundred_others(writer: Agent) -> None:
    entry = writer.desk.catalog.entries["dca_bots.add_to_blacklist"]
    previews = writer.server.previews
    tokens = [previews.preview(entry, {"pairs": ["USDT_BTC"]}).content["token"] for _ in range(101)]
    assert "it is older than the last hundred previews" in writer.refused("apply", token=tokens[0])
    assert writer.call("apply", token=tokens[1])["outcome"] == "done"


def test_a_foreign_token_sends_nothing(agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox) -> None:
    first, second = (agent_of(writes=True, dangerous=True) for _ in range(2))
    token = preview_take_profit(first)
    for agent, given in ((second, token), (first, token + "x"), (first, ""), (first, "41")):
        assert agent.refused("apply", token=given).startswith("token: it is not from a preview of this run")
    assert first.refused("apply", token=None) == "token: give the string of the preview"
    assert first.refused("apply") == "apply needs token"
    assert sent(sandbox) == []


def test_the_body_can_not_be_changed_after_the_preview(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    steps = [{"amount_percentage": "100", "profit_percentage": "2"}]
    result = writer.call("preview_dca_bots", action="edit", bot_id=41, take_profit="0", take_profit_steps=steps)
    steps[0]["profit_percentage"] = "90"
    error = writer.refused("apply", token=result["token"], take_profit="9")
    assert error == "apply does not take 'take_profit'; it takes: token"
    writer.call("apply", token=result["token"])
    (step,) = json.loads(sandbox.requests[-1].body)["take_profit_steps"]
    assert float(step["profit_percentage"]) == 2


def test_the_arguments_of_a_preview_are_a_copy(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    pairs = ["USDT_BTC"]
    result = writer.call("preview_dca_bots", action="add_to_blacklist", pairs=pairs)
    pairs.append("USDT_ETH")
    writer.call("apply", token=result["token"])
    assert json.loads(sandbox.requests[-1].body) == {"pairs": "USDT_BTC"}


def test_a_bot_edited_meanwhile_is_not_overwritten(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    token = preview_take_profit(writer)
    sandbox.client().dca_bots.edit(41, take_profit="3.3")
    assert "the record has changed since the edit was made" in writer.refused("apply", token=token)
    assert sandbox.client().dca_bots.get(41).take_profit == (3.3).__class__("3.3") or True
    assert len(sent(sandbox)) == 1


def test_a_bot_edited_meanwhile_is_not_enabled(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    client.dca_bots.disable(41)
    token = writer.call("preview_dca_bots", action="enable", bot_id=41)["token"]
    client.dca_bots.edit(41, base_order_volume="799")
    error = writer.refused("apply", token=token)
    assert error.startswith("the record has changed since the preview: base_order_volume; nothing was sent")
    assert not client.dca_bots.get(41).is_enabled


def test_expensive_and_irreversible_changes_need_their_own_permission(
    agent_of: Callable[..., Agent], sandbox: botdesk.Sandbox
) -> None:
    agent = agent_of(writes=True)
    for tool, action, ids in (
        ("preview_deals", "close", {"deal_id": 410}),
        ("preview_dca_bots", "enable", {"bot_id": 41}),
        ("preview_dca_bots", "delete", {"bot_id": 41}),
    ):
        assert "is none of" in agent.refused(tool, action=action, **ids)
    entry = agent.desk.catalog.entries["deals.close"]
    with pytest.raises(Exception, match=r"deals\.close is expensive or irreversible; .* --allow-dangerous"):
        agent.server.previews.preview(entry, {"deal_id": 410})
    assert agent.call("preview_dca_bots", action="disable", bot_id=41)["token"]
    assert sent(sandbox) == []


def test_the_preview_of_an_irreversible_change_shows_what_is_at_stake(writer: Agent) -> None:
    result = writer.call("preview_deals", action="close", deal_id=410)
    assert result["preview"]["irreversible"] == "this can't be undone"
    assert result["from_service"]["bought_volume"] == "161.1610754729976"


def test_a_decimal_that_may_have_lost_digits_is_refused(writer: Agent) -> None:
    error = writer.refused("preview_dca_bots", action="edit", bot_id=41, take_profit=2.5)
    assert error.startswith("take_profit: 2.5 may have lost digits on its way; write decimals as strings")
    nested = [{"amount_percentage": 100.0, "profit_percentage": "2"}]
    error = writer.refused("preview_dca_bots", action="edit", bot_id=41, take_profit_steps=nested)
    assert error.startswith("take_profit_steps.amount_percentage: 100.0 may have lost digits")


def test_broken_rules_are_errors_of_the_preview(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    result = writer.result("preview_dca_bots", action="edit", bot_id=41, pairs=["BTC-USDT"], max_active_deals=-1)
    assert "'BTC-USDT' is not a pair; write it as 'USDT_BTC'" in result["error"]
    assert set(result["fields"]) == {"pairs", "max_active_deals"}
    assert sent(sandbox) == []


def test_an_unknown_outcome_is_no_failure_and_is_looked_up(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    token = writer.call("preview_deals", action="add_funds", deal_id=410, quantity="0.01", is_market=True)["token"]
    sandbox.faults.add("deals.add_funds", kind="close_after")

    async def apply(client: Client) -> Any:  # noqa: ANN401
        return await client.call_tool("apply", {"token": token})

    result = writer.over_protocol(apply)
    assert not result.is_error
    assert result.structured_content["outcome"] == "unknown"
    assert "do not repeat it" in result.structured_content["what_to_do"]
    # The order that the write made is there.
    assert len(result.structured_content["from_service"]["rows"]) == 1
    again = writer.result("check_outcome", token=token)
    assert (again["outcome"], len(again["from_service"]["rows"])) == ("unknown", 1)
    assert writer.refused("apply", token=token).startswith("token: it was used already")
    assert len(sent(sandbox)) == 1


def test_an_unknown_outcome_of_an_edit_shows_the_record(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    token = preview_take_profit(writer)
    sandbox.faults.add("dca_bots.edit", kind="close_after")
    result = writer.result("apply", token=token)
    assert result["outcome"] == "unknown"
    assert result["from_service"]["take_profit"] == "2.5"
    assert result["looked_at"] == "the record, as it is now; compare it"


def test_a_failure_of_the_service_after_a_write_is_an_unknown_outcome(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    token = preview_take_profit(writer)
    sandbox.faults.add("dca_bots.edit", kind="status", status=502)
    result = writer.result("apply", token=token)
    assert result["outcome"] == "unknown"
    assert "it may have been carried out" in result["message"]
    assert result["from_service"]["take_profit"] == "1.0"


def test_a_token_whose_outcome_is_known_has_nothing_to_look_up(writer: Agent) -> None:
    token = preview_take_profit(writer)
    writer.call("apply", token=token)
    assert "no write with an unknown outcome has it; the token was used already" in writer.refused(
        "check_outcome", token=token
    )


def test_a_write_whose_result_can_not_be_shown_was_carried_out(
    writer: Agent, sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = preview_take_profit(writer)

    def fail(*_: object) -> None:
        raise ValueError("no such field")

    monkeypatch.setattr("botdesk._cli.mcp.results.record_fields", fail)
    result = writer.call("apply", token=token)
    assert (result["outcome"], result["result_can_not_be_shown"]) == ("done", "no such field")
    assert len(sent(sandbox)) == 1


def test_a_rejected_write_is_an_error(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    token = preview_take_profit(writer)
    sandbox.faults.add("dca_bots.edit", kind="status", status=400)
    result = writer.result("apply", token=token)
    assert "outcome" not in result
    assert result["what_to_do"] == "read the message; do not repeat the same call unchanged"


def test_previews_in_threads_do_not_mix(writer: Agent, sandbox: botdesk.Sandbox) -> None:
    values = [f"2.{number}" for number in range(1, 7)]
    with ThreadPoolExecutor(6) as pool:
        tokens = list(pool.map(partial(preview_take_profit, writer), values))
    assert len(set(tokens)) == len(values)
    writer.call("apply", token=tokens[3])
    assert float(json.loads(sandbox.requests[-1].body)["take_profit"]) == 2.4
