"""Decides whether the license of a request lets it in: the part that the middleware of all frameworks shares."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union
from weakref import WeakKeyDictionary

from ._caller_address import caller_of
from ._failure_log import FailureLog
from ._license_key import comparison_form, trimmed
from ._refusal import RequestLicense, TooManyUnknownKeysError
from ._unknown_key_limit import Outcome, Permit, UnknownKeyLimit

if TYPE_CHECKING:
    from . import AsyncCountersign, Countersign, Decision

    Client = Union[Countersign[Any], AsyncCountersign[Any]]

DEFAULT_HEADER = "X-License-Key"
DEFAULT_UNKNOWN_KEYS_PER_MINUTE = 10
_MAX_KNOWN_KEYS = 10_000


@dataclass(frozen=True)
class LicenseQuestion:
    """What a request says about its license."""

    #: None if the request has none.
    key: str | None
    version: str | None = None
    device_id: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        return {"version": self.version, "device_id": self.device_id}


def question_from(key: object, version: str | None, device_id: str | None) -> LicenseQuestion:
    """A key that is empty, or not a text, counts as missing."""
    has_key = isinstance(key, str) and trimmed(key) != ""
    return LicenseQuestion(str(key) if has_key else None, version, device_id)


class LicenseDecider:
    """One for each place that requires a license. All with the same client share their limits and what was logged."""

    def __init__(
        self,
        client: Client,
        unknown_keys_per_minute: int = DEFAULT_UNKNOWN_KEYS_PER_MINUTE,
        logger: logging.Logger | None = None,
    ) -> None:
        if type(unknown_keys_per_minute) is not int or unknown_keys_per_minute < 0:
            raise ValueError(
                f"unknown_keys_per_minute must be a whole number that is not negative, not {unknown_keys_per_minute}."
            )
        self._client = client
        self._state = _state_of(client)
        self._limit = self._state.limit_of(unknown_keys_per_minute) if unknown_keys_per_minute > 0 else None
        self._logger = logger if logger is not None else logging.getLogger("countersign")

    def decide(self, client: Countersign[Any], question: LicenseQuestion, address: str | None) -> RequestLicense:
        """Block until there is a decision."""
        key = question.key
        if key is None:
            return RequestLicense(None, False, None, None)
        outcome = self._limit.acquire(caller_of(address)) if self._limit and self._is_limited(question) else None
        if outcome is not None and not self._may_ask(question, outcome):
            return self._refused(key, outcome, address)
        decision: Decision[Any] | None = None
        try:
            decision = client.check(key, **question.options)
        finally:
            _finish(outcome, decision)
        return self._recorded(key, decision)

    async def decide_async(
        self, client: AsyncCountersign[Any], question: LicenseQuestion, address: str | None
    ) -> RequestLicense:
        """Wait without blocking the event loop."""
        key = question.key
        if key is None:
            return RequestLicense(None, False, None, None)
        is_limited = self._limit is not None and self._is_limited(question)
        outcome = await self._limit.acquire_async(caller_of(address)) if self._limit and is_limited else None
        if outcome is not None and not self._may_ask(question, outcome):
            return self._refused(key, outcome, address)
        decision: Decision[Any] | None = None
        try:
            decision = await client.check(key, **question.options)
        finally:
            _finish(outcome, decision)
        return self._recorded(key, decision)

    def _is_limited(self, question: LicenseQuestion) -> bool:
        """Whether the question may cost a request for an unknown key."""
        key = question.key or ""
        return not self._state.is_known(key) and self._client.cached(key, **question.options) is None

    def _may_ask(self, question: LicenseQuestion, outcome: Outcome) -> bool:
        # While this call waited, another one may have had the answer.
        return isinstance(outcome, Permit) or not self._is_limited(question)

    def _refused(self, key: str, outcome: Outcome, address: str | None) -> RequestLicense:
        self._state.failures.record_limit(caller_of(address), self._logger)
        seconds = outcome if isinstance(outcome, int) else 1
        # Never allowed, not even in advisory mode: otherwise a few unknown keys would open the app.
        return RequestLicense(key, False, None, TooManyUnknownKeysError(seconds))

    def _recorded(self, key: str, decision: Decision[Any]) -> RequestLicense:
        if decision.error is not None:
            self._state.failures.record_failure(decision.error, self._logger)
        if decision.result is not None:
            self._state.failures.record_verdict(decision.result, self._logger)
            self._state.record_key(key, decision.result.status)
        return RequestLicense(key, decision.allowed, decision.result, decision.error)


def _finish(outcome: Outcome | None, decision: Decision[Any] | None) -> None:
    if isinstance(outcome, Permit):
        result = decision.result if decision is not None else None
        # A remembered verdict cost no request.
        is_unknown = result is not None and result.status == "license_not_found" and result.source != "cache"
        outcome.finish(is_spent=is_unknown)


class _ClientState:
    """What all deciders with the same client share."""

    def __init__(self) -> None:
        self.failures = FailureLog()
        self._lock = threading.Lock()
        self._limits: dict[int, UnknownKeyLimit] = {}
        #: Keys that had a verdict other than "not found", least recently used first.
        self._known_keys: OrderedDict[str, None] = OrderedDict()

    def limit_of(self, per_minute: int) -> UnknownKeyLimit:
        with self._lock:
            return self._limits.setdefault(per_minute, UnknownKeyLimit(per_minute))

    def is_known(self, key: str) -> bool:
        form = comparison_form(key)
        with self._lock:
            if form not in self._known_keys:
                return False
            self._known_keys.move_to_end(form)
            return True

    def record_key(self, key: str, status: str) -> None:
        form = comparison_form(key)
        with self._lock:
            self._known_keys.pop(form, None)
            if status == "license_not_found":
                return
            self._known_keys[form] = None
            if len(self._known_keys) > _MAX_KNOWN_KEYS:
                self._known_keys.popitem(last=False)


_states: WeakKeyDictionary[Client, _ClientState] = WeakKeyDictionary()
_states_lock = threading.Lock()


def _state_of(client: Client) -> _ClientState:
    with _states_lock:
        return _states.setdefault(client, _ClientState())
