import { quotaDay } from "@countersign/domain/quota/day";
import type pg from "pg";
import type { Batch, ProductInBatch } from "../batches/batch.ts";
import { isLocked } from "./errors.ts";
import * as sql from "./sql.ts";

/** More locked products than this at once are rare. Dropping one costs a short wait. */
const maxHeld = 1_000;

/**
 * Counts the calls of a batch. A counter locked by another session delays only its own product: it is left out from
 * then on, and counted in separate batches until one succeeds.
 */
export class Counters {
  readonly #held = new Set<string>();

  /** Returns the products whose calls could not be counted. `alone` if the batch is of one product, as a retry is. */
  async count(client: pg.Client, batch: Batch, alone: boolean): Promise<ReadonlySet<ProductInBatch>> {
    const asking = [...batch.products.values()].filter((product) => product.uncounted > 0);
    const tried =
      alone || this.#held.size === 0 ? asking : asking.filter((product) => !this.#isHeld(product));
    const counted = await this.#countAndRecord(client, tried, batch.nowMs);
    if (counted.length === asking.length) return none;
    const locked = new Set(asking);
    for (const product of counted) locked.delete(product);
    return locked;
  }

  /** Calls without a verdict cost no quota. If this fails, they do: the count is never less than what was answered. */
  async giveBack(client: pg.Client, batch: Batch): Promise<void> {
    const granted = [...batch.products.values()].filter((product) => product.granted > 0);
    if (granted.length === 0) return;
    const values = [
      quotaDay(batch.nowMs),
      granted.map((product) => product.row.product_id),
      granted.map((product) => product.granted),
    ];
    await client.query({ ...sql.giveBack, values }).catch(() => undefined);
  }

  /** Normally all of them. If one is locked, the statement does nothing: then those that are free, without it. */
  async #countAndRecord(
    client: pg.Client,
    products: readonly ProductInBatch[],
    nowMs: number,
  ): Promise<readonly ProductInBatch[]> {
    if (products.length === 0) return products;
    try {
      await countAll(client, products, nowMs);
      this.#release(products);
      return products;
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
    const free = products.length === 1 ? [] : await this.#free(client, products, nowMs);
    for (const product of products) if (!free.includes(product)) this.#hold(product);
    if (free.length === 0) return free;
    try {
      await countAll(client, free, nowMs);
      return free;
    } catch (error) {
      if (!isLocked(error)) throw error;
      return [];
    }
  }

  /**
   * A row that does not exist yet may have been inserted by a session that has not committed: it is not known to be
   * free.
   */
  async #free(
    client: pg.Client,
    products: readonly ProductInBatch[],
    nowMs: number,
  ): Promise<readonly ProductInBatch[]> {
    const { rows } = await client.query<{ product_id: string }>({
      ...sql.freeCounters,
      values: [quotaDay(nowMs), products.map((product) => product.row.product_id)],
    });
    const free = new Set(rows.map((row) => row.product_id));
    return products.filter((product) => free.has(product.row.product_id));
  }

  #isHeld(product: ProductInBatch): boolean {
    return this.#held.has(product.row.product_id);
  }

  #hold(product: ProductInBatch): void {
    if (this.#held.size >= maxHeld) this.#held.clear();
    this.#held.add(product.row.product_id);
  }

  #release(products: readonly ProductInBatch[]): void {
    if (this.#held.size === 0) return;
    for (const product of products) this.#held.delete(product.row.product_id);
  }
}

const none: ReadonlySet<ProductInBatch> = new Set();

async function countAll(client: pg.Client, asking: readonly ProductInBatch[], nowMs: number): Promise<void> {
  const count = client
    .query<{ product_id: string; used: number; last_granted: number }>({
      ...sql.count,
      values: [
        quotaDay(nowMs),
        asking.map((product) => product.row.product_id),
        asking.map((product) => product.uncounted),
        asking.map((product) => product.limit),
        nowMs,
      ],
    })
    .then(({ rows }) => {
      const counts = new Map(rows.map((row) => [row.product_id, row]));
      for (const product of asking) {
        const row = counts.get(product.row.product_id);
        if (row !== undefined) product.counted(row.used - row.last_granted, row.last_granted);
      }
    });
  await Promise.all([count, client.query(sql.flush)]);
}
