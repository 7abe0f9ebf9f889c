"""Operations, blocking and under asyncio, through every fault of the sandbox; `just reliability` runs all with all."""

from __future__ import annotations

import re

import fault_matrix
import pytest
from fault_matrix import FAULTS, PAGE, WAYS, Fault, Way, share
from sample_calls import SAMPLES

import botdesk


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace("`", ""))
def test_operations_fail_as_they_should_and_no_write_is_carried_out_twice(fault: Fault, way: Way) -> None:
    assert fault_matrix.run(fault, way, share(fault, way)) == []


def test_the_shares_have_every_operation_with_every_kind_of_status() -> None:
    met = {(name, fault.kind) for fault in FAULTS for way in WAYS for name in share(fault, way)}
    assert {name for name, kind in met if kind == "status"} == set(SAMPLES)
    assert len(met) > len(SAMPLES) * 8


def test_the_matrix_has_all_kinds_of_faults() -> None:
    described = (botdesk.Faults.__doc__ or "").partition("The kinds:")[2].partition("Example:")[0]
    names = re.findall(r"(?m)^ *- (.*?):", described)
    # A ban is a 418, which is among the statuses.
    described_kinds = {kind for line in names for kind in re.findall(r"`(\w+)`", line)}
    assert described_kinds - {"ban"} == {fault.kind for fault in FAULTS}


def test_the_page_has_the_table_of_the_matrix() -> None:
    text = PAGE.read_text("utf-8")
    assert text == fault_matrix.page(text), "docs/reliability.md is out of date; run: just reliability"
