"""Connections: kept open, replaced if stale, decompressed with a limit, and not shared with a forked process."""

from __future__ import annotations

import gzip
import os
import signal
import socket
import threading
import warnings
from typing import Any

import pytest

from countersign import ConnectionError, Countersign, ServerError, TimeoutError
from local_server import CLOSE, NOT_FOUND_BODY, VALID_BODY, Part, answer, serving, wait_until

KEY = "ABCD-EFGH-JKMN-PQRS"
COMPRESSED = "Content-Encoding: gzip"


def client(url: str, **settings: Any) -> Countersign:
    return Countersign("csk_test", url, cache_seconds=0, timeout_seconds=10, **settings)


def test_one_connection_serves_many_requests() -> None:
    with serving([answer(VALID_BODY)]) as server:
        one = client(server.url)
        for _ in range(20):
            assert one.validate(KEY).valid
        assert (len(server.requests), server.opened) == (20, 1)
        one.close()
        wait_until(lambda: server.closed_by_client == 1)
        assert one.validate(KEY).valid
        assert server.opened == 2


def test_an_error_response_keeps_the_connection() -> None:
    with serving([answer(b"{}", "404 Not Found")], [answer(b"", "503 Unavailable")], [answer(VALID_BODY)]) as server:
        one = client(server.url)
        with pytest.raises(ServerError):
            one.validate(KEY)
        assert one.validate(KEY).valid
        assert (len(server.requests), server.opened) == (3, 1)


@pytest.mark.parametrize(
    "response",
    [
        [answer(VALID_BODY, "200 OK", "Connection: close"), CLOSE],
        [b"HTTP/1.1 200 OK\r\n\r\n" + VALID_BODY, CLOSE],
        [answer(VALID_BODY).replace(b"HTTP/1.1", b"HTTP/1.0"), CLOSE],
    ],
    ids=["Connection: close", "without a length", "HTTP/1.0"],
)
def test_a_connection_that_the_server_closes_is_not_reused(response: list[Part]) -> None:
    with serving(response) as server:
        one = client(server.url, retries=0)
        assert one.validate(KEY).valid and one.validate(KEY).valid
        assert (len(server.requests), server.opened) == (2, 2)


def test_chunked_responses_keep_the_connection() -> None:
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (VALID_BODY[:10], VALID_BODY[10:]))
    response = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
    with serving([response]) as server:
        one = client(server.url)
        assert one.validate(KEY).valid and one.validate(KEY).valid
        assert server.opened == 1


def test_a_stale_connection_is_replaced_without_counting_as_a_retry() -> None:
    attempts: list[int] = []
    with serving([answer(VALID_BODY), CLOSE]) as server:
        one = client(server.url, retries=0, on_request=lambda event: attempts.append(event.attempt))
        for _ in range(5):
            assert one.validate(KEY).valid
        assert attempts == [1] * 5
        assert len(server.requests) == 5


def test_a_connection_that_is_cut_while_the_request_is_sent_is_replaced() -> None:
    # The server closes the connection on receiving the second request: the check before sending cannot notice.
    with serving([answer(VALID_BODY)], [CLOSE], [answer(VALID_BODY)]) as server:
        one = client(server.url, retries=0)
        assert one.validate(KEY).valid and one.validate(KEY).valid
        assert (len(server.requests), server.opened) == (3, 2)


def test_a_request_is_not_sent_again_once_the_response_has_begun() -> None:
    with serving([answer(VALID_BODY)], [b"HTTP/1.1 200", CLOSE], [answer(VALID_BODY)]) as server:
        one = client(server.url, retries=0)
        assert one.validate(KEY).valid
        with pytest.raises(ConnectionError):
            one.validate(KEY)
        assert len(server.requests) == 2


def test_a_new_connection_that_is_cut_is_only_replaced_by_a_retry() -> None:
    with serving([CLOSE], [answer(VALID_BODY)]) as server:
        with pytest.raises(ConnectionError):
            client(server.url, retries=0).validate(KEY)
        assert len(server.requests) == 1


def test_a_timeout_on_a_reused_connection_is_a_timeout() -> None:
    with serving([answer(VALID_BODY)], [60.0]) as server:
        one = client(server.url)
        assert one.validate(KEY).valid
        with pytest.raises(TimeoutError):
            one.validate(KEY, timeout_seconds=0.3)
        assert len(server.requests) == 2
        # The response may still arrive, so the connection is not used for another request.
        wait_until(lambda: server.closed_by_client == 1)


