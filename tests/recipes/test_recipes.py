"""The scripts of `examples/recipes`: nothing is sent without --apply, and what is sent with it is what they say."""

from __future__ import annotations

import json
import runpy
import sqlite3
import sys
import threading
import urllib.error
import urllib.request
from argparse import Namespace
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import botdesk
from botdesk import recipes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = Path(__file__).parents[2] / "examples" / "recipes"
READS = {"GET"}
# Signals of the service that only read, although they are sent with POST.
READING_POSTS = ("table_data", "load_balances")


class Ended(NamedTuple):
    """The result of a script."""

    code: int
    out: str
    err: str


@pytest.fixture
def sandbox(tmp_path: Path, private_key: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[botdesk.Sandbox]:
    """Run a sandbox whose credentials are in the environment, in an empty folder."""
    with botdesk.Sandbox() as sandbox:
        monkeypatch.setenv("BOTDESK_API_KEY", sandbox.add_key(botdesk.PrivateKey.load(private_key).public_key_pem))
        monkeypatch.setenv("BOTDESK_PRIVATE_KEY", private_key)
        monkeypatch.setenv("BOTDESK_BASE_URL", sandbox.url)
        monkeypatch.chdir(tmp_path)
        yield sandbox


@pytest.fixture
def script(
    sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ended]:
    """Return a function that runs a recipe; a dry run may send nothing that writes."""

    def run(name: str, *arguments: str, applies: bool = False, code: int = 0) -> Ended:
        before = len(writes(sandbox))
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments, *(["--apply"] if applies else [])])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
        captured = capsys.readouterr()
        assert ended.value.code == code, captured.out + captured.err
        if not applies:
            assert len(writes(sandbox)) == before
        return Ended(code, captured.out, captured.err)

    return run


def writes(sandbox: botdesk.Sandbox) -> list[botdesk.ReceivedRequest]:
    return [
        request
        for request in sandbox.requests
        if request.method not in READS and not any(word in request.path for word in READING_POSTS)
    ]


@pytest.fixture
def bots(sandbox: botdesk.Sandbox) -> botdesk.DcaBots:
    return sandbox.client().dca_bots


def test_profits_are_compounded(script: Callable[..., Ended], bots: botdesk.DcaBots) -> None:
    before = bots.get(41).base_order_volume
    assert "would compound bot 41: profit 42.18" in script("compound_profits", "--bot", "41").out
    assert bots.get(41).base_order_volume == before
    assert "compound bot 41" in script("compound_profits", "--bot", "41", applies=True).out
    after = bots.get(41).base_order_volume
    assert after == Decimal("86.811")
    assert script("compound_profits", "--bot", "41", applies=True).out == ""
    assert bots.get(41).base_order_volume == after


def test_a_list_of_coins_is_followed(script: Callable[..., Ended], bots: botdesk.DcaBots, tmp_path: Path) -> None:
    coins = tmp_path / "coins.txt"
    coins.write_text("BTC\navax\nNOSUCHCOIN\nETH\n", encoding="utf-8")
    deals = bots.get(42).max_active_deals
    assert (
        "would edit bot 42: add none, remove USDC_LINK, at most 3 deals" in script("follow_coins", "42", str(coins)).out
    )
    script("follow_coins", "42", str(coins), applies=True)
    assert bots.get(42).pairs == ["USDC_BTC", "USDC_AVAX", "USDC_ETH"]
    assert script("follow_coins", "42", str(coins), applies=True).out == ""
    assert (deals, bots.get(42).max_active_deals) == (4, 3)
    coins.write_text("BTC AVAX ETH LINK", encoding="utf-8")
    script("follow_coins", "42", str(coins), applies=True)
    assert bots.get(42).max_active_deals == deals
    coins.write_text("NOSUCHCOIN\n", encoding="utf-8")
    assert "0 coins of the list can be traded" in script("follow_coins", "42", str(coins), applies=True, code=2).err
    assert "can't be read" in script("follow_coins", "42", "missing.txt", applies=True, code=2).err
    # What may be there at the next run is no error of the configuration.
    assert "can't be read" in script("follow_coins", "42", "http://127.0.0.1:9/coins", applies=True, code=1).err


