import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

describe.each(databases)("a product's last validation on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  const last = async (productId = fixture.productId) =>
    (await fixture.owner.api.get(`/products/${productId}/last-validation`)).body.request;

  test("shows the result of the newest validation of that product only", async () => {
    expect(await last()).toBeNull();
    await fixture.publicApi.validate({ license_key: "NONE-NONE-NONE-NONE" });
    await until("the first is recorded", async () => (await last())?.status === "license_not_found");
    await fixture.publicApi.lookup("NONE-NONE-NONE-NONE");
    await fixture.publicApi.validate({});
    await until("the second is recorded", async () => (await last())?.problem?.includes("no license_key"));
    const { body: license } = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
      customer_email: "carla@example.com",
    });
    await fixture.publicApi.validate({ license_key: license.license_key });
    let third: Awaited<ReturnType<typeof last>>;
    await until("the third is recorded", async () => {
      third = await last();
      return third?.status === "active";
    });
    expect(third).toMatchObject({ license_id: license.id, problem: null });
    const other = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Another",
    });
    expect(await last(other.body.id)).toBeNull();
  });

  test("needs requests:view", async () => {
    const path = `/products/${fixture.productId}/last-validation`;
    expect((await (await fixture.member(["requests:view"])).api.get(path)).status).toBe(200);
    expect((await (await fixture.member(["products:view"])).api.get(path)).status).toBe(403);
  });
});
