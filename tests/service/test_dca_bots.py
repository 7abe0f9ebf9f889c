"""The operations on DCA bots: requests, results, and rejected arguments."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

import botdesk
from botdesk import DcaBot, Records

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from .conftest import BotSandbox, Sent, Service


class Nowhere(tzinfo):
    """A timezone that does not know its offset."""

    def utcoffset(self, _: datetime | None) -> timedelta | None:
        return None

    def dst(self, _: datetime | None) -> timedelta | None:
        return None

    def tzname(self, _: datetime | None) -> str | None:
        return None

    def __repr__(self) -> str:
        return "Nowhere()"


IST = timezone(timedelta(hours=5, minutes=30))
MARCH = datetime(2024, 3, 1, 8, tzinfo=UTC)

# Arguments of a list, and the query that they are sent as.
QUERIES: list[tuple[dict[str, Any], str | None]] = [
    ({}, None),
    ({"quote": "ü &=+/?#%"}, "quote=%C3%BC%20%26%3D%2B%2F%3F%23%25"),
    ({"from_": 1_709_280_000}, "from=1709280000"),
    ({"from_": 0}, "from=0"),
    ({"from_": -1}, "from=-1"),
    ({"from_": "2024-03-01T08:00:00.000Z"}, "from=2024-03-01T08%3A00%3A00.000Z"),
    ({"from_": "2024-03-01T08:00:00+02:00"}, "from=2024-03-01T08%3A00%3A00%2B02%3A00"),
    ({"from_": MARCH}, "from=1709280000"),
    ({"from_": datetime.max.replace(tzinfo=UTC)}, "from=253402300799"),
    ({"from_": date(2024, 3, 1)}, "from=1709251200"),
    ({"from_": date(9999, 12, 31)}, "from=253402214400"),
    ({"from_": "2024-03-01"}, "from=2024-03-01"),
    ({"from_": "9999-12-31T23:59:59.999Z"}, "from=9999-12-31T23%3A59%3A59.999Z"),
    ({"from_": MARCH.astimezone(IST)}, "from=1709280000"),
    ({"from_": MARCH.replace(microsecond=999_999)}, "from=1709280000"),
    ({"from_": datetime(1969, 12, 31, 23, 59, 59, 500_000, tzinfo=UTC)}, "from=-1"),
    (dict.fromkeys(["limit", "from_", "scope", "strategy", "quote", "sort_by", "order_direction"]), None),
    (
        {
            "quote": "USDT",
            "order_direction": "ASC",
            "sort_by": "profit",
            "strategy": "long",
            "scope": "enable",
            "account_id": 1001,
            "from_": 1,
            "offset": 0,
            "limit": 2,
        },
        "limit=2&offset=0&from=1&account_id=1001&scope=enable&strategy=long&sort_by=profit&order_direction=ASC&quote=USDT",
    ),
]
# What a list does not take.
REFUSED: list[tuple[str, object]] = [
    ("limit", 0),
    ("limit", 2**70),
    ("quote", b"USDT"),
    ("from_", "yesterday"),
    ("from_", "2024-13-01T00:00:00Z"),
    ("from_", 1.5),
    ("from_", True),
    ("from_", datetime(2024, 3, 1)),  # noqa: DTZ001
    ("from_", datetime(2024, 3, 1, tzinfo=Nowhere())),
]


@pytest.mark.parametrize("method", ["list", "iter", "iter_async", "watch", "watch_async"])
@pytest.mark.parametrize(("given", "meant"), [("from", "from_"), ("limt", "limit"), ("sortby", "sort_by")])
@pytest.mark.shows("promise misspelled filters")
def test_a_filter_that_is_misspelled_is_named_with_the_right_one(
    context: BotSandbox, method: str, given: str, meant: str
) -> None:
    with pytest.raises(botdesk.ValidationError) as caught:
        getattr(context.client.dca_bots, method)(**{given: 5})
    assert caught.value.errors == {given: [f"is not a field of a list of DCA bots; did you mean {meant}?"]}
    assert context.sent == []


def identifiers(bots: list[DcaBot]) -> list[int | None]:
    return [bot.id for bot in bots]


def awaited(method: Callable[..., Coroutine[Any, Any, Any]], *arguments: object, **named: object) -> Any:  # noqa: ANN401
    return asyncio.run(method(*arguments, **named))


async def gathered(walk: Any) -> list[DcaBot]:  # noqa: ANN401
    return [bot async for bot in walk]


class TestList:
    @pytest.mark.parametrize(("arguments", "query"), QUERIES, ids=[ascii(arguments) for arguments, _ in QUERIES])
    @pytest.mark.shows("fact from of some servers", "promise dates")
    def test_an_argument_is_sent_as_the_api_reference_s_parameter(
        self, context: BotSandbox, arguments: dict[str, Any], query: str | None
    ) -> None:
        context.client.dca_bots.list(**arguments)
        asyncio.run(context.client.dca_bots.list_async(**arguments))
        assert [(sent.method, sent.path, sent.query, sent.body, sent.status) for sent in context.sent] == [
            ("GET", "/public/api/ver1/bots", query, "", 200)
        ] * 2

    @pytest.mark.parametrize(("argument", "value"), REFUSED, ids=ascii)
    def test_what_breaks_a_rule_is_rejected_and_not_sent(self, context: BotSandbox, argument: str, value: Any) -> None:  # noqa: ANN401
        for ask in (
            context.client.dca_bots.list,
            context.client.dca_bots.iter,
            context.client.dca_bots.iter_async,
            partial(awaited, context.client.dca_bots.list_async),
        ):
            with pytest.raises(botdesk.ValidationError) as caught:
                ask(**{argument: value})
            assert list(caught.value.errors) == [argument]
        assert context.sent == []

    def test_arguments_have_no_positions(self, context: BotSandbox) -> None:
        with pytest.raises(TypeError):
            context.client.dca_bots.list(5)

    def test_an_unknown_argument_is_rejected(self, context: BotSandbox) -> None:
        with pytest.raises(botdesk.ValidationError, match="page: is not a field of a list of DCA bots"):
            context.client.dca_bots.list(page=2)

    @pytest.mark.shows("response deals of a list")
    def test_a_page_is_a_list_of_records_without_deals(self, context: BotSandbox) -> None:
        page: Records[DcaBot] = context.client.dca_bots.list(limit=3)
        assert type(page) is Records
        assert [type(bot) for bot in page] == [DcaBot] * 3
        assert all(bot.active_deals is None and "active_deals" not in bot.fields_set for bot in page)

    @pytest.mark.shows("response page of a list")
    def test_a_page_has_50_bots_by_default(self, client_with_60_bots: botdesk.Client) -> None:
        assert len(client_with_60_bots.dca_bots.list()) == 50

    @pytest.mark.shows("response order of a list")
    def test_the_newest_bots_come_first(self, context: BotSandbox) -> None:
        made = [bot.created_at for bot in context.client.dca_bots.list()]
        assert made == sorted(made, reverse=True)
        assert [bot.created_at for bot in context.client.dca_bots.list(order_direction="ASC")] == made[::-1]

    def test_from_leaves_out_what_was_made_before_in_all_its_forms(self, context: BotSandbox) -> None:
        bots = context.client.dca_bots.list(order_direction="ASC")
        after = bots[4].created_at
        assert after is not None
        for from_ in (after, after.astimezone(IST), int(after.timestamp()), after.isoformat()):
            newer = context.client.dca_bots.list(order_direction="ASC", from_=from_)
            assert identifiers(newer)[-7:] == identifiers(bots[5:])
            assert all(bot.created_at >= after.replace(microsecond=0) for bot in newer)

    def test_from_the_end_of_time_leaves_out_all(self, context: BotSandbox) -> None:
        assert context.client.dca_bots.list(from_="9999-12-31T23:59:59Z") == []
        assert len(context.client.dca_bots.list(from_="0001-01-01T00:00:00Z")) == 12


class TestIter:
    def test_an_ended_async_iterator_stays_ended(self, context: BotSandbox) -> None:
        async def main() -> None:
            iterator = context.client.dca_bots.iter_async()
            assert len([bot async for bot in iterator]) == 12
            with pytest.raises(StopAsyncIteration):
                await anext(iterator)

        asyncio.run(main())

    def test_an_iterator_is_its_own_iterator(self, context: BotSandbox) -> None:
        iterator, async_iterator = context.client.dca_bots.iter(), context.client.dca_bots.iter_async()
        assert iter(iterator) is iterator
        assert aiter(async_iterator) is async_iterator

    def test_bots_of_an_iterator_remember_their_client(self, context: BotSandbox) -> None:
        assert next(context.client.dca_bots.iter()).disable().is_enabled is False

    def test_a_bot_that_moves_to_a_later_page_is_reported_once(self, context: BotSandbox) -> None:
        walk = context.client.dca_bots.iter(limit=4, sort_by="updated_at", order_direction="ASC")
        seen = [next(walk) for _ in range(4)]
        seen[0].edit(name="moves to the end")
        seen.extend(walk)
        assert len(set(identifiers(seen))) == len(seen)

    def test_a_bot_that_is_pushed_to_the_next_page_is_reported_once(self, context: BotSandbox) -> None:
        order = identifiers(context.client.dca_bots.list(sort_by="updated_at"))
        walk = context.client.dca_bots.iter(limit=4, sort_by="updated_at")
        seen = [next(walk) for _ in range(4)]
        context.client.dca_bots.disable(order[-1] or 0)
        seen.extend(walk)
        assert identifiers(seen) == order

    def test_a_page_that_was_reported_already_does_not_end_the_iterator(self, context: BotSandbox) -> None:
        order = identifiers(context.client.dca_bots.list(sort_by="updated_at"))
        walk = context.client.dca_bots.iter(limit=1, sort_by="updated_at")
        seen = [next(walk)]
        context.client.dca_bots.disable(order[-1] or 0)
        seen.extend(walk)
        assert sorted(identifiers(seen), key=str) == sorted(order, key=str)

    def test_a_loop_that_disables_each_bot_misses_none(self, client_with_60_bots: botdesk.Client) -> None:
        client = client_with_60_bots
        enabled = identifiers(list(client.dca_bots.iter(scope="enable")))
        seen = [bot.disable().id for bot in client.dca_bots.iter(scope="enable", limit=10)]
        assert sorted(seen, key=str) == sorted(enabled, key=str)
        assert client.dca_bots.list(scope="enable") == []

    def test_an_async_loop_that_disables_each_bot_misses_none(self, client_with_60_bots: botdesk.Client) -> None:
        client = client_with_60_bots

        async def disable_all() -> list[int | None]:
            return [
                (await bot.disable_async()).id async for bot in client.dca_bots.iter_async(scope="enable", limit=10)
            ]

        enabled = identifiers(list(client.dca_bots.iter(scope="enable")))
        assert sorted(asyncio.run(disable_all()), key=str) == sorted(enabled, key=str)
        assert client.dca_bots.list(scope="enable") == []

    @pytest.mark.shows("promise a list that shifts")
    @pytest.mark.parametrize("iterate", ["iter", "iter_async"])
    def test_an_iteration_misses_no_bot_while_others_disable_bots(
        self, service: Service, service_client: botdesk.Client, iterate: str
    ) -> None:
        enabled = list(range(240, 0, -1))

        def respond(sent: Sent) -> str:
            if len(service.sent) in (2, 3):
                del enabled[:2]
            query = parse_qs(urlsplit(sent.target).query)
            offset, limit = int(query["offset"][0]), int(query["limit"][0])
            return json.dumps([{"id": number} for number in enabled[offset : offset + limit]])

        service.respond = respond
        walk = getattr(service_client.dca_bots, iterate)(scope="enable")
        seen = list(walk) if iterate == "iter" else asyncio.run(gathered(walk))
        assert sorted(identifiers(seen), key=str) == sorted(range(1, 241), key=str)

    def test_a_loop_that_edits_each_bot_sees_each_bot_once(self, client_with_60_bots: botdesk.Client) -> None:
        client = client_with_60_bots
        walk = client.dca_bots.iter(sort_by="updated_at", order_direction="ASC", limit=10)
        seen = [bot.edit(name="edited").id for bot in walk]
        assert len(seen) == len(set(seen)) == 60


class TestGet:
    @pytest.mark.parametrize("bot_id", [41.0, np.float64(41), Decimal("41.0")], ids=repr)
    def test_the_identifier_may_come_from_a_sheet(self, context: BotSandbox, bot_id: Any) -> None:  # noqa: ANN401
        assert context.client.dca_bots.get(bot_id).id == 41

    def test_the_largest_identifier_of_a_record_is_requested(self, service_client: botdesk.Client) -> None:
        assert service_client.dca_bots.get(2**63 - 1).id == 2**63 - 1

    def test_it_returns_the_open_deals(self, context: BotSandbox) -> None:
        bot = context.client.dca_bots.get(41)
        assert bot.active_deals
        assert {deal.bot_id for deal in bot.active_deals} == {41}
        assert len(bot.active_deals) == bot.active_deals_count

    def test_events_are_returned_on_request(self, context: BotSandbox) -> None:
        assert context.client.dca_bots.get(41, include_events=True).extra["bot_events"]
        assert "bot_events" not in context.client.dca_bots.get(41).extra


class TestChanges:
    @pytest.mark.parametrize(
        "refresh", [DcaBot.refresh, partial(awaited, DcaBot.refresh_async)], ids=["blocking", "awaited"]
    )
    def test_refresh_returns_the_bot_as_it_is_now(
        self, context: BotSandbox, refresh: Callable[[DcaBot], DcaBot]
    ) -> None:
        context.client.dca_bots.disable(41)
        bot = refresh(context.bot)
        assert (bot.is_enabled, context.bot.is_enabled) == (False, True)
        assert bot == context.client.dca_bots.get(41)
        assert [sent.path.removeprefix("/public/api") for sent in context.sent] == [
            "/ver1/bots/41/disable",
            "/ver1/bots/41/show",
            "/ver1/bots/41/show",
        ]

    @pytest.mark.shows("response deals of a list")
    def test_a_bot_without_deals_has_an_empty_list_of_them(self, context: BotSandbox) -> None:
        idle = next(bot for bot in context.client.dca_bots.list() if bot.active_deals_count == 0)
        for answered in (idle.refresh(), idle.disable(), idle.cancel_all_deals()):
            assert answered.active_deals == []

    def test_the_bots_of_a_list_gain_their_deals_when_refreshed(self, context: BotSandbox) -> None:
        bot = next(bot for bot in context.client.dca_bots.list() if bot.id == 41)
        assert bot.active_deals is None
        assert bot.refresh().active_deals

    def test_what_is_done_twice_stays_done(self, context: BotSandbox) -> None:
        assert context.bot.disable().disable().is_enabled is False
        assert context.bot.cancel_all_deals().cancel_all_deals().is_enabled is False


# Calls that need the permission of another operation: that of a read.
DENIED: dict[str, tuple[list[str], str, Callable[[Any], object]]] = {
    "iter": (["BOTS_WRITE"], "BOTS_READ", lambda bots: next(bots.iter())),
    "watch": (["BOTS_WRITE"], "BOTS_READ", lambda bots: next(bots.watch())),
    "read to edit": (["BOTS_WRITE"], "BOTS_READ", lambda bots: bots.edit(41, name="x")),
}


class TestPermissions:
    @pytest.mark.parametrize("asked", DENIED)
    def test_a_key_without_the_permission_is_rejected(
        self, sandbox: botdesk.Sandbox, client_of: Callable[..., botdesk.Client], asked: str
    ) -> None:
        permissions, needed, ask = DENIED[asked]
        with pytest.raises(botdesk.ForbiddenError, match=needed) as caught:
            ask(client_of(sandbox, permissions).dca_bots)
        assert (caught.value.status, caught.value.error) == (403, "Forbidden")
        assert client_of(sandbox).dca_bots.get(41).is_enabled is True
