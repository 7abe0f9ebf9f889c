"""Give a bot the pairs of a list of coins, in a file or at a URL: a coin in each line.

Coins that the exchange does not trade, and pairs of the blacklist, are left out. A list that is too short is an error.
"""

from botdesk import ConfigurationError
from botdesk.recipes import Recipe, Run


def step(run: Run) -> None:
    """Compare the pairs with the list."""
    bot = run.client.dca_bots.get(run.options.bot)
    before, pairs = list(bot.pairs or ()), run.pairs(run.options.coins, bot)[: run.options.most]
    if len(pairs) < run.options.least:
        raise ConfigurationError(f"{len(pairs)} coins of the list can be traded, and --least is {run.options.least}")
    if set(pairs) == set(before):
        return
    # A bot may not have more deals at once than its pairs allow; it gets them back with more pairs.
    kept = run.state.get(str(bot.id), {})
    # A number that is not of this script was set by the user meanwhile.
    wanted = kept["wanted"] if bot.max_active_deals in kept.get("own", []) else bot.max_active_deals or 1
    deals = min(wanted, len(pairs) * (bot.allowed_deals_on_same_pair or 1))
    # If the edit fails, the bot may have the number from before, or the one that is sent.
    run.state[str(bot.id)] = {"wanted": wanted, "own": [bot.max_active_deals, deals]}
    added = " ".join(pair for pair in pairs if pair not in before) or "none"
    removed = " ".join(pair for pair in before if pair not in pairs) or "none"
    what = f"edit bot {bot.id}: add {added}, remove {removed}, at most {deals} deals"
    run.do(what, lambda: run.client.dca_bots.edit(run.options.bot, pairs=pairs, max_active_deals=deals))
    run.state[str(bot.id)]["own"] = [deals]


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("bot", type=int, help="the id of the bot")
    recipe.option("coins", help="the file or the URL of the list")
    recipe.option("--least", type=int, default=2, help="the fewest pairs that the bot may have")
    recipe.option("--most", type=int, default=50, help="the most pairs")
    recipe.main()
