"""`botdesk keys` and `botdesk profile`: hidden prompts for secrets, and a file that keeps its content."""

from __future__ import annotations

import json
import stat
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Ended

    Command = Callable[..., Ended]

SECRET = 's3cret-"0123456789'
BASE_URL = "https://service.example"


@pytest.fixture
def key_file(tmp_path: Path, private_key: str) -> str:
    path = tmp_path / "private.pem"
    path.touch(mode=0o600)
    path.write_text(private_key)
    return str(path)


@pytest.fixture
def profiles(configuration: Path) -> Path:
    return configuration / "botdesk" / "profiles.toml"


@pytest.fixture
def add(command: Command, key_file: str) -> Command:
    """Return a function that adds a profile, with the API key from standard input."""

    def add(name: str, *more: str, api_key: str = SECRET, base_url: str = BASE_URL) -> Ended:
        given = ("--private-key", key_file, "--base-url", base_url, "--api-key-stdin", *more)
        return command("profile", "add", name, *given, stdin=f"{api_key}\n")

    return add


class TestKeys:
    def test_the_public_key_is_printed_to_be_pasted(self, command: Command, tmp_path: Path) -> None:
        path = tmp_path / "new.pem"
        ended = command("keys", "new", str(path), "--bits", "2048")
        key = botdesk.PrivateKey.load(path)
        assert (ended.code, ended.out) == (0, key.public_key_pem)
        assert key.fingerprint in ended.err
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_an_existing_key_is_never_overwritten(self, command: Command, key_file: str, private_key: str) -> None:
        ended = command("keys", "new", key_file, "--bits", "2048")
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert private_key in Path(key_file).read_text()

    def test_a_missing_folder_is_reported_by_the_given_path(self, command: Command, tmp_path: Path) -> None:
        path = tmp_path / "nowhere" / "key.pem"
        ended = command("keys", "new", str(path), "--bits", "2048")
        assert (ended.code, ended.out) == (2, "")
        assert f"can't be written to {path}: No such file or directory" in ended.err
        assert "create the folder first" in ended.err
        assert ".botdesk-" not in ended.err

    def test_the_lengths_are_those_that_can_be_made(self, command: Command, tmp_path: Path) -> None:
        assert "2048, 3072, 4096 or 8192" in command("keys", "new", "--help").out
        assert "2048, 3072, 4096 or 8192" in command("keys", "new", str(tmp_path / "k"), "--bits", "2050").err

    def test_programs_read_json(self, command: Command, tmp_path: Path) -> None:
        path = tmp_path / "new.pem"
        made = command("keys", "new", str(path), "--bits", "2048", "--json").json
        assert made["fingerprint"] == botdesk.PrivateKey.load(path).fingerprint
        assert made["public_key"].startswith("-----BEGIN PUBLIC KEY-----\n")


