"""Bulk runs: a thousand edits at the rate limit, and the cost of an edit as their number grows."""

from collections.abc import Sequence
from itertools import count

import botdesk
from benches.measure import Figure, Goal, Results, Turn, in_turns, timed

EDITS, TENTH = 1_000, 100
# A limit that is as much smaller than a run as the service's is, with shorter periods.
LIMIT, PERIOD = 100, 3.0


def measure(seconds: float, results: Results) -> None:
    """Measure edits of the bots of a sandbox in this process."""
    with botdesk.Sandbox(bots=EDITS) as sandbox:
        client = sandbox.client()
        free = client.with_options(rate_limit=None)
        bots = list(free.dca_bots.iter())
        few, many = f"{TENTH:,} edits", f"{EDITS:,} edits"
        values = count(1)
        results.table(
            "An edit of a bulk run",
            "`edit_many` of listed bots, one setting, without a rate limit; the time of the sandbox is in it.",
            in_turns(
                {few: lambda: edit(free, bots[:TENTH], next(values)), many: lambda: edit(free, bots, next(values))},
                seconds,
            ),
        )
        limited = client.with_options(rate_limit=botdesk.RateLimit(LIMIT, per=PERIOD, shared=False))
        took = edit(limited, bots, next(values)).time * EDITS
        # The first period begins with its requests, so there is one less to wait for.
        used = (EDITS / LIMIT - 1) * PERIOD / took
    results.figures.append(
        Figure("a bulk run at the rate limit", f"{took:.1f} s", f"{EDITS:,} edits, {LIMIT} in {PERIOD:g} s allowed")
    )
    results.goals.append(Goal("share of the rate limit that a bulk run of 1,000 edits uses", used, at_least=0.95))


def edit(client: botdesk.Client, bots: Sequence[botdesk.DcaBot], value: int) -> Turn:
    """Edit the bots, and return the time of an edit."""

    def run() -> None:
        result = client.dca_bots.edit_many(bots, cooldown=value, progress=False)
        if not result.is_complete:
            raise RuntimeError(f"{len(result.done)} of {len(bots)} edits were made")

    return timed(run, 1, len(bots))
