"""Runs every case of ../conformance against the conformance server."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import datetime, timezone
from typing import Any

import pytest

import countersign
from conformance_server import DEFAULT_KEY, get, start_case, suite
from countersign import AsyncCountersign, Countersign, Signing, WebhookError, verify_webhook

SUITE = suite()
CASES = [(name, case) for name, file in SUITE.items() for case in file.get("cases", [])]
WEBHOOKS = [(name, case) for name, file in SUITE.items() for case in file.get("webhooks", [])]
PORTAL_URLS = [(name, case) for name, file in SUITE.items() for case in file.get("portal_urls", [])]
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


def test_the_suite_is_complete() -> None:
    assert len(SUITE) > 15
    assert set().union(*(file.keys() for file in SUITE.values())) == {"about", "cases", "webhooks", "portal_urls"}
    assert len(CASES) > 250
    assert len(WEBHOOKS) > 30
    assert len(PORTAL_URLS) > 30


@pytest.mark.parametrize("use", ["sync", "async"])
@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}: {case['name']}" for name, case in CASES])
def test_case(name: str, case: dict[str, Any], use: str) -> None:
    known = {"name", "client", "answers", "steps", "sent", "different_headers"}
    assert set(case) <= known, "the case has members that this runner does not know"
    started_case = start_case(*case["answers"])
    # A real server provides the client's settings and the time.
    runner = CaseRunner(started_case.url, {**case.get("client", {}), **started_case.client}, started_case.now, use)
    for step in case["steps"]:
        runner.run_step(step)
    requests = runner.requests()
    sent = case.get("sent", [])
    assert len(requests) >= len(sent)
    for request, wanted in zip(requests, sent):
        compare_sent(request, wanted)
    if "different_headers" in case:
        values = [request["headers"][case["different_headers"]] for request in requests]
        assert len(set(values)) == len(values)


@pytest.mark.parametrize(("name", "case"), WEBHOOKS, ids=[f"{name}: {case['name']}" for name, case in WEBHOOKS])
def test_webhook(name: str, case: dict[str, Any]) -> None:
    known = {"name", "now", "secrets", "headers", "body", "body_is_parsed", "expect"}
    assert set(case) <= known, "the case has members that this runner does not know"
    bodies: list[Any] = [case["body"], case["body"].encode()]
    if case.get("body_is_parsed"):
        bodies = [json.loads(case["body"])]
    for body in bodies:
        try:
            event = verify_webhook(body, case["headers"], case["secrets"], now=seconds(case["now"]))
        except WebhookError as error:
            assert {"kind": "webhook", "reason": error.reason} == case["expect"]["error"]
        else:
            assert with_iso_times(asdict(event)) == case["expect"]["event"]


@pytest.mark.parametrize(("name", "case"), PORTAL_URLS, ids=[f"{name}: {case['name']}" for name, case in PORTAL_URLS])
def test_portal_url(name: str, case: dict[str, Any]) -> None:
    assert set(case) == {"name", "base_url", "license_key", "expect"}, "this runner knows every member of the case"
    client = Countersign("csk_test", case["base_url"])
    actual: list[dict[str, Any]] = []
    for one in (client, AsyncCountersign(client)):
        try:
            actual.append({"url": one.portal_url(case["license_key"])})
        except ValueError as error:
            assert str(error) == "license_key must be a license key that is not empty."
            actual.append({"error": {"kind": "invalid_argument"}})
    assert actual == [case["expect"]] * 2


class CaseRunner:
    def __init__(self, url: str, settings: dict[str, Any], now: str, use: str) -> None:
        self.url = url
        self.settings = settings
        self.use = use
        self.clock = FakeClock(now)
        self.stored: dict[str, str] = {}
        self.open()

    def run_step(self, step: dict[str, Any]) -> None:
        actions = [key for key in step if key not in ("expect", "clock", "times_at_once")]
        assert len(actions) == 1, "a step has one action"
        name, value = actions[0], step[actions[0]]
        if name in ("validate", "check", "lookup"):
            self.call(step.get("times_at_once", 1), name, value, step["expect"])
        elif name == "advance_seconds":
            if step.get("clock") != "wall":
                self.clock.steady_now += value
            if step.get("clock") != "steady":
                self.clock.wall_now += value
        elif name == "restart":
            # A new process: its steady clock starts at an arbitrary time.
            self.clock.steady_now = 7
            self.open()
        elif name == "forget":
            self.client.forget()
        elif name == "tamper_with_grace":
            for key, text in self.stored.items():
                self.stored[key] = text.replace(value[0], value[1], 1)
        elif name == "requests":
            assert len(self.requests()) == value
        else:
            raise AssertionError(f"This runner does not know the step {name}.")

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

    def call(self, times: int, name: str, value: dict[str, Any], expect: dict[str, Any]) -> None:
        options = dict(value)
        key = options.pop("license_key", DEFAULT_KEY)
        for one in self.concurrent_calls(times, name, key, **options):
            check_outcome(one, expect)

    def concurrent_calls(self, times: int, name: str, key: str, **options: Any) -> list[Any]:
        """Make this many concurrent calls, in threads or in one event loop; return results and errors."""
        if self.use == "sync":
            # All threads start their calls together.
            together = threading.Barrier(times)

            def call() -> Any:
                together.wait()
                return getattr(self.client, name)(key, **options)

            with ThreadPoolExecutor(times) as threads:
                calls = [threads.submit(call) for _ in range(times)]
                return [one.exception() or one.result() for one in calls]

        async def gather_calls() -> list[Any]:
            method = getattr(AsyncCountersign(self.client), name)
            return await asyncio.gather(*(method(key, **options) for _ in range(times)), return_exceptions=True)

        return asyncio.run(gather_calls())


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
        assert actual[name] == value, name


class FakeClock:
    def __init__(self, now: str) -> None:
        self.wall_now = seconds(now)
        self.steady_now = 1.0

    def wall(self) -> float:
        return self.wall_now

    def steady(self) -> float:
        return self.steady_now

    def sleep(self, _seconds: float) -> None:
        pass


class MemoryStore:
    def __init__(self, stored: dict[str, str]) -> None:
        self.stored = stored

    def load(self, name: str) -> str | None:
        return self.stored.get(name)

    def save(self, name: str, text: str) -> None:
        self.stored[name] = text

    def remove(self, name: str) -> None:
        self.stored.pop(name, None)


def compare_sent(request: dict[str, Any], wanted: dict[str, Any]) -> None:
    known = {"method", "path", "headers", "body", "has_header", "has_no_header"}
    assert set(wanted) <= known
    for name in ("method", "path"):
        if name in wanted:
            assert request[name] == wanted[name]
    for name, value in wanted.get("headers", {}).items():
        assert request["headers"][name] == value
    if "body" in wanted:
        assert json.loads(request["body"]) == wanted["body"]
    if "has_header" in wanted:
        assert request["headers"].get(wanted["has_header"])
    if "has_no_header" in wanted:
        assert wanted["has_no_header"] not in request["headers"]


def with_iso_times(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: iso_time(value) if isinstance(value, datetime) else value for name, value in fields.items()}


def iso_time(time: datetime) -> str:
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(time: str) -> float:
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
