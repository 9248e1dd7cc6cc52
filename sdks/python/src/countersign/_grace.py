from __future__ import annotations

import hashlib
import hmac
import json
import os
import tempfile
import threading
from collections import OrderedDict
from dataclasses import asdict, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Protocol

from ._clock import Clock
from ._models import ValidateResult

#: A clock that goes back further than this was set back on purpose.
_MAX_CLOCK_CORRECTION_SECONDS = 120
#: The maximum number of versions and devices stored per license.
_MAX_GRANTS = 50
#: The number of locks that the licenses share.
_LOCKS = 64


class GraceStore(Protocol):
    """Stores one text per license, so that an app can start offline.

    An exception changes no verdict; it only costs the grace period.
    """

    def load(self, name: str) -> str | None: ...

    def save(self, name: str, text: str) -> None: ...

    def remove(self, name: str) -> None: ...


class FileGraceStore:
    """Stores one small file per license in a folder of the app."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def load(self, name: str) -> str | None:
        try:
            return self._path(name).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def save(self, name: str, text: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Only this user can read the file. It is renamed into place, so that no reader sees a partial file.
        descriptor, temporary = tempfile.mkstemp(prefix=f"{name}.", suffix=".new", dir=self._folder)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(temporary, self._path(name))
        except BaseException:
            os.unlink(temporary)
            raise

    def remove(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.countersign"


class Grace:
    """Keeps a valid license valid for a while if the server is unreachable.

    Any rejection ends that for the whole license. Time is measured by the monotonic clock within a process, and by the
    wall clock across restarts, where going back ends it.
    """

    def __init__(
        self, grace_seconds: float, store: GraceStore | None, api_key: str, clock: Clock, max_entries: int
    ) -> None:
        self._grace_seconds = grace_seconds
        self._store: GraceStore = store if store is not None else _InMemoryStore(max_entries)
        self._secret = hashlib.sha256(f"countersign.grace.v1\n{api_key}".encode()).digest()
        self._clock = clock
        self._max_entries = max(1, max_entries)
        #: When each license was last granted, per request, by the monotonic clock. The oldest is evicted.
        self._grant_times: OrderedDict[str, OrderedDict[str, float]] = OrderedDict()
        #: Rejected licenses that the store could not remove. The oldest is evicted.
        self._rejected: OrderedDict[str, None] = OrderedDict()
        #: Once a rejection was evicted, only licenses that this process granted have a grace period.
        self._has_evicted_rejection = False
        self._lock = threading.Lock()
        self._license_locks = (os.getpid(), [threading.RLock() for _ in range(_LOCKS)])

    def record_grant(self, license_key: str, request_key: str, result: ValidateResult) -> None:
        if self._grace_seconds == 0:
            return
        license, request = _normalized(license_key), self._name_of(request_key)
        with self._lock_for(license):
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
            self._store_grant(license, request, result)

    def record_rejection(self, license_key: str) -> None:
        if self._grace_seconds == 0:
            return
        license = _normalized(license_key)
        with self._lock_for(license):
            with self._lock:
                self._grant_times.pop(license, None)
            try:
                self._store.remove(self._name_of(license))
            except Exception:
                with self._lock:
                    self._rejected[license] = None
                    if len(self._rejected) > self._max_entries:
                        self._rejected.popitem(last=False)
                        self._has_evicted_rejection = True

    def grace_result(self, license_key: str, request_key: str) -> ValidateResult | None:
        """Return the result to use if the server is unreachable."""
        if self._grace_seconds == 0:
            return None
        license, request = _normalized(license_key), self._name_of(request_key)
        with self._lock_for(license):
            with self._lock:
                grants = self._grant_times.get(license)
                granted_at_steady = None if grants is None else grants.get(request)
                if license in self._rejected or (self._has_evicted_rejection and grants is None):
                    return None
            return self._stored_result(license, request, granted_at_steady)

    def _lock_for(self, license: str) -> threading.RLock:
        """Serialize the work for one license: data read before a rejection must not be written after it."""
        # A forked process would wait forever for a lock that a thread of its parent holds.
        if self._license_locks[0] != os.getpid():
            self._license_locks = (os.getpid(), [threading.RLock() for _ in range(_LOCKS)])
        return self._license_locks[1][hash(license) % _LOCKS]

    def _store_grant(self, license: str, request: str, result: ValidateResult) -> None:
        now = self._clock.wall()
        stored = self._load(license)
        seen_at, grants = (now, {}) if stored is None else (stored["seen_at"], stored["grants"])
        if now < seen_at - _MAX_CLOCK_CORRECTION_SECONDS:
            seen_at, grants = now, {}
        grants.pop(request, None)
        newest = list(grants.items())[1 - _MAX_GRANTS :]
        grants = {**dict(newest), request: {"result": _serialized(result), "granted_at": now}}
        self._save(license, {"seen_at": max(now, seen_at), "grants": grants})

    def _stored_result(self, license: str, request: str, granted_at_steady: float | None) -> ValidateResult | None:
        stored = self._load(license)
        grant = None if stored is None else stored["grants"].get(request)
        if stored is None or grant is None:
            return None
        try:
            result = _deserialized(grant["result"])
        except Exception:
            # Another release wrote the entry.
            return None
        now = self._clock.wall()
        if now < stored["seen_at"] - _MAX_CLOCK_CORRECTION_SECONDS:
            return None
        ages = [now - grant["granted_at"]]
        if granted_at_steady is not None:
            ages.append(self._clock.steady() - granted_at_steady)
        if max(ages) > self._grace_seconds:
            return None
        latest = max(now, stored["seen_at"])
        if result.expires is not None and result.expires.timestamp() <= latest:
            return None
        # If the entry could not be updated, setting the clock back would extend the grace period forever.
        if not self._save(license, {**stored, "seen_at": latest}):
            return None
        return replace(result, source="grace", ip_registered=None)

    def _save(self, license: str, stored: dict[str, Any]) -> bool:
        """Return whether the store saved it. A full disk costs the grace period at most, never the verdict."""
        text = json.dumps(stored)
        try:
            self._store.save(self._name_of(license), f"{self._mac(license, text)}.{text}")
        except Exception:
            return False
        return True

    def _load(self, license: str) -> dict[str, Any] | None:
        """Return None for anything this client did not write, wrote for another license, or cannot read."""
        try:
            text = self._store.load(self._name_of(license))
            if text is None:
                return None
            claimed = text[:64].encode("utf-8", "surrogatepass")
            if not hmac.compare_digest(claimed, self._mac(license, text[65:]).encode()):
                return None
            stored: dict[str, Any] = json.loads(text[65:])
        except Exception:
            return None
        return stored

    def _mac(self, license: str, text: str) -> str:
        return hmac.new(self._secret, f"{license}\n{text}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def _name_of(self, text: str) -> str:
        """Return a name that does not reveal the license key, and differs for products that share a folder."""
        return hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]


class _InMemoryStore:
    def __init__(self, max_entries: int) -> None:
        self._max_entries = max(1, max_entries)
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, name: str) -> str | None:
        with self._lock:
            return self._texts.get(name)

    def save(self, name: str, text: str) -> None:
        with self._lock:
            self._texts.pop(name, None)
            self._texts[name] = text
            if len(self._texts) > self._max_entries:
                self._texts.popitem(last=False)

    def remove(self, name: str) -> None:
        with self._lock:
            self._texts.pop(name, None)


def _normalized(license_key: str) -> str:
    """Return the same value for every spelling of a license key."""
    return license_key.strip().upper()


def _serialized(result: ValidateResult) -> dict[str, Any]:
    fields = asdict(result)
    fields["expires"] = None if result.expires is None else result.expires.timestamp()
    fields["checked_at"] = result.checked_at.timestamp()
    return fields


def _deserialized(fields: dict[str, Any]) -> ValidateResult:
    expires = fields["expires"]
    return ValidateResult(
        **{
            **fields,
            "expires": None if expires is None else datetime.fromtimestamp(expires, timezone.utc),
            "checked_at": datetime.fromtimestamp(fields["checked_at"], timezone.utc),
        }
    )
