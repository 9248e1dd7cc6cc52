# Generated from the contract by sdks/events/generate.ts. Do not edit.
"""The events that webhooks deliver, one class per type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypedDict


@dataclass(frozen=True)
class WebhookEvent:
    """An event. Use ``isinstance`` to find out which one. A type that is not known here is only a WebhookEvent."""

    #: The same for every delivery of the event: store it, and process the event only once.
    id: str
    type: str
    #: When the event occurred.
    timestamp: datetime
    data: Mapping[str, Any]


class _RequiredEventLicense(TypedDict):
    id: str
    organization_id: str
    product_id: str
    global_customer_id: str | None
    license_key: str
    status: Literal["active", "revoked", "expired"]
    expires_at: str | None
    is_lifetime: bool
    ip_system_enabled: bool
    max_ips: int | None
    #: The number of IP addresses registered on the license, which `max_ips` limits. An IPv6 /64 network counts
    #: once. IP addresses that were rejected, or seen while `ip_system_enabled` or the product's tracking was off,
    #: do not count.
    current_unique_ip_count: int
    version_pin_mode: Literal["pinned", "range"] | None
    version_pinned: str | None
    version_range_min: str | None
    version_range_max: str | None
    revoked_at: str | None
    created_at: str
    #: When the license last changed, including its `current_unique_ip_count`. If-Match, `updated_at` in a PATCH
    #: and the order of lists consider edits only: an IP address that was registered in the meantime does not cause
    #: a conflict.
    updated_at: str
    customer_email: str | None
    customer_name: str | None
    customer_discord_id: str | None
    product_name: str
    revoked_reason: str | None
    tags: list[str]
    #: When the license first passed a validation.
    first_used_at: str | None
    #: The term, which starts with the first use. Until then, `expires_at` is null.
    term_seconds: int | None


class EventLicense(_RequiredEventLicense, total=False):
    notes: str | None
    custom_override: dict[str, Any] | None
    metadata: dict[str, Any] | None


class _RequiredLicenseCreatedData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str


class LicenseCreatedData(_RequiredLicenseCreatedData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


class _RequiredLicenseUpdatedData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str
    #: The names of the changed fields.
    changed: list[str]


class LicenseUpdatedData(_RequiredLicenseUpdatedData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]
    #: Their previous values. Missing if the body is truncated.
    previous: dict[str, Any]


class _RequiredLicenseRevokedData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str
    reason: str | None


class LicenseRevokedData(_RequiredLicenseRevokedData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


class EventSummary(TypedDict):
    #: The number of rejected requests, or of registered IP addresses.
    count: int
    #: The number of different IP addresses.
    ip_count: int
    #: False if there were more IP addresses than `ip_count`.
    ip_count_is_exact: bool
    first_at: str
    last_at: str


class _RequiredLicenseIpRegisteredData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str
    #: The IP address as the license counts it: usually the /64 network for IPv6. In a summary, one of the last.
    ip: str


class LicenseIpRegisteredData(_RequiredLicenseIpRegisteredData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]
    #: Present if the event summarizes an hour. IP addresses with their own event are not counted. Recorded after
    #: the hour ends.
    summary: EventSummary


class _RequiredLicenseIpRemovedData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str
    #: The IP address as the license counts it: usually the /64 network for IPv6. In a summary, one of the last.
    ip: str


class LicenseIpRemovedData(_RequiredLicenseIpRemovedData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


class _RequiredLicenseIpsResetData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str
    #: The number of IP addresses that were removed.
    count: int


class LicenseIpsResetData(_RequiredLicenseIpsResetData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


class TransferHolder(TypedDict):
    #: Null while the organization has no customer with this email address or Discord ID.
    global_customer_id: str | None
    #: Null, as the other members, once the organization has deleted the customer.
    customer_email: str | None
    customer_name: str | None
    customer_discord_id: str | None


PendingTransfer = TypedDict(
    "PendingTransfer",
    {
        "id": "str",
        "from": "TransferHolder",
        "to": "TransferHolder",
        "message": "str | None",
        "review_reason": "Literal['product_setting', 'cooldown', 'target_blocked'] | None",
        "requested_at": "str",
        "state": "Literal['pending']",
        "decided_at": "None",
        "decided_by": "None",
        "reason": "None",
    },
)


class _RequiredLicenseTransferRequestedData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str
    transfer: PendingTransfer


class LicenseTransferRequestedData(_RequiredLicenseTransferRequestedData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


ApprovedTransfer = TypedDict(
    "ApprovedTransfer",
    {
        "id": "str",
        "from": "TransferHolder",
        "to": "TransferHolder",
        "message": "str | None",
        "review_reason": "Literal['product_setting', 'cooldown', 'target_blocked'] | None",
        "requested_at": "str",
        "state": "Literal['approved']",
        "decided_at": "str",
        "decided_by": "Literal['organization', 'customer', 'system']",
        "reason": "str | None",
    },
)


class _RequiredLicenseTransferredData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str
    transfer: ApprovedTransfer


class LicenseTransferredData(_RequiredLicenseTransferredData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


RejectedTransfer = TypedDict(
    "RejectedTransfer",
    {
        "id": "str",
        "from": "TransferHolder",
        "to": "TransferHolder",
        "message": "str | None",
        "review_reason": "Literal['product_setting', 'cooldown', 'target_blocked'] | None",
        "requested_at": "str",
        "state": "Literal['rejected']",
        "decided_at": "str",
        "decided_by": "Literal['organization', 'customer', 'system']",
        "reason": "str | None",
    },
)


class _RequiredLicenseTransferRejectedData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str
    transfer: RejectedTransfer


class LicenseTransferRejectedData(_RequiredLicenseTransferRejectedData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


CancelledTransfer = TypedDict(
    "CancelledTransfer",
    {
        "id": "str",
        "from": "TransferHolder",
        "to": "TransferHolder",
        "message": "str | None",
        "review_reason": "Literal['product_setting', 'cooldown', 'target_blocked'] | None",
        "requested_at": "str",
        "state": "Literal['cancelled']",
        "decided_at": "str",
        "decided_by": "Literal['organization', 'customer', 'system']",
        "reason": "str | None",
    },
)


class _RequiredLicenseTransferCancelledData(TypedDict):
    organization_id: str
    product_id: str
    license_id: str
    transfer: CancelledTransfer


class LicenseTransferCancelledData(_RequiredLicenseTransferCancelledData, total=False):
    #: The license as in the management API. Missing if it was deleted before the event was sent, or if the body is
    #: truncated.
    license: EventLicense
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


class _RequiredLicenseBulkRevokedData(TypedDict):
    organization_id: str
    product_id: str
    license_ids: list[str]
    count: int
    reason: str | None


class LicenseBulkRevokedData(_RequiredLicenseBulkRevokedData, total=False):
    #: Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license
    #: and the previous values.
    truncated: Literal[True]
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


class _RequiredQuotaWarningData(TypedDict):
    organization_id: str
    product_id: str
    limit: int
    used: int
    resets_at: str


class QuotaWarningData(_RequiredQuotaWarningData, total=False):
    #: Present if the operator triggered the event as a test.
    test: Literal[True]


class EndpointTestData(TypedDict):
    organization_id: str
    endpoint_id: str
    message: str


@dataclass(frozen=True)
class LicenseCreated(WebhookEvent):
    """A license was created."""

    type: Literal["license.created"]
    data: LicenseCreatedData


@dataclass(frozen=True)
class LicenseUpdated(WebhookEvent):
    """A license was changed, or its key was replaced."""

    type: Literal["license.updated"]
    data: LicenseUpdatedData


@dataclass(frozen=True)
class LicenseRevoked(WebhookEvent):
    """A license was revoked."""

    type: Literal["license.revoked"]
    data: LicenseRevokedData


@dataclass(frozen=True)
class LicenseReinstated(WebhookEvent):
    """A revoked license was reinstated."""

    type: Literal["license.reinstated"]
    data: LicenseCreatedData


@dataclass(frozen=True)
class LicenseRenewed(WebhookEvent):
    """A license was renewed."""

    type: Literal["license.renewed"]
    data: LicenseUpdatedData


@dataclass(frozen=True)
class LicenseExpiringSoon(WebhookEvent):
    """A license expires soon."""

    type: Literal["license.expiring_soon"]
    data: LicenseCreatedData


@dataclass(frozen=True)
class LicenseExpired(WebhookEvent):
    """A license expired."""

    type: Literal["license.expired"]
    data: LicenseCreatedData


@dataclass(frozen=True)
class LicenseDeleted(WebhookEvent):
    """A license was deleted."""

    type: Literal["license.deleted"]
    data: LicenseCreatedData


@dataclass(frozen=True)
class LicenseIpRegistered(WebhookEvent):
    """An IP address was registered on a license."""

    type: Literal["license.ip_registered"]
    data: LicenseIpRegisteredData


@dataclass(frozen=True)
class LicenseIpRemoved(WebhookEvent):
    """An IP address was removed from a license."""

    type: Literal["license.ip_removed"]
    data: LicenseIpRemovedData


@dataclass(frozen=True)
class LicenseIpsReset(WebhookEvent):
    """All IP addresses were removed from a license."""

    type: Literal["license.ips_reset"]
    data: LicenseIpsResetData


@dataclass(frozen=True)
class LicenseIpBlocked(WebhookEvent):
    """A blocked IP address was rejected: once an hour for each of the first ten, then one summary."""

    type: Literal["license.ip_blocked"]
    data: LicenseIpRegisteredData


@dataclass(frozen=True)
class LicenseIpLimitReached(WebhookEvent):
    """An IP address was rejected because the license has reached its limit:
    once an hour for each of the first ten, then one summary.
    """

    type: Literal["license.ip_limit_reached"]
    data: LicenseIpRegisteredData


@dataclass(frozen=True)
class LicenseTransferRequested(WebhookEvent):
    """A customer requested a license transfer."""

    type: Literal["license.transfer_requested"]
    data: LicenseTransferRequestedData


@dataclass(frozen=True)
class LicenseTransferred(WebhookEvent):
    """A license was transferred."""

    type: Literal["license.transferred"]
    data: LicenseTransferredData


@dataclass(frozen=True)
class LicenseTransferRejected(WebhookEvent):
    """A license transfer was rejected."""

    type: Literal["license.transfer_rejected"]
    data: LicenseTransferRejectedData


@dataclass(frozen=True)
class LicenseTransferCancelled(WebhookEvent):
    """A license transfer was cancelled."""

    type: Literal["license.transfer_cancelled"]
    data: LicenseTransferCancelledData


@dataclass(frozen=True)
class LicenseBulkRevoked(WebhookEvent):
    """Licenses of a product were revoked in bulk: one event for each batch."""

    type: Literal["license.bulk_revoked"]
    data: LicenseBulkRevokedData


@dataclass(frozen=True)
class QuotaWarning(WebhookEvent):
    """A product has used 80 % of its daily limit."""

    type: Literal["quota.warning"]
    data: QuotaWarningData


@dataclass(frozen=True)
class QuotaExhausted(WebhookEvent):
    """A product has used its daily limit."""

    type: Literal["quota.exhausted"]
    data: QuotaWarningData


@dataclass(frozen=True)
class EndpointTest(WebhookEvent):
    """Someone tests an endpoint, or the server checks whether a failing one works again."""

    type: Literal["endpoint.test"]
    data: EndpointTestData


EVENT_CLASSES: Mapping[str, type[WebhookEvent]] = {
    "license.created": LicenseCreated,
    "license.updated": LicenseUpdated,
    "license.revoked": LicenseRevoked,
    "license.reinstated": LicenseReinstated,
    "license.renewed": LicenseRenewed,
    "license.expiring_soon": LicenseExpiringSoon,
    "license.expired": LicenseExpired,
    "license.deleted": LicenseDeleted,
    "license.ip_registered": LicenseIpRegistered,
    "license.ip_removed": LicenseIpRemoved,
    "license.ips_reset": LicenseIpsReset,
    "license.ip_blocked": LicenseIpBlocked,
    "license.ip_limit_reached": LicenseIpLimitReached,
    "license.transfer_requested": LicenseTransferRequested,
    "license.transferred": LicenseTransferred,
    "license.transfer_rejected": LicenseTransferRejected,
    "license.transfer_cancelled": LicenseTransferCancelled,
    "license.bulk_revoked": LicenseBulkRevoked,
    "quota.warning": QuotaWarning,
    "quota.exhausted": QuotaExhausted,
    "endpoint.test": EndpointTest,
}
