"""Previews of SmartTrades: the plan is that of a hand calculation, and `apply()` sends the body shown, once."""

# pyright: reportArgumentType=false, reportUnknownMemberType=false, reportUnnecessaryTypeIgnoreComment=false

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import botdesk
from botdesk import Conditional, Limit, StopLoss, Trailing

if TYPE_CHECKING:
    from collections.abc import Iterator

ENTRY: dict[str, Any] = {"account_id": 1001, "pair": "USDT_ETH", "side": "buy", "units": "2", "order": Limit("2900")}


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Return a sandbox in which one ETH costs 3000 USDT, and whose account has enough of everything."""
    with botdesk.Sandbox(balances={"USDT": "100000", "ETH": "100"}) as sandbox:
        sandbox.set_price("USDT_ETH", "3000")
        yield sandbox


@pytest.fixture
def open_trade() -> Iterator[tuple[botdesk.Sandbox, botdesk.SmartTrade]]:
    """Return a sandbox and a SmartTrade whose entry is filled."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox, sandbox.client().smart_trades.get(301)


def writes(sandbox: botdesk.Sandbox) -> list[Any]:
    sent = [request for request in sandbox.requests if request.method in {"POST", "PATCH"}]
    return [json.loads(request.body) for request in sent if "/smart_trades" in request.path]


def numbers(*values: object) -> list[Decimal]:
    """Return values as decimals, which compare by number."""
    return [Decimal(str(value)) for value in values]


def test_a_preview_sends_nothing_and_apply_sends_its_body_once(sandbox: botdesk.Sandbox) -> None:
    targets = [("3100", 50), Trailing("3200", "1%")]
    preview = sandbox.client().smart_trades.preview_create(**ENTRY, take_profit=targets, stop_loss="2800", marker=True)
    assert writes(sandbox) == []
    assert preview.apply().pair == "USDT_ETH"
    assert writes(sandbox) == [preview.body]
    with pytest.raises(botdesk.ConfigurationError, match="used before"):
        preview.apply()
    assert len(writes(sandbox)) == 1


def test_the_plan_of_a_long_position_is_that_of_a_hand_calculation(sandbox: botdesk.Sandbox) -> None:
    plan = (
        sandbox.client()
        .smart_trades.preview_create(**ENTRY, take_profit=[("3100", 25), ("3200", 75)], stop_loss="2800")
        .plan
    )
    assert numbers(*plan.entry) == numbers(2900, 2, 5800, 5)
    assert [numbers(target.units, target.profit) for target in plan.targets] == [
        numbers("0.5", 100),
        numbers("1.5", 450),
    ]
    assert numbers(plan.risk, plan.reward, plan.ratio) == numbers(200, 550, "2.75")
    assert plan.break_even == 2900
    assert plan.risk_percent is not None
    assert plan.account_risk is not None
    assert round(plan.risk_percent, 20) == round(Decimal(20000) / 5800, 20)
    assert round(plan.account_risk * plan.available, 20) == 20000


