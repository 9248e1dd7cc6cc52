from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from ._frozen import frozen
from ._models import LicenseRecord, ValidateResult

#: No Countersign response is nested deeper. The limit protects the stack of whatever reads the value.
_MAX_LEVELS = 100


def read_result(body: bytes, checked_at: datetime, request_id: str | None) -> ValidateResult[Any] | None:
    """Return None if the body is not a validate response."""
    value = parsed(body)
    if value is None or not isinstance(value.get("valid"), bool) or not isinstance(value.get("status"), str):
        return None
    custom = value.get("custom")
    return ValidateResult(
        # An unknown status never grants access.
        valid=value["valid"] and value["status"] == "active",
        status=value["status"],
        expires=parsed_time(value.get("expires")),
        ip_registered=_flag(value.get("ip_registered")),
        ip_count=_number(value.get("ip_count")),
        max_ips=_number(value.get("max_ips")),
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
        expires_at=parsed_time(value.get("expires_at")),
        is_lifetime=value.get("is_lifetime") is True,
        ip_system_enabled=value.get("ip_system_enabled") is True,
        max_ips=_number(value.get("max_ips")),
        current_unique_ip_count=_number(value.get("current_unique_ip_count")) or 0,
        notes=_text(value.get("notes")),
        version_pin_mode=_text(value.get("version_pin_mode")),
        version_pinned=_text(value.get("version_pinned")),
        version_range_min=_text(value.get("version_range_min")),
        version_range_max=_text(value.get("version_range_max")),
        revoked_at=parsed_time(value.get("revoked_at")),
        created_at=parsed_time(value.get("created_at")) or epoch,
        updated_at=parsed_time(value.get("updated_at")) or epoch,
        customer_email=_text(value.get("customer_email")),
        customer_name=_text(value.get("customer_name")),
        customer_discord_id=_text(value.get("customer_discord_id")),
    )


def parsed(body: bytes) -> dict[str, Any] | None:
    """Return None if the body is not a JSON object."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and not _is_deeper(value, _MAX_LEVELS) else None


def _is_deeper(value: object, levels: int) -> bool:
    if levels < 0:
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_is_deeper(one, levels - 1) for one in inner)


def parsed_time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        # Python before 3.11 does not accept "Z".
        time = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
