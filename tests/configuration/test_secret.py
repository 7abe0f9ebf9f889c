"""Secrets of system-generated keys from the environment and from profiles, in copies, forks and pickles."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
SECRET = "s3cret-0123456789"


class Desk(NamedTuple):
    """A system-generated key, and the sandbox that made it."""

    api_key: str
    secret: str
    url: str


@pytest.fixture
def desk(sandbox: botdesk.Sandbox) -> Desk:
    """Make a key."""
    return Desk(*sandbox.add_key(secret=True), sandbox.url)


@pytest.fixture
def write_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that writes the profile `demo`."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "botdesk" / "profiles.toml"
    file.parent.mkdir()
    file.touch(mode=0o600)

    def write(**settings: str) -> None:
        lines = [f'{name} = "{value}"' for name, value in settings.items()]
        file.write_text("\n".join(["[demo]", *lines, ""]))

    return write


@pytest.fixture
def set_environment(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that sets variables."""

    def put(**settings: str) -> None:
        for name, value in settings.items():
            monkeypatch.setenv(f"BOTDESK_{name.upper()}", value)

    return put


@pytest.fixture(params=["environment", "profile"])
def client(
    request: pytest.FixtureRequest,
    desk: Desk,
    write_profile: Callable[..., None],
    set_environment: Callable[..., None],
) -> botdesk.Client:
    """Make a client from the environment, and from a profile."""
    settings = {"api_key": desk.api_key, "secret": desk.secret, "base_url": desk.url}
    if request.param == "environment":
        set_environment(**settings)
        return botdesk.Client.from_env()
    write_profile(**settings)
    return botdesk.Client.from_profile("demo")


def bot_of(client: botdesk.Client) -> tuple[str, int | None]:
    """Get a bot: what a worker process does."""
    return repr(client), client.dca_bots.get(41).id


class TestWorks:
    def test_it_reads_and_writes(self, client: botdesk.Client, desk: Desk) -> None:
        assert client.validate()
        assert client.dca_bots.edit(41, name="of a secret").name == "of a secret"
        assert desk.secret not in repr(client)
        assert desk.api_key not in repr(client)

    def test_a_client_with_other_options_has_the_same_key(self, client: botdesk.Client) -> None:
        other = client.with_options(timeout=7, signature_cache=0)
        assert repr(other) == repr(client)
        assert other.dca_bots.get(41).id == 41

    def test_a_copy_is_the_client_itself(self, client: botdesk.Client) -> None:
        assert copy.copy(client) is client
        assert copy.deepcopy([client])[0] is client

    def test_a_forked_child_signs(self, client: botdesk.Client) -> None:
        before = client.sign("GET", "/ver1/bots").signature
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(write, client.sign("GET", "/ver1/bots").signature.encode())
            finally:
                os._exit(0)
        os.close(write)
        assert os.waitpid(child, 0)[1] == 0
        with os.fdopen(read) as pipe:
            assert pipe.read() == before


class TestTravels:
    def test_a_worker_process_can_use_it(self, client: botdesk.Client) -> None:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as worker:
            assert worker.submit(bot_of, client).result(timeout=180) == (repr(client), 41)

    @pytest.mark.parametrize("protocol", PROTOCOLS)
    def test_neither_the_secret_nor_the_api_key_travels(
        self, client: botdesk.Client, desk: Desk, protocol: int
    ) -> None:
        data = pickle.dumps(client, protocol)
        assert desk.secret.encode() not in data
        assert desk.api_key.encode() not in data
        again: botdesk.Client = pickle.loads(data)  # noqa: S301
        assert repr(again) == repr(client)
        assert again.dca_bots.get(41).id == 41

    def test_another_key_there_is_an_error(
        self, client: botdesk.Client, sandbox: botdesk.Sandbox, set_environment: Callable[..., None]
    ) -> None:
        data = pickle.dumps(client)
        api_key, secret = sandbox.add_key(secret=True)
        set_environment(api_key=api_key, secret=secret, base_url=sandbox.url, profile="")
        if b"_restore_from_profile" in data:
            # A profile is read whatever the environment has.
            assert repr(pickle.loads(data)) == repr(client)  # noqa: S301
            return
        with pytest.raises(
            botdesk.ConfigurationError, match=r"with the key HMAC:\S+, but in this process the env"
        ) as it:
            pickle.loads(data)  # noqa: S301
        assert secret not in str(it.value)

    def test_a_client_with_its_secret_in_memory_does_not_travel(self, desk: Desk) -> None:
        client = botdesk.Client(desk.api_key, secret=desk.secret, base_url=desk.url)
        with pytest.raises(botdesk.ConfigurationError, match="this client has its secret in memory, so it can't") as it:
            pickle.dumps(client)
        assert desk.secret not in str(it.value)


def error_of(make: Callable[[], object]) -> str:
    with pytest.raises(botdesk.ConfigurationError) as caught:
        make()
    assert SECRET not in str(caught.value)
    return str(caught.value)


NOT_A_SECRET = "expected the secret of a system-generated key, not "


