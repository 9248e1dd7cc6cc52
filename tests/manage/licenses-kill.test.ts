import { describe, expect, test } from "bun:test";
import { long } from "../races/size.ts";
import { databases, sqlite } from "../support/databases.ts";
import { type ManageAnswer, manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const count = 1_000;

/** Only long runs test both databases. */
describe.each(long ? databases : [sqlite])("a bulk operation on $kind whose server is killed", ({ make }) => {
  test("extends each license once when repeated with its Idempotency-Key", async () => {
    const fixture = await openManageFixture(make);
    try {
      const made = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
        customer_email: "killed@example.com",
        expires_in_seconds: 86_400,
        count,
      });
      const before = Date.parse(made.body.data[0].expires_at);
      const path = `/organizations/${fixture.organizationId}/licenses/bulk`;
      const order = {
        action: "extend",
        selection: { filter: { product_id: fixture.productId } },
        extend_by_seconds: 60,
      };
      const again = await killAndRepeat(fixture, path, order, () => audited(fixture, "license.renewed"));
      expect(again.atKill).toBeGreaterThan(0);
      expect(again.atKill).toBeLessThan(count);
      for (const { status, body } of again.answers) {
        expect(status).toBe(200);
        expect(body).toEqual({ matched: count, changed: count, dry_run: false, next_cursor: null });
      }
      expect(await audited(fixture, "license.renewed")).toBe(count);
      const ends = await fixture.store.reads.selectFrom("licenses").select("expires_at").distinct().execute();
      expect(ends).toEqual([{ expires_at: before + 60_000 }]);
    } finally {
      await fixture.close();
    }
  }, 120_000);

  test("creates each license once when repeated with its Idempotency-Key", async () => {
    const fixture = await openManageFixture(make);
    try {
      const path = `/products/${fixture.productId}/licenses`;
      const order = {
        licenses: Array.from({ length: count }, (_, index) => ({
          customer_email: "killed@example.com",
          expires_in_seconds: 86_400,
          ...(index % 2 === 0 ? {} : { license_key: `killed-${index}` }),
        })),
      };
      const again = await killAndRepeat(fixture, path, order, () => licenseCount(fixture));
      expect(again.atKill).toBeGreaterThan(0);
      expect(again.atKill).toBeLessThan(count);
      const [first, ...others] = again.answers;
      expect(first?.status).toBe(201);
      for (const other of others) expect(other.body).toEqual(first?.body);
      expect(await licenseCount(fixture)).toBe(count);
      expect(await audited(fixture, "license.created")).toBe(count);
      const keys = first?.body.data.map((one: { license_key: string }) => one.license_key);
      expect(new Set(keys).size).toBe(count);
      expect(keys[count - 1]).toBe(`killed-${count - 1}`);
      const ends = new Set(first?.body.data.map((one: { expires_at: string }) => one.expires_at));
      expect(ends.size).toBe(1);
    } finally {
      await fixture.close();
    }
  }, 120_000);
});

/** Kills the server partway, then repeats the request on the next server: three times at once, and once more. */
async function killAndRepeat(
  fixture: ManageFixture,
  path: string,
  order: object,
  done: () => Promise<number>,
): Promise<{ atKill: number; answers: ManageAnswer[] }> {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const sending = fixture.owner.api.post(path, order, headers).catch(() => null);
  await until("some rows are written", async () => (await done()) > 0);
  fixture.server.signal("SIGKILL");
  await fixture.server.exited;
  expect(await sending).toBeNull();
  const atKill = await done();
  const next = await startServerProcess(fixture.database.environment);
  try {
    const { post } = manageClient(next.url, fixture.owner.token);
    const answers = await Promise.all([1, 2, 3].map(() => post(path, order, headers)));
    return { atKill, answers: [...answers, await post(path, order, headers)] };
  } finally {
    await next.stop();
  }
}

async function audited(fixture: ManageFixture, action: string): Promise<number> {
  const { count } = await fixture.store.reads
    .selectFrom("audit_log")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("action", "=", action)
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function licenseCount(fixture: ManageFixture): Promise<number> {
  const { count } = await fixture.store.reads
    .selectFrom("licenses")
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
