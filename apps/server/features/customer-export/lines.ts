import { isoTime } from "@countersign/domain/dates/iso-time";
import { auditEntries } from "@countersign/store/queries/audit-log/entries";
import { earlierIdentities } from "@countersign/store/queries/customers/earlier-identities";
import {
  blocksOfCustomer,
  entriesOfLicenses,
  eventsOfLicenses,
  licensesHeldBy,
  sightingsOfLicense,
  sightingsOfLicenses,
  transfersOfCustomer,
} from "@countersign/store/queries/customers/export";
import {
  formerLicenses,
  heldSince,
  licensesWithHolder,
  type Tenure,
  tenuresOf,
} from "@countersign/store/queries/customers/holders";
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
import {
  type ExportLine,
  exportedBlock,
  exportedLicense,
  linesOf,
  paged,
  rowsAtATime,
} from "../organization-export/lines.ts";
import { showRequests } from "../requests/show.ts";
import { exportedEntry, HeldLicenses } from "./held-licenses.ts";

type Lines = AsyncGenerator<readonly ExportLine[]>;

/** What is read together of everything but the request log: so little that nobody waits for it. */
const licensesAtATime = 100;
const rowsTogether = 500;
/** The request log is read once for so many licenses. */
const licensesPerReading = 10_000;

/**
 * Everything an organization holds about one customer: what is about the customer, then the licenses that they have or had,
 * some at a time, and then their requests. What is about another customer of the same license is left out, and so is the
 * other party of a transfer.
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
  const transfers = await transfersOfCustomer(db, organizationId, customer);
  yield linesOf(
    "transfer",
    transfers.map((row) => exportedTransfer(row, id)),
  );
  const earlier = await earlierIdentities(db, organizationId, id);
  const customerIds = new Set([id, ...earlier.ids]);
  for (const customerId of customerIds)
    for await (const rows of entriesAbout(store, organizationId, customerId))
      yield linesOf(
        "audit_entry",
        rows.map((row) => exportedEntry(row)),
      );
  let held = new HeldLicenses(customerIds);
  for await (const { kind, licenses } of licensesOf(db, customer)) {
    const ids = licenses.map((license) => license.id);
    const past = await tenuresOf(db, ids, id);
    const since = kind === "license" ? await heldSince(db, ids, id) : new Map<string, number>();
    for (const licenseId of ids) {
      const present = { sinceMs: since.get(licenseId) ?? 0, untilMs: Number.MAX_SAFE_INTEGER };
      const isPresent = kind === "license";
      const tenures = [...(past.get(licenseId) ?? []), ...(isPresent ? [present] : [])];
      held.add(licenseId, tenures, { isPresent });
    }
    if (kind === "license") yield* presentLines(db, licenses, held);
    else yield* formerLines(db, licenses, held, past);
    yield* recordLines(store, organizationId, ids, held);
    if (held.size >= licensesPerReading) {
      yield* requestLines(store, organizationId, held, logKeptSinceMs);
      held = new HeldLicenses(customerIds);
    }
  }
  yield* requestLines(store, organizationId, held, logKeptSinceMs);
}

/** A license that the customer had: of the license itself, as far as it still exists, only which product it is of. */
interface FormerLicense {
  readonly id: string;
  readonly product_id: string | null;
  readonly ip_count: number;
}

type SomeLicenses =
  | { readonly kind: "license"; readonly licenses: readonly LicenseRow[] }
  | { readonly kind: "former_license"; readonly licenses: readonly FormerLicense[] };

async function* licensesOf(db: Database, customer: OrganizationCustomerRow): AsyncGenerator<SomeLicenses> {
  const { organization_id: organizationId, customer_id: customerId } = customer;
  const present = slicesOf<LicenseRow>(licensesAtATime, neverAborted, (last) =>
    licensesHeldBy(db, organizationId, customerId, { afterId: last?.id ?? null, limit: licensesAtATime }),
  );
  for await (const licenses of present) yield { kind: "license", licenses };
  const former = slicesOf<{ readonly license_id: string }>(licensesAtATime, neverAborted, (last) =>
    formerLicenses(db, customerId, last?.license_id ?? "", licensesAtATime),
  );
  for await (const rows of former) {
    const ids = rows.map((row) => row.license_id);
    const existing = new Map((await licensesWithHolder(db, ids)).map((row) => [row.id, row]));
    const lost = ids.filter((id) => existing.get(id)?.customer_id !== customerId);
    const unknown = { product_id: null, ip_count: 0 };
    yield {
      kind: "former_license",
      licenses: lost.map((id) => ({ ...unknown, ...existing.get(id), id })),
    };
  }
}

