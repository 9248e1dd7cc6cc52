import { refusalEvent } from "@countersign/domain/events/thresholds";
import { countedAs } from "@countersign/domain/ip/ip-address";
import { coveringNetwork } from "@countersign/domain/ip/registered";
import { decide } from "@countersign/domain/validate/decide";
import type { CustomerFacts } from "@countersign/domain/validate/facts";
import type pg from "pg";
import { type Batch, type ProductInBatch, RecordedRefusals } from "../batches/batch.ts";
import { Facts, isBlockedBy, quotaState } from "../batches/caller.ts";
import type { Call, CallResult, Question, QuotaState } from "../batches/calls.ts";
import { type LicenseRecordRow, licenseRecord } from "../batches/license-record.ts";
import type { Sealer } from "../secrets/sealer.ts";
import { type ConnectionPool, inOneWrite } from "./connection-pool.ts";
import { Counters } from "./count.ts";
import { isLocked } from "./errors.ts";
import { LockedCalls, LockedOut, lockedOut, type Outcome } from "./locked-calls.ts";
import {
  type Authenticated,
  Callers,
  type FoundLicense,
  findLicenses,
  findRecords,
  type KnownCall,
  type WaitingCall,
} from "./read.ts";
import { recordRefusals, registerIps, startTerms, type UsedLicenses } from "./record.ts";

/**
 * Validates a batch of calls in two round trips, on the connections reserved for that: authentication; then, together,
 * how many calls the quota admits and the facts about their licenses. A third follows only if an IP address is new. A row
 * locked by another session affects only the calls that need it: they are retried, and the others are decided.
 */
export class PostgresValidate {
  readonly #pool: ConnectionPool;
  readonly #facts: Facts;
  readonly #recorded = new RecordedRefusals();
  readonly #callers: Callers;
  readonly #counters = new Counters();
  readonly #locked = new LockedCalls((calls, alone) => this.#validateTogether(calls, alone));

  /** `now` is null for the database's own clock. */
  constructor(pool: ConnectionPool, sealer: Sealer, now: (() => number) | null) {
    this.#pool = pool;
    this.#facts = new Facts(sealer);
    this.#callers = new Callers(this.#facts, this.#recorded, now);
  }

  /** A promise for each call that needs a row locked by another session; the others do not wait for it. */
  async validate(calls: readonly Call[]): Promise<readonly (CallResult | Promise<CallResult>)[]> {
    const outcomes = await this.#validateTogether(calls, false);
    if (!outcomes.some(isLockedOut)) return outcomes as CallResult[];
    return outcomes.map((outcome, position) => {
      const call = calls[position];
      return isLockedOut(outcome) && call !== undefined
        ? this.#locked.add(call, outcome)
        : (outcome as CallResult);
    });
  }

  /** Opens this many connections before anything else can take them. */
  reserve(connections: number): Promise<void> {
    return this.#pool.reserve(connections);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** `alone` if all calls belong to one group that was locked out before. */
  #validateTogether(calls: readonly Call[], alone: boolean): Promise<Outcome[]> {
    return this.#pool.use((client) => this.#validateOn(client, calls, alone));
  }

  async #validateOn(client: pg.Client, calls: readonly Call[], alone: boolean): Promise<Outcome[]> {
    let authenticated: Authenticated;
    try {
      authenticated = await this.#callers.authenticate(client, calls);
    } catch (error) {
      // A whole table is locked, for instance by a migration. Nothing has been done yet.
      if (isLocked(error)) return calls.map(() => new LockedOut(null, null));
      throw error;
    }
    const { batch, callers } = authenticated;
    const waiting = calls.map((call, index) => waitingCall(call, callers[index] ?? null, index));
    const known = waiting.filter((entry): entry is KnownCall => entry.product !== null);

