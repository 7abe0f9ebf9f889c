"""Statements of the API reference outside its tables, on signatures, states and grids, as the sandbox keeps them."""

from __future__ import annotations

import base64
import http.client
import json
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.hashes import SHA256

if TYPE_CHECKING:
    from collections.abc import Callable

    from cryptography.hazmat.primitives.asymmetric import rsa

    import botdesk

    from .conftest import BotSandbox

    ClientOf = Callable[..., botdesk.Client]

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
RENAME = "/public/api/ver1/accounts/1001/rename"
NOTE = "/public/api/ver1/grid_bots/203/note"


class Raw:
    """Sends requests to a sandbox that are built by hand, with any signature."""

    def __init__(self, sandbox: botdesk.Sandbox, public_pem: str, key: rsa.RSAPrivateKey) -> None:
        self._address = sandbox.url.removeprefix("http://")
        self._api_key = sandbox.add_key(public_pem)
        self._key = key

    def signature(self, payload: str) -> str:
        """Sign a payload as the API reference describes it."""
        return base64.b64encode(self._key.sign(payload.encode("ascii"), padding.PKCS1v15(), SHA256())).decode()

    def ask(self, method: str, target: str, body: str = "", kind: str = JSON, *, signature: str) -> tuple[int, Any]:
        """Send a request, and return the status and the body of the response."""
        connection = http.client.HTTPConnection(self._address, timeout=30)
        headers = {"Apikey": self._api_key, "Signature": signature, "Content-Type": kind}
        connection.request(method, target, body.encode(), headers)
        response = connection.getresponse()
        answered = json.loads(response.read())
        connection.close()
        return response.status, answered


@pytest.fixture
def raw(sandbox: botdesk.Sandbox, public_pem: str, private_key: rsa.RSAPrivateKey) -> Raw:
    """Return the sender of requests built by hand."""
    return Raw(sandbox, public_pem, private_key)


@pytest.mark.shows("authentication 4 form", "authentication 4 query")
@pytest.mark.parametrize("travels", ["in the query", "as a form"])
def test_parameters_have_the_same_payload_in_a_query_and_in_a_form(raw: Raw, travels: str) -> None:
    signature = raw.signature(f"{RENAME}?name=Main")
    if travels == "in the query":
        status, account = raw.ask("POST", f"{RENAME}?name=Main", signature=signature)
    else:
        status, account = raw.ask("POST", RENAME, "name=Main", FORM, signature=signature)
    assert (status, account["name"]) == (201, "Main")


@pytest.mark.shows("authentication 4 JSON")
@pytest.mark.parametrize("body", ['{"note":"x"}', '{ "note" :\n"x" }', '{"note":"\\u0078"}'])
def test_a_json_body_is_signed_byte_for_byte(raw: Raw, body: str) -> None:
    status, bot = raw.ask("POST", NOTE, body, signature=raw.signature(NOTE + body))
    assert (status, bot["note"]) == (201, "x")


@pytest.mark.shows("authentication 5", "authentication 7")
@pytest.mark.parametrize(
    "signed",
    [
        f'{NOTE}{{"note":"y"}}',
        f'{NOTE}{{"note": "x"}}',
        f'{NOTE}?{{"note":"x"}}',
        f'{NOTE.replace("203", "201")}{{"note":"x"}}',
        f'{NOTE.removeprefix("/public/api")}{{"note":"x"}}',
        NOTE,
    ],
)
def test_what_is_sent_must_be_what_was_signed(raw: Raw, signed: str) -> None:
    status, body = raw.ask("POST", NOTE, '{"note":"x"}', signature=raw.signature(signed))
    assert (status, body["error"]) == (401, "signature_invalid")
    assert "signature is invalid" in body["error_description"]


@pytest.mark.shows("authentication 5")
def test_a_signature_is_case_sensitive(raw: Raw) -> None:
    signature = raw.signature(f"{RENAME}?name=Main").swapcase()
    status, body = raw.ask("POST", f"{RENAME}?name=Main", signature=signature)
    assert (status, body["error"]) == (401, "signature_invalid")


@pytest.mark.shows("response missing currency and network")
@pytest.mark.parametrize(
    ("query", "missing"),
    [("", {"currency", "network"}), ("?currency=USDT", {"network"}), ("?network=TRX", {"currency"})],
)
def test_deposit_data_lists_what_is_missing(raw: Raw, query: str, missing: set[str]) -> None:
    target = f"/public/api/ver1/accounts/1001/deposit_data{query}"
    status, body = raw.ask("GET", target, signature=raw.signature(target))
    assert (status, body["error"]) == (400, "record_invalid")
    assert set(body["error_attributes"]) == missing


@pytest.mark.shows("response deals of a list")
def test_a_bot_without_deals_has_an_empty_list_of_them(context: BotSandbox) -> None:
    idle = next(bot for bot in context.client.dca_bots.list() if bot.active_deals_count == 0)
    for answered in (idle.refresh(), idle.disable(), idle.cancel_all_deals()):
        assert answered.active_deals == []


@pytest.mark.shows("response page of a list")
def test_a_page_has_50_bots_by_default(client_with_60_bots: botdesk.Client) -> None:
    assert len(client_with_60_bots.dca_bots.list()) == 50


@pytest.mark.shows("contradiction account_id in an example body", "rule dca_bots.edit.account_id: sent only if given")
def test_the_account_of_a_bot_is_sent_only_if_it_is_given(context: BotSandbox) -> None:
    context.bot.edit(name="changed")
    assert "account_id" not in context.body
    assert context.bot.edit(account_id=1002).account_id == 1002
    assert context.body["account_id"] == 1002


@pytest.fixture
def arithmetic(context: BotSandbox) -> Any:  # noqa: ANN401
    """Return the published arithmetic grid."""
    return context.client.grid_bots.edit(
        201,
        lower_price="56000",
        upper_price="70000",
        grids_quantity=40,
        grid_type="arithmetic",
        quantity_per_grid="0.001",
        upper_stop_loss_enabled=False,
    )


@pytest.mark.shows("fact arithmetic step")
def test_the_levels_of_a_grid_include_both_ends(arithmetic: Any) -> None:  # noqa: ANN401
    assert str(arithmetic.grid_price_step) == "358.974358974358974358974358974358974359"
    prices = [line.price for line in arithmetic.grid_lines]
    assert (len(prices), prices[0], prices[-1]) == (40, 56_000, 70_000)


@pytest.mark.shows("fact levels at ticks")
def test_the_levels_of_a_grid_lie_at_the_nearest_tick(arithmetic: Any) -> None:  # noqa: ANN401
    assert str(arithmetic.grid_lines[4].price) == "57435.9"


@pytest.mark.shows("fact geometric ratio")
def test_the_step_of_a_geometric_grid_is_a_ratio(context: BotSandbox) -> None:
    bot = context.client.grid_bots.enable(202)
    prices = [line.price for line in bot.grid_lines]
    assert (bot.grid_type, len(prices), str(prices[0]), str(prices[-1])) == ("geometric", 81, "0.016352", "0.022503")
    assert str(bot.grid_price_step).startswith("1.00399920581210916146041542739112586575")


@pytest.mark.shows("fact sides of levels")
def test_a_grid_buys_below_the_price_and_sells_above_it(context: BotSandbox) -> None:
    bot = context.client.grid_bots.enable(201)
    sides = [line.side for line in bot.grid_lines]
    nearest = min(range(len(sides)), key=lambda index: abs(bot.grid_lines[index].price - bot.current_price))
    assert sides == ["buy"] * nearest + [None] + ["sell"] * (len(sides) - nearest - 1)
