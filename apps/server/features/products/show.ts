import type { product } from "@countersign/contract/manage/products";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { isUnused, shownPrefix } from "@countersign/domain/products/api-key";
import { workingApiKeys } from "@countersign/store/queries/products/products";
import type { Database } from "@countersign/store/store";
import type { ProductRow } from "@countersign/store/tables/products";
import type { z } from "zod";

type ShownProduct = z.input<typeof product>;

/** Products as the API shows them, each with its active keys. */
export async function showProducts(
  db: Database,
  rows: readonly ProductRow[],
  nowMs: number,
): Promise<ShownProduct[]> {
  const ids = rows.map((row) => row.id);
  const keys = Map.groupBy(await workingApiKeys(db, ids, nowMs), (key) => key.product_id);
  return rows.map((row) => ({
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    status: row.status,
    closed_for_sale: row.closed_for_sale === 1,
    auto_register_ip_on_validate: row.auto_register_ip_on_validate === 1,
    auto_register_scope: row.auto_register_scope,
    track_ip_on_validate: row.track_ip_on_validate === 1,
    default_max_ips: row.default_max_ips,
    default_ip_system_enabled: row.default_ip_system_enabled === 1,
    default_expires_in_days: row.default_expires_in_days,
    expiring_soon_days: row.expiring_soon_days,
    expiry_enforcement: row.expiry_enforcement === 1,
    signed_validation: row.signed_validation === 1,
    custom_response_enabled: row.custom_response_enabled === 1,
    custom_response: row.custom_response === null ? null : JSON.parse(row.custom_response),
    custom_response_on_refusal: row.custom_response_on_refusal === 1,
    version_module_enabled: row.version_module_enabled === 1,
    version_enforcement: row.version_enforcement,
    deliver_license_by_email: row.deliver_license_by_email === 1,
    license_email_text: row.license_email_text,
    expiring_soon_email: row.expiring_soon_email === 1,
    locale: row.locale,
    ipv6_prefix: row.ipv6_prefix,
    portal_enabled: row.portal_enabled === 1,
    portal_ip_removals_per_30_days: row.portal_ip_removals_per_30_days,
    portal_key_rotation: row.portal_key_rotation === 1,
    transfers: row.transfers,
    transfer_cooldown_days: row.transfer_cooldown_days,
    transfer_resets_ips: row.transfer_resets_ips === 1,
    transfer_rotates_key: row.transfer_rotates_key === 1,
    renewal_url: row.renewal_url,
    api_keys: (keys.get(row.id) ?? []).map((key) => ({
      prefix: shownPrefix(key.public_id),
      name: key.name,
      created_at: isoTime(key.created_at),
      last_used_at: isoTime(key.last_used_at),
      is_unused: isUnused({ createdAtMs: key.created_at, lastUsedAtMs: key.last_used_at }, nowMs),
      expires_at: isoTime(key.expires_at),
    })),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }));
}

export async function showProduct(db: Database, row: ProductRow, nowMs: number): Promise<ShownProduct> {
  const [shown] = await showProducts(db, [row], nowMs);
  if (shown === undefined) throw new Error("One product was passed and none returned.");
  return shown;
}
