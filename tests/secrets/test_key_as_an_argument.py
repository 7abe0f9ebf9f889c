"""A secret or an API key as the wrong argument: the error does not repeat it, and nothing is sent."""

from __future__ import annotations

from traceback import format_exception
from typing import TYPE_CHECKING

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

# As long as those of the service.
SECRET = "9b74c9897bac770f" * 10
API_KEY = "9b74c9897bac770ffc029102a200c5de" * 2

CALLS: dict[str, Callable[[botdesk.Client], object]] = {
    "an identifier": lambda client: client.dca_bots.get(API_KEY),  # type: ignore[arg-type]
    "a choice": lambda client: client.dca_bots.list(scope=SECRET),  # type: ignore[arg-type]
    "a number": lambda client: client.dca_bots.edit(41, take_profit=SECRET),
    "a path of the service": lambda client: client.request("GET", f"/ver1/{SECRET}"),
    "a file": lambda client: client.dca_bots.edit_each(f"/nonexistent/{SECRET}.csv"),
    "a file to write": lambda client: client.dca_bots.export(f"/nonexistent/{SECRET}.csv"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_error_does_not_repeat_it(call: Callable[[botdesk.Client], object]) -> None:
    with botdesk.Sandbox() as sandbox:
        with pytest.raises((botdesk.ValidationError, botdesk.ConfigurationError)) as caught:
            call(sandbox.client())
        shown = "".join(format_exception(caught.value)) + repr(caught.value.__dict__)
        assert not {key for key in (SECRET[:64], API_KEY) if key in shown}
        assert not [request for request in sandbox.requests if request.method != "GET" or "ver1/9b" in request.path]


def test_an_identifier_with_a_missing_digit_is_shown() -> None:
    given = "3f2504e04f8911d39a0c0305e82c330"
    with botdesk.Sandbox() as sandbox, pytest.raises(botdesk.ValidationError, match=f'not "{given}"'):
        sandbox.client().trades.get(given)
