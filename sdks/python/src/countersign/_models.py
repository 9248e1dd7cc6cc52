from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal

from .errors import CountersignError


@dataclass(frozen=True)
class ValidateResult:
    """The server's verdict on a license. Grant access only if ``valid`` is true; ``status`` says why not."""

    valid: bool
    status: str
    #: None for lifetime licenses, and if there is no such license.
    expires: datetime | None
    #: Whether this call registered the caller's IP address with the license.
    ip_registered: bool | None
    ip_count: int | None
    max_ips: int | None
    version: str | None
    version_valid: bool | None
    #: The product's custom response.
    custom: Mapping[str, Any] | None
    #: The server, the cache, or the grace period while the server is unreachable.
    source: Literal["server", "cache", "grace"]
    #: When the server returned it.
    checked_at: datetime
    request_id: str | None


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
class Decision:
    """Whether to grant access, and why."""

    allowed: bool
    #: None if there was no verdict.
    result: ValidateResult | None
    #: Why there was no verdict.
    error: CountersignError | None


def read_result(body: bytes, checked_at: datetime, request_id: str | None) -> ValidateResult | None:
    """Return None if the body is not a validate response."""
    value = parsed(body)
    if value is None or not isinstance(value.get("valid"), bool) or not isinstance(value.get("status"), str):
        return None
    custom = value.get("custom")
    return ValidateResult(
        # An unknown status never grants access.
        valid=value["valid"] and value["status"] == "active",
        status=value["status"],
        expires=_time(value.get("expires")),
        ip_registered=_flag(value.get("ip_registered")),
        ip_count=_number(value.get("ip_count")),
        max_ips=_number(value.get("max_ips")),
        version=_text(value.get("version")),
        version_valid=_flag(value.get("version_valid")),
        custom=custom if isinstance(custom, dict) else None,
        source="server",
        checked_at=checked_at,
        request_id=request_id,
    )


def read_license(body: bytes) -> LicenseRecord | None:
    """Return None if the body is not a license."""
    value = parsed(body)
    if value is None or not isinstance(value.get("id"), str) or not isinstance(value.get("license_key"), str):
        return None
    epoch = datetime.fromtimestamp(0, timezone.utc)
    return LicenseRecord(
        id=value["id"],
        organization_id=_text(value.get("organization_id")) or "",
        product_id=_text(value.get("product_id")) or "",
        global_customer_id=_text(value.get("global_customer_id")),
        license_key=value["license_key"],
        status=_text(value.get("status")) or "",
        expires_at=_time(value.get("expires_at")),
        is_lifetime=value.get("is_lifetime") is True,
        ip_system_enabled=value.get("ip_system_enabled") is True,
        max_ips=_number(value.get("max_ips")),
        current_unique_ip_count=_number(value.get("current_unique_ip_count")) or 0,
        notes=_text(value.get("notes")),
        version_pin_mode=_text(value.get("version_pin_mode")),
        version_pinned=_text(value.get("version_pinned")),
        version_range_min=_text(value.get("version_range_min")),
        version_range_max=_text(value.get("version_range_max")),
        revoked_at=_time(value.get("revoked_at")),
        created_at=_time(value.get("created_at")) or epoch,
        updated_at=_time(value.get("updated_at")) or epoch,
        customer_email=_text(value.get("customer_email")),
        customer_name=_text(value.get("customer_name")),
        customer_discord_id=_text(value.get("customer_discord_id")),
    )


def parsed(body: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        # Python before 3.11 does not accept "Z".
        time = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)
