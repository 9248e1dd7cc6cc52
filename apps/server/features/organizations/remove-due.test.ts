import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStore } from "@countersign/store/databases/open";
import { customerFor, customerReferences } from "@countersign/store/queries/customers/identify";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import { organizationById, updateOrganization } from "@countersign/store/queries/organizations/organizations";
import type { Store } from "@countersign/store/store";
import { sql } from "kysely";
import { databases, type TestDatabase } from "../../../../tests/support/databases.ts";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { openTestJournal, type TestJournal } from "../../../../tests/support/journal.ts";
import { listed } from "../../../../tests/support/listed.ts";
import { addOrganizationRows } from "../../../../tests/support/organization-rows.ts";
import { journalEntry } from "../../../../tests/support/request-log.ts";
import { storedRows } from "../../../../tests/support/stored-rows.ts";
import { newId, openTestOrganization } from "../../../../tests/support/test-organization.ts";
import { rowsWith, tablesOf, withoutDay } from "../../../../tests/support/whole-database.ts";
import { auditWithoutRequest } from "../audit-log/record.ts";
import { organizationRemoval } from "./remove-due.ts";

/**
 * Tables whose rows belong to an organization, and are deleted with it. A new table needs an entry here or in `staying`,
 * handling in `queries/organizations/remove-data.ts`, and a row in `tests/support/organization-rows.ts`.
 */
const going = [
  ...listed(`
    product_sandbox_keys product_versions product_downloads organization_customers licenses license_ips
    license_tags portal_actions license_counts ip_blocks daily_usage roles members invitations
    access_tokens imports import_pieces import_undo import_rejects request_log request_log_cuts rollup_hours
    rollup_hour_uniques rollup_days license_days license_refusals events recorded_expiries unannounced_expiries
    webhook_endpoints deliveries customers former_holders customer_erasures erased_licenses waiting_emails organization_branding transfers impersonations`),
  // Of a customer of Stripe, once their subscription was cancelled there.
  "organization_billing",
];

/** Tables whose rows stay. */
const staying = [
  ...listed("organizations products product_api_keys product_signing_keys"),
  // Who did what, and not what it was about.
  "audit_log",
  // Emails, which are pruned by age.
  "outbox",
  // Until when that was archived.
  "audit_log_cutoffs",
  // On PostgreSQL, changes that are folded into the counts within a second.
  "license_count_changes",
  // Pruned soon; these contain only IDs.
  ...listed("recorded_refusals event_summaries quota_checks stripe_events quota_notices"),
];

/** Also removed, although the organization is not in a column with this name. */
const alsoGone = listed("daily_emails idempotency_keys ip_sightings request_keys portal_identities");

