from __future__ import annotations

import re
from collections.abc import Mapping

from ._models import RateLimit

_NUMBER = re.compile(r"[0-9]{1,15}")


def read_rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    """Return the limit of the ``RateLimit`` and ``RateLimit-Policy`` headers; None if they cannot be read."""
    policies = _items(headers.get("ratelimit-policy", ""))
    for name, state in _items(headers.get("ratelimit", "")).items():
        limit = policies.get(name, {}).get("q")
        remaining, reset = state.get("r"), state.get("t")
        if limit is not None and remaining is not None and reset is not None:
            return RateLimit(limit, remaining, reset)
    return None


def _items(text: str) -> dict[str, dict[str, int]]:
    """Return the numbers of each policy, such as ``{"daily": {"q": 10000, "w": 86400}}``."""
    found: dict[str, dict[str, int]] = {}
    for item in text.split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        pairs = (parameter.partition("=") for parameter in parameters)
        found[name] = {key.strip(): int(value) for key, _, value in pairs if _NUMBER.fullmatch(value.strip())}
    return found
