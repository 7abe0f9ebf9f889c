"""The tools beyond the table: plans, backtests, comparisons, sweeps, reports and pictures. Nothing is changed."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import botdesk
from botdesk._cli import backtest_json, operations
from botdesk._cli.mcp import candles, pictures, results
from botdesk._cli.mcp.catalog import check_exact
from botdesk._cli.mcp.json_types import is_integer, is_list, is_object
from botdesk._cli.mcp.refused import RefusedError
from botdesk._cli.mcp.results import Result, from_service
from botdesk._native import _backtest_inputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from botdesk._cli.mcp.desk import Desk
    from botdesk._cli.mcp.schemas import Schema

_MOST_COMBINATIONS = 2_000
_MOST_BEST = 50
_MOST_DEALS = 50

_STRING: Schema = {"type": "string"}
_BOT_ID: Schema = {"type": "integer", "minimum": 1, "description": "A DCA bot."}
_GRID_BOT_ID: Schema = {"type": "integer", "minimum": 1, "description": "A grid bot, in place of bot_id."}
_CHANGES: Schema = {
    "type": "object",
    "description": 'Inputs of an edit of the bot, such as {"take_profit": "2.5"}; decimals as strings.',
}
_SETTINGS: Schema = {
    "type": "object",
    "description": "Settings of a DCA bot that need not exist, in place of bot_id: inputs of dca_bots.create.",
}
_PICTURE: Schema = {"type": "boolean", "description": "true for a picture too."}
_MARKET = {
    name: {"type": "string", **({"enum": each.choices} if each.choices else {}), "description": each.about.strip()}
    for name, each in operations.inputs_of(_backtest_inputs()).items()
}
_PERIOD: dict[str, Schema] = {
    "start": {**_STRING, "description": "Time from which candles count, in ISO 8601; all by default."},
    "end": {**_STRING, "description": "Time before which candles count."},
}
_CANDLES: Schema = {
    "type": ["string", "object"],
    "description": "The file of candles in an allowed folder; for several pairs, an object with one for each pair.",
}
_SIGNALS: Schema = {
    "type": "array",
    "items": _STRING,
    "description": "Times in ISO 8601 at which a deal is asked for; bots that are not nonstop open deals only then.",
}
_TEST: dict[str, Schema] = {"candles": _CANDLES, "signals": _SIGNALS, **_PERIOD, **_MARKET}
_BOT: dict[str, Schema] = {"bot_id": _BOT_ID, "grid_bot_id": _GRID_BOT_ID}
_BOT_OR_SETTINGS: dict[str, Schema] = {**_BOT, "settings": _SETTINGS}


def plan(desk: Desk, arguments: dict[str, Any]) -> Result:
    """Plan the orders of a bot."""
    market = _some(arguments, "price", "tick", "lot", "fee")
    changes = arguments.get("changes")
    bot = _bot_or_settings(desk, arguments)
    if is_object(bot):
        settings: dict[str, Any] = {**bot, **(changes or {}), **market}
        return _ladder(botdesk.plan_ladder(**settings), market, arguments)
    if isinstance(bot, botdesk.GridBot):
        if changes:
            raise RefusedError("changes: a grid can only be planned as it is; leave changes out")
        levels = bot.levels(**market)
        facts = _facts(levels, "step", "investment", "profit_per_grid", "price", "warnings")
        return _planned({**facts, "levels": _rows(levels, "side", "price", "profit")}, levels, arguments)
    if "price" not in market:
        market = {**_rates(desk, bot), **market}
    ladder = bot.preview_edit(**changes)._plan(**market) if changes else bot.ladder(**market)  # noqa: SLF001
    return _ladder(ladder, market, arguments)


def _ladder(ladder: Any, market: dict[str, Any], arguments: dict[str, Any]) -> Result:  # noqa: ANN401
    rungs = _rows(ladder, "price", "size", "quantity", "spent", "average_price", "take_profit_price")
    facts = _facts(ladder, "budget", "bot_budget", "stop_loss_price", "warnings")
    used = {"price_of_base_order": market.get("price")}
    return _planned({**facts, **used, "orders": rungs}, ladder, arguments)


def backtest(desk: Desk, arguments: dict[str, Any]) -> Result:
    """Backtest a bot as it is."""
    bot = _bot_or_settings(desk, arguments)
    options = _test_arguments(desk, bot, arguments)
    tested = botdesk.backtest(**bot, **options) if is_object(bot) else bot.backtest(**options)
    return _backtested(tested, arguments)


def compare_edit(desk: Desk, arguments: dict[str, Any]) -> Result:
    """Backtest a bot before and after an edit."""
    changes = arguments.get("changes")
    if not is_object(changes) or not changes:
        raise RefusedError('changes: give at least one input of an edit, such as {"take_profit": "2.5"}')
    bot = _bot(desk, arguments)
    tested = bot.preview_edit(**changes).backtest(**_test_arguments(desk, bot, arguments))
    return _backtested(tested, arguments)


def sweep(desk: Desk, arguments: dict[str, Any]) -> Result:
    """Backtest a bot with every combination of some settings."""
    parameters = arguments.get("parameters")
    if not is_object(parameters) or not all(map(is_list, parameters.values())):
        raise RefusedError('parameters: give a list of values for each setting, such as {"take_profit": ["1", "1.5"]}')
    count = math.prod(map(len, parameters.values()))
    if count > _MOST_COMBINATIONS:
        raise RefusedError(f"parameters: {count} combinations, and {_MOST_COMBINATIONS} are allowed; give fewer values")
    best = arguments.get("best", 10)
    if not (is_integer(best) and 1 <= best <= _MOST_BEST):
        raise RefusedError(f"best: {best!r} is not a whole number from 1 to {_MOST_BEST}")
    bot = _bot_or_settings(desk, arguments)
    options = {**_some(arguments, "objective", "folds"), **_test_arguments(desk, bot, arguments)}
    swept = botdesk.sweep(bot, parameters=parameters, progress=False, **options)
    return _planned(backtest_json.of_sweep(swept, best), swept, arguments)


def report(desk: Desk, arguments: dict[str, Any]) -> Result:
    """Add up the profits that the archive has."""
    path = desk.settings.archive
    if path is None:
        raise RefusedError("there is no archive; ask the person to start the server with --archive FILE")
    if desk.scope.is_limited:
        raise RefusedError("a report adds up all accounts and bots, and this server is limited to some of them")
    with botdesk.Archive(path) as archive:
        table = archive.report(arguments.get("by", "month"), year=arguments.get("year"))
    rows = [[results.shown(cell) for cell in row] for row in table.rows]
    return Result(from_service({"columns": list(table.columns), "rows": rows}, archive=path.name))


def overview(desk: Desk, arguments: dict[str, Any]) -> Result:
    """Add up accounts, funds, bots, deals and profits."""
    del arguments
    if desk.scope.is_limited:
        raise RefusedError("the overview adds up all accounts and bots, and this server is limited to some of them")
    return Result(from_service(results.shown(desk.client.overview().to_dict())))


def picture(desk: Desk, arguments: dict[str, Any]) -> Result:
    """Draw a bot or a deal."""
    named = [name for name in ("bot_id", "grid_bot_id", "deal_id") if name in arguments]
    if len(named) != 1:
        raise RefusedError("give one of bot_id, grid_bot_id and deal_id")
    if named == ["deal_id"]:
        record: Any = desk.client.deals.get(_whole(arguments, "deal_id"))
        desk.scope.check_record(record)
    else:
        record = _bot(desk, arguments)
    return Result({"picture": f"of {named[0]} {arguments[named[0]]}"}, images=[pictures.png(record)])


def _bot_or_settings(desk: Desk, arguments: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the settings of a bot that need not exist, or read the bot that the arguments name."""
    settings = arguments.get("settings")
    if settings is None:
        return _bot(desk, arguments)
    if not is_object(settings) or any(name in arguments for name in _BOT):
        raise RefusedError("settings: give an object, and neither bot_id nor grid_bot_id beside it")
    _check_exact(arguments)
    return settings


