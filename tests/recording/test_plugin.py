"""The pytest plugin, in a nested pytest."""

from __future__ import annotations

import base64
import json
import os
import shutil
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import botdesk

from .scenarios import CASSETTES, KEYS
from .service import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest_plugins = ["pytester"]

GETS_A_BOT = """
def test_bot(botdesk_replay):
    assert botdesk_replay.client().dca_bots.get(41).id == 41
"""


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """Return a folder of tests with a cassette on which a bot is got twice."""
    folder = pytester.path / "cassettes"
    folder.mkdir()
    shutil.copy(CASSETTES / "dca_bots.get.har", folder / "test_bot.har")
    return pytester.path


def outcomes(pytester: pytest.Pytester, *arguments: str) -> dict[str, int]:
    return pytester.runpytest("-p", "no:cacheprovider", *arguments).parseoutcomes()


@pytest.mark.usefixtures("folder")
def test_a_cassette_has_the_name_of_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(GETS_A_BOT)
    assert outcomes(pytester) == {"passed": 1}


@pytest.mark.usefixtures("folder")
def test_all_cases_of_a_test_may_share_a_cassette(pytester: pytest.Pytester) -> None:
    marker = "import pytest\n\n@pytest.mark.parametrize('case', [1, 2])"
    pytester.makepyfile(f"{marker}{GETS_A_BOT.replace('replay)', 'replay, case)', 1)}")
    assert outcomes(pytester) == {"passed": 2}


def test_a_case_may_have_a_cassette_of_its_own(pytester: pytest.Pytester, folder: Path) -> None:
    (folder / "cassettes" / "test_bot.har").rename(folder / "cassettes" / "test_bot[1].har")
    marker = "import pytest\n\n@pytest.mark.parametrize('case', [1, 2])"
    pytester.makepyfile(f"{marker}{GETS_A_BOT.replace('replay)', 'replay, case)', 1)}")
    assert outcomes(pytester) == {"passed": 1, "errors": 1}


def test_a_marker_names_another_cassette(pytester: pytest.Pytester, folder: Path) -> None:
    (folder / "cassettes").rename(folder / "recorded")
    pytester.makepyfile(f"import pytest\n\n@pytest.mark.botdesk_replay('recorded/test_bot.har'){GETS_A_BOT}")
    assert outcomes(pytester, "--strict-markers") == {"passed": 1}


@pytest.mark.usefixtures("folder")
def test_strict_fails_a_test_that_requests_less_than_was_recorded(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"import pytest\n\n@pytest.mark.botdesk_replay(strict=True){GETS_A_BOT}")
    result = pytester.runpytest("-p", "no:cacheprovider")
    assert result.parseoutcomes() == {"passed": 1, "errors": 1}
    result.stdout.fnmatch_lines(["*RecordingError: *test_bot.har has requests that were never made: GET *41/show"])


