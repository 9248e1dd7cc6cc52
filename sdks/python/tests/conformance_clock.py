"""The clock and the store that conformance cases control."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any


class FakeClock:
    def __init__(self, now: str) -> None:
        self.wall_now = seconds(now)
        self.steady_now = 1.0

    def wall(self) -> float:
        return self.wall_now

    def steady(self) -> float:
        return self.steady_now

    def sleep(self, seconds: float) -> None:
        self.wall_now += seconds
        self.steady_now += seconds


class MemoryStore:
    def __init__(self, stored: dict[str, str]) -> None:
        self.stored = stored

    def load(self, name: str) -> str | None:
        return self.stored.get(name)

    def save(self, name: str, text: str) -> None:
        self.stored[name] = text

    def remove(self, name: str) -> None:
        self.stored.pop(name, None)


def with_iso_times(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: iso_time(value) if isinstance(value, datetime) else value for name, value in fields.items()}


def iso_time(time: datetime) -> str:
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds(time: str) -> float:
    return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()
