"""What the middleware logs: each kind of failure once, so that an outage does not fill the log."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any, Callable

from ._models import ValidateResult
from .errors import AuthenticationError, CountersignError, SandboxError

_MINUTE_SECONDS = 60
_MAX_LIMIT_LINES_PER_MINUTE = 10
_AUTHENTICATION_REMEDY = (
    "The server rejected the API key: set api_key or COUNTERSIGN_API_KEY to the product's current API key."
)
_SANDBOX_REMEDY = (
    "The API key or the response is from the sandbox: use the product's API key, or set allow_sandbox in tests only."
)


class FailureLog:
    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._logged: set[str] = set()
        #: When the limit of a caller was logged last.
        self._limit_logged_at: dict[str, float] = {}

    def record_verdict(self, result: ValidateResult[Any], logger: logging.Logger) -> None:
        """A verdict of the server ends the failure. One of the cache says nothing about the server."""
        if result.source == "server":
            with self._lock:
                self._logged.clear()
        if result.source == "grace" and self._is_first("grace"):
            text = "Licenses cannot be validated. Known licenses are accepted in their grace period."
            _log(logger, logging.WARNING, text)

    def record_failure(self, error: CountersignError, logger: logging.Logger) -> None:
        kind = type(error).__name__
        if not self._is_first(kind):
            return
        level, reason = logging.ERROR, error.message
        if isinstance(error, AuthenticationError):
            reason = _AUTHENTICATION_REMEDY
        elif isinstance(error, SandboxError):
            reason = _SANDBOX_REMEDY
        else:
            level = logging.WARNING
        _log(logger, level, "Licenses cannot be validated. %s (%s, request ID %s)", reason, kind, error.request_id)

    def record_limit(self, caller: str, logger: logging.Logger) -> None:
        with self._lock:
            now = self._now()
            since = now - _MINUTE_SECONDS
            self._limit_logged_at = {one: at for one, at in self._limit_logged_at.items() if at > since}
            if caller in self._limit_logged_at or len(self._limit_logged_at) >= _MAX_LIMIT_LINES_PER_MINUTE:
                return
            self._limit_logged_at[caller] = now
        # repr, because the option address can return any text, such as one with line breaks.
        source = repr(caller) if caller else "callers without an IP address"
        _log(logger, logging.WARNING, "Too many unknown license keys from %s: further ones get 429.", source)

    def _is_first(self, kind: str) -> bool:
        with self._lock:
            is_first = kind not in self._logged
            self._logged.add(kind)
            return is_first


def _log(logger: logging.Logger, level: int, message: str, *values: object) -> None:
    """A logger that fails never affects a request."""
    try:
        logger.log(level, message, *values)
    except Exception:
        pass