    const counting = inOneWrite(client, () => ({
      counted: this.#counters.count(client, batch, alone),
      found: Promise.all([
        findLicenses(client, known).catch(nullIfLocked),
        findRecords(client, known).catch(nullIfLocked),
      ]),
    }));
    try {
      const [uncounted, [licenses, records]] = await Promise.all([counting.counted, counting.found]);
      return await this.#decide(client, waiting, batch, uncounted, licenses, records);
    } catch (error) {
      await Promise.allSettled([counting.counted, counting.found]);
      await this.#counters.giveBack(client, batch);
      throw error;
    }
  }

  async #decide(
    client: pg.Client,
    waiting: readonly WaitingCall[],
    batch: Batch,
    uncounted: ReadonlySet<ProductInBatch>,
    licenses: Map<number, FoundLicense> | null,
    records: Map<number, LicenseRecordRow> | null,
  ): Promise<Outcome[]> {
    const outcomes = waiting.map((entry): Outcome => {
      if (entry.product === null) return { tag: "unauthorized" };
      if (!entry.call.counted && uncounted.has(entry.product))
        return new LockedOut(null, `counter ${entry.product.row.product_id}`);
      const callResult = this.#answer(entry, entry.product, batch, licenses ?? noRows, records ?? noRows);
      const isUnknown =
        (licenses === null && callResult.tag === "validated") ||
        (records === null && callResult.tag === "looked_up");
      return isUnknown ? lockedOut(callResult, null) : callResult;
    });
    const used = await this.#registerWhereWanted(client, outcomes, waiting, licenses ?? noRows, batch);
    await startTerms(client, outcomes, used, batch.nowMs);
    await this.#recordRefusals(client, outcomes, batch);
    return outcomes;
  }

  async #recordRefusals(client: pg.Client, outcomes: Outcome[], batch: Batch): Promise<void> {
    const { refusals, nowMs } = batch;
    if (refusals === null) return;
    try {
      this.#recorded.add(nowMs, await recordRefusals(client, refusals, nowMs));
    } catch (error) {
      if (!isLocked(error)) throw error;
      outcomes.forEach((outcome, position) => {
        if (outcome instanceof LockedOut || outcome.tag !== "validated" || outcome.license === null) return;
        if (refusalEvent(outcome.verdict.status) === null) return;
        outcomes[position] = lockedOut(outcome, `license ${outcome.license.id}`);
      });
    }
  }

  #answer(
    entry: WaitingCall,
    product: ProductInBatch,
    batch: Batch,
    licenses: Map<number, FoundLicense>,
    records: Map<number, LicenseRecordRow>,
  ): CallResult {
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
        const row = records.get(entry.position);
        const record = row === undefined ? null : licenseRecord(row, caller.facts.versions !== null, nowMs);
        return { tag: "looked_up", caller, quota, record, nowMs };
      }
      case "validate":
        return this.#validate(entry, entry.question, product, quota, batch, licenses.get(entry.position));
    }
  }

  #validate(
    entry: WaitingCall,
    question: Extract<Question, { kind: "validate" }>,
    product: ProductInBatch,
    quota: QuotaState,
    batch: Batch,
    stored: FoundLicense | undefined,
  ): CallResult {
    const { caller } = product;
    const { nowMs, platformBlocks } = batch;
    if (stored === undefined) {
      const verdict = decide(caller.facts, null, { blocked: false, registered: false, version: null }, nowMs);
      return { tag: "validated", caller, quota, license: null, verdict, nowMs };
    }
    const { ipAddress } = entry.call;
    const license = this.#facts.license(stored, product.needsDetails ? stored : null, customerOf(stored));
    const blocked =
      platformBlocks.covers(ipAddress, nowMs) ||
      product.blocks.covers(ipAddress, nowMs) ||
      (stored.blocks !== null && isBlockedBy(stored.blocks, ipAddress, nowMs));
    const { version } = question;
    const verdict = decide(caller.facts, license, { blocked, registered: stored.registered, version }, nowMs);
    if (verdict.status !== "active") batch.noteRefusal(verdict.status, license.id, entry.ip, product);
    return { tag: "validated", caller, quota, license, verdict, nowMs };
  }

  /**
   * Requests the slots that verdicts assumed, and decides again those that did not get one. Returns the expiry of the
   * licenses that were used for the first time.
   */
  async #registerWhereWanted(
    client: pg.Client,
    outcomes: Outcome[],
    waiting: readonly WaitingCall[],
    licenses: Map<number, FoundLicense>,
    batch: Batch,
  ): Promise<UsedLicenses> {
    const wanting = outcomes.flatMap((outcome, position) =>
      !(outcome instanceof LockedOut) &&
      outcome.tag === "validated" &&
      outcome.license !== null &&
      outcome.verdict.effect === "register_ip"
        ? [
            {
              position,
              organizationId: outcome.caller.facts.organizationId,
              productId: outcome.caller.facts.productId,
              licenseId: outcome.license.id,
              ip: waiting[position]?.ip ?? "",
              network: waiting[position]?.network ?? null,
              firstOnly: outcome.caller.facts.registration === "first_only",
            },
          ]
        : [],
    );
    if (wanting.length === 0) return noneUsed;
    const used = new Map<string, number | null>();
    const results = await registerIps(client, wanting, batch.nowMs);
    for (const { position, licenseId } of wanting) {
      const outcome = outcomes[position];
      const entry = waiting[position];
      const license = licenses.get(position);
      const result = results?.get(position);
      if (outcome === undefined || outcome instanceof LockedOut) continue;
      if (result === undefined) {
        // Another session has locked the license, or deleted it.
        outcomes[position] = lockedOut(outcome, results === null ? `license ${licenseId}` : null);
        continue;
      }
      if (
        outcome.tag !== "validated" ||
        !entry?.product ||
        license === undefined ||
        entry.question.kind !== "validate"
      )
        continue;
      const again = this.#validate(entry, entry.question, entry.product, outcome.quota, batch, {
        ...license,
        ip_count: result.registeredBefore,
        max_ips: result.maxIps,
        registered: result.held,
      });
      if (again.tag === "validated" && (again.verdict.effect === "register_ip") !== result.taken) {
        throw new Error("The database and the rules disagree on who may register an address.");
      }
      outcomes[position] = again;
      if (result.used) used.set(licenseId, result.expiresAtMs);
    }
    return used;
  }
}

function isLockedOut(outcome: Outcome): outcome is LockedOut {
  return outcome instanceof LockedOut;
}

const noRows = new Map<number, never>();

/** A whole table is locked: what was counted stays counted, and the rest is retried. */
function nullIfLocked(error: unknown): null {
  if (isLocked(error)) return null;
  throw error;
}

const noneUsed: UsedLicenses = new Map();

const nothingAsked: Question = { kind: "admission" };

function waitingCall(call: Call, product: ProductInBatch | null, position: number): WaitingCall {
  if (product === null) return { position, call, product, question: nothingAsked, ip: "", network: null };
  const { ipv6Prefix } = product.caller.facts;
  const ip = countedAs(call.ipAddress, ipv6Prefix);
  const network = coveringNetwork(call.ipAddress, ipv6Prefix);
  return { position, call, product, question: call.question(), ip, network };
}

function customerOf(license: FoundLicense): CustomerFacts | null {
  if (license.customer_id === null) return null;
  return {
    email: license.customer_email,
    name: license.customer_name,
    discordId: license.customer_discord_id,
  };
}
