from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    # Type checkers include typing_extensions, so that nothing has to be installed.
    from typing_extensions import TypeVar

    #: The type of the product's custom response, such as a TypedDict. By default any JSON object.
    Custom = TypeVar("Custom", default=Mapping[str, Any])
else:
    from typing import TypeVar

    Custom = TypeVar("Custom")

#: The statuses that this release knows. A newer server may send others, which grant nothing.
Status = Literal[
    "active",
    "license_not_found",
    "revoked",
    "expired",
    "ip_blocked",
    "ip_limit_reached",
    "ip_not_registered",
    "version_not_allowed",
    "product_not_found",
    "product_archived",
    "product_disabled",
    "org_suspended",
    "billing_suspended",
]
#: Where a result is from: the server, the cache, the grace period, or the client itself (an impossible key).
Source = Literal["server", "cache", "grace", "local"]