def test_a_list_that_grows_again_gives_back_the_deals_after_an_edit_that_failed(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, tmp_path: Path
) -> None:
    coins = tmp_path / "coins.txt"
    deals = bots.get(42).max_active_deals
    coins.write_text("BTC AVAX", encoding="utf-8")
    script("follow_coins", "42", str(coins), applies=True)
    coins.write_text("BTC AVAX ETH LINK", encoding="utf-8")
    sandbox.faults.add("dca_bots.edit", "status", status=422)
    script("follow_coins", "42", str(coins), applies=True, code=1)
    script("follow_coins", "42", str(coins), applies=True)
    assert bots.get(42).max_active_deals == deals


def test_a_list_that_grows_again_keeps_the_deals_that_the_user_has_set(
    script: Callable[..., Ended], bots: botdesk.DcaBots, tmp_path: Path
) -> None:
    coins = tmp_path / "coins.txt"
    coins.write_text("BTC AVAX ETH", encoding="utf-8")
    script("follow_coins", "42", str(coins), applies=True)
    bots.edit(42, max_active_deals=2)
    coins.write_text("BTC AVAX ETH LINK", encoding="utf-8")
    script("follow_coins", "42", str(coins), applies=True)
    assert bots.get(42).max_active_deals == 2


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """Return what happens in the pauses of `--every`, in place of waiting; after the last one, Ctrl-C ends the loop."""
    steps: list[Callable[[], object]] = []

    def sleep(_: float) -> None:
        if not steps:
            raise KeyboardInterrupt
        steps.pop(0)()

    monkeypatch.setattr(recipes, "time", SimpleNamespace(sleep=sleep))
    return steps


def test_a_list_that_is_empty_once_does_not_end_a_loop(
    script: Callable[..., Ended], bots: botdesk.DcaBots, tmp_path: Path, pauses: list[Callable[[], object]]
) -> None:
    coins = tmp_path / "coins.txt"
    coins.write_text("BTC AVAX ETH", encoding="utf-8")
    pauses += [lambda: coins.write_text("", encoding="utf-8"), lambda: coins.write_text("BTC ETH", encoding="utf-8")]
    ended = script("follow_coins", "42", str(coins), "--every", "60", applies=True, code=130)
    assert "follow_coins: ConfigurationError: 0 coins of the list can be traded" in ended.out
    assert bots.get(42).pairs == ["USDC_BTC", "USDC_ETH"]


def test_a_loop_that_can_not_start_ends(script: Callable[..., Ended], pauses: list[Callable[[], object]]) -> None:
    pauses.append(lambda: None)
    assert "can't be read" in script("follow_coins", "42", "missing.txt", "--every", "60", code=2).err
    assert len(pauses) == 1


