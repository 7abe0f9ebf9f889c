"""Start and close deals by signals of a charting site: POST /signal with JSON.

    {"secret": "…", "id": "unique", "action": "start", "bot": 41, "pair": "USDT_ETH"}
    {"secret": "…", "id": "unique", "action": "close", "bot": 41, "pair": "USDT_ETH"}

The secret is in the variable SIGNAL_SECRET. An id is carried out once; one that has certainly failed may be
sent again. Put a proxy with TLS in front of it.
"""

import hmac
import json
import os
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from botdesk import BotdeskError, ConfigurationError
from botdesk.recipes import Recipe, Run, has_no_effect

MOST_BYTES, MOST_IDS = 10_000, 1_000


def bot_of(signal: dict[str, Any]) -> int:
    """Return the id of the bot; `int` alone would take 41.9 and true as well."""
    text = str(signal["bot"])
    if not text.isdigit():
        raise ValueError(text)
    return int(text)


def steps_of(run: Run, action: str, bot: int, pair: str) -> list[tuple[str, Callable[[], object]]]:
    """Return the steps of a signal, each with what it does."""
    if action == "start":
        return [(f"start a deal of bot {bot} on {pair}", partial(run.client.dca_bots.start_deal, bot, pair=pair))]
    deals = [deal for deal in run.client.deals.iter(scope="active", bot_id=bot) if deal.pair == pair]
    return [(f"close deal {deal.id} on {pair}", deal.close) for deal in deals]


def carry_out(run: Run, signal: dict[str, Any]) -> str:
    """Carry out a signal once, and return what was done."""
    id_, action, bot, pair = str(signal["id"]), signal["action"], bot_of(signal), str(signal["pair"])
    known: list[str] = run.state.get("ids", [])
    if action not in {"start", "close"}:
        raise ValueError(action)
    if id_ in known:
        return f"signal {id_} is known already"
    steps, errors = steps_of(run, action, bot, pair), list[BotdeskError]()
    # Before anything is sent: a deal that may have been started is not started again.
    run.state["ids"] = [*known, id_][-MOST_IDS:]
    try:
        run.save()
    except BotdeskError:
        run.state["ids"] = known
        raise
    for what, step in steps:
        try:
            run.do(what, step)
        except BotdeskError as error:
            # The other deals are closed all the same.
            errors.append(error)
    if not errors:
        return f"signal {id_} is done: {action} of {len(steps)} deals"
    if all(map(has_no_effect, errors)):
        # If it is sent again, it is carried out.
        run.state["ids"] = known
        run.save()
    raise errors[0]


def step(run: Run) -> None:
    """Serve until Ctrl-C, or for a number of requests."""
    secret = os.environ.get("SIGNAL_SECRET", "").encode()
    if not secret:
        raise ConfigurationError("set SIGNAL_SECRET to a long random text")

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            self.send_response(self.reply())
            self.end_headers()

        def reply(self) -> int:
            try:
                length = int(self.headers["Content-Length"])
                if not 0 <= length <= MOST_BYTES:
                    return 413
                signal = json.loads(self.rfile.read(length))
                if not hmac.compare_digest(str(signal["secret"]).encode(), secret):
                    return 403
                run.say(carry_out(run, signal))
            except BotdeskError as error:
                run.alert(f"a signal failed: {type(error).__name__}: {error}")
                return 502
            except (KeyError, TypeError, ValueError):
                return 400
            return 200

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing: `run.say` does."""

    with HTTPServer((run.options.host, run.options.port), Handler) as server:
        run.say(f"listening at http://{run.options.host}:{server.server_port}/signal")
        for _ in range(run.options.requests):
            server.handle_request()


if __name__ == "__main__":
    recipe = Recipe(__doc__, step)
    recipe.option("--host", default="127.0.0.1", help="the address to listen at")
    recipe.option("--port", type=int, default=8000, help="the port")
    recipe.option("--requests", type=int, default=2**62, help="stop after this number of requests")
    recipe.main()
