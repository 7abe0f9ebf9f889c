"""Send what was earned yesterday, and this month, to a chat, whose webhook is the `--alert`."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import botdesk
from botdesk.recipes import Recipe, Run


def step(run: Run) -> None:
    """Sync the archive, and report each day once."""
    day = run.options.day or (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    if run.state.get("reported") == day:
        run.say(f"{day} was reported already")
        return
    with botdesk.Archive(run.options.archive) as archive:
        archive.sync(run.client)
        days = {row["day"]: row for row in archive.report("day", year=int(day[:4]))}
    own = days.get(day, {"profit_usd": Decimal(0), "profits": 0})
    month = sum((row["profit_usd"] for date, row in days.items() if day[:8] <= date[:8] and date <= day), Decimal(0))
    open_deals = sum(1 for _ in run.client.deals.iter(scope="active"))
    profit = f"{own['profit_usd']:.2f} USD of {own['profits']} profits"
    # Kept first: a report that may have been sent is not sent again.
    run.state["reported"] = day
    run.save()
    run.alert(f"{day}: {profit}; this month {month:.2f} USD; {open_deals} deals are open")


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("--archive", default="desk.sqlite", help="the file of the archive")
    recipe.option("--day", help="another day than yesterday, such as 2026-03-01, in UTC")
    recipe.main()
