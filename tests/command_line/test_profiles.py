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


@pytest.fixture
def live(
    add: Command, command: Command, sandbox: botdesk.Sandbox, private_key: str, profiles: Path
) -> Callable[..., Ended]:
    """Return a function that runs a command, with the profiles `one` of a closed port and `two` of a sandbox."""
    key = botdesk.PrivateKey.load(private_key)
    assert add("one", base_url="http://127.0.0.1:1").code == 0
    assert add("two", api_key=sandbox.add_key(key.public_key_pem), base_url=sandbox.url).code == 0
    assert profiles.exists()
    return command


class TestDefault:
    def test_commands_use_it(self, live: Command, profiles: Path) -> None:
        before = profiles.read_text()
        ended = live("profile", "default", "two")
        assert ended == (0, "", f"two is the default profile; saved in {profiles}\n")
        assert profiles.read_text() == f'default_profile = "two"\n{before}'
        assert stat.S_IMODE(profiles.stat().st_mode) == 0o600
        assert live("bots", "show", "41", "--json").json["id"] == 41

    def test_it_is_printed_and_listed(self, live: Command) -> None:
        live("profile", "default", "two")
        assert live("profile", "default").out == "two\n"
        assert live("profile", "default", "--json").json == {"default": "two"}
        listed = live("profile", "list").out.splitlines()
        assert [line.endswith("  (default)") for line in listed] == [False, True]
        assert [profile["is_default"] for profile in live("profile", "list", "--json").json] == [False, True]

    def test_it_is_replaced_and_removed(self, live: Command, profiles: Path) -> None:
        before = profiles.read_text()
        live("profile", "default", "two")
        live("profile", "default", "one")
        assert live("profile", "default").out == "one\n"
        ended = live("profile", "default", "--unset")
        assert ended == (0, "", f"there is no default profile any more; saved in {profiles}\n")
        assert profiles.read_text() == before
        ended = live("profile", "default")
        assert ended == (0, "", "there is no default profile; choose one with: botdesk profile default NAME\n")

    def test_without_a_file_there_is_nothing_to_unset(self, command: Command, profiles: Path) -> None:
        assert command("profile", "default", "--unset").code == 0
        assert not profiles.exists()

    def test_an_unknown_name_is_reported_with_those_there_are(self, live: Command, profiles: Path) -> None:
        before = profiles.read_bytes()
        ended = live("profile", "default", "tow")
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert "it has one, two" in ended.err
        assert profiles.read_bytes() == before

    def test_a_name_and_unset_exclude_each_other(self, live: Command) -> None:
        ended = live("profile", "default", "one", "--unset")
        assert (ended.code, "--unset goes without a name" in ended.err) == (2, True)

    def test_a_default_that_is_missing_is_an_error(self, live: Command, profiles: Path) -> None:
        profiles.write_text(f'default_profile = "gone"\n{profiles.read_text()}')
        ended = live("bots", "list")
        assert (ended.code, 'no profile "gone"' in ended.err) == (2, True)


class TestQuestions:
    @pytest.mark.parametrize(
        ("arguments", "question"),
        [
            ("bots disable 41", "Disable DCA bot 41 “"),
            ("bots edit 41 --take-profit 1.5", "Send this edit of DcaBot 41 “"),
            ("grid note 203 Mind", "Set the note of grid bot 203 “"),
            ("accounts load-balances 1001", "Load the balances of account 1001 “"),
            ("request POST /ver1/bots/41/enable", "Send POST /ver1/bots/41/enable at "),
        ],
    )
    def test_each_names_the_profile_and_the_service(
        self, live: Command, sandbox: botdesk.Sandbox, arguments: str, question: str
    ) -> None:
        ended = live(*arguments.split(), "--profile", "two", answers="n\n")
        first = (ended.err + ended.out).splitlines()[0]
        assert first.startswith(question)
        assert f" at {sandbox.url}, profile two" in first
        assert SECRET not in ended.err + ended.out


