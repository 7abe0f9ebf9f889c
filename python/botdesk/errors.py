"""All errors that botdesk raises.

Each says what was wrong, where, and what to do. No error holds a key, a signature or another secret.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from botdesk._bulk import BulkResult
    from botdesk._native import _Look
    from botdesk._records import Records


class BotdeskError(Exception):
    """Base class of all botdesk errors."""

    def _repr_html_(self) -> str:
        """Show the error as a table in a notebook."""
        from botdesk import _error_tables  # noqa: PLC0415

        return _error_tables.details(self)


class ConfigurationError(BotdeskError):
    """The key, the base URL or an option is invalid; the message says which, and what to do."""


class ValidationError(BotdeskError, ValueError):
    """The arguments break rules of the API reference. Nothing was sent.

    Attributes:
        errors: The messages for each input.
    """

    errors: dict[str, list[str]]

    def __init__(self, message: str, *, errors: dict[str, list[str]] | None = None) -> None:
        """Store the message and the messages for each input."""
        super().__init__(message)
        self.errors = {} if errors is None else errors

    def _repr_html_(self) -> str:
        """Show the fields, their values and the rules in a notebook."""
        from botdesk import _error_tables  # noqa: PLC0415

        return _error_tables.violations(self.errors) if self.errors else super()._repr_html_()


class EditConflictError(BotdeskError):
    """The record has changed since its edit was prepared. Nothing was sent.

    Attributes:
        fields: The fields that changed, each with its old and its new value.
    """

    fields: dict[str, tuple[object, object]]

    def __init__(self, message: str, *, fields: dict[str, tuple[object, object]] | None = None) -> None:
        """Store the message and the fields that changed."""
        super().__init__(message)
        self.fields = {} if fields is None else fields

    def _repr_html_(self) -> str:
        """Show the fields that changed in a notebook."""
        from botdesk import _error_tables  # noqa: PLC0415

        return _error_tables.conflict(self.fields) if self.fields else super()._repr_html_()


class DecodeError(BotdeskError):
    """A response, or a field of a record, is not what the API reference says.

    Attributes:
        body: The body of the response, secrets redacted; empty if only a field could not be decoded.
        method: The method of the request; None if only a field could not be decoded.
        request_id: The `X-Request-Id` of the response, to quote to the service's support; None without one, and if only
            a field could not be decoded.
        record: The name of the record whose field could not be decoded.
        field: The name of the field that could not be decoded.
        text: The value of the field as JSON; a placeholder if it is a secret.
    """

    body: str
    method: str | None
    request_id: str | None
    record: str | None
    field: str | None
    text: str | None

    def __init__(
        self,
        message: str,
        *,
        body: str = "",
        method: str | None = None,
        request_id: str | None = None,
        record: str | None = None,
        field: str | None = None,
        text: str | None = None,
    ) -> None:
        """Store the message and what could not be decoded."""
        super().__init__(message)
        self.body = body
        self.method = method
        self.request_id = request_id
        self.record = record
        self.field = field
        self.text = text


class ArchiveError(BotdeskError):
    """An archive can't be read or written; the message says why, and what to do."""


class RecordingError(BotdeskError):
    """A cassette can't be written or replayed; the message says why, and what to do."""


class TransportError(BotdeskError):
    """No response was received, or only a part of it.

    Attributes:
        sent: True if the request may have arrived.
    """

    sent: bool

    def __init__(self, message: str, *, sent: bool = False) -> None:
        """Store the message and whether the request may have arrived."""
        super().__init__(message)
        self.sent = sent


class ConnectionFailedError(TransportError):
    """The connection failed. Nothing was sent, unless `sent` is true: then an earlier attempt may have arrived."""


class RequestTimeoutError(TransportError, TimeoutError):
    """A read took too long."""


