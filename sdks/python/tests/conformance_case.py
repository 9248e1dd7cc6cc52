"""Runs the steps of one conformance case, with threads or with asyncio."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Callable

import countersign
from conformance_clock import FakeClock, MemoryStore, with_iso_times
from conformance_server import DEFAULT_KEY, get
from countersign import AsyncCountersign, Countersign, Signing
from local_server import wait_until

KINDS: dict[type[Exception], str] = {
    countersign.AuthenticationError: "authentication",
    countersign.NotFoundError: "not_found",
    countersign.RateLimitError: "rate_limit",
    countersign.SandboxError: "sandbox",
    countersign.ServerError: "server",
    countersign.TimeoutError: "timeout",
    countersign.ConnectionError: "connection",
    countersign.SignatureError: "signature",
    countersign.WebhookError: "webhook",
}
#: Shorter keys are not looked for in errors.
MIN_KEY_LENGTH = 8
#: What a step can have besides its action.
DETAILS = {"expect", "clock", "times_at_once", "start", "finish"}


class CaseRunner:
    def __init__(self, url: str, settings: dict[str, Any], now: str, use: str) -> None:
        self.url = url
        self.settings = settings
        self.calls = AsyncCalls() if use == "async" else ThreadCalls()
        self.clock = FakeClock(now)
        self.stored: dict[str, str] = {}
        self.started: dict[str, Future[Any]] = {}
        self.open()

    def __enter__(self) -> CaseRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.calls.close()

    def run_step(self, step: dict[str, Any]) -> None:
        if "finish" in step:
            assert set(step) == {"finish", "expect"}
            self.check_outcome(outcome_of(self.started.pop(step["finish"])), step["expect"])
            return
        actions = [key for key in step if key not in DETAILS]
        assert len(actions) == 1, "a step has one action"
        name, value = actions[0], step[actions[0]]
        if "start" in step:
            self.start(step["start"], name, value)
        elif name in ("validate", "check", "lookup"):
            work = self.work(name, value)
            for call in self.calls.start([work] * step.get("times_at_once", 1)):
                self.check_outcome(outcome_of(call), step["expect"], value.get("license_key"))
        elif name == "cached":
            options = dict(value)
            result = self.client.cached(options.pop("license_key", DEFAULT_KEY), **options)
            expected = step["expect"]["result"]
            if expected is None:
                assert result is None
            else:
                self.check_outcome(result, {"result": expected})
        elif name == "advance_seconds":
            self.settle()
            if step.get("clock") != "wall":
                self.clock.steady_now += value
            if step.get("clock") != "steady":
                self.clock.wall_now += value
        elif name == "restart":
            self.settle()
            # A new process: its steady clock starts at an arbitrary time.
            self.clock.steady_now = 7
            if value is not True:
                self.settings = {**self.settings, **value}
            self.client.close()
            self.open()
        elif name == "forget":
            self.client.forget()
        elif name == "tamper_with_grace":
            self.settle()
            for key, text in self.stored.items():
                self.stored[key] = text.replace(value[0], value[1], 1)
        elif name == "requests":
            wait_until(lambda: len(self.requests()) >= value)
            assert len(self.requests()) == value
        else:
            raise AssertionError(f"This runner does not know the step {name}.")

    def start(self, label: str, name: str, value: dict[str, Any]) -> None:
        """Start a call, and wait until it has sent its request, or joined another."""
        before = len(self.requests())
        (call,) = self.calls.start([self.work(name, value)])
        self.started[label] = call
        pending = self.client._validations._pending

        def has_started() -> bool:
            joined = any(one.waiting_calls > 1 for one in pending._pending.values())
            return call.done() or joined or len(self.requests()) > before

        wait_until(has_started)

    def work(self, name: str, value: dict[str, Any]) -> Callable[[Any], Any]:
        options = dict(value)
        key = options.pop("license_key", DEFAULT_KEY)
        if "timeout_ms" in options:
            options["timeout_seconds"] = options.pop("timeout_ms") / 1000
        client = AsyncCountersign(client=self.client) if isinstance(self.calls, AsyncCalls) else self.client
        return lambda _: getattr(client, name)(key, **options)

    def check_outcome(self, outcome: Any, expect: dict[str, Any], license_key: str | None = None) -> None:
        error = outcome if isinstance(outcome, BaseException) else getattr(outcome, "error", None)
        if error is not None:
            require_no_keys(error, [self.settings.get("api_key", "csk_test"), license_key or DEFAULT_KEY])
        check_outcome(outcome, expect)

    def settle(self) -> None:
        """Wait for what the client does in the background."""
        assert self.client._validations.grace.background.settle(20)

    def requests(self) -> list[dict[str, Any]]:
        requests: list[dict[str, Any]] = get(self.url)["requests"]
        return requests

    def open(self) -> None:
        # The client itself rejects unknown settings.
        given = dict(self.settings)
        api_key = given.pop("api_key", "csk_test")
        signing = given.pop("signing", None)
        timeout = given.pop("timeout_ms", 5000) / 1000
        store = MemoryStore(self.stored) if given.pop("grace_store", False) else None
        self.client = Countersign(
            api_key,
            self.url,
            timeout_seconds=timeout,
            signing=None if signing is None else Signing(**signing),
            grace_store=store,
            clock=self.clock,
            random=lambda: 0.0,
            **given,
        )


class ThreadCalls:
    """Makes calls in threads that start together."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(64)

    def start(self, works: list[Callable[[Any], Any]]) -> list[Future[Any]]:
        together = threading.Barrier(len(works))

        def call(work: Callable[[Any], Any]) -> Any:
            together.wait()
            return work(None)

        return [self.threads.submit(call, work) for work in works]

    def close(self) -> None:
        self.threads.shutdown()


