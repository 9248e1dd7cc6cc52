"""An ID for the machine that the app runs on."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from ._license_key import trimmed

_MAX_CHARACTERS = 256
_MACHINE_ID_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")


def device_id(app: str, override: str | None = None) -> str:
    """Return the same ID at every start, different for every app: a hash of the system's own ID and ``app``.

    In containers, which share or lose the system's ID, set ``COUNTERSIGN_DEVICE_ID`` or pass ``override``.
    """
    environment = os.environ.get("COUNTERSIGN_DEVICE_ID")
    chosen = _chosen(override, environment)
    return chosen if chosen is not None else device_id_from(app, _machine_ids(), platform.node())


def device_id_from(
    app: str,
    machine_ids: Iterable[str | None],
    hostname: str,
    environment: str | None = None,
    override: str | None = None,
) -> str:
    """Return the ID for a machine with these properties. ``machine_ids`` are the contents of its files, in order."""
    chosen = _chosen(override, environment)
    if chosen is not None:
        return chosen
    texts = (trimmed(text) for text in machine_ids if text is not None)
    # Machine images that were never started have the value "uninitialized".
    machine = next((text for text in texts if text and text.lower() != "uninitialized"), f"host:{hostname}")
    text = f"countersign.device.v1\n{app}\n{machine}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _chosen(override: str | None, environment: str | None) -> str | None:
    for value in (override, environment):
        text = trimmed(value or "")
        if text:
            return text[:_MAX_CHARACTERS]
    return None


def _machine_ids() -> list[str | None]:
    try:
        system = platform.system()
        if system == "Darwin":
            command = ["ioreg", "-rd1", "-c", "IOPlatformExpertDevice"]
            return [_search_output(r'"IOPlatformUUID" = "([^"]+)"', command)]
        if system == "Windows":
            key = r"HKLM\SOFTWARE\Microsoft\Cryptography"
            return [_search_output(r"MachineGuid\s+REG_SZ\s+(\S+)", ["reg", "query", key, "/v", "MachineGuid"])]
    except (OSError, subprocess.SubprocessError):
        return []
    return [_content(path) for path in _MACHINE_ID_FILES]


def _content(path: str) -> str | None:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _search_output(pattern: str, command: list[str]) -> str | None:
    output = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
    match = re.search(pattern, output)
    return match[1] if match else None
