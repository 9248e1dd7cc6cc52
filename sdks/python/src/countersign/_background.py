from __future__ import annotations

import threading
from collections import deque
from typing import Callable

from ._fork import reset_after_fork


class Background:
    """Runs work in one daemon thread, in order. The thread ends when there is nothing left to do."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.after_fork()
        reset_after_fork(self)

    def after_fork(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Callable[[], object]] = deque()
        self._is_running = False

    def add(self, work: Callable[[], object]) -> None:
        """Run this later. It must not raise."""
        with self._changed:
            self._waiting.append(work)
            if self._is_running:
                return
            self._is_running = True
        try:
            threading.Thread(target=self._run, name=self._name, daemon=True).start()
        except RuntimeError:
            # No thread can start while the interpreter shuts down.
            self._run()

    def settle(self, seconds: float) -> bool:
        """Wait until there is nothing left to do. For tests."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_running, seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._is_running = False
                    self._changed.notify_all()
                    return
                work = self._waiting.popleft()
            work()
