"""Blocking calls to a server on this machine over a kept connection: one bot, and a page of bots."""

from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from itertools import count

import orjson
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import botdesk
from benches import peers, responses, rust
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
        contenders[UNSIGNED] = floor["reqwest, unsigned"]
        table = results.table(
            "One blocking call, signature known",
            f"The same bot ({len(responses.bot()):,} bytes of JSON) in every call; its name is read. botdesk caches "
            "the signature of a payload; the others sign again. The peers decode with the standard library's JSON.",
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
            "Every call has another id, so it needs a new RSA-2048 signature. Otherwise as above.",
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
        need_agreement({name: call(responses.BOT) for name, call in calls.items()})


def client(account: peers.Account) -> botdesk.Client:
    """Make botdesk's client without its rate limit, which would make it wait."""
    return botdesk.Client(account.api_key, account.pem, base_url=account.url, rate_limit=None)


@contextmanager
def blocking(account: peers.Account) -> Generator[Mapping[str, Call]]:
    """Make the clients that fetch one bot, and close them at the end of the block."""
    ours = client(account)
    with_py3cw = peers.Py3cw(account)
    with closing(peers.Requests(account)) as with_requests:
        yield {
            "botdesk": lambda bot_id: ours.dca_bots.get(bot_id).name,
            REQUESTS: lambda bot_id: with_requests.get(peers.bot_path(bot_id))["name"],
            PY3CW: lambda bot_id: with_py3cw.bot(bot_id)["name"],
        }


@contextmanager
def paging(account: peers.Account) -> Generator[Mapping[str, Call]]:
    """Make the clients that fetch a page, and close them at the end of the block."""
    ours = client(account)
    with closing(peers.Requests(account)) as plain, closing(peers.Requests(account, orjson.loads)) as fast:
        yield {
            "botdesk": lambda offset: ours.dca_bots.list(limit=responses.BOTS, offset=offset)[-1].id,
            REQUESTS: lambda offset: plain.get(peers.page_path(offset))[-1]["id"],
            "requests + cryptography + orjson": lambda offset: fast.get(peers.page_path(offset))[-1]["id"],
        }