def test_one_coin_is_in_one_bot_at_a_time(script: Callable[..., Ended], sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    before = client.dca_bots.get(50)
    assert "would give bot 50 the pairs USDC_LINK USDC_AVAX" in script("one_coin_one_bot").out
    script("one_coin_one_bot", applies=True)
    # The deals of bot 42 on USDC_BTC and USDC_ETH are older than those of bot 50.
    assert client.dca_bots.get(50).pairs == ["USDC_LINK", "USDC_AVAX"]
    assert client.dca_bots.get(50).max_active_deals == 2
    for deal_id in (420, 421):
        client.deals.cancel(deal_id).wait_closed(every=0.01)
    script("one_coin_one_bot", applies=True)
    after = client.dca_bots.get(50)
    assert (set(after.pairs or ()), after.max_active_deals) == (set(before.pairs or ()), before.max_active_deals)
    assert "USDC_BTC" not in (client.dca_bots.get(42).pairs or ())


def test_a_number_of_deals_that_the_user_has_set_meanwhile_is_kept(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox
) -> None:
    client = sandbox.client()
    script("one_coin_one_bot", applies=True)
    assert client.dca_bots.get(50).max_active_deals == 2
    client.dca_bots.edit(50, max_active_deals=1)
    for deal_id in (420, 421):
        client.deals.cancel(deal_id).wait_closed(every=0.01)
    script("one_coin_one_bot", applies=True)
    assert "USDC_BTC" in (client.dca_bots.get(50).pairs or ())
    assert client.dca_bots.get(50).max_active_deals == 1


@pytest.mark.parametrize("status", [422, 500])
def test_an_edit_that_fails_does_not_lose_the_number_of_deals(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, status: int
) -> None:
    client = sandbox.client()
    before = client.dca_bots.get(50).max_active_deals
    script("one_coin_one_bot", applies=True)
    for deal_id in (420, 421):
        client.deals.cancel(deal_id).wait_closed(every=0.01)
    sandbox.faults.add("dca_bots.edit", "status", status=status)
    script("one_coin_one_bot", applies=True, code=1)
    script("one_coin_one_bot", applies=True)
    assert client.dca_bots.get(50).max_active_deals == before


def test_a_bot_whose_pairs_can_not_be_edited_does_not_hold_up_the_others(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots
) -> None:
    before = bots.get(50).pairs
    sandbox.faults.add("dca_bots.edit", "status", status=422)
    assert "bot 50: MarketApiError: " in script("one_coin_one_bot", applies=True, code=1).out
    assert bots.get(50).pairs == before
    assert "USDC_LINK" not in (bots.get(42).pairs or ())


def test_a_pair_that_was_not_taken_is_not_given_back(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots
) -> None:
    sandbox.faults.add("dca_bots.edit", "status", status=422)
    script("one_coin_one_bot", applies=True, code=1)
    bots.edit(50, pairs=["USDC_LINK", "USDC_AVAX"], max_active_deals=2)
    for deal_id in (420, 421):
        sandbox.client().deals.cancel(deal_id).wait_closed(every=0.01)
    script("one_coin_one_bot", applies=True)
    assert bots.get(50).pairs == ["USDC_LINK", "USDC_AVAX"]


def test_the_target_rises_after_safety_orders_and_never_falls(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox
) -> None:
    deals = sandbox.client().deals
    assert "would raise the target of deal 502 from 0.9 to 2.5 %" in script("raise_target", "--bot", "50").out
    script("raise_target", "--bot", "50", applies=True)
    assert deals.get(502).take_profit == Decimal("2.5")
    script("raise_target", "--bot", "50", "--target", "0.1", applies=True)
    assert deals.get(502).take_profit == Decimal("2.5")


def test_a_target_that_is_refused_does_not_hold_up_the_others(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox
) -> None:
    sandbox.faults.add("deals.edit", "status", status=422)
    ended = script("raise_target", "--bot", "50", applies=True, code=1)
    assert ended.out.count("deal 502: MarketApiError: ") == 1
    targets = {deal.id: deal.take_profit for deal in sandbox.client().deals.iter(scope="active", bot_id=50)}
    assert targets == {502: Decimal("0.9"), 501: Decimal("2.5"), 500: Decimal(2)}


@pytest.mark.parametrize("status", [401, 418])
def test_a_key_that_is_rejected_and_a_ban_end_the_run(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, status: int
) -> None:
    sandbox.faults.add("deals.edit", "status", status=status)
    script("raise_target", "--bot", "50", applies=True, code=1)
    assert sum(request.method == "PATCH" for request in sandbox.requests) == 1


def test_a_stop_follows_the_profit(script: Callable[..., Ended], sandbox: botdesk.Sandbox) -> None:
    deals = sandbox.client().deals
    assert script("trail_stop", "--bot", "50", applies=True).out == ""
    state = Path("trail_stop.json")
    kept = json.loads(state.read_text("utf-8"))
    assert Decimal(kept["peaks"]["502"]) == deals.get(502).actual_profit_percentage
    kept["peaks"]["502"] = "2.5"
    state.write_text(json.dumps(kept), encoding="utf-8")
    Path("trail_stop.dry-run.json").write_text(json.dumps(kept), encoding="utf-8")
    assert "would close deal 502" in script("trail_stop", "--bot", "50").out
    assert "deal 502 on USDC_LINK was stopped" in script("trail_stop", "--bot", "50", applies=True).out
    assert deals.get(502).status in {"panic_sell_pending", "panic_sell_order_placed", "panic_sold"}


@pytest.mark.parametrize(
    ("field", "value"), [("status", "bought_safety_pending"), ("actual_profit_percentage", None)], ids=str
)
def test_a_stop_remembers_the_peak_of_a_deal_that_can_not_be_closed_for_a_moment(
    script: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch, field: str, value: str | None
) -> None:
    Path("trail_stop.json").write_text(json.dumps({"peaks": {"502": "2.5"}}), encoding="utf-8")
    with monkeypatch.context() as moment:
        moment.setattr(botdesk.Deal, field, value)
        assert script("trail_stop", "--bot", "50", applies=True).out == ""
    assert "deal 502 on USDC_LINK was stopped" in script("trail_stop", "--bot", "50", applies=True).out


def test_a_stop_remembers_the_peaks_of_deals_of_other_bots(script: Callable[..., Ended]) -> None:
    Path("trail_stop.json").write_text(json.dumps({"peaks": {"502": "2.5"}}), encoding="utf-8")
    script("trail_stop", "--bot", "41", applies=True)
    assert "deal 502 on USDC_LINK was stopped" in script("trail_stop", "--bot", "50", applies=True).out


def test_a_deal_that_can_not_be_closed_does_not_hold_up_the_others(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox
) -> None:
    deals = sandbox.client().deals
    peaks = {str(deal.id): "99" for deal in deals.iter(scope="active", bot_id=50)}
    Path("trail_stop.json").write_text(json.dumps({"peaks": peaks}), encoding="utf-8")
    sandbox.faults.add("deals.close", "status", status=403)
    ended = script("trail_stop", "--bot", "50", applies=True, code=1)
    assert (ended.out.count("Error: "), ended.out.count("was stopped")) == (1, len(peaks) - 1)
    assert len(peaks) > 1
    assert json.loads(Path("trail_stop.json").read_text("utf-8"))["peaks"] == peaks


def test_pairs_are_given_back_although_no_response_came(script: Callable[..., Ended], sandbox: botdesk.Sandbox) -> None:
    client = sandbox.client()
    before = client.dca_bots.get(50).pairs or []
    sandbox.faults.add("dca_bots.edit", kind="close_after")
    script("one_coin_one_bot", applies=True, code=1)
    assert set(client.dca_bots.get(50).pairs or []) < set(before)
    for deal_id in (420, 421):
        client.deals.cancel(deal_id).wait_closed(every=0.01)
    script("one_coin_one_bot", applies=True)
    assert set(client.dca_bots.get(50).pairs or []) == set(before)


def test_a_bot_that_can_not_be_compounded_does_not_hold_up_the_others(
    script: Callable[..., Ended], bots: botdesk.DcaBots
) -> None:
    first = next(bots.iter(scope="enable"))
    bots.edit(first.id or 0, base_order_volume="0.1", base_order_volume_type="base_currency")
    ended = script("compound_profits", applies=True)
    assert f"bot {first.id} is left out" in ended.out
    assert "compound bot" in ended.out
    assert "depends on prices" in script("compound_profits", "--bot", str(first.id), applies=True, code=2).err


def test_a_compounding_that_is_refused_does_not_hold_up_the_others(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots
) -> None:
    first, second, *_ = bots.iter(scope="enable")
    sandbox.faults.add("dca_bots.edit", "status", status=422)
    assert f"bot {first.id}: MarketApiError: " in script("compound_profits", applies=True, code=1).out
    assert bots.get(first.id or 0).base_order_volume == first.base_order_volume
    assert (bots.get(second.id or 0).base_order_volume or 0) > (second.base_order_volume or 0)


def test_all_bots_stop_when_btc_falls_and_the_same_start_again(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots
) -> None:
    arguments = ("stop_when_btc_falls", "--market", "demo_spot")
    enabled = {bot.id for bot in bots.iter(scope="enable")}
    script(*arguments, applies=True)
    peak = sandbox.client().markets.rates("demo_spot", "USDT_BTC").last or Decimal(0)
    sandbox.set_price("USDT_BTC", peak * Decimal("0.94"))
    Path("stop_when_btc_falls.dry-run.json").write_text(json.dumps({"extreme": str(peak)}), encoding="utf-8")
    assert f"would disable {len(enabled)} bots" in script(*arguments).out
    # The first run fails in the middle; the next one finishes it.
    sandbox.faults.add("dca_bots.disable", "status", status=500)
    script(*arguments, applies=True, code=1)
    assert len({bot.id for bot in bots.iter(scope="enable")}) == 1
    script(*arguments, applies=True)
    assert list(bots.iter(scope="enable")) == []
    sandbox.set_price("USDT_BTC", peak)
    assert f"{len(enabled)} bots run" in script(*arguments, applies=True).out
    assert {bot.id for bot in bots.iter(scope="enable")} == enabled


@pytest.fixture
def stopped(script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots) -> list[int]:
    """Stop the bots at a fall of BTC, and return their ids; then BTC rises again."""
    enabled = [bot.id or 0 for bot in bots.iter(scope="enable")]
    for price in (60_000, 50_000):
        sandbox.set_price("USDT_BTC", price)
        script("stop_when_btc_falls", "--market", "demo_spot", applies=True)
    sandbox.set_price("USDT_BTC", 55_000)
    return enabled


def test_a_bot_that_was_deleted_does_not_hold_up_the_next_stop(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, stopped: list[int]
) -> None:
    arguments = ("stop_when_btc_falls", "--market", "demo_spot")
    deleted, disabled, *_ = stopped
    bots.cancel_all_deals(deleted)
    sandbox.clock.advance(60)
    bots.delete(deleted)
    sandbox.set_price("USDT_BTC", 55_000)
    ended = script(*arguments, applies=True, code=1)
    assert f"these bots can't be enabled, and are left alone: {deleted}\n" in ended.out
    # A bot that the user disables afterwards is not enabled again.
    bots.disable(disabled)
    assert "enable" not in script(*arguments, applies=True).out
    assert not bots.get(disabled).is_enabled
    sandbox.set_price("USDT_BTC", 50_000)
    assert f"{len(stopped) - 2} bots stopped" in script(*arguments, applies=True).out
    assert list(bots.iter(scope="enable")) == []


def test_the_next_run_enables_only_what_is_left(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, stopped: list[int]
) -> None:
    arguments = ("stop_when_btc_falls", "--market", "demo_spot")
    sandbox.faults.add("dca_bots.enable", "status", status=503)
    script(*arguments, applies=True, code=1)
    assert "enable 1 bots" in script(*arguments, applies=True).out
    assert {bot.id for bot in bots.iter(scope="enable")} == set(stopped)


def test_bots_that_are_not_enabled_yet_run_after_the_next_stop(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, stopped: list[int]
) -> None:
    arguments = ("stop_when_btc_falls", "--market", "demo_spot")
    sandbox.faults.add("dca_bots.enable", "status", status=503, times=2)
    script(*arguments, applies=True, code=1)
    sandbox.faults.add("dca_bots.enable", "status", status=503, times=2)
    sandbox.set_price("USDT_BTC", 50_000)
    script(*arguments, applies=True, code=1)
    assert list(bots.iter(scope="enable")) == []
    sandbox.set_price("USDT_BTC", 55_000)
    script(*arguments, applies=True)
    assert {bot.id for bot in bots.iter(scope="enable")} == set(stopped)


def test_a_key_that_is_refused_gives_up_no_bot(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, bots: botdesk.DcaBots, stopped: list[int]
) -> None:
    arguments = ("stop_when_btc_falls", "--market", "demo_spot")
    sandbox.faults.add("dca_bots.enable", "status", status=401)
    script(*arguments, applies=True, code=1)
    script(*arguments, applies=True)
    assert {bot.id for bot in bots.iter(scope="enable")} == set(stopped)


START = {"secret": "much entropy", "id": "a", "action": "start", "bot": 50, "pair": "USDC_AVAX"}
CLOSE = {**START, "action": "close", "pair": "USDC_LINK"}


@pytest.fixture
def signals(
    script: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[list[int], list[str]]]:
    """Return a function that sends signals to `webhook_signals.py`; it returns the statuses, and what was printed."""
    monkeypatch.setenv("SIGNAL_SECRET", "much entropy")

    def send_all(*bodies: object) -> tuple[list[int], list[str]]:
        said: list[str] = []
        port, statuses = threading.Event(), list[int]()
        url: list[str] = []

        def say(_: recipes.Run, line: str) -> None:
            said.append(line)
            if "listening at " in line:
                url.append(line.partition("listening at ")[2])
                port.set()

        def send() -> None:
            port.wait(30)
            for body in bodies:
                try:
                    # Without the check of its length, the server would wait for the end of the connection.
                    length = {"Content-Length": "-1"} if body == "too long" else {}
                    request = urllib.request.Request(url[0], json.dumps(body).encode(), length)  # noqa: S310 - http
                    with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310 - http
                        statuses.append(response.status)
                except urllib.error.HTTPError as error:
                    statuses.append(error.code)
                    error.close()

        monkeypatch.setattr(recipes.Run, "say", say)
        sender = threading.Thread(target=send)
        sender.start()
        # A sender that fails must not leave the server waiting.
        script("webhook_signals", "--port", "0", "--requests", str(len(bodies)), applies=True)
        sender.join()
        return statuses, said

    return send_all


def test_signals_need_a_secret(script: Callable[..., Ended]) -> None:
    assert "set SIGNAL_SECRET" in script("webhook_signals", code=2).err


def test_a_signal_is_carried_out_once(
    sandbox: botdesk.Sandbox, signals: Callable[..., tuple[list[int], list[str]]]
) -> None:
    statuses, said = signals(
        START,
        START,
        {**START, "secret": "wrong", "id": "b"},
        {**START, "action": "sell", "id": "c"},
        {**CLOSE, "id": "d"},
        {**START, "bot": 999, "id": "e"},
        [],
        "too long",
    )
    assert statuses == [200, 200, 403, 400, 200, 502, 400, 413]
    assert [
        request.path for request in writes(sandbox) if "start_new_deal" in request.path and "/50/" in request.path
    ] == ["/public/api/ver1/bots/50/start_new_deal"]
    assert "signal d is done: close of 1 deals" in said


@pytest.mark.parametrize(
    ("operation", "signal", "status"),
    [("deals.close", CLOSE, 422), ("dca_bots.start_deal", START, 422), ("deals.list", CLOSE, 400)],
)
def test_a_signal_that_failed_is_carried_out_when_it_is_sent_again(
    sandbox: botdesk.Sandbox,
    signals: Callable[..., tuple[list[int], list[str]]],
    operation: str,
    signal: dict[str, object],
    status: int,
) -> None:
    sandbox.faults.add(operation, "status", status=status)
    assert signals(signal, signal)[0] == [502, 200]
    assert len([request for request in writes(sandbox) if request.carried_out]) == 1


def test_a_signal_whose_outcome_is_unknown_is_not_repeated(
    sandbox: botdesk.Sandbox, signals: Callable[..., tuple[list[int], list[str]]]
) -> None:
    sandbox.faults.add("dca_bots.start_deal", "close_after")
    statuses, said = signals(START, START)
    assert statuses == [502, 200]
    assert "signal a is known already" in said
    assert len(writes(sandbox)) == 1


@pytest.mark.parametrize("bot", [50.9, True, None, [50], "50.0", "-50"])
def test_a_signal_for_a_bot_without_an_id_is_refused(
    sandbox: botdesk.Sandbox, signals: Callable[..., tuple[list[int], list[str]]], bot: object
) -> None:
    assert signals({**START, "bot": bot}, {**START, "bot": "50"})[0] == [400, 200]
    assert [request.path for request in writes(sandbox)] == ["/public/api/ver1/bots/50/start_new_deal"]


def test_a_grid_moves_with_the_price(script: Callable[..., Ended], sandbox: botdesk.Sandbox) -> None:
    grids = sandbox.client().grid_bots
    assert script("move_grid", "--bot", "201").out == ""
    sandbox.set_price("USDT_BTC", 80_000)
    assert (
        "would move grid bot 201 between 56000.0 and 70000.0 to 71554.2 and 89442.7"
        in script("move_grid", "--bot", "201").out
    )
    script("move_grid", "--bot", "201", applies=True)
    bot = grids.get(201)
    assert (bot.lower_price, bot.upper_price) == (Decimal("71554.2"), Decimal("89442.7"))
    assert script("move_grid", "--bot", "201", applies=True).out == ""


def test_a_grid_that_can_not_be_moved_does_not_hold_up_the_others(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox
) -> None:
    grids = sandbox.client().grid_bots
    sandbox.set_price("USDT_BTC", 80_000)
    sandbox.faults.add("grid_bots.edit", "status", status=422)
    ended = script("move_grid", applies=True, code=1)
    assert "grid bot 204: MarketApiError: " in ended.out
    assert "grid bot 204 on USDT_BTC follows the price" not in ended.out
    assert (grids.get(204).upper_price, grids.get(201).upper_price) == (Decimal(75000), Decimal("89442.7"))


@pytest.fixture
def chat() -> Iterator[tuple[str, list[Any]]]:
    """Run the webhook of a chat; return its URL and what it has received."""
    received: list[Any] = []

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Chat) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/secret-of-the-hook", received
        server.shutdown()
        thread.join(30)


