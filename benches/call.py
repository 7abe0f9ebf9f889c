"""One blocking call: get a bot from a server on this machine, connection kept, with a new signature each time."""

from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from itertools import count

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

import botdesk
from benches import answers
from benches.measure import Table, in_turns, need_agreement
from benches.peers import Account, Httpx, Requests
from benches.server import serving

# Gives the name of the bot with this id.
Call = Callable[[int], object]


def tables(seconds: float) -> list[Table]:
    """Measure calls."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    check(key)
    answer = answers.bot()
    with serving(answer) as url, contenders(Account(url, "key", key)) as calls:
        rows = in_turns({name: asking(call) for name, call in calls.items()}, seconds)
    about = (
        f"One bot with its open deals ({len(answer):,} bytes of JSON) from a loopback server that checks nothing. "
        "Every call asks for another id, so it needs a new RSA-2048 signature, and the bot's name is read. The peers' "
        "bots are dicts of the standard library's JSON."
    )
    return [Table("One blocking call, new signature", about, rows)]


def asking(call: Call) -> Callable[[], object]:
    """Ask for another bot at each turn."""
    ids = count(1)
    return lambda: call(next(ids))


def check(key: rsa.RSAPrivateKey) -> None:
    """See that the sandbox, which checks signatures, gives all contenders the same bot."""
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    with botdesk.Sandbox() as sandbox, contenders(Account(sandbox.url, sandbox.add_key(public), key)) as calls:
        need_agreement({name: call(answers.BOT) for name, call in calls.items()})


@contextmanager
def contenders(account: Account) -> Generator[dict[str, Call]]:
    """Make the clients, and close them at the end of the block."""
    pem = account.private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    client = botdesk.Client(account.api_key, pem, base_url=account.url)
    with ExitStack() as stack:
        with_requests = stack.enter_context(closing(Requests(account)))
        with_httpx = stack.enter_context(closing(Httpx(account)))
        yield {
            "botdesk": lambda bot_id: client.dca_bots.get(bot_id).name,
            "requests + cryptography": lambda bot_id: with_requests.bot(bot_id)["name"],
            "httpx + cryptography": lambda bot_id: with_httpx.bot(bot_id)["name"],
        }
