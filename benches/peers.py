"""The clients that botdesk is held against: what a careful user would write by hand over a library of HTTP."""

import base64
from dataclasses import dataclass
from typing import Any

import httpx
import requests
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256

PREFIX = "/public/api"

# No turn should be lost to a machine that is busy.
TIMEOUT = 30.0


@dataclass(frozen=True)
class Account:
    """Who asks, and where."""

    url: str
    api_key: str
    private_key: rsa.RSAPrivateKey

    def headers(self, target: str) -> dict[str, str]:
        """Sign a path with its query."""
        signature = self.private_key.sign(target.encode(), padding.PKCS1v15(), SHA256())
        return {"Apikey": self.api_key, "Signature": base64.b64encode(signature).decode()}


class Requests:
    """A client over `requests`, on one session."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.session = requests.Session()
        # As botdesk does on loopback: no proxy is asked.
        self.session.trust_env = False

    def bot(self, bot_id: int) -> dict[str, Any]:
        """Get one bot, as a dict."""
        target = f"{PREFIX}/ver1/bots/{bot_id}/show"
        answer = self.session.get(self.account.url + target, headers=self.account.headers(target), timeout=TIMEOUT)
        answer.raise_for_status()
        bot: dict[str, Any] = answer.json()
        return bot

    def close(self) -> None:
        """Close the connections."""
        self.session.close()


class Httpx:
    """A client over `httpx`, on one pool."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.client = httpx.Client(base_url=account.url, trust_env=False, timeout=TIMEOUT)

    def bot(self, bot_id: int) -> dict[str, Any]:
        """Get one bot, as a dict."""
        target = f"{PREFIX}/ver1/bots/{bot_id}/show"
        answer = self.client.get(target, headers=self.account.headers(target))
        answer.raise_for_status()
        bot: dict[str, Any] = answer.json()
        return bot

    def close(self) -> None:
        """Close the connections."""
        self.client.close()
