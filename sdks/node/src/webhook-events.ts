// Generated from the contract by sdks/events/generate.ts. Do not edit.

/** A type that a newer server may send. Declared only: it narrows away when `type` is compared with a known one. */
export declare enum OtherEventType {
  Other = "",
}

export interface EventOf<Type, Data> {
  /** The same for every delivery of the event: store it, and process the event only once. */
  readonly id: string;
  readonly type: Type;
  /** When the event occurred. */
  readonly timestamp: Date;
  readonly data: Data;
}

export type OtherEvent = EventOf<OtherEventType, Readonly<Record<string, unknown>>>;

/** An event, by `type`. */
export type WebhookEvent =
  | LicenseCreated
  | LicenseUpdated
  | LicenseRevoked
  | LicenseReinstated
  | LicenseRenewed
  | LicenseExpiringSoon
  | LicenseExpired
  | LicenseDeleted
  | LicenseIpRegistered
  | LicenseIpRemoved
  | LicenseIpsReset
  | LicenseIpBlocked
  | LicenseIpLimitReached
  | LicenseTransferRequested
  | LicenseTransferred
  | LicenseTransferRejected
  | LicenseTransferCancelled
  | LicenseBulkRevoked
  | QuotaWarning
  | QuotaExhausted
  | EndpointTest
  | OtherEvent;

export type WebhookEventType = Exclude<WebhookEvent["type"], OtherEventType>;

/** A license was created. */
export interface LicenseCreated extends EventOf<"license.created", LicenseCreatedData> {}

/** A license was changed, or its key was replaced. */
export interface LicenseUpdated extends EventOf<"license.updated", LicenseUpdatedData> {}

/** A license was revoked. */
export interface LicenseRevoked extends EventOf<"license.revoked", LicenseRevokedData> {}

/** A revoked license was reinstated. */
export interface LicenseReinstated extends EventOf<"license.reinstated", LicenseCreatedData> {}

/** A license was renewed. */
export interface LicenseRenewed extends EventOf<"license.renewed", LicenseUpdatedData> {}

/** A license expires soon. */
export interface LicenseExpiringSoon extends EventOf<"license.expiring_soon", LicenseCreatedData> {}

/** A license expired. */
export interface LicenseExpired extends EventOf<"license.expired", LicenseCreatedData> {}

/** A license was deleted. */
export interface LicenseDeleted extends EventOf<"license.deleted", LicenseCreatedData> {}

/** An IP address was registered on a license. */
export interface LicenseIpRegistered extends EventOf<"license.ip_registered", LicenseIpRegisteredData> {}

/** An IP address was removed from a license. */
export interface LicenseIpRemoved extends EventOf<"license.ip_removed", LicenseIpRemovedData> {}

/** All IP addresses were removed from a license. */
export interface LicenseIpsReset extends EventOf<"license.ips_reset", LicenseIpsResetData> {}

/** A blocked IP address was rejected: once an hour for each of the first ten, then one summary. */
export interface LicenseIpBlocked extends EventOf<"license.ip_blocked", LicenseIpRegisteredData> {}

/** An IP address was rejected because the license has reached its limit: once an hour for each of the first ten, then one summary. */
export interface LicenseIpLimitReached extends EventOf<"license.ip_limit_reached", LicenseIpRegisteredData> {}

/** A customer requested a license transfer. */
export interface LicenseTransferRequested
  extends EventOf<"license.transfer_requested", LicenseTransferRequestedData> {}

/** A license was transferred. */
export interface LicenseTransferred extends EventOf<"license.transferred", LicenseTransferredData> {}

/** A license transfer was rejected. */
export interface LicenseTransferRejected
  extends EventOf<"license.transfer_rejected", LicenseTransferRejectedData> {}

/** A license transfer was cancelled. */
export interface LicenseTransferCancelled
  extends EventOf<"license.transfer_cancelled", LicenseTransferCancelledData> {}

/** Licenses of a product were revoked in bulk: one event for each batch. */
export interface LicenseBulkRevoked extends EventOf<"license.bulk_revoked", LicenseBulkRevokedData> {}

