"""All errors that botdesk raises.

Each says what was wrong, where, and what to do. None holds a key, a signature or another secret.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from botdesk._bulk import BulkResult
    from botdesk._native import DcaBot, _Look


class BotdeskError(Exception):
    """What every error of botdesk is."""


class ConfigurationError(BotdeskError):
    """The key, the base address or an option can't be used; the message says which, and what to do."""


class ValidationError(BotdeskError, ValueError):
    """The inputs break rules of the document. Nothing was sent.

    Attributes:
        errors: The messages for each input, all at once.
    """

    errors: dict[str, list[str]]

    def __init__(self, message: str, *, errors: dict[str, list[str]] | None = None) -> None:
        """Keep the message and the messages for each input."""
        super().__init__(message)
        self.errors = {} if errors is None else errors


class EditConflictError(BotdeskError):
    """The record has changed since an edit of it was drawn up. Nothing was sent.

    Attributes:
        fields: The fields that moved, each with its value then and its value now.
    """

    fields: dict[str, tuple[object, object]]

    def __init__(self, message: str, *, fields: dict[str, tuple[object, object]] | None = None) -> None:
        """Keep the message and the fields that moved."""
        super().__init__(message)
        self.fields = {} if fields is None else fields


class DecodeError(BotdeskError):
    """An answer, or a field of a record, is not what the document says.

    Attributes:
        body: The text of the answer, secrets taken out; empty where only a field could not be read.
        method: The method of the request that was answered so; None where only a field could not be read.
        record: The name of the record whose field could not be read.
        field: The name of the field that could not be read.
        text: What the field holds; a placeholder where it is a secret.
    """

    body: str
    method: str | None
    record: str | None
    field: str | None
    text: str | None

    def __init__(
        self,
        message: str,
        *,
        body: str = "",
        method: str | None = None,
        record: str | None = None,
        field: str | None = None,
        text: str | None = None,
    ) -> None:
        """Keep the message and what could not be read."""
        super().__init__(message)
        self.body = body
        self.method = method
        self.record = record
        self.field = field
        self.text = text


class RecordingError(BotdeskError):
    """A recording can't be written or replayed; the message says why, and what to do."""


class TransportError(BotdeskError):
    """No answer came back, or not all of it.

    Attributes:
        sent: Whether the request may have arrived.
    """

    sent: bool

    def __init__(self, message: str, *, sent: bool = False) -> None:
        """Keep the message and whether the request may have arrived."""
        super().__init__(message)
        self.sent = sent


class ConnectionFailedError(TransportError):
    """There was no connection. Nothing was sent, unless `sent` is true: then an earlier attempt may have arrived."""


class RequestTimeoutError(TransportError, TimeoutError):
    """A read took too long."""


class OutcomeUnknownError(TransportError):
    """A write may have been carried out, and no response says whether it was. Look before you repeat it.

    There was no response, it broke off, or its status does not tell: a 1xx, a 3xx, 408, 409, 425 or 499. `check()`
    reads the DCA bot again if the write was for one.

    Attributes:
        operation: The operation, such as `dca_bots.edit`.
        method: The method of the request.
        path: The path of the request.
        body: The body of the request, secrets taken out; None if it had none.
        status: The HTTP status of the response, if it is one of those above; None if there was no response.
        response_body: The body of that response, secrets taken out; None if there was no response.
        request_id: The `X-Request-Id` of that response, for the service's support.
    """

    operation: str
    method: str
    path: str
    body: str | None
    status: int | None
    response_body: str | None
    request_id: str | None

    def __init__(
        self,
        message: str,
        *,
        sent: bool = True,
        operation: str = "",
        method: str = "",
        path: str = "",
        body: str | None = None,
        status: int | None = None,
        response_body: str | None = None,
        request_id: str | None = None,
    ) -> None:
        """Keep the message, what was asked, and the response if there was one."""
        super().__init__(message, sent=sent)
        self.operation = operation
        self.method = method
        self.path = path
        self.body = body
        self.status = status
        self.response_body = response_body
        self.request_id = request_id
        self._look: _Look | None = None

    def check(self) -> DcaBot:
        """Read the DCA bot that the write was for, as it is now.

        API reference: Get DCA Bot. Permission BOTS_READ.

        Raises:
            ConfigurationError: The write was for something that can't be read by its identifier, or the error has
                travelled to another process.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     bot = sandbox.client().dca_bots.get(41)
            ...     try:
            ...         bot = bot.disable()
            ...     except botdesk.OutcomeUnknownError as error:
            ...         bot = error.check()
            ...         if bot.is_enabled:
            ...             bot = bot.disable()
        """
        return self._looking().check()

    async def check_async(self) -> DcaBot:
        """Read the DCA bot that the write was for, as it is now: the `_async` version of `check`.

        API reference: Get DCA Bot. Permission BOTS_READ.

        Raises:
            ConfigurationError: The write was for something that can't be read by its identifier, or the error has
                travelled to another process.
            ApiError: The service refused.
            TransportError: No answer came.

        Example:
            >>> import botdesk
            >>> async def disable(bot):
            ...     try:
            ...         return await bot.disable_async()
            ...     except botdesk.OutcomeUnknownError as error:
            ...         return await error.check_async()
        """
        return await self._looking().check_async()

    def _looking(self) -> _Look:
        if self._look is None:
            asked = self.operation or "this write"
            raise ConfigurationError(f"{asked} can't be checked from here; look at the service's own pages")
        return self._look

    def __reduce__(self) -> tuple[type[OutcomeUnknownError], tuple[object, ...], dict[str, object]]:
        """Travel to another process without the client."""
        return type(self), self.args, {**vars(self), "_look": None}


