import * as contract from "@countersign/contract/manage/branding";
import * as portalContract from "@countersign/contract/portal/sign-in";
import { checkAccentColor } from "@countersign/domain/branding/accent-color";
import {
  brandingOf,
  portalOrganizationBySlug,
  saveBranding,
} from "@countersign/store/queries/branding/branding";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import type { BrandingRow } from "@countersign/store/tables/organizations";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { asColumns } from "../../api/columns.ts";
import { checkUnchanged, nextUpdatedAt, type OrganizationContext } from "../../api/context.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { audit, difference } from "../audit-log/record.ts";
import { checkedLogo, logoResponse, noLogo, receiveLogo } from "./logo.ts";
import { showSellers } from "./seller.ts";
import { brandingOrDefault, showBranding, showLinks } from "./show.ts";

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
