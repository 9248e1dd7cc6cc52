from __future__ import annotations

import re
from urllib.parse import quote

#: What the server trims from a license key. ``str.strip`` alone would also remove a few control characters.
_WHITESPACE = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
#: Every SDK leaves the same characters unescaped: these, letters, digits and ``-._~``.
_UNESCAPED = "!*'()"
_UNPAIRED_SURROGATE = re.compile("[\ud800-\udfff]")


def portal_url(base_url: str, license_key: str) -> str:
    """Return the portal's page for a license.

    The key is in the fragment: a browser sends the fragment to no server, so it appears in no log and no referrer.
    """
    key = license_key.strip(_WHITESPACE) if isinstance(license_key, str) else ""
    if not key:
        raise ValueError("license_key must be a license key that is not empty.")
    # UTF-8 has no unpaired surrogates. No license key contains them, so replacing them is safe.
    return f"{base_url}/portal/open#{quote(_UNPAIRED_SURROGATE.sub(chr(0xFFFD), key), safe=_UNESCAPED)}"
