"""A desk for automated trading bots.

`Client` asks the service; `Sandbox` runs the service on this machine. All errors are in `botdesk.errors`.
"""

import atexit

from botdesk import errors
from botdesk._native import (
    Client,
    DcaBot,
    DcaBotAsyncIterator,
    DcaBotIterator,
    DcaBots,
    Deal,
    ReceivedRequest,
    Sandbox,
    Strategy,
    TakeProfitStep,
    _shutdown,
)
from botdesk._records import Records
from botdesk.errors import (
    ApiError,
    AuthenticationError,
    BotdeskError,
    ConfigurationError,
    ConnectionFailedError,
    DecodeError,
    ForbiddenError,
    InvalidApiKeyError,
    IpBannedError,
    MarketApiError,
    NotFoundError,
    OutcomeUnknownError,
    PlanRestrictedError,
    RateLimitedError,
    RecordInvalidError,
    RequestTimeoutError,
    ServerError,
    SignatureInvalidError,
    TransportError,
    ValidationError,
    WrongParamsError,
)

__all__ = [
    "ApiError",
    "AuthenticationError",
    "BotdeskError",
    "Client",
    "ConfigurationError",
    "ConnectionFailedError",
    "DcaBot",
    "DcaBotAsyncIterator",
    "DcaBotIterator",
    "DcaBots",
    "Deal",
    "DecodeError",
    "ForbiddenError",
    "InvalidApiKeyError",
    "IpBannedError",
    "MarketApiError",
    "NotFoundError",
    "OutcomeUnknownError",
    "PlanRestrictedError",
    "RateLimitedError",
    "ReceivedRequest",
    "RecordInvalidError",
    "Records",
    "RequestTimeoutError",
    "Sandbox",
    "ServerError",
    "SignatureInvalidError",
    "Strategy",
    "TakeProfitStep",
    "TransportError",
    "ValidationError",
    "WrongParamsError",
    "errors",
]

# Threads that outlive the interpreter crash it.
atexit.register(_shutdown)
