from __future__ import annotations

import base64
import urllib.request
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit


@dataclass(frozen=True)
class Proxy:
    host: str
    port: int
    #: For the proxy itself, such as its password.
    headers: dict[str, str] = field(repr=False)


def proxy_for(target: SplitResult) -> Proxy | None:
    """Return the proxy of the environment (``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY``) or of the system.

    None if there is none, or ``NO_PROXY`` excludes the server.
    """
    proxies = urllib.request.getproxies()
    own = proxies.get(target.scheme)
    shared = proxies.get("all", "")
    # Other tools also use ALL_PROXY for SOCKS, so that is ignored here.
    value = own or (shared if _scheme(shared) in ("http", "https") else "")
    if not value or urllib.request.proxy_bypass(target.netloc):
        return None
    if _scheme(value) not in ("http", "https"):
        raise OSError(f"the proxy of the environment is of the kind {_scheme(value)}, but only http:// is supported")
    parts = urlsplit(value if "://" in value else f"http://{value}")
    try:
        port = parts.port
    except ValueError:
        raise OSError("the proxy of the environment has an invalid port") from None
    if not parts.hostname:
        raise OSError("the proxy of the environment has no host name")
    return Proxy(parts.hostname, port or 80, _authorization(parts))


def _scheme(value: str) -> str:
    return value.partition("://")[0].lower() if "://" in value else "http" if value else ""


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    text = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Proxy-Authorization": f"Basic {base64.b64encode(text.encode()).decode()}"}
