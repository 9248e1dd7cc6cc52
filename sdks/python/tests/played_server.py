"""A local server that plays Countersign: it knows keys, and fails on demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: What the server sends if the API key is wrong.
WRONG_API_KEY: tuple[int, dict[str, str], str] = (401, {}, '{"status":"invalid_api_key"}')


class PlayedCountersign(ThreadingHTTPServer):
    """Keys that start with VALID are active, those that start with REVOKED are revoked; others are unknown."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        #: Status, headers and body of every response, instead of a verdict.
        self.failure: tuple[int, dict[str, str], str] | None = None
        #: Every validated key, in order.
        self.asked: list[str] = []
        self.asked_changed = threading.Condition()
        #: Responses wait while this is cleared.
        self.may_respond = threading.Event()
        self.may_respond.set()
        self.user_agents: list[str] = []
        #: The body of every request.
        self.bodies: list[dict[str, Any]] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent about clients that have gone."""

    def wait_until_asked(self, count: int) -> None:
        with self.asked_changed:
            assert self.asked_changed.wait_for(lambda: len(self.asked) >= count, 30)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Sends a response in one piece: otherwise each would take 40 ms, because of delayed acknowledgements.
    wbufsize = 65_536
    server: PlayedCountersign

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = body["license_key"]
        with self.server.asked_changed:
            self.server.asked.append(key)
            self.server.bodies.append(body)
            self.server.user_agents.append(self.headers["user-agent"])
            self.server.asked_changed.notify_all()
        self.server.may_respond.wait(30)
        if self.server.failure is not None:
            return self._send(*self.server.failure)
        status = "active" if key.startswith("VALID") else "revoked" if key.startswith("REVOKED") else None
        verdict = {"valid": status == "active", "status": status or "license_not_found", "expires": None}
        self._send(200, {}, json.dumps({**verdict, "signature": None}))

    def _send(self, status: int, headers: dict[str, str], text: str) -> None:
        self.send_response(status)
        for name, value in {"X-Request-Id": "req_1", **headers, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def playing() -> Iterator[PlayedCountersign]:
    with PlayedCountersign() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.may_respond.set()
            server.shutdown()
