"""Raise an ImportError in a subinterpreter, before the native module is loaded there.

PyO3 keeps types and imported objects for the whole process. A second interpreter would share them with the main one:
its calls fail or crash, and what it imported first is gone for the main interpreter once it is destroyed.
"""

# Python's own modules for subinterpreters: that of 3.13 and later, and that of 3.11 and 3.12.
_MODULES = ("_interpreters", "_xxsubinterpreters")


def _is_main() -> bool:
    for name in _MODULES:
        try:
            interpreters = __import__(name)
        except ImportError:
            continue
        return bool(interpreters.get_current() == interpreters.get_main())
    # Without either module, Python has no subinterpreters.
    return True


if not _is_main():
    raise ImportError(
        "botdesk works only in the main interpreter, and this is a subinterpreter; use threads or processes instead "
        "(under mod_wsgi: WSGIApplicationGroup %{GLOBAL})"
    )