class TestPrecedence:
    def test_the_variable_comes_before_the_default(self, live: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        live("profile", "default", "one")
        monkeypatch.setenv("BOTDESK_PROFILE", "two")
        assert live("bots", "show", "41").code == 0

    def test_the_option_comes_before_the_variable(self, live: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("BOTDESK_PROFILE", "one")
        assert live("bots", "show", "41", "--profile", "two").code == 0

    def test_the_option_comes_before_keys_in_the_environment(
        self, live: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOTDESK_BASE_URL", "http://127.0.0.1:1")
        assert live("bots", "show", "41", "--profile", "two").code == 0

    def test_keys_in_the_environment_come_before_the_default(self, desk: Command, add: Command) -> None:
        assert add("one", base_url="http://127.0.0.1:1").code == 0
        assert desk("profile", "default", "one").code == 0
        assert desk("bots", "show", "41").code == 0

    def test_keys_in_the_environment_are_not_completed_from_a_profile(
        self, live: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        live("profile", "default", "two")
        monkeypatch.setenv("BOTDESK_BASE_URL", "http://127.0.0.1:1")
        ended = live("bots", "disable", "41", "--yes")
        assert (ended.code, "the environment does not set: BOTDESK_API_KEY" in ended.err) == (2, True)

    def test_keys_and_a_profile_in_the_environment_exclude_each_other(
        self, live: Command, sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOTDESK_PROFILE", "two")
        monkeypatch.setenv("BOTDESK_API_KEY", SECRET)
        ended = live("bots", "disable", "41", "--yes")
        assert (ended.code, ended.err.count("\n"), SECRET in ended.err) == (2, 1, False)
        assert "BOTDESK_PROFILE and BOTDESK_API_KEY are both set; unset one of them" in ended.err
        assert sandbox.requests == []

    def test_without_any_the_ways_are_listed(self, command: Command) -> None:
        ended = command("bots", "list")
        assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
        ways = ("BOTDESK_PROFILE", "botdesk profile default NAME", "BOTDESK_API_KEY")
        for way in (*ways, "botdesk init", "botdesk sandbox"):
            assert way in ended.err


class TestRemove:
    def test_the_rest_of_the_file_and_the_key_stay(self, live: Command, profiles: Path, key_file: str) -> None:
        profiles.write_text(f"# mine\n{profiles.read_text()}")
        ended = live("profile", "remove", "one", "--yes")
        assert (ended.code, ended.out) == (0, "")
        assert ended.err.splitlines() == [
            f"removed the profile one from {profiles}",
            f"the file of its private key was not removed: {key_file}",
            "profiles that remain: two",
        ]
        assert profiles.read_text().startswith("# mine\n\n[two]\n")
        assert SECRET not in profiles.read_text()
        assert Path(key_file).exists()
        assert stat.S_IMODE(profiles.stat().st_mode) == 0o600
        assert live("bots", "show", "41", "--profile", "two").code == 0

    def test_the_default_profile_is_then_none(self, live: Command, profiles: Path) -> None:
        live("profile", "default", "two")
        ended = live("profile", "remove", "two", "--yes")
        assert "it was the default profile; choose another" in ended.err
        assert "default_profile = " not in profiles.read_text()
        assert live("profile", "default", "--json").json == {"default": None}

    def test_programs_read_what_remains(self, live: Command, key_file: str) -> None:
        removed = {"name": "one", "base_url": "http://127.0.0.1:1", "private_key": key_file}
        shown = live("profile", "remove", "one", "--yes", "--json").json
        assert shown == {"removed": removed, "was_default": False, "remaining": ["two"]}

    def test_a_key_in_the_profile_is_removed_too(self, command: Command, profiles: Path, private_key: str) -> None:
        profiles.parent.mkdir(parents=True)
        profiles.touch(mode=0o600)
        profiles.write_text(f'[demo]\nprivate_key = """\n{private_key}"""\n')
        ended = command("profile", "remove", "demo", "--yes")
        assert "its private key was in the profile and is removed too\nprofiles that remain: none\n" in ended.err
        assert profiles.read_text() == ""

    def test_a_setting_that_is_missing_is_named(self, command: Command, profiles: Path) -> None:
        profiles.parent.mkdir(parents=True)
        profiles.touch(mode=0o600)
        profiles.write_text("[demo]\napi_key = 'k'\n")
        assert command("profile", "list").out == "demo  https://api.3commas.io  no private_key\n"
        ended = command("profile", "remove", "demo", answers="y\n")
        assert "Remove the profile demo (https://api.3commas.io) and its API key?" in ended.err + ended.out
        assert "it had no private key" in ended.err

    def test_it_asks_first(self, live: Command, profiles: Path) -> None:
        before = profiles.read_bytes()
        ended = live("profile", "remove", "one", answers="n\n")
        assert ended.code == 1
        assert "Remove the profile one (http://127.0.0.1:1) and its API key?" in ended.err + ended.out
        assert profiles.read_bytes() == before
        assert live("profile", "remove", "one", answers="y\n").code == 0

    def test_without_a_terminal_it_does_not_ask(self, live: Command, profiles: Path) -> None:
        before = profiles.read_bytes()
        ended = live("profile", "remove", "one")
        assert (ended.code, "--yes" in ended.err) == (2, True)
        assert profiles.read_bytes() == before

    def test_an_unknown_name_is_an_error(self, live: Command, profiles: Path) -> None:
        before = profiles.read_bytes()
        ended = live("profile", "remove", "tow", "--yes")
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert "it has one, two" in ended.err
        assert profiles.read_bytes() == before

    def test_a_profile_in_another_form_is_left_alone(self, command: Command, profiles: Path) -> None:
        profiles.parent.mkdir(parents=True)
        profiles.write_text("demo = { api_key = 'x' }\n")
        ended = command("profile", "remove", "demo", "--yes")
        assert (ended.code, "remove it by hand" in ended.err) == (2, True)
        assert profiles.read_text() == "demo = { api_key = 'x' }\n"


class TestErrors:
    def test_a_name_that_is_a_setting(self, add: Command, profiles: Path) -> None:
        ended = add("default_profile")
        assert (ended.code, "is a setting of the file" in ended.err) == (2, True)
        assert not profiles.exists()

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
