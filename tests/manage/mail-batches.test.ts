import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

describe.each(databases)("emails for licenses created in batches on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const product = async () => {
    const made = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Delivered",
      deliver_license_by_email: true,
      expiring_soon_email: true,
    });
    return String(made.body.id);
  };
  const licenseCount = async (productId: string) => {
    const { count } = await fixture.store.reads
      .selectFrom("licenses")
      .select((is) => is.fn.countAll<number>().as("count"))
      .where("product_id", "=", productId)
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  const emailsTo = (recipient: string) => openedEmails(fixture.store, { to: recipient });
  const wanted = (count: number, to: string) =>
    Array.from({ length: count }, (_, index) => ({
      customer_email: to,
      license_key: `BATCH-${to.slice(0, 13)}-${index}`,
    }));

  test("are not sent for a large batch that is rolled back because a key was taken", async () => {
    const productId = await product();
    const to = `${newId()}@example.net`;
    const licenses = wanted(3_000, to);
    const sending = fixture.owner.api.post(`/products/${productId}/licenses`, { licenses });
    await until("some licenses are created", async () => (await licenseCount(productId)) > 0);
    // On SQLite the server may hold the lock for longer than another process waits.
    await until("the last key is taken", () =>
      addLicense(fixture, { productId, key: licenses.at(-1)?.license_key ?? "" }).then(
        () => true,
        (error) => {
          if (!String(error).includes("database is locked")) throw error;
          return false;
        },
      ),
    );
    const answer = await sending;
    expect([answer.status, answer.body.errors[0].field]).toEqual([409, "licenses.2999.license_key"]);
    expect(await licenseCount(productId)).toBe(1);
    expect(await emailsTo(to)).toEqual([]);
    expect(await fixture.store.reads.selectFrom("waiting_emails").selectAll().execute()).toEqual([]);
  });

  test("are not sent for a small batch that fails", async () => {
    const productId = await product();
    const to = `${newId()}@example.net`;
    const licenses = wanted(20, to);
    await addLicense(fixture, { productId, key: licenses.at(-1)?.license_key ?? "" });
    const answer = await fixture.owner.api.post(`/products/${productId}/licenses`, { licenses });
    expect(answer.status).toBe(409);
    expect(await emailsTo(to)).toEqual([]);
  });

  test("are not sent for an import that is rolled back, with or without events", async () => {
    const productId = await product();
    const to = `${newId()}@example.net`;
    const rows = wanted(300, to).map(({ license_key: key }) => [key, to]);
    const file = csvFile(["license_key", "customer_email"], ...rows, ["LAST", "not an address"]);
    for (const query of ["", "?send_events=true", "?mode=row_by_row&send_events=true"]) {
      const job = await importFile(fixture, file, query, { productId });
      expect(job.failed).toBe(1);
    }
    expect(await licenseCount(productId)).toBe(300);
    expect(await emailsTo(to)).toEqual([]);
  });

  test("are each sent once when the server is killed while writing them", async () => {
    const productId = await product();
    const to = `${newId()}@example.net`;
    const path = `/products/${productId}/licenses`;
    const body = { customer_email: to, count: 1_500 };
    const headers = { "idempotency-key": newId() };
    const sending = fixture.owner.api.post(path, body, headers).catch(() => null);
    await until("some emails are written", async () => (await emailsTo(to)).length > 0);
    fixture.server.signal("SIGKILL");
    await fixture.server.exited;
    expect(await sending).toBeNull();
    const atKill = (await emailsTo(to)).length;
    expect(atKill).toBeLessThan(1_500);
    const next = await startServerProcess(fixture.database.environment);
    try {
      const { post } = manageClient(next.url, fixture.owner.token);
      const answers = await Promise.all([1, 2].map(() => post(path, body, headers)));
      expect(answers.some((answer) => answer.status === 201)).toBe(true);
      expect((await post(path, body, headers)).status).toBe(201);
    } finally {
      await next.stop();
    }
    const emails = await emailsTo(to);
    expect(emails).toHaveLength(1_500);
    expect(new Set(emails.map((message) => message.dedupe_key)).size).toBe(1_500);
  });
});
