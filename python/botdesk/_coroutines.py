"""Replace the native functions and methods that return a coroutine with Python coroutine functions.

Only functions written with `async def` are coroutine functions to `inspect`, to schedulers and to test frameworks, and
only their coroutines warn if they are never awaited.
"""

from __future__ import annotations

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes longer than the rest of the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import Any

# Coroutine methods without the suffix `_async`, and the names that their coroutines have. The native slot `__anext__`
# calls `_next`.
_OTHERS = {"__aenter__": "__aenter__", "__aexit__": "__aexit__", "_next": "__anext__", "aclose": "aclose"}

# Methods with the suffix that return an asynchronous iterator.
_ITERATORS = frozenset({"iter_async", "watch_async"})


def replace_coroutines(module: ModuleType) -> list[str]:
    """Replace every native function and method that returns a coroutine.

    Args:
        module: The native module.

    Returns:
        The qualified names of the coroutines.
    """
    owners: list[type | ModuleType] = [module]
    owners.extend(member for member in vars(module).values() if isinstance(member, type))
    names: list[str] = []
    for owner in owners:
        for name, function in list(vars(owner).items()):
            if name in _OTHERS or (name.endswith("_async") and name not in _ITERATORS):
                replacement = _coroutine_function(owner, _OTHERS.get(name, name), function)
                setattr(owner, name, replacement)
                names.append(replacement.__qualname__)
    return names


def silence(names: Iterable[str]) -> None:
    """Ignore coroutines with these names that were never awaited.

    Call it at the exit of the process: coroutines that are dropped at exit are not reported.
    """
    import warnings  # noqa: PLC0415 - only needed at exit

    # `filterwarnings` would compile a pattern, and importing `re` takes longer than importing botdesk.
    entry = ("ignore", _NeverAwaited(names), RuntimeWarning, None, 0)
    warnings.filters.insert(0, entry)  # type: ignore[attr-defined]


class _NeverAwaited:
    """Matches the warnings about coroutines; it takes the place of a warning filter's pattern."""

    def __init__(self, names: Iterable[str]) -> None:
        self._messages = frozenset(f"coroutine '{name}' was never awaited" for name in names)

    def match(self, message: str) -> bool:
        return message in self._messages


def _coroutine_function(owner: type | ModuleType, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        try:
            result = function(*args, **kwargs)
        finally:
            # They may hold secrets, and tools that print tracebacks print local variables.
            del args, kwargs
        return await result

    if isinstance(owner, type):
        qualified, call.__module__ = f"{owner.__qualname__}.{name}", owner.__module__
    else:
        qualified, call.__module__ = name, owner.__name__
    call.__name__, call.__qualname__ = name, qualified
    call.__doc__ = function.__doc__
    # Tracebacks show the name of the code.
    call.__code__ = call.__code__.replace(co_name=name, co_qualname=qualified)
    # `inspect.signature` and `help` read the arguments from it.
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call
