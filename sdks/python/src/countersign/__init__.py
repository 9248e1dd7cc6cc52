"""Validates licenses against a Countersign server."""

from ._client import AsyncCountersign, Countersign, Signing
from ._clock import Clock
from ._grace import FileGraceStore, GraceStore
from ._models import Decision, LicenseRecord, ValidateResult
from ._version import __version__
from ._watch import Watch
from .device import device_id
from .errors import (
    AuthenticationError,
    ConnectionError,
    CountersignError,
    NotFoundError,
    RateLimitError,
    SandboxError,
    ServerError,
    SignatureError,
    TimeoutError,
    WebhookError,
)
from .webhooks import WebhookEvent, verify_webhook

__all__ = [
    "AsyncCountersign",
    "AuthenticationError",
    "Clock",
    "ConnectionError",
    "Countersign",
    "CountersignError",
    "Decision",
    "FileGraceStore",
    "GraceStore",
    "LicenseRecord",
    "NotFoundError",
    "RateLimitError",
    "SandboxError",
    "ServerError",
    "Signing",
    "SignatureError",
    "TimeoutError",
    "ValidateResult",
    "Watch",
    "WebhookError",
    "WebhookEvent",
    "__version__",
    "device_id",
    "verify_webhook",
]
