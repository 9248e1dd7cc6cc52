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

#: An answer of the service is shorter; what is longer is not from it.
_MOST_BYTES = 1024 * 1024
_PAUSE_SECONDS = (0.1, 0.4)
#: Some firewalls turn away what calls itself Python-urllib.
_USER_AGENT = f"countersign-python/{__version__}"


@dataclass(frozen=True)
class Question:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None = None


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes
    request_id: str | None


class Transport:
    """Asks, and once more when the connection failed or the server was in trouble.

    Both tries together take no longer than the time-out. A 429 is never asked again: the limit is a daily one.
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
            # Made once, because reading the system's authorities takes a while.
            handlers.append(urllib.request.HTTPSHandler(context=ssl_context or ssl.create_default_context()))
        self._opener = urllib.request.build_opener(*handlers)

    def ask(self, question: Question) -> Reply:
        end = self._clock.steady() + self._timeout_seconds
        failure: ConnectionError | None = None
        reply: Reply | None = None
        try:
            reply = self._attempt(question, end)
            if reply.status < 500:
                return reply
        except TimeoutError:
            raise
        except ConnectionError as error:
            failure = error
        least, most = _PAUSE_SECONDS
        wait = least + self._random() * (most - least)
        if self._clock.steady() + wait < end:
            self._clock.sleep(wait)
            return self._attempt(question, end)
        if reply is None:
            assert failure is not None
            raise failure
        return reply

    def _attempt(self, question: Question, end: float) -> Reply:
        """In a thread of its own, since nothing else ends a name that is not resolved or headers that come in drips."""
        left = max(0.001, end - self._clock.steady())
        outcome: concurrent.futures.Future[Reply] = concurrent.futures.Future()

        def exchange() -> None:
            try:
                outcome.set_result(self._exchange(question, left))
            except BaseException as error:
                outcome.set_exception(error)

        thread = threading.Thread(
            target=contextvars.copy_context().run, args=(exchange,), name="countersign", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:
            # No thread starts any more while the app ends.
            exchange()
        try:
            return outcome.result(left)
        except concurrent.futures.TimeoutError:
            raise self._too_late() from None

    def _exchange(self, question: Question, seconds: float) -> Reply:
        end = time.monotonic() + seconds
        request = urllib.request.Request(
            self._base_url + question.path,
            data=question.body,
            headers={**question.headers, "User-Agent": _USER_AGENT},
            method=question.method,
        )
        try:
            with self._opener.open(request, timeout=seconds) as response:
                return _reply(response.status, response.headers, _whole_body(response, response.headers, end))
        except urllib.error.HTTPError as error:
            with error:
                return self._refusal(error, end)
        except socket.timeout as error:
            raise self._too_late() from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, socket.timeout):
                raise self._too_late() from error
            raise ConnectionError(f"{self._host} cannot be reached: {error.reason}.") from error
        except (http.client.HTTPException, OSError) as error:
            raise ConnectionError(f"{self._host} cannot be reached: {error!r}.") from error

    def _refusal(self, error: urllib.error.HTTPError, end: float) -> Reply:
        try:
            return _reply(error.code, error.headers, _whole_body(error, error.headers, end))
        except socket.timeout as late:
            raise self._too_late() from late
        except (http.client.HTTPException, OSError) as cut:
            raise ConnectionError(f"{self._host} cannot be reached: {cut!r}.") from cut

    def _too_late(self) -> TimeoutError:
        return TimeoutError(f"No answer from {self._host} within {self._timeout_seconds:g} seconds.")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """An API has no business sending the key somewhere else."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _whole_body(response: http.client.HTTPResponse | urllib.error.HTTPError, headers: Message, end: float) -> bytes:
    said = headers.get("Content-Length", "")
    is_chunked = "Transfer-Encoding" in headers
    expected = int(said) if said.isascii() and said.isdigit() and len(said) < 16 and not is_chunked else None
    parts: list[bytes] = []
    length = 0
    while expected is None or length < expected:
        # Unlike read, read1 returns with what is there: whoever sends a byte now and then gets no more time for it.
        part: bytes = response.read1(65536)
        if not part:
            break
        parts.append(part)
        length += len(part)
        if length > _MOST_BYTES:
            raise ConnectionError("The answer is longer than any of this service.")
        if time.monotonic() > end:
            raise socket.timeout("too slow")
    if expected is not None and length < expected:
        raise http.client.IncompleteRead(b"", expected - length)
    return b"".join(parts)


def _reply(status: int, headers: Message, body: bytes) -> Reply:
    lower = {name.lower(): value for name, value in headers.items()}
    return Reply(status, lower, body, lower.get("x-request-id"))
