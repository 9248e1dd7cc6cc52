import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { productById } from "@countersign/store/queries/products/products";
import type { SqliteStore } from "@countersign/store/sqlite/store";
import type { Tables } from "@countersign/store/tables";
import type { Insertable } from "kysely";
import { RoutedApi } from "../../apps/server/api/routed-api.ts";
import { readConfig } from "../../apps/server/base/config.ts";
import { createLog } from "../../apps/server/base/log.ts";
import { expiryCheck } from "../../apps/server/features/events/expiry-check.ts";
import { refusalPruning } from "../../apps/server/features/events/prune-refusals.ts";
import { importFromFile } from "../../apps/server/features/license-files/import-from-file.ts";
import { organizationRemoval } from "../../apps/server/features/organizations/remove-due.ts";
import { Distributor } from "../../apps/server/features/webhooks/delivery/distribute.ts";
import { deliveryPruning } from "../../apps/server/features/webhooks/delivery/upkeep.ts";
import { pruningJobs } from "../../apps/server/jobs/pruning.ts";
import { manageRoutes } from "../../apps/server/threads/routes.ts";
import { sqlite } from "../support/databases.ts";
import { csvFile } from "../support/license-files.ts";
import { addPerson } from "../support/manage-fixture.ts";
import { measuredStore } from "../support/measured-store.ts";
import { openOwnOrganization } from "../support/own-organization.ts";
import { changeRows, storedRows } from "../support/stored-rows.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(180_000);

const licenseCount = 14_000;
const manyOfOneCustomer = 3_000;
const manyIps = 8_000;

/**
 * On SQLite, every writer waits for the current one. The number of rows bounds a step and does not depend on the
 * machine. The limit for its time is generous, because other tests run at the same time.
 */
const maxRows = 3_000;
const maxCpuMs = 300;
/** Few short rows need no steps. */
const maxVersions = 5_000;

