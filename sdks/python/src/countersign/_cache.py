from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Callable, Generic, TypeVar

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """Remembers so many values, each for its own time by a clock that never goes back. The oldest makes room."""

    def __init__(self, most: int, steady: Callable[[], float]) -> None:
        self._most = most
        self._steady = steady
        self._entries: OrderedDict[str, tuple[Value, float]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Value | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            value, until = entry
            if until > self._steady():
                return value
            del self._entries[key]
            return None

    def set(self, key: str, value: Value, seconds: float) -> None:
        with self._lock:
            self._entries.pop(key, None)
            if seconds <= 0 or self._most <= 0:
                return
            self._entries[key] = (value, self._steady() + seconds)
            if len(self._entries) > self._most:
                self._entries.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
