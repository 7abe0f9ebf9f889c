"""A public client of the streams, which is not of this project, follows the sandbox."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import three_commas.streams.streams as peer  # pyright: ignore[reportMissingTypeStubs] - it has no types

from .conftest import open_deals

if TYPE_CHECKING:
    import botdesk

FOLLOW = {"DealsChannel": "deals_stream_decorator", "SmartTradesChannel": "smart_trades_stream_decorator"}


async def change(client: botdesk.Client, channel: str) -> int:
    """Change a record of a channel, and return its id."""
    if channel == "DealsChannel":
        deal = open_deals(client)[0]
        await client.deals.edit_async(deal, note="mine")
        return deal
    # The streams have changes of the status only.
    trade = await client.smart_trades.get_async(301)
    await trade.close_async()
    return 301


@pytest.mark.parametrize("channel", FOLLOW)
def test_three_commas_receives_what_changes(
    channel: str, sandbox: botdesk.Sandbox, client: botdesk.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer, "BASE_URL", f"{sandbox.url.replace('http', 'ws')}/websocket")
    api_key, secret = sandbox.add_key(secret=True)

    async def main() -> tuple[int, Any]:
        received: asyncio.Queue[Any] = asyncio.Queue()

        def note(record: object) -> None:
            received.put_nowait(record)

        getattr(peer, FOLLOW[channel])(api_key=api_key, api_secret=secret)(note)
        while (channel, "confirmed") not in [(attempt.channel, attempt.result) for attempt in sandbox.streams.attempts]:
            await client.validate_async()
        return await change(client, channel), await received.get()

    changed, record = asyncio.run(main())
    assert record["id"] == changed
