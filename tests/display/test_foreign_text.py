"""Text of the service: in no output is it a command of the terminal, or a line of its own."""

from __future__ import annotations

import io
import json
import logging
import threading
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

import botdesk
from botdesk._cli.app import run
from botdesk._deal_actions import ClosePreview
from botdesk._grid_enable import GridEnablePreview
from botdesk._grid_needs import GridNeeds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# A line that only botdesk may write.
FORGED = "botdesk: forged"
# A title, a link and a bell; C1 controls; NUL; line ends; directions; invisible characters and tags.
HOSTILE = (
    f"begin\x1b]0;title\x07\x1b]8;;http://x\x1b\\\x9b31m\x9d\0\x7f\r\n{FORGED}\x85\u2028\u2029\x0b\x0c"
    "\u202e\u2066\u200b\u200d\u2060\ufeff\u00ad\U000e0041end"
)
BOT: dict[str, Any] = {
    "id": 41,
    "name": HOSTILE,
    "note": HOSTILE,
    "account_name": HOSTILE,
    "is_enabled": True,
    "type": "Bot::SingleBot",
    "strategy": "long",
    "pairs": ["USDT_BTC", HOSTILE],
    "base_order_volume": "20.0",
    "take_profit": "1.5",
    "safety_order_volume": "10.0",
    "martingale_volume_coefficient": "1.0",
    "martingale_step_coefficient": "1.0",
    "max_safety_orders": 3,
    "active_safety_orders_count": 1,
    "safety_order_step_percentage": "1.0",
    "take_profit_type": "total",
    "strategy_list": [{"strategy": HOSTILE}],
    "stop_loss_percentage": HOSTILE,
    "active_deals": [{"id": 7, "pair": HOSTILE, "status": HOSTILE, "bot_name": HOSTILE}],
    HOSTILE: HOSTILE,
}
ERROR = {"error": HOSTILE, "error_description": HOSTILE, "error_attributes": {HOSTILE: [HOSTILE]}}


