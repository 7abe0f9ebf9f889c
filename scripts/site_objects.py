"""Adapt the objects of the stub to the reference pages: an extension of griffe, named in `mkdocs.yml`."""

from __future__ import annotations

import griffe


class SiteObjects(griffe.Extension):
    """Present the stub in the way that griffe renders it."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Rename `Example:`, which griffe renders as a quote, to `Examples:`, which it renders as code."""
        if obj.docstring:
            lines = obj.docstring.value.split("\n")
            obj.docstring.value = "\n".join("Examples:" if line == "Example:" else line for line in lines)

    def on_class_members(self, *, cls: griffe.Class, **_: object) -> None:
        """Show the constructors of classes that users construct: those whose docstring describes the arguments.

        griffe shows `__init__`; the classes of the stub have `__new__` in its place.
        """
        if cls.docstring is None or "\nArgs:\n" not in cls.docstring.value:
            cls.members.pop("__init__", None)
            return
        new = cls.members.get("__new__")
        if isinstance(new, griffe.Function) and "__init__" not in cls.members:
            parameters = griffe.Parameters(griffe.Parameter("self"), *list(new.parameters)[1:])
            cls.set_member("__init__", griffe.Function("__init__", parameters=parameters, lineno=new.lineno))
        elif "__init__" in cls.members:
            cls.members["__init__"].docstring = None
