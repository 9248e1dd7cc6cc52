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
from ._latch import Latch
from ._models import Decision, LicenseRecord, ValidateResult, parsed, read_license, read_result
from ._signature import signature_problem
from ._transport import Question, Reply, Transport
from ._watch import OnChange, OnError, Watch
from .errors import (
    AuthenticationError,
    ConnectionError,
    CountersignError,
    NotFoundError,
    ServerError,
    SignatureError,
)

Value = TypeVar("Value")

_LONGEST_GRACE_SECONDS = 30 * 86_400
#: So many calls by asyncio are under way at once; the others wait for their turn.
_MOST_THREADS = 32


@dataclass(frozen=True)
class Signing:
    """With it, an answer that is not signed, or not right, is refused with a ``SignatureError``."""

    #: The product's id, as the dashboard shows it.
    product_id: str
    #: The product's signing secret by hex; during a rotation the old and the new one.
    secrets: str | Sequence[str] = field(repr=False)
    #: How far the server's clock and this one may be apart.
    tolerance_seconds: float = 300

    def __post_init__(self) -> None:
        if not self.product_id:
            raise ValueError("signing.product_id should be the product's id, as the dashboard shows it.")
        given = self.all_secrets()
        if not given or not all(re.fullmatch(r"[0-9a-fA-F]{64}", secret) for secret in given):
            raise ValueError("signing.secrets should be 64 hexadecimal digits each, as the dashboard shows them.")
        _within("signing.tolerance_seconds", self.tolerance_seconds, 1, 3_600)

    def all_secrets(self) -> list[str]:
        if isinstance(self.secrets, str):
            return [secret.strip() for secret in self.secrets.split(",")]
        return list(self.secrets)


