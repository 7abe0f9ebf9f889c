"""Records keep their JSON; a field that can't be decoded affects no other field."""

from __future__ import annotations

import copy
import json
import pickle
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import botdesk
from botdesk import DcaBot, Deal, Records, Strategy, TakeProfitStep

if TYPE_CHECKING:
    from .conftest import DcaBotService

SAMPLE = (Path(__file__).parents[1] / "fixtures" / "dca_bot.json").read_text("utf-8").strip()
RECORDS: list[Any] = [DcaBot, Deal, Strategy, TakeProfitStep]
each_record = pytest.mark.parametrize("record", RECORDS)

# As the wire has them: more digits than any decimal type of fixed length holds, exponents, a negative zero.
DECIMALS = [
    "1.00399920581210916146041542739112586575949572812639182",
    "-3.30980633289966e-05",
    "1.5795860715256732e-25",
    "1E+400",
    "-0.0",
    "0",
    "100",
    "99999999999999999999999999999999999999999999999999999999999999.5",
]


class TestDecimals:
    @pytest.mark.parametrize("text", [*DECIMALS, "Infinity", "-Infinity"])
    @pytest.mark.shows("fact long decimals", "fact exponents", "fact negative zero and infinity")
    def test_a_string_reads_with_every_digit(self, text: str) -> None:
        read = DcaBot.from_json(json.dumps({"take_profit": text})).take_profit
        assert read is not None
        assert read.as_tuple() == Decimal(text).as_tuple()

    @pytest.mark.parametrize("text", DECIMALS)
    def test_a_bare_number_reads_with_every_digit(self, text: str) -> None:
        read = DcaBot.from_json(f'{{"take_profit":{text}}}').take_profit
        assert read is not None
        assert read.as_tuple() == Decimal(text).as_tuple()

    @pytest.mark.parametrize("text", ["", " 1", "1,5", "1_000", "٣", "0x10", "1e", ".5", "one"])
    def test_a_string_that_is_not_a_decimal_is_unreadable(self, text: str) -> None:
        bot = DcaBot.from_json(json.dumps({"take_profit": text}))
        with pytest.raises(botdesk.DecodeError):
            _ = bot.take_profit

    @given(st.from_regex(r"-?(0|[1-9][0-9]{0,90})(\.[0-9]{1,90})?([eE][+-]?[0-9]{1,6})?", fullmatch=True))
    @settings(derandomize=True, deadline=None)
    def test_a_decimal_of_any_length_reads_as_its_text(self, text: str) -> None:
        for value in (text, f'"{text}"'):
            read = DcaBot.from_json(f'{{"cooldown":{value}}}').cooldown
            assert read is not None
            assert read.as_tuple() == Decimal(text).as_tuple()


class TestText:
    @pytest.mark.parametrize(
        "text",
        [
            SAMPLE,
            '{ "id" :\t41 ,\r\n "name"\n:"x" }',
            r'{"name":"\u00e9\ud83d\ude00\/\"\\","pairs":["\u0041_B"]}',
            '{"zzz":1,"name":"x","aaa":2,"id":41}',
            '{"id":1,"id":2,"new":3,"new":4}',
            '{"take_profit":1.50E+01,"cooldown":-0.0}',
            "{}",
        ],
    )
    def test_to_json_is_the_text_byte_for_byte(self, text: str) -> None:
        assert DcaBot.from_json(text).to_json() == text
        assert DcaBot.from_json(text.encode()).to_json() == text

    def test_a_nested_record_has_its_own_text(self) -> None:
        bot = DcaBot.from_json('{"active_deals": [ {"id": 1 , "note":"\\u0041"} ] }')
        assert [deal.to_json() for deal in bot.active_deals or []] == ['{"id": 1 , "note":"\\u0041"}']

    def test_a_record_of_a_list_has_its_own_text(self) -> None:
        assert [bot.to_json() for bot in DcaBot.list_from_json('[ {"id": 1} ,{ "id":2}]')] == ['{"id": 1}', '{ "id":2}']

    def test_escapes_are_resolved_where_a_field_is_read(self) -> None:
        bot = DcaBot.from_json(r'{"name":"Gr\u00fcn \ud83d\ude00\n","pa\u0069rs":["A\u005fB"]}')
        assert (bot.name, bot.pairs) == ("Grün 😀\n", ["A_B"])

    def test_of_fields_with_the_same_name_the_last_one_counts(self) -> None:
        bot = DcaBot.from_json('{"id":1,"new":3,"id":2,"new":4}')
        assert (bot.id, bot.extra, bot.to_dict()) == (2, {"new": 4}, {"id": 2, "new": 4})

    def test_a_field_whose_last_value_is_null_reads_none(self) -> None:
        assert DcaBot.from_json('{"id":1,"id":null}').id is None


