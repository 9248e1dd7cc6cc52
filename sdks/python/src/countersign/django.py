"""License validation for Django: a middleware and decorators for synchronous and asynchronous views."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Sequence
from typing import Any, Callable, Union, cast, overload

from asgiref.sync import async_to_sync, iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponseBase, JsonResponse

from ._django_license import decide, decide_async
from ._django_rule import View, is_marked, mark_licensed, skip_license
from ._django_settings import configuration
from ._django_webhook import webhook_view
from ._refusal import Refusal, RequestLicense, refusal_of

__all__ = [
    "LicenseMiddleware",
    "LicensedRequest",
    "Refusal",
    "RequestLicense",
    "get_license",
    "require_license",
    "skip_license",
    "webhook_view",
]

Response = Union[HttpResponseBase, Awaitable[HttpResponseBase]]


class LicensedRequest(HttpRequest):
    """The type of a request whose license was validated, for the annotations of views."""

    license: RequestLicense


def get_license(request: HttpRequest) -> RequestLicense | None:
    """Return the license of a request; None if neither the middleware nor the decorator has validated it."""
    return getattr(request, "license", None)


class LicenseMiddleware:
    """Requires a license for every view, except with ``@skip_license``. Add it to the setting ``MIDDLEWARE``.

    With ``"REQUIRED": False`` in the setting ``COUNTERSIGN`` every request continues, and views decide by
    ``request.license``.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Response]) -> None:
        self._get_response = get_response
        # A mistake in the settings is found when the server starts.
        configuration()
        is_async = iscoroutinefunction(get_response)
        if is_async:
            markcoroutinefunction(self)
        self.process_view = self._process_view_async if is_async else self._process_view

    def __call__(self, request: HttpRequest) -> Response:
        return self._get_response(request)

    def _process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> HttpResponseBase | None:
        return None if _is_left_to_view(request, view) else _refuse(request, decide(request, None))

    async def _process_view_async(
        self, request: HttpRequest, view: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> HttpResponseBase | None:
        if _is_left_to_view(request, view):
            return None
        return await _refuse_async(request, await decide_async(request, None))


@overload
def require_license(view: View) -> View: ...
@overload
def require_license(*, version: str | None = None) -> Callable[[View], View]: ...
def require_license(view: View | None = None, *, version: str | None = None) -> View | Callable[[View], View]:
    """Require a valid license for a view, which reads it from ``request.license``.

    :param version: the licensed app's version, instead of the one of the setting ``COUNTERSIGN``
    """
    if view is None:
        return cast(Callable[[View], View], functools.partial(_licensed, version=version))
    return _licensed(view, version=version)


def _licensed(view: View, *, version: str | None) -> View:
    if iscoroutinefunction(view):

        @functools.wraps(view)
        async def licensed_async(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            refused = await _refuse_async(request, await decide_async(request, version), is_required=True)
            return refused if refused is not None else await view(request, *args, **kwargs)

        licensed: Any = licensed_async
    else:

        @functools.wraps(view)
        def licensed_sync(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            refused = _refuse(request, decide(request, version), is_required=True)
            return refused if refused is not None else view(request, *args, **kwargs)

        licensed = licensed_sync
    return cast(View, mark_licensed(licensed))


def _is_left_to_view(request: HttpRequest, view: Callable[..., Any]) -> bool:
    path = request.path_info
    return is_marked(view) or any(path == one or path.startswith(f"{one}/") for one in configuration().skip)


def _refuse(request: HttpRequest, license: RequestLicense, *, is_required: bool = False) -> HttpResponseBase | None:
    response = _response(request, license, is_required)
    return async_to_sync(_awaited)(response) if inspect.isawaitable(response) else response


async def _refuse_async(
    request: HttpRequest, license: RequestLicense, *, is_required: bool = False
) -> HttpResponseBase | None:
    response = _response(request, license, is_required)
    return await response if inspect.isawaitable(response) else response


async def _awaited(response: Awaitable[HttpResponseBase]) -> HttpResponseBase:
    return await response


def _response(
    request: HttpRequest, license: RequestLicense, is_required: bool
) -> HttpResponseBase | Awaitable[HttpResponseBase] | None:
    """Return None if the request is let in."""
    on_refused, required = configuration().on_refused, configuration().required
    if license.allowed or not (is_required or required):
        return None
    refusal = refusal_of(license)
    if on_refused is None:
        return _json_response(refusal)
    response = on_refused(refusal, request)
    if response is None:
        raise TypeError("ON_REFUSED must return a response.")
    return response


def _json_response(refusal: Refusal) -> HttpResponseBase:
    response = JsonResponse(refusal.body, status=refusal.status, headers=refusal.headers)
    # Otherwise Django would log every refused request, and email each of an outage to the administrators.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response
