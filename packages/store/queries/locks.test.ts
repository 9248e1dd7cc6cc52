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
  const locks: [what: string, prepare: () => Promise<Lock>][] = [
    ["the set-up", async () => state.lockSetup],
    ["the platform admins", async () => lockPlatformAdmins],
    ["the platform's blocks", async () => lockPlatformBlocks],
    ["the number of announcements", async () => countAnnouncements],
    [
      "a value",
      async () => {
        const name = newId();
        await write((db) => state.addState(db, name, "x"));
        return (db) => state.lockedState(db, name);
      },
    ],
  ];
  test.each(locks)("%s follow each other", async (_what, prepare) => {
    const lock = await prepare();
    const name = newId();
    await write((db) => state.addState(db, name, "0"));
    const addOne = () =>
      write(async (db) => {
        await lock(db);
        await state.setState(db, name, String(Number(await state.stateOf(db, name)) + 1));
      });
    await Promise.all(times(8, addOne));
    expect(await state.stateOf(fixture.reads, name)).toBe("8");
  });

  type Locked = (db: Database) => Promise<object | undefined>;
  const organization = () => fixture.organization();
  const rows: [
    table: keyof Tables,
    column: string,
    prepare: () => Promise<{ id: string; locked: Locked }>,
  ][] = [
    [
      "organizations",
      "updated_at",
      async () => {
        const { organizationId: id } = await organization();
        return { id, locked: (db) => lockedOrganization(db, id) };
      },
    ],
    [
      "products",
      "updated_at",
      async () => {
        const { productId: id } = await organization();
        return { id, locked: (db) => lockedProduct(db, id) };
      },
    ],
    [
      "licenses",
      "updated_at",
      async () => {
        const { id } = await (await organization()).license();
        return { id, locked: (db) => lockedLicense(db, id) };
      },
    ],
    [
      "users",
      "devices_since",
      async () => {
        const { id } = await fixture.user();
        return { id, locked: (db) => lockedUser(db, id) };
      },
    ],
    [
      "users",
      "suspended_at",
      async () => {
        const { id } = await fixture.user();
        return { id, locked: (db) => lockedByOperator(db, id) };
      },
    ],
    [
      "webhook_endpoints",
      "probes",
      async () => {
        const { organizationId, endpointId: id } = await newEndpoint(fixture);
        return { id, locked: (db) => lockedEndpoint(db, organizationId, id) };
      },
    ],
    ["plans", "trial_days", async () => ({ id: "pro", locked: (db) => lockedPlan(db, "pro") })],
  ];
  test.each(rows)(
    "one of the %s follow each other, and each sees the changes of the one before",
    async (...row) => {
      const [table, column, prepare] = row;
      const { id, locked } = await prepare();
      const set = (db: Database, value: number) =>
        db
          .updateTable(table as "licenses")
          .set({ [column]: value })
          .where("id", "=", id)
          .execute();
      const valueIn = async (db: Database) => Number(((await locked(db)) as Record<string, unknown>)[column]);
      // Other tests use the plans, too.
      await withPlan(fixture, "pro", {}, async () => {
        await write((db) => set(db, 0));
        await Promise.all(times(6, () => write(async (db) => set(db, (await valueIn(db)) + 1))));
        expect(await write(valueIn)).toBe(6);
      });
    },
  );
});
