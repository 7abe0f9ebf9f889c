"""Pairs that the service does not put on the blacklist."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import botdesk

    from .conftest import Service


def test_a_pair_that_is_not_taken_is_named(client: botdesk.Client, service: Service) -> None:
    service.responds(body=b'{"pairs": ["USDT_BTC"]}')
    service.responds(201, body=b'{"pairs": ["USDT_ETH"]}')
    with pytest.warns(UserWarning, match=r"does not list USDT_DOGE; read the list again"):
        client.dca_bots.add_to_blacklist(["USDT_ETH", "USDT_DOGE"])
    assert b'["USDT_BTC","USDT_ETH","USDT_DOGE"]' in service.requests[-1].body


def test_a_response_with_the_new_pairs_alone_is_no_difference(client: botdesk.Client, service: Service) -> None:
    service.responds(body=b'{"pairs": ["USDT_BTC"]}')
    service.responds(201, body=b'{"pairs": ["USDT_ETH"]}')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        client.dca_bots.add_to_blacklist("USDT_ETH")
