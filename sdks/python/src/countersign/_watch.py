from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Callable, Generic, Optional

from ._models import ValidateResult
from ._reporter import Reporter
from ._types import Custom
from .errors import CountersignError

OnChange = Callable[[ValidateResult[Custom], Optional[ValidateResult[Custom]]], object]
OnError = Callable[[CountersignError], object]

#: Random jitter, so that apps started together do not send requests together.
_JITTER = 0.1
_MAX_INTERVAL_SECONDS = 30 * 86_400
#: Some systems cannot wait for longer than a few weeks at a time.
_MAX_WAIT_SECONDS = 86_400


class Watch(Generic[Custom]):
    """Validates at intervals until it is stopped. Does not keep the app alive.

    An exception in a callback is logged and passed to ``threading.excepthook``, and the watch continues: otherwise a
    revoked license would go unnoticed.
    """

    def __init__(
        self,
        validate: Callable[[], ValidateResult[Custom]],
        interval_seconds: float,
        on_change: OnChange[Custom],
        on_error: OnError | None,
        random: Callable[[], float],
        reporter: Reporter,
    ) -> None:
        if not 1 <= interval_seconds <= _MAX_INTERVAL_SECONDS:
            raise ValueError(f"interval_seconds must be a number from 1 to {_MAX_INTERVAL_SECONDS}.")
        self._validate = validate
        self._interval_seconds = interval_seconds
        self._on_change = on_change
        self._on_error = on_error
        self._random = random
        self._reporter = reporter
        self._previous: ValidateResult[Custom] | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="countersign-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the watch. A callback that is already running completes."""
        self._stopped.set()

    def __enter__(self) -> Watch[Custom]:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._check()
            except BaseException as error:
                # Also SystemExit, which would silently end this thread instead of the app.
                self._reporter.callback_failed("A callback of watch", error)
                self._report_exception()
            spread = 1 + _JITTER * (2 * self._random() - 1)
            for seconds in split_wait(self._interval_seconds * spread):
                if self._stopped.wait(seconds):
                    return

    def _check(self) -> None:
        try:
            result = self._validate()
        except CountersignError as error:
            if self._on_error is not None and not self._stopped.is_set():
                self._on_error(error)
            return
        previous, self._previous = self._previous, result
        has_changed = previous is None or (previous.valid, previous.status) != (result.valid, result.status)
        if has_changed and not self._stopped.is_set():
            self._on_change(result, previous)

    def _report_exception(self) -> None:
        try:
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), self._thread)))
        except BaseException:
            # An app's own hook that raises does not end the watch either.
            return


def split_wait(seconds: float) -> Iterator[float]:
    """Return waits that are short enough for every system."""
    while seconds > 0:
        part = min(seconds, _MAX_WAIT_SECONDS)
        yield part
        seconds -= part
