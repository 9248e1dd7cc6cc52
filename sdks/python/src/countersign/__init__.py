"""Validates licenses against a Countersign server."""

from ._async_client import AsyncCountersign
from ._client import Countersign
from ._clock import Clock
from ._file_grace_store import FileGraceStore
from ._grace_store import GraceStore, LockingGraceStore
from ._models import Decision, LicenseRecord, RateLimit, ValidateResult
from ._options import Options
from ._reporter import Logger, RequestEvent, ResponseEvent
from ._signature import Signing
from ._types import Source, Status
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
from .webhook_events import WebhookEvent
from .webhooks import SignedWebhook, sign_webhook, verify_webhook

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
    "LockingGraceStore",
    "Logger",
    "NotFoundError",
    "Options",
    "RateLimit",
    "RateLimitError",
    "RequestEvent",
    "ResponseEvent",
    "SandboxError",
    "ServerError",
    "SignatureError",
    "SignedWebhook",
    "Signing",
    "Source",
    "Status",
    "TimeoutError",
    "ValidateResult",
    "Watch",
    "WebhookError",
    "WebhookEvent",
    "__version__",
    "device_id",
    "sign_webhook",
    "verify_webhook",
]
