"""A command-line tool that needs a license: it writes a short report about a text file.

    python report_tool.py [--license-key KEY] [--follow] FILE

The license key is taken from the argument, from LICENSE_KEY, or from where it was kept the last time.
Exit codes: 0 done, 1 the file cannot be read, 2 the tool was called wrongly, 3 not licensed, 4 no verdict to be had.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path

from countersign import (
    AuthenticationError,
    Countersign,
    CountersignError,
    FileGraceStore,
    RateLimitError,
    ValidateResult,
    device_id,
)

APP = "report-tool"
VERSION = "1.0.0"
# In your own tool these two are constants: they are your product's, not your customer's.
SERVER = os.environ.get("COUNTERSIGN_URL", "https://licenses.example.com")
API_KEY = os.environ.get("COUNTERSIGN_API_KEY", "csk_your_products_api_key")

REFUSALS = {
    "expired": "Your license has expired. Renew it, and this tool works again at once.",
    "revoked": "Your license was revoked. If you think that is a mistake, write to support@example.com.",
    "license_not_found": "There is no license with this key. Is it complete, as in the mail that you got?",
    "ip_limit_reached": "Your license is in use at as many places as it allows.",
    "version_not_allowed": f"Your license does not cover version {VERSION} of this tool.",
}


def config_folder() -> Path:
    """Where this user's settings are, by the custom of each system."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / APP
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / APP
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / APP


def kept_key(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def keep_key(path: Path, key: str) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(key + "\n", "utf-8")
        path.chmod(0o600)
    except OSError as error:
        print(f"The license key could not be kept for the next time: {error}", file=sys.stderr)


def make_client(folder: Path) -> Countersign:
    return Countersign(
        API_KEY,
        SERVER,
        version=VERSION,
        device_id=device_id(APP),
        # Who was licensed goes on for a week when the server is away, or they are.
        grace_seconds=7 * 86_400,
        grace_store=FileGraceStore(folder / "grace"),
    )


def explain(result: ValidateResult) -> None:
    print(REFUSALS.get(result.status, f"Your license is not valid ({result.status})."), file=sys.stderr)


def refused(client: Countersign, key: str) -> int:
    """0 when the license is valid; else tells why not and returns the exit code."""
    try:
        result = client.validate(key)
    except RateLimitError as error:
        print(f"The license cannot be checked before {error.reset_at:%H:%M} UTC. Try again then.", file=sys.stderr)
        return 4
    except AuthenticationError:
        print("This copy of the tool is not set up right. Get the latest release.", file=sys.stderr)
        return 4
    except CountersignError as error:
        print(f"The license could not be checked. Is there a network? ({error.message})", file=sys.stderr)
        return 4
    if not result.valid:
        explain(result)
        return 3
    if result.source == "grace":
        print(f"The license server is away; last checked {result.checked_at:%Y-%m-%d}.", file=sys.stderr)
    return 0


def report(file: Path) -> int:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        print(f"{file} cannot be read: {error}", file=sys.stderr)
        return 1
    print(f"{file.name}: {len(text.splitlines())} lines, {len(text.split())} words, {len(text)} characters", flush=True)
    return 0


def follow(client: Countersign, key: str, file: Path) -> int:
    """Reports whenever the file changes, for as long as the license is valid."""
    ended = threading.Event()

    def changed(result: ValidateResult, _before: ValidateResult | None) -> None:
        if not result.valid:
            explain(result)
            ended.set()

    with client.watch(key, 3600, changed):
        written = file.stat().st_mtime
        while not ended.wait(1):
            if file.exists() and file.stat().st_mtime != written:
                written = file.stat().st_mtime
                report(file)
    return 3


def main() -> int:
    parser = argparse.ArgumentParser(prog=APP, description="Writes a short report about a text file.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--license-key", help="needed once; it is kept for the next time")
    parser.add_argument("--follow", action="store_true", help="report again whenever the file changes")
    given = parser.parse_args()
    folder = config_folder()
    key = (given.license_key or os.environ.get("LICENSE_KEY") or kept_key(folder / "license-key")).strip()
    if not key:
        print("This tool needs a license. Call it once with --license-key and your key.", file=sys.stderr)
        return 3
    client = make_client(folder)
    code = refused(client, key)
    if code != 0:
        return code
    if key != kept_key(folder / "license-key"):
        keep_key(folder / "license-key", key)
    code = report(given.file)
    return follow(client, key, given.file) if given.follow and code == 0 else code


if __name__ == "__main__":
    sys.exit(main())
