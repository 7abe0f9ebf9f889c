"""Blocking calls to a server on this machine over a kept connection: one bot, and a page of bots."""

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from typing import Any

import orjson
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import botdesk
from benches import decoding, peers, responses, rust
from benches.measure import Contender, Goal, Results, in_turns, need_agreement

# Fetches the bot or page with this number.
Call = Callable[[int], object]

# The number of calls, and of pages, in one turn of the program in Rust.
CALLS = 100
PAGES = 3

REQUESTS = "requests + cryptography"
PY3CW = "py3cw with an RSA key"
UNSIGNED = "Rust: reqwest, unsigned"
SIGNED = "Rust: reqwest + aws-lc-rs + serde_json"


def measure(seconds: float, results: Results) -> None:
    """Measure calls."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    check(key)
    with rust.serving(responses.bot(), responses.bots_with_deals()) as url:
        account = peers.Account(url, "key", key)
        known_signature(account, seconds, results)
        new_signature(account, seconds, results)
        page(account, seconds, results)


def known_signature(account: peers.Account, seconds: float, results: Results) -> None:
    """Fetch the same bot in every call."""
    with blocking(account) as calls, rust.floor(account.url, account.private_key, CALLS) as floor:
        contenders: dict[str, Contender] = {name: lambda call=call: call(1) for name, call in calls.items()}
        contenders |= {f"Rust: {name}": floor[name] for name in ("hyper, unsigned", "reqwest, unsigned")}
        table = results.table(
            "One blocking call, signature known",
            f"The same bot ({len(responses.bot()):,} bytes of JSON) in every call; its name is read. botdesk caches "
            "the signature of a payload; the others sign again. The peers decode with the standard library's JSON "
            "unless their row says otherwise.",
            in_turns(contenders, seconds),
        )
    results.goals += [
        Goal(
            "one blocking call, small, signature known, against unsigned Rust reqwest",
            1 / table.ratio(UNSIGNED),
            at_most=1.3,
        ),
        Goal("the same against requests + cryptography", table.ratio(REQUESTS), at_least=9),
    ]


def new_signature(account: peers.Account, seconds: float, results: Results) -> None:
    """Fetch another bot in each call."""
    with blocking(account) as calls, rust.floor(account.url, account.private_key, CALLS) as floor:
        contenders = {name: asking(call) for name, call in calls.items()}
        contenders[SIGNED] = floor["reqwest + aws-lc-rs + serde_json"]
        table = results.table(
            "One blocking call, new signature",
            "Every call has another id, so it needs a new RSA-2048 signature; three-commas has no RSA and makes "
            "an HMAC. Otherwise as above.",
            in_turns(contenders, seconds),
        )
    results.goals += [
        Goal(
            "one blocking call, small, new signature, against Rust reqwest + aws-lc-rs + serde",
            1 / table.ratio(SIGNED),
            at_most=1.1,
        ),
        Goal("the same against py3cw with an RSA key", table.ratio(PY3CW), at_least=45),
    ]


def page(account: peers.Account, seconds: float, results: Results) -> None:
    """Fetch pages of bots."""
    body = responses.bots_with_deals()
    with paging(account) as calls, rust.floor(account.url, account.private_key, PAGES) as floor:
        contenders: dict[str, Contender] = {name: asking(call) for name, call in calls.items()}
        contenders[SIGNED] = floor["reqwest + aws-lc-rs + serde_json, a page"]
        table = results.table(
            "One blocking page of 100 bots, new signature",
            f"{len(body):,} bytes of JSON, some bots with an open deal, each page with another offset; the id of the "
            "last bot is read.",
            in_turns(contenders, seconds),
        )
    results.goals.append(
        Goal(
            "one blocking page of 100 bots, new signature, against requests + cryptography",
            table.ratio(REQUESTS),
            at_least=6,
        )
    )


def asking(call: Call) -> Contender:
    """Fetch the next bot at each call."""
    numbers = count(1)
    return lambda: call(next(numbers))


def check(key: rsa.RSAPrivateKey) -> None:
    """Check that all contenders get the same bot from the sandbox, which verifies signatures."""
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    with botdesk.Sandbox() as sandbox, blocking(peers.Account(sandbox.url, sandbox.add_key(public), key)) as calls:
        judged = {name: call for name, call in calls.items() if not name.startswith("three-commas")}
        need_agreement({name: call(responses.BOT) for name, call in judged.items()})


def client(account: peers.Account) -> botdesk.Client:
    """Make botdesk's client without its rate limit, which would make it wait."""
    return botdesk.Client(account.api_key, account.pem, base_url=account.url, rate_limit=None)


@contextmanager
def blocking(account: peers.Account) -> Generator[Mapping[str, Call]]:
    """Make the clients that fetch one bot, and close them at the end of the block."""
    ours = client(account)
    with_py3cw, with_three_commas = peers.Py3cw(account), peers.ThreeCommas(account)
    with ExitStack() as stack:
        with_requests = stack.enter_context(closing(peers.Requests(account)))
        with_httpx = stack.enter_context(closing(peers.Httpx(account)))
        with_pyreqwest = stack.enter_context(closing(peers.Pyreqwest(account, orjson.loads)))
        yield {
            "botdesk": lambda bot_id: ours.dca_bots.get(bot_id).name,
            REQUESTS: lambda bot_id: with_requests.get(peers.bot_path(bot_id))["name"],
            "httpx + cryptography": lambda bot_id: with_httpx.get(peers.bot_path(bot_id))["name"],
            "pyreqwest + cryptography + orjson": lambda bot_id: with_pyreqwest.get(peers.bot_path(bot_id))["name"],
            PY3CW: lambda bot_id: with_py3cw.bot(bot_id)["name"],
            "three-commas with a shared secret": lambda bot_id: with_three_commas.bot(bot_id).name,
        }


@contextmanager
def paging(account: peers.Account) -> Generator[Mapping[str, Call]]:
    """Make the clients that fetch a page, and close them at the end of the block."""
    ours = client(account)
    with ExitStack() as stack:

        def over(peer: Any) -> Call:  # noqa: ANN401 - any of the clients
            stack.enter_context(closing(peer))
            return lambda offset: last_id(peer.get(peers.page_path(offset)))

        yield {
            "botdesk": lambda offset: ours.dca_bots.list(limit=responses.BOTS, offset=offset)[-1].id,
            REQUESTS: over(peers.Requests(account, json.loads)),
            "requests + cryptography + orjson": over(peers.Requests(account, orjson.loads)),
            "requests + cryptography + msgspec": over(peers.Requests(account, decoding.ALL_FIELDS.decode)),
            "httpx + cryptography + orjson": over(peers.Httpx(account, orjson.loads)),
            "pyreqwest + cryptography + orjson": over(peers.Pyreqwest(account, orjson.loads)),
        }


def last_id(bots: list[Any]) -> object:
    """Read the id of the last bot, a dict or a struct."""
    last = bots[-1]
    return last["id"] if isinstance(last, dict) else last.id
