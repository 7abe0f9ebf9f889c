"""Records that are added to a sandbox."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

import botdesk


def errors_of(add: Any, **fields: object) -> dict[str, list[str]]:  # noqa: ANN401
    with pytest.raises(botdesk.ValidationError) as caught:
        add(**fields)
    return caught.value.errors


def test_a_dca_bot_has_the_fields_that_were_given(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    made = datetime(2024, 2, 29, 12, 30, tzinfo=UTC)
    bot_id = sandbox.add_dca_bot(
        name="Früh", pairs=["USDT_ETH"], take_profit=1.5, base_order_volume=Decimal("12.50"), max_active_deals=3,
        is_enabled=True, deletable=True, created_at=made, disable_after_deals_count=None,
    )  # fmt: skip
    bot = client.dca_bots.get(bot_id)
    assert (bot.id, bot.name, bot.pairs, bot.max_active_deals) == (bot_id, "Früh", ["USDT_ETH"], 3)
    assert (bot.take_profit, str(bot.base_order_volume), bot.created_at) == (Decimal("1.5"), "12.50", made)
    assert (bot.is_enabled, bot.active_deals, bot.active_deals_count) == (True, [], 0)
    assert [bot.id for bot in client.dca_bots.list()] == [bot_id]


def test_an_added_bot_takes_an_edit(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot = client.dca_bots.get(sandbox.add_dca_bot())
    assert bot.edit(take_profit="2.5").take_profit == Decimal("2.5")


def test_a_dca_bot_may_have_deals(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    closed = datetime(2024, 2, 29, tzinfo=UTC)
    bot_id = sandbox.add_dca_bot(active_deals=[{"note": "one"}, {"bought_amount": 2, "created_at": closed}])
    one, other = client.dca_bots.get(bot_id).active_deals or []
    assert (one.note, one.bot_id, one.pair, one.status) == ("one", bot_id, "USDT_BTC", "bought")
    assert (other.bought_amount, other.created_at) == (Decimal(2), closed)
    assert one.id != other.id


@pytest.mark.shows("promise dicts that change")
def test_a_deal_that_changes_while_it_is_read_is_added_as_it_was(
    sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    deal: dict[str, object] = {}

    class Identifier:
        def __index__(self) -> int:
            deal.clear()
            deal.update(nonsense=1, pair="USDT_BTC")
            return 88

    deal.update(id=Identifier(), pair="USDT_ETH")
    bot_id = sandbox.add_dca_bot(pairs=["USDT_ETH"], active_deals=[deal])
    deals = client.dca_bots.get(bot_id).active_deals
    assert deals is not None
    (added,) = deals
    assert (added.id, added.pair) == (88, "USDT_ETH")


def test_an_account_can_be_used(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    account_id = sandbox.add_account(name="Spare", market_code="demo_spot")
    bot_id = sandbox.add_dca_bot(account_id=account_id)
    assert client.dca_bots.get(bot_id).account_name == "Spare"
    assert client.accounts.rename(account_id, "Renamed").id == account_id
    assert client.dca_bots.get(bot_id).account_name == "Renamed"


def test_an_account_may_have_an_invalid_key(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    account_id = sandbox.add_account(api_key_invalid=True)
    with pytest.raises(botdesk.InvalidApiKeyError):
        client.accounts.load_balances(account_id)


@pytest.mark.shows("fact arithmetic step", "fact levels at ticks")
def test_a_grid_bot_has_its_levels(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    bot_id = sandbox.add_grid_bot(
        pair="USDT_BTC", lower_price="56000", upper_price="70000", grids_quantity=40, grid_type="arithmetic",
        quantity_per_grid="0.00051",
    )  # fmt: skip
    bot = client.grid_bots.enable(bot_id)
    assert str(bot.grid_price_step) == "358.974358974358974358974358974358974359"
    assert [str(line.price) for line in (bot.grid_lines or [])[:5]] == [
        "56000.0", "56359.0", "56717.9", "57076.9", "57435.9",
    ]  # fmt: skip


def test_a_grid_that_cannot_be_laid_is_rejected(sandbox: botdesk.Sandbox) -> None:
    assert list(errors_of(sandbox.add_grid_bot, lower_price=70000, upper_price=56000)) == ["upper_price"]
    assert list(errors_of(sandbox.add_grid_bot, quantity_per_grid=0)) == ["quantity_per_grid"]
    assert list(errors_of(sandbox.add_grid_bot, grids_quantity=1)) == ["grids_quantity"]


def test_an_unknown_field_is_rejected_with_the_nearest_one(sandbox: botdesk.Sandbox) -> None:
    assert errors_of(sandbox.add_dca_bot, take_proft=1) == {
        "take_proft": ["is not a field of a DCA bot; did you mean take_profit?"]
    }
    assert errors_of(sandbox.add_account, nam="x") == {"nam": ["is not a field of an account; did you mean name?"]}
    assert list(errors_of(sandbox.add_grid_bot, zzz=1)) == ["zzz"]
    assert list(errors_of(sandbox.add_smart_trade, amount=1)) == ["amount"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 5), ("is_enabled", "yes"), ("max_active_deals", 1.5), ("take_profit", "1,5"), ("take_profit", True),
        ("pairs", "USDT_BTC"), ("pairs", ["usdt_btc"]), ("strategy_list", ["nonstop"]), ("take_profit_steps", [5]),
        ("created_at", "yesterday"), ("created_at", datetime(2024, 1, 1)), ("name", object()),  # noqa: DTZ001
        ("active_deals", "none"), ("take_profit", float("nan")), ("account_id", 9), ("id", 0),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_rejected(sandbox: botdesk.Sandbox, field: str, value: object) -> None:
    assert list(errors_of(sandbox.add_dca_bot, **{field: value})) == [field]


def test_all_that_is_wrong_is_reported_at_once(sandbox: botdesk.Sandbox) -> None:
    assert list(errors_of(sandbox.add_dca_bot, nane="x", take_profit="x", cooldown=[])) == [
        "nane", "take_profit", "cooldown",
    ]  # fmt: skip


def test_any_resource_can_be_added_to(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    account_id = sandbox.add("accounts", {"name": "Spare"})
    bot_id = sandbox.add("dca_bots", {"account_id": account_id, "pairs": ["USDT_ETH"]})
    opened = datetime(2024, 2, 29, tzinfo=UTC)
    deal_id = sandbox.add("deals", {"bot_id": bot_id, "created_at": opened, "bought_amount": 2})
    sandbox.add("deals", {"bot_id": bot_id, "finished": True, "status": "completed"})
    bot = client.dca_bots.get(bot_id)
    assert bot.account_name == "Spare"
    (deal,) = bot.active_deals or []
    assert (deal.id, deal.created_at, deal.bought_amount) == (deal_id, opened, Decimal(2))
    assert [deal.status for deal in sandbox.finished_deals(bot_id)] == ["completed"]
    assert sandbox.add("smart_trades") + 1 == sandbox.add_smart_trade()


def test_an_unknown_resource_is_rejected_with_the_known_ones(sandbox: botdesk.Sandbox) -> None:
    known = "accounts, dca_bots, deals, grid_bots, smart_trades, trades"
    assert errors_of(sandbox.add, resource="dca_bot") == {
        "resource": [f'must be one of {known}, not "dca_bot"; did you mean dca_bots?']
    }
    assert errors_of(sandbox.add, resource="deals", record={"note": "x"}) == {
        "bot_id": ["must be the id of a DCA bot of the sandbox, which has the deal"]
    }


def test_a_taken_id_is_rejected(sandbox: botdesk.Sandbox) -> None:
    assert sandbox.add_smart_trade(id=7) == 7
    assert list(errors_of(sandbox.add_smart_trade, id=7)) == ["id"]


def test_an_error_shows_no_secret(sandbox: botdesk.Sandbox) -> None:
    assert "12345" not in str(errors_of(sandbox.add_account, api_key=12345))


@pytest.mark.parametrize("method", ["add_account", "add_dca_bot", "add_grid_bot", "add_smart_trade"])
def test_each_gets_the_next_id(sandbox: botdesk.Sandbox, method: str) -> None:
    first = getattr(sandbox, method)()
    assert isinstance(first, int)
    assert getattr(sandbox, method)() == first + 1


@pytest.mark.shows("promise the sandbox never guesses")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("martingale_step_coefficient", None),
        ("martingale_volume_coefficient", "Infinity"),
        ("safety_order_volume", "NaN"),
        ("stop_loss_percentage", None),
        ("max_active_deals", None),
        ("base_order_volume_type", "lots"),
        ("take_profit_type", "most"),
        ("strategy", "sideways"),
        ("take_profit_steps", [{"amount_percentage": 100}]),
        ("take_profit_steps", [{"amount_percentage": 100, "profit_percentage": "Infinity"}]),
    ],
)
def test_what_the_market_cannot_calculate_with_is_rejected(sandbox: botdesk.Sandbox, field: str, value: object) -> None:
    assert list(errors_of(sandbox.add_dca_bot, **{field: value})) == [field]


def test_a_value_that_a_message_cuts_ends_with_an_ellipsis(sandbox: botdesk.Sandbox) -> None:
    long = "1." + "0" * 90 + "e5000"
    errors = errors_of(sandbox.add_dca_bot, safety_order_volume=long)
    assert errors == {"safety_order_volume": [f'must be a finite number, not "{long[:79]}…']}


def test_a_grid_of_an_unknown_type_is_rejected(sandbox: botdesk.Sandbox) -> None:
    assert errors_of(sandbox.add_grid_bot, grid_type="harmonic") == {
        "grid_type": ['must be one of geometric, arithmetic, not "harmonic"']
    }


def test_an_added_bot_has_pairs_of_one_quote_currency(sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
    message = "must have the same quote currency, and these have BTC and ETH; did you mean USDT_BTC, USDT_ETH?"
    assert errors_of(sandbox.add_dca_bot, pairs=["BTC_USDT", "ETH_USDT"]) == {"pairs": [message]}
    assert client.dca_bots.get(sandbox.add_dca_bot(pairs=["USDC_币安人生", "USDC_BTC"])).pairs == [
        "USDC_币安人生",
        "USDC_BTC",
    ]
