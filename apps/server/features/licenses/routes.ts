import * as contract from "@countersign/contract/manage/licenses";
import { deleting } from "@countersign/store/queries/licenses/changes";
import { shownLicense } from "@countersign/store/queries/licenses/views";
import type { z } from "zod";
import { type BoundRoute, bind, checkUnchanged } from "../../api/context.ts";
import { invalid } from "../../http/problem.ts";
import { deliverLicenses } from "../mail/license-emails.ts";
import { checkLimit } from "../plans/limits.ts";
import { checkOpenForSale } from "../products/product.ts";
import { actionRoutes } from "./actions.ts";
import { bulkRoutes } from "./bulk.ts";
import { applyChange, current, drain, recorded } from "./change.ts";
import { addLicenses, checkKeysAreFree, readDrafts } from "./create.ts";
import { assignRandomIds, checkTotalSize, createInBatches, fitInOneTransaction } from "./create-many.ts";
import { emailRoutes } from "./email.ts";
import type { LicenseInput } from "./fields.ts";
import { ipRoutes } from "./ips.ts";
import { listLicenses } from "./list.ts";
import { writeChanges } from "./update.ts";

export const licenseRoutes: readonly BoundRoute[] = [
  bind(contract.createLicenses, async (context, { body }) => {
    const { product } = context;
    // A request that began before the product was closed is completed: half an order helps nobody.
    if (context.progress() === null) checkOpenForSale(product);
    const { inputs, isList, prefixOf } = wantedLicenses(body);
    const { time_zone: timeZone } = context.organization;
    const draftsAt = (nowMs: number) => readDrafts(inputs, prefixOf, { product, timeZone, nowMs });
    const drafts = draftsAt(context.nowMs);
    checkTotalSize(drafts);
    if (isList && !fitInOneTransaction(drafts, maxInOneTransaction))
      return createInBatches(context, product, draftsAt, prefixOf);
    const named = assignRandomIds(drafts);
    // Generated keys are not checked for existence: no two are alike.
    await checkKeysAreFree(context.store.reads, product.id, drafts, prefixOf);
    try {
      return await context.transaction(async (db) => {
        await checkLimit(db, product.organization_id, "licenses", named.length);
        const data = await addLicenses(db, context, product, named);
        await deliverLicenses(
          db,
          product,
          named.map(({ id }) => id),
          context.config,
          context.nowMs,
        );
        const [first] = data;
        if (first === undefined) throw new Error("A license that was just created does not exist.");
        return isList ? { data, next_cursor: null } : first;
      });
    } catch (error) {
      // Someone may have taken a key between the check and the write.
      await checkKeysAreFree(context.store.reads, product.id, named, prefixOf);
      throw error;
    }
  }),

  bind(contract.listLicenses, (context, { query }) => listLicenses(context, query)),
  bind(contract.listProductLicenses, (context, { query }) => listLicenses(context, query)),

  bind(contract.getLicense, (context) =>
    shownLicense(context.store.reads, context.license.id, context.nowMs),
  ),

  bind(contract.updateLicense, async (context, { body: { updated_at: guard, ...body } }) => {
    return context.transaction(async (db) => {
      const row = await current(db, context);
      // An IP address registered in the meantime does not conflict with an edit.
      checkUnchanged(context, row.updated_at, guard, Math.max(row.updated_at, row.ips_updated_at));
      const [shown] = await recorded(
        db,
        context,
        { action: "license.updated", licenses: [row] },
        ([before]) => writeChanges(db, context, row, before, body),
      );
      if (shown === undefined) throw new Error("A license that was just changed does not exist.");
      return shown;
    });
  }),

  bind(contract.deleteLicense, async (context) => {
    const drained = await drain(context.store, [context.license.id]);
    await context.transaction(async (db) => {
      await applyChange(db, context, {
        action: "license.deleted",
        change: deleting(),
        licenses: [await current(db, context)],
        drained,
      });
    });
  }),

  ...actionRoutes,
  ...emailRoutes,
  ...ipRoutes,
  ...bulkRoutes,
];

/** More than this, or long ones, are created in batches: see `createInBatches`. */
const maxInOneTransaction = 100;

function wantedLicenses({ count, licenses, ...fields }: z.output<typeof contract.createLicenses.body>): {
  inputs: readonly LicenseInput[];
  isList: boolean;
  prefixOf: (index: number) => string;
} {
  if (licenses !== undefined) {
    const conflicting = count !== undefined ? "count" : Object.keys(fields)[0];
    if (conflicting !== undefined) throw invalid(conflicting, "conflicts_with", { other: "licenses" });
    return { inputs: licenses, isList: true, prefixOf: (index) => `licenses.${index}.` };
  }
  if (count !== undefined && count > 1 && fields.license_key !== undefined)
    throw invalid("license_key", "license_key_with_count");
  return {
    inputs: Array.from({ length: count ?? 1 }, () => fields),
    isList: count !== undefined,
    prefixOf: () => "",
  };
}