class TestEnvironment:
    @pytest.mark.parametrize(
        ("other", "message"),
        [
            ("private_key", "BOTDESK_PRIVATE_KEY and BOTDESK_SECRET are both set; unset one of them"),
            ("private_key_file", "BOTDESK_PRIVATE_KEY_FILE and BOTDESK_SECRET are both set; unset one of them"),
            ("private_key_password", "BOTDESK_PRIVATE_KEY_PASSWORD and BOTDESK_SECRET are both set; unset one of them"),
        ],
    )
    def test_two_keys_are_one_too_many(self, set_environment: Callable[..., None], other: str, message: str) -> None:
        set_environment(api_key="k", secret=SECRET, **{other: "x"})
        assert error_of(botdesk.Client.from_env) == message

    def test_a_key_in_pem_is_named(self, set_environment: Callable[..., None], private_key: str) -> None:
        set_environment(api_key="k", secret=private_key)
        assert error_of(botdesk.Client.from_env) == (
            f"the environment: BOTDESK_SECRET: {NOT_A_SECRET}a key in PEM; an RSA private key is passed as "
            "private_key, or in BOTDESK_PRIVATE_KEY"
        )

    def test_a_secret_in_place_of_a_private_key_is_named(self, set_environment: Callable[..., None]) -> None:
        set_environment(api_key="k", private_key=SECRET)
        message = error_of(botdesk.Client.from_env)
        assert message.endswith("; the secret of a system-generated key is passed as secret, or in BOTDESK_SECRET")

    def test_a_line_end_is_removed_with_a_warning(self, set_environment: Callable[..., None], desk: Desk) -> None:
        set_environment(api_key=desk.api_key, secret=f"{desk.secret}\n", base_url=desk.url)
        with pytest.warns(UserWarning, match="BOTDESK_SECRET: white space or a line end around the secret was removed"):
            client = botdesk.Client.from_env()
        assert client.validate()

    def test_the_published_base_url_is_the_default(self, set_environment: Callable[..., None]) -> None:
        set_environment(api_key="k", secret=SECRET)
        assert repr(botdesk.Client.from_env()).startswith("<Client https://api.3commas.io key HMAC:")


class TestProfile:
    @pytest.mark.parametrize("other", ["private_key", "password"])
    def test_two_keys_are_one_too_many(self, write_profile: Callable[..., None], other: str) -> None:
        write_profile(api_key="k", secret=SECRET, **{other: "x"})
        message = error_of(lambda: botdesk.Client.from_profile("demo"))
        assert message.endswith(f" has {other} and secret; remove the one that it does not need")

    def test_an_invalid_secret_is_named_with_its_profile(self, write_profile: Callable[..., None]) -> None:
        write_profile(api_key="k", secret=f"{SECRET} x")
        message = error_of(lambda: botdesk.Client.from_profile("demo"))
        assert message.startswith('the profile "demo" in ')
        assert f"profiles.toml: secret: {NOT_A_SECRET}a string with white space, " in message

    def test_a_setting_that_is_not_a_string_is_rejected(
        self, write_profile: Callable[..., None], tmp_path: Path
    ) -> None:
        write_profile(api_key="k")
        file = tmp_path / "botdesk" / "profiles.toml"
        file.write_text(file.read_text() + "secret = 5\n")
        message = error_of(lambda: botdesk.Client.from_profile("demo"))
        assert message.endswith(" needs a quoted string as secret")

    def test_the_published_base_url_is_the_default(self, write_profile: Callable[..., None]) -> None:
        write_profile(api_key="k", secret=SECRET)
        assert repr(botdesk.Client.from_profile("demo")).startswith("<Client https://api.3commas.io key HMAC:")

    def test_a_preview_names_the_profile(self, write_profile: Callable[..., None], desk: Desk) -> None:
        write_profile(api_key=desk.api_key, secret=desk.secret, base_url=desk.url)
        preview: Any = botdesk.Client.from_profile("demo").dca_bots.get(41).preview_edit(name="x")
        assert preview.destination.startswith(f"{desk.url}, profile demo")


class TestClientsOfOneKey:
    def test_they_share_their_rate_limit(self, desk: Desk) -> None:
        one, other = (
            botdesk.Client(desk.api_key, secret=desk.secret, base_url=desk.url, rate_limit=botdesk.RateLimit(5, 60))
            for _ in range(2)
        )
        assert one.validate()
        assert other.budget is not None
        assert other.budget.used == 1

    def test_a_watch_of_one_continues_with_the_other_and_not_with_another_key(
        self, desk: Desk, sandbox: botdesk.Sandbox
    ) -> None:
        one, other = (botdesk.Client(desk.api_key, secret=desk.secret, base_url=desk.url) for _ in range(2))
        state = one.dca_bots.watch(every=1).state
        assert desk.secret not in state
        assert desk.api_key not in state
        assert other.dca_bots.watch(since=state).poll() == []
        api_key, secret = sandbox.add_key(secret=True)
        third = botdesk.Client(api_key, secret=secret, base_url=desk.url)
        with pytest.raises(botdesk.ConfigurationError, match=r"another key \(fingerprint HMAC:\S+, not HMAC:"):
            third.dca_bots.watch(since=state)
