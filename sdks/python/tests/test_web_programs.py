"""Runs the snippets of the dashboard and the examples of the web frameworks against a real server."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, cast

import httpx
import pytest
from django.core.wsgi import get_wsgi_application
from django.test import override_settings
from django.urls import path

import django_app
from conformance_server import DEFAULT_KEY, REVOKED, SIGNED, VALID, StartedCase, start_case
from countersign import sign_webhook

SDK = Path(__file__).parents[1]
SNIPPETS = SDK.parent / "snippets"
FULL = {"real": {"outcome": "a new IP address is refused if the limit is reached"}}

Send = Callable[..., httpx.Response]


def load(source: Path, folder: Path, started: StartedCase, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a program, with the URL and the product of the case."""
    signing = started.client.get("signing", {"product_id": "", "secrets": []})
    monkeypatch.setenv("COUNTERSIGN_API_KEY", started.client["api_key"])
    monkeypatch.setenv("COUNTERSIGN_URL", started.url)
    monkeypatch.setenv("COUNTERSIGN_SIGNING_SECRETS", ",".join(signing["secrets"]))
    monkeypatch.setenv("COUNTERSIGN_WEBHOOK_SECRET", django_app.SECRET)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    text = source.read_text("utf-8").replace("https://license.example.com", started.url)
    program = folder / source.name
    program.write_text(text.replace("PRODUCT-ID", signing["product_id"]), "utf-8")
    spec = importlib.util.spec_from_file_location(source.stem, program)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, source.stem, module)
    spec.loader.exec_module(module)
    return module


def asgi(app: Any) -> Send:
    async def send(method: str, path: str, **options: Any) -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://app") as client:
            return await client.request(method, path, **options)

    return lambda *values, **options: asyncio.run(send(*values, **options))


def wsgi(method: str, path: str, **options: Any) -> httpx.Response:
    with httpx.Client(transport=httpx.WSGITransport(get_wsgi_application()), base_url="http://app") as client:
        return client.request(method, path, **options)


@pytest.mark.parametrize("framework", ["fastapi", "django"])
@pytest.mark.parametrize(
    ("folder", "answer", "status"),
    [("", VALID, 200), ("", REVOKED, 403), ("signed", SIGNED, 200)],
    ids=["valid", "revoked", "signed"],
)
def test_a_snippet_serves_licensed_requests(
    framework: str, folder: str, answer: dict[str, Any], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = load(SNIPPETS / folder / f"licensed_{framework}.py", tmp_path, start_case(answer), monkeypatch)
    if framework == "fastapi":
        assert serves(asgi(program.app), status)
        return
    urls = cast(Any, ModuleType("urls"))
    urls.urlpatterns = [path("reports", program.reports)]
    with override_settings(COUNTERSIGN=program.COUNTERSIGN, ROOT_URLCONF=urls):
        assert serves(wsgi, status)


def serves(send: Send, status: int) -> bool:
    answer = send("GET", "/reports", headers={"X-License-Key": DEFAULT_KEY})
    assert answer.status_code == status
    assert status != 200 or "Licensed." in answer.text
    assert send("GET", "/reports").status_code == 401
    return True


@pytest.mark.parametrize("framework", ["fastapi", "django"])
def test_an_example_links_to_the_portal_and_receives_webhooks(
    framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = start_case(FULL)
    program = load(SDK / "example" / f"{framework}_service.py", tmp_path, started, monkeypatch)
    if framework == "fastapi":
        assert explains(asgi(program.app), started)
        return
    own = {"COUNTERSIGN": program.COUNTERSIGN, "ROOT_URLCONF": program, "MIDDLEWARE": program.MIDDLEWARE}
    with override_settings(**own):
        assert explains(wsgi, started)


def explains(send: Send, started: StartedCase) -> bool:
    assert send("GET", "/").status_code == 200
    assert send("GET", "/reports").json()["error"] == "license_missing"
    refused = send("GET", "/reports", headers={"X-License-Key": DEFAULT_KEY})
    assert (refused.status_code, refused.json()["error"]) == (403, "ip_limit_reached")
    assert refused.json()["portal_url"] == f"{started.url}/portal/open#{DEFAULT_KEY}"
    signed = sign_webhook({"type": "license.updated", "data": {}}, secret=django_app.SECRET)
    assert send("POST", "/countersign", content=signed.body, headers=dict(signed.headers)).status_code == 204
    return True


@pytest.mark.parametrize("framework", ["fastapi", "django"])
def test_the_page_about_python_shows_the_snippets(framework: str) -> None:
    text = (SDK.parents[1] / "docs" / "sdks" / "python.md").read_text("utf-8")
    snippet = (SNIPPETS / f"licensed_{framework}.py").read_text("utf-8")
    assert f"```python\n{snippet}```\n" in text
