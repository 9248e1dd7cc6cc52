import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { ImpersonationRow } from "../../tables/platform.ts";
import * as queries from "./impersonations.ts";

const nowMs = Date.UTC(2025, 0);

onBothDatabases("impersonations", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const start = async (columns: Partial<ImpersonationRow> = {}) => {
    const ids = { id: newId(), session_id: newId(), user_id: "", organization_id: "", ...columns };
    ids.user_id ||= (await fixture.user()).id;
    ids.organization_id ||= (await fixture.organization()).organizationId;
    const row = { reason: "Ticket 1", started_at: nowMs, expires_at: nowMs + 1, ...columns, ...ids };
    await write.startImpersonation(row);
    return row;
  };
  const untilOf = async (row: ImpersonationRow) => {
    const { session_id, user_id, organization_id } = row;
    const found = await read.activeImpersonation(session_id, user_id, organization_id, nowMs);
    return found === undefined ? null : Number(found.expires_at);
  };

  test.each(["session_id", "user_id", "organization_id"] as const)(
    "an impersonation is active until it expires, and not for another %s",
    async (column) => {
      const row = await start();
      expect(await untilOf(row)).toBe(nowMs + 1);
      const other = await start({ expires_at: nowMs });
      expect(await untilOf(other)).toBeNull();
      expect(await untilOf({ ...row, [column]: other[column] })).toBeNull();
    },
  );

  test("a session has the organizations that its user looks at with it", async () => {
    const row = await start();
    const { session_id, user_id } = row;
    const second = await start({ session_id, user_id });
    await start({ session_id, user_id, expires_at: nowMs });
    await start({ user_id });
    const active = await read.activeImpersonations(session_id, user_id, nowMs);
    const ids = active.map(({ organization_id: id }) => id);
    expect(ids.sort()).toEqual([row.organization_id, second.organization_id].sort());
    expect(await read.activeImpersonations(session_id, newId(), nowMs)).toEqual([]);
  });

  test("other impersonations are counted in all sessions of the user, without this one and expired ones", async () => {
    const row = await start();
    const { session_id, user_id, organization_id } = row;
    await start({ session_id, user_id });
    await start({ user_id, organization_id });
    await start({ user_id, expires_at: nowMs });
    await start({ organization_id });
    expect(await read.countOtherImpersonations(row, nowMs)).toBe(2);
  });

  test("an impersonation that is started again has the new reason and end, and remains one row", async () => {
    const row = await start();
    await start({ ...row, id: newId(), reason: "Ticket 2", started_at: nowMs + 5, expires_at: nowMs + 9 });
    const rows = await fixture.rows("impersonations", { session_id: row.session_id });
    expect(rows).toMatchObject([{ id: row.id, reason: "Ticket 2", expires_at: nowMs + 9 }]);
  });

  test("ending one or all impersonations of a user returns those that ended, and does not affect others", async () => {
    const row = await start();
    const { session_id, user_id, organization_id } = row;
    const second = await start({ user_id, organization_id });
    const others = await start({ organization_id });
    const end = () => write.endImpersonation(session_id, organization_id);
    expect((await end())?.id).toBe(row.id);
    expect(await end()).toBeUndefined();
    expect([await untilOf(row), await untilOf(second)]).toEqual([null, nowMs + 1]);
    expect(await write.endImpersonationsOf(user_id)).toMatchObject([{ id: second.id }]);
    expect([await untilOf(second), await untilOf(others)]).toEqual([null, nowMs + 1]);
  });
});
