"""Loggers, hooks and callbacks: what they are told, and that nothing they raise matters."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from countersign import (
    Countersign,
    CountersignError,
    RequestEvent,
    ResponseEvent,
    ServerError,
)
from local_server import CLOSE, VALID_BODY, answer, serving

KEY = "ABCD-EFGH-JKMN-PQRS"
API_KEY = "csk_live_0123456789"
SOURCES = Path(__file__).parents[1] / "src"
UNAVAILABLE = answer(b"", "503 Service Unavailable", "X-Request-Id: req-9")


class ListLogger:
    """A logger that is not from the standard library, and lacks two of the methods."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, Mapping[str, object]]] = []

    def debug(self, message: str, details: Mapping[str, object]) -> None:
        self.lines.append(("debug", message, details))

    def warn(self, message: str, details: Mapping[str, object]) -> None:
        self.lines.append(("warning", message, details))


def client(url: str, **settings: Any) -> Countersign:
    return Countersign(API_KEY, url, cache_seconds=0, **settings)


def test_hooks_are_told_about_every_attempt() -> None:
    requests: list[RequestEvent] = []
    responses: list[ResponseEvent] = []
    first = answer(VALID_BODY, "200 OK", "X-Request-Id: req-1")
    with serving([CLOSE], [UNAVAILABLE], [first], [answer(b'{"statusCode":404}', "404 Not Found")]) as server:
        one = client(server.url, retries=2, on_request=requests.append, on_response=responses.append)
        assert one.validate(KEY).valid
        with pytest.raises(CountersignError):
            one.lookup(KEY)
    validate, lookup = ("POST", "/api/v1/validate"), ("GET", "/api/v1/license/{key}")
    assert requests == [RequestEvent(*validate, number) for number in (1, 2, 3)] + [RequestEvent(*lookup, 1)]
    assert [(one.method, one.path, one.attempt) for one in responses] == [
        (one.method, one.path, one.attempt) for one in requests
    ]
    assert [one.status for one in responses] == [None, 503, 200, 404]
    assert [one.request_id for one in responses] == [None, "req-9", "req-1", None]
    assert [type(one.error).__name__ for one in responses] == ["ConnectionError"] + ["NoneType"] * 3
    assert all(one.duration_seconds >= 0 for one in responses)
    assert KEY not in repr(requests + responses)


def test_each_kind_of_failure_is_logged_once_until_there_is_a_verdict() -> None:
    logger: Any = ListLogger()
    failing, valid, other = (
        [UNAVAILABLE],
        [answer(VALID_BODY)],
        [answer(b'{"status":"invalid_api_key"}', "401 Unauthorized")],
    )
    with serving(failing, failing, other, valid, failing) as server:
        one = client(server.url, retries=0, logger=logger)
        for _ in range(5):
            one.check(KEY)
    warnings = [details for level, _, details in logger.lines if level == "warning"]
    assert [details["status"] for details in warnings] == [503, 401, 503]
    assert warnings[0] == {"error": "ServerError", "status": 503, "request_id": "req-9"}


def test_retries_and_the_grace_period_are_logged() -> None:
    logger: Any = ListLogger()
    with serving([answer(VALID_BODY)], [UNAVAILABLE]) as server:
        one = client(server.url, logger=logger, grace_seconds=60)
        assert one.validate(KEY).source == "server"
        assert one.validate(KEY).source == "grace" and one.validate(KEY).source == "grace"
    assert [level for level, _, _ in logger.lines] == ["debug", "warning", "debug"]
    assert "grace period" in logger.lines[1][1]
    assert KEY not in repr(logger.lines) and API_KEY not in repr(logger.lines)


def test_a_logger_of_the_standard_library_is_accepted(caplog: pytest.LogCaptureFixture) -> None:
    with serving([UNAVAILABLE]) as server, caplog.at_level(logging.DEBUG, "licenses"):
        client(server.url, logger=logging.getLogger("licenses")).check(KEY)
        adapter = logging.LoggerAdapter(logging.getLogger("licenses"), {})
        client(server.url, logger=adapter, retries=0).check(KEY)
    assert [record.levelname for record in caplog.records] == ["DEBUG", "WARNING", "WARNING"]
    assert "HTTP 503" in caplog.records[1].getMessage()
    details: Any = caplog.records[1]
    assert details.countersign["status"] == 503


