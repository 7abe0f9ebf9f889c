"""Disable all bots when BTC has fallen from its peak, and enable the same ones again when it has risen.

Open deals go on. A bot that the service refuses to switch is named in an alert, and left alone.
"""

from decimal import Decimal
from typing import Any

from botdesk import ApiError, BotdeskError, BulkResult, ConfigurationError, RateLimitedError, ServerError
from botdesk.recipes import Recipe, Run


def is_refused(error: BotdeskError | None) -> bool:
    """Return whether the service would refuse the request at the next run as well."""
    return isinstance(error, ApiError) and not isinstance(error, (RateLimitedError, ServerError))


def settle(run: Run, verb: str, result: BulkResult[Any]) -> list[int | str]:
    """Alert about what is not done, and return the ids of the bots that the next run tries again."""
    refused = [] if result.ended_by else [item.id for item in result.failed if is_refused(item.error)]
    if refused:
        run.state["bots"] = [id_ for id_ in run.state["bots"] if id_ not in refused]
        run.alert(f"these bots can't be {verb}d, and are left alone: {', '.join(map(str, refused))}")
    return [item.id for item in result if item.status != "done" and item.id not in refused]


def switch(run: Run) -> int:
    """Switch the bots that remain, also those of an interrupted run, and return the number of those that are done."""
    ids, verb = run.state["remaining"], "disable" if run.state["stopped"] else "enable"
    many = run.client.dca_bots.disable_many if verb == "disable" else run.client.dca_bots.enable_many
    result = run.do(f"{verb} {len(ids)} bots", lambda: many(ids))
    run.state["remaining"] = settle(run, verb, result) if result else []
    run.save()
    if result is None:
        return len(ids)
    with run.keep_going(f"{verb} {len(ids)} bots"):
        result.raise_for_failures()
    return len(result.done)


def step(run: Run) -> None:
    """Compare the price with its peak, or with its low while the bots are stopped."""
    if run.state.get("remaining"):
        switch(run)
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
    remaining = run.state["bots"] if stopped else [bot.id for bot in run.client.dca_bots.iter(scope="enable")]
    if not stopped:
        # Those that were not enabled yet are to run when the price has risen again.
        run.state["bots"] = [*dict.fromkeys([*remaining, *run.state.get("remaining", [])])]
    run.state |= {"remaining": remaining, "stopped": not stopped, "extreme": str(price)}
    # It is written before anything is sent, so that the next run finishes an interrupted one.
    done = switch(run)
    run.alert(f"{run.options.pair} {verb} by {moved:.2f} %: {done} bots {'run' if stopped else 'stopped'}")


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("--market", default="binance", help="the code of the exchange")
    recipe.option("--pair", default="USDT_BTC", help="the pair to watch")
    recipe.option("--fall", type=Decimal, default=Decimal(5), help="the fall from the peak, in percent")
    recipe.option("--rise", type=Decimal, default=Decimal(3), help="the rise from the low, in percent")
    recipe.main()
