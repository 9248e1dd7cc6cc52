"""A local server that sends exactly the given bytes, for responses that no real server sends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Union

#: Bytes to send, or seconds to wait; a negative number closes the connection.
Part = Union[bytes, float]
CLOSE = -1.0

VALID_BODY = b'{"valid":true,"status":"active","expires":null,"custom":{"plan":"pro"},"signature":null}'
REVOKED_BODY = b'{"valid":false,"status":"revoked","expires":null,"signature":null}'


def answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


@dataclass
class LocalServer:
    url: str
    #: The raw bytes of each request.
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def serving(*answers: Sequence[Part]) -> Iterator[LocalServer]:
    """Send the answers in order, and repeat the last one. Every connection stays open until the end."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = LocalServer(f"http://127.0.0.1:{listener.getsockname()[1]}")
    ended = threading.Event()

    def serve(connection: socket.socket, parts: Sequence[Part]) -> None:
        with connection:
            try:
                for part in parts:
                    if isinstance(part, bytes):
                        connection.sendall(part)
                    elif part < 0:
                        return
                    elif ended.wait(part):
                        return
                ended.wait(30)
            except OSError:
                pass

    def listen() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            server.requests.append(_read_request(connection))
            parts = answers[min(len(server.requests), len(answers)) - 1]
            threading.Thread(target=serve, args=(connection, parts), daemon=True).start()

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


def _read_request(connection: socket.socket) -> bytes:
    text = b""
    while b"\r\n\r\n" not in text:
        part = connection.recv(65536)
        if not part:
            return text
        text += part
    head, _, body = text.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