class BulkError(BotdeskError):
    """Not everything of what was done to many records is done: `result.raise_for_failures()` raises it.

    The first of the errors behind it is its `__cause__`.

    Attributes:
        result: What became of each record.
    """

    result: BulkResult[Any]

    def __init__(self, message: str, result: BulkResult[Any]) -> None:
        """Keep the message and the result."""
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[type[BulkError], tuple[str, BulkResult[Any]]]:
        """Travel to another process with the result."""
        return type(self), (str(self), self.result)


class BulkInterrupted(KeyboardInterrupt):
    """Ctrl-C ended what was being done to many records. Nothing is under way any more.

    It is a `KeyboardInterrupt` and no `BotdeskError`, so that nothing that goes on after an error goes on after Ctrl-C.

    Attributes:
        result: What became of each record; `result.retry_failed()` does the rest.
    """

    result: BulkResult[Any]

    def __init__(self, message: str, result: BulkResult[Any]) -> None:
        """Keep the message and the result."""
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[type[BulkInterrupted], tuple[str, BulkResult[Any]]]:
        """Travel to another process with the result."""
        return type(self), (str(self), self.result)


class ApiError(BotdeskError):
    """The service refused.

    Attributes:
        status: The HTTP status; 0 where the client held the call back itself, and nothing was sent.
        error: A code such as `record_invalid`, or a sentence such as `Not found`; None where the body has none.
        error_description: What went wrong, in the words of the service or of an exchange.
        error_attributes: The messages for each field.
        request_id: What the service calls the request, to tell its support.
        method: The method of the request.
        path: The path of the request.
        body: The text of the answer, secrets taken out.
    """

    status: int
    error: str | None
    error_description: str | None
    error_attributes: dict[str, list[str]]
    request_id: str | None
    method: str
    path: str
    body: str

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        error: str | None = None,
        error_description: str | None = None,
        error_attributes: dict[str, list[str]] | None = None,
        request_id: str | None = None,
        method: str = "",
        path: str = "",
        body: str = "",
    ) -> None:
        """Keep the message and what the service answered."""
        super().__init__(message)
        self.status = status
        self.error = error
        self.error_description = error_description
        self.error_attributes = {} if error_attributes is None else error_attributes
        self.request_id = request_id
        self.method = method
        self.path = path
        self.body = body


class RecordInvalidError(ApiError):
    """The service found inputs invalid or missing; `error_attributes` tells which."""


class WrongParamsError(ApiError):
    """The state of the record does not allow the request."""


class SignatureInvalidError(ApiError):
    """The signature does not match: the service knows another public key.

    Attributes:
        payload: What was signed, secrets taken out.
        fingerprint: The fingerprint of the key that signed, to compare with that of the key the service knows.
    """

    payload: str = ""
    fingerprint: str = ""


class AuthenticationError(ApiError):
    """The API key is unknown or expired, or may not be used from this address."""


class ForbiddenError(ApiError):
    """The API key lacks the permission, or the account can't do it."""


class NotFoundError(ApiError):
    """There is no such record."""


class InvalidApiKeyError(ApiError):
    """The exchange refuses the API key of the account."""


class MarketApiError(ApiError):
    """The exchange refused; `error_description` has its message."""


class RateLimitedError(ApiError):
    """Too many requests.

    Attributes:
        retry_after: After how many seconds the request may be sent again, at most 259 200 (three days); None if the
            service does not say.
    """

    retry_after: float | None = None


class PlanRestrictedError(ApiError):
    """The subscription plan does not include the request. Waiting does not help."""


class IpBannedError(ApiError):
    """The address is banned for a while, from two minutes to three days.

    Attributes:
        retry_after: After how many seconds the ban ends, at most 259 200 (three days); None if the service does not
            say.
    """

    retry_after: float | None = None


class ServerError(ApiError):
    """The service, or a proxy before it, failed."""
