"""Every input of the API reference reaches the service under its documented name, and every rule of it is checked."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from sample_calls import call

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import DcaBotService, Sent, Service

    Attempt = Callable[[str, dict[str, Any]], Sent]

FIXTURES = Path(__file__).parents[1] / "fixtures"
# For each operation: name in the request, type, whether it is required, and the rule, as the API reference has them.
DOCUMENTED: dict[str, list[tuple[str, str, str, str]]] = {
    **json.loads((FIXTURES / "documented_inputs.json").read_text("utf-8")),
    "dca_bots.edit": json.loads((FIXTURES / "documented_edit.json").read_text("utf-8")),
}
INPUTS = [(operation, wire, kind) for operation, rows in DOCUMENTED.items() for wire, kind, *_ in rows]
REQUIRED = [
    (operation, wire)
    for operation, rows in DOCUMENTED.items()
    for wire, _, required, rule in rows
    if required in {"yes", "listed as required"} and "Default" not in rule and wire != "take_profit"
]
# The names of arguments that differ from the names in the request.
ARGUMENTS = {"from": "from_", "grid_quantity": "grids_quantity"}
# The number in OF_TYPE, given as one of the two prices, has to be between them.
CHANGES: dict[str, dict[str, Any]] = {"grid_bots.edit": {"upper_price": "20", "lower_price": "1"}}
LISTS = {"accounts.networks_info", "accounts.leverage_data", "dca_bots.list"}
# A value of each type that breaks no rule, and those of inputs that take no such value.
OF_TYPE: dict[str, Any] = {"number": "2.5", "integer": 3, "boolean": False, "string": "USDT_BTC", "str": "a text"}
VALUES: dict[str, Any] = {
    "types_to_create": ["binance_margin"],
    "max_active_deals": 1,
    "purpose": "withdraw",
    "scope": "disabled",
    "strategy": "short",
    "sort_by": "profit",
    "order_direction": "ASC",
    "grid_type": "geometric",
    "upper_stop_loss_action": "stop_bot_and_sell",
    "lower_stop_loss_action": "stop_bot_and_close_position",
    "leverage_type": "isolated",
    "base_order_volume_type": "percent",
    "safety_order_volume_type": "base_currency",
    "take_profit_type": "base",
    "take_profit_steps": [{"amount_percentage": 100, "profit_percentage": 3}],
    "stop_loss_percentage": "50",
    "sl_to_breakeven_data": {"upper_breakeven_limit": 1},
    "strategy_list": [{"strategy": "manual"}],
    "close_strategy_list": [{"strategy": "qfl", "options": {"type": "original", "percent": 3}}],
    "profit_currency": "base_currency",
    "start_order_type": "market",
    "stop_loss_type": "stop_loss_and_disable_bot",
    "min_profit_type": "total_bought_volume",
    "close_deals_timeout": 60,
}

VOLUME_TYPES = ["quote_currency", "base_currency", "percent"]
ACTIONS = ["stop_bot", "stop_bot_and_sell", "stop_bot_and_close_position"]
# The values that the API reference lists; for `scope`, the facts of the wire add one.
CHOICES: dict[str, list[str]] = {
    "accounts.networks_info.purpose": ["deposit", "withdraw"],
    "dca_bots.list.scope": ["enable", "disabled", "null", "enabled"],
    "dca_bots.list.strategy": ["long", "short"],
    "dca_bots.list.sort_by": ["created_at", "updated_at", "profit"],
    "dca_bots.list.order_direction": ["ASC", "DESC"],
    "dca_bots.edit.base_order_volume_type": VOLUME_TYPES,
    "dca_bots.edit.safety_order_volume_type": VOLUME_TYPES,
    "dca_bots.edit.take_profit_type": ["base", "total"],
    "dca_bots.edit.leverage_type": ["cross", "isolated"],
    "dca_bots.edit.profit_currency": ["quote_currency", "base_currency"],
    "dca_bots.edit.start_order_type": ["limit", "market"],
    "dca_bots.edit.stop_loss_type": ["stop_loss", "stop_loss_and_disable_bot"],
    "dca_bots.edit.min_profit_type": ["base_order_volume", "total_bought_volume"],
    "grid_bots.edit.grid_type": ["geometric", "arithmetic"],
    "grid_bots.edit.upper_stop_loss_action": ACTIONS,
    "grid_bots.edit.lower_stop_loss_action": ACTIONS,
    "grid_bots.edit.leverage_type": ["cross", "isolated"],
}
# The bounds of numbers and of lengths: the rule, the last values inside and the first ones outside.
PRICES = ("greater than -95 and lower than 1000", ["-94.999", "999.999"], ["-95", "1000"])
LENGTHS = ("1..300 characters", ["x", "🤖" * 300], ["", "🤖" * 301])
BOUNDS: dict[str, tuple[str, list[Any], list[Any]]] = {
    "accounts.leverage_data.page": ("at least 1", [1, 10**9], [0, -1]),
    "dca_bots.list.limit": ("1..100", [1, 100], [0, 101]),
    "dca_bots.list.offset": ("at least 0", [0, 10**9], [-1]),
    "dca_bots.list.account_id": ("at least 1", [1, 2_376_446_537], [0]),
    "dca_bots.edit.max_active_deals": ("1..199", [1], [0, 200]),
    "dca_bots.edit.martingale_volume_coefficient": ("0.1..10", ["0.1", "10"], ["0.0999", "10.0001"]),
    "dca_bots.edit.martingale_step_coefficient": ("0.1..10", ["0.1", "10"], ["0.0999", "10.0001"]),
    "dca_bots.edit.max_safety_orders": ("0..200", [0, 200], [-1, 201]),
    "dca_bots.edit.cooldown": ("0..2592000", ["0", "2592000"], ["-0.001", "2592000.001"]),
    "dca_bots.edit.reinvesting_percentage": ("0..100", ["0", "100"], ["-0.001", "100.001"]),
    "dca_bots.edit.min_price_percentage": PRICES,
    "dca_bots.edit.max_price_percentage": PRICES,
    "dca_bots.edit.close_deals_timeout": ("at least 60", [60], [59]),
    "dca_bots.edit.account_id": ("at least 1", [1, 2_376_446_537], [0]),
    "grid_bots.edit.note": LENGTHS,
    "grid_bots.set_note.note": LENGTHS,
}
# The options of the API reference's strategies.
STRATEGIES: dict[str, dict[str, Any] | None] = {
    "manual": None,
    "nonstop": {},
    "qfl": {"type": "original", "percent": 3},
    "trading_view": {"time": "4h", "type": "buy_or_strong_buy"},
    "rsi": {"time": "3m", "points": 30, "trigger_condition": "less", "time_period": 7},
}
# Botdesk's own bounds, which rule out values without a meaning; the API reference's table of limits lacks them.
NOT_LIMITS = {
    "accounts.leverage_data.page",
    "dca_bots.list.offset",
    "dca_bots.list.account_id",
    "dca_bots.edit.account_id",
}


def split(row: str) -> tuple[str, str]:
    """Split the name of a row into the operation and the input."""
    operation, _, wire = row.rpartition(".")
    return operation, wire


def value_of(wire: str, kind: str) -> Any:  # noqa: ANN401
    return VALUES.get(wire, OF_TYPE.get(kind))


def sent_of(request: Sent, wire: str) -> Any:  # noqa: ANN401
    """Return the value of a name in a request, from its query string or its body."""
    if request.body:
        return json.loads(request.body)[wire]
    (text,) = parse_qs(urlsplit(request.target).query, strict_parsing=True)[wire]
    return text


@pytest.fixture
def attempt(service: Service, service_client: botdesk.Client, bot_service: DcaBotService) -> Attempt:
    """Carry out an operation with some arguments, and give the request that it made."""

    def attempt(operation: str, named: dict[str, Any]) -> Sent:
        if operation == "dca_bots.edit":
            bot_service.bot(type="Bot::MultiBot").edit(**named)
        else:
            if operation in LISTS:
                service.respond = lambda _: "[]"
            given = {ARGUMENTS.get(name, name): value for name, value in named.items()}
            call(service_client, operation, record_id=41, **{**CHANGES.get(operation, {}), **given})
        return service.sent[-1]

    return attempt


def refused(attempt: Attempt, operation: str, named: dict[str, Any]) -> dict[str, list[str]]:
    with pytest.raises(botdesk.ValidationError) as caught:
        attempt(operation, named)
    return caught.value.errors


@pytest.mark.parametrize(
    ("operation", "wire", "kind"),
    [
        pytest.param(*row, marks=pytest.mark.shows(f"input {row[0]}.{row[1]}"), id=f"{row[0]}.{row[1]}")
        for row in INPUTS
    ],
)
def test_an_input_reaches_the_service_under_its_name(attempt: Attempt, operation: str, wire: str, kind: str) -> None:
    value = value_of(wire, kind)
    sent = sent_of(attempt(operation, {wire: value}), wire)
    # A query string has only strings; decimals of a grid bot are numbers.
    assert sent == value if type(sent) is type(value) else str(sent) == str(value).lower()


@pytest.mark.parametrize(
    ("operation", "wire"),
    [
        pytest.param(*row, marks=pytest.mark.shows(f"rule {row[0]}.{ARGUMENTS.get(row[1], row[1])}: required"))
        for row in REQUIRED
    ],
)
def test_a_required_input_cannot_be_none(attempt: Attempt, service: Service, operation: str, wire: str) -> None:
    assert set(refused(attempt, operation, {wire: None})) == {ARGUMENTS.get(wire, wire)}
    assert service.sent == []


@pytest.mark.parametrize(
    ("row", "choice"),
    [
        pytest.param(row, choice, marks=pytest.mark.shows(f"rule {row}: one of {', '.join(choices)}"))
        for row, choices in CHOICES.items()
        for choice in choices
    ],
)
def test_a_value_of_the_api_reference_is_sent(attempt: Attempt, row: str, choice: str) -> None:
    operation, wire = split(row)
    assert sent_of(attempt(operation, {wire: choice}), wire) == choice


@pytest.mark.parametrize(
    ("row", "choices"),
    [
        pytest.param(row, choices, marks=pytest.mark.shows(f"rule {row}: one of {', '.join(choices)}"))
        for row, choices in CHOICES.items()
    ],
)
def test_any_other_value_is_rejected_with_those_there_are(
    attempt: Attempt, service: Service, row: str, choices: list[str]
) -> None:
    operation, wire = split(row)
    ((field, (message,)),) = refused(attempt, operation, {wire: "brand_new"}).items()
    assert field == wire
    assert ", ".join(choices) in message
    assert service.sent == []


def bounds_of(row: str, rule: str) -> pytest.MarkDecorator:
    limit = [] if row in NOT_LIMITS else [f"limit {row}"]
    return pytest.mark.shows(f"rule {row}: {rule}", *limit)


@pytest.mark.parametrize(
    ("row", "value"),
    [
        pytest.param(row, value, marks=bounds_of(row, rule), id=f"{row}-{ascii(value)[:20]}")
        for row, (rule, inside, _) in BOUNDS.items()
        for value in inside
    ],
)
def test_a_value_at_its_bound_is_sent(attempt: Attempt, row: str, value: object) -> None:
    operation, wire = split(row)
    sent = sent_of(attempt(operation, {wire: value}), wire)
    assert sent == value or Decimal(sent) == Decimal(str(value))


@pytest.mark.parametrize(
    ("row", "value"),
    [
        pytest.param(row, value, marks=bounds_of(row, rule), id=f"{row}-{ascii(value)[:20]}")
        for row, (rule, _, outside) in BOUNDS.items()
        for value in outside
    ],
)
def test_a_value_past_its_bound_is_rejected(attempt: Attempt, service: Service, row: str, value: object) -> None:
    operation, wire = split(row)
    assert set(refused(attempt, operation, {wire: value})) == {wire}
    assert service.sent == []


@pytest.mark.shows("limit dca_bots.list.limit")
def test_the_default_of_a_page_is_left_to_the_service(attempt: Attempt) -> None:
    assert "limit" not in attempt("dca_bots.list", {}).target


@pytest.mark.shows("limit dca_bots.edit.max_active_deals")
def test_the_default_of_the_deals_is_left_to_the_service(bot_service: DcaBotService) -> None:
    bot_service.bot(without=("max_active_deals",)).edit(name="x")
    assert "max_active_deals" not in bot_service.body


@pytest.mark.shows("limit grid_bots.edit.grid_quantity", "contradiction grid_quantity and grids_quantity")
@pytest.mark.parametrize("levels", [1, 10**6])
def test_the_number_of_levels_is_not_limited_by_the_client(attempt: Attempt, levels: int) -> None:
    body = json.loads(attempt("grid_bots.edit", {"grids_quantity": levels}).body)
    assert (body["grid_quantity"], body["grids_quantity"]) == (levels, levels)


@pytest.mark.parametrize(
    ("code", "options"),
    [pytest.param(*shape, marks=pytest.mark.shows(f"strategy {shape[0]}")) for shape in STRATEGIES.items()],
)
@pytest.mark.parametrize("field", ["strategy_list", "close_strategy_list"])
def test_a_strategy_of_the_api_reference_reads_and_is_sent_as_it_is_written(
    bot_service: DcaBotService, field: str, code: str, options: dict[str, Any] | None
) -> None:
    strategy = {"strategy": code} if options is None else {"strategy": code, "options": options}
    bot_service.bot().edit(**{field: [strategy]})
    assert bot_service.body[field] == [strategy]
    (read,) = getattr(bot_service.bot(**{field: [strategy]}), field)
    assert (read.strategy, read.options) == (code, options)


@pytest.mark.shows("strategy manual")
@pytest.mark.parametrize("field", ["strategy_list", "close_strategy_list"])
def test_an_empty_strategy_list_means_manual_signals(bot_service: DcaBotService, field: str) -> None:
    bot_service.bot().edit(**{field: []})
    assert bot_service.body[field] == []