class TestAdd:
    def test_a_client_can_be_made_of_it(self, add: Command, profiles: Path) -> None:
        assert add("demo").code == 0
        assert BASE_URL in repr(botdesk.Client.from_profile("demo"))
        assert stat.S_IMODE(profiles.stat().st_mode) == 0o600
        assert tomllib.loads(profiles.read_text())["demo"]["api_key"] == SECRET

    def test_programs_read_what_was_added(self, add: Command, profiles: Path, key_file: str) -> None:
        printed = json.loads(add("demo", "--json").out)
        assert printed == {"name": "demo", "base_url": BASE_URL, "private_key": key_file, "file": str(profiles)}

    def test_the_api_key_is_prompted_for_and_not_shown(
        self, command: Command, key_file: str, profiles: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[object] = []

        def prompt(text: str, *, hide_input: bool, **_: object) -> str:
            asked.append((text, hide_input))
            return SECRET

        monkeypatch.setattr("typer.prompt", prompt)
        ended = command("profile", "add", "demo", "--private-key", key_file, "--base-url", BASE_URL, answers="")
        assert ended.code == 0, ended.err
        assert asked == [("API key", True)]
        assert SECRET not in ended.out + ended.err
        assert tomllib.loads(profiles.read_text())["demo"]["api_key"] == SECRET

    def test_without_a_terminal_it_does_not_ask(self, command: Command, key_file: str, profiles: Path) -> None:
        ended = command("profile", "add", "demo", "--private-key", key_file, "--base-url", BASE_URL)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "--api-key-stdin" in ended.err
        assert not profiles.exists()

    @pytest.mark.parametrize(
        "before", ["# mine\r\n[a]  # a\r\nx = 1", "x = 1\n", "\n\n", '[[list]]\nb = """\n[demo2]"""']
    )
    def test_the_content_of_the_file_stays(self, add: Command, profiles: Path, before: str) -> None:
        profiles.parent.mkdir(parents=True)
        profiles.write_bytes(before.encode())
        assert add("demo").code == 0
        assert profiles.read_bytes().startswith(before.encode())
        assert "service.example" in repr(botdesk.Client.from_profile("demo"))

    def test_several_profiles_can_be_added(self, add: Command, command: Command) -> None:
        assert add("one").code == add("two", base_url="https://other.example").code == 0
        assert "service.example" in repr(botdesk.Client.from_profile("one"))
        listed = command("profile", "list", "--json")
        assert [profile["name"] for profile in listed.json] == ["one", "two"]
        assert SECRET not in listed.out

    def test_a_key_in_the_profile_is_not_listed(self, command: Command, profiles: Path, private_key: str) -> None:
        bare = "".join(private_key.splitlines()[1:-1])
        profiles.parent.mkdir(parents=True)
        kept = {"whole": private_key, "bare": bare, "file": "keys/desk.pem"}
        profiles.write_text("".join(f"[{name}]\nprivate_key = {json.dumps(key)}\n" for name, key in kept.items()))
        listed = command("profile", "list", "--json")
        shown = {profile["name"]: profile["private_key"] for profile in listed.json}
        assert shown == {"whole": "in the profile", "bare": "in the profile", "file": "keys/desk.pem"}
        assert bare[:20] not in listed.out

    @pytest.mark.skipif(sys.platform == "win32", reason="a link needs a privilege there")
    def test_a_symbolic_link_stays(self, add: Command, profiles: Path, tmp_path: Path) -> None:
        profiles.parent.mkdir(parents=True)
        target = tmp_path / "dotfiles.toml"
        target.write_text("")
        profiles.symlink_to(target)
        assert add("demo").code == 0
        assert profiles.is_symlink()
        assert "[demo]" in target.read_text()

    def test_the_password_of_a_key_is_saved(
        self, command: Command, keys: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        path = tmp_path / "locked.pem"
        path.touch(mode=0o600)
        path.write_bytes((keys / "encrypted_aes256.pem").read_bytes())
        answers = iter([SECRET, "correct-horse"])

        def prompt(text: str, **_: object) -> str:
            del text
            return next(answers)

        monkeypatch.setattr("typer.prompt", prompt)
        ended = command(
            "profile", "add", "demo", "--private-key", str(path), "--base-url", BASE_URL, "--password", answers=""
        )
        assert ended.code == 0, ended.err
        assert BASE_URL in repr(botdesk.Client.from_profile("demo"))


class TestErrors:
    def test_a_name_that_is_taken(self, add: Command, profiles: Path) -> None:
        add("demo")
        before = profiles.read_bytes()
        ended = add("demo", base_url="https://other.example")
        assert (ended.code, "already" in ended.err) == (2, True)
        assert profiles.read_bytes() == before

    @pytest.mark.parametrize("name", ["de mo", "a.b", '"x"', "ä", "\udcff", ""], ids=ascii)
    def test_a_name_that_needs_quotes(self, add: Command, profiles: Path, name: str) -> None:
        assert add(name).code == 2
        assert not profiles.exists()

    @pytest.mark.parametrize(
        ("api_key", "base_url"), [("", BASE_URL), (SECRET, "ftp://service.example"), (SECRET, "nowhere")]
    )
    def test_credentials_that_no_client_accepts(
        self, add: Command, profiles: Path, api_key: str, base_url: str
    ) -> None:
        ended = add("demo", api_key=api_key, base_url=base_url)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert SECRET not in ended.err
        assert not profiles.exists()

    def test_a_file_that_is_not_toml(self, add: Command, profiles: Path) -> None:
        profiles.parent.mkdir(parents=True)
        profiles.write_text(f"[a\napi_key = '{SECRET}'")
        ended = add("demo")
        assert (ended.code, ended.err.count("\n"), SECRET in ended.err) == (2, 1, False)

    def test_an_empty_list_explains_how_to_add_a_profile(self, command: Command) -> None:
        ended = command("profile", "list")
        assert (ended.code, ended.out) == (0, "")
        assert "botdesk profile add NAME" in ended.err