class TestDicts:
    def test_to_dict_has_the_names_of_the_wire_and_exact_numbers(self) -> None:
        bot = DcaBot.from_json('{"deletable?":true,"id":2376446537,"cooldown":0.10,"x":{"y":[1E2,null,"z"]}}')
        expected = {
            "deletable?": True,
            "id": 2_376_446_537,
            "cooldown": Decimal("0.10"),
            "x": {"y": [Decimal("1E2"), None, "z"]},
        }
        assert bot.to_dict() == expected
        assert str(bot.to_dict()["cooldown"]) == "0.10"

    def test_a_whole_number_is_an_int_however_long_and_any_other_a_decimal(self) -> None:
        held = DcaBot.from_json('{"a":123456789012345678901234567890,"b":1.0,"c":-0,"d":1e2}').to_dict()
        assert [type(value) for value in held.values()] == [int, Decimal, int, Decimal]
        assert held["a"] == 123_456_789_012_345_678_901_234_567_890

    def test_a_dict_can_be_changed_without_changing_the_record(self) -> None:
        bot = DcaBot.from_json('{"pairs":["A_B"],"new":[1]}')
        bot.to_dict()["pairs"].append("C_D")
        bot.extra["new"].append(2)
        assert (bot.to_dict(), bot.extra) == ({"pairs": ["A_B"], "new": [1]}, {"new": [1]})

    @pytest.mark.shows("fact unknown fields")
    def test_undocumented_fields_are_in_extra(self) -> None:
        bot = DcaBot.from_json('{"id":1,"buy_steps":[{"price":0.50}],"mode":null}')
        assert bot.extra == {"buy_steps": [{"price": Decimal("0.50")}], "mode": None}
        assert bot.fields_set == {"id"}

    @pytest.mark.shows("fact a Cyrillic key")
    def test_a_cyrillic_key_is_kept(self) -> None:
        widget = Deal.from_json('{"crypto_widget":{"\u0430ctivated":true},"\u0430ctive":1}')
        assert widget.crypto_widget is not None
        assert widget.crypto_widget.extra == {"\u0430ctivated": True}
        assert widget.extra == {"\u0430ctive": 1}

    @pytest.mark.parametrize(
        "value",
        [
            '{"$serde_json::private::Number":"5"}',
            '{"$serde_json::private::Number":"x"}',
            '{"$serde_json::private::RawValue":"5"}',
        ],
    )
    def test_no_key_has_a_meaning_of_its_own(self, value: str) -> None:
        bot = DcaBot.from_json(f'{{"new":{value}}}')
        assert bot.extra == bot.to_dict() == {"new": json.loads(value)}
        assert DcaBot.from_json(value).to_dict() == json.loads(value)

    @pytest.mark.parametrize("number", ["1e99999999999999999999", "1e-99999999999999999999", "9" * 5_000])
    def test_a_number_that_python_cannot_represent_affects_nothing_else(self, number: str) -> None:
        bot = DcaBot.from_json(f'{{"id":1,"new":{number},"min_price":{number}}}')
        assert bot.id == 1
        assert bot.to_json() == f'{{"id":1,"new":{number},"min_price":{number}}}'
        for read in (bot.to_dict, lambda: bot.extra, lambda: bot.min_price):
            with suppress(botdesk.DecodeError):
                read()

    scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    values = st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
    names = st.text() | st.sampled_from(["id", "name", "deletable?", "take_profit", "active_deals", "pairs"])

    @given(st.dictionaries(names, values), st.booleans(), st.sampled_from([None, 0, 3]))
    @settings(derandomize=True, deadline=None, max_examples=200)
    def test_any_object_comes_back_as_it_was(self, held: dict[str, Any], ascii_only: bool, indent: int | None) -> None:
        text = json.dumps(held, ensure_ascii=ascii_only, indent=indent)
        for record in RECORDS:
            read = record.from_json(text)
            assert read.to_json() == text
            assert read.to_dict() == json.loads(text, parse_float=Decimal)


