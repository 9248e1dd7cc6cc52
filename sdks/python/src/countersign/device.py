"""An ID for the machine that the app runs on."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
from pathlib import Path


def device_id(app: str, override: str | None = None) -> str:
    """Return the same ID at every start, different for every app: a hash of the system's own ID and ``app``.

    In containers, which share or lose the system's ID, set ``COUNTERSIGN_DEVICE_ID`` or pass ``override``.
    """
    chosen = override or os.environ.get("COUNTERSIGN_DEVICE_ID", "")
    if chosen:
        return chosen[:256]
    try:
        machine = _machine_id()
    except (OSError, subprocess.SubprocessError):
        machine = None
    text = f"countersign.device.v1\n{app}\n{machine or 'host:' + platform.node()}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _machine_id() -> str | None:
    system = platform.system()
    if system == "Darwin":
        return _search_output(r'"IOPlatformUUID" = "([^"]+)"', ["ioreg", "-rd1", "-c", "IOPlatformExpertDevice"])
    if system == "Windows":
        key = r"HKLM\SOFTWARE\Microsoft\Cryptography"
        return _search_output(r"MachineGuid\s+REG_SZ\s+(\S+)", ["reg", "query", key, "/v", "MachineGuid"])
    for path in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        try:
            text = Path(path).read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue
        # Machine images that were never started have this value.
        if text and text != "uninitialized":
            return text
    return None


def _search_output(pattern: str, command: list[str]) -> str | None:
    output = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
    match = re.search(pattern, output)
    return match[1] if match else None
