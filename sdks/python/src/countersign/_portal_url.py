from __future__ import annotations

import re
from urllib.parse import quote

from ._license_key import trimmed

#: Every SDK leaves the same characters unescaped: these, letters, digits and ``-._~``.
_UNESCAPED = "!*'()"
_UNPAIRED_SURROGATE = re.compile("[\ud800-\udfff]")


def portal_url(base_url: str, license_key: str | None) -> str:
    """Return the portal's page for a license.

    The key is in the fragment: a browser sends the fragment to no server, so it appears in no log and no referrer.
    """
    key = trimmed(license_key) if isinstance(license_key, str) else ""
    if not key:
        raise ValueError("license_key must be a license key that is not empty.")
    # UTF-8 has no unpaired surrogates. No license key contains them, so replacing them is safe.
    return f"{base_url}/portal/open#{quote(_UNPAIRED_SURROGATE.sub(chr(0xFFFD), key), safe=_UNESCAPED)}"
