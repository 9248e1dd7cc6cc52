from __future__ import annotations

from concurrent.futures import Future
from typing import Any, Callable

from ._api import ValidateRequest
from ._call import Call
from ._license_key import comparison_form
from ._models import ValidateResult


class Flight:
    """A request for a verdict, and the calls that wait for it."""

    def __init__(self, request: ValidateRequest, call: Call) -> None:
        self.request = request
        self.call = call
        self.license = comparison_form(request.license_key)
        self.future: Future[ValidateResult[Any]] = Future()
        #: Whether the answer may be cached: false once ``forget`` or a fresh call has made it obsolete.
        self.is_current = True
        self.waiting_calls = 1
        #: Called when no call waits any more.
        self.abandon: Callable[[], None] = call.cancel


class Flights:
    """The pending requests of a client. Concurrent calls share one. Not thread-safe: its owner has a lock."""

    def __init__(self) -> None:
        self._pending: dict[int, Flight] = {}
        #: The newest one that further calls can join.
        self._joinable: dict[tuple[Any, ...], Flight] = {}

    def join(self, request: ValidateRequest, call: Call) -> Flight | None:
        flight = self._joinable.get(_key(request, call))
        if flight is not None:
            flight.waiting_calls += 1
        return flight

    def start(self, request: ValidateRequest, call: Call, is_fresh: bool) -> Flight:
        flight = Flight(request, call)
        if is_fresh:
            self._make_obsolete(lambda other: other.license == flight.license)
        self._pending[id(flight)] = flight
        self._joinable[_key(request, call)] = flight
        return flight

    def leave(self, flight: Flight) -> bool:
        """Return whether no call waits for it any more."""
        flight.waiting_calls -= 1
        if flight.waiting_calls > 0 or flight.future.done():
            return False
        self.end(flight)
        return True

    def end(self, flight: Flight) -> None:
        self._pending.pop(id(flight), None)
        self._no_longer_joinable(flight)

    def forget(self) -> None:
        """The answers to all pending requests are obsolete."""
        self._make_obsolete(lambda _: True)

    def _make_obsolete(self, matches: Callable[[Flight], bool]) -> None:
        for flight in self._pending.values():
            if matches(flight):
                flight.is_current = False
                self._no_longer_joinable(flight)

    def _no_longer_joinable(self, flight: Flight) -> None:
        key = _key(flight.request, flight.call)
        if self._joinable.get(key) is flight:
            del self._joinable[key]


def _key(request: ValidateRequest, call: Call) -> tuple[Any, ...]:
    # A call with another timeout does not join: it would fail earlier or later than it should.
    return request.license_key, request.version, request.device_id, call.timeout_seconds, call.retries