class OutcomeUnknownError(TransportError):
    """A write may have been carried out, and no response says whether it was. Check it before you repeat it.

    The response was missing or incomplete, or its status leaves the outcome open: a 1xx, a 3xx, 408, 409, 425 or 499.
    `check()` reads the record that the write was for again; `resolve()` looks for what it may have made.

    Attributes:
        operation: The operation, such as `dca_bots.edit`.
        method: The method of the request.
        path: The path of the request.
        body: The body of the request, secrets redacted; None if it had none.
        status: The HTTP status of the response, if it is one of the above; None without a response.
        response_body: The body of that response, secrets redacted; None without a response.
        request_id: The `X-Request-Id` of that response, to quote to the service's support.
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
        """Store the message, the request, and the response if there was one."""
        super().__init__(message, sent=sent)
        self.operation = operation
        self.method = method
        self.path = path
        self.body = body
        self.status = status
        self.response_body = response_body
        self.request_id = request_id
        self._look: _Look | None = None

    def check(self) -> Any:  # noqa: ANN401 - the type of the record is that of the resource
        """Read the record that the write was for, as it is now.

        API reference: Get DCA Bot and the like. Permission BOTS_READ, or that of the resource.

        Returns:
            The record: a `DcaBot` after a write to a DCA bot, and so on.

        Raises:
            ConfigurationError: No operation reads what the write was for, or the error was pickled to another process.
            ApiError: The service rejected the request.
            TransportError: No response was received.

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
        return self._reader().check()

    async def check_async(self) -> Any:  # noqa: ANN401 - the type of the record is that of the resource
        """Read the record that the write was for, as it is now: the `_async` version of `check`.

        API reference: Get DCA Bot and the like. Permission BOTS_READ, or that of the resource.

        Returns:
            The record: a `DcaBot` after a write to a DCA bot, and so on.

        Raises:
            ConfigurationError: No operation reads what the write was for, or the error was pickled to another process.
            ApiError: The service rejected the request.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> async def disable(bot):
            ...     try:
            ...         return await bot.disable_async()
            ...     except botdesk.OutcomeUnknownError as error:
            ...         return await error.check_async()
        """
        return await self._reader().check_async()

    def resolve(self) -> Records[Any]:
        """Look for what the write may have made: a new bot, deal, order or trade.

        Lists of the service are read. What is older than the request, by the service's own clock, is left out, and what
        this client's other writes have made: the record that the service returned or, where it returns none, one
        record that is as old. More than one record means that others were made meanwhile. No record means that
        none is there yet: the service may still be at work, so look again after some seconds before you repeat the
        write.

        API reference: List deals, Get the list of DCA Bots and the like. Permission BOTS_READ, or that of the resource.

        Returns:
            What the write may have made, the newest first.

        Raises:
            ConfigurationError: The write makes nothing that a list shows, so `check()` tells more; or the error was
                pickled to another process.
            ApiError: The service rejected the request.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> with botdesk.Sandbox() as sandbox:
            ...     deal = sandbox.client().deals.get(410)
            ...     sandbox.faults.add("deals.add_funds", kind="close_after")
            ...     try:
            ...         deal.add_funds(quantity="0.01", is_market=True)
            ...     except botdesk.OutcomeUnknownError as error:
            ...         orders = error.resolve()
            >>> [order.deal_order_type for order in orders]
            ['Manual Safety']
        """
        found: Records[Any] = self._reader().resolve()
        return found

    async def resolve_async(self) -> Records[Any]:
        """Look for what the write may have made: the `_async` version of `resolve`.

        API reference: List deals, Get the list of DCA Bots and the like. Permission BOTS_READ, or that of the resource.

        Returns:
            What the write may have made, the newest first.

        Raises:
            ConfigurationError: The write makes nothing that a list shows, so `check()` tells more; or the error was
                pickled to another process.
            ApiError: The service rejected the request.
            TransportError: No response was received.

        Example:
            >>> import botdesk
            >>> async def add_funds(deal):
            ...     try:
            ...         return await deal.add_funds_async(quantity="0.01", is_market=True)
            ...     except botdesk.OutcomeUnknownError as error:
            ...         return await error.resolve_async()
        """
        found: Records[Any] = await self._reader().resolve_async()
        return found

    def _reader(self) -> _Look:
        if self._look is None:
            operation = self.operation or "this write"
            raise ConfigurationError(f"{operation} can't be checked from here; look at the service's own pages")
        return self._look

    def __reduce__(self) -> tuple[type[OutcomeUnknownError], tuple[object, ...], dict[str, object]]:
        """Pickle without the client."""
        return type(self), self.args, {**vars(self), "_look": None}


class BulkError(BotdeskError):
    """A bulk operation is incomplete: `result.raise_for_failures()` raises this.

    The first of the items' errors is its `__cause__`.

    Attributes:
        result: The outcome of each record.
    """

    result: BulkResult[Any]

    def __init__(self, message: str, result: BulkResult[Any]) -> None:
        """Store the message and the result."""
        super().__init__(message)
        self.result = result

    def _repr_html_(self) -> str:
        """Show the outcome of each record in a notebook."""
        return self.result._repr_html_()  # pyright: ignore[reportPrivateUsage] - a protocol of notebooks

    def __reduce__(self) -> tuple[type[BulkError], tuple[str, BulkResult[Any]]]:
        """Pickle with the result."""
        return type(self), (str(self), self.result)


class BulkInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a bulk operation. No request is in flight any more.

    It is a `KeyboardInterrupt`, not a `BotdeskError`, so that code which continues after an error still stops at
    Ctrl-C.

    Attributes:
        result: The outcome of each record; `result.retry_failed()` does the rest.
    """

    result: BulkResult[Any]

    def __init__(self, message: str, result: BulkResult[Any]) -> None:
        """Store the message and the result."""
        super().__init__(message)
        self.result = result

    def _repr_html_(self) -> str:
        """Show the outcome of each record in a notebook."""
        return self.result._repr_html_()  # pyright: ignore[reportPrivateUsage] - a protocol of notebooks

    def __reduce__(self) -> tuple[type[BulkInterrupted], tuple[str, BulkResult[Any]]]:
        """Pickle with the result."""
        return type(self), (str(self), self.result)


class ApiError(BotdeskError):
    """The service responded with an error.

    Attributes:
        status: The HTTP status; 0 if the client did not send the request, to respect a limit or a ban.
        error: A code such as `record_invalid`, or a sentence such as `Not found`; None if the body has neither.
        error_description: What went wrong, in the words of the service or of an exchange.
        error_attributes: The messages for each field, under the names of the service, such as `units[value]`.
        inputs: The same messages for each argument, under its name in botdesk, such as `units.value`; those about the
            record as a whole under `base`.
        exception_class: The class of the service's exception, such as `JSON::ParserError`; None if `error` names none.
        request_id: The `X-Request-Id` of the response, to quote to the service's support.
        method: The method of the request.
        path: The path of the request.
        body: The body of the response, secrets redacted; at most 65 536 characters, or 500 of a page of a proxy or
            content network that refused the request.
    """

    status: int
    error: str | None
    error_description: str | None
    error_attributes: dict[str, list[str]]
    inputs: dict[str, list[str]]
    exception_class: str | None
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
        inputs: dict[str, list[str]] | None = None,
        exception_class: str | None = None,
        request_id: str | None = None,
        method: str = "",
        path: str = "",
        body: str = "",
    ) -> None:
        """Store the message and the response."""
        super().__init__(message)
        self.status = status
        self.error = error
        self.error_description = error_description
        self.error_attributes = {} if error_attributes is None else error_attributes
        self.inputs = self.error_attributes if inputs is None else inputs
        self.exception_class = exception_class
        self.request_id = request_id
        self.method = method
        self.path = path
        self.body = body


class RecordInvalidError(ApiError):
    """Arguments are invalid or missing; `inputs` names them."""


class WrongParamsError(ApiError):
    """The state of the record does not allow the request."""


class SignatureInvalidError(ApiError):
    """The signature does not match the public key or the secret that the service has, or the key is of the other kind.

    Attributes:
        payload: The signed payload, secrets redacted.
        fingerprint: The fingerprint of the key that signed, to compare with the key that the service has.
    """

    payload: str = ""
    fingerprint: str = ""


class AuthenticationError(ApiError):
    """The API key is unknown or expired, or may not be used from this IP address.

    If `body` is an HTML page, a proxy or content network in front of the service refused the request instead.
    """


class ForbiddenError(ApiError):
    """The API key lacks the permission, or the account does not support the operation.

    If `body` is an HTML page, a proxy or content network in front of the service refused the request instead.
    """


class NotFoundError(ApiError):
    """The record does not exist."""


class InvalidApiKeyError(ApiError):
    """The exchange rejected the API key of the account."""


class MarketApiError(ApiError):
    """The exchange rejected the request; `error_description` has its message."""


class RateLimitedError(ApiError):
    """Too many requests.

    Attributes:
        retry_after: Seconds until the request may be sent again, at most 259 200 (three days); None if the service does
            not say.
    """

    retry_after: float | None = None


class PlanRestrictedError(ForbiddenError):
    """The subscription plan does not include the request (429). Waiting does not help; another plan does."""


class IpBannedError(ApiError):
    """The IP address is banned, for two minutes to three days.

    Attributes:
        retry_after: Seconds until the ban ends, at most 259 200 (three days); None if the service does not say.
    """

    retry_after: float | None = None


class ServerError(ApiError):
    """The service, or a proxy in front of it, failed."""


class BotdeskWarning(UserWarning):
    """A warning of botdesk: something goes on, but not as it was asked for."""


class StreamWarning(BotdeskWarning):
    """A stream is not live: what it follows is polled, so events come later."""
