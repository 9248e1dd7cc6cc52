"""License validation for FastAPI: dependencies for licensed routes and for webhooks."""

# Without `from __future__ import annotations`: FastAPI reads the annotations of dependencies.
from collections.abc import Sequence
from typing import Any, Union

from fastapi import FastAPI, HTTPException, Request
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket

from . import WebhookError, WebhookEvent, verify_webhook
from ._asgi_license import RequestLicenses, get_license, raw_body
from ._refusal import Refusal, RequestLicense, refusal_of, webhook_refusal
from .starlette import LicenseMiddleware, send_refusal

__all__ = [
    "LicenseMiddleware",
    "LicenseRefused",
    "Refusal",
    "RequestLicense",
    "RequireLicense",
    "VerifyWebhook",
    "WebhookRefused",
    "get_license",
    "handle_refusals",
]


class LicenseRefused(HTTPException):
    """Raised by ``RequireLicense``. ``__cause__`` is the reason for having no verdict."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.status, refusal.body, refusal.headers)
        self.refusal = refusal
        self.__cause__ = refusal.cause


class WebhookRefused(HTTPException):
    """Raised by ``VerifyWebhook``. ``__cause__`` is the ``WebhookError``."""

    def __init__(self, error: WebhookError) -> None:
        super().__init__(*webhook_refusal(error))
        self.__cause__ = error


class RequireLicense(RequestLicenses):
    """A dependency that lets only requests with a valid license continue. Its value is the license.

    ``licensed = RequireLicense(client, version="1.0.0")``, then ``Depends(licensed)`` as a parameter, or in
    ``dependencies`` of a route, a router or the app. It takes the options of ``RequestLicenses``.
    """

    async def __call__(self, connection: HTTPConnection) -> RequestLicense:
        license = await self.license_of(connection)
        if not license.allowed:
            raise LicenseRefused(refusal_of(license))
        return license


class VerifyWebhook:
    """A dependency that lets only deliveries from Countersign continue. Its value is the event.

    :param secret: the endpoint's secret, ``whsec_…``; during a rotation the old and the new one
    """

    def __init__(self, secret: Union[str, Sequence[str]]) -> None:
        self._secret = secret

    async def __call__(self, request: Request) -> WebhookEvent:
        try:
            return verify_webhook(await raw_body(request), request.headers, self._secret)
        except WebhookError as error:
            raise WebhookRefused(error) from error


def handle_refusals(app: FastAPI) -> None:
    """Make refusals the JSON responses of the documentation. Without it, FastAPI nests them in ``detail``."""
    app.add_exception_handler(LicenseRefused, _respond)
    app.add_exception_handler(WebhookRefused, _respond)


async def _respond(connection: Any, refused: Exception) -> Response:
    assert isinstance(refused, (LicenseRefused, WebhookRefused))
    response = JSONResponse(refused.detail, refused.status_code, refused.headers)
    if isinstance(connection, WebSocket):
        await send_refusal(response, connection.scope, connection.receive, connection.send)
    return response