describe("transactions on much data", () => {
  let org: Awaited<ReturnType<typeof openOwnOrganization>>;
  let measured: ReturnType<typeof measuredStore>;
  let api: RoutedApi;
  let token: string;
  const ids: string[] = [];

  beforeAll(async () => {
    org = await openOwnOrganization(sqlite.make);
    measured = measuredStore(org.store);
    const { store, organizationId, productId } = org;
    const owner = await addPerson(store);
    token = owner.token;
    await store.transaction((db) => updateOrganization(db, organizationId, { owner_id: owner.userId }));
    for (let start = 0; start < licenseCount; start += 1_000) {
      await store.transaction(async (db) => {
        const email = start < manyOfOneCustomer ? "big@example.com" : `c${start}@example.com`;
        const who = { email, discordId: null, name: null };
        const customerId = await customerFor(db, organizationId, who, newId, Date.now());
        const expiresAtMs = start >= 11_000 ? Date.now() + 3_600_000 : null;
        const common = { organizationId, productId, customerId, maxIps: 1_000_000, expiresAtMs };
        const batch = Array.from({ length: 1_000 }, (_, at) => {
          const number = start + at;
          return { ...common, id: newId(), key: `KEY-${number}`, searchText: `key-${number}` };
        });
        ids.push(...batch.map((license) => license.id));
        await createLicenses(db, batch, Date.now());
      });
    }
    const log = createLog({ level: "error", pretty: false, now: Date.now, write: () => {} });
    const signIn = { personOf: async () => null } as never;
    const config = readConfig({ COUNTERSIGN_DATA: "/nowhere" });
    api = new RoutedApi({ store: measured.store, config, log, signIn }, manageRoutes);
  });
  afterAll(() => org.close());

  const send = async (method: string, path: string, body?: unknown, headers = {}) => {
    const request = new Request(`http://127.0.0.1/api/manage/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await api.handle(request, "127.0.0.1", newId());
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
  /** Adds rows, some at a time. */
  const add = async <Table extends keyof Tables>(table: Table, rows: readonly object[], atOnce = 500) => {
    for (let start = 0; start < rows.length; start += atOnce) {
      const some = rows.slice(start, start + atOnce) as Insertable<Tables[Table]>[];
      await org.store.transaction((db) => db.insertInto(table).values(some).execute());
    }
  };
  const ipsFor = async (license_id: string) => {
    const rows = Array.from({ length: manyIps }, (_, at) => {
      return { license_id, ip: `10.0.${at >> 8}.${at & 255}`, registered_at: 1 };
    });
    await add("license_ips", rows);
    await org.store.transaction((db) =>
      changeRows(db, "licenses", { id: license_id }, { ip_count: manyIps }),
    );
  };
  const rowsOf = async (query: { execute(): Promise<unknown[]> }) => (await query.execute()).length;
  const customers = () => `/organizations/${org.organizationId}/customers`;
  const bounded = async (work: () => Promise<unknown>, most = maxRows) => {
    const largest = await measured.during(work);
    expect(largest.count).toBeGreaterThan(0);
    expect(largest.rows).toBeLessThanOrEqual(most);
    expect(largest.cpuMs).toBeLessThan(maxCpuMs);
  };

  test("transactions are bounded when a thousand licenses get the longest text that a request can write", () =>
    bounded(async () => {
      const metadata = { text: "m".repeat(7_000) };
      const body = { count: 1_000, customer_email: "new@example.com", metadata };
      const headers = { "idempotency-key": "many" };
      const answer = await send("POST", `/products/${org.productId}/licenses`, body, headers);
      expect(answer.data).toHaveLength(1_000);
    }));

  test.each([
    ["tags", { action: "add_tags", tags: ["a", "b", "c"] }],
    ["a new expiry", { action: "set_expiry", expires_at: "2040-01-01T00:00:00Z" }],
    ["revocation", { action: "revoke" }],
    ["deletion", { action: "delete" }],
  ])("transactions are bounded when a bulk action changes two thousand licenses: %s", (_name, action) =>
    bounded(() => {
      const body = { ...action, selection: { ids: ids.slice(4_000, 6_000) } };
      return send("POST", `/organizations/${org.organizationId}/licenses/bulk`, body);
    }),
  );

  test("transactions are bounded when a customer with thousands of licenses is renamed", () =>
    bounded(async () => {
      const { data } = await send("GET", `${customers()}?search=big`);
      await send("PATCH", `${customers()}/${data[0].id}`, { name: "A name for all of them" });
      const named = org.store.reads
        .selectFrom("licenses")
        .select("id")
        .where("search_text", "like", "%a name for all of them%");
      expect(await rowsOf(named)).toBe(manyOfOneCustomer);
    }));

  test("transactions are bounded when a customer with thousands of licenses is merged into another", () =>
    bounded(async () => {
      const { data } = await send("GET", `${customers()}?search=big`);
      const changed = await send("PATCH", `${customers()}/${data[0].id}`, { email: "c3000@example.com" });
      expect(changed.license_count).toBe(manyOfOneCustomer + 1_000);
      const moved = org.store.reads
        .selectFrom("events")
        .select("id")
        .where("type", "=", "license.updated")
        .where("data", "like", "%customer_email%previous%");
      expect(await rowsOf(moved)).toBeGreaterThanOrEqual(manyOfOneCustomer);
      expect((await send("GET", `${customers()}?search=big`)).data).toEqual([]);
    }));

  test("transactions are bounded when the IP addresses of a license with very many are reset", () =>
    bounded(async () => {
      const [id = ""] = ids;
      await ipsFor(id);
      const license = await send("POST", `/licenses/${id}/reset-ips`);
      expect(license.current_unique_ip_count).toBe(0);
      const { data } = await send("GET", `/licenses/${id}/events?type=license.ips_reset`);
      expect(data[0].data.count).toBe(manyIps);
    }));

  test("transactions are bounded when a license with very many IP addresses is deleted", () =>
    bounded(async () => {
      const id = ids[1] ?? "";
      await ipsFor(id);
      await send("DELETE", `/licenses/${id}`);
      expect(await storedRows(org.store.reads, "license_ips", { license_id: id })).toEqual([]);
    }));

  test("transactions are bounded when a file with long rows is imported", () =>
    bounded(async () => {
      const product = await productById(org.store.reads, org.productId);
      if (product === undefined) throw new Error("The product is not there.");
      const notes = "n".repeat(9_000);
      const rows = Array.from({ length: 2_000 }, (_, at) => [`IMPORTED-${at}`, `i${at}@example.com`, notes]);
      const file = csvFile(["license_key", "customer_email", "notes"], ...rows);
      const how = { mode: "all_or_nothing", onExisting: "fail" } as const;
      const options = { format: "csv", dryRun: false, columns: {}, ...how } as const;
      const job = await importFromFile(measured.store, product, options, bytesOf(file), () => {});
      expect(job.created).toBe(2_000);
    }));

  test("transactions are bounded when expired licenses get events", () =>
    bounded(async () => {
      const watch = expiryCheck(measured.store, readConfig({}), async () => Date.now());
      await watch.run();
      await expiryCheck(measured.store, readConfig({}), async () => Date.now() + 7_200_000).run();
    }));

  test("transactions are bounded when events are distributed and pruned", () =>
    bounded(async () => {
      const distributor = new Distributor(measured.store);
      while ((await distributor.round()) > 0);
      await org.store.transaction((db) => db.updateTable("events").set({ at: 1 }).execute());
      await deliveryPruning(measured.store).run();
    }));

  test("transactions are bounded when stored responses and emails are pruned", () =>
    bounded(async () => {
      const answer = { fingerprint: "f", status: 200, sealed_answer: "x".repeat(50_000), created_at: 1 };
      const stored = { ...answer, actor_id: "a" };
      const rows = Array.from({ length: 500 }, () => ({ ...stored, idempotency_key: newId() }));
      await add("idempotency_keys", rows, 50);
      for (const job of pruningJobs(measured.store, true)) await job.run();
      expect(await storedRows(org.store.reads, "idempotency_keys", { created_at: 1 })).toEqual([]);
    }));

  test("transactions are bounded when the refusals of an hour are summarized", () =>
    bounded(async () => {
      const { organizationId, productId } = org;
      const refusal = { hour: 1, type: "license.ip_blocked" as const, count: 5, last_ip: "203.0.113.1" };
      const of = { organization_id: organizationId, product_id: productId, first_at: 1, last_at: 2 };
      const rows = ids.slice(7_000, 9_000).map((license_id) => ({ ...refusal, ...of, license_id }));
      await add("event_summaries", rows);
      await refusalPruning(measured.store).run();
    }));

  test("transactions are bounded when the list of versions is replaced by the longest possible one, twice", () =>
    bounded(
      async () => {
        for (const part of ["1", "2"]) {
          const versionOf = (_: unknown, at: number) => ({ version: `${at}.${part}`, state: "allowed" });
          const versions = Array.from({ length: 5_000 }, versionOf);
          await send("PUT", `/products/${org.productId}/versions`, { versions });
        }
      },
      2 * maxVersions + maxRows,
    ));

  test("transactions are bounded when the product is deleted, and the organization is removed", async () => {
    await bounded(() => send("DELETE", `/products/${org.productId}`));
    // The rest is deleted directly to keep the test fast. The remaining rows show the size of a step.
    await org.store.transaction(async (db) => {
      await db.deleteFrom("events").execute();
      await db.deleteFrom("licenses").where("id", "in", ids.slice(8_000, 13_000)).execute();
      await updateOrganization(db, org.organizationId, { delete_after: 1 });
    });
    const removal = organizationRemoval(measured.store, { deleteOrganization: async () => {} });
    await bounded(() => removal.run(), maxVersions + maxRows);
  });

  test("the write lock reports its hold times", () => {
    const { count, maxMs } = (org.store as SqliteStore).writeHolds;
    expect(count).toBeGreaterThan(100);
    expect(maxMs).toBeGreaterThan(0);
  });
});

async function* bytesOf(file: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof file === "string" ? new TextEncoder().encode(file) : file;
}
