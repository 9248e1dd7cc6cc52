"""The same licensed route in every framework, so that one table of cases runs through all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable

import httpx
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.test import override_settings
from fastapi import Depends, FastAPI, Request
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route

import django_app  # noqa: F401
from countersign import AsyncCountersign
from countersign.fastapi import RequestLicense, RequireLicense, get_license, handle_refusals
from countersign.starlette import LicenseMiddleware


@dataclass(frozen=True)
class Sent:
    #: A key per line, each in a header of its own.
    key: str | None
    address: str = "192.0.2.1"


class App:
    """Sends requests to the licensed route of an app."""

    def __init__(self, send_all: Callable[[Sequence[Sent]], list[httpx.Response]]) -> None:
        self.send_all = send_all

    def send(self, key: str | None, address: str = "192.0.2.1") -> httpx.Response:
        return self.send_all([Sent(key, address)])[0]


def asgi_app(app: Any, path: str = "/reports") -> App:
    async def send(sent: Sent) -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(sent.address, 4321))
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            return await client.get(path, headers=_headers(sent))

    async def send_all(requests: Sequence[Sent]) -> list[httpx.Response]:
        return await asyncio.gather(*map(send, requests))

    return App(lambda requests: asyncio.run(send_all(requests)))


def wsgi_app(app: Any, path: str) -> App:
    def send(sent: Sent) -> httpx.Response:
        transport = httpx.WSGITransport(app, raise_app_exceptions=False, remote_addr=sent.address)
        with httpx.Client(transport=transport, base_url="http://app") as client:
            # What a server does with several headers, and httpx does not.
            joined = {name: b",".join(value for _, value in _headers(sent)) for name, _ in _headers(sent)}
            return client.get(path, headers=joined)

    def send_all(requests: Sequence[Sent]) -> list[httpx.Response]:
        with ThreadPoolExecutor(max(1, len(requests))) as threads:
            return list(threads.map(send, requests))

    return App(send_all)


def _headers(sent: Sent) -> list[tuple[bytes, bytes]]:
    return [(b"X-License-Key", key.encode("latin-1")) for key in (sent.key or "").split("\n") if sent.key is not None]


@contextmanager
def fastapi_app(url: str, client: dict[str, Any], options: dict[str, Any]) -> Iterator[App]:
    licensed = RequireLicense(AsyncCountersign(**{"api_key": "csk_test", "base_url": url, **client}), **options)
    app = FastAPI()
    handle_refusals(app)

    @app.get("/reports")
    async def reports(request: Request, license: RequestLicense = Depends(licensed)) -> dict[str, Any]:  # noqa: B008
        assert get_license(request) is license
        return {"key": license.key, "source": license.result and license.result.source}

    yield asgi_app(app)


@contextmanager
def starlette_app(url: str, client: dict[str, Any], options: dict[str, Any]) -> Iterator[App]:
    async def reports(request: Request) -> JSONResponse:
        license = get_license(request)
        assert license is not None and request.state.license is license
        return JSONResponse({"key": license.key, "source": license.result and license.result.source})

    own = AsyncCountersign(**{"api_key": "csk_test", "base_url": url, **client})
    middleware = Middleware(LicenseMiddleware, client=own, **options)
    yield asgi_app(Starlette(routes=[Route("/reports", reports)], middleware=[middleware]))


@contextmanager
def _django_settings(url: str, client: dict[str, Any], options: dict[str, Any]) -> Iterator[None]:
    names = {name.upper(): value for name, value in {**client, **options}.items()}
    with override_settings(COUNTERSIGN={"API_KEY": "csk_test", "BASE_URL": url, **names}):
        yield


@contextmanager
def django_wsgi_app(url: str, client: dict[str, Any], options: dict[str, Any]) -> Iterator[App]:
    with _django_settings(url, client, options):
        yield wsgi_app(get_wsgi_application(), "/reports")


@contextmanager
def django_asgi_app(url: str, client: dict[str, Any], options: dict[str, Any]) -> Iterator[App]:
    with _django_settings(url, client, options):
        yield asgi_app(get_asgi_application(), "/reports-async")


FRAMEWORKS = {
    "FastAPI": fastapi_app,
    "Starlette": starlette_app,
    "Django (WSGI)": django_wsgi_app,
    "Django (ASGI)": django_asgi_app,
}
