"""Create bots like the best one for other coins: the enabled bot with a single pair that has earned the most.

Coins that have such a bot already are left out, so that it can be run again. The new bots are disabled.
"""

from decimal import Decimal

from botdesk import ConfigurationError
from botdesk.recipes import Recipe, Run


def step(run: Run) -> None:
    """Preview all bots, and create them."""
    bots = [bot for bot in run.client.dca_bots.iter(scope="enable") if len(bot.pairs or ()) == 1]
    if not bots:
        raise ConfigurationError("there is no enabled bot with a single pair")
    best = max(bots, key=lambda bot: bot.finished_deals_profit_usd or Decimal(0))
    table = [{"pairs": pair} for pair in run.pairs(run.options.coins, best) if pair not in (best.pairs or ())]
    name = run.options.name.replace("{id}", str(best.id))
    preview = run.client.dca_bots.create_each(table, like=best, name=name, skip_existing=True)
    for line in str(preview).splitlines():
        run.say(line)
    if preview.warnings and run.applies and not run.options.ignore_warnings:
        raise ConfigurationError("there are warnings; --ignore-warnings creates the bots nevertheless")
    if preview:
        run.do(f"create {len(preview)} bots like bot {best.id}", lambda: preview.create().raise_for_failures())


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("coins", help="the file or the URL of the coins")
    recipe.option("--name", default="{strategy} {pair} like {id}", help="the name of a new bot")
    recipe.option("--ignore-warnings", action="store_true", help="create them in spite of warnings")
    recipe.main()
