"""Transcribe the API reference into tests/reference/*.toml, one file a resource.

    python scripts/transcribe_reference.py SPEC_FOLDER

The operations, inputs, errors and records come from the tables and lists of the Markdown files in SPEC_FOLDER, not from
the rows of the package, so that tests can compare the two. The samples at the end of each file are written by hand, and
the script keeps them.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

REFERENCE = Path(__file__).parents[1] / "tests" / "reference"
HEAD = """\
# The API reference of {resource}, transcribed by `scripts/transcribe_reference.py`. Only samples are written by hand.
# A value of an input or a field is its type, followed by what the reference says of it.
"""
SAMPLES = "# Samples: a call that succeeds in a new sandbox, and the bytes that it sends.\n"

# The method of the client for each request, from the files: a new operation starts with its table and `request`.
OPERATIONS: dict[str, str] = {
    operation["request"]: f"{path.stem}.{name}"
    for path in sorted(REFERENCE.glob("*.toml"))
    for name, operation in tomllib.loads(path.read_text("utf-8")).get("operations", {}).items()
}

# What the transcription says of a field that some responses lack.
SOMETIMES = "in some responses"

# Classes whose names are not the titles of their tables without blanks; what follows the colon is the resource.
RECORDS = {
    "Display amount": "Money",
    "Pie chart entry": "BalanceShare",
    "Balance row": "Balance",
    "Rates and limits": "PairRates",
    # One record: all fields of the other, and those of the leverage.
    "Rates, limits and leverage": "PairRates",
    "Network info record": "NetworkInfo",
    "Network object": "Network",
    "Leverage type record": "LeverageType",
    "Reduce-funds info": "ReduceFundsInfo",
    "Take-profit step": "SmartTradeStep",
    "Take-profit step of a bot": "TakeProfitStep",
    "Bot step": "TakeProfitStep",
    "Take-profit step of a deal": "DealStep",
    "Custom safety step": "SafetyStep",
    "Event": "DealEvent",
    "Limits": "OrderLimits",
    "Grid market orders": "GridOrders",
    "Simple trade": "SimpleTrade",
    # `Trailing` and `StopLoss` are the short forms of inputs.
    "Trailing": "SmartTradeTrailing",
    "Stop loss": "SmartTradeStopLoss",
    "Strategy description": "StrategyDescription",
    "Stats": "BotStats",
    "Daily profits": "DailyProfit",
}
FIRST, ACCOUNTS, DEALS = "trading-automation-api.md", "api-accounts-market.md", "api-dca-deals.md"
GRIDS, TRADES, EXTRAS = "api-grid.md", "api-smart-trades.md", "api-streams-and-extras.md"


class Table(NamedTuple):
    """A table, and the line before it."""

    caption: str
    rows: list[dict[str, str]]

    def has(self, *columns: str) -> bool:
        """Return True if it has these columns."""
        return bool(self.rows) and set(columns) <= set(self.rows[0])


class Section(NamedTuple):
    """A part of a file under one heading."""

    title: str
    text: str
    tables: list[Table]

    @property
    def number(self) -> str:
        """The number of the heading, such as `1.2`."""
        return self.title.partition(" ")[0]


class Operation:
    """An operation as the reference has it."""

    def __init__(self, title: str, request: str) -> None:
        """Start with what all operations have."""
        self.name = OPERATIONS[request]
        self.title, self.request = title, request
        self.permission, self.security, self.success, self.returns = "", "SIGNED", 0, ""
        self.limit = ""
        self.errors: list[str] = []
        self.inputs: dict[str, dict[str, str]] = defaultdict(dict)

    def refuses(self, text: str) -> None:
        """Add the errors of a sentence, such as 400 `record_invalid`."""
        found = re.findall(r"([45]\d\d)[^.`\d]*?`(?:\{error: ['\"])?([^`'\"]+?)(?:['\"][^`]*\})?`", text)
        self.errors += [f"{status} {code}" for status, code in found if f"{status} {code}" not in self.errors]

    def lines(self) -> Iterator[str]:
        """Write the operation in TOML."""
        name = self.name.partition(".")[2]
        yield f"\n[operations.{name}]"
        for member in ("title", "request", "permission", "security", "success", "returns", "limit", "errors"):
            if value := getattr(self, member):
                yield f"{member} = {toml(value)}"
        for where, inputs in self.inputs.items():
            yield f"[operations.{name}.{where}]"
            yield from (f"{key(wire)} = {toml(says)}" for wire, says in inputs.items())


def toml(value: str | int | list[str]) -> str:
    """Write a string, a number or a list in TOML."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return str(value) if isinstance(value, int) else f'"{value}"'