class TestUnreadableFields:
    @pytest.mark.parametrize(
        ("field", "text"),
        [
            ("id", '"x"'),
            ("id", "1.5"),
            ("id", "9223372036854775808"),
            ("name", "5"),
            ("is_enabled", "1"),
            ("pairs", '"A_B"'),
            ("pairs", '["A_B",5]'),
            ("take_profit", "[]"),
            ("take_profit", "true"),
            ("strategy", "{}"),
            ("created_at", "1709280000"),
            ("strategy_list", "{}"),
            ("active_deals", "7"),
        ],
    )
    def test_a_field_of_a_wrong_type_says_which_and_what_it_holds(self, field: str, text: str) -> None:
        bot = DcaBot.from_json(f'{{"account_id":7,"{field}":{text},"account_name":"kept"}}')
        with pytest.raises(botdesk.DecodeError, match=rf"DcaBot\.{field}") as caught:
            getattr(bot, field)
        error = caught.value
        assert (error.record, error.field, error.text) == ("DcaBot", field, text)
        assert text in str(error)

    def test_it_affects_no_other_field(self) -> None:
        bot = DcaBot.from_json('{"id":"x","name":5,"account_name":"kept","take_profit":"1.5","new":[1]}')
        assert (bot.account_name, bot.take_profit, bot.extra) == ("kept", Decimal("1.5"), {"new": [1]})
        assert bot.fields_set == {"id", "name", "account_name", "take_profit"}
        assert bot.to_dict()["id"] == "x"

    @pytest.mark.parametrize("held", ['["S3CRET"]', "5", '{"a":"S3CRET"}'])
    def test_the_secret_is_not_shown(self, held: str) -> None:
        bot = DcaBot.from_json(f'{{"url_secret":{held}}}')
        with pytest.raises(botdesk.DecodeError, match=r"DcaBot\.url_secret") as caught:
            _ = bot.url_secret
        output = f"{caught.value}{caught.value.text}{caught.value.body}"
        assert held not in output
        assert "S3CRET" not in output

    @pytest.mark.parametrize("text", ['[[{"url_secret":"S3CRET"}]]', '["url_secret S3CRET"]'])
    def test_a_malformed_element_shows_no_secret_of_a_field(self, text: str) -> None:
        (odd,) = DcaBot.list_from_json(text)
        with pytest.raises(botdesk.DecodeError) as caught:
            _ = odd.id
        assert '"url_secret":"S3CRET"' not in f"{caught.value}{caught.value.text}"

    def test_a_long_value_is_cut(self) -> None:
        bot = DcaBot.from_json(json.dumps({"id": "x" * 100_000}))
        with pytest.raises(botdesk.DecodeError) as caught:
            _ = bot.id
        assert len(str(caught.value)) < 500

    def test_a_malformed_field_of_a_nested_record_affects_only_itself(self) -> None:
        bot = DcaBot.from_json('{"active_deals":[{"id":"x","pair":"A_B"},{"id":2}]}')
        first, second = bot.active_deals or []
        assert (first.pair, second.id) == ("A_B", 2)
        with pytest.raises(botdesk.DecodeError, match=r"Deal\.id"):
            _ = first.id

    @pytest.mark.parametrize(
        ("field", "good"),
        [
            ("active_deals", '{"id":1}'),
            ("strategy_list", '{"strategy":"manual"}'),
            ("take_profit_steps", '{"amount_percentage":50}'),
        ],
    )
    def test_a_malformed_element_of_a_nested_list_affects_only_itself(self, field: str, good: str) -> None:
        bot = DcaBot.from_json(f'{{"{field}":[{good},5]}}')
        first, odd = getattr(bot, field)
        assert first.to_json() == good
        assert odd.to_json() == "5"


