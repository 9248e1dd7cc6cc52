"""A Django service in one file: it requires a license everywhere, links to the portal, and receives webhooks.

COUNTERSIGN_URL=https://license.example.com COUNTERSIGN_API_KEY=csk_… COUNTERSIGN_WEBHOOK_SECRET=whsec_… \
    DJANGO_SETTINGS_MODULE=django_service PYTHONPATH=example django-admin runserver
"""

from __future__ import annotations

import os

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from countersign import Countersign, WebhookEvent
from countersign.django import LicensedRequest, Refusal, skip_license, webhook_view

SOLVED_IN_PORTAL = ("ip_limit_reached", "ip_not_registered", "expired")

client = Countersign()
processed: set[str] = set()


def refused(refusal: Refusal, request: HttpRequest) -> HttpResponse:
    body = refusal.body
    # The URL contains the license key, so it is only for the caller who sent that key.
    if refusal.code in SOLVED_IN_PORTAL:
        body["portal_url"] = client.portal_url(refusal.license.key)
    return JsonResponse(body, status=refusal.status, headers=refusal.headers)


def reports(request: LicensedRequest) -> HttpResponse:
    # Without a verdict, requests are only let in with when_unavailable="advisory".
    status = request.license.result.status if request.license.result is not None else "unverified"
    return JsonResponse({"reports": ["January", "February"], "status": status})


@skip_license
def home(request: HttpRequest) -> HttpResponse:
    return HttpResponse("Send your license key in the X-License-Key header to /reports.\n")


@webhook_view
def receive(request: HttpRequest, event: WebhookEvent) -> None:
    # The same event can be delivered more than once.
    if event.id not in processed and event.type.startswith("license."):
        # A cached license would otherwise stay valid for up to five minutes.
        client.forget()
    processed.add(event.id)


# The settings.
ALLOWED_HOSTS = ["*"]
SECRET_KEY = os.environ.get("DJANGO_SECRET_KEY", "only for this example")
ROOT_URLCONF = "django_service"
MIDDLEWARE = ["countersign.django.LicenseMiddleware"]
COUNTERSIGN = {
    "CLIENT": client,
    "VERSION": "1.0.0",
    "ON_REFUSED": refused,
    "WEBHOOK_SECRET": os.environ["COUNTERSIGN_WEBHOOK_SECRET"],
}

# The URLs.
urlpatterns = [path("", home), path("reports", reports), path("countersign", receive)]
