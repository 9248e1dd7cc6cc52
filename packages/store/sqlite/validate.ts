import type { DatabaseSync, StatementSync } from "node:sqlite";
import { countedAs } from "@countersign/domain/ip/address";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { sameHash } from "@countersign/domain/products/api-key";
import { quotaDay } from "@countersign/domain/quota/day";
import { grant } from "@countersign/domain/quota/limit";
import { decide } from "@countersign/domain/validate/decide";
import type { CustomerFacts } from "@countersign/domain/validate/facts";
import type { VersionState } from "@countersign/domain/versions/catalog";
import {
  type CallerRow,
  callerColumns,
  cidrSet,
  Facts,
  gatesVersions,
  type LicenseFactsRow,
  licenseFactsColumns,
  quotaState,
  versionCatalog,
} from "../caller.ts";
import type { Call, Judged, Question, QuotaState } from "../calls.ts";
import { type LicenseRecordRow, licenseRecord, licenseRecordColumns } from "../license-record.ts";
import { ProductInBatch } from "../product-in-batch.ts";
import type { Sealer } from "../sealer.ts";

/**
 * Decides a batch of calls, one after the other, inside a write transaction that the caller has opened: each reads
 * what the ones before it wrote, so no limit can be passed by racing.
 */
export class SqliteValidate {
  readonly #facts: Facts;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(database: DatabaseSync, sealer: Sealer) {
    this.#facts = new Facts(sealer);
    this.#sql = prepare(database);
  }

  judge(calls: readonly Call[], nowMs: number): Judged[] {
    const batch = new Batch(nowMs, this.#platformBlocks());
    const callers = calls.map((call) => this.#authenticate(call, batch));
    for (const product of batch.products.values()) this.#count(product, nowMs);
    return calls.map((call, index) => {
      const product = callers[index];
      return product ? this.#answer(call, product, batch) : { tag: "unauthorized" };
    });
  }

  #authenticate(call: Call, batch: Batch): ProductInBatch | null {
    const known = batch.callers.get(call.apiKey.hash);
    const product = known === undefined ? this.#findProduct(call, batch) : known;
    if (known === undefined) batch.callers.set(call.apiKey.hash, product);
    if (product !== null && !call.counted) product.asked += 1;
    return product;
  }

  #findProduct(call: Call, batch: Batch): ProductInBatch | null {
    const row = this.#sql.caller.get(batch.nowMs, call.apiKey.publicId, batch.nowMs) as CallerRow | undefined;
    if (row === undefined || !sameHash(row.hash, call.apiKey.hash)) return null;
    // Two keys of one product, during a rotation, share its counter.
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
    const granted = grant(product.limit, used, product.asked);
    if (granted > 0) this.#sql.use.run(product.row.product_id, day, granted, product.limit);
    product.counted(used, granted);
  }

  #answer(call: Call, product: ProductInBatch, batch: Batch): Judged {
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
        return this.#validate(call, question, product, quota, batch);
    }
  }

  #validate(
    call: Call,
    question: Extract<Question, { kind: "validate" }>,
    product: ProductInBatch,
    quota: QuotaState,
    batch: Batch,
  ): Judged {
    const { caller } = product;
    const { nowMs } = batch;
    const ip = countedAs(call.address, caller.facts.ipv6Prefix);
    const row =
      question.keyMatch === null || product.refused
        ? undefined
        : (this.#sql.license.get(ip, question.keyMatch, caller.facts.productId) as FoundLicense | undefined);
    if (row === undefined) {
      const verdict = decide(caller.facts, null, { blocked: false, registered: false, version: null }, nowMs);
      return { tag: "validated", caller, quota, license: null, verdict, nowMs };
    }
    const customer = caller.facts.custom === null ? null : this.#customer(product, row);
    const license = this.#facts.license(row, customer);
    const verdict = decide(
      caller.facts,
      license,
      {
        blocked: this.#isBlocked(call, product, row, batch),
        registered: row.registered === 1,
        version: question.version,
      },
      nowMs,
    );
    if (verdict.effect === "register_ip") {
      this.#sql.registerIp.run(row.id, ip, nowMs);
      this.#sql.raiseIpCount.run(row.id);
    }
    return { tag: "validated", caller, quota, license, verdict, nowMs };
  }

  #isBlocked(call: Call, product: ProductInBatch, row: LicenseFactsRow, batch: Batch): boolean {
    const { address } = call;
    return (
      batch.platformBlocks.covers(address, batch.nowMs) ||
      product.blocks.covers(address, batch.nowMs) ||
      (product.row.customer_block_count > 0 &&
        row.customer_id !== null &&
        this.#blocks("customer", row.customer_id, product.row.organization_id).covers(
          address,
          batch.nowMs,
        )) ||
      (row.block_count > 0 &&
        this.#blocks("license", row.id, product.row.organization_id).covers(address, batch.nowMs))
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
    return cidrSet(
      this.#sql.blocks.all(tier, scopeId, organizationId) as { cidr: string; expires_at: number | null }[],
    );
  }
}

