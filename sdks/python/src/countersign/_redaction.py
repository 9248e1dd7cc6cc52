from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import quote

from ._license_key import trimmed

_MAX_BODY_BYTES = 4096
_REPLACEMENT = "[redacted]"


class Redaction:
    """Removes the keys that were sent from what an error shows of a response."""

    def __init__(self, api_key: str, license_key: str) -> None:
        texts = {api_key}
        for key in (license_key, trimmed(license_key)):
            texts |= {key, quote(key, safe="", errors="replace"), json.dumps(key)[1:-1]}
            texts.add(json.dumps(key, ensure_ascii=False)[1:-1])
            # Its bytes as characters, as headers are read.
            texts.add(key.encode("utf-8", "replace").decode("latin-1"))
        # The longest first, so that no part of one remains.
        ordered = sorted(filter(None, texts), key=len, reverse=True)
        self._pattern = re.compile("|".join(re.escape(text) for text in ordered), re.IGNORECASE)

    def text(self, text: str) -> str:
        return self._pattern.sub(_REPLACEMENT, text)

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {name: self.text(value) for name, value in headers.items()}

    def body(self, body: bytes) -> str:
        # Cut last: otherwise a part of a key could remain at the end.
        text = self.text(body.decode("utf-8", "replace"))
        return text.encode("utf-8", "replace")[:_MAX_BODY_BYTES].decode("utf-8", "ignore")
