"""Secrets as JSON, URLs and HTML may spell them, and strings as a reader of these syntaxes decodes them."""

from __future__ import annotations

import html
import re
from html.entities import html5
from typing import TYPE_CHECKING
from urllib.parse import unquote, unquote_plus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

_NAMES: dict[str, list[str]] = {}
for _name, _text in html5.items():
    if len(_text) == 1 and ord(_text) < 0x100 and _name.endswith(";"):
        _NAMES.setdefault(_text, []).append(_name)

_JSON_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\"'\\/bfnrt]))")
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _hex(random: Random, number: int, width: int) -> str:
    return random.choice([f"{number:0{width}x}", f"{number:0{width}X}"])


def json_character(random: Random, character: str) -> str:
    """Write a character of a JSON string."""
    units = character.encode("utf-16-be")
    unicode = "".join(f"\\u{_hex(random, int.from_bytes(units[at : at + 2]), 4)}" for at in range(0, len(units), 2))
    short = f"\\{character}" if character in '"\\/' else character
    plain = [] if character in '"\\' else [character]
    return random.choice([unicode, short, *plain])


def query_character(random: Random, character: str) -> str:
    """Write a character of a query."""
    encoded = "".join(f"%{_hex(random, byte, 2)}" for byte in character.encode())
    plain = [] if character in '%+&#\\"' else [character]
    return random.choice([encoded, *plain, *(["+"] if character == " " else [])])


def html_character(random: Random, character: str) -> str:
    """Write a character of a page."""
    zeros = "0" * random.randrange(4)
    numbers = [
        f"&#{zeros}{ord(character)};",
        f"&#x{zeros}{_hex(random, ord(character), 1)};",
        f"&#X{ord(character):X};",
    ]
    plain = [] if character in '&<>"%\\' else [character]
    return random.choice([*numbers, *plain, *(f"&{name}" for name in _NAMES.get(character, ()))])


def mixed_character(random: Random, character: str) -> str:
    """Write a character as any of the syntaxes does, so that no other one reads it otherwise."""
    if character in "\\%&+":
        return f"\\u{_hex(random, ord(character), 4)}"
    return random.choice([json_character, query_character, html_character])(random, character)


_SYNTAXES = (json_character, query_character, html_character)


def spelled(random: Random, text: str) -> str:
    """Spell a string in no syntax, in one, or in two nested ones."""
    ways: list[Callable[[Random, str], str]] = random.choices(_SYNTAXES, k=random.randrange(3))
    if random.random() < 0.3:
        ways[:1] = [mixed_character]
    for way in ways:
        text = "".join(way(random, character) for character in text)
    return text


def _from_json(text: str) -> str:
    def plain(escape: re.Match[str]) -> str:
        digits = escape[1] or escape[2]
        return chr(int(digits, 16)) if digits else _CONTROLS.get(escape[3], escape[3])

    # The two halves of a pair make one character.
    return _JSON_ESCAPE.sub(plain, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_DECODERS = (_from_json, unquote, unquote_plus, html.unescape)


def decodings(text: str, depth: int = 2) -> Iterator[str]:
    """Yield a string as it is, and as decoded by each sequence of this many syntaxes."""
    yield text
    if depth and any(mark in text for mark in "\\%&+"):
        for decode in _DECODERS:
            if (decoded := decode(text)) != text:
                yield from decodings(decoded, depth - 1)
