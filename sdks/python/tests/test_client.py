"""Settings, license keys, threads and forked processes."""

from __future__ import annotations

import copy
import json
import os
import pickle
import signal
import ssl
import threading
import time
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, Callable

import pytest

import countersign
from countersign import ConnectionError, Countersign, Signing
from countersign._api import Verdict
from countersign._parsing import read_result
from local_server import REVOKED_BODY, VALID_BODY, answer, serving

KEY = "ABCD-EFGH-JKMN-PQRS"


@pytest.mark.parametrize("key", ["", "   ", "csk_a b", "csk_\r\nX-Other: 1", "csk_\x00", "csk_\x7f", "csk_…", "csk_é"])
def test_invalid_api_keys_are_rejected(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COUNTERSIGN_API_KEY", raising=False)
    with pytest.raises(ValueError, match="api_key"):
        Countersign(key, "https://license.example.com")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "license.example.com",
        "file:///etc/passwd",
        "ftp://license.example.com",
        "https://",
        "https://:443",
        "https://name:password@license.example.com",
        "https://license.example.com?a=b",
        "https://license.example.com/#a",
        "https://license.example.com:port",
        "https://license.example.com:99999",
        "https://licenses example.com",
        "https://license.example.com/\r\nX-Other: 1",
        "https://bücher.example",
    ],
)
def test_invalid_base_urls_are_rejected(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COUNTERSIGN_URL", raising=False)
    with pytest.raises(ValueError, match="base_url") as raised:
        Countersign("csk_test", url)
    assert "password" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("timeout_seconds", [0, -1, 121, float("nan")]),
        ("retries", [-1, 6, 1.5, True, "1"]),
        ("cache_seconds", [-1, 86_401]),
        ("not_found_cache_seconds", [-1, 3_601]),
        ("cache_entries", [-1]),
        ("grace_seconds", [-1, 30 * 86_400 + 1]),
        ("when_unavailable", ["open"]),
    ],
)
def test_invalid_settings_are_rejected(name: str, values: list[Any]) -> None:
    client = Countersign("csk_test", "https://license.example.com")
    for value in values:
        with pytest.raises(ValueError, match=name):
            Countersign("csk_test", "https://license.example.com", **{name: value})
        if name in ("timeout_seconds", "retries"):
            for method in (client.validate, client.check, client.lookup):
                with pytest.raises(ValueError, match=name):
                    method(KEY, **{name: value})


@pytest.mark.parametrize("tolerance", [0, -1, float("nan"), float("inf"), 3601])
def test_invalid_tolerances_are_rejected(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance_seconds"):
        Signing("product", "ab" * 32, tolerance)


def test_secrets_are_not_in_the_repr() -> None:
    assert "abab" not in repr(Signing("product", "ab" * 32))
    assert "csk_test" not in repr(Countersign("csk_test", "https://license.example.com"))


def test_a_custom_ssl_context_is_accepted() -> None:
    context = ssl.create_default_context()
    assert Countersign("csk_test", "https://license.example.com", ssl_context=context) is not None
    with serving([b"no TLS here"]) as server:
        client = Countersign("csk_test", server.url.replace("http:", "https:"), ssl_context=context, timeout_seconds=1)
        with pytest.raises(ConnectionError):
            client.validate(KEY)


@pytest.mark.parametrize("key", ["KÄY-日本-😀", "a/b?c#d%2e", "..", " a b\r\n"])
def test_unusual_license_keys_are_sent_safely(key: str) -> None:
    with serving([answer(REVOKED_BODY)], [answer(b'{"statusCode":404}', "404 Not Found")]) as server:
        client = Countersign("csk_test", server.url)
        assert client.validate(key).status == "revoked"
        with pytest.raises(countersign.NotFoundError):
            client.lookup(key)
        first_line = server.requests[1].split(b"\r\n")[0]
        assert first_line.startswith(b"GET /api/v1/license/") and first_line.count(b" ") == 2


@pytest.mark.parametrize("key", [5, b"KEY", ["KEY"], {}])
def test_a_license_key_of_another_type_is_an_argument_error(key: Any) -> None:
    client = Countersign("csk_test", "https://license.example.com")
    methods: list[Callable[[Any], object]] = [
        client.validate,
        client.check,
        client.cached,
        client.lookup,
        lambda key: client.watch(key, 5, print),
    ]
    for method in methods:
        with pytest.raises(TypeError, match="license_key"):
            method(key)


@pytest.mark.parametrize("key", ["", " \ufeff", None, "a\udcff", "a\r\nb", "x" * 65])
def test_impossible_keys_are_answered_without_a_request(key: Any) -> None:
    client = Countersign("csk_test", "http://127.0.0.1:9", when_unavailable="advisory")
    decision = client.check(key)
    assert (decision.allowed, decision.error) == (False, None)
    for result in (client.validate(key), client.cached(key), decision.result):
        assert result is not None
        assert (result.valid, result.status, result.source) == (False, "license_not_found", "local")
    with pytest.raises(countersign.NotFoundError):
        client.lookup(key)


def test_a_result_cannot_be_changed_and_can_be_copied_and_pickled() -> None:
    body = VALID_BODY.replace(b'"pro"', b'["a",{"b":[]}]')
    with serving([answer(body)]) as server:
        result = Countersign("csk_test", server.url).validate(KEY)
    custom: Any = result.custom
    assert custom == {"plan": ["a", {"b": []}]}
    changes: list[Callable[[], object]] = [
        lambda: custom.update(plan="all"),
        lambda: custom.pop("plan"),
        lambda: custom.__setitem__("plan", "all"),
        lambda: custom["plan"].append("all"),
        lambda: custom["plan"][1].clear(),
        lambda: custom["plan"][1]["b"].extend("x"),
        lambda: setattr(result, "valid", False),
    ]
    for change in changes:
        with pytest.raises((TypeError, AttributeError)):
            change()
    for other in (copy.deepcopy(result), pickle.loads(pickle.dumps(result)), replace(result)):
        assert other == result
    assert json.loads(json.dumps(custom)) == custom and hash(result) is not None


def test_concurrent_threads_share_one_request() -> None:
    with serving([0.3, answer(VALID_BODY)]) as server:
        client = Countersign("csk_test", server.url)
        threads = [threading.Thread(target=client.validate, args=(KEY,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.requests) == 1


def test_an_interrupted_thread_does_not_interrupt_the_waiting_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Countersign("csk_test", "https://license.example.com")
    started = threading.Event()
    results: list[object] = []
    valid_result = read_result(VALID_BODY, datetime.now(timezone.utc), None)
    assert valid_result is not None

    def request_verdict(*_: object) -> Any:
        if not started.is_set():
            started.set()
            time.sleep(0.3)
            raise KeyboardInterrupt
        return Verdict(valid_result, is_sandbox=False)

    monkeypatch.setattr(client._api, "validate", request_verdict)

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
    started.wait(5)
    threads += [threading.Thread(target=waiting) for _ in range(2)]
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join()
    # The first of them sent a new request, and the other shared its result.
    assert [getattr(result, "valid", result) for result in results] == [True, True]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork.")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_does_not_wait_for_its_parents_threads() -> None:
    with serving([2.0, answer(VALID_BODY)], [answer(VALID_BODY)]) as server:
        client = Countersign("csk_test", server.url)
        pending = threading.Thread(target=client.validate, args=(KEY,))
        pending.start()
        while not server.requests:
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
        pending.join()
        assert status == (child, 0)
