"""Reads the license of an ASGI request, for Starlette and FastAPI."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable
from typing import Any, Callable, Optional, Union

from starlette.requests import HTTPConnection, Request

from . import AsyncCountersign
from ._license_decider import DEFAULT_HEADER, DEFAULT_UNKNOWN_KEYS_PER_MINUTE, LicenseDecider, question_from
from ._refusal import MAX_WEBHOOK_BYTES, RequestLicense, too_large
from .errors import WebhookError

#: A function of the request, also an asynchronous one.
FromRequest = Callable[[HTTPConnection], Union[Optional[str], Awaitable[Optional[str]]]]

_SCOPE_MEMBER = "countersign.license"


class RequestLicenses:
    """Reads and validates the license of each request.

    :param client: one for the whole app
    :param key: the name of the header that has the license key, or a function of the request
    :param version: the licensed app's version, or a function of the request
    :param device_id: a function of the request
    :param address: the caller's IP address, for the limit of unknown keys; by default ``request.client.host``
    :param unknown_keys_per_minute: how many unknown keys each IP address may send per minute; 0 for no limit
    :param logger: by default ``logging.getLogger("countersign")``
    """

    def __init__(
        self,
        client: AsyncCountersign[Any],
        *,
        key: str | FromRequest = DEFAULT_HEADER,
        version: str | FromRequest | None = None,
        device_id: str | FromRequest | None = None,
        address: FromRequest | None = None,
        unknown_keys_per_minute: int = DEFAULT_UNKNOWN_KEYS_PER_MINUTE,
        logger: logging.Logger | None = None,
    ) -> None:
        self._client = client
        self._key = key
        self._version = version
        self._device_id = device_id
        self._address = address
        self._decider = LicenseDecider(client, unknown_keys_per_minute, logger)

    async def license_of(self, connection: HTTPConnection) -> RequestLicense:
        """Return the license of a request. Raises what a callback raises; then the request must not be let in."""
        key = _header(connection, self._key) if isinstance(self._key, str) else await _value(self._key, connection)
        version, device_id = await _value(self._version, connection), await _value(self._device_id, connection)
        question = question_from(key, version, device_id)
        decided = connection.scope.get(_SCOPE_MEMBER)
        # A result from an earlier middleware is reused.
        if decided is None or decided[0] is not self._client or decided[1] != question:
            license = await self._decider.decide_async(self._client, question, await self._address_of(connection))
            decided = connection.scope[_SCOPE_MEMBER] = (self._client, question, license)
            connection.state.license = license
        result: RequestLicense = decided[2]
        return result

    async def _address_of(self, connection: HTTPConnection) -> str | None:
        if self._address is not None:
            return await _value(self._address, connection)
        return connection.client.host if connection.client is not None else None


def get_license(connection: HTTPConnection) -> RequestLicense | None:
    """Return the license of a request; None if no middleware or dependency has validated it."""
    decided = connection.scope.get(_SCOPE_MEMBER)
    return None if decided is None else decided[2]


async def raw_body(request: Request) -> bytes:
    """Return the body. Raises a ``WebhookError`` if it is larger than any delivery, or was parsed before."""
    body = bytearray()
    try:
        # An anonymous caller must not fill the memory.
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_WEBHOOK_BYTES:
                raise too_large()
    except RuntimeError as error:
        message = "The body was read before its signature was checked. Do not parse it as a form."
        raise WebhookError("parsed_body", message) from error
    return bytes(body)


async def _value(source: str | FromRequest | None, connection: HTTPConnection) -> str | None:
    value = source(connection) if callable(source) else source
    return await value if inspect.isawaitable(value) else value


def _header(connection: HTTPConnection, name: str) -> str | None:
    """Several headers are one with all values, as HTTP defines and other servers hand them over. No license has it."""
    return ", ".join(connection.headers.getlist(name)) or None
