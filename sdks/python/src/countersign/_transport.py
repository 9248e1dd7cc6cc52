from __future__ import annotations

import http.client
import socket
import time
from typing import Callable

from ._call import Call, Cancelled
from ._clock import Clock
from ._connections import ApiRequest, ApiResponse, Connections
from ._reporter import Reporter, RequestEvent, ResponseEvent
from ._retry_after import retry_after_seconds
from .errors import ConnectionError, TimeoutError

_RETRY_DELAY_SECONDS = (0.1, 0.4)


class Transport:
    """Sends a request, and retries it if the connection failed or the server responded 5xx.

    All attempts share the timeout. A 429 is never retried: the limit is a daily one.
    """

    def __init__(self, connections: Connections, reporter: Reporter, clock: Clock, random: Callable[[], float]) -> None:
        self._connections = connections
        self._reporter = reporter
        self._clock = clock
        self._random = random

    def send(self, request: ApiRequest, call: Call) -> ApiResponse:
        attempt = 1
        while True:
            outcome = self._observed_attempt(request, call, attempt)
            is_final = outcome.status < 500 if isinstance(outcome, ApiResponse) else isinstance(outcome, TimeoutError)
            pause = self._pause_seconds(outcome)
            if is_final or attempt > call.retries or pause >= call.seconds_left:
                if isinstance(outcome, ApiResponse):
                    return outcome
                raise outcome
            reason = f"HTTP {outcome.status}" if isinstance(outcome, ApiResponse) else outcome.message
            self._reporter.log(
                "debug", f"Retrying in {pause:.2g} seconds: {reason}", path=request.public_path, attempt=attempt
            )
            call.pause(pause)
            attempt += 1

    def _pause_seconds(self, outcome: ApiResponse | ConnectionError) -> float:
        """Return a random time, so that apps do not send their retries together; at least what a 503 asks for."""
        minimum, maximum = _RETRY_DELAY_SECONDS
        pause = minimum + self._random() * (maximum - minimum)
        if not isinstance(outcome, ApiResponse) or outcome.status != 503:
            return pause
        return max(pause, retry_after_seconds(outcome.headers, self._clock.wall()) or 0)

    def _observed_attempt(self, request: ApiRequest, call: Call, attempt: int) -> ApiResponse | ConnectionError:
        if call.seconds_left <= 0:
            return self._timeout_error(call)
        call.raise_if_cancelled()
        method, path = request.method, request.public_path
        self._reporter.request(RequestEvent(method, path, attempt))
        started = time.monotonic()

        def report(status: int | None, request_id: str | None, error: ConnectionError | None) -> None:
            duration = time.monotonic() - started
            self._reporter.response(ResponseEvent(method, path, attempt, status, duration, request_id, error))

        try:
            outcome = self._attempt(request, call)
            if isinstance(outcome, ConnectionError):
                call.raise_if_cancelled()
        except Cancelled:
            report(None, None, ConnectionError("The call was cancelled."))
            raise
        if isinstance(outcome, ApiResponse):
            report(outcome.status, outcome.request_id, None)
        else:
            report(None, None, outcome)
        return outcome

    def _attempt(self, request: ApiRequest, call: Call) -> ApiResponse | ConnectionError:
        try:
            return self._connections.exchange(request, call.seconds_left, call)
        except ConnectionError as error:
            return error
        except socket.timeout as error:
            return _caused(self._timeout_error(call), error)
        except (OSError, ValueError) as error:
            # ValueError: a host name that cannot be encoded.
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
            return _caused(ConnectionError(f"Cannot connect to {self._connections.host}: {reason}."), error)
        except http.client.HTTPException as error:
            # Without the exception itself: it has the bytes that the server sent, which may repeat the request.
            reason = f"the response is not valid HTTP ({type(error).__name__})"
            return ConnectionError(f"Cannot connect to {self._connections.host}: {reason}.")

    def _timeout_error(self, call: Call) -> TimeoutError:
        return TimeoutError(f"{self._connections.host} did not respond within {call.timeout_seconds:g} seconds.")


def _caused(error: ConnectionError, cause: BaseException) -> ConnectionError:
    error.__cause__ = cause
    return error
