from __future__ import annotations

from concurrent.futures import Future
from typing import Any, Callable

from ._api import ValidateRequest
from ._call import Call
from ._license_key import comparison_form
from ._models import ValidateResult


class SharedRequest:
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


class PendingRequests:
    """The pending requests of a client. Concurrent calls share one. Not thread-safe: its owner has a lock."""

    def __init__(self) -> None:
        self._pending: dict[int, SharedRequest] = {}
        #: The newest one that further calls can join.
        self._joinable: dict[tuple[Any, ...], SharedRequest] = {}

    def join(self, request: ValidateRequest, call: Call) -> SharedRequest | None:
        shared = self._joinable.get(_key(request, call))
        if shared is not None:
            shared.waiting_calls += 1
        return shared

    def start(self, request: ValidateRequest, call: Call, is_fresh: bool) -> SharedRequest:
        shared = SharedRequest(request, call)
        if is_fresh:
            self._make_obsolete(lambda other: other.license == shared.license)
        self._pending[id(shared)] = shared
        self._joinable[_key(request, call)] = shared
        return shared

    def leave(self, shared: SharedRequest) -> bool:
        """Return whether no call waits for it any more."""
        shared.waiting_calls -= 1
        if shared.waiting_calls > 0 or shared.future.done():
            return False
        self.end(shared)
        return True

    def end(self, shared: SharedRequest) -> None:
        self._pending.pop(id(shared), None)
        self._no_longer_joinable(shared)

    def forget(self) -> None:
        """The answers to all pending requests are obsolete."""
        self._make_obsolete(lambda _: True)

    def _make_obsolete(self, matches: Callable[[SharedRequest], bool]) -> None:
        for shared in self._pending.values():
            if matches(shared):
                shared.is_current = False
                self._no_longer_joinable(shared)

    def _no_longer_joinable(self, shared: SharedRequest) -> None:
        key = _key(shared.request, shared.call)
        if self._joinable.get(key) is shared:
            del self._joinable[key]


def _key(request: ValidateRequest, call: Call) -> tuple[Any, ...]:
    # A call with another timeout does not join: it would fail earlier or later than it should.
    return request.license_key, request.version, request.device_id, call.timeout_seconds, call.retries
