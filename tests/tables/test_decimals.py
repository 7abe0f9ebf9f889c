"""Decimals in tables: their conversion, and the warnings about those that do not fit."""

from __future__ import annotations

import json
import warnings
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from importlib import import_module
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import botdesk
from botdesk import DcaBot, Deal, Records

if TYPE_CHECKING:
    from collections.abc import Callable

# Most of them bring no types.
duckdb: Any = import_module("duckdb")
pd: Any = import_module("pandas")
pl: Any = import_module("polars")
pa: Any = import_module("pyarrow")

IGNORED = pytest.mark.filterwarnings("ignore:some decimals do not fit the table")


def bots(*profits: str | None) -> Records[DcaBot]:
    return DcaBot.list_from_json(json.dumps([{"take_profit": profit} for profit in profits]))


def column(table: Any, name: str = "take_profit") -> list[Any]:  # noqa: ANN401
    values: list[Any] = pa.table(table)[name].to_pylist()
    return values


# As strings, "63.05" comes after "363.58".
PROFITS = bots("63.05", "363.58", None, "-9.5")


def in_polars(records: Any) -> dict[str, Any]:  # noqa: ANN401
    profits = pl.DataFrame(records)["take_profit"]
    ends = {"max": profits.max(), "min": profits.min(), "sum": profits.sum()}
    return ends | {"sorted": profits.drop_nulls().sort().to_list()}


def in_pandas(records: Any) -> dict[str, Any]:  # noqa: ANN401
    profits = records.to_pandas()["take_profit"]
    ends = {"max": profits.max(), "min": profits.min(), "sum": profits.sum()}
    return ends | {"sorted": profits.dropna().sort_values().to_list()}


def in_pyarrow(records: Any) -> dict[str, Any]:  # noqa: ANN401
    compute: Any = import_module("pyarrow.compute")
    profits = pa.table(records)["take_profit"]
    ends = {name: getattr(compute, name)(profits).as_py() for name in ("max", "min", "sum")}
    return ends | {"sorted": compute.take(profits, compute.sort_indices(profits)).drop_null().to_pylist()}


def in_duckdb(records: Any) -> dict[str, Any]:  # noqa: ANN401, ARG001
    # duckdb finds the records by the name of the variable.
    (row,) = duckdb.sql("select max(take_profit), min(take_profit), sum(take_profit) from records").fetchall()
    found = duckdb.sql("select take_profit from records where take_profit is not null order by 1").fetchall()
    return dict(zip(("max", "min", "sum"), row, strict=True)) | {"sorted": [profit for (profit,) in found]}


class TestCalculating:
    @pytest.mark.parametrize("calculate", [in_polars, in_pandas, in_pyarrow, in_duckdb])
    @pytest.mark.shows("promise decimals in tables")
    def test_the_greatest_the_least_and_the_sum_are_those_of_numbers(
        self, calculate: Callable[[object], dict[str, Any]]
    ) -> None:
        assert calculate(PROFITS) == {
            "max": Decimal("363.58"),
            "min": Decimal("-9.5"),
            "sum": Decimal("417.13"),
            "sorted": [Decimal("-9.5"), Decimal("63.05"), Decimal("363.58")],
        }

    def test_pages_can_be_put_together(self) -> None:
        pages = [bots("1e-7"), bots("12345678901234567890"), bots(None), bots()]
        assert pl.concat([pl.DataFrame(page) for page in pages]).height == 3
        assert pa.concat_tables([pa.table(page) for page in pages]).num_rows == 3
        frames = pd.concat([page.to_pandas() for page in pages[:3]])
        assert frames["take_profit"].dtype == pd.ArrowDtype(pa.decimal128(38, 18))

    @pytest.mark.parametrize(
        ("record", "fields"),
        [
            (
                DcaBot,
                ["min_price", "max_price", "min_price_percentage", "max_price_percentage", "reinvested_volume_usd"],
            ),
            (Deal, ["trailing_max_price", "tsl_max_price"]),
        ],
    )
    def test_prices_that_may_be_null_are_decimals(self, record: Any, fields: list[str]) -> None:  # noqa: ANN401
        first, second = (dict.fromkeys(fields, value) for value in ("63.05", 363.58))
        records = record.list_from_json(json.dumps([first, second, {}]))
        for field in fields:
            assert column(records, field) == [Decimal("63.05"), Decimal("363.58"), None]

    def test_a_value_that_is_not_a_decimal_in_a_column_of_prices_is_unreadable(self) -> None:
        records = DcaBot.list_from_json('[{"max_price": {"at": 1}}, {"max_price": "2.5"}]')
        with pytest.warns(UserWarning, match="could not be read and are null in the table: max_price of record 0$"):
            assert column(records, "max_price") == [None, Decimal("2.5")]
        assert column(records.to_arrow(decimals="text"), "max_price") == ['{"at": 1}', "2.5"]


