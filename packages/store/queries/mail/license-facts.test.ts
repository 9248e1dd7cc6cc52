import { expect, test } from "bun:test";
import { addLicense } from "../../../../tests/support/add-license.ts";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import { saveBranding } from "../branding/branding.ts";
import { createLicenses } from "../licenses/create.ts";
import * as queries from "./license-facts.ts";

const ada = { email: "ada@example.com" };

onBothDatabases("facts for emails about licenses", (fixture) => {
  const { read, write } = fixture.queries({ ...queries, createLicenses, saveBranding });
  test("the facts for an email have the product, the sender and the customer's email address", async () => {
    const org = await fixture.organization();
    const license = await addLicense(org, { customer: ada, expiresAtMs: 5_000 });
    const ids = { id: license.id, organization_id: org.organizationId, customer_id: license.customerId };
    const names = { product: "Test Product", organization: "Test Organization", sender: "Test Organization" };
    const facts = { license_key: license.key, expires_at: 5_000, reply_to: null, locale: "en", ...ada };
    expect(await read.licenseEmailFacts([license.id])).toMatchObject([{ ...ids, ...names, ...facts }]);
  });

  test("the brand's name and the product's language take precedence over the organization's", async () => {
    const org = await fixture.organization();
    const { id } = await addLicense(org, { customer: ada });
    const facts = async () => (await read.licenseEmailFacts([id]))[0];
    await fixture.change("organizations", org.organizationId, { locale: "de" });
    expect(await facts()).toMatchObject({ locale: "de" });
    await fixture.change("products", org.productId, { locale: "es" });
    const brand = { display_name: "Acme", support_email: "help@example.com" };
    await write.saveBranding(org.organizationId, brand, 0);
    expect(await facts()).toMatchObject({ locale: "es", sender: "Acme", reply_to: "help@example.com" });
  });

  test("licenses without an email address and those of what was deleted are omitted", async () => {
    const [org, deleted] = [await fixture.organization(), await fixture.organization()];
    const { productId } = await org.product();
    const kept = await addLicense(org, { customer: ada });
    const omitted = [
      await addLicense(org),
      await addLicense(org, { customer: { discordId: "123456789012345678" } }),
      await addLicense(org, { customer: ada, productId }),
      await addLicense(deleted, { customer: ada }),
    ];
    await fixture.change("products", productId, { deleted_at: 1 });
    await fixture.change("organizations", deleted.organizationId, { deleted_at: 1 });
    const found = await read.licenseEmailFacts(idsOf([...omitted, kept]));
    expect(idsOf(found)).toEqual([kept.id]);
  });

  test("any number of licenses is read, in the order of their IDs", async () => {
    const { organizationId, productId } = await fixture.organization();
    const customerId = await fixture.customer(organizationId, ada);
    const ids = times(501, () => newId());
    const licenses = ids.map((id) => ({ id, organizationId, productId, customerId, key: id }));
    await write.createLicenses(licenses, Date.now());
    const found = await read.licenseEmailFacts(ids);
    expect(idsOf(found)).toEqual(ids);
  });
});
