"""The actions of `py3cw` and `three-commas`, each with the operation of botdesk that sends the same request.

They are the tables of docs/coming-from-py3cw.md and docs/coming-from-three-commas.md, and come from the packages.

`just peers` writes the tables, and `tests/sandbox/test_peer_actions.py` compares them.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import py3cw.config  # pyright: ignore[reportMissingTypeStubs] - it has no types
import three_commas.api  # pyright: ignore[reportMissingTypeStubs] - it has no types

import botdesk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"
BEGIN = "<!-- the actions, written by `just peers` -->\n"
END = "<!-- end of the actions -->\n"

OLD = "/ver1/smart_trades_deprecated"
# The actions that the API reference does not have any more, with the method of botdesk to call instead, if any.
WITHDRAWN: dict[str, str | None] = {
    "POST /ver1/accounts/transfer": None,
    "GET /ver1/accounts/transfer_history": None,
    "GET /ver1/accounts/transfer_data": None,
    "POST /ver1/deals/{id}/update_tp": "client.deals.edit",
    "POST /ver1/grid_bots/ai": "client.grid_bots.create",
    "GET /ver1/grid_bots/ai_settings": None,
    "PATCH /ver1/grid_bots/{id}/ai": "client.grid_bots.edit",
    "GET /ver1/marketplace/items": None,
    "GET /ver1/marketplace/{id}/signals": None,
    "GET /ver1/marketplace/presets": None,
    "POST /v2/smart_trades/{id}/force_process": None,
    "POST /ver1/users/change_mode": "client.with_options",
    "GET /ver1/users/current_mode": None,
    "PUT /ver1/users/locale": None,
    "GET /ver1/users/permissions_info": None,
    f"GET {OLD}": "client.smart_trades.list",
    f"POST {OLD}/create_simple_sell": "client.trades.create",
    f"POST {OLD}/create_simple_buy": "client.trades.create",
    f"POST {OLD}/create_smart_sell": "client.smart_trades.create",
    f"POST {OLD}/create_smart_cover": "client.smart_trades.create",
    f"POST {OLD}/create_smart_trade": "client.smart_trades.create",
    f"POST {OLD}/{{id}}/cancel_order": "client.smart_trades.cancel_trade",
    f"POST {OLD}/{{id}}/add_funds": "client.smart_trades.add_funds",
    f"POST {OLD}/{{id}}/step_panic_sell": "client.smart_trades.close_trade",
    f"PATCH {OLD}/{{id}}/update": "client.smart_trades.edit",
    f"POST {OLD}/{{id}}/cancel": "client.smart_trades.cancel",
    f"POST {OLD}/{{id}}/panic_sell": "client.smart_trades.close",
    f"POST {OLD}/{{id}}/force_process": None,
}
# The API reference does not have it, but many programs send it, and so does botdesk.
UNPUBLISHED = {"POST /ver1/bots/{id}/start_new_deal"}
# Scripts still send these, so that the sandbox carries them out.
SERVED = {name for name in WITHDRAWN if "/ver1/users/" in name or name.startswith("POST /v2/")}


class Action(NamedTuple):
    """An action of a package, with the request that it sends."""

    name: str
    """As its users write it."""
    request: str
    """The method, and the path as the API reference writes it, with `{id}` for each identifier."""
    send: Callable[..., tuple[dict[str, Any], Any]]
    """Sends it; takes the client of py3cw, the identifiers, and `payload=`. Returns the error and the data."""


def _named_alike(path: str) -> str:
    """Give the identifiers of a path the same name."""
    return re.sub(r"\{\w+\}", "{id}", path)


def py3cw_actions() -> list[Action]:
    """Return the actions of py3cw."""
    return [
        Action(f"{entity} {action}".strip(), f"{method} {_py3cw_path(entity, path)}", partial(_py3cw, entity, action))
        for entity, found in py3cw.config.API_METHODS.items()
        for action, (method, path) in found.items()
    ]


def _py3cw_path(entity: str, path: str) -> str:
    version = "v2" if entity in py3cw.config.API_VERSION_V2_ENTITIES else "ver1"
    return _named_alike(f"/{version}/{entity.removesuffix('_v2')}/{path}".rstrip("/"))


def _py3cw(entity: str, action: str, peer: Any, *ids: str, payload: dict[str, Any] | None) -> Any:  # noqa: ANN401
    named = dict(zip(("action_id", "action_sub_id"), ids, strict=False))
    return peer.request(entity=entity, action=action, payload=payload, **named)


def three_commas_actions() -> list[Action]:
    """Return the functions of three-commas that send a request; the first line of each docstring names the request."""
    return [
        Action(_qualified(module, name), _documented(function), partial(_call, function))
        for version in (three_commas.api.ver1, three_commas.api.v2)
        for _, module in inspect.getmembers(version, inspect.ismodule)
        for name, function in _functions(module)
    ]


def _qualified(module: ModuleType, name: str) -> str:
    return f"{module.__name__.removeprefix('three_commas.')}.{name}"


def _functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if function.__module__ == module.__name__:
            yield name, function


def _documented(function: Callable[..., Any]) -> str:
    return _named_alike(" ".join((function.__doc__ or "").split()[:2]))


def _call(function: Callable[..., Any], peer: Any, *ids: str, payload: dict[str, Any] | None) -> Any:  # noqa: ANN401
    # It creates a client of py3cw for each call.
    return function(*ids, payload=payload, api_key=peer.key, api_secret=peer.secret)


PAGES: dict[str, Callable[[], list[Action]]] = {
    "coming-from-py3cw.md": py3cw_actions,
    "coming-from-three-commas.md": three_commas_actions,
}


def operations() -> dict[str, str]:
    """Return the operations of botdesk by the request."""
    with botdesk.Sandbox(bots=0) as sandbox:
        return {f"{one.method} {_named_alike(one.path)}": one.name for one in sandbox.client().operations()}


def table(actions: list[Action]) -> str:
    """Format the table of actions."""
    known = operations()
    lines = ["| action | botdesk | in the API reference |", "|---|---|---|"]
    lines += (f"| `{name}` | `{_call_of(request, known)}` | {_note(request)} |" for name, request, _ in actions)
    return "\n".join(lines) + "\n"


def _call_of(request: str, known: dict[str, str]) -> str:
    if request in known:
        return f"client.{known[request].removeprefix('general.')}"
    method, path = request.split(" ")
    return WITHDRAWN[request] or f'client.request("{method}", "{path.replace(OLD, "/ver1/smart_trades")}")'


def _note(request: str) -> str:
    if request not in WITHDRAWN:
        return "no, but botdesk has it" if request in UNPUBLISHED else "yes"
    return "withdrawn, but served by the sandbox" if request in SERVED else "withdrawn"


def page(name: str) -> str:
    """Replace the table in a page."""
    before, begin, rest = (DOCS / name).read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{name} has no place for the table, between {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}\n{table(PAGES[name]())}\n{END}{after}"


if __name__ == "__main__":
    for name in PAGES:
        (DOCS / name).write_text(page(name), "utf-8")