class TestLists:
    def test_a_malformed_element_of_a_list_affects_only_itself(self) -> None:
        first, odd, last = DcaBot.list_from_json('[{"id":1}, 5, {"id":3}]')
        assert (first.id, last.id) == (1, 3)
        assert odd.to_json() == "5"
        with pytest.raises(botdesk.DecodeError, match=r"DcaBot\.id"):
            _ = odd.id

    @pytest.mark.parametrize("element", ["5", "null", '"x"', "[]", "[{}]", "true"])
    def test_every_field_of_a_malformed_element_raises(self, element: str) -> None:
        (odd,) = TakeProfitStep.list_from_json(f"[{element}]")
        for field in ("id", "amount_percentage", "profit_percentage"):
            with pytest.raises(botdesk.DecodeError):
                getattr(odd, field)

    def test_a_malformed_element_can_be_shown_copied_and_pickled(self) -> None:
        records = DcaBot.list_from_json('[{"id":1}, 5]')
        assert "unreadable" in repr(records[1])
        assert copy.deepcopy(records) == records
        assert pickle.loads(pickle.dumps(records)) == records  # noqa: S301

    def test_records_read_like_a_list(self) -> None:
        records = DcaBot.list_from_json('[{"id":1},{"id":2},{"id":3}]')
        first, second, third = made = [DcaBot.from_json(f'{{"id":{number}}}') for number in (1, 2, 3)]
        assert isinstance(records, Records)
        assert records == made
        assert made == records
        assert records != made[:2]
        assert records != "records"
        assert [bot.id for bot in records[1:]] == [2, 3]
        assert (records[-1], second in records, records.index(second), records.count(third)) == (third, True, 1, 1)
        assert list(reversed(records)) == [third, second, first]

    def test_records_are_put_together_with_lists_and_with_each_other(self) -> None:
        records = DcaBot.list_from_json('[{"id":1},{"id":2}]')
        for together in (records + records[:1], records + list(records[:1]), list(records[:1]) + records):
            assert isinstance(together, Records)
            assert sorted(str(bot.id) for bot in together) == ["1", "1", "2"]

    def test_records_cannot_be_changed(self) -> None:
        records: Any = DcaBot.list_from_json('[{"id":1}]')
        with pytest.raises(TypeError):
            records[0] = None
        with pytest.raises(AttributeError):
            records.append(None)

    def test_records_can_be_sent_where_a_list_can(self) -> None:
        steps = TakeProfitStep.list_from_json('[{"amount_percentage": 100, "profit_percentage": "2.5"}]')
        ladder = botdesk.plan_ladder(price=100, base_order_volume=10, max_safety_orders=0, take_profit_steps=steps)
        assert ladder[0].take_profit_price is not None
        assert str(ladder[0].take_profit_price) == "102.5"

    def test_an_empty_list_is_one(self) -> None:
        records = DcaBot.list_from_json("[ ]")
        assert records == []
        assert repr(records) == "[]"

    def test_records_print_as_a_table_with_a_line_for_each(self) -> None:
        records = DcaBot.list_from_json(f'[{SAMPLE},{{"id":2,"name":null,"take_profit":[]}}]')
        head, first, second = repr(records).splitlines()
        assert head.split()[:3] == ["id", "is_enabled", "name"]
        assert "Grün & ruhig" in first
        assert first.index("Grün") == head.index("name")
        assert "?" in second

    def test_a_table_has_one_line_for_each_record_whatever_it_holds(self) -> None:
        records = DcaBot.list_from_json('[{"id":1,"name":"a\\nb\\r\\tc","pairs":["x\\ny"]},{"id":2}]')
        assert len(repr(records).splitlines()) == 3

    def test_a_table_shows_no_secret(self) -> None:
        assert "f3a49c8e01" not in repr(DcaBot.list_from_json(f"[{SAMPLE}]"))


NOT_JSON = [
    "",
    " ",
    "{",
    '{"id":}',
    '{"id":1,}',
    "{'id':1}",
    "{id:1}",
    '{"id":01}',
    '{"id":1}x',
    '{"id":NaN}',
    '{"id":Infinity}',
    '{"name":"\t"}',
    '{"name":"\\x"}',
    "<html>502</html>",
]


