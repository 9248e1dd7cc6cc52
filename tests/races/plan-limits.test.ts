import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { OrganizationRow } from "@countersign/store/tables";
import { databases } from "../support/databases.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import { type ManageAnswer, type ManageClient, manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

setDefaultTimeout(180_000);

const parallel = 50;
const limit = 5;

/** On PostgreSQL, the requests alternate between two nodes. */
describe.each(databases)("limits of a plan at the same moment on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let second: ServerProcess;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    second = kind === "postgres" ? await startServerProcess(fixture.database.environment) : fixture.server;
  });
  afterAll(async () => {
    if (second !== fixture.server) await second.stop();
    await fixture.close();
  });

  const organization = async (limits: Partial<OrganizationRow>) => {
    const person = await fixture.person();
    const { body } = await person.api.post("/organizations", { name: "Limited" });
    const path = `/organizations/${body.id}`;
    const { body: product } = await person.api.post(`${path}/products`, { name: "First" });
    await fixture.store.transaction((db) =>
      db.updateTable("organizations").set(limits).where("id", "=", body.id).execute(),
    );
    const clients = [fixture.server, second].map((server) => manageClient(server.url, person.token));
    /** Sends requests at once, and returns how many were accepted. Every other one was refused for the limit. */
    const accepted = async (
      code: string,
      send: (api: ManageClient, index: number) => Promise<ManageAnswer>,
    ) => {
      const answers = await Promise.all(
        Array.from({ length: parallel }, (_, index) => {
          const api = clients[index % clients.length];
          if (api === undefined) throw new Error("There is no client.");
          return inTime(() => send(api, index));
        }),
      );
      for (const { status, body: answer, text } of answers)
        if (status !== 201) expect([status, answer.code], text).toEqual([403, code]);
      return answers.filter(({ status }) => status === 201).length;
    };
    return { person, path, productId: String(product.id), accepted };
  };
  const customer = { customer_email: "buyer@example.com" };

  test("50 parallel requests create exactly the products that fit", async () => {
    const { path, person, accepted } = await organization({ max_products_override: limit });
    const made = await accepted("product_limit_reached", (api) =>
      api.post(`${path}/products`, { name: "P" }),
    );
    // The first product counts.
    expect(made).toBe(limit - 1);
    expect((await person.api.get(`${path}/products`)).body.data).toHaveLength(limit);
  });

  test("50 parallel requests create exactly the licenses that fit", async () => {
    const { person, productId, accepted } = await organization({ max_licenses_override: limit });
    const path = `/products/${productId}/licenses`;
    const made = await accepted("license_limit_reached", (api, index) =>
      api.post(path, { customer_email: `buyer-${index}@example.com` }),
    );
    expect(made).toBe(limit);
    expect((await person.api.get(path)).body.data).toHaveLength(limit);
  });

  test("large and small orders at once never exceed the limit, and none is created in part", async () => {
    const most = 330;
    const { person, productId } = await organization({ max_licenses_override: most });
    const path = `/products/${productId}/licenses`;
    const orders = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 110 : 1));
    const clients = [fixture.server, second].map((server) => manageClient(server.url, person.token));
    const answers = await Promise.all(
      orders.map(async (count, index) => {
        const api = clients[index % 2] ?? person.api;
        const { status, body } = await inTime(() => api.post(path, { ...customer, count }));
        return { count, status, code: body.code };
      }),
    );
    for (const { status, code } of answers)
      if (status !== 201) expect([status, code]).toEqual([403, "license_limit_reached"]);
    const created = answers.filter(({ status }) => status === 201).reduce((sum, { count }) => sum + count, 0);
    expect(created).toBeGreaterThan(0);
    expect(created).toBeLessThanOrEqual(most);
    expect(await storedLicenses(productId)).toBe(created);
  });

  test("two imports at once create exactly the licenses that fit", async () => {
    const most = 600;
    const { person, productId } = await organization({ max_licenses_override: most });
    const file = (name: string) =>
      csvFile(
        ["license_key", "customer_email"],
        ...Array.from({ length: 500 }, (_, row) => [`${name}-${row}`, "buyer@example.com"]),
      );
    const owned = { ...fixture, owner: person };
    const jobs = await Promise.all(
      ["A", "B"].map((name) => importFile(owned, file(name), "?mode=row_by_row", { productId })),
    );
    expect(jobs.map(({ state }) => state)).toEqual(["finished", "finished"]);
    expect(jobs.reduce((sum, job) => sum + job.created, 0)).toBe(most);
    expect(jobs.reduce((sum, job) => sum + job.failed, 0)).toBe(1_000 - most);
    expect(await storedLicenses(productId)).toBe(most);
  });

  test("two imports that are all or nothing and fit only one at a time never exceed the limit", async () => {
    const most = 600;
    const { person, productId } = await organization({ max_licenses_override: most });
    const file = (name: string) =>
      csvFile(
        ["license_key", "customer_email"],
        ...Array.from({ length: 500 }, (_, row) => [`${name}-${row}`, "buyer@example.com"]),
      );
    const owned = { ...fixture, owner: person };
    const jobs = await Promise.all(
      ["A", "B"].map((name) => importFile(owned, file(name), "", { productId })),
    );
    const finished = jobs.filter(({ state }) => state === "finished");
    for (const job of jobs)
      if (job.state !== "finished")
        expect([job.state, job.failure.code, job.created]).toEqual([
          "failed",
          "import_license_limit_reached",
          0,
        ]);
    expect(finished.length).toBeLessThanOrEqual(1);
    expect(await storedLicenses(productId)).toBe(finished.length * 500);
  });

  test("50 parallel requests create exactly the webhooks that fit", async () => {
    const { path, accepted } = await organization({ max_webhooks_override: limit });
    const made = await accepted("webhook_plan_limit_reached", (api) =>
      api.post(`${path}/webhooks`, { url: "https://example.com/hook" }),
    );
    expect(made).toBe(limit);
  });

  test("50 parallel invitations are exactly those that fit", async () => {
    const { path, person, accepted } = await organization({ max_members_override: limit });
    const { body: roles } = await person.api.get(`${path}/roles`);
    const made = await accepted("member_limit_reached", (api, index) =>
      api.post(`${path}/invitations`, {
        email: `guest-${index}@example.com`,
        role_id: roles.data[0].id,
      }),
    );
    // The owner counts.
    expect(made).toBe(limit - 1);
  });

  const storedLicenses = async (productId: string) => {
    const { count } = await fixture.store.reads
      .selectFrom("licenses")
      .select((is) => is.fn.countAll<number>().as("count"))
      .where("product_id", "=", productId)
      .executeTakeFirstOrThrow();
    return Number(count);
  };
});

/**
 * All requests wait for the same row. On a busy machine the last can exceed the time limit of a statement: nothing was
 * written, and a caller would repeat it.
 */
async function inTime(send: () => Promise<ManageAnswer>): Promise<ManageAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send();
    if (answer.status !== 503 || attempt === mostAttempts) return answer;
  }
}

const mostAttempts = 10;
