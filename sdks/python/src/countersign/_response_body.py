from __future__ import annotations

import http.client
import zlib

from .errors import ConnectionError

#: No Countersign response is longer than this, compressed or not.
MAX_BYTES = 1024 * 1024
_PART_BYTES = 65_536
#: Makes zlib read the gzip format.
_GZIP = 16 + zlib.MAX_WBITS


def read_body(response: http.client.HTTPResponse) -> bytes:
    """Read the whole body. Raises if it is cut or too long; no more than the limit is decompressed."""
    is_gzip = response.getheader("Content-Encoding", "").strip().lower() in ("gzip", "x-gzip")
    received = _received(response)
    return _decompressed(received) if is_gzip and received else received


def _received(response: http.client.HTTPResponse) -> bytes:
    parts: list[bytes] = []
    length = 0
    expected = response.length
    while True:
        part = response.read1(_PART_BYTES)
        if not part:
            break
        parts.append(part)
        length += len(part)
        if length > MAX_BYTES:
            raise _too_large()
        if expected is not None and length >= expected:
            break
    if expected is not None and length < expected:
        raise http.client.IncompleteRead(b"", expected - length)
    return b"".join(parts)


def _decompressed(received: bytes) -> bytes:
    gzip = zlib.decompressobj(_GZIP)
    try:
        body = gzip.decompress(received, MAX_BYTES + 1)
    except zlib.error as error:
        raise ConnectionError("The response could not be decompressed.") from error
    if len(body) > MAX_BYTES:
        raise _too_large()
    if not gzip.eof:
        raise http.client.IncompleteRead(b"")
    return body


def _too_large() -> ConnectionError:
    return ConnectionError(f"The response is larger than {MAX_BYTES} bytes, so it is not from a Countersign server.")
