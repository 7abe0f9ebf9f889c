"""The rate limit that all processes of a user share: its file, its queue, and what happens if processes die."""

from __future__ import annotations

import copy
import os
import pickle
import random
import signal
import stat
import sys
import warnings
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

import botdesk

from .processes import PATIENCE, WORKER, Scripts, all_end_within_a_limit, line, proceed, run_together

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..wire.conftest import Service  # noqa: TID252
    from .conftest import Connect

HOUR = 3600
NUMBERS = count(1)

posix = pytest.mark.skipif(os.name == "nt", reason="signals and forks are those of POSIX")


def shared(requests: int, per: float = HOUR) -> dict[str, Any]:
    return {"retries": 0, "wait": False, "rate_limit": botdesk.RateLimit(requests, per=per, shared=True)}


@pytest.fixture
def api_key() -> str:
    """Return an API key that no other test uses."""
    return f"shared-api-key-{os.getpid()}-{next(NUMBERS)}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the state of the test in a folder of its own, and return the folder of the shared limits."""
    monkeypatch.setenv("BOTDESK_STATE_DIR", str(tmp_path))
    return tmp_path / "rate-limits"


@pytest.fixture
def scripts(service: Service, private_key: str, api_key: str, folder: Path) -> Iterator[Scripts]:  # noqa: ARG001
    """Run scripts in processes of their own, with the folder of the test."""
    scripts = Scripts(service, private_key, api_key)
    yield scripts
    scripts.end()


class TestTheOption:
    @pytest.mark.parametrize("choice", [None, True, False])
    def test_a_limit_has_its_choice(self, *, choice: bool | None) -> None:
        limit = botdesk.RateLimit(10, per=2, shared=choice)
        assert limit.shared is choice
        assert repr(limit) == f"RateLimit(10, per=2.0{'' if choice is None else f', shared={choice}'})"
        assert pickle.loads(pickle.dumps(limit)) == copy.copy(limit) == limit  # noqa: S301
        assert eval(repr(limit), {"RateLimit": botdesk.RateLimit}) == limit  # noqa: S307

    def test_limits_that_differ_in_it_are_not_equal(self) -> None:
        limits = [botdesk.RateLimit(10, shared=choice) for choice in (None, True, False)]
        assert [[one == other for other in limits].count(True) for one in limits] == [1, 1, 1]

    def test_a_limit_that_is_too_high_can_not_be_shared(self) -> None:
        assert botdesk.RateLimit(1_000, shared=True).shared
        assert botdesk.RateLimit(1_001).shared is None
        with pytest.raises(botdesk.ConfigurationError, match=r"requests is 1001, .* at most 1000; lower it, or pass"):
            botdesk.RateLimit(1_001, shared=True)

    @pytest.mark.parametrize("wrong", [1, b"redis://127.0.0.1"])
    def test_another_type_is_rejected(self, wrong: Any) -> None:  # noqa: ANN401
        with pytest.raises(TypeError):
            botdesk.RateLimit(10, shared=wrong)

    @pytest.mark.parametrize("choice", [None, False])
    def test_a_service_on_this_machine_is_not_shared_by_default(
        self, connect: Connect, service: Service, api_key: str, folder: Path, *, choice: bool | None
    ) -> None:
        client = connect(api_key=api_key, rate_limit=botdesk.RateLimit(10, shared=choice))
        service.responds()
        client.dca_bots.get(41)
        assert client.budget is not None
        assert client.budget.used == 1
        assert not folder.exists()


