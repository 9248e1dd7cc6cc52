import {
  sandboxCustomer,
  sandboxCustomerId,
  sandboxLicenseFacts,
  sandboxTimes,
} from "@countersign/domain/sandbox/facts";
import type { SandboxLicense } from "@countersign/domain/sandbox/license-keys";
import type { ProductFacts } from "@countersign/domain/validate/facts";
import { type LicenseRecord, licenseRecord } from "@countersign/store/batches/license-record";

/** What a lookup returns about a fixed license. */
export function sandboxRecord(product: ProductFacts, fixed: SandboxLicense, nowMs: number): LicenseRecord {
  const { id, revoked, expiresAtMs, ips } = sandboxLicenseFacts(fixed, nowMs);
  const createdAtMs = sandboxTimes.createdAtMs(nowMs);
  const revokedAtMs = revoked ? sandboxTimes.revokedAtMs(nowMs) : null;
  return licenseRecord(
    {
      id,
      organization_id: product.organizationId,
      product_id: product.productId,
      customer_id: sandboxCustomerId,
      license_key: fixed.licenseKey,
      is_lifetime: expiresAtMs === null ? 1 : 0,
      expires_at: expiresAtMs,
      ip_system_enabled: ips === null ? 0 : 1,
      max_ips: ips?.max ?? 3,
      ip_count: ips?.registered ?? 0,
      notes: null,
      version_pin_mode: null,
      version_pinned: null,
      version_range_min: null,
      version_range_max: null,
      revoked_at: revokedAtMs,
      created_at: createdAtMs,
      updated_at: revokedAtMs ?? createdAtMs,
      ips_updated_at: createdAtMs,
      customer_email: sandboxCustomer.email,
      customer_name: sandboxCustomer.name,
      customer_discord_id: sandboxCustomer.discordId,
    },
    false,
    nowMs,
  );
}
