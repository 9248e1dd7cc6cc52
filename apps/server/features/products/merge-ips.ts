import {
  licensesWithSingleIps,
  mergeIps,
  productsMergingIps,
} from "@countersign/store/queries/products/merge-ips";
import { lockedProduct, updateProduct } from "@countersign/store/queries/products/products";
import type { Database, Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { neverAborted } from "../../jobs/in-batches.ts";
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
export class IpMerging implements PeriodicJob {
  readonly name = "registered IPv6 addresses to merge";
  readonly everyMs = 10_000;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async run(stopping = neverAborted): Promise<void> {
    const products = await productsMergingIps(this.#store.reads, productsAtOnce);
    for (const product of products) {
      let after: string | null = product.merge_ips_after ?? "";
      while (after !== null && !stopping.aborted) {
        after = await this.#step(product.id, after, stopping);
        await yieldToEventLoop();
      }
    }
  }

  /** Returns where to continue; null if there is nothing more to do. */
  async #step(productId: string, after: string, stopping: AbortSignal): Promise<string | null> {
    const store = this.#store;
    const found = await licensesWithSingleIps(store.reads, productId, after, licensesAtOnce);
    for (const { id, isOfProduct } of found) {
      if (!isOfProduct) continue;
      for (let hasMore = true; hasMore; await yieldToEventLoop()) {
        const merged = await store.transaction((db) => this.#merge(db, productId, id));
        if (merged === "changed back" || stopping.aborted) return null;
        hasMore = merged === "more";
      }
    }
    const last = found.length < licensesAtOnce ? null : (found.at(-1)?.id ?? null);
    await store.transaction(async (db) => {
      const product = await lockedProduct(db, productId);
      if (product?.merge_ips_after == null) return;
      await updateProduct(db, productId, { merge_ips_after: last });
    });
    return last;
  }

  async #merge(db: Database, productId: string, licenseId: string) {
    const product = await lockedProduct(db, productId);
    if (product === undefined || product.merge_ips_after === null) return "changed back";
    await this.#store.bulk.lockLicenses(db, [licenseId]);
    return (await mergeIps(db, licenseId, rowsAtOnce, await this.#store.clock())) ? "more" : "done";
  }
}
