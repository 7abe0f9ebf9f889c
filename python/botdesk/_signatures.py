"""Signatures with types, of native functions from the stub. Imported when the first one is asked for."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cached_property
from inspect import Parameter, Signature
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from botdesk._types import UNSET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_CONSTRUCTOR = "__new__"

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Annotation(str):
    """A type as it is written in the stub. It prints without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class _Parameter(Parameter):
    """A parameter that prints a default that is left out as `...`, as in the stub. Its value is `Ellipsis`."""

    __slots__ = ()

    def __str__(self) -> str:
        return self._with_dots(super().__str__())

    # Python 3.14 formats the parameters of a signature with this method.
    def _format(self, **options: Any) -> str:  # noqa: ANN401
        # `Any`: older versions do not have it.
        usual: Any = super()
        return self._with_dots(usual._format(**options))  # noqa: SLF001

    def _with_dots(self, text: str) -> str:
        return f"{text.removesuffix('Ellipsis')}..." if text.endswith("Ellipsis") and self.default is ... else text


def of_function(qualified: str, function: Callable[..., Any]) -> Signature:
    """Return the signature of a function or a method; the native one, without types, if the stub does not have it."""
    if isinstance(function, FunctionType):
        return _of_python(function)
    found = _stub.functions(qualified.partition(".")[0]).get(qualified)
    if found is None:
        return inspect.signature(function)
    return _of_overloads([_signature(overload, _annotation(overload.returns)) for overload in found])


def _of_python(function: FunctionType) -> Signature:
    found = inspect.signature(function, follow_wrapped=False)
    parameters = [
        _Parameter(
            parameter.name,
            parameter.kind,
            default=... if parameter.default is UNSET else parameter.default,
            annotation=_unquoted(parameter.annotation),
        )
        for parameter in found.parameters.values()
    ]
    return Signature(parameters, return_annotation=_unquoted(found.return_annotation))


def _unquoted(annotation: Any) -> object:  # noqa: ANN401
    return _Annotation(annotation.replace("'", '"')) if isinstance(annotation, str) else annotation


def of_class(owner: type) -> Signature:
    """Return the signature of a class: that of its constructor, without the class."""
    found = _stub.functions(owner.__qualname__).get(f"{owner.__qualname__}.{_CONSTRUCTOR}")
    if found is None:
        # `inspect.signature` then reads the native one.
        raise AttributeError("__signature__")
    whole = _signature(found[-1], Signature.empty)
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def _of_overloads(overloads: list[Signature]) -> Signature:
    """Return the signature that holds for all overloads of a method, which have the same parameters."""
    *others, last = overloads
    if not others:
        return last
    parameters = [
        parameter.replace(
            annotation=_any_of(one.parameters[name].annotation for one in overloads),
            default=next(
                (one.parameters[name].default for one in overloads if name in _optional(one)), parameter.default
            ),
        )
        for name, parameter in last.parameters.items()
    ]
    return Signature(parameters, return_annotation=_any_of(one.return_annotation for one in overloads))


def _optional(signature: Signature) -> set[str]:
    return {name for name, parameter in signature.parameters.items() if parameter.default is not parameter.empty}


def _any_of(annotations: Iterable[object]) -> object:
    found = list(dict.fromkeys(annotations))
    return found[0] if len(found) == 1 else _Annotation(" | ".join(map(str, found)))


def _signature(function: _Function, returned: object) -> Signature:
    return Signature(list(_parameters(function.args)), return_annotation=returned)


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    kinds = [Parameter.POSITIONAL_ONLY] * len(arguments.posonlyargs) + [Parameter.POSITIONAL_OR_KEYWORD] * len(
        arguments.args
    )
    for argument, kind, default in zip(positional, kinds, [*missing, *arguments.defaults], strict=True):
        yield _parameter(argument, kind, default)
    if arguments.vararg:
        yield _parameter(arguments.vararg, Parameter.VAR_POSITIONAL, None)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, Parameter.KEYWORD_ONLY, default)
    if arguments.kwarg:
        yield _parameter(arguments.kwarg, Parameter.VAR_KEYWORD, None)


def _parameter(argument: ast.arg, kind: Any, default: ast.expr | None) -> Parameter:  # noqa: ANN401
    value = Parameter.empty if default is None else ast.literal_eval(default)
    return _Parameter(argument.arg, kind, default=value, annotation=_annotation(argument.annotation))


def _annotation(node: ast.expr | None) -> object:
    if node is None:
        return Parameter.empty
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else _unparsed(node)
    return _Annotation(text)


def _unparsed(node: ast.expr) -> str:
    aliases = _stub.aliases
    for name in ast.walk(node):
        if isinstance(name, ast.Name):
            name.id = aliases.get(name.id, name.id)
    return ast.unparse(node).replace("'", '"')


class _Stub:
    """The stub of the native module; empty if an installation leaves stubs out.

    Each definition is parsed alone: the whole stub takes a tenth of a second.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._functions: dict[str, dict[str, list[_Function]]] = {}

    @cached_property
    def _source(self) -> str:
        try:
            return self._path.read_text("utf-8")
        except OSError:
            return ""

    def functions(self, name: str) -> dict[str, list[_Function]]:
        """Return the function or the methods of the class, by qualified names; several if a method has overloads."""
        if name not in self._functions:
            self._functions[name] = self._parsed(name)
        return self._functions[name]

    def _parsed(self, name: str) -> dict[str, list[_Function]]:
        functions: dict[str, list[_Function]] = {}
        for node in self._definitions(name):
            if isinstance(node, _Function):
                functions[node.name] = [node]
            elif isinstance(node, ast.ClassDef):
                for method in (part for part in node.body if isinstance(part, _Function)):
                    functions.setdefault(f"{node.name}.{method.name}", []).append(method)
        return functions

    def _definitions(self, name: str) -> Iterator[ast.stmt]:
        # What ends the parameters of a function, or its type, may begin a line.
        pattern = rf"(?ms)^(?:class|def|async def) {name}\b.*?(?=^[^\s)\]]|\Z)"
        for found in re.finditer(pattern, self._source):
            yield from ast.parse(found[0]).body

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Names that the stub imports under another name, because it defines that name itself."""
        head = re.split(r"(?m)^(?:class|def|async def|@)", self._source, maxsplit=1)[0]
        imports = [node for node in ast.parse(head).body if isinstance(node, ast.ImportFrom)]
        return {name.asname: name.name for node in imports for name in node.names if name.asname}


_stub = _Stub(Path(__file__).with_name("_native.pyi"))
