"""What only FastAPI and Starlette have: exceptions, routers, WebSockets, webhooks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import APIRouter, Depends, FastAPI, Request, WebSocket
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from countersign import AsyncCountersign, AuthenticationError, WebhookEvent, sign_webhook
from countersign.fastapi import LicenseRefused, RequireLicense, VerifyWebhook, get_license, handle_refusals
from countersign.starlette import LicenseMiddleware, Refusal, webhook_endpoint
from played_server import WRONG_API_KEY, PlayedCountersign, playing

SECRET = "whsec_" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
WITH_KEY = {"x-license-key": "VALID"}


@pytest.fixture(scope="module")
def server() -> Iterator[PlayedCountersign]:
    with playing() as server:
        yield server


@pytest.fixture
def client(server: PlayedCountersign) -> AsyncCountersign:
    server.failure = None
    server.asked.clear()
    return AsyncCountersign(api_key="csk_test", base_url=server.url)


def browser(app: Any) -> TestClient:
    return TestClient(app, raise_server_exceptions=False)


async def _in(request: Request) -> PlainTextResponse:
    return PlainTextResponse("in")


def test_a_router_can_require_a_license_and_routes_share_the_result(
    server: PlayedCountersign, client: AsyncCountersign
) -> None:
    app = FastAPI()
    handle_refusals(app)
    router = APIRouter(dependencies=[Depends(RequireLicense(client))])
    router.add_api_route("/reports", _in, dependencies=[Depends(RequireLicense(client))])
    app.include_router(router)
    app.add_api_route("/about", _in)
    assert browser(app).get("/reports", headers=WITH_KEY).text == "in"
    assert len(server.asked) == 1
    assert browser(app).get("/reports").json()["error"] == "license_missing"
    assert browser(app).get("/about").text == "in"


def test_without_the_handler_the_status_and_headers_are_the_same(
    server: PlayedCountersign, client: AsyncCountersign
) -> None:
    app = FastAPI()
    app.add_api_route("/", _in, dependencies=[Depends(RequireLicense(client))])
    server.failure = (503, {"Retry-After": "33"}, "{}")
    response = browser(app).get("/", headers=WITH_KEY)
    assert (response.status_code, response.headers["retry-after"]) == (503, "33")
    assert response.json()["detail"]["error"] == "license_unverified"


def test_a_handler_of_the_app_gets_the_refusal_and_its_cause(
    server: PlayedCountersign, client: AsyncCountersign
) -> None:
    app = FastAPI()
    app.add_api_route("/", _in, dependencies=[Depends(RequireLicense(client))])
    seen: list[BaseException | None] = []

    @app.exception_handler(LicenseRefused)
    async def refused(request: Request, error: LicenseRefused) -> Response:
        seen.append(error.__cause__)
        return JSONResponse({"code": error.refusal.code}, 402)

    server.failure = WRONG_API_KEY
    assert browser(app).get("/", headers=WITH_KEY).json() == {"code": "license_misconfigured"}
    assert isinstance(seen[0], AuthenticationError)


def test_callbacks_can_be_asynchronous(server: PlayedCountersign, client: AsyncCountersign) -> None:
    async def key(connection: HTTPConnection) -> str | None:
        await asyncio.sleep(0)
        return connection.query_params.get("license")

    app = FastAPI()
    app.add_api_route("/", _in, dependencies=[Depends(RequireLicense(client, key=key))])
    assert browser(app).get("/?license=VALID").text == "in"
    assert browser(app).get("/").status_code == 401


@pytest.mark.parametrize("is_middleware", [True, False])
def test_websockets_need_a_license_too(client: AsyncCountersign, is_middleware: bool) -> None:
    app = FastAPI()
    handle_refusals(app)
    if is_middleware:
        app.add_middleware(LicenseMiddleware, client=client)

    @app.websocket("/live", dependencies=[] if is_middleware else [Depends(RequireLicense(client))])
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("in")
        await socket.close()

    with browser(app).websocket_connect("/live", headers=WITH_KEY) as socket:
        assert socket.receive_text() == "in"
    with pytest.raises(WebSocketDisconnect):
        with browser(app).websocket_connect("/live"):
            pass


def test_a_websocket_is_closed_if_the_server_cannot_send_a_response(client: AsyncCountersign) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("it was let in")

    scope: dict[str, Any] = {"type": "websocket", "path": "/live", "headers": [], "query_string": b"", "client": None}
    asyncio.run(LicenseMiddleware(app, client)(scope, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008, "reason": ""}]


def starlette_app(client: AsyncCountersign, **options: Any) -> TestClient:
    routes = [Route(path, _in) for path in ("/reports", "/webhooks/countersign", "/webhooks-list")]
    middleware = Middleware(LicenseMiddleware, client=client, **options)
    return browser(Starlette(routes=routes, middleware=[middleware]))


def test_the_middleware_skips_paths(client: AsyncCountersign) -> None:
    app = starlette_app(client, skip=["/webhooks"])
    statuses = [app.get(path).status_code for path in ("/reports", "/webhooks/countersign", "/webhooks-list")]
    assert statuses == [401, 200, 401]
    with pytest.raises(TypeError):
        LicenseMiddleware(_in, client, skip="/webhooks")  # type: ignore[arg-type]


def test_on_refused_returns_the_response(client: AsyncCountersign) -> None:
    def respond(refusal: Refusal, connection: HTTPConnection) -> Response:
        return PlainTextResponse(f"{refusal.code} at {connection.url.path}", refusal.status)

    async def respond_later(refusal: Refusal, connection: HTTPConnection) -> Response:
        await asyncio.sleep(0)
        return respond(refusal, connection)

    def fail(refusal: Refusal, connection: HTTPConnection) -> Response:
        raise RuntimeError("no such template")

    for callback in (respond, respond_later):
        assert starlette_app(client, on_refused=callback).get("/reports").text == "license_missing at /reports"
    assert starlette_app(client, on_refused=fail).get("/reports").status_code == 500
    assert starlette_app(client, on_refused=lambda *_: None).get("/reports").status_code == 500


def test_a_license_can_be_optional(client: AsyncCountersign) -> None:
    async def plan(request: Request) -> PlainTextResponse:
        license = get_license(request)
        return PlainTextResponse("paid" if license is not None and license.allowed else "free")

    middleware = Middleware(LicenseMiddleware, client=client, required=False)
    app = browser(Starlette(routes=[Route("/", plan)], middleware=[middleware]))
    assert app.get("/").text == "free"
    assert app.get("/", headers={"x-license-key": "REVOKED"}).text == "free"
    assert app.get("/", headers=WITH_KEY).text == "paid"


def webhook_apps(events: list[WebhookEvent]) -> list[TestClient]:
    async def receive(event: WebhookEvent, request: Request) -> None:
        if event.data.get("fails"):
            raise RuntimeError("the database is unavailable")
        events.append(event)

    app = FastAPI()
    handle_refusals(app)
    verified = VerifyWebhook(SECRET)

    @app.post("/hook", status_code=204)
    async def hook(request: Request, event: WebhookEvent = Depends(verified)) -> None:  # noqa: B008
        await receive(event, request)

    return [
        browser(app),
        browser(Starlette(routes=[Route("/hook", webhook_endpoint(SECRET, receive), methods=["POST"])])),
    ]


def test_deliveries_are_verified_from_the_raw_body() -> None:
    events: list[WebhookEvent] = []
    for app in webhook_apps(events):
        signed = sign_webhook({"type": "license.revoked", "data": {"n": 1}}, secret=SECRET)
        assert app.post("/hook", content=signed.body, headers=dict(signed.headers)).status_code == 204
        event = events.pop()
        assert (event.type, event.data) == ("license.revoked", {"n": 1})
        changed = app.post("/hook", content=signed.body.replace(b"1", b"2"), headers=dict(signed.headers))
        assert (changed.status_code, changed.json()["error"]) == (400, "mismatch")
        empty = app.post("/hook")
        assert (empty.status_code, empty.json()["error"]) == (400, "missing_header")
        large = app.post("/hook", content=b"x" * 300_000)
        assert (large.status_code, large.json()["error"]) == (413, "too_large")
        # An error of the app makes the response an error, so that the event is delivered again.
        failing = sign_webhook({"type": "x", "data": {"fails": True}}, secret=SECRET)
        assert app.post("/hook", content=failing.body, headers=dict(failing.headers)).status_code == 500
        assert events == []


def test_a_body_that_was_parsed_before_is_reported() -> None:
    verified = VerifyWebhook(SECRET)

    async def parse(request: Request) -> None:
        async for _ in request.stream():
            pass

    app = FastAPI()
    handle_refusals(app)
    app.add_api_route("/hook", _in, methods=["POST"], dependencies=[Depends(parse), Depends(verified)])
    response = browser(app).post("/hook", content=b"{}")
    assert (response.status_code, response.json()["error"]) == (500, "parsed_body")
