from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Callable

_POLL_SECONDS = 0.005

if os.name == "nt":  # pragma: no cover
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_file(path: Path, wait_seconds: float) -> Callable[[], None]:
    """Create and lock a file, against other processes and other threads. Return the function that releases it.

    Raises TimeoutError if it cannot be locked in time. The system releases the lock if the process dies, and the file
    is removed afterwards.
    """
    end = time.monotonic() + wait_seconds
    while True:
        descriptor = _locked(path)
        if descriptor is not None:
            break
        if time.monotonic() >= end:
            raise TimeoutError(f"{path.name} is locked by another process.")
        time.sleep(_POLL_SECONDS)
    held = descriptor

    def release() -> None:
        if os.name == "nt":  # pragma: no cover
            # Windows removes no open file, so a process that already waits keeps it.
            os.close(held)
            _remove(path)
        else:
            # Removed while it is locked: a process that locks it later notices, and starts again.
            _remove(path)
            os.close(held)

    return release


def _locked(path: Path) -> int | None:
    """Return the file's descriptor, or None if another process has locked it or just removed it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags, 0o600)
    except PermissionError:
        if os.name == "nt":  # pragma: no cover
            # Windows is just removing it.
            return None
        raise
    try:
        _try_lock(descriptor)
        current = os.stat(path)
        opened = os.fstat(descriptor)
        if (current.st_ino, current.st_dev) == (opened.st_ino, opened.st_dev):
            return descriptor
    except (BlockingIOError, PermissionError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _remove(path: Path) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
