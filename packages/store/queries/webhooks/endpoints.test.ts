import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { makeDelivery, makeEndpoint } from "../../../../tests/support/webhooks.ts";
import { signingSecrets } from "./claim-deliveries.ts";
import {
  addSecret,
  countEndpoints,
  deletedEndpoints,
  endpointOf,
  endpointsOf,
  lockedEndpoint,
  oldSecrets,
  productsAmong,
  removeSecrets,
  removeSomeOfEndpoint,
  retireSecrets,
  updateEndpoint,
} from "./endpoints.ts";

const url = "https://hooks.example.invalid/path?token=1";

onBothDatabases("webhook endpoints", (fixture) => {
  const endpoint = async (organizationId: string, settings: Parameters<typeof makeEndpoint>[3] = {}) =>
    (await makeEndpoint(fixture.store, organizationId, url, settings)).id;

  test("the endpoints of an organization are listed oldest first, in pages, without deleted ones and those of others", async () => {
    const { organizationId } = await fixture.organization();
    const other = await fixture.organization();
    const at = (created_at: number) => endpoint(organizationId, { created_at });
    const newest = await at(3_000);
    const sameTime = [await at(2_000), await at(2_000)];
    const oldest = await at(1_000);
    await endpoint(organizationId, { created_at: 1_500, deleted_at: 4_000 });
    await endpoint(other.organizationId, { created_at: 1_600 });
    const listed: string[] = [];
    for (let after: { createdAt: number; id: string } | null = null; ; ) {
      const page = await endpointsOf(fixture.reads, organizationId, { after, limit: 1 });
      const [row] = page;
      if (row === undefined) break;
      expect(row.url).toBe(url);
      listed.push(row.id);
      after = { createdAt: row.created_at, id: row.id };
    }
    expect(listed).toEqual([oldest, ...sameTime.toSorted(), newest]);
    expect(await endpointsOf(fixture.reads, organizationId, { after: null, limit: 3 })).toHaveLength(3);
    expect(await countEndpoints(fixture.reads, organizationId)).toBe(4);
  });

  test("an endpoint is found and locked in its own organization only, and not after it was deleted", async () => {
    const { organizationId } = await fixture.organization();
    const other = await fixture.organization();
    const id = await endpoint(organizationId);
    const found = async (ofOrganization: string) => [
      (await endpointOf(fixture.reads, ofOrganization, id))?.url,
      (await fixture.write((db) => lockedEndpoint(db, ofOrganization, id)))?.url,
    ];
    expect(await found(organizationId)).toEqual([url, url]);
    expect(await found(other.organizationId)).toEqual([undefined, undefined]);
    await fixture.write((db) => updateEndpoint(db, id, { deleted_at: 1 }));
    expect(await found(organizationId)).toEqual([undefined, undefined]);
  });

  test("a URL is stored encrypted, and an update changes only the given fields of one endpoint", async () => {
    const { organizationId } = await fixture.organization();
    const [id, untouched] = [await endpoint(organizationId), await endpoint(organizationId)];
    const before = await endpointOf(fixture.reads, organizationId, id);
    await fixture.write((db) => updateEndpoint(db, id, { description: "Shop" }));
    await fixture.write((db) => updateEndpoint(db, id, { url: "https://other.example.invalid/" }));
    expect(await endpointOf(fixture.reads, organizationId, id)).toEqual({
      ...before,
      description: "Shop",
      url: "https://other.example.invalid/",
    } as never);
    expect(await endpointOf(fixture.reads, organizationId, untouched)).toMatchObject({
      description: "",
      url,
    });
    const stored = await fixture.reads
      .selectFrom("webhook_endpoints")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .execute();
    expect(JSON.stringify(stored)).not.toContain("example.invalid");
  });

  test("transactions that lock an endpoint change it one after the other", async () => {
    const { organizationId } = await fixture.organization();
    const id = await endpoint(organizationId);
    const increase = () =>
      fixture.write(async (db) => {
        const row = await lockedEndpoint(db, organizationId, id);
        await updateEndpoint(db, id, { probes: (row?.probes ?? 0) + 1 });
      });
    await Promise.all(Array.from({ length: 8 }, increase));
    expect((await endpointOf(fixture.reads, organizationId, id))?.probes).toBe(8);
  });

  test("only products of the organization that are not deleted can be selected", async () => {
    const { organizationId, productId, product } = await fixture.organization();
    const other = await fixture.organization();
    const { productId: deleted } = await product();
    await fixture.write((db) =>
      db.updateTable("products").set({ deleted_at: 1 }).where("id", "=", deleted).execute(),
    );
    const asked = [productId, deleted, other.productId, newId()];
    expect(await productsAmong(fixture.reads, organizationId, asked)).toEqual(new Set([productId]));
  });

  test("a rotated secret signs together with the new one until it expires, and earlier ones are removed", async () => {
    const { organizationId } = await fixture.organization();
    const [id, other] = [await endpoint(organizationId), await endpoint(organizationId)];
    const rotate = (name: string, nowMs: number, untilMs: number) =>
      fixture.write(async (db) => {
        await retireSecrets(db, id, untilMs);
        await addSecret(db, {
          id: newId(),
          endpoint_id: id,
          sealed_secret: name,
          created_at: nowMs,
          expires_at: null,
        });
      });
    const startMs = Date.now() + 1_000;
    await rotate("second", startMs, startMs + 100);
    await rotate("third", startMs + 10, startMs + 500);
    const signing = async (nowMs: number) => (await signingSecrets(fixture.reads, [id], nowMs)).get(id);
    expect(await signing(startMs + 499)).toEqual(["third", "second"]);
    expect(await signing(startMs + 500)).toEqual(["third"]);
    expect(await oldSecrets(fixture.reads, [id, other], startMs + 499)).toEqual([
      { endpoint_id: id, expires_at: startMs + 500 },
    ]);
    expect(await oldSecrets(fixture.reads, [id, other], startMs + 500)).toEqual([]);
    expect(await oldSecrets(fixture.reads, [], startMs)).toEqual([]);
    await fixture.write((db) => removeSecrets(db, id));
    const left = await signingSecrets(fixture.reads, [id, other], startMs);
    expect([left.has(id), left.get(other)?.length]).toEqual([false, 1]);
  });

  test("a deleted endpoint is removed in batches with its attempts, deliveries and secrets, and nothing else is", async () => {
    const { organizationId } = await fixture.organization();
    const deleted = await endpoint(organizationId, { deleted_at: 1 });
    const kept = await endpoint(organizationId);
    for (const endpointId of [deleted, deleted, deleted, kept])
      await makeDelivery({ store: fixture.store, organizationId, endpointId }, {}, [{}]);
    const waiting = await deletedEndpoints(fixture.reads);
    expect([waiting.includes(deleted), waiting.includes(kept)]).toEqual([true, false]);
    let batches = 0;
    while (await fixture.write((db) => removeSomeOfEndpoint(db, deleted, 2))) batches += 1;
    // Two for three attempts, two for three deliveries, and one for the secret.
    expect(batches).toBe(5);
    const rowsOf = async (id: string) => {
      const tables = ["delivery_attempts", "deliveries", "webhook_secrets"] as const;
      const counts = tables.map(async (table) => {
        const rows = await fixture.reads
          .selectFrom(table)
          .select("id")
          .where("endpoint_id", "=", id)
          .execute();
        return rows.length;
      });
      const own = fixture.reads.selectFrom("webhook_endpoints").select("id").where("id", "=", id).execute();
      return [...(await Promise.all(counts)), (await own).length];
    };
    expect(await rowsOf(deleted)).toEqual([0, 0, 0, 0]);
    expect(await rowsOf(kept)).toEqual([1, 1, 1, 1]);
  });

  test("an endpoint that was not deleted keeps its row even if its data is removed", async () => {
    const { organizationId } = await fixture.organization();
    const id = await endpoint(organizationId);
    while (await fixture.write((db) => removeSomeOfEndpoint(db, id, 10)));
    expect(await endpointOf(fixture.reads, organizationId, id)).toBeDefined();
  });
});
