import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { customerReferences } from "@countersign/store/queries/customers/identify";
import { addPortalAction } from "@countersign/store/queries/portal/actions";
import { sql } from "kysely";
import { OrganizationRemoval } from "../../apps/server/features/organizations/remove-due.ts";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { addPendingTransfer } from "../support/filled-organization.ts";
import { openTestJournal, type TestJournal } from "../support/journal.ts";
import { type ManageFixture, openManageFixture, type Person } from "../support/manage-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { rowsWith, tablesOf, withoutDay } from "../support/whole-database.ts";

setDefaultTimeout(60_000);

/** Tables that may keep an ID of a removed organization: its products' keys, and the actors of the audit log. */
const mayKeep = new Set([
  "organizations",
  "products",
  "product_api_keys",
  "product_signing_keys",
  "audit_log",
]);

/** Tables whose rows belong to an organization, and whether removal deletes them. */
const belonging: Readonly<Record<string, "goes" | "stays">> = {
  products: "stays",
  product_api_keys: "stays",
  product_signing_keys: "stays",
  product_sandbox_keys: "goes",
  audit_log: "stays",
  product_versions: "goes",
  product_downloads: "goes",
  organization_customers: "goes",
  licenses: "goes",
  license_ips: "goes",
  license_tags: "goes",
  portal_actions: "goes",
  license_counts: "goes",
  // On PostgreSQL a moment later, when the changes are folded.
  license_count_changes: "goes",
  ip_blocks: "goes",
  daily_usage: "goes",
  roles: "goes",
  members: "goes",
  invitations: "goes",
  access_tokens: "goes",
  imports: "goes",
  import_pieces: "goes",
  import_undo: "goes",
  import_rejects: "goes",
  request_log: "goes",
  request_keys: "goes",
  rollup_hours: "goes",
  rollup_hour_uniques: "goes",
  rollup_days: "goes",
  license_days: "goes",
  license_refusals: "goes",
  events: "goes",
  recorded_expiries: "goes",
  webhook_endpoints: "goes",
  deliveries: "goes",
  customers: "goes",
  daily_emails: "goes",
  waiting_emails: "goes",
  organization_branding: "goes",
  transfers: "goes",
  impersonations: "goes",
  // Contain only IDs, and are pruned every hour.
  recorded_refusals: "stays",
  // Pruned with their hour.
  event_summaries: "stays",
  // Pruned within seconds.
  quota_checks: "stays",
  // Of a customer of Stripe, once their subscription was cancelled there.
  organization_billing: "goes",
  // Pruned after 90 days.
  stripe_events: "stays",
  // Contain only IDs, and are pruned after two days.
  quota_notices: "stays",
};

