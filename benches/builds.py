"""The build of `pip install .` against that of published wheels: `just bench-builds` keeps both in target/builds/."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric import rsa

import botdesk
from benches import calls, decoding, history, peers, responses, rust, strategies
from benches.measure import Figure, Results, for_each_line, in_process, in_turns

BUILDS = Path(__file__).parents[1] / "target/builds"
# The first is the one that the others are compared with.
FOLDERS = {"published wheel": "trained", "source build": "release"}

# Runs a task for each line of its input, and prints its seconds and its CPU seconds.
CHILD = "import sys; from benches import builds; builds.work_for_each_line(*sys.argv[1:])"

# Takes the URL of the server, and returns what is timed.
Preparation = Callable[[str], Callable[[], object]]


class Task(NamedTuple):
    """A task, and how many times it is done in a turn."""

    title: str
    about: str
    times: int
    prepare: Preparation


def measure(seconds: float, results: Results) -> None:
    """Measure each task with both builds."""
    for build, folder in FOLDERS.items():
        modules = list((BUILDS / folder).glob("botdesk/_native*"))
        module = next((path for path in modules if path.suffix in {".so", ".pyd"}), None)
        if module is None:
            raise RuntimeError(f"{BUILDS / folder} has no compiled module; run: just bench-builds")
        size = f"{module.stat().st_size / 1e6:.1f} MB"
        results.figures.append(Figure(f"the compiled module of the {build}", size, "not compressed"))
    with rust.serving(responses.bot(), responses.bots_with_deals()) as url:
        for number, task in enumerate(TASKS):
            with ExitStack() as stack:
                contenders = {
                    build: stack.enter_context(
                        in_process(CHILD, folder, str(number), url, environment={"PYTHONPATH": str(BUILDS / folder)})
                    )
                    for build, folder in FOLDERS.items()
                }
                results.table(task.title, task.about, in_turns(contenders, seconds))


def work_for_each_line(folder: str, number: str, url: str) -> None:
    """Run a task for each line of the input, and print the time and the CPU time of one."""
    if not Path(botdesk.__file__).is_relative_to(BUILDS / folder):
        raise RuntimeError(f"the process has imported {botdesk.__file__}")
    task = TASKS[int(number)]
    work = task.prepare(url)
    work()
    for_each_line(work, task.times)


def connected(url: str) -> botdesk.Client:
    """Return a client of the server."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return calls.client(peers.Account(url, "key", key))


def call(url: str) -> Callable[[], object]:
    """Return a call whose signature is cached."""
    client = connected(url)
    return lambda: client.dca_bots.get(responses.BOT).name


def page(_: str) -> Callable[[], object]:
    """Return the decoding of a page, and the reading of five fields of each bot."""
    body = responses.bots_with_deals()
    return lambda: decoding.attributes(botdesk.DcaBot.list_from_json(body))


def every_field(_: str) -> Callable[[], object]:
    """Return the decoding of a page, and the reading of all fields of each bot."""
    body = responses.bots()
    return lambda: [decoding.every_field(bot) for bot in botdesk.DcaBot.list_from_json(body)]


def preview(url: str) -> Callable[[], object]:
    """Return the preview of an edit."""
    bot = connected(url).dca_bots.get(responses.BOT)
    return partial(bot.preview_edit, take_profit="2.5")


def backtest(_: str) -> Callable[[], object]:
    """Return a backtest of a year of minutes."""
    return strategies.with_botdesk(botdesk.Candles(history.table(history.year())))


TASKS = (
    Task("One blocking call, signature known", "The same bot in every call; its name is read.", 50, call),
    Task("A page of 100 bots to records, reading 5 fields of each", "Some bots have an open deal.", 10, page),
    Task("A page of 100 bots to records, reading every field", "Without deals.", 4, every_field),
    Task("The preview of an edit", "Another `take_profit`; nothing is requested.", 500, preview),
    Task("A backtest of a year of minutes", "The bot of the backtests above.", 4, backtest),
)