class TestBadInput:
    @each_record
    @pytest.mark.parametrize("text", NOT_JSON)
    def test_a_value_that_is_not_json_is_rejected(self, record: type[DcaBot], text: str) -> None:
        for given_text in (text, text.encode()):
            with pytest.raises(botdesk.DecodeError, match="JSON"):
                record.from_json(given_text)
            with pytest.raises(botdesk.DecodeError, match="JSON"):
                record.list_from_json(given_text)

    @each_record
    @pytest.mark.parametrize("text", ["[]", "[{}]", "null", "5", '"x"', "true"])
    def test_a_record_is_an_object(self, record: type[DcaBot], text: str) -> None:
        with pytest.raises(botdesk.DecodeError, match="object"):
            record.from_json(text)

    @each_record
    @pytest.mark.parametrize("text", ["{}", "null", "5", '"x"', "true"])
    def test_a_list_is_an_array(self, record: type[DcaBot], text: str) -> None:
        with pytest.raises(botdesk.DecodeError, match="array"):
            record.list_from_json(text)

    def test_bytes_that_are_not_utf_8_outside_of_a_string_are_rejected(self) -> None:
        for text in (b'{"name":1\xff}', b"\xed\xa0\x80", "{}".encode("utf-16")):
            with pytest.raises(botdesk.DecodeError):
                DcaBot.from_json(text)

    def test_a_byte_order_mark_before_bytes_is_left_out(self) -> None:
        assert DcaBot.from_json(b'\xef\xbb\xbf{"id":41}').to_json() == '{"id":41}'

    @pytest.mark.parametrize("text", [b'{"id":41,"name":"caf\xe9"}', '{"id":41,"name":"caf\\udce9"}'])
    def test_a_string_that_is_not_unicode_affects_only_its_field(self, text: str | bytes) -> None:
        bot = DcaBot.from_json(text)
        assert bot.id == 41
        with pytest.raises(botdesk.DecodeError, match=r"DcaBot\.name"):
            _ = bot.name
        assert json.loads(bot.to_json())["name"].encode("utf-8", "surrogateescape") == b"caf\xe9"
        assert bot.to_dict() == {"id": 41, "name": "caf\udce9"}

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("strategy_list", '[{"strategy":"rsi","options":{"time":"\\ud83d"}}]'),
            ("pairs", '["USDT_BTC","\\ud83d"]'),
            ("take_profit", '"1.5\\ud83d"'),
            ("created_at", '"2024-03-01T00:00:00.000\\ud83d"'),
            ("min_price", '"\\ud83d"'),
        ],
    )
    def test_no_field_with_half_of_a_surrogate_pair_is_read_as_something_else(self, field: str, value: str) -> None:
        bot = DcaBot.from_json(f'{{"id":41,"{field}":{value},"new":["\\ud83d"]}}')
        with pytest.raises(botdesk.DecodeError):
            _ = [getattr(each, "options", each) for each in getattr(bot, field)]
        assert bot.extra == {"new": ["\ud83d"]}
        assert pickle.loads(pickle.dumps(bot)).to_json() == bot.to_json()  # noqa: S301

    def test_a_string_with_half_of_a_surrogate_pair_is_rejected(self) -> None:
        with pytest.raises(botdesk.DecodeError):
            DcaBot.from_json('{"name":"\ud800"}')
        with pytest.raises(botdesk.DecodeError):
            DcaBot.list_from_json('[{"name":"\udc00"}]')

    @pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
    def test_values_that_are_nested_too_deep_are_rejected(self, opening: str, closing: str) -> None:
        value = opening * 10_000 + "1" + closing * 10_000
        with pytest.raises(botdesk.DecodeError, match="deep"):
            DcaBot.from_json(f'{{"new":{value}}}')

    def test_values_nested_a_hundred_deep_are_read(self) -> None:
        value = "[" * 100 + "]" * 100
        assert DcaBot.from_json(f'{{"new":{value}}}').to_dict() == {"new": json.loads(value)}

    @pytest.mark.parametrize(
        "given_object", [None, 5, {}, [], bytearray(b"{}"), memoryview(b"{}")], ids=lambda given: type(given).__name__
    )
    def test_only_text_and_bytes_are_taken(self, given_object: Any) -> None:  # noqa: ANN401
        with pytest.raises(TypeError):
            DcaBot.from_json(given_object)
        with pytest.raises(TypeError):
            DcaBot.list_from_json(given_object)


