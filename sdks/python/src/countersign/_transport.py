from __future__ import annotations

import concurrent.futures
import contextvars
import http.client
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Callable
from urllib.parse import urlsplit

from ._clock import Clock
from ._version import __version__
from .errors import ConnectionError, TimeoutError

#: No Countersign response is longer than this.
_MAX_BYTES = 1024 * 1024
_RETRY_DELAY_SECONDS = (0.1, 0.4)
#: Some firewalls block the default user agent, Python-urllib.
_USER_AGENT = f"countersign-python/{__version__}"


@dataclass(frozen=True)
class ApiRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None = None


@dataclass(frozen=True)
class ApiResponse:
    status: int
    headers: Mapping[str, str]
    body: bytes
    request_id: str | None


class Transport:
    """Sends a request, and retries once if the connection failed or the server responded 5xx.

    Both attempts share the timeout. A 429 is never retried: the limit is a daily one.
    """

    def __init__(
        self,
        base_url: str,
        timeout_seconds: float,
        ssl_context: ssl.SSLContext | None,
        clock: Clock,
        random: Callable[[], float],
    ) -> None:
        parts = urlsplit(base_url)
        self._base_url = base_url
        self._host = parts.netloc
        self._timeout_seconds = timeout_seconds
        self._clock = clock
        self._random = random
        handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
        if parts.scheme == "https":
            # Created once, because loading the system's certificate authorities is slow.
            handlers.append(urllib.request.HTTPSHandler(context=ssl_context or ssl.create_default_context()))
        self._opener = urllib.request.build_opener(*handlers)

    def send(self, request: ApiRequest) -> ApiResponse:
        end = self._clock.steady() + self._timeout_seconds
        failure: ConnectionError | None = None
        response: ApiResponse | None = None
        try:
            response = self._attempt(request, end)
            if response.status < 500:
                return response
        except TimeoutError:
            raise
        except ConnectionError as error:
            failure = error
        minimum, maximum = _RETRY_DELAY_SECONDS
        wait = minimum + self._random() * (maximum - minimum)
        if self._clock.steady() + wait < end:
            self._clock.sleep(wait)
            return self._attempt(request, end)
        if response is None:
            assert failure is not None
            raise failure
        return response

    def _attempt(self, request: ApiRequest, end: float) -> ApiResponse:
        """Run in a separate thread: nothing else can time out DNS resolution or headers that arrive slowly."""
        left = max(0.001, end - self._clock.steady())
        outcome: concurrent.futures.Future[ApiResponse] = concurrent.futures.Future()

        def exchange() -> None:
            try:
                outcome.set_result(self._exchange(request, left))
            except BaseException as error:
                outcome.set_exception(error)

        thread = threading.Thread(
            target=contextvars.copy_context().run, args=(exchange,), name="countersign", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:
            # No thread can start while the interpreter shuts down.
            exchange()
        try:
            return outcome.result(left)
        except concurrent.futures.TimeoutError:
            raise self._timeout_error() from None

    def _exchange(self, request: ApiRequest, seconds: float) -> ApiResponse:
        end = time.monotonic() + seconds
        http_request = urllib.request.Request(
            self._base_url + request.path,
            data=request.body,
            headers={**request.headers, "User-Agent": _USER_AGENT},
            method=request.method,
        )
        try:
            with self._opener.open(http_request, timeout=seconds) as response:
                return _api_response(response.status, response.headers, _read_body(response, response.headers, end))
        except urllib.error.HTTPError as error:
            with error:
                return self._error_response(error, end)
        except socket.timeout as error:
            raise self._timeout_error() from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, socket.timeout):
                raise self._timeout_error() from error
            raise ConnectionError(f"Cannot connect to {self._host}: {error.reason}.") from error
        except (http.client.HTTPException, OSError) as error:
            raise ConnectionError(f"Cannot connect to {self._host}: {error!r}.") from error

    def _error_response(self, error: urllib.error.HTTPError, end: float) -> ApiResponse:
        try:
            return _api_response(error.code, error.headers, _read_body(error, error.headers, end))
        except socket.timeout as late:
            raise self._timeout_error() from late
        except (http.client.HTTPException, OSError) as cut:
            raise ConnectionError(f"Cannot connect to {self._host}: {cut!r}.") from cut

    def _timeout_error(self) -> TimeoutError:
        return TimeoutError(f"{self._host} did not respond within {self._timeout_seconds:g} seconds.")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Rejects redirects: the API key must not be sent elsewhere."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _read_body(response: http.client.HTTPResponse | urllib.error.HTTPError, headers: Message, end: float) -> bytes:
    content_length = headers.get("Content-Length", "")
    is_chunked = "Transfer-Encoding" in headers
    is_number = content_length.isascii() and content_length.isdigit() and len(content_length) < 16
    expected = int(content_length) if is_number and not is_chunked else None
    parts: list[bytes] = []
    length = 0
    while expected is None or length < expected:
        # Unlike read, read1 returns the available bytes, so that a slow server cannot exceed the timeout.
        part: bytes = response.read1(65536)
        if not part:
            break
        parts.append(part)
        length += len(part)
        if length > _MAX_BYTES:
            raise ConnectionError(
                f"The response is larger than {_MAX_BYTES} bytes, so it is not from a Countersign server."
            )
        if time.monotonic() > end:
            raise socket.timeout("too slow")
    if expected is not None and length < expected:
        raise http.client.IncompleteRead(b"", expected - length)
    return b"".join(parts)


def _api_response(status: int, headers: Message, body: bytes) -> ApiResponse:
    lower = {name.lower(): value for name, value in headers.items()}
    return ApiResponse(status, lower, body, lower.get("x-request-id"))
