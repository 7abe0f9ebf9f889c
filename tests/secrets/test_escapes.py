"""A service that repeats secrets in random escapes and in random places, and a search of every error for them."""

from __future__ import annotations

import html
import json
import re
import string
from contextlib import closing
from dataclasses import dataclass
from html.entities import html5
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

import pytest

import botdesk

from .conftest import Repeater, written
from .spellings import spelled
from .test_canaries import OutputLog, add_error, hook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# How many requests each test sends; thousands were sent when this was written.
REQUESTS = 20
VISIBLE = string.ascii_letters + string.digits + "+/=-_.~!%&\\\"'<>#$;:"
ANY = VISIBLE + "éü€😀"


def random_text(random: Random, alphabet: str) -> str:
    """Return a secret that does not end in what an escape begins with."""
    return "".join(random.choices(alphabet, k=random.randrange(12, 40))) + "x"


def json_error(random: Random, secret: str) -> bytes:
    """Respond with an error whose JSON body contains the secret."""
    spelling = json.dumps(spelled(random, secret), ensure_ascii=random.random() < 0.5)
    body = random.choice(
        [
            f'{{"error": "record_invalid", "error_description": {spelling}}}',
            f'{{"error": {spelling}}}',
            f'{{"error": "record_invalid", "error_attributes": {{"name": [{spelling}, "b"]}}}}',
            f'{{"error": "record_invalid", "error_attributes": {{{spelling}: ["is wrong"]}}}}',
            f'{{"error": "Not found", "echo": [[{{{spelling}: 1}}, {spelling}]]}}',
            json.dumps({"error": "x", "log": f'{{"echo": {spelling}}}'}),
            f'{{"error": "signature_invalid", "error_description": {spelling}}}',
        ]
    )
    return written(random.choice([400, 401, 404, 422]), body)


def page(random: Random, secret: str) -> bytes:
    """Respond with an error page."""
    return written(502, f"<html><pre>Signature: {spelled(random, secret)}</pre></html>")


def redirect(random: Random, secret: str) -> bytes:
    """Lead elsewhere; a header is one line of ASCII."""
    spelling = spelled(random, secret)
    target = spelling.encode("ascii", "xmlcharrefreplace").decode()
    return written(302, f"moved to /{spelling}?a=1", f"Location: /?echo={target}", f"X-Request-Id: {target}")


def unreadable(random: Random, secret: str) -> bytes:
    """Answer success with what is not a record."""
    return written(200, f'{{"id": 41, "name": {json.dumps(spelled(random, secret))}, "cut": ')


def cut(random: Random, secret: str) -> bytes:
    """Respond with an error whose body ends in the secret."""
    return written(400, f'{{"error": "{spelled(random, secret)}')


ANSWERS: list[Callable[[Random, str], bytes]] = [json_error, page, redirect, unreadable, cut]


@pytest.fixture
def repeater() -> Iterator[Repeater]:
    """Run a service whose next response the test sets."""
    with closing(Repeater()) as repeater:
        yield repeater


@dataclass
class Case:
    """A request whose secrets are random, and the response that repeats one of them."""

    random: Random
    api_key: str
    given: str
    response: Callable[[Random, str], bytes]
    repeated: str = ""

    @classmethod
    def of(cls, random: Random) -> Self:
        """Draw a case."""
        return cls(random, random_text(random, VISIBLE), random_text(random, ANY), random.choice(ANSWERS))

    def repeat(self, signature: str) -> bytes:
        """Answer the request that has the signature."""
        self.repeated = self.random.choice([self.api_key, self.given, signature])
        return self.response(self.random, self.repeated)

    def send(self, repeater: Repeater, key: botdesk.PrivateKey, cassette: Path) -> OutputLog:
        """Send the request and return its outputs."""
        outputs = OutputLog([])
        listener = hook(outputs)
        options: dict[str, Any] = {"on_request": listener, "on_response": listener, "rate_limit": None, "retries": 0}
        client = botdesk.Client(self.api_key, key, base_url=repeater.url, **options)
        repeater.response = self.repeat
        with pytest.raises(botdesk.BotdeskError) as caught, botdesk.record(cassette, client, overwrite=True):
            client.accounts.add(type="binance", name="a", types_to_create=[], api_key=self.given, secret=self.given)
        add_error(outputs, self.response.__name__, caught.value)
        outputs.add("cassette", cassette.read_text())
        return outputs


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.shows("promise secrets in escapes")
def test_no_output_contains_a_secret_that_a_service_repeats_in_escapes(
    repeater: Repeater, keys: Path, tmp_path: Path, seed: int
) -> None:
    random = Random(seed)  # noqa: S311
    key = botdesk.PrivateKey.load(keys / "rsa_2048.pem")
    leaks: list[tuple[str, list[str]]] = []
    for _ in range(REQUESTS):
        case = Case.of(random)
        outputs = case.send(repeater, key, tmp_path / "cassette.har")
        leaks += [(case.repeated, where) for where in [outputs.outputs_with(case.repeated)] if where]
    assert not leaks, f"{len(leaks)} of {REQUESTS} requests leak a secret: {leaks}"


