"""`botdesk sign`, `request` and `record`."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

import botdesk
from botdesk._cli import output

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Ended

    Desk = Callable[..., Ended]


def test_sign_prints_the_payload_and_sends_nothing(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    signed = desk("sign", "GET", "/ver1/bots", "--query", "limit=1", "-q", "scope=enable", "--json").json
    assert signed["payload"] == "/public/api/ver1/bots?limit=1&scope=enable"
    assert signed["signature"] in signed["curl"]
    assert len(sandbox.requests) == 0


def test_a_body_is_signed_as_it_is_sent(desk: Desk) -> None:
    signed = desk("sign", "POST", "/ver1/grid_bots/203/note", "--body", '{"note": "a", "x": 0.10}', "--json").json
    assert signed["payload"] == '/public/api/ver1/grid_bots/203/note{"note":"a","x":0.10}'


def test_sign_prints_a_line_for_each_part(desk: Desk) -> None:
    lines = [line.split()[0] for line in desk("sign", "GET", "/ver1/bots").out.splitlines()]
    assert lines == ["payload", "signature", "fingerprint", "curl"]


def test_any_path_can_be_requested(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    ended = desk("request", "GET", "/ver1/bots", "-q", "limit=2", "--json")
    assert [bot["id"] for bot in ended.json] == [bot.id for bot in sandbox.client().dca_bots.list(limit=2)]


def test_a_response_is_printed_without_its_secrets(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    secret = sandbox.client().dca_bots.get(41).url_secret
    assert secret
    ended = desk("request", "GET", "/ver1/bots/41/show")
    assert json.loads(ended.out)["id"] == 41
    assert secret not in ended.out


def test_a_write_asks_for_confirmation(desk: Desk, sandbox: botdesk.Sandbox) -> None:
    note = ("POST", "/ver1/grid_bots/203/note", "--body", '{"note": "mine"}')
    assert desk("request", *note).code == 2
    assert desk("request", *note, answers="n\n").code == 1
    assert len(sandbox.requests) == 0
    assert desk("request", *note, "--yes", "--json").json["note"] == "mine"


def test_a_recording_is_replayed(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "desk.har"
    ended = desk("record", str(path), "GET", "/ver1/bots/41/show", "--json")
    assert (ended.code, ended.json["id"]) == (0, 41)
    with botdesk.Replay(path) as replay:
        assert replay.client().dca_bots.get(41).id == 41


def test_an_error_response_is_recorded_too(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "desk.har"
    assert desk("record", str(path), "GET", "/ver1/bots/999/show").code == 1
    with botdesk.Replay(path) as replay, pytest.raises(botdesk.NotFoundError):
        replay.client().dca_bots.get(999)


def test_an_existing_file_is_only_replaced_with_overwrite(desk: Desk, sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "desk.har"
    path.write_text("dear")
    ended = desk("record", str(path), "GET", "/ver1/bots")
    assert (ended.code, ended.err.count("\n"), path.read_text()) == (2, 1, "dear")
    assert len(sandbox.requests) == 0
    assert "--overwrite" in ended.err
    assert desk("record", str(path), "GET", "/ver1/bots", "--overwrite").code == 0


def test_a_change_that_could_not_be_recorded_is_reported_as_made(
    desk: Desk, sandbox: botdesk.Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "desk.har"
    show = output.show

    def show_after_creating_the_file(response: object, *, as_json: bool) -> None:
        path.write_text("dear")
        show(response, as_json=as_json)

    monkeypatch.setattr(output, "show", show_after_creating_the_file)
    ended = desk("record", str(path), "POST", "/ver1/bots/41/disable", "--yes", "--json")
    assert (ended.code, ended.json["is_enabled"], path.read_text()) == (5, False, "dear")
    assert ended.err.startswith("botdesk: the command succeeded, but could not be recorded: ")
    assert [request.path for request in sandbox.requests] == ["/public/api/ver1/bots/41/disable"]


def test_a_number_with_a_huge_exponent_keeps_it() -> None:
    assert output.dumps(Decimal("1e99999999")) == '"1E+99999999"'
    assert output.dumps(Decimal("1e-99999999")) == '"1E-99999999"'
    assert output.dumps(Decimal("1.5e3")) == '"1500"'


def test_an_unconfirmed_change_leaves_no_file(desk: Desk, sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "desk.har"
    assert desk("record", str(path), "POST", "/ver1/bots/41/disable").code != 0
    assert not path.exists()
    assert len(sandbox.requests) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("FETCH", "/ver1/bots"),
        ("GET", "/ver1/bots", "--query", "limit"),
        ("POST", "/ver1/bots", "--body", "{"),
        ("POST", "/ver1/bots", "--body", "1"),
    ],
)
def test_an_invalid_request_is_an_error_in_one_line(
    desk: Desk, sandbox: botdesk.Sandbox, arguments: tuple[str, ...]
) -> None:
    ended = desk("request", *arguments, "--yes")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert len(sandbox.requests) == 0
