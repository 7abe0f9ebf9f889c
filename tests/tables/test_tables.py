"""Lists of records as tables, in the libraries that people have."""

from __future__ import annotations

import inspect
import json
import sys
from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

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

# Nearly every table here holds a decimal with more than 18 places; test_decimals.py tests the warning.
pytestmark = pytest.mark.filterwarnings("ignore:some decimals do not fit the table")

LONG = "1.00399920581210916146041542739112586575949572812639182"

BOTS: list[dict[str, Any]] = [
    {
        "id": 2376446537,
        "is_enabled": True,
        "name": "Früh",
        "pairs": ["USDT_ETH", "USDT_BTC"],
        "take_profit": "1.50",
        "created_at": "2024-02-29T12:30:00.125Z",
        "deletable?": "false",
        "base_order_volume": LONG,
        "url_secret": "f3a49c8e01",
        "strategy_list": [{"strategy": "nonstop", "options": {}}],
        "max_price": 12.5,
        "mode": "long",
    },
    {"id": 2, "take_profit": None, "base_order_volume": "-3.30980633289966e-05"},
]


def bots(*held: object) -> Records[DcaBot]:
    return DcaBot.list_from_json(json.dumps(held or BOTS, ensure_ascii=False))


def from_polars(records: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    rows: list[dict[str, Any]] = pl.DataFrame(records).to_dicts()
    return rows


def from_pyarrow(records: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    rows: list[dict[str, Any]] = pa.table(records).to_pylist()
    return rows


def from_duckdb(records: Any) -> list[dict[str, Any]]:  # noqa: ANN401, ARG001
    # duckdb finds the records by the name of the variable.
    found = duckdb.sql("select * from records")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def from_pandas(records: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    frame = pd.DataFrame.from_arrow(records)
    rows: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows


@pytest.fixture(
    params=[from_polars, from_pyarrow, from_duckdb, from_pandas], ids=["polars", "pyarrow", "duckdb", "pandas"]
)
def rows_of(request: pytest.FixtureRequest) -> Callable[[object], list[dict[str, Any]]]:
    """Read records through one of the libraries."""
    reader: Callable[[object], list[dict[str, Any]]] = request.param
    return reader


class TestEachLibrary:
    def test_values_are_those_of_the_attributes(self, rows_of: Callable[[object], list[dict[str, Any]]]) -> None:
        records = bots()
        first, second = rows_of(records)
        for name in ("id", "is_enabled", "name", "deletable", "created_at"):
            assert first[name] == getattr(records[0], name), name
        assert list(first["pairs"]) == ["USDT_ETH", "USDT_BTC"]
        assert (second["id"], second["take_profit"], second["name"]) == (2, None, None)

    def test_a_decimal_is_a_decimal(self, rows_of: Callable[[object], list[dict[str, Any]]]) -> None:
        prices = [row["max_price"] for row in rows_of(bots())]
        assert prices == [Decimal("12.5"), None]
        volumes = [row["base_order_volume"] for row in rows_of(bots())]
        assert volumes == [Decimal("1.003999205812109161"), Decimal("-0.000033098063328997")]

    def test_as_text_a_decimal_keeps_every_digit(self, rows_of: Callable[[object], list[dict[str, Any]]]) -> None:
        records = bots()
        table = records.to_arrow(decimals="text")
        assert [row["base_order_volume"] for row in rows_of(table)] == [LONG, "-3.30980633289966e-05"]
        assert [Decimal(row["base_order_volume"]) for row in rows_of(table)] == [
            bot.base_order_volume for bot in records
        ]

    def test_what_is_nested_is_text(self, rows_of: Callable[[object], list[dict[str, Any]]]) -> None:
        first, _ = rows_of(bots())
        assert json.loads(first["strategy_list"]) == [{"strategy": "nonstop", "options": {}}]

    def test_undocumented_fields_are_in_the_table(self, rows_of: Callable[[object], list[dict[str, Any]]]) -> None:
        first, second = rows_of(bots())
        assert json.loads(first["extra"]) == {"mode": "long"}
        assert second["extra"] is None

    def test_no_secret_is_there(self, rows_of: Callable[[object], list[dict[str, Any]]]) -> None:
        rows = rows_of(bots())
        assert "url_secret" not in rows[0]
        assert "f3a49c8e01" not in str(rows)

    def test_every_kind_of_record_is_a_table(self, rows_of: Callable[[object], list[dict[str, Any]]]) -> None:
        with botdesk.Sandbox(odd_values=True) as sandbox:
            client = sandbox.client()
            bot = client.dca_bots.get(41)
            grid = client.grid_bots.enable(203)
        assert bot.active_deals
        assert [row["id"] for row in rows_of(Records(bot.active_deals))] == [deal.id for deal in bot.active_deals]
        assert grid.grid_lines
        prices = [row["price"] for row in rows_of(Records(grid.grid_lines))]
        assert [Decimal(price) for price in prices] == [line.price for line in grid.grid_lines]

    def test_an_empty_list_has_its_columns(self, rows_of: Callable[[object], list[dict[str, Any]]]) -> None:
        assert rows_of(DcaBot.list_from_json("[]")) == []


class TestColumns:
    def test_types_are_the_same_whatever_the_records_hold(self) -> None:
        schemas = {pl.DataFrame(page).schema.to_python().__repr__() for page in (bots(), bots()[:0], bots({"id": 1}))}
        assert len(schemas) == 1

    def test_pages_can_be_put_together(self) -> None:
        with botdesk.Sandbox(bots=30, odd_values=True) as sandbox:
            listed = sandbox.client().dca_bots
            pages = [pl.DataFrame(listed.list(limit=10, offset=offset)) for offset in (0, 10, 20)]
            assert pl.concat(pages).height == 30
            assert pl.DataFrame(Records(listed.iter(limit=10))).height == 30

    def test_the_types(self) -> None:
        schema = pa.table(bots()).schema
        types = {name: str(schema.field(name).type) for name in ("id", "is_enabled", "name", "pairs", "created_at")}
        assert types == {
            "id": "int64",
            "is_enabled": "bool",
            "name": "string",
            "pairs": "list<item: string>",
            "created_at": "timestamp[us, tz=UTC]",
        }
        assert str(schema.field("take_profit").type) == "decimal128(38, 18)"
        assert str(schema.field("max_price").type) == "decimal128(38, 18)"

    def test_the_columns_are_the_attributes(self) -> None:
        columns = pa.table(bots()).column_names
        members = ((name, inspect.getattr_static(DcaBot, name)) for name in dir(DcaBot) if name[0] != "_")
        attributes = {name for name, member in members if inspect.isdatadescriptor(member)}
        assert set(columns) == attributes - {"url_secret", "fields_set"}

    def test_times_are_in_utc(self) -> None:
        (time,) = pa.table(bots({"created_at": "2024-02-29T13:30:00.125+01:00"}))["created_at"].to_pylist()
        assert time == datetime(2024, 2, 29, 12, 30, 0, 125_000, tzinfo=UTC)


class TestWhatCannotBeRead:
    def test_it_is_null_and_reported(self) -> None:
        odd = bots({"id": "x"}, {"id": 2}, {"id": []}, {"id": 4, "take_profit": {}})
        with pytest.warns(UserWarning, match=r"null in the table: id of records 0, 2, take_profit of record 3$"):
            table = pa.table(odd)
        assert table["id"].to_pylist() == [None, 2, None, 4]
        assert table.schema.field("id").metadata == {
            b"botdesk.unreadable": b"[0, 2]",
            b"botdesk.unreadable.count": b"2",
        }
        assert table.schema.field("name").metadata is None

    def test_an_element_that_is_not_an_object_is_a_row_of_nulls(self) -> None:
        with pytest.warns(UserWarning, match=r"table: id of record 1, .* and \d+ more$"):
            table = pa.table(bots({"id": 1}, 5))
        assert table["id"].to_pylist() == [1, None]
        assert table["extra"].to_pylist() == [None, None]

    def test_lists_become_json_for_formats_without_lists(self) -> None:
        bots = DcaBot.list_from_json('[{"pairs": ["USDT_BTC", "USDT_ETH"]}, {"id": 1}]')
        pyarrow: Any = import_module("pyarrow")
        table = pyarrow.table(bots.to_arrow(lists="json"))
        assert table["pairs"].to_pylist() == ['["USDT_BTC","USDT_ETH"]', None]
        assert table.drop(["pairs"]).equals(pyarrow.table(bots).drop(["pairs"]))
        assert bots.to_polars(lists="json").write_csv().splitlines()[1].count("USDT_BTC") == 1
        assert bots.to_pandas(lists="json")["pairs"][0] == '["USDT_BTC","USDT_ETH"]'

    def test_any_other_choice_for_lists_is_rejected(self) -> None:
        with pytest.raises(botdesk.ValidationError, match="lists: must be 'list' or 'json', not 'csv'"):
            DcaBot.list_from_json("[]").to_arrow(lists="csv")  # type: ignore[arg-type]

    def test_records_of_several_kinds_are_rejected(self) -> None:
        mixed = Records([bots()[0], Deal.from_json("{}")])
        with pytest.raises(TypeError, match=r"one class, not of both DcaBot and <class 'botdesk\.Deal'>"):
            pa.table(mixed)

    def test_a_value_that_is_not_a_record_is_rejected(self) -> None:
        with pytest.raises(TypeError, match="a table needs records of botdesk, not int"):
            pa.table(Records([1, 2]))

    def test_the_error_for_an_empty_list_without_a_type_explains_what_to_do(self) -> None:
        with pytest.raises(ValueError, match=r"Records\(\[\], kind=botdesk.DcaBot\)"):
            pa.table(Records())
        assert pa.table(Records([], kind=Deal)).num_rows == 0

    def test_an_empty_iterator_has_the_type_of_its_elements(self) -> None:
        with botdesk.Sandbox(bots=0, odd_values=True) as sandbox:
            found = Records(sandbox.client().dca_bots.iter())
        assert pa.table(found).column_names == pa.table(bots()).column_names
        assert pa.table(Records(found)).num_rows == 0


LADDER = botdesk.plan_ladder(
    price="2561.66911",
    tick="0.01",
    base_order_volume=80,
    safety_order_volume=30,
    max_safety_orders=2,
    safety_order_step_percentage=1,
)
GRID = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5, price=121, quantity_per_grid="0.5")


class TestPlans:
    def test_there_is_a_row_for_each_order_with_every_digit(
        self, rows_of: Callable[[object], list[dict[str, Any]]]
    ) -> None:
        rows = rows_of(LADDER.to_arrow(decimals="text"))
        assert [row["number"] for row in rows] == [0, 1, 2]
        for name in ("price", "size", "average_price"):
            assert [Decimal(row[name]) for row in rows] == [getattr(rung, name) for rung in LADDER]
        assert {row["take_profit_price"] for row in rows} == {None}

    def test_there_is_a_row_for_each_level(self, rows_of: Callable[[object], list[dict[str, Any]]]) -> None:
        rows = rows_of(GRID)
        assert [row["side"] for row in rows] == [level.side for level in GRID]
        assert rows[0] == {
            "price": Decimal(100),
            "side": "buy",
            "quantity": Decimal("0.5"),
            "profit": None,
        }

    @pytest.mark.parametrize("plan", [LADDER, GRID])
    def test_the_columns_are_the_attributes(self, plan: Any) -> None:  # noqa: ANN401
        kind = cast("Any", type(plan[0]))
        attributes = {name for name in dir(kind) if inspect.isgetsetdescriptor(inspect.getattr_static(kind, name))}
        assert set(pa.table(plan).column_names) == attributes - {"__class__"}

    def test_types_are_the_same_whatever_the_plan_holds(self) -> None:
        bare = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5)
        assert bare.to_polars().schema == GRID.to_polars().schema

    def test_floats_can_be_calculated_with(self) -> None:
        assert GRID.to_polars(floats=True)["profit"].sum() == 20
        assert GRID.to_pandas(floats=True)["price"].max() == 140

    def test_a_part_of_a_plan_is_a_table_too(self) -> None:
        assert Records(list(LADDER)[1:]).to_polars().height == 2
        with pytest.raises(TypeError, match="a table has records of one class"):
            pa.table(Records([LADDER[0], GRID[0]]))


class TestConveniences:
    def test_to_polars_is_the_table(self) -> None:
        assert bots().to_polars().equals(pl.DataFrame(bots()))

    def test_to_pandas_is_the_table(self) -> None:
        exact = bots().to_pandas()
        assert exact["max_price"].dtype == pd.ArrowDtype(pa.decimal128(38, 18))
        assert exact["take_profit"].max() == Decimal("1.5")
        text = bots().to_arrow(decimals="text")
        assert bots().to_pandas(decimals="text").equals(pd.DataFrame.from_arrow(text))

    def test_floats_can_be_calculated_with(self) -> None:
        records = bots({"take_profit": "1.5"}, {"take_profit": "2.5"}, {"take_profit": None})
        assert records.to_polars(floats=True)["take_profit"].mean() == 2.0
        assert records.to_pandas(floats=True)["take_profit"].mean() == 2.0

    @pytest.mark.parametrize(
        ("method", "missing", "line"),
        [
            ("to_polars", "polars", "pip install polars"),
            ("to_pandas", "pandas", "pip install pandas pyarrow"),
            ("to_pandas", "pyarrow", "pip install pandas pyarrow"),
        ],
    )
    def test_a_missing_library_is_named_with_the_line_that_installs_it(
        self, monkeypatch: pytest.MonkeyPatch, method: str, missing: str, line: str
    ) -> None:
        monkeypatch.setitem(sys.modules, missing, None)
        with pytest.raises(ImportError, match=line):
            getattr(bots(), method)()


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
AMOUNTS = st.decimals(min_value=-(10**15), max_value=10**15, allow_nan=False, places=12).map(str)


@settings(derandomize=True, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "id": st.integers(-(2**63), 2**63 - 1),
                "name": st.none() | TEXTS,
                "pairs": st.none() | st.lists(TEXTS, max_size=3),
                "take_profit": st.none() | AMOUNTS,
                "is_enabled": st.booleans(),
                "created_at": st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
                "note?": TEXTS,
            },
        ),
        max_size=5,
    )
)
def test_a_table_holds_what_the_records_hold(held: list[dict[str, Any]]) -> None:
    records = DcaBot.list_from_json(json.dumps(held))
    table = pa.table(records)
    for name in ("id", "name", "pairs", "is_enabled", "created_at"):
        assert table[name].to_pylist() == [getattr(bot, name) for bot in records]
    assert table["take_profit"].to_pylist() == [bot.take_profit for bot in records]
    extra: list[Any] = [json.loads(text) if text else {} for text in table["extra"].to_pylist()]
    assert extra == [bot.extra for bot in records]
