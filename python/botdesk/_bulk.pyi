# The types of `_bulk.py`. They are not there because importing `typing` takes longer than the rest of the import.
from collections.abc import Iterator
from typing import Any, Generic, Literal, TypeVar

from botdesk._records import Records
from botdesk.errors import BotdeskError

_Record = TypeVar("_Record")

TYPE_CHECKING: bool

class BulkItem(Generic[_Record]):
    id: int | str
    title: str
    status: Literal["done", "failed", "unknown", "not_started"]
    record: _Record | None
    error: BotdeskError | None
    def __init__(
        self,
        id: int | str,  # noqa: A002
        title: str,
        status: str,
        record: _Record | None,
        error: BotdeskError | None,
    ) -> None: ...
    def _repr_html_(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class PlannedCall:
    id: int | str
    record: object
    method: str
    path: str
    def __init__(self, id: int | str, record: object, method: str, path: str) -> None: ...  # noqa: A002
    def _repr_html_(self) -> str: ...

class BulkResult(Generic[_Record]):
    operation: str
    ended_by: BotdeskError | None
    def __init__(
        self,
        operation: str,
        kind: type[_Record],
        items: list[BulkItem[_Record]],
        ended_by: BotdeskError | None,
        run: object,
    ) -> None: ...
    @property
    def done(self) -> Records[_Record]: ...
    @property
    def failed(self) -> list[BulkItem[_Record]]: ...
    @property
    def unknown(self) -> list[BulkItem[_Record]]: ...
    @property
    def not_started(self) -> list[BulkItem[_Record]]: ...
    @property
    def is_complete(self) -> bool: ...
    def raise_for_failures(self) -> None: ...
    def retry_failed(self, *, progress: bool | None = None) -> BulkResult[_Record]: ...
    async def retry_failed_async(self, *, progress: bool | None = None) -> BulkResult[_Record]: ...
    @staticmethod
    def behind(error: BaseException) -> BulkResult[Any] | None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[BulkItem[_Record]]: ...
    def __getitem__(self, index: int) -> BulkItem[_Record]: ...
    def _repr_html_(self) -> str: ...

class BulkPreview:
    operation: str
    destination: str
    def __init__(
        self,
        operation: str,
        kind: type,
        items: list[BulkItem[Any]],
        planned: list[Any],
        run: object,
        destination: str,
    ) -> None: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def failed(self) -> list[BulkItem[Any]]: ...
    def apply(self, *, force: bool = False, progress: bool | None = None) -> BulkResult[Any]: ...
    async def apply_async(self, *, force: bool = False, progress: bool | None = None) -> BulkResult[Any]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, index: int) -> Any: ...  # noqa: ANN401
    def _repr_html_(self) -> str: ...
