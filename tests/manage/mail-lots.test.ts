import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { openedLetters } from "../support/letters.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import { manageClient } from "../support/manage-client.ts";
import { type Office, openOffice } from "../support/office.ts";
import { sell } from "../support/sell.ts";
import { newId } from "../support/seller.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

describe.each(databases)("letters of licenses that are made in lots, on $kind", ({ make }) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(make);
  });
  afterAll(() => office.close());

  const product = async () => {
    const made = await office.owner.api.post(`/organizations/${office.organizationId}/products`, {
      name: "Delivered",
      deliver_license_by_mail: true,
      expiring_soon_mail: true,
    });
    return String(made.body.id);
  };
  const licenseCount = async (productId: string) => {
    const { count } = await office.store.reads
      .selectFrom("licenses")
      .select((is) => is.fn.countAll<number>().as("count"))
      .where("product_id", "=", productId)
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  const lettersTo = (recipient: string) => openedLetters(office.store, { to: recipient });
  const wanted = (count: number, to: string) =>
    Array.from({ length: count }, (_, index) => ({
      customer_email: to,
      license_key: `LOT-${to.slice(0, 13)}-${index}`,
    }));

  test("of many that are taken back, because a key was taken meanwhile, nobody hears", async () => {
    const productId = await product();
    const to = `${newId()}@example.net`;
    const licenses = wanted(3_000, to);
    const sending = office.owner.api.post(`/products/${productId}/licenses`, { licenses });
    await until("some are made", async () => (await licenseCount(productId)) > 0);
    // On SQLite the server may be writing for longer than another process waits.
    await until("somebody else has the last key", () =>
      sell(office, { productId, key: licenses.at(-1)?.license_key ?? "" }).then(
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
    expect(await lettersTo(to)).toEqual([]);
    expect(await office.store.reads.selectFrom("waiting_letters").selectAll().execute()).toEqual([]);
  });

  test("of a few that cannot all be made nobody hears", async () => {
    const productId = await product();
    const to = `${newId()}@example.net`;
    const licenses = wanted(20, to);
    await sell(office, { productId, key: licenses.at(-1)?.license_key ?? "" });
    const answer = await office.owner.api.post(`/products/${productId}/licenses`, { licenses });
    expect(answer.status).toBe(409);
    expect(await lettersTo(to)).toEqual([]);
  });

  test("an import that is taken back, told or not, writes to nobody", async () => {
    const productId = await product();
    const to = `${newId()}@example.net`;
    const rows = wanted(300, to).map(({ license_key: key }) => [key, to]);
    const file = csvFile(["license_key", "customer_email"], ...rows, ["LAST", "not an address"]);
    for (const query of ["", "?tell_events=true", "?mode=row_by_row&tell_events=true"]) {
      const job = await importFile(office, file, query, { productId });
      expect(job.failed).toBe(1);
    }
    expect(await licenseCount(productId)).toBe(300);
    expect(await lettersTo(to)).toEqual([]);
  });

  test("a server that is killed while it writes them leaves none out and none twice", async () => {
    const productId = await product();
    const to = `${newId()}@example.net`;
    const path = `/products/${productId}/licenses`;
    const body = { customer_email: to, count: 1_500 };
    const headers = { "idempotency-key": newId() };
    const sending = office.owner.api.post(path, body, headers).catch(() => null);
    await until("some are written", async () => (await lettersTo(to)).length > 0);
    office.server.signal("SIGKILL");
    await office.server.exited;
    expect(await sending).toBeNull();
    const atKill = (await lettersTo(to)).length;
    expect(atKill).toBeLessThan(1_500);
    const next = await startServerProcess(office.database.environment);
    try {
      const { post } = manageClient(next.url, office.owner.token);
      const answers = await Promise.all([1, 2].map(() => post(path, body, headers)));
      expect(answers.some((answer) => answer.status === 201)).toBe(true);
      expect((await post(path, body, headers)).status).toBe(201);
    } finally {
      await next.stop();
    }
    const letters = await lettersTo(to);
    expect(letters).toHaveLength(1_500);
    expect(new Set(letters.map((letter) => letter.dedupe_key)).size).toBe(1_500);
  });
});
