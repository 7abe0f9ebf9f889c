"""State files: `Sandbox(state=…)` and `sandbox.dump(…)`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from pathlib import Path


def lived_in(path: Path) -> bytes:
    """Write the file of a sandbox in which something has happened."""
    with botdesk.Sandbox(seed=3, bots=8, odd_values=True) as sandbox:
        sandbox.add_key(open_key())
        client = sandbox.client()
        client.accounts.add(
            type="demo_spot", name="Früh", api_key="a real key", secret="a real secret", types_to_create=[]
        )
        client.dca_bots.disable(42)
        sandbox.add_smart_trade(max_reduce_funds_amount="1.5", pair="USDT_SOL")
        sandbox.add_dca_bot(pairs=["USDT_ETH"], is_enabled=True, cooldown=300)
        for price in ("3000", "3100", "2500.5"):
            sandbox.set_price("USDT_ETH", price)
            sandbox.clock.advance(600)
        sandbox.dump(path)
    return path.read_bytes()


def open_key() -> str:
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def test_a_file_that_is_loaded_and_dumped_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    before = lived_in(tmp_path / "desk.json")
    with botdesk.Sandbox(state=tmp_path / "desk.json") as sandbox:
        sandbox.dump(str(tmp_path / "again.json"))
    assert (tmp_path / "again.json").read_bytes() == before == (tmp_path / "desk.json").read_bytes()


def test_the_same_calls_make_the_same_file(tmp_path: Path) -> None:
    assert lived_in(tmp_path / "one.json") == lived_in(tmp_path / "other.json")


def test_the_state_continues(tmp_path: Path) -> None:
    lived_in(tmp_path / "desk.json")
    with botdesk.Sandbox(state=tmp_path / "desk.json") as one, botdesk.Sandbox(state=tmp_path / "desk.json") as other:
        one.client().dca_bots.disable(41)
        assert one.client().dca_bots.get(41).is_enabled is False
        assert other.client().dca_bots.get(41).is_enabled is True
        assert other.client().dca_bots.get(42).is_enabled is False
        assert other.client().smart_trades.reduce_funds_info(305).max_reduce_funds_amount == 1.5


def test_it_names_its_format_and_holds_no_secret_of_a_caller(tmp_path: Path) -> None:
    text = lived_in(tmp_path / "desk.json").decode()
    document = json.loads(text)
    assert (document["format"], document["version"]) == ("botdesk sandbox", 1)
    assert "a real" not in text
    assert "PUBLIC KEY" not in text
    assert (tmp_path / "desk.json").stat().st_mode & 0o777 == 0o600


def test_a_home_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with botdesk.Sandbox(bots=0, odd_values=True) as sandbox:
        sandbox.dump("~/desk.json")
    with botdesk.Sandbox(state="~/desk.json") as sandbox:
        assert sandbox.client().dca_bots.list() == []


def refused(path: Path) -> str:
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(botdesk.ConfigurationError) as caught:
        botdesk.Sandbox(state=path)
    assert (path.read_bytes() if path.exists() else None) == before
    assert str(path) in str(caught.value)
    return str(caught.value)


def changed(path: Path, **changes: Any) -> Path:  # noqa: ANN401
    with botdesk.Sandbox(bots=2, odd_values=True) as sandbox:
        sandbox.dump(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return path


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    assert re.search(r"No such file.*sandbox\.dump\(path\) writes a state file", refused(tmp_path / "none.json"))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '"text"', "\x00\xff", '{"format": "HAR", "version": 1}'])
def test_another_file_is_rejected(tmp_path: Path, text: str) -> None:
    (tmp_path / "desk.json").write_bytes(text.encode("latin-1"))
    assert "sandbox.dump(path)" in refused(tmp_path / "desk.json")


def test_a_newer_version_is_rejected(tmp_path: Path) -> None:
    assert "upgrade botdesk" in refused(changed(tmp_path / "desk.json", version=2))


def test_a_record_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    message = refused(changed(tmp_path / "desk.json", accounts=[{"id": 1, "name": 5}]))
    assert "accounts[0]: name is not a text; correct it" in message


@pytest.mark.shows("promise the sandbox never guesses")
def test_a_field_that_the_market_cannot_calculate_with_is_named(tmp_path: Path) -> None:
    path = changed(tmp_path / "desk.json")
    document = json.loads(path.read_text())
    document["dca_bots"][0]["record"]["martingale_step_coefficient"] = None
    path.write_text(json.dumps(document))
    assert "dca_bots[0]: martingale_step_coefficient must not be null: the market calculates with it" in refused(path)


@pytest.mark.parametrize("other", [{"seed": 1}, {"bots": 12}, {"seed": 2, "bots": 0}, {"odd_values": True}])
def test_it_goes_with_no_option_that_seeds_a_state(tmp_path: Path, other: dict[str, Any]) -> None:
    path = changed(tmp_path / "desk.json")
    with pytest.raises(botdesk.ConfigurationError, match="can't be combined with seed, bots or odd_values"):
        botdesk.Sandbox(state=path, **other)


def test_an_unwritable_path_is_reported(sandbox: botdesk.Sandbox, tmp_path: Path) -> None:
    with pytest.raises(botdesk.ConfigurationError, match=r"can't write the state file .*nowhere/desk\.json"):
        sandbox.dump(tmp_path / "nowhere" / "desk.json")
    with pytest.raises(botdesk.ConfigurationError):
        sandbox.dump(tmp_path)
    assert list(tmp_path.iterdir()) == []
