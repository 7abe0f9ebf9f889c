"""The question before a write and the line after it, made from the summary of its method."""

from __future__ import annotations

import re

# What replaces the records in a prompt.
PLACE = "{}"

_IRREGULAR = {
    "buy": "bought",
    "cancel": "cancelled",
    "make": "made",
    "put": "put",
    "sell": "sold",
    "send": "sent",
    "set": "set",
    "stop": "stopped",
    "take": "took",
}
_VOWELS = "aeiou"
_IDENTIFIER = re.compile(r"(?:_id|uuid): Identifier of the ([\w ]+)")
# The second verb of a summary, such as `disable` of "Cancel all deals of {}, and disable it".
_SECOND_VERB = re.compile(r"(?<=, and )\w+")


def noun_of(docstring: str) -> str | None:
    """Return the noun for the record whose identifier a method takes, with what the summary adds to it: `DCA bot`."""
    identified = _IDENTIFIER.search(docstring)
    # The noun may be the end of a word, as in SmartTrade.
    pattern = rf"\ban? ((?:\w+ )?\w*{identified[1]})\b" if identified else ""
    found = identified and re.search(pattern, _summary(docstring), re.IGNORECASE)
    return found[1] if found else None


def question_of(docstring: str) -> str:
    """Return the question of a method, such as `Add an exchange account`."""
    return _summary(docstring).removesuffix(".").partition(": ")[0]


def prompt_of(docstring: str, noun: str) -> str:
    """Return the question of a method about a record, such as `Disable {}`."""
    return re.sub(rf"\ban? (\w+ )?{noun}\b", PLACE, question_of(docstring), count=1)


def named(prompt: str, records: str, *, are_several: bool = False) -> str:
    """Return a prompt with the records in place of `{}`."""
    if are_several:
        prompt = re.sub(r"\bit\b", "them", prompt)
    return prompt.replace(PLACE, records)


def done(prompt: str) -> str:
    """Return what was done, such as `Disabled {}`."""
    verb, space, rest = prompt.partition(" ")
    past = _SECOND_VERB.sub(lambda second: _past(second[0]), rest)
    return f"{_past(verb.lower()).capitalize()}{space}{past}"


def _summary(docstring: str) -> str:
    return docstring.strip().partition("\n")[0]


def _past(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return f"{verb[:-1]}ied"
    return f"{verb}ed"
