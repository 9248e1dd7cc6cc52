import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everyLicenseOf, type LicenseFilter } from "@countersign/store/queries/licenses/filter";
import { recountLicenses, wrongCounts } from "@countersign/store/queries/licenses/recount";
import { hasStoredCount, storedCount } from "@countersign/store/queries/licenses/stored-counts";
import { OrganizationRemoval } from "../../apps/server/features/organizations/remove-due.ts";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const dayMs = 86_400_000;

describe.each(databases)("the stored counts of licenses on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const aProduct = async (organizationId: string, settings: object = {}) => {
    const { body } = await fixture.owner.api.post(`/organizations/${organizationId}/products`, {
      name: "Counted",
      ...settings,
    });
    const apiKey = String(body.api_key);
    return { id: String(body.id), apiKey, api: apiOf(fixture.server.url, apiKey) };
  };
  type Product = Awaited<ReturnType<typeof aProduct>>;
  const rowsOf = (organizationId: string) =>
    fixture.store.reads
      .selectFrom("licenses")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .execute();
  const deletedProducts = async () => {
    const products = fixture.store.reads.selectFrom("products").select("id");
    return new Set((await products.where("deleted_at", "is not", null).execute()).map(({ id }) => id));
  };

  /** A second implementation of the filters, to compare with. */
  const matching = (
    rows: Awaited<ReturnType<typeof rowsOf>>,
    deleted: ReadonlySet<string>,
    filter: LicenseFilter,
    nowMs: number,
  ) =>
    rows.filter((row) => {
      const endMs = row.expires_at ?? Number.POSITIVE_INFINITY;
      const status = row.revoked_at !== null ? "revoked" : endMs <= nowMs ? "expired" : "active";
      return (
        !deleted.has(row.product_id) &&
        (filter.productId === null || row.product_id === filter.productId) &&
        (filter.status === null || status === filter.status) &&
        (filter.expiresByMs === null || (endMs > nowMs && endMs <= filter.expiresByMs)) &&
        (filter.neverUsed === null || (row.first_used_at === null) === filter.neverUsed) &&
        (filter.hasNotes === null || (row.notes !== null) === filter.hasNotes)
      );
    }).length;

  const checkAll = async (organizationId: string, productId: string, what: string) => {
    expect(await wrongCounts(fixture.store.reads), what).toEqual([]);
    const rows = await rowsOf(organizationId);
    const deleted = await deletedProducts();
    const ends = rows.flatMap(({ expires_at: end }) => (end === null ? [] : [end]));
    const moments = [Date.now(), ...ends.slice(0, 2).flatMap((end) => [end - 1, end, end + 1])];
    for (const nowMs of moments) {
      for (const status of [null, "active", "expired", "revoked"] as const) {
        for (const other of [
          {},
          { productId },
          { neverUsed: true, hasNotes: false },
          { neverUsed: false },
          { expiresByMs: nowMs + 3.5 * dayMs },
        ] satisfies Partial<LicenseFilter>[]) {
          const filter = { ...everyLicenseOf(organizationId), ...other, status };
          expect(hasStoredCount(filter)).toBe(true);
          const counted = await storedCount(fixture.store.listReads, filter, nowMs);
          expect(counted, `${what}: ${JSON.stringify(other)} ${status} at ${nowMs}`).toBe(
            matching(rows, deleted, filter, nowMs),
          );
        }
      }
    }
  };

  test("are right after any sequence of operations, at any time of day", async () => {
    const seed = Math.floor(Math.random() * 1e9);
    let state = seed;
    const below = (most: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return Math.floor((state / 0x80000000) * most);
    };
    const api = fixture.owner.api;
    const organization = await api.post("/organizations", { name: "Random" });
    const organizationId = String(organization.body.id);
    const path = `/organizations/${organizationId}`;
    const products: Product[] = [await aProduct(organizationId), await aProduct(organizationId)];
    const one = <T>(of: readonly T[]): T => of[below(of.length)] as T;
    const aLicense = async () => one(await rowsOf(organizationId));
    const end = () => new Date(Date.now() + (below(20) - 5) * dayMs + below(dayMs)).toISOString();
    const body = () => ({
      customer_email: `buyer${below(5)}@example.com`,
      ...one([{ expires_at: end() }, { term_seconds: 86_400 * (1 + below(9)) }, { expires_at: null }]),
      ...one([{ notes: "By hand" }, {}]),
    });
    // Some operations are refused, such as renewing a lifetime license. They must change nothing.
    const ok = ({ status, text }: { status: number; text: string }) => {
      expect(status < 500, `${status} ${text}`).toBe(true);
      if (status < 400) done += 1;
    };
    let done = 0;
    const operations: Record<string, () => Promise<unknown>> = {
      create: async () => ok(await api.post(`/products/${one(products).id}/licenses`, body())),
      "create many": async () =>
        ok(await api.post(`/products/${one(products).id}/licenses`, { ...body(), count: 2 + below(20) })),
      import: async () => {
        const there = (await rowsOf(organizationId)).filter((row) =>
          products.some(({ id }) => id === row.product_id),
        );
        const kept = one(there);
        const rows = Array.from({ length: 1 + below(30) }, (_, at) => [
          at === 0 ? kept.license_key : null,
          `buyer${below(9)}@example.com`,
          one([end(), null]),
          one(["note", null]),
          one(["2026-01-02T00:00:00Z", null]),
        ]);
        const header = ["license_key", "customer_email", "expires_at", "notes", "revoked_at"];
        await importFile(fixture, csvFile(header, ...rows), "?on_existing=update&mode=row_by_row", {
          productId: kept.product_id,
        });
      },
      revoke: async () => ok(await api.post(`/licenses/${(await aLicense()).id}/revoke`, {})),
      reinstate: async () => ok(await api.post(`/licenses/${(await aLicense()).id}/reinstate`)),
      renew: async () =>
        ok(await api.post(`/licenses/${(await aLicense()).id}/renew`, { expires_at: end() })),
      change: async () =>
        ok(
          await api.patch(`/licenses/${(await aLicense()).id}`, {
            customer_email: `buyer${below(5)}@example.com`,
            notes: one([null, "Changed"]),
            ...one([{ expires_at: end() }, { expires_at: null }, {}]),
          }),
        ),
      delete: async () => ok(await api.delete(`/licenses/${(await aLicense()).id}`)),
      validate: async () => {
        const { license_key, product_id } = await aLicense();
        const product = products.find(({ id }) => id === product_id);
        await product?.api.validate({ license_key });
      },
      bulk: async () => {
        const action = one([
          { action: "revoke" },
          { action: "reinstate" },
          { action: "extend", extend_by_seconds: 90_000 },
          { action: "set_expiry", expires_at: end() },
          { action: "delete" },
        ]);
        const ids = (await rowsOf(organizationId)).slice(below(20), 40).map(({ id }) => id);
        if (ids.length === 0) return;
        const headers = { "idempotency-key": crypto.randomUUID() };
        ok(await api.post(`${path}/licenses/bulk`, { ...action, selection: { ids } }, headers));
      },
      "delete a product": async () => {
        const [first, ...rest] = products;
        if (first === undefined || rest.length < 2) return void products.push(await aProduct(organizationId));
        products.shift();
        ok(await api.delete(`/products/${first.id}`));
      },
    };
    await api.post(`/products/${products[0]?.id}/licenses`, { ...body(), count: 30 });
    const names = Object.keys(operations);
    for (let round = 0; round < 45; round += 1) {
      const left = (await rowsOf(organizationId)).filter((row) =>
        products.some(({ id }) => id === row.product_id),
      );
      const name =
        left.length < 20 ? "create many" : round < names.length ? (names[round] ?? "") : one(names);
      const what = `seed ${seed}, round ${round}, ${name}`;
      await operations[name]?.();
      if (round % 9 === 0) await checkAll(organizationId, products[0]?.id ?? "", what);
      else expect(await wrongCounts(fixture.store.reads), what).toEqual([]);
    }
    await checkAll(organizationId, products[0]?.id ?? "", `seed ${seed}, at the end`);
    expect(done, `seed ${seed}`).toBeGreaterThan(15);
  });

  test("are right after concurrent writes, on several nodes where possible", async () => {
    const product = await aProduct(fixture.organizationId);
    const second =
      kind === "postgres" ? await startServerProcess(fixture.database.environment) : fixture.server;
    const api = fixture.owner.api;
    const created = await api.post(`/products/${product.id}/licenses`, {
      customer_email: "a@example.com",
      term_seconds: 86_400,
      count: 200,
    });
    const licenses = created.body.data as { id: string; license_key: string }[];
    const elsewhere = apiOf(second.url, product.apiKey);
    const some = (from: number) => licenses.slice(from, from + 20);
    await Promise.all([
      ...licenses.map(({ license_key }, at) =>
        (at % 2 === 0 ? product.api : elsewhere).validate({ license_key }),
      ),
      ...Array.from({ length: 20 }, (_, at) =>
        api.post(`/products/${product.id}/licenses`, {
          customer_email: `b${at % 3}@example.com`,
          expires_in_seconds: 86_400 * (at % 4) + 60,
          count: 1 + (at % 5) * 30,
        }),
      ),
      ...some(0).map(({ id }) => api.post(`/licenses/${id}/revoke`, {})),
      ...some(10).map(({ id }) => api.delete(`/licenses/${id}`)),
      ...some(40).map(({ id }) => api.patch(`/licenses/${id}`, { notes: "Noted" })),
    ]);
    expect(await wrongCounts(fixture.store.reads)).toEqual([]);
    if (kind === "postgres") {
      const { reads } = fixture.store;
      const isFolded = async () =>
        (await reads.selectFrom("license_count_changes").select("day").execute()).length === 0;
      await until("the changes are folded", isFolded);
      await second.stop();
    }
    await checkAll(fixture.organizationId, product.id, "after many at once");
  });

  test("are exact within a day on which thousands of licenses expire", async () => {
    const product = await aProduct(fixture.organizationId);
    const filter = { ...everyLicenseOf(fixture.organizationId), productId: product.id } as const;
    const endMs = Date.UTC(2031, 4, 5, 12);
    for (const [count, expiresAtMs] of [
      [2_500, endMs],
      [3, endMs - 60_000],
      [2, endMs + 60_000],
    ] as const)
      await fixture.owner.api.post(`/products/${product.id}/licenses`, {
        customer_email: "a@example.com",
        count,
        expires_at: new Date(expiresAtMs).toISOString(),
      });
    const expired = (nowMs: number) =>
      storedCount(fixture.store.listReads, { ...filter, status: "expired" }, nowMs);
    expect(await expired(endMs - 120_000)).toBe(0);
    expect(await expired(endMs - 1)).toBe(3);
    expect(await expired(endMs)).toBe(2_503);
    expect(await expired(endMs + 120_000)).toBe(2_505);
    expect(await expired(endMs + dayMs)).toBe(2_505);
  });

  test("are repaired by a recount during concurrent writes", async () => {
    const product = await aProduct(fixture.organizationId);
    const addLicense = () =>
      fixture.owner.api.post(`/products/${product.id}/licenses`, {
        customer_email: "c@example.com",
        count: 50,
      });
    await addLicense();
    const spoil = () =>
      fixture.store.transaction(async (db) => {
        const none = { is_revoked: 1, is_used: 1, has_notes: 1, fact: "expires", licenses: 7 } as const;
        const where = { organization_id: fixture.organizationId, product_id: product.id, day: 9 };
        await db
          .insertInto("license_counts")
          .values({ ...none, ...where })
          .execute();
        await db
          .deleteFrom("license_counts")
          .where("product_id", "=", product.id)
          .where("day", ">", 9)
          .execute();
      });
    if (kind === "postgres") {
      const { reads } = fixture.store;
      const isFolded = async () =>
        (await reads.selectFrom("license_count_changes").select("day").execute()).length === 0;
      await until("the changes are folded", isFolded);
    }
    await spoil();
    expect((await wrongCounts(fixture.store.reads)).length).toBeGreaterThan(1);
    const [repaired] = await Promise.all([recountLicenses(fixture.store), addLicense(), addLicense()]);
    expect(repaired).toBeGreaterThan(1);
    expect(await wrongCounts(fixture.store.reads)).toEqual([]);
  });

  test("are deleted with their organization", async () => {
    const { body } = await fixture.owner.api.post("/organizations", { name: "Gone" });
    const product = await aProduct(String(body.id));
    await fixture.owner.api.post(`/products/${product.id}/licenses`, {
      customer_email: "d@example.com",
      count: 120,
    });
    await fixture.store.transaction((db) =>
      db.updateTable("organizations").set({ delete_after: 1 }).where("id", "=", String(body.id)).execute(),
    );
    await new OrganizationRemoval(fixture.store, { deleteOrganization: async () => {} }).run();
    const left = async (table: "license_counts" | "license_count_changes") =>
      (
        await fixture.store.reads
          .selectFrom(table)
          .select("day")
          .where("organization_id", "=", String(body.id))
          .execute()
      ).length;
    await until(
      "its counts are deleted",
      async () => (await left("license_counts")) + (await left("license_count_changes")) === 0,
    );
  });
});
