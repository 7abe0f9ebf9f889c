"""Attributes that botdesk does not cover yet: the errors name the request that does it until then."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# The attribute, and the request that the error names.
MISSING: list[tuple[Callable[[Any], object], str]] = [
    (lambda client: client.smart_trades.edit, '"PATCH", "/public/api/v2/smart_trades/{id}"'),
    (lambda client: client.smart_trades.edit_async, '"PATCH", "/public/api/v2/smart_trades/{id}"'),
    (lambda client: client.smart_trades.get(301).edit, '"PATCH", "/public/api/v2/smart_trades/{id}"'),
]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Return a client of a sandbox, without its type: type checkers know that the attributes do not exist."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox.client()


@pytest.mark.parametrize(
    ("missing", "request_"),
    MISSING,
    ids=["edit", "coroutine", "of a record"],
)
def test_the_error_names_the_request(client: Any, missing: Callable[[Any], object], request_: str) -> None:  # noqa: ANN401
    with pytest.raises(AttributeError) as caught:
        missing(client)
    assert str(caught.value).endswith(f": botdesk does not cover this yet; until then: client.request({request_})")


def test_python_suggests_no_attribute_that_does_something_else(client: Any) -> None:  # noqa: ANN401
    with pytest.raises(AttributeError) as caught:
        client.smart_trades.edit  # noqa: B018
    assert "Did you mean" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.name == "edit"


def test_other_attributes_have_the_usual_error(client: Any) -> None:  # noqa: ANN401
    with pytest.raises(AttributeError, match=r"^'DcaBots' object has no attribute 'disabel'$") as caught:
        client.dca_bots.disabel  # noqa: B018
    assert caught.value.name == "disabel"
    assert "cover" not in str(caught.value)


def test_they_do_not_exist_for_hasattr_and_dir(client: Any) -> None:  # noqa: ANN401
    trade = client.smart_trades.get(301)
    assert not hasattr(trade, "edit")
    assert "edit" not in dir(trade)
