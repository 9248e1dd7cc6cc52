from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, cast, get_args

from ._types import Custom, Source, Status
from .errors import CountersignError

_STATUSES = frozenset(get_args(Status))


@dataclass(frozen=True)
class RateLimit:
    """The product's daily limit, as of this response."""

    limit: int
    remaining: int
    reset_seconds: int


@dataclass(frozen=True)
class ValidateResult(Generic[Custom]):
    """The server's verdict on a license. Grant access only if ``valid`` is true; ``status`` says why not."""

    valid: bool
    #: Compare it with the values of ``Status``. A newer server may send others.
    status: Status | str
    #: None for lifetime licenses, and if there is no such license.
    expires: datetime | None
    #: Whether this call registered the caller's IP address with the license.
    ip_registered: bool | None
    ip_count: int | None
    max_ips: int | None
    version: str | None
    version_valid: bool | None
    #: The product's custom response. It cannot be changed; ``dict(...)`` returns a copy.
    custom: Custom | None
    #: The server, the cache, the grace period without the server, or the client itself (an impossible key).
    source: Source
    #: When the server returned it.
    checked_at: datetime
    request_id: str | None
    #: Only if the server responded to this call.
    rate_limit: RateLimit | None = None
    #: What is wrong with the request or the product's setup, for the developer.
    problem: str | None = None
    #: The server's time minus this machine's, for signed responses.
    clock_skew_seconds: int | None = None

    @property
    def known_status(self) -> Status | None:
        """The status, or None if this release does not know it. For exhaustive ``match`` statements."""
        return cast(Status, self.status) if self.status in _STATUSES else None


@dataclass(frozen=True)
class LicenseRecord:
    """The record of a license, as returned by ``lookup``. Reading it changes nothing and grants nothing."""

    id: str
    organization_id: str
    product_id: str
    global_customer_id: str | None
    license_key: str
    status: str
    expires_at: datetime | None
    is_lifetime: bool
    ip_system_enabled: bool
    max_ips: int | None
    current_unique_ip_count: int
    notes: str | None
    version_pin_mode: str | None
    version_pinned: str | None
    version_range_min: str | None
    version_range_max: str | None
    revoked_at: datetime | None
    created_at: datetime
    updated_at: datetime
    customer_email: str | None
    customer_name: str | None
    customer_discord_id: str | None


@dataclass(frozen=True)
class Decision(Generic[Custom]):
    """Whether to grant access, and why."""

    allowed: bool
    #: None if there was no verdict.
    result: ValidateResult[Custom] | None
    #: Why there was no verdict.
    error: CountersignError | None