def test_a_failing_grace_store_is_logged_once() -> None:
    class BrokenStore:
        def load(self, _name: str) -> str | None:
            raise PermissionError("not yours")

        def save(self, _name: str, _text: str) -> None:
            raise PermissionError("not yours")

        def remove(self, _name: str) -> None:
            raise PermissionError("not yours")

    logger: Any = ListLogger()
    with serving([answer(VALID_BODY)]) as server:
        one = client(server.url, logger=logger, grace_seconds=60, grace_store=BrokenStore())
        assert one.validate(KEY).valid and one.validate(KEY).valid
    assert [level for level, _, _ in logger.lines] == ["warning"]


def test_a_hook_that_raises_is_logged_and_changes_nothing() -> None:
    def fail(_: object) -> None:
        raise RuntimeError("The hook failed.")

    errors: list[str] = []

    class ErrorLogger:
        def error(self, message: str, _details: Mapping[str, object]) -> None:
            errors.append(message)

    logger: Any = ErrorLogger()
    with serving([answer(VALID_BODY)]) as server:
        assert client(server.url, logger=logger, on_request=fail, on_response=fail).validate(KEY).valid
    assert [message.split()[0] for message in errors] == ["on_request", "on_response"]


FAILING = """
import asyncio, logging, sys, threading
from countersign import AsyncCountersign, Countersign

class Failing:
    def __getattr__(self, name):
        def fail(*_, **__):
            calls.append(name)
            raise RuntimeError(name)
        return fail

def fail(*_, **__):
    calls.append("callback")
    raise SystemExit(7)

calls = []
failing = Failing()
sys.excepthook = threading.excepthook = fail
logging.raiseExceptions = False
options = dict(api_key="csk_test", base_url=sys.argv[1], logger=failing, retries=1,
               on_request=failing.hook, on_response=failing.hook, cache_seconds=0, grace_seconds=60)
client = Countersign(**options)
print(client.validate("KEY").valid, client.check("KEY").allowed, client.validate("KEY").source)
try:
    client.validate("OTHER")
except Exception as error:
    print(type(error).__name__)
second = threading.Event()
def changed(*_):
    second.set()
    fail()
with client.watch("KEY", 1, changed, on_error=fail):
    assert second.wait(20)

async def main():
    def in_loop(*_):
        done.set()
        raise RuntimeError("in the event loop")
    async def coroutine(*_):
        later.set()
        raise RuntimeError("in a task")
    done, later = asyncio.Event(), asyncio.Event()
    asyncio.get_running_loop().set_exception_handler(failing.handler)
    watches = [AsyncCountersign(client=client).watch("KEY", 1, one) for one in (in_loop, coroutine)]
    await asyncio.wait_for(asyncio.gather(done.wait(), later.wait()), 20)
    print((await AsyncCountersign(client=client).check("KEY")).allowed)
    for watch in watches:
        watch.stop()
asyncio.run(main())
assert {"warning", "debug", "hook", "callback", "error"} <= set(calls), calls
print("still here")
"""


def test_nothing_that_callbacks_raise_ends_the_process() -> None:
    with serving([answer(VALID_BODY)], [UNAVAILABLE]) as server:
        done = subprocess.run(
            [sys.executable, "-c", FAILING, server.url],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.stdout == "True True grace\nServerError\nTrue\nstill here\n", done.stderr
    assert done.returncode == 0


def test_errors_show_the_response_without_the_keys() -> None:
    body = f"<h1>{KEY}</h1> {KEY.lower()} {API_KEY} " + "é" * 5000
    response = answer(body.encode(), "502 Bad Gateway", f"X-Echo: {KEY}", "X-Request-Id: req-1", "Retry-After: 7")
    with serving([response]) as server:
        with pytest.raises(ServerError) as raised:
            client(server.url, retries=0).validate(KEY)
    error = raised.value
    assert (error.status, error.request_id, error.retry_after_seconds) == (502, "req-1", 7)
    assert error.headers["x-echo"] == "[redacted]" and error.headers["content-type"] == "application/json"
    assert error.body is not None and error.body.startswith("<h1>[redacted]</h1> [redacted] [redacted] é")
    assert len(error.body.encode()) <= 4096
    shown = repr(vars(error)) + str(error)
    assert KEY not in shown and KEY.lower() not in shown and API_KEY not in shown


def test_the_user_agent_can_be_extended() -> None:
    with serving([answer(VALID_BODY)]) as server:
        client(server.url, user_agent="my-app/1.0").validate(KEY)
        assert b"/0.2.0 my-app/1.0\r\n" in server.requests[0]
    for invalid in ("a\r\nX-Other: 1", "ü", "x" * 300):
        with pytest.raises(ValueError, match="user_agent"):
            client(server.url, user_agent=invalid)