class TestChoosing:
    def test_as_text_every_digit_stays(self) -> None:
        long = bots("1.00399920581210916146041542739", "Infinity", "1e400")
        expected = ["1.00399920581210916146041542739", "Infinity", "1e400"]
        assert column(long.to_arrow(decimals="text")) == expected
        assert long.to_polars(decimals="text")["take_profit"].to_list() == expected
        assert long.to_pandas(decimals="text")["take_profit"].to_list() == expected

    def test_floats_are_floats(self) -> None:
        assert column(PROFITS.to_arrow(decimals="float")) == [63.05, 363.58, None, -9.5]
        assert PROFITS.to_polars(decimals="float").equals(PROFITS.to_polars(floats=True))
        assert PROFITS.to_pandas(decimals="float", floats=True).equals(PROFITS.to_pandas(floats=True))

    def test_no_finite_decimal_becomes_an_infinite_float(self) -> None:
        with pytest.warns(UserWarning, match=r"too large and null: take_profit \(1\)"):
            assert column(bots("1e400", "-Infinity").to_arrow(decimals="float")) == [None, float("-inf")]

    @pytest.mark.parametrize("table", [PROFITS, botdesk.plan_grid(lower_price=1, upper_price=2, grids_quantity=3)])
    @pytest.mark.parametrize("method", ["to_arrow", "to_polars", "to_pandas"])
    def test_another_choice_is_rejected_with_the_three(self, table: Any, method: str) -> None:  # noqa: ANN401
        for wrong in ("exact", "", 5):
            with pytest.raises(ValueError, match=r"decimals: .* is not one of 'decimal', 'text', 'float'") as raised:
                getattr(table, method)(decimals=wrong)
            assert isinstance(raised.value, botdesk.ValidationError)

    @pytest.mark.parametrize("table", [PROFITS, botdesk.plan_grid(lower_price=1, upper_price=2, grids_quantity=3)])
    @pytest.mark.parametrize("method", ["to_polars", "to_pandas"])
    def test_two_choices_that_contradict_are_rejected(self, table: Any, method: str) -> None:  # noqa: ANN401
        for other in ("text", "decimal"):
            with pytest.raises(botdesk.ValidationError, match=f"'{other}' contradicts floats=True"):
                getattr(table, method)(decimals=other, floats=True)

    def test_plans_take_the_same_choices(self) -> None:
        grid = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5)
        assert grid.to_polars()["price"].max() == Decimal(140)
        assert grid.to_polars(decimals="text")["price"].to_list()[0] == "100"
        assert grid.to_pandas(decimals="float")["price"].max() == 140
        assert pa.table(grid.to_arrow(decimals="float"))["price"].to_pylist()[0] == 100
        assert column(grid, "price") == [level.price for level in grid]

    def test_a_table_is_read_as_often_as_a_library_likes(self) -> None:
        table = PROFITS.to_arrow()
        assert column(table) == column(table)
        assert repr(table) == "<ArrowTable rows=4 columns=63>"