/** A product has used 80 % of its daily limit. */
export interface QuotaWarning extends EventOf<"quota.warning", QuotaWarningData> {}

/** A product has used its daily limit. */
export interface QuotaExhausted extends EventOf<"quota.exhausted", QuotaWarningData> {}

/** Someone tests an endpoint, or the server checks whether a failing one works again. */
export interface EndpointTest extends EventOf<"endpoint.test", EndpointTestData> {}

export interface EventLicense {
  readonly id: string;
  readonly organization_id: string;
  readonly product_id: string;
  readonly global_customer_id: string | null;
  readonly license_key: string;
  readonly status: "active" | "revoked" | "expired";
  readonly expires_at: string | null;
  readonly is_lifetime: boolean;
  readonly ip_system_enabled: boolean;
  readonly max_ips: number | null;
  /** The number of IP addresses registered on the license, which `max_ips` limits. An IPv6 /64 network counts once. IP addresses that were rejected, or seen while `ip_system_enabled` or the product's tracking was off, do not count. */
  readonly current_unique_ip_count: number;
  readonly notes?: string | null | undefined;
  readonly version_pin_mode: "pinned" | "range" | null;
  readonly version_pinned: string | null;
  readonly version_range_min: string | null;
  readonly version_range_max: string | null;
  readonly revoked_at: string | null;
  readonly created_at: string;
  /** When the license last changed, including its `current_unique_ip_count`. If-Match, `updated_at` in a PATCH and the order of lists consider edits only: an IP address that was registered in the meantime does not cause a conflict. */
  readonly updated_at: string;
  readonly customer_email: string | null;
  readonly customer_name: string | null;
  readonly customer_discord_id: string | null;
  readonly product_name: string;
  readonly revoked_reason: string | null;
  readonly custom_override?: Readonly<Record<string, unknown>> | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly tags: readonly string[];
  /** When the license first passed a validation. */
  readonly first_used_at: string | null;
  /** The term, which starts with the first use. Until then, `expires_at` is null. */
  readonly term_seconds: number | null;
}

export interface LicenseCreatedData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
}

export interface LicenseUpdatedData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
  /** The names of the changed fields. */
  readonly changed: readonly string[];
  /** Their previous values. Missing if the body is truncated. */
  readonly previous?: Readonly<Record<string, unknown>> | undefined;
}

export interface LicenseRevokedData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
  readonly reason: string | null;
}

export interface EventSummary {
  /** The number of rejected requests, or of registered IP addresses. */
  readonly count: number;
  /** The number of different IP addresses. */
  readonly ip_count: number;
  /** False if there were more IP addresses than `ip_count`. */
  readonly ip_count_is_exact: boolean;
  readonly first_at: string;
  readonly last_at: string;
}

export interface LicenseIpRegisteredData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
  /** The IP address as the license counts it: usually the /64 network for IPv6. In a summary, one of the last. */
  readonly ip: string;
  /** Present if the event summarizes an hour. IP addresses with their own event are not counted. Recorded after the hour ends. */
  readonly summary?: EventSummary | undefined;
}

export interface LicenseIpRemovedData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
  /** The IP address as the license counts it: usually the /64 network for IPv6. In a summary, one of the last. */
  readonly ip: string;
}

export interface LicenseIpsResetData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
  /** The number of IP addresses that were removed. */
  readonly count: number;
}

export interface TransferHolder {
  /** Null while the organization has no customer with this email address or Discord ID. */
  readonly global_customer_id: string | null;
  /** Null, as the other members, once the organization has deleted the customer. */
  readonly customer_email: string | null;
  readonly customer_name: string | null;
  readonly customer_discord_id: string | null;
}

export interface PendingTransfer {
  readonly id: string;
  /** The customer who held the license when the transfer was requested. */
  readonly from: TransferHolder;
  /** The recipient, as specified by the customer. */
  readonly to: TransferHolder;
  /** The customer's message. */
  readonly message: string | null;
  /** Why it was not approved automatically: the product's setting, a creation or transfer within `transfer_cooldown_days`, or IP blocks for the recipient. Null if it was. */
  readonly review_reason: "product_setting" | "cooldown" | "target_blocked" | null;
  readonly requested_at: string;
  readonly state: "pending";
  readonly decided_at: null;
  readonly decided_by: null;
  readonly reason: null;
}

