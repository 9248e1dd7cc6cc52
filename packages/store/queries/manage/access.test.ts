import { expect, test } from "bun:test";
import { insertRole, insertToken } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as tokens from "../access-tokens/tokens.ts";
import * as members from "../members/members.ts";
import * as access from "./access.ts";

onBothDatabases("access", (fixture) => {
  const { read, write } = fixture.queries({ ...tokens, ...members, ...access });

  test("a token is found by its hash with its user, until it is revoked", async () => {
    const user = await fixture.user({ name: "Ada", admin: true });
    const { organizationId } = await fixture.organization();
    const personal = { user_id: user.id, organization_id: null, user_name: "Ada", is_platform_admin: 1 };
    const shared = {
      user_id: null,
      organization_id: organizationId,
      user_name: null,
      is_platform_admin: null,
    };
    for (const [holder, columns] of [
      [{ userId: user.id }, personal],
      [{ organizationId }, shared],
    ] as const) {
      const id = await fixture.write((db) => insertToken(db, holder));
      await write.touchToken(id, 7);
      const found = { id, last_used_at: 7, user_suspended_at: null, ...columns };
      expect(await read.tokenByHash(`hash of ${id}`)).toMatchObject(found);
      await write.revokeAccessToken(holder, id, 8);
      expect(await read.tokenByHash(`hash of ${id}`)).toBeUndefined();
    }
  });

  test("a deleted product and its licenses do not exist; the organization still does", async () => {
    const { organizationId, productId, license } = await fixture.organization();
    const { id: licenseId, key } = await license();
    const reference = { id: licenseId, organization_id: organizationId, product_id: productId };
    const whole = { ...reference, customer_id: null, license_key: key };
    expect(await read.licenseReference(licenseId)).toEqual(whole);
    expect(await read.licenseById(licenseId)).toMatchObject(reference);
    expect((await read.productById(productId))?.id).toBe(productId);
    await fixture.change("products", productId, { deleted_at: 1 });
    expect(await read.productById(productId)).toBeUndefined();
    expect(await write.lockedProduct(productId)).toBeUndefined();
    expect(await read.licenseReference(licenseId)).toBeUndefined();
    expect(await read.licenseById(licenseId)).toBeUndefined();
    expect((await read.organizationById(organizationId))?.id).toBe(organizationId);
  });

  test("a member has the permissions of their role in the organization, and an outsider none", async () => {
    const { organizationId } = await fixture.organization();
    const { organizationId: otherId } = await fixture.organization();
    const { id: userId } = await fixture.user();
    const role = { organization_id: organizationId, permissions: '["a"]' };
    const roleId = await fixture.write((db) => insertRole(db, role));
    await write.addMember({ organizationId, userId, roleId }, 0);
    expect(await read.memberPermissions(organizationId, userId)).toBe('["a"]');
    expect(await read.memberPermissions(otherId, userId)).toBeNull();
    expect(await read.memberPermissions(organizationId, newId())).toBeNull();
  });
});
