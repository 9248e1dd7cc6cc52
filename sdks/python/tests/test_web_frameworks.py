"""The behavior that the middleware of all frameworks shares, run through each of them."""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Callable

import pytest

from countersign import _license_decider
from countersign._unknown_key_limit import UnknownKeyLimit
from played_server import WRONG_API_KEY, PlayedCountersign, playing
from web_apps import FRAMEWORKS, App, Sent

MADE_UP = [f"MADE-UP-{number}" for number in range(30)]
ERROR, WARNING = "ERROR", "WARNING"

Failure = tuple[int, dict[str, str], str]
REFUSALS: list[tuple[str, Failure | None, str | None, int, dict[str, Any]]] = [
    ("no key", None, None, 401, {"error": "license_missing"}),
    ("an empty key", None, " \t", 401, {"error": "license_missing"}),
    ("a revoked license", None, "REVOKED", 403, {"error": "revoked", "request_id": "req_1"}),
    ("an unknown key", None, "MADE-UP", 403, {"error": "license_not_found", "request_id": "req_1"}),
    ("an impossible key", None, "X" * 65, 403, {"error": "license_not_found"}),
    ("a wrong API key", WRONG_API_KEY, "VALID", 500, {"error": "license_misconfigured", "request_id": "req_1"}),
    (
        "a response of the sandbox",
        (200, {"X-Countersign-Sandbox": "true"}, '{"valid":true,"status":"active"}'),
        "VALID",
        500,
        {"error": "license_misconfigured", "request_id": "req_1"},
    ),
    (
        "the daily limit",
        (429, {"Retry-After": "77"}, '{"status":"rate_limit_exceeded"}'),
        "VALID",
        503,
        {"error": "license_unverified", "request_id": "req_1", "retry_after": 77},
    ),
    (
        "a server that is restarting",
        (503, {"Retry-After": "33"}, "{}"),
        "VALID",
        503,
        {"error": "license_unverified", "request_id": "req_1", "retry_after": 33},
    ),
    ("a failing server", (500, {}, "{}"), "VALID", 503, {"error": "license_unverified", "request_id": "req_1"}),
]


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine, tokens would become free during a test."""
    stopped = functools.partial(UnknownKeyLimit, now=lambda: 0.0)
    monkeypatch.setattr(_license_decider, "UnknownKeyLimit", stopped)


@pytest.fixture
def server() -> Iterator[PlayedCountersign]:
    with playing() as server:
        yield server


@pytest.fixture(params=FRAMEWORKS, ids=list(FRAMEWORKS))
def open_app(request: Any, server: PlayedCountersign) -> Callable[..., AbstractContextManager[App]]:
    def open_app(client: dict[str, Any] | None = None, **options: Any) -> AbstractContextManager[App]:
        return FRAMEWORKS[request.param](server.url, client or {}, options)

    return open_app


Open = Callable[..., AbstractContextManager[App]]


def test_every_refusal_has_the_response_of_the_table(server: PlayedCountersign, open_app: Open) -> None:
    for name, failure, key, status, expected in REFUSALS:
        server.failure = failure
        with open_app() as app:
            response = app.send(key)
        body = response.json()
        assert isinstance(body.pop("message"), str), name
        assert (response.status_code, body) == (status, expected), name
        assert response.headers.get("retry-after") == (
            str(expected["retry_after"]) if "retry_after" in expected else None
        ), name
        assert response.headers["content-type"] == "application/json"


def test_an_unreachable_server_is_no_verdict(server: PlayedCountersign, open_app: Open) -> None:
    with open_app({"base_url": "http://127.0.0.1:9"}) as app:
        response = app.send("VALID")
    assert (response.status_code, response.json()["error"]) == (503, "license_unverified")


def test_a_valid_license_is_let_in_and_readable(server: PlayedCountersign, open_app: Open) -> None:
    with open_app(version="1.0.0", device_id=lambda request: "device") as app:
        assert app.send("VALID").json() == {"key": "VALID", "source": "server"}
        assert app.send("VALID").json() == {"key": "VALID", "source": "cache"}
    assert server.bodies == [{"license_key": "VALID", "version": "1.0.0", "device_id": "device"}]


def test_advisory_mode_lets_requests_in_without_a_verdict(server: PlayedCountersign, open_app: Open) -> None:
    server.failure = (500, {}, "{}")
    with open_app({"when_unavailable": "advisory"}) as app:
        assert app.send("VALID").json() == {"key": "VALID", "source": None}


def test_customers_behind_one_address_are_all_served(server: PlayedCountersign, open_app: Open) -> None:
    keys = [f"VALID-{number}" for number in range(30)]
    with open_app() as app:
        responses = app.send_all([Sent(key) for key in keys])
    assert [response.status_code for response in responses] == [200] * 30
    assert sorted(server.asked) == sorted(keys)


def test_made_up_keys_are_limited_and_a_paying_customer_is_not(server: PlayedCountersign, open_app: Open) -> None:
    with open_app() as app:
        assert app.send("VALID-1").status_code == 200
        assert app.send("REVOKED-1").status_code == 403
        responses = [app.send(key) for key in MADE_UP[:12]]
        assert [response.status_code for response in responses] == [403] * 10 + [429] * 2
        limited = responses[-1].json()
        assert limited["error"] == "too_many_unknown_keys"
        assert 1 <= limited["retry_after"] <= 6
        assert responses[-1].headers["retry-after"] == str(limited["retry_after"])
        # Keys that are cached, remembered as unknown, or had a verdict before.
        assert app.send("VALID-1").status_code == 200
        assert app.send(MADE_UP[0]).status_code == 403
        assert app.send("REVOKED-1").status_code == 403
        assert app.send(MADE_UP[12], "192.0.2.2").status_code == 403
        assert app.send("VALID-2").status_code == 429
    assert len(server.asked) == 14


def test_made_up_keys_at_once_cost_no_more_requests(server: PlayedCountersign, open_app: Open) -> None:
    with open_app() as app:
        responses = app.send_all([Sent(key) for key in MADE_UP])
    statuses = [response.status_code for response in responses]
    assert (statuses.count(403), statuses.count(429)) == (10, 20)
    assert len(server.asked) == 10


def test_addresses_of_one_ipv6_network_share_a_limit(server: PlayedCountersign, open_app: Open) -> None:
    with open_app(unknown_keys_per_minute=1) as app:
        assert app.send("MADE-UP-1", "2001:db8::1").status_code == 403
        assert app.send("MADE-UP-2", "2001:db8::ffff").status_code == 429
        assert app.send("MADE-UP-3", "2001:db8:0:1::1").status_code == 403
        assert app.send("MADE-UP-4", "::ffff:192.0.2.9").status_code == 403
        assert app.send("MADE-UP-5", "192.0.2.9").status_code == 429


def test_the_limit_can_be_turned_off_and_counts_by_the_option_address(
    server: PlayedCountersign, open_app: Open
) -> None:
    with open_app(unknown_keys_per_minute=0) as app:
        assert [app.send(key).status_code for key in MADE_UP] == [403] * 30
    with open_app(unknown_keys_per_minute=1, address=lambda request: request.headers["x-license-key"]) as app:
        assert [app.send(key).status_code for key in MADE_UP[:3]] == [403] * 3


def test_each_failure_is_logged_once_until_there_is_a_verdict(
    server: PlayedCountersign, open_app: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with open_app({"retries": 0}) as app, caplog.at_level(logging.INFO, "countersign"):
        assert app.send("VALID-1").status_code == 200
        server.failure = WRONG_API_KEY
        for number in range(3):
            assert app.send(f"VALID-2{number}").status_code == 500
        assert [record.levelname for record in caplog.records] == [ERROR]
        assert "COUNTERSIGN_API_KEY" in caplog.text
        # A cached verdict says nothing about the server.
        assert app.send("VALID-1").status_code == 200
        assert app.send("VALID-23").status_code == 500
        server.failure = (500, {}, "{}")
        for _ in range(2):
            assert app.send("VALID-3").status_code == 503
        assert [record.levelname for record in caplog.records] == [ERROR, WARNING]
        server.failure = None
        assert app.send("VALID-3").status_code == 200
        server.failure = (500, {}, "{}")
        assert app.send("VALID-4").status_code == 503
        assert [record.levelname for record in caplog.records] == [ERROR, WARNING, WARNING]
    assert "VALID" not in caplog.text and "csk_test" not in caplog.text


def test_the_limit_is_logged_once_per_address(
    server: PlayedCountersign, open_app: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with open_app(unknown_keys_per_minute=1) as app, caplog.at_level(logging.INFO, "countersign"):
        for last in range(12):
            for key in MADE_UP[:3]:
                app.send(f"{key}-{last}", f"192.0.2.{last}")
    assert [record.levelname for record in caplog.records] == [WARNING] * 10
    assert "192.0.2.3" in caplog.text and "MADE-UP" not in caplog.text


class BrokenLogger(logging.Logger):
    def log(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the disk is full")


def test_a_logger_that_fails_changes_nothing(server: PlayedCountersign, open_app: Open) -> None:
    server.failure = WRONG_API_KEY
    with open_app(logger=BrokenLogger("broken")) as app:
        assert app.send("VALID").json()["error"] == "license_misconfigured"


def _raise(*_: Any) -> Any:
    raise RuntimeError("a mistake in the app")


@pytest.mark.parametrize("option", ["key", "version", "device_id", "address"])
def test_a_callback_that_raises_lets_nobody_in(server: PlayedCountersign, open_app: Open, option: str) -> None:
    with open_app(**{option: _raise}) as app:
        assert app.send("VALID").status_code == 500
    assert server.asked == []


def test_the_key_can_come_from_a_function(server: PlayedCountersign, open_app: Open) -> None:
    with open_app(key=lambda request: "VALID-of-the-session") as app:
        assert app.send(None).json()["key"] == "VALID-of-the-session"
    for not_a_key in (None, "", "\u00a0\ufeff", 7):
        with open_app(key=lambda request, value=not_a_key: value) as app:
            assert app.send("VALID").status_code == 401


def test_a_waiting_customer_gets_the_token_of_a_finished_call(server: PlayedCountersign, open_app: Open) -> None:
    server.may_respond.clear()
    statuses: list[int] = []

    def send(app: App) -> None:
        statuses.extend(response.status_code for response in app.send_all([Sent("VALID-1"), Sent("VALID-2")]))

    with open_app(unknown_keys_per_minute=1) as app:
        sending = threading.Thread(target=send, args=(app,))
        sending.start()
        server.wait_until_asked(1)
        assert len(server.asked) == 1
        server.may_respond.set()
        sending.join(30)
    assert statuses == [200, 200]
    assert len(server.asked) == 2


def test_several_license_key_headers_are_one_key_that_no_license_has(server: PlayedCountersign, open_app: Open) -> None:
    with open_app({}) as app:
        response = app.send("FIRST\nVALID")
    assert (response.status_code, response.json()["error"]) == (403, "license_not_found")
    assert [key.replace(" ", "") for key in server.asked] == ["FIRST,VALID"]
