"""The options of a sandbox."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

import botdesk


@pytest.mark.parametrize("option", ["seed", "bots", "port", "rate_limit"])
@pytest.mark.parametrize("given", [-1, 2**63, 2**70, -(2**70)])
def test_a_number_out_of_range_is_rejected(option: str, given: int) -> None:
    options: dict[str, Any] = {option: given}
    with pytest.raises(botdesk.ConfigurationError, match=f"^{option}={given} is out of range$"):
        botdesk.Sandbox(**options)


@pytest.mark.parametrize("given", [10_001, 2**40])
def test_more_bots_than_fit_into_memory_are_rejected(given: int) -> None:
    with pytest.raises(
        botdesk.ConfigurationError,
        match=f"^bots={given} is out of range; a sandbox starts with at most 10000 DCA bots$",
    ):
        botdesk.Sandbox(bots=given)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_too_long_to_be_written_out_is_rejected(sign: int) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=r"^seed=… is out of range$"):
        botdesk.Sandbox(seed=sign * 10**5000)


@pytest.mark.parametrize("given", [None, 1, "yes"])
def test_odd_values_are_on_or_off(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(TypeError, match="odd_values"):
        botdesk.Sandbox(odd_values=given)


@pytest.mark.parametrize("option", ["seed", "bots", "port", "rate_limit"])
@pytest.mark.parametrize("given", [1.5, "1"])
def test_a_value_that_is_not_a_whole_number_is_rejected(option: str, given: object) -> None:
    options: dict[str, Any] = {option: given}
    with pytest.raises(TypeError, match=option):
        botdesk.Sandbox(**options)


@pytest.mark.parametrize("option", ["fee", "slippage"])
@pytest.mark.parametrize("given", [1, "1.5", -1, "-0.001"])
def test_costs_that_are_no_fractions_are_rejected(option: str, given: object) -> None:
    options: dict[str, Any] = {option: given}
    with pytest.raises(botdesk.ConfigurationError, match=f"^{option} must be a fraction below 1, .*, not {given}$"):
        botdesk.Sandbox(**options)


@pytest.mark.parametrize("given", [0.001, "a lot", "NaN", True, []])
def test_costs_that_are_no_exact_numbers_are_rejected(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(botdesk.ConfigurationError, match=r"^fee must be a str, a Decimal or an int, not "):
        botdesk.Sandbox(fee=given)


@pytest.mark.parametrize("given", [0, "0.001", Decimal("0.001"), "0.1%", "99.9 %"])
def test_costs_are_fractions_or_percentages(given: Any) -> None:  # noqa: ANN401
    botdesk.Sandbox(fee=given, slippage=given).close()


@pytest.mark.parametrize("option", ["fee", "slippage"])
def test_a_cost_that_may_be_meant_in_percent_warns_with_both_readings(option: str) -> None:
    options: dict[str, Any] = {option: "0.1"}
    with pytest.warns(UserWarning, match=f'^{option}=0.1 is 10 %; for 0.1 %, pass {option}="0.1%"$'):
        botdesk.Sandbox(**options).close()
