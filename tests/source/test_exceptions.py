"""The source loses no exception of Python's unseen, so that it loses no Ctrl-C.

Clippy denies the binding the methods of `Result` that drop or replace an error (`clippy.toml`, `src/lib.rs`);
here is what no lint of it forbids. Neither finds a `PyErr` that a match names and then forgets, one that is kept in a
variable whose name begins with `_`, a result that is used as an iterator (`flat_map`, `chain`, `extend`), or an object
of Python's in a `format!`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# What drops a `PyErr`, or runs Python code and drops what it raises, with the reason that each is forbidden.
FORBIDDEN = {
    r"\b(?:if|while)\s+let\s+Ok\(|&&\s*let\s+Ok\(": "drops the error: use none_if_exception, rust_ok or cast",
    r"\blet\s+Ok\([^;]*?\)\s*else\s*\{": "drops the error: use none_if_exception, rust_ok or protocols::cast",
    r"\bErr\(_": "drops the error: use none_if_exception or rust_ok",
    # The arms of a `match` begin at the same column, and all lines between them further to the right.
    r"(?m)^( *)(?! )(?:(?!=>).)*\bOk\(.*=>.*\n(?:\1.*\n|\n)*?\1_ (?:if .*)?=>": "drops the error: give it its own arm",
    r"\bmatches!\([^;]*?\bOk\(": "drops the error: use none_if_exception or rust_ok",
    # Of an Option in an Option there is nothing to drop.
    r"(?<!\.rust_ok\(\))(?<!\.none_if_exception\(py\)\?)\.flatten\(\)": "drops the errors of an iterator: use a loop",
    r"\.try_iter\(\)\?\s*\.": "asks for a length and drops what that raises: use a loop",
    r"\bPyErr\s*\|\s*[^|]*to_string\(\)": "drops what the text of an exception raises: use or_message",
    r"\bPy(?:Sequence|Mapping)\b": "runs Python code in a cast: use protocols::is_sequence or is_mapping",
    r"\.hasattr\(": "takes any exception for the lack of the attribute",
}

# Handlers of exceptions that are not an `Exception` and that do not raise them again: file and function.
HANDLERS = {
    # They end the process, with the exit code of Ctrl-C.
    ("_cli/app.py", "run", "KeyboardInterrupt"),
    ("_cli/app.py", "run", "SystemExit"),
    # Ctrl-C is how this command is ended.
    ("_cli/sandbox.py", "run", "KeyboardInterrupt"),
    # It is raised again with the result of the run.
    ("_create_each.py", "again", "KeyboardInterrupt"),
    # It ends the process of a script, with the exit code of Ctrl-C.
    ("recipes.py", "main", "KeyboardInterrupt"),
}

NOT_EXCEPTIONS = {
    "BaseException",
    "KeyboardInterrupt",
    "SystemExit",
    "GeneratorExit",
    "CancelledError",
    "BulkInterrupted",
}


def rust_files() -> list[Path]:
    """Return the files of the binding but for the one through which all exceptions go."""
    folder = ROOT / "src"
    return sorted(file for file in folder.rglob("*.rs") if file != folder / "exceptions.rs")


def without_comments(source: str) -> str:
    return re.sub(r"//[^\n]*", "", source)


@pytest.mark.shows("promise ctrl-c is never lost")
@pytest.mark.parametrize("file", rust_files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_the_binding_drops_no_exception_unseen(file: Path) -> None:
    source = without_comments(file.read_text())
    found = [
        f"line {source[: match.start()].count(chr(10)) + 1}: {match[0]!r} {why}"
        for pattern, why in FORBIDDEN.items()
        for match in re.finditer(pattern, source)
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "if let Ok(text) = object.str() {",
        "while let Ok(next) = object.call0() {",
        "if is_wanted && let Ok(text) = object.str() {",
        "let Ok(text) = object\n    .str() else {\n    return;\n};",
        "Err(_) => None,",
        "Err(_ignored) => None,",
        "match object.str() {\n    Ok(text) => {\n        keep(text)\n    }\n    _ => None,\n}\n",
        "    match object.str() {\n        Ok(text) => keep(text),\n\n        _ if is_wanted => None,\n    }\n",
        "match poll {\n    Poll::Ready(Ok(text)) | Poll::Ready(Ok((text, _))) => text,\n    _ => None,\n}\n",
        "matches!(object.str(), Ok(_))",
        "matches!(\n    object.str(),\n    Ok(text) if is_wanted(text)\n)",
        "elements.map(read).flatten()",
        "let all = given.try_iter()?.map(read).collect();",
        "let all = given\n    .try_iter()?\n    .map(read);",
        "let message = |error: PyErr| error.to_string();",
        "given.cast::<PySequence>()",
        'given.hasattr("shape")',
    ],
)
def test_each_way_to_drop_an_exception_is_found(source: str) -> None:
    assert any(re.search(pattern, source) for pattern in FORBIDDEN)


@pytest.mark.parametrize(
    "source",
    [
        (
            "match object.str() {\n    Ok(text) => keep(text),\n    Err(error) => Err(error),\n}\n"
            "match kind {\n    Kind::Text => keep(text),\n    _ => None,\n}\n"
        ),
        "match kind {\n    Kind::Text => Ok(text),\n    _ => Err(error),\n}\n",
        "matches!(kind, Kind::Text);\nOk(())",
        "given.none_if_exception(py)?.flatten()",
    ],
)
def test_what_drops_no_exception_is_allowed(source: str) -> None:
    assert not any(re.search(pattern, source) for pattern in FORBIDDEN)


def names(kind: ast.expr | None) -> set[str]:
    """Return the names of the classes that a handler catches; no class at all is every one."""
    if kind is None:
        return {"BaseException"}
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return {kind.attr if isinstance(kind, ast.Attribute) else ast.unparse(kind) for kind in kinds}


def raises_again(handler: ast.ExceptHandler) -> bool:
    return isinstance(last := handler.body[-1], ast.Raise) and last.exc is None


def swallowed(file: Path) -> set[tuple[str, str, str]]:
    """Return the handlers and the uses of `suppress` in a file that swallow what is not an `Exception`."""
    tree = ast.parse(file.read_text())
    package = file.relative_to(ROOT / "python" / "botdesk").as_posix()
    found: set[tuple[str, str, str]] = set()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            caught: set[str] = set()
            if isinstance(node, ast.ExceptHandler) and not raises_again(node):
                caught = names(node.type)
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
                caught = {name for kind in node.args for name in names(kind)}
            found |= {(package, function.name, name) for name in caught & NOT_EXCEPTIONS}
    return found


@pytest.mark.shows("promise ctrl-c is never lost")
def test_the_package_swallows_exceptions_alone() -> None:
    files = sorted((ROOT / "python" / "botdesk").rglob("*.py"))
    assert set().union(*map(swallowed, files)) == HANDLERS


@pytest.mark.shows("promise ctrl-c is never lost")
def test_the_command_line_does_not_use_threading() -> None:
    # Events and conditions of `threading` wait in Python code, where Ctrl-C can raise a RuntimeError.
    # `botdesk mcp` answers calls in threads of its own, where no signal raises anything.
    folder = ROOT / "python" / "botdesk" / "_cli"
    files = [file for file in folder.rglob("*.py") if folder / "mcp" not in file.parents]
    assert [file.name for file in files if re.search(r"\bthreading\b", file.read_text())] == []
