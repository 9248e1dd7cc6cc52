from __future__ import annotations

import asyncio
import contextvars
import copy
import functools
import json
import math
import os
import re
import secrets
import ssl
import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from random import random as system_random
from typing import Any, Callable, Literal, TypeVar
from urllib.parse import quote

from ._cache import Cache
from ._clock import Clock, SystemClock
from ._grace import Grace, GraceStore
from ._models import Decision, LicenseRecord, ValidateResult, parsed, read_license, read_result
from ._portal_url import portal_url
from ._rate_limit_gate import RateLimitGate
from ._signature import signature_problem
from ._transport import ApiRequest, ApiResponse, Transport
from ._watch import OnChange, OnError, Watch
from .errors import (
    AuthenticationError,
    ConnectionError,
    CountersignError,
    NotFoundError,
    SandboxError,
    ServerError,
    SignatureError,
)

Value = TypeVar("Value")

_MAX_GRACE_SECONDS = 30 * 86_400
_TEST_KEY_PREFIX = "cskt_"
#: The maximum number of concurrent asyncio calls; further calls wait.
_MAX_THREADS = 32


@dataclass(frozen=True)
class Signing:
    """If set, a response without a valid signature is rejected with a ``SignatureError``."""

    #: The product's ID, as shown in the dashboard.
    product_id: str
    #: The product's signing secret in hex; during a rotation the old and the new one.
    secrets: str | Sequence[str] = field(repr=False)
    #: How far the server's clock and this one can differ.
    tolerance_seconds: float = 300

    def __post_init__(self) -> None:
        if not self.product_id:
            raise ValueError("signing.product_id must be the product's ID, as shown in the dashboard.")
        all_secrets = self.all_secrets()
        if not all_secrets or not all(re.fullmatch(r"[0-9a-fA-F]{64}", secret) for secret in all_secrets):
            raise ValueError("signing.secrets must be 64 hexadecimal digits each, as shown in the dashboard.")
        _within("signing.tolerance_seconds", self.tolerance_seconds, 1, 3_600)

    def all_secrets(self) -> list[str]:
        if isinstance(self.secrets, str):
            return [secret.strip() for secret in self.secrets.split(",")]
        return list(self.secrets)