def test_a_missing_cassette_is_reported(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(GETS_A_BOT)
    result = pytester.runpytest("-p", "no:cacheprovider")
    assert result.parseoutcomes() == {"errors": 1}
    hint = "record it with pytest --botdesk-record or botdesk.record"
    result.stdout.fnmatch_lines([f"*RecordingError: the cassette *test_bot.har does not exist; {hint}*"])


def test_the_marker_is_listed(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.botdesk_replay(path=None, [*], strict=False): the HAR file*"])


STOPS_A_BOT = """
def test_bot(botdesk_replay):
    client = botdesk_replay.client()
    assert client.dca_bots.get(41).is_enabled
    assert client.with_options(retries=0).dca_bots.disable(41).is_enabled is False
    assert botdesk_replay.unused == []
"""


class TestRecord:
    @pytest.fixture(autouse=True)
    def _environment(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        for name in ("PROFILE", "PRIVATE_KEY", "PRIVATE_KEY_PASSWORD"):
            monkeypatch.delenv(f"BOTDESK_{name}", raising=False)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        key = tmp_path / "key.pem"
        key.touch(mode=0o600)
        key.write_bytes((KEYS / "rsa_2048.pem").read_bytes())
        monkeypatch.setenv("BOTDESK_PRIVATE_KEY_FILE", str(key))
        monkeypatch.setenv("BOTDESK_API_KEY", "an-api-key-0815")

    @pytest.fixture
    def service(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[botdesk.Sandbox]:
        """Run a sandbox in place of the service."""
        with botdesk.Sandbox() as sandbox:
            public = botdesk.PrivateKey.load((KEYS / "rsa_2048.pem").read_bytes()).public_key_pem
            monkeypatch.setenv("BOTDESK_API_KEY", sandbox.add_key(public))
            monkeypatch.setenv("BOTDESK_BASE_URL", sandbox.url)
            yield sandbox

    @pytest.fixture
    def cassette(self, pytester: pytest.Pytester) -> Path:
        """Return the path of the cassette of `test_bot`."""
        return pytester.path / "cassettes" / "test_bot.har"

    def test_what_it_records_is_replayed(
        self, pytester: pytest.Pytester, service: botdesk.Sandbox, cassette: Path
    ) -> None:
        pytester.makepyfile(f"import pytest\n\n@pytest.mark.botdesk_replay(strict=True){STOPS_A_BOT}")
        result = pytester.runpytest("-p", "no:cacheprovider", "--botdesk-record")
        assert result.parseoutcomes() == {"passed": 1}
        result.stdout.fnmatch_lines([f"botdesk: recording <Client {service.url} key *>; requests are really sent*"])
        assert stat.S_IMODE(cassette.stat().st_mode) == 0o600
        methods = [entry["request"]["method"] for entry in json.loads(cassette.read_text())["log"]["entries"]]
        assert methods == ["GET", "POST"]
        sent = len(service.requests)
        service.close()
        assert outcomes(pytester) == {"passed": 1}
        assert sent == 2

    @pytest.mark.usefixtures("service")
    def test_secrets_are_redacted(self, pytester: pytest.Pytester, cassette: Path) -> None:
        pytester.makepyfile(STOPS_A_BOT)
        assert outcomes(pytester, "--botdesk-record") == {"passed": 1}
        written = cassette.read_text()
        assert "<apikey-1>" in written
        assert '"url_secret": "<' in written or '\\"url_secret\\":\\"<' in written
        assert os.environ["BOTDESK_API_KEY"] not in written

    def test_a_secret_that_remains_is_an_error(
        self, pytester: pytest.Pytester, cassette: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with closing(Wire()) as wire:
            body = b'{"id": 41, "echo": "%s"}' % base64.b64encode(b"%61n-api-key-0815")
            wire.response = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            monkeypatch.setenv("BOTDESK_BASE_URL", wire.url)
            pytester.makepyfile(GETS_A_BOT)
            result = pytester.runpytest("-p", "no:cacheprovider", "--botdesk-record")
        assert result.parseoutcomes() == {"passed": 1, "errors": 1}
        result.stdout.fnmatch_lines(["*RecordingError: * would contain <apikey-1> in Base64, *; nothing was written"])
        assert not cassette.exists()

    @pytest.mark.usefixtures("service", "folder")
    def test_an_existing_cassette_is_replaced(self, pytester: pytest.Pytester, cassette: Path) -> None:
        before = cassette.read_text()
        pytester.makepyfile(STOPS_A_BOT)
        assert outcomes(pytester, "--botdesk-record") == {"passed": 1}
        assert cassette.read_text() != before
        assert outcomes(pytester) == {"passed": 1}

    @pytest.mark.usefixtures("service", "folder")
    @pytest.mark.parametrize("end", ["assert False", "import pytest; pytest.skip()"])
    def test_a_test_that_does_not_pass_leaves_its_cassette(
        self, pytester: pytest.Pytester, cassette: Path, end: str
    ) -> None:
        before = cassette.read_bytes()
        pytester.makepyfile(f"{GETS_A_BOT}    {end}\n")
        result = pytester.runpytest("-p", "no:cacheprovider", "--botdesk-record")
        assert "passed" not in result.parseoutcomes()
        result.stdout.fnmatch_lines(["*PytestWarning: *test_bot.har was not recorded, because the test did not pass*"])
        assert cassette.read_bytes() == before

    @pytest.mark.usefixtures("folder")
    def test_without_the_flag_nothing_is_sent(self, pytester: pytest.Pytester, service: botdesk.Sandbox) -> None:
        pytester.makepyfile(GETS_A_BOT)
        assert outcomes(pytester) == {"passed": 1}
        assert service.requests == []

    @pytest.mark.usefixtures("service")
    def test_each_case_has_a_cassette(self, pytester: pytest.Pytester, cassette: Path) -> None:
        marker = "import pytest\n\n@pytest.mark.parametrize('case', [1, 2])"
        pytester.makepyfile(f"{marker}{GETS_A_BOT.replace('replay)', 'replay, case)', 1)}")
        assert outcomes(pytester, "--botdesk-record") == {"passed": 2}
        assert sorted(path.name for path in cassette.parent.iterdir()) == ["test_bot[1].har", "test_bot[2].har"]
        assert outcomes(pytester) == {"passed": 2}

    @pytest.mark.usefixtures("service")
    def test_two_tests_do_not_record_one_cassette(self, pytester: pytest.Pytester) -> None:
        marker = "@pytest.mark.botdesk_replay('cassettes/shared.har')"
        other = GETS_A_BOT.replace("test_bot", "test_other")
        pytester.makepyfile(f"import pytest\n\n{marker}{GETS_A_BOT}\n{marker}{other}")
        result = pytester.runpytest("-p", "no:cacheprovider", "--botdesk-record")
        assert result.parseoutcomes() == {"passed": 1, "errors": 1}
        result.stdout.fnmatch_lines(["*RecordingError: *shared.har was recorded by *::test_bot; *name another"])
        assert outcomes(pytester) == {"passed": 2}

    @pytest.mark.usefixtures("service")
    def test_a_cassette_stays_in_its_folder(self, pytester: pytest.Pytester) -> None:
        marker = "import pytest\n\n@pytest.mark.parametrize('case', ['../../x'])"
        pytester.makepyfile(f"{marker}{GETS_A_BOT.replace('replay)', 'replay, case)', 1)}")
        result = pytester.runpytest("-p", "no:cacheprovider", "--botdesk-record")
        assert result.parseoutcomes() == {"errors": 1}
        result.stdout.fnmatch_lines(["*RecordingError: the name of the test is not a file name; name its cassette*"])

    @pytest.mark.usefixtures("service")
    @pytest.mark.parametrize("use", ["url", "add_key('x')"])
    def test_clients_of_the_test_itself_are_not_recorded(
        self, pytester: pytest.Pytester, cassette: Path, use: str
    ) -> None:
        pytester.makepyfile(f"def test_bot(botdesk_replay):\n    botdesk_replay.{use}\n")
        result = pytester.runpytest("-p", "no:cacheprovider", "--botdesk-record")
        assert result.parseoutcomes()["failed"] == 1
        result.stdout.fnmatch_lines(["*can't be recorded, because botdesk records its own clients; use *client()"])
        assert not cassette.exists()

    def test_without_a_service_nothing_is_run(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("BOTDESK_API_KEY", raising=False)
        pytester.makepyfile(GETS_A_BOT)
        result = pytester.runpytest("-p", "no:cacheprovider", "--botdesk-record")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(
            ["ERROR: --botdesk-record has no service to record: the environment does not set: BOTDESK_API_KEY*"]
        )

    def test_an_error_names_the_option_of_pytest(
        self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOTDESK_API_KEY", "key")
        monkeypatch.setenv("BOTDESK_PROFILE", "demo")
        result = pytester.runpytest("-p", "no:cacheprovider", "--botdesk-record")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: *unset one of them, or name the profile with --botdesk-profile"])

    def test_a_profile_names_the_service(
        self, pytester: pytest.Pytester, service: botdesk.Sandbox, tmp_path: Path, cassette: Path
    ) -> None:
        public = botdesk.PrivateKey.load((KEYS / "rsa_2048.pem").read_bytes()).public_key_pem
        settings = {
            "api_key": service.add_key(public),
            "private_key": str(tmp_path / "key.pem"),
            "base_url": service.url,
        }
        folder = tmp_path / "botdesk"
        folder.mkdir()
        profiles = folder / "profiles.toml"
        profiles.touch(mode=0o600)
        lines = (f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
        profiles.write_text(f"[demo]\n{''.join(lines)}")
        pytester.makepyfile(GETS_A_BOT)
        assert outcomes(pytester, "--botdesk-record", "--botdesk-profile", "demo") == {"passed": 1}
        assert cassette.exists()

    def test_a_profile_goes_with_the_flag(self, pytester: pytest.Pytester) -> None:
        result = pytester.runpytest("-p", "no:cacheprovider", "--botdesk-profile", "demo")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: --botdesk-profile goes with --botdesk-record"])
