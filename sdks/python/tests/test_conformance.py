"""Runs every case of ../conformance against the conformance server."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from conformance_case import CaseRunner, check_sent
from conformance_clock import seconds, with_iso_times
from conformance_server import start_case, suite
from countersign import AsyncCountersign, Countersign, WebhookError, sign_webhook, verify_webhook
from countersign.device import device_id_from

SUITE = suite()


def cases_of(kind: str) -> list[Any]:
    found = [(name, case) for name, file in SUITE.items() for case in file.get(kind, [])]
    return [pytest.param(case, id=f"{name}: {case['name']}") for name, case in found]


def with_each_use(case: Any) -> list[Any]:
    """In live variants, only where the same response comes from is different: one client is enough for them."""
    uses = ["sync"] if case.id.startswith("live variants of ") else ["sync", "async"]
    return [pytest.param(*case.values, use, id=f"{case.id}-{use}") for use in uses]


CASES = cases_of("cases")
WEBHOOKS = cases_of("webhooks")
SIGNED_WEBHOOKS = cases_of("signed_webhooks")
PORTAL_URLS = cases_of("portal_urls")
DEVICE_IDS = cases_of("device_ids")


def test_the_suite_is_complete() -> None:
    assert len(SUITE) > 15
    known = {"about", "cases", "webhooks", "signed_webhooks", "portal_urls", "device_ids"}
    assert set().union(*(file.keys() for file in SUITE.values())) == known
    assert len(CASES) > 500
    assert len(WEBHOOKS) > 30
    assert len(SIGNED_WEBHOOKS) > 3
    assert len(DEVICE_IDS) > 15
    assert len(PORTAL_URLS) > 30


@pytest.mark.parametrize(("case", "use"), [one for case in CASES for one in with_each_use(case)])
def test_case(case: dict[str, Any], use: str) -> None:
    known = {"name", "client", "answers", "steps", "sent", "different_headers"}
    assert set(case) <= known, "the case has members that this runner does not know"
    started_case = start_case(*case["answers"])
    # A real server provides the client's settings and the time.
    settings = {**case.get("client", {}), **started_case.client}
    with CaseRunner(started_case.url, settings, started_case.now, use) as runner:
        for step in case["steps"]:
            runner.run_step(step)
        requests = runner.requests()
    sent = case.get("sent", [])
    assert len(requests) >= len(sent)
    for request, wanted in zip(requests, sent):
        check_sent(request, wanted)
    if "different_headers" in case:
        values = [request["headers"][case["different_headers"]] for request in requests]
        assert len(set(values)) == len(values)


@pytest.mark.parametrize("case", WEBHOOKS)
def test_webhook(case: dict[str, Any]) -> None:
    known = {"name", "now", "secrets", "headers", "body", "body_is_parsed", "expect"}
    assert set(case) <= known, "the case has members that this runner does not know"
    raw = case["body"].encode()
    bodies: list[Any] = [case["body"], raw, bytearray(raw), memoryview(raw)]
    if case.get("body_is_parsed"):
        bodies = [json.loads(case["body"])]
    for body in bodies:
        try:
            event = verify_webhook(body, case["headers"], case["secrets"], now=seconds(case["now"]))
        except WebhookError as error:
            assert {"kind": "webhook", "reason": error.reason} == case["expect"]["error"]
        except ValueError:
            assert case["expect"]["error"] == {"kind": "invalid_argument"}
        else:
            assert with_iso_times(asdict(event)) == case["expect"]["event"]


@pytest.mark.parametrize("case", SIGNED_WEBHOOKS)
def test_signed_webhook(case: dict[str, Any]) -> None:
    assert set(case) == {"name", "secret", "id", "timestamp", "body", "expect"}
    signed = sign_webhook(case["body"], secret=case["secret"], id=case["id"], timestamp=case["timestamp"])
    assert signed.body == case["body"].encode()
    assert signed.headers == case["expect"]["headers"]
    assert verify_webhook(signed.body, signed.headers, case["secret"], now=case["timestamp"]).id == case["id"]


@pytest.mark.parametrize("case", PORTAL_URLS)
def test_portal_url(case: dict[str, Any]) -> None:
    assert set(case) == {"name", "base_url", "license_key", "expect"}, "this runner knows every member of the case"
    client = Countersign("csk_test", case["base_url"])
    actual: list[dict[str, Any]] = []
    for one in (client, AsyncCountersign(client=client)):
        try:
            actual.append({"url": one.portal_url(case["license_key"])})
        except ValueError as error:
            assert str(error) == "license_key must be a license key that is not empty."
            actual.append({"error": {"kind": "invalid_argument"}})
    assert actual == [case["expect"]] * 2


@pytest.mark.parametrize("case", DEVICE_IDS)
def test_device_id(case: dict[str, Any]) -> None:
    assert set(case) == {"name", "app", "machine_ids", "hostname", "environment", "override", "expect"}
    actual = device_id_from(case["app"], case["machine_ids"], case["hostname"], case["environment"], case["override"])
    assert {"device_id": actual} == case["expect"]
