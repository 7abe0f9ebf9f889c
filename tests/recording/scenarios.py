"""The calls of the cassettes that the tests replay.

`just cassettes` runs this file, which records the cassettes again; those that have not changed stay the same, byte for
byte. tests/conformance records and replays every operation and each of its errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

FIXTURES = Path(__file__).parents[1] / "fixtures"
CASSETTES = FIXTURES / "cassettes"
KEYS = FIXTURES / "keys"
# Secrets of clients, exchanges and people, which no cassette may hold.
SECRETS = {
    "api_key": "exchange-key-4711",
    "secret": "exchange-secret-4712",
    "customer_id": "exchange-customer-4714",
}
ACCOUNT: dict[str, Any] = {"type": "binance", "name": "Mein Börsenkonto", "types_to_create": ["binance_margin"]}


def list_bots(client: botdesk.Client) -> None:
    """List two pages, and the enabled bots."""
    client.dca_bots.list(limit=3)
    client.dca_bots.list(limit=3, offset=3)
    client.dca_bots.list(scope="enable", sort_by="created_at", order_direction="ASC")


def get_a_bot(client: botdesk.Client) -> None:
    """Get a bot twice."""
    client.dca_bots.get(41).refresh()


def disable_a_bot(client: botdesk.Client) -> None:
    """Disable a bot, and get it before and after."""
    client.dca_bots.get(41)
    client.dca_bots.disable(41)
    client.dca_bots.get(41)


SCENARIOS: dict[str, Callable[[botdesk.Client], object]] = {
    "accounts.add": lambda client: client.accounts.add(**ACCOUNT, **SECRETS),
    "dca_bots.list": list_bots,
    "dca_bots.get": get_a_bot,
    "dca_bots.disable": disable_a_bot,
    "grid_bots.set_note": lambda client: client.grid_bots.set_note(201, "bis Montag"),
}


def cassette(name: str) -> Path:
    """Return the path of a cassette."""
    return CASSETTES / f"{name}.har"


def record(name: str, path: Path) -> None:
    """Record a scenario from a sandbox; a test key is used, because generating one takes long."""
    with botdesk.Sandbox(odd_values=True) as sandbox:
        api_key = sandbox.add_key((KEYS / "public.pem").read_text("utf-8"))
        client = botdesk.Client(api_key, (KEYS / "rsa_2048.pem").read_bytes(), base_url=sandbox.url, retries=0)
        with botdesk.record(path, client, overwrite=True, reproducible=True):
            SCENARIOS[name](client)


if __name__ == "__main__":
    for each in SCENARIOS:
        record(each, cassette(each))
