"""`botdesk doctor`: checks the key, the connection, the clock and the settings, and says what to do."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from botdesk._cli import exit_codes, options, output
from botdesk._native import _client_facts
from botdesk._service_time import service_time
from botdesk.errors import ApiError, BotdeskError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from botdesk import Answer, Client

# The service counts in whole seconds, and a response takes some time.
_CLOCK_TOLERANCE = 60
# One read for each permission to read.
_READS = (
    ("ACCOUNTS_READ", "/ver1/accounts", {"per_page": 1}),
    ("BOTS_READ", "/ver1/bots", {"limit": 1}),
    ("SMART_TRADES_READ", "/v2/smart_trades", {"per_page": 1}),
)
_FORBIDDEN = 403


class Check(NamedTuple):
    """A line of the report."""

    name: str
    ok: bool
    text: str


def run(
    *,
    timeout: Annotated[float, typer.Option(help="The time limit of each request, in seconds.", min=0.001)] = 10,
    profile: Annotated[str | None, options.PROFILE] = None,
    as_json: Annotated[bool, options.JSON] = False,
) -> None:
    """Check the key, its permissions, the mode, the connection, the clock and the rate limit; change nothing."""
    checks: list[Check] = []
    for check in _checks(profile, timeout):
        checks.append(check)
        if not as_json:
            output.print_lines(f"{'OK' if check.ok else 'PROBLEM':<8} {check.name}: {output.one_line(check.text)}")
    if as_json:
        output.show(
            {"ok": all(check.ok for check in checks), "checks": [each._asdict() for each in checks]}, as_json=True
        )
    if not all(check.ok for check in checks):
        raise typer.Exit(exit_codes.FAILED)


def _checks(profile: str | None, timeout: float) -> Iterator[Check]:
    try:
        client = options.client(profile).with_options(timeout=timeout, retries=0, wait=False)
    except BotdeskError as error:
        yield Check("key", ok=False, text=str(error))
        return
    with client:
        yield from _settings(client)
        yield from _requests(client)
        yield _limit(client)


def _settings(client: Client) -> Iterator[Check]:
    base_url, fingerprint, kind, proxy, mode = _client_facts(client)
    yield Check("base URL", ok=True, text=base_url)
    yield Check("key", ok=True, text=f"{kind}, fingerprint {fingerprint}")
    yield Check("proxy", ok=True, text=proxy or "none")
    yield Check("mode", ok=True, text=mode or "none: lists have what is on accounts of the mode chosen at the service")


def _requests(client: Client) -> Iterator[Check]:
    """Try the key, and read what it may read. If the key does not work, nothing else is tried."""
    try:
        response = client.request("GET", "/ver1/validate")
        found = response.json()
    except BotdeskError as error:
        yield Check("connection", ok=False, text=str(error))
        return
    if not isinstance(found, dict) or "valid" not in found:
        yield Check("connection", ok=False, text="the response is not that of the service; check the base URL")
        return
    if found["valid"] is not True:
        yield Check("connection", ok=False, text="the service says that the key is not valid; check it at the service")
        return
    yield Check("connection", ok=True, text="the service accepts the key")
    yield _clock(response)
    yield _permissions(client)
    yield _chosen_mode(client)


def _clock(response: Answer) -> Check:
    if response.headers.get("x-request-id", "").startswith("sandbox-"):
        return Check("clock", ok=True, text=f"the sandbox has a clock of its own: {response.headers.get('date')}")
    there = service_time(response)
    if there is None:
        return Check("clock", ok=True, text="the service does not say its time")
    ahead = round((datetime.now(UTC) - there).total_seconds())
    if abs(ahead) <= _CLOCK_TOLERANCE:
        return Check("clock", ok=True, text=f"{ahead:+d} s from that of the service")
    return Check("clock", ok=False, text=f"{ahead:+d} s from that of the service; set the clock of this machine")


def _permissions(client: Client) -> Check:
    allowed: list[str] = []
    refused: list[str] = []
    for permission, path, query in _READS:
        try:
            client.request("GET", path, query)
        except ApiError as error:
            if error.status != _FORBIDDEN:
                return Check("permissions", ok=False, text=f"{permission} can't be tried: {error}")
            refused.append(permission)
        except BotdeskError as error:
            return Check("permissions", ok=False, text=f"{permission} can't be tried: {error}")
        else:
            allowed.append(permission)
    if not allowed:
        return Check("permissions", ok=False, text="the key may read nothing; give it permissions at the service")
    missing = f"; not {', '.join(refused)}, which you can add at the service" if refused else ""
    return Check("permissions", ok=True, text=f"{', '.join(allowed)}{missing}; those to write are not tried")


def _chosen_mode(client: Client) -> Check:
    """Report the mode that the user has chosen at the service, whose endpoint is not published any more."""
    name = "mode at the service"
    try:
        return Check(name, ok=True, text=client.request("GET", "/ver1/users/current_mode").body)
    except ApiError as error:
        return Check(name, ok=True, text=f"not known: the service does not say it ({error.status})")
    except BotdeskError as error:
        return Check(name, ok=False, text=str(error))


def _limit(client: Client) -> Check:
    budget = client.budget
    return Check(
        "rate limit",
        ok=True,
        text="none" if budget is None else f"{budget.limit - budget.used} of {budget.limit} requests left",
    )
