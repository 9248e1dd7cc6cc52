from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Any, Callable

from ._background import Background
from ._clock import Clock
from ._fork import reset_after_fork
from ._grace_entries import GraceEntries, GraceEntry, grant_of, result_of
from ._license_key import comparison_form
from ._models import ValidateResult
from ._reporter import Reporter

#: A clock that goes back further than this was set back on purpose.
_MAX_CLOCK_CORRECTION_SECONDS = 120
#: The maximum number of versions and devices stored per license.
_MAX_GRANTS = 50
#: The number of locks that the licenses share.
_LOCKS = 64
#: How often a cached license stores the latest time.
_SEEN_INTERVAL_SECONDS = 60


class Grace:
    """Keeps a valid license valid for a while if the server gives no verdict.

    Any rejection ends that for the whole license. Time is measured by the monotonic clock within a process, and by the
    wall clock across restarts, where going back ends it.
    """

    def __init__(
        self, grace_seconds: float, entries: GraceEntries, reporter: Reporter, clock: Clock, max_entries: int
    ) -> None:
        self._grace_seconds = grace_seconds
        self._entries = entries
        self._reporter = reporter
        self._clock = clock
        self._max_entries = max(1, max_entries)
        #: When each license was last granted, per request, by the monotonic clock. The oldest is evicted.
        self._grant_times: OrderedDict[str, OrderedDict[str, float]] = OrderedDict()
        #: Rejected licenses that the store could not remove. The oldest is evicted.
        self._rejected: OrderedDict[str, None] = OrderedDict()
        #: Once a rejection was evicted, only licenses that this process granted have a grace period.
        self._has_evicted_rejection = False
        #: When each cached license last stored the time, by the monotonic clock. The oldest is evicted.
        self._seen: OrderedDict[str, float] = OrderedDict()
        self.background = Background("countersign-grace")
        self.after_fork()
        reset_after_fork(self)

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._license_locks = [threading.RLock() for _ in range(_LOCKS)]

    @property
    def is_enabled(self) -> bool:
        return self._grace_seconds > 0

    def record_grant(
        self,
        license_key: str,
        request_key: str,
        result: ValidateResult[Any],
        is_current: Callable[[], bool] = lambda: True,
    ) -> None:
        """Store a valid verdict, unless a newer request has made it obsolete."""
        if not self.is_enabled:
            return
        license, request = comparison_form(license_key), self._entries.name_of(request_key)
        with self._lock_for(license):
            if not is_current():
                return
            with self._lock:
                self._rejected.pop(license, None)
                grants = self._grant_times.pop(license, None) or OrderedDict()
                grants.pop(request, None)
                grants[request] = self._clock.steady()
                if len(grants) > _MAX_GRANTS:
                    grants.popitem(last=False)
                self._grant_times[license] = grants
                if len(self._grant_times) > self._max_entries:
                    # From here on only the wall clock measures its time, as after a restart.
                    self._grant_times.popitem(last=False)
            try:
                with self._entries.locked(license):
                    self._store_grant(license, request, result)
            except Exception as error:
                self._store_failed(error)

    def record_rejection(self, license_key: str, is_current: Callable[[], bool] = lambda: True) -> None:
        if not self.is_enabled:
            return
        license = comparison_form(license_key)
        with self._lock_for(license):
            if not is_current():
                return
            with self._lock:
                self._grant_times.pop(license, None)
            try:
                self._remove(license)
            except Exception as error:
                self._store_failed(error)
                with self._lock:
                    self._rejected[license] = None
                    if len(self._rejected) > self._max_entries:
                        self._rejected.popitem(last=False)
                        self._has_evicted_rejection = True

    def grace_result(self, license_key: str, request_key: str) -> ValidateResult[Any] | None:
        """Return the result to use without a verdict. Stores the latest time, also if there is none."""
        if not self.is_enabled:
            return None
        license, request = comparison_form(license_key), self._entries.name_of(request_key)
        with self._lock_for(license):
            with self._lock:
                grants = self._grant_times.get(license)
                granted_at_steady = None if grants is None else grants.get(request)
                if license in self._rejected or (self._has_evicted_rejection and grants is None):
                    return None
            try:
                # Without an entry, nothing is locked or created.
                if not self._entries.exists(license):
                    return None
                with self._entries.locked(license):
                    return self._stored_result(license, request, granted_at_steady)
            except Exception as error:
                # If the entry could not be updated, setting the clock back would extend the grace period forever.
                self._store_failed(error)
                return None

    def store_time(self, license_key: str) -> None:
        """Store the latest time, so that setting the clock back later does not extend the grace period."""
        if not self.is_enabled:
            return
        license = comparison_form(license_key)
        with self._lock_for(license):
            try:
                if self._entries.exists(license):
                    with self._entries.locked(license):
                        self._updated(license)
            except Exception as error:
                self._store_failed(error)

    def store_time_later(self, license_key: str) -> None:
        """Store the latest time in the background, at most once a minute per license."""
        if not self.is_enabled:
            return
        license, now = comparison_form(license_key), self._clock.steady()
        with self._lock:
            seen_at = self._seen.get(license)
            if seen_at is not None and now - seen_at < _SEEN_INTERVAL_SECONDS:
                return
            self._seen.pop(license, None)
            self._seen[license] = now
            if len(self._seen) > self._max_entries:
                self._seen.popitem(last=False)
        self.background.add(lambda: self.store_time(license))

    def _lock_for(self, license: str) -> threading.RLock:
        """Serialize the work for one license: data read before a rejection must not be written after it."""
        return self._license_locks[hash(license) % _LOCKS]

    def _remove(self, license: str) -> None:
        try:
            # Without an entry, nothing is locked or created.
            if not self._entries.exists(license):
                return
            with self._entries.locked(license):
                self._entries.remove(license)
        except Exception:
            # A rejection counts with or without the lock.
            self._entries.remove(license)

    def _store_grant(self, license: str, request: str, result: ValidateResult[Any]) -> None:
        now = self._clock.wall()
        stored = self._entries.load(license)
        if stored is None or now < stored.seen_at - _MAX_CLOCK_CORRECTION_SECONDS:
            stored = GraceEntry(now, {})
        others = [(name, grant) for name, grant in stored.grants.items() if name != request]
        grants = {**dict(others[1 - _MAX_GRANTS :]), request: grant_of(result, now)}
        self._entries.save(license, GraceEntry(max(now, stored.seen_at), grants))

    def _updated(self, license: str) -> tuple[GraceEntry, GraceEntry] | None:
        """Store the latest time. Return the entry before and after."""
        stored = self._entries.load(license)
        if stored is None:
            return None
        latest = replace(stored, seen_at=max(self._clock.wall(), stored.seen_at))
        self._entries.save(license, latest)
        return stored, latest

    def _stored_result(self, license: str, request: str, granted_at_steady: float | None) -> ValidateResult[Any] | None:
        entries = self._updated(license)
        if entries is None:
            return None
        stored, latest = entries
        grant = stored.grants.get(request)
        result = None if grant is None else result_of(grant)
        now = self._clock.wall()
        if grant is None or result is None or now < stored.seen_at - _MAX_CLOCK_CORRECTION_SECONDS:
            return None
        # By the latest time: otherwise setting the clock back a little would reopen a grace period that ended.
        ages = [latest.seen_at - grant["granted_at"]]
        if granted_at_steady is not None:
            ages.append(self._clock.steady() - granted_at_steady)
        if max(ages) > self._grace_seconds:
            return None
        if result.expires is not None and result.expires.timestamp() <= latest.seen_at:
            return None
        return replace(result, source="grace", ip_registered=None)

    def _store_failed(self, error: Exception) -> None:
        self._reporter.log_once(
            "grace store",
            "warning",
            f"The grace period could not be stored or read ({type(error).__name__}). It grants nothing until then.",
            error=type(error).__name__,
        )
