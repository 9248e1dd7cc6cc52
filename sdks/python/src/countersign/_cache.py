from __future__ import annotations

from collections import OrderedDict
from typing import Callable, Generic, TypeVar

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """Caches a limited number of values, each for its own time by a monotonic clock. The oldest is evicted.

    Not thread-safe: its owner has a lock.
    """

    def __init__(self, max_entries: int, steady: Callable[[], float]) -> None:
        self._max_entries = max_entries
        self._steady = steady
        self._entries: OrderedDict[str, tuple[Value, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> Value | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        value, until = entry
        if until > self._steady():
            return value
        del self._entries[key]
        return None

    def set(self, key: str, value: Value, seconds: float) -> None:
        """Replace the entry; with no time left it is only removed."""
        self._entries.pop(key, None)
        if seconds <= 0 or self._max_entries <= 0:
            return
        self._entries[key] = (value, self._steady() + seconds)
        if len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)

    def remove(self, key: str) -> None:
        self._entries.pop(key, None)

    def clear(self) -> None:
        self._entries.clear()
