import { randomBytes } from "node:crypto";
import * as contract from "@countersign/contract/portal/licenses";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { hourMs } from "@countersign/domain/dates/lengths";
import { generateLicenseKey, maskedKey, matchForm } from "@countersign/domain/licenses/key";
import {
  budgetOf,
  ipRemovalRefusal,
  keyRotationRefusal,
  keyRotations,
  type SelfServiceFacts,
  type SelfServiceRefusal,
} from "@countersign/domain/portal/self-service";

import { newId } from "@countersign/store/new-id";
import { wasRecordedSince } from "@countersign/store/queries/audit-log/entries";
import { resettingIps } from "@countersign/store/queries/licenses/changes";
import type { LicenseView } from "@countersign/store/queries/licenses/views";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import {
  maxPerSeller,
  type PortalPosition,
  portalLicensePage,
  portalLicensePageOfSeller,
} from "@countersign/store/queries/portal/license-list";
import {
  addPortalAction,
  portalActions,
  portalLicenseReference,
  portalLicensesByKey,
} from "@countersign/store/queries/portal/licenses";
import { productById } from "@countersign/store/queries/products/products";
import type { Database } from "@countersign/store/store";
import type { PortalActionRow } from "@countersign/store/tables/portal";
import type { ProductRow } from "@countersign/store/tables/products";

import {
  type BoundRoute,
  bind,
  type Context,
  type CustomerContext,
  type CustomerLicenseContext,
} from "../../api/context.ts";
import { customerIn, isTheirsNow } from "../../api/customer-access.ts";
import { decodeCursor, encodeCursor, wrongCursor } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { showSellers } from "../branding/show.ts";
import { replaceKey } from "../licenses/actions.ts";
import { applyChange, current } from "../licenses/change.ts";
import { countedIp, removeIp } from "../licenses/ips.ts";
import { ipRemovalBudget, selfServiceFacts } from "./self-service.ts";
import { readSurroundings, showPortalLicense, showSummaries } from "./show-license.ts";

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

  bind(contract.revealPortalKey, async (context) => {
    await countChange(context);
    return context.transaction(async (db) => {
      const { license, asCustomer } = await ownLicense(db, context);
      const action = "license.key_revealed";
      const { id: customerId } = asCustomer.customer;
      const sinceMs = context.nowMs - revealRecordedMs;
      if (!(await wasRecordedSince(db, { subjectId: license.id, action, actorId: customerId }, sinceMs)))
        await audit(db, asCustomer, { action, subject: subjectOf(license) });
      return { license_key: license.license_key };
    });
  }),

  bind(contract.removePortalIp, async (context, input) => {
    await countChange(context);
    const text = input.params.ip;
    const ip = (await countedIp(context, text)) ?? text;
    const around = await readSurroundings(context);
    return context.transaction(async (db) => {
      const { license, product, facts, asCustomer } = await ownLicense(db, context);
      check(ipRemovalRefusal(facts));
      const { left, nextAtMs } = await ipRemovalBudget(db, license.id, product, context.nowMs);
      // Before the budget: a repeat of a removal that went through is told so.
      await removeIp(db, asCustomer, license, ip, text);
      if (left < 1) throw new Problem("ip_removals_used_up", { next_at: isoTime(nextAtMs) ?? "" });
      await spend(db, context, license.id, "ip_removed", 1);
      return showPortalLicense(db, asCustomer, around);
    });
  }),

  bind(contract.resetPortalIps, async (context) => {
    await countChange(context);
    const around = await readSurroundings(context);
    return context.transaction(async (db) => {
      const { license, product, facts, asCustomer } = await ownLicense(db, context);
      check(ipRemovalRefusal(facts));
      const { left } = await ipRemovalBudget(db, license.id, product, context.nowMs);
      const needed = license.ip_count;
      if (left < needed) throw new Problem("ip_removals_not_enough", { needed, count: left });
      await applyChange(db, asCustomer, {
        action: "license.ips_reset",
        change: resettingIps(context.nowMs),
        licenses: [license],
      });
      if (needed > 0) await spend(db, context, license.id, "ip_removed", needed);
      return showPortalLicense(db, asCustomer, around);
    });
  }),

  bind(contract.rotatePortalKey, async (context) => {
    await countChange(context);
    const around = await readSurroundings(context);
    const key = generateLicenseKey(randomBytes);
    return context.transaction(async (db) => {
      const { license, facts, asCustomer } = await ownLicense(db, context);
      check(keyRotationRefusal(facts));
      await checkRotations(db, license.id, context.nowMs);
      await replaceKey(db, asCustomer, license, key);
      await spend(db, context, license.id, "key_rotated", 1);
      return { ...(await showPortalLicense(db, asCustomer, around)), license_key: key };
    });
  }),
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
    shown: Math.min(Number(shown), maxPerSeller - 1),
  };
}

/** The same customer's reveals within this time are one entry of the audit log. */
const revealRecordedMs = hourMs;

/** Counts a customer's change, or throws a 429. Counted before it is tried: refused ones cost a transaction too. */
async function countChange(context: CustomerContext): Promise<void> {
  const { personId } = context.actor;
  await context.signIn.flood.accounts.check("portal_change", personId, { ip: context.ip, deviceId: null });
}

interface OwnLicense {
  readonly license: LicenseView;
  readonly product: ProductRow;
  readonly facts: SelfServiceFacts;
  /** The request, with the customer whose license it is now. */
  readonly asCustomer: CustomerLicenseContext;
}

/**
 * The license in the path, locked, with the seller's settings as they are now. Since the request was authorized, the
 * license may have been given to someone else, and the person may have lost the identity that it belongs to.
 */
async function ownLicense(db: Database, context: CustomerLicenseContext): Promise<OwnLicense> {
  const license = await current(db, context);
  const reference = await portalLicenseReference(db, license.id);
  const product = await productById(db, license.product_id);
  const organization = await organizationById(db, license.organization_id);
  if (reference === undefined || product === undefined || organization === undefined)
    throw new Problem("not_found");
  if (!(await isTheirsNow(db, reference, context.actor.personId))) throw new Problem("not_found");
  const facts = selfServiceFacts({ license, product, organization, transfer: null }, context.nowMs);
  if (facts.sellerIsSuspended) throw new Problem("seller_suspended");
  const asCustomer = { ...context, organization, product, customer: customerIn(reference) };
  return { license, product, facts, asCustomer };
}

function check(refusal: SelfServiceRefusal | null): void {
  if (refusal !== null) throw new Problem(refusal);
}

async function checkRotations(db: Database, licenseId: string, nowMs: number): Promise<void> {
  const spendings = await portalActions(db, licenseId, "key_rotated", nowMs - keyRotations.windowMs);
  const { left, nextAtMs } = budgetOf(keyRotations, spendings, nowMs);
  if (left > 0) return;
  // Another request may have started later than this one and been faster.
  const waitMs = Math.min(keyRotations.windowMs, Math.max(1, (nextAtMs ?? nowMs) - nowMs));
  throw new Problem(
    "key_rotation_limit_reached",
    { count: Math.ceil(waitMs / hourMs) },
    { headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) } },
  );
}

async function spend(
  db: Database,
  { nowMs }: Context,
  licenseId: string,
  action: PortalActionRow["action"],
  count: number,
): Promise<void> {
  await addPortalAction(db, { id: newId(), license_id: licenseId, action, count, at: nowMs });
}

function subjectOf({ id, license_key: key }: LicenseView) {
  return { kind: "license", id, name: maskedKey(key) };
}
