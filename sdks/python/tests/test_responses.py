"""Responses that are slow, malformed, too long or redirected."""

from __future__ import annotations

import time
from typing import Any

import pytest

import countersign
from countersign import ConnectionError, Countersign, ServerError, TimeoutError
from local_server import CLOSE, VALID_BODY, Part, answer, serving

KEY = "ABCD-EFGH-JKMN-PQRS"


def test_a_redirect_is_not_followed_and_the_api_key_is_not_sent_elsewhere() -> None:
    with serving([answer(VALID_BODY)]) as other:
        for status in ("301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"):
            with serving([answer(b"", status, f"Location: {other.url}/api/v1/validate")]) as server:
                with pytest.raises(ServerError):
                    Countersign("csk_test", server.url).validate(KEY)
        assert other.requests == []


@pytest.mark.parametrize("status", ["200 OK", "500 Internal Server Error"])
def test_a_slow_body_does_not_extend_the_timeout(status: str) -> None:
    beginning = answer(VALID_BODY, status)[:-20]
    slow_parts: list[Part] = [0.2, b" "] * 20
    with serving([beginning, *slow_parts]) as server:
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            Countersign("csk_test", server.url, timeout_seconds=0.6).validate(KEY)
        assert time.monotonic() - started < 3


def test_slow_headers_do_not_extend_the_timeout() -> None:
    slow_parts: list[Part] = [0.2, b"A: b\r\n"] * 20
    with serving([b"HTTP/1.1 200 OK\r\n", *slow_parts]) as server:
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            Countersign("csk_test", server.url, timeout_seconds=0.6).validate(KEY)
        assert time.monotonic() - started < 3


def test_slow_dns_resolution_does_not_extend_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object, **__: object) -> list[Any]:
        time.sleep(5)
        return []

    monkeypatch.setattr("socket.getaddrinfo", slow)
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        Countersign("csk_test", "http://licenses.invalid", timeout_seconds=0.5).validate(KEY)
    assert time.monotonic() - started < 3


def test_a_complete_response_returns_while_the_connection_stays_open() -> None:
    with serving([answer(VALID_BODY)]) as server:
        started = time.monotonic()
        assert Countersign("csk_test", server.url, timeout_seconds=5).validate(KEY).valid
        assert time.monotonic() - started < 3


@pytest.mark.parametrize("length", ["many", "-1", "1e3", ""])
def test_an_invalid_content_length_is_ignored(length: str) -> None:
    text = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode()
    with serving([text + VALID_BODY, CLOSE]) as server:
        assert Countersign("csk_test", server.url).validate(KEY).valid


def test_an_endless_response_is_a_connection_error() -> None:
    with serving([b"HTTP/1.1 200 OK\r\n\r\n", *[b" " * 65536] * 40]) as server:
        with pytest.raises(ConnectionError, match="larger"):
            Countersign("csk_test", server.url).validate(KEY)


def test_deeply_nested_json_is_a_server_error() -> None:
    with serving([answer(b"[" * 500_000)]) as server:
        with pytest.raises(ServerError):
            Countersign("csk_test", server.url).validate(KEY)
        with pytest.raises(ServerError):
            Countersign("csk_test", server.url).lookup(KEY)


def test_the_user_agent_names_the_sdk() -> None:
    # Some firewalls block the default user agent, Python-urllib.
    with serving([answer(VALID_BODY)]) as server:
        Countersign("csk_test", server.url).validate(KEY)
        assert f"user-agent: countersign-python/{countersign.__version__}".encode() in server.requests[0].lower()
