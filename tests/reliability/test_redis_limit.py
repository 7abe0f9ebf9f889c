"""The rate limit that processes on several machines share: a Redis server counts, and may be away."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import socket
import threading
import warnings
from contextlib import closing, suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .processes import WORKER, Scripts, all_end_within_a_limit, line, proceed, run_together
from .redis_server import RedisServer, needs_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..wire.conftest import Calls, Service  # noqa: TID252
    from .conftest import Connect

HOUR = 3600
NUMBERS = count(1)
# Nothing listens on them; each server is warned about once.
PORTS = iter(range(1, 10))


@pytest.fixture
def api_key() -> str:
    """Return an API key that no other test uses."""
    return f"redis-api-key-{os.getpid()}-{next(NUMBERS)}"


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the state of the test in a folder of its own."""
    monkeypatch.setenv("BOTDESK_STATE_DIR", str(tmp_path))


@pytest.fixture
def scripts(service: Service, private_key: str, api_key: str, redis: RedisServer) -> Iterator[Scripts]:
    """Run scripts in processes of their own, which share the limit through the server."""
    scripts = Scripts(service, private_key, api_key, LIMIT_SERVER=redis.url)
    yield scripts
    scripts.end()


def through(url: str, requests: int, per: float = HOUR, **options: Any) -> dict[str, Any]:  # noqa: ANN401
    limit = botdesk.RateLimit(requests, per=per, shared=url)
    return {"retries": 0, "wait": False, "rate_limit": limit, **options}


class TestTheOption:
    def test_it_shows_the_server_without_its_password(self) -> None:
        limit = botdesk.RateLimit(10, shared="rediss://user:hunter2@cache.example/2")
        assert repr(limit) == "RateLimit(10, per=60.0, shared='rediss://***@cache.example:6379/2')"
        assert limit.shared == "rediss://***@cache.example:6379/2"
        assert limit != botdesk.RateLimit(10, shared="rediss://user:other@cache.example/2")

    def test_a_limit_of_a_server_without_a_password_is_pickled(self) -> None:
        limit = botdesk.RateLimit(10, shared="redis://cache.example:7000")
        assert pickle.loads(pickle.dumps(limit)) == limit  # noqa: S301
        assert copy.copy(limit) == copy.deepcopy(limit) == limit

    def test_a_password_is_not_pickled(self) -> None:
        limit = botdesk.RateLimit(10, shared="redis://:hunter2@cache.example")
        assert copy.copy(limit) == limit
        with pytest.raises(botdesk.ConfigurationError, match="name the password in BOTDESK_REDIS_PASSWORD") as caught:
            pickle.dumps(limit)
        assert "hunter2" not in str(caught.value)

    @pytest.mark.parametrize(
        "url",
        [
            "",
            "http://u:hunter2@a",
            "redis://:hunter2@/0",
            "redis://:hunter2@a/x",
            "rediss://:hunter2@a#insecure",
            "redis://hunter2@a",
            "redis://a?password=hunter2",
        ],
    )
    def test_what_is_no_server_is_an_error_that_does_not_repeat_it(self, url: str) -> None:
        with pytest.raises(botdesk.ConfigurationError, match="shared is not the URL of a Redis server") as caught:
            botdesk.RateLimit(10, shared=url)
        assert "hunter2" not in str(caught.value)

    def test_another_type_is_an_error(self) -> None:
        with pytest.raises(TypeError, match="shared must be a bool, the URL of a Redis server, or None, not int"):
            botdesk.RateLimit(10, shared=5)  # type: ignore[arg-type]


