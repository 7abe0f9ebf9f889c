"""Clients in worker processes: a reference to the key is pickled, a secret is not."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings, strategies

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


class Desk:
    """A sandbox, and the API key of the test key in it."""

    def __init__(self, sandbox: botdesk.Sandbox, public_pem: str) -> None:
        self.sandbox = sandbox
        self.api_key = sandbox.add_key(public_pem)


@pytest.fixture
def desk(sandbox: botdesk.Sandbox, public_pem: str) -> Desk:
    """Run a sandbox that knows the test key."""
    return Desk(sandbox, public_pem)


@pytest.fixture
def of_environment(desk: Desk, key_file: Path, monkeypatch: pytest.MonkeyPatch) -> botdesk.Client:
    """Make a client from the environment."""
    monkeypatch.setenv("BOTDESK_API_KEY", desk.api_key)
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY_FILE", str(key_file))
    monkeypatch.setenv("BOTDESK_BASE_URL", desk.sandbox.url)
    return botdesk.Client.from_env()


@pytest.fixture
def of_profile(desk: Desk, key_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> botdesk.Client:
    """Make a client from a profile."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "botdesk" / "profiles.toml"
    file.parent.mkdir()
    file.touch(mode=0o600)
    file.write_text(f"[demo]\napi_key='{desk.api_key}'\nprivate_key='{key_file}'\nbase_url='{desk.sandbox.url}'\n")
    return botdesk.Client.from_profile("demo")


@pytest.fixture
def of_file(desk: Desk, key_file: Path) -> botdesk.Client:
    """Make a client with a key file."""
    return botdesk.Client(desk.api_key, key_file, base_url=desk.sandbox.url)


@pytest.fixture(params=["of_environment", "of_profile", "of_file"])
def client(request: pytest.FixtureRequest) -> botdesk.Client:
    """Make a client of each kind that can be pickled."""
    made: botdesk.Client = request.getfixturevalue(request.param)
    return made


