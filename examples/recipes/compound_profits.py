"""Put a share of the profits of bots into their volumes.

Each closed deal is counted once; the archive says which were.
"""

from botdesk import Archive, ConfigurationError
from botdesk.recipes import Recipe, Run


def compound(run: Run, archive: Archive, bot_id: int) -> None:
    """Compound a bot; one that can't be compounded is an error only if it was asked for."""
    try:
        preview = run.client.dca_bots.get(bot_id).compound(run.options.share, archive=archive)
    except ConfigurationError as error:
        if run.options.bot:
            raise
        run.alert(f"bot {bot_id} is left out: {error}")
        return
    if preview.edit is not None:
        what = f"budget {preview.budget_before:f} → {preview.budget_after:f}"
        run.do(f"compound bot {bot_id}: profit {preview.profit:f}, {what}", preview.apply)


def step(run: Run) -> None:
    """Compound each bot."""
    with Archive(run.options.archive) as archive:
        archive.sync(run.client)
        ids = run.options.bot or [bot.id or 0 for bot in run.client.dca_bots.iter(scope="enable")]
        for bot_id in ids:
            with run.keep_going(f"bot {bot_id}"):
                compound(run, archive, bot_id)


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("--bot", type=int, action="append", help="only this bot; repeatable")
    recipe.option("--share", default="50%", help="the share of the profit")
    recipe.option("--archive", default="desk.sqlite", help="the file of the archive")
    recipe.main()
