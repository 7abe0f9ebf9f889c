"""List, show, edit and disable bots and cancel their deals, blocking and under asyncio.

Runs against the sandbox, so it needs no account and risks no money.
"""

import asyncio
from collections.abc import Iterator

import botdesk


def changes(before: botdesk.DcaBot, after: botdesk.DcaBot) -> Iterator[str]:
    """Yield the differences between two records of one bot."""
    old, new = before.to_dict(), after.to_dict()
    for field in sorted(old.keys() & new.keys() - {"updated_at", "active_deals"}):
        if old[field] != new[field]:
            yield f"{field}: {old[field]} -> {new[field]}"
    old_deals = {deal.id: deal.status for deal in before.active_deals or []}
    for deal in after.active_deals or []:
        if old_deals.get(deal.id, deal.status) != deal.status:
            yield f"deal {deal.id}: {old_deals[deal.id]} -> {deal.status}"


def show(title: str, before: botdesk.DcaBot, after: botdesk.DcaBot) -> None:
    """Print the changes of a step."""
    print(f"{title}:")
    for change in changes(before, after):
        print(f"    {change}")


def blocking(client: botdesk.Client) -> None:
    """Use the blocking methods."""
    bots = client.dca_bots.list(limit=6, sort_by="profit")
    print(bots)

    bot = client.dca_bots.get(41)
    print(f"\n{bot}\nActive deals:\n{botdesk.Records(bot.active_deals or [])}\n")

    edited = bot.edit(take_profit="1.5")
    show("Edited", bot, edited)
    disabled = edited.disable()
    show("Disabled", edited, disabled)
    show("Deals cancelled", disabled, disabled.cancel_all_deals())


async def with_asyncio(client: botdesk.Client) -> None:
    """Do the same with another bot; every method has an `_async` version."""
    enabled = [bot async for bot in client.dca_bots.iter_async(scope="enable")]
    print(f"{len(enabled)} bots are still enabled")

    bot = await client.dca_bots.get_async(43)
    print(bot)
    edited = await bot.edit_async(take_profit="2.25")
    show("Edited", bot, edited)
    disabled = await edited.disable_async()
    show("Disabled", edited, disabled)
    show("Deals cancelled", disabled, await disabled.cancel_all_deals_async())


def main() -> None:
    """Run both against one sandbox."""
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        print(f"A sandbox of the service runs at {sandbox.url}\n\n--- blocking ---\n")
        blocking(client)
        print("\n--- asyncio ---\n")
        asyncio.run(with_asyncio(client))


if __name__ == "__main__":
    main()
