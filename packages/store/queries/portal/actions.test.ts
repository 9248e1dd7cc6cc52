import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { PortalActionRow } from "../../tables.ts";
import * as queries from "./actions.ts";

onBothDatabases("what customers did themselves", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const add = (licenseId: string, at: number, action: PortalActionRow["action"] = "ip_removed") =>
    write.addPortalAction({ id: newId(), license_id: licenseId, action, count: Math.abs(at), at });
  const countsOf = async (licenseId: string, sinceMs = -100) =>
    (await read.portalActions(licenseId, "ip_removed", sinceMs)).map(({ count }) => count);

  test("the actions of a license after a time are listed oldest first, by kind", async () => {
    const org = await fixture.organization();
    const [{ id }, { id: other }] = [await org.license(), await org.license()];
    for (const at of [30, 10, 20]) await add(id, at);
    await add(id, 40, "key_rotated");
    await add(other, 50);
    expect(await countsOf(id)).toEqual([10, 20, 30]);
    expect(await countsOf(id, 10)).toEqual([20, 30]);
    expect(await read.portalActions(id, "key_rotated", 0)).toEqual([{ atMs: 40, count: 40 }]);
  });
});
