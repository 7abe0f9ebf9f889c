"""Writes through every fault of the sandbox, and reads through many; `just reliability` runs all with all."""

from __future__ import annotations

import re

import fault_matrix
import pytest
from fault_matrix import FAULTS, PAGE, WAYS, WRITES, Fault, Way, share
from sample_calls import SAMPLES

import botdesk


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace("`", ""))
def test_operations_fail_as_they_should_and_no_write_is_carried_out_twice(fault: Fault, way: Way) -> None:
    assert fault_matrix.run(fault, way, share(fault, way)) == []


def test_the_shares_have_every_write_with_every_fault_and_every_read_with_several() -> None:
    met = {(name, fault.name) for fault in FAULTS for way in WAYS for name in share(fault, way)}
    for name, is_write in WRITES.items():
        faults = {fault.name for fault in FAULTS if (name, fault.name) in met}
        assert len(faults) >= (len(FAULTS) if is_write else len(FAULTS) // 2), name
    ways = {(name, way) for fault in FAULTS for way in WAYS for name in share(fault, way)}
    assert ways == {(name, way) for name in SAMPLES for way in WAYS}


def test_the_matrix_has_all_kinds_of_faults() -> None:
    described = (botdesk.Faults.__doc__ or "").partition("The kinds:")[2].partition("Example:")[0]
    names = re.findall(r"(?m)^ *- (.*?):", described)
    # A ban is a 418, which is among the statuses.
    described_kinds = {kind for line in names for kind in re.findall(r"`(\w+)`", line)}
    assert described_kinds - {"ban"} == {fault.kind for fault in FAULTS}


def test_the_page_has_the_table_of_the_matrix() -> None:
    text = PAGE.read_text("utf-8")
    assert text == fault_matrix.page(text), "docs/reliability.md is out of date; run: just reliability"
