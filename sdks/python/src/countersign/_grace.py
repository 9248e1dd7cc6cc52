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

#: So much may a clock be corrected backwards without anybody meaning harm.
_CORRECTION_SECONDS = 120


class GraceStore(Protocol):
    """Keeps one text for each license, so that an app that starts without a network still runs.

    What it raises takes no verdict away: the license is then one that nothing is known of.
    """

    def load(self, name: str) -> str | None: ...

    def save(self, name: str, text: str) -> None: ...

    def remove(self, name: str) -> None: ...


class FileGraceStore:
    """One small file for each license in a folder of the app's own."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def load(self, name: str) -> str | None:
        try:
            return self._path(name).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def save(self, name: str, text: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A new file that only this user may read, renamed into place, so that nobody ever reads half of it.
        descriptor, half = tempfile.mkstemp(prefix=f"{name}.", suffix=".new", dir=self._folder)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(half, self._path(name))
        except BaseException:
            os.unlink(half)
            raise

    def remove(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.countersign"


class Grace:
    """Lets a license that was valid go on being valid for a while when the server cannot be reached.

    Time is counted by the clock that never goes back while the process lives, and by the wall's over a restart, where
    going back ends it.
    """

    def __init__(self, grace_seconds: float, store: GraceStore | None, api_key: str, clock: Clock, most: int) -> None:
        self._grace_seconds = grace_seconds
        self._store: GraceStore = store if store is not None else _InMemory(most)
        self._secret = hashlib.sha256(f"countersign.grace.v1\n{api_key}".encode()).digest()
        self._clock = clock
        self._most = max(1, most)
        self._said_steady: OrderedDict[str, float] = OrderedDict()
        #: Those that were refused while the store could not remove them. The oldest makes room.
        self._refused: OrderedDict[str, None] = OrderedDict()
        #: Once a refusal made room, only what was granted here since can be told from what was refused.
        self._has_forgotten = False
        self._lock = threading.Lock()

    def granted(self, key: str, result: ValidateResult) -> None:
        if self._grace_seconds == 0:
            return
        now = self._clock.wall()
        with self._lock:
            self._refused.pop(key, None)
            self._said_steady.pop(key, None)
            self._said_steady[key] = self._clock.steady()
            if len(self._said_steady) > self._most:
                # From here on its time is counted by the wall's clock alone, as over a restart.
                self._said_steady.popitem(last=False)
        self._save(key, {"result": _plain(result), "said_at": now, "seen_at": now})

    def refused(self, key: str) -> None:
        if self._grace_seconds == 0:
            return
        with self._lock:
            self._said_steady.pop(key, None)
        try:
            self._store.remove(self._name_of(key))
        except Exception:
            with self._lock:
                self._refused[key] = None
                if len(self._refused) > self._most:
                    self._refused.popitem(last=False)
                    self._has_forgotten = True

    def last_word(self, key: str) -> ValidateResult | None:
        """What may still be said although nobody can be asked."""
        if self._grace_seconds == 0:
            return None
        try:
            kept = self._open(key, self._store.load(self._name_of(key)))
            result = None if kept is None else _result(kept["result"])
        except Exception:
            # The store fails, or what it keeps is of another release.
            return None
        with self._lock:
            said_steady = self._said_steady.get(key)
            is_refused = key in self._refused or (self._has_forgotten and said_steady is None)
        if kept is None or result is None or is_refused:
            return None
        now = self._clock.wall()
        if now < kept["seen_at"] - _CORRECTION_SECONDS:
            return None
        ages = [now - kept["said_at"]]
        if said_steady is not None:
            ages.append(self._clock.steady() - said_steady)
        if max(ages) > self._grace_seconds:
            return None
        latest = max(now, kept["seen_at"])
        if result.expires is not None and result.expires.timestamp() <= latest:
            return None
        # What cannot be written down again would be good for ever to whoever sets the clock back.
        if not self._save(key, {**kept, "seen_at": latest}):
            return None
        return replace(result, source="grace", ip_registered=None)

    def _save(self, key: str, kept: dict[str, Any]) -> bool:
        """Whether the store has it. A disk that is full costs the customer the grace at most, never the verdict."""
        text = json.dumps(kept)
        try:
            self._store.save(self._name_of(key), f"{self._mac(key, text)}.{text}")
        except Exception:
            return False
        return True

    def _open(self, key: str, text: str | None) -> dict[str, Any] | None:
        """None for what this client did not write, or wrote for another license."""
        if text is None:
            return None
        claimed = text[:64].encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(claimed, self._mac(key, text[65:]).encode()):
            return None
        kept: dict[str, Any] = json.loads(text[65:])
        return kept

    def _mac(self, key: str, text: str) -> str:
        return hmac.new(self._secret, f"{key}\n{text}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def _name_of(self, key: str) -> str:
        """Tells nothing about the license key to who only sees it, and differs for products that share a folder."""
        return hmac.new(self._secret, key.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]


class _InMemory:
    def __init__(self, most: int) -> None:
        self._most = max(1, most)
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, name: str) -> str | None:
        with self._lock:
            return self._texts.get(name)

    def save(self, name: str, text: str) -> None:
        with self._lock:
            self._texts.pop(name, None)
            self._texts[name] = text
            if len(self._texts) > self._most:
                self._texts.popitem(last=False)

    def remove(self, name: str) -> None:
        with self._lock:
            self._texts.pop(name, None)


def _plain(result: ValidateResult) -> dict[str, Any]:
    fields = asdict(result)
    fields["expires"] = None if result.expires is None else result.expires.timestamp()
    fields["checked_at"] = result.checked_at.timestamp()
    return fields


def _result(fields: dict[str, Any]) -> ValidateResult:
    expires = fields["expires"]
    return ValidateResult(
        **{
            **fields,
            "expires": None if expires is None else datetime.fromtimestamp(expires, timezone.utc),
            "checked_at": datetime.fromtimestamp(fields["checked_at"], timezone.utc),
        }
    )
