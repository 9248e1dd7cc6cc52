from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as WaitedTooLong
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from ._api import Api, ValidateRequest, Verdict
from ._cache import Cache
from ._call import Call, Cancelled
from ._clock import Clock
from ._fork import reset_after_fork
from ._grace import Grace
from ._license_key import comparison_form, is_impossible
from ._models import ValidateResult
from ._parsing import local_rejection
from ._pending_requests import PendingRequests, SharedRequest
from ._reporter import Reporter
from .errors import ConnectionError, CountersignError, RateLimitError, ServerError, TimeoutError

#: The errors during which a license that was valid before stays valid.
_COVERED_BY_GRACE = (ConnectionError, ServerError, RateLimitError)


class Validations:
    """Returns verdicts: from the caches, from a request that is already pending, or from a new one."""

    def __init__(
        self,
        api: Api,
        grace: Grace,
        reporter: Reporter,
        clock: Clock,
        *,
        cache_seconds: float,
        not_found_cache_seconds: float,
        cache_entries: int,
    ) -> None:
        self._api = api
        self.grace = grace
        self._reporter = reporter
        self._clock = clock
        self._cache_seconds = cache_seconds
        self._not_found_cache_seconds = not_found_cache_seconds
        self._valid: Cache[ValidateResult[Any]] = Cache(cache_entries, clock.steady)
        #: By license. Separate, so that made-up keys never evict valid ones.
        self._not_found: Cache[ValidateResult[Any]] = Cache(cache_entries, clock.steady)
        self.after_fork()
        reset_after_fork(self)

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        # A forked process does not have the threads that would complete its parent's requests.
        self._pending = PendingRequests()

    def validate(self, request: ValidateRequest, call: Call, fresh: bool) -> ValidateResult[Any]:
        while True:
            remembered, is_new = self.find_or_start(request, call, fresh)
            if isinstance(remembered, ValidateResult):
                return remembered
            if is_new:
                self.run(remembered)
                return remembered.future.result()
            try:
                return remembered.future.result(call.longest_wait_seconds)
            except CancelledError:
                # The thread that sent the request was interrupted; this one tries again.
                continue
            except BaseException as error:
                self.leave(remembered)
                if isinstance(error, WaitedTooLong) and not remembered.future.done():
                    raise no_answer(call) from error
                raise

    def cached(self, request: ValidateRequest) -> ValidateResult[Any] | None:
        """Return the result that needs no request."""
        if is_impossible(request.license_key):
            return local_rejection(datetime.fromtimestamp(self._clock.wall(), timezone.utc))
        with self._lock:
            remembered = self._cached(request)
        return None if remembered is None else self._from_cache(request, remembered)

    def find_or_start(
        self, request: ValidateRequest, call: Call, fresh: bool
    ) -> tuple[ValidateResult[Any] | SharedRequest, bool]:
        """Return a result that needs no request; or else a pending request, and whether the caller has to run it."""
        if is_impossible(request.license_key):
            return local_rejection(datetime.fromtimestamp(self._clock.wall(), timezone.utc)), False
        with self._lock:
            remembered = None if fresh else self._cached(request)
            if remembered is None:
                joined = None if fresh else self._pending.join(request, call)
                return (self._pending.start(request, call, fresh), True) if joined is None else (joined, False)
        return self._from_cache(request, remembered), False

    def run(self, shared: SharedRequest, failure: CountersignError | None = None) -> None:
        """Send the request, unless that already failed, and complete it.

        Only raises what is not an error of the request.
        """
        try:
            result = self._answer(shared) if failure is None else self._without_verdict(shared.request, failure)
        except Cancelled:
            self._end(shared)
            shared.future.cancel()
        except Exception as error:
            self._end(shared)
            shared.future.set_exception(error)
        except BaseException:
            self._end(shared)
            shared.future.cancel()
            raise
        else:
            self._end(shared)
            shared.future.set_result(result)

    def leave(self, shared: SharedRequest) -> None:
        """Stop waiting. If no other call waits for the request, it is cancelled."""
        with self._lock:
            is_abandoned = self._pending.leave(shared)
        if is_abandoned:
            shared.abandon()

    def forget(self) -> None:
        with self._lock:
            self._valid.clear()
            self._not_found.clear()
            self._pending.forget()

    def _end(self, shared: SharedRequest) -> None:
        with self._lock:
            self._pending.end(shared)

    def _cached(self, request: ValidateRequest) -> ValidateResult[Any] | None:
        # A valid verdict removes the other one, so a license that is in both was not remembered last.
        return self._not_found.get(comparison_form(request.license_key)) or self._valid.get(request.cache_key)

    def _from_cache(self, request: ValidateRequest, remembered: ValidateResult[Any]) -> ValidateResult[Any]:
        if remembered.valid:
            self.grace.store_time_later(request.license_key)
        return replace(remembered, source="cache", ip_registered=None, rate_limit=None)

    def _answer(self, shared: SharedRequest) -> ValidateResult[Any]:
        request = shared.request
        try:
            verdict = self._api.validate(request, shared.call)
        except CountersignError as error:
            return self._without_verdict(request, error)
        self._reporter.verdict()
        result = verdict.result
        with self._lock:
            if shared.is_current:
                self._remember(shared, result)
        self._record(shared, verdict)
        return result

    def _without_verdict(self, request: ValidateRequest, error: CountersignError) -> ValidateResult[Any]:
        if not isinstance(error, _COVERED_BY_GRACE):
            self.grace.store_time(request.license_key)
            self._reporter.failure(error)
            raise error
        result = self.grace.grace_result(request.license_key, request.cache_key)
        if result is None:
            self._reporter.failure(error)
            raise error
        self._reporter.grace_used(error)
        return result

    def _remember(self, shared: SharedRequest, result: ValidateResult[Any]) -> None:
        self._valid.set(shared.request.cache_key, result, self._seconds_to_cache(result) if result.valid else 0)
        is_not_found = result.status == "license_not_found" and not result.valid
        self._not_found.set(shared.license, result, self._not_found_cache_seconds if is_not_found else 0)

    def _record(self, shared: SharedRequest, verdict: Verdict) -> None:
        if verdict.is_sandbox:
            # The sandbox says nothing about real licenses.
            return
        request = shared.request

        def is_current() -> bool:
            return shared.is_current

        if verdict.result.valid:
            self.grace.record_grant(request.license_key, request.cache_key, verdict.result, is_current)
        else:
            self.grace.record_rejection(request.license_key, is_current)

    def _seconds_to_cache(self, result: ValidateResult[Any]) -> float:
        """Return the cache time, which never exceeds the license's expiry."""
        if result.expires is None:
            return self._cache_seconds
        return min(self._cache_seconds, result.expires.timestamp() - self._clock.wall())


def no_answer(call: Call) -> TimeoutError:
    """Return the error for a thread that did not keep to its deadline, for example because a grace store blocks it."""
    return TimeoutError(f"There was no answer within {call.timeout_seconds:g} seconds.")