// With its own database, whose rows are read as a whole.
describe.each(databases)("removing organizations on $kind", ({ kind, make }) => {
  let database: TestDatabase;
  let store: Store;
  let journal: TestJournal;
  beforeAll(async () => {
    database = await make();
    store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
    journal = await openTestJournal(database.location);
  }, 60_000);
  afterAll(async () => {
    await journal.close();
    await store.close();
    database.remove();
  });

  /**
   * An organization with rows of every kind. Its license was used from many IP addresses and then revoked. One customer
   * is also a customer of the others.
   */
  const filled = async (email: string) => {
    const { organizationId, productId } = await openTestOrganization(null, { store });
    const nowMs = await store.clock();
    const rows = await store.transaction(async (db) => {
      const added = await addOrganizationRows(db, { organizationId, productId }, email, nowMs);
      await updateOrganization(db, organizationId, { owner_id: added.member });
      const shared = { email: "shared@customers.example", discordId: null, name: null };
      await customerFor(db, organizationId, shared, newId, nowMs);
      await auditWithoutRequest(db, { kind: "system", name: "Shop" }, nowMs, {
        action: "customer.created",
        subject: { kind: "customer", id: added.customer, name: email },
        before: { email: null },
        after: { email },
        organizationId,
      });
      return added;
    });
    const ids = { organization: organizationId, product: productId, ...rows };
    const ips = [1, 2, 3, 4, 5].map((number) => `203.0.113.${number}`);
    await log(ids, ...ips.map((ip): [string, string] => ["active", ip]), ["revoked", "203.0.113.1"]);
    return ids;
  };
  /** Validations at the same moment. */
  const log = (
    { organization, product, license }: Record<"organization" | "product" | "license", string>,
    ...validations: [status: string, ip: string][]
  ) => {
    const ids = { organization_id: organization, product_id: product, license_id: license };
    const about = { ...ids, at: Date.now(), tracked: true };
    return journal.journal.append(validations.map(([status, ip]) => journalEntry({ ...about, status, ip })));
  };
  const makeDue = (id: string) => store.transaction((db) => updateOrganization(db, id, { delete_after: 1 }));
  const run = (stopping?: AbortSignal) => organizationRemoval(store, journal).run(stopping);
  /** Requests are logged up to a few seconds later, so the second run comes as if these had passed. */
  const finish = async (id: string) => {
    await store.transaction((db) => updateOrganization(db, id, { deleted_at: 1 }));
    await run();
    expect(await organizationById(store.reads, id)).toMatchObject({ deleted_at: 1, delete_after: null });
  };
  /** On PostgreSQL, the counts of its licenses are folded by a job. */
  const contentsOf = async (id: string) => {
    const { license_counts, license_count_changes, ...rows } = await rowsWith(store, id);
    return rows;
  };

  test("a removal leaves no trace of an organization, and every row of another one", async () => {
    const email = `canary-${newId()}@customers.example`;
    const gone = await filled(email);
    const stays = await filled(`stays-${newId()}@customers.example`);
    while ((await journal.journal.closeSegment(Date.now() + 3_600_000)) > 0);
    // As if the log were too large: what is cut is deleted later.
    await journal.journal.trim(1);
    await log(gone, ["active", "203.0.113.9"]);
    const before: Record<string, string[]> = {};
    for (const id of [...Object.values(gone), email]) Object.assign(before, await rowsWith(store, id));
    const missing = [...going, ...alsoGone].filter((table) => before[table] === undefined);
    // On PostgreSQL, the counts are folded by a job.
    expect(missing.filter((table) => kind === "sqlite" || table !== "license_counts")).toEqual([]);
    const untouched = await contentsOf(stays.organization);
    const sightings = await rowsWith(store, stays.license);

    await makeDue(gone.organization);
    await run();
    await finish(gone.organization);

    expect(await rowsWith(store, email)).toEqual({});
    // Whoever was a member has an account of their own.
    const { member: _, ...ids } = gone;
    for (const [name, id] of Object.entries(ids)) {
      const left = Object.keys(await rowsWith(store, id)).filter((table) => !staying.includes(table));
      expect([name, left]).toEqual([name, []]);
    }
    expect(await contentsOf(stays.organization)).toEqual(untouched);
    expect(await rowsWith(store, stays.license)).toEqual(sightings);
    expect(sightings.ip_sightings).not.toBeEmpty();
  }, 60_000);

  test("a removal keeps who did what in the audit log, and tells the former owner, once on any number of nodes", async () => {
    const email = `canary-${newId()}@customers.example`;
    const { organization: id, member: owner } = await filled(email);
    const erase = { before: null, after: null, subject_name: null };
    const erased = store.transaction((db) =>
      db.updateTable("audit_log").set(erase).where("organization_id", "=", id).execute(),
    );
    await expect(erased).rejects.toThrow("append-only");
    await makeDue(id);
    await Promise.all([run(), run(), run()]);
    await finish(id);
    const entries = await storedRows(store.reads, "audit_log", { organization_id: id });
    const created = entries.filter(({ action }) => action === "customer.created");
    expect(created).toMatchObject([{ actor_name: "Shop", ...erase }]);
    const ended = entries.filter(({ action }) => action === "organization.deleted");
    const about = { actor_kind: "system", subject_id: id, subject_name: "Test Organization" } as const;
    expect(ended).toMatchObject([about]);
    expect(JSON.parse(ended[0]?.before ?? "{}")).toEqual({ slug: `org-${id}`, owner_id: owner });
    const emails = await openedEmails(store, { to: `${owner}@example.com` });
    expect(emails.map((message) => message.kind)).toEqual(["organization_deleted"]);
  });

  test("a removal continues on another node after an interruption, a little at a time", async () => {
    const { organizationId: id, productId } = await openTestOrganization(null, { store });
    const license = { organizationId: id, productId, customerId: null, maxIps: 3 };
    const many = Array.from({ length: 120 }, () => ({ ...license, id: newId(), key: newId() }));
    await store.transaction((db) => createLicenses(db, many, 0));
    await makeDue(id);
    const stopping = new AbortController();
    let transactions = 0;
    const stopsLater = new Proxy(store, {
      get: (target, name) => {
        // The organization has ended then, and some of its licenses are removed.
        if (name === "transaction" && ++transactions === 4) stopping.abort();
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await organizationRemoval(stopsLater, journal).run(stopping.signal);
    const licenses = () => storedRows(store.reads, "licenses", { organization_id: id });
    const left = (await licenses()).length;
    expect(left).toBeWithin(1, 120);
    expect(await organizationById(store.reads, id)).toMatchObject({ deleted_at: expect.any(Number) });
    await run();
    expect(await licenses()).toEqual([]);
    await finish(id);
  });

  test("a removal knows every table whose rows belong to an organization", async () => {
    const columns = ["organization_id", "product_id", "license_id", "import_id"];
    const found = Object.entries(await tablesOf(store))
      .filter(([, has]) => has.some((column) => columns.includes(column)))
      .map(([table]) => withoutDay(table));
    expect(found.filter((table) => !going.includes(table) && !staying.includes(table))).toEqual([]);
  });

  test("a removal checks every table that refers to a customer before deleting one", async () => {
    const query =
      kind === "sqlite"
        ? sql<{ name: string }>`select m.name from main.sqlite_master m, pragma_foreign_key_list(m.name) f
            where m.type = 'table' and f."table" = 'customers'`
        : sql<{ name: string }>`select conrelid::regclass::text as name from pg_constraint
            where contype = 'f' and confrelid = 'customers'::regclass`;
    const { rows } = await query.execute(store.reads);
    const known = customerReferences.map(({ table }) => String(table));
    expect(rows.filter(({ name }) => !known.includes(name))).toEqual([]);
  });
});
