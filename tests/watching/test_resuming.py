"""A watch that resumes from a state: in the same process, in another one, and not from an invalid state."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .conftest import kinds

if TYPE_CHECKING:
    from pathlib import Path


def test_the_first_poll_shows_what_changed_since(
    watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int
) -> None:
    state = watch.state
    client.dca_bots.edit(bot_id, take_profit="2.5")
    (change,) = client.dca_bots.watch(since=state).poll()
    assert (change.kind, change.fields["take_profit"].new) == (
        "edited",
        Decimal("2.5"),
    )


def test_changes_that_were_found_and_not_given_are_in_the_state(
    watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int
) -> None:
    sandbox.set_price("USDT_NEW", 100)
    client.dca_bots.disable(bot_id)
    # It polls at once, finds two changes and yields one.
    later = client.dca_bots.watch(since=watch.state)
    assert next(later).kind == "disabled"
    last = client.dca_bots.watch(since=later.state)
    change = next(last)
    assert (change.kind, change.deal is not None) == ("deal_opened", True)
    assert last.poll() == []


def test_a_change_that_was_given_is_not_given_again(
    watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int
) -> None:
    client.dca_bots.disable(bot_id)
    assert kinds(watch.poll()) == ["disabled"]
    assert client.dca_bots.watch(since=watch.state).poll() == []


SCRIPT = """
import sys
import botdesk
url, api_key, key, path, new = sys.argv[1:]
client = botdesk.Client(api_key, key, base_url=url)
watch = client.dca_bots.watch(since=None if new else path)
print(*[change.kind for change in watch.poll()])
watch.save(path)
"""


def test_another_process_goes_on(sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int, tmp_path: Path) -> None:
    key = botdesk.PrivateKey.generate(bits=2048)
    key.save(tmp_path / "key.pem")
    path = tmp_path / "watch.json"
    access = (sandbox.url, sandbox.add_key(key.public_key_pem), str(tmp_path / "key.pem"), str(path))

    def run(new: str = "") -> str:
        return subprocess.run(
            [sys.executable, "-c", SCRIPT, *access, new], check=True, capture_output=True, text=True
        ).stdout.strip()

    assert run("new") == ""
    client.dca_bots.disable(bot_id)
    sandbox.set_price("USDT_NEW", 100)
    assert run() == "disabled"
    client.dca_bots.edit(bot_id, take_profit="2")
    assert run() == "edited"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 or sys.platform == "win32"


def test_a_state_has_no_secret(watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int) -> None:
    secret = client.dca_bots.get(bot_id).url_secret
    assert secret
    assert secret not in watch.state
    assert json.loads(watch.state)["botdesk_watch"] == 1


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("{}", "not the state of a watch"),
        ('{"botdesk_watch": 99}', "newer botdesk"),
        ('{"botdesk_watch"', "not JSON"),
        ("missing.json", "can't be read from"),
    ],
)
def test_a_value_that_is_not_a_state_is_rejected_before_anything_is_sent(
    state: str, why: str, sandbox: botdesk.Sandbox, client: botdesk.Client
) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=why):
        client.dca_bots.watch(since=state)
    assert len(sandbox.requests) == 0


def test_a_state_of_other_filters_is_rejected(watch: botdesk.DcaBotWatch, client: botdesk.Client) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=r"other filters \(none, not account_id=1001\)"):
        client.dca_bots.watch(since=watch.state, account_id=1001)


def test_a_state_of_another_service_is_rejected(watch: botdesk.DcaBotWatch) -> None:
    with botdesk.Sandbox() as other, pytest.raises(botdesk.ConfigurationError, match=r"another service \(http://127"):
        other.client().dca_bots.watch(since=watch.state)


def test_a_state_of_another_key_is_rejected(watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox) -> None:
    key = botdesk.PrivateKey.generate(bits=2048)
    client = botdesk.Client(sandbox.add_key(key.public_key_pem), key, base_url=sandbox.url)
    with pytest.raises(botdesk.ConfigurationError, match=r"another key \(fingerprint SHA256:") as refused:
        client.dca_bots.watch(since=watch.state)
    assert key.fingerprint in str(refused.value)


def test_a_state_shows_whose_it_is_without_the_api_key(watch: botdesk.DcaBotWatch, sandbox: botdesk.Sandbox) -> None:
    assert json.loads(watch.state)["whose"]["service"] == sandbox.url


@pytest.mark.parametrize("options", [{"scope": "disabled"}, {"deals": False}])
def test_scope_and_deals_may_be_others(
    options: dict[str, Any], watch: botdesk.DcaBotWatch, client: botdesk.Client, bot_id: int
) -> None:
    client.dca_bots.disable(bot_id)
    later = client.dca_bots.watch(since=watch.state, **options)
    assert kinds(later.poll()) == ["disabled"]
    client.dca_bots.edit(bot_id, take_profit="2.5")
    assert kinds(client.dca_bots.watch(since=later.state).poll()) == ["edited"]


def test_deals_that_the_watch_before_left_out_are_its_base(
    sandbox: botdesk.Sandbox, client: botdesk.Client, bot_id: int
) -> None:
    without = client.dca_bots.watch(deals=False)
    without.poll()
    sandbox.set_price("USDT_NEW", 100)
    assert client.dca_bots.get(bot_id).active_deals
    later = client.dca_bots.watch(since=without.state)
    assert later.poll() == []
    sandbox.set_price("USDT_NEW", 98)
    assert set(kinds(later.poll())) == {"deal_changed"}


def test_a_path_that_can_not_be_written_is_reported(watch: botdesk.DcaBotWatch, tmp_path: Path) -> None:
    with pytest.raises(botdesk.ConfigurationError, match="can't be written"):
        watch.save(tmp_path / "missing" / "watch.json")
