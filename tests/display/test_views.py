"""Lists, handles, events, changes and errors display themselves."""

from __future__ import annotations

import copy
import json
import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest

import botdesk
from botdesk import DcaBot

if TYPE_CHECKING:
    from collections.abc import Iterator

EVIL = "\x1b[2J\r\u202e<script>x</script>\n"
# What moves the cursor or the direction of writing.
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[botdesk.Sandbox]:
    with botdesk.Sandbox(seed=7) as sandbox:
        yield sandbox


def body(html: str) -> str:
    return html[html.index("</style>") :]


class TestLists:
    def test_the_deals_of_a_bot_are_a_table(self, client: botdesk.Client) -> None:
        deals = client.dca_bots.get(41).active_deals
        assert deals
        assert repr(deals).splitlines()[0].split() == [
            "id",
            "pair",
            "status",
            "created_at",
            "completed_safety_orders_count",
            "bought_volume",
            "actual_usd_profit",
        ]
        html: Any = deals
        assert "1 deal" in html._repr_html_()

    def test_they_are_still_an_ordinary_list(self, client: botdesk.Client) -> None:
        deals = client.dca_bots.get(41).active_deals
        assert isinstance(deals, list)
        assert deals == list(deals)
        assert json.dumps([deal.id for deal in deals])
        for again in (copy.copy(deals), copy.deepcopy(deals), pickle.loads(pickle.dumps(deals))):  # noqa: S301
            assert (again, repr(again)) == (deals, repr(deals))

    def test_a_list_of_strings_is_shown_as_usual(self) -> None:
        bot = DcaBot.from_json('{"pairs": ["USDT_ETH"], "active_deals": []}')
        assert (repr(bot.pairs), repr(bot.active_deals)) == ("['USDT_ETH']", "[]")

    def test_numbers_are_aligned_to_the_right(self) -> None:
        bots = DcaBot.list_from_json('[{"id": 1, "name": "a", "take_profit": "1.5"}, {"id": 100, "name": "long"}]')
        lines = repr(bots).splitlines()
        assert [line.partition("  ")[0] for line in lines] == [" id", "", "100"]
        assert lines[1].startswith("  1  ")
        assert lines[1].index("a ") == lines[2].index("long")

    def test_no_name_moves_the_cursor_of_a_terminal(self) -> None:
        bot = DcaBot.from_json(json.dumps({"id": 1, "name": EVIL, "pairs": [EVIL], "active_deals": [{"pair": EVIL}]}))
        shown = [repr(bot), repr(botdesk.Records([bot])), repr(bot.active_deals), bot._repr_html_()]
        for text in shown:
            assert not HARMFUL.search(text), ascii(text)
            assert "<script>" not in text or not text.startswith("<style>")
        assert len(shown[1].splitlines()) == 2

    def test_iterators_say_how_to_get_a_table(self, client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
        before = len(sandbox.requests)
        bots, more = client.dca_bots.iter(), client.dca_bots.iter_async()
        assert "botdesk.Records(iterator).to_pandas()" in repr(bots)
        assert "botdesk.Records([bot async for bot in iterator])" in repr(more)
        for iterator in (bots, more):
            assert "for a table" in iterator._repr_html_()
        assert len(sandbox.requests) == before

    def test_received_requests_are_a_table(self, client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
        client.dca_bots.get(41)
        columns, *_, last = repr(sandbox.requests).splitlines()
        names = ["method", "path", "query", "body", "status", "carried_out", "fault", "signed_form"]
        assert columns.split() == names
        assert last.split()[:2] == ["GET", "/public/api/ver1/bots/41/show"]

    def test_changes_are_a_table(self, client: botdesk.Client) -> None:
        watch = client.dca_bots.watch()
        watch.poll()
        client.dca_bots.get(42).edit(name="Calm", cooldown=61)
        changes = watch.poll()
        columns, row = repr(changes).splitlines()
        assert columns.split() == ["at", "kind", "of", "changes"]
        assert "edited" in row
        html: Any = changes
        assert "1 DCA bot change" in html._repr_html_()

    def test_the_changes_of_a_preview_are_a_table(self, client: botdesk.Client) -> None:
        changes = client.dca_bots.get(41).preview_edit(cooldown=61).changes
        assert [line.split() for line in repr(changes).splitlines()] == [
            ["field", "old", "new"],
            ["cooldown", "0", "61"],
        ]


# The handles of a client, by the names of their attributes.
PARTS = ["accounts", "dca_bots", "grid_bots", "smart_trades"]


class TestHandles:
    @pytest.mark.parametrize("part", PARTS)
    def test_they_say_what_they_offer_and_for_whom(self, part: str, client: botdesk.Client) -> None:
        handle = getattr(client, part)
        whose = repr(client).removeprefix("<Client ").removesuffix(">")
        assert repr(handle).startswith(f"<{type(handle).__name__} of {whose}: ")
        methods = {name for name in dir(handle) if name[0] != "_" and not name.endswith("_async")}
        assert {*repr(handle).removesuffix(">").rpartition(": ")[2].split(", ")} == methods
        html = body(handle._repr_html_())
        assert all(f"<td>.{name}()</td>" in html for name in methods)
        assert whose in html

    def test_a_client_shows_its_parts(self, client: botdesk.Client) -> None:
        html = body(client._repr_html_())
        for part in PARTS:
            assert f"<td>.{part}</td>" in html
        assert "<td>.with_options()</td><td>Return a client with other options" in html

    def test_each_member_has_a_summary(self, client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
        for handle in (client, *(getattr(client, part) for part in PARTS), sandbox, sandbox.faults, sandbox.clock):
            rows = re.findall(r"<tr><td>(\.[^<]+)</td><td>([^<]*)</td></tr>", handle._repr_html_())
            assert rows
            assert all(summary.endswith(".") for _, summary in rows), rows

    def test_displaying_sends_no_request(self, client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
        before = len(sandbox.requests)
        for thing in (client, *(getattr(client, part) for part in PARTS), client.dca_bots.watch(), sandbox):
            repr(thing)
            thing._repr_html_()
        assert len(sandbox.requests) == before

    def test_no_secret_is_shown(self, private_key: str) -> None:
        api_key = "an-api-key-of-a-client"
        client = botdesk.Client(api_key, private_key, base_url="https://service.example")
        for thing in (client, *(getattr(client, part) for part in PARTS), botdesk.PrivateKey.load(private_key)):
            shown = repr(thing) + thing._repr_html_()
            assert api_key not in shown
            assert "PRIVATE" not in shown
            assert private_key.splitlines()[1] not in shown


class TestOtherObjects:
    def test_they_show_their_attributes(self, client: botdesk.Client, sandbox: botdesk.Sandbox) -> None:
        events: list[botdesk.RequestEvent] = []
        client.with_options(on_response=events.append).dca_bots.get(41)
        change = client.dca_bots.get(41).preview_edit(cooldown=61).changes[0]
        sandbox.faults.add("dca_bots.get", kind="status", status=501)
        pending = sandbox.faults.pending[0]
        with pytest.raises(botdesk.ServerError):
            client.with_options(retries=0).dca_bots.get(41)
        happened = sandbox.faults.happened[0]
        key = botdesk.PrivateKey.generate(2048)
        things: list[Any] = [events[0], sandbox.requests[0], change, pending, happened]
        for thing in (*things, botdesk.RateLimit(), botdesk.RetryPolicy()):
            shown: Any = thing
            assert {*shown._list_columns()} == {name for name in dir(shown) if name[0] != "_"}
            html = body(shown._repr_html_())
            names = re.findall(r'<th scope="row"(?: title="(\w+)")?>([^<]+)</th>', html)
            assert {title or words for title, words in names} >= {*shown._list_columns()}
        assert f"<td>{key.fingerprint}</td>" in key._repr_html_()

    def test_a_change_shows_its_fields_or_its_time(self, client: botdesk.Client) -> None:
        watch = client.dca_bots.watch()
        watch.poll()
        client.dca_bots.disable(43)
        (change,) = watch.poll()
        assert "disabled: bot 43" in change._repr_html_()
        assert "seen" in change._repr_html_()

    def test_a_budget_is_a_table(self, client: botdesk.Client) -> None:
        assert "resets in" in client.with_options(rate_limit=botdesk.RateLimit()).budget._repr_html_()  # type: ignore[union-attr]


class TestPreviews:
    def test_the_change_comes_first_and_the_rest_is_folded(self, client: botdesk.Client) -> None:
        html = client.dca_bots.get(41).preview_edit(take_profit="1.5")._repr_html_()
        parts = ["<td>take_profit</td>", "<details><summary>sent along unchanged: 28 fields</summary>", "left out: "]
        assert [html.index(part) for part in parts] == sorted(html.index(part) for part in parts)
        assert html.index("<summary>") < html.index('<th scope="row" title="base_order_volume">base order volume</th>')

    def test_one_without_changes_says_so(self, client: botdesk.Client) -> None:
        bot = client.dca_bots.get(41)
        preview = bot.preview_edit(name=bot.name)
        assert "nothing changes" in repr(preview)
        assert '<div class="bd-note">nothing changes</div>' in preview._repr_html_()
        many = client.dca_bots.edit_many([41], name=bot.name, preview=True)
        assert "nothing changes" in repr(many)
        assert '<div class="bd-note">nothing changes</div>' in many._repr_html_()


class TestErrors:
    def test_a_validation_error_is_a_table(self, client: botdesk.Client) -> None:
        fields: dict[str, Any] = {"cooldown": -1, "pairs": [], "profit_currency": "x"}
        with pytest.raises(botdesk.ValidationError) as caught:
            client.dca_bots.get(41).preview_edit(**fields)
        html = body(caught.value._repr_html_())
        assert "ValidationError: 3 rules are broken; nothing was sent" in html
        assert '<th scope="col">field</th><th scope="col">value</th><th scope="col">rule</th>' in html
        assert '<td>cooldown</td><td class="bd-minus">-1</td><td>must be between 0 and 2592000</td>' in html

    def test_one_without_fields_shows_its_message(self) -> None:
        assert "<td>only a &lt;message&gt;</td>" in botdesk.ValidationError("only a <message>")._repr_html_()

    def test_a_conflict_shows_what_changed(self) -> None:
        error = botdesk.EditConflictError("changed", fields={"name": ("Früh", EVIL)})
        html = body(error._repr_html_())
        assert "<td>name</td><td>Früh</td>" in html
        assert "<script>" not in html
        assert not HARMFUL.search(html)

    def test_an_error_of_the_service_shows_its_details(self, client: botdesk.Client) -> None:
        with pytest.raises(botdesk.NotFoundError) as caught:
            client.dca_bots.get(999)
        html = body(caught.value._repr_html_())
        assert "NotFoundError" in html
        assert '<th scope="row">status</th><td>404</td>' in html
        assert "/public/api/ver1/bots/999/show" in html

    def test_a_bulk_error_shows_the_outcomes(self, client: botdesk.Client) -> None:
        result = client.dca_bots.disable_many([41, 999])
        with pytest.raises(botdesk.BulkError) as caught:
            result.raise_for_failures()
        assert caught.value._repr_html_() == result._repr_html_()
        assert botdesk.BulkInterrupted("ended", result)._repr_html_() == result._repr_html_()

    def test_what_a_service_says_is_escaped(self) -> None:
        error = botdesk.ApiError(EVIL, status=422, error_attributes={EVIL: [EVIL]}, body=EVIL)
        html = body(error._repr_html_())
        assert "<script>" not in html
        assert not HARMFUL.search(html)

    def test_the_string_of_an_error_is_its_message(self) -> None:
        error = botdesk.ValidationError("pairs: wrong", errors={"pairs": ["wrong"]})
        assert (str(error), repr(error)) == ("pairs: wrong", "ValidationError('pairs: wrong')")
