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
USUAL_KEY = "ABCD-EFGH-JKMN-PQRS"

#: What a case's server can be told to be: a license that is valid, one that is revoked, one with signed answers.
VALID: dict[str, Any] = {"real": {}}
REVOKED: dict[str, Any] = {"real": {"outcome": "a revoked license is refused"}}
SIGNED: dict[str, Any] = {"real": {"signing": "current", "outcome": {"product": {"signed_validation": 1}}}}


@dataclass(frozen=True)
class Armed:
    """Where a case is played, and what its client has to be made with."""

    url: str
    client: dict[str, Any]
    now: str


@functools.cache
def address() -> str:
    """The address of the server, which is started by the first who asks."""
    runtime = os.environ.get("COUNTERSIGN_BUN") or str(PROGRAM.parents[2] / "node_modules" / ".bin" / "bun")
    process = subprocess.Popen([runtime, str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    given_in = process.stdin

    def end() -> None:
        # It ends by itself when nobody can write to it any more.
        given_in.close()
        process.wait(20)

    atexit.register(end)
    said = process.stdout.readline().strip()
    assert said.startswith("http://"), f"The conformance server did not start: {said!r}"
    return said


@functools.cache
def suite() -> dict[str, dict[str, Any]]:
    """Every case there is, by the name of its file."""
    found: dict[str, dict[str, Any]] = get(f"{address()}/suite")
    return found


def arm(*answers: dict[str, Any]) -> Armed:
    """Prepares a server that gives these answers."""
    armed = post(f"{address()}/cases", {"now": START, "answers": list(answers)})
    assert set(armed) <= {"url", "client", "now"}, "the server says something that this runner does not know"
    return Armed(armed["url"], armed.get("client", {}), armed.get("now", START))


def get(url: str) -> Any:
    with _direct.open(url, timeout=60) as response:
        return json.load(response)


def post(url: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
    with _direct.open(request, timeout=60) as response:
        return json.load(response)


# The server is on this machine, whatever proxy the environment names.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
