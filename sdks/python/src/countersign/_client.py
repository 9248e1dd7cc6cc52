from __future__ import annotations

import ssl
from random import random as system_random
from typing import Callable, Generic, Literal

from ._api import Api, ValidateRequest
from ._async_slots import Slots
from ._call import Call
from ._clock import Clock, SystemClock
from ._connections import Connections
from ._grace import Grace
from ._grace_entries import GraceEntries
from ._grace_store import GraceStore, InMemoryGraceStore
from ._license_key import given_key
from ._models import Decision, LicenseRecord, ValidateResult
from ._options import (
    MAX_GRACE_SECONDS,
    checked_api_key,
    checked_base_url,
    checked_user_agent,
    require_retries,
    require_timeout,
    require_within,
)
from ._portal_url import portal_url
from ._reporter import AnyLogger, OnRequest, OnResponse, Reporter
from ._signature import Signing
from ._transport import Transport
from ._types import Custom
from ._validations import Validations
from ._version import __version__
from ._watch import OnChange, OnError, Watch
from .errors import CountersignError, SandboxError, SignatureError


class Countersign(Generic[Custom]):
    """Validates licenses against a Countersign server.

    Create one for the whole app: it is thread-safe, caches results, and concurrent calls share one request. The type
    parameter is the type of the product's custom response: ``Countersign[MyTypedDict](…)``.

    :param api_key: the product's API key, ``csk_…``; defaults to the environment variable ``COUNTERSIGN_API_KEY``
    :param base_url: the URL of the Countersign server; defaults to ``COUNTERSIGN_URL``
    :param timeout_seconds: for the whole call, including retries and DNS resolution
    :param retries: how often a failed connection or a 5xx response is retried, from 0 to 5
    :param ssl_context: certificate authorities to trust instead of the system's, such as a private one; proxies are
        taken from the environment (``HTTPS_PROXY``, ``NO_PROXY``)
    :param signing: if set, a response without a valid signature is rejected
    :param cache_seconds: how long a valid license is cached; 0 disables caching
    :param not_found_cache_seconds: how long an unknown key is remembered as such; 0 disables it
    :param cache_entries: the maximum number of cached licenses, and of remembered unknown keys
    :param grace_seconds: how long a valid license stays valid while there is no verdict
    :param grace_store: stores the grace period across restarts; defaults to memory
    :param when_unavailable: what ``check`` allows without a verdict: nothing ("closed"), or everything ("advisory")
    :param allow_sandbox: accepts test API keys (``cskt_…``) and responses of the sandbox; for tests only, because the
        fixed license keys of the sandbox are valid for everyone
    :param device_id: sent with every validation, for the seller's information; it does not affect the verdict. The
        grace period is bound to it
    :param version: sent with every validation, unless the call specifies another
    :param user_agent: what to add to the ``User-Agent`` header, such as ``my-app/1.0``
    :param logger: a ``logging.Logger``, or any object with the methods of ``Logger``; keys are never logged
    :param on_request: called before every request, with a ``RequestEvent``
    :param on_response: called after every request, with a ``ResponseEvent``
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout_seconds: float = 5,
        retries: int = 1,
        ssl_context: ssl.SSLContext | None = None,
        signing: Signing | None = None,
        cache_seconds: float = 300,
        not_found_cache_seconds: float = 30,
        cache_entries: int = 1000,
        grace_seconds: float = 0,
        grace_store: GraceStore | None = None,
        when_unavailable: Literal["closed", "advisory"] = "closed",
        allow_sandbox: bool = False,
        device_id: str | None = None,
        version: str | None = None,
        user_agent: str | None = None,
        logger: AnyLogger | None = None,
        on_request: OnRequest = None,
        on_response: OnResponse = None,
        clock: Clock | None = None,
        random: Callable[[], float] = system_random,
    ) -> None:
        key = checked_api_key(api_key)
        require_timeout(timeout_seconds)
        require_retries(retries)
        require_within("cache_seconds", cache_seconds, 0, 86_400)
        require_within("not_found_cache_seconds", not_found_cache_seconds, 0, 3_600)
        require_within("cache_entries", cache_entries, 0, 1_000_000)
        require_within("grace_seconds", grace_seconds, 0, MAX_GRACE_SECONDS)
        if when_unavailable not in ("closed", "advisory"):
            raise ValueError('when_unavailable must be "closed" or "advisory".')
        self._base_url = checked_base_url(base_url)
        self._timeout_seconds = timeout_seconds
        self._retries = retries
        self._when_unavailable = when_unavailable
        self._device_id = device_id
        self._version = version
        self._clock: Clock = clock if clock is not None else SystemClock()
        self._random = random
        self._reporter = Reporter(logger, on_request, on_response)
        #: For the calls of ``AsyncCountersign``.
        self._slots = Slots()
        self._connections = Connections(self._base_url, ssl_context)
        self._api = Api(
            key,
            f"countersign-python/{__version__}{checked_user_agent(user_agent)}",
            Transport(self._connections, self._reporter, self._clock, random),
            self._reporter,
            self._clock,
            signing,
            allow_sandbox is True,
        )
        store = grace_store if grace_store is not None else InMemoryGraceStore(cache_entries)
        entries = GraceEntries(store, key, device_id)
        self._validations = Validations(
            self._api,
            Grace(grace_seconds, entries, self._reporter, self._clock, cache_entries),
            self._reporter,
            self._clock,
            cache_seconds=cache_seconds,
            not_found_cache_seconds=not_found_cache_seconds,
            cache_entries=cache_entries,
        )

    def validate(
        self,
        license_key: str | None,
        *,
        version: str | None = None,
        device_id: str | None = None,
        fresh: bool = False,
        timeout_seconds: float | None = None,
        retries: int | None = None,
    ) -> ValidateResult[Custom]:
        """Return the server's verdict on a license.

        A rejection is a result, not an error. A raised ``CountersignError`` means that there is no verdict. ``fresh``
        bypasses the cache, and never returns an answer that was requested earlier.
        """
        request = self._request(license_key, version, device_id)
        return self._validations.validate(request, self._call(timeout_seconds, retries), fresh)

    def check(
        self,
        license_key: str | None,
        *,
        version: str | None = None,
        device_id: str | None = None,
        fresh: bool = False,
        timeout_seconds: float | None = None,
        retries: int | None = None,
    ) -> Decision[Custom]:
        """Return a decision instead of a result. An unavailable server never makes it raise."""
        try:
            result = self.validate(
                license_key,
                version=version,
                device_id=device_id,
                fresh=fresh,
                timeout_seconds=timeout_seconds,
                retries=retries,
            )
        except CountersignError as error:
            return self._decision_without_verdict(error)
        return Decision(result.valid, result, None)

    def cached(
        self, license_key: str | None, *, version: str | None = None, device_id: str | None = None
    ) -> ValidateResult[Custom] | None:
        """Return the result that ``validate`` would return without a request, or None. Sends nothing."""
        return self._validations.cached(self._request(license_key, version, device_id))

    def lookup(
        self, license_key: str | None, *, timeout_seconds: float | None = None, retries: int | None = None
    ) -> LicenseRecord:
        """Return the license's record. Read-only: it registers no IP address and grants nothing."""
        return self._api.lookup(given_key(license_key), self._call(timeout_seconds, retries))

    def portal_url(self, license_key: str | None) -> str:
        """Return the page of the customer portal on which the holder of a license solves a rejection.

        Use it for ``ip_limit_reached``, ``ip_not_registered`` and ``expired``. The page asks for sign-in first. No
        request is sent. The URL contains the license key: give it only to the holder of that key, and keep it out of
        logs.
        """
        return portal_url(self._base_url, license_key)

    def watch(
        self,
        license_key: str | None,
        interval_seconds: float,
        on_change: OnChange[Custom],
        *,
        on_error: OnError | None = None,
        version: str | None = None,
        device_id: str | None = None,
    ) -> Watch[Custom]:
        """Validate periodically in a separate thread, and report changes of the verdict. Ends with ``stop()``."""
        given_key(license_key)

        def validate() -> ValidateResult[Custom]:
            return self.validate(license_key, version=version, device_id=device_id, fresh=True)

        return Watch(validate, interval_seconds, on_change, on_error, self._random, self._reporter)

    def forget(self) -> None:
        """Clear the cache. It does not lift a reached daily limit."""
        self._validations.forget()

    def close(self) -> None:
        """Close the idle connections to the server. The client can still be used, and opens new ones."""
        self._connections.close()

    def __enter__(self) -> Countersign[Custom]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request(self, license_key: str | None, version: str | None, device_id: str | None) -> ValidateRequest:
        return ValidateRequest(
            given_key(license_key),
            version if version is not None else self._version,
            device_id if device_id is not None else self._device_id,
        )

    def _call(self, timeout_seconds: float | None, retries: int | None) -> Call:
        if timeout_seconds is not None:
            require_timeout(timeout_seconds)
        if retries is not None:
            require_retries(retries)
        return Call(
            self._clock,
            self._timeout_seconds if timeout_seconds is None else timeout_seconds,
            self._retries if retries is None else retries,
        )

    def _decision_without_verdict(self, error: CountersignError) -> Decision[Custom]:
        # A forged response and one of the sandbox are never allowed, in either mode.
        is_forged = isinstance(error, (SignatureError, SandboxError))
        return Decision(self._when_unavailable == "advisory" and not is_forged, None, error)
