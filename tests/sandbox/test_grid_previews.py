"""Grid bots before they are created and started: what they would be, and what they would do first."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox(bots=0) as sandbox:
        yield sandbox


def new(**changes: object) -> Any:  # noqa: ANN401
    """Return the inputs of a new bot."""
    return {
        "account_id": 1001,
        "pair": "USDT_ETH",
        "name": "Night",
        "lower_price": 3000,
        "upper_price": 3800,
        "grids_quantity": 9,
        "quantity_per_grid": 50,
        "order_currency_type": "quote",
    } | changes


def writes(sandbox: botdesk.Sandbox) -> list[tuple[str, str]]:
    """Return the writes to grid bots that the sandbox has received. Some reads of accounts use POST."""
    sent = [(request.method, request.path) for request in sandbox.requests if "/grid_bots" in request.path]
    return [(method, path) for method, path in sent if method != "GET"]


def test_a_preview_writes_nothing_and_creates_the_bot_once_with_its_body(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    preview = client.grid_bots.preview_create(**new())
    assert writes(sandbox) == []
    assert "nothing is sent until apply()" in repr(preview)
    bot: Any = preview.apply()
    assert json.loads(sandbox.requests[-1].body, parse_float=Decimal) == preview.body
    assert (bot.name, bot.is_enabled, len(writes(sandbox))) == ("Night", False, 1)
    with pytest.raises(botdesk.ConfigurationError, match="created once"):
        preview.apply()
    with pytest.raises(botdesk.ConfigurationError, match="created once"):
        asyncio.run(preview.apply_async())
    assert len(writes(sandbox)) == 1


def test_what_is_sent_does_not_change_with_the_arguments(client: botdesk.Client) -> None:
    settings = new()
    preview = client.grid_bots.preview_create(**settings)
    settings["quantity_per_grid"] = 9000
    preview.body["quantity_per_grid"] = 9000
    assert preview.apply().quantity_per_grid == Decimal(50)


def test_the_lines_and_the_budget_are_those_of_the_bot_that_is_created(client: botdesk.Client) -> None:
    preview = client.grid_bots.preview_create(**new())
    grid: Any = preview.grid
    bot: Any = preview.apply()
    assert [(level.price, level.side) for level in grid] == [(line.price, line.side) for line in bot.grid_lines]
    required: Any = bot.required_balances()
    amounts = (required.required_balance.base, required.required_balance.quote)
    assert preview.budget == {amount.currency: amount.quantity for amount in amounts}
    assert preview.missing["ETH"] == required.missing_balance.base.quantity
    assert preview.balancing is not None
    assert (preview.balancing.side, preview.balancing.quantity) == ("buy", required.necessary_quantities.quantity)
    assert preview.warnings == []


def test_the_async_preview_is_the_same(client: botdesk.Client) -> None:
    async def preview() -> str:
        return str(await client.grid_bots.preview_create_async(**new()))

    assert asyncio.run(preview()) == str(client.grid_bots.preview_create(**new()))


def test_a_preview_reports_broken_rules_before_anything_is_sent(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    before = len(sandbox.requests)
    with pytest.raises(botdesk.ValidationError) as caught:
        client.grid_bots.preview_create(**new(lower_price=3800, upper_price=3000, expansion_up_enabled=True))
    assert set(caught.value.errors) == {"upper_price", "expansion_up_stop_price"}
    assert len(sandbox.requests) == before


def test_what_speaks_against_a_bot_is_a_warning(client: botdesk.Client) -> None:
    expected: list[tuple[dict[str, object], str]] = [
        ({"quantity_per_grid": 4}, "the order at 3500.00 is worth 3.999975 USDT, below the minimum, 5"),
        (
            {"quantity_per_grid": "0.001", "order_currency_type": "base"},
            "the order at 3000.00 is worth 3 USDT, below the minimum, 5",
        ),
        ({"upper_price": 3000.09, "grids_quantity": 100}, "the tick is so large that levels have the same price"),
        ({"upper_price": 3400}, "the price is above the grid"),
        (
            {"lower_stop_loss_enabled": True, "lower_stop_loss_price": 3100},
            "lower_stop_loss_price: 3100 is not below lower_price, 3000",
        ),
        (
            {"upper_price": 3400, "upper_stop_loss_enabled": True, "upper_stop_loss_price": 3500},
            "upper_stop_loss_price: the price, 3506.67, is there already",
        ),
        (
            {"expansion_up_enabled": True, "expansion_up_stop_price": 3700},
            "expansion_up_stop_price: 3700 is not above upper_price, 3800",
        ),
        ({"mode": "short"}, "mode: a bot on a spot account has no direction"),
        (
            {"lower_stop_loss_action": "stop_bot_and_close_position"},
            "lower_stop_loss_action: stop_bot_and_close_position is for futures accounts",
        ),
        ({"quantity_per_grid": 900}, "ETH and 972.61908547 USDT is missing"),
    ]
    for changes, warning in expected:
        preview = client.grid_bots.preview_create(**new(**changes))
        assert any(warning in given for given in preview.warnings), (changes, preview.warnings)
        assert f"! {preview.warnings[0]}" in str(preview)


def test_on_a_futures_account_the_budget_is_the_margin(client: botdesk.Client) -> None:
    settings = new(account_id=1002, leverage_type="isolated", leverage_custom_value=5)
    whole = client.grid_bots.preview_create(**new()).budget
    price = client.grid_bots.preview_create(**settings).price
    assert price is not None
    for mode, side in [("long", "buy"), ("short", "sell"), ("reversal", None)]:
        preview = client.grid_bots.preview_create(**settings | {"mode": mode})
        assert list(preview.budget) == ["USDT"]
        assert side == (preview.balancing and preview.balancing.side)
        assert preview.warnings == []
    long = client.grid_bots.preview_create(**settings | {"mode": "long"})
    assert long.budget["USDT"] == (whole["USDT"] + whole["ETH"] * price) / 5
    unknown = client.grid_bots.preview_create(**new(account_id=1002))
    assert any("margin without leverage" in warning for warning in unknown.warnings)


def test_a_preview_is_drawn_and_shown_in_a_notebook(client: botdesk.Client) -> None:
    pytest.importorskip("matplotlib")
    preview = client.grid_bots.preview_create(**new(name="<b>"))
    assert preview.plot().get_title("left").startswith("Grid of 9 levels")
    html = preview._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>“" not in html


def test_a_bot_with_the_settings_of_another_one_differs_in_the_changes(client: botdesk.Client) -> None:
    for source, account in [(203, 1001), (204, 1002)]:
        bot: Any = client.grid_bots.get(source)
        twin: Any = bot.create_like(name="Twin", quantity_per_grid=200)
        same = ["pair", "lower_price", "upper_price", "grids_quantity", "grid_type", "order_currency_type", "mode"]
        same += ["lower_stop_loss_price", "lower_stop_loss_action", "leverage_type"]
        same += ["expansion_down_stop_price", "max_active_buy_lines"]
        assert [getattr(twin, field) for field in same] == [getattr(bot, field) for field in same]
        leverage = bot.leverage_custom_value if bot.leverage_type != "not_specified" else None
        assert twin.leverage_custom_value == leverage
        assert (twin.name, twin.account_id, twin.quantity_per_grid) == ("Twin", account, 200)
        assert (twin.is_enabled, twin.total_profits_count) == (False, 0)


def test_a_twin_with_other_levels_has_as_many_active_lines(client: botdesk.Client) -> None:
    bot: Any = client.grid_bots.create(**new())
    twin: Any = asyncio.run(bot.create_like_async(name="Twin", grids_quantity=5))
    assert (twin.grids_quantity, twin.max_active_buy_lines) == (5, 5)


def test_a_start_says_what_it_buys_first_and_writes_nothing(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    preview = client.grid_bots.preview_enable(203)
    assert writes(sandbox) == []
    assert (preview.state, preview.source, preview.is_funded) == ("stopped", "service", True)
    assert preview.missing["ETH"] > 0
    assert preview.balancing is not None
    assert (preview.balancing.side, preview.balancing.currency) == ("buy", "ETH")
    assert preview.balancing.quantity == preview.missing["ETH"]
    assert f"first: {preview.balancing}" in repr(preview)
    assert preview.apply().is_enabled
    with pytest.raises(botdesk.ConfigurationError, match="preview the start again"):
        preview.apply()
    assert len(writes(sandbox)) == 1


def test_a_bot_without_sides_is_told_as_a_state_and_planned(client: botdesk.Client) -> None:
    client.grid_bots.disable(201)
    preview = client.grid_bots.get(201).preview_enable()
    assert (preview.state, preview.source) == ("stopped", "plan")
    assert "its lines have no side until it starts" in str(preview)
    started: Any = preview.apply()
    balancing: Any = client.grid_bots.orders(201).balancing_orders
    assert preview.balancing is not None
    assert preview.balancing.quantity == balancing[0].quantity
    assert started.investment_quote_currency == preview.required["USDT"]


def test_a_start_on_a_futures_account_is_planned(client: botdesk.Client) -> None:
    client.grid_bots.disable(204)
    preview = asyncio.run(client.grid_bots.preview_enable_async(204))
    assert (preview.source, list(preview.required), preview.is_funded) == ("plan", ["USDT"], True)
    assert preview.balancing is not None
    assert (preview.balancing.side, preview.balancing.currency) == ("buy", "BTC")


def test_a_bot_that_runs_and_one_that_never_started_are_told_apart(client: botdesk.Client) -> None:
    running = client.grid_bots.preview_enable(201)
    assert (running.state, running.required, running.balancing) == ("running", {}, None)
    assert running.warnings == ["the bot is running: enabling it changes nothing"]
    created = client.grid_bots.create(**new())
    assert created.preview_enable().state == "never started"


def test_funds_that_do_not_suffice_are_named_with_their_currency() -> None:
    with botdesk.Sandbox(bots=0, balances={"USDT": "100"}) as sandbox:
        client = sandbox.client()
        preview = client.grid_bots.preview_create(**new())
        assert preview.missing == preview.budget
        missing = f"{preview.missing['ETH']} ETH and 250 USDT is missing"
        assert any(missing in warning for warning in preview.warnings)
        start = preview.apply().preview_enable()
        assert (start.is_funded, start.balancing, start.missing) == (False, None, preview.missing)
        assert any(missing in warning for warning in start.warnings)


@pytest.mark.parametrize("awaited", [False, True])
def test_a_bot_that_was_edited_meanwhile_is_not_started(
    sandbox: botdesk.Sandbox, client: botdesk.Client, *, awaited: bool
) -> None:
    preview = client.grid_bots.preview_enable(203)
    client.grid_bots.set_note(203, "no setting")
    client.grid_bots.edit(203, quantity_per_grid=900)
    before = len(writes(sandbox))
    with pytest.raises(botdesk.EditConflictError, match="quantity_per_grid; nothing was sent") as caught:
        asyncio.run(preview.apply_async()) if awaited else preview.apply()
    assert caught.value.fields == {"quantity_per_grid": (preview.bot.quantity_per_grid, 900)}
    assert len(writes(sandbox)) == before


def test_an_error_that_is_no_state_is_raised(client: botdesk.Client) -> None:
    with pytest.raises(botdesk.NotFoundError):
        client.grid_bots.preview_enable(999)


def test_what_was_tried_is_created(client: botdesk.Client) -> None:
    candles = botdesk.Candles([[0, 3500, 3600, 3400, 3500], [60000, 3500, 3550, 3450, 3500]])
    edit = client.grid_bots.get(203).preview_edit(
        grids_quantity=11, quantity_per_grid="45.5", trailing_down_enabled=True, grid_type="geometric"
    )
    tried = edit.backtest(candles).after
    bot: Any = client.grid_bots.create_from(tried, account_id=1001, name="Tried", note="From a backtest")
    assert (bot.name, bot.account_id, bot.pair, bot.note) == ("Tried", 1001, "USDT_ETH", "From a backtest")
    assert (bot.grids_quantity, bot.quantity_per_grid, bot.grid_type) == (11, Decimal("45.5"), "geometric")
    assert bot.backtest(candles).summary == tried.summary
    again = asyncio.run(client.grid_bots.create_from_async(tried, account_id=1001, name="Again"))
    assert (again.name, again.grids_quantity) == ("Again", 11)


def test_what_the_service_does_not_return_is_created_as_well(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    candles = botdesk.Candles([[0, 3500, 3600, 3400, 3500], [60000, 3500, 3550, 3450, 3500]])
    bot = client.grid_bots.get(203)
    tried = bot.preview_edit(
        trailing_down_enabled=True, expansion_up_enabled=True, expansion_up_stop_price=4500
    ).backtest(candles)
    client.grid_bots.create_from(tried.after, account_id=1001, name="Tried")
    sent = json.loads(sandbox.requests[-1].body)
    assert (sent["trailing_down_enabled"], sent["expansion_up_enabled"]) == (True, True)
    assert Decimal(str(sent["expansion_up_stop_price"])) == 4500


def test_the_best_point_of_a_sweep_becomes_a_bot(client: botdesk.Client) -> None:
    candles = botdesk.Candles([[0, 3500, 3600, 3400, 3500], [60000, 3500, 3550, 3450, 3500]])
    point = botdesk.sweep(client.grid_bots.get(203), candles, {"grids_quantity": [5, 9]})[1]
    bot = client.grid_bots.create_from(point.backtest(), account_id=1001, name="Best")
    assert bot.grids_quantity == point.parameters["grids_quantity"]


def test_a_dca_bot_is_not_created_as_a_grid() -> None:
    settings: Any = {"base_order_volume": 100, "max_safety_orders": 0, "take_profit": 2}
    tried = botdesk.backtest({"USDT_ETH": botdesk.Candles([[0, 100, 103, 99, 101]])}, **settings)
    with botdesk.Sandbox(bots=0) as sandbox, pytest.raises(botdesk.ConfigurationError, match="no settings of a grid"):
        sandbox.client().grid_bots.create_from(tried, account_id=1001, name="DCA")
