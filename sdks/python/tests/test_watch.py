"""The watch: what it tells, that nothing ends it but stop, and that it keeps no app alive."""

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
from local_server import REFUSED_BODY, VALID_BODY, answer, saying

KEY = "ABCD-EFGH-JKMN-PQRS"


def test_it_tells_the_first_verdict_and_each_that_differs() -> None:
    told: queue.Queue[tuple[str, str | None]] = queue.Queue()
    failures: queue.Queue[CountersignError] = queue.Queue()

    def on_change(result: ValidateResult, before: ValidateResult | None) -> None:
        told.put((result.status, before.status if before else None))

    with saying([answer(VALID_BODY)], [answer(VALID_BODY)], [answer(REFUSED_BODY)], [answer(b"")]) as server:
        client = Countersign("csk_test", server.url)
        with client.watch(KEY, 1, on_change, on_error=failures.put):
            assert told.get(timeout=15) == ("active", None)
            assert told.get(timeout=15) == ("revoked", "active")
            assert isinstance(failures.get(timeout=15), CountersignError)
        assert told.empty()


def test_a_callback_that_fails_does_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    told: queue.Queue[str] = queue.Queue()
    reported: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr("threading.excepthook", lambda given: reported.put(str(given.exc_value)))

    def on_change(result: ValidateResult, _before: ValidateResult | None) -> None:
        told.put(result.status)
        raise RuntimeError("The app's own mistake.")

    def on_error(_error: CountersignError) -> None:
        told.put("no verdict")
        raise RuntimeError("The app's other mistake.")

    with saying([answer(VALID_BODY)], [answer(b"")], [answer(REFUSED_BODY)]) as server:
        with Countersign("csk_test", server.url).watch(KEY, 1, on_change, on_error=on_error):
            assert [told.get(timeout=15) for _ in range(3)] == ["active", "no verdict", "revoked"]
            own, other = "The app's own mistake.", "The app's other mistake."
            assert [reported.get(timeout=15) for _ in range(3)] == [own, other, own]


def test_stop_ends_the_thread_at_once_and_from_within() -> None:
    told = threading.Event()
    found: list[Watch] = []
    ready = threading.Event()

    def on_change(*_: object) -> None:
        ready.wait(5)
        found[0].stop()
        told.set()

    with saying([answer(VALID_BODY)]) as server:
        watch = Countersign("csk_test", server.url).watch(KEY, 3600, on_change)
        found.append(watch)
        ready.set()
        assert told.wait(5)
        watch._thread.join(2)
        assert not watch._thread.is_alive()


@pytest.mark.parametrize("interval", [0, 0.5, -1, float("nan"), float("inf"), 1e12])
def test_intervals_that_cannot_be_one(interval: float) -> None:
    with pytest.raises(ValueError, match="interval_seconds"):
        Countersign("csk_test", "https://licenses.example.com").watch(KEY, interval, print)


def test_it_keeps_no_app_alive() -> None:
    program = (
        "import sys; from countersign import Countersign\n"
        "Countersign('csk_test', sys.argv[1]).watch('KEY', 3600, lambda *_: None)\n"
    )
    folder = Path(__file__).parents[1] / "src"
    with saying([30.0]) as server:
        done = subprocess.run([sys.executable, "-c", program, server.url], cwd=folder, timeout=20, check=False)
    assert done.returncode == 0


def test_asyncio_hears_of_it_in_its_own_thread() -> None:
    async def watching() -> None:
        heard: asyncio.Queue[tuple[Any, int]] = asyncio.Queue()
        client = AsyncCountersign(Countersign("csk_test", server.url))
        watch = client.watch(KEY, 3600, lambda result, _: heard.put_nowait((result, threading.get_ident())))
        result, thread = await asyncio.wait_for(heard.get(), 15)
        assert result.valid and thread == threading.get_ident()
        watch.stop()

    with saying([answer(VALID_BODY)]) as server:
        asyncio.run(watching())
