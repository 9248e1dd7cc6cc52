"""asyncio: deadlines, cancellation and concurrency."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from pathlib import Path
from typing import get_type_hints

import pytest

import countersign
from countersign import AsyncCountersign, Countersign, FileGraceStore, TimeoutError
from countersign import _async_slots as slots
from local_server import VALID_BODY, LocalServer, answer, serving

KEY = "ABCD-EFGH-JKMN-PQRS"
HANGING = [60.0]


async def until(is_true: object, seconds: float = 20) -> None:
    """Wait for a condition without blocking the event loop."""
    assert callable(is_true)
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, "the condition did not become true in time"
        await asyncio.sleep(0.01)


def test_a_slow_server_does_not_block_the_event_loop() -> None:
    async def both() -> int:
        client = AsyncCountersign(client=Countersign("csk_test", server.url))
        pending = asyncio.ensure_future(client.validate(KEY))
        ticks = 0
        while not pending.done():
            await asyncio.sleep(0.02)
            ticks += 1
        assert (await pending).valid
        return ticks

    with serving([0.5, answer(VALID_BODY)]) as server:
        assert asyncio.run(both()) > 2


def test_a_slow_server_does_not_use_up_the_default_executor() -> None:
    async def rest() -> float:
        loop = asyncio.get_running_loop()
        client = AsyncCountersign(client=Countersign("csk_test", server.url, timeout_seconds=5))
        pending = [asyncio.ensure_future(client.check(f"{KEY}-{number}")) for number in range(40)]
        await asyncio.sleep(0.1)
        started = time.monotonic()
        await loop.run_in_executor(None, time.sleep, 0)
        waited = time.monotonic() - started
        for one in pending:
            one.cancel()
        return waited

    with serving([10.0]) as server:
        assert asyncio.run(rest()) < 3


def test_asyncio_returns_cached_results_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    async def twice() -> None:
        client = AsyncCountersign(client=Countersign("csk_test", server.url))
        assert (await client.validate(KEY)).source == "server"
        threads = threading.active_count()
        assert (await client.validate(KEY)).source == "cache"
        assert (await client.check(KEY)).allowed
        assert threading.active_count() <= threads
        client.forget()
        assert (await client.validate(KEY)).source == "server"

    with serving([answer(VALID_BODY)]) as server:
        asyncio.run(twice())


def test_the_asyncio_client_can_be_created_from_settings() -> None:
    with serving([answer(VALID_BODY)]) as server:
        client = AsyncCountersign("csk_test", server.url, version="1.0.0")
        assert asyncio.run(client.validate(KEY)).valid
    existing = Countersign("csk_test", server.url)
    with pytest.raises(TypeError, match="not both"):
        AsyncCountersign(client=existing, version="1.0.0")
    with pytest.raises(TypeError, match="not both"):
        AsyncCountersign("csk_test", client=existing)
    with pytest.raises(TypeError, match="client="):
        AsyncCountersign(existing)  # type: ignore[arg-type]


def test_async_with_closes_the_idle_connections_of_the_client() -> None:
    async def use() -> None:
        async with AsyncCountersign("csk_test", server.url) as client:
            assert (await client.validate(KEY)).valid
            assert server.closed_by_client == 0
        await until(lambda: server.closed_by_client == 1)
        # It can still be used, and opens a new connection.
        assert (await client.validate(KEY, fresh=True)).valid
        await client.close()
        await until(lambda: server.closed_by_client == 2)

    with serving([answer(VALID_BODY)]) as server:
        asyncio.run(use())


def test_a_cancelled_call_closes_its_connection_and_frees_its_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "MAX_SLOTS", 2)

    async def cancel() -> None:
        client = AsyncCountersign(api_key="csk_test", base_url=server.url, timeout_seconds=60)
        hanging = [asyncio.ensure_future(client.validate(f"{KEY}-{number}")) for number in range(2)]
        await until(lambda: len(server.requests) == 2)
        waiting = asyncio.ensure_future(client.validate(f"{KEY}-2"))
        await asyncio.sleep(0)
        for one in hanging:
            one.cancel()
        for one in hanging:
            with pytest.raises(asyncio.CancelledError):
                await one
        assert (await waiting).valid
        await until(lambda: server.closed_by_client == 2)
        assert not client.client._slots._running or server.closed_by_client == 2

    with serving(HANGING, HANGING, [answer(VALID_BODY)]) as server:
        asyncio.run(cancel())


def test_a_cancelled_lookup_closes_its_connection() -> None:
    async def cancel() -> None:
        errors: list[object] = []
        client = AsyncCountersign(
            api_key="csk_test",
            base_url=server.url,
            timeout_seconds=60,
            on_response=lambda event: errors.append(event.error),
        )
        call = asyncio.ensure_future(client.lookup(KEY))
        await until(lambda: len(server.requests) == 1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: server.closed_by_client == 1)
        # Every request has a response event.
        await until(lambda: [str(error) for error in errors] == ["The call was cancelled."])

    with serving(HANGING) as server:
        asyncio.run(cancel())


def test_a_request_is_cancelled_only_if_no_call_waits_for_it() -> None:
    async def cancel() -> None:
        client = AsyncCountersign(api_key="csk_test", base_url=server.url, timeout_seconds=60)
        first, second = (asyncio.ensure_future(client.validate(KEY)) for _ in range(2))
        await until(lambda: len(server.requests) == 1)
        first.cancel()
        await asyncio.sleep(0)
        resume.set()
        assert (await second).valid
        assert len(server.requests) == 1

    resume = threading.Event()
    with serving([resume, answer(VALID_BODY)]) as server:
        asyncio.run(cancel())


def test_a_cancelled_pause_before_a_retry_ends_at_once() -> None:
    async def cancel() -> None:
        client = AsyncCountersign(api_key="csk_test", base_url=server.url, timeout_seconds=60)
        call = asyncio.ensure_future(client.validate(KEY))
        await until(lambda: len(server.requests) == 1)
        await asyncio.sleep(0.05)
        call.cancel()
        await until(lambda: not any(one.name == "countersign-async" for one in threading.enumerate()))
        assert len(server.requests) == 1

    with serving([answer(b"", "503 Service Unavailable", "Retry-After: 50")]) as server:
        asyncio.run(cancel())


def test_the_deadline_includes_waiting_for_a_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "MAX_SLOTS", 2)

    async def wait() -> None:
        client = AsyncCountersign(api_key="csk_test", base_url=server.url, timeout_seconds=60)
        hanging = [asyncio.ensure_future(client.validate(f"{KEY}-{number}")) for number in range(2)]
        await until(lambda: len(server.requests) == 2)
        started = time.monotonic()
        calls = [client.validate(KEY, timeout_seconds=0.3), client.lookup(KEY, timeout_seconds=0.3)]
        for error in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(error, TimeoutError) and "busy" in error.message
        assert time.monotonic() - started < 10
        assert len(server.requests) == 2
        for one in hanging:
            one.cancel()

    with serving(HANGING) as server:
        asyncio.run(wait())


def test_a_call_that_joined_a_waiting_one_keeps_to_the_deadline_if_the_first_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slots, "MAX_SLOTS", 1)

    async def wait() -> None:
        client = AsyncCountersign(api_key="csk_test", base_url=server.url, timeout_seconds=60)
        hanging = asyncio.ensure_future(client.validate(f"{KEY}-1"))
        await until(lambda: len(server.requests) == 1)
        first, second = (asyncio.ensure_future(client.validate(KEY, timeout_seconds=0.3)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(TimeoutError, match="busy"):
            await second
        hanging.cancel()

    with serving(HANGING) as server:
        asyncio.run(wait())


def test_the_grace_period_covers_waiting_for_a_slot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(slots, "MAX_SLOTS", 1)

    async def wait() -> None:
        client = AsyncCountersign(
            api_key="csk_test",
            base_url=server.url,
            timeout_seconds=60,
            cache_seconds=0,
            grace_seconds=3600,
            grace_store=FileGraceStore(tmp_path),
        )
        assert (await client.validate(KEY)).source == "server"
        hanging = asyncio.ensure_future(client.validate(f"{KEY}-2"))
        await until(lambda: len(server.requests) == 2)
        assert (await client.validate(KEY, timeout_seconds=0.2)).source == "grace"
        hanging.cancel()

    with serving([answer(VALID_BODY)], HANGING) as server:
        asyncio.run(wait())


def test_fifty_concurrent_calls_run_at_the_same_time() -> None:
    async def concurrently() -> None:
        client = AsyncCountersign(api_key="csk_test", base_url=server.url, timeout_seconds=60)
        calls = [asyncio.ensure_future(client.validate(f"{KEY}-{number}")) for number in range(50)]
        # No response arrives before all requests have.
        await until(lambda: len(server.requests) == 50)
        for one in calls:
            one.cancel()

    with serving(HANGING) as server:
        asyncio.run(concurrently())


def test_calls_for_one_license_share_one_request_and_one_thread() -> None:
    async def concurrently() -> None:
        client = AsyncCountersign(api_key="csk_test", base_url=server.url, timeout_seconds=60)
        calls = [asyncio.ensure_future(client.validate(KEY)) for _ in range(500)]
        await until(lambda: len(server.requests) == 1)
        assert len(client.client._slots._running) == 1
        for one in calls:
            one.cancel()
        await until(lambda: server.closed_by_client == 1)
        assert len(server.requests) == 1

    with serving(HANGING) as server:
        asyncio.run(concurrently())


def test_the_settings_of_both_clients_are_the_same() -> None:
    parameters = inspect.signature(Countersign.__init__).parameters
    assert set(countersign.Options.__annotations__) == set(parameters) - {"self"}


def test_both_clients_have_the_same_methods() -> None:
    for name, method in inspect.getmembers(Countersign, inspect.isfunction):
        if name.startswith("_") or name == "close":
            continue
        other = getattr(AsyncCountersign, name)
        assert inspect.signature(other).parameters.keys() == inspect.signature(method).parameters.keys(), name
    assert get_type_hints(countersign.RequestEvent)


def test_other_servers_are_not_affected(tmp_path: Path) -> None:
    """A client whose server hangs does not use the threads of another client."""

    async def both(hanging: LocalServer) -> None:
        slow = AsyncCountersign(api_key="csk_test", base_url=hanging.url, timeout_seconds=60)
        calls = [asyncio.ensure_future(slow.validate(f"{KEY}-{number}")) for number in range(80)]
        await until(lambda: len(hanging.requests) == slots.MAX_SLOTS)
        assert (await AsyncCountersign(api_key="csk_test", base_url=server.url).validate(KEY)).valid
        for one in calls:
            one.cancel()

    with serving(HANGING) as hanging, serving([answer(VALID_BODY)]) as server:
        asyncio.run(both(hanging))