@pytest.fixture
def worker() -> Iterator[ProcessPoolExecutor]:
    """Run a worker process that begins with the environment of the test."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as worker:
        yield worker


def bot_of(client: botdesk.Client) -> tuple[str, int | None]:
    """Get a bot: what a worker process does."""
    return repr(client), client.dca_bots.get(41).id


class TestTravels:
    def test_a_worker_process_can_use_it(self, client: botdesk.Client, worker: ProcessPoolExecutor) -> None:
        assert worker.submit(bot_of, client).result(timeout=180) == (repr(client), 41)

    @pytest.mark.parametrize("protocol", PROTOCOLS)
    def test_it_asks_the_same_service_with_the_same_key(self, client: botdesk.Client, protocol: int) -> None:
        again: botdesk.Client = pickle.loads(pickle.dumps(client, protocol))  # noqa: S301
        assert repr(again) == repr(client)
        assert again.dca_bots.get(41).id == 41

    def test_its_options_travel_along(self, client: botdesk.Client) -> None:
        data = pickle.dumps(client.with_options(timeout=7.25, connect_timeout=3.5))
        again: botdesk.Client = pickle.loads(data)  # noqa: S301
        assert pickle.dumps(again) == data
        assert data != pickle.dumps(client)

    def test_the_private_key_does_not_travel(self, client: botdesk.Client, private_key: str) -> None:
        for protocol in PROTOCOLS:
            data = pickle.dumps(client, protocol)
            assert b"PRIVATE KEY" not in data
            assert not any(line.encode() in data for line in private_key.splitlines())

    def test_a_copy_is_the_client_itself(self, client: botdesk.Client) -> None:
        assert copy.copy(client) is client
        assert copy.deepcopy([client])[0] is client


class TestByReference:
    @pytest.mark.parametrize("kind", ["of_environment", "of_profile"])
    def test_the_api_key_does_not_travel(self, request: pytest.FixtureRequest, desk: Desk, kind: str) -> None:
        client = request.getfixturevalue(kind)
        for protocol in PROTOCOLS:
            assert desk.api_key.encode() not in pickle.dumps(client, protocol)

    def test_a_variable_that_is_missing_there_is_named(
        self, of_environment: botdesk.Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data = pickle.dumps(of_environment)
        monkeypatch.delenv("BOTDESK_API_KEY")
        with pytest.raises(botdesk.ConfigurationError, match="does not set: BOTDESK_API_KEY"):
            pickle.loads(data)  # noqa: S301

    def test_a_profile_that_is_missing_there_is_named(
        self, of_profile: botdesk.Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        data = pickle.dumps(of_profile)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
        with pytest.raises(botdesk.ConfigurationError, match="can't be read"):
            pickle.loads(data)  # noqa: S301

    def test_a_key_file_that_is_gone_is_reported(self, of_file: botdesk.Client, key_file: Path) -> None:
        data = pickle.dumps(of_file)
        key_file.unlink()
        with pytest.raises(botdesk.ConfigurationError, match=str(key_file)):
            pickle.loads(data)  # noqa: S301

    def test_a_relative_path_is_found_from_another_folder(
        self, desk: Desk, key_file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(key_file.parent)
        client = botdesk.Client(desk.api_key, key_file.name, base_url=desk.sandbox.url)
        data = pickle.dumps(client)
        monkeypatch.chdir("/")
        assert repr(pickle.loads(data)) == repr(client)  # noqa: S301

    def test_plain_http_stays_allowed(self, key_file: Path) -> None:
        client = botdesk.Client("an-api-key", key_file, base_url="http://service.example", allow_http=True)
        assert repr(pickle.loads(pickle.dumps(client))) == repr(client)  # noqa: S301


class Account(NamedTuple):
    """The base URL, API key and private key of a client."""

    base_url: str
    api_key: str
    key: str

    def fingerprint(self, keys: Path) -> str:
        """Return the fingerprint of its key."""
        return botdesk.PrivateKey.load(keys / self.key).fingerprint


PAPER = Account("https://paper.example", "an-api-key", "rsa_2048.pem")
ACCOUNTS = [
    PAPER,
    PAPER._replace(base_url="https://real-money.example"),
    PAPER._replace(base_url="https://paper.example/v"),
    PAPER._replace(base_url="https://paper.example:8443"),
    PAPER._replace(key="rsa_3072.pem"),
    PAPER._replace(api_key="another-api-key"),
    Account("https://real-money.example", "another-api-key", "rsa_3072.pem"),
]


class ClientSources:
    """The sources that clients are made from: the environment, a profile and a key file, each of which may change."""

    def __init__(self, folder: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._keys = keys
        self._setenv = monkeypatch.setenv
        self._key = folder / "private.pem"
        self._profiles = folder / "botdesk" / "profiles.toml"
        self._profiles.parent.mkdir()
        for file in (self._key, self._profiles):
            file.touch(mode=0o600)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))

    def change(self, account: Account) -> None:
        """Point every source at this account."""
        self._setenv("BOTDESK_API_KEY", account.api_key)
        self._setenv("BOTDESK_PRIVATE_KEY", (self._keys / account.key).read_text())
        self._setenv("BOTDESK_BASE_URL", account.base_url)
        self._key.write_text((self._keys / account.key).read_text())
        self._profiles.write_text(
            f"[demo]\napi_key='{account.api_key}'\nprivate_key='{self._key}'\nbase_url='{account.base_url}'\n"
        )

    def client(self, kind: str, account: Account) -> botdesk.Client:
        """Make a client of this account from a source."""
        self.change(account)
        if kind == "file":
            return botdesk.Client(account.api_key, self._key, base_url=account.base_url)
        return botdesk.Client.from_env() if kind == "environment" else botdesk.Client.from_profile("demo")


@pytest.fixture
def sources(tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> ClientSources:
    """Return the sources that a client is made from."""
    return ClientSources(tmp_path, keys, monkeypatch)


class TestAnotherAccount:
    @pytest.mark.shows("promise the account of a pickled client")
    @pytest.mark.parametrize("kind", ["environment", "profile"])
    @pytest.mark.parametrize("there", ACCOUNTS[1:], ids=range(1, len(ACCOUNTS)))
    def test_a_client_is_not_restored_for_another_account(
        self, sources: ClientSources, keys: Path, kind: str, there: Account
    ) -> None:
        data = pickle.dumps(sources.client(kind, PAPER).with_options(timeout=5))
        sources.change(there)
        with pytest.raises(botdesk.ConfigurationError, match=r"^this client was pickled for ") as caught:
            pickle.loads(data)  # noqa: S301
        message = str(caught.value)
        assert f"{PAPER.base_url} with the key {PAPER.fingerprint(keys)}, but" in message
        found = "another API key" if there.api_key != PAPER.api_key and there.key == PAPER.key else there.base_url
        assert f" gives {found}" in message
        assert there.fingerprint(keys) in message
        assert "api-key" not in message

    @pytest.mark.shows("promise the account of a pickled client")
    def test_another_key_in_the_same_file_is_rejected(self, sources: ClientSources, keys: Path, tmp_path: Path) -> None:
        data = pickle.dumps(sources.client("file", PAPER))
        other = PAPER._replace(key="rsa_3072.pem")
        sources.change(other)
        with pytest.raises(botdesk.ConfigurationError, match=f"the private key {tmp_path}/private.pem gives") as caught:
            pickle.loads(data)  # noqa: S301
        assert other.fingerprint(keys) in str(caught.value)

    @settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        kind=strategies.sampled_from(["environment", "profile", "file"]),
        here=strategies.sampled_from(ACCOUNTS),
        there=strategies.sampled_from(ACCOUNTS),
    )
    def test_a_client_is_of_the_same_account_or_none(
        self, sources: ClientSources, kind: str, here: Account, there: Account
    ) -> None:
        client = sources.client(kind, here)
        data = pickle.dumps(client)
        sources.change(there)
        # The pickle of a client with a key file holds its API key and base URL.
        is_same = here.key == there.key if kind == "file" else here == there
        if is_same:
            assert repr(pickle.loads(data)) == repr(client)  # noqa: S301
        else:
            with pytest.raises(botdesk.ConfigurationError, match="pickled for"):
                pickle.loads(data)  # noqa: S301

    @pytest.mark.parametrize("kind", ["environment", "profile"])
    def test_an_address_that_is_written_in_another_way_is_the_same(self, sources: ClientSources, kind: str) -> None:
        client = sources.client(kind, PAPER)
        data = pickle.dumps(client)
        sources.change(PAPER._replace(base_url="https://PAPER.example:443/public/api/"))
        assert repr(pickle.loads(data)) == repr(client)  # noqa: S301

    def test_a_worker_process_of_another_account_gets_no_client(
        self, sources: ClientSources, worker: ProcessPoolExecutor
    ) -> None:
        data = pickle.dumps(sources.client("environment", PAPER))
        sources.change(PAPER._replace(base_url="https://real-money.example"))
        # The worker inherits the current environment.
        with pytest.raises(botdesk.ConfigurationError, match=r"the environment gives https://real-money\.example with"):
            worker.submit(pickle.loads, data).result(timeout=180)

    @pytest.mark.parametrize("kind", ["environment", "profile", "file"])
    def test_a_pickle_that_names_no_account_is_rejected(self, sources: ClientSources, kind: str) -> None:
        restore, arguments = sources.client(kind, PAPER).__reduce__()[:2]
        with pytest.raises(botdesk.ConfigurationError, match=r"by an older version of botdesk.*; pickle it again"):
            restore(*arguments[:-1])

    def test_the_api_key_can_not_be_read_from_the_account(self, sources: ClientSources) -> None:
        *_, account = sources.client("environment", PAPER).__reduce__()[1]
        base_url, fingerprint, digest = account
        assert (base_url, fingerprint[:7], len(digest)) == (PAPER.base_url, "SHA256:", 12)
        other = PAPER._replace(key="rsa_3072.pem")
        assert digest != sources.client("environment", other).__reduce__()[1][-1][-1]


class TestRefused:
    @pytest.mark.parametrize("given", ["text", "bytes", "PrivateKey"])
    def test_a_key_in_memory(self, private_key: str, given: str) -> None:
        key: str | bytes | botdesk.PrivateKey = private_key
        if given == "bytes":
            key = private_key.encode()
        if given == "PrivateKey":
            key = botdesk.PrivateKey.load(private_key)
        client = botdesk.Client("an-api-key-0123456789", key, base_url="https://service.example")
        with pytest.raises(botdesk.ConfigurationError, match="has its private key in memory") as caught:
            pickle.dumps(client)
        message = str(caught.value)
        assert "Client.from_env()" in message
        assert "an-api-key" not in message

    def test_a_client_of_a_sandbox(self, sandbox: botdesk.Sandbox) -> None:
        with pytest.raises(botdesk.ConfigurationError, match="create it in the worker"):
            pickle.dumps(sandbox.client())

    def test_a_key_file_with_a_password(self, keys: Path, password: str) -> None:
        client = botdesk.Client(
            "an-api-key", keys / "encrypted_aes256.pem", base_url="https://service.example", password=password
        )
        for refused in (client, client.with_options(timeout=5)):
            with pytest.raises(botdesk.ConfigurationError, match="password of its key file") as caught:
                pickle.dumps(refused)
            assert password not in str(caught.value)

    def test_it_can_still_be_copied(self, sandbox: botdesk.Sandbox) -> None:
        client = sandbox.client()
        assert copy.deepcopy(client) is client


def test_a_password_in_the_environment_stays_there(
    of_environment: botdesk.Client, keys: Path, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY_FILE", str(keys / "encrypted_aes256.pem"))
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY_PASSWORD", password)
    data = pickle.dumps(botdesk.Client.from_env())
    assert password.encode() not in data
    assert os.environ["BOTDESK_API_KEY"].encode() not in data
    assert repr(pickle.loads(data)) == repr(of_environment)  # noqa: S301
