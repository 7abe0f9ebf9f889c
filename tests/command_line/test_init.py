"""`botdesk init`: three questions from nothing to the first list, and nothing saved that does not work."""

from __future__ import annotations

import json
import stat
import tomllib
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Ended

    Command = Callable[..., Ended]


class Terminal:
    """A user who answers the questions of a command."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
        self._command = command
        self._answers: list[str] = []
        # Each question, and whether its answer is hidden.
        self.asked: list[tuple[str, bool]] = []
        monkeypatch.setattr("typer.prompt", self._prompt)

    def run(self, *arguments: str, answers: list[str]) -> Ended:
        """Run a command; every answer must be asked for."""
        self._answers = list(answers)
        self.asked = []
        ended = self._command(*arguments, answers="")
        assert not self._answers, f"{self._answers} were not asked for: {ended.err}"
        return ended

    def _prompt(
        self,
        text: str,
        *,
        hide_input: bool = False,
        value_proc: Callable[[str], str] | None = None,
        err: bool = False,
    ) -> str:
        assert err, "a question is not an output"
        self.asked.append((text, hide_input))
        answer = self._answers.pop(0)
        return value_proc(answer) if value_proc else answer


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, command: Command) -> Terminal:
    return Terminal(monkeypatch, command)


def test_three_questions_lead_to_the_first_list_with_a_secret(
    terminal: Terminal, command: Command, sandbox: botdesk.Sandbox, profiles: Path
) -> None:
    api_key, secret = sandbox.add_key(secret=True)
    ended = terminal.run("init", "--base-url", sandbox.url, answers=["secret", api_key, secret])
    assert (ended.code, ended.out) == (0, ""), ended.err
    assert terminal.asked == [
        ("Does it have a secret or a private key? (secret, private-key)", False),
        ("API key", True),
        ("Secret", True),
    ]
    assert f"the key works; saved as the profile main in {profiles}" in ended.err
    assert ended.err.endswith("list your bots with: botdesk bots list\n")
    assert secret not in ended.err
    assert api_key not in ended.err
    assert stat.S_IMODE(profiles.stat().st_mode) == 0o600
    saved = tomllib.loads(profiles.read_text())
    main = {"api_key": api_key, "secret": secret, "base_url": sandbox.url}
    assert saved == {"default_profile": "main", "main": main}
    assert len(command("bots", "list", "--json").json) == 12
    assert botdesk.Client.from_profile().validate()


def test_three_questions_lead_to_the_first_list_with_a_private_key(
    terminal: Terminal, command: Command, sandbox: botdesk.Sandbox, key_file: str
) -> None:
    api_key = sandbox.add_key(botdesk.PrivateKey.load(key_file).public_key_pem)
    ended = terminal.run("init", "--base-url", sandbox.url, answers=["p", api_key, key_file])
    assert ended.code == 0, ended.err
    assert terminal.asked[1:] == [("API key", True), ("File of the private key", False)]
    assert command("bots", "show", "41", "--json").json["id"] == 41


def test_the_password_of_an_encrypted_key_is_asked_for(
    terminal: Terminal, command: Command, sandbox: botdesk.Sandbox, keys: Path
) -> None:
    path = keys / "encrypted_aes256.pem"
    api_key = sandbox.add_key(botdesk.PrivateKey.load(path, password="correct-horse").public_key_pem)
    answers = ["private-key", api_key, str(path), "correct-horse"]
    assert terminal.run("init", "--base-url", sandbox.url, answers=answers).code == 0
    assert terminal.asked[-1] == ("Password of the private key", True)
    assert command("bots", "show", "41").code == 0


def test_programs_read_what_was_saved(terminal: Terminal, sandbox: botdesk.Sandbox, profiles: Path) -> None:
    api_key, secret = sandbox.add_key(secret=True)
    ended = terminal.run("init", "desk", "--json", "--base-url", sandbox.url, answers=["s", api_key, secret])
    assert json.loads(ended.out) == {
        "name": "desk",
        "base_url": sandbox.url,
        "private_key": None,
        "has_secret": True,
        "is_default": True,
        "file": str(profiles),
    }


def test_a_second_profile_is_not_the_default_one(terminal: Terminal, sandbox: botdesk.Sandbox, profiles: Path) -> None:
    for name, last in (("one", "botdesk bots list"), ("two", "botdesk bots list --profile two")):
        ended = terminal.run("init", name, "--base-url", sandbox.url, answers=["s", *sandbox.add_key(secret=True)])
        assert ended.err.endswith(f"list your bots with: {last}\n")
    assert tomllib.loads(profiles.read_text())["default_profile"] == "one"


@pytest.mark.parametrize("wrong", ["secret", "api key", "kind"])
def test_a_key_that_is_rejected_is_not_saved(
    terminal: Terminal, sandbox: botdesk.Sandbox, profiles: Path, private_key: str, wrong: str
) -> None:
    api_key, secret = sandbox.add_key(secret=True)
    other = sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem)
    given = {"secret": (api_key, f"{secret}0"), "api key": (f"{api_key}0", secret), "kind": (other, secret)}[wrong]
    ended = terminal.run("init", "--base-url", sandbox.url, answers=["secret", *given])
    assert (ended.code, ended.out) == (1, "")
    assert "nothing was saved, because the key was rejected, or could not be tried" in ended.err
    assert " 401 " in ended.err
    assert secret not in ended.err
    assert not profiles.exists()


def test_a_service_that_can_not_be_reached_saves_nothing(
    terminal: Terminal, profiles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    ended = terminal.run("init", "--base-url", "http://127.0.0.1:1", answers=["s", "an-api-key", "s3cret-0123456789"])
    assert ended.code == 3
    assert "nothing was saved" in ended.err
    assert "s3cret" not in ended.err
    assert not profiles.exists()


def test_a_key_of_the_other_kind_is_named_before_anything_is_sent(
    terminal: Terminal, sandbox: botdesk.Sandbox, profiles: Path, private_key: str
) -> None:
    ended = terminal.run("init", "--base-url", sandbox.url, answers=["secret", "an-api-key", private_key])
    assert (ended.code, "not a key in PEM; an RSA private key is passed as private_key" in ended.err) == (2, True)
    ended = terminal.run("init", "--base-url", sandbox.url, answers=["private-key", "an-api-key", "5ecre7" * 12])
    assert (ended.code, "this looks like a key; pass its path" in ended.err) == (2, True)
    assert "5ecre7" not in ended.err
    assert sandbox.requests == []
    assert not profiles.exists()


@pytest.mark.filterwarnings("default")
def test_white_space_at_the_end_is_removed_and_said(
    terminal: Terminal, sandbox: botdesk.Sandbox, profiles: Path
) -> None:
    api_key, secret = sandbox.add_key(secret=True)
    ended = terminal.run("init", "--base-url", sandbox.url, answers=["s", f" {api_key} ", f"{secret} "])
    assert ended.code == 0, ended.err
    assert "warning: secret: white space or a line end around the secret was removed" in ended.err
    assert tomllib.loads(profiles.read_text())["main"]["secret"] == secret


@pytest.mark.parametrize("answer", ["", "rsa", "x", "secrets"])
def test_the_kind_is_not_guessed(terminal: Terminal, answer: str) -> None:
    ended = terminal.run("init", answers=[answer])
    assert (ended.code, "write secret or private-key" in ended.err) == (2, True)


def test_a_name_that_is_taken_is_an_error_before_any_question(
    terminal: Terminal, sandbox: botdesk.Sandbox, profiles: Path
) -> None:
    terminal.run("init", "--base-url", sandbox.url, answers=["s", *sandbox.add_key(secret=True)])
    before = profiles.read_bytes()
    ended = terminal.run("init", answers=[])
    assert (ended.code, 'has a profile "main" already; choose another name' in ended.err) == (2, True)
    assert profiles.read_bytes() == before


def test_without_a_terminal_it_says_what_to_use(command: Command) -> None:
    ended = command("init")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "run it in a terminal, or use botdesk profile add NAME with --api-key-stdin" in ended.err


def test_the_published_service_is_the_default(command: Command) -> None:
    assert "https://api.3commas.io" in command("init", "--help").out


class TestAdd:
    @pytest.fixture
    def lines(self, sandbox: botdesk.Sandbox) -> tuple[str, str]:
        """Return an API key and its secret."""
        return sandbox.add_key(secret=True)

    def test_a_profile_with_a_secret_works_and_is_listed_without_it(
        self, command: Command, lines: tuple[str, str], sandbox: botdesk.Sandbox
    ) -> None:
        given = ("profile", "add", "desk", "--secret", "--base-url", sandbox.url, "--api-key-stdin")
        ended = command(*given, stdin="\n".join(lines) + "\n")
        assert ended.code == 0, ended.err
        assert command("bots", "show", "41", "--profile", "desk", "--json").json["id"] == 41
        listed = command("profile", "list")
        assert listed.out == f"desk  {sandbox.url}  secret in the profile\n"
        (public,) = command("profile", "list", "--json").json
        expected = {"name": "desk", "base_url": sandbox.url, "private_key": None, "has_secret": True}
        assert public == {**expected, "is_default": False}
        for output in (ended, listed):
            assert not [part for part in lines if part in output.out + output.err]
        removed = command("profile", "remove", "desk", "--yes")
        assert "its secret was in the profile and is removed too" in removed.err

    def test_both_are_asked_for_and_hidden(
        self, terminal: Terminal, lines: tuple[str, str], sandbox: botdesk.Sandbox
    ) -> None:
        ended = terminal.run("profile", "add", "desk", "--secret", "--base-url", sandbox.url, answers=[*lines])
        assert ended.code == 0, ended.err
        assert terminal.asked == [("API key", True), ("Secret", True)]

    @pytest.mark.parametrize("arguments", [(), ("--secret", "--private-key", "k.pem")])
    def test_one_kind_of_key_is_needed(self, command: Command, arguments: tuple[str, ...]) -> None:
        ended = command("profile", "add", "desk", *arguments)
        assert ended.code == 2
        assert (
            "pass one of --secret, for a system-generated key, and --private-key, for a self-generated one" in ended.err
        )

    def test_a_secret_has_no_password(self, command: Command) -> None:
        ended = command("profile", "add", "desk", "--secret", "--password")
        assert (ended.code, "a secret has no password" in ended.err) == (2, True)

    @pytest.mark.parametrize(("stdin", "what"), [("\n", "API key"), ("key\n", "secret"), ("key\n\n", "secret")])
    def test_an_empty_line_is_named(self, command: Command, profiles: Path, stdin: str, what: str) -> None:
        ended = command("profile", "add", "desk", "--secret", "--api-key-stdin", stdin=stdin)
        assert (ended.code, f"the {what} is empty" in ended.err) == (2, True)
        assert not profiles.exists()

    def test_the_published_service_is_the_default(self, command: Command, lines: tuple[str, str]) -> None:
        given = ("profile", "add", "desk", "--secret", "--api-key-stdin", "--json")
        assert command(*given, stdin="\n".join(lines)).json["base_url"] == "https://api.3commas.io"
