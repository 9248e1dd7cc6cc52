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
            raise self.error(math.ceil(left), self._request_id)

    def close(self, retry_after_seconds: int, request_id: str | None) -> None:
        self._until = self._clock.steady() + retry_after_seconds
        self._request_id = request_id

    def error(self, seconds: int, request_id: str | None) -> RateLimitError:
        now = datetime.fromtimestamp(self._clock.wall(), timezone.utc)
        message = f"The product's daily limit is used up. It resets in {seconds} seconds."
        return RateLimitError(message, seconds, now + timedelta(seconds=seconds), request_id)
