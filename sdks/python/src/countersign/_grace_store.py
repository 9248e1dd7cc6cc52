from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Callable, Protocol

from ._fork import reset_after_fork


class GraceStore(Protocol):
    """Stores one text per license, so that an app can start offline.

    An exception changes no verdict; it only costs the grace period. If several processes share the store, it also needs
    the method of ``LockingGraceStore``. If it has an attribute ``device_id``, entries only grant on that device.
    """

    def load(self, name: str, /) -> str | None: ...

    def save(self, name: str, text: str, /) -> None: ...

    def remove(self, name: str, /) -> None: ...


class LockingGraceStore(GraceStore, Protocol):
    """A store that several processes can share."""

    def lock(self, name: str, /) -> Callable[[], None]:
        """Lock an entry, and return the function that releases it. Raises if that takes longer than a second."""
        ...


class InMemoryGraceStore:
    """Lasts as long as the process. The oldest entry is evicted."""

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max(1, max_entries)
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()
        reset_after_fork(self)

    def after_fork(self) -> None:
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
