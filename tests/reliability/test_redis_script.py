"""The script that a Redis server runs for each exchange, called as processes call it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from .redis_server import needs_server

if TYPE_CHECKING:
    from .redis_server import RedisServer

pytestmark = needs_server

SCRIPT = Path(__file__).parents[2] / "crates" / "client" / "src" / "rate_limit" / "leased" / "exchange.lua"
KEYS = ("arrivals", "leases", "waiting", "seen", "exchanges", "state")
TIME = "redis.call('TIME')"
SECOND = 1_000_000
HOUR = 3600 * SECOND
LEASE = 90 * SECOND


class Reply(NamedTuple):
    """The response to an exchange. Times are in microseconds."""

    leased: int
    wait: int
    soonest: int
    used: int
    resets_in: int
    rejected_for: int
    processes: int


class Budget:
    """A limit, of two requests a minute unless another is given, at a server whose clock shows `now`."""

    def __init__(self, server: RedisServer) -> None:
        self.now = 1_000 * HOUR
        self._server = server
        self._script = SCRIPT.read_text("utf-8")
        assert self._script.count(TIME) == 1

    def exchange(
        self,
        process: str,
        number: int,
        *reports: object,
        first: int = 1,
        wanted: int = 0,
        queue: str = "keep",
        lease: int = LEASE,
        rejected_for: int = 0,
        limit: int = 2,
    ) -> Reply:
        """Make an exchange."""
        self.now += 1
        script = self._script.replace(TIME, f"{{ {self.now // SECOND}, {self.now % SECOND} }}")
        arguments = [limit, 60 * SECOND, process, number, first, wanted, queue, lease, rejected_for, *reports]
        response = self.send("EVAL", script, len(KEYS), *KEYS, *arguments)
        return Reply(*(int(line.removeprefix(b":")) for line in response.split(b"\r\n")[1:-1]))

    def send(self, *words: object) -> bytes:
        """Send a command, and return the response, which is not an error."""
        response = self._server.send(*(str(word) for word in words))
        assert not response.startswith(b"-"), response
        return response


@pytest.fixture
def budget(redis: RedisServer) -> Budget:
    """Return a limit that nothing has used."""
    return Budget(redis)


class TestACopyOfAnExchangeThatComesLate:
    def test_it_keeps_the_leases_while_another_process_waits(self, budget: Budget) -> None:
        assert budget.exchange("a", 1, wanted=2).leased == 2
        assert budget.exchange("b", 1, wanted=1, queue="join").leased == 0
        copy = budget.exchange("a", 1, wanted=2)
        assert (copy.leased, copy.used) == (2, 2)
        assert budget.exchange("b", 2, wanted=1, queue="join").leased == 0

    def test_it_keeps_the_leases_while_the_service_rejects_the_key(self, budget: Budget) -> None:
        assert budget.exchange("a", 1, wanted=2).leased == 2
        budget.exchange("b", 1, rejected_for=9 * SECOND)
        assert budget.exchange("a", 1, wanted=2).leased == 2
        assert budget.exchange("b", 2).used == 2

    def test_it_leases_no_more_than_before(self, budget: Budget) -> None:
        assert budget.exchange("b", 1, wanted=2).leased == 2
        assert budget.exchange("a", 1, wanted=1).leased == 0
        budget.exchange("b", 2, 1, "never", 0)
        assert budget.exchange("a", 1, wanted=1).leased == 0
        assert budget.exchange("b", 3).used == 1

    def test_an_older_one_is_refused(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=1)
        budget.exchange("a", 2, 1, "arrives", 0)
        with pytest.raises(AssertionError, match="a later exchange of this process"):
            budget.exchange("a", 1, wanted=1)
        assert budget.exchange("a", 3).used == 1


class TestAClockOfTheServerThatIsSetBack:
    def test_requests_count_no_longer_for_it(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=2)
        budget.exchange("a", 2, 1, "arrives", 0)
        budget.now -= HOUR
        reply = budget.exchange("a", 3, wanted=1, first=3, rejected_for=9 * SECOND)
        assert (reply.used, reply.wait, reply.rejected_for) == (2, 60 * SECOND - 1, 9 * SECOND)
        budget.now += 60 * SECOND
        reply = budget.exchange("a", 4)
        assert (reply.used, reply.rejected_for) == (1, 0)
        budget.now += 90 * SECOND
        assert budget.exchange("a", 5).used == 0

    def test_a_further_one_is_the_same(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=1)
        for number in (2, 3, 4):
            budget.now -= HOUR
            assert budget.exchange("a", number).used == 1
        budget.now += 150 * SECOND
        assert budget.exchange("a", 5).used == 0

    def test_processes_keep_their_order(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=2)
        budget.exchange("z", 1, wanted=1, queue="join")
        budget.now -= HOUR
        budget.exchange("b", 1, wanted=1, queue="join")
        waiting = budget.send("ZRANGE", "waiting", 0, -1).split(b"\r\n")[2::2]
        assert [waiter.split()[0] for waiter in waiting] == [b"z", b"b"]


class TestProcessesWithDifferentLimits:
    def test_one_that_its_lower_limit_blocks_keeps_no_room_free(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=1, limit=4)
        for process in ("b", "c"):
            assert budget.exchange(process, 1, wanted=1, queue="join", limit=1).leased == 0
        assert budget.exchange("a", 2, first=2, wanted=3, limit=4).leased == 3

    def test_one_whose_lower_limit_has_room_again_is_served_in_turn(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=1, limit=2)
        budget.exchange("b", 1, wanted=1, queue="join", limit=1)
        budget.exchange("a", 2, 1, "never", 0, first=2)
        assert budget.exchange("a", 3, first=2, wanted=2, limit=2).leased == 1
        assert budget.exchange("a", 4, 2, "never", 0, first=4).used == 0
        assert budget.exchange("b", 2, first=2, wanted=1, queue="join", limit=1).leased == 1

    def test_a_place_is_kept_when_the_limit_changes(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=2)
        budget.exchange("b", 1, wanted=1, queue="join")
        budget.exchange("c", 1, wanted=1, queue="join")
        budget.exchange("b", 2, first=2, wanted=1, queue="join", limit=1)
        waiting = budget.send("ZRANGE", "waiting", 0, -1).split(b"\r\n")[2::2]
        assert waiting == [b"b 1 60000000", b"c 2 60000000"]


class TestAReportThatComesAfterTheEndOfTheLease:
    @pytest.mark.parametrize(("outcome", "used"), [("never", 0), ("arrives", 1), ("flight", 1)])
    def test_the_request_counts_at_most_once(self, budget: Budget, outcome: str, used: int) -> None:
        budget.exchange("a", 1, wanted=1, lease=1)
        assert budget.exchange("a", 2, first=2).used == 1
        assert budget.exchange("a", 3, 1, outcome, SECOND, first=2).used == used
