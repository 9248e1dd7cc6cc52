from __future__ import annotations

import ipaddress
import socket
import threading
import time
from concurrent.futures import Future
from typing import Any

from ._call import Call
from ._fork import reset_after_fork


class Resolver:
    """Resolves host names in a thread, because the system's function has no timeout.

    Concurrent calls share one thread per host name, so that a failing name server does not make them pile up.
    """

    def __init__(self) -> None:
        self.after_fork()
        reset_after_fork(self)

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[tuple[str, int], Future[list[Any]]] = {}

    def resolve(self, host: str, port: int, end: float, call: Call) -> list[Any]:
        if _is_ip_address(host):
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        answered = threading.Event()
        future = self._start(host, port)
        future.add_done_callback(lambda _: answered.set())
        if not call.wait(answered, end):
            raise socket.timeout("The host name was not resolved in time.")
        return future.result(max(0.0, end - time.monotonic()))

    def _start(self, host: str, port: int) -> Future[list[Any]]:
        with self._lock:
            pending = self._pending.get((host, port))
            if pending is not None:
                return pending
            future: Future[list[Any]] = Future()
            self._pending[host, port] = future
        work = threading.Thread(target=self._work, args=(host, port, future), name="countersign-dns", daemon=True)
        try:
            work.start()
        except RuntimeError:
            # No thread can start while the interpreter shuts down.
            self._work(host, port, future)
        return future

    def _work(self, host: str, port: int, future: Future[list[Any]]) -> None:
        try:
            addresses, failure = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM), None
        except Exception as error:
            addresses, failure = [], error
        with self._lock:
            self._pending.pop((host, port), None)
        if failure is None:
            future.set_result(addresses)
        else:
            future.set_exception(failure)


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True
