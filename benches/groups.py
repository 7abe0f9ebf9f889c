"""The groups of cases: each has a part of the results."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """Cases whose results are one part of the page."""

    name: str
    title: str
    # The names of modules.
    cases: tuple[str, ...]
    packages: tuple[str, ...]


GROUPS = (
    Group(
        "requests",
        "Requests and records",
        ("signing", "calls", "decoding", "together", "lag", "startup", "memory", "sandbox"),
        ("botdesk", "aiohttp", "cryptography", "httpx", "msgspec", "orjson", "py3cw", "requests"),
    ),
    Group("pages", "Pages of a list", ("pages",), ("botdesk", "cryptography", "requests")),
    Group("many", "Many records", ("bulk", "archive"), ("botdesk", "pyarrow")),
    Group("streams", "Live streams", ("streams",), ("botdesk",)),
    Group(
        "backtests",
        "Backtests",
        ("backtests",),
        ("botdesk", "backtesting", "dask", "numba", "numpy", "pandas", "pyarrow", "vectorbt"),
    ),
    Group(
        "grids",
        "Backtests of grids",
        ("grids",),
        ("botdesk", "backtesting", "numba", "numpy", "pandas", "pyarrow", "vectorbt"),
    ),
)
