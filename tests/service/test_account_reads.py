"""What is read of exchange accounts: lists, summaries, balances and volumes, in the odd forms that services send."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Service

    Call = Callable[..., Any]

pa: Any = import_module("pyarrow")
MIDNIGHT = datetime(2024, 4, 1, tzinfo=UTC)


def answer(service: Service, body: object) -> None:
    service.respond = lambda _: body if isinstance(body, str) else json.dumps(body)


class TestSummary:
    """The word `summary` in place of an identifier means all accounts together."""

    @pytest.mark.parametrize("identifier", [None, ..., 7])
    def test_it_needs_no_identifier(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        call: Call,
        identifier: Any,  # noqa: ANN401
    ) -> None:
        answer(service, {"usd_amount": "12.50"} | ({} if identifier is ... else {"id": identifier}))
        found = call(service_client.accounts, "get", "summary")
        assert (found.usd_amount, found.id) == (Decimal("12.50"), None if identifier is ... else identifier)
        assert service.sent[0].target == "/public/api/ver1/accounts/summary"

    def test_an_account_needs_its_identifier(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        answer(service, {"id": None, "usd_amount": "12.50"})
        with pytest.raises(botdesk.DecodeError, match="has no id"):
            service_client.accounts.get(1001)

    def test_a_body_that_is_no_account_is_no_summary(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        answer(service, {"pairs": []})
        with pytest.raises(botdesk.DecodeError):
            service_client.accounts.get("summary")

    @pytest.mark.parametrize("method", ["balance_chart_data", "pie_chart_data", "table_data"])
    def test_balances_can_be_those_of_all_accounts(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        call: Call,
        method: str,
    ) -> None:
        answer(service, [])
        call(service_client.accounts, method, "summary", *(["2024-03-01"] if method == "balance_chart_data" else []))
        assert service.sent[0].target.startswith("/public/api/ver1/accounts/summary/")

    @pytest.mark.parametrize("method", ["active_trading_entities", "daily_volume", "total_volume", "networks_info"])
    def test_other_operations_are_about_one_account(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        method: str,
    ) -> None:
        with pytest.raises(botdesk.ValidationError, match="account_id"):
            getattr(service_client.accounts, method)("summary")
        assert service.sent == []


class TestOddForms:
    @pytest.mark.parametrize("written", ["1711929600", '"1711929600"', '"2024-04-01T02:00:00+02:00"'])
    def test_the_time_of_a_point_is_in_seconds_or_iso_8601(self, written: str) -> None:
        point = botdesk.BalancePoint.from_json(f'{{"date": {written}}}')
        assert point.date == MIDNIGHT
        table = pa.table(botdesk.BalancePoint.list_from_json(f'[{{"date": {written}}}]').to_arrow())
        assert table["date"].to_pylist() == [MIDNIGHT]

    @pytest.mark.parametrize("written", ["1711929600.5", "true", '"today"', "99999999999999"])
    def test_any_other_time_is_unreadable(self, written: str) -> None:
        with pytest.raises(botdesk.DecodeError, match=r"BalancePoint\.date"):
            botdesk.BalancePoint.from_json(f'{{"date": {written}}}').date  # noqa: B018

    @pytest.mark.parametrize("written", ["0", "null"])
    def test_zero_is_no_side_of_a_position(self, written: str) -> None:
        text = f'{{"currency_code": "BTC", "position_type": {written}}}'
        balance = botdesk.Balance.from_json(text)
        assert balance.position_type is None
        assert "position_type" in balance.fields_set
        assert balance.to_dict()["position_type"] == json.loads(written)
        table = pa.table(botdesk.Balance.list_from_json(f"[{text}]").to_arrow())
        assert table["position_type"].to_pylist() == [None]

    @pytest.mark.parametrize("side", ["long", "short", "both"])
    def test_a_side_of_a_position_is_kept(self, side: str) -> None:
        assert botdesk.Balance.from_json(json.dumps({"position_type": side})).position_type == side

    def test_numbers_keep_every_digit_of_an_exponent(self) -> None:
        balance = botdesk.Balance.from_json('{"position": 9.52E-5, "usd_value": "0.00000000000000000000012345678901"}')
        assert (str(balance.position), balance.usd_value) == ("0.0000952", Decimal("1.2345678901E-22"))

    def test_a_portfolio_is_absent_null_or_a_value(self) -> None:
        read = botdesk.Account.from_json
        assert "auto_balance_portfolio" not in read('{"id": 1}').fields_set
        assert "auto_balance_portfolio" in read('{"id": 1, "auto_balance_portfolio": null}').fields_set
        assert read('{"id": 1, "auto_balance_portfolio": {"id": 5}}').auto_balance_portfolio == {"id": 5}

    def test_an_unknown_state_of_the_keys_is_kept(self) -> None:
        assert botdesk.Account.from_json('{"id": 1, "api_keys_state": "brand_new"}').api_keys_state == "brand_new"

    def test_counts_come_without_their_envelope(self, service: Service, service_client: Any, call: Call) -> None:  # noqa: ANN401
        answer(service, {"data": {"active_bots_count": "2", "active_deals_count": 3}})
        counts = call(service_client.accounts, "active_trading_entities", 1001)
        assert (counts.active_bots_count, counts.active_deals_count) == (2, 3)

    @pytest.mark.parametrize("body", [{"active_bots_count": 2}, {"data": 5}, {"data": []}, []])
    def test_counts_without_an_envelope_are_no_result(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        body: object,
    ) -> None:
        answer(service, body)
        with pytest.raises(botdesk.DecodeError, match=r"accounts\.active_trading_entities"):
            service_client.accounts.active_trading_entities(1001)


class TestTimeSpans:
    @pytest.mark.parametrize(
        ("given", "sent"),
        [
            (datetime(2024, 3, 1, 18, 58, tzinfo=UTC), "2024-03-01T18:58:00.000Z"),
            ("2024-03-01T18:58:00Z", "2024-03-01T18:58:00Z"),
            (1_709_319_480, "2024-03-01T18:58:00.000Z"),
            (date(2024, 3, 1), "2024-03-01T00:00:00.000Z"),
        ],
        ids=["datetime", "text", "seconds", "date"],
    )
    def test_a_start_is_sent_in_iso_8601(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        given: object,
        sent: str,
    ) -> None:
        answer(service, [])
        service_client.accounts.balance_chart_data(1001, given)
        assert parse_qsl(service.sent[0].target.partition("?")[2]) == [("date_from", sent)]

    @pytest.mark.parametrize(
        ("start", "end"),
        [
            ("2024-03-02", "2024-03-01"),
            (date(2024, 3, 2), 1_709_250_000),
            ("2024-03-01T00:00:00+01:00", "2024-02-29T22:59:59Z"),
        ],
    )
    def test_an_end_before_the_start_is_rejected(
        self,
        service: Service,
        service_client: Any,  # noqa: ANN401
        call: Call,
        start: object,
        end: object,
    ) -> None:
        with pytest.raises(botdesk.ValidationError, match=r"date_to: must not be before date_from \(2024-") as caught:
            call(service_client.accounts, "balance_chart_data", 1001, start, end)
        assert (set(caught.value.errors), service.sent) == ({"date_to"}, [])

    def test_an_end_at_the_start_is_sent(self, service: Service, service_client: Any) -> None:  # noqa: ANN401
        answer(service, [])
        service_client.accounts.balance_chart_data(1001, "2024-03-01T00:00:00+01:00", "2024-02-29T23:00:00Z")
        assert len(service.sent) == 1

    @pytest.mark.shows("rule accounts.daily_volume: date_is_a_day")
    @pytest.mark.parametrize("wrong", ["2024-3-1", "2023-02-29", "20240301", "2024-03", "today", ""])
    def test_a_day_is_written_in_one_way(self, service: Service, service_client: Any, call: Call, wrong: str) -> None:  # noqa: ANN401
        with pytest.raises(botdesk.ValidationError, match="date: must be a day such as 2024-04-01, not") as caught:
            call(service_client.accounts, "daily_volume", 1001, wrong)
        assert (set(caught.value.errors), service.sent) == ({"date"}, [])

    @pytest.mark.shows("rule accounts.monthly_volume: month_is_a_month")
    @pytest.mark.parametrize("wrong", ["2024-3", "2024-13", "2024", "2024-03-01", "March"])
    def test_a_month_is_written_in_one_way(self, service: Service, service_client: Any, call: Call, wrong: str) -> None:  # noqa: ANN401
        with pytest.raises(botdesk.ValidationError, match="month: must be a month such as 2024-04, not") as caught:
            call(service_client.accounts, "monthly_volume", 1001, wrong)
        assert (set(caught.value.errors), service.sent) == ({"month"}, [])


class TestReadsByPost:
    """Charts and tables are read with a POST, which is no write."""

    @pytest.mark.parametrize("method", ["pie_chart_data", "table_data"])
    def test_they_are_retried_like_any_read(
        self,
        service: Service,
        service_client: botdesk.Client,
        method: str,
    ) -> None:
        service.status = 503
        client = service_client.with_options(retries=botdesk.RetryPolicy(1, backoff=0.0))
        with pytest.raises(botdesk.ServerError):
            getattr(client.accounts, method)(1001)
        assert [sent.method for sent in service.sent] == ["POST", "POST"]
