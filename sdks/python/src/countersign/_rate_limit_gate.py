from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone

from ._clock import Clock
from .errors import RateLimitError


class RateLimitGate:
    """Blocks requests after a 429, until the daily limit resets."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = -math.inf
        self._request_id: str | None = None

    def check(self) -> None:
        """Raise while the limit is used up."""
        left = self._until - self._clock.steady()
        if left > 0:
            seconds = math.ceil(left)
            message, reset_at = self.description(seconds)
            raise RateLimitError(message, seconds, reset_at, self._request_id)

    def close(self, retry_after_seconds: int, request_id: str | None) -> None:
        self._until = self._clock.steady() + retry_after_seconds
        self._request_id = request_id

    def description(self, seconds: int) -> tuple[str, datetime]:
        """Return the error's message, and when the limit resets."""
        now = datetime.fromtimestamp(self._clock.wall(), timezone.utc)
        message = f"The product's daily limit is used up. It resets in {seconds} seconds."
        return message, now + timedelta(seconds=seconds)
