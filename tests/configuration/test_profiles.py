"""Clients made from a profile: a file that only its owner may read, and the errors about it."""

from __future__ import annotations

import os
import pickle
import stat
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

import botdesk
from botdesk._native import _add_profile, _check_profile_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECRET = "s3cret-0123456789"

DEMO = """
[demo]
api_key = "s3cret-0123456789"
private_key = "private.pem"
base_url = "https://service.example"
"""

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")


class Profiles:
    """The file of the profiles."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "botdesk"
        self.folder.mkdir()
        self.file = self.folder / "profiles.toml"

    def write(self, text: str | bytes, mode: int = 0o600) -> None:
        """Write the file."""
        self.file.touch()
        self.file.chmod(mode)
        self.file.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private_key: str) -> Profiles:
    """Return a folder for configuration, with a key in it."""
    folder = tmp_path / "it's configuration"
    folder.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    profiles = Profiles(folder)
    key = profiles.folder / "private.pem"
    key.touch(mode=0o600)
    key.write_text(private_key)
    return profiles


@pytest.fixture
def error_message(profiles: Profiles) -> Callable[..., str]:
    """Return the message of the error that a profile raises."""

    def error_message(name: str = "demo") -> str:
        with pytest.raises(botdesk.ConfigurationError) as caught:
            botdesk.Client.from_profile(name)
        assert SECRET not in str(caught.value)
        assert str(profiles.folder) in str(caught.value) or "profiles.toml" not in str(caught.value)
        return str(caught.value)

    return error_message


class TestRead:
    def test_a_client_of_a_profile_works(self, profiles: Profiles, sandbox: botdesk.Sandbox, public_pem: str) -> None:
        api_key = sandbox.add_key(public_pem)
        profiles.write(f"[a]\napi_key='{api_key}'\nprivate_key='private.pem'\nbase_url='{sandbox.url}'\n")
        assert botdesk.Client.from_profile("a").dca_bots.get(41).id == 41

    def test_the_path_of_the_key_begins_at_the_file(
        self, profiles: Profiles, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        profiles.write(DEMO)
        assert repr(botdesk.Client.from_profile("demo")) == f"<Client https://service.example key {expected}>"

    def test_the_path_of_the_key_may_be_absolute(self, profiles: Profiles, key_file: Path, expected: str) -> None:
        profiles.write(DEMO.replace("private.pem", str(key_file)))
        assert expected in repr(botdesk.Client.from_profile("demo"))

    def test_the_path_of_the_key_may_begin_at_home(
        self, profiles: Profiles, key_file: Path, expected: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(key_file.parent))
        profiles.write(DEMO.replace("private.pem", f"~/{key_file.name}"))
        assert expected in repr(botdesk.Client.from_profile("demo"))

    def test_the_key_may_be_in_the_profile(self, profiles: Profiles, private_key: str, expected: str) -> None:
        profiles.write(DEMO.replace('"private.pem"', f'"""\n{private_key}"""'))
        assert expected in repr(botdesk.Client.from_profile("demo"))

    def test_the_key_may_have_a_password(self, profiles: Profiles, keys: Path, password: str, expected: str) -> None:
        key = str(keys / "encrypted_aes256.pem")
        profiles.write(DEMO.replace("private.pem", key) + f'password = "{password}"\n')
        assert expected in repr(botdesk.Client.from_profile("demo"))

    @pytest.mark.parametrize("mode", [0o600, 0o400, 0o700], ids=oct)
    def test_a_file_of_the_owner_alone_is_read(self, profiles: Profiles, mode: int) -> None:
        profiles.write(DEMO)
        profiles.file.chmod(mode)
        assert "service.example" in repr(botdesk.Client.from_profile("demo"))

    @pytest.mark.skipif(sys.platform == "win32", reason="the folder is another one there")
    def test_without_a_folder_for_configuration_it_is_the_one_at_home(
        self, profiles: Profiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        profiles.write(DEMO)
        (tmp_path / ".config").symlink_to(profiles.folder.parent)
        monkeypatch.delenv("XDG_CONFIG_HOME")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert "service.example" in repr(botdesk.Client.from_profile("demo"))


@posix
class TestModes:
    @pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o601, 0o777], ids=oct)
    def test_a_file_that_others_can_open_is_rejected(
        self, profiles: Profiles, error_message: Callable[..., str], mode: int
    ) -> None:
        profiles.write(DEMO, mode)
        assert "others on this machine can read it; run: chmod 600 '" in error_message()

    def test_the_command_of_the_error_fixes_it(self, profiles: Profiles, error_message: Callable[..., str]) -> None:
        profiles.write(DEMO, 0o644)
        command = error_message().partition("run: ")[2]
        subprocess.run(["sh", "-c", command], check=True)
        assert profiles.file.stat().st_mode & 0o777 == 0o600
        assert "service.example" in repr(botdesk.Client.from_profile("demo"))

    def test_what_a_link_leads_to_counts(
        self, profiles: Profiles, error_message: Callable[..., str], tmp_path: Path
    ) -> None:
        profiles.write(DEMO, 0o644)
        elsewhere = profiles.file.rename(tmp_path / "elsewhere.toml")
        profiles.file.symlink_to(elsewhere)
        assert "chmod 600" in error_message()


class TestRefused:
    def test_no_file(self, profiles: Profiles, error_message: Callable[..., str]) -> None:
        message = error_message()
        assert str(profiles.file) in message
        assert "a profile is a table [name] there with api_key, and private_key or secret" in message

    def test_a_folder_in_its_place(self, profiles: Profiles, error_message: Callable[..., str]) -> None:
        profiles.file.mkdir(mode=0o700)
        assert "can't be read" in error_message()

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            (f"[demo]\napi_key = {SECRET}", 2),
            (f"[demo]\n\napi_key = '{SECRET}\n", 3),
            (f"[demo]\napi_key = '{SECRET}'\napi_key = '{SECRET}'", 3),
            (f'[demo]\napi_key = "\\{SECRET}"', 2),
            (f"{SECRET}\n[demo]", 1),
            (f"[{SECRET}\n", 1),
            (f"[demo]\napi_key = 1{SECRET}", 2),
            (f"[demo]\napi_key = ['{SECRET}'", 2),
            (f"[demo]\n'{SECRET}' = 1\n'{SECRET}' = 2", 3),
            (f"[demo]\na = {{ b = '{SECRET}', b = 1 }}", 2),
        ],
        ids=range(10),
    )
    def test_invalid_toml_is_reported_by_its_line_without_its_content(
        self, profiles: Profiles, error_message: Callable[..., str], text: str, line: int
    ) -> None:
        profiles.write(text)
        message = error_message()
        assert f"is not TOML: near line {line}: " in message
        assert "s3cret" not in message
        assert "\n" not in message

    def test_a_file_that_is_no_text(self, profiles: Profiles, error_message: Callable[..., str]) -> None:
        profiles.write(b"\xff\xfe" + SECRET.encode())
        assert "can't be read" in error_message()

    def test_the_error_for_an_unknown_profile_lists_the_existing_ones(
        self, profiles: Profiles, error_message: Callable[..., str]
    ) -> None:
        profiles.write(f"loose = '{SECRET}'\n[demo]\n[second]\n")
        assert error_message("dmeo").endswith("; it has demo, second")
        assert error_message("loose").endswith("; it has demo, second")

    @pytest.mark.parametrize("text", ["", f"api_key = '{SECRET}'", "demo = 'text'"], ids=range(3))
    def test_a_file_without_profiles_says_how_one_begins(
        self, profiles: Profiles, error_message: Callable[..., str], text: str
    ) -> None:
        profiles.write(text)
        assert "it has none; a profile is a table, which begins with [name]" in error_message()

    @pytest.mark.parametrize(("setting", "needed"), [("api_key", "api_key"), ("private_key", "private_key or secret")])
    def test_a_missing_setting_is_named(
        self, profiles: Profiles, error_message: Callable[..., str], setting: str, needed: str
    ) -> None:
        profiles.write("\n".join(line for line in DEMO.splitlines() if not line.startswith(setting)))
        assert error_message().endswith(f" needs {needed}")

    def test_the_error_for_a_misspelled_setting_suggests_the_nearest(
        self, profiles: Profiles, error_message: Callable[..., str]
    ) -> None:
        profiles.write(DEMO.replace("api_key", "api_kye"))
        assert 'has no setting "api_kye"; did you mean api_key?' in error_message()

    def test_a_setting_that_is_not_known_is_rejected(
        self, profiles: Profiles, error_message: Callable[..., str]
    ) -> None:
        profiles.write(DEMO + "colour = 'blue'\n")
        assert error_message().endswith('has no setting "colour"')

    @pytest.mark.parametrize("setting", ["api_key", "private_key", "base_url", "password"])
    @pytest.mark.parametrize("value", ["5", "true", "['s3cret-0123456789']", "{ a = 's3cret-0123456789' }"])
    def test_a_setting_that_is_not_a_string_is_rejected(
        self, profiles: Profiles, error_message: Callable[..., str], setting: str, value: str
    ) -> None:
        kept = [line for line in DEMO.splitlines() if not line.startswith(setting)]
        profiles.write("\n".join([*kept, f"{setting} = {value}"]))
        assert error_message().endswith(f"needs a quoted string as {setting}")

    def test_a_key_file_that_is_not_there_is_named_where_it_was_looked_for(
        self, profiles: Profiles, error_message: Callable[..., str]
    ) -> None:
        profiles.write(DEMO.replace("private.pem", "nothing.pem"))
        message = error_message()
        assert message.startswith('the profile "demo" in ')
        assert f"the private key {profiles.folder / 'nothing.pem'} can't be read" in message
        assert "botdesk keys new" in message

    def test_an_invalid_key_is_not_shown(self, profiles: Profiles, error_message: Callable[..., str]) -> None:
        profiles.write(DEMO.replace("private.pem", SECRET))
        assert "RSA private key" in error_message()

    def test_an_empty_api_key_is_rejected(self, profiles: Profiles, error_message: Callable[..., str]) -> None:
        profiles.write(DEMO.replace(SECRET, ""))
        assert "the API key is empty" in error_message()

    @posix
    @pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="nothing is closed to root")
    def test_a_file_that_the_user_can_not_read(self, profiles: Profiles, error_message: Callable[..., str]) -> None:
        profiles.write(DEMO)
        profiles.file.chmod(0)
        assert "can't be read" in error_message()


class TestChosen:
    def test_the_variable_comes_before_the_default(self, profiles: Profiles, monkeypatch: pytest.MonkeyPatch) -> None:
        other = DEMO.replace("demo", "other").replace("service", "other")
        profiles.write(f"default_profile = 'demo'{DEMO}{other}")
        assert "https://service.example" in repr(botdesk.Client.from_profile())
        monkeypatch.setenv("BOTDESK_PROFILE", "other")
        assert "https://other.example" in repr(botdesk.Client.from_profile())
        assert "https://service.example" in repr(botdesk.Client.from_profile("demo"))
        monkeypatch.setenv("BOTDESK_PROFILE", "")
        assert "https://service.example" in repr(botdesk.Client.from_profile())

    def test_a_pickled_client_keeps_its_profile(self, profiles: Profiles, monkeypatch: pytest.MonkeyPatch) -> None:
        profiles.write(DEMO + DEMO.replace("demo", "other").replace("service", "other"))
        monkeypatch.setenv("BOTDESK_PROFILE", "demo")
        pickled = pickle.dumps(botdesk.Client.from_profile())
        monkeypatch.setenv("BOTDESK_PROFILE", "other")
        assert "https://service.example" in repr(pickle.loads(pickled))  # noqa: S301 - it was pickled here

    @pytest.mark.parametrize("content", [None, DEMO])
    def test_without_any_the_ways_are_listed(self, profiles: Profiles, content: str | None) -> None:
        if content:
            profiles.write(content)
        with pytest.raises(botdesk.ConfigurationError) as caught:
            botdesk.Client.from_profile()
        assert str(caught.value).startswith("no profile is chosen: name one, set BOTDESK_PROFILE")
        assert all(command in str(caught.value) for command in ("botdesk init", "botdesk sandbox"))

    def test_a_preview_names_the_profile_and_not_the_keys(self, profiles: Profiles) -> None:
        profiles.write(DEMO)
        client = botdesk.Client.from_profile("demo").with_options(timeout=1)
        preview = client.dca_bots.disable_many([41], preview=True)
        assert "at https://service.example, profile demo" in repr(preview)
        assert SECRET not in repr(preview) + preview._repr_html_()

    def test_an_unknown_profile_of_the_variable_is_an_error(
        self, profiles: Profiles, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        profiles.write(DEMO)
        monkeypatch.setenv("BOTDESK_PROFILE", "dmo")
        with pytest.raises(botdesk.ConfigurationError, match=r'no profile "dmo" in .*it has demo') as caught:
            botdesk.Client.from_profile()
        assert str(caught.value).endswith("; the name comes from BOTDESK_PROFILE")

    def test_an_unknown_default_is_an_error(self, profiles: Profiles) -> None:
        profiles.write(f"default_profile = 'gone'{DEMO}")
        with pytest.raises(botdesk.ConfigurationError, match=r'no profile "gone" in .*; the name comes from default_'):
            botdesk.Client.from_profile()

    def test_a_default_of_another_type_is_an_error(self, profiles: Profiles) -> None:
        profiles.write(f"default_profile = 5{DEMO}")
        with pytest.raises(botdesk.ConfigurationError, match="needs a quoted string as default_profile"):
            botdesk.Client.from_profile()

    @posix
    def test_a_file_that_others_can_read_is_rejected(self, profiles: Profiles) -> None:
        profiles.write(f"default_profile = 'demo'{DEMO}", mode=0o644)
        with pytest.raises(botdesk.ConfigurationError, match="others on this machine can read it"):
            botdesk.Client.from_profile()

    @posix
    def test_a_variable_that_is_not_unicode_is_an_error(self, profiles: Profiles) -> None:
        profiles.write(f"default_profile = 'demo'{DEMO}")
        code = "import botdesk\ntry: botdesk.Client.from_profile()\nexcept botdesk.ConfigurationError as e: print(e)"
        environment = {**os.environb, b"BOTDESK_PROFILE": b"\xff"}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == "BOTDESK_PROFILE is not Unicode; set it to the name of a profile\n"


# Adds profiles to the file, and then removes every second one.
CHANGES = """
import sys
from botdesk._native import _add_profile, _remove_profile
names = [f"{sys.argv[1]}-{number}" for number in range(40)]
print(flush=True)
sys.stdin.readline()
for name in names:
    _add_profile(name, "key", "private.pem", "https://service.example", None)
for name in names[1::2]:
    _remove_profile(name)
"""


class TestChanges:
    def test_processes_do_not_undo_the_changes_of_each_other(self, profiles: Profiles) -> None:
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", CHANGES, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for name in ("a", "b")
        ]
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("\n")
            writer.stdin.flush()
        for writer in writers:
            writer.communicate()
        assert [writer.returncode for writer in writers] == [0, 0]
        names = tomllib.loads(profiles.file.read_text())
        assert sorted(names) == sorted(f"{name}-{number}" for name in "ab" for number in range(0, 40, 2))

    @posix
    def test_the_lock_is_readable_by_its_owner_only(self, profiles: Profiles) -> None:
        _add_profile("demo", "key", "private.pem", "https://service.example", None)
        lock = profiles.folder / ".profiles.lock"
        assert (stat.S_IMODE(lock.stat().st_mode), lock.read_bytes()) == (0o600, b"")

    def test_a_check_of_a_name_creates_nothing(self, profiles: Profiles) -> None:
        before = list(profiles.folder.iterdir())
        _check_profile_name("demo")
        assert list(profiles.folder.iterdir()) == before
