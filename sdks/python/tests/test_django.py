"""What only Django has: settings, the middleware, decorators of synchronous and asynchronous views, webhooks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, cast

import httpx
import pytest
from django.core.asgi import get_asgi_application
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.test import override_settings

import django_app
from countersign import Countersign, sign_webhook
from countersign.django import Refusal
from played_server import PlayedCountersign, playing

MIDDLEWARE = ["django.middleware.csrf.CsrfViewMiddleware", "countersign.django.LicenseMiddleware"]
VALID = {"X-License-Key": "VALID"}
LICENSED = ("/plain", "/plain-async", "/plain-view", "/reports", "/reports-async", "/reports-view", "/versioned")


@pytest.fixture(scope="module")
def server() -> Iterator[PlayedCountersign]:
    with playing() as server:
        yield server


@pytest.fixture(params=["WSGI", "ASGI"])
def interface(request: Any) -> str:
    return str(request.param)


def request(interface: str, method: str, path: str, **options: Any) -> httpx.Response:
    """Send a request through all of Django."""
    if interface == "WSGI":
        transport = httpx.WSGITransport(get_wsgi_application(), raise_app_exceptions=False)
        with httpx.Client(transport=transport, base_url="http://app") as client:
            return client.request(method, path, **options)

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(cast(Any, get_asgi_application()), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            return await client.request(method, path, **options)

    return asyncio.run(send())


def settings(server: PlayedCountersign, **values: Any) -> Any:
    server.failure = None
    server.asked.clear()
    server.bodies.clear()
    own = {"API_KEY": "csk_test", "BASE_URL": server.url, "SKIP": ["/public"], "WEBHOOK_SECRET": django_app.SECRET}
    return override_settings(COUNTERSIGN={**own, **values}, MIDDLEWARE=MIDDLEWARE)


def test_the_middleware_requires_a_license_unless_a_view_skips_it(server: PlayedCountersign, interface: str) -> None:
    with settings(server):
        for path in (
            "/plain",
            "/plain-async",
            "/plain-view",
            "/reports",
            "/reports-async",
            "/reports-view",
            "/versioned",
            "/public-reports",
        ):
            refused = request(interface, "GET", path)
            assert (refused.status_code, refused.json()["error"]) == (401, "license_missing"), path
            assert request(interface, "GET", path, headers=VALID).status_code == 200, path
        for path in ("/about", "/about-view", "/public/terms"):
            assert request(interface, "GET", path).json() == {"allowed": None}, path
        assert request(interface, "GET", "/no-such-page").status_code == 404


def test_a_license_can_be_optional(server: PlayedCountersign, interface: str) -> None:
    with settings(server, REQUIRED=False):
        assert request(interface, "GET", "/plain").json() == {"allowed": False}
        assert request(interface, "GET", "/plain-async", headers=VALID).json() == {"allowed": True}
        # The decorator of a view requires it nevertheless.
        assert request(interface, "GET", "/reports").status_code == 401


def test_the_version_of_a_view_wins(server: PlayedCountersign, interface: str) -> None:
    with settings(server, VERSION="1.0.0"):
        request(interface, "GET", "/versioned", headers=VALID)
        request(interface, "GET", "/plain", headers=VALID)
    assert [body["version"] for body in server.bodies] == ["2.0.0", "1.0.0"]


def refused_page(refusal: Refusal, request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{refusal.code} at {request.path}", status=402)


async def refused_page_async(refusal: Refusal, request: HttpRequest) -> HttpResponse:
    await asyncio.sleep(0)
    return refused_page(refusal, request)


def failing_page(refusal: Refusal, request: HttpRequest) -> HttpResponse:
    raise RuntimeError("no such template")


@pytest.mark.parametrize("path", ["/plain", "/reports", "/reports-async", "/reports-view"])
def test_on_refused_returns_the_response(server: PlayedCountersign, interface: str, path: str) -> None:
    for on_refused in (refused_page, refused_page_async, "test_django.refused_page"):
        with settings(server, ON_REFUSED=on_refused):
            response = request(interface, "GET", path)
            assert (response.status_code, response.text) == (402, f"license_missing at {path}")
    for failing in (failing_page, lambda refusal, request: None):
        with settings(server, ON_REFUSED=failing):
            assert request(interface, "GET", path).status_code == 500


def test_the_client_identifies_the_framework(server: PlayedCountersign) -> None:
    seen: list[Any] = []
    client = Countersign(api_key="csk_test", base_url=server.url)
    with settings(server, CLIENT=client):
        assert request("WSGI", "GET", "/plain", headers=VALID).status_code == 200
    with settings(server, ON_REQUEST=seen.append):
        assert request("WSGI", "GET", "/plain", headers=VALID).status_code == 200
    assert len(seen) == 1
    assert "countersign-django/" in server.user_agents[-1]


@pytest.mark.parametrize(
    "values",
    [{"API_KEY": "has spaces"}, {"NO_SUCH_SETTING": 1}, {"unknown": 1}, {"UNKNOWN_KEYS_PER_MINUTE": -1}, {"SKIP": "/"}],
)
def test_a_mistake_in_the_settings_is_found_at_the_start(server: PlayedCountersign, values: dict[str, Any]) -> None:
    with settings(server, **values), pytest.raises(ImproperlyConfigured, match="COUNTERSIGN"):
        get_wsgi_application()


def test_deliveries_are_verified_from_the_raw_body(server: PlayedCountersign, interface: str) -> None:
    signed = sign_webhook({"type": "license.revoked", "data": {"n": 1}}, secret=django_app.SECRET)
    headers = dict(signed.headers)
    with settings(server):
        for path, status in (("/hook", 204), ("/hook-async", 202)):
            # Neither a CSRF token nor a license is needed.
            assert request(interface, "POST", path, content=signed.body, headers=headers).status_code == status
            assert django_app.events.pop().data == {"n": 1}
            changed = request(interface, "POST", path, content=signed.body.replace(b"1", b"2"), headers=headers)
            assert (changed.status_code, changed.json()["error"]) == (400, "mismatch")
            empty = request(interface, "POST", path)
            assert (empty.status_code, empty.json()["error"]) == (400, "missing_header")
            large = request(interface, "POST", path, content=b"x" * 300_000)
            assert (large.status_code, large.json()["error"]) == (413, "too_large")
            assert request(interface, "GET", path).status_code == 405
        failing = sign_webhook({"type": "x", "data": {"fails": True}}, secret=django_app.SECRET)
        answer = request(interface, "POST", "/hook", content=failing.body, headers=dict(failing.headers))
        assert answer.status_code == 500
    with settings(server, WEBHOOK_SECRET=None):
        assert request(interface, "POST", "/hook", content=signed.body, headers=headers).status_code == 500
    assert django_app.events == []
