"""Paper and real mode, clients without credentials, and headers of custom requests."""

from __future__ import annotations

import asyncio
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

if TYPE_CHECKING:
    from pathlib import Path

PAPER_ACCOUNT = 105


def test_the_mode_chooses_the_accounts_of_a_list() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        assert [account.id for account in client.with_options(mode="paper").accounts.list()] == [PAPER_ACCOUNT]
        real = [account.id for account in client.with_options(mode="real").accounts.list()]
        assert PAPER_ACCOUNT not in real
        assert [account.id for account in client.accounts.list()] == real


def test_the_mode_is_shown_and_can_be_taken_off() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client().with_options(mode="paper")
        assert repr(client).endswith(" mode paper>")
        assert repr(client.with_options(timeout=5)).endswith(" mode paper>")
        assert "mode" not in repr(client.with_options(mode=None))


def test_another_mode_is_rejected() -> None:
    wrong: Any = "demo"
    with botdesk.Sandbox() as sandbox:
        with pytest.raises(botdesk.ConfigurationError, match=r'^mode must be "paper" or "real", not .*demo'):
            sandbox.client().with_options(mode=wrong)
        assert not sandbox.requests


def test_the_environment_has_a_mode(monkeypatch: pytest.MonkeyPatch, keys: Path) -> None:
    monkeypatch.setenv("BOTDESK_API_KEY", "an-api-key")
    monkeypatch.setenv("BOTDESK_PRIVATE_KEY_FILE", str(keys / "rsa_2048.pem"))
    monkeypatch.setenv("BOTDESK_MODE", "paper")
    client = botdesk.Client.from_env()
    assert repr(pickle.loads(pickle.dumps(client))) == repr(client)  # noqa: S301
    assert "mode paper" in repr(client)
    monkeypatch.setenv("BOTDESK_MODE", "demo")
    with pytest.raises(botdesk.ConfigurationError, match="BOTDESK_MODE must be"):
        botdesk.Client.from_env()


def test_a_write_to_a_real_account_is_not_sent_in_paper_mode() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client().with_options(mode="paper")
        with pytest.raises(botdesk.ValidationError, match=r"not one of your paper accounts.*nothing was sent"):
            client.dca_bots.disable(41)
        assert {request.method for request in sandbox.requests} == {"GET"}
        assert client.with_options(mode="real").dca_bots.disable(41).is_enabled is False


async def _rename_async(client: botdesk.Client) -> None:
    await client.accounts.rename_async(PAPER_ACCOUNT, name="Third")


def test_a_paper_account_is_checked_once() -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client().with_options(mode="paper")
        client.accounts.rename(PAPER_ACCOUNT, name="First")
        client.with_options(timeout=5).accounts.rename(PAPER_ACCOUNT, name="Second")
        asyncio.run(_rename_async(client))
        assert [request.method for request in sandbox.requests] == ["GET", "POST", "POST", "POST"]


def test_an_empty_list_without_a_mode_hints_at_it_once() -> None:
    with botdesk.Sandbox(bots=0) as sandbox:
        client = sandbox.client()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            client.with_options(mode="real").dca_bots.list()
            client.dca_bots.list(limit=10)
            client.dca_bots.list()
        assert len([one for one in caught if "mode=" in str(one.message)]) == 1


def test_a_public_client_reads_market_data_without_credentials() -> None:
    with botdesk.Sandbox() as sandbox:
        client = botdesk.Client.public(base_url=sandbox.url)
        assert client.markets.pairs("demo_spot")
        assert len(sandbox.requests) == 1
        with pytest.raises(botdesk.ConfigurationError, match=r"dca_bots.list needs an API key.*nothing was sent"):
            client.dca_bots.list()
        assert len(sandbox.requests) == 1
        assert repr(pickle.loads(pickle.dumps(client))) == repr(client)  # noqa: S301


@pytest.mark.parametrize("name", ["Apikey", "signature", "Forced-Mode", "a b"])
def test_a_header_that_the_client_sets_is_rejected_without_its_value(name: str) -> None:
    with botdesk.Sandbox() as sandbox:
        with pytest.raises(botdesk.ValidationError, match="headers: ") as caught:
            sandbox.client().request("GET", "/ver1/bots", headers={name: "s3cret"})
        assert "s3cret" not in str(caught.value)
        assert not sandbox.requests


def test_a_header_of_the_caller_is_sent_and_not_recorded(tmp_path: Path) -> None:
    with botdesk.Sandbox() as sandbox:
        client = sandbox.client()
        with botdesk.record(tmp_path / "one.har", client):
            client.request("GET", "/ver1/bots", headers={"X-Plan": "s3cret-plan"})
        assert "s3cret-plan" not in (tmp_path / "one.har").read_text()
