"""Close a deal at the market price when its profit has fallen from its peak.

The stop begins to follow at a profit; until the next run, nothing watches the price, so run it often.
"""

from decimal import Decimal

from botdesk.recipes import Recipe, Run


def step(run: Run) -> None:
    """Follow the peak of each open deal."""
    # Listed first: deals that are closed meanwhile would move the pages.
    deals = list(run.client.deals.iter(scope="active"))
    before: dict[str, str] = run.state.get("peaks", {})
    # A deal without a profit, or with a status that passes, keeps its peak.
    peaks = run.state["peaks"] = {key: before[key] for deal in deals if (key := str(deal.id)) in before}
    for deal in deals:
        profit = deal.actual_profit_percentage
        if profit is None or (run.options.bot and deal.bot_id not in run.options.bot):
            continue
        peak = max(profit, Decimal(peaks.get(str(deal.id), profit)))
        peaks[str(deal.id)] = str(peak)
        if deal.status == "bought" and peak >= run.options.start and profit <= peak - run.options.distance:
            with run.keep_going(f"deal {deal.id} on {deal.pair}"):
                run.do(f"close deal {deal.id}: its profit fell from {peak} to {profit} %", deal.close)
                run.alert(f"deal {deal.id} on {deal.pair} was stopped at {profit} %")


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("--bot", type=int, action="append", help="only deals of this bot; repeatable")
    recipe.option("--start", type=Decimal, default=Decimal(2), help="the profit at which it begins, in percent")
    recipe.option("--distance", type=Decimal, default=Decimal(1), help="the fall from the peak, in percent")
    recipe.main()