def key(name: str) -> str:
    """Write a key in TOML."""
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else f'"{name}"'


def sections(path: Path) -> dict[str, Section]:
    """Split a file at its headings."""
    parts = re.split(r"(?m)^#+ (.+)\n", path.read_text("utf-8"))
    found: dict[str, Section] = {}
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(title.strip(), Section(title.strip(), text, list(tables(text))))
    return found


def tables(text: str) -> Iterator[Table]:
    """Read the tables of a text."""
    for found in re.finditer(r"(?m)((?:^[^|\n].*\n)?)\n?((?:^\|.*\n?)+)", text):
        lines = [line.strip()[1:-1].split("|") for line in found[2].strip().splitlines()]
        header, _, *rows = [[cell.strip() for cell in line] for line in lines]
        yield Table(found[1].strip(), [dict(zip(header, row, strict=True)) for row in rows])


def find(pattern: str, text: str, flags: re.RegexFlag = re.NOFLAG) -> re.Match[str]:
    """Return the first match, which the text must have."""
    if found := re.search(pattern, text, flags):
        return found
    message = f"{pattern!r} is not in {text!r}"
    raise LookupError(message)


def code(text: str) -> str:
    """Return a cell that holds one value."""
    return text.replace("`", "").replace("**", "").strip()


def plain(text: str) -> str:
    """Drop the marks of Markdown, and what is in parentheses or after a semicolon."""
    return re.sub(r"\*\*|`|\s*\([^)]*\)|\(S\)", "", text).partition(";")[0].strip()


TYPES = [
    (r"^int, str", "any"),
    (r"in the sample, documented as number$", "decimal"),
    (r"so a string", "text"),
    (r"\\(whole\\)", "integer"),
    (r"^arr|^array|^Array|^list of", "list"),
    (r"^(int|integer|int-string|unix)\b", "integer"),
    (r"^str, whole number", "integer"),
    (r"^(dec|decimal|str decimal|number|num)\b|decimals?$|^str, seconds", "decimal"),
    (r"^(bool|boolean|bool-string|str/bool)\b", "boolean"),
    (r"^(time|str time)\b|timestamp", "time"),
    (r"^(obj|object|json|Json)\b", "object"),
    (r"^(str|string|text)\b", "text"),
]


def type_of(text: str) -> str:
    """Return the type of an input or a field, in the words of the files."""
    text = text.replace("**", "").strip()
    found = next((name for pattern, name in TYPES if re.search(pattern, text)), "any")
    if re.match(r"(?i)arr(ay)?\[str\]", text):
        return "list of text"
    record = re.search(r"(?:\[(?:obj )?|of |object, |^obj )([A-Z][\w-]*(?: [\w-]+)*)", text.partition("(")[0])
    return f"{found} of {record_name(record[1])}" if record and found in {"list", "object"} else found


def record_name(title: str) -> str:
    """Return the class of a record."""
    title = title.strip().rstrip(".,:")
    plural = title.removesuffix("s")
    if title in RECORDS or plural in RECORDS:
        return RECORDS.get(title) or RECORDS[plural]
    words = re.split(r"[ -]", title)
    return "".join(word.capitalize() if word.islower() or word.isupper() else word for word in words)


def required(text: str) -> str:
    """Return whether an input is required."""
    text = plain(re.sub(r"listed as required|\(although it has a default\)", "listed", text)).lower()
    if text.startswith("marked yes") or "listed" in text:
        return "listed as required"
    if found := re.search(r"(?:when|if) ([\w.]+) is (?:the wallet-type code )?(\w+)", text):
        return f"required when {found[1]} is {found[2]}"
    return "required" if text.startswith("yes") else ""