class TestWarning:
    @pytest.mark.shows("promise decimals in tables")
    def test_one_warning_names_what_was_done_to_which_fields(self) -> None:
        records = DcaBot.list_from_json(
            json.dumps(
                [
                    {"take_profit": "1.0000000000000000005", "max_price": "1e-19"},
                    {"take_profit": "1.0000000000000000015", "max_price": 1e20},
                    {"take_profit": "Infinity", "max_price": "2"},
                    {"take_profit": "NaN", "max_price": "3"},
                ]
            )
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table = pa.table(records)
        (warning,) = caught
        assert str(warning.message) == (
            "some decimals do not fit the table; rounded to 18 places: take_profit (2), max_price (1); "
            "too large and null: max_price (1); infinite or not a number and null: take_profit (2); "
            'decimals="text" keeps every digit'
        )
        assert column(table) == [Decimal(1), Decimal("1.000000000000000002"), None, None]
        assert column(table, "max_price") == [Decimal(0), None, Decimal(2), Decimal(3)]
        assert table.schema.field("take_profit").metadata == {
            b"botdesk.rounded": b"[0, 1]",
            b"botdesk.rounded.count": b"2",
            b"botdesk.not_finite": b"[2, 3]",
            b"botdesk.not_finite.count": b"2",
        }
        assert table.schema.field("max_price").metadata == {
            b"botdesk.rounded": b"[0]",
            b"botdesk.rounded.count": b"1",
            b"botdesk.too_large": b"[1]",
            b"botdesk.too_large.count": b"1",
        }

    @pytest.mark.parametrize(
        "make",
        [pl.DataFrame, pa.table, methodcaller("to_polars"), methodcaller("to_pandas")],
        ids=["polars", "pyarrow", "to_polars", "to_pandas"],
    )
    def test_it_names_the_line_that_made_the_table(self, make: Callable[[object], object]) -> None:
        with pytest.warns(UserWarning, match="do not fit") as caught:
            make(bots("Infinity"))
        assert [warning.filename for warning in caught] == [__file__]

    @pytest.mark.shows("promise one warning for each table")
    def test_a_library_that_asks_several_times_is_warned_once(self) -> None:
        with botdesk.Sandbox(bots=0, odd_values=True) as sandbox:
            sandbox.add_dca_bot(finished_deals_profit_usd="0.1234567890123456789")
            iterator = sandbox.client().dca_bots.iter()
            for records in (bots("1.0000000000000000005"), iterator):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    for _ in range(3):
                        pa.table(records)
                    duckdb.sql("select count(*) from records").fetchall()
                assert ["do not fit the table" in str(warning.message) for warning in caught] == [True]

    def test_plans_warn_as_well(self) -> None:
        ladder = botdesk.plan_ladder(
            price=7, base_order_volume=80, safety_order_volume=30, max_safety_orders=1, safety_order_step_percentage=3
        )
        with pytest.warns(UserWarning, match=r"rounded to 18 places: quantity \(2\), average_price \(1\);"):
            ladder.to_polars()

    @pytest.mark.shows("promise records with issues")
    def test_the_metadata_of_a_long_table_stays_short(self) -> None:
        with pytest.warns(UserWarning, match=r"take_profit \(1000\)"):
            table = pa.table(bots(*["1.0000000000000000005"] * 1000))
        assert table.schema.field("take_profit").metadata == {
            b"botdesk.rounded": b"[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            b"botdesk.rounded.count": b"1000",
        }

    def test_what_fits_is_not_warned_of(self) -> None:
        fitting = bots("-0.0", "1.50000000000000000000000", "99999999999999999999.999999999999999999", "1e-18", "0e99")
        assert column(fitting) == [bot.take_profit for bot in fitting]


class TestLibrariesThatTakeNoTable:
    @pytest.mark.parametrize(
        "thing", [PROFITS, botdesk.plan_grid(lower_price=1, upper_price=2, grids_quantity=3)], ids=["list", "plan"]
    )
    @pytest.mark.shows("promise tables of iterators")
    def test_pandas_makes_no_column_of_objects(self, thing: object) -> None:
        with pytest.raises(TypeError, match=r"botdesk\.Records\(…\)\.to_pandas\(\) for a table"):
            pd.DataFrame(thing)
        assert len(Records(iter(thing)).to_pandas()) == len(thing)  # type: ignore[call-overload, arg-type]

    def test_objects_can_be_requested(self) -> None:
        assert len(pd.Series(list(PROFITS))) == 4


@IGNORED
class TestIterators:
    @pytest.mark.shows("promise tables of iterators")
    def test_an_iterator_is_a_table_of_all_pages(self) -> None:
        with botdesk.Sandbox(bots=30, odd_values=True) as sandbox:
            listed = sandbox.client().dca_bots
            table = pl.DataFrame(listed.iter(limit=10))
            assert table.equals(Records(listed.iter(limit=10)).to_polars())
            assert table.height == 30

    def test_duckdb_may_ask_for_the_table_several_times(self) -> None:
        with botdesk.Sandbox(bots=30, odd_values=True) as sandbox:
            found = sandbox.client().dca_bots.iter(limit=10)
            assert duckdb.sql("select count(*) from found").fetchall() == [(30,)]
            assert len(sandbox.requests) == 4
            assert next(found, None) is None

    def test_what_was_taken_before_is_not_in_the_table(self) -> None:
        with botdesk.Sandbox(bots=3, odd_values=True) as sandbox:
            found = sandbox.client().dca_bots.iter()
            first = next(found)
            ids = column(found, "id")
        assert len(ids) == 2
        assert first.id not in ids

    def test_after_a_page_that_failed_the_next_table_is_whole(self) -> None:
        with botdesk.Sandbox(bots=30, odd_values=True) as sandbox:
            found = sandbox.client().dca_bots.iter(limit=10)
            next(found)
            sandbox.faults.add("dca_bots.list", kind="status", status=501, times=1)
            with pytest.raises(botdesk.ServerError):
                pl.DataFrame(found)
            assert pl.DataFrame(found).height == 29

    def test_an_iterator_without_bots_has_columns(self) -> None:
        with botdesk.Sandbox(bots=0, odd_values=True) as sandbox:
            assert pl.DataFrame(sandbox.client().dca_bots.iter()).shape == (0, 63)

    def test_its_repr_names_the_call_that_makes_a_table(self) -> None:
        with botdesk.Sandbox(odd_values=True) as sandbox:
            found = sandbox.client().dca_bots.iter()
            assert "botdesk.Records(iterator).to_pandas()" in repr(found)
            with pytest.raises(TypeError, match="for a table"):
                pd.DataFrame(found)
            assert sandbox.requests == []


DIGITS = st.text("0123456789", min_size=1, max_size=45)
SIGNS = st.sampled_from(["", "-", "+"])
EXPONENTS = st.just("") | st.builds("{}{}{}".format, st.sampled_from("eE"), SIGNS, st.integers(0, 400).map(str))
DECIMALS = st.builds(
    "{}{}{}{}".format, SIGNS, DIGITS, st.just("") | DIGITS.map(".{}".format), EXPONENTS
) | st.sampled_from(["-3.30980633289966e-05", "1e-99999999999999999", "1e99999999999999999", "0e99999999999999999"])
LAST_PLACE = Decimal(1).scaleb(-18)
PRECISION = 38


def quantized(text: str) -> Decimal | None:
    """Round as the decimals of Python do; None if the column has no room."""
    exact = Decimal(text)
    if exact and exact.adjusted() > PRECISION:
        return None
    with localcontext(prec=2 * PRECISION, Emin=-999999, Emax=999999):
        rounded = exact.quantize(LAST_PLACE, ROUND_HALF_EVEN)
        return rounded if abs(rounded) < Decimal(10) ** 20 else None


@IGNORED
@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(DECIMALS, min_size=1, max_size=5))
def test_any_decimal_is_rounded_as_python_rounds_it(texts: list[str]) -> None:
    assert column(bots(*texts)) == [quantized(text) for text in texts]
