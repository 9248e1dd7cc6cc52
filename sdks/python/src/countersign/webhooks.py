"""Checks deliveries of webhooks, by Standard Webhooks 1.0."""

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

_NO_SECRET = "secret should be the endpoint's secret, whsec_…, as the dashboard shows it."
_LEAST_BYTES = 16


@dataclass(frozen=True)
class WebhookEvent:
    #: The same however often it is delivered: remember it, and do the work once.
    id: str
    type: str
    #: When it happened.
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
    """Checks a delivery and returns its event. ``body`` is what came over the wire, parsed by nobody.

    :param secret: the endpoint's secret, ``whsec_…``; during a rotation the old and the new one
    """
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise WebhookError(
            "parsed_body",
            "The body was parsed before its signature was checked. Pass the raw bytes: request.get_data() in Flask, "
            "request.body in Django, await request.body() in FastAPI.",
        )
    raw = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body)
    keys = [_key(one) for one in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError(_NO_SECRET)
    event_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    now = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > tolerance_seconds:
        raise WebhookError("stale", "The delivery is too old, or from the future.")
    text = f"{event_id}.{timestamp}.".encode("utf-8", "surrogatepass") + raw
    expected = [base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()) for key in keys]
    parts = [signature.partition(",") for signature in signatures.split(" ")]
    given = [code.encode("utf-8", "surrogatepass") for version, _, code in parts if version == "v1"]
    if not any([hmac.compare_digest(right, code) for right in expected for code in given]):
        raise WebhookError("mismatch", "The signature does not fit the body and the secret.")
    return _read(event_id, raw)


def _read(event_id: str, raw: bytes) -> WebhookEvent:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise WebhookError("malformed", "The body is signed, and no event.")
    data = value.get("data")
    return WebhookEvent(event_id, value["type"], _time(value.get("timestamp")), data if isinstance(data, dict) else {})


def _header(headers: Mapping[str, str], name: str) -> str:
    for key, value in headers.items():
        if key.lower() == name and value:
            return value
    raise WebhookError("missing_header", f"The header {name} is missing.")


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except ValueError as error:
        raise ValueError(_NO_SECRET) from error
    # With a setting that was forgotten the key would be empty, and anybody could sign.
    if len(key) < _LEAST_BYTES:
        raise ValueError(_NO_SECRET)
    return key
