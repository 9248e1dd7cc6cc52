"""Limits unknown license keys per caller, so that made-up keys cannot use up the product's daily quota."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import OrderedDict, deque
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field
from typing import Callable, Union

_MAX_CALLERS = 10_000
_MAX_WAIT_SECONDS = 10.0


@dataclass(eq=False)
class _Caller:
    address: str
    #: Tokens that can be taken now. Fractions are on their way.
    free: float
    updated_at: float
    in_flight: int = 0
    waiting: deque[Future[Outcome]] = field(default_factory=deque)


class Permit:
    """A token that is held while a key is validated."""

    def __init__(self, limit: UnknownKeyLimit, caller: _Caller) -> None:
        self._limit = limit
        self._caller = caller

    def finish(self, *, is_spent: bool) -> None:
        """End the call. The token is given back, unless it was spent on an unknown key."""
        self._limit._finish(self._caller, is_spent)


#: A permit, or the seconds until a token is free.
Outcome = Union[Permit, int]


class UnknownKeyLimit:
    """Gives every caller some tokens per minute, for threads and asyncio alike.

    Each call takes one, and gets it back unless the key is unknown: so any number of customers behind one IP address
    are served, though not all at once.
    """

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._now = now
        self._lock = threading.Lock()
        self._callers: OrderedDict[str, _Caller] = OrderedDict()

    def acquire(self, address: str, max_wait_seconds: float = _MAX_WAIT_SECONDS) -> Outcome:
        """Block while calls of the same caller are in flight and no token is free."""
        taken = self._take(address)
        if not isinstance(taken, Future):
            return taken
        try:
            return taken.result(max_wait_seconds)
        except FutureTimeoutError:
            # A token may have been handed over in the meantime.
            return 1 if taken.cancel() else taken.result()

    async def acquire_async(self, address: str) -> Outcome:
        """Wait while calls of the same caller are in flight and no token is free. These calls have time limits."""
        taken = self._take(address)
        if not isinstance(taken, Future):
            return taken
        try:
            return await asyncio.wrap_future(taken)
        except BaseException:
            # A cancelled call must not keep a token that was handed to it.
            taken.add_done_callback(_give_back)
            raise

    def _take(self, address: str) -> Outcome | Future[Outcome]:
        with self._lock:
            caller = self._caller_at(address)
            self._add_tokens(caller)
            if not caller.waiting and caller.free >= 1:
                return self._start(caller)
            if caller.in_flight == 0:
                return self._seconds_until_free(caller)
            waiter: Future[Outcome] = Future()
            caller.waiting.append(waiter)
            return waiter

    def _caller_at(self, address: str) -> _Caller:
        caller = self._callers.get(address)
        if caller is None:
            caller = self._callers[address] = _Caller(address, self._per_minute, self._now())
            if len(self._callers) > _MAX_CALLERS:
                self._callers.popitem(last=False)
        # The caller that was seen last is the last to be removed.
        self._callers.move_to_end(address)
        return caller

    def _start(self, caller: _Caller) -> Permit:
        caller.free -= 1
        caller.in_flight += 1
        return Permit(self, caller)

    def _finish(self, caller: _Caller, is_spent: bool) -> None:
        woken: list[tuple[Future[Outcome], Outcome]] = []
        with self._lock:
            caller.in_flight -= 1
            self._add_tokens(caller)
            if not is_spent:
                caller.free = min(self._per_minute, caller.free + 1)
            while caller.waiting and (caller.free >= 1 or caller.in_flight == 0):
                waiter = caller.waiting.popleft()
                # False if the waiter was cancelled.
                if waiter.set_running_or_notify_cancel():
                    has_token = caller.free >= 1
                    woken.append((waiter, self._start(caller) if has_token else self._seconds_until_free(caller)))
            is_idle = caller.in_flight == 0 and caller.free >= self._per_minute
            # A caller without unknown keys needs no memory.
            if is_idle and self._callers.get(caller.address) is caller:
                del self._callers[caller.address]
        # Outside the lock, because setting a result runs callbacks.
        for waiter, outcome in woken:
            waiter.set_result(outcome)

    def _add_tokens(self, caller: _Caller) -> None:
        now = self._now()
        caller.free = min(self._per_minute, caller.free + (now - caller.updated_at) * self._per_minute / 60)
        caller.updated_at = now

    def _seconds_until_free(self, caller: _Caller) -> int:
        return max(1, math.ceil((1 - caller.free) * 60 / self._per_minute))


def _give_back(waiter: Future[Outcome]) -> None:
    outcome = None if waiter.cancelled() else waiter.result()
    if isinstance(outcome, Permit):
        outcome.finish(is_spent=False)
