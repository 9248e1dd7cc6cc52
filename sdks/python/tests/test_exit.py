"""A running call does not delay the exit of the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from local_server import serving, wait_until

SOURCES = Path(__file__).parents[1] / "src"

CALLS = {
    "asyncio": """
async def main():
    task = asyncio.ensure_future(AsyncCountersign(client=client).validate("KEY"))
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
asyncio.run(main())
""",
    "an asyncio task in a thread": """
import threading
threading.Thread(target=lambda: asyncio.run(AsyncCountersign(client=client).validate("KEY")), daemon=True).start()
sys.stdin.readline()
""",
    "a thread": """
import threading
threading.Thread(target=client.validate, args=("KEY",), daemon=True).start()
sys.stdin.readline()
""",
    "a slow name server": """
import socket, threading, time
resolve = socket.getaddrinfo
def slowly(host, *rest, **named):
    return time.sleep(100) if host == "licenses.invalid" else resolve(host, *rest, **named)
socket.getaddrinfo = slowly
slow = Countersign("csk_test", "http://licenses.invalid", timeout_seconds=100)
threading.Thread(target=lambda: asyncio.run(AsyncCountersign(client=slow).check("KEY")), daemon=True).start()
client.check("KEY", timeout_seconds=0.5)
sys.stdin.readline()
""",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_running_call_does_not_delay_the_exit_of_the_process(name: str) -> None:
    program = (
        "import asyncio, sys; from countersign import AsyncCountersign, Countersign\n"
        "client = Countersign('csk_test', sys.argv[1], timeout_seconds=100)\n" + CALLS[name]
    )
    with serving([100.0]) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", program, server.url], cwd=SOURCES, stdin=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        try:
            wait_until(lambda: len(server.requests) == 1)
            process.stdin.close()
            # The call itself would take 100 seconds.
            assert process.wait(30) == 0
        finally:
            process.kill()
            process.wait()
