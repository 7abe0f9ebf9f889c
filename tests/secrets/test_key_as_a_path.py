"""A key where a path, a name or a URL belongs: no output repeats it."""

from __future__ import annotations

import io
import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import botdesk
from botdesk._cli.app import run

from .conftest import Repeater, written

if TYPE_CHECKING:
    from collections.abc import Callable

ADVICE = "this looks like a key; pass its path, or use BOTDESK_PRIVATE_KEY"

API_KEY = "1f3870be274f6c49b3e31a0c6728957f1f3870be274f6c49b3e31a0c6728957f"


@pytest.fixture(params=["pem", "pem in one line", "body of the pem", "api key"])
def secret(request: pytest.FixtureRequest, private_key: str) -> str:
    """Return a secret as people paste it."""
    forms = {
        "pem": private_key,
        "pem in one line": private_key.replace("\n", "\\n"),
        "body of the pem": "".join(private_key.splitlines()[1:-1]),
        "api key": API_KEY,
    }
    return forms[request.param]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Return an environment without keys, in an empty folder."""
    for name in ("API_KEY", "PRIVATE_KEY", "PRIVATE_KEY_FILE", "PRIVATE_KEY_PASSWORD", "SECRET", "BASE_URL", "PROFILE"):
        monkeypatch.delenv(f"BOTDESK_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "botdesk").mkdir(mode=0o700)
    (tmp_path / "botdesk" / "profiles.toml").touch(mode=0o600)
    monkeypatch.chdir(tmp_path)
    return monkeypatch


def assert_hidden(output: str, secret: str) -> None:
    """Check that an output repeats no part of a secret."""
    lines = secret.replace("\\n", "\n").splitlines()
    parts = [line[at : at + 16] for line in lines if "-----" not in line for at in range(0, len(line) - 15, 16)]
    assert not [part for part in parts if part in output], output


def new_key() -> botdesk.PrivateKey:
    """Return a key that is not the secret."""
    return botdesk.PrivateKey.generate(bits=2048)


def client(**options: Any) -> botdesk.Client:  # noqa: ANN401
    """Return a client of no service."""
    return botdesk.Client("key-of-the-client", new_key(), base_url="http://127.0.0.1:9", **options)


def sandbox_client() -> botdesk.Client:
    """Return a client of a sandbox that has ended."""
    with botdesk.Sandbox() as sandbox:
        return sandbox.client()


def set_and_call(name: str, call: Callable[[], object]) -> Callable[[str, pytest.MonkeyPatch], object]:
    """Return a function that sets an environment variable to a secret and calls another one."""

    def function(secret: str, environment: pytest.MonkeyPatch) -> object:
        environment.setenv(name, secret)
        return call()

    return function


def with_keys(environment: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Set the keys of the environment but for the private key."""
    environment.setenv("BOTDESK_API_KEY", "key-of-the-client")
    environment.setenv("BOTDESK_BASE_URL", "http://127.0.0.1:9")
    return environment


def key_file_of_environment(secret: str, environment: pytest.MonkeyPatch) -> object:
    """Read a key file whose path is the secret."""
    with_keys(environment).setenv("BOTDESK_PRIVATE_KEY_FILE", secret)
    return botdesk.Client.from_env()


def sandbox_dump(secret: str, _: pytest.MonkeyPatch) -> None:
    """Write a state file."""
    with botdesk.Sandbox() as sandbox:
        sandbox.dump(Path("none") / secret)


def sandbox_of_state(secret: str, _: pytest.MonkeyPatch) -> object:
    """Read a state file."""
    with botdesk.Sandbox(state=secret) as sandbox:
        return sandbox


def replay(secret: str, _: pytest.MonkeyPatch) -> object:
    """Replay a cassette."""
    with botdesk.Replay(secret) as replay:
        return replay


def recorded(secret: str, _: pytest.MonkeyPatch) -> object:
    """Record a cassette."""
    with botdesk.Sandbox() as sandbox, botdesk.record(Path("none") / secret, client := sandbox.client()):
        return client.dca_bots.list()