class AsyncCalls(ThreadCalls):
    """Makes calls in one event loop, which runs in a thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def start(self, works: list[Callable[[Any], Any]]) -> list[Future[Any]]:
        return [asyncio.run_coroutine_threadsafe(work(None), self.loop) for work in works]

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


def outcome_of(call: Future[Any]) -> Any:
    return call.exception(60) or call.result()


def require_no_keys(error: BaseException, keys: list[str]) -> None:
    """Fail if an error, or what caused it, contains a key that was sent. Short keys are part of other words."""
    shown = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    causes = [one for one in (error, error.__cause__, error.__context__) if one is not None]
    shown += "".join(repr(one) + repr(vars(one)) for one in causes)
    for key in keys:
        assert len(key.strip()) < MIN_KEY_LENGTH or key.strip() not in shown


def check_outcome(outcome: Any, expect: dict[str, Any]) -> None:
    if isinstance(outcome, BaseException):
        if not isinstance(outcome, countersign.CountersignError) or "error" not in expect:
            raise outcome
        actual = {**with_iso_times(vars(outcome)), "kind": KINDS[type(outcome)]}
    elif "decision" in expect:
        error = outcome.error
        actual = {"allowed": outcome.allowed, "error": None if error is None else KINDS[type(error)]}
    else:
        assert "error" not in expect, outcome
        actual = with_iso_times(asdict(outcome))
    (expected,) = expect.values()
    for name, value in expected.items():
        if name in ("headers", "rate_limit") and value is not None:
            assert {key: actual[name].get(key) for key in value} == value, name
        else:
            assert actual[name] == value, name


def check_sent(request: dict[str, Any], wanted: dict[str, Any]) -> None:
    known = {"method", "path", "headers", "header_patterns", "body", "has_header", "has_no_header"}
    assert set(wanted) <= known
    for name in ("method", "path"):
        if name in wanted:
            assert request[name] == wanted[name]
    for name, value in wanted.get("headers", {}).items():
        assert request["headers"][name] == value
    for name, pattern in wanted.get("header_patterns", {}).items():
        assert re.search(pattern, request["headers"][name]), name
    if "body" in wanted:
        assert json.loads(request["body"]) == wanted["body"]
    if "has_header" in wanted:
        assert request["headers"].get(wanted["has_header"])
    if "has_no_header" in wanted:
        assert wanted["has_no_header"] not in request["headers"]
