# The types of `_records.py`. To say them itself it would need `typing`, which takes longer than the rest of the import.
from typing import TypeVar

_Record = TypeVar("_Record")

class Records(list[_Record]): ...
