from __future__ import annotations

import http.client
import socket
import ssl
import time
from typing import Any
from urllib.parse import SplitResult

from ._call import Call
from ._deadline_socket import DeadlineSocket, seconds_until, shut_down
from ._proxy import Proxy, proxy_for
from ._resolve import Resolver


class Connector:
    """Opens connections to one server: directly or through the environment's proxy, with TLS for https."""

    def __init__(self, target: SplitResult, ssl_context: ssl.SSLContext | None) -> None:
        self._target = target
        self._host = target.hostname or ""
        self._port = target.port or _default_port(target)
        self._resolver = Resolver()
        self._ssl_context: ssl.SSLContext | None = None
        if target.scheme == "https":
            # Created once, because loading the system's certificate authorities is slow.
            self._ssl_context = ssl_context or _default_context()

    def connect(self, end: float, call: Call) -> Connection:
        proxy = proxy_for(self._target)
        host, port = (self._host, self._port) if proxy is None else (proxy.host, proxy.port)
        addresses = self._resolver.resolve(host, port, end, call)
        connected = _connected(addresses, end, call)
        try:
            with call.interruptible(lambda: shut_down(connected)):
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._ssl_context is not None:
                    if proxy is not None:
                        self._open_tunnel(connected, proxy, end)
                    # The handshake is separate, so that an interruption reaches the socket that is in use.
                    connected = self._ssl_context.wrap_socket(
                        connected, server_hostname=self._host, do_handshake_on_connect=False
                    )
                    connected.settimeout(seconds_until(end))
                    connected.do_handshake()
        except BaseException:
            connected.close()
            raise
        # Through a proxy, plain http requests contain the whole URL.
        is_absolute = proxy is not None and self._ssl_context is None
        return Connection(DeadlineSocket(connected), self._target, proxy if is_absolute else None)

    def _open_tunnel(self, connected: socket.socket, proxy: Proxy, end: float) -> None:
        host = f"[{self._host}]" if ":" in self._host else self._host
        lines = [f"CONNECT {host}:{self._port} HTTP/1.1", f"Host: {host}:{self._port}"]
        lines += [f"{name}: {value}" for name, value in proxy.headers.items()]
        tunnel = DeadlineSocket(connected)
        tunnel.start(end)
        tunnel.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        head = bytearray()
        byte = bytearray(1)
        # Byte by byte: what follows the header belongs to the server.
        while not head.endswith((b"\r\n\r\n", b"\n\n")):
            if tunnel.receive_into(memoryview(byte)) == 0 or len(head) > 65_536:
                raise OSError("the proxy ended the connection")
            head += byte
        status = bytes(head).split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        if len(status) < 2 or not status[0].startswith("HTTP/") or not status[1].startswith("2"):
            raise OSError(f"the proxy refused the connection ({' '.join(status[1:])[:100]})")


class _FinalResponse(http.client.HTTPResponse):
    """Skips interim responses, such as 103 Early Hints. http.client itself only skips 100."""

    def begin(self) -> None:
        super().begin()
        while 100 <= self.status < 200 and self.status != http.client.SWITCHING_PROTOCOLS:
            # Without headers, it reads the next response.
            self.headers = self.msg = None  # type: ignore[assignment]
            super().begin()


class Connection(http.client.HTTPConnection):
    """A connection that is already open, and is never opened again automatically."""

    auto_open = 0
    response_class = _FinalResponse

    def __init__(self, connected: DeadlineSocket, target: SplitResult, http_proxy: Proxy | None) -> None:
        self.default_port = _default_port(target)
        super().__init__(target.hostname or "", target.port or self.default_port)
        self.deadline_socket = connected
        self.sock: Any = connected
        self.idle_since = 0.0
        #: What precedes the path in requests through a proxy.
        self.url_prefix = "" if http_proxy is None else f"{target.scheme}://{target.netloc}"
        self.proxy_headers = {} if http_proxy is None else http_proxy.headers

    def end(self) -> None:
        self.close()
        self.deadline_socket.end()


def _connected(addresses: list[Any], end: float, call: Call) -> socket.socket:
    """Try the IP addresses in order. Each gets an equal part of the time, so that none of them uses up all of it."""
    failure: OSError = OSError("the host name has no IP address")
    for number, (family, kind, protocol, _, address) in enumerate(addresses):
        left = seconds_until(end)
        attempt_end = end if left is None else time.monotonic() + left / (len(addresses) - number)
        try:
            one = socket.socket(family, kind, protocol)
        except OSError as error:
            failure = error
            continue
        try:
            with call.interruptible(lambda one=one: shut_down(one)):  # type: ignore[misc]
                one.settimeout(seconds_until(attempt_end))
                one.connect(address)
            return one
        except OSError as error:
            one.close()
            failure = error
        except BaseException:
            one.close()
            raise
    raise failure


def _default_port(target: SplitResult) -> int:
    return 443 if target.scheme == "https" else 80


def _default_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context
