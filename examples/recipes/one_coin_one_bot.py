"""Let one bot at a time trade a coin: while a deal is open, the other bots of the account do without its pair.

They get it back when the deal is over. A bot keeps its first pair if others have all of them.
"""

from functools import partial
from typing import Any

from botdesk import DcaBot, ValidationError
from botdesk.recipes import Recipe, Run


def step(run: Run) -> None:
    """Take pairs away, and give them back."""
    deals = sorted(run.client.deals.iter(scope="active"), key=lambda deal: deal.id or 0, reverse=True)
    # A pair belongs to the bot of its oldest deal on the account.
    owners = {(deal.account_id, deal.pair): deal.bot_id for deal in deals}
    for bot in list(run.client.dca_bots.iter(scope="enable")):
        taken: dict[str, Any] = run.state.get(str(bot.id)) or {"pairs": [], "deals": bot.max_active_deals}
        every = list(dict.fromkeys([*(bot.pairs or ()), *taken["pairs"]]))
        wanted = [pair for pair in every if owners.get((bot.account_id, pair), bot.id) == bot.id] or every[:1]
        if set(wanted) != set(bot.pairs or ()):
            change(run, bot, wanted, {"pairs": [pair for pair in every if pair not in wanted], "deals": taken["deals"]})


def change(run: Run, bot: DcaBot, wanted: list[str], taken: dict[str, Any]) -> None:
    """Send the pairs of a bot, and remember what it does without; it may have fewer deals at once meanwhile."""
    before, run.state[str(bot.id)] = run.state.get(str(bot.id)), taken
    # Before anything is sent: if no response comes, the bot may have lost the pairs, and must get them back.
    run.save()
    deals = min(taken["deals"], len(wanted) * (bot.allowed_deals_on_same_pair or 1))
    edit = partial(run.client.dca_bots.edit, bot.id or 0, pairs=wanted, max_active_deals=deals)
    try:
        run.do(f"give bot {bot.id} the pairs {' '.join(wanted)}", edit)
    except ValidationError as error:
        run.state[str(bot.id)] = before
        run.alert(f"bot {bot.id} keeps its pairs: {error}")


if __name__ == "__main__":
    Recipe(__doc__, step).main()
