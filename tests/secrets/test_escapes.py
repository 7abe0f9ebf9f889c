"""A service that repeats secrets in random escapes and in random places, and a search of every error for them."""

from __future__ import annotations

import json
import string
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .conftest import Repeater, written
from .spellings import spelled
from .test_canaries import Told, hook, of_an_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# How many requests each test sends.
REQUESTS = 100
VISIBLE = string.ascii_letters + string.digits + "+/=-_.~!%&\\\"'<>#$;:"
ANY = VISIBLE + "éü€😀"


def random_text(random: Random, alphabet: str) -> str:
    """Give a secret that does not end in what an escape begins with."""
    return "".join(random.choices(alphabet, k=random.randrange(12, 40))) + "x"


def json_error(random: Random, secret: str) -> bytes:
    """Refuse with a JSON body that holds the secret somewhere."""
    spelling = json.dumps(spelled(random, secret), ensure_ascii=random.random() < 0.5)  # noqa: PLR2004
    body = random.choice(
        [
            f'{{"error": "record_invalid", "error_description": {spelling}}}',
            f'{{"error": {spelling}}}',
            f'{{"error": "record_invalid", "error_attributes": {{"name": [{spelling}, "b"]}}}}',
            f'{{"error": "record_invalid", "error_attributes": {{{spelling}: ["is wrong"]}}}}',
            f'{{"error": "Not found", "heard": [[{{{spelling}: 1}}, {spelling}]]}}',
            json.dumps({"error": "x", "log": f'{{"heard": {spelling}}}'}),
            f'{{"error": "signature_invalid", "error_description": {spelling}}}',
        ]
    )
    return written(random.choice([400, 401, 404, 422]), body)


def page(random: Random, secret: str) -> bytes:
    """Refuse with a page."""
    return written(502, f"<html><pre>Signature: {spelled(random, secret)}</pre></html>")


def redirect(random: Random, secret: str) -> bytes:
    """Lead elsewhere; a header is one line of ASCII."""
    spelling = spelled(random, secret)
    target = spelling.encode("ascii", "xmlcharrefreplace").decode()
    return written(302, f"moved to /{spelling}?a=1", f"Location: /?heard={target}", f"X-Request-Id: {target}")


def unreadable(random: Random, secret: str) -> bytes:
    """Answer success with what is not a record."""
    return written(200, f'{{"id": 41, "name": {json.dumps(spelled(random, secret))}, "cut": ')


def cut(random: Random, secret: str) -> bytes:
    """Refuse with a body that ends in the secret."""
    return written(400, f'{{"error": "{spelled(random, secret)}')


ANSWERS: list[Callable[[Random, str], bytes]] = [json_error, page, redirect, unreadable, cut]


@pytest.fixture
def repeater() -> Iterator[Repeater]:
    """Run a service whose next answer the test decides."""
    with Repeater() as repeater:
        yield repeater


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.shows("promise secrets in escapes")
def test_no_error_tells_a_secret_in_whatever_escapes_it_is_repeated(
    repeater: Repeater, keys: Any, api_key: str, seed: int  # noqa: ANN401
) -> None:
    random = Random(seed)
    key = botdesk.PrivateKey.load(keys / "rsa_2048.pem")
    for _ in range(REQUESTS):
        told = Told([])
        own = random_text(random, VISIBLE)
        given = random_text(random, ANY)
        hear = hook(told)
        options: dict[str, Any] = {"on_request": hear, "on_response": hear, "rate_limit": None, "retries": 0}
        client = botdesk.Client(own, key, base_url=repeater.url, **options)
        answer = random.choice(ANSWERS)

        def repeat(signature: str) -> bytes:
            secret = random.choice([own, given, signature])
            repeater.repeated.append(secret)
            return answer(random, secret)

        repeater.answer = repeat
        with pytest.raises(botdesk.BotdeskError) as caught:
            client.accounts.add(type="binance", name=api_key, types_to_create=[], api_key=given, secret=given)
        of_an_error(told, answer.__name__, caught.value)
        told.must_not_tell([repeater.repeated[-1]])
