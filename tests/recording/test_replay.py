"""Replays: the requests that match, the response to those that do not, and the files that load."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import botdesk

from .scenarios import CASSETTES, FIXTURES, KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GET = CASSETTES / "dca_bots.get.har"
DISABLE = CASSETTES / "dca_bots.disable.har"
CHROMIUM = FIXTURES / "har" / "chromium.har"
MITMPROXY = FIXTURES / "har" / "mitmproxy.har"


@pytest.fixture
def disabling() -> Iterator[botdesk.Client]:
    """Return a client of a cassette on which a bot is got, disabled and got again."""
    with botdesk.Replay(DISABLE) as replay:
        yield replay.client()


def not_recorded(error: pytest.ExceptionInfo[botdesk.ApiError]) -> str:
    """Return the message of the error about a request that was not recorded."""
    assert type(error.value) is botdesk.ApiError
    assert (error.value.status, error.value.error) == (421, "not_recorded")
    return error.value.error_description or ""


class TestTheOrder:
    def test_responses_come_in_the_order_of_the_recording(self, disabling: botdesk.Client) -> None:
        assert [disabling.dca_bots.get(41).is_enabled for _ in range(2)] == [True, False]

    def test_a_read_gets_the_last_response_again(self, disabling: botdesk.Client) -> None:
        assert [disabling.dca_bots.get(41).is_enabled for _ in range(4)] == [True, False, False, False]

    def test_a_post_that_only_reads_gets_the_last_response_again(self, tmp_path: Path) -> None:
        path = tmp_path / "balances.har"
        with botdesk.Sandbox() as sandbox:
            client = sandbox.client()
            with botdesk.record(path, client):
                recorded = client.accounts.table_data(101)
        with botdesk.Replay(path) as replay:
            played = [replay.client().accounts.table_data(101) for _ in range(2)]
        assert [[balance.to_dict() for balance in balances] for balances in played] == [
            [balance.to_dict() for balance in recorded]
        ] * 2

    def test_a_write_gets_a_response_only_as_often_as_it_was_recorded(self, disabling: botdesk.Client) -> None:
        disabling.dca_bots.disable(41)
        with pytest.raises(botdesk.ApiError) as caught:
            disabling.dca_bots.disable(41)
        path = "POST /public/api/ver1/bots/41/disable"
        assert not_recorded(caught) == f"{path} was recorded once, but requested once more"


class TestUnknownRequests:
    def test_the_nearest_one_is_named_with_what_differs_in_the_query(self) -> None:
        with botdesk.Replay(CASSETTES / "dca_bots.list.har") as replay, pytest.raises(botdesk.ApiError) as caught:
            replay.client().dca_bots.list(limit=4, offset=3)
        assert not_recorded(caught) == (
            "GET /public/api/ver1/bots?limit=4&offset=3 was not recorded; the most similar recorded request is "
            "GET /public/api/ver1/bots?limit=3&offset=3, which differs in query limit: recorded 3, requested 4"
        )

    def test_the_nearest_one_is_named_with_what_differs_in_the_body(self) -> None:
        with botdesk.Replay(CASSETTES / "grid_bots.set_note.har") as replay, pytest.raises(botdesk.ApiError) as caught:
            replay.client().grid_bots.set_note(201, "bis Dienstag")
        assert 'body note: recorded "bis Montag", requested "bis Dienstag"' in not_recorded(caught)

    def test_a_different_path_is_reported(self, disabling: botdesk.Client) -> None:
        with pytest.raises(botdesk.ApiError) as caught:
            disabling.dca_bots.disable(42)
        assert "recorded /public/api/ver1/bots/41/disable, requested /public/api/ver1/bots/42/disable" in not_recorded(
            caught
        )

    def test_no_secret_is_shown(self) -> None:
        secrets = {"api_key": "exchange-key-9901", "secret": "exchange-secret-9902"}
        with botdesk.Replay(CASSETTES / "accounts.add.har") as replay, pytest.raises(botdesk.ApiError) as caught:
            replay.client().accounts.add(type="binance", name="Other", types_to_create=[], **secrets)
        assert "body customer_id: recorded <hidden>, not requested" in not_recorded(caught)
        assert not [secret for secret in secrets.values() if secret in str(caught.value) + caught.value.body]

    def test_an_empty_recording_knows_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "empty.har"
        path.write_text('{"log": {"entries": []}}', "utf-8")
        with botdesk.Replay(path, strict=True) as replay, pytest.raises(botdesk.ApiError) as caught:
            replay.client().dca_bots.list()
        assert not_recorded(caught) == "GET /public/api/ver1/bots was not recorded; the cassette is empty"

    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
    @given(note=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300))
    def test_any_other_text_is_distinguished(self, note: str) -> None:
        with botdesk.Replay(CASSETTES / "grid_bots.set_note.har") as replay:
            client = replay.client()
            if note == "bis Montag":
                return
            with pytest.raises(botdesk.ApiError) as caught:
                client.grid_bots.set_note(201, note)
            assert caught.value.error == "not_recorded"


class TestSecrets:
    def test_any_secret_fits_where_one_was_recorded(self) -> None:
        with botdesk.Replay(CASSETTES / "accounts.add.har", strict=True) as replay:
            account = replay.client().accounts.add(
                type="binance",
                name="Mein Börsenkonto",
                api_key="mine",
                secret="mine",
                customer_id="mine",
                types_to_create=["binance_margin"],
            )
        assert json.loads(account.to_json())["api_key"] == "<api_key-1>"

    @pytest.mark.parametrize(
        ("before", "after", "name"),
        [
            ("<apikey-1>", "leaked-api-key", "apikey"),
            ("<signature-1>", "bGVha2VkIHNpZ25hdHVyZQ==", "signature"),
            ("<url_secret-1>", "leaked-url-secret", "url_secret"),
        ],
    )
    def test_a_cassette_with_one_is_rejected(self, tmp_path: Path, before: str, after: str, name: str) -> None:
        path = tmp_path / "leaky.har"
        leaky = GET.read_text("utf-8").replace(before, after)
        path.write_text(leaky, "utf-8")
        with pytest.raises(botdesk.RecordingError, match=rf"has a secret .*\({name}\)") as caught:
            botdesk.Replay(path)
        assert after not in str(caught.value)
        assert path.read_text("utf-8") == leaky


class TestWhoAsks:
    def test_signatures_are_checked(self) -> None:
        with botdesk.Replay(GET) as replay:
            api_key = replay.add_key((KEYS / "public.pem").read_text("utf-8"))
            client = botdesk.Client(api_key, (KEYS / "rsa_2048.pem").read_bytes(), base_url=replay.url)
            assert client.dca_bots.get(41).id == 41
            impostor = botdesk.Client(api_key, (KEYS / "rsa_3072.pem").read_bytes(), base_url=replay.url)
            with pytest.raises(botdesk.SignatureInvalidError):
                impostor.dca_bots.get(41)

    def test_a_request_without_a_key_is_rejected(self) -> None:
        with botdesk.Replay(GET) as replay, pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{replay.url}/public/api/ver1/bots/41/show", timeout=60)  # noqa: S310
        with caught.value as response:
            assert (response.status, json.load(response)["error"]) == (401, "api_key_invalid_or_expired")

    def test_a_path_of_another_service_is_not_found(self) -> None:
        with botdesk.Replay(GET) as replay, pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{replay.url}/elsewhere", timeout=60)  # noqa: S310
        with caught.value as response:
            assert response.status == 404


class TestTheBlock:
    def test_strict_reports_requests_that_were_never_sent(self) -> None:
        with (
            pytest.raises(botdesk.RecordingError, match=r"were never made: POST .*41/disable; GET .*41/show$"),
            botdesk.Replay(DISABLE, strict=True) as replay,
        ):
            replay.client().dca_bots.get(41)

    def test_strict_works_under_asyncio(self) -> None:
        async def main() -> None:
            async with botdesk.Replay(DISABLE, strict=True) as replay:
                await replay.client().dca_bots.get_async(41)

        with pytest.raises(botdesk.RecordingError, match="were never made"):
            asyncio.run(main())

    def test_strict_does_not_hide_the_error_of_the_block(self) -> None:
        with pytest.raises(RuntimeError, match="mine"), botdesk.Replay(DISABLE, strict=True):
            raise RuntimeError("mine")

    def test_unused_responses_are_accepted_if_the_replay_is_not_strict(self) -> None:
        with botdesk.Replay(DISABLE) as replay:
            assert [entry.split()[0] for entry in replay.unused] == ["GET", "POST", "GET"]

    def test_its_port_is_freed_at_the_end(self) -> None:
        with botdesk.Replay(GET) as replay:
            client = replay.client()
        with pytest.raises(botdesk.ConnectionFailedError):
            client.dca_bots.get(41)
        replay.close()

    def test_it_shows_its_file_and_its_address(self) -> None:
        with botdesk.Replay(GET) as replay:
            assert repr(replay) == f"<Replay {GET} {replay.url}>"


class TestForeignFiles:
    def test_one_that_chromium_wrote_loads(self) -> None:
        before = CHROMIUM.read_bytes()
        with botdesk.Replay(CHROMIUM, strict=True) as replay:
            client = replay.client()
            bot = client.dca_bots.get(41, include_events=True)
            assert (bot.name, json.loads(bot.to_json())["url_secret"]) == ("Recorded in a browser", "<url_secret-1>")
            assert client.grid_bots.set_note(201, "bis Montag").note == "bis Montag"
            with pytest.raises(botdesk.TransportError):
                client.dca_bots.list()
        assert CHROMIUM.read_bytes() == before

    def test_one_that_mitmproxy_wrote_loads(self) -> None:
        with botdesk.Replay(MITMPROXY, strict=True) as replay:
            client = replay.client()
            account = client.accounts.add(type="binance", name="Proxied", api_key="a", secret="b", types_to_create=[])
            assert (account.id, json.loads(account.to_json())["api_key"]) == (1003, "<api_key-1>")
            with pytest.raises(botdesk.TransportError):
                client.dca_bots.list(limit=1)

    @pytest.mark.parametrize("path", [CHROMIUM, MITMPROXY])
    def test_their_secrets_are_served_to_nobody(self, path: Path) -> None:
        secrets = [word for word in path.read_text("utf-8").split('"') if word[-4:-2] in {"08", "18"}]
        with botdesk.Replay(path) as replay:
            assert secrets
            assert not [secret for secret in secrets if secret in "".join(replay.unused)]


class TestBrokenFiles:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", r"is not JSON \(line 1, column 0\)"),
            ("<html>", r"is not JSON \(line 1, column 1\)"),
            ("[]", "not a HAR .*log.entries"),
            ('{"log": {}}', "not a HAR"),
            ('{"log": {"entries": [{}]}}', "not a HAR"),
            ('{"log": {"entries": [{"request"', "is not JSON"),
        ],
    )
    def test_one_is_reported_and_left_unchanged(self, tmp_path: Path, text: str, message: str) -> None:
        path = tmp_path / "broken.har"
        path.write_text(text, "utf-8")
        with pytest.raises(botdesk.RecordingError, match=message):
            botdesk.Replay(path)
        assert path.read_text("utf-8") == text

    def test_the_error_for_a_file_without_content_explains_it(self, tmp_path: Path) -> None:
        har = json.loads(CHROMIUM.read_text("utf-8"))
        del har["log"]["entries"][1]["response"]["content"]["text"]
        path = tmp_path / "empty.har"
        path.write_text(json.dumps(har), "utf-8")
        with pytest.raises(
            botdesk.RecordingError, match=r"entry 2: the response body is missing; save .* with content"
        ):
            botdesk.Replay(path)

    def test_the_error_for_a_missing_file_explains_it(self, tmp_path: Path) -> None:
        with pytest.raises(botdesk.RecordingError, match=r"missing\.har can't be read: No such file"):
            botdesk.Replay(tmp_path / "missing.har")
