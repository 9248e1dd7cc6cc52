import {
  licensesWithSingleIps,
  mergeIps,
  productsMergingIps,
} from "@countersign/store/queries/products/merge-ips";
import { lockedProduct, updateProduct } from "@countersign/store/queries/products/products";
import type { Database, Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { inBatches, neverAborted } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";

const licensesAtOnce = 50;
/** The size of one transaction: validations wait while it runs. */
const rowsAtOnce = 200;
const productsAtOnce = 20;

/**
 * After a product's `ipv6_prefix` changed from 128 to 64: merges the single IPv6 addresses of each license into their
 * /64, so that each /64 takes one slot. Nobody waits for it: validations also match a /64 by its registered addresses.
 * The progress is stored in the product's row, so it continues after a restart and stops if the setting is changed
 * back.
 */
export function ipMerging(store: Store): PeriodicJob {
  const run = async (stopping = neverAborted) => {
    for (const product of await productsMergingIps(store.reads, productsAtOnce)) {
      let after: string | null = product.merge_ips_after ?? "";
      await inBatches(async () => {
        after = await mergeSome(product.id, after ?? "", stopping);
        return after !== null;
      }, stopping);
    }
  };

  /** Returns where to continue; null if there is nothing more to do. */
  const mergeSome = async (productId: string, after: string, stopping: AbortSignal) => {
    const licenses = await licensesWithSingleIps(store.reads, productId, after, licensesAtOnce);
    for (const { id, isOfProduct } of licenses) {
      if (!isOfProduct) continue;
      for (let hasMore = true; hasMore; await yieldToEventLoop()) {
        const merged = await store.transaction((db) => mergeOfLicense(db, productId, id));
        if (merged === "changed back" || stopping.aborted) return null;
        hasMore = merged === "more";
      }
    }
    const last = licenses.length < licensesAtOnce ? null : (licenses.at(-1)?.id ?? null);
    await store.transaction(async (db) => {
      const product = await lockedProduct(db, productId);
      if (product?.merge_ips_after == null) return;
      await updateProduct(db, productId, { merge_ips_after: last });
    });
    return last;
  };

  const mergeOfLicense = async (db: Database, productId: string, licenseId: string) => {
    const product = await lockedProduct(db, productId);
    if (product === undefined || product.merge_ips_after === null) return "changed back";
    await store.bulk.lockLicenses(db, [licenseId]);
    return (await mergeIps(db, licenseId, rowsAtOnce, await store.clock())) ? "more" : "done";
  };

  return { name: "registered IPv6 addresses to merge", everyMs: 10_000, run };
}
