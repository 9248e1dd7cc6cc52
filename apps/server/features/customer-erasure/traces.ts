import {
  addErasedLicenses,
  type Erasure,
  withoutExisting,
} from "@countersign/store/queries/customer-erasure/erasures";
import {
  actorsOf,
  answerPage,
  auditPage,
  changeImport,
  emailPage,
  emptyEntries,
  eventPage,
  hasUnfinishedImport,
  importPage,
  rejectPage,
  removeAnswer,
  removeEmails,
  removeEvents,
  removeRejects,
  removeUndo,
  undoPage,
} from "@countersign/store/queries/customer-erasure/traces";
import { heldSince, type Tenure } from "@countersign/store/queries/customers/holders";
import type { Database, Store } from "@countersign/store/store";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import type { ImportRow } from "@countersign/store/tables/license-files";
import { slicesOf } from "../../jobs/batches.ts";

interface Work {
  readonly store: Store;
  readonly step: <T>(work: (db: Database) => Promise<T>) => Promise<T>;
  readonly stopping: AbortSignal;
}

/** What tells a trace of the customer. */
interface ErasedCustomer extends Erasure {
  /** Their ID, and those that they had before. */
  readonly ids: ReadonlySet<string>;
  /** When each license was theirs. Licenses that were deleted before are added once something names them. */
  readonly licenses: Map<string, readonly Tenure[]>;
  readonly mentions: (text: string | null) => boolean;
}

/** Rows that are read together, without a transaction, and those that are deleted in one. */
const readAtOnce = 200;
const deletedAtOnce = 20;

/**
 * Erases what names the customer, or is about a license of theirs, in the tables that say neither in a column. A person
 * who became a new customer meanwhile keeps what is newer. Returns whether it is complete: an import that began before may
 * still write rows.
 */
export async function eraseTraces(work: Work, customer: ErasedCustomer): Promise<boolean> {
  const { store } = work;
  const { organization_id: organizationId, requested_at: requestedAt } = customer;
  // The audit log first: it goes back furthest, and tells about licenses that were deleted long ago.
  await eraseEntries(work, customer);
  await eraseEvents(work, customer);
  await eraseEmails(work, customer);
  await eraseAnswers(work, customer);
  if (await hasUnfinishedImport(store.reads, organizationId, requestedAt)) return false;
  await eraseImports(work, customer);
  return true;
}

function wasTheirs({ licenses }: ErasedCustomer, licenseId: string | null, atMs: number): boolean {
  const tenures = licenses.get(licenseId ?? "") ?? [];
  return tenures.some(({ sinceMs, untilMs }) => atMs > sinceMs && atMs <= untilMs);
}

const ownActions = new Set(["customer.erasure_requested", "customer.erased", "customer.exported"]);

async function eraseEntries({ store, step, stopping }: Work, customer: ErasedCustomer): Promise<void> {
  const { ids, organization_id: organizationId, requested_at: requestedAt } = customer;
  const isAbout = (entry: AuditLogRow) => {
    if (entry.subject_kind === "organization" || ownActions.has(entry.action)) return false;
    const { subject_id, actor_id, actor_kind, at, before, after, subject_name, actor_name, ip } = entry;
    const texts = [before, after, subject_name];
    if (actor_kind === "customer" && ids.has(actor_id ?? ""))
      return actor_name !== "" && (ip !== null || texts.some((text) => text !== null));
    if (texts.every((text) => text === null)) return false;
    if (ids.has(subject_id) || wasTheirs(customer, subject_id, at)) return true;
    return at <= requestedAt && texts.some(customer.mentions);
  };
  const pages = slicesOf<AuditLogRow>(readAtOnce, stopping, (last) =>
    auditPage(store.reads, organizationId, last ?? null, readAtOnce),
  );
  for await (const page of pages) {
    const found = page.filter(isAbout);
    const named = found.filter((entry) => entry.subject_kind === "license").map((entry) => entry.subject_id);
    await noteDeleted({ store, step, stopping }, customer, named);
    for (const some of inGroups(found)) await step((db) => emptyEntries(db, ids, some));
  }
}

async function eraseEvents({ store, step, stopping }: Work, customer: ErasedCustomer): Promise<void> {
  type Event = Awaited<ReturnType<typeof eventPage>>[number];
  const pages = slicesOf<Event>(readAtOnce, stopping, (last) =>
    eventPage(store.reads, customer.organization_id, last?.id ?? null, readAtOnce),
  );
  for await (const page of pages) {
    const found = page.filter(
      ({ license_id, at, data }) =>
        wasTheirs(customer, license_id, at) || (at <= customer.requested_at && customer.mentions(data)),
    );
    const named = found.flatMap(({ license_id }) => license_id ?? []);
    await noteDeleted({ store, step, stopping }, customer, named);
    for (const some of inGroups(found))
      await step((db) =>
        removeEvents(
          db,
          some.map(({ id }) => id),
        ),
      );
  }
}

