"""What the cases of the conformance suite cannot say: threads, odd servers, and settings that cannot be right."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
import signal
import ssl
import threading
import time
from datetime import datetime, timezone
from typing import Any

import pytest

import countersign
from countersign import AsyncCountersign, ConnectionError, Countersign, ServerError, Signing, TimeoutError
from local_server import CLOSE, REFUSED_BODY, VALID_BODY, Part, answer, saying

KEY = "ABCD-EFGH-JKMN-PQRS"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_a_redirect_is_not_followed_and_the_key_stays_here() -> None:
    with saying([answer(VALID_BODY)]) as other:
        for status in ("301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"):
            with saying([answer(b"", status, f"Location: {other.url}/api/v1/validate")]) as server:
                with pytest.raises(ServerError):
                    Countersign("csk_test", server.url).validate(KEY)
        assert other.asked == []


@pytest.mark.parametrize("status", ["200 OK", "500 Internal Server Error"])
def test_an_answer_in_drips_gets_no_more_time(status: str) -> None:
    begun = answer(VALID_BODY, status)[:-20]
    drips: list[Part] = [0.2, b" "] * 20
    with saying([begun, *drips]) as server:
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            Countersign("csk_test", server.url, timeout_seconds=0.6).validate(KEY)
        assert time.monotonic() - started < 3


def test_headers_in_drips_get_no_more_time() -> None:
    drips: list[Part] = [0.2, b"A: b\r\n"] * 20
    with saying([b"HTTP/1.1 200 OK\r\n", *drips]) as server:
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            Countersign("csk_test", server.url, timeout_seconds=0.6).validate(KEY)
        assert time.monotonic() - started < 3


def test_a_name_that_takes_long_to_resolve_gets_no_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object, **__: object) -> list[Any]:
        time.sleep(5)
        return []

    monkeypatch.setattr("socket.getaddrinfo", slow)
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        Countersign("csk_test", "http://licenses.invalid", timeout_seconds=0.5).validate(KEY)
    assert time.monotonic() - started < 3


def test_a_whole_answer_is_enough_although_the_connection_stays_open() -> None:
    with saying([answer(VALID_BODY)]) as server:
        started = time.monotonic()
        assert Countersign("csk_test", server.url, timeout_seconds=5).validate(KEY).valid
        assert time.monotonic() - started < 3


@pytest.mark.parametrize("length", ["many", "-1", "1e3", ""])
def test_a_length_that_is_no_number(length: str) -> None:
    text = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode()
    with saying([text + VALID_BODY, CLOSE]) as server:
        assert Countersign("csk_test", server.url).validate(KEY).valid


def test_an_endless_answer() -> None:
    with saying([b"HTTP/1.1 200 OK\r\n\r\n", *[b" " * 65536] * 40]) as server:
        with pytest.raises(ConnectionError, match="longer"):
            Countersign("csk_test", server.url).validate(KEY)


def test_an_answer_that_is_nested_too_deep() -> None:
    with saying([answer(b"[" * 500_000)]) as server:
        with pytest.raises(ServerError):
            Countersign("csk_test", server.url).validate(KEY)
        with pytest.raises(ServerError):
            Countersign("csk_test", server.url).lookup(KEY)


def test_a_limit_until_a_time_beyond_all_numbers() -> None:
    with saying([answer(b'{"retry_after":1' + b"0" * 400 + b"}", "429 Too Many Requests")]) as server:
        with pytest.raises(countersign.RateLimitError) as raised:
            Countersign("csk_test", server.url).validate(KEY)
        assert 0 < raised.value.retry_after_seconds <= 86_400


def test_it_says_who_asks() -> None:
    # Some firewalls turn away what calls itself Python-urllib.
    with saying([answer(VALID_BODY)]) as server:
        Countersign("csk_test", server.url).validate(KEY)
        assert f"user-agent: countersign-python/{countersign.__version__}".encode() in server.asked[0].lower()


@pytest.mark.parametrize("key", ["", "   ", "csk_a b", "csk_\r\nX-Other: 1", "csk_\x00", "csk_\x7f", "csk_…", "csk_é"])
def test_api_keys_that_cannot_be_one(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COUNTERSIGN_API_KEY", raising=False)
    with pytest.raises(ValueError, match="api_key"):
        Countersign(key, "https://licenses.example.com")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "licenses.example.com",
        "file:///etc/passwd",
        "ftp://licenses.example.com",
        "https://",
        "https://:443",
        "https://name:password@licenses.example.com",
        "https://licenses.example.com?a=b",
        "https://licenses.example.com/#a",
        "https://licenses.example.com:port",
        "https://licenses.example.com:99999",
        "https://licenses example.com",
        "https://licenses.example.com/\r\nX-Other: 1",
        "https://bücher.example",
    ],
)
def test_addresses_that_cannot_be_one(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COUNTERSIGN_URL", raising=False)
    with pytest.raises(ValueError, match="base_url") as raised:
        Countersign("csk_test", url)
    assert "password" not in str(raised.value)


@pytest.mark.parametrize("tolerance", [0, -1, float("nan"), float("inf"), 3601])
def test_tolerances_that_would_let_everything_pass(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance_seconds"):
        Signing("product", "ab" * 32, tolerance)


def test_secrets_stay_out_of_logs() -> None:
    assert "abab" not in repr(Signing("product", "ab" * 32))
    assert "csk_test" not in repr(vars(Countersign("csk_test", "https://licenses.example.com"))["_transport"])


def test_a_private_authority_by_a_context_of_ones_own() -> None:
    context = ssl.create_default_context()
    assert Countersign("csk_test", "https://licenses.example.com", ssl_context=context) is not None
    with saying([b"no TLS here"]) as server:
        client = Countersign("csk_test", server.url.replace("http:", "https:"), ssl_context=context, timeout_seconds=1)
        with pytest.raises(ConnectionError):
            client.validate(KEY)


def test_proxies_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with saying([answer(VALID_BODY)]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert Countersign("csk_test", "http://licenses.invalid").validate(KEY).valid
        assert proxy.asked[0].startswith(b"POST http://licenses.invalid/api/v1/validate ")


def test_a_proxy_does_not_see_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with saying([b"HTTP/1.1 403 Forbidden\r\n\r\n", CLOSE]) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        with pytest.raises(ConnectionError):
            Countersign("csk_test", "https://licenses.invalid").validate(KEY)
        assert all(asked.startswith(b"CONNECT licenses.invalid:443 ") for asked in proxy.asked)
        assert not any(b"csk_test" in asked for asked in proxy.asked)


@pytest.mark.parametrize("key", ["KÄY-日本-😀", "a/b?c#d%2e", "..", "\udcff", "a\r\nb"])
def test_license_keys_beyond_the_usual(key: str) -> None:
    with saying([answer(REFUSED_BODY)], [answer(b'{"statusCode":404}', "404 Not Found")]) as server:
        client = Countersign("csk_test", server.url)
        assert client.validate(key).status == "revoked"
        with pytest.raises(countersign.NotFoundError):
            client.lookup(key)
        first_line = server.asked[1].split(b"\r\n")[0]
        assert first_line.startswith(b"GET /api/v1/license/") and first_line.count(b" ") == 2
        assert b"\nb" not in server.asked[1]


@pytest.mark.parametrize("key", ["", "  ", None, 5])
def test_what_is_no_license_key(key: Any) -> None:
    client = Countersign("csk_test", "https://licenses.example.com")
    for ask in (client.validate, client.check, client.lookup, lambda key: client.watch(key, 5, print)):
        with pytest.raises(ValueError, match="license_key"):
            ask(key)


def test_what_one_caller_does_to_a_result_no_other_sees() -> None:
    with saying([answer(VALID_BODY)]) as server:
        client = Countersign("csk_test", server.url)
        for _ in range(3):
            custom: Any = client.validate(KEY).custom
            assert custom == {"plan": "pro"}
            custom["plan"] = "everything"


def test_many_threads_ask_once() -> None:
    with saying([0.3, answer(VALID_BODY)]) as server:
        client = Countersign("csk_test", server.url)
        threads = [threading.Thread(target=client.validate, args=(KEY,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.asked) == 1


def test_who_waits_for_another_is_not_interrupted_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Countersign("csk_test", "https://licenses.example.com")
    begun = threading.Event()
    results: list[object] = []
    right = countersign._models.read_result(VALID_BODY, datetime.now(timezone.utc), None)

    def asked(*_: object) -> Any:
        if not begun.is_set():
            begun.set()
            time.sleep(0.3)
            raise KeyboardInterrupt
        return right

    monkeypatch.setattr(client, "_ask_verdict", asked)

    def interrupted() -> None:
        with pytest.raises(KeyboardInterrupt):
            client.validate(KEY)

    def waiting() -> None:
        try:
            results.append(client.validate(KEY))
        except BaseException as error:
            results.append(error)

    threads = [threading.Thread(target=interrupted)]
    threads[0].start()
    begun.wait(5)
    threads += [threading.Thread(target=waiting) for _ in range(2)]
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join()
    # The first of them asked anew, and the other got the same.
    assert [getattr(result, "valid", result) for result in results] == [True, True]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork.")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_waits_for_nobody_of_its_parent() -> None:
    with saying([2.0, answer(VALID_BODY)], [answer(VALID_BODY)]) as server:
        client = Countersign("csk_test", server.url)
        asking = threading.Thread(target=client.validate, args=(KEY,))
        asking.start()
        while not server.asked:
            time.sleep(0.01)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if client.validate(KEY).valid else 1
            finally:
                os._exit(code)
        end = time.monotonic() + 10
        status = (0, 0)
        while status[0] == 0 and time.monotonic() < end:
            time.sleep(0.05)
            status = os.waitpid(child, os.WNOHANG)
        if status[0] == 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        asking.join()
        assert status == (child, 0)


def test_the_loop_goes_on_while_a_server_is_slow() -> None:
    async def both() -> int:
        client = AsyncCountersign(Countersign("csk_test", server.url))
        asking = asyncio.ensure_future(client.validate(KEY))
        ticks = 0
        while not asking.done():
            await asyncio.sleep(0.02)
            ticks += 1
        assert (await asking).valid
        return ticks

    with saying([0.5, answer(VALID_BODY)]) as server:
        assert asyncio.run(both()) > 2


def test_a_slow_server_takes_no_threads_from_the_rest_of_the_app() -> None:
    async def rest() -> float:
        loop = asyncio.get_running_loop()
        client = AsyncCountersign(Countersign("csk_test", server.url, timeout_seconds=5))
        asking = [asyncio.ensure_future(client.check(f"{KEY}-{number}")) for number in range(40)]
        await asyncio.sleep(0.1)
        started = time.monotonic()
        await loop.run_in_executor(None, time.sleep, 0)
        waited = time.monotonic() - started
        for one in asking:
            one.cancel()
        return waited

    with saying([10.0]) as server:
        assert asyncio.run(rest()) < 3


def test_asyncio_gets_what_is_remembered_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    async def twice() -> None:
        client = AsyncCountersign(Countersign("csk_test", server.url))
        assert (await client.validate(KEY)).source == "server"
        threads = threading.active_count()
        assert (await client.validate(KEY)).source == "cache"
        assert (await client.check(KEY)).allowed
        assert threading.active_count() <= threads
        client.forget()
        assert (await client.validate(KEY)).source == "server"

    with saying([answer(VALID_BODY)]) as server:
        asyncio.run(twice())


def test_asyncio_can_be_made_without_another_client() -> None:
    with saying([answer(VALID_BODY)]) as server:
        client = AsyncCountersign(api_key="csk_test", base_url=server.url, version="1.0.0")
        assert asyncio.run(client.validate(KEY)).valid
    with pytest.raises(TypeError):
        AsyncCountersign(Countersign("csk_test", server.url), version="1.0.0")


@pytest.mark.parametrize(
    "error",
    [
        countersign.CountersignError("a", "r"),
        countersign.ServerError("a", 503, "r"),
        countersign.SignatureError("stale", "r"),
        countersign.WebhookError("stale", "a"),
        countersign.RateLimitError("a", 5, datetime(2026, 6, 1, tzinfo=timezone.utc), "r"),
    ],
)
def test_errors_survive_the_way_to_another_process(error: countersign.CountersignError) -> None:
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert vars(other) == vars(error)
        assert str(other) == str(error)
