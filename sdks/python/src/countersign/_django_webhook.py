"""Receives webhook deliveries in a Django view."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Callable

from asgiref.sync import iscoroutinefunction
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed, JsonResponse

from . import WebhookError, WebhookEvent, verify_webhook
from ._django_rule import skip_license
from ._django_settings import configuration
from ._refusal import MAX_WEBHOOK_BYTES, too_large, webhook_refusal


def webhook_view(
    view: Callable[..., Any] | None = None, *, secret: str | Sequence[str] | None = None
) -> Callable[..., Any]:
    """Make a function of the request and the event a view that receives deliveries.

    Its response is 204, unless the function returns one. If the function raises, the response is an error, so that the
    event is delivered again. The view needs neither a CSRF token nor a license.

    :param secret: the endpoint's secret, ``whsec_…``; by default ``WEBHOOK_SECRET`` of the setting ``COUNTERSIGN``
    """
    if view is None:
        return functools.partial(webhook_view, secret=secret)
    on_event = view
    received: Any
    if iscoroutinefunction(on_event):

        @functools.wraps(on_event)
        async def received_async(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            event = _event_or_refusal(request, secret)
            if isinstance(event, HttpResponseBase):
                return event
            return await on_event(request, event, *args, **kwargs) or HttpResponse(status=204)

        received = received_async
    else:

        @functools.wraps(on_event)
        def received_sync(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            event = _event_or_refusal(request, secret)
            if isinstance(event, HttpResponseBase):
                return event
            return on_event(request, event, *args, **kwargs) or HttpResponse(status=204)

        received = received_sync
    # Django's own decorator would make an asynchronous view a synchronous one before Django 5.
    received.csrf_exempt = True
    skipped: Callable[..., Any] = skip_license(received)
    return skipped


def _event_or_refusal(request: HttpRequest, secret: str | Sequence[str] | None) -> WebhookEvent | HttpResponseBase:
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    used = secret if secret is not None else configuration().webhook_secret
    if used is None:
        raise ImproperlyConfigured("Webhooks need COUNTERSIGN['WEBHOOK_SECRET'], or webhook_view(secret=…).")
    try:
        return verify_webhook(_raw_body(request), request.headers, used)
    except WebhookError as error:
        status, body = webhook_refusal(error)
        return JsonResponse(body, status=status)


def _raw_body(request: HttpRequest) -> bytes:
    # An anonymous caller must not fill the memory.
    body: bytes = request.read(MAX_WEBHOOK_BYTES + 1)
    if len(body) > MAX_WEBHOOK_BYTES:
        raise too_large()
    if not body and request.META.get("CONTENT_LENGTH") not in (None, "", "0"):
        raise WebhookError("parsed_body", "The body was read before its signature was checked.")
    return body