export interface LicenseTransferRequestedData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
  readonly transfer: PendingTransfer;
}

export interface ApprovedTransfer {
  readonly id: string;
  /** The customer who held the license when the transfer was requested. */
  readonly from: TransferHolder;
  /** The recipient, as specified by the customer. */
  readonly to: TransferHolder;
  /** The customer's message. */
  readonly message: string | null;
  /** Why it was not approved automatically: the product's setting, a creation or transfer within `transfer_cooldown_days`, or IP blocks for the recipient. Null if it was. */
  readonly review_reason: "product_setting" | "cooldown" | "target_blocked" | null;
  readonly requested_at: string;
  readonly state: "approved";
  readonly decided_at: string;
  /** `system`: approved automatically, or cancelled because the license was deleted or given to another customer. */
  readonly decided_by: "organization" | "customer" | "system";
  /** The organization's reason for rejecting it. `license_deleted` or `customer_changed` if the system cancelled it. */
  readonly reason: string | null;
}

export interface LicenseTransferredData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
  readonly transfer: ApprovedTransfer;
}

export interface RejectedTransfer {
  readonly id: string;
  /** The customer who held the license when the transfer was requested. */
  readonly from: TransferHolder;
  /** The recipient, as specified by the customer. */
  readonly to: TransferHolder;
  /** The customer's message. */
  readonly message: string | null;
  /** Why it was not approved automatically: the product's setting, a creation or transfer within `transfer_cooldown_days`, or IP blocks for the recipient. Null if it was. */
  readonly review_reason: "product_setting" | "cooldown" | "target_blocked" | null;
  readonly requested_at: string;
  readonly state: "rejected";
  readonly decided_at: string;
  /** `system`: approved automatically, or cancelled because the license was deleted or given to another customer. */
  readonly decided_by: "organization" | "customer" | "system";
  /** The organization's reason for rejecting it. `license_deleted` or `customer_changed` if the system cancelled it. */
  readonly reason: string | null;
}

export interface LicenseTransferRejectedData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
  readonly transfer: RejectedTransfer;
}

export interface CancelledTransfer {
  readonly id: string;
  /** The customer who held the license when the transfer was requested. */
  readonly from: TransferHolder;
  /** The recipient, as specified by the customer. */
  readonly to: TransferHolder;
  /** The customer's message. */
  readonly message: string | null;
  /** Why it was not approved automatically: the product's setting, a creation or transfer within `transfer_cooldown_days`, or IP blocks for the recipient. Null if it was. */
  readonly review_reason: "product_setting" | "cooldown" | "target_blocked" | null;
  readonly requested_at: string;
  readonly state: "cancelled";
  readonly decided_at: string;
  /** `system`: approved automatically, or cancelled because the license was deleted or given to another customer. */
  readonly decided_by: "organization" | "customer" | "system";
  /** The organization's reason for rejecting it. `license_deleted` or `customer_changed` if the system cancelled it. */
  readonly reason: string | null;
}

export interface LicenseTransferCancelledData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
  /** The license as in the management API. Missing if it was deleted before the event was sent, or if the body is truncated. */
  readonly license?: EventLicense | undefined;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
  readonly transfer: CancelledTransfer;
}

export interface LicenseBulkRevokedData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_ids: readonly string[];
  readonly count: number;
  readonly reason: string | null;
  /** Present if the body would exceed 20 KiB. The long fields of the license are omitted, or the whole license and the previous values. */
  readonly truncated?: true | undefined;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
}

export interface QuotaWarningData {
  readonly organization_id: string;
  readonly product_id: string;
  readonly limit: number;
  readonly used: number;
  readonly resets_at: string;
  /** Present if the operator triggered the event as a test. */
  readonly test?: true | undefined;
}

export interface EndpointTestData {
  readonly organization_id: string;
  readonly endpoint_id: string;
  readonly message: string;
}
