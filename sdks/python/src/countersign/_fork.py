from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forkable(Protocol):
    def after_fork(self) -> None:
        """Replace locks and drop what belongs to the parent's threads. Runs in the child process."""


_objects: dict[int, weakref.ref[Forkable]] = {}


def reset_after_fork(value: Forkable) -> None:
    """Call ``value.after_fork()`` in every process that is forked from this one.

    A child has only the thread that forked: a lock that another thread held would never be released.
    """
    key = id(value)
    _objects[key] = weakref.ref(value, lambda _: _objects.pop(key, None))


def _reset_all() -> None:
    for reference in list(_objects.values()):
        value = reference()
        if value is not None:
            value.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