@pytest.mark.shows("promise secrets in escapes")
def test_no_error_contains_a_signature_in_the_escapes_of_json(
    repeater: Repeater, private_key: str, api_key: str
) -> None:
    signatures: list[str] = []

    def repeat(signature: str) -> bytes:
        signatures.append(signature)
        escaped = signature.replace("+", "\\u002B").replace("/", "\\/").replace("=", "\\u003d")
        return written(401, f'{{"error":"signature_invalid","error_description":"not {escaped}"}}')

    repeater.response = repeat
    client = botdesk.Client(api_key, private_key, base_url=repeater.url)
    with pytest.raises(botdesk.SignatureInvalidError) as caught:
        client.dca_bots.get(41)
    assert caught.value.error_description == "not <hidden>"
    assert "not <hidden>" in str(caught.value)
    assert caught.value.body == '{"error":"signature_invalid","error_description":"not <hidden>"}'
    assert len(signatures) == 1


def test_an_error_keeps_its_kind_when_a_secret_reads_like_its_code(
    repeater: Repeater, private_key: str, api_key: str
) -> None:
    repeater.response = lambda _signature: written(
        400, '{"error":"record_invalid","error_attributes":{"name":["is wrong"]}}'
    )
    client = botdesk.Client(api_key, private_key, base_url=repeater.url)
    secrets = {"api_key": "an-api-key", "secret": "record_invalid", "passphrase": "error"}
    with pytest.raises(botdesk.RecordInvalidError) as caught:
        client.accounts.add(type="binance", name="a", types_to_create=[], **secrets)
    assert caught.value.error == "<hidden>"
    assert caught.value.error_attributes == {"name": ["is wrong"]}


def test_a_recording_of_escaped_secrets_can_be_replayed(
    repeater: Repeater, private_key: str, api_key: str, tmp_path: Path
) -> None:
    def repeat(signature: str) -> bytes:
        echo = quote(signature, safe="").replace("%", "\\u0025")
        return written(200, f'{{"id":41,"name":"{echo}","echo":{{"{echo}":["{html.escape(api_key)}"]}}}}')

    repeater.response = repeat
    client = botdesk.Client(api_key, private_key, base_url=repeater.url)
    with botdesk.record(tmp_path / "cassette.har", client):
        assert client.dca_bots.get(41).id == 41
    with botdesk.Replay(tmp_path / "cassette.har") as replay:
        bot = replay.client().dca_bots.get(41)
    assert (bot.name, bot.extra["echo"]) == ("<signature-1>", {"<signature-1>": ["<apikey-1>"]})


def test_the_names_of_html_are_those_that_python_knows() -> None:
    source = (Path(__file__).parents[2] / "crates/schema/src/redaction/entities.rs").read_text()
    latin, _, others = source.partition("const BARE")
    listed = dict(zip(re.findall(r'"(\w+)"', latin), map(chr, range(0xA0, 0x100)), strict=True))
    listed |= {
        name: json.loads(text) for name, text in re.findall(r'\("(\w+)", (".+")\)', others.replace("\\u{a0}", "\u00a0"))
    }
    known = {name.removesuffix(";"): text for name, text in html5.items() if all(ord(each) < 0x100 for each in text)}
    assert listed == known


@pytest.mark.shows("promise secrets in escapes")
@pytest.mark.parametrize(
    "body",
    [
        "?secret=" * 8_000,
        "https://h/?api_key=1," * 3_000,
        '{"error":"record_invalid","secret"\\u003a"topsecretvalue"}',
        "invalid parameters: secret=topsecretvalue&name=x",
        '{"secret"=>"topsecretvalue"}',
        "%7B%22secret%22%3A+%22topsecretvalue%22%7D",
    ],
    ids=["nested parameters", "repeated parameters", "escaped colon", "first parameter", "Ruby hash", "form"],
)
def test_the_body_of_an_error_has_no_secret_fields(
    repeater: Repeater, private_key: str, api_key: str, body: str
) -> None:
    repeater.response = lambda _signature: written(404, body)
    client = botdesk.Client(api_key, private_key, base_url=repeater.url, retries=0)
    with pytest.raises(botdesk.NotFoundError) as caught:
        client.dca_bots.get(41)
    assert "<hidden>" in caught.value.body
    assert "topsecretvalue" not in f"{caught.value.body}{caught.value}"
