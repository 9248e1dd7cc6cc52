import { countedAs } from "@countersign/domain/ip/address";
import type { CidrSet } from "@countersign/domain/ip/cidr";
import { sameHash } from "@countersign/domain/products/api-key";
import { quotaDay } from "@countersign/domain/quota/day";
import { decide } from "@countersign/domain/validate/decide";
import type { CustomerFacts } from "@countersign/domain/validate/facts";
import type { VersionCatalog, VersionState } from "@countersign/domain/versions/catalog";
import type pg from "pg";
import { Batch, ProductInBatch } from "../batch.ts";
import { type CallerRow, cidrSet, Facts, gatesVersions, quotaState, versionCatalog } from "../caller.ts";
import type { Call, Judged, Question, QuotaState } from "../calls.ts";
import { type LicenseRecordRow, licenseRecord } from "../license-record.ts";
import { RefusalsTold } from "../refusals.ts";
import type { Sealer } from "../sealer.ts";
import { type FoundLicense, findLicenses, findRecords, type KnownCall, type WaitingCall } from "./find.ts";
import { startTerms } from "./first-use.ts";
import { registerIps } from "./register.ts";
import * as sql from "./sql.ts";
import { tellRefusals } from "./tell-refusals.ts";

/**
 * Decides a batch of calls in two round trips: who is calling; then, together, how many of them their quota lets pass
 * and what is known of their licenses. A third follows only when somebody's address is new.
 */
export class PostgresValidate {
  readonly #facts: Facts;
  readonly #now: (() => number) | null;
  readonly #told = new RefusalsTold();

  constructor(sealer: Sealer, now: (() => number) | null) {
    this.#facts = new Facts(sealer);
    this.#now = now;
  }

  async judge(client: pg.Client, calls: readonly Call[]): Promise<Judged[]> {
    const { batch, callers } = await this.#authenticate(client, calls);
    const waiting = calls.map((call, index) => waitingCall(call, callers[index] ?? null, index));
    const known = waiting.filter((entry): entry is KnownCall => entry.product !== null);

    const counting = inOneWrite(client, () => ({
      counted: this.#count(client, batch),
      found: Promise.all([findLicenses(client, known), findRecords(client, known)]),
    }));
    try {
      const [, [licenses, records]] = await Promise.all([counting.counted, counting.found]);
      return await this.#decide(client, waiting, batch, licenses, records);
    } catch (error) {
      await Promise.allSettled([counting.counted, counting.found]);
      await this.#giveBack(client, batch);
      throw error;
    }
  }

