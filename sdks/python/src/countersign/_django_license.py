"""Reads the license of a Django request."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest

from ._django_settings import Configuration, FromRequest, configuration
from ._license_decider import LicenseQuestion, question_from
from ._refusal import RequestLicense


def decide(request: HttpRequest, version: str | None) -> RequestLicense:
    """Validate and attach the license. Raises what a callback raises; then the request must not be let in."""
    settings = configuration()
    question = _question(request, settings, version)
    license = _decided(request, question)
    if license is None:
        license = settings.decider.decide(settings.client, question, settings.address(request))
    return _attached(request, question, license)


async def decide_async(request: HttpRequest, version: str | None) -> RequestLicense:
    settings = configuration()
    question = _question(request, settings, version)
    license = _decided(request, question)
    if license is None:
        license = await settings.decider.decide_async(settings.async_client, question, settings.address(request))
    return _attached(request, question, license)


def _question(request: HttpRequest, settings: Configuration, version: str | None) -> LicenseQuestion:
    key = request.headers.get(settings.key) if isinstance(settings.key, str) else settings.key(request)
    own_version = version if version is not None else _value(settings.version, request)
    return question_from(key, own_version, _value(settings.device_id, request))


def _value(source: str | FromRequest | None, request: HttpRequest) -> str | None:
    return source(request) if callable(source) else source


def _decided(request: HttpRequest, question: LicenseQuestion) -> RequestLicense | None:
    """A result of the middleware is reused by the decorator."""
    is_same = getattr(request, "_countersign_question", None) == question
    return cast("RequestLicense | None", getattr(request, "license", None)) if is_same else None


def _attached(request: Any, question: LicenseQuestion, license: RequestLicense) -> RequestLicense:
    request._countersign_question = question
    request.license = license
    return license
