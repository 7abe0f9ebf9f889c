"""Candles that a sandbox plays, as a script sees them."""

from __future__ import annotations

import asyncio
import pickle
import signal
import sys
import threading
import time
import warnings
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .conftest import Raw

PAIR = "USDT_NEW"
START = datetime(2024, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FLAT = ("100.0", "100.0", "100.0", "100.0")
# Takes profit at 1 %, has one safety order at 2 %, and opens its next deal at once.
BOT: dict[str, Any] = {
    "pairs": [PAIR],
    "is_enabled": True,
    "base_order_volume": 100,
    "safety_order_volume": 100,
    "take_profit": 1,
    "max_safety_orders": 1,
    "active_safety_orders_count": 1,
    "safety_order_step_percentage": 2,
    "max_active_deals": 1,
}


def rows(*prices: Sequence[str], start: datetime = START) -> list[list[Any]]:
    """Return candles of a minute each."""
    return [[start + MINUTE * minute, *candle] for minute, candle in enumerate(prices)]


def kinds(moment: botdesk.Moment) -> list[str]:
    return [event.order or event.kind for event in moment.events]


@pytest.fixture
def bot_id(sandbox: botdesk.Sandbox) -> int:
    """Return the id of a bot on the pair of the candles."""
    return sandbox.add_dca_bot(**BOT)


class TestMoments:
    def test_each_candle_is_a_moment_with_its_events(self, sandbox: botdesk.Sandbox, bot_id: int) -> None:
        candles = rows(FLAT, ("100.0", "101.5", "97.0", "101.0"), FLAT)
        moments = list(sandbox.play(candles, pair=PAIR))
        assert [moment.time - START for moment in moments] == [timedelta(seconds=45) + MINUTE * n for n in range(3)]
        assert [moment.prices for moment in moments] == [{PAIR: Decimal(price)} for price in ("100", "101", "100")]
        assert kinds(moments[0]) == ["deal_opened", "base_order"]
        # The high, which is nearer to the open, comes first. The next deal opens where the first one ended, at 101.
        assert kinds(moments[1]) == [
            *("take_profit", "deal_closed", "deal_opened", "base_order"),
            *("safety_order", "take_profit", "deal_closed", "deal_opened", "base_order"),
        ]
        filled = moments[1].events[4]
        assert (filled.bot_id, filled.kind, filled.order, filled.number) == (bot_id, "order_filled", "safety_order", 1)
        assert (filled.pair, filled.side, filled.price) == (PAIR, "buy", Decimal("98.9"))
        assert filled.time == START + MINUTE * 1.5
        assert filled.quantity == Decimal("1.01112235")
        assert (filled.reason, moments[1].events[1].reason) == (None, "take_profit")

    @pytest.mark.parametrize(("path", "first"), [("low_first", "safety_order"), ("high_first", "take_profit")])
    def test_the_path_says_which_extreme_comes_first(
        self, sandbox: botdesk.Sandbox, bot_id: int, path: Literal["low_first", "high_first"], first: str
    ) -> None:
        del bot_id
        _, moment = sandbox.play(rows(FLAT, ("100.0", "101.0", "98.0", "100.0")), pair=PAIR, path=path)
        assert kinds(moment)[0] == first

    def test_the_clock_follows_the_candles_into_the_past(self, sandbox: botdesk.Sandbox) -> None:
        sandbox.clock.real()
        (moment,) = sandbox.play(rows(FLAT), pair=PAIR)
        assert sandbox.clock.now == moment.time < datetime(2024, 2, 1, tzinfo=UTC)

    def test_timers_fire_at_their_own_times(self, sandbox: botdesk.Sandbox) -> None:
        sandbox.add_dca_bot(**{**BOT, "cooldown": 30})
        moments = list(sandbox.play(rows(FLAT, ("100.0", "101.0", "100.0", "101.0"), FLAT), pair=PAIR))
        closed, opened = moments[1].events[1], moments[2].events[0]
        assert (closed.kind, opened.kind) == ("deal_closed", "deal_opened")
        assert opened.time - closed.time == timedelta(seconds=30)

    def test_several_pairs_are_played_together(self, sandbox: botdesk.Sandbox) -> None:
        five = ("5", "5", "5", "5")
        late = rows(five, five, start=START + MINUTE)
        first, both, _ = sandbox.play({PAIR: rows(FLAT, FLAT), "USDT_LATE": late})
        assert (list(first.prices), list(both.prices)) == ([PAIR], ["USDT_LATE", PAIR])

    def test_a_grid_fills(self, sandbox: botdesk.Sandbox, client: botdesk.Client) -> None:
        grid_id = sandbox.add_grid_bot(
            pair=PAIR, current_price=120, lower_price=100, upper_price=140, grids_quantity=5, quantity_per_grid=2
        )
        client.grid_bots.enable(grid_id)
        (moment,) = sandbox.play(rows(("120", "121", "109", "111")), pair=PAIR)
        (filled,) = moment.events
        assert (filled.bot_id, filled.deal_id, filled.order, filled.number) == (grid_id, None, "grid_line", 1)

    def test_a_bot_that_disables_itself_is_an_event(self, sandbox: botdesk.Sandbox) -> None:
        sandbox.add_dca_bot(**BOT, disable_after_deals_count=1)
        (moment,) = sandbox.play(rows(FLAT), pair=PAIR)
        # As soon as the deal has opened.
        disabled = moment.events[-1]
        assert (disabled.kind, disabled.reason, disabled.pair) == ("bot_disabled", "deal_count", None)

    @pytest.mark.parametrize(("tick", "price"), [(None, "101.02"), ("0.5", "101.5")])
    def test_a_new_pair_has_the_tick_of_its_candles_or_the_given_one(
        self, sandbox: botdesk.Sandbox, bot_id: int, tick: str | None, price: str
    ) -> None:
        history = rows(("100.01", "102.00", "100.01", "102.00"))
        (moment,) = sandbox.play(history, pair=PAIR, tick=tick)
        assert next(event.price for event in moment.events if event.order == "take_profit") == Decimal(price)
        assert sandbox.finished_deals(bot_id)[0].sold_average_price == Decimal(price)

    def test_they_show_themselves(self, sandbox: botdesk.Sandbox, bot_id: int) -> None:
        playback = sandbox.play(rows(FLAT, FLAT), pair=PAIR)
        moment = next(playback)
        assert repr(playback) == "<Playback USDT_NEW=2 played=1>"
        assert repr(moment) == "<Moment 2024-01-01T00:00:45Z USDT_NEW=100 events=2>"
        event = moment.events[1]
        assert repr(event) == (
            f"<MarketEvent order_filled bot_id={bot_id} time=2024-01-01T00:00:00Z deal_id={event.deal_id} "
            "pair=USDT_NEW order=base_order side=buy price=100 quantity=1.00000000>"
        )
        assert ("base_order" in moment._repr_html_(), "base_order" in event._repr_html_()) == (True, True)
        assert event.to_dict()["time"] == START

    def test_they_pickle(self, sandbox: botdesk.Sandbox, bot_id: int) -> None:
        del bot_id
        moment, other = sandbox.play(rows(FLAT, FLAT), pair=PAIR)
        moments = [moment, other]
        assert pickle.loads(pickle.dumps(moments)) == moments  # noqa: S301 - its own pickle
        assert pickle.loads(pickle.dumps(moment.events)) == moment.events  # noqa: S301
        assert moment != other


class TestScripts:
    def test_a_script_edits_bots_between_candles(
        self, sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int
    ) -> None:
        rising = ("100.00", "104.00", "100.00", "104.00")
        for moment in sandbox.play(rows(FLAT, rising), pair=PAIR, tick="0.01"):
            if moment.time - START < MINUTE:
                client.dca_bots.get(bot_id).edit(take_profit=2)
        # The open deal keeps its settings; those after it have the new ones.
        prices = [deal.sold_average_price for deal in sandbox.finished_deals(bot_id)]
        assert prices == [Decimal(101), Decimal("103.02")]

    def test_other_clients_act_between_candles(self, sandbox: botdesk.Sandbox, raw: Raw, bot_id: int) -> None:
        playback = sandbox.play(rows(FLAT, FLAT), pair=PAIR)
        next(playback)
        for action in ("disable", "cancel_all_deals"):
            assert raw.send("POST", f"/ver1/bots/{bot_id}/{action}").status < 300
        assert next(playback).events[0].reason == "cancelled"
        assert [deal.status for deal in sandbox.finished_deals(bot_id)] == ["cancelled"]

    def test_fees_lower_the_profit(self) -> None:
        with botdesk.Sandbox(bots=0, fee="0.001", slippage=0) as sandbox:
            bot_id = sandbox.add_dca_bot(**BOT)
            list(sandbox.play(rows(("100", "101.301", "100", "100.5")), pair=PAIR))
            (deal,) = sandbox.finished_deals(bot_id)
            # The target is 100.1 * 1.01 / 0.999, rounded up to 101.203. The profit is 101.203 * 0.999 - 100 * 1.001.
            assert (deal.sold_average_price, deal.final_profit) == (Decimal("101.101797"), Decimal("1.001797"))

    def test_tables_and_candles_are_played_alike(self, sandbox: botdesk.Sandbox) -> None:
        history = rows(FLAT, FLAT)
        candles = botdesk.Candles(history)
        columns = ["time", "open", "high", "low", "close"]
        table = pl.DataFrame(history, schema=columns, orient="row")
        played = [list(sandbox.play(given, pair=PAIR)) for given in (history, candles, table)]
        assert played[0] == played[1] == played[2]

    def test_times_in_seconds_are_warned_of_before_the_clock_is_set(self, sandbox: botdesk.Sandbox) -> None:
        seconds = [[1735689600 + 60 * minute, 100, 101, 99, 100] for minute in range(2)]
        now = sandbox.clock.now
        message = f"the candles of {PAIR} are from 1970; if their times are in seconds, pass milliseconds"
        given: list[dict[str, Any]] = [{"candles": seconds, "pair": PAIR}, {"candles": {PAIR: seconds}}]
        for arguments in given:
            with pytest.warns(UserWarning, match=message) as warned:
                sandbox.play(**arguments)
            assert [str(warning.message) for warning in warned] == [message]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            candles = botdesk.Candles(seconds)
        with pytest.warns(UserWarning, match=message):
            sandbox.play(candles, pair=PAIR)
        sandbox.clock.set(now)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match=message):
                sandbox.play(seconds, pair=PAIR)
        assert sandbox.clock.now == now

    def test_the_playback_keeps_the_sandbox_running(self) -> None:
        playback = botdesk.Sandbox(bots=0).play(rows(FLAT), pair=PAIR)
        assert len(list(playback)) == 1