class Countersign:
    """Asks a Countersign server about licenses.

    Make one for the whole app: it remembers, asks once for many threads, and may be used from all of them.

    :param api_key: the product's API key, ``csk_…``; the environment's ``COUNTERSIGN_API_KEY`` when left out
    :param base_url: where Countersign runs; ``COUNTERSIGN_URL`` when left out
    :param timeout_seconds: for the whole call, a second try included
    :param ssl_context: whom to trust instead of the system's authorities, such as a company's own; proxies are those of
        the environment (``HTTPS_PROXY``, ``NO_PROXY``)
    :param signing: the secret that answers have to be signed with
    :param cache_seconds: how long a license that was valid counts as valid without asking again; 0 asks every time
    :param cache_entries: how many licenses are remembered
    :param grace_seconds: how long a license that was valid goes on being so while the server cannot be reached
    :param grace_store: where the grace outlives the process
    :param when_unavailable: what ``check`` allows when no verdict can be had: nothing ("closed"), or everything
        ("advisory")
    :param device_id: sent with every validation, for the seller to see; it decides nothing
    :param version: sent with every validation, where the call names no other
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
        device_id: str | None = None,
        version: str | None = None,
        clock: Clock | None = None,
        random: Callable[[], float] = system_random,
    ) -> None:
        key = api_key or os.environ.get("COUNTERSIGN_API_KEY", "")
        if not re.fullmatch(r"[!-~]+", key):
            raise ValueError("api_key should be the product's API key (csk_…), given here or as COUNTERSIGN_API_KEY.")
        _within("timeout_seconds", timeout_seconds, 0.001, 120)
        _within("cache_seconds", cache_seconds, 0, 86_400)
        _within("cache_entries", cache_entries, 0, 1_000_000)
        _within("grace_seconds", grace_seconds, 0, _LONGEST_GRACE_SECONDS)
        if when_unavailable not in ("closed", "advisory"):
            raise ValueError('when_unavailable should be "closed" or "advisory".')
        self._api_key = key
        self._signing = signing
        self._cache_seconds = cache_seconds
        self._when_unavailable = when_unavailable
        self._device_id = device_id
        self._version = version
        self._clock: Clock = clock if clock is not None else SystemClock()
        self._random = random
        self._transport = Transport(_url(base_url), timeout_seconds, ssl_context, self._clock, random)
        self._latch = Latch(self._clock)
        self._cache: Cache[ValidateResult] = Cache(cache_entries, self._clock.steady)
        self._grace = Grace(grace_seconds, grace_store, key, self._clock, cache_entries)
        #: By process and question, since a process that was forked has nobody who would answer its parent's.
        self._under_way: dict[tuple[int, str], Future[ValidateResult]] = {}
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
        """The server's verdict about a license.

        A refusal is a result, not an error; what is raised is a ``CountersignError`` and means that there is no
        verdict. ``fresh`` asks the server even if the answer is remembered.
        """
        _is_key(license_key)
        version = version if version is not None else self._version
        device_id = device_id if device_id is not None else self._device_id
        key = _key_of(license_key, version, device_id)
        place = (os.getpid(), key)
        while True:
            with self._lock:
                known = None if fresh else self._cache.get(key)
                if known is not None:
                    return _of_ones_own(replace(known, source="cache", ip_registered=None))
                under_way = self._under_way.get(place)
                if under_way is None:
                    mine: Future[ValidateResult] = Future()
                    self._under_way[place] = mine
                    break
            try:
                return _of_ones_own(under_way.result())
            except CancelledError:
                # Whoever asked was interrupted, and that was not meant for those who wait.
                continue
        try:
            result = self._validate(key, license_key, version, device_id)
            mine.set_result(result)
            return _of_ones_own(result)
        except Exception as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._under_way[place]
            mine.cancel()

    def check(
        self,
        license_key: str,
        *,
        version: str | None = None,
        device_id: str | None = None,
        fresh: bool = False,
    ) -> Decision:
        """The same as an answer to "may they go on?", which is never raised for want of a server."""
        try:
            result = self.validate(license_key, version=version, device_id=device_id, fresh=fresh)
        except CountersignError as error:
            # Whoever forges an answer gains nothing by it in either mode.
            is_forged = isinstance(error, SignatureError)
            return Decision(self._when_unavailable == "advisory" and not is_forged, None, error)
        return Decision(result.valid, result, None)

    def lookup(self, license_key: str) -> LicenseRecord:
        """The license's record. Read-only: it registers no address and grants nothing."""
        _is_key(license_key)
        # What the environment could not decode is in no license.
        path = "/api/v1/license/" + quote(license_key, safe="", errors="replace")
        reply = self._ask(Question("GET", path, self._headers()))
        if reply.status == 404 and (parsed(reply.body) or {}).get("statusCode") == 404:
            raise NotFoundError("There is no such license under this product.", reply.request_id)
        license_record = read_license(reply.body) if reply.status == 200 else None
        if license_record is None:
            raise _unusable(reply)
        return license_record

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
        """Asks again and again, in a thread of its own, and tells when the verdict changes. Ends with ``stop()``."""
        _is_key(license_key)

        def validate() -> ValidateResult:
            return self.validate(license_key, version=version, device_id=device_id, fresh=True)

        return Watch(validate, interval_seconds, on_change, on_error, self._random)

    def forget(self) -> None:
        """Forgets what was remembered about every license, though not that the day's limit is used up."""
        self._cache.clear()

    def _remembered(self, license_key: str, version: str | None, device_id: str | None) -> ValidateResult | None:
        version = version if version is not None else self._version
        device_id = device_id if device_id is not None else self._device_id
        known = self._cache.get(_key_of(license_key, version, device_id))
        return None if known is None else _of_ones_own(replace(known, source="cache", ip_registered=None))

    def _pool(self) -> ThreadPoolExecutor:
        """Threads for asyncio, apart from those that the rest of the app shares."""
        with self._lock:
            # A process that was forked has none of its parent's threads.
            if self._threads is None or self._threads[0] != os.getpid():
                self._threads = (os.getpid(), ThreadPoolExecutor(_MOST_THREADS, "countersign-async"))
            return self._threads[1]

    def _validate(self, key: str, license_key: str, version: str | None, device_id: str | None) -> ValidateResult:
        try:
            result = self._ask_verdict(license_key, version, device_id)
        except CountersignError as error:
            is_away = isinstance(error, ConnectionError) or (isinstance(error, ServerError) and error.status >= 500)
            last_word = self._grace.last_word(license_key, key) if is_away else None
            if last_word is None:
                raise
            return last_word
        self._cache.set(key, result, self._seconds_to_remember(result) if result.valid else 0)
        if result.valid:
            self._grace.granted(license_key, key, result)
        else:
            self._grace.refused(license_key)
        return result

    def _ask_verdict(self, license_key: str, version: str | None, device_id: str | None) -> ValidateResult:
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
        reply = self._ask(Question("POST", "/api/v1/validate", headers, text))
        if reply.status != 200:
            raise _unusable(reply)
        if self._signing is not None:
            problem = signature_problem(
                reply.body,
                product_id=self._signing.product_id,
                license_key=license_key,
                nonce=nonce,
                secrets=self._signing.all_secrets(),
                now=self._clock.wall(),
                tolerance_seconds=self._signing.tolerance_seconds,
            )
            if problem is not None:
                raise SignatureError(problem, reply.request_id)
        checked_at = datetime.fromtimestamp(self._clock.wall(), timezone.utc)
        result = read_result(reply.body, checked_at, reply.request_id)
        if result is None:
            raise _unusable(reply)
        return result

    def _ask(self, question: Question) -> Reply:
        self._latch.check()
        reply = self._transport.ask(question)
        if reply.status == 401:
            raise AuthenticationError(
                "The API key is not accepted. Is it this product's, complete, and not rotated since?",
                reply.request_id,
            )
        if reply.status == 429:
            raise self._latch.shut(_seconds_in(reply), reply.request_id)
        return reply

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}

    def _seconds_to_remember(self, result: ValidateResult) -> float:
        """Never beyond the end of the license."""
        if result.expires is None:
            return self._cache_seconds
        return min(self._cache_seconds, result.expires.timestamp() - self._clock.wall())