def test_a_report_is_sent_to_a_chat_once(script: Callable[..., Ended], chat: tuple[str, list[Any]]) -> None:
    url, received = chat
    arguments = ("daily_report", "--day", "2024-03-20", "--alert", url)
    assert "2024-03-20: " in script(*arguments).out
    assert received == []
    script(*arguments, applies=True)
    assert [message["text"] == message["content"] for message in received] == [True]
    assert "reported already" in script(*arguments, applies=True).out
    assert len(received) == 1


def test_an_alert_that_fails_names_no_secret_and_does_not_end_the_run(script: Callable[..., Ended]) -> None:
    arguments = ("daily_report", "--day", "2024-03-20", "--alert")
    ended = script(*arguments, "http://127.0.0.1:9/secret-of-the-hook", applies=True)
    assert "the alert was not sent" in ended.err
    assert "secret-of-the-hook" not in ended.err


@pytest.mark.parametrize("url", ["http://127.0.0.1/secret of the hook", "http://[secret", "http://127.0.0.1:secret/"])
def test_an_alert_to_a_wrong_url_does_not_end_the_run(script: Callable[..., Ended], url: str) -> None:
    ended = script("daily_report", "--day", "2024-03-20", "--alert", url, applies=True)
    assert "the alert was not sent" in ended.err
    assert "secret" not in ended.err


