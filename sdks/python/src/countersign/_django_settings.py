"""Reads the setting ``COUNTERSIGN`` of a Django project."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.http import HttpRequest, HttpResponseBase
from django.utils.module_loading import import_string

from . import AsyncCountersign, Countersign
from ._license_decider import DEFAULT_HEADER, DEFAULT_UNKNOWN_KEYS_PER_MINUTE, LicenseDecider
from ._refusal import Refusal
from ._version import __version__

FromRequest = Callable[[HttpRequest], Optional[str]]
OnRefused = Callable[[Refusal, HttpRequest], Union[HttpResponseBase, Awaitable[HttpResponseBase]]]


@dataclass(frozen=True)
class Configuration:
    client: Countersign[Any]
    async_client: AsyncCountersign[Any]
    decider: LicenseDecider
    key: str | FromRequest
    version: str | FromRequest | None
    device_id: str | FromRequest | None
    address: FromRequest
    on_refused: OnRefused | None
    webhook_secret: str | Sequence[str] | None
    required: bool
    skip: tuple[str, ...]


_current: Configuration | None = None
_lock = threading.Lock()


def configuration() -> Configuration:
    """Return the project's configuration. The first call creates the client."""
    global _current
    current = _current
    if current is None:
        with _lock:
            current = _current = _current or _read()
    return current


def _read() -> Configuration:
    given = getattr(settings, "COUNTERSIGN", None)
    if not isinstance(given, dict):
        raise ImproperlyConfigured("The setting COUNTERSIGN must be a dictionary, such as {'BASE_URL': 'https://…'}.")
    values: dict[str, Any] = {name: _imported(name, value) for name, value in given.items()}
    skip = values.pop("SKIP", ())
    if isinstance(skip, str):
        raise ImproperlyConfigured("COUNTERSIGN['SKIP'] must be a list of paths.")
    own: dict[str, Any] = {
        "key": values.pop("KEY", DEFAULT_HEADER),
        "version": values.pop("VERSION", None),
        "device_id": values.pop("DEVICE_ID", None),
        "address": values.pop("ADDRESS", lambda request: request.META.get("REMOTE_ADDR")),
        "on_refused": values.pop("ON_REFUSED", None),
        "webhook_secret": values.pop("WEBHOOK_SECRET", None),
        "required": values.pop("REQUIRED", True),
        "skip": tuple(path.rstrip("/") for path in skip),
    }
    per_minute = values.pop("UNKNOWN_KEYS_PER_MINUTE", DEFAULT_UNKNOWN_KEYS_PER_MINUTE)
    logger = values.pop("LOGGER", None)
    try:
        client = values.pop("CLIENT", None) or Countersign(**_client_settings(values))
        decider = LicenseDecider(client, per_minute, logger)
    except (TypeError, ValueError) as error:
        raise ImproperlyConfigured(f"COUNTERSIGN: {error}") from error
    return Configuration(client=client, async_client=AsyncCountersign(client=client), decider=decider, **own)


def _client_settings(values: dict[str, Any]) -> dict[str, Any]:
    wrong = [name for name in values if name != name.upper()]
    if wrong:
        raise TypeError(f"the names are in upper case, unlike {', '.join(wrong)}.")
    own = {name.lower(): value for name, value in values.items()}
    return {"user_agent": f"countersign-django/{__version__}", **own}


def _imported(name: str, value: object) -> object:
    """Functions and clients can be given by their dotted path, because settings are loaded before the apps."""
    is_path = name in ("ADDRESS", "CLIENT", "ON_REFUSED") or (name == "KEY" and "." in str(value))
    if is_path and isinstance(value, str):
        return import_string(value)
    return logging.getLogger(value) if name == "LOGGER" and isinstance(value, str) else value


def _forget(setting: str, **_: Any) -> None:
    global _current
    if setting == "COUNTERSIGN":
        _current = None


# Tests change settings.
setting_changed.connect(_forget)