class TestIdentity:
    def test_records_with_the_same_text_are_equal(self) -> None:
        one, other = DcaBot.from_json(SAMPLE), DcaBot.from_json(SAMPLE.encode())
        assert one == other
        assert hash(one) == hash(other)
        assert len({one, other}) == 1

    def test_records_that_differ_in_one_digit_are_not_equal(self) -> None:
        one, other = DcaBot.from_json('{"take_profit":"1.0"}'), DcaBot.from_json('{"take_profit":"1.00"}')
        assert one != other
        assert len({one, other}) == 2

    def test_records_of_different_kinds_are_not_equal(self) -> None:
        assert DcaBot.from_json("{}") != Deal.from_json("{}")
        assert DcaBot.from_json("{}") != {}

    def test_a_record_that_a_client_made_equals_one_from_its_text(self, bot_service: DcaBotService) -> None:
        bot = bot_service.bot(id=41)
        assert bot == DcaBot.from_json(bot.to_json())
        assert hash(bot) == hash(DcaBot.from_json(bot.to_json()))

    @each_record
    def test_copies_are_equal(self, record: type[DcaBot]) -> None:
        one = record.from_json('{"id":1, "strategy":"x"}')
        for other in (copy.copy(one), copy.deepcopy(one), *map(copy.deepcopy, [one])):
            assert (type(other), other, other.to_json()) == (record, one, one.to_json())

    @each_record
    @pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
    def test_a_record_comes_out_of_a_pickle_as_it_went_in(self, record: type[DcaBot], protocol: int) -> None:
        one = record.from_json('{ "id":1, "new":"\\u00e9é"}')
        other = pickle.loads(pickle.dumps(one, protocol))  # noqa: S301
        assert (type(other), other, other.to_json()) == (record, one, one.to_json())

    def test_a_pickle_of_a_record_that_a_client_made_holds_no_client(self, bot_service: DcaBotService) -> None:
        bot = pickle.loads(pickle.dumps(bot_service.bot(id=41)))  # noqa: S301
        assert bot.id == 41
        with pytest.raises(botdesk.ConfigurationError, match="not made by a client"):
            bot.disable()
        assert bot_service.sent == []

    @each_record
    @pytest.mark.parametrize("name", ["id", "strategy", "extra", "fields_set", "brand_new", "to_json"])
    def test_a_record_is_frozen(self, record: type[DcaBot], name: str) -> None:
        one = record.from_json("{}")
        with pytest.raises(AttributeError):
            setattr(one, name, 5)
        with pytest.raises(AttributeError):
            delattr(one, name)

    def test_a_record_can_only_be_made_from_text(self) -> None:
        with pytest.raises(TypeError):
            DcaBot()


class TestRepr:
    def test_one_line_shows_what_the_record_is(self) -> None:
        text = repr(DcaBot.from_json(SAMPLE))
        assert text.startswith("<DcaBot id=2376446537 ")
        assert "name='Grün & ruhig'" in text
        assert "pairs=['USDT_ETH', 'USDT_BTC']" in text
        assert text.endswith(">")

    def test_it_shows_no_secret(self) -> None:
        assert "f3a49c8e01" not in repr(DcaBot.from_json(SAMPLE))
        assert "f3a49c8e01" not in str(DcaBot.from_json(SAMPLE))

    @pytest.mark.parametrize(
        "record",
        [
            DcaBot.from_json(SAMPLE),
            DcaBot.from_json('{"name":"a\\nb\\r\\u2028c","pairs":["x\\ny"],"id":"1\\n2"}'),
            DcaBot.from_json('{"take_profit":"1\\n2"}'),
            DcaBot.from_json('{"pairs":[\n"A_B"\n]}'),
            DcaBot.from_json('{"take_profit":{\n"a":1}}'),
            DcaBot.list_from_json("[[\n]]")[0],
            Deal.from_json('{"pair":"a\\nb"}'),
            Strategy.from_json('{"strategy":"rsi","options":{\n"a":\n1}}'),
            TakeProfitStep.from_json('{"amount_percentage":"5\\n0"}'),
        ],
        ids=range(9),
    )
    def test_it_is_one_line_whatever_the_record_holds(self, record: object) -> None:
        assert len(repr(record).splitlines()) == 1

    @pytest.mark.parametrize("value", ["9" * 10_000, "x" * 10_000, [["x" * 100] * 100]], ids=["digits", "text", "list"])
    def test_it_is_short_whatever_the_record_holds(self, value: object) -> None:
        held = json.dumps(dict.fromkeys(["id", "name", "take_profit", "strategy"], value))
        assert len(repr(DcaBot.from_json(held))) < 1_000

    def test_an_empty_record_has_one_too(self) -> None:
        assert [repr(record.from_json("{}")) for record in RECORDS] == [f"<{record.__name__}>" for record in RECORDS]
