"""The reasons for having no verdict. A rejected license is a result, never an error."""

from __future__ import annotations

from datetime import datetime
from typing import Any


class CountersignError(Exception):
    """The base class. ``request_id`` is the server's ID, by which the seller finds the request in the log."""

    def __init__(self, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.request_id = request_id

    def __reduce__(self) -> tuple[Any, ...]:
        """Make all errors picklable: the default fails if ``__init__`` takes more than the message."""
        return _recreate, (type(self), self.args), self.__dict__


def _recreate(error_class: type[CountersignError], args: tuple[Any, ...]) -> CountersignError:
    error = error_class.__new__(error_class, *args)
    error.args = args
    return error


class AuthenticationError(CountersignError):
    """The API key is missing, wrong or was rotated: fix the app's configuration."""


class NotFoundError(CountersignError):
    """Only raised by ``lookup``: the product has no such license."""


class RateLimitError(CountersignError):
    """The product's daily limit is used up. This process sends no further request until ``reset_at``."""

    def __init__(self, message: str, retry_after_seconds: int, reset_at: datetime, request_id: str | None) -> None:
        super().__init__(message, request_id)
        self.retry_after_seconds = retry_after_seconds
        self.reset_at = reset_at


class ServerError(CountersignError):
    """The server's response was unusable."""

    def __init__(self, message: str, status: int, request_id: str | None) -> None:
        super().__init__(message, request_id)
        self.status = status


class ConnectionError(CountersignError):  # noqa: A001
    """No response: no network, an unknown host name, a connection that was cut."""


class TimeoutError(ConnectionError):  # noqa: A001
    """No response in time."""


class SandboxError(CountersignError):
    """The sandbox responded, or would have, but ``allow_sandbox`` is not set."""

    def __init__(self, message: str, request_id: str | None) -> None:
        super().__init__(f"{message} Set allow_sandbox=True in tests only.", request_id)
        self.code = "sandbox_not_allowed"


class SignatureError(CountersignError):
    """The response was not signed with this product's secret, or not for this request. It must not be trusted.

    ``reason`` is one of missing, malformed, stale, nonce, mismatch.
    """

    def __init__(self, reason: str, request_id: str | None) -> None:
        super().__init__(f"The response has no valid signature ({reason}), so it is not trusted.", request_id)
        self.reason = reason


class WebhookError(CountersignError):
    """The request is not a delivery from Countersign, or cannot be verified.

    ``reason`` is one of parsed_body, missing_header, stale, mismatch, malformed.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
