"""Signatures of requests that are built by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Raw

JSON = "application/json"
PATH = "/ver1/grid_bots/203/note"
SIGNED = f"/public/api{PATH}"


@pytest.mark.shows("authentication 4 JSON")
@pytest.mark.parametrize("body", ['{"note":"x"}', '{ "note" :\n"x" }', '{"note":"\\u0078"}'])
def test_a_json_body_is_signed_byte_for_byte(raw: Raw, body: str) -> None:
    reply = raw.send("POST", PATH, body, JSON, signature=raw.sign(SIGNED + body))
    assert (reply.status, reply.body["note"]) == (201, "x")


@pytest.mark.shows("authentication 5", "authentication 7")
@pytest.mark.parametrize(
    "signed",
    [
        f'{SIGNED}{{"note":"y"}}',
        f'{SIGNED}{{"note": "x"}}',
        f'{SIGNED}?{{"note":"x"}}',
        f'{SIGNED.replace("203", "201")}{{"note":"x"}}',
        f'{PATH}{{"note":"x"}}',
        SIGNED,
    ],
)
def test_what_is_sent_must_be_what_was_signed(raw: Raw, signed: str) -> None:
    reply = raw.send("POST", PATH, '{"note":"x"}', JSON, signature=raw.sign(signed))
    assert (reply.status, reply.body["error"]) == (401, "signature_invalid")
    assert "signature is invalid" in reply.body["error_description"]


@pytest.mark.shows("authentication 5")
def test_a_signature_is_case_sensitive(raw: Raw) -> None:
    body = '{"note":"x"}'
    reply = raw.send("POST", PATH, body, JSON, signature=raw.sign(SIGNED + body).swapcase())
    assert (reply.status, reply.body["error"]) == (401, "signature_invalid")
