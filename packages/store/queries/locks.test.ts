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
import { lockedLicense, lockedOrganization, lockedProduct } from "./manage/access.ts";
import { lockedPlan } from "./plans/plans.ts";
import { lockedEndpoint } from "./webhooks/endpoints.ts";

onBothDatabases("transactions that lock", (fixture) => {
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
  test.each(locks)("%s follow each other", async (_what, lock) => {
    await write((db) => state.setState(db, name, "0"));
    const addOne = () =>
      write(async (db) => {
        await lock(db);
        await state.setState(db, name, String(Number(await state.stateOf(db, name)) + 1));
      });
    await Promise.all(times(8, addOne));
    expect(await state.stateOf(fixture.reads, name)).toBe("8");
  });

  type Locked = (db: Database) => Promise<object | undefined>;
  const organization = async () => (await fixture.organization()).organizationId;
  const product = async () => (await fixture.organization()).productId;
  const license = async () => (await (await fixture.organization()).license()).id;
  const user = async () => (await fixture.user()).id;
  const endpoint = async () => {
    const { organizationId, endpointId: id } = await newEndpoint(fixture);
    return { id, locked: (db: Database) => lockedEndpoint(db, organizationId, id) };
  };
  type Prepare = () => Promise<{ id: string; locked: Locked }>;
  const row =
    (
      make: () => Promise<string>,
      locked: (db: Database, id: string) => Promise<object | undefined>,
    ): Prepare =>
    async () => {
      const id = await make();
      return { id, locked: (db) => locked(db, id) };
    };
  const rows: [table: keyof Tables, column: string, prepare: Prepare][] = [
    ["organizations", "updated_at", row(organization, lockedOrganization)],
    ["products", "updated_at", row(product, lockedProduct)],
    ["licenses", "updated_at", row(license, lockedLicense)],
    ["users", "devices_since", row(user, lockedUser)],
    ["users", "suspended_at", row(user, lockedByOperator)],
    ["webhook_endpoints", "probes", endpoint],
    ["plans", "trial_days", async () => ({ id: "pro", locked: (db) => lockedPlan(db, "pro") })],
  ];
  test.each(rows)("one of the %s follow each other, and each sees the one before", async (...row) => {
    const [table, column, prepare] = row;
    const { id, locked } = await prepare();
    const update = (db: Database) => db.updateTable(table as "licenses").where("id", "=", id);
    const set = (db: Database, value: number) =>
      update(db)
        .set({ [column]: value })
        .execute();
    const valueIn = async (db: Database) => Number(((await locked(db)) as Record<string, unknown>)[column]);
    // Other tests use the plans, too.
    await withPlan(fixture, "pro", {}, async () => {
      await write((db) => set(db, 0));
      await Promise.all(times(6, () => write(async (db) => set(db, (await valueIn(db)) + 1))));
      expect(await write(valueIn)).toBe(6);
    });
  });
});
