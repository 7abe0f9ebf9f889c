"""Recordings of streams: they keep the frames without secrets, and a replay sends them again."""

from __future__ import annotations

import hmac
import json
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from pathlib import Path

Seen = tuple[str, int | None, str, str | None]


def recorded(path: Path, *, drops: bool = False) -> list[Seen]:
    """Record a stream of three changes, perhaps over two connections; return the changes."""
    with botdesk.Sandbox() as sandbox:
        other = sandbox.client()
        ids = [deal.id for deal in other.deals.list(scope="active") if deal.id and not deal.take_profit_steps]
        client = sandbox.client().with_options(retries=0)
        with (
            botdesk.record(path, client, reproducible=True),
            client.stream("deals", states=drops, on_error=lambda _: None) as stream,
        ):
            other.deals.edit(ids[0], take_profit="7.25")
            other.deals.edit(ids[1], take_profit="8.5")
            seen = changes(stream, 2)
            if drops:
                sandbox.streams.drop()
                assert next(event.reason for event in stream if event.kind == "gap_filled") == "deals"
            other.deals.edit(ids[0], take_profit="9")
            seen += changes(stream, 1)
    return seen


def changes(stream: botdesk.Stream, count: int) -> list[Seen]:
    """Return the next changes of records."""
    found: list[Seen] = []
    while len(found) < count:
        event = next(stream)
        if event.record is not None:
            found.append((event.kind, event.record.id, str(event.record.take_profit), event.origin))
    return found


@pytest.mark.parametrize("drops", [False, True])
def test_a_replay_sends_the_recorded_changes_again(drops: bool, tmp_path: Path) -> None:
    path = tmp_path / "stream.har"
    seen = recorded(path, drops=drops)
    with botdesk.Replay(path, strict=True) as replay:
        client = replay.client().with_options(retries=0)
        with client.stream("deals", every=60, on_error=lambda _: None) as stream:
            assert changes(stream, 3) == seen


def test_a_recording_has_frames_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "stream.har"
    with botdesk.Sandbox() as sandbox:
        api_key, secret = sandbox.add_key(secret=True)
        client = botdesk.Client(api_key, secret=secret, base_url=sandbox.url)
        signature = hmac.new(secret.encode(), b"/deals", "sha256").hexdigest()
        # A recording that begins while the stream runs has its subscription too.
        with client.stream("deals") as stream, botdesk.record(path, client):
            deal = next(deal for deal in client.deals.list(scope="active") if not deal.take_profit_steps)
            deal.edit(take_profit="7.25", note=f"not {signature} at all")
            next(stream)
    text = path.read_text()
    assert not [hidden for hidden in (api_key, secret, signature) if hidden in text]
    entry = next(entry for entry in json.loads(text)["log"]["entries"] if "_webSocketMessages" in entry)
    messages = entry["_webSocketMessages"]
    assert [message["type"] for message in messages] == ["send", "receive", "receive"]
    identifier = json.loads(json.loads(messages[0]["data"])["identifier"])
    assert identifier["channel"] == "DealsChannel"
    assert [value[:1] + value[-1:] for value in identifier["users"][0].values()] == ["<>", "<>"]
    assert json.loads(messages[2]["data"])["message"]["take_profit"] == "7.25"


def test_a_replay_checks_the_signature_and_knows_no_other_stream(tmp_path: Path) -> None:
    path = tmp_path / "stream.har"
    recorded(path)
    with botdesk.Replay(path) as replay:
        unknown = botdesk.Client("an-unknown-api-key-0123", secret="x" * 32, base_url=replay.url, retries=0)
        with pytest.warns(botdesk.StreamWarning, match="rejected"), pytest.raises(botdesk.BotdeskError):
            next(unknown.stream("deals", on_error=lambda _: None))
        client = replay.client().with_options(retries=0)
        with (
            pytest.warns(botdesk.StreamWarning, match="rejected"),
            pytest.raises(botdesk.ApiError, match="not_recorded"),
        ):
            next(client.stream("smart_trades", on_error=lambda _: None))
