import { isoTime } from "@countersign/domain/dates/iso-time";
import { auditEntries } from "@countersign/store/queries/audit-log/entries";
import {
  blocksOfCustomer,
  entriesOfLicenses,
  eventsOfLicenses,
  heldSince,
  licensesHeldBy,
  sightingsOfLicense,
  sightingsOfLicenses,
  transfersOfCustomer,
} from "@countersign/store/queries/customers/export";
import { eventsAfter } from "@countersign/store/queries/events/events";
import { ipsOfLicenses, tagsOfLicenses } from "@countersign/store/queries/organization-export/rows";
import { everyRequest } from "@countersign/store/queries/requests/filter";
import { iterateRequests } from "@countersign/store/queries/requests/search";
import type { Database, Store } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { EventRow } from "@countersign/store/tables/events";
import type { LicenseRow, OrganizationCustomerRow } from "@countersign/store/tables/licenses";
import type { TransferRow } from "@countersign/store/tables/portal";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import { showEvent } from "../events/routes.ts";
import {
  type ExportLine,
  exportedBlock,
  exportedLicense,
  linesOf,
  paged,
  rowsAtATime,
} from "../organization-export/lines.ts";
import { showRequests } from "../requests/show.ts";

type Lines = AsyncGenerator<readonly ExportLine[]>;

/** What is read together of everything but the request log: so little that nobody waits for it. */
const licensesAtATime = 100;
const rowsTogether = 500;
/** The request log is read once for so many licenses. */
const licensesPerReading = 10_000;

/**
 * Everything an organization holds about one customer: what is about the customer, then the licenses, some at a time, and
 * then their requests. What was recorded about a license before it was transferred to them is left out, and so is the
 * other party of a transfer: that is about someone else.
 */
export async function* customerLines(
  store: Store,
  customer: OrganizationCustomerRow,
  logKeptSinceMs: number,
): Lines {
  const { reads: db } = store;
  const { organization_id: organizationId, customer_id: id, search_text: _, ...record } = customer;
  const { created_at, updated_at, ...who } = record;
  yield linesOf("customer", [
    { id, ...who, created_at: isoTime(created_at), updated_at: isoTime(updated_at) },
  ]);
  yield* paged(
    (last: { id: string } | null) =>
      blocksOfCustomer(db, organizationId, id, { afterId: last?.id ?? null, limit: rowsAtATime }),
    async (rows) => linesOf("ip_block", rows.map(exportedBlock)),
  );
  const identity = { id, email: customer.email, discordId: customer.discord_id };
  const transfers = await transfersOfCustomer(db, organizationId, identity);
  yield linesOf(
    "transfer",
    transfers.map((row) => exportedTransfer(row, id)),
  );
  for await (const rows of entriesAbout(store, organizationId, id))
    yield linesOf("audit_entry", rows.map(exportedEntry));
  let held = new Held();
  for (let afterId: string | null = null; ; ) {
    const page = { afterId, limit: licensesAtATime };
    const licenses: readonly LicenseRow[] = await licensesHeldBy(db, organizationId, id, page);
    const ids = licenses.map((license) => license.id);
    held.add(ids, await heldSince(db, ids, id));
    yield* licenseLines(store, licenses, held);
    afterId = ids.at(-1) ?? null;
    const isLast = afterId === null || ids.length < licensesAtATime;
    if (isLast || held.since.size >= licensesPerReading) {
      yield* requestLines(store, organizationId, held, logKeptSinceMs);
      held = new Held();
    }
    if (isLast) return;
  }
}

/** Since when licenses are the customer's: 0 unless they had another customer before. */
class Held {
  readonly since = new Map<string, number>();

  add(licenseIds: readonly string[], since: ReadonlyMap<string, number>): void {
    for (const id of licenseIds) this.since.set(id, since.get(id) ?? 0);
  }

  isTheirs(licenseId: string | null, atMs: number): boolean {
    return atMs > (this.since.get(licenseId ?? "") ?? Number.POSITIVE_INFINITY);
  }
}

/** Licenses with everything that is stored of them except their requests. */
async function* licenseLines(store: Store, licenses: readonly LicenseRow[], held: Held): Lines {
  const { reads: db } = store;
  for (const some of withFewIps(licenses)) {
    const ids = some.map(({ id }) => id);
    const ips = Map.groupBy(await ipsOfLicenses(db, ids), (row) => row.license_id);
    const tags = Map.groupBy(await tagsOfLicenses(db, ids), (row) => row.license_id);
    const exported = some.map((license) => {
      const all = ips.get(license.id) ?? [];
      const theirs = all.filter((row) => held.isTheirs(license.id, row.registered_at));
      return exportedLicense(license, theirs, tags.get(license.id) ?? []);
    });
    yield linesOf("license", exported);
  }
  const ids = licenses.map(({ id }) => id);
  const { organization_id: organizationId = "" } = licenses[0] ?? {};
  const sightings = ofLicenses(ids, {
    together: (some) => sightingsOfLicenses(store.listReads, some, rowsTogether + 1),
    alone: (id) => sightingPages(db, id),
  });
  for await (const rows of sightings)
    yield linesOf(
      "ip_address",
      rows.filter((row) => held.isTheirs(row.license_id, row.first_seen_at)).map(exportedSighting),
    );
  const events = ofLicenses(ids, {
    together: (some) => eventsOfLicenses(store.listReads, some, rowsTogether + 1),
    alone: (id) => eventPages(db, organizationId, id),
  });
  for await (const rows of events)
    yield linesOf("event", rows.filter((row) => held.isTheirs(row.license_id, row.at)).map(showEvent));
  const entries = ofLicenses(ids, {
    together: (some) => entriesOfLicenses(store.listReads, organizationId, some, rowsTogether + 1),
    alone: (id) => entriesAbout(store, organizationId, id),
  });
  for await (const rows of entries)
    yield linesOf(
      "audit_entry",
      rows.filter((row) => held.isTheirs(row.subject_id, row.at)).map(exportedEntry),
    );
}

