"""Makes the widgets of anywidget that show botdesk's own objects.

botdesk's classes only hold such a widget, because neither anywidget nor ipywidgets has complete types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anywidget import AnyWidget

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def new_view(
    name: str,
    script: str,
    style: str,
    traits: Mapping[str, Any],
    receive: Callable[[dict[str, Any]], None],
) -> Any:  # noqa: ANN401 - ipywidgets has no types
    """Return a widget.

    Args:
        name: The name of its class, by which pages tell its styles apart.
        script: The script that shows it.
        style: The style sheet.
        traits: The state that the script and Python share.
        receive: A function that is called with each message of the script.
    """
    synced = {key: trait.tag(sync=True) for key, trait in traits.items()}
    made: Any = type(name, (AnyWidget,), {"_esm": script, "_css": style, "__module__": __name__, **synced})
    view = made()

    def dispatch(_widget: object, message: dict[str, Any], _buffers: object) -> None:
        receive(message)

    view.on_msg(dispatch)
    return view


class Shown:
    """An object that a widget shows."""

    _view: Any

    def _repr_mimebundle_(self, **options: object) -> Any:  # noqa: ANN401
        """Show the widget in Jupyter and VS Code; a page without scripts shows the text."""
        data, metadata = self._view._repr_mimebundle_(**options)
        return {**data, "text/plain": repr(self)}, metadata

    def _display_(self) -> object:
        """Show the widget in marimo."""
        return self._view