class HostileService:
    """A service that returns the same response to each request; lists are arrays of it."""

    def __init__(self) -> None:
        self.status = 200
        self.body = json.dumps(BOT).encode()

        hostile = self

        class Responses(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                is_list = hostile.status == 200 and self.path.partition("?")[0].endswith("/bots")
                body = b"[%s]" % hostile.body if is_list else hostile.body
                self.send_response(hostile.status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("X-Request-Id", "id\t\t" + "i" * 2_000)
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                self.do_GET()

            def do_PATCH(self) -> None:
                self.do_GET()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Responses)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(30)


@pytest.fixture
def service() -> Iterator[HostileService]:
    """Run a hostile service."""
    service = HostileService()
    yield service
    service.close()


@pytest.fixture
def client(service: HostileService, private_key: str) -> botdesk.Client:
    """Return a client of the hostile service."""
    return botdesk.Client("key-of-the-client", private_key, base_url=service.url, retries=0, rate_limit=None)


class Terminal(io.StringIO):
    """A terminal at which the user agrees to everything."""

    def isatty(self) -> bool:
        """Return that it is a terminal."""
        return True


@pytest.fixture
def command(
    service: HostileService,
    private_key: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., str]:
    """Return a function that runs a command and returns all that it printed."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
    monkeypatch.setenv("BOTDESK_API_KEY", "key-of-the-client")
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY", private_key)
    monkeypatch.setenv("BOTDESK_BASE_URL", service.url)
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments: str) -> str:
        monkeypatch.setattr("sys.stdin", Terminal("y\n"))
        run(list(arguments))
        captured = capsys.readouterr()
        return captured.out + captured.err

    return command


def assert_is_plain(output: str) -> None:
    """Check that an output has only printable characters, and no forged line."""
    odd = {character for character in output if not (character.isprintable() or character == "\n")}
    assert not odd, f"{odd} in {output!r}"
    assert not [line for line in output.splitlines() if line.strip().startswith(FORGED)], output


COMMANDS = [
    ("bots", "list"),
    ("bots", "show", "41"),
    ("bots", "disable", "41"),
    ("bots", "disable", "41", "42"),
    ("bots", "edit", "41", "--take-profit", "2", "--no-validate", "--preview"),
    ("bots", "edit", "41", "--take-profit", "2", "--no-validate"),
    ("bots", "watch", "--no-deals", "--state", "/dev/null/no-file"),
    ("grid", "edit", "41", "--name", HOSTILE.replace("\0", ""), "--preview"),
    ("grid", "note", "41", HOSTILE.replace("\0", "")),
    ("accounts", "rename", "41", HOSTILE.replace("\0", "")),
    ("request", "GET", "/ver1/bots/41"),
    ("request", "POST", "/ver1/bots/41/disable"),
    ("sign", "GET", "/ver1/bots/41"),
]


@pytest.mark.parametrize("response", ["record", "error", "unknown outcome", "page", "text"])
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(filter(str.isprintable, arguments)))
def test_no_command_prints_a_command_of_the_terminal(
    command: Callable[..., str],
    service: HostileService,
    arguments: tuple[str, ...],
    response: str,
    *,
    as_json: bool,
) -> None:
    responses: dict[str, tuple[int, bytes]] = {
        "record": (200, json.dumps(BOT).encode()),
        "error": (400, json.dumps(ERROR).encode()),
        "unknown outcome": (409, json.dumps(ERROR).encode()),
        "page": (403, f"<html>{HOSTILE}</html>".encode()),
        "text": (200, HOSTILE.replace(FORGED, "").encode()),
    }
    service.status, service.body = responses[response]
    assert_is_plain(command(*arguments, *(["--json"] if as_json else [])))


def test_json_keeps_the_text_as_it_came(command: Callable[..., str]) -> None:
    assert json.loads(command("bots", "show", "41", "--json"))["name"] == HOSTILE
    assert json.loads(command("request", "GET", "/ver1/bots/41"))["name"] == HOSTILE


def test_an_output_that_is_too_long_is_cut(command: Callable[..., str], service: HostileService) -> None:
    service.body = json.dumps({**BOT, "name": "n" * 100_000}).encode()
    shown = command("bots", "show", "41")
    assert "n" * 1_000 + "…" in shown
    assert "n" * 1_001 not in shown
    error = {"error": "record_invalid", "error_description": "n" * 100_000}
    service.status, service.body = 400, json.dumps(error).encode()
    assert len(command("bots", "show", "41")) < 3_000


CALLS: dict[str, Callable[[botdesk.Client], object]] = {
    "a read": lambda client: client.dca_bots.get(41),
    "a list": lambda client: client.dca_bots.list(),
    "a write": lambda client: client.dca_bots.disable(41),
    "a bulk run": lambda client: client.dca_bots.disable_many([41, 42], progress=True),
    "a preview": lambda client: client.dca_bots.get(41).preview_edit(take_profit=2, validate=False),
    "any path": lambda client: client.request("GET", "/ver1/bots/41").json() and None,
    "a poll": lambda client: client.dca_bots.watch(deals=False).poll(),
}


@pytest.mark.parametrize("response", [(200, BOT), (400, ERROR), (409, ERROR), (500, ERROR), (200, HOSTILE)])
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_no_error_log_hook_or_display_has_a_command_of_the_terminal(
    client: botdesk.Client,
    service: HostileService,
    call: Callable[[botdesk.Client], object],
    response: tuple[int, object],
    *,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    events: list[botdesk.RequestEvent] = []
    client = client.with_options(on_response=events.append, on_retry=events.append)
    service.status, service.body = response[0], json.dumps(response[1]).encode()
    try:
        result = call(client)
    except botdesk.BotdeskError as error:
        shown = [str(error), repr(error)]
    else:
        html: Callable[[], str] = getattr(result, "_repr_html_", str)
        shown = [str(result), repr(result), html()]
    captured = capsys.readouterr()
    logged = [record.getMessage() for record in caplog.records]
    assert logged
    for line in logged:
        assert "\n" not in line
    failures = [event.failure or "" for event in events]
    for output in (*shown, *logged, *failures, *map(repr, events), captured.out, captured.err.replace("\r", "\n")):
        assert_is_plain(output)


def test_no_preview_of_a_write_has_a_command_of_the_terminal() -> None:
    names = ("bot_name", "pair", "from_currency", "to_currency", "status", "strategy")
    deal = botdesk.Deal.from_json(json.dumps({"id": 7, "panic_sellable?": True, **dict.fromkeys(names, HOSTILE)}))
    bot = botdesk.GridBot.from_json(json.dumps({"id": 8, "name": HOSTILE, "pair": HOSTILE}))
    needs = GridNeeds({HOSTILE: Decimal(1)}, {HOSTILE: Decimal(1)}, None, is_funded=False)
    start = GridEnablePreview(bot, needs, "plan", None)
    for shown in (str(ClosePreview(deal)), str(start), start._repr_html_()):
        assert_is_plain(shown)


def test_the_body_of_an_error_is_as_it_came(client: botdesk.Client, service: HostileService) -> None:
    service.status, service.body = 409, json.dumps(ERROR).encode()
    with pytest.raises(botdesk.OutcomeUnknownError) as unknown:
        client.dca_bots.disable(41)
    assert json.loads(unknown.value.response_body or "") == ERROR
    service.status = 400
    with pytest.raises(botdesk.ApiError) as rejected:
        client.dca_bots.disable(41)
    assert (rejected.value.error_description, json.loads(rejected.value.body)) == (HOSTILE, ERROR)


def test_an_error_of_a_watch_is_one_line_of_the_log(
    client: botdesk.Client, service: HostileService, caplog: pytest.LogCaptureFixture
) -> None:
    watch = client.dca_bots.watch(every=1, deals=False)
    watch.poll()
    service.status, service.body = 500, json.dumps(ERROR).encode()
    with caplog.at_level(logging.WARNING), pytest.raises(botdesk.ServerError):
        watch.poll()
    for record in caplog.records:
        assert_is_plain(record.getMessage())
