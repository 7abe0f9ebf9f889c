"""`botdesk doctor`, and the option `--mode`."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from typing import TYPE_CHECKING

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from .conftest import Ended


def problems(ended: Ended) -> dict[str, str]:
    return {check["name"]: check["text"] for check in ended.json["checks"] if not check["ok"]}


def test_a_working_key_has_no_problem(desk: Callable[..., Ended], private_key: str) -> None:
    ended = desk("--mode", "paper", "doctor")
    assert ended.code == 0, ended
    lines = ended.out.splitlines()
    assert all(line.startswith("OK ") for line in lines)
    for part in ("base URL: http://127.0.0.1", "key: self-generated, RSA", "mode: paper", "proxy: none", "clock: "):
        assert part in ended.out
    assert "permissions: ACCOUNTS_READ, BOTS_READ" in ended.out
    assert "requests left" in ended.out
    assert private_key.splitlines()[1] not in ended.out


def test_the_report_can_be_json(desk: Callable[..., Ended]) -> None:
    ended = desk("doctor", "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["ok"] is True


def test_no_key_is_a_problem(command: Callable[..., Ended]) -> None:
    ended = command("doctor", "--json")
    assert ended.code == 1
    assert "botdesk init" in problems(ended)["key"]


def test_an_unknown_key_is_a_problem(desk: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOTDESK_API_KEY", "another-api-key-0123456789")
    ended = desk("doctor", "--json")
    assert ended.code == 1
    assert set(problems(ended)) == {"connection"}
    assert "another-api-key" not in ended.out


def test_a_response_that_is_no_json_is_a_problem(desk: Callable[..., Ended], sandbox: botdesk.Sandbox) -> None:
    sandbox.faults.add("general.validate", kind="wrong_json")
    ended = desk("doctor", "--json")
    assert ended.code == 1
    assert "the JSON is invalid" in problems(ended)["connection"]


def test_a_key_without_permissions_is_a_problem(
    desk: Callable[..., Ended], sandbox: botdesk.Sandbox, private_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = botdesk.PrivateKey.load(private_key)
    monkeypatch.setenv("BOTDESK_API_KEY", sandbox.add_key(key.public_key_pem, permissions=[]))
    ended = desk("doctor", "--json")
    assert ended.code == 1
    assert "give it permissions" in problems(ended)["permissions"]


def test_no_server_is_a_problem(desk: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
    monkeypatch.setenv("BOTDESK_BASE_URL", f"http://127.0.0.1:{port}")
    ended = desk("doctor", "--json")
    assert ended.code == 1
    assert set(problems(ended)) == {"connection"}


def test_a_silent_server_is_a_problem(desk: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        monkeypatch.setenv("BOTDESK_BASE_URL", f"http://127.0.0.1:{listener.getsockname()[1]}")
        ended = desk("doctor", "--json", "--timeout", "0.3")
    assert ended.code == 1
    assert set(problems(ended)) == {"connection"}


def test_the_mode_of_a_command_chooses_the_accounts(desk: Callable[..., Ended]) -> None:
    assert [account["id"] for account in desk("--mode", "paper", "accounts", "list", "--json").json] == [105]


def test_another_mode_can_not_be_sent(desk: Callable[..., Ended], sandbox: botdesk.Sandbox) -> None:
    ended = desk("--mode", "demo", "accounts", "list")
    assert ended.code == 2
    assert 'mode must be "paper" or "real"' in ended.err
    assert not sandbox.requests
