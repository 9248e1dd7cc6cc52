import { hash } from "node:crypto";
import * as contract from "@countersign/contract/manage/branding";
import * as portalContract from "@countersign/contract/portal/sign-in";
import { type FieldFault, fieldFault } from "@countersign/contract/problems/problems";
import { checkAccentColor } from "@countersign/domain/branding/accent-color";
import { checkLogo, type LogoFault } from "@countersign/domain/branding/logo";
import {
  brandingOf,
  logoByHash,
  portalOrganizationBySlug,
  saveBranding,
} from "@countersign/store/queries/branding/branding";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import type { BrandingRow } from "@countersign/store/tables/organizations";

import { type BoundRoute, bind } from "../../api/bind.ts";
import { asColumns } from "../../api/columns.ts";
import { checkUnchanged, nextUpdatedAt, type OrganizationContext } from "../../api/context.ts";
import { invalid, invalidField, Problem } from "../../http/problem.ts";
import { audit, difference } from "../audit-log/record.ts";
import { brandingOrDefault, logoEndings, showBranding, showLinks, showSellers } from "./show.ts";

export const brandingRoutes: readonly BoundRoute[] = [
  bind(contract.getBranding, async (context) => {
    const { organization } = context;
    const row = await brandingOf(context.store.reads, organization.id);
    return showBranding(brandingOrDefault(organization, row), organization, context.config.portalUrl);
  }),

  bind(contract.updateBranding, async (context, { body: { updated_at: guard, links, ...body } }) => {
    checkAccent(body.accent_color);
    const changes = { ...asColumns(body), ...(links === undefined ? {} : { links: JSON.stringify(links) }) };
    return change(context, changes, guard);
  }),

  bind(contract.uploadLogo, async (context) =>
    change(context, checkedLogo(await receiveLogo(context.body)), undefined),
  ),

  bind(contract.removeLogo, async (context) => change(context, noLogo, undefined)),
];

/** What anyone can read: the pages before the sign-in show it. */
export const portalBrandingRoutes: readonly BoundRoute[] = [
  bind(portalContract.getPortalSeller, async (context, input) => {
    const db = context.store.reads;
    const id = await portalOrganizationBySlug(db, input.params.slug);
    const seller = id === null ? undefined : (await showSellers(db, [id])).get(id);
    if (seller === undefined) throw new Problem("not_found");
    // Only its customers learn that it is suspended.
    return { ...seller, is_suspended: false };
  }),

  bind(portalContract.getPortalLogo, async (context, input) =>
    logoResponse(context.store.reads, input.params.logo),
  ),
];

type Changes = Partial<Omit<BrandingRow, "organization_id" | "updated_at">>;

async function change(context: OrganizationContext, changes: Changes, guard: string | undefined) {
  return context.transaction(async (db) => {
    const organization = await lockedOrganization(db, context.organization.id);
    if (organization === undefined || organization.deleted_at !== null) throw new Problem("not_found");
    const before = brandingOrDefault(organization, await brandingOf(db, organization.id));
    checkUnchanged(context, before.updated_at, guard);
    const { logo: _, ...shownChanges } = changes;
    const after = { ...before, ...shownChanges, updated_at: nextUpdatedAt(context, before.updated_at) };
    await saveBranding(db, organization.id, changes, after.updated_at);
    await audit(db, context, {
      action: "organization.branding_updated",
      // Not the organization itself: the values go when the organization is deleted.
      subject: { kind: "branding", id: organization.id, name: organization.name },
      ...difference(recorded(before), recorded(after)),
    });
    return showBranding(after, organization, context.config.portalUrl);
  });
}

/** What the audit log says: the logo by its hash alone. */
function recorded(row: Omit<BrandingRow, "logo">) {
  const { organization_id: _, updated_at: __, logo_type: ___, links, ...fields } = row;
  return { ...fields, links: showLinks(links) };
}

function checkAccent(color: string | null | undefined): void {
  if (color == null) return;
  const checked = checkAccentColor(color);
  if (checked.ok) return;
  if (checked.fault.code === "accent_color_invalid") throw invalid("accent_color", checked.fault.code);
  throw invalid("accent_color", checked.fault.code, { suggestion: checked.fault.suggestion });
}

type LogoColumns = Pick<BrandingRow, "logo" | "logo_type" | "logo_hash">;

/** A logo as it is stored. What kind it is follows from its content: what the header says proves nothing. */
function checkedLogo(file: Uint8Array): LogoColumns {
  const checked = checkLogo(file);
  if (checked.ok)
    return {
      logo: Buffer.from(file).toString("base64"),
      logo_type: checked.type,
      logo_hash: hash("sha256", file, "base64url"),
    };
  throw invalidField("logo", shownFault(checked.fault));
}

function shownFault(fault: LogoFault): FieldFault {
  switch (fault.code) {
    case "logo_too_large":
      return fieldFault(fault.code, { max_kib: fault.maxKib });
    case "logo_wrong_size":
      return fieldFault(fault.code, { max_pixels: fault.maxPixels });
    case "logo_not_a_picture":
    case "logo_without_size":
      return fieldFault(fault.code);
  }
}

const noLogo: LogoColumns = { logo: null, logo_type: null, logo_hash: null };

/** The whole upload, which the framework has bounded: `uploadLogo` allows little more than a logo. */
async function receiveLogo(body: AsyncIterable<Uint8Array> | null): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  if (body !== null) for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The response to a request for `<hash>.<ending>`. */
async function logoResponse(db: Database, name: string): Promise<Response> {
  const [, logoHash = "", ending = ""] = /^([\w-]{43})\.(png|jpg|webp|svg)$/.exec(name) ?? [];
  const stored = logoHash === "" ? undefined : await logoByHash(db, logoHash);
  if (stored == null || stored.logo === null || stored.logo_type === null) throw new Problem("not_found");
  if (logoEndings[stored.logo_type] !== ending) throw new Problem("not_found");
  return new Response(Buffer.from(stored.logo, "base64"), {
    headers: { "content-type": stored.logo_type, ...logoHeaders },
  });
}

/**
 * A logo is shown in `<img>`, where an SVG image runs no script and loads nothing. Opened directly, it is in a sandbox
 * without scripts, without an origin and without access to any other resource.
 */
const logoHeaders = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "public, max-age=31536000, immutable",
};
