# The types of `_types.py`. They are not there because importing `typing` takes as long as importing botdesk.
from typing import Any, Generic, Self, TypeVar, overload

_Value_co = TypeVar("_Value_co", covariant=True)

TYPE_CHECKING: bool

UNSET: Any

# An attribute of a record, which can't be set.
class Attribute(Generic[_Value_co]):
    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> _Value_co: ...