describe.each(databases)("removing an organization on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let journal: TestJournal;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    journal = await openTestJournal(fixture.database.location);
  });
  afterAll(async () => {
    await journal.close();
    await fixture.close();
  });

  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape, which the client has held against their contract.
  const call = async (person: Person, method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await person.api.send(method, path, body === undefined ? null : JSON.stringify(body), {
      "content-type": "application/json",
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };

  /** Creates rows of every kind, as far as the API can. */
  const fill = async (owner: Person, canary: string, shared: string) => {
    const organization = await call(owner, "POST", "/organizations", { name: "Firm" });
    const path = `/organizations/${organization.id}`;
    await call(owner, "PATCH", `${path}/branding`, { support_email: canary, display_name: canary });
    await call(fixture.admin, "POST", `/admin${path}/impersonation`, { reason: "Ticket 1" });
    // Keeps emails waiting.
    await call(fixture.admin, "PATCH", `/admin${path}`, { daily_emails_override: 0 });
    const delivered = { deliver_license_by_email: true };
    const product = await call(owner, "POST", `${path}/products`, { name: "Tool", ...delivered });
    const license = await call(owner, "POST", `/products/${product.id}/licenses`, {
      customer_email: canary,
      customer_name: "Canary",
      notes: `for ${canary}`,
      tags: ["vip"],
      metadata: { contact: canary },
    });
    const other = await call(owner, "POST", `/products/${product.id}/licenses`, { customer_email: shared });
    const deleted = await call(owner, "POST", `/products/${product.id}/licenses`, { customer_email: canary });
    const customer = await call(owner, "POST", `${path}/customers`, { email: `b-${canary}`, name: "B" });
    await call(owner, "PATCH", `${path}/customers/${customer.id}`, { email: `c-${canary}` });
    const transferred = {
      id: license.id,
      organizationId: organization.id,
      productId: product.id,
      customerId: license.global_customer_id,
      email: canary,
    };
    await fixture.store.transaction((db) => addPendingTransfer(db, transferred, Date.now()));
    const block = { cidr: "198.51.100.0/24", note: canary };
    await call(owner, "POST", `${path}/ip-blocks`, block);
    await call(owner, "POST", `${path}/customers/${license.global_customer_id}/ip-blocks`, block);
    await call(owner, "POST", `/licenses/${license.id}/ip-blocks`, block);
    await call(owner, "POST", `/products/${product.id}/versions`, { version: "1.0.0", state: "allowed" });
    await call(owner, "PUT", `/products/${product.id}/downloads`, {
      data: [{ title: canary, url: "https://a.example/" }],
    });
    await fixture.store.transaction((db) =>
      addPortalAction(db, {
        id: newId(),
        license_id: license.id,
        action: "ip_removed",
        count: 1,
        at: Date.now(),
      }),
    );
    const role = await call(owner, "POST", `${path}/roles`, { name: "Promised", permissions: [] });
    await call(owner, "POST", `${path}/invitations`, { email: `${newId()}@example.com`, role_id: role.id });
    await fixture.member([], organization.id);
    const token = await call(owner, "POST", `${path}/access-tokens`, {
      name: "Build",
      permissions: ["customers:manage"],
    });
    const byToken = await fetch(`${fixture.server.url}/api/manage/v1${path}/customers`, {
      method: "POST",
      body: JSON.stringify({ email: `d-${canary}` }),
      headers: {
        authorization: `Bearer ${token.token}`,
        "content-type": "application/json",
        "idempotency-key": newId(),
      },
    });
    expect(byToken.status).toBe(201);
    const importing = await owner.api.send(
      "POST",
      `/products/${product.id}/licenses/import?mode=row_by_row`,
      `license_key,customer_email\nKEY-${newId()},e-${canary}\n`,
      { "content-type": "text/csv" },
    );
    expect(importing.status).toBeWithin(200, 203);
    const publicApi = apiOf(fixture.server.url, product.api_key);
    for (const { license_key } of [license, other, deleted]) {
      expect((await publicApi.validate({ license_key })).body.valid).toBe(true);
    }
    for (const { id, license_key } of [license, deleted]) {
      await call(owner, "POST", `/licenses/${id}/revoke`, {});
      expect((await publicApi.validate({ license_key })).body.status).toBe("revoked");
    }
    await until("the import is done", async () => {
      const { data } = await call(owner, "GET", `/products/${product.id}/imports`);
      return data[0]?.state === "finished";
    });
    await fixture.store.transaction(async (db) => {
      const { id: importId } = await db
        .selectFrom("imports")
        .select("id")
        .where("organization_id", "=", organization.id)
        .executeTakeFirstOrThrow();
      const numbers = Array.from({ length: 30 }, (_, number) => number);
      await db
        .insertInto("import_pieces")
        .values(numbers.map((number) => ({ import_id: importId, number, body: canary })))
        .execute();
      await db
        .insertInto("import_undo")
        .values({ import_id: importId, license_id: license.id, before: canary })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await db
        .insertInto("import_rejects")
        .values({ import_id: importId, number: 1, cells: canary, errors: "[]" })
        .execute();
    });
    await until("the requests are recorded", async () => {
      const rows = await requestLog(fixture.store, { organization_id: String(organization.id) });
      return rows.length === 5;
    });
    // As if time had passed.
    while ((await journal.journal.closeSegment(Date.now() + 3_600_000)) > 0);
    await call(owner, "DELETE", `/licenses/${deleted.id}`);
    const ids = {
      organization: String(organization.id),
      product: String(product.id),
      license: String(license.id),
      deletedLicense: String(deleted.id),
      customer: String(license.global_customer_id),
      token: String(token.id),
      role: String(role.id),
    };
    return { ids, publicApi, licenseKey: String(other.license_key), path, slug: String(organization.slug) };
  };

  const makeDue = (id: string) =>
    fixture.store.transaction((db) =>
      db
        .updateTable("organizations")
        .set({ delete_after: Date.now() - 1 })
        .where("id", "=", id)
        .execute(),
    );
  const isGone = async (id: string) => {
    const row = await fixture.store.reads
      .selectFrom("organizations")
      .select(["deleted_at", "delete_after"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    return row.deleted_at !== null && row.delete_after === null;
  };
  /** On PostgreSQL the counts of the last licenses are folded up to a second later. */
  const countsAreFolded = (id: string) =>
    until("its license counts are folded", async () => {
      const { license_counts = [], license_count_changes = [] } = await rowsWith(fixture.store, id);
      return license_counts.length + license_count_changes.length === 0;
    });

  test("leaves no trace of it and affects no other organization", async () => {
    const shared = `shared-${newId()}@customers.example`;
    const canary = `canary-${newId()}@customers.example`;
    const gone = await fill(await fixture.person(), canary, shared);
    const stays = await fill(await fixture.person(), `stays-${newId()}@customers.example`, shared);
    const before: Record<string, string[]> = {};
    for (const [name, id] of Object.entries(gone.ids)) {
      before[name] = Object.keys(await rowsWith(fixture.store, id));
    }
    expect(before.organization).toEqual(
      expect.arrayContaining([
        ...["licenses", "request_log", "ip_sightings", "license_refusals"],
        ...["rollup_hours", "rollup_hour_uniques", "rollup_days"],
        ...["waiting_emails", "daily_emails"],
      ]),
    );
    expect(before.deletedLicense).toEqual(
      expect.arrayContaining(["request_log", "ip_sightings", "license_refusals"]),
    );
    expect(before.token).toContain("idempotency_keys");
    await until("all events are distributed", async () => {
      const events = fixture.store.reads.selectFrom("events").select("id");
      return (await events.where("undistributed", "is not", null).execute()).length === 0;
    });
    // Counts are folded concurrently, and have their own tests.
    const others = async () => {
      const { license_counts, license_count_changes, ...rows } = await rowsWith(
        fixture.store,
        stays.ids.organization,
      );
      return rows;
    };
    const untouched = await others();
    const sharedBefore = await fixture.store.reads
      .selectFrom("customers")
      .selectAll()
      .where("email", "=", shared)
      .where("organization_id", "=", stays.ids.organization)
      .execute();
    expect(sharedBefore).toHaveLength(1);

    await makeDue(gone.ids.organization);
    await until("the organization is removed", () => isGone(gone.ids.organization));
    await countsAreFolded(gone.ids.organization);

    expect(await rowsWith(fixture.store, canary)).toEqual({});
    for (const [name, id] of Object.entries(gone.ids)) {
      const left = Object.keys(await rowsWith(fixture.store, id)).filter((table) => !mayKeep.has(table));
      expect([name, left]).toEqual([name, []]);
    }
    expect(await others()).toEqual(untouched);
    expect(
      await fixture.store.reads.selectFrom("customers").selectAll().where("email", "=", shared).execute(),
    ).toEqual(sharedBefore);
    const answer = await stays.publicApi.validate({ license_key: stays.licenseKey });
    expect(answer.body.valid).toBe(true);
    const sightings = await fixture.store.reads
      .selectFrom("ip_sightings")
      .select("ip")
      .where("scope_id", "=", stays.ids.license)
      .execute();
    expect(sightings).toHaveLength(1);
  });

  test("keeps the actors in the audit log and erases only the subjects", async () => {
    const owner = await fixture.person();
    const canary = `canary-${newId()}@customers.example`;
    const { ids, path, slug } = await fill(owner, canary, `other-${canary}`);
    await call(owner, "DELETE", path, { confirm: slug });
    await makeDue(ids.organization);
    await until("the organization is removed", () => isGone(ids.organization));
    const entries = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("organization_id", "=", ids.organization)
      .execute();
    const made = entries.find((entry) => entry.action === "customer.created");
    expect(made).toMatchObject({ actor_kind: "person", subject_name: null, before: null, after: null });
    const end = entries.find((entry) => entry.action === "organization.deleted");
    expect(end).toMatchObject({ subject_name: "Firm" });
    expect(JSON.parse(end?.before ?? "{}")).toMatchObject({ slug });
    const emails = await fixture.store.reads
      .selectFrom("outbox")
      .select("kind")
      .where("recipient", "=", owner.email)
      .orderBy("id")
      .execute();
    expect(emails.map((message) => message.kind)).toEqual([
      "emails_waiting",
      "account_security",
      "organization_deletion_requested",
      "organization_deleted",
    ]);
  });

  test("does not allow erasing audit log entries of an existing organization", async () => {
    const owner = await fixture.person();
    const organization = await call(owner, "POST", "/organizations", { name: "Here" });
    await call(owner, "POST", `/organizations/${organization.id}/customers`, {
      email: `${newId()}@a.example`,
    });
    const empty = fixture.store.transaction((db) =>
      db
        .updateTable("audit_log")
        .set({ before: null, after: null, subject_name: null })
        .where("organization_id", "=", organization.id)
        .where("subject_kind", "=", "customer")
        .execute(),
    );
    expect(empty).rejects.toThrow("append-only");
  });

  test("continues after an interruption", async () => {
    const owner = await fixture.person();
    const { ids } = await fill(owner, `canary-${newId()}@a.example`, `shared-${newId()}@a.example`);
    const licenses = Array.from({ length: 1_000 }, (_, index) => ({
      customer_email: `${index}@many.example`,
    }));
    await call(owner, "POST", `/products/${ids.product}/licenses`, { licenses });
    await makeDue(ids.organization);
    const stopping = new AbortController();
    const running = new OrganizationRemoval(fixture.store, journal).run(stopping.signal);
    await new Promise((resolve) => setTimeout(resolve, 20));
    stopping.abort();
    await running;
    expect(await isGone(ids.organization)).toBe(false);
    await until("the organization is removed", () => isGone(ids.organization));
    await countsAreFolded(ids.organization);
    const left = Object.keys(await rowsWith(fixture.store, ids.organization));
    expect(left.filter((table) => !mayKeep.has(table))).toEqual([]);
  });

  test("knows every table whose rows belong to an organization", async () => {
    const columns = ["organization_id", "product_id", "license_id", "import_id"];
    const found = Object.entries(await tablesOf(fixture.store))
      .filter(([, has]) => has.some((column) => columns.includes(column)))
      .map(([table]) => withoutDay(table));
    // A new table needs an entry above and handling in remove.ts.
    expect(found.filter((table) => belonging[table] === undefined)).toEqual([]);
  });

  test("checks every table that refers to a customer before deleting one", async () => {
    const { rows } =
      kind === "sqlite"
        ? await sql<{ table: string }>`select m.name as "table" from main.sqlite_master m,
            pragma_foreign_key_list(m.name) f where m.type = 'table' and f."table" = 'customers'`.execute(
            fixture.store.reads,
          )
        : await sql<{ table: string }>`select conrelid::regclass::text as "table" from pg_constraint
            where contype = 'f' and confrelid = 'customers'::regclass`.execute(fixture.store.reads);
    const known = customerReferences.map(({ table }) => String(table));
    expect(rows.map((row) => row.table).filter((table) => !known.includes(table))).toEqual([]);
  });
});
