"""The clients that botdesk is compared with.

They are what a careful user would write by hand over a library of HTTP, and the clients of the service that there are.
"""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import py3cw.request
import requests
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

PREFIX = "/public/api"

# Long, so that a busy machine fails no turn.
TIMEOUT = 30.0

# Decodes the bytes of a response to Python values.
Decode = Callable[[bytes], Any]


def bot_path(bot_id: int) -> str:
    """Return the path of a bot."""
    return f"{PREFIX}/ver1/bots/{bot_id}/show"


def page_path(offset: int) -> str:
    """Return the path of a page of bots."""
    return f"{PREFIX}/ver1/bots?limit=100&offset={offset}"


@dataclass(frozen=True)
class Account:
    """The credentials and the base URL of a peer."""

    url: str
    api_key: str
    private_key: rsa.RSAPrivateKey

    def headers(self, target: str) -> dict[str, str]:
        """Sign a path with its query."""
        signature = self.private_key.sign(target.encode(), padding.PKCS1v15(), SHA256())
        return {"Apikey": self.api_key, "Signature": base64.b64encode(signature).decode()}

    @property
    def pem(self) -> bytes:
        """The private key in PEM."""
        return self.private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


class Requests:
    """A client over `requests`, on one session."""

    def __init__(self, account: Account, decode: Decode = json.loads) -> None:
        self.account = account
        self.decode = decode
        self.session = requests.Session()
        # As botdesk does on loopback: without a proxy.
        self.session.trust_env = False

    def get(self, target: str) -> Any:  # noqa: ANN401 - it is what the decoder makes
        """Send a GET request."""
        response = self.session.get(self.account.url + target, headers=self.account.headers(target), timeout=TIMEOUT)
        response.raise_for_status()
        return self.decode(response.content)

    def close(self) -> None:
        """Close the connections."""
        self.session.close()


class Py3cw:
    """`py3cw`, signing with a key of one's own."""

    def __init__(self, account: Account) -> None:
        py3cw.request.API_URL = account.url
        self.client = py3cw.request.Py3CW(key=account.api_key, selfsigned=account.pem.decode())

    def bot(self, bot_id: int) -> Any:  # noqa: ANN401 - it gives what JSON holds
        """Get one bot, as a dict."""
        error, bot = self.client.request(entity="bots", action="show", action_id=str(bot_id))
        if error:
            raise RuntimeError(error)
        return bot


class Aiohttp:
    """A client over `aiohttp`, on one session."""

    def __init__(self, account: Account, decode: Decode | None = json.loads, *, signs: bool = True) -> None:
        self.account = account
        self.decode = decode
        self.signs = signs
        self.session: aiohttp.ClientSession | None = None

    async def get(self, target: str) -> Any:  # noqa: ANN401 - it is what the decoder makes
        """Send a GET request."""
        if self.session is None:
            # A session belongs to the loop that it is made in.
            self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        headers = self.account.headers(target) if self.signs else None
        async with self.session.get(self.account.url + target, headers=headers) as response:
            response.raise_for_status()
            body = await response.read()
        return self.decode(body) if self.decode else body

    async def close(self) -> None:
        """Close the connections."""
        if self.session is not None:
            await self.session.close()
