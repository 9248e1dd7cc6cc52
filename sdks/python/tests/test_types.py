"""What type checkers infer, checked by mypy; and the builtin classes of the errors."""

from __future__ import annotations

import builtins
import copy
import pickle
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TypedDict

import pytest

import countersign
from countersign import AsyncCountersign, Countersign, Status, ValidateResult
from countersign.webhook_events import LicenseRevoked
from local_server import VALID_BODY, answer, serving

if TYPE_CHECKING:
    from typing_extensions import assert_type

KEY = "ABCD-EFGH-JKMN-PQRS"


class Plan(TypedDict):
    plan: str


def what_to_do(status: Status) -> str:
    if status == "active":
        return "go on"
    return "ask " + status


def test_the_type_of_the_custom_response() -> None:
    with serving([answer(VALID_BODY)]) as server:
        client = Countersign[Plan]("csk_test", server.url)
        result = client.validate(KEY)
        plain = Countersign("csk_test", server.url).validate(KEY)
    assert result.custom is not None and result.custom["plan"] == "pro"
    assert plain.custom is not None and plain.custom["plan"] == "pro"
    if TYPE_CHECKING:
        assert_type(result, ValidateResult[Plan])
        assert_type(plain, ValidateResult[Mapping[str, Any]])
        assert_type(AsyncCountersign(client=client), AsyncCountersign[Plan])
        assert_type(client.cached(KEY), "ValidateResult[Plan] | None")
        assert_type(client.check(KEY).result, "ValidateResult[Plan] | None")
        assert_type(AsyncCountersign(api_key="csk_test", retries=2), AsyncCountersign[Mapping[str, Any]])


def test_an_unknown_status_is_passed_through() -> None:
    body = VALID_BODY.replace(b'"active"', b'"paused"')
    with serving([answer(body)], [answer(VALID_BODY)]) as server:
        client = Countersign("csk_test", server.url)
        unknown, known = client.validate(KEY), client.validate(KEY)
    assert (unknown.valid, unknown.status, unknown.known_status) == (False, "paused", None)
    assert known.known_status is not None and what_to_do(known.known_status) == "go on"


def test_the_types_of_events() -> None:
    secret = "whsec_" + "YWJj" * 8
    signed = countersign.sign_webhook(
        {"type": "license.revoked", "data": {"license_id": "1", "reason": None}}, secret=secret
    )
    event = countersign.verify_webhook(signed.body, signed.headers, secret)
    assert isinstance(event, LicenseRevoked) and event.data["reason"] is None
    again = countersign.sign_webhook(event, secret=secret)
    assert countersign.verify_webhook(again.body, again.headers, secret) == event


def test_errors_are_also_the_builtin_ones() -> None:
    client = Countersign("csk_test", "http://127.0.0.1:9", retries=0)
    with pytest.raises(builtins.ConnectionError) as raised:
        client.validate(KEY)
    assert isinstance(raised.value, countersign.ConnectionError)
    assert isinstance(raised.value, OSError) and isinstance(raised.value.cause, ConnectionRefusedError)
    with serving([60.0]) as server:
        with pytest.raises(builtins.TimeoutError) as late:
            Countersign("csk_test", server.url).validate(KEY, timeout_seconds=0.1)
    assert isinstance(late.value, countersign.TimeoutError) and isinstance(late.value, builtins.ConnectionError)


RESPONSE: dict[str, Any] = {"status": 503, "headers": {"x-a": "b"}, "body": "<html>"}


@pytest.mark.parametrize(
    "error",
    [
        countersign.CountersignError("a", "r", **RESPONSE),
        countersign.ConnectionError("a"),
        countersign.TimeoutError("a", "r"),
        countersign.ServerError("a", 503, "r", headers={"x-a": "b"}, body="", retry_after_seconds=3),
        countersign.SandboxError("a", "r"),
        countersign.SignatureError("stale", "r", **RESPONSE),
        countersign.WebhookError("stale", "a"),
        countersign.RateLimitError("a", 5, datetime(2026, 6, 1, tzinfo=timezone.utc), "r", **RESPONSE),
    ],
)
def test_errors_can_be_pickled_and_copied(error: countersign.CountersignError) -> None:
    error.__cause__ = ConnectionRefusedError(111, "refused")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert vars(other) == vars(error)
        assert str(other) == str(error)
        assert isinstance(other.cause, ConnectionRefusedError)
    error.__cause__ = UnpicklableError()
    assert pickle.loads(pickle.dumps(error)).cause is None


class UnpicklableError(Exception):
    def __reduce__(self) -> str:
        raise TypeError("not this one")
