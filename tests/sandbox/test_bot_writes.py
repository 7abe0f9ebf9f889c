"""What the writes of DCA bots do in the sandbox: enable, start, close, copy, delete, blacklist."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

import botdesk
from botdesk._text import rounded_amounts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

T = TypeVar("T")


def value(found: T | None) -> T:
    """Return a field that a record has."""
    assert found is not None
    return found


@pytest.fixture
def sandbox() -> Iterator[botdesk.Sandbox]:
    """Run a sandbox with some bots."""
    with botdesk.Sandbox() as sandbox:
        yield sandbox


def test_an_enabled_bot_opens_a_deal_at_the_next_price(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot = client.dca_bots.enable(48)
    assert (bot.is_enabled, bot.active_deals_count) == (True, 0)
    sandbox.set_price("USDC_AVAX", "35")
    assert bot.refresh().active_deals_count == 1


def test_closed_deals_are_pending_first_and_then_sold(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    before = client.dca_bots.get(41)
    bot = client.dca_bots.close_all_deals(41)
    (deal,) = value(bot.active_deals)
    assert (bot.is_enabled, bot.deletable, deal.status) == (False, False, "panic_sell_pending")
    sandbox.clock.advance(seconds=2)
    sold = client.deals.get(value(deal.id))
    assert (sold.status, sold.localized_status, sold.finished) == ("panic_sold", "Closed at Market Price", True)
    assert sold.sold_amount == value(sold.bought_amount) > 0
    assert any("Closed at market price" in str(event.message) for event in value(sold.bot_events))
    bot = bot.refresh()
    assert bot.deletable
    assert bot.finished_deals_count == value(before.finished_deals_count) + 1


def test_a_pending_close_is_sold_at_the_next_price(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    (deal,) = value(client.dca_bots.close_all_deals(41).active_deals)
    price = value(deal.current_price) * 2
    sandbox.set_price("USDT_ETH", price)
    sold = client.deals.get(value(deal.id))
    assert sold.status == "panic_sold"
    # The commission is in the price.
    assert price * Decimal("0.99") < value(sold.sold_average_price) < price


def test_a_pending_close_survives_a_state_file(
    sandbox: botdesk.Sandbox, client: botdesk.Client, tmp_path: Path
) -> None:
    (deal,) = value(client.dca_bots.close_all_deals(41).active_deals)
    sandbox.dump(tmp_path / "state.json")
    with botdesk.Sandbox(state=tmp_path / "state.json") as loaded:
        loaded.clock.advance(seconds=2)
        assert loaded.client().deals.get(value(deal.id)).status == "panic_sold"


def test_a_bot_with_open_deals_is_not_deleted(client: botdesk.Client) -> None:
    with pytest.raises(botdesk.ForbiddenError):
        client.dca_bots.delete(41)
    assert client.dca_bots.get(41).active_deals_count == 1


def test_a_deleted_bot_is_gone_and_its_id_is_not_used_again(client: botdesk.Client) -> None:
    secret = client.dca_bots.get(41).url_secret
    copy = client.dca_bots.copy(41, name="Copy", secret=secret, amount=100)
    client.dca_bots.delete(value(copy.bot_id))
    with pytest.raises(botdesk.NotFoundError):
        client.dca_bots.get(value(copy.bot_id))
    another = client.dca_bots.copy(41, name="Copy", secret=secret, amount=100)
    assert value(another.bot_id) > value(copy.bot_id)


def test_many_bots_are_deleted_each_with_its_outcome(client: botdesk.Client) -> None:
    result = client.dca_bots.delete_many([48, 41])
    assert [(item.id, item.status) for item in result] == [(48, "done"), (41, "failed")]


def test_a_copy_has_the_settings_and_neither_deals_nor_profits(client: botdesk.Client) -> None:
    bot = client.dca_bots.get(41)
    result = client.dca_bots.copy(41, name="Twin", secret=bot.url_secret, amount=100)
    twin = client.dca_bots.get(value(result.bot_id))
    assert (twin.name, twin.pairs, twin.base_order_volume) == ("Twin", bot.pairs, bot.base_order_volume)
    assert (twin.is_enabled, twin.active_deals, twin.finished_deals_count) == (False, [], 0)
    assert twin.url_secret != bot.url_secret
    assert value(result.bot_required_amount) > value(bot.base_order_volume)


def test_a_started_deal_is_open_and_bought_afterwards(client: botdesk.Client) -> None:
    deal = client.dca_bots.start_deal(42, pair="USDC_AVAX")
    assert (deal.bot_id, deal.pair, deal.status) == (42, "USDC_AVAX", "base_order_placed")
    assert client.deals.get(value(deal.id)).status == "bought"
    assert deal.id in [each.id for each in value(client.dca_bots.get(42).active_deals)]


@pytest.mark.parametrize(
    ("bot_id", "arguments", "status", "message"),
    [
        (99, {}, 404, "not_found"),
        (42, {}, 400, "pair"),
        (42, {"pair": "USDT_BTC"}, 400, "not a pair of the bot"),
        (48, {}, 422, "disabled"),
        (41, {}, 500, "OpenDealPresentForThisPair"),
    ],
)
def test_a_deal_that_may_not_start_is_refused(
    client: botdesk.Client, bot_id: int, arguments: dict[str, Any], status: int, message: str
) -> None:
    with pytest.raises(botdesk.BotdeskError, match=message) as caught:
        client.dca_bots.start_deal(bot_id, **arguments)
    assert getattr(caught.value, "status", None) == status


def test_a_disabled_bot_is_enabled_only_if_the_caller_says_so(client: botdesk.Client) -> None:
    client.dca_bots.start_deal(48, only_for_enabled=False)
    assert client.dca_bots.get(48).is_enabled


def test_a_pair_of_the_blacklist_gets_no_deal(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    client.dca_bots.add_to_blacklist("USDC_BTC")
    assert client.dca_bots.add_to_blacklist(["USDC_AVAX", "USDC_BTC"]).pairs == ["USDC_BTC", "USDC_AVAX"]
    assert client.dca_bots.blacklist().pairs == ["USDC_BTC", "USDC_AVAX"]
    client.dca_bots.enable(48)
    sandbox.set_price("USDC_AVAX", "35")
    assert client.dca_bots.get(48).active_deals_count == 0
    with pytest.raises(botdesk.ApiError, match="blacklist") as caught:
        client.dca_bots.start_deal(48)
    assert caught.value.status == 422


SETTINGS: dict[str, Any] = {
    "account_id": 1001,
    "pairs": "USDT_ETH",
    "strategy_list": [{"strategy": "nonstop"}],
    "base_order_volume": "80",
    "take_profit": "1.5",
    "take_profit_type": "total",
    "safety_order_volume": "30",
    "safety_order_step_percentage": "2",
    "max_safety_orders": 3,
    "active_safety_orders_count": 1,
    "martingale_volume_coefficient": "1",
    "martingale_step_coefficient": "1",
}


TWO_STEPS = [
    {"amount_percentage": 50, "profit_percentage": 1},
    {"amount_percentage": 50, "profit_percentage": 2},
]
MANUAL = [{"strategy": "manual"}]


def new(**changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the inputs of a new bot."""
    return {"name": "New", **SETTINGS, **changes}