def bounds(text: str) -> str:
    """Return the bounds of a number or of a length, as they are written most often."""
    text = text.replace("`", "")
    unit = " characters" if re.search(r"character|length", text) else ""
    if found := re.search(r"(?:[Gg]reater than|[Aa]bove) (-?[\d.]+) and (?:lower than|below) (\d+)", text):
        return f"between {found[1]} and {found[2]}"
    if found := re.search(r"(?<![\w.])(-?\d+(?:\.\d+)?)\.\.(\d+)", text):
        return f"{found[1]}..{found[2]}{unit}"
    if found := re.search(r"(?i)at most (\d+) (?:targets|elements)|at most (\d+)$|maximum (\d+)|at most (\d+);", text):
        return f"at most {next(filter(None, found.groups()))}"
    if found := re.search(r"(?i)(?:minimum|at least) (\d+)\b(?! take)", text):
        return f"at least {found[1]}{unit}"
    return ""


def choices(text: str) -> list[str]:
    """Return the values that a text lists first."""
    text = re.sub(r"\([^)]*\)", "", text).partition(" seen")[0].partition("default")[0]
    found = re.match(r"(?:.*?: |.*?values |activates[^:]*: )?((?:`[^`]*`\s*(?:,|or)?\s*)+)", text)
    values = re.findall(r"`([^`]*)`", found[1]) if found else []
    return values if len(values) > 1 and all(re.fullmatch(r"\w+", value) for value in values) else []


def default(text: str) -> str:
    """Return the documented default."""
    text = plain(text)
    return f"default {text}" if re.fullmatch(r"-?[\w.]+", text) and text not in {"unchanged", "generated"} else ""


def add_inputs(operation: Operation, where: str, rows: Iterable[dict[str, str]]) -> None:
    """Add the rows of a table of parameters."""
    for row in rows:
        names = next(row[column] for column in ("Name", "Field", "Parameter") if column in row)
        place = plain(row.get("Where", where)).partition(" ")[0] or where
        if place == "path":
            continue
        rules = " ".join(row[column] for column in RULES if column in row)
        says = [type_of(row["Type"]), required(row.get("Required", row.get("Req.", "")) + row.get("condition", ""))]
        listed = (choices(row.get(column, "")) for column in ("Allowed values", *RULES))
        values = next((found for found in listed if found), list[str]())
        default_ = re.search(r"(?i)default `?([\w.]+)", rules)
        values = [] if says[0] == "boolean" else values
        says += [bounds(rules), f"one of {', '.join(values)}" if values else ""]
        says += [default(row.get("Default", "")) or (f"default {default_[1]}" if default_ else "")]
        for name in names.split(", "):
            operation.inputs[place][plain(name)] = ", ".join(filter(None, says))


RULES = (
    "Range",
    "Allowed values",
    "Range, allowed values",
    "Range, allowed values, rule",
    "Allowed values, rule",
    "Rule",
    "Notes",
)


# Responses that no rule reads.
RESPONSES = [
    (r"JSON (?:value )?`true`$|^no body$", "nothing"),
    (r"^(\w+), (\w+) or (\w+)$", r"\1 or \2 or \3"),
    (r"^Active entities$", "data: ActiveEntities"),
    (r"^Daily profits$", "data: list of DailyProfit"),
    (r"^`\{max_reduce_funds_amount: str\}`$", "ReduceFundsInfo"),
    (r"^object of strategy descriptions$", "map of StrategyDescription"),
    (r"^array\[str\]$", "list of text"),
    (r"^`\{trade: Simple trade\}`$", "trade: SimpleTrade"),
    (r"^`\{trades: array of Simple trade\}`$", "trades: list of SimpleTrade"),
]


def returned(text: str) -> str:
    """Return the shape and the record of a response."""
    text = text.replace("**", "").strip()
    for pattern, says in RESPONSES:
        if found := re.search(pattern, text):
            return found.expand(says)
    listed = re.search(r"(?:array|arr)\[(?:obj )?([^\]]+)\]|array of ([\w -]+)", text)
    title = listed[1] or listed[2] if listed else re.sub(r"^(with )?(an? |the )?(updated )?", "", text)
    title = re.split(r" with | including | \(| or |, |\.", title)[0] if title not in RECORDS else title
    return f"list of {record_name(title)}" if listed else record_name(title)