CALLS: dict[str, Callable[[str, pytest.MonkeyPatch], object]] = {
    "load(Path)": lambda secret, _: botdesk.PrivateKey.load(Path(secret)),
    "private_key=Path": lambda secret, _: botdesk.Client("key", Path(secret), base_url="http://127.0.0.1:9"),
    "ca_file": lambda secret, _: client(ca_file=secret),
    "save": lambda secret, _: new_key().save(Path("none") / secret),
    "BOTDESK_PRIVATE_KEY_FILE": key_file_of_environment,
    "from_profile": lambda secret, _: botdesk.Client.from_profile(secret),
    "BOTDESK_PROFILE": set_and_call("BOTDESK_PROFILE", botdesk.Client.from_profile),
    "Sandbox(state)": sandbox_of_state,
    "Sandbox.dump": sandbox_dump,
    "Replay": replay,
    "record": recorded,
    "watch(since)": lambda secret, _: sandbox_client().dca_bots.watch(since=secret),
    "watch.save": lambda secret, _: sandbox_client().dca_bots.watch().save(Path("none") / secret),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_no_error_repeats_it(
    call: Callable[[str, pytest.MonkeyPatch], object], secret: str, environment: pytest.MonkeyPatch
) -> None:
    with pytest.raises((botdesk.BotdeskError, OSError)) as raised:
        call(secret, environment)
    assert isinstance(raised.value, botdesk.BotdeskError)
    assert ADVICE in str(raised.value)
    assert_hidden(f"{raised.value} {raised.value!r} {vars(raised.value)}", secret)


def test_a_url_with_a_key_in_it_is_not_repeated(private_key: str) -> None:
    client = botdesk.Client("key", private_key, base_url=f"http://127.0.0.1:9/{API_KEY}", retries=0)
    with pytest.raises(botdesk.ConnectionFailedError, match=ADVICE) as failed:
        client.dca_bots.list()
    assert_hidden(f"{failed.value} {client!r}", API_KEY)


COMMANDS: dict[str, list[str]] = {
    "keys new": ["keys", "new", "none/SECRET"],
    "profile add": ["profile", "add", "a", "--private-key", "SECRET", "--base-url", "http://127.0.0.1:9"],
    "profile add NAME": [
        "profile",
        "add",
        "--private-key",
        "k.pem",
        "--base-url",
        "http://127.0.0.1:9",
        "--",
        "SECRET",
    ],
    "profile remove": ["profile", "remove", "--yes", "--", "SECRET"],
    "profile default": ["profile", "default", "--", "SECRET"],
    "--profile": ["bots", "list", "--profile", "SECRET"],
    "--state": ["bots", "watch", "--state", "SECRET"],
    "record": ["record", "--", "SECRET", "GET", "/ver1/bots"],
    "--candles": ["bots", "backtest", "41", "--candles", "SECRET"],
    "--signals": ["bots", "backtest", "41", "--candles", "none.csv", "--signals", "SECRET"],
    "--play": ["sandbox", "--play", "SECRET", "--pair", "USDT_BTC"],
    "an id": ["bots", "show", "--", "SECRET"],
    "an option": ["bots", "show", "SECRET"],
    "a command": ["SECRET"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_repeats_it(
    name: str, secret: str, environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.setattr("sys.stdin", io.StringIO())
    if name in {"--state", "record", "an id"}:
        new_key().save(Path("key.pem"))
        with_keys(environment).setenv("BOTDESK_PRIVATE_KEY_FILE", "key.pem")
    code = run([argument.replace("SECRET", secret) for argument in COMMANDS[name]])
    captured = capsys.readouterr()
    assert code != 0
    assert captured.err.count("\n") == 1, captured.err
    assert_hidden(captured.out + captured.err, secret)


def test_a_key_of_the_environment_is_not_repeated_as_a_name(environment: pytest.MonkeyPatch) -> None:
    # It has no digits, so that only its value tells that it is a key.
    environment.setenv("BOTDESK_API_KEY", "CorrectHorseBattery")
    with pytest.raises(botdesk.ConfigurationError, match=ADVICE):
        botdesk.Client.from_profile("correcthorsebattery")


@pytest.mark.parametrize("repeated", ["{key}", "{upper}", "{lower}", "{key:.8}…", "{key:.20}***"])
def test_a_service_that_repeats_the_key_in_another_way_does_not_reveal_it(repeated: str, private_key: str) -> None:
    key = "AbCd-EfGh-IjKl-MnOp-QrSt"
    shown = repeated.format(key=key, upper=key.upper(), lower=key.lower())
    body = json.dumps({"error": "record_invalid", "error_description": f"the key {shown} is wrong"})
    with closing(Repeater()) as repeater:
        repeater.response = lambda _: written(400, body)
        client = botdesk.Client(key, private_key, base_url=repeater.url)
        with pytest.raises(botdesk.RecordInvalidError, match="the key <hidden>") as rejected:
            client.dca_bots.get(41)
    assert "abcd-efg" not in f"{rejected.value} {rejected.value.body}".lower()


def test_an_api_secret_is_a_secret_field(private_key: str) -> None:
    body = json.dumps({"error": "record_invalid", "error_description": "wrong", "api_secret": "the-value-of-it"})
    with closing(Repeater()) as repeater:
        repeater.response = lambda _: written(400, body)
        client = botdesk.Client("key-of-the-client", private_key, base_url=repeater.url)
        with pytest.raises(botdesk.RecordInvalidError) as rejected:
            client.dca_bots.get(41)
    assert '"api_secret": "<hidden>"' in rejected.value.body
