"""Client for the trading-automation API of automated trading bots.

`Client` sends requests to the service. `Sandbox` is a local mock of the service. `record` writes requests and responses
to a cassette, and `Replay` serves them again. All errors are in `botdesk.errors`.
"""

import atexit
import sys

# Must run before the native module is loaded.
from botdesk import _interpreter as _interpreter

# isort: split
from botdesk import _api, _native, errors
from botdesk._coroutines import replace_functions, silence
from botdesk._lazy import importer as _importer
from botdesk._native import (
    Answer,
    ArrowTable,
    Backtest,
    BacktestBounds,
    BacktestComparison,
    BacktestDeal,
    BacktestOrder,
    BacktestSummary,
    Budget,
    Candle,
    Candles,
    Client,
    Clock,
    DisplayOptions,
    EditPreview,
    EquityPoint,
    Faults,
    FieldChange,
    GridLevel,
    GridPlan,
    HappenedFault,
    Ladder,
    MarketEvent,
    Moment,
    NotSimulated,
    Operation,
    PendingFault,
    Playback,
    PrivateKey,
    RateLimit,
    ReceivedRequest,
    RecordAsyncWatch,
    RecordChange,
    Recording,
    RecordWatch,
    RefusedCombination,
    Replay,
    RequestEvent,
    RetryPolicy,
    Rung,
    Sandbox,
    SandboxStreams,
    SignedRequest,
    Stream,
    StreamAttempt,
    StreamEvent,
    Sweep,
    SweepFold,
    SweepPoint,
    __version__,
    _shutdown,
)
from botdesk._types import TYPE_CHECKING
from botdesk.errors import (
    ApiError,
    ArchiveError,
    AuthenticationError,
    BotdeskError,
    BotdeskWarning,
    BulkError,
    BulkInterrupted,
    ConfigurationError,
    ConnectionFailedError,
    DecodeError,
    EditConflictError,
    ForbiddenError,
    InvalidApiKeyError,
    IpBannedError,
    MarketApiError,
    NotFoundError,
    OutcomeUnknownError,
    PlanRestrictedError,
    RateLimitedError,
    RecordingError,
    RecordInvalidError,
    RequestTimeoutError,
    ServerError,
    SignatureInvalidError,
    StreamWarning,
    TransportError,
    ValidationError,
    WrongParamsError,
)

if TYPE_CHECKING:
    from botdesk._api import *  # noqa: F403
    from botdesk._archive import Archive, ArchiveTable, SyncReport
    from botdesk._bulk import BulkItem, BulkPreview, BulkResult, PlannedCall
    from botdesk._bulk_backtests import BulkBacktest
    from botdesk._overview import Overview
    from botdesk._planning import backtest, backtest_async, plan_grid, plan_ladder, sweep, sweep_async
    from botdesk._records import Records
    from botdesk._sizing import SizedLadder, size_ladder
    from botdesk._smart_forms import Conditional, Limit, StopLoss, Trailing

__all__ = [
    "Answer",
    "ApiError",
    "Archive",
    "ArchiveError",
    "ArchiveTable",
    "ArrowTable",
    "AuthenticationError",
    "Backtest",
    "BacktestBounds",
    "BacktestComparison",
    "BacktestDeal",
    "BacktestOrder",
    "BacktestSummary",
    "BotdeskError",
    "BotdeskWarning",
    "Budget",
    "BulkBacktest",
    "BulkError",
    "BulkInterrupted",
    "BulkItem",
    "BulkPreview",
    "BulkResult",
    "Candle",
    "Candles",
    "Client",
    "Clock",
    "Conditional",
    "ConfigurationError",
    "ConnectionFailedError",
    "DecodeError",
    "DisplayOptions",
    "EditConflictError",
    "EditPreview",
    "EquityPoint",
    "Faults",
    "FieldChange",
    "ForbiddenError",
    "GridLevel",
    "GridPlan",
    "HappenedFault",
    "InvalidApiKeyError",
    "IpBannedError",
    "Ladder",
    "Limit",
    "MarketApiError",
    "MarketEvent",
    "Moment",
    "NotFoundError",
    "NotSimulated",
    "Operation",
    "OutcomeUnknownError",
    "Overview",
    "PendingFault",
    "PlanRestrictedError",
    "PlannedCall",
    "Playback",
    "PrivateKey",
    "RateLimit",
    "RateLimitedError",
    "ReceivedRequest",
    "RecordAsyncWatch",
    "RecordChange",
    "RecordInvalidError",
    "RecordWatch",
    "Recording",
    "RecordingError",
    "Records",
    "RefusedCombination",
    "Replay",
    "RequestEvent",
    "RequestTimeoutError",
    "RetryPolicy",
    "Rung",
    "Sandbox",
    "SandboxStreams",
    "ServerError",
    "SignatureInvalidError",
    "SignedRequest",
    "SizedLadder",
    "StopLoss",
    "Stream",
    "StreamAttempt",
    "StreamEvent",
    "StreamWarning",
    "Sweep",
    "SweepFold",
    "SweepPoint",
    "SyncReport",
    "Trailing",
    "TransportError",
    "ValidationError",
    "WrongParamsError",
    "__version__",
    "backtest",
    "backtest_async",
    "display",
    "errors",
    "plan_grid",
    "plan_ladder",
    "record",
    "size_ladder",
    "sweep",
    "sweep_async",
]
__all__ += _api.__all__

if not TYPE_CHECKING:
    # What is imported when it is used: most of it takes longer than the rest of the import, and few scripts use all.
    __getattr__ = _importer(
        globals(),
        {
            **dict.fromkeys(_api.__all__, "_api"),
            **dict.fromkeys(("Archive", "ArchiveTable", "SyncReport"), "_archive"),
            **dict.fromkeys(("BulkItem", "BulkPreview", "BulkResult", "PlannedCall"), "_bulk"),
            "BulkBacktest": "_bulk_backtests",
            "Overview": "_overview",
            **dict.fromkeys(
                ("backtest", "backtest_async", "plan_grid", "plan_ladder", "sweep", "sweep_async"), "_planning"
            ),
            "Records": "_records",
            **dict.fromkeys(("SizedLadder", "size_ladder"), "_sizing"),
            **dict.fromkeys(("Conditional", "Limit", "StopLoss", "Trailing"), "_smart_forms"),
        },
    )


def __dir__() -> list[str]:
    """List the names of the package, also those that are not imported yet."""
    return sorted({*globals(), *__all__})


# Must run before anything takes a method from a class.
replace_functions(_native)
# They have their final values only now.
from botdesk._native import display, record  # noqa: E402

_native._fit_tables_to_terminal()  # noqa: SLF001

atexit.register(silence)

# Threads that outlive the interpreter crash it.
atexit.register(_shutdown)

if "IPython" in sys.modules:
    from botdesk import _ipython

    _ipython.install()
