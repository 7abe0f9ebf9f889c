"""Streams over TLS and through proxies, which are those of requests; frames that are too large; silent services."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from thorough import THOROUGH

import botdesk

from ..proxies.conftest import HttpProxy, Listener, SocksProxy, exchange  # noqa: TID252
from ..tls.conftest import identity  # noqa: TID252
from .conftest import next_of, open_deals

if TYPE_CHECKING:
    import socket
    import ssl
    from pathlib import Path

# A host that only the proxies know.
URL = "http://service.invalid"


class TlsFront(Listener):
    """Decrypts what it carries to a port."""

    def __init__(self, behind: int, context: ssl.SSLContext) -> None:
        self._behind, self._context = behind, context
        super().__init__()

    def handle(self, connection: socket.socket) -> None:
        """Carry one connection."""
        with self._context.wrap_socket(connection, server_side=True) as secured, self.opened(self._behind) as onward:
            exchange(secured, onward)


def port_of(sandbox: botdesk.Sandbox) -> int:
    """Return the port of a sandbox."""
    return int(sandbox.url.rpartition(":")[2])


def connect(sandbox: botdesk.Sandbox, base_url: str, **options: str | Path) -> botdesk.Client:
    """Make a client of a sandbox at another URL."""
    api_key, secret = sandbox.add_key(secret=True)
    client = botdesk.Client(api_key, secret=secret, base_url=base_url, allow_http=True)
    return client.with_options(retries=0, rate_limit=None, **options)  # type: ignore[arg-type]


def test_a_stream_is_encrypted_like_requests(sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
    authority = identity("an authority")
    shown = identity("a service", by=authority, hosts=("127.0.0.1",))
    with closing(TlsFront(port_of(sandbox), shown.context(tmp_path))) as front:
        url = f"https://127.0.0.1:{front.port}"
        with connect(sandbox, url, ca_file=authority.saved(tmp_path, "authority")) as client:
            deal = open_deals(client)[0]
            with client.stream("deals") as stream:
                client.deals.edit(deal, take_profit="7.5")
                assert next(stream).origin == "stream"
        with connect(sandbox, url).stream("deals", every=60, states=True, on_error=lambda _: None) as stream:
            assert "certificate" in str(next_of(stream, "disconnected").reason)


@pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
def test_a_stream_goes_through_the_proxy_of_requests(
    kind: type[HttpProxy | SocksProxy], sandbox: botdesk.Sandbox
) -> None:
    with closing(kind(port_of(sandbox), "name:word")) as proxy:
        scheme = "http" if kind is HttpProxy else "socks5h"
        client = connect(sandbox, URL, proxy=f"{scheme}://name:word@127.0.0.1:{proxy.port}")
        deal = open_deals(client)[0]
        with client.stream("deals") as stream:
            client.deals.edit(deal, take_profit="7.5")
            assert next(stream).origin == "stream"


def test_a_frame_that_is_too_large_ends_the_connection(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    with client.stream("deals", states=True, on_error=lambda _: None) as stream:
        sandbox.streams.send("x" * (16 << 20))
        sandbox.streams.send("x" * ((16 << 20) + 1))
        assert "16 MiB" in str(next_of(stream, "disconnected").reason)
        assert next_of(stream, "connected").record is None


@pytest.mark.skipif(not THOROUGH, reason="it waits for half a minute: just thorough")
def test_a_service_that_says_nothing_is_polled(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    deal = open_deals(client)[0]
    for withheld in ("welcome", "confirmation"):
        sandbox.streams.clear()
        sandbox.streams.withhold(withheld)
        with client.stream("deals", every=1, states=True, on_error=lambda _: None) as stream:
            assert "10 s" in str(next_of(stream, "disconnected").reason) or withheld == "confirmation"
            client.deals.edit(deal, note=withheld)
            assert next_of(stream, "changed").origin == "poll"
    sandbox.streams.clear()
    with client.stream("deals", stale_after=6, states=True, on_error=lambda _: None) as stream:
        sandbox.streams.silence()
        assert "nothing came in for 6 s" in str(next_of(stream, "disconnected").reason)
        with suppress(StopIteration):
            stream.close()
