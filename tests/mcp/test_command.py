"""`botdesk mcp`: its options, its transports, and what it says about where its data is from."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from botdesk._cli.app import run
from botdesk._cli.mcp import transports

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

CONFIGURING = ("API_KEY", "PRIVATE_KEY", "PRIVATE_KEY_FILE", "SECRET", "BASE_URL", "PROFILE", "MCP_TOKEN", "MODE")


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Set and return an environment without keys, with folders of its own."""
    for name in CONFIGURING:
        monkeypatch.delenv(f"BOTDESK_{name}", raising=False)
    folders = {"XDG_CONFIG_HOME": str(tmp_path / "configuration"), "BOTDESK_STATE_DIR": str(tmp_path / "state")}
    for name, folder in folders.items():
        monkeypatch.setenv(name, folder)
    return folders


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that runs `botdesk mcp` with wrong options, and returns its error."""

    def refused(*options: str) -> str:
        assert run(["mcp", *options]) == 2
        return capsys.readouterr().err

    return refused


def test_over_stdio_the_sandbox_is_served_and_said_to_be_one(tmp_path: Path, environment: dict[str, str]) -> None:
    log = tmp_path / "stderr"

    async def talk() -> tuple[Any, Any, Any, str]:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "botdesk", "mcp", "--allow-writes"], env=environment
        )
        with log.open("w") as errors:
            async with Client(stdio_client(command, errlog=errors)) as client:
                listed = await client.list_tools()
                bots = await client.call_tool("dca_bots_read", {"action": "list"})
                preview = await client.call_tool("preview_dca_bots", {"action": "disable", "bot_id": 41})
                token = preview.structured_content["token"]
                applied = await client.call_tool("apply", {"token": token})
                return listed, bots, applied, str(client.instructions)

    listed, bots, applied, instructions = anyio.run(talk)
    source = "the sandbox, because there is no profile; run: botdesk init: invented data, no real money"
    assert bots.structured_content["source"] == applied.structured_content["source"] == source
    assert applied.structured_content["outcome"] == "done"
    assert "apply" in {tool.name for tool in listed.tools}
    assert "changes are allowed, without the expensive and irreversible ones" in instructions
    assert f"serving {source}" in log.read_text()
    (audit,) = tmp_path.rglob("mcp-audit.jsonl")
    assert len(audit.read_text().splitlines()) == 5


@pytest.fixture
def http_server(environment: dict[str, str]) -> Generator[tuple[str, str]]:
    """Run `botdesk mcp --http 0`, and return its URL and its token."""
    command = [sys.executable, "-m", "botdesk", "mcp", "--sandbox", "--http", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}) as process:
        assert process.stderr is not None
        started = ""
        while "token" not in started:
            line = process.stderr.readline()
            assert line, started
            started += line
        url = re.search(r"http://127\.0\.0\.1:\d+/mcp", started)
        token = re.search(r"token, shown once: (\S+)", started)
        assert url is not None
        assert token is not None
        yield url[0], token[1]
        process.terminate()
        process.communicate(timeout=60)


def test_over_http_only_requests_with_the_token_are_answered(http_server: tuple[str, str]) -> None:
    url, token = http_server
    ping = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepted = {"Accept": "application/json, text/event-stream"}

    async def talk() -> tuple[list[int], int, Any]:
        async with httpx2.AsyncClient(trust_env=False) as http:
            statuses = [
                (await http.post(url, json=ping, headers=accepted)).status_code,
                (await http.get(url)).status_code,
            ]
            for wrong in ("Bearer wrong", token, f"Bearer {token}x"):
                refused = await http.post(url, json=ping, headers={**accepted, "Authorization": wrong})
                statuses.append(refused.status_code)
            # A page of another site that resolves its name to this machine has another host in its requests.
            rebound = {**accepted, "Authorization": f"Bearer {token}", "Host": "example.com"}
            host_status = (await http.post(url, json=ping, headers=rebound)).status_code
        given = httpx2.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {token}"})
        async with given, Client(streamable_http_client(url, http_client=given)) as client:
            result = await client.call_tool("deals_read", {"action": "get", "deal_id": 410})
            return statuses, host_status, result

    statuses, host_status, result = anyio.run(talk)
    assert statuses == [401] * 5
    assert host_status == 421
    assert result.structured_content["source"].startswith("the sandbox, as asked with --sandbox")
    assert json.loads(result.content[0].text)["from_service"]["id"] == 410


def test_a_token_comes_from_a_file_that_only_its_user_can_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = "a-token-of-the-person-123"
    path = tmp_path / "token"
    path.touch(mode=0o600)
    path.write_text(f"{token}\n")
    assert transports.token_of(path) == (token, False)
    monkeypatch.setenv("BOTDESK_MCP_TOKEN", token)
    assert transports.token_of(None) == (token, False)
    monkeypatch.setenv("BOTDESK_MCP_TOKEN", "short-secret")
    with pytest.raises(ValueError, match="BOTDESK_MCP_TOKEN is no token; write at least 20") as short:
        transports.token_of(None)
    assert "short-secret" not in str(short.value)
    with pytest.raises(ValueError, match="pass a file with a token"):
        transports.token_of(tmp_path / "missing")
    if os.name == "posix":
        path.chmod(0o644)
        with pytest.raises(ValueError, match=r"can be read by others; run: chmod 600"):
            transports.token_of(path)


def test_each_new_token_is_another_one() -> None:
    (first, is_new), (second, _) = transports.token_of(None), transports.token_of(None)
    assert is_new
    assert first != second
    assert len(first) >= 40


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--allow-dangerous"], "--allow-dangerous only adds to --allow-writes; pass both"),
        (
            ["--max-volume", "a lot"],
            "--max-volume: 'a lot' is no volume; write it as 100 (in US dollars) or '0.01 BTC'",
        ),
        (["--accounts", "all"], "--accounts: 'all' is not the id of an account; write ids as 1001,1002"),
        (["--bots", "deal:1"], "--bots: 'deal:1' is no bot"),
        (["--token-file", "token"], "--token-file is for --http; pass both"),
        (["--sandbox", "--profile", "mine"], "--sandbox and --profile exclude each other"),
        (["--tools", "dca_bots_read,nope"], "--tools: there is no tool nope; there are: accounts_read"),
        (["--http", "0", "--token-file", "/nowhere"], "/nowhere: No such file or directory; pass a file with a token"),
    ],
)
def test_wrong_options_are_errors(refused: Callable[..., str], options: list[str], error: str) -> None:
    assert error in refused(*options)


def test_a_port_in_use_is_an_error(refused: Callable[..., str]) -> None:
    with transports.bind(0) as listening:
        port = str(listening.getsockname()[1])
        error = refused("--http", port)
    assert f"--http: port {port}: " in error
    assert "pass another port, or 0 for a free one" in error


def test_a_client_that_is_configured_wrongly_is_not_replaced_by_the_sandbox(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "the profiles in" in refused("--profile", "missing")
    monkeypatch.setenv("BOTDESK_API_KEY", "key-without-a-secret")
    error = refused()
    assert "BOTDESK_SECRET" in error
    assert "key-without-a-secret" not in error


def test_without_the_package_the_command_says_what_to_install(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_no_package(_: str) -> None:
        return None

    monkeypatch.setattr("botdesk._cli.mcp.command.find_spec", find_no_package)
    assert "botdesk mcp needs the package mcp; install with: pip install 'botdesk[mcp]'" in refused()