/** Licenses whose registered IP addresses are few enough to be read together: one can have a million. */
function* withFewIps(licenses: readonly LicenseRow[]): Generator<readonly LicenseRow[]> {
  let [some, ips]: [LicenseRow[], number] = [[], 0];
  for (const license of licenses) {
    if (some.length > 0 && ips + license.ip_count > rowsTogether) {
      yield some;
      [some, ips] = [[], 0];
    }
    some.push(license);
    ips += license.ip_count;
  }
  if (some.length > 0) yield some;
}

/**
 * Rows of licenses, in bounded lists. Most licenses have few: these are read together, as long as that is not more than
 * `rowsTogether`, and those of a license with more are read page by page.
 */
async function* ofLicenses<Row>(
  ids: readonly string[],
  read: {
    readonly together: (ids: readonly string[]) => Promise<readonly Row[]>;
    readonly alone: (id: string) => AsyncGenerator<readonly Row[]>;
  },
): AsyncGenerator<readonly Row[]> {
  const [first] = ids;
  if (first === undefined) return;
  // On SQLite, each query blocks its thread.
  await yieldToEventLoop();
  const rows = await read.together(ids);
  if (rows.length <= rowsTogether) return yield rows;
  if (ids.length === 1) return yield* read.alone(first);
  const half = Math.ceil(ids.length / 2);
  yield* ofLicenses(ids.slice(0, half), read);
  yield* ofLicenses(ids.slice(half), read);
}

type Sighting = Awaited<ReturnType<typeof sightingsOfLicense>>[number];

function sightingPages(db: Database, licenseId: string) {
  return slicesOf<Sighting>(rowsTogether, neverAborted, (last) =>
    sightingsOfLicense(db, licenseId, { afterIp: last?.ip ?? null, limit: rowsTogether }),
  );
}

function eventPages(db: Database, organizationId: string, licenseId: string) {
  const filter = { organizationId, licenseId, fromMs: null, toMs: null };
  return slicesOf<EventRow>(rowsTogether, neverAborted, (last) => {
    const page = { after: last?.id ?? null, descending: false, before: null, limit: rowsTogether };
    return eventsAfter(db, filter, page);
  });
}

/** What was done with the customer, or with one license. */
async function* entriesAbout(
  store: Store,
  organizationId: string,
  subjectId: string,
): AsyncGenerator<readonly AuditLogRow[]> {
  const unfiltered = { actorId: null, action: null, subjectKind: null, fromMs: null, toMs: null };
  const filter = { ...unfiltered, organizationId, subjectId };
  for (let after: { at: number; id: string } | null = null; ; ) {
    const page = await auditEntries(store.reads, filter, { after, limit: rowsTogether });
    yield page.rows;
    const last = page.rows.at(-1);
    after = page.searchedTo ?? (page.rows.length < rowsTogether || last === undefined ? null : last);
    if (after === null) return;
    await yieldToEventLoop();
  }
}

/** The requests of some licenses, the oldest first. */
async function* requestLines(
  store: Store,
  organizationId: string,
  held: Held,
  logKeptSinceMs: number,
): Lines {
  const iteration = {
    filter: everyRequest(organizationId),
    licenses: new Set(held.since.keys()),
    range: { fromMs: logKeptSinceMs, untilMs: Number.MAX_SAFE_INTEGER },
    order: "oldest",
  } as const;
  for await (const rows of iterateRequests(store.listReads, iteration)) {
    const theirs = rows.filter((row) => held.isTheirs(row.license_id, row.at));
    yield linesOf("request", await showRequests(store.reads, organizationId, theirs));
  }
}

function exportedSighting(row: Sighting) {
  return {
    license_id: row.license_id,
    ip: row.ip,
    requests: row.hits,
    first_seen_at: isoTime(row.first_seen_at),
    last_seen_at: isoTime(row.last_seen_at),
  };
}

/** Without who did it: that is about the seller's own people. */
function exportedEntry(row: AuditLogRow) {
  return {
    at: isoTime(row.at),
    action: row.action,
    subject_id: row.subject_id,
    before: parsed(row.before),
    after: parsed(row.after),
  };
}

function exportedTransfer(row: TransferRow, customerId: string) {
  const isSender = row.from_customer_id === customerId;
  return {
    id: row.id,
    product_id: row.product_id,
    license_id: row.license_id,
    license_key_hint: row.license_key_hint,
    state: row.state,
    role: isSender ? "sender" : "recipient",
    email: isSender ? row.from_email : row.to_email,
    discord_id: isSender ? row.from_discord_id : row.to_discord_id,
    name: isSender ? row.from_name : null,
    message: isSender ? row.message : null,
    requested_at: isoTime(row.requested_at),
    decided_at: isoTime(row.decided_at),
  };
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
