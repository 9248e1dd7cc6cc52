from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Literal, Optional, Protocol, Union

from .errors import CountersignError


class Logger(Protocol):
    """What an object needs to be used as a logger, if it is not a ``logging.Logger``."""

    def debug(self, message: str, details: Mapping[str, object], /) -> object: ...

    def info(self, message: str, details: Mapping[str, object], /) -> object: ...

    def warning(self, message: str, details: Mapping[str, object], /) -> object: ...

    def error(self, message: str, details: Mapping[str, object], /) -> object: ...


AnyLogger = Union[logging.Logger, "logging.LoggerAdapter[Any]", Logger]
Level = Literal["debug", "info", "warning", "error"]
_SHORT_NAMES: dict[str, str] = {"warning": "warn"}


@dataclass(frozen=True)
class RequestEvent:
    """A request that is about to be sent. ``path`` never contains the license key."""

    method: str
    path: str
    #: 1 for the first attempt, 2 for its first retry.
    attempt: int


@dataclass(frozen=True)
class ResponseEvent:
    """A request that was answered, or failed."""

    method: str
    path: str
    attempt: int
    #: None without a response.
    status: int | None
    duration_seconds: float
    request_id: str | None
    error: CountersignError | None


OnRequest = Optional[Callable[[RequestEvent], object]]
OnResponse = Optional[Callable[[ResponseEvent], object]]


class Reporter:
    """Calls the app's logger and hooks. Whatever they raise changes nothing."""

    def __init__(self, logger: AnyLogger | None, on_request: OnRequest, on_response: OnResponse) -> None:
        self._logger = logger
        self._on_request = on_request
        self._on_response = on_response
        #: What was already logged, until there is a verdict.
        self._reported: set[str] = set()

    def log(self, level: Level, message: str, **details: object) -> None:
        if self._logger is None:
            return
        try:
            method = getattr(self._logger, level, None) or getattr(self._logger, _SHORT_NAMES.get(level, level), None)
            if method is None:
                return
            if isinstance(self._logger, (logging.Logger, logging.LoggerAdapter)):
                method("%s", message, extra={"countersign": details})
            else:
                method(message, details)
        except Exception:
            # There is nowhere else to report it.
            return

    def log_once(self, key: str, level: Level, message: str, **details: object) -> None:
        if key not in self._reported:
            self._reported.add(key)
            self.log(level, message, **details)

    def request(self, event: RequestEvent) -> None:
        self._call("on_request", self._on_request, event)

    def response(self, event: ResponseEvent) -> None:
        self._call("on_response", self._on_response, event)

    def verdict(self) -> None:
        """Report the next failure again."""
        self._reported = {key for key in list(self._reported) if not key.startswith("until a verdict: ")}

    def failure(self, error: CountersignError) -> None:
        kind = type(error).__name__
        self.log_once(
            f"until a verdict: {kind}",
            "warning",
            f"No verdict: {error.message}",
            error=kind,
            status=error.status,
            request_id=error.request_id,
        )

    def grace_used(self, error: CountersignError) -> None:
        self.log_once(
            "until a verdict: grace",
            "warning",
            f"A license is valid only by its grace period: {error.message}",
            error=type(error).__name__,
            status=error.status,
            request_id=error.request_id,
        )

    def callback_failed(self, name: str, error: BaseException) -> None:
        self.log("error", f"{name} raised {type(error).__name__}. This changes nothing else.", callback=name)

    def _call(self, name: str, callback: Callable[[Any], object] | None, event: object) -> None:
        if callback is None:
            return
        try:
            callback(event)
        except Exception as error:
            self.callback_failed(name, error)