class TestTheFile:
    @pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
    def test_only_the_user_has_access_and_no_secret_is_in_it(
        self, connect: Connect, service: Service, api_key: str, folder: Path
    ) -> None:
        service.responds()
        connect(api_key=api_key, **shared(10)).dca_bots.get(41)
        (file,) = folder.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IRWXU
        assert stat.S_IMODE(file.stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
        for secret in (api_key, service.url, "127.1"):
            assert secret not in file.name
            assert secret.encode() not in file.read_bytes()

    def test_a_damaged_file_is_replaced_with_one_warning(
        self, connect: Connect, service: Service, api_key: str, folder: Path
    ) -> None:
        client = connect(api_key=api_key, **shared(10))
        for _ in range(4):
            service.responds()
        client.dca_bots.get(41)
        (file,) = folder.iterdir()
        file.write_bytes(b"text of another program")

        def call() -> None:
            client.dca_bots.get(41)
            file.write_bytes(b"text of another program")
            client.dca_bots.get(41)

        with pytest.warns(UserWarning, match="was damaged or is of another program; it is replaced") as caught:
            call()
        assert len(caught) == 1
        client.dca_bots.get(41)
        assert client.budget is not None
        assert client.budget.used == 4

    def test_a_folder_that_can_not_be_written_is_one_warning(
        self, connect: Connect, service: Service, api_key: str, folder: Path
    ) -> None:
        folder.write_text("a file in place of the folder")
        clients = [connect(api_key=f"{api_key}-{number}", **shared(2)) for number in range(2)]
        for _ in range(4):
            service.responds()
        with pytest.warns(UserWarning, match=r"not shared with other processes: .*BOTDESK_STATE_DIR") as caught:
            assert [client.dca_bots.get(41).id for client in clients * 2] == [41] * 4
        assert len(caught) == 1
        # The process still counts its own requests.
        for client in clients:
            with pytest.raises(botdesk.RateLimitedError):
                client.dca_bots.get(41)

    def test_a_warning_that_is_an_error_does_not_end_the_call(
        self, connect: Connect, service: Service, api_key: str, folder: Path
    ) -> None:
        folder.write_text("a file in place of the folder")
        service.responds()
        printed: list[str] = []

        def print_value(raised: sys.UnraisableHookArgs) -> None:
            printed.append(str(raised.exc_value))

        with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
            warnings.simplefilter("error")
            patch.setattr(sys, "unraisablehook", print_value)
            assert connect(api_key=api_key, **shared(2)).dca_bots.get(41).id == 41
        assert "not shared with other processes" in printed[0]


class TestProcesses:
    @pytest.mark.shows("promise a limit of several processes")
    def test_a_new_process_counts_the_requests_of_others(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts
    ) -> None:
        client = connect(api_key=api_key, **shared(3))
        for _ in range(3):
            service.responds()
        client.dca_bots.get(41)
        script = """
        client = limited(3)
        client.dca_bots.get(41)
        print(client.budget.used, client.budget.limit)
        """
        assert [scripts.output(script), scripts.output(script)] == ["2 3", "3 3"]
        assert client.budget is not None
        assert client.budget.used == 3
        with pytest.raises(botdesk.RateLimitedError, match=r"rate limit reached: 3 requests in 3600 s") as caught:
            client.dca_bots.get(41)
        assert caught.value.retry_after is not None
        assert HOUR - PATIENCE < caught.value.retry_after <= HOUR
        assert len(service.requests) == 3

    def test_a_process_that_shares_nothing_counts_alone(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts
    ) -> None:
        service.responds()
        connect(api_key=api_key, rate_limit=botdesk.RateLimit(3, per=HOUR, shared=False)).dca_bots.get(41)
        assert scripts.output("print(limited(3).budget.used)") == "0"

    @pytest.mark.shows("promise a ban of another process")
    def test_a_new_process_does_not_walk_into_a_ban(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts
    ) -> None:
        service.responds(418, headers={"Retry-After": "900"})
        with pytest.raises(botdesk.IpBannedError):
            connect(api_key=f"{api_key}-other", **shared(3)).dca_bots.get(41)
        script = """
        try:
            limited(3).dca_bots.get(41)
        except botdesk.IpBannedError as error:
            print(800 < error.retry_after <= 900, error)
        """
        assert scripts.output(script).startswith("True dca_bots.get was not sent")
        assert len(service.requests) == 1

    @pytest.mark.shows("promise a ban of another process")
    def test_a_new_process_waits_while_the_key_is_rejected(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts
    ) -> None:
        service.responds(429)
        with pytest.raises(botdesk.RateLimitedError):
            connect(api_key=api_key, **shared(3)).dca_bots.get(41)
        script = """
        try:
            limited(3).dca_bots.get(41)
        except botdesk.RateLimitedError as error:
            print(200 < error.retry_after <= 300, error)
        """
        assert "True" in scripts.output(script)
        assert len(service.requests) == 1

    def test_a_waiting_process_continues_when_another_frees_its_place(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts
    ) -> None:
        spent = connect(api_key=api_key, **shared(1, per=0.2))
        service.responds()
        service.responds()
        waiting = scripts.start("""
        client = limited(1, per=0.2, wait=True)
        print("ready", flush=True)
        sys.stdin.readline()
        print(client.dca_bots.get(41).id, flush=True)
        """)
        assert line(waiting) == "ready"
        spent.dca_bots.get(41)
        proceed(waiting)
        assert line(waiting) == "41"
        assert service.times[1] - service.times[0] >= 0.2

    def test_processes_share_the_limit_of_a_second_whatever_their_keys(
        self, connect: Connect, service: Service, scripts: Scripts, api_key: str
    ) -> None:
        printed: list[str] = []

        # The first request is in flight, so that it counts however fast the machine is.
        def run_another_process(_: botdesk.RequestEvent) -> None:
            script = """
            try:
                limited(10, requests_per_second=1).dca_bots.get(41)
            except botdesk.RateLimitedError as error:
                print(error)
            """
            process = scripts.start(script, api_key=f"{api_key}-of-another")
            printed.append(process.communicate(timeout=PATIENCE)[0])

        client = connect(api_key=api_key, **shared(10), requests_per_second=1, on_request=run_another_process)
        service.responds()
        client.dca_bots.get(41)
        assert "rate limit reached: 1 requests in 1 s" in printed[0]
        assert len(service.requests) == 1

    def test_an_endpoint_with_a_limit_of_its_own_has_a_count_of_its_own(
        self, connect: Connect, service: Service, api_key: str, folder: Path
    ) -> None:
        client = connect(api_key=api_key, **shared(100, per=60))
        service.responds(body=b"[]")
        client.deals.list()
        assert len(list(folder.iterdir())) == 1
        assert client.budget is not None
        assert client.budget.used == 0
        service.responds()
        client.dca_bots.get(41)
        assert len(list(folder.iterdir())) == 2


class TestEightProcesses:
    def test_all_of_the_limit_of_the_sandbox_is_used_and_no_request_is_rejected(
        self, private_key: str, scripts: Scripts
    ) -> None:
        public_key = botdesk.PrivateKey.load(private_key).public_key_pem
        with botdesk.Sandbox(bots=1, rate_limit=100) as sandbox:
            service = {"url": sandbox.url, "api_key": sandbox.add_key(public_key)}
            outcomes = run_together([scripts.start(WORKER, number, 100, 60, 5, **service) for number in range(8)])
            assert outcomes == {"sent": 100, "not sent": 60, "rejected": 0}
            assert [request.status for request in sandbox.requests] == [200] * 100

    @pytest.mark.shows("promise a limit of several processes")
    def test_the_service_never_counts_more_than_the_limit_and_every_process_ends(
        self, service: Service, scripts: Scripts
    ) -> None:
        all_end_within_a_limit(service, scripts)


class TestProcessesThatDie:
    @pytest.mark.shows("promise a process that is killed")
    def test_processes_that_are_killed_leave_no_lock_and_lose_no_budget(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, folder: Path
    ) -> None:
        kills = 25
        chance = random.Random(21)  # noqa: S311
        # A port that nothing listens on: each call starts a request in the file and ends it, and does little else.
        for _ in range(kills):
            child = scripts.start(
                """
                client = limited(1000)
                while True:
                    try:
                        client.dca_bots.get(41)
                    except botdesk.ConnectionFailedError:
                        print(".", flush=True)
                """,
                url=f"{service.url.rpartition(':')[0]}:1",
            )
            for _ in range(chance.randrange(1, 40)):
                assert line(child) == "."
            child.kill()
            child.wait()
        spent = connect(f"{service.url.rpartition(':')[0]}:1", api_key=api_key, **shared(1000))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(botdesk.ConnectionFailedError):
                spent.dca_bots.get(41)
        assert spent.budget is not None
        # Of each process at most the request that was in flight.
        assert spent.budget.used <= kills
        assert len(list(folder.iterdir())) == 1

    @posix
    def test_a_process_that_is_killed_while_it_holds_the_lock_leaves_none(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, folder: Path
    ) -> None:
        client = connect(api_key=api_key, **shared(10))
        service.responds()
        service.responds()
        client.dca_bots.get(41)
        (file,) = folder.iterdir()
        holder = scripts.start(HOLD_THE_LOCK, file)
        assert line(holder) == "locked"
        holder.kill()
        holder.wait()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            client.dca_bots.get(41)
        assert client.budget is not None
        assert client.budget.used == 2

    @posix
    @pytest.mark.parametrize("wait", [True, False], ids=["waiting", "at once"])
    def test_a_stopped_process_that_holds_the_lock_is_not_waited_for(
        self, connect: Connect, service: Service, api_key: str, scripts: Scripts, folder: Path, *, wait: bool
    ) -> None:
        client = connect(api_key=api_key, **shared(3)).with_options(wait=wait)
        for _ in range(3):
            service.responds()
        client.dca_bots.get(41)
        (file,) = folder.iterdir()
        holder = scripts.start(HOLD_THE_LOCK, file)
        assert line(holder) == "locked"
        holder.send_signal(signal.SIGSTOP)
        with pytest.warns(UserWarning, match="a process that does not run holds its lock") as caught:
            assert [client.dca_bots.get(41).id for _ in range(2)] == [41] * 2
        assert len(caught) == 1
        # This process still counts its own requests.
        with pytest.raises(botdesk.RateLimitedError):
            client.with_options(wait=False).dca_bots.get(41)

    @posix
    def test_a_forked_child_counts_for_itself(self, service: Service, scripts: Scripts) -> None:
        for _ in range(3):
            service.responds()
        script = """
        client = limited(10)
        client.dca_bots.get(41)
        child = os.fork()
        if child == 0:
            client.dca_bots.get(41)
            os._exit(client.budget.used)
        _, status = os.waitpid(child, 0)
        client.dca_bots.get(41)
        print(os.waitstatus_to_exitcode(status), client.budget.used)
        """
        assert scripts.output(script) == "2 3"


HOLD_THE_LOCK = """
import fcntl

with open(sys.argv[1], "r+b") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("locked", flush=True)
    sys.stdin.readline()
"""
