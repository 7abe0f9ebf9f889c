"""Every form in which programs in use send values, over requests made by hand."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import pytest
from sample_calls import reference

if TYPE_CHECKING:
    import botdesk

    from .conftest import Raw

FORM = "application/x-www-form-urlencoded"
PAIRS = ["USDT_BTC", "USDT_ETH"]
STEPS = [{"amount_percentage": 50, "profit_percentage": 1}, {"amount_percentage": 50, "profit_percentage": 2}]
NESTED = "take_profit=0&" + "&".join(
    f"take_profit_steps[][{name}]={value}" for step in STEPS for name, value in step.items()
)
MODE = "/ver1/users/change_mode"

# What changes in the edit of a bot: a form, and the field with its value afterwards.
FORMS = [
    pytest.param(f"pairs={quote(json.dumps(PAIRS))}", "pairs", PAIRS, id="an array as JSON text"),
    pytest.param(
        "pairs[]=USDT_BTC&pairs%5B%5D=USDT_ETH", "pairs", PAIRS, id="an array by a repeated name with brackets"
    ),
    pytest.param(
        "pairs=USDT_BTC&pairs=USDT_ETH", "pairs", ["USDT_ETH"], id="a repeated plain name, whose last value wins"
    ),
    pytest.param(NESTED, "take_profit_steps", STEPS, id="an array of objects in empty brackets"),
    pytest.param("trailing_enabled=True&trailing_deviation=0.2", "trailing_enabled", True, id="a boolean of Python"),
    pytest.param("trailing_enabled=1&trailing_deviation=0.2", "trailing_enabled", True, id="a boolean as a digit"),
    pytest.param("trailing_enabled=0", "trailing_enabled", False, id="another boolean as a digit"),
    pytest.param("max_safety_orders=4.0", "max_safety_orders", 4, id="a whole number as a float"),
    pytest.param("name=A+b%20c", "name", "A b c", id="blanks"),
]
# The same in JSON.
BODIES = [
    pytest.param({"pairs": PAIRS}, "pairs", PAIRS, id="an array"),
    pytest.param({"pairs": ["USDT_BTC"]}, "pairs", ["USDT_BTC"], id="an array of one"),
    pytest.param({"take_profit": 0, "take_profit_steps": STEPS}, "take_profit_steps", STEPS, id="nested objects"),
    pytest.param({"max_safety_orders": 4.0}, "max_safety_orders", 4, id="a whole number as a float"),
    pytest.param({"max_safety_orders": "4"}, "max_safety_orders", 4, id="a number as text"),
    pytest.param({"trailing_enabled": "false"}, "trailing_enabled", False, id="a boolean as text"),
    pytest.param({"base_order_volume": 30.000000000000004}, "base_order_volume", "30.000000000000004", id="noise"),
    pytest.param({"id": 7, "bot_id": 7, "name": "Own"}, "id", 41, id="another identifier in the body"),
    pytest.param({"leverage_custom_value": None}, "id", 41, id="a null that was echoed"),
]


@pytest.fixture
def bots() -> int:
    """Return the number of DCA bots of the sandbox."""
    return 1


@pytest.fixture
def update(sandbox: botdesk.Sandbox) -> tuple[str, dict[str, Any]]:
    """Return the path of an edit, and the values that it needs."""
    client = sandbox.client()
    client.dca_bots.edit(41, strategy_list=[{"strategy": "manual", "options": {}}], trailing_enabled=False)
    bot = json.loads(client.dca_bots.get(41).to_json())
    needed = {
        name
        for name, rule in reference("dca_bots.edit")["body"].items()
        if ", required" in rule and "required when" not in rule
    }
    return "/ver1/bots/41/update", {name: bot[name] for name in needed if bot.get(name) is not None}


def values_in_a_form(values: dict[str, Any]) -> str:
    return urlencode({name: json.dumps(value) if isinstance(value, list) else value for name, value in values.items()})


def are_steps(value: Any) -> bool:  # noqa: ANN401
    return str(value).startswith("[{")


def is_same(left: Any, right: Any) -> bool:  # noqa: ANN401
    """Compare values; steps have positions too."""
    if are_steps(left) and are_steps(right):
        return bool([{name: int(step[name]) for name in right[0]} for step in left] == right)
    return bool(left == right)


@pytest.mark.parametrize("place", ["query", "form"])
@pytest.mark.parametrize(("form", "field", "value"), FORMS)
def test_a_form_in_use_is_taken(
    raw: Raw, update: tuple[str, dict[str, Any]], *, place: str, form: str, field: str, value: object
) -> None:
    path, values = update
    text = values_in_a_form(
        {name: needed for name, needed in values.items() if f"{name}=" not in form and f"{name}[" not in form}
    )
    text = f"{text}&{form}"
    reply = raw.send("PATCH", f"{path}?{text}") if place == "query" else raw.send("PATCH", path, text, FORM)
    assert reply.status == 200, reply.body
    assert is_same(reply.body[field], value), reply.body[field]


@pytest.mark.parametrize(("body", "field", "value"), BODIES)
def test_a_json_body_in_use_is_taken(
    raw: Raw, update: tuple[str, dict[str, Any]], body: dict[str, Any], field: str, value: object
) -> None:
    path, values = update
    reply = raw.send_json("PATCH", path, {**values, **body})
    assert reply.status == 200, reply.body
    assert is_same(reply.body[field], value), reply.body[field]


@pytest.mark.parametrize(
    ("form", "field", "message"),
    [
        ("take_profit_steps[0][amount_percentage]=1", "take_profit_steps", "is invalid"),
        ("take_profit[steps][0][price][value]=1", "take_profit[steps]", "is invalid"),
        ("max_safety_orders=2.5", "max_safety_orders", None),
        ("pairs=['USDT_BTC', 'USDT_ETH']", "pairs", None),
    ],
)
def test_a_form_that_the_service_refuses_is_refused(
    raw: Raw, update: tuple[str, dict[str, Any]], form: str, field: str, message: str | None
) -> None:
    path, values = update
    name = form.partition("=")[0].partition("[")[0]
    text = values_in_a_form({known: value for known, value in values.items() if known != name})
    messages = raw.send("PATCH", path, f"{text}&{form}", FORM).messages()
    assert list(messages) == [field]
    assert message is None or messages[field] == [message]


@pytest.mark.parametrize(
    "query",
    [
        "account_id=1001,1002",
        "account_id=1001%2C1002",
        "account_id[]=1001&account_id[]=1002",
        "account_ids[]=1001&account_ids[]=1002",
        "account_ids=1001,1002",
        f"account_id={quote('[1001,1002]')}",
        f"account_id={quote(json.dumps(['1001', '1002']))}",
    ],
)
def test_several_accounts_are_taken_in_each_form(raw: Raw, sandbox: botdesk.Sandbox, query: str) -> None:
    sandbox.add_grid_bot(account_id=sandbox.add_account())
    accounts = {bot.id: bot.account_id for bot in sandbox.client().grid_bots.list(limit=1000)}
    wanted = {bot for bot, account in accounts.items() if account in (1001, 1002)}
    assert 0 < len(wanted) < len(accounts)
    reply = raw.send("GET", f"/ver1/grid_bots?limit=1000&{query}")
    assert {bot["id"] for bot in reply.body} == wanted


@pytest.mark.parametrize(
    "query", ["date_from=2024-01-01", "date_from=2024-01-01T00%3A00%3A00Z", "date_from=2024-01-01T00:00:00Z&limit=5"]
)
def test_a_time_has_bare_colons_or_encoded_ones_or_is_a_date(raw: Raw, query: str) -> None:
    assert raw.send("GET", f"/ver1/accounts/1001/balance_chart_data?{query}").status == 200


@pytest.mark.parametrize(
    ("target", "body", "kind"),
    [
        (f"{MODE}?mode=paper", "", None),
        (MODE, "mode=paper", FORM),
        (MODE, '{"mode":"paper"}', "application/json"),
        (f"{MODE}?mode=real", '{"mode":"paper"}', "application/json"),
    ],
)
def test_a_withdrawn_request_takes_each_place(raw: Raw, target: str, body: str, kind: str | None) -> None:
    assert (raw.send("POST", target, body, kind).status, raw.send("GET", "/ver1/users/current_mode").body) == (
        201,
        {"mode": "paper"},
    )


def test_the_client_sends_json_bodies_and_encodes_queries(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    client.dca_bots.edit(
        41, pairs=PAIRS, strategy_list=[{"strategy": "manual"}], name="Früh & spät", take_profit=Decimal("1.50")
    )
    edit = sandbox.requests[-1]
    body = edit.body
    assert body is not None
    assert body.isascii()
    assert '"pairs":["USDT_BTC","USDT_ETH"]' in body
    assert '"name":"Fr\\u00fch & sp\\u00e4t"' in body
    assert ", " not in body
    client.request("GET", "/ver1/bots", query={"scope": "enabled", "limit": 2, "name": "a b~é", "flag": True})
    assert sandbox.requests[-1].query == "scope=enabled&limit=2&name=a%20b~%C3%A9&flag=true"
