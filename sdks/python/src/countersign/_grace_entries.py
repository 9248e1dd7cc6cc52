from __future__ import annotations

import functools
import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from typing import Any

from ._frozen import frozen
from ._grace_store import GraceStore
from ._models import ValidateResult


@dataclass(frozen=True)
class GraceEntry:
    """What is stored for one license, for all versions and devices."""

    #: The latest time ever seen: an earlier clock was set back.
    seen_at: float
    #: By request, newest last: the result, and when the server returned it.
    grants: dict[str, dict[str, Any]]


class GraceEntries:
    """Reads and writes the entries of a store. Nobody else can write one, or use it on another device."""

    def __init__(self, store: GraceStore, api_key: str, device_id: str | None) -> None:
        self._store = store
        self._client_device_id = device_id
        self._secret = hashlib.sha256(f"countersign.grace.v2\n{api_key}".encode()).digest()

    @functools.cached_property
    def _device_id(self) -> str | None:
        if self._client_device_id is not None:
            return self._client_device_id
        own: str | None = getattr(self._store, "device_id", None)
        return own

    def name_of(self, text: str) -> str:
        """Return a name that does not reveal the license key, and differs for products that share a folder."""
        return hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]

    def exists(self, license: str) -> bool:
        return self._store.load(self.name_of(license)) is not None

    def load(self, license: str) -> GraceEntry | None:
        """Return None for anything this client did not write, or wrote for another license or another device."""
        text = self._store.load(self.name_of(license))
        if text is None:
            return None
        claimed = text[:64].encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(claimed, self._mac(license, text[65:]).encode()):
            return None
        try:
            stored = json.loads(text[65:])
            return GraceEntry(float(stored["seen_at"]), dict(stored["grants"]))
        except (ValueError, TypeError, KeyError):
            # Another release wrote the entry.
            return None

    def save(self, license: str, entry: GraceEntry) -> None:
        text = json.dumps({"seen_at": entry.seen_at, "grants": entry.grants})
        self._store.save(self.name_of(license), f"{self._mac(license, text)}.{text}")

    def remove(self, license: str) -> None:
        self._store.remove(self.name_of(license))

    @contextmanager
    def locked(self, license: str) -> Iterator[None]:
        """Lock the entry across processes, if the store can. Raises if it cannot be locked in time."""
        lock = getattr(self._store, "lock", None)
        release = None if lock is None else lock(self.name_of(license))
        try:
            yield
        finally:
            if release is not None:
                release()

    def _mac(self, license: str, text: str) -> str:
        subject = json.dumps([self._device_id, license, text])
        return hmac.new(self._secret, subject.encode(), hashlib.sha256).hexdigest()


def grant_of(result: ValidateResult[Any], now: float) -> dict[str, Any]:
    fields = asdict(replace(result, rate_limit=None))
    fields["expires"] = None if result.expires is None else result.expires.timestamp()
    fields["checked_at"] = result.checked_at.timestamp()
    return {"result": fields, "granted_at": now}


def result_of(grant: dict[str, Any]) -> ValidateResult[Any] | None:
    """Return None if another release wrote the grant."""
    try:
        fields = grant["result"]
        expires = fields["expires"]
        return ValidateResult(
            **{
                **fields,
                "expires": None if expires is None else datetime.fromtimestamp(expires, timezone.utc),
                "checked_at": datetime.fromtimestamp(fields["checked_at"], timezone.utc),
                "custom": frozen(fields["custom"]),
            }
        )
    except (ValueError, TypeError, KeyError, OSError, OverflowError):
        return None
