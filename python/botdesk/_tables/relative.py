"""Edits of many records by calculations with what each has, and by pairs to add and remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botdesk._tables.cells import CellError, is_calculation, is_same, value_of
from botdesk._tables.edits import Problems, current_value, settings_of
from botdesk._types import UNSET

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBERS = frozenset({"decimal", "integer"})
# The most records that are read one by one; to list all of them would take more requests.
_MOST_READ = 10


class RelativeEdit:
    """The changes that follow from what a record has now."""

    def __init__(
        self,
        operation: str,
        inputs: list[Any],
        pairs: tuple[Any, Any] | None,
        targets: Any,  # noqa: ANN401 - any iterable of records and identifiers
    ) -> None:
        """Check what can be checked without the records."""
        self._settings = settings_of(operation)
        self._inputs = dict(zip(self._settings, inputs, strict=True))
        self._added, self._removed = map(_listed, pairs or ((), ()))
        self.ids = [target if isinstance(target, int) else target.id for target in targets]
        problems = Problems()
        if (self._added or self._removed) and self._inputs["pairs"] is not UNSET:
            problems.add("pairs", "all pairs are given, so none can be added or removed; pass one of these arguments")
        for pair in self._added:
            if pair in self._removed:
                problems.add("add_pairs", f"{pair} is in remove_pairs too")
        twice = {id_ for id_ in self.ids if self.ids.count(id_) > 1} if len(set(self.ids)) < len(self.ids) else ()
        for id_ in sorted(twice):
            problems.add(str(id_), "is listed more than once")
        problems.check()

    @property
    def needs_list(self) -> bool:
        """Whether the records are listed; if not, each is read."""
        return len(self.ids) > _MOST_READ

    def changes(self, records: Iterable[Any]) -> tuple[list[Any], list[list[Any]]]:
        """Return the records that change, and for each the values of all settings, unset if they stay as they are."""
        known = {record.id: record for record in records}
        problems = Problems()
        targets: list[Any] = []
        inputs: list[list[Any]] = []
        for id_ in self.ids:
            if id_ not in known:
                problems.add(str(id_), "there is none with this id")
                continue
            values = [self._value(known[id_], name, value, problems) for name, value in self._inputs.items()]
            if any(value is not UNSET for value in values):
                targets.append(known[id_])
                inputs.append(values)
        problems.check()
        return targets, inputs

    def _value(self, record: Any, name: str, value: Any, problems: Problems) -> Any:  # noqa: ANN401
        type_ = self._settings[name]
        current = current_value(record, name, type_)
        if name == "pairs" and (self._added or self._removed):
            value = [pair for pair in (*(current or ()), *self._added) if pair not in self._removed]
            value = list(dict.fromkeys(value))
            if not value:
                problems.add(f"{record.id}.remove_pairs", "no pair would be left; add another one, or delete the bot")
        elif type_ in _NUMBERS and is_calculation(value):
            try:
                value = value_of(value, type_, current)
            except CellError as error:
                problems.add(f"{record.id}.{name}", str(error))
        return UNSET if value is UNSET or is_same(value, current) else value


def has_calculation(operation: str, inputs: list[Any]) -> bool:
    """Return True if a number among the inputs is a calculation."""
    types = settings_of(operation).values()
    return any(type_ in _NUMBERS and is_calculation(value) for type_, value in zip(types, inputs, strict=True))


def _listed(pairs: Any) -> list[str]:  # noqa: ANN401
    return [pairs] if isinstance(pairs, str) else list(pairs or ())
