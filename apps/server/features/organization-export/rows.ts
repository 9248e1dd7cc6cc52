import type {
  customersToExport,
  webhooksToExport,
} from "@countersign/store/queries/organization-export/rows";
import type { IpBlockRow, LicenseIpRow, LicenseRow } from "@countersign/store/tables/licenses";
import { iso } from "../../api/page.ts";
import { redactedUrl } from "../webhooks/show.ts";

/** What an export contains of each row: what people entered or would miss, nothing that only the program needs. */

export function exportedLicense(
  row: LicenseRow,
  ips: readonly LicenseIpRow[],
  tags: readonly { readonly tag: string }[],
) {
  return {
    id: row.id,
    product_id: row.product_id,
    customer_id: row.customer_id,
    license_key: row.license_key,
    is_lifetime: row.is_lifetime === 1,
    expires_at: iso(row.expires_at),
    term_ms: row.term_ms,
    first_used_at: iso(row.first_used_at),
    ip_system_enabled: row.ip_system_enabled === 1,
    max_ips: row.max_ips,
    ips: ips.map(({ ip, registered_at }) => ({ ip, registered_at: iso(registered_at) })),
    notes: row.notes,
    version_pin_mode: row.version_pin_mode,
    version_pinned: row.version_pinned,
    version_range_min: row.version_range_min,
    version_range_max: row.version_range_max,
    custom_override: parsed(row.custom_override),
    metadata: parsed(row.metadata),
    tags: tags.map(({ tag }) => tag),
    revoked_at: iso(row.revoked_at),
    revoked_reason: row.revoked_reason,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

export function exportedCustomer(row: Awaited<ReturnType<typeof customersToExport>>[number]) {
  return { ...row, created_at: iso(row.created_at), updated_at: iso(row.updated_at) };
}

export function exportedBlock(row: IpBlockRow) {
  return {
    id: row.id,
    tier: row.tier,
    scope_id: row.scope_id,
    cidr: row.cidr,
    note: row.note,
    expires_at: iso(row.expires_at),
    created_by: row.created_by,
    created_at: iso(row.created_at),
  };
}

/** Without its secrets and headers. The URL of a channel is a secret too: anyone who knows it can post there. */
export function exportedWebhook(row: Awaited<ReturnType<typeof webhooksToExport>>[number]) {
  return {
    ...row,
    url: row.format === "standard" ? row.url : redactedUrl(row.url),
    event_types: parsed(row.event_types),
    product_ids: parsed(row.product_ids),
    auto_reenable: row.auto_reenable === 1,
    disabled_at: iso(row.disabled_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
