from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Callable

from ._clock import Clock, SystemClock


class Cancelled(Exception):
    """The caller of a call no longer waits for it. Never reaches the app."""


#: What a call gets beyond its deadline if another thread works on it, so that its own error arrives first.
_MARGIN_SECONDS = 5


class Call:
    """The time that a call has, the number of its retries, and its cancellation from another thread."""

    def __init__(self, clock: Clock, timeout_seconds: float, retries: int) -> None:
        self.timeout_seconds = timeout_seconds
        self.retries = retries
        self._clock = clock
        self._end = clock.steady() + timeout_seconds
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._interrupts: list[Callable[[], None]] = []

    @property
    def seconds_left(self) -> float:
        return self._end - self._clock.steady()

    @property
    def longest_wait_seconds(self) -> float:
        """How long to wait for another thread that keeps to the deadline, in case it cannot."""
        return max(0.0, self.seconds_left) + _MARGIN_SECONDS

    def cancel(self) -> None:
        """Interrupt the thread that works on the call: it closes its connection."""
        with self._lock:
            self._is_cancelled = True
            interrupts = list(self._interrupts)
        for interrupt in interrupts:
            interrupt()

    def raise_if_cancelled(self) -> None:
        if self._is_cancelled:
            raise Cancelled

    @contextmanager
    def interruptible(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Run ``interrupt`` if the call is cancelled in the meantime."""
        with self._lock:
            self.raise_if_cancelled()
            self._interrupts.append(interrupt)
        try:
            yield
        finally:
            with self._lock:
                self._interrupts.remove(interrupt)
            self.raise_if_cancelled()

    def pause(self, seconds: float) -> None:
        """Sleep, until the call is cancelled at the latest."""
        if not isinstance(self._clock, SystemClock):
            self._clock.sleep(seconds)
            self.raise_if_cancelled()
            return
        self.wait(threading.Event(), time.monotonic() + seconds)

    def wait(self, event: threading.Event, end: float) -> bool:
        """Wait for an event that only this call waits for. Return whether it was set before the end."""
        with self.interruptible(event.set):
            return event.wait(max(0.0, end - time.monotonic()))
