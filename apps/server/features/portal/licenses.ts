import * as contract from "@countersign/contract/portal/licenses";
import { matchForm } from "@countersign/domain/licenses/key";
import {
  mostPerSeller,
  type PortalPosition,
  portalLicensePage,
  portalLicensePageOfSeller,
} from "@countersign/store/queries/portal/license-list";
import { portalLicensesByKey } from "@countersign/store/queries/portal/licenses";
import { type BoundRoute, bind } from "../../api/context.ts";
import { decodeCursor, encodeCursor, wrongCursor } from "../../api/page.ts";
import { showSellers } from "../branding/seller.ts";
import { countChange, selfServiceRoutes } from "./self-service.ts";
import { readSurroundings, showPortalLicense } from "./show-license.ts";
import { showSummaries } from "./summary.ts";

/** A customer's licenses, apart from transfers. */
export const portalLicenseRoutes: readonly BoundRoute[] = [
  bind(contract.listPortalLicenses, async (context, { query }) => {
    const { reads } = context.store;
    const { actor } = context;
    const { organization_id: organizationId, limit } = query;
    const after = positionOf(query.cursor);
    if (organizationId !== undefined && after !== null && after.organizationId !== organizationId)
      throw wrongCursor();
    const { ids, next, sellersWithMore } =
      organizationId === undefined
        ? await portalLicensePage(reads, actor, after, limit)
        : await portalLicensePageOfSeller(reads, actor, organizationId, after?.licenseId ?? null, limit);
    return {
      data: await showSummaries(reads, ids, context.nowMs),
      next_cursor: next === null ? null : cursorOf(next),
      sellers_with_more: [...(await showSellers(reads, sellersWithMore)).values()],
    };
  }),

  bind(contract.findPortalLicense, async (context, { body }) => {
    await countChange(context);
    const { reads } = context.store;
    const ids = await portalLicensesByKey(reads, matchForm(body.license_key), context.actor);
    return { data: await showSummaries(reads, ids, context.nowMs) };
  }),

  bind(contract.getPortalLicense, async (context) =>
    showPortalLicense(context.store.reads, context, await readSurroundings(context)),
  ),

  ...selfServiceRoutes,
];

function cursorOf({ part, organizationId, licenseId, shown, hasRest }: PortalPosition): string {
  return encodeCursor([part, organizationId, licenseId ?? "", shown, hasRest ? 1 : 0]);
}

function positionOf(cursor: string | undefined): PortalPosition | null {
  const values = decodeCursor(cursor, ["text", "text", "text", "number", "number"]);
  if (values === null) return null;
  const [part, organizationId, licenseId, shown, hasRest] = values;
  if (Number(shown) < 0) throw wrongCursor();
  return {
    part: part === "rest" ? "rest" : "newest",
    hasRest: hasRest === 1,
    organizationId: String(organizationId),
    licenseId: licenseId === "" ? null : String(licenseId),
    shown: Math.min(Number(shown), mostPerSeller - 1),
  };
}