def overview(section: Section, pages: dict[str, Section]) -> Iterator[Operation]:
    """Read a table of operations, and the section of each that has its number."""
    for row in next(table.rows for table in section.tables if table.has("Success")):
        request = (row.get("Method and path") or row["Method, path"]).strip("`")
        number = row.get("No.") or row["#"]
        page = pages.get(number if "." in number else f"1.{number}")
        name = row.get("Name") or row.get("Operation") or (page.title.partition(" ")[2] if page else "")
        operation = Operation(name, request)
        operation.permission = plain(row.get("Permission", "NONE"))
        operation.security = row.get("Security", "NONE" if operation.permission == "NONE" else "SIGNED")
        status, _, rest = row["Success"].partition(" ")
        operation.success, operation.returns = int(status), returned(row.get("Returns") or rest)
        yield operation


def first_operations(file: dict[str, Section]) -> Iterator[Operation]:
    """Read the operations that are lists of sentences."""
    for section in file.values():
        found = re.match(r"\n?- `(\w+ [^`?]+)(?:\?[^`]*)?`; permission (\w+).*?; (\w+)\.", section.text)
        if not found:
            continue
        operation = Operation(section.title, found[1])
        operation.permission, operation.security = found[2], found[3]
        success = find(r"Success: (\d+) (.*?)(?:\. |\.$|$)", section.text, re.MULTILINE)
        operation.success, operation.returns = int(success[1]), returned(success[2])
        for sentence in re.findall(r"Errors?: (.*)", section.text):
            operation.refuses(re.sub(r"\(error (`[^`]+`)[^)]*\)", r"\1", sentence.replace("with error ", "")))
        where = "query" if operation.request.startswith("GET") or "Query:" in section.text else "body"
        for table in section.tables:
            add_inputs(operation, where, table.rows)
        for sentence in re.findall(r"(?:Query|Body): ([a-z_]+(?: string| integer| bool|, optional).*)", section.text):
            add_inputs(operation, where, map(sentence_row, re.split(r"; (?=[a-z_]+ string)", sentence)))
        for name, type_ in examples(section.text):
            operation.inputs[where].setdefault(name, f"{type_}, in an example")
        yield operation


def sentence_row(sentence: str) -> dict[str, str]:
    """Read an input from a sentence, such as "purpose, optional, filters …"."""
    found = find(r"^([a-z_]+)(?: (\w+))?,? (listed as required|required|optional)(.*)", sentence)
    needed = {"required": "yes", "optional": "no"}.get(found[3], found[3])
    values = re.sub(r".*\((?=values )", "", found[4].partition(". ")[0])
    return {"Name": found[1], "Type": found[2] or "string", "Required": needed, "Rule": values}


def examples(text: str) -> Iterator[tuple[str, str]]:
    """Find the inputs that only an example has."""
    for names in re.findall(r"An example (?:body|request) also carries (?:a )?([^.;]+?)(?:;| query|\.)", text):
        yield from ((name.strip("`"), "any") for name in re.split(r", | and ", re.sub(r" \([^)]*\)", "", names)))
    yield from ((name, "integer") for name in re.findall(r"An example body names this `(\w+)`", text))


def account_operations(file: dict[str, Section]) -> Iterator[Operation]:
    """Read the operations of accounts, of markets, and the one that has neither."""
    page = file["Validate credentials"]
    operation = Operation(page.title, find(r"- `(GET [^`]+)`", page.text)[1])
    operation.permission, operation.success, operation.returns = "NONE", 200, "Validation"
    operation.refuses(re.sub(r", with.*", "", page.text.partition("- Errors: ")[2]))
    yield operation
    pages = {section.number: section for section in file.values()}
    for title in ("2. Account endpoints", "3. Market data endpoints"):
        for operation in overview(file[title], pages):
            # Account endpoints are signed, whatever their permission is.
            operation.security = "NONE" if title.startswith("3") else "SIGNED"
            page = next(section for section in pages.values() if section.title.endswith(operation.title))
            for table in page.tables:
                if table.has("Parameter"):
                    where = "query" if operation.request.startswith("GET") else "body"
                    add_inputs(operation, where, table.rows)
                elif table.has("Status", "error"):
                    operation.errors += [f"{row['Status']} {code(row['error'])}" for row in table.rows]
            yield operation


