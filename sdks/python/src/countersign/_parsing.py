from __future__ import annotations

import json
import math
import re
from datetime import datetime, timezone
from typing import Any

from ._frozen import frozen
from ._models import LicenseRecord, ValidateResult

#: No Countersign response is nested deeper. The limit protects the stack of whatever reads the value.
_MAX_LEVELS = 100
_MAX_COUNT = 2**31 - 1
_RFC_3339 = re.compile(r"([1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-](?:0\d|1[0-7]):[0-5]\d)", re.ASCII)


class _Unreadable(ValueError):
    """A member has another form than Countersign's."""


def read_result(body: bytes, checked_at: datetime, request_id: str | None) -> ValidateResult[Any] | None:
    """Return None if the body is not a validate response."""
    value = parsed(body)
    try:
        return None if value is None else _result_in(value, checked_at, request_id)
    except _Unreadable:
        return None


def _result_in(value: dict[str, Any], checked_at: datetime, request_id: str | None) -> ValidateResult[Any] | None:
    if not isinstance(value.get("valid"), bool) or not isinstance(value.get("status"), str):
        return None
    custom = value.get("custom")
    return ValidateResult(
        # An unknown status never grants access.
        valid=value["valid"] and value["status"] == "active",
        status=value["status"],
        expires=_time(value.get("expires")),
        ip_registered=_flag(value.get("ip_registered")),
        ip_count=_count(value.get("ip_count")),
        max_ips=_count(value.get("max_ips")),
        version=_text(value.get("version")),
        version_valid=_flag(value.get("version_valid")),
        custom=frozen(custom) if isinstance(custom, dict) else None,
        source="server",
        checked_at=checked_at,
        request_id=request_id,
    )


def local_rejection(checked_at: datetime) -> ValidateResult[Any]:
    """Return the verdict on a key that no license can have."""
    return ValidateResult(
        valid=False,
        status="license_not_found",
        expires=None,
        ip_registered=None,
        ip_count=None,
        max_ips=None,
        version=None,
        version_valid=None,
        custom=None,
        source="local",
        checked_at=checked_at,
        request_id=None,
    )


def read_license(body: bytes) -> LicenseRecord | None:
    """Return None if the body is not a license."""
    value = parsed(body)
    try:
        return None if value is None else _license_in(value)
    except _Unreadable:
        return None


def _license_in(value: dict[str, Any]) -> LicenseRecord | None:
    if not isinstance(value.get("id"), str) or not isinstance(value.get("license_key"), str):
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
        max_ips=_count(value.get("max_ips")),
        current_unique_ip_count=_count(value.get("current_unique_ip_count")) or 0,
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
    """Return None if the body is not a JSON object, or has what no Countersign response has."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _is_readable(value, _MAX_LEVELS) else None


def _is_readable(value: object, levels: int) -> bool:
    """Return whether the value is not nested too deep, and has no number that is too large for a double."""
    if levels < 0:
        return False
    if isinstance(value, (int, float)):
        try:
            return math.isfinite(value)
        except OverflowError:
            return False
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(_is_readable(one, levels - 1) for one in inner)


def parsed_time(text: str) -> datetime | None:
    """Read RFC 3339, in milliseconds. Return None for any other text, and for days that do not exist."""
    match = _RFC_3339.fullmatch(text)
    if match is None:
        return None
    seconds, fraction, offset = match.groups()
    milliseconds = (fraction or "").ljust(3, "0")[:3]
    try:
        # Python before 3.11 does not accept "Z".
        return datetime.fromisoformat(f"{seconds}.{milliseconds}{'+00:00' if offset == 'Z' else offset}")
    except ValueError:
        return None


def _time(value: object) -> datetime | None:
    """Raise for a time that cannot be read: it must not become "never"."""
    if value is None:
        return None
    time = parsed_time(value) if isinstance(value, str) else None
    if time is None:
        raise _Unreadable
    return time


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _count(value: object) -> int | None:
    """Raise for a count that cannot be read: it must not become "no limit"."""
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value == int(value) and 0 <= value <= _MAX_COUNT:
            return int(value)
    raise _Unreadable
