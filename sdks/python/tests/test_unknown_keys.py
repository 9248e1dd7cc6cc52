from __future__ import annotations

import asyncio
import threading
import time
from queue import Queue
from typing import Callable

import pytest

from countersign import _unknown_key_limit
from countersign._caller_address import caller_of
from countersign._unknown_key_limit import Outcome, Permit, UnknownKeyLimit


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def permit(outcome: Outcome) -> Permit:
    assert isinstance(outcome, Permit)
    return outcome


def spend(limit: UnknownKeyLimit, address: str, count: int) -> None:
    for _ in range(count):
        permit(limit.acquire(address)).finish(is_spent=True)


def test_a_spent_token_is_free_again_after_its_share_of_a_minute() -> None:
    clock = Clock()
    limit = UnknownKeyLimit(10, clock)
    spend(limit, "a", 10)
    assert limit.acquire("a") == 6
    clock.seconds += 5.5
    assert limit.acquire("a") == 1
    clock.seconds += 0.5
    spend(limit, "a", 1)
    assert limit.acquire("a") == 6
    clock.seconds += 3600
    spend(limit, "a", 10)
    assert limit.acquire("a") == 6


def test_a_token_that_was_not_spent_is_given_back() -> None:
    limit = UnknownKeyLimit(1, Clock())
    for _ in range(100):
        permit(limit.acquire("a")).finish(is_spent=False)


def test_a_waiting_thread_gets_a_free_token_and_is_refused_once_no_call_is_in_flight() -> None:
    limit = UnknownKeyLimit(2, Clock())
    held = [permit(limit.acquire("a")), permit(limit.acquire("a"))]
    outcomes: Queue[Outcome] = Queue()
    threads = [threading.Thread(target=lambda: outcomes.put(limit.acquire("a", 30))) for _ in range(3)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(limit._callers["a"].waiting) == 3)
    held[0].finish(is_spent=False)
    permit(outcomes.get(timeout=30)).finish(is_spent=True)
    assert outcomes.empty()
    held[1].finish(is_spent=True)
    assert [outcomes.get(timeout=30), outcomes.get(timeout=30)] == [30, 30]


def wait_until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_a_thread_waits_no_longer_than_its_limit() -> None:
    limit = UnknownKeyLimit(1, Clock())
    held = permit(limit.acquire("a"))
    assert limit.acquire("a", 0.01) == 1
    held.finish(is_spent=False)
    # The token was not handed to the thread that has gone.
    permit(limit.acquire("a", 0.01))


def test_a_cancelled_task_keeps_no_token() -> None:
    async def run() -> None:
        limit = UnknownKeyLimit(1, Clock())
        held = permit(limit.acquire("a"))
        before = asyncio.create_task(limit.acquire_async("a"))
        during = asyncio.create_task(limit.acquire_async("a"))
        await asyncio.sleep(0)
        before.cancel()
        held.finish(is_spent=False)
        # The token was handed over, but the task has not run since.
        during.cancel()
        for task in (before, during):
            with pytest.raises(asyncio.CancelledError):
                await task
        permit(limit.acquire("a", 0.01)).finish(is_spent=False)

    asyncio.run(run())


def test_tasks_of_several_event_loops_share_a_limit() -> None:
    limit = UnknownKeyLimit(3, Clock())

    async def call() -> None:
        outcome = permit(await limit.acquire_async("a"))
        await asyncio.sleep(0)
        outcome.finish(is_spent=False)

    async def calls() -> None:
        await asyncio.gather(*(call() for _ in range(50)))

    threads = [threading.Thread(target=asyncio.run, args=(calls(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert limit._callers == {}


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_unknown_key_limit, "_MAX_CALLERS", 3)
    limit = UnknownKeyLimit(1, Clock())
    for address in "abcd":
        spend(limit, address, 1)
    assert list(limit._callers) == ["b", "c", "d"]
    permit(limit.acquire("a")).finish(is_spent=False)


@pytest.mark.parametrize(
    ("address", "caller"),
    [
        ("192.0.2.1", "192.0.2.1"),
        (" 192.0.2.1:4321 ", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:DB8::1", "2001:db8::/64"),
        ("[2001:db8::1]:443", "2001:db8::/64"),
        ("2001:db8:0:0:ffff::1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("tenant-7", "tenant-7"),
        ("192.0.2.999", "192.0.2.999"),
        ("", ""),
        (None, ""),
        ("x" * 500, "x" * 128),
    ],
)
def test_callers_are_ipv4_addresses_and_ipv6_networks(address: str | None, caller: str) -> None:
    assert caller_of(address) == caller
