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
    discarded: int
    has_lost: int


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
        known: bool = False,
    ) -> Reply:
        """Make an exchange."""
        self.now += 1
        script = self._script.replace(TIME, f"{{ {self.now // SECOND}, {self.now % SECOND} }}")
        arguments = [
            limit,
            60 * SECOND,
            process,
            number,
            first,
            wanted,
            queue,
            lease,
            rejected_for,
            int(known),
            *reports,
        ]
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


YEAR = 365 * 24 * HOUR
# Times that can't be: of another year, of none, and of another unit.
IMPOSSIBLE = ["1e300", "inf", "10730000000000000000", 285 * YEAR]
# The values of a hash may also be no numbers.
UNREADABLE = ["nan", "-1", "-inf", "year", ""]


class TestValuesThatCannotBe:
    @pytest.mark.parametrize("value", [*IMPOSSIBLE, *UNREADABLE])
    def test_a_rejection_of_the_key_is_not_waited_for(self, budget: Budget, value: object) -> None:
        budget.exchange("a", 1)
        budget.send("HSET", "state", "rejected", value)
        reply = budget.exchange("a", 2, wanted=1)
        assert (reply.leased, reply.rejected_for, reply.discarded) == (1, 0, 1)
        assert budget.exchange("a", 3).discarded == 0

    def test_the_longest_rejection_of_the_key_is_kept(self, budget: Budget) -> None:
        budget.exchange("a", 1, rejected_for=72 * HOUR)
        reply = budget.exchange("b", 1, wanted=1)
        assert (reply.leased, reply.rejected_for, reply.discarded) == (0, 72 * HOUR - 1, 0)

    @pytest.mark.parametrize("key", ["arrivals", "leases"])
    @pytest.mark.parametrize("value", IMPOSSIBLE)
    def test_a_request_is_not_waited_for(self, budget: Budget, key: str, value: object) -> None:
        budget.exchange("a", 1, limit=1)
        budget.send("ZADD", key, value, "x:1")
        reply = budget.exchange("a", 2, wanted=1, limit=1)
        assert (reply.leased, reply.used, reply.discarded) == (1, 1, 1)

    def test_requests_with_possible_times_are_kept(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=2)
        budget.exchange("a", 2, 1, "arrives", 30 * SECOND, 2, "flight", 24 * HOUR)
        reply = budget.exchange("a", 3)
        assert (reply.used, reply.discarded) == (2, 0)

    @pytest.mark.parametrize("value", IMPOSSIBLE)
    def test_a_process_that_waits_is_not_waited_for(self, budget: Budget, value: object) -> None:
        budget.exchange("a", 1)
        budget.send("ZADD", "seen", value, "ghost")
        budget.send("ZADD", "waiting", 1, f"ghost 2 {60 * SECOND}", value, f"other 2 {60 * SECOND}")
        reply = budget.exchange("a", 2, wanted=2)
        assert (reply.leased, reply.processes, reply.discarded) == (2, 1, 2)

    @pytest.mark.parametrize("field", ["now", "ahead"])
    @pytest.mark.parametrize("value", [*IMPOSSIBLE, *UNREADABLE])
    def test_the_time_of_the_count_is_that_of_the_server(self, budget: Budget, field: str, value: object) -> None:
        budget.exchange("a", 1, wanted=2)
        budget.exchange("a", 2, 1, "arrives", 0, 2, "arrives", 0)
        budget.send("HSET", "state", field, value)
        reply = budget.exchange("a", 3, wanted=1, first=3)
        assert (reply.leased, reply.used, reply.wait, reply.discarded) == (0, 2, 60 * SECOND - 1, 1)

    @pytest.mark.parametrize("value", ["1e300", "inf", *UNREADABLE])
    def test_the_longest_period_is_that_of_the_process(self, budget: Budget, value: object) -> None:
        budget.exchange("a", 1)
        budget.send("HSET", "state", "longest", value)
        assert budget.exchange("a", 2, wanted=1).leased == 1
        assert budget.send("HGET", "state", "longest").split() == [b"$8", b"60000000"]

    @pytest.mark.parametrize("value", ["", "1e300", "inf", "1 2 3", "5e200 0 0 0 0 0 0 0 0 0", "nonsense"])
    def test_a_stored_response_does_not_stop_the_process(self, budget: Budget, value: str) -> None:
        budget.exchange("a", 1)
        budget.send("HSET", "exchanges", "a", value)
        reply = budget.exchange("a", 2, wanted=1)
        assert reply.leased == 1
        assert reply.discarded >= 1


class TestKeysThatVanish:
    def test_a_process_that_was_known_notices_that_all_have(self, budget: Budget) -> None:
        assert budget.exchange("a", 1, wanted=1).has_lost == 0
        budget.send("FLUSHALL")
        assert budget.exchange("a", 2, known=True).has_lost == 1
        assert budget.exchange("a", 3, known=True).has_lost == 0

    def test_a_new_process_notices_nothing(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=1)
        budget.send("FLUSHALL")
        assert budget.exchange("b", 1).has_lost == 0

    @pytest.mark.parametrize("key", KEYS)
    def test_one_that_was_evicted_is_noticed(self, budget: Budget, key: str) -> None:
        budget.exchange("a", 1, wanted=2)
        budget.exchange("a", 2, 1, "arrives", 0, first=3)
        budget.exchange("b", 1, wanted=1, queue="join")
        assert budget.send("DEL", key) == b":1\r\n"
        assert budget.exchange("a", 3, known=True).has_lost == 1
        assert budget.exchange("a", 4, known=True).has_lost == 0

    def test_those_that_have_become_empty_have_not_vanished(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=1)
        budget.exchange("a", 2, 1, "never", 0, first=2)
        budget.now += 2 * HOUR
        reply = budget.exchange("a", 3)
        assert (reply.used, reply.has_lost) == (0, 0)

    def test_those_of_an_earlier_version_have_not_vanished(self, budget: Budget) -> None:
        budget.exchange("a", 1, wanted=1)
        # It does not update the sizes.
        budget.send("HSET", "state", "now", budget.now + 1)
        budget.send("DEL", "leases")
        budget.now += 1
        assert budget.exchange("a", 2, known=True).has_lost == 0
