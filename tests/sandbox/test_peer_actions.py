"""Every action of py3cw and three-commas is carried out by the sandbox, or is withdrawn, as their pages say."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl

import peer_actions
import py3cw.request  # pyright: ignore[reportMissingTypeStubs] - it has no types
import pytest
from peer_actions import DOCS, PAGES, SERVED, WITHDRAWN, Action
from rsa_keys import public_pem
from sample_calls import prepare

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

KNOWN = peer_actions.operations()
# The sandbox takes the inputs that it knows.
WITHDRAWN_PAYLOAD = {"mode": "paper", "locale": "pt"}


class Sent(NamedTuple):
    """The identifiers and the inputs of the sample call of an operation."""

    ids: tuple[str, ...]
    payload: dict[str, Any]


@pytest.fixture(scope="module")
def samples() -> dict[str, Sent]:
    """Return what botdesk sends in the sample call of each operation, by the request as the actions write it."""
    return {request: sent_by_botdesk(request) for request in KNOWN}


def sent_by_botdesk(request: str) -> Sent:
    with botdesk.Sandbox(odd_values=True) as sandbox:
        prepare(sandbox.client(), KNOWN[request])()
        sent = sandbox.requests[-1]
    pattern = re.escape(request.partition(" ")[2]).replace(re.escape("{id}"), "([^/]+)")
    match = re.fullmatch(f"/public/api{pattern}", sent.path)
    assert match, sent.path
    return Sent(match.groups(), {**dict(parse_qsl(sent.query or "")), **json.loads(sent.body or "{}")})


def own_key(sandbox: botdesk.Sandbox, private_key: str) -> Any:  # noqa: ANN401
    return py3cw.request.Py3CW(key=sandbox.add_key(public_pem(private_key)), selfsigned=private_key)


def key_with_a_secret(sandbox: botdesk.Sandbox, _: str) -> Any:  # noqa: ANN401
    api_key, secret = sandbox.add_key(secret=True)
    return py3cw.request.Py3CW(key=api_key, secret=secret)


def check_it_is_carried_out(action: Action, sample: Sent, sandbox: botdesk.Sandbox, peer: Any) -> None:  # noqa: ANN401
    payload = sample.payload
    if KNOWN[action.request] == "dca_bots.copy":
        # Each sandbox has secrets of its own.
        payload = {**payload, "secret": sandbox.client().dca_bots.get(int(sample.ids[0])).url_secret}
    error, data = action.send(peer, *sample.ids, payload=payload)
    received = sandbox.requests[-1]
    path = action.request.partition(" ")[2].replace("{id}", "%s") % sample.ids
    assert f"{received.method} {received.path}" == f"{action.request.partition(' ')[0]} /public/api{path}"
    assert received.status in {200, 201}, (action.name, error)
    if KNOWN[action.request] == "grid_bots.delete":
        # The response has no body, which py3cw takes for an error.
        assert (error["status_code"], data) == (200, {})
    else:
        assert not error, action.name
        assert data, action.name


def check_it_is_withdrawn(action: Action, sandbox: botdesk.Sandbox, peer: Any) -> None:  # noqa: ANN401
    # Only SmartTrades can be asked for by an identifier: this is one.
    error, _ = action.send(peer, *["301"] * action.request.count("{id}"), payload=WITHDRAWN_PAYLOAD)
    assert sandbox.requests[-1].status in ({200, 201} if action.request in SERVED else {404}), (action.name, error)


@pytest.mark.parametrize(
    ("actions", "log_in"),
    [
        (peer_actions.py3cw_actions(), own_key),
        (peer_actions.py3cw_actions(), key_with_a_secret),
        (peer_actions.three_commas_actions(), key_with_a_secret),
    ],
    ids=["py3cw-rsa", "py3cw-hmac", "three_commas-hmac"],
)
def test_every_action_is_carried_out_or_withdrawn(
    actions: list[Action],
    log_in: Callable[[botdesk.Sandbox, str], Any],
    samples: dict[str, Sent],
    private_key: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for action in actions:
        with botdesk.Sandbox(odd_values=True) as sandbox:
            monkeypatch.setattr(py3cw.request, "API_URL", sandbox.url)
            peer = log_in(sandbox, private_key)
            if action.request in WITHDRAWN:
                check_it_is_withdrawn(action, sandbox, peer)
            else:
                check_it_is_carried_out(action, samples[action.request], sandbox, peer)


def test_no_action_is_left_out() -> None:
    withdrawn = {action.request for find in PAGES.values() for action in find()} - KNOWN.keys()
    assert withdrawn == WITHDRAWN.keys()


@pytest.mark.parametrize("name", PAGES)
def test_the_page_lists_all_actions(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == peer_actions.page(name), f"docs/{name} is out of date; run: just peers"


@pytest.mark.parametrize("name", PAGES)
def test_botdesk_has_every_method_that_the_page_names(name: str) -> None:
    names = set(re.findall(r"`client\.([a-z_.]+)", (DOCS / name).read_text("utf-8")))
    assert len(names) > 50
    with botdesk.Sandbox(bots=0) as sandbox:
        for path in names:
            found: Any = sandbox.client()
            for part in path.split("."):
                found = getattr(found, part)
            assert callable(found), path
