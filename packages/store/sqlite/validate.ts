import type { DatabaseSync } from "node:sqlite";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { countedAs, type IpAddress } from "@countersign/domain/ip/ip-address";
import { sameHash } from "@countersign/domain/products/api-key";
import { quotaDay } from "@countersign/domain/quota/day";
import { grant } from "@countersign/domain/quota/limit";
import { decide } from "@countersign/domain/validate/decide";
import type { CustomerFacts } from "@countersign/domain/validate/facts";
import type { VersionState } from "@countersign/domain/versions/catalog";
import { Batch, ProductInBatch, RecordedRefusals } from "../batches/batch.ts";
import {
  type CallerRow,
  cidrSet,
  Facts,
  gatesVersions,
  isBlockedBy,
  type LicenseDetailRow,
  type LicenseFactsRow,
  quotaState,
  versionCatalog,
} from "../batches/caller.ts";
import type { Call, CallResult, Question, QuotaState } from "../batches/calls.ts";
import { type LicenseRecordRow, licenseRecord } from "../batches/license-record.ts";
import type { Sealer } from "../secrets/sealer.ts";
import { recordQuotaEvents, recordRefusals, registerIp } from "./record.ts";
import { prepare, type Statements } from "./sql.ts";

/**
 * Validates a batch of calls sequentially, inside a write transaction that the caller has opened. Each call sees what
 * the previous ones wrote, so concurrent calls cannot exceed a limit.
 */
export class SqliteValidate {
  readonly #facts: Facts;
  readonly #sql: Statements;
  readonly #recorded = new RecordedRefusals();
  #uncommitted: { readonly nowMs: number; readonly recorded: readonly string[] } | null = null;

  constructor(database: DatabaseSync, sealer: Sealer) {
    this.#facts = new Facts(sealer);
    this.#sql = prepare(database);
  }

  validate(calls: readonly Call[], nowMs: number): CallResult[] {
    const batch = new Batch(nowMs, this.#platformBlocks(), this.#recorded);
    const known = new Map<string, ProductInBatch | null>();
    const callers = calls.map((call) => this.#authenticate(call, batch, known));
    for (const product of batch.products.values()) this.#count(product, nowMs);
    const results = calls.map((call, index): CallResult => {
      const product = callers[index];
      return product ? this.#answer(call, product, batch) : { tag: "unauthorized" };
    });
    const { refusals } = batch;
    this.#uncommitted =
      refusals === null ? null : { nowMs, recorded: recordRefusals(this.#sql, refusals, nowMs) };
    return results;
  }

  /** Called when the last batch is committed. */
  committed(): void {
    if (this.#uncommitted === null) return;
    this.#recorded.add(this.#uncommitted.nowMs, this.#uncommitted.recorded);
    this.#uncommitted = null;
  }

  /** `known` holds, by hash, the keys that this batch has already seen. */
  #authenticate(call: Call, batch: Batch, known: Map<string, ProductInBatch | null>): ProductInBatch | null {
    const met = known.get(call.apiKey.hash);
    const product = met === undefined ? this.#findProduct(call, batch) : met;
    if (met === undefined) known.set(call.apiKey.hash, product);
    if (product !== null && !call.counted) product.uncounted += 1;
    return product;
  }

  #findProduct(call: Call, batch: Batch): ProductInBatch | null {
    const row = this.#sql.caller.get(batch.nowMs, call.apiKey.publicId, batch.nowMs) as CallerRow | undefined;
    if (row === undefined || !sameHash(row.hash, call.apiKey.hash)) return null;
    // During a rotation, two keys of one product share its counter.
    const known = batch.products.get(row.product_id);
    if (known !== undefined) return known;
    const product = new ProductInBatch(
      row,
      this.#facts.product(row, this.#catalog(row)),
      this.#organizationBlocks(row),
    );
    batch.products.set(row.product_id, product);
    return product;
  }

  #count(product: ProductInBatch, nowMs: number): void {
    const day = quotaDay(nowMs);
    const usage = this.#sql.usage.get(product.row.product_id, day) as { used: number } | undefined;
    const used = usage?.used ?? 0;
    const granted = grant(product.limit, used, product.uncounted);
    if (granted > 0) this.#sql.use.run(product.row.product_id, day, granted, product.limit);
    product.counted(used, granted);
    if (used + granted >= product.warningAt) recordQuotaEvents(this.#sql, product, used, nowMs);
  }

  #answer(call: Call, product: ProductInBatch, batch: Batch): CallResult {
    const { caller } = product;
    if (!call.counted && !product.admit()) {
      return { tag: "limited", caller, quota: quotaState(product.limit, product.used, batch.nowMs) };
    }
    const quota = quotaState(product.limit, product.used, batch.nowMs);
    const question = call.question();
    switch (question.kind) {
      case "admission":
        return { tag: "admitted", caller, quota };
      case "lookup":
        return {
          tag: "looked_up",
          caller,
          quota,
          record: this.#record(product, question.keyMatch, batch.nowMs),
          nowMs: batch.nowMs,
        };
      case "validate":
        return this.#decide(call, question, product, quota, batch);
    }
  }

  #decide(
    call: Call,
    question: Extract<Question, { kind: "validate" }>,
    product: ProductInBatch,
    quota: QuotaState,
    batch: Batch,
  ): CallResult {
    const { caller } = product;
    const { nowMs } = batch;
    const ip = countedAs(call.ipAddress, caller.facts.ipv6Prefix);
    const row = this.#license(product, question.keyMatch, ip);
    if (row === undefined) {
      const verdict = decide(caller.facts, null, { blocked: false, registered: false, version: null }, nowMs);
      return { tag: "validated", caller, quota, license: null, verdict, nowMs };
    }
    const customer = caller.facts.custom === null ? null : this.#customer(product, row);
    const license = this.#facts.license(row, product.needsDetails ? row : null, customer);
    const verdict = decide(
      caller.facts,
      license,
      {
        blocked: this.#isBlocked(call, product, row, batch),
        registered: row.registered === 1 || this.#isCovered(row.id, call.ipAddress, caller.facts.ipv6Prefix),
        version: question.version,
      },
      nowMs,
    );
    if (verdict.status !== "active") batch.noteRefusal(verdict.status, row.id, ip, product);
    else if (verdict.effect === "register_ip")
      registerIp(this.#sql, { product, license: row, ipAddress: call.ipAddress, ip }, nowMs);
    if (verdict.firstUse) this.#sql.firstUse.run(nowMs, row.id);
    return { tag: "validated", caller, quota, license, verdict, nowMs };
  }

  /** By a registration of the other size, from before the product's setting changed. */
  #isCovered(licenseId: string, ipAddress: IpAddress, ipv6Prefix: 64 | 128): boolean {
    if (ipAddress.family === 4) return false;
    const covers = ipv6Prefix === 128 ? this.#sql.coveredByNetwork : this.#sql.coveredByAddress;
    return covers.get(licenseId, countedAs(ipAddress, 64)) !== undefined;
  }

  #license(product: ProductInBatch, keyMatch: string | null, ip: string): FoundLicense | undefined {
    if (keyMatch === null || product.refused) return undefined;
    const statement = product.needsDetails ? this.#sql.detailedLicense : this.#sql.license;
    return statement.get(ip, keyMatch, product.row.product_id) as FoundLicense | undefined;
  }

