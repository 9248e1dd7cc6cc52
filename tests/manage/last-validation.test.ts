import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

describe.each(on("sqlite"))("a product's last validation on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  test("is the newest of that product only, with its result or its problem", async () => {
    const last = async (productId = fixture.productId) =>
      (await fixture.owner.api.get(`/products/${productId}/last-validation`)).body.request;
    expect(await last()).toBeNull();
    await fixture.publicApi.validate({ license_key: "NONE-NONE-NONE-NONE" });
    await until("the first is recorded", async () => (await last())?.status === "license_not_found");
    await fixture.publicApi.lookup("NONE-NONE-NONE-NONE");
    await fixture.publicApi.validate({});
    await until("the second is recorded", async () => (await last())?.problem?.includes("no license_key"));
    const license = await addLicense(fixture);
    await fixture.publicApi.validate({ license_key: license.key });
    await until("the third is recorded", async () => (await last())?.status === "active");
    expect(await last()).toMatchObject({ license_id: license.id, problem: null });
    const products = `/organizations/${fixture.organizationId}/products`;
    const { body: other } = await fixture.owner.api.post(products, { name: "Another" });
    expect(await last(other.id)).toBeNull();
  });
});