@needs_server
class TestProcesses:
    def test_a_process_counts_the_requests_of_others(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, redis: RedisServer
    ) -> None:
        service.responds()
        assert scripts.output("print(limited(2).dca_bots.get(41).id)") == "41"
        client = connect(api_key=api_key, **through(redis.url, 2))
        service.responds()
        client.dca_bots.get(41)
        assert client.budget is not None
        assert client.budget.used == 2
        with pytest.raises(botdesk.RateLimitedError, match="was not sent: rate limit reached") as caught:
            client.dca_bots.get(41)
        assert caught.value.retry_after is not None
        assert HOUR - 60 < caught.value.retry_after <= HOUR

    def test_a_busy_process_leases_several_requests_in_a_round_trip(
        self, connect: Connect, service: Service, api_key: str, redis: RedisServer
    ) -> None:
        client = connect(api_key=api_key, **through(redis.url, 1000))
        for _ in range(150):
            service.responds()
            client.dca_bots.get(41)
        # 1, 2, 4, 8, 16, 32, 64 and 100 requests, and the reports of the ends. A slow machine begins with 1 again.
        assert redis.scripts() < 100

    def test_requests_that_were_not_sent_do_not_count(
        self, connect: Connect, service: Service, api_key: str, redis: RedisServer
    ) -> None:
        client = connect("http://127.0.0.1:1", api_key=api_key, **through(redis.url, 1))
        for _ in range(3):
            with pytest.raises(botdesk.TransportError, match="no connection"):
                client.dca_bots.get(41)
        assert client.budget is not None
        assert client.budget.used == 0
        assert service.connections == 0

    def test_a_key_that_one_process_saw_rejected_is_not_used_by_others(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, redis: RedisServer
    ) -> None:
        client = connect(api_key=api_key, **through(redis.url, 10))
        service.responds(429, b'{"error":"too many"}', {"Retry-After": "300"})
        with pytest.raises(botdesk.RateLimitedError):
            client.dca_bots.get(41)
        assert client.budget is not None
        assert 290 < client.budget.resets_in <= 300
        printed = scripts.output("""
        try:
            limited(10).dca_bots.get(41)
        except botdesk.RateLimitedError as error:
            print(error)
        """)
        assert "was not sent: the service rejects this API key for a while" in printed
        assert f"another process stored this at {redis.url}" in printed

    def test_a_rejected_key_is_remembered_without_the_server(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, redis: RedisServer
    ) -> None:
        service.responds(429, b'{"error":"too many"}', {"Retry-After": "300"})
        scripts.output("""
        try:
            limited(10).dca_bots.get(41)
        except botdesk.RateLimitedError:
            pass
        """)
        client = connect(api_key=api_key, **through(redis.url, 10))
        with pytest.raises(botdesk.RateLimitedError, match="the service rejects this API key"):
            client.dca_bots.get(41)
        redis.stop()
        with pytest.raises(botdesk.RateLimitedError, match="the service rejects this API key"):
            client.dca_bots.get(41)
        assert len(service.requests) == 1

    def test_a_lease_for_a_higher_limit_is_not_used_for_a_lower_one(
        self, connect: Connect, service: Service, api_key: str, redis: RedisServer
    ) -> None:
        high, low = (connect(api_key=api_key, **through(redis.url, requests)) for requests in (100, 2))
        for _ in range(3):
            service.responds()
            high.dca_bots.get(41)
        with pytest.raises(botdesk.RateLimitedError, match="2 requests in"):
            low.dca_bots.get(41)

    def test_an_abandoned_request_is_waited_for_30_seconds_longer(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, redis: RedisServer
    ) -> None:
        service.sends(b"", then="stall")
        scripts.output("""
        try:
            limited(1, timeout=0.2).dca_bots.get(41)
        except botdesk.TransportError:
            pass
        """)
        client = connect(api_key=api_key, **through(redis.url, 1))
        with pytest.raises(botdesk.RateLimitedError) as caught:
            client.dca_bots.get(41)
        assert caught.value.retry_after is not None
        assert HOUR < caught.value.retry_after <= HOUR + 30

    @pytest.mark.skipif(os.name == "nt", reason="SIGKILL is a signal of POSIX")
    def test_the_request_of_a_process_that_is_killed_counts(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, redis: RedisServer
    ) -> None:
        service.sends(b"", then="stall")
        killed = scripts.start("limited(1).dca_bots.get(41)")
        service.request()
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        client = connect(api_key=api_key, **through(redis.url, 1))
        with pytest.raises(botdesk.RateLimitedError, match="was not sent: rate limit reached"):
            client.dca_bots.get(41)

    def test_a_process_gives_back_what_it_has_leased_when_it_exits(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, redis: RedisServer
    ) -> None:
        for _ in range(4):
            service.responds()
        # After one and two requests, four are leased.
        scripts.output("""
        client = limited(40)
        for _ in range(4):
            client.dca_bots.get(41)
        """)
        client = connect(api_key=api_key, **through(redis.url, 40))
        assert client.budget is not None
        assert client.budget.used == 4

    def test_eight_processes_never_exceed_the_limit_of_the_sandbox_and_use_all_of_it(
        self, private_key: str, scripts: Scripts
    ) -> None:
        public_key = botdesk.PrivateKey.load(private_key).public_key_pem
        with botdesk.Sandbox(bots=1, rate_limit=100) as sandbox:
            service = {"url": sandbox.url, "api_key": sandbox.add_key(public_key)}
            outcomes = run_together([scripts.start(WORKER, number, 100, 60, 5, **service) for number in range(8)])
            assert outcomes["rejected"] == 0
            # What one process has leased and not used, another may miss: at most a tenth of the limit each.
            assert outcomes["sent"] >= 50
            assert outcomes.total() == 160

    def test_eight_processes_that_wait_all_end_and_the_service_never_counts_more_than_the_limit(
        self, service: Service, scripts: Scripts
    ) -> None:
        all_end_within_a_limit(service, scripts)

    def test_a_forked_child_counts_on(
        self, service: Service, scripts: Scripts, connect: Connect, api_key: str, redis: RedisServer
    ) -> None:
        for _ in range(2):
            service.responds()
        printed = scripts.output("""
        client = limited(10)
        client.dca_bots.get(41)
        if os.fork() == 0:
            print(client.dca_bots.get(41).id, flush=True)
            sys.exit()
        os.wait()
        """)
        assert printed == "41"
        client = connect(api_key=api_key, **through(redis.url, 10))
        assert client.budget is not None
        assert client.budget.used == 2