def deal_operations(file: dict[str, Section]) -> Iterator[Operation]:
    """Read the operations of DCA bots and deals."""
    pages = {section.number: section for section in file.values()}
    for operation in overview(file["Overview"], pages):
        page = next(section for section in pages.values() if f"`{operation.request}`" in section.title)
        operation.title = page.title.partition(" ")[2].partition(": ")[0]
        where = "query" if operation.request.startswith("GET") else "body"
        for table in page.tables:
            add_inputs(operation, where, table.rows)
        sentences = re.sub(r"under the status (\d+)", "", page.text)
        body = re.search(r"Error: body (`\{error: [^`]+`) under the status (\d+)", page.text)
        operation.refuses(f"{body[2]} {body[1]}" if body else sentences.rpartition("Success")[2])
        yield operation


def grid_operations(file: dict[str, Section]) -> Iterator[Operation]:
    """Read the operations of grid bots."""
    pages = {section.number: section for section in file.values()}
    errors = next(table for table in file["1. Endpoints"].tables if table.has("Endpoint", "error"))
    for operation in overview(file["1. Endpoints"], pages):
        page = pages[next(n for n, s in pages.items() if n.startswith("1.") and s.title.endswith(operation.title))]
        add_inputs(operation, "query", (row for table in page.tables for row in table.rows))
        for row in errors.rows:
            if row["Status"] and row["Endpoint"].lower() in operation.title.lower().replace("the list", "list"):
                operation.errors.append(f"{row['Status']} {code(row['error'])}")
        yield operation


# The sections with the inputs of SmartTrades and of simple trades.
TRADE_INPUTS = {
    "1.2": ["smart_trades.create"],
    "1.4": ["smart_trades.list"],
    "1.5": ["smart_trades.add_funds", "smart_trades.reduce_funds"],
    "1.6": ["smart_trades.set_note"],
    "1.9": ["trades.create"],
    "1.10": ["trades.active", "trades.history"],
}


def trade_operations(file: dict[str, Section]) -> Iterator[Operation]:
    """Read the operations of SmartTrades and of simple trades."""
    pages = {section.number: section for section in file.values()}
    errors = next(table for table in pages["1.1"].tables if table.has("Endpoint", "error"))
    made = {operation.name: operation for operation in overview(file["1. Endpoints"], {})}
    for number, names in TRADE_INPUTS.items():
        for name in names:
            where = "query" if made[name].request.startswith("GET") else "body"
            add_inputs(made[name], where, next(table.rows for table in pages[number].tables if table.has("Name")))
    order = made["trades.history"].inputs["query"]["order_by"]
    made["trades.history"].inputs["query"]["order_by"] = order.replace("created_at,", "created_at, closed_at,", 1)
    made["smart_trades.edit"].inputs["body"] = dict(editable(pages["1.3"], made["smart_trades.create"].inputs["body"]))
    for operation in made.values():
        for row in errors.rows:
            named = [part.strip().lower() for part in row["Endpoint"].split(",")]
            of_all = row["Endpoint"].startswith("all five") and operation.name.startswith("trades.")
            if code(row["Status"]) and (of_all or any(operation.title.lower().startswith(part) for part in named)):
                operation.errors.append(f"{code(row['Status'])} {code(row['error'])}")
        yield operation


