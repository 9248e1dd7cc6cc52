from __future__ import annotations

import hashlib
import hmac
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_PURPOSE = b"countersign.validate.v1"
_SIGNATURE_START = b'"signature":"'
_NULL_SIGNATURE = b'"signature":null}'
_SIGNATURE_PATTERN = re.compile(
    rb'"t=(0|[1-9][0-9]{0,14}),n=([A-Za-z0-9_-]{0,64}),k=([A-Za-z0-9_-]{1,64}),v1=([0-9a-f]{64})"\}\Z'
)
#: The nonce proves that the response is new, so a clock that is wrong by less than a day does no harm.
_MAX_SKEW_SECONDS = 86_400


@dataclass(frozen=True)
class Signing:
    """If set, a response without a valid signature is rejected with a ``SignatureError``."""

    #: The product's ID, as shown in the dashboard.
    product_id: str
    #: The product's signing secret in hex; during a rotation the old and the new one.
    secrets: str | Sequence[str] = field(repr=False)
    #: A larger difference between the server's clock and this one is logged. Up to a day is accepted.
    tolerance_seconds: float = 300

    def __post_init__(self) -> None:
        if not self.product_id:
            raise ValueError("signing.product_id must be the product's ID, as shown in the dashboard.")
        all_secrets = self.all_secrets()
        if not all_secrets or not all(re.fullmatch(r"[0-9a-fA-F]{64}", secret) for secret in all_secrets):
            raise ValueError("signing.secrets must be 64 hexadecimal digits each, as shown in the dashboard.")
        if not 1 <= self.tolerance_seconds <= 3_600:
            raise ValueError(
                f"signing.tolerance_seconds must be a number from 1 to 3600, not {self.tolerance_seconds}."
            )

    def all_secrets(self) -> list[str]:
        if isinstance(self.secrets, str):
            return [secret.strip() for secret in self.secrets.split(",")]
        return list(self.secrets)


@dataclass(frozen=True)
class CheckedSignature:
    """The problem with a signature, or None; and the server's time minus this machine's, if it could be read."""

    problem: str | None
    skew_seconds: int = 0


def check_signature(body: bytes, signing: Signing, license_key: str, nonce: str, now: float) -> CheckedSignature:
    """Check that the body is signed for this request. Works on the raw bytes."""
    if body.endswith(_NULL_SIGNATURE):
        return CheckedSignature("missing")
    start = body.rfind(_SIGNATURE_START)
    if start < 0:
        return CheckedSignature("missing")
    match = _SIGNATURE_PATTERN.match(body, start + len(_SIGNATURE_START) - 1)
    if match is None:
        return CheckedSignature("malformed")
    time, signed_nonce, _, claimed = match.groups()
    skew_seconds = int(time) - math.floor(now)
    if signed_nonce != nonce.encode():
        return CheckedSignature("nonce", skew_seconds)
    if abs(skew_seconds) > _MAX_SKEW_SECONDS:
        return CheckedSignature("stale", skew_seconds)
    subject = [_PURPOSE, time, signed_nonce, signing.product_id.encode(), license_key.encode("utf-8", "surrogatepass")]
    text = b"\n".join(subject) + b"\n" + body[:start] + _NULL_SIGNATURE
    matches = [
        hmac.compare_digest(hmac.new(bytes.fromhex(secret), text, hashlib.sha256).hexdigest().encode(), claimed)
        for secret in signing.all_secrets()
    ]
    return CheckedSignature(None if any(matches) else "mismatch", skew_seconds)
