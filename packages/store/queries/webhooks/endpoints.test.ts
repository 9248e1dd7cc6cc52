import { expect, test } from "bun:test";
import { onBothDatabases, pages } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { makeDelivery, makeEndpoint } from "../../../../tests/support/webhooks.ts";
import * as claimDeliveries from "./claim-deliveries.ts";
import * as endpoints from "./endpoints.ts";
import { addSecret, retireSecrets } from "./endpoints.ts";

const url = "https://hooks.example.invalid/path?token=1";

onBothDatabases("webhook endpoints", (fixture) => {
  const { read, write } = fixture.queries({ ...claimDeliveries, ...endpoints });
  const endpoint = async (organizationId: string, settings: Parameters<typeof makeEndpoint>[3] = {}) =>
    (await makeEndpoint(fixture.store, organizationId, url, settings)).id;

  test("the endpoints of an organization are listed oldest first, in pages, without deleted ones and those of others", async () => {
    const { organizationId } = await fixture.organization();
    const other = await fixture.organization();
    const at = (created_at: number) => endpoint(organizationId, { created_at });
    const [newest, ...sameTime] = [await at(3_000), await at(2_000), await at(2_000)];
    const oldest = await at(1_000);
    await endpoint(organizationId, { created_at: 1_500, deleted_at: 4_000 });
    await endpoint(other.organizationId, { created_at: 1_600 });
    type Last = { created_at: number; id: string } | null;
    const listed = await pages((last: Last) => {
      const after = last && { createdAt: last.created_at, id: last.id };
      return read.endpointsOf(organizationId, { after, limit: 1 });
    });
    const expected = [oldest, ...sameTime.toSorted(), newest];
    expect(listed.flat().map((row) => [row.id, row.url])).toEqual(expected.map((id) => [id, url]));
    expect(await read.endpointsOf(organizationId, { after: null, limit: 3 })).toHaveLength(3);
    expect(await read.countEndpoints(organizationId)).toBe(4);
  });

  test("an endpoint is found and locked in its own organization only, and not after it was deleted", async () => {
    const [{ organizationId }, other] = [await fixture.organization(), await fixture.organization()];
    const id = await endpoint(organizationId);
    for (const find of [read.endpointOf, write.lockedEndpoint]) {
      expect(await find(organizationId, id)).toMatchObject({ id, url });
      expect(await find(other.organizationId, id)).toBeUndefined();
    }
    await write.updateEndpoint(id, { deleted_at: 1 });
    for (const find of [read.endpointOf, write.lockedEndpoint])
      expect(await find(organizationId, id)).toBeUndefined();
  });

  test("endpoints that receive nothing are listed, the longest such first, but not those that someone disabled", async () => {
    const { organizationId } = await fixture.organization();
    const other = await fixture.organization();
    const disabled = (disabled_reason: "by_hand" | "gone" | "failing", disabled_at: number) =>
      endpoint(organizationId, { status: "disabled", disabled_reason, disabled_at, failing_since: 1 });
    const failing = await endpoint(organizationId, { failing_since: 300 });
    const gone = await disabled("gone", 400);
    const ended = await disabled("failing", 200);
    await disabled("by_hand", 100);
    await endpoint(organizationId);
    await endpoint(organizationId, { failing_since: 50, deleted_at: 60 });
    await endpoint(other.organizationId, { failing_since: 70 });
    const ids = async (limit: number) =>
      (await read.endpointsInTrouble(organizationId, limit)).map(({ id }) => id);
    expect([await ids(9), await ids(1)]).toEqual([[ended, failing, gone], [ended]]);
  });

  test("a URL is stored encrypted, and an update changes only the given fields of one endpoint", async () => {
    const { organizationId } = await fixture.organization();
    const [id, untouched] = [await endpoint(organizationId), await endpoint(organizationId)];
    const before = await read.endpointOf(organizationId, id);
    await write.updateEndpoint(id, { description: "Shop" });
    await write.updateEndpoint(id, { url: "https://other.example.invalid/" });
    const changed = { description: "Shop", url: "https://other.example.invalid/" };
    expect(await read.endpointOf(organizationId, id)).toEqual({ ...before, ...changed } as never);
    expect(await read.endpointOf(organizationId, untouched)).toMatchObject({ description: "", url });
    const stored = await fixture.rows("webhook_endpoints", { organization_id: organizationId });
    expect(JSON.stringify(stored)).not.toContain("example.invalid");
  });

  test("only products of the organization that are not deleted can be selected", async () => {
    const { organizationId, productId, product } = await fixture.organization();
    const other = await fixture.organization();
    const { productId: deleted } = await product();
    await fixture.change("products", deleted, { deleted_at: 1 });
    const asked = [productId, deleted, other.productId, newId()];
    expect(await read.productsAmong(organizationId, asked)).toEqual(new Set([productId]));
  });

  test("a rotated secret signs together with the new one until it expires, and earlier ones are removed", async () => {
    const { organizationId } = await fixture.organization();
    const [id, other] = [await endpoint(organizationId), await endpoint(organizationId)];
    const rotate = (name: string, nowMs: number, untilMs: number) =>
      fixture.write(async (db) => {
        await retireSecrets(db, id, untilMs);
        const times = { created_at: nowMs, expires_at: null };
        await addSecret(db, { id: newId(), endpoint_id: id, sealed_secret: name, ...times });
      });
    const startMs = Date.now() + 1_000;
    await rotate("second", startMs, startMs + 100);
    await rotate("third", startMs + 10, startMs + 500);
    const signing = async (nowMs: number) => (await read.signingSecrets([id], nowMs)).get(id);
    expect(await signing(startMs + 499)).toEqual(["third", "second"]);
    expect(await signing(startMs + 500)).toEqual(["third"]);
    const retired = { endpoint_id: id, expires_at: startMs + 500 };
    expect(await read.oldSecrets([id, other], startMs + 499)).toEqual([retired]);
    expect(await read.oldSecrets([id, other], startMs + 500)).toEqual([]);
    expect(await read.oldSecrets([], startMs)).toEqual([]);
    await write.removeSecrets(id);
    const left = await read.signingSecrets([id, other], startMs);
    expect([left.has(id), left.get(other)?.length]).toEqual([false, 1]);
  });

  test("a deleted endpoint is removed in batches with its attempts, deliveries and secrets, and nothing else is", async () => {
    const { organizationId } = await fixture.organization();
    const deleted = await endpoint(organizationId, { deleted_at: 1 });
    const kept = await endpoint(organizationId);
    for (const endpointId of [deleted, deleted, deleted, kept])
      await makeDelivery({ store: fixture.store, organizationId, endpointId }, {}, [{}]);
    const waiting = await read.deletedEndpoints();
    expect([waiting.includes(deleted), waiting.includes(kept)]).toEqual([true, false]);
    let batches = 0;
    while (await write.removeSomeOfEndpoint(deleted, 2)) batches += 1;
    // Two for three attempts, two for three deliveries, and one for the secret.
    expect(batches).toBe(5);
    const rowsOf = async (endpoint_id: string) => {
      const counts: number[] = [];
      for (const table of ["delivery_attempts", "deliveries", "webhook_secrets"] as const)
        counts.push((await fixture.rows(table, { endpoint_id })).length);
      return [...counts, (await fixture.rows("webhook_endpoints", { id: endpoint_id })).length];
    };
    expect(await rowsOf(deleted)).toEqual([0, 0, 0, 0]);
    expect(await rowsOf(kept)).toEqual([1, 1, 1, 1]);
    // The row itself is only removed if the endpoint was deleted.
    while (await write.removeSomeOfEndpoint(kept, 10));
    expect(await rowsOf(kept)).toEqual([0, 0, 0, 1]);
  });
});
