from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """What time it is, in the two ways that differ when somebody sets the clock. Tests bring their own."""

    def wall(self) -> float:
        """What the wall says, in seconds since 1970. It may jump."""

    def steady(self) -> float:
        """How long it has been, in seconds since whenever. It never goes back."""

    def sleep(self, seconds: float) -> None: ...


class SystemClock:
    def wall(self) -> float:
        return time.time()

    def steady(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
