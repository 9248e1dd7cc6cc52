import type { CidrSet } from "@countersign/domain/ip/cidr";
import { sameHash } from "@countersign/domain/products/api-key";
import type { VersionCatalog, VersionState } from "@countersign/domain/versions/catalog";
import type pg from "pg";
import { Batch, ProductInBatch } from "../batches/batch.ts";
import { type CallerRow, cidrSet, type Facts, gatesVersions, versionCatalog } from "../batches/caller.ts";
import type { Call } from "../batches/calls.ts";
import type { RecordedRefusals } from "../batches/refusals.ts";
import * as sql from "./sql.ts";

export interface Authenticated {
  readonly batch: Batch;
  /** The product of each call, in order; null if the API key is not valid. */
  readonly callers: readonly (ProductInBatch | null)[];
}

/** Identifies the callers, and the time at which the batch is decided. */
export class Callers {
  readonly #facts: Facts;
  readonly #recorded: RecordedRefusals;
  readonly #now: (() => number) | null;

  constructor(facts: Facts, recorded: RecordedRefusals, now: (() => number) | null) {
    this.#facts = facts;
    this.#recorded = recorded;
    this.#now = now;
  }

  async authenticate(client: pg.Client, calls: readonly Call[]): Promise<Authenticated> {
    const publicIds = [...new Set(calls.map((call) => call.apiKey.publicId))];
    const found = await client.query<CallerRow & { now_ms: number; platform_revision: number }>({
      ...sql.callers,
      values: [publicIds.join(sql.separator), this.#now?.() ?? null],
    });
    // Without a caller there is nothing to decide, and the time does not matter.
    const { now_ms: nowMs = 0, platform_revision: revision = 0 } = found.rows[0] ?? {};
    const batch = new Batch(nowMs, await this.#blocks(client, "platform", "", revision), this.#recorded);
    const rows = new Map(found.rows.map((row) => [row.public_id, row]));
    for (const row of rows.values()) {
      if (batch.products.has(row.product_id)) continue;
      const [catalog, blocks] = await Promise.all([
        this.#catalog(client, row),
        this.#blocks(client, "organization", row.organization_id, row.ip_blocks_revision),
      ]);
      batch.products.set(row.product_id, new ProductInBatch(row, this.#facts.product(row, catalog), blocks));
    }
    const callers = calls.map((call) => {
      const row = rows.get(call.apiKey.publicId);
      if (row === undefined || !sameHash(row.hash, call.apiKey.hash)) return null;
      const product = batch.products.get(row.product_id) ?? null;
      if (product !== null && !call.counted) product.asked += 1;
      return product;
    });
    return { batch, callers };
  }

  async #catalog(client: pg.Client, row: CallerRow): Promise<VersionCatalog | null> {
    if (!gatesVersions(row)) return null;
    const known = this.#facts.catalogs.get(row.product_id, row.versions_revision);
    if (known !== undefined) return known;
    const { rows } = await client.query<{ revision: number; version: string | null; state: VersionState }>({
      ...sql.versions,
      values: [row.product_id],
    });
    const records = rows.flatMap(({ version, state }) => (version === null ? [] : [{ version, state }]));
    return this.#facts.catalogs.set(row.product_id, rows[0]?.revision ?? 0, versionCatalog(records));
  }

  async #blocks(client: pg.Client, tier: string, scopeId: string, revision: number): Promise<CidrSet> {
    const known = this.#facts.blocks.get(scopeId, revision);
    if (known !== undefined) return known;
    const { rows } = await client.query<{ revision: number; cidr: string | null; expires_at: number | null }>(
      {
        ...sql.blocks,
        values: [tier, scopeId],
      },
    );
    const blocks = rows.flatMap(({ cidr, expires_at }) => (cidr === null ? [] : [{ cidr, expires_at }]));
    return this.#facts.blocks.set(scopeId, rows[0]?.revision ?? 0, cidrSet(blocks));
  }
}
