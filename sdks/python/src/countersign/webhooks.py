"""Verifies webhook deliveries, according to Standard Webhooks 1.0, and signs them for tests."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets as random_source
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Union

from ._frozen import FrozenDict, frozen
from ._parsing import parsed, parsed_time
from .errors import WebhookError
from .webhook_events import EVENT_CLASSES, WebhookEvent

_INVALID_SECRET = "secret must be the endpoint's secret (whsec_…), as shown in the dashboard."
#: The specification of Standard Webhooks asks for 24 to 64 bytes.
_MIN_KEY_BYTES = 24

Body = Union[bytes, bytearray, memoryview, str]


@dataclass(frozen=True)
class SignedWebhook:
    """A delivery as Countersign sends it: the raw body, and the headers."""

    body: bytes
    headers: Mapping[str, str]


def verify_webhook(
    body: Body,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """Verify a delivery and return its event. ``body`` is the raw request body, not parsed.

    :param headers: the request's headers, in any casing
    :param secret: the endpoint's secret, ``whsec_…``; during a rotation the old and the new one, as a list or separated
        by a comma
    """
    if not isinstance(body, (bytes, bytearray, memoryview, str)):
        raise WebhookError(
            "parsed_body",
            "The body was parsed before its signature was checked. Pass the raw bytes: request.get_data() in Flask, "
            "request.body in Django, await request.body() in FastAPI.",
        )
    raw = _bytes_of(body)
    keys = _hmac_keys(secret)
    event_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    now = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > tolerance_seconds:
        raise WebhookError(
            "stale", "The delivery's timestamp is too old, or in the future. Check that the clock is right."
        )
    expected = [_signature(key, event_id, timestamp, raw) for key in keys]
    parts = [signature.partition(",") for signature in signatures.split(" ")]
    claimed = [code.encode("utf-8", "surrogatepass") for version, _, code in parts if version == "v1"]
    if not any([hmac.compare_digest(digest, code) for digest in expected for code in claimed]):
        raise WebhookError("mismatch", "The signature does not match. Check the secret, and pass the raw body.")
    return _read_event(event_id, timestamp, raw)


def sign_webhook(
    body: Body | Mapping[str, Any] | WebhookEvent,
    *,
    secret: str | Sequence[str],
    id: str | None = None,
    timestamp: float | None = None,
) -> SignedWebhook:
    """Return a delivery that ``verify_webhook`` accepts, for tests of the app.

    :param body: the raw body, or an event: a ``WebhookEvent``, or ``{"type": "license.revoked", "data": {…}}``
    :param timestamp: when it is sent, in seconds since 1970; defaults to now
    """
    keys = _hmac_keys(secret)
    sent_at = time.time() if timestamp is None else timestamp
    event_id = f"msg_{random_source.token_hex(12)}"
    if isinstance(body, WebhookEvent):
        event_id = body.id
        body = {"type": body.type, "timestamp": body.timestamp, "data": body.data}
    event_id = event_id if id is None else id
    raw = _event_body(body, sent_at) if isinstance(body, Mapping) else _bytes_of(body)
    seconds = str(int(sent_at))
    signatures = [f"v1,{_signature(key, event_id, seconds, raw).decode()}" for key in keys]
    headers = {
        "webhook-id": event_id,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(signatures),
    }
    return SignedWebhook(raw, headers)


def _event_body(event: Mapping[str, Any], sent_at: float) -> bytes:
    members = {"timestamp": datetime.fromtimestamp(sent_at, timezone.utc), "data": {}, **event}
    return json.dumps(members, separators=(",", ":"), ensure_ascii=False, default=_json_time).encode()


def _json_time(value: object) -> str:
    if not isinstance(value, datetime):
        raise TypeError(f"An event cannot contain a value of the type {type(value).__name__}.")
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _bytes_of(body: Body) -> bytes:
    return body.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body)


def _signature(key: bytes, event_id: str, timestamp: str, raw: bytes) -> bytes:
    text = f"{event_id}.{timestamp}.".encode("utf-8", "surrogatepass") + raw
    return base64.b64encode(hmac.new(key, text, hashlib.sha256).digest())


def _read_event(event_id: str, timestamp: str, raw: bytes) -> WebhookEvent:
    value = frozen(parsed(raw) or {})
    # An event without a time was signed by a test.
    time = value.get("timestamp") or datetime.fromtimestamp(int(timestamp), timezone.utc).isoformat()
    occurred_at = parsed_time(time) if isinstance(time, str) else None
    if not isinstance(value.get("type"), str) or occurred_at is None:
        raise WebhookError("malformed", "The body is signed but is not a webhook event.")
    data = value.get("data")
    event_class = EVENT_CLASSES.get(value["type"], WebhookEvent)
    return event_class(event_id, value["type"], occurred_at, data if isinstance(data, dict) else FrozenDict())


def _header(headers: Mapping[str, str], name: str) -> str:
    for key, value in headers.items():
        if key.lower() == name and value:
            return value
    raise WebhookError("missing_header", f"The request has no {name} header.")


def _hmac_keys(secret: str | Sequence[str]) -> list[bytes]:
    given = [secret] if isinstance(secret, str) else list(secret)
    keys = [_hmac_key(one.strip()) for text in given for one in text.split(",")]
    if not keys:
        raise ValueError(_INVALID_SECRET)
    return keys


def _hmac_key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except ValueError as error:
        raise ValueError(_INVALID_SECRET) from error
    # With a short secret, anyone could sign a delivery.
    if len(key) < _MIN_KEY_BYTES:
        raise ValueError(_INVALID_SECRET)
    return key
