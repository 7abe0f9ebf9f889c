"""What the scripts of `examples/recipes` share: dry runs, a file for the state, one run at a time, and alerts.

A script is a function of a `Run`, and `Recipe` makes a program of it:

    def step(run):
        for bot in run.client.dca_bots.iter(scope="enable"):
            run.do(f"disable {bot.name}", bot.disable)

    if __name__ == "__main__":
        Recipe(__doc__, step).main()

Without `--apply`, nothing is changed at the service: `run.do` only prints what it would do.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import threading
import time
import urllib.request
from contextlib import ExitStack, closing, contextmanager
from decimal import Decimal
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from botdesk import Client
from botdesk._ending_errors import ends_all
from botdesk._libraries import library
from botdesk._native import _shown_message
from botdesk._pairs import common_quote
from botdesk._used_once import UNKNOWN_OUTCOMES
from botdesk._whole_files import written_whole
from botdesk.errors import (
    ApiError,
    BotdeskError,
    ConfigurationError,
    ConnectionFailedError,
    EditConflictError,
    ValidationError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

__all__ = ["Recipe", "Run", "fetch", "has_no_effect"]

T = TypeVar("T")

_TIMEOUT = 10
# The largest file that is fetched.
_MOST_BYTES = 1_000_000
_FAILED, _USAGE = 1, 2
# What `urllib` raises; a wrong URL, or text in another encoding, is a ValueError.
_NOT_SENT = (OSError, HTTPException, ValueError)

# What the service refused, or what was not sent.
_WITHOUT_EFFECT = (ApiError, ConnectionFailedError, EditConflictError, ValidationError)


class Run:
    """One run of a recipe.

    Attributes:
        client: The client of the profile, or of the environment.
        options: The options of the command line, by their names.
        state: What is kept until the next run: anything that JSON holds. It is written after each step and at the end;
            dry runs have a state of their own.
        applies: Whether steps are carried out. If not, they are only printed.
        errors: The errors that `keep_going` has caught.
        is_state_lost: Whether the state could not be written, so that the next run would repeat what was sent.
    """

    def __init__(self, client: Client, options: argparse.Namespace, path: Path) -> None:
        """Read the state."""
        self.client = client
        self.options = options
        self.applies: bool = options.apply
        self.errors: list[BotdeskError] = []
        self.is_state_lost: bool = False
        self._path = path
        self.state: dict[str, Any] = _read(path)

    def do(self, what: str, step: Callable[[], T]) -> T | None:
        """Carry out a step and print it; in a dry run, only print it.

        Args:
            what: What the step does, in a line such as `disable bot 41`.
            step: The function that does it.

        Returns:
            What the step returns; None in a dry run.

        Raises:
            BotdeskError: The step failed.
            ConfigurationError: The state can't be written. It is written before the step too, which is not done then.
        """
        self.say(what if self.applies else f"would {what}")
        if not self.applies:
            return None
        self.save()
        result = step()
        self.save()
        return result

    @contextmanager
    def keep_going(self, what: str) -> Generator[None]:
        """Go on after an error in the block, so that one record does not hold up the others.

        The error is an alert at once, and the exit code of the program is that of the first error. What the next record
        would meet too ends the run: a rejected key, a ban, a state that can't be written.

        Args:
            what: What the block is about, such as `bot 41`.

        Returns:
            A context manager.

        Example:
            >>> from botdesk.recipes import Recipe
            >>> def step(run):
            ...     for bot in list(run.client.dca_bots.iter(scope="enable")):
            ...         with run.keep_going(f"bot {bot.id}"):
            ...             run.do(f"disable bot {bot.id}", bot.disable)
            >>> recipe = Recipe("Disable all bots.", step)
        """
        try:
            yield
        except BotdeskError as error:
            if self.is_state_lost or ends_all(error):
                raise
            self.errors.append(error)
            self.alert(f"{what}: {type(error).__name__}: {error}")

    def say(self, line: str) -> None:
        """Print a line, without characters that control a terminal.

        Args:
            line: The line.
        """
        print(_shown_message(line), flush=True)  # noqa: T201 - it is what a script prints

    def alert(self, text: str) -> None:
        """Print a text, and send it to each `--alert`; in a dry run, only print it.

        An alert that can't be sent is printed as an error, and the run goes on.

        Args:
            text: The text.
        """
        self.say(text)
        for url in self.options.alert if self.applies else ():
            try:
                _send(url, text)
            except (*_NOT_SENT, ConfigurationError) as error:
                # The URL holds a secret.
                reason = error if isinstance(error, ConfigurationError) else type(error).__name__
                print(f"the alert was not sent: {reason}", file=sys.stderr)  # noqa: T201

    def pairs(self, coins: str, bot: Any) -> list[str]:  # noqa: ANN401 - a DcaBot
        """Return the pairs of a list of coins with the quote currency of a bot, which its account can trade.

        Pairs of the blacklist are left out too.

        Args:
            coins: The file or the URL of the list, with spaces, commas or lines between the coins.
            bot: The bot, a `DcaBot`.

        Returns:
            The pairs, in the order of the list.

        Raises:
            ConfigurationError: The list can't be read, or the bot has no pair.
            ConnectionFailedError: The URL of the list can't be read now.
            ApiError: The service returned an error.
        """
        quote = common_quote(bot.pairs or ())
        if not quote:
            raise ConfigurationError(f"the pairs of bot {bot.id} have no quote currency, or several")
        market = self.client.accounts.get(bot.account_id).market_code
        traded = set(self.client.markets.pairs(market or "")) - set(self.client.dca_bots.blacklist().pairs or ())
        names = [f"{quote}_{coin}" for coin in fetch(coins).replace(",", " ").upper().split()]
        return [pair for pair in dict.fromkeys(names) if pair in traded]

    def save(self) -> None:
        """Write the state as a whole.

        Raises:
            ConfigurationError: It can't be written. The program ends: the next run would not know what was done.
        """
        try:
            with written_whole(self._path) as written:
                written.write_text(json.dumps(self.state, indent=1, default=str), encoding="utf-8")
        except ConfigurationError:
            self.is_state_lost = True
            raise


class Recipe:
    """A program that runs a step once, such as from cron, or again and again.

    Args:
        about: What it does, for `--help`; the docstring of the script.
        step: The function of a `Run`.
        name: The name of its state file; the name of the script by default.
    """

    def __init__(self, about: str | None, step: Callable[[Run], None], *, name: str | None = None) -> None:
        self._step = step
        self._name = name or Path(sys.argv[0]).stem or "recipe"
        form = argparse.RawDescriptionHelpFormatter
        self._parser = argparse.ArgumentParser(description=about, formatter_class=form)
        add = self._parser.add_argument
        add("--apply", action="store_true", help="carry out the steps; without it, they are only printed")
        add("--dry-run", action="store_true", help="only print the steps, as without --apply")
        add("--every", type=_seconds, metavar="SECONDS", help="run again and again; by default once, such as from cron")
        add("--profile", metavar="NAME", help="the profile with the keys; by default, the environment has them")
        add("--state", type=Path, metavar="FILE", help=f"the file for the state; by default {self._name}.json")
        add(
            "--alert",
            action="append",
            default=[],
            metavar="URL",
            help="where alerts go: the webhook of a chat, or any URL of apprise; repeatable",
        )

    def option(self, *names: str, **settings: Any) -> Recipe:  # noqa: ANN401 - the arguments of argparse
        """Add an option, as `argparse.ArgumentParser.add_argument` does.

        Args:
            *names: Its names.
            **settings: Its settings, such as `type`, `default` and `help`.

        Returns:
            The recipe.

        Example:
            >>> from decimal import Decimal
            >>> from botdesk.recipes import Recipe
            >>> recipe = Recipe("Do nothing.", lambda run: run.say(f"fall {run.options.fall}"))
            >>> type(recipe.option("--fall", type=Decimal, default=5, help="percent")).__name__
            'Recipe'
        """
        self._parser.add_argument(*names, **settings)
        return self

    def main(self, arguments: Sequence[str] | None = None) -> None:
        """Run the program, and exit with 0, or with 1 after an error, or with 2 if an option or a file can't be used.

        Args:
            arguments: The arguments; those of the command line by default.

        Raises:
            SystemExit: Always, with the code.
        """
        options = self._parser.parse_args(arguments)
        if options.dry_run and options.apply:
            self._parser.error("--apply and --dry-run exclude each other")
        kept = options.state or Path(f"{self._name}.json")
        # What a dry run pretends is not taken for real.
        path = kept if options.apply else kept.with_name(f"{kept.stem}.dry-run{kept.suffix}")
        try:
            client = Client.from_profile(options.profile) if options.profile else Client.from_env()
            with _exclusive(path):
                self._run(client, options, path)
        except ConfigurationError as error:
            _exit(error, _USAGE)
        except (BotdeskError, OSError) as error:
            _exit(error, _FAILED)
        except KeyboardInterrupt:
            sys.exit(130)
        sys.exit(0)

    def _run(self, client: Client, options: argparse.Namespace, path: Path) -> None:
        if options.every is not None:
            self._loop(client, options, path)
        run = Run(client, options, path)
        self._step(run)
        run.save()
        if run.errors:
            raise run.errors[0]

    def _loop(self, client: Client, options: argparse.Namespace, path: Path) -> NoReturn:
        has_succeeded = False
        while True:
            run = Run(client, options, path)
            try:
                self._step(run)
                run.save()
                has_succeeded = True
            except BotdeskError as error:
                # After a step that succeeded, the options are right: a list may be empty for once.
                if run.is_state_lost or (isinstance(error, ConfigurationError) and not has_succeeded):
                    raise
                run.alert(f"{self._name}: {type(error).__name__}: {error}")
            time.sleep(options.every)


def fetch(source: str) -> str:
    """Return the text of a file, or of a URL.

    Args:
        source: A path, or a URL that begins with `https://` or `http://`.

    Returns:
        The text, at most a megabyte.

    Raises:
        ConfigurationError: The file can't be read, the URL is none, or the text is too long or not in UTF-8.
        ConnectionFailedError: The URL can't be read now.
    """
    is_url = source.startswith(("https://", "http://"))
    try:
        text = (content := _read_url(source) if is_url else _read_file(source)).decode("utf-8-sig")
    except (OSError, HTTPException, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        kind = ConnectionFailedError if is_url and isinstance(error, OSError) else ConfigurationError
        raise kind(f"{_shown_message(source)} can't be read: {_shown_message(str(reason))}") from error
    if len(content) > _MOST_BYTES:
        raise ConfigurationError(f"{_shown_message(source)} has more than {_MOST_BYTES} bytes")
    return text


def has_no_effect(error: BotdeskError) -> bool:
    """Return whether an error of a write says that it was not carried out, so that it may be repeated.

    Args:
        error: The error of the write.

    Returns:
        True if the service refused the write, or if nothing was sent; False if it may have been carried out.

    Example:
        >>> import botdesk
        >>> from botdesk.recipes import has_no_effect
        >>> with botdesk.Sandbox() as sandbox:
        ...     client = sandbox.client()
        ...     for status in (404, 500):
        ...         sandbox.faults.add("dca_bots.disable", kind="status", status=status)
        ...         try:
        ...             client.dca_bots.disable(41)
        ...         except botdesk.BotdeskError as error:
        ...             print(status, has_no_effect(error))
        404 True
        500 False
    """
    return isinstance(error, _WITHOUT_EFFECT) and not isinstance(error, UNKNOWN_OUTCOMES)


def _read_url(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=_TIMEOUT) as response:  # noqa: S310 - the scheme is checked
        content: bytes = response.read(_MOST_BYTES + 1)
    return content


def _read_file(path: str) -> bytes:
    with Path(path).expanduser().open("rb") as file:
        return file.read(_MOST_BYTES + 1)


def _seconds(text: str) -> float:
    """Read the argument of `--every`."""
    seconds = float(text)
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"must be more than 0, not {text}")
    return seconds


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    try:
        state: object = json.loads(text, parse_float=Decimal)
    except ValueError as error:
        raise ConfigurationError(
            f"{path}: the state is damaged: {error}; look at it, and remove it to begin anew"
        ) from error
    if not isinstance(state, dict):
        raise ConfigurationError(f"{path}: this is no state of a recipe; pass another --state")
    return state  # pyright: ignore[reportUnknownVariableType]


def _send(url: str, text: str) -> None:
    if not url.startswith(("https://", "http://")):
        apprise = library("apprise", "this --alert", "pip install 'botdesk[alerts]'")
        sender = apprise.Apprise()
        if not sender.add(url) or not sender.notify(body=text):
            raise ConfigurationError("apprise did not accept the URL, or could not send to it")
        return
    # Slack and Mattermost take `text`, Discord takes `content`.
    body = json.dumps({"text": text, "content": text}).encode()
    request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=_TIMEOUT):  # noqa: S310 - the scheme is checked
        pass


@contextmanager
def _exclusive(path: Path) -> Generator[None]:
    """Be the only run with this state. The lock ends with the process, however it ends."""
    with ExitStack() as stack:
        try:
            lock = sqlite3.connect(path.with_name(path.name + ".lock"), timeout=0, isolation_level=None)
            stack.enter_context(closing(lock))
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            message = f"{path}: another run uses this state, or its folder can't be written; nothing was done"
            raise ConfigurationError(message) from error
        yield


def _exit(error: BaseException, code: int) -> None:
    print(f"{type(error).__name__}: {_shown_message(str(error))}", file=sys.stderr)  # noqa: T201
    sys.exit(code)