def _check_exact(arguments: dict[str, Any]) -> None:
    for name, value in arguments.items():
        check_exact(name, value)


def _bot(desk: Desk, arguments: dict[str, Any]) -> Any:  # noqa: ANN401
    """Read the bot that the arguments name."""
    _check_exact(arguments)
    named = [name for name in _BOT if name in arguments]
    if len(named) != 1:
        raise RefusedError("give one of bot_id and grid_bot_id")
    bot_id = _whole(arguments, named[0])
    bot = desk.client.dca_bots.get(bot_id) if named == ["bot_id"] else desk.client.grid_bots.get(bot_id)
    desk.scope.check_record(bot)
    return bot


def _whole(arguments: dict[str, Any], name: str) -> int:
    value = arguments[name]
    if not is_integer(value) or value < 1:
        raise RefusedError(f"{name}: {value!r} is not an identifier; give a whole number, at least 1")
    return value


def _rates(desk: Desk, bot: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the last price, the tick and the lot of the first pair of a bot."""
    market = desk.client.accounts.get(bot.account_id).market_code
    rates = desk.client.markets.rates(str(market), bot.pairs[0]).to_dict()
    names = {"price": "last", "tick": "priceStep", "lot": "lotStep"}
    return {name: rates[known] for name, known in names.items() if rates.get(known) is not None}


def _test_arguments(desk: Desk, bot: Any, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401
    folders, given = desk.settings.candles, arguments.get("candles")
    if is_object(given):
        read: Any = {pair: candles.read(folders, name) for pair, name in given.items()}
    else:
        read = candles.read(folders, given)
    period = {name: _time(name, arguments[name]) for name in _PERIOD if arguments.get(name) is not None}
    found = {"candles": read, **period, **_some(arguments, *_MARKET)}
    if signals := arguments.get("signals"):
        if isinstance(bot, botdesk.GridBot):
            raise RefusedError("signals: grid bots have none; leave them out")
        found["signals"] = [_time("signals", each) for each in signals]
    return found


def _time(name: str, value: Any) -> datetime:  # noqa: ANN401
    """Read a time; without a timezone, it is in UTC."""
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise RefusedError(f"{name}: {value!r} is no time; write it as 2026-01-31T12:00:00Z") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _backtested(tested: Any, arguments: dict[str, Any]) -> Result:  # noqa: ANN401
    found = backtest_json.of_backtest(tested)
    for each in (found, found.get("before"), found.get("after")):
        if each and "deals" in each:
            deals = each.pop("deals")
            # The orders of a year would be thousands of rows.
            each["orders"] = f"{len(each['orders'])} orders, not listed"
            each["deals"] = _compact(deals[:_MOST_DEALS]) if arguments.get("deals") else f"{len(deals)} deals"
            if arguments.get("deals") and len(deals) > _MOST_DEALS:
                each["deals_left_out"] = len(deals) - _MOST_DEALS
    return _planned(found, tested, arguments)


def _compact(rows: list[dict[str, Any]]) -> dict[str, Any]:
    columns = list(rows[0]) if rows else []
    return {"columns": columns, "rows": [[row[name] for name in columns] for row in rows]}


def _planned(found: dict[str, Any], drawn: Any, arguments: dict[str, Any]) -> Result:  # noqa: ANN401
    content = {"computed": results.shown(found), "note": "computed here from candles and settings; nothing was sent"}
    return Result(content, images=[pictures.png(drawn)] if arguments.get("picture") else [])


def _facts(plan: Any, *names: str) -> dict[str, Any]:  # noqa: ANN401
    return {name: getattr(plan, name) for name in names}


def _rows(plan: Any, *names: str) -> dict[str, Any]:  # noqa: ANN401
    return {"columns": list(names), "rows": [[getattr(row, name) for name in names] for row in plan]}


def _some(arguments: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: arguments[name] for name in names if arguments.get(name) is not None}


# The name, the function, the description, what it takes, and what it needs.
TOOLS: list[tuple[str, Callable[[Desk, dict[str, Any]], Result], str, dict[str, Schema], list[str]]] = [
    (
        "plan",
        plan,
        "Plan the orders of a bot's deal or the levels of its grid, as it is or after changes: prices, costs, budget.",
        {
            **_BOT_OR_SETTINGS,
            "changes": _CHANGES,
            "price": {**_STRING, "description": "Price of the base order; the last price by default."},
            **{name: _MARKET[name] for name in ("tick", "lot", "fee")},
            "picture": _PICTURE,
        },
        [],
    ),
    (
        "backtest",
        backtest,
        "Backtest a bot as it is over candles from a file.",
        {
            **_BOT_OR_SETTINGS,
            **_TEST,
            "deals": {"type": "boolean", "description": "true to list deals."},
            "picture": _PICTURE,
        },
        ["candles"],
    ),
    (
        "compare_edit",
        compare_edit,
        "Backtest a bot before and after an edit, and return the difference. The edit is not sent.",
        {**_BOT, "changes": _CHANGES, **_TEST, "picture": _PICTURE},
        ["changes", "candles"],
    ),
    (
        "sweep",
        sweep,
        f"Backtest a bot with every combination of some settings, at most {_MOST_COMBINATIONS}.",
        {
            **_BOT_OR_SETTINGS,
            "parameters": {
                "type": "object",
                "additionalProperties": {"type": "array"},
                "description": 'The values to try, such as {"take_profit": ["1", "1.5", "2"]}.',
            },
            "objective": {**_STRING, "description": "Figure of the summary to compare by; profit by default."},
            "folds": {"type": "integer", "minimum": 2, "description": "Stretches to test the best settings out of."},
            "best": {"type": "integer", "minimum": 1, "maximum": _MOST_BEST, "description": "Combinations to return."},
            **_TEST,
            "picture": _PICTURE,
        },
        ["parameters", "candles"],
    ),
    (
        "overview",
        overview,
        "Show accounts, funds in deals and free ones, bots, deals, and the profit of today and this month. Begin here.",
        {},
        [],
    ),
    (
        "report",
        report,
        "Add up the profits in the archive of the person, in USD.",
        {
            "by": {"type": "string", "enum": ["day", "month", "bot", "pair"], "description": "month by default."},
            "year": {"type": "integer", "description": "Only what was closed in this year, in UTC."},
        },
        [],
    ),
    (
        "picture",
        picture,
        "Draw a DCA bot with its open deals, a grid bot or a deal, as a PNG.",
        {**_BOT, "deal_id": {"type": "integer", "minimum": 1, "description": "A deal."}},
        [],
    ),
]
