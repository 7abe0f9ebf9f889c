"""Raise the take profit of a deal after each of its safety orders.

A target is never lowered, and deals with several targets are left alone.
"""

from decimal import Decimal
from functools import partial

from botdesk.recipes import Recipe, Run


def step(run: Run) -> None:
    """Compare the target of each open deal with that of its safety orders."""
    for deal in run.client.deals.iter(scope="active"):
        if run.options.bot and deal.bot_id not in run.options.bot:
            continue
        filled, now = deal.completed_safety_orders_count or 0, deal.take_profit
        target = run.options.target + filled * run.options.each
        if deal.status == "bought" and filled and not deal.take_profit_steps and now and now < target:
            what = f"raise the target of deal {deal.id} from {now} to {target} % after {filled} safety orders"
            with run.keep_going(f"deal {deal.id}"):
                run.do(what, partial(deal.edit, take_profit=target))


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("--bot", type=int, action="append", help="only deals of this bot; repeatable")
    recipe.option(
        "--target", type=Decimal, default=Decimal("1.5"), help="the target without a safety order, in percent"
    )
    recipe.option("--each", type=Decimal, default=Decimal("0.5"), help="what each safety order adds, in percent")
    recipe.main()