@pytest.fixture
def closed_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """Run a server with a password."""
    server = RedisServer(tmp_path, "--requirepass", "hunter2")
    yield server
    server.stop()


@needs_server
class TestPasswords:
    def test_that_of_the_environment_is_used(
        self, connect: Connect, service: Service, closed_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BOTDESK_REDIS_PASSWORD", "hunter2")
        service.responds()
        connect(**through(closed_redis.url, 10)).dca_bots.get(41)
        assert b"evalsha" in closed_redis.send("info", "commandstats", password="hunter2")

    @pytest.mark.parametrize(
        ("query", "why"),
        [
            ("", "it needs a password; set BOTDESK_REDIS_PASSWORD"),
            ("?pass=swordfish", "the rate limit is not shared through unix:"),
        ],
        ids=["missing", "wrong"],
    )
    def test_a_missing_or_a_wrong_one_is_a_warning_without_it(
        self, connect: Connect, service: Service, closed_redis: RedisServer, query: str, why: str
    ) -> None:
        service.responds()
        client = connect(**through(f"{closed_redis.url}{query}", 10))
        with pytest.warns(UserWarning, match=why) as caught:
            client.dca_bots.get(41)
        assert "swordfish" not in str(caught[0].message)


class TestAServerThatIsAway:
    @pytest.mark.shows("promise a limit without its server")
    def test_without_it_the_process_counts_alone_and_warns_once(
        self, connect: Connect, service: Service, calls: Calls, api_key: str
    ) -> None:
        client = connect(api_key=api_key, **through(f"redis://127.0.0.1:{next(PORTS)}", 2))
        for _ in range(2):
            service.responds()
        with pytest.warns(UserWarning, match="not shared through redis://127.0.0.1:. at the moment") as caught:
            calls.get(client)
        assert "it was never reached" in str(caught[0].message)
        assert caught[0].filename.endswith(("conftest.py", "test_redis_limit.py"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            calls.get(client)
            assert client.budget is not None
            assert client.budget.used == 2
            with pytest.raises(botdesk.RateLimitedError):
                calls.get(client)

    @needs_server
    def test_each_process_then_has_an_equal_share(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, redis: RedisServer
    ) -> None:
        for _ in range(4):
            service.responds()
        other = scripts.start("""
        client = limited(6)
        client.dca_bots.get(41)
        print("ready", flush=True)
        sys.stdin.readline()
        """)
        assert line(other) == "ready"
        client = connect(api_key=api_key, **through(redis.url, 6))
        client.dca_bots.get(41)
        redis.stop()
        with pytest.warns(
            UserWarning, match="2 processes have used the limit lately: each may use an equal share, 3 requests"
        ):
            client.dca_bots.get(41)
        client.dca_bots.get(41)
        with pytest.raises(botdesk.RateLimitedError):
            client.dca_bots.get(41)
        proceed(other)

    @needs_server
    def test_a_server_that_closed_an_idle_connection_is_used_again_without_a_warning(
        self, connect: Connect, service: Service, api_key: str, redis: RedisServer
    ) -> None:
        client = connect(api_key=api_key, **through(redis.url, 10))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(2):
                service.responds()
                client.dca_bots.get(41)
                redis.send("client", "kill", "type", "normal")
            assert client.budget is not None
        assert client.budget.used == 2

    @needs_server
    def test_after_it_has_lost_its_data_the_process_still_counts_its_own_requests(
        self, connect: Connect, service: Service, api_key: str, redis: RedisServer
    ) -> None:
        client = connect(api_key=api_key, **through(redis.url, 1))
        service.responds()
        client.dca_bots.get(41)
        redis.send("flushall")
        with (
            pytest.warns(UserWarning, match="had lost data: the server was flushed, restarted") as caught,
            pytest.raises(botdesk.RateLimitedError),
        ):
            client.dca_bots.get(41)
        assert len(caught) == 1
        # It is warned of once.
        redis.send("flushall")
        with pytest.raises(botdesk.RateLimitedError):
            client.dca_bots.get(41)

    @needs_server
    def test_a_key_that_it_evicts_is_warned_of(
        self, connect: Connect, service: Service, api_key: str, redis: RedisServer
    ) -> None:
        client = connect(api_key=api_key, **through(redis.url, 10))
        for _ in range(2):
            service.responds()
        client.dca_bots.get(41)
        assert client.budget is not None
        redis.send("del", redis.key("arrivals"))
        with pytest.warns(UserWarning, match="had lost data: .* evicts keys"):
            client.dca_bots.get(41)


@needs_server
class TestValuesThatCannotBe:
    @pytest.mark.parametrize("value", ["1e300", "inf", "10730000000000000"])
    @pytest.mark.parametrize("place", ["rejected", "arrivals", "leases"])
    def test_they_are_warned_of_and_never_waited_for(
        self, connect: Connect, service: Service, api_key: str, redis: RedisServer, *, value: str, place: str
    ) -> None:
        client = connect(api_key=api_key, **through(redis.url, 2))
        service.responds()
        client.dca_bots.get(41)
        if place == "rejected":
            redis.send("hset", redis.key("state"), place, value)
        else:
            key = redis.key("state").removesuffix("state") + place
            redis.send("zadd", key, value, "other:1", value, "other:2", value, "other:3")
        service.responds()
        with pytest.warns(UserWarning, match="had values that can't be, such as times in years") as caught:
            assert client.dca_bots.get(41).id == 41
        assert len(caught) == 1
        assert client.budget is not None
        assert client.budget.used == 2

    @pytest.mark.parametrize(
        ("response", "why"),
        [
            # A server may repeat the command with the password.
            (b"-ERR unknown command 'HELLO', with args: 'AUTH' 'hunter2'\r\n" * 4, "it responded with the error ERR"),
            (b"HTTP/1.1 400 Bad Request\r\n\r\n", ""),
            (b"", ""),
        ],
        ids=["an error", "another protocol", "nothing"],
    )
    def test_what_is_no_redis_server_is_a_warning(
        self, connect: Connect, service: Service, api_key: str, response: bytes, why: str
    ) -> None:
        with closing(socket.create_server(("127.0.0.1", 0))) as listener:
            answering = threading.Thread(target=respond_always, args=(listener, response))
            answering.start()
            service.responds()
            client = connect(api_key=api_key, **through(f"redis://127.0.0.1:{listener.getsockname()[1]}", 10))
            with pytest.warns(UserWarning, match="not shared through") as caught:
                assert client.dca_bots.get(41).id == 41
            assert why in str(caught[0].message)
            assert "hunter2" not in str(caught[0].message)
            listener.shutdown(socket.SHUT_RDWR)
            answering.join()


def respond_always(listener: socket.socket, response: bytes) -> None:
    """Send the same response to each chunk that arrives."""
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                while response and connection.recv(65536):
                    connection.sendall(response)


class SlowServer:
    """Stands between a client and a server, and holds up each response."""

    def __init__(self, server: RedisServer, delay: float) -> None:
        self._server, self._delay = server, delay
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"
        self._connections: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def close(self) -> None:
        """Stop, and close what is open."""
        for connection in [self._listener, *self._connections]:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for connection in [self._listener, *self._connections]:
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.socket(socket.AF_UNIX)
                self._connections += [near, far]
                far.connect(self._server.url.removeprefix("unix://"))
                for source, target, delay in ((near, far, 0.0), (far, near, self._delay)):
                    self._threads.append(threading.Thread(target=pass_on, args=(source, target, delay)))
                    self._threads[-1].start()


def pass_on(source: socket.socket, target: socket.socket, delay: float) -> None:
    """Pass on what arrives, after a delay."""
    pause = threading.Event()
    with suppress(OSError):
        while chunk := source.recv(65536):
            pause.wait(delay)
            target.sendall(chunk)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


@needs_server
def test_a_server_that_takes_longer_than_a_lease_is_held_is_used(
    connect: Connect, service: Service, calls: Calls, api_key: str, redis: RedisServer
) -> None:
    with closing(SlowServer(redis, 0.3)) as slow:
        client = connect(api_key=api_key, **through(slow.url, 10, per=1))
        service.responds()
        assert calls.get(client).id == 41
