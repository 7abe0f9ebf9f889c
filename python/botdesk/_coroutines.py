"""Replace native functions and methods with Python functions.

Those that return a coroutine become coroutine functions. Only functions written with `async def` are that to `inspect`,
to schedulers and to test frameworks, and only their coroutines warn if they are never awaited.

The others get a signature with types. The signature of a native function has names only, and shows a default that is
left out as `Ellipsis`.
"""

from __future__ import annotations

# Stands in for `typing.TYPE_CHECKING`: importing `typing` takes longer than the rest of the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

# The qualified names of the coroutines that are imported so far.
_coroutine_names: list[str] = []

# Coroutine methods without the suffix `_async`, and the names that their coroutines have. The native slot `__anext__`
# calls `_next`.
_OTHERS = {"__aenter__": "__aenter__", "__aexit__": "__aexit__", "_next": "__anext__", "aclose": "aclose"}

# Stays native: a pending Ctrl-C is raised before the first line of a Python function, and then
# `finally: sandbox.close()` would close nothing.
_CLOSE = "close"

# The heading of the last part of a docstring.
_EXAMPLE = "Example:\n"

# The beginning of the sentence by which a generated docstring refers to the blocking version.
_REFERENCE = "The coroutine of `"

# Methods with the suffix that return an asynchronous iterator.
_ITERATORS = frozenset({"iter_async", "watch_async"})


def replace_functions(module: ModuleType) -> None:
    """Replace every public native function and method except `close`, and every other one that returns a coroutine.

    Classes with a constructor get a signature with types.

    Args:
        module: The native module.
    """
    owners: list[type | ModuleType] = [module]
    owners.extend(member for member in vars(module).values() if isinstance(member, type))
    for owner in owners:
        if "__new__" in vars(owner):
            owner.__signature__ = _ClassSignature()  # type: ignore[union-attr]
        for name, function in list(vars(owner).items()):
            if name in _OTHERS or (name.endswith("_async") and name[0] != "_" and name not in _ITERATORS):
                replacement = _coroutine_function(owner, _OTHERS.get(name, name), function)
                setattr(owner, name, replacement)
                _coroutine_names.append(replacement.__qualname__)
            elif type(function) in _NATIVE and name[0] != "_" and name != _CLOSE:
                setattr(owner, name, _typed_function(owner, name, function))
            elif type(function) is _CLASS_METHOD and name[0] != "_":
                setattr(owner, name, _typed_class_method(owner, name, function))


def type_methods(*classes: type) -> None:
    """Give each method of Python classes a signature whose types print without quotes, and note the coroutines."""
    for kind in classes:
        type_functions(*(member for member in vars(kind).values() if type(member) is _FUNCTION))


def type_functions(*functions: Callable[..., Any]) -> None:
    """Give functions a signature whose types print without quotes, note the coroutines, and complete their docstrings.

    Args:
        functions: A function, then its version with the suffix `_async` if there is one.
    """
    named = {function.__name__: function for function in functions}
    for name, function in named.items():
        function.__wrapped__ = _Typed(function.__qualname__, function)  # type: ignore[attr-defined]
        # Functions, classes and methods are public names of the package.
        function.__module__ = "botdesk"
        if name.endswith("_async") and name not in _ITERATORS:
            _coroutine_names.append(function.__qualname__)
            _complete_docstring(function, named.get(name.removesuffix("_async")))


def _complete_docstring(function: Callable[..., Any], blocking: Callable[..., Any] | None) -> None:
    """Replace the reference to the blocking version in a docstring by what the two share."""
    if blocking and blocking.__doc__ and function.__doc__ and _REFERENCE in function.__doc__:
        shared = blocking.__doc__.partition(_EXAMPLE)[0]
        function.__doc__ = shared + "".join(function.__doc__.partition(_EXAMPLE)[1:])


def silence() -> None:
    """Ignore coroutines of botdesk that were never awaited.

    Call it at the exit of the process: coroutines that are dropped at exit are not reported.
    """
    import warnings  # noqa: PLC0415 - only needed at exit

    # `filterwarnings` would compile a pattern, and importing `re` takes longer than importing botdesk.
    entry = ("ignore", _NeverAwaited(), RuntimeWarning, None, 0)
    warnings.filters.insert(0, entry)  # type: ignore[attr-defined]


class _NeverAwaited:
    """Matches the warnings about coroutines; it takes the place of a warning filter's pattern."""

    def __init__(self) -> None:
        self._messages = frozenset(f"coroutine '{name}' was never awaited" for name in _coroutine_names)

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
    call.__wrapped__ = _Typed(qualified, function)  # type: ignore[attr-defined]
    return call


# The types of functions, of methods and of static methods. Most members are attributes.
_NATIVE = (type(len), type(str.join), staticmethod)


# The types of class methods, and of functions that are written in Python.
_CLASS_METHOD: Any = type(dict.__dict__["fromkeys"])  # pyright: ignore[reportUnknownVariableType]
_FUNCTION: Any = type(lambda: None)


def _typed_class_method(owner: type | ModuleType, name: str, given: Any) -> Any:  # noqa: ANN401
    def call(cls: type, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        return given.__get__(None, cls)(*args, **kwargs)

    call.__name__, call.__qualname__, call.__module__ = name, f"{owner.__name__}.{name}", owner.__module__
    call.__doc__ = given.__doc__
    call.__wrapped__ = _Typed(call.__qualname__, given)  # type: ignore[attr-defined]
    return classmethod(call)  # pyright: ignore[reportUnknownVariableType]


def _typed_function(owner: type | ModuleType, name: str, given: Any) -> Any:  # noqa: ANN401
    is_static = isinstance(given, staticmethod)
    function: Callable[..., Any] = given.__func__ if is_static else given

    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        try:
            return function(*args, **kwargs)
        finally:
            # They may hold secrets, and tools that print tracebacks print local variables.
            del args, kwargs

    if isinstance(owner, type):
        qualified, call.__module__ = f"{owner.__qualname__}.{name}", owner.__module__
    else:
        # Functions of the module are public names of the package.
        qualified, call.__module__ = name, "botdesk"
    call.__name__, call.__qualname__ = name, qualified
    call.__doc__ = function.__doc__
    call.__wrapped__ = _Typed(qualified, function)  # type: ignore[attr-defined]
    return staticmethod(call) if is_static else call


class _Typed:
    """A function with a signature whose types print without quotes: `inspect` and IPython read its `__wrapped__`.

    The types of a native function are those of the stub.
    """

    __slots__ = ("_function", "_qualified")

    def __init__(self, qualified: str, function: Callable[..., Any]) -> None:
        self._qualified = qualified
        self._function = function

    @property
    def __signature__(self) -> object:
        from botdesk import _signatures  # noqa: PLC0415 - it imports `inspect`, which is slow

        return _signatures.of_function(self._qualified, self._function)

    # Like a method descriptor, so that `inspect.isroutine` is true of it.
    def __get__(self, instance: object, owner: type | None = None) -> object:
        return self._function.__get__(instance, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        # A Python function has this object there, so `inspect.unwrap` would go round in a circle.
        if name == "__wrapped__":
            raise AttributeError(name)
        return getattr(self._function, name)


class _ClassSignature:
    """The signature of a class with types, from the stub, as its attribute `__signature__`. Its instances have none."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type) -> object:
        if instance is not None:
            raise AttributeError("__signature__")
        from botdesk import _signatures  # noqa: PLC0415 - it imports `inspect`, which is slow

        return _signatures.of_class(owner)
