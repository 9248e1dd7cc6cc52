"""The conformance server: one process for the whole test run, shared by every file that needs it."""

from __future__ import annotations

import atexit
import functools
import json
import os
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parents[2] / "conformance" / "server.ts"
START = "2026-06-01T12:00:00.000Z"
DEFAULT_KEY = "ABCD-EFGH-JKMN-PQRS"

#: Answers of a real server: a valid license, a revoked one, and one with signed responses.
VALID: dict[str, Any] = {"real": {}}
REVOKED: dict[str, Any] = {"real": {"outcome": "a revoked license is refused"}}
SIGNED: dict[str, Any] = {"real": {"signing": "current", "outcome": {"product": {"signed_validation": 1}}}}


@dataclass(frozen=True)
class StartedCase:
    """The URL of a started case, and the settings and time of its client."""

    url: str
    client: dict[str, Any]
    now: str


@functools.cache
def server_url() -> str:
    """Return the URL of the server. The first call starts it."""
    runtime = os.environ.get("COUNTERSIGN_BUN") or str(PROGRAM.parents[2] / "node_modules" / ".bin" / "bun")
    process = subprocess.Popen([runtime, str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    server_input = process.stdin

    def stop() -> None:
        # The server exits when its input is closed.
        server_input.close()
        process.wait(20)

    atexit.register(stop)
    url = process.stdout.readline().strip()
    assert url.startswith("http://"), f"The conformance server did not start: {url!r}"
    return url


@functools.cache
def suite() -> dict[str, dict[str, Any]]:
    """Return all cases, by file name."""
    cases: dict[str, dict[str, Any]] = get(f"{server_url()}/suite")
    return cases


def start_case(*answers: dict[str, Any]) -> StartedCase:
    """Start a case with these answers."""
    started = post(f"{server_url()}/cases", {"now": START, "answers": list(answers)})
    assert set(started) <= {"url", "client", "now"}, "the server returned members that this runner does not know"
    return StartedCase(started["url"], started.get("client", {}), started.get("now", START))


def get(url: str) -> Any:
    with _opener.open(url, timeout=60) as response:
        return json.load(response)


def post(url: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
    with _opener.open(request, timeout=60) as response:
        return json.load(response)


# The server runs on this machine, so the proxy of the environment is not used.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
