import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as queries from "./users.ts";

onBothDatabases("users", (fixture) => {
  const { read, write } = fixture.queries(queries);

  test("a new user is found by ID and by email address, with nothing granted but what was given", async () => {
    const id = newId();
    const email = `${id}@example.com`;
    const user = { id, name: "Ada", email, emailVerified: false, isPlatformAdmin: false };
    await write.addUser(user, Date.UTC(2024, 0));
    const row = await read.userById(id);
    expect(row).toMatchObject({
      ...{ name: "Ada", email, email_verified: 0, is_platform_admin: 0, two_factor_enabled: 0, locale: "en" },
      ...{ suspended_at: null, organization_allowance: null, created_at: "2024-01-01T00:00:00.000Z" },
    });
    expect(await read.userByEmail(email)).toEqual(row);
    expect(await read.userByEmail(`other-${email}`)).toBeUndefined();
    expect(await read.anyUserExists()).toBe(true);
    await expect(write.addUser({ ...user, id: newId() }, 0)).rejects.toThrow();
  });

  test("a change affects one user and the named columns", async () => {
    const [user, other] = [await fixture.user(), await fixture.user()];
    const before = await read.userById(other.id);
    const nowMs = Date.UTC(2030, 0);
    await write.updateUser(user.id, { name: "Grace", locale: "de" }, nowMs);
    const changed = { name: "Grace", locale: "de", updated_at: "2030-01-01T00:00:00.000Z" };
    expect(await read.userById(user.id)).toMatchObject({ ...changed, email: user.email });
    expect(await read.userById(other.id)).toEqual(before);
  });
});
