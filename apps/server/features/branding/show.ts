import { portalBase } from "@countersign/contract/api/bases";
import type { branding } from "@countersign/contract/manage/branding";
import type { seller } from "@countersign/contract/portal/shapes";
import { darkModeAccent, lightestDarkSurface } from "@countersign/domain/branding/accent-color";
import { isoTime } from "@countersign/domain/dates/iso-time";
import {
  type BrandedOrganization,
  brandedOrganizations,
  type StoredBranding,
  unbranded,
} from "@countersign/store/queries/branding/branding";
import type { Database } from "@countersign/store/store";
import { type BrandingRow, isSuspended, type OrganizationRow } from "@countersign/store/tables/organizations";

import type { z } from "zod";
import { portalLink } from "../mail/transfer-emails.ts";

/**
 * The branding of an organization. Until its first change it counts as unchanged since the organization was created, so
 * that a first change based on what was read is accepted, whatever else of the organization changes meanwhile.
 */
export function brandingOrDefault(
  organization: Pick<OrganizationRow, "id" | "created_at">,
  row: StoredBranding | undefined,
): StoredBranding {
  if (row !== undefined) return row;
  const { logo: _, ...nothing } = unbranded;
  return { ...nothing, organization_id: organization.id, updated_at: organization.created_at };
}

export function showBranding(
  row: StoredBranding,
  { slug }: Pick<OrganizationRow, "slug">,
  portalUrl: string,
): z.input<typeof branding> {
  return {
    display_name: row.display_name,
    logo_url: showLogoUrl(row),
    ...showAccent(row.accent_color),
    support_email: row.support_email,
    support_url: row.support_url,
    links: showLinks(row.links),
    locale: row.locale,
    portal_url: portalLink(portalUrl, slug),
    updated_at: isoTime(row.updated_at),
  };
}

/** What people entered. The logo is not part of the file: its owner has the original. */
export function exportedBranding(row: StoredBranding) {
  return {
    display_name: row.display_name,
    accent_color: row.accent_color,
    support_email: row.support_email,
    support_url: row.support_url,
    links: showLinks(row.links),
    locale: row.locale,
    updated_at: isoTime(row.updated_at),
  };
}

/** The name changes with the content, so that browsers never ask for the same one twice. */
function showLogoUrl(row: Pick<StoredBranding, "logo_hash" | "logo_type">): string | null {
  if (row.logo_hash === null || row.logo_type === null) return null;
  return `${portalBase}/logos/${row.logo_hash}.${logoEndings[row.logo_type]}`;
}

export const logoEndings = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/svg+xml": "svg",
} as const satisfies Record<NonNullable<BrandingRow["logo_type"]>, string>;

function showAccent(accent: string | null) {
  if (accent === null) return { accent_color: null, accent_color_dark: null, accent_text_dark: null };
  const dark = darkModeAccent(accent, lightestDarkSurface);
  return { accent_color: accent, accent_color_dark: dark.color, accent_text_dark: dark.textColor };
}

export function showLinks(json: string | null): { title: string; url: string }[] {
  return json === null ? [] : JSON.parse(json);
}

export type Seller = z.input<typeof seller>;

/** Organizations as their customers see them, by their IDs. Deleted ones are left out. */
export async function showSellers(
  db: Database,
  organizationIds: readonly string[],
): Promise<Map<string, Seller>> {
  const rows = await brandedOrganizations(db, organizationIds);
  return new Map(rows.map((row) => [row.id, showSeller(row)]));
}

function showSeller(row: BrandedOrganization): Seller {
  return {
    organization_id: row.id,
    name: row.display_name ?? row.name,
    slug: row.slug,
    logo_url: showLogoUrl(row),
    ...showAccent(row.accent_color),
    support_email: row.support_email,
    support_url: row.support_url,
    links: showLinks(row.links),
    locale: row.locale ?? row.organization_locale,
    is_suspended: isSuspended(row),
  };
}
