"""The base of the widgets: messages from the script in the page."""

from __future__ import annotations

from typing import Any

from anywidget import AnyWidget


class MessageWidget(AnyWidget):
    """A widget that handles messages of its script."""

    def __init__(self) -> None:
        """Listen for messages; they come once the widget is shown."""
        super().__init__()
        # ipywidgets has no types.
        untyped: Any = self
        untyped.on_msg(self._dispatch)

    def _dispatch(self, _widget: object, message: dict[str, Any], _buffers: object) -> None:
        self._receive(message)

    def _receive(self, message: dict[str, Any]) -> None:
        """Handle a message."""
        raise NotImplementedError