class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"candles": rows(FLAT)}, "pair: is required"),
            ({"candles": {PAIR: rows(FLAT)}, "pair": PAIR}, "pair: goes with candles of one pair"),
            ({"candles": {}}, "candles: the mapping is empty"),
            ({"candles": {1: rows(FLAT)}}, "candles: the keys must be pairs"),
            ({"candles": rows(FLAT), "pair": "NEW-USDT"}, "pair: 'NEW-USDT' is not a pair"),
            ({"candles": rows(("100", "99", "100", "100")), "pair": PAIR}, "candles: row 0: "),
            ({"candles": {PAIR: rows(FLAT, ("1", "x", "1", "1"))}}, r"candles..USDT_NEW..: row 1: high 'x' is not"),
            ({"candles": [], "pair": PAIR}, "candles: "),
            ({"candles": 7, "pair": PAIR}, "candles: expected a table"),
            ({"candles": rows(FLAT), "pair": PAIR, "path": "up"}, "path: 'up' is not one of 'nearest', "),
            ({"candles": rows(FLAT), "pair": PAIR, "tick": 0}, "tick: must be greater than 0"),
            ({"candles": rows(FLAT), "pair": PAIR, "tick": 0.1}, "tick: must be a str, a Decimal or an int, not 0.1"),
        ],
    )
    def test_wrong_arguments_are_rejected(
        self, sandbox: botdesk.Sandbox, arguments: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(botdesk.ValidationError, match=message):
            sandbox.play(**arguments)

    def test_a_closed_sandbox_ends_it(self, sandbox: botdesk.Sandbox) -> None:
        playback = sandbox.play(rows(FLAT, FLAT), pair=PAIR)
        next(playback)
        sandbox.close()
        for play in (lambda: next(playback), lambda: sandbox.play(rows(FLAT), pair=PAIR)):
            with pytest.raises(botdesk.ConfigurationError, match="the sandbox is closed"):
                play()

    def test_another_playback_ends_it(self, sandbox: botdesk.Sandbox) -> None:
        first, second = (sandbox.play(rows(FLAT), pair=PAIR) for _ in range(2))
        with pytest.raises(botdesk.ConfigurationError, match="the sandbox plays other candles"):
            next(first)
        del first
        assert len(list(second)) == 1

    def test_what_generators_raise_is_raised(self, sandbox: botdesk.Sandbox) -> None:
        def failing() -> Any:  # noqa: ANN401
            yield from rows(FLAT)
            raise OSError("the disk is gone")

        with pytest.raises(OSError, match="the disk is gone"):
            sandbox.play(failing(), pair=PAIR)


@pytest.fixture
def long_gap(sandbox: botdesk.Sandbox) -> botdesk.Playback:
    """Return a playback that is at a gap of centuries, in which a deal times out each minute."""
    sandbox.add_dca_bot(**BOT, close_deals_timeout=60)
    last = rows(FLAT, start=datetime(2600, 1, 1, tzinfo=UTC))
    playback = sandbox.play([*rows(FLAT, FLAT), *last], pair=PAIR)
    next(playback)
    next(playback)
    return playback


class TestInterrupts:
    @pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C can't be sent to a thread")
    def test_ctrl_c_ends_a_step_and_the_next_one_continues(
        self, sandbox: botdesk.Sandbox, long_gap: botdesk.Playback
    ) -> None:
        clocks = [sandbox.clock.now]
        for _ in range(2):
            timer = threading.Timer(0.2, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                next(long_gap)
            clocks.append(sandbox.clock.now)
        assert clocks[0] < clocks[1] < clocks[2]

    def test_other_threads_run_meanwhile(self, sandbox: botdesk.Sandbox, long_gap: botdesk.Playback) -> None:
        def close() -> None:
            sandbox.close()

        threading.Timer(0.2, close).start()
        with pytest.raises(botdesk.ConfigurationError, match="the sandbox is closed"):
            next(long_gap)


class TestAsync:
    def test_async_for_plays_the_same(self, sandbox: botdesk.Sandbox, bot_id: int) -> None:
        del bot_id
        history = rows(FLAT, ("100.0", "102.0", "97.0", "101.0"), FLAT)

        async def play() -> list[botdesk.Moment]:
            return [moment async for moment in sandbox.play(history, pair=PAIR)]

        times = [moment.time for moment in asyncio.run(play())]
        assert times == [moment.time for moment in sandbox.play(history, pair=PAIR)]

    def test_the_event_loop_is_free(self, long_gap: botdesk.Playback) -> None:
        async def measure() -> float:
            step = asyncio.ensure_future(anext(long_gap))
            started = time.monotonic()
            for _ in range(20):
                await asyncio.sleep(0)
            elapsed = time.monotonic() - started
            step.cancel()
            with pytest.raises(asyncio.CancelledError):
                await step
            return elapsed

        assert asyncio.run(measure()) < 10

    def test_cancelling_a_step_loses_no_candle(self, sandbox: botdesk.Sandbox) -> None:
        playback = sandbox.play(rows(*[FLAT] * 60), pair=PAIR)

        async def play() -> list[datetime]:
            times: list[datetime] = []
            while len(times) < 60:
                step = asyncio.ensure_future(anext(playback))
                for _ in range(len(times) % 4):
                    await asyncio.sleep(0)
                if len(times) % 2 == 0 and not step.done():
                    step.cancel()
                    await asyncio.wait([step])
                    step = asyncio.ensure_future(anext(playback))
                times.append((await step).time)
            return times

        times = asyncio.run(play())
        assert [later - earlier for earlier, later in pairwise(times)] == [MINUTE] * 59

    def test_the_bots_can_be_edited_meanwhile(
        self, sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int
    ) -> None:
        async def play() -> None:
            async for _ in sandbox.play(rows(FLAT, FLAT), pair=PAIR):
                await client.dca_bots.disable_async(bot_id)

        asyncio.run(play())
        assert client.dca_bots.get(bot_id).is_enabled is False