class Countersign:
    """Validates licenses against a Countersign server.

    Create one for the whole app: it is thread-safe, caches results, and concurrent calls share one request.

    :param api_key: the product's API key, ``csk_…``; defaults to the environment variable ``COUNTERSIGN_API_KEY``
    :param base_url: the URL of the Countersign server; defaults to ``COUNTERSIGN_URL``
    :param timeout_seconds: for the whole call, including the retry
    :param ssl_context: certificate authorities to trust instead of the system's, such as a private one; proxies are
        taken from the environment (``HTTPS_PROXY``, ``NO_PROXY``)
    :param signing: if set, a response without a valid signature is rejected
    :param cache_seconds: how long a valid license is cached; 0 disables caching
    :param cache_entries: the maximum number of cached licenses
    :param grace_seconds: how long a valid license stays valid while the server is unreachable
    :param grace_store: stores the grace period across restarts; defaults to memory
    :param when_unavailable: what ``check`` allows without a verdict: nothing ("closed"), or everything ("advisory")
    :param allow_sandbox: accepts test API keys (``cskt_…``) and responses of the sandbox; for tests only, because the
        fixed license keys of the sandbox are valid for everyone
    :param device_id: sent with every validation, for the seller's information; it does not affect the verdict
    :param version: sent with every validation, unless the call specifies another
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout_seconds: float = 5,
        ssl_context: ssl.SSLContext | None = None,
        signing: Signing | None = None,
        cache_seconds: float = 300,
        cache_entries: int = 1000,
        grace_seconds: float = 0,
        grace_store: GraceStore | None = None,
        when_unavailable: Literal["closed", "advisory"] = "closed",
        allow_sandbox: bool = False,
        device_id: str | None = None,
        version: str | None = None,
        clock: Clock | None = None,
        random: Callable[[], float] = system_random,
    ) -> None:
        key = api_key or os.environ.get("COUNTERSIGN_API_KEY", "")
        if not re.fullmatch(r"[!-~]+", key):
            raise ValueError("api_key must be the product's API key (csk_…). Pass it, or set COUNTERSIGN_API_KEY.")
        _within("timeout_seconds", timeout_seconds, 0.001, 120)
        _within("cache_seconds", cache_seconds, 0, 86_400)
        _within("cache_entries", cache_entries, 0, 1_000_000)
        _within("grace_seconds", grace_seconds, 0, _MAX_GRACE_SECONDS)
        if when_unavailable not in ("closed", "advisory"):
            raise ValueError('when_unavailable must be "closed" or "advisory".')
        self._api_key = key
        self._signing = signing
        self._cache_seconds = cache_seconds
        self._when_unavailable = when_unavailable
        self._allow_sandbox = allow_sandbox is True
        self._device_id = device_id
        self._version = version
        self._clock: Clock = clock if clock is not None else SystemClock()
        self._random = random
        self._base_url = _base_url(base_url)
        self._transport = Transport(self._base_url, timeout_seconds, ssl_context, self._clock, random)
        self._rate_limit_gate = RateLimitGate(self._clock)
        self._cache: Cache[ValidateResult] = Cache(cache_entries, self._clock.steady)
        self._grace = Grace(grace_seconds, grace_store, key, self._clock, cache_entries)
        #: By process and request: a forked process does not have the threads that would complete its parent's.
        self._pending: dict[tuple[int, str], Future[ValidateResult]] = {}
        self._lock = threading.Lock()
        self._threads: tuple[int, ThreadPoolExecutor] | None = None

    def validate(
        self,
        license_key: str,
        *,
        version: str | None = None,
        device_id: str | None = None,
        fresh: bool = False,
    ) -> ValidateResult:
        """Return the server's verdict on a license.

        A rejection is a result, not an error. A raised ``CountersignError`` means that there is no verdict. ``fresh``
        bypasses the cache.
        """
        _require_license_key(license_key)
        version = version if version is not None else self._version
        device_id = device_id if device_id is not None else self._device_id
        key = _request_key(license_key, version, device_id)
        pending_key = (os.getpid(), key)
        while True:
            with self._lock:
                cached = None if fresh else self._cache.get(key)
                if cached is not None:
                    return _with_own_custom(replace(cached, source="cache", ip_registered=None))
                pending = self._pending.get(pending_key)
                if pending is None:
                    mine: Future[ValidateResult] = Future()
                    self._pending[pending_key] = mine
                    break
            try:
                return _with_own_custom(pending.result())
            except CancelledError:
                # The thread that sent the request was interrupted; this one tries again.
                continue
        try:
            result = self._validate(key, license_key, version, device_id)
            mine.set_result(result)
            return _with_own_custom(result)
        except Exception as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._pending[pending_key]
            mine.cancel()

    def check(
        self,
        license_key: str,
        *,
        version: str | None = None,
        device_id: str | None = None,
        fresh: bool = False,
    ) -> Decision:
        """Return a decision instead of a result. An unavailable server never makes it raise."""
        try:
            result = self.validate(license_key, version=version, device_id=device_id, fresh=fresh)
        except CountersignError as error:
            # A forged response and one of the sandbox are never allowed, in either mode.
            is_forged = isinstance(error, (SignatureError, SandboxError))
            return Decision(self._when_unavailable == "advisory" and not is_forged, None, error)
        return Decision(result.valid, result, None)

    def lookup(self, license_key: str) -> LicenseRecord:
        """Return the license's record. Read-only: it registers no IP address and grants nothing."""
        _require_license_key(license_key)
        # No license key contains undecodable characters, so replacing them is safe.
        path = "/api/v1/license/" + quote(license_key, safe="", errors="replace")
        response = self._send(ApiRequest("GET", path, self._headers()))
        if response.status == 404 and (parsed(response.body) or {}).get("statusCode") == 404:
            raise NotFoundError("The product has no license with this key.", response.request_id)
        license_record = read_license(response.body) if response.status == 200 else None
        if license_record is None:
            raise _unusable(response)
        return license_record

    def portal_url(self, license_key: str) -> str:
        """Return the page of the customer portal on which the holder of a license solves a rejection.

        Use it for ``ip_limit_reached``, ``ip_not_registered`` and ``expired``. The page asks for sign-in first. No
        request is sent. The URL contains the license key: give it only to the holder of that key, and keep it out of
        logs.
        """
        return portal_url(self._base_url, license_key)

    def watch(
        self,
        license_key: str,
        interval_seconds: float,
        on_change: OnChange,
        *,
        on_error: OnError | None = None,
        version: str | None = None,
        device_id: str | None = None,
    ) -> Watch:
        """Validate periodically in a separate thread, and report changes of the verdict. Ends with ``stop()``."""
        _require_license_key(license_key)

        def validate() -> ValidateResult:
            return self.validate(license_key, version=version, device_id=device_id, fresh=True)

        return Watch(validate, interval_seconds, on_change, on_error, self._random)

    def forget(self) -> None:
        """Clear the cache. It does not lift a reached daily limit."""
        self._cache.clear()

    def _cached(self, license_key: str, version: str | None, device_id: str | None) -> ValidateResult | None:
        version = version if version is not None else self._version
        device_id = device_id if device_id is not None else self._device_id
        cached = self._cache.get(_request_key(license_key, version, device_id))
        return None if cached is None else _with_own_custom(replace(cached, source="cache", ip_registered=None))

    def _pool(self) -> ThreadPoolExecutor:
        """Return the threads for asyncio calls, separate from the event loop's default executor."""
        with self._lock:
            # A forked process does not have its parent's threads.
            if self._threads is None or self._threads[0] != os.getpid():
                self._threads = (os.getpid(), ThreadPoolExecutor(_MAX_THREADS, "countersign-async"))
            return self._threads[1]

    def _validate(self, key: str, license_key: str, version: str | None, device_id: str | None) -> ValidateResult:
        try:
            result, is_sandbox = self._request_verdict(license_key, version, device_id)
        except CountersignError as error:
            is_unreachable = isinstance(error, ConnectionError) or (
                isinstance(error, ServerError) and error.status >= 500
            )
            grace_result = self._grace.grace_result(license_key, key) if is_unreachable else None
            if grace_result is None:
                raise
            return grace_result
        self._cache.set(key, result, self._seconds_to_cache(result) if result.valid else 0)
        if is_sandbox:
            # The sandbox says nothing about real licenses.
            return result
        if result.valid:
            self._grace.record_grant(license_key, key, result)
        else:
            self._grace.record_rejection(license_key)
        return result

    def _request_verdict(
        self, license_key: str, version: str | None, device_id: str | None
    ) -> tuple[ValidateResult, bool]:
        """Return the verdict, and whether it is from the sandbox."""
        nonce = secrets.token_urlsafe(18)
        headers = {**self._headers(), "Content-Type": "application/json"}
        if self._signing is not None:
            headers["X-Countersign-Nonce"] = nonce
        body = {"license_key": license_key}
        if version is not None:
            body["version"] = version
        if device_id is not None:
            body["device_id"] = device_id
        text = json.dumps(body).encode()
        response = self._send(ApiRequest("POST", "/api/v1/validate", headers, text))
        if response.status != 200:
            raise _unusable(response)
        if self._signing is not None:
            problem = signature_problem(
                response.body,
                product_id=self._signing.product_id,
                license_key=license_key,
                nonce=nonce,
                secrets=self._signing.all_secrets(),
                now=self._clock.wall(),
                tolerance_seconds=self._signing.tolerance_seconds,
            )
            if problem is not None:
                raise SignatureError(problem, response.request_id)
        checked_at = datetime.fromtimestamp(self._clock.wall(), timezone.utc)
        result = read_result(response.body, checked_at, response.request_id)
        if result is None:
            raise _unusable(response)
        return result, _is_from_sandbox(response)

    def _send(self, request: ApiRequest) -> ApiResponse:
        if not self._allow_sandbox and self._api_key.startswith(_TEST_KEY_PREFIX):
            raise SandboxError("The API key is a test API key, which is not allowed here.", None)
        self._rate_limit_gate.check()
        response = self._transport.send(request)
        is_sandbox = _is_from_sandbox(response)
        if is_sandbox and not self._allow_sandbox:
            raise SandboxError("The response is from the sandbox, so it grants nothing.", response.request_id)
        if response.status == 401:
            raise AuthenticationError(
                "The server rejected the API key. "
                "Check that it is complete, belongs to this product and has not been rotated.",
                response.request_id,
            )
        if response.status == 429:
            seconds = _retry_after_seconds(response)
            # The sandbox has no limit: other calls can continue.
            if not is_sandbox:
                self._rate_limit_gate.close(seconds, response.request_id)
            raise self._rate_limit_gate.error(seconds, response.request_id)
        return response

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}

    def _seconds_to_cache(self, result: ValidateResult) -> float:
        """Return the cache time, which never exceeds the license's expiry."""
        if result.expires is None:
            return self._cache_seconds
        return min(self._cache_seconds, result.expires.timestamp() - self._clock.wall())


