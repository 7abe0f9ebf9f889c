"""Lists of records that are pickled."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

import pytest

from botdesk import DcaBot, Records

# It brings no types.
pa: Any = import_module("pyarrow")

# Pickled by a version whose records had no `_has_warned`.
OLDER = (
    b"\x80\x02cbotdesk._records\nRecords\n)\x81N}(X\x05\x00\x00\x00_kindNX\x08\x00\x00\x00_records"
    b"c__builtin__\ngetattr\ncbotdesk\nDcaBot\nX\x08\x00\x00\x00_restore\x86RX\t\x00\x00\x00"
    b'{"id": 1}\x89\x86R\x85u\x86b.'
)


class Named(Records):  # type: ignore[type-arg]
    """A subclass of list with an attribute."""

    name: str


@pytest.mark.shows("promise pickled lists of records")
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_records_that_have_warned_warn_again_after_unpickling(protocol: int) -> None:
    records = DcaBot.list_from_json('[{"take_profit": "1.0000000000000000005"}]')
    with pytest.warns(UserWarning, match="do not fit"):
        pa.table(records)
    copy = pickle.loads(pickle.dumps(records, protocol))  # noqa: S301
    assert copy == records
    with pytest.warns(UserWarning, match="do not fit"):
        pa.table(copy)


@pytest.mark.shows("promise pickled lists of records")
def test_an_older_pickle_becomes_a_table() -> None:
    records = pickle.loads(OLDER)  # noqa: S301
    assert pa.table(records)["id"].to_pylist() == [1]


def test_an_empty_list_keeps_its_kind() -> None:
    copy = pickle.loads(pickle.dumps(Records([], kind=DcaBot)))  # noqa: S301
    assert "take_profit" in pa.table(copy).column_names


def test_a_subclass_keeps_its_attributes() -> None:
    named = Named(DcaBot.list_from_json('[{"id": 1}]'))
    named.name = "mine"
    copy = pickle.loads(pickle.dumps(named))  # noqa: S301
    assert (type(copy), copy.name, copy) == (Named, "mine", named)
