"""The page that an iterator requests in advance: interrupts, forks, cancellation and exits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Scripts, Service

# The third page is requested, and stalls.
HOLDING_THE_SECOND_PAGE = """
bots = client.dca_bots.iter(limit=2, offset=20)
held = [next(bots).id for _ in range(3)]
"""

HOLDING_IT_IN_ASYNCIO = """
import asyncio

async def main():
    bots = client.dca_bots.iter_async(limit=2, offset=20)
    held = [(await anext(bots)).id for _ in range(3)]
    await rest(bots)
"""

END = b'[{"id":4,"name":"fourth"},{"id":5,"name":"fifth"}]'


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(f"{HOLDING_THE_SECOND_PAGE}\nend()", id="blocking"),
        pytest.param(f"{HOLDING_IT_IN_ASYNCIO}\nasync def rest(bots): end()\nasyncio.run(main())", id="in asyncio.run"),
    ],
)
@pytest.mark.parametrize("end", ["pass", "os._exit(0)", "sys.exit(0)"])
def test_a_process_ends_while_a_page_is_requested(script: str, end: str, scripts: Scripts, service: Service) -> None:
    child = scripts.start(f"def end():\n    wait_for_test()\n    {end}\n{script}")
    request = service.stalled()
    child.send_line()
    assert child.output() == ""
    assert request.is_dropped()


def test_ctrl_c_ends_the_wait_for_a_page_and_drops_its_request(scripts: Scripts, service: Service) -> None:
    child = scripts.start(
        HOLDING_THE_SECOND_PAGE
        + """
try:
    held.append(next(bots).id)
    print(held, flush=True)
    next(bots)
except KeyboardInterrupt:
    print("interrupted", [bot.id for bot in bots])
"""
    )
    request = service.stalled()
    assert child.read_line() == "[1, 2, 3, 4]"
    child.interrupt()
    assert request.is_dropped()
    service.stalled().response(END)
    assert child.output() == "interrupted [5]"


def test_ctrl_c_between_two_steps_leaves_the_page_to_the_next_one(scripts: Scripts, service: Service) -> None:
    child = scripts.start(
        HOLDING_THE_SECOND_PAGE
        + """
try:
    print("works", flush=True)
    wait_for_test()
except KeyboardInterrupt:
    print([bot.id for bot in bots])
"""
    )
    request = service.stalled()
    assert child.read_line() == "works"
    child.interrupt()
    request.response(END)
    assert child.output() == "[4, 5]"


def test_a_cancelled_wait_drops_the_request_and_leaves_no_task(scripts: Scripts, service: Service) -> None:
    child = scripts.start(
        HOLDING_IT_IN_ASYNCIO
        + """
async def rest(bots):
    assert (await anext(bots)).id == 4
    waiting = asyncio.create_task(bots.__anext__())
    await asyncio.sleep(0)
    print("waits", flush=True)
    wait_for_test()
    waiting.cancel()
    try:
        await waiting
    except asyncio.CancelledError:
        print("cancelled", flush=True)
    print((await anext(bots)).id, len(asyncio.all_tasks()))

asyncio.run(main(), debug=True)
"""
    )
    request = service.stalled()
    assert child.read_line() == "waits"
    child.send_line()
    assert child.read_line() == "cancelled"
    assert request.is_dropped()
    service.stalled().response(END)
    assert child.output() == "5 1"


def test_a_forked_child_leaves_the_page_to_its_parent(scripts: Scripts, service: Service) -> None:
    child = scripts.start(
        HOLDING_THE_SECOND_PAGE
        + """
process = os.fork()
if process == 0:
    del bots
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
print([bot.id for bot in bots])
"""
    )
    request = service.stalled()
    assert child.read_line() == "3"
    request.response(END)
    assert child.output() == "[4, 5]"
