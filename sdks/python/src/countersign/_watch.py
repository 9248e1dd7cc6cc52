from __future__ import annotations

import sys
import threading
from typing import Callable, Optional

from ._models import ValidateResult
from .errors import CountersignError

OnChange = Callable[[ValidateResult, Optional[ValidateResult]], None]
OnError = Callable[[CountersignError], None]

#: Many apps that were started together do not all ask together.
_JITTER = 0.1
_LONGEST_SECONDS = 30 * 86_400


class Watch:
    """Asks at intervals until it is stopped. Does not keep the app alive.

    An error that a callback raises goes where those of threads go, ``threading.excepthook``, and the watch goes on:
    otherwise nobody would notice when a license is revoked.
    """

    def __init__(
        self,
        validate: Callable[[], ValidateResult],
        interval_seconds: float,
        on_change: OnChange,
        on_error: OnError | None,
        random: Callable[[], float],
    ) -> None:
        if not 1 <= interval_seconds <= _LONGEST_SECONDS:
            raise ValueError(f"interval_seconds should be a number from 1 to {_LONGEST_SECONDS}.")
        self._validate = validate
        self._interval_seconds = interval_seconds
        self._on_change = on_change
        self._on_error = on_error
        self._random = random
        self._before: ValidateResult | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="countersign-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends it. A callback that is running already comes to its end."""
        self._stopped.set()

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._look()
            except Exception:
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), self._thread)))
            spread = 1 + _JITTER * (2 * self._random() - 1)
            self._stopped.wait(self._interval_seconds * spread)

    def _look(self) -> None:
        try:
            result = self._validate()
        except CountersignError as error:
            if self._on_error is not None and not self._stopped.is_set():
                self._on_error(error)
            return
        before, self._before = self._before, result
        is_other = before is None or (before.valid, before.status) != (result.valid, result.status)
        if is_other and not self._stopped.is_set():
            self._on_change(result, before)