/** A license that no longer exists, and that a trace of the customer is about, was theirs. */
async function noteDeleted(
  { store, step }: Work,
  customer: ErasedCustomer,
  licenseIds: readonly string[],
): Promise<void> {
  const unknown = [...new Set(licenseIds)].filter((id) => !customer.licenses.has(id));
  const deleted = await withoutExisting(store.reads, unknown);
  if (deleted.length === 0) return;
  // The last one whose it was: others are in `former_holders`.
  const since = await heldSince(store.reads, deleted, customer.customer_id);
  const untilMs = Number.MAX_SAFE_INTEGER;
  const rows = deleted.map((id) => ({ id, sinceMs: since.get(id) ?? 0, untilMs }));
  await step((db) => addErasedLicenses(db, customer.customer_id, rows));
  for (const { id, ...tenure } of rows) customer.licenses.set(id, [tenure]);
}

async function eraseEmails({ store, step, stopping }: Work, customer: ErasedCustomer): Promise<void> {
  type StoredEmail = Awaited<ReturnType<typeof emailPage>>[number];
  const pages = slicesOf<StoredEmail>(readAtOnce, stopping, (last) =>
    emailPage(store.reads, customer.organization_id, last?.id ?? null, readAtOnce),
  );
  for await (const page of pages) {
    const found = page.filter(
      ({ created_at, recipient, subject, body, failure }) =>
        created_at <= customer.requested_at && [recipient, subject, body, failure].some(customer.mentions),
    );
    for (const some of inGroups(found))
      await step((db) =>
        removeEmails(
          db,
          some.map(({ id }) => id),
        ),
      );
  }
}

/**
 * Responses to users who work for several organizations do not tell which one it was, except by IDs, which no two have in
 * common.
 */
async function eraseAnswers({ store, step, stopping }: Work, customer: ErasedCustomer): Promise<void> {
  type Answer = Awaited<ReturnType<typeof answerPage>>[number];
  const tokens = await actorsOf(store.reads, customer.organization_id);
  const isTheirs = (text: string, atMs: number) =>
    (text.match(uuids) ?? []).some((id) => customer.ids.has(id) || wasTheirs(customer, id, atMs));
  const size = 50;
  const pages = slicesOf<Answer>(size, stopping, (last) => answerPage(store.reads, last ?? null, size));
  for await (const page of pages) {
    const found = page.filter(
      ({ actor_id, created_at, text }) =>
        isTheirs(text, created_at) ||
        (created_at <= customer.requested_at && tokens.has(actor_id) && customer.mentions(text)),
    );
    for (const answer of found) await step((db) => removeAnswer(db, answer));
  }
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

async function eraseImports(work: Work, customer: ErasedCustomer): Promise<void> {
  const { store, stopping } = work;
  const { organization_id: organizationId, requested_at: requestedAt } = customer;
  const size = 20;
  const pages = slicesOf<ImportRow>(size, stopping, (last) =>
    importPage(store.reads, organizationId, requestedAt, last?.id ?? null, size),
  );
  for await (const page of pages) for (const row of page) await eraseImport(work, customer, row);
}

async function eraseImport(
  { store, step, stopping }: Work,
  customer: ErasedCustomer,
  row: ImportRow,
): Promise<void> {
  const { mentions } = customer;
  const errors = (JSON.parse(row.errors) as unknown[]).filter((error) => !mentions(JSON.stringify(error)));
  const changes = {
    ...(mentions(row.errors) ? { errors: JSON.stringify(errors) } : {}),
    ...(mentions(row.file_name?.replace(/\.\w+$/, "") ?? null) ? { file_name: null } : {}),
    ...(mentions(row.default_customer_email) ? { default_customer_email: null } : {}),
    ...(mentions(row.failure) ? { failure: null } : {}),
  };
  if (Object.keys(changes).length > 0) await step((db) => changeImport(db, row.id, changes));
  type Reject = Awaited<ReturnType<typeof rejectPage>>[number];
  const rejects = slicesOf<Reject>(readAtOnce, stopping, (last) =>
    rejectPage(store.reads, row.id, last?.number ?? -1, readAtOnce),
  );
  for await (const page of rejects)
    for (const some of inGroups(page.filter(({ cells, errors }) => mentions(cells) || mentions(errors))))
      await step((db) =>
        removeRejects(
          db,
          row.id,
          some.map(({ number }) => number),
        ),
      );
  type Undo = Awaited<ReturnType<typeof undoPage>>[number];
  const undo = slicesOf<Undo>(readAtOnce, stopping, (last) =>
    undoPage(store.reads, row.id, last?.license_id ?? "", readAtOnce),
  );
  for await (const page of undo)
    for (const some of inGroups(
      page.filter((row) => wasTheirs(customer, row.license_id, row.written_at) || mentions(row.before)),
    ))
      await step((db) =>
        removeUndo(
          db,
          row.id,
          some.map(({ license_id }) => license_id),
        ),
      );
}

function* inGroups<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += deletedAtOnce)
    yield items.slice(start, start + deletedAtOnce);
}
