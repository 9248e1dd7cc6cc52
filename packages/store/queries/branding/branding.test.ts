import { expect, test } from "bun:test";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as queries from "./branding.ts";

onBothDatabases("branding", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const save = write.saveBranding;

  test("an organization has no branding before its first change, and what a change omits stays", async () => {
    const [{ organizationId }, other] = [await fixture.organization(), await fixture.organization()];
    expect(await read.brandingOf(organizationId)).toBeUndefined();
    await save(organizationId, { display_name: "Acme Audio", logo: "AAAA", logo_hash: newId() }, 1);
    await save(organizationId, { support_email: "help@example.com", logo_hash: null }, 2);
    const { logo: _, ...unbranded } = queries.unbranded;
    // Without the bytes of the logo.
    const changed = { display_name: "Acme Audio", support_email: "help@example.com", updated_at: 2 };
    const expected = { ...unbranded, organization_id: organizationId, ...changed };
    expect(await read.brandingOf(organizationId)).toEqual(expected);
    expect(await read.brandingOf(other.organizationId)).toBeUndefined();
  });

  test("organizations are named with what they chose, each once, and deleted ones are omitted", async () => {
    const [branded, plain, deleted] = await several(3, () => fixture.organization());
    await save(branded.organizationId, { display_name: "Acme Audio", accent_color: "#1d4ed8" }, 1);
    await fixture.change("organizations", deleted.organizationId, { deleted_at: 1 });
    const ids = [branded, plain, deleted, branded].map(({ organizationId }) => organizationId);
    // More than are read at once.
    const found = await read.brandedOrganizations([...ids, ...Array.from({ length: 600 }, newId), ...ids]);
    expect(new Map(found.map((row) => [row.id, [row.display_name, row.accent_color]]))).toEqual(
      new Map([
        [branded.organizationId, ["Acme Audio", "#1d4ed8"]],
        [plain.organizationId, [null, null]],
      ]),
    );
    expect(found).toHaveLength(2);
  });

  test("customers find an organization by its slug while it shows a product in the portal", async () => {
    const { organizationId, productId, product } = await fixture.organization();
    const found = (slug = `org-${organizationId}`) => read.portalOrganizationBySlug(slug);
    expect([await found(), await found(newId())]).toEqual([organizationId, null]);
    await fixture.change("products", productId, { portal_enabled: 0 });
    expect(await found()).toBeNull();
    const other = await product();
    expect(await found()).toBe(organizationId);
    await fixture.change("products", other.productId, { deleted_at: 1 });
    expect(await found()).toBeNull();
    await fixture.change("products", productId, { portal_enabled: 1 });
    await fixture.change("organizations", organizationId, { deleted_at: 1 });
    expect(await found()).toBeNull();
  });

  test("a logo is found by its hash as long as an organization has it", async () => {
    const [one, other] = [await fixture.organization(), await fixture.organization()];
    const hash = newId();
    const logo = { logo: "AAAA", logo_type: "image/png", logo_hash: hash } as const;
    const found = () => read.logoByHash(hash);
    expect(await found()).toBeUndefined();
    for (const { organizationId } of [one, other]) await save(organizationId, logo, 1);
    const removed = { logo: null, logo_type: null, logo_hash: null };
    await save(one.organizationId, removed, 2);
    expect(await found()).toEqual({ logo: "AAAA", logo_type: "image/png" });
    await save(other.organizationId, removed, 2);
    expect(await found()).toBeUndefined();
  });
});
