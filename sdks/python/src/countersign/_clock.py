from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """The time, in the two ways that differ if someone sets the clock. Tests provide their own."""

    def wall(self) -> float:
        """The wall clock, in seconds since 1970. It can jump."""
        ...

    def steady(self) -> float:
        """The monotonic clock, in seconds since an arbitrary start. It never goes back."""
        ...

    def sleep(self, seconds: float, /) -> None: ...


class SystemClock:
    def wall(self) -> float:
        return time.time()

    def steady(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
