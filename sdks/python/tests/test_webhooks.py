"""Forged deliveries are rejected, and malformed ones always raise a WebhookError."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time

import pytest

from countersign import WebhookError, sign_webhook, verify_webhook

SECRET = "whsec_" + base64.b64encode(b"a secret of 24 bytes ...").decode()

TOO_SHORT = "whsec_" + base64.b64encode(b"a secret of only 23 byt").decode()


def delivery(body: bytes, key: bytes, event_id: str = "msg_1") -> dict[str, str]:
    now = str(int(time.time()))
    code = hmac.new(key, f"{event_id}.{now}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": event_id,
        "webhook-timestamp": now,
        "webhook-signature": "v1," + base64.b64encode(code).decode(),
    }


@pytest.mark.parametrize(
    "secret", ["", "whsec_", [], [""], [SECRET, ""], f"{SECRET},", "whsec_YWJj", TOO_SHORT, "whsec_é"]
)
def test_an_empty_or_malformed_secret_is_rejected(secret: str | list[str]) -> None:
    # With an empty secret, anyone could sign a delivery.
    body = b'{"type":"license.revoked","timestamp":"2026-06-01T00:00:00Z","data":{}}'
    with pytest.raises(ValueError, match="secret"):
        verify_webhook(body, delivery(body, b""), secret)


def test_a_deeply_nested_body_is_malformed() -> None:
    body = b"[" * 500_000
    with pytest.raises(WebhookError) as raised:
        verify_webhook(body, delivery(body, b"a secret of 24 bytes ..."), SECRET)
    assert raised.value.reason == "malformed"


@pytest.mark.parametrize("name", ["webhook-id", "webhook-signature"])
def test_undecodable_headers_do_not_match(name: str) -> None:
    body = b'{"type":"license.revoked","timestamp":"2026-06-01T00:00:00Z","data":{}}'
    headers = {**delivery(body, b"a secret of 24 bytes ..."), name: "v1,\udcff"}
    with pytest.raises(WebhookError) as raised:
        verify_webhook(body, headers, SECRET)
    assert raised.value.reason == "mismatch"


def test_header_names_are_case_insensitive() -> None:
    body = b'{"type":"license.revoked","timestamp":"2026-06-01T00:00:00Z","data":{}}'
    headers = {name.title(): value for name, value in delivery(body, b"a secret of 24 bytes ...").items()}
    for raw in (body, body.decode(), bytearray(body), memoryview(body)):
        assert verify_webhook(raw, headers, SECRET).type == "license.revoked"


def test_secrets_can_be_separated_by_commas() -> None:
    body = b'{"type":"license.revoked","timestamp":"2026-06-01T00:00:00Z","data":{}}'
    other = "whsec_" + base64.b64encode(b"another secret of 32 bytes ......").decode()
    headers = delivery(body, b"a secret of 24 bytes ...")
    for secrets in (f"{other}, {SECRET}", [other, SECRET], [f"{other},{SECRET}"]):
        assert verify_webhook(body, headers, secrets).type == "license.revoked"


def test_a_signed_webhook_has_a_signature_for_each_secret() -> None:
    other = "whsec_" + base64.b64encode(b"another secret of 32 bytes ......").decode()
    text = '{"type":"a","timestamp":"2026-06-01T00:00:00Z"}'
    raw = text.encode()
    for body in (text, raw, bytearray(raw), memoryview(raw)):
        signed = sign_webhook(body, secret=f"{SECRET},{other}")
        assert signed.body == raw
        assert all(verify_webhook(signed.body, signed.headers, one).type == "a" for one in (SECRET, other))
    first, second = (sign_webhook({"type": "a"}, secret=SECRET) for _ in range(2))
    assert first.headers["webhook-id"] != second.headers["webhook-id"]
    with pytest.raises(TypeError, match="object"):
        sign_webhook({"type": "a", "data": {"b": object()}}, secret=SECRET)
