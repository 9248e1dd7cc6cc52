from __future__ import annotations

import contextvars
import threading
from collections import OrderedDict
from typing import Callable

from ._background import Background
from ._fork import reset_after_fork

#: The maximum number of asyncio calls that work at the same time; further calls wait.
MAX_SLOTS = 64


class Job:
    """Work for a thread. ``expire`` completes it instead if it is still waiting at its deadline."""

    def __init__(self, work: Callable[[], None], expire: Callable[[], None]) -> None:
        context = contextvars.copy_context()
        self.work: Callable[[], None] = lambda: context.run(work)
        self.expire: Callable[[], None] = lambda: context.run(expire)


class Slots:
    """Runs a limited number of jobs, each in a thread of its own, separate from the event loop's default executor.

    The threads are daemon threads, so that a process can exit at any time.
    """

    def __init__(self) -> None:
        self._background = Background("countersign-expired")
        self.after_fork()
        reset_after_fork(self)

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[Job, None] = OrderedDict()
        self._running: set[Job] = set()

    def submit(self, job: Job) -> None:
        with self._lock:
            self._waiting[job] = None
        self._start_next()

    def drop(self, job: Job) -> None:
        """Free the slot at once. A thread that has not noticed the cancellation yet no longer counts."""
        with self._lock:
            self._running.discard(job)
            self._waiting.pop(job, None)
        self._start_next()

    def expire(self, job: Job) -> None:
        """Complete a job that is still waiting. One that is running keeps to its deadline itself."""
        with self._lock:
            if job not in self._waiting:
                return
            del self._waiting[job]
        # Reading the grace period can block, which the event loop must not.
        self._background.add(job.expire)

    def _start_next(self) -> None:
        while True:
            with self._lock:
                if not self._waiting or len(self._running) >= MAX_SLOTS:
                    return
                job, _ = self._waiting.popitem(last=False)
                self._running.add(job)
            try:
                threading.Thread(target=self._run, args=(job,), name="countersign-async", daemon=True).start()
            except RuntimeError:
                # The system has no more threads, or the interpreter shuts down.
                self._background.add(job.expire)
                self.drop(job)

    def _run(self, job: Job) -> None:
        try:
            job.work()
        finally:
            self.drop(job)
