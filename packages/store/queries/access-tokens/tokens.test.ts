import { expect, test } from "bun:test";
import { insertToken } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import type { TokenHolder } from "./tokens.ts";
import * as queries from "./tokens.ts";

const nowMs = Date.UTC(2025, 0);

onBothDatabases("access tokens", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const add = (holder: TokenHolder) => fixture.write((db) => insertToken(db, holder));
  const idsOf = async (holder: TokenHolder, afterId: string | null = null, limit = 10) =>
    (await read.accessTokensOf(holder, { afterId, limit })).map(({ id }) => id);
  const revoke = (holder: TokenHolder, id: string) => write.revokeAccessToken(holder, id, nowMs);
  const holders = async () => {
    const user = { userId: (await fixture.user()).id };
    const organization = { organizationId: (await fixture.organization()).organizationId };
    return [user, organization] as const;
  };

  test("a user and an organization have their own tokens, oldest first, counted and in pages", async () => {
    for (const holder of await holders()) {
      const ids = await several(3, () => add(holder));
      expect(await idsOf(holder)).toEqual([...ids]);
      expect(await idsOf(holder, null, 2)).toEqual(ids.slice(0, 2));
      expect(await idsOf(holder, ids[1])).toEqual(ids.slice(2));
      expect(await read.countAccessTokens(holder)).toBe(3);
    }
  });

  test("a token is revoked once, by its own holder only, and then neither listed, counted nor found", async () => {
    const [mine, organizations] = await holders();
    const [theirs] = await holders();
    const id = await add(mine);
    expect(await read.accessTokenById(id)).toMatchObject({ id, permissions: '["licenses:view"]' });
    for (const holder of [organizations, theirs]) expect(await revoke(holder, id)).toBeUndefined();
    expect(await idsOf(mine)).toEqual([id]);
    const revoked = await Promise.all([revoke(mine, id), revoke(mine, id)]);
    expect(revoked.filter((row) => row !== undefined)).toMatchObject([{ id, revoked_at: nowMs }]);
    expect(await idsOf(mine)).toEqual([]);
    expect(await read.countAccessTokens(mine)).toBe(0);
    expect(await read.accessTokenById(id)).toBeUndefined();
  });

  test("all tokens of a user are revoked except the named ones, and none of others", async () => {
    const [mine, organizations] = await holders();
    const [theirs] = await holders();
    const [kept, revoked] = await several(3, () => add(mine));
    await revoke(mine, revoked);
    const [foreign, shared] = [await add(theirs), await add(organizations)];
    const revokeExcept = (ids: string[]) => write.revokeTokensExcept(mine.userId, ids, nowMs);
    expect(await revokeExcept([kept, foreign])).toBe(1);
    expect(await idsOf(mine)).toEqual([kept]);
    expect(await revokeExcept([])).toBe(1);
    const left = [await idsOf(mine), await idsOf(theirs), await idsOf(organizations)];
    expect(left).toEqual([[], [foreign], [shared]]);
  });

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
});
