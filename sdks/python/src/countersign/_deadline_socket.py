from __future__ import annotations

import io
import select
import socket
import time
from typing import Any


class DeadlineSocket:
    """A socket with one deadline for everything that is sent and received.

    The timeout of an ordinary socket starts again with every byte, so that a slow server could exceed it without limit.
    Has the methods that ``http.client`` uses.
    """

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._end = float("inf")
        #: Whether bytes were received since the last call of ``start``.
        self.has_received = False
        #: Whether the server has closed the connection since then.
        self.has_ended = False

    def start(self, end: float) -> None:
        self._end = end
        self.has_received = self.has_ended = False

    def sendall(self, data: bytes) -> None:
        self._apply_deadline()
        self._socket.sendall(data)

    def receive_into(self, buffer: memoryview) -> int:
        self._apply_deadline()
        count = self._socket.recv_into(buffer)
        if count > 0:
            self.has_received = True
        else:
            self.has_ended = True
        return count

    def makefile(self, *_: object, **__: object) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        """Do nothing: http.client closes its socket before the body is read. ``end`` closes it."""

    def end(self) -> None:
        self._socket.close()

    def interrupt(self) -> None:
        """End the connection while another thread uses it."""
        shut_down(self._socket)

    @property
    def is_usable(self) -> bool:
        """Whether the server kept the connection open, and has sent nothing that was not asked for."""
        try:
            if hasattr(select, "poll"):
                poll = select.poll()
                poll.register(self._socket, select.POLLIN)
                return not poll.poll(0)
            return not select.select([self._socket], [], [], 0)[0]
        except (OSError, ValueError):
            return False

    def _apply_deadline(self) -> None:
        self._socket.settimeout(seconds_until(self._end))


class _Reader(io.RawIOBase):
    """Closing it does not close the socket, which may be used for the next request."""

    def __init__(self, owner: DeadlineSocket) -> None:
        self._owner = owner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._owner.receive_into(buffer)


def seconds_until(end: float) -> float | None:
    """Return the time left, for ``settimeout``."""
    if end == float("inf"):
        return None
    left = end - time.monotonic()
    if left <= 0:
        raise socket.timeout("The deadline has passed.")
    return left


def shut_down(connected: socket.socket) -> None:
    """Wake up a thread that waits for the socket: ``close`` alone would not."""
    try:
        # For TLS too: the method of SSLSocket would also change what the other thread is using.
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
    except OSError:
        pass
