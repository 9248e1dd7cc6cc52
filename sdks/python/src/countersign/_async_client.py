from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from ._async_slots import Job, Slots
from ._call import Call, Cancelled
from ._client import Countersign
from ._license_key import given_key
from ._models import Decision, LicenseRecord, ValidateResult
from ._pending_requests import SharedRequest
from ._types import Custom
from ._validations import no_answer
from ._watch import OnChange, OnError, Watch
from .errors import CountersignError, TimeoutError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import KeywordOptions

Value = TypeVar("Value")


class AsyncCountersign(Generic[Custom]):
    """The asyncio client. Requests run in threads, so that the event loop never waits for the network.

    Takes the same arguments as :class:`Countersign`, or an existing client as ``client``. Cancelling a call closes its
    connection, unless another call waits for the same answer.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        client: Countersign[Custom] | None = None,
        **settings: Unpack[KeywordOptions],
    ) -> None:
        if isinstance(api_key, Countersign):
            raise TypeError("api_key must be a string. Pass an existing client as client=….")
        if client is not None and (settings or api_key is not None or base_url is not None):
            raise TypeError("Pass either an existing client or the settings of a new one, not both.")
        self.client: Countersign[Custom] = client or Countersign(api_key, base_url, **settings)

    async def validate(
        self,
        license_key: str | None,
        *,
        version: str | None = None,
        device_id: str | None = None,
        fresh: bool = False,
        timeout_seconds: float | None = None,
        retries: int | None = None,
    ) -> ValidateResult[Custom]:
        """Like :meth:`Countersign.validate`."""
        request = self.client._request(license_key, version, device_id)
        call = self.client._call(timeout_seconds, retries)
        validations = self.client._validations
        while True:
            found, is_new = validations.find_or_start(request, call, fresh)
            if isinstance(found, ValidateResult):
                return found
            timer = self._run_shared(found) if is_new else None
            try:
                return await _result_of(found.future, call)
            except CancelledError:
                # The thread that sent the request was interrupted; this call tries again.
                continue
            except BaseException:
                validations.leave(found)
                raise
            finally:
                # If other calls wait for the request, the timer is still needed.
                if timer is not None and (found.future.done() or found.waiting_calls == 0):
                    timer.cancel()

    async def check(
        self,
        license_key: str | None,
        *,
        version: str | None = None,
        device_id: str | None = None,
        fresh: bool = False,
        timeout_seconds: float | None = None,
        retries: int | None = None,
    ) -> Decision[Custom]:
        """Like :meth:`Countersign.check`."""
        try:
            result = await self.validate(
                license_key,
                version=version,
                device_id=device_id,
                fresh=fresh,
                timeout_seconds=timeout_seconds,
                retries=retries,
            )
        except CountersignError as error:
            return self.client._decision_without_verdict(error)
        return Decision(result.valid, result, None)

    def cached(
        self, license_key: str | None, *, version: str | None = None, device_id: str | None = None
    ) -> ValidateResult[Custom] | None:
        """Like :meth:`Countersign.cached`. It sends no request, so there is nothing to await."""
        return self.client.cached(license_key, version=version, device_id=device_id)

    async def lookup(
        self, license_key: str | None, *, timeout_seconds: float | None = None, retries: int | None = None
    ) -> LicenseRecord:
        """Like :meth:`Countersign.lookup`."""
        key = given_key(license_key)
        call = self.client._call(timeout_seconds, retries)
        future: Future[LicenseRecord] = Future()

        def work() -> None:
            try:
                future.set_result(self.client._api.lookup(key, call))
            except Cancelled:
                future.cancel()
            except BaseException as error:
                future.set_exception(error)

        job = Job(work, lambda: future.set_exception(_no_free_thread(call)))
        timer = self._submit(job, call)
        try:
            return await _result_of(future, call)
        except BaseException:
            call.cancel()
            self._slots.drop(job)
            raise
        finally:
            timer.cancel()

    def portal_url(self, license_key: str | None) -> str:
        """Like :meth:`Countersign.portal_url`. It sends no request, so there is nothing to await."""
        return self.client.portal_url(license_key)

    def watch(
        self,
        license_key: str | None,
        interval_seconds: float,
        on_change: OnChange[Custom],
        *,
        on_error: OnError | None = None,
        version: str | None = None,
        device_id: str | None = None,
    ) -> Watch[Custom]:
        """Like :meth:`Countersign.watch`. The callbacks run in the current event loop, and can be coroutines."""
        loop = asyncio.get_running_loop()

        def in_loop(callback: Callable[..., object]) -> Callable[..., None]:
            def schedule(*values: object) -> None:
                # After the event loop was closed, callbacks cannot run.
                if not loop.is_closed():
                    loop.call_soon_threadsafe(self._run_callback, callback, values)

            return schedule

        return self.client.watch(
            license_key,
            interval_seconds,
            in_loop(on_change),
            on_error=None if on_error is None else in_loop(on_error),
            version=version,
            device_id=device_id,
        )

    def forget(self) -> None:
        """Like :meth:`Countersign.forget`."""
        self.client.forget()

    async def close(self) -> None:
        """Like :meth:`Countersign.close`. ``async with`` closes the client at its end."""
        self.client.close()

    async def __aenter__(self) -> AsyncCountersign[Custom]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def _slots(self) -> Slots:
        return self.client._slots

    def _run_shared(self, shared: SharedRequest) -> asyncio.TimerHandle:
        validations = self.client._validations
        job = Job(lambda: validations.run(shared), lambda: validations.run(shared, _no_free_thread(shared.call)))

        def abandon() -> None:
            shared.call.cancel()
            self._slots.drop(job)

        shared.abandon = abandon
        return self._submit(job, shared.call)

    def _submit(self, job: Job, call: Call) -> asyncio.TimerHandle:
        """Start the job as soon as a thread is free, but not after its deadline."""
        self._slots.submit(job)
        return asyncio.get_running_loop().call_later(max(0.0, call.seconds_left), self._slots.expire, job)

    def _run_callback(self, callback: Callable[..., object], values: tuple[object, ...]) -> None:
        try:
            outcome = callback(*values)
            if inspect.isawaitable(outcome):
                task = asyncio.ensure_future(outcome)
                _callback_tasks.add(task)
                task.add_done_callback(self._callback_ended)
        except Exception as error:
            self._callback_failed(error)

    def _callback_ended(self, task: asyncio.Future[Any]) -> None:
        _callback_tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._callback_failed(error)

    def _callback_failed(self, error: BaseException) -> None:
        self.client._reporter.callback_failed("A callback of watch", error)
        asyncio.get_running_loop().call_exception_handler(
            {"message": "A callback of countersign.watch raised an exception.", "exception": error}
        )


#: The event loop itself keeps only weak references to its tasks.
_callback_tasks: set[asyncio.Future[Any]] = set()


async def _result_of(future: Future[Value], call: Call) -> Value:
    """Wait for a thread. Unlike ``asyncio.wrap_future``, cancelling this does not cancel the future."""
    loop = asyncio.get_running_loop()
    is_done = loop.create_future()

    def wake() -> None:
        if not is_done.done():
            is_done.set_result(None)

    def done(_: Future[Value]) -> None:
        try:
            loop.call_soon_threadsafe(wake)
        except RuntimeError:
            # The event loop was closed in the meantime.
            return

    future.add_done_callback(done)
    try:
        await asyncio.wait_for(is_done, call.longest_wait_seconds)
    except asyncio.TimeoutError as error:
        raise no_answer(call) from error
    return future.result()


def _no_free_thread(call: Call) -> TimeoutError:
    return TimeoutError(f"All threads were busy with other calls for {call.timeout_seconds:g} seconds.")
