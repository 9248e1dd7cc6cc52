"""Every case of ../conformance, against the server that plays them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import countersign
from countersign import AsyncCountersign, Countersign, Signing, WebhookError, verify_webhook

FOLDER = Path(__file__).parents[2] / "conformance"
START = "2026-06-01T12:00:00.000Z"
WRITTEN = "%Y-%m-%dT%H:%M:%S.000Z"
USUAL_KEY = "ABCD-EFGH-JKMN-PQRS"
FILES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
CASES = [(name, case) for name, file in FILES.items() for case in file.get("cases", [])]
WEBHOOKS = [case for file in FILES.values() for case in file.get("webhooks", [])]
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


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    runtime = os.environ.get("COUNTERSIGN_BUN", "bun")
    process = subprocess.Popen(
        [runtime, str(FOLDER / "server.ts")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdin is not None
    yield process.stdout.readline().strip()
    process.stdin.close()
    process.wait(10)


def test_there_are_cases() -> None:
    assert set().union(*(file.keys() for file in FILES.values())) == {"about", "cases", "webhooks"}
    assert len(CASES) > 100


@pytest.mark.parametrize("use", ["sync", "async"])
@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}: {case['name']}" for name, case in CASES])
def test_case(server: str, name: str, case: dict[str, Any], use: str) -> None:
    known = {"name", "client", "answers", "steps", "sent", "different_headers"}
    assert set(case) <= known, "the case says something that this runner does not know"
    armed = post(f"{server}/cases", {"now": START, "answers": case["answers"]})
    scene = Scene(armed["url"], case.get("client", {}), use)
    for step in case["steps"]:
        scene.play(step)
    requests = scene.requests()
    for request, wanted in zip(requests, case.get("sent", [])):
        compare_sent(request, wanted)
    if "different_headers" in case:
        values = [request["headers"][case["different_headers"]] for request in requests]
        assert len(set(values)) == len(values)


@pytest.mark.parametrize("case", WEBHOOKS, ids=[case["name"] for case in WEBHOOKS])
def test_webhook(case: dict[str, Any]) -> None:
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
    def __init__(self, url: str, settings: dict[str, Any], use: str) -> None:
        self.url = url
        self.settings = settings
        self.use = use
        self.clock = FakeClock()
        self.kept: dict[str, str] = {}
        self.open()

    def play(self, step: dict[str, Any]) -> None:
        deeds = [key for key in step if key not in ("expect", "clock", "times_at_once")]
        assert len(deeds) == 1, "a step does one thing"
        name, value = deeds[0], step[deeds[0]]
        if name in ("validate", "check"):
            self.at_once(step.get("times_at_once", 1), lambda: self.ask(name, value, step["expect"]))
        elif name == "lookup":
            key = value.get("license_key", USUAL_KEY)
            self.outcome(lambda: self.run("lookup", key), step["expect"])
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
        with urllib.request.urlopen(self.url) as response:
            found: list[dict[str, Any]] = json.load(response)["requests"]
            return found

    def open(self) -> None:
        given = dict(self.settings)
        signing = given.pop("signing", None)
        timeout = given.pop("timeout_ms", 5000) / 1000
        store = MemoryStore(self.kept) if given.pop("grace_store", False) else None
        self.client = Countersign(
            "csk_test",
            self.url,
            timeout_seconds=timeout,
            signing=None if signing is None else Signing(**signing),
            grace_store=store,
            clock=self.clock,
            random=lambda: 0.0,
            **given,
        )

    def ask(self, name: str, value: dict[str, Any], expect: dict[str, Any]) -> None:
        options = dict(value)
        key = options.pop("license_key", USUAL_KEY)
        self.outcome(lambda: self.run(name, key, **options), expect)

    def run(self, name: str, key: str, **options: Any) -> Any:
        if self.use == "sync":
            return getattr(self.client, name)(key, **options)
        return asyncio.run(getattr(AsyncCountersign(self.client), name)(key, **options))

    def outcome(self, work: Any, expect: dict[str, Any]) -> None:
        try:
            value = work()
        except countersign.CountersignError as error:
            assert "error" in expect, repr(error)
            said = {**plain(vars(error)), "kind": KINDS[type(error)]}
        else:
            assert "error" not in expect, value
            said = (
                plain(asdict(value))
                if "decision" not in expect
                else {
                    "allowed": value.allowed,
                    "error": None if value.error is None else KINDS[type(value.error)],
                }
            )
        (wanted,) = expect.values()
        for name, one in wanted.items():
            assert said[name] == one, name

    def at_once(self, times: int, work: Any) -> None:
        if times == 1:
            work()
            return
        failures: list[BaseException] = []

        def guarded() -> None:
            try:
                work()
            except BaseException as failure:  # noqa: BLE001
                failures.append(failure)

        threads = [threading.Thread(target=guarded) for _ in range(times)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]


class FakeClock:
    def __init__(self) -> None:
        self.wall_now = seconds(START)
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
    return {
        name: value.astimezone(timezone.utc).strftime(WRITTEN) if isinstance(value, datetime) else value
        for name, value in fields.items()
    }


def seconds(time: str) -> float:
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


def post(url: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request) as response:
        return json.load(response)
