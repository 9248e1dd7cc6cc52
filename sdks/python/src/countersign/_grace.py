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
#: Of so many versions and devices of one license it is kept that they were granted.
_MOST_GRANTS = 50
#: So many licenses can be worked on at once.
_TURNS = 64


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

    Whatever was asked when it was refused ends that for all of the license. Time is counted by the clock that never
    goes back while the process lives, and by the wall's over a restart, where going back ends it.
    """

    def __init__(self, grace_seconds: float, store: GraceStore | None, api_key: str, clock: Clock, most: int) -> None:
        self._grace_seconds = grace_seconds
        self._store: GraceStore = store if store is not None else _InMemory(most)
        self._secret = hashlib.sha256(f"countersign.grace.v1\n{api_key}".encode()).digest()
        self._clock = clock
        self._most = max(1, most)
        #: When each license was last granted to whom, by the steady clock. The oldest makes room.
        self._said_steady: OrderedDict[str, OrderedDict[str, float]] = OrderedDict()
        #: Those that were refused while the store could not remove them. The oldest makes room.
        self._refused: OrderedDict[str, None] = OrderedDict()
        #: Once a refusal made room, only what was granted here since can be told from what was refused.
        self._has_forgotten = False
        self._lock = threading.Lock()
        self._turns = (os.getpid(), [threading.RLock() for _ in range(_TURNS)])

    def granted(self, license_key: str, asked: str, result: ValidateResult) -> None:
        if self._grace_seconds == 0:
            return
        license, question = _form_of(license_key), self._name_of(asked)
        with self._turn_of(license):
            with self._lock:
                self._refused.pop(license, None)
                grants = self._said_steady.pop(license, None) or OrderedDict()
                grants.pop(question, None)
                grants[question] = self._clock.steady()
                if len(grants) > _MOST_GRANTS:
                    grants.popitem(last=False)
                self._said_steady[license] = grants
                if len(self._said_steady) > self._most:
                    # From here on its time is counted by the wall's clock alone, as over a restart.
                    self._said_steady.popitem(last=False)
            self._keep(license, question, result)

    def refused(self, license_key: str) -> None:
        if self._grace_seconds == 0:
            return
        license = _form_of(license_key)
        with self._turn_of(license):
            with self._lock:
                self._said_steady.pop(license, None)
            try:
                self._store.remove(self._name_of(license))
            except Exception:
                with self._lock:
                    self._refused[license] = None
                    if len(self._refused) > self._most:
                        self._refused.popitem(last=False)
                        self._has_forgotten = True

    def last_word(self, license_key: str, asked: str) -> ValidateResult | None:
        """What may still be said although nobody can be asked."""
        if self._grace_seconds == 0:
            return None
        license, question = _form_of(license_key), self._name_of(asked)
        with self._turn_of(license):
            with self._lock:
                grants = self._said_steady.get(license)
                said_steady = None if grants is None else grants.get(question)
                if license in self._refused or (self._has_forgotten and grants is None):
                    return None
            return self._last_kept(license, question, said_steady)

    def _turn_of(self, license: str) -> threading.RLock:
        """One after the other for each license: what was read before a refusal must not be written after it."""
        # In a process that was forked, nobody would end a turn of the parent's.
        if self._turns[0] != os.getpid():
            self._turns = (os.getpid(), [threading.RLock() for _ in range(_TURNS)])
        return self._turns[1][hash(license) % _TURNS]

    def _keep(self, license: str, question: str, result: ValidateResult) -> None:
        now = self._clock.wall()
        kept = self._load(license)
        seen_at, grants = (now, {}) if kept is None else (kept["seen_at"], kept["grants"])
        if now < seen_at - _CORRECTION_SECONDS:
            seen_at, grants = now, {}
        grants.pop(question, None)
        newest = list(grants.items())[1 - _MOST_GRANTS :]
        grants = {**dict(newest), question: {"result": _plain(result), "said_at": now}}
        self._save(license, {"seen_at": max(now, seen_at), "grants": grants})

    def _last_kept(self, license: str, question: str, said_steady: float | None) -> ValidateResult | None:
        kept = self._load(license)
        grant = None if kept is None else kept["grants"].get(question)
        if kept is None or grant is None:
            return None
        try:
            result = _result(grant["result"])
        except Exception:
            # What it keeps is of another release.
            return None
        now = self._clock.wall()
        if now < kept["seen_at"] - _CORRECTION_SECONDS:
            return None
        ages = [now - grant["said_at"]]
        if said_steady is not None:
            ages.append(self._clock.steady() - said_steady)
        if max(ages) > self._grace_seconds:
            return None
        latest = max(now, kept["seen_at"])
        if result.expires is not None and result.expires.timestamp() <= latest:
            return None
        # What cannot be written down again would be good for ever to whoever sets the clock back.
        if not self._save(license, {**kept, "seen_at": latest}):
            return None
        return replace(result, source="grace", ip_registered=None)

    def _save(self, license: str, kept: dict[str, Any]) -> bool:
        """Whether the store has it. A disk that is full costs the customer the grace at most, never the verdict."""
        text = json.dumps(kept)
        try:
            self._store.save(self._name_of(license), f"{self._mac(license, text)}.{text}")
        except Exception:
            return False
        return True

    def _load(self, license: str) -> dict[str, Any] | None:
        """None for what this client did not write, wrote for another license, or cannot read."""
        try:
            text = self._store.load(self._name_of(license))
            if text is None:
                return None
            claimed = text[:64].encode("utf-8", "surrogatepass")
            if not hmac.compare_digest(claimed, self._mac(license, text[65:]).encode()):
                return None
            kept: dict[str, Any] = json.loads(text[65:])
        except Exception:
            return None
        return kept

    def _mac(self, license: str, text: str) -> str:
        return hmac.new(self._secret, f"{license}\n{text}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def _name_of(self, text: str) -> str:
        """Tells nothing about the license key to who only sees it, and differs for products that share a folder."""
        return hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]


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


def _form_of(license_key: str) -> str:
    """The same for the same license, however it was typed."""
    return license_key.strip().upper()


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
