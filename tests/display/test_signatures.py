"""Shift-Tab, `help` and Tab of functions, classes and variables."""

from __future__ import annotations

import importlib
import inspect
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from IPython.core.oinspect import Inspector

import botdesk
from botdesk import DcaBot, DcaBots, _native, _planning, _signatures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# `Any`: it has no types.
jedi: Any = importlib.import_module("jedi")


def owners() -> list[Any]:
    """Return the module and its classes."""
    return [_native, *(member for member in vars(_native).values() if isinstance(member, type))]


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield all public functions and methods."""
    for owner in [*owners(), _planning]:
        members = cast("dict[str, Any]", vars(owner))
        for name in list(members):
            member = getattr(owner, name)
            if name[0] != "_" and inspect.isroutine(member):
                yield f"{owner.__name__}.{name}", member


def shown(function: Callable[..., Any]) -> str:
    """Return what Shift-Tab shows."""
    make: Any = Inspector
    inspector = make(theme_name="nocolor")
    text: str = inspector._getdef(function, "call")
    return text


class TestSignatures:
    def test_shift_tab_shows_types_and_dots(self) -> None:
        text = " ".join(shown(DcaBot.edit).split())
        assert "take_profit: str | Decimal | int | float | None = ...," in text
        assert 'strategy: Literal["long", "short"] | None = ...,' not in text
        assert text.endswith("-> DcaBot")
        assert "Ellipsis" not in text

    def test_those_of_a_bound_method_have_no_self(self) -> None:
        bot = DcaBot.from_json('{"id": 1}')
        assert list(inspect.signature(bot.ladder).parameters)[:2] == ["price", "tick"]
        assert str(inspect.signature(bot.ladder)).startswith("(price: str | Decimal | int | float | None = ..., tick: ")

    def test_coroutine_functions_have_them_too(self) -> None:
        expected = "(self, /, bot_id: int, include_events: bool | None = ...) -> DcaBot"
        assert str(inspect.signature(DcaBots.get_async)) == str(inspect.signature(DcaBots.get)) == expected

    def test_methods_without_arguments_have_them(self) -> None:
        assert str(inspect.signature(DcaBot.refresh)) == "(self, /) -> DcaBot"
        assert shown(DcaBot.from_json('{"id": 1}').refresh).endswith("() -> DcaBot")

    def test_functions_and_static_methods_have_them(self) -> None:
        assert str(inspect.signature(DcaBot.from_json)) == "(text: str | bytes) -> Self"
        assert str(inspect.signature(botdesk.plan_grid)).startswith(
            "(*, price: str | Decimal | int | float | None = ..."
        )
        assert str(inspect.signature(botdesk.display)).endswith("decimals: int | None = ...) -> DisplayOptions")

    @pytest.mark.parametrize("function", [botdesk.plan_grid, DcaBots.get, botdesk.Client.request])
    def test_tools_that_unwrap_functions_come_to_an_end(self, function: Callable[..., Any]) -> None:
        assert callable(inspect.unwrap(function))

    def test_a_method_with_overloads_has_the_one_that_holds_for_all(self) -> None:
        assert str(inspect.signature(botdesk.Sandbox.add_key)) == (
            "(self, /, public_key_pem: None | str = None, permissions: Sequence[str] | None = None, *, "
            "secret: Literal[True] | Literal[False] = False) -> tuple[str, str] | str"
        )

    def test_a_class_has_that_of_its_constructor(self) -> None:
        text = str(inspect.signature(botdesk.Client))
        assert text.startswith(
            "(api_key: str, private_key: str | bytes | PathLike[str] | PrivateKey | None = None, *, "
            "secret: str | None = None, base_url: str = ..., "
        )
        assert "timeout: float | int | None = ..., " in text
        assert not hasattr(DcaBot, "__signature__")
        assert not hasattr(botdesk.RateLimit(1), "__signature__")

    @pytest.mark.parametrize(
        ("owner", "start"),
        [
            (botdesk.Candles, "(data: object)"),
            (botdesk.RateLimit, "(requests: int = 100, per: float = 60.0, "),
            (botdesk.Replay, "(path: str | PathLike[str], *, strict: bool = False)"),
            (botdesk.RetryPolicy, "(retries: int = 3, *, backoff: float = 0.5, "),
            (botdesk.Sandbox, "(*, seed: int | None = None, bots: int | None = None, port: int = 0, "),
        ],
    )
    def test_every_class_with_a_constructor_has_one(self, owner: type, start: str) -> None:
        assert str(inspect.signature(owner)).startswith(start)

    def test_no_class_with_a_constructor_is_left_out(self) -> None:
        classes = [owner for owner in owners() if isinstance(owner, type) and owner.__text_signature__]
        assert classes
        assert [owner.__name__ for owner in classes if not hasattr(owner, "__signature__")] == []

    @pytest.mark.parametrize(
        ("name", "function"), list(public_functions()), ids=lambda value: value if isinstance(value, str) else ""
    )
    def test_each_shows_its_types_and_all_parameters(self, name: str, function: Callable[..., Any]) -> None:
        signature = inspect.signature(function)
        assert "Ellipsis" not in str(signature), name
        assert "Ellipsis" not in pydoc.render_doc(function)
        assert signature.return_annotation is not signature.empty or name.endswith(".close")
        native: Any = inspect.unwrap(function)
        text = getattr(native, "__text_signature__", None)
        if text is not None and function is not native:
            names = [part.split("=")[0].strip(" *$/()") for part in text.strip("()").split(",")]
            assert [name for name in names if name not in {"", "cls"}] == list(signature.parameters)
            assert all(
                each.annotation is not each.empty or each.name == "self" for each in signature.parameters.values()
            )

    def test_a_default_that_is_left_out_is_ellipsis(self) -> None:
        parameter = inspect.signature(DcaBots.list).parameters["limit"]
        assert parameter.default is ...
        assert (str(parameter), str(parameter.replace(name="most"))) == (
            "limit: int | None = ...",
            "most: int | None = ...",
        )

    def test_other_defaults_are_values(self) -> None:
        parameters = inspect.signature(DcaBots.watch).parameters
        assert parameters["every"].default == 30.0
        assert str(parameters["every"]) == "every: SupportsFloat | SupportsIndex = 30.0"

    def test_help_shows_them(self) -> None:
        assert "timeout: float | int | None = ..." in pydoc.plain(pydoc.render_doc(botdesk.Client))
        assert "include_events: bool | None = ..." in pydoc.plain(pydoc.render_doc(DcaBots))

    def test_without_the_stub_they_have_no_types(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_signatures, "_stub", _signatures._Stub(Path("missing.pyi")))
        assert str(inspect.signature(botdesk.Clock.advance)) == "(self, /, seconds)"
        assert str(inspect.signature(botdesk.Client)).startswith("(api_key, private_key=None, *, secret=None, ")


class TestCalls:
    def test_an_argument_that_does_not_exist_is_rejected_as_before(self) -> None:
        wrong: dict[str, Any] = {"take_proft": 1}
        with botdesk.Sandbox() as sandbox:
            bots: Any = sandbox.client().dca_bots
            with pytest.raises(botdesk.ValidationError, match="did you mean take_profit"):
                bots.edit(41, **wrong)
            with pytest.raises(TypeError, match="bot_id"):
                bots.get()

    def test_a_traceback_holds_no_argument(self) -> None:
        secret = "a-secret-of-an-account"
        fields: dict[str, Any] = {"type": "binance", "secret": secret}
        with botdesk.Sandbox() as sandbox, pytest.raises(botdesk.ValidationError) as caught:
            sandbox.client().accounts.add(**fields)
        frames = [entry.frame for entry in caught.traceback[1:]]
        assert frames
        assert not any(secret in repr(frame.f_locals) for frame in frames)

    @pytest.mark.parametrize("module", ["inspect", "ast", "botdesk._signatures", "botdesk._lists"])
    def test_importing_botdesk_reads_no_signature(self, module: str) -> None:
        script = f"import sys, botdesk; print({module!r} in sys.modules)"
        process = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        assert process.stdout == "False\n"


CODE = """
import botdesk
with botdesk.Sandbox() as sandbox:
    client = sandbox.client()
    bots = client.dca_bots.list()
    """


class TestTab:
    @pytest.mark.parametrize(
        ("code", "name"),
        [
            ("for b in bots:\n        b.", "take_profit"),
            ("for b in client.dca_bots.iter():\n        b.", "take_profit"),
            ("bots[0].", "take_profit"),
            ("bots[:3][0].", "take_profit"),
            ("for d in client.dca_bots.get(1).active_deals:\n        d.", "bought_volume"),
            ("for rung in bots[0].ladder(1):\n        rung.", "average_price"),
            ("for change in client.dca_bots.watch():\n        change.bot.", "take_profit"),
            ("with botdesk.display() as options:\n        options.", "decimals"),
            ("client.", "dca_bots"),
        ],
    )
    def test_an_editor_completes_attributes(self, code: str, name: str) -> None:
        assert name in [completion.name for completion in jedi.Script(CODE + code).complete()]

    def test_a_notebook_completes_arguments(self) -> None:
        bot = DcaBot.from_json('{"id": 1}')
        completions = jedi.Interpreter("bot.edit(take_pro", [{"bot": bot}]).complete()
        assert "take_profit=" in [completion.name_with_symbols for completion in completions]