  async #decide(
    client: pg.Client,
    waiting: readonly WaitingCall[],
    batch: Batch,
    licenses: Map<number, FoundLicense>,
    records: Map<number, LicenseRecordRow>,
  ): Promise<Judged[]> {
    const judged = waiting.map((entry): Judged => {
      if (entry.product === null) return { tag: "unauthorized" };
      return this.#answer(entry, entry.product, batch, licenses, records);
    });
    await this.#registerWhereWanted(client, judged, waiting, licenses, batch);
    await startTerms(client, judged, batch.nowMs);
    if (batch.refusals !== null) {
      await tellRefusals(client, batch.refusals, batch.nowMs);
      this.#told.add(batch.nowMs, batch.refusals);
    }
    return judged;
  }

  async #authenticate(client: pg.Client, calls: readonly Call[]) {
    const publicIds = [...new Set(calls.map((call) => call.apiKey.publicId))];
    const found = await client.query<CallerRow & { now_ms: number; platform_revision: number }>({
      ...sql.callers,
      values: [publicIds.join(sql.separator), this.#now?.() ?? null],
    });
    // Without a caller there is nothing to decide, and the time does not matter.
    const { now_ms: nowMs = 0, platform_revision: revision = 0 } = found.rows[0] ?? {};
    const batch = new Batch(nowMs, await this.#blocks(client, "platform", "", revision), this.#told);
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

  async #count(client: pg.Client, batch: Batch): Promise<void> {
    const asking = [...batch.products.values()].filter((product) => product.asked > 0);
    if (asking.length === 0) return;
    const count = client
      .query<{ product_id: string; used: number; last_granted: number }>({
        ...sql.count,
        values: [
          quotaDay(batch.nowMs),
          asking.map((product) => product.row.product_id),
          asking.map((product) => product.asked),
          asking.map((product) => product.limit),
          batch.nowMs,
        ],
      })
      .then(({ rows }) => {
        for (const row of rows) {
          const product = batch.products.get(row.product_id);
          if (product !== undefined) product.counted(row.used - row.last_granted, row.last_granted);
        }
      });
    await Promise.all([count, client.query(sql.flush)]);
  }

  /** Calls that get no verdict cost no quota. Where this fails too, they do: never is less counted than was answered. */
  async #giveBack(client: pg.Client, batch: Batch): Promise<void> {
    const granted = [...batch.products.values()].filter((product) => product.granted > 0);
    if (granted.length === 0) return;
    const values = [
      quotaDay(batch.nowMs),
      granted.map((product) => product.row.product_id),
      granted.map((product) => product.granted),
    ];
    await client.query({ ...sql.giveBack, values }).catch(() => undefined);
  }

  #answer(
    entry: WaitingCall,
    product: ProductInBatch,
    batch: Batch,
    licenses: Map<number, FoundLicense>,
    records: Map<number, LicenseRecordRow>,
  ): Judged {
    const { caller } = product;
    const { nowMs } = batch;
    if (!entry.call.counted && !product.admit()) {
      return { tag: "limited", caller, quota: quotaState(product.limit, product.used, nowMs) };
    }
    const quota = quotaState(product.limit, product.used, nowMs);
    switch (entry.question.kind) {
      case "admission":
        return { tag: "admitted", caller, quota };
      case "lookup": {
        const row = records.get(entry.place);
        const record = row === undefined ? null : licenseRecord(row, caller.facts.versions !== null, nowMs);
        return { tag: "looked_up", caller, quota, record, nowMs };
      }
      case "validate":
        return this.#validate(entry, entry.question, product, quota, batch, licenses.get(entry.place));
    }
  }

  #validate(
    entry: WaitingCall,
    question: Extract<Question, { kind: "validate" }>,
    product: ProductInBatch,
    quota: QuotaState,
    batch: Batch,
    found: FoundLicense | undefined,
  ): Judged {
    const { caller } = product;
    const { nowMs, platformBlocks } = batch;
    if (found === undefined) {
      const verdict = decide(caller.facts, null, { blocked: false, registered: false, version: null }, nowMs);
      return { tag: "validated", caller, quota, license: null, verdict, nowMs };
    }
    const { address } = entry.call;
    const license = this.#facts.license(found, product.needsDetails ? found : null, customerOf(found));
    const blocked =
      platformBlocks.covers(address, nowMs) ||
      product.blocks.covers(address, nowMs) ||
      (found.blocks !== null && cidrSet(found.blocks).covers(address, nowMs));
    const { version } = question;
    const verdict = decide(caller.facts, license, { blocked, registered: found.registered, version }, nowMs);
    if (verdict.status !== "active") batch.noteRefusal(verdict.status, license.id, entry.ip, product);
    return { tag: "validated", caller, quota, license, verdict, nowMs };
  }

  /** Asks for the places that verdicts assumed, and decides those again that did not get one. */
  async #registerWhereWanted(
    client: pg.Client,
    judged: Judged[],
    waiting: readonly WaitingCall[],
    licenses: Map<number, FoundLicense>,
    batch: Batch,
  ): Promise<void> {
    const wanting = judged.flatMap((answer, place) =>
      answer.tag === "validated" && answer.license !== null && answer.verdict.effect === "register_ip"
        ? [
            {
              place,
              organizationId: answer.caller.facts.organizationId,
              productId: answer.caller.facts.productId,
              licenseId: answer.license.id,
              ip: waiting[place]?.ip ?? "",
              firstOnly: answer.caller.facts.registration === "first_only",
            },
          ]
        : [],
    );
    if (wanting.length === 0) return;
    for (const result of await registerIps(client, wanting, batch.nowMs)) {
      const answer = judged[result.place];
      const entry = waiting[result.place];
      const found = licenses.get(result.place);
      if (
        answer?.tag !== "validated" ||
        !entry?.product ||
        found === undefined ||
        entry.question.kind !== "validate"
      )
        continue;
      const again = this.#validate(entry, entry.question, entry.product, answer.quota, batch, {
        ...found,
        ip_count: result.registeredBefore,
        max_ips: result.maxIps,
        registered: result.held,
      });
      if (again.tag === "validated" && (again.verdict.effect === "register_ip") !== result.taken) {
        throw new Error("The database and the rules disagree on who may register an address.");
      }
      judged[result.place] = again;
    }
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

/** Sends what `ask` asks together, so that neither side is woken up once for each statement. */
function inOneWrite<T>(client: pg.Client, ask: () => T): T {
  const { stream } = client.connection;
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}

const nothingAsked: Question = { kind: "admission" };

function waitingCall(call: Call, product: ProductInBatch | null, place: number): WaitingCall {
  if (product === null) return { place, call, product, question: nothingAsked, ip: "" };
  const ip = countedAs(call.address, product.caller.facts.ipv6Prefix);
  return { place, call, product, question: call.question(), ip };
}

function customerOf(found: FoundLicense): CustomerFacts | null {
  if (found.customer_id === null) return null;
  return { email: found.customer_email, name: found.customer_name, discordId: found.customer_discord_id };
}
