import type { CidrSet } from "@countersign/domain/ip/cidr";
import { sameHash } from "@countersign/domain/products/api-key";
import type { VersionCatalog, VersionState } from "@countersign/domain/versions/catalog";
import type pg from "pg";
import { Batch, ProductInBatch, type RecordedRefusals } from "../batches/batch.ts";
import {
  type CallerRow,
  cidrSet,
  type Facts,
  gatesVersions,
  type LicenseDetailRow,
  type LicenseFactsRow,
  versionCatalog,
} from "../batches/caller.ts";
import type { Call, Question } from "../batches/calls.ts";
import type { LicenseRecordRow } from "../batches/license-record.ts";
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
    const callerRows = await client.query<CallerRow & { now_ms: number; platform_revision: number }>({
      ...sql.callers,
      values: [publicIds.join(sql.separator), this.#now?.() ?? null],
    });
    // Without a caller there is nothing to decide, and the time does not matter.
    const { now_ms: nowMs = 0, platform_revision: revision = 0 } = callerRows.rows[0] ?? {};
    const batch = new Batch(nowMs, await this.#blocks(client, "platform", "", revision), this.#recorded);
    const rows = new Map(callerRows.rows.map((row) => [row.public_id, row]));
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
      if (product !== null && !call.counted) product.uncounted += 1;
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

/** A call while its batch is processed. */
export interface WaitingCall {
  readonly position: number;
  readonly call: Call;
  readonly product: ProductInBatch | null;
  readonly question: Question;
  /** The IP address as this product counts it. */
  readonly ip: string;
  /** The /64 whose registration also covers it, if the product counts individually. */
  readonly network: string | null;
}

export interface KnownCall extends WaitingCall {
  readonly product: ProductInBatch;
}

/** The details and the customer are present if a product in the batch needs them. */
export interface FoundLicense extends LicenseFactsRow, LicenseDetailRow {
  /** Which of the requested licenses this is, from 1. */
  ordinal: number;
  registered: boolean;
  /** For a /64 that is not registered: whether a single address in it is. */
  has_address_of: boolean;
  customer_email: string | null;
  customer_name: string | null;
  customer_discord_id: string | null;
  blocks: { cidr: string; expires_at: number | null }[] | null;
}

export async function findLicenses(
  client: pg.Client,
  calls: readonly KnownCall[],
): Promise<Map<number, FoundLicense>> {
  const positions: number[] = [];
  const productIds: string[] = [];
  const keys: string[] = [];
  const ips: string[] = [];
  const needs: string[] = [];
  const countsByNetwork: boolean[] = [];
  for (const { position, product, question, ip, network } of calls) {
    if (question.kind !== "validate" || question.keyMatch === null || product.refused) continue;
    // No license key contains a control character, and this one would shift all the others.
    if (question.keyMatch.includes(sql.separator)) continue;
    // A caller that is counted individually can also be covered by its /64, which is requested as a separate row.
    for (const registered of network === null ? [ip] : [ip, network]) {
      positions.push(position);
      countsByNetwork.push(network === null);
      productIds.push(product.row.product_id);
      keys.push(question.keyMatch);
      ips.push(registered);
      needs.push(needsOf(product));
    }
  }
  if (positions.length === 0) return new Map();
  const bare = calls.every(({ product }) => !product.needsDetails && product.row.customer_block_count === 0);
  const statement = bare ? sql.licenses : sql.detailedLicenses;
  const lists = bare ? [productIds, keys, ips] : [productIds, keys, ips, needs];
  const { rows } = await client.query<FoundLicense>({
    ...statement,
    values: lists.map((values) => values.join(sql.separator)),
  });
  const licenses = new Map<number, FoundLicense>();
  for (const row of rows) {
    const position = positions[row.ordinal - 1] ?? -1;
    if (row.has_address_of && countsByNetwork[row.ordinal - 1]) row.registered = true;
    const known = licenses.get(position);
    if (known === undefined) licenses.set(position, row);
    else if (row.registered) known.registered = true;
  }
  return licenses;
}

function needsOf(product: ProductInBatch): string {
  const customer = product.caller.facts.custom !== null;
  const blocks = product.row.customer_block_count > 0;
  if (customer) return blocks ? "a" : "c";
  return blocks ? "b" : "n";
}

export async function findRecords(
  client: pg.Client,
  calls: readonly KnownCall[],
): Promise<Map<number, LicenseRecordRow>> {
  const wanted = calls.flatMap(({ position, product, question }) =>
    question.kind === "lookup" && !product.caller.facts.deleted
      ? [{ position, productId: product.row.product_id, keyMatch: question.keyMatch }]
      : [],
  );
  if (wanted.length === 0) return new Map();
  const { rows } = await client.query<LicenseRecordRow & { position: number }>({
    ...sql.records,
    values: [wanted.map((w) => w.position), wanted.map((w) => w.productId), wanted.map((w) => w.keyMatch)],
  });
  return new Map(rows.map((row) => [row.position, row]));
}
