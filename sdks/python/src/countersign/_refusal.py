"""What the middleware of every framework responds to a request without a valid license."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._models import ValidateResult
from .errors import AuthenticationError, CountersignError, SandboxError, WebhookError

#: Larger than any event.
MAX_WEBHOOK_BYTES = 256 * 1024


class TooManyUnknownKeysError(CountersignError):
    """The caller's IP address has sent too many unknown license keys. No request was sent for this one."""

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(
            f"This address has sent too many unknown license keys. Try again in {retry_after_seconds} seconds."
        )
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True)
class RequestLicense:
    """The license of a request: whether to let the request in, and why."""

    #: None if the request has none.
    key: str | None
    allowed: bool
    #: None if there was no key, or no verdict.
    result: ValidateResult[Any] | None
    #: Why there was no verdict.
    error: CountersignError | None


@dataclass(frozen=True)
class Refusal:
    """How to respond to a request that is not let in."""

    license: RequestLicense
    #: 401, 403, 429, 500 or 503.
    status: int
    #: ``license_missing``, the verdict's status, ``too_many_unknown_keys``, ``license_misconfigured`` or
    #: ``license_unverified``.
    code: str
    message: str
    #: By which the seller finds the request in the log.
    request_id: str | None
    retry_after_seconds: int | None

    @property
    def cause(self) -> CountersignError | None:
        """Why there was no verdict."""
        return self.license.error

    @property
    def body(self) -> dict[str, Any]:
        """The default response's JSON."""
        body: dict[str, Any] = {"error": self.code, "message": self.message}
        if self.request_id is not None:
            body["request_id"] = self.request_id
        if self.retry_after_seconds is not None:
            body["retry_after"] = self.retry_after_seconds
        return body

    @property
    def headers(self) -> dict[str, str]:
        """The default response's headers, besides the content type."""
        return {} if self.retry_after_seconds is None else {"Retry-After": str(self.retry_after_seconds)}


def refusal_of(license: RequestLicense) -> Refusal:
    """Return the response for a license that is not allowed."""
    result, error = license.result, license.error
    status, code, message = _reason(license)
    return Refusal(
        license,
        status,
        code,
        message,
        result.request_id if result is not None else error.request_id if error is not None else None,
        getattr(error, "retry_after_seconds", None) if status in (429, 503) else None,
    )


def _reason(license: RequestLicense) -> tuple[int, str, str]:
    if license.result is not None:
        return 403, license.result.status, f"The license was rejected: {license.result.status}."
    if license.key is None:
        return 401, "license_missing", "This request requires a license key."
    if isinstance(license.error, TooManyUnknownKeysError):
        return 429, "too_many_unknown_keys", license.error.message
    if isinstance(license.error, (AuthenticationError, SandboxError)):
        message = "The license could not be validated, because this service is misconfigured."
        return 500, "license_misconfigured", message
    return 503, "license_unverified", "The license could not be validated. Try again later."


def webhook_refusal(error: WebhookError) -> tuple[int, dict[str, str]]:
    """Return the status and the JSON for a request that is not a delivery from Countersign."""
    if error.reason == "too_large":
        status = 413
    else:
        # A body that was parsed too early is a bug in the app, and should be visible as one.
        status = 500 if error.reason == "parsed_body" else 400
    return status, {"error": error.reason, "message": error.message}


def too_large() -> WebhookError:
    return WebhookError("too_large", f"A delivery has at most {MAX_WEBHOOK_BYTES} bytes.")
