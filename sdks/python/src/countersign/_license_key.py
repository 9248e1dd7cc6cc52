from __future__ import annotations

import re

#: What the server trims from a license key. ``str.strip`` alone would also remove a few control characters.
_WHITESPACE = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
#: Control characters and unpaired surrogates.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_MAX_CHARACTERS = 64


def trimmed(text: str) -> str:
    """Return the text without the whitespace that every SDK and the server trim."""
    return text.strip(_WHITESPACE)


def comparison_form(license_key: str) -> str:
    """Return the same value for every spelling of a license key."""
    return trimmed(license_key).upper()


def given_key(license_key: object) -> str:
    """Return the key as it is sent. A missing key counts as an empty one."""
    if license_key is None:
        return ""
    if not isinstance(license_key, str):
        raise TypeError(f"license_key must be a string, not {type(license_key).__name__}.")
    return license_key


def is_impossible(license_key: str) -> bool:
    """Return whether no license can have this key, so that no request is necessary to reject it."""
    key = trimmed(license_key)
    return not key or len(key) > _MAX_CHARACTERS or _FORBIDDEN.search(key) is not None