def test_a_new_bot_is_disabled_and_trades_once_it_is_enabled(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot = client.dca_bots.create(name="New", **SETTINGS)
    assert (bot.is_enabled, bot.type, bot.account_name) == (False, "Bot::SingleBot", "Demo spot")
    assert (bot.take_profit, bot.trailing_enabled, bot.start_order_type) == (Decimal("1.5"), None, "limit")
    assert client.dca_bots.get(value(bot.id)).pairs == ["USDT_ETH"]
    bot.enable()
    sandbox.set_price("USDT_ETH", "2000")
    assert client.dca_bots.get(value(bot.id)).active_deals_count == 1


@pytest.mark.shows("rule dca_bots.create.take_profit: required unless take_profit_steps has elements")
def test_a_new_bot_with_steps_needs_no_take_profit(client: botdesk.Client) -> None:
    steps = [{"amount_percentage": 50, "profit_percentage": 1}, {"amount_percentage": 50, "profit_percentage": 2}]
    settings = {name: setting for name, setting in SETTINGS.items() if name != "take_profit"}
    bot = client.dca_bots.create(name="Steps", take_profit_steps=steps, **settings)
    assert (bot.take_profit, len(value(bot.take_profit_steps))) == (None, 2)
    with pytest.raises(botdesk.ValidationError, match="take_profit: is required"):
        client.dca_bots.create(name="Steps", **settings)


@pytest.mark.shows("rule dca_bots.create: no_take_profit_beside_steps")
@pytest.mark.shows("rule dca_bots.create: steps_cover_the_position")
@pytest.mark.shows("rule dca_bots.create: pairs_have_one_quote")
@pytest.mark.shows("rule dca_bots.create: nonstop_needs_one_pair")
@pytest.mark.shows("rule dca_bots.create: breakeven_needs_two_steps")
@pytest.mark.shows("rule dca_bots.create: breakeven_limit_is_known")
@pytest.mark.shows("rule dca_bots.create: safety_steps_are_in_range")
@pytest.mark.shows("rule dca_bots.create: stop_loss_below_last_safety_order")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stop_loss_percentage": "6"}, "must be below the last safety order"),
        ({"strategy": "short", "custom_safety_steps": [{"deviation": "-1", "size": 10}]}, "must be above 0"),
        ({"custom_safety_steps": [{"deviation": "1", "size": 10}]}, "must be below 0"),
        ({"pairs": ["USDT_ETH", "USDT_BTC"]}, "nonstop is only for a bot with one pair"),
        ({"min_price": "9", "max_price": "8"}, "must be greater than min_price, 9, not 8"),
        ({"name": ""}, "name"),
        ({"take_profit_steps": TWO_STEPS}, "must be 0 if there are several take_profit_steps"),
        ({"take_profit": 0, "take_profit_steps": TWO_STEPS[:1]}, "the amounts must add up to 100 %, not 50 %"),
        ({"pairs": ["USDT_ETH", "USDC_BTC"], "strategy_list": MANUAL}, "must have the same quote currency"),
        ({"sl_to_breakeven_enabled": True}, "needs at least two take_profit_steps"),
        (
            {
                "take_profit": 0,
                "take_profit_steps": TWO_STEPS,
                "sl_to_breakeven_enabled": True,
                "sl_to_breakeven_data": {"upper_breakeven_limit": 9},
            },
            "needs upper_breakeven_limit",
        ),
    ],
)
def test_a_new_bot_obeys_the_rules_of_an_edit(
    sandbox: botdesk.Sandbox, client: botdesk.Client, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(botdesk.ValidationError, match=message):
        client.dca_bots.create(**new(**changes))
    assert list(sandbox.requests) == []


@pytest.mark.shows("rule dca_bots.create.leverage_type: not carried over where it is not_specified")
@pytest.mark.shows("rule dca_bots.create.leverage_custom_value: carried over beside leverage_type alone")
@pytest.mark.shows("rule dca_bots.create.sl_to_breakeven_enabled: returned in no record")
@pytest.mark.shows("rule dca_bots.create.sl_to_breakeven_data: returned in no record")
def test_a_bot_like_another_has_its_settings_and_the_changes(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot = client.dca_bots.get(42)
    twin = bot.create_like(
        name="Twin", take_profit="2.5", take_profit_steps=[], max_active_deals=2, pairs=["USDC_BTC", "USDC_ETH"]
    )
    assert (twin.name, twin.take_profit, twin.pairs) == ("Twin", Decimal("2.5"), ["USDC_BTC", "USDC_ETH"])
    assert (twin.account_id, twin.base_order_volume, twin.type) == (bot.account_id, bot.base_order_volume, bot.type)
    assert [each.strategy for each in value(twin.strategy_list)] == [each.strategy for each in value(bot.strategy_list)]
    sent = json.loads(next(request.body for request in sandbox.requests if request.path.endswith("/create_bot")))
    # What means none in the record, and what no record has, is not sent.
    assert not {"leverage_type", "leverage_custom_value", "sl_to_breakeven_enabled", "sl_to_breakeven_data"} & set(sent)
    with pytest.raises(botdesk.ValidationError, match="colour"):
        bot.create_like(name="Twin", colour="blue")


@pytest.mark.shows("rule dca_bots.create.allowed_deals_on_same_pair: only where type is Bot::MultiBot")
def test_a_new_bot_with_several_pairs_may_open_deals_on_the_same_pair(client: botdesk.Client) -> None:
    settings = new(pairs=["USDT_ETH", "USDT_BTC"], strategy_list=MANUAL, allowed_deals_on_same_pair=2)
    bot = client.dca_bots.create(**settings)
    assert (bot.type, bot.allowed_deals_on_same_pair) == ("Bot::MultiBot", 2)


@pytest.mark.shows("rule dca_bots.start_deal.only_for_enabled: sent as true unless it is given")
def test_a_deal_starts_only_on_an_enabled_bot_unless_the_caller_says_otherwise(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    client.dca_bots.start_deal(42, pair="USDC_AVAX")
    assert json.loads(sandbox.requests[-1].body)["only_for_enabled"] is True


def test_a_preview_of_a_new_bot_writes_nothing_and_creates_it_once(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    preview = client.dca_bots.preview_create(name="New", **SETTINGS)
    assert {request.method for request in sandbox.requests if "bots" in request.path} == set()
    assert (preview.body["name"], preview.ladder is not None and len(preview.ladder)) == ("New", 4)
    assert preview.budget is not None
    assert preview.budget <= preview.available
    assert preview.warnings == []
    assert "nothing is sent until apply()" in str(preview)
    assert preview.create().name == "New"
    with pytest.raises(botdesk.ConfigurationError, match="once"):
        preview.create()


def test_a_preview_warns_of_funds_that_do_not_suffice_and_of_orders_that_are_too_small(client: botdesk.Client) -> None:
    large = client.dca_bots.preview_create(**new(base_order_volume="900000"))
    assert any("free" in warning for warning in large.warnings)
    small = client.dca_bots.preview_create(**new(safety_order_volume="0.5"))
    assert any("below the minimum" in warning for warning in small.warnings)


def test_the_budget_of_a_preview_is_that_of_all_deals_that_the_pairs_allow(client: botdesk.Client) -> None:
    pairs = ["USDT_ETH", "USDT_BTC", "USDT_SOL"]
    preview = client.dca_bots.preview_create(**new(pairs=pairs, strategy_list=MANUAL, max_active_deals=3))
    assert preview.budget == 3 * value(preview.ladder).budget
    assert preview.warnings == []


def test_volumes_in_coins_need_other_funds_on_each_pair(client: botdesk.Client) -> None:
    size = {"base_order_volume": "0.1", "base_order_volume_type": "base_currency", "max_safety_orders": 0}
    budgets = [
        value(
            client.dca_bots.preview_create(
                **new(pairs=pairs, strategy_list=MANUAL, max_active_deals=deals, **size)
            ).budget
        )
        for pairs, deals in (
            (["USDT_ETH"], 1),
            (["USDT_BTC"], 1),
            (["USDT_ETH", "USDT_BTC"], 1),
            (["USDT_ETH", "USDT_BTC"], 2),
        )
    ]
    eth, btc, one_of_both, both = budgets
    assert eth < btc == one_of_both
    assert both == eth + btc


def test_on_a_futures_account_the_margin_is_compared_with_what_is_free(client: botdesk.Client) -> None:
    futures = new(account_id=1002, leverage_type="cross", leverage_custom_value=10, strategy_list=MANUAL)
    preview = client.dca_bots.preview_create(**{**futures, "base_order_volume": "50000"})
    assert preview.needed == value(preview.budget) / 10
    assert value(preview.needed) < preview.available < value(preview.budget)
    assert preview.warnings == []
    assert "with a margin of" in str(preview)


def test_a_short_bot_on_a_spot_account_needs_coins(client: botdesk.Client) -> None:
    preview = client.dca_bots.preview_create(**new(strategy="short", strategy_list=MANUAL))
    assert preview.needed is None
    assert [warning.partition(" ETH")[0][:28] for warning in preview.warnings] == ["all deals together sell 0.04"]
    several = new(strategy="short", strategy_list=MANUAL, pairs=["USDT_ETH", "USDT_BTC"])
    assert "whether the account has them is unknown" in client.dca_bots.preview_create(**several).warnings[0]


def test_amounts_of_a_valuable_currency_keep_their_digits() -> None:
    assert rounded_amounts([Decimal("0.0012"), Decimal("0.0014")], "BTC") == ["0.0012", "0.0014"]


def test_an_account_is_removed_with_its_bots_unless_one_is_active(client: botdesk.Client) -> None:
    with pytest.raises(botdesk.ApiError, match="account_not_deletable") as caught:
        client.accounts.remove(1001)
    assert caught.value.status == 422
    bot = client.dca_bots.create(**new(account_id=103))
    client.accounts.remove(103)
    with pytest.raises(botdesk.NotFoundError):
        client.dca_bots.get(value(bot.id))