class AsyncCountersign:
    """The asyncio client. Requests run in threads, so that the event loop never waits for the network.

    Takes the settings of :class:`Countersign`, or an existing client.
    """

    def __init__(self, client: Countersign | None = None, **settings: Any) -> None:
        if client is not None and settings:
            raise TypeError("Pass either an existing client or the settings of a new one, not both.")
        self.client = client if client is not None else Countersign(**settings)

    async def validate(
        self,
        license_key: str,
        *,
        version: str | None = None,
        device_id: str | None = None,
        fresh: bool = False,
    ) -> ValidateResult:
        """Like :meth:`Countersign.validate`."""
        cached = None if fresh else self.client._cached(license_key, version, device_id)
        if cached is not None:
            return cached
        return await self._in_thread(
            self.client.validate, license_key, version=version, device_id=device_id, fresh=fresh
        )

    async def check(
        self,
        license_key: str,
        *,
        version: str | None = None,
        device_id: str | None = None,
        fresh: bool = False,
    ) -> Decision:
        """Like :meth:`Countersign.check`."""
        cached = None if fresh else self.client._cached(license_key, version, device_id)
        if cached is not None:
            return Decision(cached.valid, cached, None)
        return await self._in_thread(self.client.check, license_key, version=version, device_id=device_id, fresh=fresh)

    async def lookup(self, license_key: str) -> LicenseRecord:
        """Like :meth:`Countersign.lookup`."""
        return await self._in_thread(self.client.lookup, license_key)

    def portal_url(self, license_key: str) -> str:
        """Like :meth:`Countersign.portal_url`. It sends no request, so there is nothing to await."""
        return self.client.portal_url(license_key)

    def watch(
        self,
        license_key: str,
        interval_seconds: float,
        on_change: OnChange,
        *,
        on_error: OnError | None = None,
        version: str | None = None,
        device_id: str | None = None,
    ) -> Watch:
        """Like :meth:`Countersign.watch`. The callbacks run in the current event loop."""
        loop = asyncio.get_running_loop()

        def in_loop(callback: Callable[..., None], *values: object) -> None:
            # After the event loop was closed, callbacks cannot run.
            if not loop.is_closed():
                loop.call_soon_threadsafe(callback, *values)

        return self.client.watch(
            license_key,
            interval_seconds,
            functools.partial(in_loop, on_change),
            on_error=None if on_error is None else functools.partial(in_loop, on_error),
            version=version,
            device_id=device_id,
        )

    def forget(self) -> None:
        """Like :meth:`Countersign.forget`."""
        self.client.forget()

    async def _in_thread(self, work: Callable[..., Value], *values: Any, **named: Any) -> Value:
        call = functools.partial(contextvars.copy_context().run, work, *values, **named)
        return await asyncio.get_running_loop().run_in_executor(self.client._pool(), call)