interface FoundLicense extends LicenseFactsRow {
  registered: number;
}

/** What the calls of one batch share. */
class Batch {
  readonly callers = new Map<string, ProductInBatch | null>();
  readonly products = new Map<string, ProductInBatch>();
  readonly nowMs: number;
  readonly platformBlocks: CidrSet;

  constructor(nowMs: number, platformBlocks: CidrSet) {
    this.nowMs = nowMs;
    this.platformBlocks = platformBlocks;
  }
}

function prepare(database: DatabaseSync): Record<Statement, StatementSync> {
  const sql: Record<Statement, string> = {
    caller: `select ${callerColumns}, s.id as signing_key_id, s.sealed_secret
      from product_api_keys k
      join products p on p.id = k.product_id
      join organizations o on o.id = p.organization_id
      left join product_signing_keys s on s.id = (
        select id from product_signing_keys where product_id = p.id and active_from <= ?
        order by active_from desc limit 1)
      where k.public_id = ? and (k.expires_at is null or k.expires_at > ?)`,
    usage: "select used from daily_usage where product_id = ? and day = ?",
    use: `insert into daily_usage (product_id, day, used, last_granted, daily_limit) values (?1, ?2, ?3, ?3, ?4)
      on conflict (product_id, day) do update set
        used = used + excluded.used, last_granted = excluded.used, daily_limit = excluded.daily_limit`,
    license: `select ${licenseFactsColumns},
        exists (select 1 from license_ips i where i.license_id = l.id and i.ip = ?) as registered
      from licenses l where l.license_key_match = ? and l.product_id = ?`,
    registerIp: "insert into license_ips (license_id, ip, registered_at) values (?, ?, ?)",
    raiseIpCount: "update licenses set ip_count = ip_count + 1 where id = ?",
    customer: `select email, name, discord_id as "discordId" from organization_customers
      where organization_id = ? and customer_id = ?`,
    record: `select ${licenseRecordColumns} from licenses l
      left join organization_customers c
        on c.organization_id = l.organization_id and c.customer_id = l.customer_id
      where l.product_id = ? and l.license_key_match = ?`,
    versions: "select version, state from product_versions where product_id = ?",
    platformRevision: `select cast(value as integer) as revision from platform_state
      where name = 'ip_blocks_revision'`,
    blocks: "select cidr, expires_at from ip_blocks where tier = ? and scope_id = ? and organization_id is ?",
  };
  const prepared = Object.entries(sql).map(([name, text]) => [name, database.prepare(text)]);
  return Object.fromEntries(prepared) as Record<Statement, StatementSync>;
}

type Statement =
  | "caller"
  | "usage"
  | "use"
  | "license"
  | "registerIp"
  | "raiseIpCount"
  | "customer"
  | "record"
  | "versions"
  | "platformRevision"
  | "blocks";