def editable(page: Section, inputs: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Return the inputs of the creation that an edit has, too."""
    for row in page.tables[0].rows:
        part = row["Part"]
        named = {f"{part}.{name}" for name in re.split(r",\s*", row["Fields that may be edited"])}
        for name, says in inputs.items():
            whole = row["Fields that may be edited"].startswith("all") and name.startswith(f"{part}.")
            if name == part or whole or any(one == name or one.startswith(f"{name}.") for one in named):
                yield name, says


def extra_operations(file: dict[str, Section]) -> Iterator[Operation]:
    """Read the operation that is outside of the published reference and offered nevertheless."""
    section = file["2.2 Start a new deal"]
    found = find(r"`(POST [^`]+)`; (\w+), (\w+); success (\d+)", section.text)
    operation = Operation("Start a new deal", found[1])
    operation.permission, operation.security, operation.success = found[2], found[3], int(found[4])
    operation.returns = "Deal or DcaBot"
    add_inputs(operation, "body", section.tables[0].rows)
    del operation.inputs["body"]["bot_id"]
    yield operation


def correct(operations: dict[str, Operation], folder: Path) -> None:
    """Apply what the other files say of an operation that has a page already."""
    listed = operations["dca_bots.list"].inputs["query"]
    # Both spellings of the scope can be sent, and both forms of the time, by section 9 of the other files.
    find(r"F, List DCA bots \|.*both spellings sayable", (folder / EXTRAS).read_text("utf-8"))
    listed["scope"] = listed["scope"].replace("null", "null, enabled", 1)
    listed["from"] = "integer or time"
    differences = {row["Where"]: row["Official pages"] for row in differences_of(folder / DEALS, "Official pages")}
    edit, create = (operations[f"dca_bots.{name}"].inputs["body"] for name in ("edit", "create"))
    for name in re.findall(r"^(\w+): ", differences["Edit DCA Bot, parameters"]):
        edit[name] = create[name]
    # By section 5 of the deals, two are not required although they are listed so, and two are strings or numbers.
    decisions = (folder / DEALS).read_text("utf-8")
    find(r"without base_order_volume_type .* and risk_reduction_percentage", decisions)
    find(r"`risk_reduction_percentage` and `reinvesting_percentage` as string or number", decisions)
    for name in ("base_order_volume_type", "risk_reduction_percentage"):
        create[name] = create[name].replace(", required", ", listed as required")
    for name in ("risk_reduction_percentage", "reinvesting_percentage"):
        create[name] = create[name].replace("text", "decimal or text")
    deal = operations["deals.edit"].inputs["body"]
    deal["profit_currency"] = deal["profit_currency"].replace("quite_currency", "quote_currency")
    # The page of one operation lacks a letter that the list of permissions has.
    convert = operations["deals.convert_to_smart_trade"]
    convert.permission = convert.permission.replace("SMART_TRADE_", "SMART_TRADES_")
    edit, create = (operations[f"grid_bots.{name}"].inputs["body"] for name in ("edit", "create"))
    # An edit may have the name that a creation may have.
    edit["name"] = ", ".join(filter(None, (edit["name"], bounds(create["name"]))))
    for name in (name for name, says in edit.items() if "one of" not in says and name.startswith("lower_")):
        if values := re.search(r"one of .*", edit.get(name.replace("lower_", "upper_"), "")):
            edit[name] += f", {values[0]}"
    # A time, by section 5 of the grid bots.
    find(r"`from` of List: format \| ISO 8601 time", (folder / GRIDS).read_text("utf-8"))
    operations["grid_bots.list"].inputs["query"]["from"] = "time"
    # A whole number, and a name that the service makes up, by sections 1.1 and 5 of the grid bots.
    find(r"grids_quantity \| body \| number \(whole\)", (folder / GRIDS).read_text("utf-8"))
    create["grids_quantity"] = create["grids_quantity"].replace("decimal", "integer")
    create["name"] += ", default generated"
    # Both are needed at some exchanges, by section 8 of the accounts.
    find(r"2\.4 lacks passphrase and customer_id\. \| Accept them", (folder / ACCOUNTS).read_text("utf-8"))
    operations["accounts.types_to_connect"].inputs["query"] |= {"customer_id": "text", "passphrase": "text"}
    for resource in ("dca_bots", "grid_bots"):
        # An input that only an example of the edit has is of the type that the creation says.
        edit, create = (operations[f"{resource}.{name}"].inputs["body"] for name in ("edit", "create"))
        edit |= {name: says.replace("any", type_in(create[name])) for name, says in edit.items() if says[:3] == "any"}
    for row in next(table.rows for table in sections(folder / ACCOUNTS)["1.9 Rate limits and bans"].tables):
        # The page of limits names the first version of SmartTrades, which no other page has.
        request = plain(row["Scope"]).replace("/ver1/smart_trades", "/v2/smart_trades")
        if request in OPERATIONS:
            operations[OPERATIONS[request]].limit = f"{row['Limit']}, blocked for {row['Blocked for']}"


def type_in(says: str) -> str:
    """Return the type of an input."""
    return says.partition(",")[0]


def differences_of(path: Path, column: str) -> list[dict[str, str]]:
    """Return the table of differences of a file."""
    section = next(section for title, section in sections(path).items() if title.startswith("4. Differences"))
    return next(table.rows for table in section.tables if table.has(column))


def records(folder: Path) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Read the fields of all records, with the resource to whose file they belong."""
    yield "general", "Validation", fields(sections(folder / ACCOUNTS)["Validate credentials"].tables[0].rows)
    yield from first_records(sections(folder / FIRST))
    rates: dict[str, str] = {}
    for name, resource in ((ACCOUNTS, "accounts"), (DEALS, "dca_bots"), (GRIDS, "grid_bots"), (TRADES, "smart_trades")):
        for section in sections(folder / name).values():
            part = {ACCOUNTS: "4."}.get(name, "2.")
            if section.number.startswith(part) and section.number != part:
                for title, found in captioned(section):
                    before = rates if "All fields of 4.10" in section.text and "leverage_data" in found else {}
                    rates = found if title == "Rates and limits" else rates
                    if "Whether fractions come" in section.text:
                        found |= {name: "integer or decimal" for name in found if "percentage" in name}
                    more = {name: f"{says}, {SOMETIMES}" for name, says in found.items()} if before else found
                    yield home(resource, section.number), record_name(title), before | more


def home(resource: str, number: str) -> str:
    """Return the file of a record by its section."""
    if resource == "accounts" and number in {"4.9", "4.10", "4.11"}:
        return "markets"
    if resource == "dca_bots" and number in {"2.2", "2.4", "2.6", "2.7", "2.8", "2.9", "2.10", "2.11"}:
        return "deals"
    return "trades" if resource == "smart_trades" and number == "2.10" else resource


def captioned(section: Section) -> Iterator[tuple[str, dict[str, str]]]:
    """Return the records of a section, each with its title."""
    title = re.sub(r"^[\d.]+ |\s*\(.*", "", section.title)
    tables = [table for table in section.tables if table.has("Field") and set(WIRES) & set(table.rows[0])]
    if not tables and (found := dict(listed_fields(section))):
        yield title, found
    for table in tables:
        caption = re.sub(r"\s*\(.*", "", table.caption).rstrip(":")
        if table.has("Record"):
            named: dict[str, list[dict[str, str]]] = defaultdict(list)
            record = ""
            for row in table.rows:
                record = row["Record"] or record
                named[record].append(row)
            yield from ((record, fields(rows)) for record, rows in named.items())
        elif not table.has("Envelope"):
            is_title = table.caption.endswith(":") and re.fullmatch(r"[A-Z][\w -]{0,30}", caption)
            yield (caption if is_title else title), fields(table.rows)


def listed_fields(section: Section) -> Iterator[tuple[str, str]]:
    """Read the fields of a record that are a list in a sentence."""
    line = section.text.strip().partition("\n")[0]
    if "all dec" in section.title:
        yield from ((name, "decimal") for name in line.rstrip(".").split(", "))
    for name, wire in re.findall(r"`(\w+)` (str|time|dec|obj)\b", line):
        yield name, type_of(wire)


# The fields of the first file that hold amounts in strings.
AMOUNT = re.compile(r"balance|in_orders|withdraw_?(fee|min|Max|Multiple)|max_leverage")


def first_records(file: dict[str, Section]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Read the records that only the first file has."""
    network = file["Network info record (element of the result of networks_info)"]
    yield "accounts", "NetworkInfo", fields(network.tables[0].rows)
    for resource, title, text in (
        ("accounts", "Network", network.text.partition("Network object: ")[2]),
        ("accounts", "DepositData", file["Deposit data"].text.partition("Fields: ")[2]),
        (
            "accounts",
            "LeverageType",
            find(r"Fields: (.*?)\. Codes", file["Leverage type record"].text)[1],
        ),
        ("smart_trades", "ReduceFundsInfo", file["Reduce-funds info"].text.partition("Field: ")[2]),
    ):
        found: dict[str, str] = {}
        for sentence in re.split(r"; |\n", re.sub(r" \{[^}]*\}", "", re.sub(r"\([^)]*\)", "", text)).strip()):
            parts = re.match(r"([\w, ]+?) (str decimal|str|bool|array|object)( or null)?\b", sentence)
            if parts:
                for name in parts[1].split(", "):
                    found[name] = ("decimal" if AMOUNT.search(name) else type_of(parts[2])) + (parts[3] or "")
        if title == "LeverageType":
            found["valid"] = "object"
        yield resource, title, found


NULL = re.compile(r"^(yes|seen|DS|D|S|listed|listed, seen)\b")


def fields(rows: list[dict[str, str]]) -> dict[str, str]:
    """Read the fields of a record."""
    found: dict[str, str] = {}
    for row in rows:
        wire = next((row[column] for column in WIRES if column in row), "")
        documented = row.get("Doc.", "")
        if wire == "null seen" and documented == "string":
            # Only null was seen, and decimals are documented as strings, too.
            documented = ""
        says = type_of(documented if wire in {"null seen", "not seen"} else wire)
        null = next((row[column] for column in ("Nullable", "Null") if column in row), "")
        if NULL.search(plain(null).replace("not seen", "")) or "or null" in wire:
            says += " or null"
        meaning = " ".join(row.values())
        if re.search(r"(?i)only in the (same )?(responses|samples? of)", meaning):
            says += f", {SOMETIMES}"
        for name in row["Field"].split(", "):
            # Times end like this. Only null was seen of some.
            found[code(name)] = says.replace("any", "time") if name.endswith("_at") else says
        if meaning.endswith("UNIX time in seconds."):
            # It is read as a time, by section 8 of the accounts.
            found[code(row["Field"])] = "time or integer"
        if documented == "integer" and meaning.endswith("Digits"):
            # It is an integer in the client, by section 5 of the deals.
            found[code(row["Field"])] = "integer"
    envelopes = {name for name in found if "." not in name}
    if len(found) > len(envelopes) == 1:
        (envelope,) = envelopes
        return {name.removeprefix(f"{envelope}."): says for name, says in found.items() if name != envelope}
    return found


WIRES = ("Wire", "Wire type", "Type on the wire", "Type", "Listed type")


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder with the Markdown files")
    folder: Path = parser.parse_args().folder
    found = [
        *first_operations(sections(folder / FIRST)),
        *account_operations(sections(folder / ACCOUNTS)),
        *deal_operations(sections(folder / DEALS)),
        *grid_operations(sections(folder / GRIDS)),
        *trade_operations(sections(folder / TRADES)),
        *extra_operations(sections(folder / EXTRAS)),
    ]
    operations = {operation.name: operation for operation in found}
    correct(operations, folder)
    parts: dict[str, list[str]] = defaultdict(list)
    for name in OPERATIONS.values():
        parts[name.partition(".")[0]] += operations[name].lines()
    written: dict[str, tuple[str, dict[str, str]]] = {}
    for resource, title, members in records(folder):
        _, known = written.setdefault(title, (resource, {}))
        # The first description of a record is whole, unless another one adds to it.
        more = {name: says for name, says in members.items() if SOMETIMES in says and name not in known}
        known |= more if known else members
    for title, (resource, members) in written.items():
        parts[resource].append(f"\n[records.{title}]")
        parts[resource] += [f"{key(name)} = {toml(says)}" for name, says in members.items()]
    for resource, lines in parts.items():
        path = REFERENCE / f"{resource}.toml"
        samples = path.read_text("utf-8").partition(SAMPLES)[2] if path.is_file() else ""
        text = HEAD.format(resource=resource) + "\n".join(lines) + "\n" + (f"\n{SAMPLES}{samples}" if samples else "")
        tomllib.loads(text)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
