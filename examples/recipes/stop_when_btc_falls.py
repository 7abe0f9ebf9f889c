"""Disable all bots when BTC has fallen from its peak, and enable the same ones again when it has risen.

Open deals go on.
"""

from decimal import Decimal

from botdesk import ConfigurationError
from botdesk.recipes import Recipe, Run


def finish(run: Run) -> None:
    """Do what is left to do, also what an interrupted run has left; a bot that is off already stays off."""
    ids, verb = run.state["bots"], run.state["left"]
    many = run.client.dca_bots.disable_many if verb == "disable" else run.client.dca_bots.enable_many
    run.do(f"{verb} {len(ids)} bots", lambda: many(ids).raise_for_failures())
    run.state |= {"left": None, "stopped": verb == "disable"}


def step(run: Run) -> None:
    """Compare the price with its peak, or with its low while the bots are stopped."""
    if run.state.get("left"):
        finish(run)
    price = run.client.markets.rates(run.options.market, run.options.pair).last
    if price is None:
        raise ConfigurationError(f"{run.options.market} has no price of {run.options.pair}")
    stopped, before = run.state.get("stopped"), Decimal(run.state.get("extreme") or price)
    extreme = min(before, price) if stopped else max(before, price)
    moved, verb = abs(price / extreme - 1) * 100, "rose" if stopped else "fell"
    run.state["extreme"] = str(extreme)
    run.say(f"{run.options.pair} {verb} by {moved:.2f} % to {price}")
    if moved < (run.options.rise if stopped else run.options.fall):
        return
    if not stopped:
        run.state["bots"] = [bot.id for bot in run.client.dca_bots.iter(scope="enable") if bot.id is not None]
    run.state |= {"left": "enable" if stopped else "disable", "extreme": str(price)}
    # Before anything is sent, so that the next run finishes an interrupted one.
    run.save()
    finish(run)
    run.alert(
        f"{run.options.pair} {verb} by {moved:.2f} %: {len(run.state['bots'])} bots {'run' if stopped else 'stopped'}"
    )


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("--market", default="binance", help="the code of the exchange")
    recipe.option("--pair", default="USDT_BTC", help="the pair to watch")
    recipe.option("--fall", type=Decimal, default=Decimal(5), help="the fall from the peak, in percent")
    recipe.option("--rise", type=Decimal, default=Decimal(3), help="the rise from the low, in percent")
    recipe.main()
