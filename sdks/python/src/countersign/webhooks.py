"""Verifies webhook deliveries, according to Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ._models import _time
from .errors import WebhookError

_INVALID_SECRET = "secret must be the endpoint's secret (whsec_…), as shown in the dashboard."
_MIN_KEY_BYTES = 16


@dataclass(frozen=True)
class WebhookEvent:
    #: The same for every delivery of the event: store it, and process the event only once.
    id: str
    type: str
    #: When the event occurred.
    timestamp: datetime | None
    data: Mapping[str, Any]


def verify_webhook(
    body: bytes | bytearray | memoryview | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """Verify a delivery and return its event. ``body`` is the raw request body, not parsed.

    :param secret: the endpoint's secret, ``whsec_…``; during a rotation the old and the new one
    """
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise WebhookError(
            "parsed_body",
            "The body was parsed before its signature was checked. Pass the raw bytes: request.get_data() in Flask, "
            "request.body in Django, await request.body() in FastAPI.",
        )
    raw = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body)
    keys = [_hmac_key(one) for one in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError(_INVALID_SECRET)
    event_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    now = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > tolerance_seconds:
        raise WebhookError(
            "stale", "The delivery's timestamp is too old, or in the future. Check that the clock is right."
        )
    text = f"{event_id}.{timestamp}.".encode("utf-8", "surrogatepass") + raw
    expected = [base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()) for key in keys]
    parts = [signature.partition(",") for signature in signatures.split(" ")]
    claimed = [code.encode("utf-8", "surrogatepass") for version, _, code in parts if version == "v1"]
    if not any([hmac.compare_digest(digest, code) for digest in expected for code in claimed]):
        raise WebhookError("mismatch", "The signature does not match. Check the secret, and pass the raw body.")
    return _read_event(event_id, raw)


def _read_event(event_id: str, raw: bytes) -> WebhookEvent:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise WebhookError("malformed", "The body is signed but is not a webhook event.")
    data = value.get("data")
    return WebhookEvent(event_id, value["type"], _time(value.get("timestamp")), data if isinstance(data, dict) else {})


def _header(headers: Mapping[str, str], name: str) -> str:
    for key, value in headers.items():
        if key.lower() == name and value:
            return value
    raise WebhookError("missing_header", f"The request has no {name} header.")


def _hmac_key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except ValueError as error:
        raise ValueError(_INVALID_SECRET) from error
    # With an empty secret, anyone could sign a delivery.
    if len(key) < _MIN_KEY_BYTES:
        raise ValueError(_INVALID_SECRET)
    return key
