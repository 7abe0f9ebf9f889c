"""Move a grid with the price: when the price leaves its range, shift the range so that the price is in its middle.

The range keeps its width in percent. The service closes and places the orders of the grid again, which may cost fees.
"""

from decimal import Decimal
from functools import partial

from botdesk import GridBot
from botdesk.recipes import Recipe, Run


def move(run: Run, bot: GridBot) -> None:
    """Shift the range of a grid bot if the price has left it."""
    low, high, price = bot.lower_price, bot.upper_price, bot.current_price
    if low is None or high is None or price is None:
        return
    margin = run.options.margin / 100
    if low * (1 - margin) <= price <= high * (1 + margin):
        return
    market = run.client.accounts.get(bot.account_id or 0).market_code
    tick = run.client.markets.rates(market or "", bot.pair or "").price_step
    if tick is None:
        run.alert(f"grid bot {bot.id} stays where it is: the service has no tick of {bot.pair}")
        return
    half = (high / low).sqrt()
    new_low, new_high = (round(each / tick) * tick for each in (price / half, price * half))
    what = f"move grid bot {bot.id} between {low} and {high} to {new_low} and {new_high}, at a price of {price}"
    run.do(what, partial(bot.edit, lower_price=new_low, upper_price=new_high))
    run.alert(f"grid bot {bot.id} on {bot.pair} follows the price to {price}")


def step(run: Run) -> None:
    """Look at each enabled grid bot."""
    for bot in run.client.grid_bots.iter():
        if bot.is_enabled and (not run.options.bot or bot.id in run.options.bot):
            with run.keep_going(f"grid bot {bot.id}"):
                move(run, bot)


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("--bot", type=int, action="append", help="only this grid bot; repeatable")
    recipe.option("--margin", type=Decimal, default=Decimal(1), help="how far outside the price may be, in percent")
    recipe.main()
