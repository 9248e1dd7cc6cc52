"""The reasons for having no verdict. A rejected license is a result, never an error."""

from __future__ import annotations

import builtins
import pickle
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ._frozen import FrozenDict


class CountersignError(Exception):
    """The base class.

    ``request_id`` is the server's ID, by which the seller finds the request in the log. ``status``, ``headers`` (with
    lower-case names) and ``body`` (at most 4 KiB) describe the response; without a response ``status`` and ``body`` are
    None, and ``headers`` is empty. None of them contains the API key or the license key.
    """

    def __init__(
        self,
        message: str,
        request_id: str | None = None,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.request_id = request_id
        self.status = status
        self.headers: Mapping[str, str] = FrozenDict(headers or {})
        self.body = body

    @property
    def cause(self) -> BaseException | None:
        """The exception that led to this one, such as an ``OSError``. The same as ``__cause__``."""
        return self.__cause__

    def __reduce__(self) -> tuple[Any, ...]:
        """Make all errors picklable: the default fails if ``__init__`` takes more than the message."""
        return _recreate, (type(self), self.args), {**self.__dict__, "__cause__": _picklable(self.__cause__)}


def _recreate(error_class: type[CountersignError], args: tuple[Any, ...]) -> CountersignError:
    error = error_class.__new__(error_class, *args)
    error.args = args
    return error


def _picklable(cause: BaseException | None) -> BaseException | None:
    """Return None for a cause that another process could not read."""
    try:
        pickle.loads(pickle.dumps(cause))
    except Exception:
        return None
    return cause


class AuthenticationError(CountersignError):
    """The API key is missing, wrong or was rotated: fix the app's configuration."""


class NotFoundError(CountersignError):
    """Only raised by ``lookup``: the product has no such license."""


class RateLimitError(CountersignError):
    """The product's daily limit is used up. This process sends no further request until ``reset_at``."""

    def __init__(
        self,
        message: str,
        retry_after_seconds: int,
        reset_at: datetime,
        request_id: str | None,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
    ) -> None:
        super().__init__(message, request_id, status=status, headers=headers, body=body)
        self.retry_after_seconds = retry_after_seconds
        self.reset_at = reset_at


class ServerError(CountersignError):
    """The server's response was unusable. ``retry_after_seconds`` is set if the response has a ``Retry-After``."""

    status: int

    def __init__(
        self,
        message: str,
        status: int,
        request_id: str | None,
        *,
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message, request_id, status=status, headers=headers, body=body)
        self.retry_after_seconds = retry_after_seconds


class ConnectionError(CountersignError, builtins.ConnectionError):  # noqa: A001
    """No response: no network, an unknown host name, a connection that was cut."""


class TimeoutError(ConnectionError, builtins.TimeoutError):  # noqa: A001
    """No response in time."""


class SandboxError(CountersignError):
    """The sandbox responded, or would have, but ``allow_sandbox`` is not set."""

    def __init__(
        self,
        message: str,
        request_id: str | None,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
    ) -> None:
        text = f"{message} Set allow_sandbox=True in tests only."
        super().__init__(text, request_id, status=status, headers=headers, body=body)
        self.code = "sandbox_not_allowed"


class SignatureError(CountersignError):
    """The response was not signed with this product's secret, or not for this request. It must not be trusted.

    ``reason`` is one of missing, malformed, nonce, stale, mismatch.
    """

    def __init__(
        self,
        reason: str,
        request_id: str | None,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
    ) -> None:
        text = f"The response has no valid signature ({reason}), so it is not trusted."
        super().__init__(text, request_id, status=status, headers=headers, body=body)
        self.reason = reason


class WebhookError(CountersignError):
    """The request is not a delivery from Countersign, or cannot be verified.

    ``reason`` is one of parsed_body, missing_header, stale, mismatch, malformed.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