async function* presentLines(db: Database, licenses: readonly LicenseRow[], held: HeldLicenses): Lines {
  for (const some of withFewIps(licenses)) {
    const ids = some.map(({ id }) => id);
    const ips = await registeredTo(db, ids, held);
    const tags = Map.groupBy(await tagsOfLicenses(db, ids), (row) => row.license_id);
    yield linesOf(
      "license",
      some.map((license) => exportedLicense(license, ips.get(license.id) ?? [], tags.get(license.id) ?? [])),
    );
  }
}

async function* formerLines(
  db: Database,
  licenses: readonly FormerLicense[],
  held: HeldLicenses,
  tenures: ReadonlyMap<string, readonly Tenure[]>,
): Lines {
  for (const some of withFewIps(licenses)) {
    const ips = await registeredTo(
      db,
      some.map(({ id }) => id),
      held,
    );
    yield linesOf(
      "former_license",
      some.map(({ id, product_id }) => ({
        id,
        product_id,
        held: (tenures.get(id) ?? []).map(({ sinceMs, untilMs }) => ({
          since: sinceMs === 0 ? null : isoTime(sinceMs),
          until: isoTime(untilMs),
        })),
        ips: (ips.get(id) ?? []).map(({ ip, registered_at }) => ({
          ip,
          registered_at: isoTime(registered_at),
        })),
      })),
    );
  }
}

async function registeredTo(db: Database, ids: readonly string[], held: HeldLicenses) {
  const rows = await ipsOfLicenses(db, ids);
  const theirs = rows.filter((row) => held.wasTheirs(row.license_id, row.registered_at));
  return Map.groupBy(theirs, (row) => row.license_id);
}

/** What was recorded about licenses, except their requests. */
async function* recordLines(
  store: Store,
  organizationId: string,
  ids: readonly string[],
  held: HeldLicenses,
): Lines {
  const { reads: db, listReads } = store;
  const sightings = ofLicenses(ids, {
    together: (some) => sightingsOfLicenses(listReads, some, rowsTogether + 1),
    alone: (id) => sightingPages(db, id),
  });
  for await (const rows of sightings) yield linesOf("ip_address", held.sightings(rows));
  const events = ofLicenses(ids, {
    together: (some) => eventsOfLicenses(listReads, some, rowsTogether + 1),
    alone: (id) => eventPages(db, organizationId, id),
  });
  for await (const rows of events) yield linesOf("event", held.events(rows));
  const entries = ofLicenses(ids, {
    together: (some) => entriesOfLicenses(listReads, organizationId, some, rowsTogether + 1),
    alone: (id) => entriesAbout(store, organizationId, id),
  });
  for await (const rows of entries) yield linesOf("audit_entry", held.entries(rows));
}

/** Licenses whose registered IP addresses are few enough to be read together: one can have a million. */
function* withFewIps<License extends { readonly ip_count: number }>(
  licenses: readonly License[],
): Generator<readonly License[]> {
  let [some, ips]: [License[], number] = [[], 0];
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
  held: HeldLicenses,
  logKeptSinceMs: number,
): Lines {
  const iteration = {
    filter: everyRequest(organizationId),
    licenses: held.ids,
    range: { fromMs: logKeptSinceMs, untilMs: Number.MAX_SAFE_INTEGER },
    order: "oldest",
  } as const;
  for await (const rows of iterateRequests(store.listReads, iteration)) {
    const theirs = rows.filter((row) => held.wasTheirs(row.license_id, row.at));
    const shown = await showRequests(store.reads, organizationId, theirs);
    yield linesOf(
      "request",
      shown.map((request) => held.request(request)),
    );
  }
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
