"""Pictures as PNG."""

from __future__ import annotations

import io
import threading
from typing import Any

from botdesk.errors import ConfigurationError

_WIDTH, _HEIGHT, _DOTS_PER_INCH = 9, 5, 100
# matplotlib draws in one thread at a time.
_LOCK = threading.Lock()


def png(drawn: Any) -> bytes:  # noqa: ANN401
    """Draw a record, a plan, a backtest or a sweep.

    Raises:
        ConfigurationError: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow to import
        from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import
    except ImportError as error:
        raise ConfigurationError("pictures need matplotlib; install with: pip install 'botdesk[plot]'") from error
    with _LOCK:
        figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=_DOTS_PER_INCH, layout="constrained")
        FigureCanvasAgg(figure)
        drawn.plot(ax=figure.subplots(), theme="light")
        file = io.BytesIO()
        save: Any = getattr(figure, "savefig")  # noqa: B009 - its types are incomplete
        save(file, format="png")
        return file.getvalue()
