"""Any frame of a stream is an event or an error of botdesk, holds up no other, and no error has a secret."""

from __future__ import annotations

import itertools
import json
from contextlib import closing
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from thorough import cases

import botdesk

from .hostile_service import HostileService, deal

API_KEY, SECRET = "test-api-key-0123456789", "a-secret-of-the-tests"
# Stands for the identifier of the subscription, which has the key and the signature.
OWN = "<own>"
VALUES = st.recursive(
    st.none()
    | st.booleans()
    # The test waits for deals with larger identifiers.
    | st.integers(max_value=999)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([OWN, "Deal", "1e999999999", "2026-01-01T00:00:00.000Z", "9999-99-99T99:99:99.999Z", 10**400]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
FIELDS = ["id", "type", "updated_at", "created_at", "closed_at", "finished?", "take_profit", "status", "bot_id", "pair"]
RECORDS = st.dictionaries(st.sampled_from(FIELDS), VALUES)
ENVELOPES: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["type", "identifier", "message", "reason"]), VALUES
)
# Other tests disconnect and reject.
TYPES = st.sampled_from(["welcome", "ping", "confirm_subscription"])


@st.composite
def envelopes(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a frame, which is about the subscription in most cases."""
    frame = draw(ENVELOPES)
    if draw(st.integers(0, 3)):
        frame["identifier"] = OWN
    if draw(st.booleans()):
        number = draw(st.integers(1, 3))
        frame["message"] = {**deal(number, number), **draw(RECORDS)}
        frame.pop("type", None)
    elif draw(st.booleans()):
        frame["type"] = draw(TYPES)
    return frame


FRAMES = envelopes() | VALUES | st.text(max_size=40) | st.binary(max_size=40)


def written(frame: Any, identifier: str) -> str | bytes:  # noqa: ANN401
    """Return what is sent for a frame: JSON, or text and bytes as they are."""
    if isinstance(frame, (str, bytes)):
        return frame
    return json.dumps(frame).replace(json.dumps(OWN), json.dumps(identifier))


def test_any_frame() -> None:
    errors: list[botdesk.BotdeskError] = []
    numbers = itertools.count(1_000)
    with closing(HostileService()) as service:
        service.deals = {number: deal(number, number) for number in (1, 2, 3)}
        client = botdesk.Client(API_KEY, secret=SECRET, base_url=service.url, retries=0, rate_limit=None)
        with closing(client.stream("deals", every=60, stale_after=0, on_error=errors.append)) as stream:
            server = service.stream().welcome("deals")
            stream.__enter__()
            identifier = server.identifiers["deals"]

            @settings(
                max_examples=cases(200, 5_000),
                deadline=None,
                derandomize=True,
                database=None,
                suppress_health_check=[HealthCheck.too_slow],
            )
            @given(frames=st.lists(FRAMES, min_size=1, max_size=4))
            @example(frames=[{"identifier": OWN, "message": {"id": OWN, "updated_at": OWN}, "type": OWN}])
            def check(frames: list[Any]) -> None:
                for frame in frames:
                    server.send(written(frame, identifier))
                last = next(numbers)
                server.change(deal(last, last))
                while True:
                    event = next(stream)
                    assert str(event)
                    if event.record is not None and event.record.to_dict().get("id") == last:
                        break

            check()
    signature = json.loads(identifier)["users"][0]["signature"]
    shown = " ".join(f"{error} {error!r} {vars(error)}" for error in errors)
    assert errors
    assert not [secret for secret in (API_KEY, SECRET, signature) if secret in shown]
