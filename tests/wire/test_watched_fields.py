"""Watches over bots whose fields are missing or malformed in a response."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from .conftest import Service

MALFORMED = {
    "number": b"1",
    "string": b'"perhaps"',
    "array": b"[]",
    "half of a surrogate pair": b'"\\ud83d"',
    "null": b"null",
    "absent": None,
}


def bot(field: str, value: bytes | None) -> bytes:
    fields: dict[str, Any] = {"id": 41, "name": "Steady", "is_enabled": True, "active_deals_count": 0}
    others = json.dumps({name: held for name, held in fields.items() if name != field}).encode()
    return others if value is None else others[:-1] + b',"' + field.encode() + b'":' + value + b"}"


def polled(service: Service, watch: botdesk.DcaBotWatch, body: bytes) -> list[str]:
    service.responds(body=b"[" + body + b"]")
    service.responds(body=b"[]")
    return [change.kind for change in watch.poll()]


@pytest.mark.shows("promise changes between unreadable responses")
@pytest.mark.parametrize("malformed", MALFORMED.values(), ids=MALFORMED)
def test_a_switch_is_reported_after_a_response_that_does_not_hold_it(
    client: botdesk.Client, service: Service, malformed: bytes | None
) -> None:
    errors: list[botdesk.BotdeskError] = []
    watch = client.dca_bots.watch(on_error=errors.append)
    assert polled(service, watch, bot("is_enabled", b"true")) == []
    for value, kind in [(b"false", "disabled"), (b"true", "enabled")] * 5:
        assert polled(service, watch, bot("is_enabled", malformed)) == []
        assert "bot 41: DcaBot.is_enabled is" in str(errors.pop())
        assert errors == []
        assert polled(service, watch, bot("is_enabled", value)) == [kind]
        assert errors == []


@pytest.mark.shows("promise changes between unreadable responses")
@pytest.mark.parametrize("malformed", [MALFORMED["number"], MALFORMED["array"], MALFORMED["half of a surrogate pair"]])
def test_an_unreadable_name_is_reported_once_and_is_not_an_edit(
    client: botdesk.Client, service: Service, malformed: bytes
) -> None:
    errors: list[botdesk.BotdeskError] = []
    watch = client.dca_bots.watch(on_error=errors.append)
    assert polled(service, watch, bot("name", b'"Steady"')) == []
    for _ in range(3):
        assert polled(service, watch, bot("name", malformed)) == []
    (error,) = errors
    assert isinstance(error, botdesk.DecodeError)
    assert "DcaBot.name is not a text" in str(error)
    assert str(error).endswith("; the last known values are kept")
    assert polled(service, watch, bot("name", b'"Steady"')) == []
    assert polled(service, watch, bot("name", b'"Renamed"')) == ["edited"]
