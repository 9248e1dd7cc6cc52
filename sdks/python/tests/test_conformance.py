"""Every case of ../conformance, against the server that plays them."""

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
from conformance_server import USUAL_KEY, arm, get, suite
from countersign import AsyncCountersign, Countersign, Signing, WebhookError, verify_webhook

SUITE = suite()
CASES = [(name, case) for name, file in SUITE.items() for case in file.get("cases", [])]
WEBHOOKS = [(name, case) for name, file in SUITE.items() for case in file.get("webhooks", [])]
KINDS: dict[type[Exception], str] = {
    countersign.AuthenticationError: "authentication",
    countersign.NotFoundError: "not_found",
    countersign.RateLimitError: "rate_limit",
    countersign.ServerError: "server",
    countersign.TimeoutError: "timeout",
    countersign.ConnectionError: "connection",
    countersign.SignatureError: "signature",
    countersign.WebhookError: "webhook",
}


def test_there_are_cases() -> None:
    assert len(SUITE) > 15
    assert set().union(*(file.keys() for file in SUITE.values())) == {"about", "cases", "webhooks"}
    assert len(CASES) > 250
    assert len(WEBHOOKS) > 30


@pytest.mark.parametrize("use", ["sync", "async"])
@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}: {case['name']}" for name, case in CASES])
def test_case(name: str, case: dict[str, Any], use: str) -> None:
    known = {"name", "client", "answers", "steps", "sent", "different_headers"}
    assert set(case) <= known, "the case says something that this runner does not know"
    armed = arm(*case["answers"])
    # Where a real server answers, what the client has to be made with and the time are the server's.
    scene = Scene(armed.url, {**case.get("client", {}), **armed.client}, armed.now, use)
    for step in case["steps"]:
        scene.play(step)
    requests = scene.requests()
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
    assert set(case) <= known, "the case says something that this runner does not know"
    bodies: list[Any] = [case["body"], case["body"].encode()]
    if case.get("body_is_parsed"):
        bodies = [json.loads(case["body"])]
    for body in bodies:
        try:
            event = verify_webhook(body, case["headers"], case["secrets"], now=seconds(case["now"]))
        except WebhookError as error:
            assert {"kind": "webhook", "reason": error.reason} == case["expect"]["error"]
        else:
            assert plain(asdict(event)) == case["expect"]["event"]


class Scene:
    def __init__(self, url: str, settings: dict[str, Any], now: str, use: str) -> None:
        self.url = url
        self.settings = settings
        self.use = use
        self.clock = FakeClock(now)
        self.kept: dict[str, str] = {}
        self.open()

    def play(self, step: dict[str, Any]) -> None:
        deeds = [key for key in step if key not in ("expect", "clock", "times_at_once")]
        assert len(deeds) == 1, "a step does one thing"
        name, value = deeds[0], step[deeds[0]]
        if name in ("validate", "check", "lookup"):
            self.at_once(step.get("times_at_once", 1), name, value, step["expect"])
        elif name == "advance_seconds":
            if step.get("clock") != "wall":
                self.clock.steady_now += value
            if step.get("clock") != "steady":
                self.clock.wall_now += value
        elif name == "restart":
            # Another process: its steady clock begins anywhere.
            self.clock.steady_now = 7
            self.open()
        elif name == "forget":
            self.client.forget()
        elif name == "tamper_with_grace":
            for key, text in self.kept.items():
                self.kept[key] = text.replace(value[0], value[1], 1)
        elif name == "requests":
            assert len(self.requests()) == value
        else:
            raise AssertionError(f"This runner does not know the step {name}.")

    def requests(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = get(self.url)["requests"]
        return found

    def open(self) -> None:
        # A setting that is not known is refused by the client itself.
        given = dict(self.settings)
        api_key = given.pop("api_key", "csk_test")
        signing = given.pop("signing", None)
        timeout = given.pop("timeout_ms", 5000) / 1000
        store = MemoryStore(self.kept) if given.pop("grace_store", False) else None
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

    def at_once(self, times: int, name: str, value: dict[str, Any], expect: dict[str, Any]) -> None:
        options = dict(value)
        key = options.pop("license_key", USUAL_KEY)
        for one in self.run(times, name, key, **options):
            judge(one, expect)

    def run(self, times: int, name: str, key: str, **options: Any) -> list[Any]:
        """So many calls at once, by threads or within one loop; errors are among what comes back."""
        if self.use == "sync":
            # However long it takes until all the threads run, they ask together.
            together = threading.Barrier(times)

            def ask() -> Any:
                together.wait()
                return getattr(self.client, name)(key, **options)

            with ThreadPoolExecutor(times) as threads:
                asked = [threads.submit(ask) for _ in range(times)]
                return [one.exception() or one.result() for one in asked]

        async def all_of_them() -> list[Any]:
            ask = getattr(AsyncCountersign(self.client), name)
            return await asyncio.gather(*(ask(key, **options) for _ in range(times)), return_exceptions=True)

        return asyncio.run(all_of_them())


def judge(outcome: Any, expect: dict[str, Any]) -> None:
    if isinstance(outcome, BaseException):
        if not isinstance(outcome, countersign.CountersignError) or "error" not in expect:
            raise outcome
        said = {**plain(vars(outcome)), "kind": KINDS[type(outcome)]}
    elif "decision" in expect:
        error = outcome.error
        said = {"allowed": outcome.allowed, "error": None if error is None else KINDS[type(error)]}
    else:
        assert "error" not in expect, outcome
        said = plain(asdict(outcome))
    (wanted,) = expect.values()
    for name, one in wanted.items():
        assert said[name] == one, name


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
    def __init__(self, kept: dict[str, str]) -> None:
        self.kept = kept

    def load(self, name: str) -> str | None:
        return self.kept.get(name)

    def save(self, name: str, text: str) -> None:
        self.kept[name] = text

    def remove(self, name: str) -> None:
        self.kept.pop(name, None)


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


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: written(value) if isinstance(value, datetime) else value for name, value in fields.items()}


def written(time: datetime) -> str:
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(time: str) -> float:
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
