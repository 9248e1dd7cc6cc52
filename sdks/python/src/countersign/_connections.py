from __future__ import annotations

import http.client
import ssl
import threading
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ._call import Call
from ._connect import Connection, Connector
from ._fork import reset_after_fork
from ._frozen import FrozenDict
from ._response_body import read_body

_MAX_IDLE = 32
#: Shorter than the time after which firewalls silently drop idle connections.
_MAX_IDLE_SECONDS = 30


@dataclass(frozen=True)
class ApiRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None = None
    #: The path for logs and hooks, without the license key.
    public_path: str = ""


@dataclass(frozen=True)
class ApiResponse:
    status: int
    #: With lower-case names.
    headers: Mapping[str, str]
    body: bytes
    request_id: str | None


class Connections:
    """Sends requests to one server, over connections that stay open for further requests."""

    def __init__(self, base_url: str, ssl_context: ssl.SSLContext | None) -> None:
        target = urlsplit(base_url)
        self.host = target.netloc
        self._base_path = target.path
        self._connector = Connector(target, ssl_context)
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        reset_after_fork(self)
        weakref.finalize(self, _close_all, self._idle)

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        # The connections belong to the parent. Closing this process's copies does not end them.
        _close_all(self._idle)

    def close(self) -> None:
        """Close the idle connections. Further requests open new ones."""
        with self._lock:
            _close_all(self._idle)

    def exchange(self, request: ApiRequest, seconds: float, call: Call) -> ApiResponse:
        """Send the request, and return the response. Raises OSError or HTTPException."""
        end = time.monotonic() + seconds
        reused = self._take_idle()
        if reused is not None:
            try:
                return self._exchange(reused, request, end, call)
            except (OSError, http.client.HTTPException) as error:
                # The server closed the connection just before it could receive the request. If it had started to
                # respond, the request would have been received, and must not be sent again.
                if reused.deadline_socket.has_received or not _is_cut(error):
                    raise
                call.raise_if_cancelled()
        return self._exchange(self._connector.connect(end, call), request, end, call)

    def _exchange(self, connection: Connection, request: ApiRequest, end: float, call: Call) -> ApiResponse:
        is_reusable = False
        try:
            connected = connection.deadline_socket
            with call.interruptible(connected.interrupt):
                connected.start(end)
                url = connection.url_prefix + self._base_path + request.path
                connection.request(request.method, url, request.body, {**request.headers, **connection.proxy_headers})
                response = connection.getresponse()
                if connected.has_ended:
                    # http.client accepts headers that are cut.
                    raise http.client.IncompleteRead(b"")
                body = read_body(response)
            response.close()
            is_reusable = not response.will_close
            names = {name.lower(): value for name, value in response.getheaders()}
            return ApiResponse(response.status, FrozenDict(names), body, names.get("x-request-id"))
        finally:
            if not is_reusable or not self._keep(connection):
                connection.end()

    def _take_idle(self) -> Connection | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                # The one used last is the least likely to have been closed by the server.
                connection = self._idle.pop()
            is_old = time.monotonic() - connection.idle_since > _MAX_IDLE_SECONDS
            if not is_old and connection.deadline_socket.is_usable:
                return connection
            connection.end()

    def _keep(self, connection: Connection) -> bool:
        connection.idle_since = time.monotonic()
        with self._lock:
            if len(self._idle) >= _MAX_IDLE:
                return False
            self._idle.append(connection)
        return True


def _is_cut(error: Exception) -> bool:
    return isinstance(error, (ConnectionError, http.client.RemoteDisconnected, ssl.SSLEOFError, ssl.SSLZeroReturnError))


def _close_all(connections: list[Connection]) -> None:
    while connections:
        connections.pop().end()
