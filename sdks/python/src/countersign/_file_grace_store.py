from __future__ import annotations

import functools
import os
import tempfile
import time
from pathlib import Path
from typing import Callable

from ._file_lock import lock_file
from .device import device_id as machine_device_id

_MAX_LOCK_SECONDS = 1.0
#: A temporary file that is older than this is from a process that died.
_ABANDONED_SECONDS = 600
_TEMPORARY = ".new"


class FileGraceStore:
    """Stores one small file per license in a folder of the app. Several processes can share the folder.

    :param device_id: what the files are bound to: they grant nothing on another device. Defaults to an ID of this
        machine. In containers, whose machine ID can change, set it or ``COUNTERSIGN_DEVICE_ID``.
    """

    def __init__(self, folder: str | os.PathLike[str], device_id: str | None = None) -> None:
        self._folder = Path(folder)
        self._given_device_id = device_id

    @functools.cached_property
    def device_id(self) -> str:
        """What the entries are bound to, unless the client has a device ID."""
        return self._given_device_id or machine_device_id("countersign.grace")

    def load(self, name: str) -> str | None:
        try:
            return self._path(name).read_text("utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def save(self, name: str, text: str) -> None:
        self._create_folder()
        # Only this user can read the file. It is renamed into place, so that no reader sees a partial file.
        descriptor, temporary = tempfile.mkstemp(prefix=f"{name}.", suffix=_TEMPORARY, dir=self._folder)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(temporary, self._path(name))
        except BaseException:
            os.unlink(temporary)
            raise

    def remove(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def lock(self, name: str) -> Callable[[], None]:
        """Lock one entry across processes. Return the function that releases it. Raises if it takes too long."""
        self._create_folder()
        release = lock_file(self._folder / f"{name}.lock", _MAX_LOCK_SECONDS)
        self._remove_abandoned(name)
        return release

    def _create_folder(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _remove_abandoned(self, name: str) -> None:
        for path in self._folder.glob(f"{name}.*{_TEMPORARY}"):
            try:
                if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                    path.unlink()
            except OSError:
                continue

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.countersign"
