from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

from ._call import Call
from ._clock import Clock
from ._connections import ApiRequest, ApiResponse
from ._license_key import is_impossible
from ._models import LicenseRecord, ValidateResult
from ._parsing import parsed, read_license, read_result
from ._rate_limit import read_rate_limit
from ._rate_limit_gate import RateLimitGate
from ._redaction import Redaction
from ._reporter import Reporter
from ._retry_after import limited_wait, retry_after_seconds
from ._signature import Signing, check_signature
from ._transport import Transport
from .errors import (
    AuthenticationError,
    NotFoundError,
    RateLimitError,
    SandboxError,
    ServerError,
    SignatureError,
)

_TEST_KEY_PREFIX = "cskt_"
#: Why a Countersign refuses requests, by HTTP status.
_REFUSALS = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
_HINTS = {
    401: " It is not from Countersign: check the proxies and firewalls between this app and the server.",
    404: " Check that base_url is the URL of a Countersign server.",
}
_NO_SUCH_LICENSE = "The product has no license with this key."


@dataclass(frozen=True)
class ValidateRequest:
    """What the server decides on."""

    license_key: str
    version: str | None
    device_id: str | None

    @property
    def cache_key(self) -> str:
        return json.dumps([self.license_key, self.version, self.device_id])


@dataclass(frozen=True)
class Verdict:
    result: ValidateResult[Any]
    #: The sandbox says nothing about real licenses.
    is_sandbox: bool


class Api:
    """The two requests of the API, and what their responses mean."""

    def __init__(
        self,
        api_key: str,
        user_agent: str,
        transport: Transport,
        reporter: Reporter,
        clock: Clock,
        signing: Signing | None,
        allow_sandbox: bool,
    ) -> None:
        self._api_key = api_key
        self._transport = transport
        self._reporter = reporter
        self._clock = clock
        self._signing = signing
        self._allow_sandbox = allow_sandbox
        self._gate = RateLimitGate(clock)
        self._headers = {
            "Authorization": f"Bearer {api_key}",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": user_agent,
        }

    def validate(self, request: ValidateRequest, call: Call) -> Verdict:
        headers = {**self._headers, "Content-Type": "application/json"}
        nonce = secrets.token_urlsafe(18)
        if self._signing is not None:
            headers["X-Countersign-Nonce"] = nonce
        body = {"license_key": request.license_key}
        if request.version is not None:
            body["version"] = request.version
        if request.device_id is not None:
            body["device_id"] = request.device_id
        path = "/api/v1/validate"
        sent = ApiRequest("POST", path, headers, json.dumps(body).encode(), public_path=path)
        response = self._send(sent, request.license_key, call)
        checked_at = datetime.fromtimestamp(self._clock.wall(), timezone.utc)
        result = read_result(response.body, checked_at, response.request_id) if response.status == 200 else None
        skew: int | None = None
        if response.status == 200 and self._signing is not None:
            skew = self._checked_skew(response, self._signing, request.license_key, nonce, result is not None)
        if result is None:
            raise self._unusable(response, request.license_key)
        result = replace(
            result,
            rate_limit=read_rate_limit(response.headers),
            problem=response.headers.get("x-countersign-problem"),
            clock_skew_seconds=skew,
        )
        return Verdict(result, _is_from_sandbox(response))

    def lookup(self, license_key: str, call: Call) -> LicenseRecord:
        if is_impossible(license_key):
            raise NotFoundError(_NO_SUCH_LICENSE)
        path = "/api/v1/license/"
        request = ApiRequest("GET", path + quote(license_key, safe=""), self._headers, public_path=path + "{key}")
        response = self._send(request, license_key, call)
        if response.status == 404 and (parsed(response.body) or {}).get("statusCode") == 404:
            raise NotFoundError(_NO_SUCH_LICENSE, response.request_id, **self._shown(response, license_key))
        license_record = read_license(response.body) if response.status == 200 else None
        if license_record is None:
            raise self._unusable(response, license_key)
        return license_record

    def _checked_skew(
        self, response: ApiResponse, signing: Signing, license_key: str, nonce: str, is_result: bool
    ) -> int:
        """Return the server's time minus this machine's. Raises unless the response is signed for this request."""
        checked = check_signature(response.body, signing, license_key, nonce, self._clock.wall())
        if checked.problem == "missing" and not is_result and "signature" not in (parsed(response.body) or {}):
            # Not a response of Countersign at all, such as the sign-in page of a network.
            raise self._unusable(response, license_key)
        if checked.problem is not None:
            shown = self._shown(response, license_key)
            raise SignatureError(checked.problem, response.request_id, **shown)
        skew = checked.skew_seconds
        if abs(skew) > signing.tolerance_seconds:
            self._reporter.log_once(
                "clock skew",
                "warning",
                f"The clock of this machine differs from the server's by {abs(skew)} seconds. Set it right.",
                clock_skew_seconds=skew,
            )
        return skew

    def _send(self, request: ApiRequest, license_key: str, call: Call) -> ApiResponse:
        if not self._allow_sandbox and self._api_key.startswith(_TEST_KEY_PREFIX):
            raise SandboxError("The API key is a test API key, which is not allowed here.", None)
        self._gate.check()
        response = self._transport.send(request, call)
        is_sandbox = _is_from_sandbox(response)
        if is_sandbox and not self._allow_sandbox:
            shown = self._shown(response, license_key)
            raise SandboxError("The response is from the sandbox, so it grants nothing.", response.request_id, **shown)
        if not _is_refusal(response):
            return response
        if response.status == 401:
            raise AuthenticationError(
                "The server rejected the API key. "
                "Check that it is complete, belongs to this product and has not been rotated.",
                response.request_id,
                **self._shown(response, license_key),
            )
        seconds = self._seconds_until_reset(response)
        # The sandbox has no limit: other calls can continue.
        if not is_sandbox:
            self._gate.close(seconds, response.request_id)
        message, reset_at = self._gate.description(seconds)
        shown = self._shown(response, license_key)
        raise RateLimitError(message, seconds, reset_at, response.request_id, **shown)

    def _seconds_until_reset(self, response: ApiResponse) -> int:
        """Return at most a day; a minute if the server gives no time."""
        seconds = retry_after_seconds(response.headers, self._clock.wall())
        if seconds is not None:
            return seconds
        value: Any = (parsed(response.body) or {}).get("retry_after")
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return limited_wait(value) if is_number and value > 0 else 60

    def _unusable(self, response: ApiResponse, license_key: str) -> ServerError:
        status = 404 if response.status < 400 else 401 if response.status == 429 else response.status
        redaction = Redaction(self._api_key, license_key)
        return ServerError(
            f"The server sent an unusable response (HTTP {response.status}).{_HINTS.get(status, '')}",
            response.status,
            response.request_id,
            headers=redaction.headers(response.headers),
            body=redaction.body(response.body),
            retry_after_seconds=retry_after_seconds(response.headers, self._clock.wall()),
        )

    def _shown(self, response: ApiResponse, license_key: str) -> dict[str, Any]:
        """Return what errors show of a response."""
        redaction = Redaction(self._api_key, license_key)
        return {
            "status": response.status,
            "headers": redaction.headers(response.headers),
            "body": redaction.body(response.body),
        }


def _is_from_sandbox(response: ApiResponse) -> bool:
    return response.headers.get("x-countersign-sandbox") == "true"


def _is_refusal(response: ApiResponse) -> bool:
    """Return whether a 401 or 429 is from a Countersign. A proxy or firewall in front of it sends others."""
    refusal = _REFUSALS.get(response.status)
    return refusal is not None and (parsed(response.body) or {}).get("status") == refusal
