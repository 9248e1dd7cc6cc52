import { expect, setDefaultTimeout, test } from "bun:test";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { TestedDatabase } from "../support/databases.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import { type ManageAnswer, manageClient } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { withSecondNode } from "../support/nodes.ts";
import { storedRows } from "../support/stored-rows.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(180_000);

const limit = 5;

/** The requests alternate between two nodes. */
const openTwoNodes = async (make: TestedDatabase["make"]) => withSecondNode(await openManageFixture(make));

testsOn("postgres", "concurrent requests and plan limits", openTwoNodes, (fixture) => {
  const organization = async (limits: Partial<OrganizationRow>) => {
    const person = await fixture.person();
    const { body } = await person.api.post("/organizations", { name: "Limited" });
    const path = `/organizations/${body.id}`;
    const { body: product } = await person.api.post(`${path}/products`, { name: "First" });
    await fixture.store.transaction((db) => updateOrganization(db, body.id, limits));
    const [first, second] = [
      manageClient(fixture.url, person.token),
      manageClient(fixture.second.url, person.token),
    ];
    return {
      person,
      path,
      productId: String(product.id),
      /** Posts these at once, and returns which were accepted. Every other one was refused for the limit. */
      accepted: async <Body extends object>(below: string, bodies: readonly Body[], code: string) => {
        const answers = await Promise.all(
          bodies.map((one, index) => inTime(() => (index % 2 === 0 ? first : second).post(below, one))),
        );
        for (const { status, body: answer, text } of answers)
          if (status !== 201) expect([status, answer.code], text).toEqual([403, code]);
        return bodies.filter((_, index) => answers[index]?.status === 201);
      },
    };
  };
  const storedLicenses = async (product_id: string) =>
    (await storedRows(fixture.store.reads, "licenses", { product_id })).length;

  /** With what counts before the first request: the first product, and the owner. */
  test.each([
    ["products", "max_products_override", "product_limit_reached", 1],
    ["licenses", "max_licenses_override", "license_limit_reached", 0],
    ["webhooks", "max_webhooks_override", "webhook_plan_limit_reached", 0],
    ["invitations", "max_members_override", "member_limit_reached", 1],
  ] as const)("50 parallel requests create exactly the %s that fit", async (what, column, code, used) => {
    const { person, path, productId, accepted } = await organization({ [column]: limit });
    const { body: roles } = await person.api.get(`${path}/roles`);
    const bodies = {
      products: () => ({ name: "P" }),
      licenses: (index: number) => ({ customer_email: `buyer-${index}@example.com` }),
      webhooks: () => ({ url: "https://example.com/hook" }),
      invitations: (index: number) => ({ email: `guest-${index}@example.com`, role_id: roles.data[0].id }),
    };
    const list = `${what === "licenses" ? `/products/${productId}` : path}/${what}`;
    const before = (await person.api.get(list)).body.data.length;
    const all = Array.from({ length: 50 }, (_, index) => bodies[what](index));
    expect(await accepted(list, all, code)).toHaveLength(limit - used);
    expect((await person.api.get(list)).body.data).toHaveLength(before + limit - used);
  });

  test("large and small orders at once never exceed the limit of licenses, and none is created in part", async () => {
    const most = 330;
    const { productId, accepted } = await organization({ max_licenses_override: most });
    const orders = Array.from({ length: 12 }, (_, index) => {
      return { customer_email: "buyer@example.com", count: index % 2 === 0 ? 110 : 1 };
    });
    const created = await accepted(`/products/${productId}/licenses`, orders, "license_limit_reached");
    const licenses = created.reduce((sum, { count }) => sum + count, 0);
    expect(licenses).toBeWithin(1, most + 1);
    expect(await storedLicenses(productId)).toBe(licenses);
  });

  /** Of 500 licenses each, where 600 are allowed. */
  const importTwo = async (query: string) => {
    const { person, productId } = await organization({ max_licenses_override: 600 });
    const jobs = await Promise.all(
      ["A", "B"].map((name) => {
        const rows = Array.from({ length: 500 }, (_, row) => [`${name}-${row}`, "buyer@example.com"]);
        const file = csvFile(["license_key", "customer_email"], ...rows);
        return importFile({ ...fixture, owner: person }, file, query, { productId });
      }),
    );
    return { jobs, stored: await storedLicenses(productId) };
  };

  test("two imports at once create exactly the licenses that the limit allows", async () => {
    const { jobs, stored } = await importTwo("?mode=row_by_row");
    expect(jobs.map(({ state }) => state)).toEqual(["finished", "finished"]);
    expect(jobs.reduce((sum, job) => sum + job.created, 0)).toBe(600);
    expect(jobs.reduce((sum, job) => sum + job.failed, 0)).toBe(400);
    expect(stored).toBe(600);
  });

  test("two imports at once that are all or nothing and fit only one at a time never exceed the limit", async () => {
    const { jobs, stored } = await importTwo("");
    const finished = jobs.filter(({ state }) => state === "finished");
    for (const { state, failure, created } of jobs)
      if (state !== "finished")
        expect([state, failure.code, created]).toEqual(["failed", "import_license_limit_reached", 0]);
    expect(finished.length).toBeLessThanOrEqual(1);
    expect(stored).toBe(finished.length * 500);
  });
});

/**
 * All requests wait for the same row. On a busy machine the last can exceed the time limit of a statement: nothing was
 * written, and a caller would repeat it.
 */
async function inTime(send: () => Promise<ManageAnswer>): Promise<ManageAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send();
    if (answer.status !== 503 || attempt === maxAttempts) return answer;
  }
}

const maxAttempts = 10;
