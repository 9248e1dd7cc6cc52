"""A command-line tool that needs a license: it writes a short report about a text file.

    python report_tool.py [--license-key KEY] [--follow] FILE

The license key is taken from the argument, from LICENSE_KEY, or from the key stored by an earlier run.
Exit codes: 0 success, 1 the file cannot be read, 2 wrong arguments, 3 not licensed, 4 no verdict.
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
# Make these two constants in your own tool: they belong to your product, not to your customer.
SERVER = os.environ.get("COUNTERSIGN_URL", "https://license.example.com")
API_KEY = os.environ.get("COUNTERSIGN_API_KEY", "csk_your_products_api_key")

REJECTION_MESSAGES = {
    "expired": "Your license has expired. Renew it to continue.",
    "revoked": "Your license was revoked. If you think this is a mistake, contact support@example.com.",
    "license_not_found": "There is no license with this key. Compare it with the key in your email.",
    "ip_limit_reached": "Your license is already in use from the maximum number of IP addresses.",
    "ip_not_registered": "Your license does not cover this IP address.",
    "version_not_allowed": f"Your license does not cover version {VERSION} of this tool.",
}

#: Customers solve these themselves in the portal.
SOLVED_IN_PORTAL = {"expired", "ip_limit_reached", "ip_not_registered"}


def config_folder() -> Path:
    """Return the user's configuration folder, which differs by operating system."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / APP
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / APP
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / APP


def stored_key(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def store_key(path: Path, key: str) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(key + "\n", "utf-8")
        path.chmod(0o600)
    except OSError as error:
        print(f"The license key could not be stored for the next run: {error}", file=sys.stderr)


def make_client(folder: Path) -> Countersign:
    return Countersign(
        API_KEY,
        SERVER,
        version=VERSION,
        device_id=device_id(APP),
        # A licensed user can keep working for a week without the server.
        grace_seconds=7 * 86_400,
        grace_store=FileGraceStore(folder / "grace"),
    )


def explain(client: Countersign, key: str, result: ValidateResult) -> None:
    print(REJECTION_MESSAGES.get(result.status, f"Your license is not valid ({result.status})."), file=sys.stderr)
    if result.status in SOLVED_IN_PORTAL:
        # The URL contains the key: it is printed for the customer who has that key, and never sent anywhere.
        print(f"You can solve this yourself: {client.portal_url(key)}", file=sys.stderr)


def validate(client: Countersign, key: str) -> int:
    """Return 0 if the license is valid; otherwise print the reason and return the exit code."""
    try:
        result = client.validate(key)
    except RateLimitError as error:
        print(f"The license cannot be validated before {error.reset_at:%H:%M} UTC. Try again then.", file=sys.stderr)
        return 4
    except AuthenticationError:
        print("This copy of the tool cannot validate licenses. Install the latest release.", file=sys.stderr)
        return 4
    except CountersignError as error:
        print(f"The license could not be validated. Check your network connection. ({error.message})", file=sys.stderr)
        return 4
    if not result.valid:
        explain(client, key, result)
        return 3
    if result.source == "grace":
        print(
            f"The license server is unreachable. The license was last validated on {result.checked_at:%Y-%m-%d}.",
            file=sys.stderr,
        )
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
    """Report whenever the file changes, as long as the license is valid."""
    ended = threading.Event()

    def changed(result: ValidateResult, _before: ValidateResult | None) -> None:
        if not result.valid:
            explain(client, key, result)
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
    parser.add_argument("--license-key", help="required once; the key is stored for later runs")
    parser.add_argument("--follow", action="store_true", help="report again whenever the file changes")
    arguments = parser.parse_args()
    folder = config_folder()
    key = (arguments.license_key or os.environ.get("LICENSE_KEY") or stored_key(folder / "license-key")).strip()
    if not key:
        print("This tool requires a license. Run it once with --license-key and your key.", file=sys.stderr)
        return 3
    client = make_client(folder)
    code = validate(client, key)
    if code != 0:
        return code
    if key != stored_key(folder / "license-key"):
        store_key(folder / "license-key", key)
    code = report(arguments.file)
    return follow(client, key, arguments.file) if arguments.follow and code == 0 else code


if __name__ == "__main__":
    sys.exit(main())
