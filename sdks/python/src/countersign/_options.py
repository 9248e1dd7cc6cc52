from __future__ import annotations

import os
import re
import ssl
from typing import Callable, Literal, TypedDict

from ._clock import Clock
from ._grace_store import GraceStore
from ._reporter import AnyLogger, OnRequest, OnResponse
from ._signature import Signing

MAX_GRACE_SECONDS = 30 * 86_400
MAX_RETRIES = 5


class KeywordOptions(TypedDict, total=False):
    """The settings of a client that are only keyword arguments."""

    timeout_seconds: float
    retries: int
    ssl_context: ssl.SSLContext | None
    signing: Signing | None
    cache_seconds: float
    not_found_cache_seconds: float
    cache_entries: int
    grace_seconds: float
    grace_store: GraceStore | None
    when_unavailable: Literal["closed", "advisory"]
    allow_sandbox: bool
    device_id: str | None
    version: str | None
    user_agent: str | None
    logger: AnyLogger | None
    on_request: OnRequest
    on_response: OnResponse
    clock: Clock | None
    random: Callable[[], float]


class Options(KeywordOptions, total=False):
    """The settings of a client, as keyword arguments. ``Countersign`` explains them."""

    api_key: str | None
    base_url: str | None


def checked_api_key(value: str | None) -> str:
    key = value or os.environ.get("COUNTERSIGN_API_KEY", "")
    if not re.fullmatch(r"[!-~]+", key):
        raise ValueError("api_key must be the product's API key (csk_…). Pass it, or set COUNTERSIGN_API_KEY.")
    return key


def checked_base_url(value: str | None) -> str:
    text = value or os.environ.get("COUNTERSIGN_URL", "")
    # Rejects credentials, a query, a fragment and control characters.
    match = re.fullmatch(r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?:/[!-~]*)?", text)
    if match is None or int(match[1] or 0) > 65_535 or "?" in text or "#" in text:
        raise ValueError(
            "base_url must be the URL of the Countersign server, such as https://license.example.com. "
            "Pass it, or set COUNTERSIGN_URL."
        )
    return text.rstrip("/")


def checked_user_agent(value: str | None) -> str:
    """Return what follows the SDK's own name in the ``User-Agent`` header."""
    if not value:
        return ""
    if not re.fullmatch(r"[ -~]{1,256}", value):
        raise ValueError("user_agent must be at most 256 printable ASCII characters, such as my-app/1.0.")
    return f" {value.strip()}"


def require_within(name: str, value: float, minimum: float, maximum: float) -> None:
    if not minimum <= value <= maximum:
        raise ValueError(f"{name} must be a number from {minimum:g} to {maximum:g}, not {value}.")


def require_timeout(seconds: float) -> None:
    require_within("timeout_seconds", seconds, 0.001, 120)


def require_retries(retries: int) -> None:
    if not isinstance(retries, int) or isinstance(retries, bool):
        raise ValueError(f"retries must be a whole number from 0 to {MAX_RETRIES}.")
    require_within("retries", retries, 0, MAX_RETRIES)
