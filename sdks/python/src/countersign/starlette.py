"""License validation for Starlette: ``LicenseMiddleware`` for an app or its routes, and ``webhook_endpoint``."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any, Callable, Union

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from . import AsyncCountersign, WebhookError, WebhookEvent, verify_webhook
from ._asgi_license import FromRequest, RequestLicenses, get_license, raw_body
from ._license_decider import DEFAULT_HEADER, DEFAULT_UNKNOWN_KEYS_PER_MINUTE
from ._refusal import Refusal, RequestLicense, refusal_of, webhook_refusal

__all__ = ["LicenseMiddleware", "Refusal", "RequestLicense", "get_license", "webhook_endpoint"]

OnRefused = Callable[[Refusal, HTTPConnection], Union[Response, Awaitable[Response]]]


class LicenseMiddleware:
    """Lets only requests with a valid license continue, WebSockets included. ``get_license(request)`` returns it.

    :param client: one for the whole app
    :param required: if false, every request continues, and the app decides by ``get_license``
    :param skip: paths that need no license, with everything below them, such as the one that receives webhooks
    :param on_refused: returns the response to a refused request, instead of the JSON response

    ``RequestLicenses`` explains the other parameters.
    """

    def __init__(
        self,
        app: ASGIApp,
        client: AsyncCountersign[Any],
        *,
        required: bool = True,
        skip: Sequence[str] = (),
        on_refused: OnRefused | None = None,
        key: str | FromRequest = DEFAULT_HEADER,
        version: str | FromRequest | None = None,
        device_id: str | FromRequest | None = None,
        address: FromRequest | None = None,
        unknown_keys_per_minute: int = DEFAULT_UNKNOWN_KEYS_PER_MINUTE,
        logger: logging.Logger | None = None,
    ) -> None:
        if isinstance(skip, str):
            raise TypeError("skip must be a list of paths.")
        self._app = app
        self._required = required
        self._skipped = [path.rstrip("/") for path in skip]
        self._on_refused = on_refused
        self._licenses = RequestLicenses(
            client,
            key=key,
            version=version,
            device_id=device_id,
            address=address,
            unknown_keys_per_minute=unknown_keys_per_minute,
            logger=logger,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or self._is_skipped(scope):
            return await self._app(scope, receive, send)
        connection = HTTPConnection(scope)
        license = await self._licenses.license_of(connection)
        if license.allowed or not self._required:
            return await self._app(scope, receive, send)
        await send_refusal(await self._response(refusal_of(license), connection), scope, receive, send)

    def _is_skipped(self, scope: Scope) -> bool:
        path, root = scope["path"], scope.get("root_path", "")
        # Servers differ in whether the path starts with the root path.
        own = path[len(root) :] if root and path.startswith(f"{root}/") else path
        return any(own == skipped or own.startswith(f"{skipped}/") for skipped in self._skipped)

    async def _response(self, refusal: Refusal, connection: HTTPConnection) -> Response:
        if self._on_refused is None:
            return refusal_response(refusal)
        response = self._on_refused(refusal, connection)
        return await response if inspect.isawaitable(response) else response


def refusal_response(refusal: Refusal) -> Response:
    return JSONResponse(refusal.body, refusal.status, refusal.headers)


async def send_refusal(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Send the response. A WebSocket is closed, if the server cannot send a response instead."""
    if scope["type"] == "websocket":
        await receive()
        if "websocket.http.response" not in scope.get("extensions", {}):
            return await send({"type": "websocket.close", "code": 1008, "reason": ""})
    await response(scope, receive, send)


def webhook_endpoint(
    secret: str | Sequence[str],
    on_event: Callable[[WebhookEvent, Request], None | Awaitable[None]],
) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """Return an endpoint for deliveries, for ``Route(path, endpoint, methods=["POST"])``.

    It verifies each delivery, calls ``on_event`` and responds 204 once that completes. If ``on_event`` raises, the
    response is an error, so that the event is delivered again.
    """

    async def receive_delivery(request: Request) -> Response:
        try:
            event = verify_webhook(await raw_body(request), request.headers, secret)
        except WebhookError as error:
            status, body = webhook_refusal(error)
            return JSONResponse(body, status)
        done = on_event(event, request)
        if inspect.isawaitable(done):
            await done
        return Response(status_code=204)

    return receive_delivery
