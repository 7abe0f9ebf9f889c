"""The bots of an account as polls find them: their values, what changed, and their profits over time."""

from __future__ import annotations

from collections import deque
from math import isfinite
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from botdesk._api import DcaBot
from botdesk._native import _shown_column
from botdesk._records import Records
from botdesk._widgets.settings import current_value, text_of
from botdesk.errors import ApiError, BotdeskError, ConfigurationError, IpBannedError, PlanRestrictedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from botdesk._api import DcaBots

_PAGE = 100
_SHORTEST, _LONGEST = 1, 86_400
# After failures in a row the pause doubles, up to this.
_LONGEST_PAUSE = 300
# The key is rejected, or the IP address is banned: further polls can't succeed, and prolong a ban.
_FINAL_STATUSES = (401, 403, 418)
# The profit line shows as many polls as this.
_HISTORY = 60
# Its class attributes are set by the native module.
_BOT: Any = DcaBot
_PROFITS = ("finished_deals_profit_usd", "active_deals_usd_profit")


class Row(NamedTuple):
    """A bot in the table: its cells, the numbers of those that changed, and its profits at the latest polls.

    `shown` are the cells as people read them; `cells` have every digit.
    """

    id: int
    cells: list[str]
    shown: list[str]
    changed: list[int]
    profits: list[float]
    is_missing: bool


class BotTable:
    """The bots of an account. `poll` updates it; a failed poll leaves the rows as they are.

    Attributes:
        rows: A row for each bot.
        error: The message of the latest poll if it failed; empty otherwise.
        failure: The error of the latest poll; None if it succeeded.
        polls: The number of polls that succeeded.
        pause: The seconds from the latest poll to the next.
        is_stopped: True after an error that no later poll can overcome. `poll` then sends nothing.
    """

    def __init__(self, dca_bots: DcaBots, interval: float, now: Callable[[], float] = monotonic) -> None:
        """Check the interval; nothing is requested yet."""
        if not _SHORTEST <= interval <= _LONGEST:
            raise ConfigurationError(f"interval: must be between 1 and 86 400 seconds, not {interval:g}")
        self.columns: list[str] = list(dict.fromkeys((*_BOT._shown, *_PROFITS)))  # noqa: SLF001
        self.rows: list[Row] = []
        self.error = ""
        self.failure: Exception | None = None
        self.polls = 0
        self.pause = interval
        self.is_stopped = False
        self._dca_bots = dca_bots
        self._interval = interval
        self._now = now
        self._due = now()
        self._failures = 0
        self._full_page: int | None = None
        self._bots: dict[int, DcaBot] = {}
        self._profits: dict[int, deque[float]] = {}

    @property
    def wait(self) -> float:
        """The seconds until the next poll is due; 0 if it is."""
        return max(0, self._due - self._now())

    def bots(self, ids: list[int]) -> Records[DcaBot]:
        """Return the bots with these ids, in the order of the table."""
        wanted = set(ids)
        return Records([bot for bot_id, bot in self._bots.items() if bot_id in wanted], DcaBot)

    def poll(self) -> None:
        """Request all pages of bots, and note what changed.

        An error is stored, and does not end the table: nobody would notice that its values are old.
        """
        if self.is_stopped:
            return
        try:
            self._update(self._request())
        except BotdeskError as error:
            self._fail(error, str(error))
            self.is_stopped = _is_final(error)
        except Exception as error:  # noqa: BLE001
            self._fail(error, f"unexpected error: {type(error).__name__}: {error}; please report it.")
        else:
            self.error, self.failure, self._failures, self.pause = "", None, 0, self._interval
        self._due = self._now() + self.pause

    def _fail(self, error: Exception, message: str) -> None:
        self._failures += 1
        retry_after = getattr(error, "retry_after", None) or 0
        slower = min(self._interval * 2 ** (self._failures - 1), max(self._interval, _LONGEST_PAUSE))
        self.error, self.failure, self.pause = message, error, max(slower, retry_after)

    def _request(self) -> dict[int, DcaBot]:
        found: dict[int, DcaBot] = {}
        offset = 0
        while page := self._dca_bots.list(limit=_PAGE, offset=offset, sort_by="created_at", order_direction="ASC"):
            found.update((bot.id, bot) for bot in page if bot.id is not None)
            offset += len(page)
            if self._full_page is not None and len(page) < self._full_page:
                break
            if self._full_page is None and len(page) < _PAGE:
                # A service may return shorter pages than asked for, so the first time one more request finds the end.
                self._full_page = _PAGE if self._ends_at(offset) else len(page)
                if self._full_page == _PAGE:
                    break
        return found

    def _ends_at(self, offset: int) -> bool:
        return not self._dca_bots.list(limit=1, offset=offset, sort_by="created_at", order_direction="ASC")

    def _update(self, found: dict[int, DcaBot]) -> None:
        before = {row.id: row for row in self.rows}
        # A bot that is missing once may have moved to an earlier page while the pages were requested.
        missing = [row.id for row in self.rows if row.id not in found and not row.is_missing]
        is_first = not self.polls
        self.polls += 1
        self._bots = {**{bot_id: self._bots[bot_id] for bot_id in missing}, **found}
        for bot_id, bot in found.items():
            self._remember(bot_id, bot)
        rows = [
            self._row(bot_id, bot, before.get(bot_id), is_missing=bot_id not in found, is_first=is_first)
            for bot_id, bot in self._bots.items()
        ]
        self.rows = [row._replace(shown=shown) for row, shown in zip(rows, self._shown(rows), strict=True)]

    def _shown(self, rows: list[Row]) -> list[list[str]]:
        """Return the cells of rows as people read them; different values of a column stay different."""
        columns = [
            _shown_column(name, [row.cells[place] for row in rows], name in _BOT._figures, None)  # noqa: SLF001
            for place, name in enumerate(self.columns)
        ]
        return [list(cells) for cells in zip(*columns, strict=True)]

    def _remember(self, bot_id: int, bot: DcaBot) -> None:
        profits = [current_value(bot, name) for name in _PROFITS]
        known = [float(profit) for profit in profits if profit is not None]  # type: ignore[arg-type]
        # Infinite numbers can be neither drawn nor sent to a page.
        if known and isfinite(total := sum(known)):
            self._profits.setdefault(bot_id, deque(maxlen=_HISTORY)).append(total)

    def _row(self, bot_id: int, bot: DcaBot, before: Row | None, *, is_missing: bool, is_first: bool) -> Row:
        cells = [_cell(bot, column) for column in self.columns]
        old = before.cells if before else [] if is_first else [""] * len(cells)
        changed = [place for place, (was, cell) in enumerate(zip(old, cells, strict=False)) if was != cell]
        return Row(bot_id, cells, cells, changed, list(self._profits.get(bot_id, ())), is_missing)


def _is_final(error: BotdeskError) -> bool:
    """Return True if no later poll can succeed unless the user does something first."""
    # A request that the client holds back because of a ban has no status. A closed client raises `ConfigurationError`.
    if isinstance(error, (ConfigurationError, IpBannedError, PlanRestrictedError)):
        return True
    return isinstance(error, ApiError) and error.status in _FINAL_STATUSES


def _cell(bot: Any, column: str) -> str:  # noqa: ANN401
    value = current_value(bot, column)
    if isinstance(value, list):
        return ", ".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]
    return text_of(value) or "-"