class AsyncCountersign:
    """The same for asyncio: what has to be asked for runs in a thread, so that the loop never waits for the network.

    Takes what :class:`Countersign` takes, or one that is there already.
    """

    def __init__(self, client: Countersign | None = None, **settings: Any) -> None:
        if client is not None and settings:
            raise TypeError("Either a client that is there already, or the settings of a new one.")
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
        known = None if fresh else self.client._remembered(license_key, version, device_id)
        if known is not None:
            return known
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
        known = None if fresh else self.client._remembered(license_key, version, device_id)
        if known is not None:
            return Decision(known.valid, known, None)
        return await self._in_thread(self.client.check, license_key, version=version, device_id=device_id, fresh=fresh)

    async def lookup(self, license_key: str) -> LicenseRecord:
        """Like :meth:`Countersign.lookup`."""
        return await self._in_thread(self.client.lookup, license_key)

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
        """Like :meth:`Countersign.watch`; the callbacks run in the loop that this is called in."""
        loop = asyncio.get_running_loop()

        def in_loop(callback: Callable[..., None], *values: object) -> None:
            # Nobody is left to be told after the loop has ended.
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


def _url(given: str | None) -> str:
    text = given or os.environ.get("COUNTERSIGN_URL", "")
    # No name and password, no question mark, nothing that would end a line: only a place.
    match = re.fullmatch(r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?:/[!-~]*)?", text)
    if match is None or int(match[1] or 0) > 65_535 or "?" in text or "#" in text:
        raise ValueError(
            "base_url should be where Countersign runs, such as https://licenses.example.com, "
            "given here or as COUNTERSIGN_URL."
        )
    return text.rstrip("/")


def _is_key(license_key: object) -> None:
    if not isinstance(license_key, str) or not license_key.strip():
        raise ValueError("license_key should be the customer's license key.")


def _key_of(license_key: str, version: str | None, device_id: str | None) -> str:
    return json.dumps([license_key, version, device_id])


def _of_ones_own(result: ValidateResult) -> ValidateResult:
    """So that what one caller changes in the custom response is not what the next one gets."""
    return result if result.custom is None else replace(result, custom=copy.deepcopy(result.custom))


def _within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise ValueError(f"{name} should be a number from {least:g} to {most:g}, not {value}.")


def _seconds_in(reply: Reply) -> int:
    """Until midnight UTC at the latest; a minute where the server does not say."""
    said = reply.headers.get("retry-after", (parsed(reply.body) or {}).get("retry_after"))
    try:
        seconds = float(said)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return 60
    return min(math.ceil(seconds), 86_400) if math.isfinite(seconds) and seconds > 0 else 60


def _unusable(reply: Reply) -> ServerError:
    hint = " Is base_url the address of a Countersign server?" if reply.status == 404 or reply.status < 400 else ""
    return ServerError(f"The server's answer ({reply.status}) cannot be used.{hint}", reply.status, reply.request_id)
