from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence

_PURPOSE = b"countersign.validate.v1"
_SIGNATURE_START = b'"signature":"'
_NULL_SIGNATURE = b'"signature":null}'
_SIGNATURE_PATTERN = re.compile(
    rb'"t=(0|[1-9][0-9]{0,14}),n=([A-Za-z0-9_-]{0,64}),k=([A-Za-z0-9_-]{1,64}),v1=([0-9a-f]{64})"\}\Z'
)


def signature_problem(
    body: bytes,
    *,
    product_id: str,
    license_key: str,
    nonce: str,
    secrets: Sequence[str],
    now: float,
    tolerance_seconds: float,
) -> str | None:
    """Return None if the body is signed for this request; otherwise the problem. Works on the raw bytes."""
    if body.endswith(_NULL_SIGNATURE):
        return "missing"
    start = body.rfind(_SIGNATURE_START)
    if start < 0:
        return "missing"
    match = _SIGNATURE_PATTERN.match(body, start + len(_SIGNATURE_START) - 1)
    if match is None:
        return "malformed"
    time, signed_nonce, _, claimed = match.groups()
    if abs(now - int(time)) > tolerance_seconds:
        return "stale"
    if signed_nonce != nonce.encode():
        return "nonce"
    subject = [_PURPOSE, time, signed_nonce, product_id.encode(), license_key.encode("utf-8", "surrogatepass")]
    text = b"\n".join(subject) + b"\n" + body[:start] + _NULL_SIGNATURE
    matches = [
        hmac.compare_digest(hmac.new(bytes.fromhex(secret), text, hashlib.sha256).hexdigest().encode(), claimed)
        for secret in secrets
    ]
    return None if any(matches) else "mismatch"
