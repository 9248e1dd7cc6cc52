"""A Django app for the tests: its settings, views and URLs."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views import View

from countersign import WebhookEvent
from countersign.django import LicensedRequest, get_license, require_license, skip_license, webhook_view

SECRET = "whsec_" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"

if not settings.configured:
    settings.configure(
        ALLOWED_HOSTS=["*"],
        SECRET_KEY="for the tests",
        ROOT_URLCONF="django_app",
        MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"],
        COUNTERSIGN={},
        LOGGING_CONFIG=None,
    )
    import django

    django.setup()

#: What the webhook views have received.
events: list[WebhookEvent] = []


def _found(request: LicensedRequest) -> JsonResponse:
    result = request.license.result
    return JsonResponse({"key": request.license.key, "source": result.source if result is not None else None})


@require_license
def reports(request: LicensedRequest) -> HttpResponse:
    return _found(request)


@require_license
async def reports_async(request: LicensedRequest) -> HttpResponse:
    return _found(request)


@require_license(version="2.0.0")
def versioned(request: LicensedRequest) -> HttpResponse:
    return _found(request)


def plain(request: HttpRequest) -> HttpResponse:
    license = get_license(request)
    return JsonResponse({"allowed": None if license is None else license.allowed})


async def plain_async(request: HttpRequest) -> HttpResponse:
    return plain(request)


@skip_license
def about(request: HttpRequest) -> HttpResponse:
    return plain(request)


@skip_license
class AboutView(View):
    def get(self, request: HttpRequest) -> HttpResponse:
        return plain(request)


class PlainView(View):
    def get(self, request: HttpRequest) -> HttpResponse:
        return plain(request)


class AsyncView(View):
    async def get(self, request: LicensedRequest) -> HttpResponse:
        return _found(request)


@webhook_view
def hook(request: HttpRequest, event: WebhookEvent) -> None:
    if event.data.get("fails"):
        raise RuntimeError("the database is unavailable")
    events.append(event)


@webhook_view(secret=SECRET)
async def hook_async(request: HttpRequest, event: WebhookEvent) -> HttpResponse:
    events.append(event)
    return HttpResponse("received", status=202)


urlpatterns: list[Any] = [
    path("reports", reports),
    path("reports-async", reports_async),
    path("reports-view", require_license(AsyncView.as_view())),
    path("versioned", versioned),
    path("plain", plain),
    path("plain-async", plain_async),
    path("plain-view", PlainView.as_view()),
    path("about", about),
    path("about-view", AboutView.as_view()),
    path("public/terms", plain),
    path("public-reports", plain),
    path("hook", hook),
    path("hook-async", hook_async),
]
