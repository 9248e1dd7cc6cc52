"""The watch reports changes, ends only with stop, and does not keep the app alive."""

from __future__ import annotations

import asyncio
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from countersign import AsyncCountersign, Countersign, CountersignError, ValidateResult, Watch
from countersign._watch import split_wait
from local_server import REVOKED_BODY, VALID_BODY, answer, serving

KEY = "ABCD-EFGH-JKMN-PQRS"


def test_it_reports_the_first_verdict_and_every_change() -> None:
    changes: queue.Queue[tuple[str, str | None]] = queue.Queue()
    failures: queue.Queue[CountersignError] = queue.Queue()

    def on_change(result: ValidateResult, before: ValidateResult | None) -> None:
        changes.put((result.status, before.status if before else None))

    with serving([answer(VALID_BODY)], [answer(VALID_BODY)], [answer(REVOKED_BODY)], [answer(b"")]) as server:
        client = Countersign("csk_test", server.url)
        with client.watch(KEY, 1, on_change, on_error=failures.put):
            assert changes.get(timeout=15) == ("active", None)
            assert changes.get(timeout=15) == ("revoked", "active")
            assert isinstance(failures.get(timeout=15), CountersignError)
        assert changes.empty()


def test_a_failing_callback_does_not_end_the_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    changes: queue.Queue[str] = queue.Queue()
    reported: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr("threading.excepthook", lambda args: reported.put(str(args.exc_value)))

    def on_change(result: ValidateResult, _before: ValidateResult | None) -> None:
        changes.put(result.status)
        raise RuntimeError("The change callback failed.")

    def on_error(_error: CountersignError) -> None:
        changes.put("no verdict")
        raise RuntimeError("The error callback failed.")

    with serving([answer(VALID_BODY)], [answer(b"")], [answer(REVOKED_BODY)]) as server:
        with Countersign("csk_test", server.url).watch(KEY, 1, on_change, on_error=on_error):
            assert [changes.get(timeout=15) for _ in range(3)] == ["active", "no verdict", "revoked"]
            first, second = "The change callback failed.", "The error callback failed."
            assert [reported.get(timeout=15) for _ in range(3)] == [first, second, first]


def test_stop_ends_the_thread_immediately_even_from_a_callback() -> None:
    stopped = threading.Event()
    watches: list[Watch] = []
    ready = threading.Event()

    def on_change(*_: object) -> None:
        ready.wait(5)
        watches[0].stop()
        stopped.set()

    with serving([answer(VALID_BODY)]) as server:
        watch = Countersign("csk_test", server.url).watch(KEY, 3600, on_change)
        watches.append(watch)
        ready.set()
        assert stopped.wait(5)
        watch._thread.join(2)
        assert not watch._thread.is_alive()


@pytest.mark.parametrize("interval", [0, 0.5, -1, float("nan"), float("inf"), 1e12, 2_592_001])
def test_invalid_intervals_are_rejected(interval: float) -> None:
    with pytest.raises(ValueError, match="interval_seconds"):
        Countersign("csk_test", "https://license.example.com").watch(KEY, interval, print)


def test_thirty_days_do_not_become_a_short_wait() -> None:
    changes: queue.Queue[str] = queue.Queue()
    with serving([answer(VALID_BODY)]) as server:
        watch = Countersign("csk_test", server.url).watch(KEY, 2_592_000, lambda result, _: changes.put(result.status))
        assert changes.get(timeout=15) == "active"
        # Enough time for further requests, if it did not wait.
        watch._thread.join(0.3)
        assert watch._thread.is_alive() and len(server.requests) == 1
        watch.stop()


@pytest.mark.parametrize("seconds", [0.9, 86_400, 86_401.5, 2_851_200])
def test_long_waits_are_split(seconds: float) -> None:
    parts = list(split_wait(seconds))
    assert sum(parts) == pytest.approx(seconds)
    assert all(0 < part <= 86_400 for part in parts)


def test_an_impossible_key_is_reported_like_any_verdict() -> None:
    changes: queue.Queue[ValidateResult] = queue.Queue()
    with Countersign("csk_test", "http://127.0.0.1:9").watch("", 1, lambda result, _: changes.put(result)):
        assert changes.get(timeout=15).source == "local"


def test_it_does_not_keep_the_app_alive() -> None:
    program = (
        "import sys; from countersign import Countersign\n"
        "Countersign('csk_test', sys.argv[1]).watch('KEY', 3600, lambda *_: None)\n"
    )
    folder = Path(__file__).parents[1] / "src"
    with serving([30.0]) as server:
        done = subprocess.run([sys.executable, "-c", program, server.url], cwd=folder, timeout=20, check=False)
    assert done.returncode == 0


def test_asyncio_callbacks_run_in_the_event_loop() -> None:
    async def watching() -> None:
        received: asyncio.Queue[tuple[Any, int]] = asyncio.Queue()
        client = AsyncCountersign(client=Countersign("csk_test", server.url))
        watch = client.watch(KEY, 3600, lambda result, _: received.put_nowait((result, threading.get_ident())))
        result, thread = await asyncio.wait_for(received.get(), 15)
        assert result.valid and thread == threading.get_ident()
        watch.stop()

    with serving([answer(VALID_BODY)]) as server:
        asyncio.run(watching())
