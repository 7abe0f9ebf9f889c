"""Iterators over all bots that are not exhausted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Scripts


def test_an_iterator_that_is_left_requests_no_more_pages(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox(bots=30, odd_values=True) as sandbox:
            for number, bot in enumerate(sandbox.client().dca_bots.iter(limit=10), start=1):
                if number == 15:
                    break
            print(number, len(sandbox.requests))
    """)
    assert child.output() == "15 2"


def test_an_async_iterator_that_is_left_requests_no_more_pages(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import asyncio
        import botdesk
        async def main():
            async with botdesk.Sandbox(bots=30, odd_values=True) as sandbox:
                number = 0
                async for bot in sandbox.client().dca_bots.iter_async(limit=10):
                    number += 1
                    if number == 15:
                        break
                print(number, len(sandbox.requests))
        asyncio.run(main())
    """)
    assert child.output() == "15 2"


def test_an_iterator_that_was_left_can_be_taken_up_again(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import itertools
        import botdesk
        with botdesk.Sandbox(bots=30, odd_values=True) as sandbox:
            bots = sandbox.client().dca_bots.iter(limit=10)
            first = [bot.id for bot in itertools.islice(bots, 15)]
            rest = [bot.id for bot in bots]
            print(len(first), len(rest), len({*first, *rest}), next(bots, None), len(sandbox.requests))
    """)
    assert child.output() == "15 15 30 None 4"


def test_an_iterator_sends_nothing_before_its_first_step(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        with botdesk.Sandbox(odd_values=True) as sandbox:
            bots = sandbox.client().dca_bots.iter()
            bots_async = sandbox.client().dca_bots.iter_async()
            step = bots_async.__anext__()
            print(len(sandbox.requests))
            step.close()
    """)
    assert child.output() == "0"


def test_an_iterator_outlives_an_error_between_its_pages(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import botdesk
        sandbox = botdesk.Sandbox(bots=20, odd_values=True)
        port = int(sandbox.url.rpartition(":")[2])
        bots = sandbox.client().dca_bots.iter(limit=10)
        seen = [next(bots).id for _ in range(10)]
        sandbox.close()
        for _ in range(2):
            try:
                next(bots)
            except botdesk.TransportError:
                print("no answer")
    """)
    assert child.output().splitlines() == ["no answer", "no answer"]


def test_an_async_iterator_can_be_driven_by_several_tasks(scripts: Scripts) -> None:
    child = scripts.start_bare("""
        import asyncio
        import botdesk
        async def main():
            async with botdesk.Sandbox(bots=100, odd_values=True) as sandbox:
                bots = sandbox.client().dca_bots.iter_async(limit=10)
                async def walk():
                    return [bot.id async for bot in bots]
                walks = await asyncio.gather(*(walk() for _ in range(5)))
                seen = [identifier for walk in walks for identifier in walk]
                print(len(seen), len(set(seen)))
        asyncio.run(main())
    """)
    assert child.output() == "100 100"
