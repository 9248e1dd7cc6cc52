import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { long } from "../races/size.ts";
import { databases, sqlite } from "../support/databases.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const count = 1_000;

const own = { why: "its server is killed" };

/** Only long runs test both databases. */
describe.each(long ? databases : [sqlite])("a bulk operation on $kind whose server is killed", ({ make }) => {
  let fixture: ManageFixture;
  beforeEach(async () => {
    fixture = await openManageFixture(make, own);
  }, 60_000);
  afterEach(() => fixture.close());

  /** Kills the server partway, then repeats the request on the next server: three times at once, and once more. */
  const killAndRepeat = async (path: string, order: object, done: () => Promise<number>) => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const sending = fixture.owner.api.post(path, order, headers).catch(() => null);
    await until("some rows are written", async () => (await done()) > 0);
    fixture.server.signal("SIGKILL");
    await fixture.server.exited;
    expect(await sending).toBeNull();
    expect(await done()).toBeWithin(1, count);
    const next = await startServerProcess(fixture.environment);
    try {
      const { post } = manageClient(next.url, fixture.owner.token);
      const answers = await Promise.all([1, 2, 3].map(() => post(path, order, headers)));
      return [...answers, await post(path, order, headers)];
    } finally {
      await next.stop();
    }
  };
  const audited = async (action: string) => {
    const rows = fixture.store.reads.selectFrom("audit_log").select("id").where("action", "=", action);
    return (await rows.execute()).length;
  };
  const licenseCount = async () =>
    (await fixture.store.reads.selectFrom("licenses").select("id").execute()).length;

  test("extends each license once when repeated with its Idempotency-Key", async () => {
    const made = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
      customer_email: "killed@example.com",
      expires_in_seconds: 86_400,
      count,
    });
    const selection = { filter: { product_id: fixture.productId } };
    const order = { action: "extend", selection, extend_by_seconds: 60 };
    const path = `/organizations/${fixture.organizationId}/licenses/bulk`;
    const result = { matched: count, changed: count, dry_run: false, next_cursor: null };
    for (const { status, body } of await killAndRepeat(path, order, () => audited("license.renewed")))
      expect([status, body]).toEqual([200, result]);
    expect(await audited("license.renewed")).toBe(count);
    const ends = await fixture.store.reads.selectFrom("licenses").select("expires_at").distinct().execute();
    expect(ends).toEqual([{ expires_at: Date.parse(made.body.data[0].expires_at) + 60_000 }]);
  }, 120_000);

  test("creates each license once when repeated with its Idempotency-Key", async () => {
    const licenses = Array.from({ length: count }, (_, index) => ({
      customer_email: "killed@example.com",
      expires_in_seconds: 86_400,
      ...(index % 2 === 0 ? {} : { license_key: `killed-${index}` }),
    }));
    const path = `/products/${fixture.productId}/licenses`;
    const [first, ...others] = await killAndRepeat(path, { licenses }, licenseCount);
    expect(first?.status).toBe(201);
    for (const other of others) expect(other.body).toEqual(first?.body);
    expect([await licenseCount(), await audited("license.created")]).toEqual([count, count]);
    const data: { license_key: string; expires_at: string }[] = first?.body.data;
    expect(new Set(data.map((one) => one.license_key)).size).toBe(count);
    expect(data[count - 1]?.license_key).toBe(`killed-${count - 1}`);
    expect(new Set(data.map((one) => one.expires_at)).size).toBe(1);
  }, 120_000);
});
