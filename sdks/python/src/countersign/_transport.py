from __future__ import annotations

import http.client
import socket
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Callable
from urllib.parse import urlsplit

from ._clock import Clock
from .errors import ConnectionError, TimeoutError

#: An answer of the service is shorter; what is longer is not from it.
_MOST_BYTES = 1024 * 1024
_PAUSE_SECONDS = (0.1, 0.4)


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

    def __init__(self, base_url: str, timeout_seconds: float, clock: Clock, random: Callable[[], float]) -> None:
        self._base_url = base_url
        self._timeout_seconds = timeout_seconds
        self._clock = clock
        self._random = random
        self._opener = urllib.request.build_opener(_NoRedirects)

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
        host = urlsplit(self._base_url).netloc
        left = max(0.001, end - self._clock.steady())
        request = urllib.request.Request(
            self._base_url + question.path,
            data=question.body,
            headers=dict(question.headers),
            method=question.method,
        )
        try:
            with self._opener.open(request, timeout=left) as response:
                return _reply(response.status, response.headers, self._whole_body(response, end))
        except urllib.error.HTTPError as error:
            with error:
                return _reply(error.code, error.headers, self._whole_body(error, end))
        except socket.timeout as error:
            raise self._too_late(host) from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, socket.timeout):
                raise self._too_late(host) from error
            raise ConnectionError(f"{host} cannot be reached: {error.reason}.") from error
        except (http.client.HTTPException, OSError) as error:
            raise ConnectionError(f"{host} cannot be reached: {error!r}.") from error

    def _whole_body(self, response: http.client.HTTPResponse | urllib.error.HTTPError, end: float) -> bytes:
        parts: list[bytes] = []
        length = 0
        while True:
            part = response.read(65536)
            if not part:
                break
            parts.append(part)
            length += len(part)
            if length > _MOST_BYTES:
                raise ConnectionError("The answer is longer than any of this service.")
            # Whoever sends a byte now and then does not get more time for it.
            if self._clock.steady() > end:
                raise socket.timeout("too slow")
        expected = response.headers.get("Content-Length")
        if expected is not None and length < int(expected):
            raise http.client.IncompleteRead(b"", int(expected) - length)
        return b"".join(parts)

    def _too_late(self, host: str) -> TimeoutError:
        return TimeoutError(f"No answer from {host} within {self._timeout_seconds:g} seconds.")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """An API has no business sending the key somewhere else."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _reply(status: int, headers: Message, body: bytes) -> Reply:
    lower = {name.lower(): value for name, value in headers.items()}
    return Reply(status, lower, body, lower.get("x-request-id"))
