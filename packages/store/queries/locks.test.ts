import { expect, test } from "bun:test";
import { withPlan } from "../../../tests/support/changed-plan.ts";
import { onBothDatabases } from "../../../tests/support/query-tests.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { newEndpoint } from "../../../tests/support/webhooks.ts";
import type { Database } from "../store.ts";
import { times } from "../suite/calls.ts";
import type { Tables } from "../tables.ts";
import { lockPlatformBlocks } from "./admin/platform.ts";
import * as state from "./admin/platform-state.ts";
import { lockedUser as lockedByOperator, lockPlatformAdmins } from "./admin/users.ts";
import { countAnnouncements } from "./announcements/announcements.ts";
import { lockedUser } from "./identity/users.ts";
import { lockedLicense } from "./licenses/views.ts";
import { lockedOrganization } from "./organizations/organizations.ts";
import { lockedPlan } from "./plans/plans.ts";
import { lockedProduct } from "./products/products.ts";
import { lockedEndpoint } from "./webhooks/endpoints.ts";

onBothDatabases("locks", (fixture) => {
  const { write } = fixture;

  type Lock = (db: Database) => Promise<unknown>;
  const name = newId();
  const locks: [what: string, lock: Lock][] = [
    ["the set-up", state.lockSetup],
    ["the platform admins", lockPlatformAdmins],
    ["the platform's blocks", lockPlatformBlocks],
    ["the number of announcements", countAnnouncements],
    ["a value", (db) => state.lockedState(db, name)],
  ];
  test.each(locks)("transactions that lock %s follow each other", async (_what, lock) => {
    await write((db) => state.setState(db, name, "0"));
    const addOne = () =>
      write(async (db) => {
        await lock(db);
        await state.setState(db, name, String(Number(await state.stateOf(db, name)) + 1));
      });
    await Promise.all(times(8, addOne));
    expect(await state.stateOf(fixture.reads, name)).toBe("8");
  });

  type Locked = (db: Database, id: string, organizationId: string) => Promise<object | undefined>;
  const rows: [table: keyof Tables & keyof Awaited<ReturnType<typeof newRows>>, column: string, Locked][] = [
    ["organizations", "updated_at", (db, id) => lockedOrganization(db, id)],
    ["products", "updated_at", (db, id) => lockedProduct(db, id)],
    ["licenses", "updated_at", (db, id) => lockedLicense(db, id)],
    ["users", "devices_since", (db, id) => lockedUser(db, id)],
    ["users", "suspended_at", (db, id) => lockedByOperator(db, id)],
    ["webhook_endpoints", "probes", (db, id, organizationId) => lockedEndpoint(db, organizationId, id)],
    ["plans", "trial_days", (db) => lockedPlan(db, "pro")],
  ];
  /** The IDs of new rows, by table. */
  const newRows = async () => {
    const { organizationId: endpointsOwner, endpointId } = await newEndpoint(fixture);
    const { organizationId, productId, license } = await fixture.organization();
    const [{ id: licenses }, { id: users }] = [await license(), await fixture.user()];
    const owned = { organizations: organizationId, products: productId, licenses };
    return { ...owned, users, webhook_endpoints: endpointId, plans: "pro", endpointsOwner };
  };
  test.each(rows)("each transaction that locks one of the %s sees the one before", async (...row) => {
    const [table, column, locked] = row;
    const { [table]: id, endpointsOwner } = await newRows();
    const update = (db: Database) => db.updateTable(table as "licenses").where("id", "=", id);
    const set = (db: Database, value: number) =>
      update(db)
        .set({ [column]: value })
        .execute();
    const valueIn = async (db: Database) =>
      Number(((await locked(db, id, endpointsOwner)) as Record<string, unknown>)[column]);
    // Other tests use the plans, too.
    await withPlan(fixture, "pro", {}, async () => {
      await write((db) => set(db, 0));
      await Promise.all(times(6, () => write(async (db) => set(db, (await valueIn(db)) + 1))));
      expect(await write(valueIn)).toBe(6);
    });
  });
});