def test_the_number_of_idle_connections_is_limited() -> None:
    have_all_arrived = threading.Event()
    with serving([have_all_arrived, answer(VALID_BODY)]) as server:
        one = Countersign("csk_test", server.url, timeout_seconds=60)
        threads = [threading.Thread(target=one.validate, args=(f"{KEY}-{number}",)) for number in range(40)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(server.requests) == 40)
        have_all_arrived.set()
        for thread in threads:
            thread.join()
        assert server.opened == 40
        assert len(one._connections._idle) <= 32


def test_idle_connections_cause_no_warning() -> None:
    with serving([answer(VALID_BODY)]) as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        one = client(server.url)
        assert one.validate(KEY).valid
        del one
        wait_until(lambda: server.closed_by_client == 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork.")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_opens_its_own_connections() -> None:
    with serving([answer(VALID_BODY)]) as server:
        one = client(server.url)
        assert one.validate(KEY).valid
        # A lock that another thread holds during the fork would never be released in the child.
        locks: list[Any] = [one._connections._lock, one._validations._lock, one._connections._connector._resolver._lock]
        for lock in locks:
            lock.acquire()
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            code = 1
            try:
                code = 0 if all(one.validate(KEY).valid for _ in range(3)) else 1
            finally:
                os._exit(code)
        for lock in locks:
            lock.release()
        assert os.waitpid(child, 0) == (child, 0)
        assert one.validate(KEY).valid
        # The child used another connection, and the parent's is still open.
        assert (len(server.requests), server.opened) == (5, 2)


def test_compressed_responses_are_decompressed() -> None:
    with serving([answer(gzip.compress(VALID_BODY), "200 OK", COMPRESSED)]) as server:
        one = client(server.url)
        assert one.validate(KEY).valid and one.validate(KEY).valid
        assert b"accept-encoding: gzip" in server.requests[0].lower()
        assert server.opened == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (gzip.compress(b" " * 40_000_000), "larger"),
        (gzip.compress(b" " * (1024 * 1024 + 1)), "larger"),
        (b"no gzip", "decompressed"),
        (gzip.compress(VALID_BODY)[:-9], "IncompleteRead"),
    ],
    ids=["a bomb", "one byte too long", "not compressed", "cut"],
)
def test_a_compressed_response_that_is_too_long_or_broken_is_an_error(body: bytes, message: str) -> None:
    with serving([answer(body, "200 OK", COMPRESSED)]) as server:
        with pytest.raises(ConnectionError, match=message):
            client(server.url, retries=0).validate(KEY)


def test_a_response_of_the_maximum_size_is_read() -> None:
    body = VALID_BODY + b" " * (1024 * 1024 - len(VALID_BODY))
    with serving([answer(gzip.compress(body), "200 OK", COMPRESSED)], [answer(body)]) as server:
        one = client(server.url)
        assert one.validate(KEY).valid and one.validate(KEY).valid


def test_concurrent_calls_share_one_thread_for_dns(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    resume = threading.Event()

    def slow(host: str, *_: object, **__: object) -> list[Any]:
        calls.append(host)
        resume.wait(30)
        raise socket.gaierror("no such host")

    monkeypatch.setattr("socket.getaddrinfo", slow)
    one = Countersign("csk_test", "http://licenses.invalid", timeout_seconds=0.3)
    threads = [threading.Thread(target=one.check, args=(f"{KEY}-{number}",)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    resume.set()
    assert calls == ["licenses.invalid"]


def test_an_ip_address_that_does_not_respond_does_not_use_up_the_time_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A full backlog: the system accepts no further connection.
    full = socket.create_server(("127.0.0.1", 0), backlog=0)
    fillers = [socket.socket() for _ in range(3)]
    for filler in fillers:
        filler.setblocking(False)
        filler.connect_ex(full.getsockname())
    with serving([answer(NOT_FOUND_BODY)]) as server:
        port = int(server.url.rpartition(":")[2])
        addresses = [full.getsockname(), ("127.0.0.1", port)]
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", address) for address in addresses]
        monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: found)
        one = Countersign("csk_test", "http://licenses.invalid", timeout_seconds=4)
        assert one.validate(KEY).status == "license_not_found"
    for opened in [*fillers, full]:
        opened.close()