def test_other_alerts_go_through_apprise(script: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    class Fake:
        def add(self, url: str) -> bool:
            return url.startswith("mailto:")

        def notify(self, body: str) -> bool:
            sent.append(body)
            return True

    monkeypatch.setitem(sys.modules, "apprise", SimpleNamespace(Apprise=Fake))
    script("daily_report", "--day", "2024-03-20", "--alert", "mailto://desk@example.com", applies=True)
    assert len(sent) == 1


def test_the_best_bot_is_copied_once(script: Callable[..., Ended], bots: botdesk.DcaBots, tmp_path: Path) -> None:
    coins = tmp_path / "coins.txt"
    coins.write_text("BTC\nLINK, ETH\n", encoding="utf-8")
    before = len(list(bots.iter()))
    arguments = ("copy_best_bot", str(coins), "--ignore-warnings")
    assert "would create 2 bots like bot" in script(*arguments).out
    script(*arguments, applies=True)
    assert len(list(bots.iter())) == before + 2
    script(*arguments, applies=True)
    assert len(list(bots.iter())) == before + 2


def test_two_runs_do_not_share_a_state(script: Callable[..., Ended], tmp_path: Path) -> None:
    lock = sqlite3.connect(tmp_path / "raise_target.json.lock", isolation_level=None)
    lock.execute("begin exclusive")
    assert "another run uses this state" in script("raise_target", applies=True, code=2).err
    lock.close()
    missing = ("--state", str(tmp_path / "missing" / "state.json"))
    assert "its folder can't be written" in script("raise_target", *missing, applies=True, code=2).err
    Path("raise_target.json").write_text("{", encoding="utf-8")
    assert "the state is damaged" in script("raise_target", applies=True, code=2).err


@pytest.mark.parametrize(
    ("error", "reason"), [(OSError(28, "No space left on device"), "No space left on device"), (OSError(), "OSError")]
)
def test_a_state_that_can_not_be_written_names_the_file_of_the_user(
    script: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch, error: OSError, reason: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Path, "write_text", fail)
    ended = script("trail_stop", applies=True, code=2)
    assert ended.err == f"ConfigurationError: trail_stop.json can't be written: {reason}\n"


def test_nothing_is_sent_if_the_state_can_not_be_written(
    script: Callable[..., Ended], sandbox: botdesk.Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    script("raise_target", "--bot", "50")
    monkeypatch.setattr(Path, "write_text", fail)
    ended = script("raise_target", "--bot", "50", "--every", "1", applies=True, code=2)
    assert "No space left on device" in ended.err
    assert all(request.method in READS for request in sandbox.requests)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 418, 422, 425, 429, 499, 500, 502, 504, 520])
