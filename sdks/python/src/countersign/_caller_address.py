from __future__ import annotations

import ipaddress
import re

_MAX_CHARACTERS = 128
#: Some proxies add the port. With it, each connection would be a caller of its own.
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+")


def caller_of(address: str | None) -> str:
    """Return what the limit of unknown keys counts by: the IPv4 address, or the /64 of an IPv6 address.

    A single customer often has a whole /64. Other values, such as a tenant's ID, are returned as they are.
    """
    text = (address or "").strip().lower()
    match = _WITH_PORT.fullmatch(text)
    if match is not None:
        text = match[1] or match[2] or ""
    try:
        ip = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text[:_MAX_CHARACTERS]
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((int(ip), 64), strict=False))
