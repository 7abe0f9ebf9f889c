"""Generate the pages of the site that repeat other files: a hook of mkdocs, named in `mkdocs.yml`.

Every public class has a reference page, and the functions share one. Files in the root of the repository, such as
CONTRIBUTING.md, become pages too.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

import griffe
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

# The navigation of mkdocs: pages, titled pages, and titled sections.
Nav: TypeAlias = "list[str | dict[str, str | Nav]]"

ROOT = Path(__file__).parents[1]
ROOT_PAGES = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md", "security.md": "SECURITY.md"}
# The navigation names this page; the hook adds the pages of the classes below it.
INDEX = "reference/index.md"
CLIENT, RECORDS = "Client", "Records"
# Resources, records, errors and functions are sorted into groups by themselves.
GROUPS = {
    CLIENT: "Client PrivateKey RateLimit Budget RetryPolicy RequestEvent Answer SignedRequest Operation Overview",
    RECORDS: "Records ArrowTable",
    "Edits": "EditPreview FieldChange BulkPreview BulkBacktest BulkResult BulkItem PlannedCall",
    "Watching": "Stream StreamEvent RecordWatch RecordAsyncWatch RecordChange",
    "Planning": "Ladder Rung GridPlan GridLevel SizedLadder",
    "Display": "DisplayOptions",
    "Backtesting": "Candles Candle Backtest BacktestSummary BacktestDeal BacktestOrder EquityPoint BacktestComparison "
    "BacktestBounds NotSimulated Sweep SweepPoint SweepFold RefusedCombination",
    "Sandbox": "Sandbox Faults PendingFault HappenedFault ReceivedRequest SandboxStreams StreamAttempt Clock Playback "
    "Moment MarketEvent",
    "Recording": "Recording Replay",
    "SmartTrades": "Limit Conditional Trailing StopLoss",
    "Archive": "Archive ArchiveTable SyncReport",
}
ERRORS = "Errors"
FUNCTIONS = "Functions"
# Blocks with prompts, which need a lexer that separates input and output.
SESSION = re.compile(r"(?m)```python(\n *>>> )")
HEADER = "---\ntitle: {title}\n---\n\n"
# A search finds the guides first, then the reference, and then the changelog and the part for contributors.
BOOSTS = {"Reference": 0.5, "Work on it": 0.2}
BOOST_OF_CHANGELOG = 0.2
OPTIONS = "    options:\n      heading_level: 1\n      show_root_heading: true\n      show_root_toc_entry: true\n"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the reference pages to the navigation."""
    # `just docs-serve` builds again when the package has changed.
    load_package.cache_clear()
    add_below_index(cast("Nav", config["nav"] or []), navigation(public_groups()))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to the files of the site."""
    groups = public_groups()
    pages = {INDEX: index(groups), function_path(): functions(groups[FUNCTIONS])}
    pages |= {path(name): class_page(name) for group, names in groups.items() if group != FUNCTIONS for name in names}
    pages |= {page: root_page(source) for page, source in ROOT_PAGES.items()}
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Set how far up a search lists the page, and give the tables of notebooks the width of the empty side bar."""
    if page.file.src_uri.endswith(".ipynb"):
        page.meta["hide"] = ["toc"]
    sections = {ancestor.title for ancestor in page.ancestors}
    boosts = [boost for section, boost in BOOSTS.items() if section in sections]
    if page.file.src_uri == "changelog.md":
        boosts = [BOOST_OF_CHANGELOG]
    for boost in boosts:
        page.meta["search"] = {"boost": boost}
    return SESSION.sub("```pycon\\1", markdown)


def group_of(package: griffe.Object | griffe.Alias, name: str) -> str:
    """Return the group of a generated class: that of the class it inherits from, or else that of the records."""
    if is_resource(package, name):
        return CLIENT
    bases = {str(base) for base in package[name].bases}
    return next((group for group, names in GROUPS.items() if bases & set(names.split())), RECORDS)


