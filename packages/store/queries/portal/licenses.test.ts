import { expect, test } from "bun:test";
import { matchForm } from "@countersign/domain/licenses/key";
import { addLicense } from "../../../../tests/support/add-license.ts";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { PortalActionRow } from "../../tables/portal.ts";
import * as actions from "./licenses.ts";
import * as queries from "./licenses.ts";

const newEmail = () => `${newId()}@example.com`;

onBothDatabases("licenses as their customers see them", (fixture) => {
  const { read, write } = fixture.queries({ ...actions, ...queries });

  test("a license comes with the identifier of its customer that decides whose it is, and the name at the seller", async () => {
    const seller = await fixture.organization();
    const [email, discordId] = [newEmail(), newId()];
    const both = await addLicense(seller, { customer: { email, discordId, name: "Ada" } });
    const byDiscord = await addLicense(seller, { customer: { discordId } });
    const nobody = await addLicense(seller);
    expect(await read.portalLicenseReference(both.id)).toEqual({
      id: both.id,
      organization_id: seller.organizationId,
      product_id: seller.productId,
      license_key: both.key,
      customer_id: String(both.customerId),
      customer_name: "Ada",
      // Whatever else the seller has recorded about the customer does not count.
      identity_email: email,
      identity_discord_id: null,
    });
    const identity = { identity_email: null, identity_discord_id: discordId, customer_name: null };
    expect(await read.portalLicenseReference(byDiscord.id)).toMatchObject(identity);
    expect(await read.portalLicenseReference(nobody.id)).toBeUndefined();
  });

  test("licenses are read in the order of their IDs in the request, with what the list shows of their product", async () => {
    const seller = await fixture.organization();
    const [one, other] = [await seller.license(), await seller.license()];
    const rows = await read.portalLicenses([other.id, newId(), one.id]);
    expect(rows).toMatchObject([
      { id: other.id, product_name: "Test Product", product_status: "active" },
      { id: one.id },
    ]);
    expect(await read.portalLicenses([])).toEqual([]);
  });

  test.each([
    ["a product that is not in the portal", "products", { portal_enabled: 0 }],
    ["a deleted product", "products", { deleted_at: 1 }],
    ["a deleted seller", "organizations", { deleted_at: 1 }],
  ] as const)("a license of %s is not shown", async (_, table, columns) => {
    const seller = await fixture.organization();
    const { id } = await addLicense(seller, { customer: { email: newEmail() } });
    expect(await read.portalLicenseReference(id)).toBeDefined();
    await fixture.change(
      table,
      table === "products" ? seller.productId : seller.organizationId,
      columns as object,
    );
    expect(await read.portalLicenseReference(id)).toBeUndefined();
    expect(await read.portalLicenses([id])).toEqual([]);
  });

  test("a key finds the person's own licenses with it, at every seller, the newest first", async () => {
    const [email, discordId, key] = [newEmail(), newId(), `Shared-${newId()}`];
    const [a, b, c] = await several(3, () => fixture.organization());
    const mine = [
      await addLicense(a, { customer: { email }, key }),
      await addLicense(b, { customer: { discordId }, key }),
    ];
    // Someone else's, one of nobody, and one whose seller wrote the Discord ID beside another email address.
    await addLicense(c, { customer: { email: newEmail(), discordId }, key });
    await addLicense(await fixture.organization(), { key });
    const find = (emails: string[], discordIds: string[], typed = key) =>
      read.portalLicensesByKey(matchForm(typed), { emails, discordIds });
    expect(await find([email], [discordId])).toEqual(idsOf(mine).toReversed());
    expect(await find([email], [], ` ${key.toLowerCase()} `)).toEqual([String(mine[0]?.id)]);
    expect(await find([newEmail()], [])).toEqual([]);
    // A Discord ID is no email address.
    expect(await find([discordId], [email])).toEqual([]);
    expect(await find([email], [discordId], "UNKNOWN")).toEqual([]);
  });

  test("what customers did to a license after a time is listed oldest first, by kind", async () => {
    const seller = await fixture.organization();
    const [{ id }, { id: other }] = [await seller.license(), await seller.license()];
    const add = (license_id: string, at: number, action: PortalActionRow["action"] = "ip_removed") =>
      write.addPortalAction({ id: newId(), license_id, action, count: at, at });
    for (const at of [30, 10, 20]) await add(id, at);
    await add(id, 40, "key_rotated");
    await add(other, 50);
    const countsOf = async (sinceMs: number) =>
      (await read.portalActions(id, "ip_removed", sinceMs)).map(({ count }) => count);
    expect([await countsOf(-1), await countsOf(10)]).toEqual([
      [10, 20, 30],
      [20, 30],
    ]);
    expect(await read.portalActions(id, "key_rotated", 0)).toEqual([{ atMs: 40, count: 40 }]);
  });
});