def test_only_a_write_that_was_certainly_not_carried_out_may_be_repeated(sandbox: botdesk.Sandbox, status: int) -> None:
    sandbox.faults.add("dca_bots.disable", "status", status=status)
    with pytest.raises(botdesk.BotdeskError) as caught:
        sandbox.client().with_options(retries=0).dca_bots.disable(41)
    is_refused = status in {400, 401, 403, 404, 418, 422, 429}
    assert recipes.has_no_effect(caught.value) is is_refused


def test_a_bulk_run_that_a_ban_ended_ends_the_recipe(sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
    sandbox.faults.add("dca_bots.disable", "status", status=418)
    run = recipes.Run(sandbox.client(), Namespace(apply=True, alert=[]), tmp_path / "state.json")
    with pytest.raises(botdesk.BulkError), run.keep_going("all bots"):
        run.client.dca_bots.disable_many([41, 43]).raise_for_failures()


def test_pauses_are_positive(script: Callable[..., Ended]) -> None:
    for every in ("-1", "0", "nan", "inf"):
        assert "must be more than 0" in script("raise_target", "--every", every, code=2).err


def test_apply_and_dry_run_exclude_each_other(script: Callable[..., Ended]) -> None:
    assert "exclude each other" in script("raise_target", "--dry-run", applies=True, code=2).err


def test_every_recipe_is_tested_and_described() -> None:
    names = {path.stem for path in FOLDER.glob("*.py")}
    tests = Path(__file__).read_text("utf-8")
    page = (FOLDER.parents[1] / "docs" / "recipes-scripts.md").read_text("utf-8")
    assert {name for name in names if f'"{name}"' not in tests or f"{name}.py" not in page} == set()