def public_groups() -> dict[str, list[str]]:
    """Return the public names by group; every one has to be in exactly one group."""
    package = load_package()
    groups = {group: names.split() for group, names in GROUPS.items()}
    generated = [name for name in public_names(package) if package[name].canonical_path.startswith("botdesk._api.")]
    for name in generated:
        groups[group_of(package, name)].append(name)
    groups[ERRORS] = [name for name in public_names(package) if is_error(package, name)]
    groups[FUNCTIONS] = [name for name in public_names(package) if package[name].is_function]
    listed = sorted(name for names in groups.values() for name in names)
    expected = sorted(name for name in public_names(package) if package[name].is_class or package[name].is_function)
    if listed != expected:
        different = sorted(set(listed) ^ set(expected))
        raise PluginError(f"GROUPS in scripts/site_pages.py does not match botdesk.__all__: {', '.join(different)}")
    return groups


@cache
def load_package() -> griffe.Object | griffe.Alias:
    """Read the package from its sources and its stub, so that no build is needed."""
    return griffe.load("botdesk", search_paths=[str(ROOT / "python")], allow_inspection=False, resolve_aliases=True)


def public_names(package: griffe.Object | griffe.Alias) -> list[str]:
    """Return the names in `botdesk.__all__`."""
    return [str(name) for name in package.exports or ()]


def is_error(package: griffe.Object | griffe.Alias, name: str) -> bool:
    """Return True if a name is one of the exceptions."""
    return bool(package[name].is_class) and package[name].canonical_path.startswith("botdesk.errors.")


def is_resource(package: griffe.Object | griffe.Alias, name: str) -> bool:
    """Return True if a generated class is that of a resource, which has a name; the others are records."""
    return "_name" in package[name].members


def navigation(groups: dict[str, list[str]]) -> Nav:
    """Return the entries of the groups, one page for each class."""
    entries: Nav = [
        {group: [{name: path(name)} for name in names]} for group, names in groups.items() if group != FUNCTIONS
    ]
    return [*entries, {FUNCTIONS: function_path()}]


def add_below_index(entries: Nav, pages: Nav) -> None:
    """Find the section that starts with the index of the reference, and add pages to it."""
    sections = [value for entry in entries if not isinstance(entry, str) for value in entry.values()]
    for section in sections:
        if isinstance(section, str):
            continue
        if section == [INDEX]:
            section.extend(pages)
        else:
            add_below_index(section, pages)


def index(groups: dict[str, list[str]]) -> str:
    """Return the page that lists all classes and functions with their summaries."""
    package = load_package()
    lines = [HEADER.format(title="Reference"), "# Reference\n"]
    for group, names in groups.items():
        rows = [f"| [{name}][botdesk.{name}] | {summary(package[name])} |" for name in names]
        lines += [f"\n## {group}\n", "| name | summary |", "|---|---|", *rows]
    return "\n".join(lines) + "\n"


def summary(member: griffe.Object | griffe.Alias) -> str:
    """Return the first line of a docstring, fit for a cell of a table."""
    docstring = member.docstring.value.strip() if member.docstring else ""
    return docstring.partition("\n")[0].replace("|", "\\|")


def class_page(name: str) -> str:
    """Return the reference page of a class."""
    return f"{HEADER.format(title=name)}::: botdesk.{name}\n{OPTIONS}"


def functions(names: list[str]) -> str:
    """Return the reference page of the functions."""
    blocks = [f"::: botdesk.{name}\n{OPTIONS.replace('level: 1', 'level: 2')}" for name in names]
    return HEADER.format(title=FUNCTIONS) + f"# {FUNCTIONS}\n\n" + "\n".join(blocks)


def path(name: str) -> str:
    """Return the path of the reference page of a class."""
    return f"reference/{name}.md"


def function_path() -> str:
    """Return the path of the reference page of the functions."""
    return path(FUNCTIONS.lower())


def root_page(source: str) -> str:
    """Return a file of the repository's root as a page, its links to other pages adapted."""
    return (ROOT / source).read_text("utf-8").replace("](docs/", "](")
