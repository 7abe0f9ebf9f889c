"""Let one bot at a time trade a coin: while a deal is open, the other bots of the account do without its pair.

They get it back when the deal is over. A bot keeps its first pair if others have all of them.
"""

from functools import partial
from typing import Any

from botdesk import BotdeskError, DcaBot
from botdesk.recipes import Recipe, Run, has_no_effect


def step(run: Run) -> None:
    """Take pairs away, and give them back."""
    newest = sorted(run.client.deals.iter(scope="active"), key=lambda deal: deal.id or 0, reverse=True)
    # A pair belongs to the bot of its oldest deal on the account.
    owners = {(deal.account_id, deal.pair): deal.bot_id for deal in newest}
    for bot in list(run.client.dca_bots.iter(scope="enable")):
        taken: dict[str, Any] = run.state.get(str(bot.id)) or {"pairs": [], "deals": bot.max_active_deals}
        # The user may have set another number meanwhile.
        is_own = bot.max_active_deals in taken.get("own", [bot.max_active_deals])
        deals = taken["deals"] if is_own else bot.max_active_deals or 1
        every = list(dict.fromkeys([*(bot.pairs or ()), *taken["pairs"]]))
        wanted = [pair for pair in every if owners.get((bot.account_id, pair), bot.id) == bot.id] or every[:1]
        if set(wanted) != set(bot.pairs or ()):
            with run.keep_going(f"bot {bot.id}"):
                change(run, bot, every, wanted, deals)


def change(run: Run, bot: DcaBot, every: list[str], wanted: list[str], most: int) -> None:
    """Send the pairs of a bot, and remember what it does without; it may have fewer deals at once meanwhile."""
    key, deals = str(bot.id), min(most, len(wanted) * (bot.allowed_deals_on_same_pair or 1))
    # Before anything is sent: if no response comes, the bot may have its pairs from before, or those that are sent.
    before, run.state[key] = run.state.get(key), {"pairs": every, "deals": most, "own": [bot.max_active_deals, deals]}
    edit = partial(run.client.dca_bots.edit, bot.id or 0, pairs=wanted, max_active_deals=deals)
    try:
        run.do(f"give bot {bot.id} the pairs {' '.join(wanted)}", edit)
    except BotdeskError as error:
        if has_no_effect(error):
            run.state[key] = before
        raise
    run.state[key] = {"pairs": [pair for pair in every if pair not in wanted], "deals": most, "own": [deals]}


if __name__ == "__main__":
    Recipe(__doc__, step).main()
