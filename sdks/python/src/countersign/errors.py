"""What keeps the client from giving a verdict. A license that is refused is a result, never an error."""

from __future__ import annotations

from datetime import datetime
from typing import Any


class CountersignError(Exception):
    """The base of all of them. ``request_id`` is the server's, by which the seller finds the request in the log."""

    def __init__(self, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.request_id = request_id

    def __reduce__(self) -> tuple[Any, ...]:
        """Some take more than a message, and would not come back from another process by the usual way."""
        return _made_again, (type(self), self.args), self.__dict__


def _made_again(kind: type[CountersignError], args: tuple[Any, ...]) -> CountersignError:
    error = kind.__new__(kind, *args)
    error.args = args
    return error


class AuthenticationError(CountersignError):
    """The API key is missing, wrong or was rotated: something to set right where the app is configured."""


class NotFoundError(CountersignError):
    """Only ``lookup`` raises it: there is no such license under this product."""


class RateLimitError(CountersignError):
    """The product's daily limit is used up. Until ``reset_at`` no further call leaves this process."""

    def __init__(self, message: str, retry_after_seconds: int, reset_at: datetime, request_id: str | None) -> None:
        super().__init__(message, request_id)
        self.retry_after_seconds = retry_after_seconds
        self.reset_at = reset_at


class ServerError(CountersignError):
    """The server answered, and not with anything that can be used."""

    def __init__(self, message: str, status: int, request_id: str | None) -> None:
        super().__init__(message, request_id)
        self.status = status


class ConnectionError(CountersignError):  # noqa: A001
    """No answer came: no network, a name that is not known, a connection that was cut."""


class TimeoutError(ConnectionError):  # noqa: A001
    """No answer came in time."""


class SignatureError(CountersignError):
    """The answer was not signed by this product's secret, or not for this question. It must not be trusted.

    ``reason`` is one of missing, malformed, stale, nonce, mismatch.
    """

    def __init__(self, reason: str, request_id: str | None) -> None:
        super().__init__(f"The answer's signature is not right ({reason}), so it is not trusted.", request_id)
        self.reason = reason


class WebhookError(CountersignError):
    """The request is not a delivery of Countersign, or cannot be told to be one.

    ``reason`` is one of parsed_body, missing_header, stale, mismatch, malformed.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
