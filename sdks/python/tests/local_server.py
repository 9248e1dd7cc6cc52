"""A local server that sends exactly the given bytes, for responses that no real server sends."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Callable, Union

#: Bytes to send, an event to wait for, or seconds to wait; a negative number closes the connection.
Part = Union[bytes, float, threading.Event]
CLOSE = -1.0

VALID_BODY = b'{"valid":true,"status":"active","expires":null,"custom":{"plan":"pro"},"signature":null}'
REVOKED_BODY = b'{"valid":false,"status":"revoked","expires":null,"signature":null}'
NOT_FOUND_BODY = b'{"valid":false,"status":"license_not_found","expires":null,"signature":null}'


def answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


@dataclass
class LocalServer:
    url: str
    #: The raw bytes of each request.
    requests: list[bytes] = field(default_factory=list)
    #: How many connections were opened, and how many of them the client has closed.
    opened: int = 0
    closed_by_client: int = 0


@contextmanager
def serving(*answers: Sequence[Part]) -> Iterator[LocalServer]:
    """Send the answers in order, and repeat the last one. Connections stay open for further requests."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    server = LocalServer(f"http://127.0.0.1:{listener.getsockname()[1]}")
    ended = threading.Event()
    lock = threading.Lock()

    def serve(connection: socket.socket) -> None:
        with connection:
            try:
                while not ended.is_set():
                    request = _read_request(connection)
                    if not request:
                        break
                    with lock:
                        server.requests.append(request)
                        parts = answers[min(len(server.requests), len(answers)) - 1]
                    for part in parts:
                        if isinstance(part, bytes):
                            connection.sendall(part)
                        elif isinstance(part, threading.Event):
                            part.wait(60)
                        elif part < 0:
                            return
                        elif _wait(connection, part, ended):
                            raise ConnectionResetError
            except OSError:
                pass
            with lock:
                server.closed_by_client += 0 if ended.is_set() else 1

    def listen() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            server.opened += 1
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    try:
        yield server
    finally:
        ended.set()
        # On some systems, closing the socket does not end accept.
        try:
            listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        listener.close()


def wait_until(is_true: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for a condition, for as long as a busy machine may need."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, "the condition did not become true in time"
        time.sleep(0.01)


def _wait(connection: socket.socket, seconds: float, ended: threading.Event) -> bool:
    """Return whether the client closed the connection, or the server ended, in the meantime."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if ended.is_set() or select.select([connection], [], [], min(0.05, max(0, end - time.monotonic())))[0]:
            return True
    return ended.is_set()


def _read_request(connection: socket.socket) -> bytes:
    text = b""
    while b"\r\n\r\n" not in text:
        part = connection.recv(65536)
        if not part:
            return b""
        text += part
    head, _, body = text.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