def test_fees_move_the_break_even_and_the_profits(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().smart_trades.preview_create
    long = preview(**{**ENTRY, "order": "3000"}, take_profit="3300", fee="0.1%").plan
    assert long.targets[0].profit == Decimal("1.998") * 3300 * Decimal("0.999") - 6000
    assert long.break_even == Decimal("3006.01")
    short = preview(**{**ENTRY, "side": "sell", "order": "3000"}, take_profit="2700", fee="0.001").plan
    assert short.targets[0].profit == 6000 * Decimal("0.999") - 5400 * Decimal("1.001")
    assert short.break_even == Decimal("2994.00")


def test_random_plans_agree_with_fractions(sandbox: botdesk.Sandbox) -> None:
    client, random = sandbox.client(), Random(39)  # noqa: S311 - no secrets
    for _ in range(25):
        is_short = random.random() < 0.5
        units, entry = Fraction(random.randint(1, 900), 100), Fraction(random.randint(250_000, 350_000), 100)
        away = [entry * random.randint(2, 20) / 100 for _ in range(3)]
        share, fee = random.randint(1, 99), Fraction(random.randint(0, 9), 1000)
        sign = -1 if is_short else 1
        first, second, stop = (round(entry + sign * by, 2) for by in (away[0], away[1], -away[2]))
        plan = client.smart_trades.preview_create(
            account_id=1001,
            pair="USDT_ETH",
            side="sell" if is_short else "buy",
            units=text(units),
            order=text(entry),
            take_profit=[(text(first), share), text(second)],
            stop_loss=text(stop),
            fee=text(fee),
        ).plan
        lot = Fraction(1, 10**8)
        amount = units if is_short else units * (1 - fee)
        total = units * entry * (1 - fee) if is_short else units * entry
        whole = amount // lot * lot
        parts = [amount * share / 100 // lot * lot, amount * (100 - share) / 100 // lot * lot]
        parts[0] += whole - sum(parts)

        def gained(part: Fraction, price: Fraction) -> Fraction:
            cost = total * part / amount  # noqa: B023 - called in the same turn
            return cost - part * price * (1 + fee) if is_short else part * price * (1 - fee) - cost  # noqa: B023

        expected = [gained(parts[0], first), gained(parts[1], second)]
        for target, profit in zip(plan.targets, expected, strict=True):
            assert abs(Fraction(target.profit) - profit) < Fraction(1, 10**40)
        assert plan.risk is not None
        assert abs(Fraction(plan.risk) + gained(whole, stop)) < Fraction(1, 10**40)


def text(number: Fraction) -> str:
    return format(Decimal(number.numerator) / Decimal(number.denominator), "f")


def test_what_speaks_against_a_smart_trade_is_a_warning_that_names_the_argument(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().smart_trades.preview_create
    fine = {"take_profit": "3100", "stop_loss": "2800"}
    for changes, start, words in (
        ({}, "", ""),
        ({"take_profit": [("2800", 50), ("3100", 50)]}, "take_profit[0]", "below the entry"),
        ({"take_profit": [("3100", 50), ("3200", 40)]}, "take_profit", "add up to 90"),
        ({"take_profit": "2900.01", "fee": "0.1%"}, "take_profit[0]", "does not cover the costs"),
        ({"stop_loss": "2950"}, "stop_loss", "fire at once"),
        ({"order": "market", "stop_loss": "3050"}, "stop_loss", "fire at once"),
        ({"order": "3100", "take_profit": "3200"}, "order", "fills at once"),
        ({"units": "0.001"}, "units", "below the minimum"),
        ({"units": "1000"}, "units", "are needed"),
        ({"units": "1.0000000001"}, "units", "rounded down to the lot"),
        ({"leverage": {"enabled": True, "type": "isolated", "value": 5}}, "leverage", "ignores it"),
        ({"side": "sell", "take_profit": "3000", "stop_loss": "3100"}, "take_profit[0]", "above the entry"),
        ({"side": "sell", "take_profit": "2700", "stop_loss": "2800"}, "stop_loss", "fire at once"),
        ({"skip_enter_step": True, "order": "market", "stop_loss": "3100"}, "stop_loss", "fire at once"),
    ):
        warnings = preview(**{**ENTRY, **fine, **changes}).warnings
        if start:
            assert [each for each in warnings if each.startswith(f"{start}:") and words in each], (changes, warnings)
        else:
            assert warnings == []


def test_leverage_needs_less_of_the_balance_and_may_be_liquidated_before_the_stop() -> None:
    with botdesk.Sandbox(bots=0, balances={"USDT": "2500"}) as sandbox:
        client = sandbox.client()
        account = next(each for each in client.accounts.list() if each.market_code == "demo_futures")
        preview = client.smart_trades.preview_create
        sandbox.set_price("USDT_ETH", "3000")
        settings = {**ENTRY, "account_id": account.id, "units": "1", "order": "3000"}
        for leverage, stop, names in ((5, "2500", []), (5, "2300", ["stop_loss"]), (1, "2300", ["units"])):
            given = {"enabled": True, "type": "isolated", "value": leverage}
            warnings = preview(**settings, leverage=given, stop_loss=stop).warnings
            assert [warning.partition(":")[0] for warning in warnings if "fills at once" not in warning] == names


def test_shares_that_do_not_add_up_are_shown_but_never_sent(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().smart_trades.preview_create(**ENTRY, take_profit=[("3100", 50), ("3200", 40)])
    assert "add up to 90" in str(preview)
    with pytest.raises(botdesk.ValidationError, match="take_profit"):
        preview.apply()
    assert writes(sandbox) == []


def test_a_request_that_breaks_a_rule_is_refused_before_anything_is_read(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().smart_trades.preview_create
    for changes, name in (
        ({"take_profit": [("3100", 150), ("3200", -50)]}, "take_profit[1].share"),
        ({"stop_loss": StopLoss("2800", timeout=0)}, "stop_loss.timeout"),
        ({"instant": True, "take_profit": "3100"}, "take_profit"),
        ({"account_id": None}, "account_id"),
        ({"fee": "1"}, "fee"),
        ({"size_for_risk": "1%"}, "size_for_risk"),
        ({"units": None, "size_for_risk": 0.5, "stop_loss": "2800"}, "size_for_risk"),
    ):
        with pytest.raises(botdesk.ValidationError) as caught:
            preview(**{**ENTRY, **changes})
        assert name in caught.value.errors
    assert sandbox.requests == []


def test_units_are_sized_for_a_loss_at_the_stop(sandbox: botdesk.Sandbox) -> None:
    sized: dict[str, Any] = {**ENTRY, "units": None, "size_for_risk": "1%"}
    preview = sandbox.client().smart_trades.preview_create
    for changes in ({"stop_loss": "2800"}, {"side": "sell", "stop_loss": "3000", "fee": "0.1%"}):
        shown = preview(**{**sized, **changes})
        assert shown.plan.account_risk is not None
        # The quantity is rounded down to the lot, 0.00000001 ETH.
        assert Decimal("0.99999") < shown.plan.account_risk <= 1
        assert Decimal(shown.body["position"]["units"]["value"]) == shown.plan.entry.units
    for changes, name in (({}, "size_for_risk"), ({"stop_loss": "3000"}, "stop_loss")):
        with pytest.raises(botdesk.ValidationError) as caught:
            preview(**{**sized, **changes})
        assert list(caught.value.errors) == [name]


def test_conditional_and_trailing_prices_are_planned_at_what_they_get_at_worst(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().smart_trades.preview_create
    plan = preview(**{**ENTRY, "order": Conditional("3100")}, take_profit=[Trailing("3400", "10%")]).plan
    assert numbers(plan.entry.price, plan.targets[0].price, plan.targets[0].exit) == numbers(3100, 3400, 3060)
    plan = preview(
        **{**ENTRY, "order": Conditional("3100", limit="3090")}, stop_loss=StopLoss("2900", limit="2890")
    ).plan
    assert plan.stop is not None
    assert numbers(plan.entry.price, plan.stop.price, plan.stop.exit, plan.risk) == numbers(3090, 2900, 2890, 400)


def test_a_trigger_that_the_price_has_passed_is_planned_at_the_price_now(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().smart_trades.preview_create
    for side, trigger, now in (("buy", "2500", "3000.01"), ("sell", "3500", "2999.99")):
        shown = preview(**{**ENTRY, "side": side, "order": Conditional(trigger)})
        assert shown.plan.entry.price == Decimal(now)
        assert shown.warnings == [
            f"order: the price, {now}, has passed the trigger, {trigger}: it is triggered at once"
        ]
    sized = preview(**{**ENTRY, "units": None, "order": Conditional("2500")}, stop_loss="2400", size_for_risk="1%")
    assert sized.plan.account_risk is not None
    trade = sized.apply()
    sandbox.move_price("USDT_ETH", "2390")
    profit = trade.refresh().profit
    assert profit is not None
    assert profit.volume is not None
    # The fee of the sandbox, and the price beyond the stop loss.
    assert -profit.volume < sized.plan.available * Decimal("0.0105")


def test_an_entry_that_follows_the_price_already_is_not_triggered_again(sandbox: botdesk.Sandbox) -> None:
    entry = Conditional("3010", trailing="5%")
    trade = sandbox.client().smart_trades.create(**{**ENTRY, "order": entry}, take_profit="4000").refresh()
    sandbox.move_price("USDT_ETH", "3020")
    assert trade.refresh().preview_edit(take_profit="3900").warnings == []


def test_a_trailing_entry_is_planned_at_its_worst_price(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().smart_trades.preview_create
    long = preview(**{**ENTRY, "order": Conditional("3100", trailing="2%")}, stop_loss="3000").plan
    assert numbers(long.entry.price, long.risk) == numbers(3162, 324)
    short = preview(**{**ENTRY, "side": "sell", "order": Conditional("2900", trailing="2%")}, stop_loss="3000").plan
    assert numbers(short.entry.price, short.risk) == numbers(2842, 316)


def test_a_stop_loss_whose_limit_is_better_than_its_trigger_limits_no_loss(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().smart_trades.preview_create
    for side, stop, limit in (("buy", "2800", "2880"), ("sell", "3200", "3020")):
        given = {**ENTRY, "side": side, "order": "3000", "stop_loss": StopLoss(stop, limit=limit)}
        shown = preview(**given)
        assert shown.plan.risk == 400
        assert f"stop_loss: the limit, {limit}, is better than the trigger, {stop}" in shown.warnings[-1]
        with pytest.raises(botdesk.ValidationError, match="may never fill, and size_for_risk can't limit the loss"):
            preview(**{**given, "units": None}, size_for_risk="1%")


def test_a_distance_in_percent_is_measured_from_the_average_with_the_fee() -> None:
    targets = [("2%", 50), ("5%", 50)]
    with botdesk.Sandbox(bots=0, fee="0.006", balances={"USDT": "10000", "ETH": "10"}) as sandbox:
        sandbox.set_price("USDT_ETH", "3000")
        client = sandbox.client()
        for side, price in (("buy", "2900"), ("sell", "3100")):
            given = {**ENTRY, "side": side, "order": price, "take_profit": targets}
            preview = client.smart_trades.preview_create(**given, fee="0.006")
            trade = preview.apply()
            sandbox.move_price("USDT_ETH", price)
            trade = trade.refresh()
            assert trade.take_profit is not None
            assert trade.take_profit.steps is not None
            prices = [step.price.value for step in trade.take_profit.steps if step.price is not None]
            assert [target.price for target in preview.plan.targets] == prices


def test_a_target_that_the_price_has_reached_is_a_warning_of_an_edit(sandbox: botdesk.Sandbox) -> None:
    trade = sandbox.client().smart_trades.create(**{**ENTRY, "order": "market"}).refresh()
    sandbox.move_price("USDT_ETH", "3300")
    preview = trade.preview_edit(take_profit=["3200", "3400"])
    assert preview.warnings == ["take_profit[0]: the price, 3299.99, has reached 3200: it is reached at once"]


@pytest.mark.parametrize(
    ("entry", "other", "words"),
    [
        (Limit("2900"), Conditional("3100", limit="3110"), "type limit, which can't become conditional"),
        (Limit("2900"), Conditional("3100"), "type limit, which can't become conditional"),
        (Conditional("3100"), Limit("2900"), "type conditional, which can't become limit"),
    ],
)
def test_the_type_of_an_entry_that_waits_cant_be_edited(
    sandbox: botdesk.Sandbox, entry: Limit | Conditional, other: Limit | Conditional, words: str
) -> None:
    trades = sandbox.client().smart_trades
    trade = trades.create(**{**ENTRY, "order": entry}).refresh()
    id_ = trade.id or 0
    for edit in (
        lambda: trade.edit(order=other),
        lambda: asyncio.run(trade.edit_async(order=other)),
        lambda: trade.preview_edit(order=other),
        lambda: trades.edit(id_, order=other),
        lambda: asyncio.run(trades.edit_async(id_, order=other)),
        lambda: trades.preview_edit(id_, order=other),
    ):
        with pytest.raises(botdesk.ValidationError, match=words):
            edit()
    assert len(writes(sandbox)) == 1


def test_the_entry_of_a_smart_trade_that_is_known_by_its_id_is_read_before_it_is_edited(
    sandbox: botdesk.Sandbox,
) -> None:
    trades = sandbox.client().smart_trades
    id_ = trades.create(**{**ENTRY, "order": Conditional("3100", limit="3110")}).id or 0
    before = len(sandbox.requests)
    edited = trades.edit(id_, order=Conditional("3200", limit="3210"))
    assert [request.method for request in list(sandbox.requests)[before:]] == ["GET", "PATCH"]
    assert edited.position is not None
    assert edited.position.price is not None
    assert edited.position.price.value == 3210
    before = len(sandbox.requests)
    trades.edit(id_, stop_loss="2900")
    assert len(sandbox.requests) == before + 1


def test_an_edit_is_planned_from_the_position_that_is_filled(
    open_trade: tuple[botdesk.Sandbox, botdesk.SmartTrade],
) -> None:
    sandbox, trade = open_trade
    assert trade.data is not None
    held = (trade.data.entered_amount, trade.data.entered_total)
    assert held == (Decimal("1.24875"), Decimal("4405.25"))
    by_record = trade.preview_edit(stop_loss="2000", fee="0")
    by_id = sandbox.client().smart_trades.preview_edit(301, stop_loss="2000", fee="0")
    for preview in (by_record, by_id):
        assert (preview.plan.entry.units, preview.plan.entry.total) == held
        assert preview.plan.risk == Decimal("4405.25") - Decimal("1.24875") * 2000
        assert len(preview.plan.targets) == 3
        assert preview.warnings == []
    assert writes(sandbox) == []
    by_id.apply()
    assert writes(sandbox) == [by_id.body]


def test_an_edit_of_an_entry_that_is_filled_is_a_warning(
    open_trade: tuple[botdesk.Sandbox, botdesk.SmartTrade],
) -> None:
    _, trade = open_trade
    preview = trade.preview_edit(units="9", fee="0")
    assert preview.warnings == ["units: the entry is filled, so the service does not change it"]
    assert preview.plan.entry.units == Decimal("1.24875")


def test_an_edit_of_an_entry_that_waits_is_planned_with_its_new_price(sandbox: botdesk.Sandbox) -> None:
    trade = sandbox.client().smart_trades.create(**ENTRY, take_profit="3100", stop_loss="2800").refresh()
    plan = trade.preview_edit(order="2800", units="1", stop_loss="2700", fee="0").plan
    assert numbers(plan.entry.price, plan.entry.units, plan.risk, len(plan.targets)) == numbers(2800, 1, 100, 1)
    # Without a fee, that of the record.
    assert trade.preview_edit(stop_loss="2700").plan.fee == Decimal("0.001")


def test_an_edit_is_not_applied_if_someone_changed_the_smart_trade(
    open_trade: tuple[botdesk.Sandbox, botdesk.SmartTrade],
) -> None:
    sandbox, trade = open_trade
    preview, forced = trade.preview_edit(stop_loss="2000"), trade.preview_edit(stop_loss="2000")
    trade.edit(stop_loss="2100")
    with pytest.raises(botdesk.EditConflictError) as caught:
        preview.apply()
    assert list(caught.value.fields) == ["stop_loss"]
    assert len(writes(sandbox)) == 1
    forced.apply(force=True)
    assert writes(sandbox)[-1] == forced.body


def test_an_edit_is_not_applied_if_the_position_was_closed(
    open_trade: tuple[botdesk.Sandbox, botdesk.SmartTrade],
) -> None:
    sandbox, trade = open_trade
    preview = trade.preview_edit(take_profit="9000")
    sandbox.set_price("USDT_ETH", "3000")
    with pytest.raises(botdesk.EditConflictError, match=r"data\.closed_amount"):
        preview.apply()
    assert writes(sandbox) == []
    assert "can't be edited" in trade.preview_edit(take_profit="9000").warnings[0]


def test_the_asynchronous_versions_show_and_send_the_same(sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    shown = client.smart_trades.preview_create(**ENTRY, stop_loss="2800")

    async def main() -> None:
        preview = await client.smart_trades.preview_create_async(**ENTRY, stop_loss="2800")
        assert (preview.body, preview.plan) == (shown.body, shown.plan)
        trade = await preview.apply_async()
        edit = await trade.preview_edit_async(stop_loss="2700")
        await edit.apply_async()
        assert writes(sandbox) == [preview.body, edit.body]

    asyncio.run(main())


def test_a_preview_shows_orders_risk_and_warnings_as_text_and_in_notebooks(sandbox: botdesk.Sandbox) -> None:
    preview = sandbox.client().smart_trades.preview_create(**ENTRY, take_profit="3100", stop_loss="2950")
    for shown in (str(preview), repr(preview), preview._repr_html_()):
        for words in ("target 1", "stop loss", "break even at 2900", "fire at once"):
            assert words in shown


def test_a_plan_is_drawn_with_each_price(sandbox: botdesk.Sandbox) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    preview = sandbox.client().smart_trades.preview_create(**ENTRY, take_profit=["3100", "3200"], stop_loss="2800")
    named = preview.plot().get_legend_handles_labels()[1]
    assert named == ["entry 2900", "target 1 3100", "target 2 3200", "stop loss 2800"]