  #isBlocked(call: Call, product: ProductInBatch, row: LicenseFactsRow, batch: Batch): boolean {
    const { ipAddress } = call;
    const { organization_id: organizationId, customer_block_count: customerBlocks } = product.row;
    const listed = (tier: string, scopeId: string) =>
      isBlockedBy(this.#blockRows(tier, scopeId, organizationId), ipAddress, batch.nowMs);
    return (
      batch.platformBlocks.covers(ipAddress, batch.nowMs) ||
      product.blocks.covers(ipAddress, batch.nowMs) ||
      (customerBlocks > 0 && row.customer_id !== null && listed("customer", row.customer_id)) ||
      (row.block_count > 0 && listed("license", row.id))
    );
  }

  #record(product: ProductInBatch, keyMatch: string, nowMs: number) {
    if (product.caller.facts.deleted) return null;
    const row = this.#sql.record.get(product.row.product_id, keyMatch) as LicenseRecordRow | undefined;
    return row === undefined ? null : licenseRecord(row, product.caller.facts.versions !== null, nowMs);
  }

  #customer(product: ProductInBatch, row: LicenseFactsRow): CustomerFacts | null {
    if (row.customer_id === null) return null;
    const customer = this.#sql.customer.get(product.row.organization_id, row.customer_id);
    return (customer as CustomerFacts | undefined) ?? null;
  }

  #catalog(row: CallerRow) {
    if (!gatesVersions(row)) return null;
    const { catalogs } = this.#facts;
    return (
      catalogs.get(row.product_id, row.versions_revision) ??
      catalogs.set(
        row.product_id,
        row.versions_revision,
        versionCatalog(this.#sql.versions.all(row.product_id) as { version: string; state: VersionState }[]),
      )
    );
  }

  #platformBlocks(): CidrSet {
    const { revision } = this.#sql.platformRevision.get() as { revision: number };
    const { blocks } = this.#facts;
    return blocks.get("", revision) ?? blocks.set("", revision, this.#blocks("platform", "", null));
  }

  #organizationBlocks(row: CallerRow): CidrSet {
    const { blocks } = this.#facts;
    const { organization_id: id, ip_blocks_revision: revision } = row;
    return blocks.get(id, revision) ?? blocks.set(id, revision, this.#blocks("organization", id, id));
  }

  #blocks(tier: string, scopeId: string, organizationId: string | null): CidrSet {
    return cidrSet(this.#blockRows(tier, scopeId, organizationId));
  }

  #blockRows(tier: string, scopeId: string, organizationId: string | null) {
    return this.#sql.blocks.all(tier, scopeId, organizationId) as {
      cidr: string;
      expires_at: number | null;
    }[];
  }
}

/** The details are present if the product needs them. */
interface FoundLicense extends LicenseFactsRow, LicenseDetailRow {
  registered: number;
}
