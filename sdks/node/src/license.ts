import { count, read, text, time } from "./json.ts";

/** The record of a license, as returned by `lookup`. Reading it changes nothing and grants nothing. */
export interface LicenseRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly productId: string;
  readonly globalCustomerId: string | null;
  readonly licenseKey: string;
  readonly status: string;
  readonly expiresAt: Date | null;
  readonly isLifetime: boolean;
  readonly ipSystemEnabled: boolean;
  readonly maxIps: number | null;
  readonly currentUniqueIpCount: number;
  readonly notes: string | null;
  readonly versionPinMode: string | null;
  readonly versionPinned: string | null;
  readonly versionRangeMin: string | null;
  readonly versionRangeMax: string | null;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly customerEmail: string | null;
  readonly customerName: string | null;
  readonly customerDiscordId: string | null;
}

/** Null if it is not a license. */
export function readLicense(body: string): LicenseRecord | null {
  return read(body, (value) => {
    if (typeof value.id !== "string" || typeof value.license_key !== "string") return null;
    return Object.freeze({
      id: value.id,
      organizationId: text(value.organization_id) ?? "",
      productId: text(value.product_id) ?? "",
      globalCustomerId: text(value.global_customer_id),
      licenseKey: value.license_key,
      status: text(value.status) ?? "",
      expiresAt: time(value.expires_at),
      isLifetime: value.is_lifetime === true,
      ipSystemEnabled: value.ip_system_enabled === true,
      maxIps: count(value.max_ips),
      currentUniqueIpCount: count(value.current_unique_ip_count) ?? 0,
      notes: text(value.notes),
      versionPinMode: text(value.version_pin_mode),
      versionPinned: text(value.version_pinned),
      versionRangeMin: text(value.version_range_min),
      versionRangeMax: text(value.version_range_max),
      revokedAt: time(value.revoked_at),
      createdAt: time(value.created_at) ?? new Date(0),
      updatedAt: time(value.updated_at) ?? new Date(0),
      customerEmail: text(value.customer_email),
      customerName: text(value.customer_name),
      customerDiscordId: text(value.customer_discord_id),
    });
  });
}