def _base_url(value: str | None) -> str:
    text = value or os.environ.get("COUNTERSIGN_URL", "")
    # Rejects credentials, a query, a fragment and control characters.
    match = re.fullmatch(r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?:/[!-~]*)?", text)
    if match is None or int(match[1] or 0) > 65_535 or "?" in text or "#" in text:
        raise ValueError(
            "base_url must be the URL of the Countersign server, such as https://licenses.example.com. "
            "Pass it, or set COUNTERSIGN_URL."
        )
    return text.rstrip("/")


def _require_license_key(license_key: object) -> None:
    if not isinstance(license_key, str) or not license_key.strip():
        raise ValueError("license_key must be a license key that is not empty.")


def _request_key(license_key: str, version: str | None, device_id: str | None) -> str:
    return json.dumps([license_key, version, device_id])


def _with_own_custom(result: ValidateResult) -> ValidateResult:
    """Copy the custom response, so that callers do not share one."""
    return result if result.custom is None else replace(result, custom=copy.deepcopy(result.custom))


def _within(name: str, value: float, minimum: float, maximum: float) -> None:
    if not minimum <= value <= maximum:
        raise ValueError(f"{name} must be a number from {minimum:g} to {maximum:g}, not {value}.")


def _is_from_sandbox(response: ApiResponse) -> bool:
    return response.headers.get("x-countersign-sandbox") == "true"


def _retry_after_seconds(response: ApiResponse) -> int:
    """Return at most a day; a minute if the server gives no time."""
    value = response.headers.get("retry-after", (parsed(response.body) or {}).get("retry_after"))
    try:
        seconds = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return 60
    return min(math.ceil(seconds), 86_400) if math.isfinite(seconds) and seconds > 0 else 60


def _unusable(response: ApiResponse) -> ServerError:
    hint = (
        " Check that base_url is the URL of a Countersign server."
        if response.status == 404 or response.status < 400
        else ""
    )
    return ServerError(
        f"The server sent an unusable response (HTTP {response.status}).{hint}", response.status, response.request_id
    )
